/* Planning one job: offers slot by slot, the schedule programme, placements of what it chose. */
#ifndef BERTH_ONLINE_PLANNER_H
#define BERTH_ONLINE_PLANNER_H

#include "online/policy.h"

typedef struct berth__plan {
    berth__arena *arena; /* owns slots */
    size_t n_slots;      /* 0: no plan found that could pay */
    berth_slot_plan *slots;
    bool too_long;       /* for the schedule programme, so that no plan was looked for */
    double payoff_bound; /* most that any plan can pay at the ledger's prices; NAN: none completes */
} berth__plan;

typedef struct berth__plan_stats {
    berth__rounding_stats rounding;
    berth__placement_stats placement;
    double schedule_s, payoff_bound_s;
} berth__plan_stats;

/* Plans at the ledger's present prices and free capacities; changes nothing but `stats`. A plan that comes back
 * completes the job and fits; whether it pays is for the caller to see. workspaces: [options->threads]. E_CANCELLED
 * when the budget is spent. */
berth_status berth__plan_job(const berth__policy *policy, const berth__ledger *ledger, const berth_options *options,
                             const berth__budget *budget, berth__workspace *workspaces, const berth__job *job,
                             uint64_t job_number, berth__plan_stats *stats, berth__plan *out, berth_error *error);
void berth__plan_clear(berth__plan *plan);

#endif
