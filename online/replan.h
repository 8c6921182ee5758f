/* Planning the rest of a job that may have run already, from a slot on. */
#ifndef BERTH_ONLINE_REPLAN_H
#define BERTH_ONLINE_REPLAN_H

#include "online/planner.h"

/* What planning works with; borrowed. */
typedef struct berth__planning {
    const berth__policy *policy;
    const berth__cluster *cluster;
    const berth__ledger *ledger;
    const berth_options *options;
    const berth__budget *budget;
    berth__workspace *workspaces; /* [options->threads] */
    berth__plan_stats *stats;
} berth__planning;

typedef struct berth__rest {
    const berth__job *job;
    uint64_t number;
    int now;                 /* the rest is what `run` has not done before it */
    const berth__plan *plan; /* of all its slots, of which those before `now` have run; NULL: it has none */
    int last_slot;           /* to complete by */
    bool bounded;            /* payoff_bound is wanted */
} berth__rest;

/* Index of the first slot of a plan that is still to come. */
size_t berth__plan_to_come(const berth__plan *plan, int now);
/* Into a plan of all slots, those that have run in front; nothing is booked. found->n_slots 0: there is no such plan.
 */
berth_status berth__plan_rest(const berth__planning *with, const berth__rest *rest, berth__plan *found,
                              berth_error *error);

#endif
