/* What decides: a cluster, a policy, and what is held when, at what price. Whole runs work with it directly; the
 * scheduler of berth.h section 8 (online/scheduler/) adds the jobs, the clock and the machines' states.
 *
 * Slots are counted from the ledger's first one, which a scheduler may move (berth__decider_shift); arrivals of jobs,
 * plans and promises likewise, and those of jobs that came before it are negative. */
#ifndef BERTH_ONLINE_DECIDER_H
#define BERTH_ONLINE_DECIDER_H

#include "online/bidlp/bidlp.h"
#include "online/replan.h"
#include "solver/solve.h"

typedef struct berth__decider {
    berth__cluster *cluster;
    berth__prices *prices;                 /* NULL for policies that make their own */
    berth__ledger *ledger;                 /* NULL with bidlp, which has its own */
    berth__ledger_copy before;             /* the batch in hand */
    berth__bidlp *bidlp;                   /* NULL for other policies */
    const berth__policy *policy;           /* NULL if slot_policy is not */
    const berth__slot_policy *slot_policy; /* of runs only, see online/simulate.h */
    berth__workspace *workspaces;          /* [options.threads] */
    berth_options options;                 /* backends never NULL */
    berth_backends *built_in;              /* owned when the options named none */
    const berth__budget *outer;            /* a run's budget; NULL: each call has its own time limit */
    uint64_t n_submitted;
    int now;     /* latest arrival slot */
    bool steady; /* moving a job costs its owner something: not done for nothing (policy bidlp) */
    berth__plan_stats stats;
} berth__decider;

/* As berth_scheduler_new, for slot policies and noise, too. */
berth_status berth__decider_new(const berth_cluster *cluster, const berth_price_bounds *bounds,
                                const berth_options *options, berth__decider **out, berth_error *error);
/* Without prices, ledger or bidlp yet, by options that were checked, over a cluster that becomes its; on failure it
 * does not. */
berth_status berth__decider_open(const berth_options *options, berth__cluster *cluster, berth__decider **out,
                                 berth_error *error);
void berth__decider_free(berth__decider *decider);
/* What its policy bidlp works on, over a cluster that is or becomes its. */
berth__bidlp_setting berth__decider_setting(berth__decider *decider, berth__cluster *cluster);

/* Does the policy take its prices from price bounds? */
bool berth__decider_priced(const berth__decider *decider);
/* Of whatever policy. */
const berth__ledger *berth__decider_ledger(const berth__decider *decider);
/* For what is gone before the call in hand returns; whoever takes from it goes back to where it was. */
berth__arena *berth__decider_scratch(const berth__decider *decider);

/* New price bounds for a decider that has committed nothing yet. */
berth_status berth__decider_set_prices(berth__decider *decider, const berth_price_bounds *bounds, berth_error *error);

typedef struct berth__batch {
    int slot;
    size_t n;
    berth__job *const *jobs; /* [n] arriving in `slot` */
    bool own;                /* those of policy bidlp, which keeps jobs, are given to it if that keeps them; else they
                                have to live as long as the decider */
    bool commit;             /* else n is 1, and nothing changes */
    bool gang;               /* all are admitted, or none */
    /* Called with the decisions, [n], before they are final: on failure nothing has happened. NULL: nothing is to be
     * recorded; nor is it where nobody is admitted. */
    berth_status (*record)(void *user, berth_decision *const *decisions, berth_error *error);
    void *user;
} berth__batch;

/* As berth_submit_batch, for jobs already taken in. *kept: the jobs are bidlp's now; may be NULL. */
berth_status berth__decide_batch(berth__decider *decider, const berth__batch *batch, bool *kept, berth_decision **out,
                                 berth_error *error);
/* As berth_submit, or without `commit` berth_what_if, for a job already taken in. */
berth_status berth__decide(berth__decider *decider, const berth__job *job, bool commit, berth_decision **out,
                           berth_error *error);

/* The plan of an admitted job of policy bidlp as it stands; the rest of the decision is as far as it is known. */
berth_status berth__decider_present(const berth__decider *decider, uint64_t number, berth_decision **out,
                                    berth_error *error);

/* ---- for schedulers ---- */

/* The same decider, at the same prices, that has admitted nothing, for another cluster of the same horizon and
 * resources, whose machines are the old ones, in other states, and perhaps more. The cluster becomes its; on failure
 * it does not. */
berth_status berth__decider_renew(const berth__decider *old, berth__cluster *cluster, berth__decider **out,
                                  berth_error *error);
/* A job with a plan that is known to fit from `now` on counts as admitted. The plan becomes the decider's; the job is
 * borrowed until it is released. On failure nothing has changed. */
berth_status berth__decider_adopt(berth__decider *decider, uint64_t number, const berth__job *job, int promised,
                                  int now, berth__plan *plan, berth_error *error);
/* An admitted job ends: what it holds from `now` on is free. slots: its plan. */
void berth__decider_release(berth__decider *decider, uint64_t number, const berth__job *job, int now, size_t n_slots,
                            const berth_slot_plan *slots);
/* A plan for the rest of a job; the time limit is that of a call. */
berth_status berth__decider_plan_rest(berth__decider *decider, const berth__rest *rest, berth__plan *found,
                                      berth_error *error);
/* The numbers of slots fall by so many. Jobs that were given to the decider are shifted with it. */
void berth__decider_shift(berth__decider *decider, int slots);

#endif
