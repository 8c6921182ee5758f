/* A slow twin of the scheduler of berth.h section 8: plain tables of jobs and machines, told of each event, that knows
 * all but the plans, which it reads and holds to the rules. What it asserts after each event:
 *   - the clock, machines, live jobs and statistics are as its own tables say;
 *   - what is held is what the plans of live jobs hold, within capacities of machines as they are, and quotas;
 *   - plans do all of the work, at the speed of their placements, with enough servers, on machines the job may use;
 *     what has run stands; what is new is not on machines that are closed;
 *   - nothing is later than promised unless that is told, and no job is gone unless that is told, or was asked for. */
#ifndef BERTH_TESTS_EVENT_MODEL_H
#define BERTH_TESTS_EVENT_MODEL_H

#include <berth.h>

typedef struct event_model event_model;

/* options: rolling and restart_delay_s count. */
event_model *event_model_new(const berth_cluster *cluster, const berth_options *options);
void event_model_free(event_model *m);

/* Before the call: the ids of jobs to come, "j0", ...; all that jobs point to has to outlive the model, but ids. */
const char *event_model_next_id(event_model *m, size_t ahead);
size_t event_model_submitted(const event_model *m);
size_t event_model_live(const event_model *m);
uint64_t event_model_number(const event_model *m, size_t index, bool *proposed); /* index < event_model_live */
bool event_model_is_live(const event_model *m, uint64_t number);
double event_model_left(const event_model *m, uint64_t number);
size_t event_model_machines(const event_model *m);
/* DRAINING also of a machine that is empty, and reported DOWN. */
berth_machine_state event_model_state(const event_model *m, int machine);

/* After a call that succeeded; event_model_check has to follow. */
void event_model_advance(event_model *m, int slot);
/* Time has moved before. */
void event_model_submit(event_model *m, size_t n, const berth_job *jobs, berth_decision *const *decisions, bool gang,
                        bool proposed);
void event_model_commit(event_model *m, uint64_t number);
void event_model_abandon(event_model *m, uint64_t number);
void event_model_finish(event_model *m, uint64_t number);
void event_model_cancel(event_model *m, uint64_t number);
void event_model_work(event_model *m, uint64_t number, double left);
/* capacity NULL: as it is. A machine behind the last is new. */
void event_model_machine(event_model *m, int machine, const char *name, berth_machine_state state,
                         const double *capacity);

/* may_lose: the event was one in which plans may turn out not to be possible any more. */
void event_model_check(event_model *m, berth_scheduler *s, bool may_lose);
/* Takes the changes: exactly those of the plans that it has seen change and of the jobs that it has seen end. */
void event_model_take_changes(event_model *m, berth_scheduler *s);

/* How often what happened, in all models so far. */
typedef struct event_tally {
    size_t events, submitted, rejected, completed, finished, cancelled, lost, lapsed, abandoned, moved, delayed;
    size_t most_live;
} event_tally;
void event_model_count(const event_model *m, event_tally *sum);

#endif
