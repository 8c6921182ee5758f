#include "online/slot_groups.h"

#include <math.h>
#include <string.h>

bool berth__slot_groups_room(berth__arena *arena, int most_groups, int n_resources, berth__slot_groups *out) {
    size_t room = (size_t)most_groups + 1; /* selecting writes one entry beyond what it keeps */
    *out = (berth__slot_groups){.room = most_groups + 1,
                                .machine = BERTH__ARENA_ARRAY(arena, int, room),
                                .count = BERTH__ARENA_ARRAY(arena, double, room),
                                .price_worker = BERTH__ARENA_ARRAY(arena, double, room),
                                .price_ps = BERTH__ARENA_ARRAY(arena, double, room),
                                .capacity = BERTH__ARENA_ARRAY(arena, double, room *(size_t)n_resources)};
    return out->machine != NULL && out->count != NULL && out->price_worker != NULL && out->price_ps != NULL &&
           out->capacity != NULL;
}

int berth__slot_groups_most(const berth__ledger *ledger, int first) {
    int most = 0;
    for (int t = first; t < ledger->cluster->horizon; t++) {
        most = most < ledger->slots[t].n_touched ? ledger->slots[t].n_touched : most;
    }
    return most + ledger->cluster->n_classes;
}

/* Touched machines priced at a time: prices of a block stay in the nearest cache until they are compared. */
enum { BLOCK = 128 };

typedef struct block_prices {
    double worker[BLOCK], ps[BLOCK];
} block_prices;

/* Prices of a unit of each kind on touched machines first .. first + n - 1. Nothing fits where a demand is infinite:
 * what it adds is irrelevant. */
static void price_block(const berth__slot_ledger *ours, const berth__job *job, int R, int first, int n,
                        block_prices *restrict out) {
    memset(out, 0, sizeof *out);
    for (int r = 0; r < R; r++) {
        double alpha = job->worker[r] < HUGE_VAL ? job->worker[r] : 0;
        double beta = job->ps[r] < HUGE_VAL ? job->ps[r] : 0;
        const double *restrict row = ours->price + (size_t)r * (size_t)ours->room + first;
        if (alpha == 0 && beta == 0) {
            continue;
        }
        for (int k = 0; k < n; k++) {
            out->worker[k] += alpha * row[k];
            out->ps[k] += beta * row[k];
        }
    }
}

static double unit_price(const double *price, const double *demand, int R) {
    double sum = 0;
    for (int r = 0; r < R; r++) {
        sum += price[r] > 0 && demand[r] < HUGE_VAL ? price[r] * demand[r] : 0;
    }
    return sum;
}

static bool within(const berth__slot_groups *g, int k, berth__price_limits limits) {
    return g->price_worker[k] < limits.worker || g->price_ps[k] < limits.ps;
}

/* The touched machines that are within the limits and that the job may use: their prices, and their positions in
 * machine[]. */
static void select_touched(const berth__slot_ledger *ours, const berth__job *job, int R, berth__price_limits limits,
                           berth__slot_groups *g) {
    int n = 0, usable = 0;
    for (int first = 0; first < ours->n_touched; first += BLOCK) {
        int size = ours->n_touched - first < BLOCK ? ours->n_touched - first : BLOCK;
        block_prices prices;
        price_block(ours, job, R, first, size, &prices);
        for (int k = 0; k < size; k++) {
            bool may = job->eligible == NULL || job->eligible[ours->machine[first + k]];
            bool keep = may & ((prices.worker[k] < limits.worker) | (prices.ps[k] < limits.ps));
            g->price_worker[n] = prices.worker[k]; /* overwritten by the next one unless kept */
            g->price_ps[n] = prices.ps[k];
            g->machine[n] = first + k;
            n += keep;
            usable += may;
        }
    }
    g->n_groups = g->n_touched = n;
    g->left_out = usable > n;
}

/* machine[] from positions to machines, with their capacities. */
static void describe_touched(const berth__ledger *ledger, const berth__slot_ledger *ours, berth__capacity_kind kind,
                             berth__slot_groups *g) {
    size_t R = (size_t)ledger->cluster->n_resources;
    for (int n = 0; n < g->n_groups; n++) {
        size_t position = (size_t)g->machine[n];
        int machine = ours->machine[position];
        const double *capacity = ledger->cluster->capacity + (size_t)machine * R;
        for (size_t r = 0; r < R; r++) {
            double used = kind == BERTH__FREE_CAPACITY ? ours->used[r * (size_t)ours->room + position] : 0;
            g->capacity[r * (size_t)g->room + (size_t)n] = capacity[r] > used ? capacity[r] - used : 0;
        }
        g->machine[n] = machine;
        g->count[n] = 1;
    }
}

static void add_group(const berth__cluster *cluster, const berth__job *job, int machine, double count,
                      const double *price, berth__price_limits limits, berth__slot_groups *g) {
    int R = cluster->n_resources, n = g->n_groups;
    g->price_worker[n] = unit_price(price, job->worker, R);
    g->price_ps[n] = unit_price(price, job->ps, R);
    if (!within(g, n, limits)) {
        g->left_out = true;
        return;
    }
    g->machine[n] = machine;
    g->count[n] = count;
    for (int r = 0; r < R; r++) {
        g->capacity[(size_t)r * (size_t)g->room + (size_t)n] =
            cluster->capacity[(size_t)machine * (size_t)R + (size_t)r];
    }
    g->n_groups++;
}

void berth__slot_groups_fill(const berth__ledger *ledger, const berth__job *job, int slot, berth__capacity_kind kind,
                             berth__price_limits limits, berth__slot_groups *out) {
    const berth__slot_ledger *ours = &ledger->slots[slot];
    select_touched(ours, job, ledger->cluster->n_resources, limits, out);
    describe_touched(ledger, ours, kind, out);
    for (int k = 0; k < ledger->cluster->n_classes; k++) {
        int idle = berth__ledger_idle(ledger, slot, job, k);
        if (idle > 0) {
            const double *price = berth__ledger_idle_price(ledger, slot, k);
            add_group(ledger->cluster, job, ledger->first_of_class[k], idle, price, limits, out);
        }
    }
}

void berth__slot_groups_of_classes(const berth__cluster *cluster, const berth__job *job, int n_classes,
                                   const int *machine, const double *count, const double *prices,
                                   berth__slot_groups *out) {
    const berth__price_limits all = {HUGE_VAL, HUGE_VAL};
    out->n_groups = out->n_touched = 0;
    out->left_out = false;
    for (int k = 0; k < n_classes; k++) {
        if (job->eligible == NULL || job->eligible[machine[k]]) {
            const double *price = prices + (size_t)k * (size_t)cluster->n_resources;
            add_group(cluster, job, machine[k], count[k], price, all, out);
        }
    }
}
