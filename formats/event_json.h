/* Events of the protocol berth-events-1, one JSON object a line: what a scheduler is told and asked (docs/serve.md). */
#ifndef BERTH_FORMATS_EVENT_JSON_H
#define BERTH_FORMATS_EVENT_JSON_H

#include <berth_io.h>

#define BERTH__PROTOCOL "berth-events-1"
#define BERTH__REPLIES  "berth-replies-1"

/* Name; does it change the state of the scheduler? */
#define BERTH__EVENT_TABLE(X)                                                                                          \
    X(SUBMIT, "submit", true)                                                                                          \
    X(GANG, "gang", true)                                                                                              \
    X(PROPOSE, "propose", true)                                                                                        \
    X(COMMIT, "commit", true)                                                                                          \
    X(ABANDON, "abandon", true)                                                                                        \
    X(WHAT_IF, "what-if", false)                                                                                       \
    X(EXPLAIN, "explain", false)                                                                                       \
    X(ADVANCE, "advance", true)                                                                                        \
    X(FINISH, "finish", true)                                                                                          \
    X(CANCEL, "cancel", true)                                                                                          \
    X(LEFT, "left", true)                                                                                              \
    X(ADD_MACHINE, "add-machine", true)                                                                                \
    X(DRAIN, "drain", true)                                                                                            \
    X(FAIL, "fail", true)                                                                                              \
    X(RESIZE, "resize", true)                                                                                          \
    X(RETURN, "return", true)                                                                                          \
    X(OBSERVED, "observed", true)                                                                                      \
    X(STATUS, "status", false)                                                                                         \
    X(HELLO, "hello", false)                                                                                           \
    X(SNAPSHOT, "snapshot", false)                                                                                     \
    X(SHUTDOWN, "shutdown", false)

typedef enum berth__event_kind {
#define BERTH__EVENT_ENUM(name, text, changes) BERTH__EVENT_##name,
    BERTH__EVENT_TABLE(BERTH__EVENT_ENUM)
#undef BERTH__EVENT_ENUM
        BERTH__N_EVENTS
} berth__event_kind;

enum { BERTH__MOST_KEY = 200 };

/* What an event does not have is 0, NULL or -1. */
typedef struct berth__event {
    berth__event_kind kind;
    berth_error error; /* status not OK: the event is wrong, and only `kind`, if it was understood, and `tag` count */
    const char *name;  /* as given, NULL: none */
    const char *tag;   /* a JSON value as text */
    const char *key;   /* at most BERTH__MOST_KEY bytes */
    uint32_t fingerprint; /* of all but the tag, if there is a key */
    const char *job_id;   /* of a job that is named: by id, or NULL: by number */
    bool has_job;
    uint64_t job_number;
    bool list; /* the jobs came as a list */
    size_t n_jobs;
    berth_job *jobs; /* arrival_slot -1: not given. They are not checked against a horizon */
    int slot;
    const char *machine;
    const double *capacity; /* [n_resources] */
    double samples;
    bool want_jobs, want_machines, want_value;
    int first, end; /* of the value of capacity; -1: from now, to the horizon */
    int completion_slot;
    bool rejected;
    void *memory;
} berth__event;

/* Reads a line. instance: whose resources demands are of. NULL: out of
 * memory. Free with berth__event_free. */
berth__event *berth__event_read(const char *line, size_t length, const berth_instance *instance);
void berth__event_free(berth__event *event);
const char *berth__event_name(berth__event_kind kind);
bool berth__event_changes(berth__event_kind kind);

#endif
