/* The scheduler behind berth.h section 8, as the rest of online/ sees it. */
#ifndef BERTH_ONLINE_SCHEDULER_H
#define BERTH_ONLINE_SCHEDULER_H

#include "online/bidlp/bidlp.h"
#include "solver/solve.h"

struct berth_scheduler {
    berth__cluster *cluster;
    berth__prices *prices;                 /* NULL for policies that make their own */
    berth__ledger *ledger;                 /* NULL with bidlp, which has its own */
    berth__bidlp *bidlp;                   /* NULL for other policies */
    const berth__policy *policy;           /* NULL if slot_policy is not */
    const berth__slot_policy *slot_policy; /* of runs only, see online/simulate.h */
    berth__workspace *workspaces;          /* [options.threads] */
    berth_options options;                 /* backends never NULL */
    berth_backends *built_in;              /* owned when the options named none */
    const berth__budget *outer;            /* a run's budget; NULL: each call has its own time limit */
    uint64_t n_submitted;
    int now; /* latest arrival slot */
    berth__plan_stats stats;
};

/* As berth_scheduler_new, for slot policies too. */
berth_status berth__scheduler_new(const berth_cluster *cluster, const berth_price_bounds *bounds,
                                  const berth_options *options, berth_scheduler **out, berth_error *error);

/* Does the policy take its prices from price bounds? */
bool berth__scheduler_priced(const berth_scheduler *scheduler);
/* Of whatever policy. */
const berth__ledger *berth__scheduler_ledger(const berth_scheduler *scheduler);

/* New price bounds for a scheduler that has committed nothing yet. */
berth_status berth__scheduler_set_prices(berth_scheduler *scheduler, const berth_price_bounds *bounds,
                                         berth_error *error);

/* As berth_submit for a job already taken in. */
berth_status berth__scheduler_decide(berth_scheduler *scheduler, const berth__job *job, bool commit,
                                     berth_decision **out, berth_error *error);
/* As berth_submit_batch for jobs already taken in. own: those of policy bidlp, which keeps jobs, are given to it if
 * that commits; else they have to live as long as the scheduler. */
berth_status berth__scheduler_decide_batch(berth_scheduler *scheduler, int slot, size_t n, berth__job *const *jobs,
                                           bool own, bool commit, berth_decision **out, berth_error *error);

#endif
