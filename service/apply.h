/* What an event does to a scheduler, and what is replied. */
#ifndef BERTH_SERVICE_APPLY_H
#define BERTH_SERVICE_APPLY_H

#include "formats/event_json.h"
#include "formats/json_write.h"
#include "service/shadow.h"

typedef struct berth__world {
    const berth_instance *instance;
    berth_scheduler *scheduler;
    berth__shadow *shadow; /* NULL: this is the real scheduler */
    uint64_t sequence;     /* of the event, or of the last that changed anything */
    const char *policy;
    bool rolling, kept; /* kept: there is a state directory */
} berth__world;

/* Carries out an event other than snapshot and shutdown, and makes the reply's body, a line (berth__free it):
 * event->error if the event is wrong, else what came of it. *outcome is the status that the reply tells. Fails only if
 * the state and the reply can no longer be told apart (memory ran out after the event): the server has to stop. */
berth_status berth__apply(const berth__world *world, const berth__event *event, char **body, berth_status *outcome,
                          berth_error *error);
/* A body that says only that an event did not happen, or (error NULL) did. */
berth_status berth__apply_nothing(const berth__world *world, const berth__event *event, const berth_error *why,
                                  char **body, berth_error *error);

#endif
