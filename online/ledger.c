#include "online/ledger.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"

#include <math.h>

static void set_price(berth__ledger *ledger, size_t at, const double *capacity) {
    for (int r = 0; r < ledger->cluster->n_resources; r++) {
        size_t k = at + (size_t)r;
        ledger->price[k] = capacity[r] > 0 ? berth__price_at(ledger->prices, r, ledger->used[k] / capacity[r]) : 0;
    }
}

static const double *capacity_of(const berth__ledger *ledger, int machine) {
    return ledger->cluster->capacity + (size_t)machine * (size_t)ledger->cluster->n_resources;
}

berth_status berth__ledger_new(const berth__cluster *cluster, const berth__prices *prices, berth__ledger **out,
                               berth_error *error) {
    *out = NULL;
    /* The product was checked for overflow when the cluster was made. */
    size_t n = (size_t)cluster->horizon * (size_t)cluster->n_machines * (size_t)cluster->n_resources;
    size_t n_tenant = (size_t)cluster->horizon * (size_t)cluster->n_quotas * (size_t)cluster->n_resources;
    berth__ledger *ledger = berth__calloc(1, sizeof *ledger);
    if (ledger == NULL) {
        return berth__fail_memory(error);
    }
    ledger->cluster = cluster;
    ledger->prices = prices;
    ledger->used = BERTH__NEW_ARRAY(double, n);
    ledger->price = BERTH__NEW_ARRAY(double, n);
    ledger->tenant_used = BERTH__NEW_ARRAY(double, n_tenant);
    if (ledger->used == NULL || ledger->price == NULL || ledger->tenant_used == NULL) {
        berth__ledger_free(ledger);
        return berth__fail_memory(error);
    }
    for (int t = 0; t < cluster->horizon; t++) {
        for (int h = 0; h < cluster->n_machines; h++) {
            set_price(ledger, berth__ledger_at(ledger, t, h), capacity_of(ledger, h));
        }
    }
    *out = ledger;
    return BERTH_OK;
}

void berth__ledger_free(berth__ledger *ledger) {
    if (ledger != NULL) {
        berth__free(ledger->used);
        berth__free(ledger->price);
        berth__free(ledger->tenant_used);
        berth__free(ledger);
    }
}

void berth__ledger_free_capacity(const berth__ledger *ledger, int slot, const berth__job *job, double *free) {
    int H = ledger->cluster->n_machines, R = ledger->cluster->n_resources;
    const double *used = ledger->used + berth__ledger_at(ledger, slot, 0);
    for (int h = 0; h < H; h++) {
        bool eligible = job->eligible == NULL || job->eligible[h];
        for (int r = 0; r < R; r++) {
            size_t k = (size_t)h * (size_t)R + (size_t)r;
            free[k] = eligible ? fmax(0, ledger->cluster->capacity[k] - used[k]) : 0;
        }
    }
}

void berth__ledger_unit_prices(const berth__ledger *ledger, int slot, const berth__job *job, double *worker,
                               double *ps) {
    int H = ledger->cluster->n_machines, R = ledger->cluster->n_resources;
    const double *price = ledger->price + berth__ledger_at(ledger, slot, 0);
    for (int h = 0; h < H; h++) {
        const double *p = price + (size_t)h * (size_t)R;
        double w = 0, s = 0;
        for (int r = 0; r < R; r++) {
            if (p[r] > 0) { /* 0 * HUGE_VAL never arises */
                w += job->worker[r] < HUGE_VAL ? p[r] * job->worker[r] : 0;
                s += job->ps[r] < HUGE_VAL ? p[r] * job->ps[r] : 0;
            }
        }
        worker[h] = w;
        ps[h] = s;
    }
}

static bool within(double load, double limit) {
    return load <= limit * (1 + BERTH__FEASIBILITY);
}

/* What w workers and s servers hold of resource r; 0 servers hold nothing even of an infinite demand. */
static double holding(const berth__job *job, int r, int w, int s) {
    return (w > 0 ? w * job->worker[r] : 0) + (s > 0 ? s * job->ps[r] : 0);
}

int berth__ledger_quota_room(const berth__ledger *ledger, int slot, const berth__job *job, int limit) {
    if (job->quota < 0) {
        return limit;
    }
    int R = ledger->cluster->n_resources;
    const double *quota = ledger->cluster->quota + (size_t)job->quota * (size_t)R;
    size_t at = ((size_t)slot * (size_t)ledger->cluster->n_quotas + (size_t)job->quota) * (size_t)R;
    const double *used = ledger->tenant_used + at;
    int low = 0, high = limit; /* room is monotone in the number of workers */
    while (low < high) {
        int middle = high - (high - low) / 2, s = berth__ps_needed(job, middle);
        bool fits = true;
        for (int r = 0; r < R && fits; r++) {
            fits = within(used[r] + holding(job, r, middle, s), quota[r]);
        }
        low = fits ? middle : low;
        high = fits ? high : middle - 1;
    }
    return low;
}

double berth__ledger_plan_price(const berth__ledger *ledger, const berth__job *job, size_t n_slots,
                                const berth_slot_plan *slots) {
    int R = ledger->cluster->n_resources;
    double total = 0;
    for (size_t k = 0; k < n_slots; k++) {
        for (size_t i = 0; i < slots[k].n_placements; i++) {
            const berth_placement *place = &slots[k].placements[i];
            const double *price = ledger->price + berth__ledger_at(ledger, slots[k].slot, place->machine);
            for (int r = 0; r < R; r++) {
                if (price[r] > 0) {
                    total += price[r] * holding(job, r, place->workers, place->ps);
                }
            }
        }
    }
    return total;
}

static bool plan_fits(const berth__ledger *ledger, const berth__job *job, size_t n_slots,
                      const berth_slot_plan *slots) {
    int R = ledger->cluster->n_resources;
    for (size_t k = 0; k < n_slots; k++) {
        int workers = 0;
        for (size_t i = 0; i < slots[k].n_placements; i++) {
            const berth_placement *place = &slots[k].placements[i];
            const double *used = ledger->used + berth__ledger_at(ledger, slots[k].slot, place->machine);
            const double *capacity = capacity_of(ledger, place->machine);
            workers += place->workers;
            for (int r = 0; r < R; r++) {
                if (!within(used[r] + holding(job, r, place->workers, place->ps), capacity[r])) {
                    return false;
                }
            }
        }
        if (berth__ledger_quota_room(ledger, slots[k].slot, job, workers) < workers) {
            return false;
        }
    }
    return true;
}

bool berth__ledger_commit(berth__ledger *ledger, const berth__job *job, size_t n_slots, const berth_slot_plan *slots) {
    if (!plan_fits(ledger, job, n_slots, slots)) {
        return false;
    }
    int R = ledger->cluster->n_resources;
    for (size_t k = 0; k < n_slots; k++) {
        double *tenant = NULL;
        if (job->quota >= 0) {
            size_t row = (size_t)slots[k].slot * (size_t)ledger->cluster->n_quotas + (size_t)job->quota;
            tenant = ledger->tenant_used + row * (size_t)R;
        }
        for (size_t i = 0; i < slots[k].n_placements; i++) {
            const berth_placement *place = &slots[k].placements[i];
            size_t at = berth__ledger_at(ledger, slots[k].slot, place->machine);
            for (int r = 0; r < R; r++) {
                double amount = holding(job, r, place->workers, place->ps);
                ledger->used[at + (size_t)r] += amount;
                if (tenant != NULL) {
                    tenant[r] += amount;
                }
            }
            set_price(ledger, at, capacity_of(ledger, place->machine));
        }
    }
    return true;
}
