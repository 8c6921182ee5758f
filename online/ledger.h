/* Who holds what, when, and what it costs: usage per (slot, machine, resource) and tenant, and prices: those that
 * follow from usage (prices.h), or bids, prices given from outside by (slot, class, resource). Amounts are shares of
 * the cluster's totals.
 *
 * Machines that hold nothing in a slot are alike within a capacity class, so a slot keeps numbers only for the machines
 * touched in it, by resource (structure of arrays), and counts the idle ones: memory and every pass are proportional to
 * what was touched, not to the cluster. */
#ifndef BERTH_ONLINE_LEDGER_H
#define BERTH_ONLINE_LEDGER_H

#include "base/alloc.h"
#include "online/prices.h"

typedef struct berth__slot_ledger {
    int n_touched, room;
    int *machine;   /* [room] */
    int *holders;   /* [room] placements of plans that hold it */
    double *used;   /* [n_resources][room] */
    double *price;  /* [n_resources][room]; 0 where there is no capacity */
    int *idle;      /* [n_classes] machines of a capacity class that hold nothing */
    int *idle_from; /* [n_classes] the lowest of them; n_machines if there is none */
} berth__slot_ledger;

typedef struct berth__ledger {
    const berth__cluster *cluster; /* borrowed */
    const berth__prices *prices;   /* borrowed; NULL: bids */
    berth__slot_ledger *slots;     /* [horizon] */
    int *place;                    /* [horizon][n_machines] 1 + position among the slot's touched machines; 0: idle */
    int *first_of_class;           /* [n_classes] lowest machine of a class */
    double *idle_price;            /* [n_classes][n_resources]; with bids [horizon] of these */
    double *bid, *tie;             /* [horizon][n_classes][n_resources], [n_resources]; NULL without bids */
    double *tenant_used;           /* [horizon][n_quotas][n_resources] */
} berth__ledger;

/* prices NULL: bids, 0 until they are set. */
berth_status berth__ledger_new(const berth__cluster *cluster, const berth__prices *prices, berth__ledger **out,
                               berth_error *error);
void berth__ledger_free(berth__ledger *ledger);

/* The price of a resource in slots [first, end): bid + tie (1 - x / 2) at utilisation x of the machine; the second
 * part, with small ties, prefers used machines among equals. bid: [horizon][n_classes][n_resources], of which other
 * slots are not read; tie: [n_resources]. O(held machines) a slot. */
void berth__ledger_set_bids(berth__ledger *ledger, int first, int end, const double *bid, const double *tie);
/* Of an idle machine of a class: [n_resources]. */
const double *berth__ledger_idle_price(const berth__ledger *ledger, int slot, int machine_class);

double berth__ledger_used(const berth__ledger *ledger, int slot, int machine, int resource);
double berth__ledger_price(const berth__ledger *ledger, int slot, int machine, int resource);

/* Machines of a class that hold nothing in a slot and that the job may use. O(1) unless the job has allow or avoid
 * lists, then O(n_machines) a class. */
int berth__ledger_idle(const berth__ledger *ledger, int slot, const berth__job *job, int machine_class);

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
/* Books a plan and updates the prices it touches. E_INTERNAL, booking nothing, if it does not fit; E_MEMORY likewise.
 */
berth_status berth__ledger_commit(berth__ledger *ledger, const berth__job *job, size_t n_slots,
                                  const berth_slot_plan *slots, berth_error *error);
/* Likewise for a plan that is known to have fitted, perhaps by other sums: it is not asked again. E_MEMORY. */
berth_status berth__ledger_adopt(berth__ledger *ledger, const berth__job *job, size_t n_slots,
                                 const berth_slot_plan *slots, berth_error *error);
/* Takes back a plan that was booked. */
void berth__ledger_release(berth__ledger *ledger, const berth__job *job, size_t n_slots, const berth_slot_plan *slots);

/* What is held and charged in slots from `first` on. Zero before first use; may be taken anew, in the same memory. */
typedef struct berth__ledger_copy {
    berth__arena *arena; /* owns all; NULL before first use */
    bool taken;
    int first;
    berth__slot_ledger *slots;                    /* [horizon - first] rooms as small as can be */
    double *idle_price, *bid, *tie, *tenant_used; /* as in the ledger, from slot `first` on */
} berth__ledger_copy;

/* Releases undo a commit up to rounding, a copy to the last bit and in the order of machines. On failure out is
 * cleared. */
berth_status berth__ledger_save(const berth__ledger *ledger, int first, berth__ledger_copy *out, berth_error *error);
/* Back to a copy of this ledger that is taken. Cannot fail. */
void berth__ledger_restore(berth__ledger *ledger, const berth__ledger_copy *copy);
/* Not taken any more; keeps its memory. */
void berth__ledger_copy_drop(berth__ledger_copy *copy);
void berth__ledger_copy_clear(berth__ledger_copy *copy);

/* Slot t + slots becomes slot t; those at the end are empty, with the bids of the one that was last. O(horizon *
 * (n_machines + n_classes * n_resources)). */
void berth__ledger_shift(berth__ledger *ledger, int slots);
/* The same for rows of prices by slot, [n_rows][row]: the last is repeated. */
void berth__shift_prices(double *rows, size_t n, size_t n_rows, size_t row);

/* Would it fit, as it is? */
bool berth__ledger_fits(const berth__ledger *ledger, const berth__job *job, size_t n_slots,
                        const berth_slot_plan *slots);

#endif
