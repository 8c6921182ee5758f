/* What a policy is to the scheduler: a way to make offers for one job in one slot. The schedule programme, admission,
 * ledger and certificate are the same for all. */
#ifndef BERTH_ONLINE_POLICY_H
#define BERTH_ONLINE_POLICY_H

#include <berth_io.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "online/ledger.h"
#include "online/schedule.h"

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

typedef struct berth__slot_offers {
    berth__arena *arena; /* owns what follows */
    int n;
    berth__offer *offers;   /* [n] pruned; index into plans */
    berth_slot_plan *plans; /* placements with samples and locality as placed */
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
} berth__offer_context;

typedef struct berth__policy {
    const char *name;
    const char *about;
    /* Fills out->n, offers, plans, stats from out->arena. E_CANCELLED when the budget is spent. */
    berth_status (*offer)(const berth__offer_context *context, int slot, berth__slot_offers *out, berth_error *error);
} berth__policy;

extern const berth__policy berth__policy_pdors;

/* By name; NULL if unknown. */
const berth__policy *berth__policy_find(const char *name);
/* "pdors, ..." for messages. */
const char *berth__policy_names(void);

/* A slot plan on given counts: placements by machine, actual locality, samples. Allocates from arena; false if out of
 * memory. w, s: [n_machines], workers total > 0. */
bool berth__slot_plan_from_counts(berth__arena *arena, const berth__cluster *cluster, const berth__job *job, int slot,
                                  const int *w, const int *s, berth_slot_plan *out);

#endif
