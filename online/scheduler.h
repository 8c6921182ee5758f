/* The scheduler behind berth.h section 8, as the rest of online/ sees it. */
#ifndef BERTH_ONLINE_SCHEDULER_H
#define BERTH_ONLINE_SCHEDULER_H

#include "online/planner.h"
#include "solver/solve.h"

struct berth_scheduler {
    berth__cluster *cluster;
    berth__prices *prices;
    berth__ledger *ledger;
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

/* New price bounds for a scheduler that has committed nothing yet. */
berth_status berth__scheduler_set_prices(berth_scheduler *scheduler, const berth_price_bounds *bounds,
                                         berth_error *error);

/* As berth_submit for a job already taken in. */
berth_status berth__scheduler_decide(berth_scheduler *scheduler, const berth__job *job, bool commit,
                                     berth_decision **out, berth_error *error);

#endif
