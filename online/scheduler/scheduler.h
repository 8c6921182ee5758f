/* The scheduler behind berth.h section 8: the jobs promised to (live.h), the machines' states (fleet.h), the clock, and
 * a decider over what is up (online/decider.h).
 *
 * The public counts slots from the start; the decider, live jobs' plans and their arrivals count from `base`, the
 * decider's first slot, which moves with the clock if the horizon rolls and is 0 otherwise. */
#ifndef BERTH_ONLINE_SCHEDULER_SCHEDULER_H
#define BERTH_ONLINE_SCHEDULER_SCHEDULER_H

#include "online/decider.h"
#include "online/decision.h"
#include "online/scheduler/changes.h"
#include "online/scheduler/fleet.h"
#include "online/scheduler/live.h"

struct berth_scheduler {
    berth__decider *decider;
    berth__fleet fleet;
    berth__live_table live;
    berth__change_log changes;
    int base, now;           /* public numbers */
    berth_statistics counts; /* live, utility_planned and machines are counted when asked for */
};

/* ---- time ---- */

/* The decider's number of the present slot. */
static inline int berth__now(const berth_scheduler *s) {
    return s->now - s->base;
}
/* Can time move to this slot? */
berth_status berth__scheduler_check_slot(const berth_scheduler *s, int slot, const char *where, berth_error *error);
/* Time moves to a slot that is not before the present one. There is room for the changes (berth__changes_reserve). */
void berth__scheduler_advance(berth_scheduler *s, int slot);

/* ---- plans ---- */

/* A live job's plan, slots counted from `base`; valid until the next event. */
const berth_slot_plan *berth__live_plan(const berth_scheduler *s, const berth__live *live, size_t *n_slots);
/* Of the last slot of its plan. */
int berth__live_completion(const berth_scheduler *s, const berth__live *live);
/* Its work that is done before the present slot, in samples. */
double berth__live_done(const berth_scheduler *s, const berth__live *live);
/* Will it be live, as it is, when time has moved to this slot? */
bool berth__live_at(const berth_scheduler *s, const berth__live *live, int slot);
/* Notes which plans policy bidlp has changed since they were told. There is room for the changes. */
void berth__scheduler_note_moves(berth_scheduler *s);

/* ---- jobs that end ---- */

/* Frees what the job holds from the present slot on and takes it out of the table: it is the caller's then. */
void berth__scheduler_end(berth_scheduler *s, berth__live *live);
/* The live job of a number, not proposed, or an error. */
berth_status berth__scheduler_find(const berth_scheduler *s, uint64_t number, berth__live **out, berth_error *error);

/* ---- other machines, other work ---- */

/* A new decider in which every live job has its plan again, but for those that are planned anew: those `hit`, and those
 * that no longer fit. On failure nothing has changed. */
typedef struct berth__replacement {
    berth__fleet *fleet;       /* the machines from now on; becomes the scheduler's; NULL: as they are */
    int gone;                  /* jobs planned to be on this machine from the present slot on are hit; -1: none */
    bool refit;                /* jobs are asked whether they still fit, in the order of admission */
    const berth__live *worked; /* this job is hit, and its work is now `work`; NULL: none */
    double work;               /* samples, done and left */
    const char *cause;         /* of a job lost: "machine m3 failed" */
} berth__replacement;

berth_status berth__scheduler_replace(berth_scheduler *s, const berth__replacement *with, berth_error *error);

#endif
