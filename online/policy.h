/* What a policy is to the scheduler: a way to make offers for one job in one slot. The schedule programme, admission,
 * ledger and certificate are the same for all. */
#ifndef BERTH_ONLINE_POLICY_H
#define BERTH_ONLINE_POLICY_H

#include <berth_io.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "online/ledger.h"
#include "online/schedule.h"
#include "online/slot_groups.h"
#include "online/slot_policy.h"
#include "online/workspace.h"

/* Counters of what rounding did; summed over slots in slot order. */
typedef struct berth__rounding_stats {
    long problems, solved, repaired, draws, guarantee_held; /* solved: by a draw */
    double largest_scale;
    berth_rounding_promise promise; /* the worst among those that held; meaningless if guarantee_held is 0 */
    const char *why_not;            /* the first reason a guarantee did not hold; static text */
    double relaxation_s, rounding_s;
} berth__rounding_stats;

/* `held` more roundings whose guarantee held, with the worst they promised. */
void berth__rounding_stats_promise(berth__rounding_stats *stats, long held, const berth_rounding_promise *promise);
void berth__rounding_stats_add(berth__rounding_stats *total, const berth__rounding_stats *part);

/* How good the integer placements across machines were, over those made on demand. */
typedef struct berth__placement_stats {
    long slots, proved;        /* placed; proved cheapest */
    double gap_sum, gap_worst; /* cost / bound - 1 */
} berth__placement_stats;

typedef struct berth__slot_offers {
    berth__arena *arena; /* owns what follows */
    int n;
    berth__offer *offers;   /* [n] pruned; index is the policy's own number of the offer */
    int n_all;              /* before pruning, for policies that place on demand: what an offer that does not stand */
    berth__offer *all;      /* had pushed out comes back from here */
    int failures;           /* offers that did not stand */
    berth_slot_plan *plans; /* by index, with samples and locality as placed; NULL: the policy places on demand */
    void *detail;           /* what the policy needs to place; by index if an array */
    berth__rounding_stats stats;
} berth__slot_offers;

/* What an offer is made from; all borrowed, nothing changes while offers are made (slots run in parallel). */
typedef struct berth__offer_context {
    const berth__ledger *ledger;
    const berth_options *options;
    const berth__budget *budget;
    const berth__job *job;
    uint64_t job_number; /* keys the random streams */
    berth__quanta quanta;
    const berth__price_limits *limits; /* [horizon] prices beyond which a slot's machines hardly matter: a guess */
} berth__offer_context;

typedef struct berth__policy {
    const char *name;
    const char *about;
    const char *solver; /* what "auto" means: an LP backend if NULL; "none" is all there is then */
    double price_floor; /* lower prices are raised to this part of the upper ones, unless the instance says else */
    /* The search ends when a later completion could add no more than this part of the payoff. */
    double search_gap;
    /* On fewer machines a slot than this, offers take less time than waking threads does; by_touched: only touched
     * machines take any. */
    int parallel_machines;
    bool by_touched;
    bool apart;   /* workers are on machines 0, 2, ..., servers on 1, 3, ... */
    bool batches; /* decides as online/bidlp/ says: the rest is how its plans are made */
    /* Fills out->n, offers, plans or detail, stats from out->arena. E_CANCELLED when the budget is spent. */
    berth_status (*offer)(const berth__offer_context *context, berth__workspace *workspace, int slot,
                          berth__slot_offers *out, berth_error *error);
    /* For policies that place on demand: whether offer `other` of a slot is to be withdrawn because offer `failed` of
     * it did not stand; all: every offer of the failed one's kind. */
    bool (*falls_with)(const berth__slot_offers *offers, int failed, int other, bool all);
    /* For policies that place on demand (else NULL): the plan of an offer, from `arena`. *placed false: no placement
     * was found, the offer does not stand. */
    berth_status (*place)(const berth__offer_context *context, berth__workspace *workspace, int slot,
                          const berth__slot_offers *offers, int index, berth__arena *arena, berth_slot_plan *out,
                          berth__placement_stats *stats, bool *placed, berth_error *error);
} berth__policy;

extern const berth__policy berth__policy_pdors;
extern const berth__policy berth__policy_bidlp;
extern const berth__policy berth__policy_pdors_ci;
extern const berth__policy berth__policy_oasis;

/* Known policy and solver, ranges. E_ARGUMENT with where = the option's name. */
berth_status berth__check_options(const berth_options *options, berth_error *error);

/* By name; NULL if unknown or of the other kind. */
const berth__policy *berth__policy_find(const char *name);
const berth__slot_policy *berth__slot_policy_find(const char *name);
/* "pdors, ..." for messages. */
const char *berth__policy_names(void);

/* A slot plan on given counts: placements by machine, actual locality, samples. Allocates from arena; false if out of
 * memory. w, s: [n_machines], workers total > 0. */
bool berth__slot_plan_from_counts(berth__arena *arena, const berth__cluster *cluster, const berth__job *job, int slot,
                                  const int *w, const int *s, berth_slot_plan *out);

#endif
