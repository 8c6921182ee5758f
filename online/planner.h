/* Planning one job: offers slot by slot, the schedule programme, placements of what it chose. */
#ifndef BERTH_ONLINE_PLANNER_H
#define BERTH_ONLINE_PLANNER_H

#include "online/policy.h"

/* What is to be planned. A job that waits for the rest of its work, or runs already, is a job that arrives now. */
typedef struct berth__plan_request {
    const berth__job *job;
    uint64_t number; /* keys the random streams */
    int waited;      /* slots before job->arrival that count in its delay */
    int last_slot;   /* to complete by, < horizon */
    bool bounded;    /* payoff_bound is wanted */
} berth__plan_request;

typedef struct berth__plan {
    berth__arena *arena; /* owns slots */
    berth__arena **pool; /* the first workspace's, which it goes back to; NULL: it belongs to none */
    size_t n_slots;      /* 0: no plan found that could pay */
    berth_slot_plan *slots;
    bool too_long;       /* for the schedule programme, so that no plan was looked for */
    double payoff_bound; /* most that any plan can pay at the ledger's prices; NAN: none completes, or
                            not wanted */
} berth__plan;

typedef struct berth__plan_stats {
    berth__rounding_stats rounding;
    berth__placement_stats placement;
    double schedule_s, payoff_bound_s;
    double work; /* machines looked at in slots, and 32 for each slot: a measure of time that does not depend on it */
} berth__plan_stats;

/* Plans at the ledger's present prices and free capacities; changes nothing but `stats`. A plan that comes back
 * completes the job and fits; whether it pays is for the caller to see. workspaces: [options->threads]. E_CANCELLED
 * when the budget is spent. */
berth_status berth__plan_job(const berth__policy *policy, const berth__ledger *ledger, const berth_options *options,
                             const berth__budget *budget, berth__workspace *workspaces,
                             const berth__plan_request *request, berth__plan_stats *stats, berth__plan *out,
                             berth_error *error);
/* Before its workspaces are freed. */
void berth__plan_clear(berth__plan *plan);

#endif
