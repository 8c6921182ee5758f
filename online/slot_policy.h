/* A policy that decides slot by slot: in each slot it places the jobs that are there anew, or leaves them where they
 * were. It promises nothing: a job completes when it completes. The simulation, the ledger and the certificate are the
 * same for all of them, and the ledger and the certificate those of the policies that commit plans. */
#ifndef BERTH_ONLINE_SLOT_POLICY_H
#define BERTH_ONLINE_SLOT_POLICY_H

#include "base/budget.h"
#include "online/slot_room.h"

/* A job that has arrived and is not complete. */
typedef struct berth__slot_job {
    const berth__job *job;
    size_t number;           /* in the instance */
    double done, remaining;  /* samples */
    double attained;         /* dominant share, summed over the slots so far */
    double speed[2];         /* samples of a worker in this slot, by locality; less if the job moves and that costs */
    int fixed_workers;       /* fifo: chosen at arrival */
    int n_run;               /* slots in which it ran so far */
    berth__holding now;      /* in this slot: what the policy fills in; empty at first */
    berth__holding previous; /* in the slot before */
} berth__slot_job;

/* How a policy that searches came out; all 0 for those that do not. */
typedef struct berth__slot_search {
    long slots;    /* searched */
    long unproved; /* of these: the best found before a limit, not proved to be the best */
    long raised;   /* of these: a bound had to give way */
} berth__slot_search;

typedef struct berth__slot_state {
    const berth__cluster *cluster;
    const berth_options *options;
    const berth__budget *budget;
    int slot;
    size_t n_active;
    berth__slot_job **active; /* [n_active] by arrival, then file order */
    berth__slot_room *room;   /* what `now` of all active jobs amounts to */
    double *key;              /* [n_active] scratch */
    size_t *order;            /* [n_active] scratch */
    double completed_service; /* `attained` of the jobs completed so far, summed */
    size_t n_completed;       /* number of them */
    berth__slot_search search;
} berth__slot_state;

typedef struct berth__slot_policy {
    const char *name;
    const char *about;
    const char *solver; /* as a result names it; NULL: a backend that solves integer programmes, options.solver */
    /* NULL: every job is admitted. Called at arrival with an empty room; false: the job is rejected. May use `now` as
     * scratch. */
    bool (*admit)(const berth__slot_state *state, berth__slot_job *job);
    /* Fills in `now` of the active jobs. */
    berth_status (*fill)(berth__slot_state *state, berth_error *error);
} berth__slot_policy;

extern const berth__slot_policy berth__policy_fifo;
extern const berth__slot_policy berth__policy_drf;
extern const berth__slot_policy berth__policy_dorm;
extern const berth__slot_policy berth__policy_srtf;
extern const berth__slot_policy berth__policy_las;
extern const berth__slot_policy berth__policy_optimus;

/* Can the job use one more worker than `now` holds? */
bool berth__slot_job_wants(const berth__slot_job *job);
/* state->order: active jobs by increasing state->key, ties by arrival. */
void berth__slot_sort(berth__slot_state *state);
/* Places active jobs one after another by increasing state->key, each with as many workers as it can use. */
void berth__slot_fill_in_order(berth__slot_state *state);
/* Progressive filling: again and again a worker, with the server it needs, for the job of least key; one that finds no
 * room or wants no more is out. */
void berth__slot_fill_by_key(berth__slot_state *state,
                             double (*key)(const berth__slot_state *state, const berth__slot_job *job));

#endif
