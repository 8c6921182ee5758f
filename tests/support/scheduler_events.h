/* Random events of a scheduler, drawn from what it is at the moment, applied to it or to its twin, and what came of
 * them. */
#ifndef BERTH_TESTS_SCHEDULER_EVENTS_H
#define BERTH_TESTS_SCHEDULER_EVENTS_H

#include <berth_io.h>

#include "base/pcg.h"

enum { EVENT_JOBS = 4, EVENT_RESOURCES = 3 };

typedef enum scheduler_event_kind {
    EVENT_BATCH = 0, /* perhaps of no jobs */
    EVENT_GANG,
    EVENT_PROPOSE,
    EVENT_WHAT_IF,
    EVENT_COMMIT,
    EVENT_ABANDON,
    EVENT_ADVANCE,
    EVENT_FINISH,
    EVENT_CANCEL,
    EVENT_REPORT_LEFT,
    EVENT_TAKE_CHANGES,
    EVENT_ADD_MACHINE,
    EVENT_DRAIN_MACHINE,
    EVENT_FAIL_MACHINE,
    EVENT_RETURN_MACHINE,
    EVENT_RESIZE_MACHINE,
    EVENT_KINDS
} scheduler_event_kind;

typedef struct scheduler_event {
    scheduler_event_kind kind;
    int slot, machine;
    size_t n;
    berth_job jobs[EVENT_JOBS];
    char ids[EVENT_JOBS][16], name[16];
    uint64_t number; /* of a live job, now and then of none */
    double samples, capacity[EVENT_RESOURCES];
} scheduler_event;

/* Jobs are those of the instance, as if they arrived now. names: how many were given so far. The event must not be
 * moved. */
void scheduler_event_draw(scheduler_event *event, const berth_instance *instance, const berth_scheduler *s,
                          berth__pcg *stream, int *names);

typedef struct scheduler_outcome {
    berth_status status;
    berth_error error;
    size_t n;
    berth_decision *decisions[EVENT_JOBS];
    berth_changes changes;
    int machine;
} scheduler_outcome;

/* Free with scheduler_outcome_clear. */
void scheduler_event_apply(const scheduler_event *event, berth_scheduler *s, scheduler_outcome *out);
void scheduler_outcome_clear(scheduler_outcome *outcome);

/* Assert that they are the same to the last bit: outcomes; all that can be seen of schedulers by looking. */
void scheduler_outcomes_expect_same(const scheduler_outcome *a, const scheduler_outcome *b);
void schedulers_expect_same(berth_scheduler *a, berth_scheduler *b, int n_resources);

#endif
