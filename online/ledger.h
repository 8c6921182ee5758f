/* Who holds what, when, and what it costs: usage per (slot, machine, resource) and tenant, and the prices that follow
 * from it. Amounts are shares of the cluster's totals. Memory: 2 T H R doubles. */
#ifndef BERTH_ONLINE_LEDGER_H
#define BERTH_ONLINE_LEDGER_H

#include "online/prices.h"

typedef struct berth__ledger {
    const berth__cluster *cluster; /* borrowed */
    const berth__prices *prices;   /* borrowed */
    double *used;                  /* [horizon][n_machines][n_resources] */
    double *price;                 /* the same shape; 0 where there is no capacity */
    double *tenant_used;           /* [horizon][n_quotas][n_resources] */
} berth__ledger;

berth_status berth__ledger_new(const berth__cluster *cluster, const berth__prices *prices, berth__ledger **out,
                               berth_error *error);
void berth__ledger_free(berth__ledger *ledger);

/* Offset of (slot, machine) into used and price. */
static inline size_t berth__ledger_at(const berth__ledger *ledger, int slot, int machine) {
    return ((size_t)slot * (size_t)ledger->cluster->n_machines + (size_t)machine) *
           (size_t)ledger->cluster->n_resources;
}

/* Free capacity of every machine in a slot into free[n_machines][n_resources]; never negative. Machines the job may
 * not use get 0. */
void berth__ledger_free_capacity(const berth__ledger *ledger, int slot, const berth__job *job, double *free);
/* Price of one worker and one parameter server of the job on every machine in a slot. A resource of which the machine
 * has nothing adds nothing: nothing that demands it fits there. */
void berth__ledger_unit_prices(const berth__ledger *ledger, int slot, const berth__job *job, double *worker,
                               double *ps);
/* Most workers of the job, with their parameter servers, that its tenant's quota leaves room for; at most `limit`. */
int berth__ledger_quota_room(const berth__ledger *ledger, int slot, const berth__job *job, int limit);

/* Price of a plan at the present prices. */
double berth__ledger_plan_price(const berth__ledger *ledger, const berth__job *job, size_t n_slots,
                                const berth_slot_plan *slots);
/* Books a plan and updates the prices it touches. False, booking nothing, if it does not fit. */
bool berth__ledger_commit(berth__ledger *ledger, const berth__job *job, size_t n_slots, const berth_slot_plan *slots);

#endif
