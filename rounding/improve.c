#include "base/alloc.h"
#include "rounding/activity.h"
#include "rounding/repair.h"

#include <math.h>
#include <string.h>

static int first_broken(const berth__activity *a, int lowered) {
    for (size_t k = a->col_start[lowered]; k < a->col_start[lowered + 1]; k++) {
        int i = a->row_of[k];
        if (i < a->p->n_cover && berth__activity_lack(a, i) > 0) {
            return i;
        }
    }
    return -1;
}

static double coefficient(const berth__activity *a, int i, int j) {
    for (size_t k = a->col_start[j]; k < a->col_start[j + 1]; k++) {
        if (a->row_of[k] == i) {
            return a->value[k];
        }
    }
    return 0;
}

/* Units of j that restore every cover row which lowering `lowered` broke; HUGE_VAL: j does not serve one of them. */
static double units_needed(const berth__activity *a, int lowered, int j) {
    double need = 0;
    for (size_t k = a->col_start[lowered]; k < a->col_start[lowered + 1] && need < HUGE_VAL; k++) {
        int i = a->row_of[k];
        double lack = i < a->p->n_cover ? berth__activity_lack(a, i) : 0;
        if (lack > 0) {
            double value = coefficient(a, i, j);
            need = value > 0 ? fmax(need, berth__activity_units(a, j, lack, value)) : HUGE_VAL;
        }
    }
    return need;
}

/* A variable to raise after another was lowered. */
typedef struct replacement {
    int var; /* -1: none */
    double units;
    double limit; /* minimisation: cost to stay below; maximisation: profit to exceed */
} replacement;

/* The cheapest variable of row i that restores all cover. */
static void seek_cheaper(const berth__activity *a, int i, int down, replacement *best) {
    const berth__packcover *p = a->p;
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        int j = p->col[k];
        if (j == down || !(p->value[k] > 0) || !(p->cost[j] < best->limit) || !berth__packcover_integer(p, j)) {
            continue;
        }
        double need = units_needed(a, down, j);
        if (p->cost[j] * need < best->limit && need <= berth__activity_room(a, j)) {
            *best = (replacement){.var = j, .units = need, .limit = p->cost[j] * need};
        }
    }
}

/* The variable of a packing row of `down` that earns most in the room it left, and restores all cover. Whatever shares
 * no packing row with it has no room now that it had not before. */
static void seek_dearer(const berth__activity *a, int down, replacement *best) {
    const berth__packcover *p = a->p;
    for (size_t at = a->col_start[down]; at < a->col_start[down + 1]; at++) {
        int i = a->row_of[at];
        for (size_t k = p->row_start[i]; k < p->row_start[i + 1] && i >= p->n_cover; k++) {
            int j = p->col[k];
            if (j == down || !(p->value[k] > 0) || !(p->cost[j] > 0) || !berth__packcover_integer(p, j)) {
                continue;
            }
            double room = berth__activity_room(a, j);
            if (room < HUGE_VAL && p->cost[j] * room > best->limit && units_needed(a, down, j) <= room) {
                *best = (replacement){.var = j, .units = room, .limit = p->cost[j] * room};
            }
        }
    }
}

/* Lowers `down` by `units` and raises the variable that replaces it best; undone unless that is an improvement. */
static bool replace(berth__activity *a, int down, double units) {
    const berth__packcover *p = a->p;
    double cost = p->cost[down] * units;
    replacement best = {.var = -1, .limit = p->maximize ? cost * (1 + 1e-12) : cost * (1 - 1e-12)};
    berth__activity_move(a, down, -units);
    if (p->maximize) {
        seek_dearer(a, down, &best);
    } else {
        int row = first_broken(a, down);
        if (row < 0) {
            return true;
        }
        seek_cheaper(a, row, down, &best);
    }
    if (best.var < 0) {
        berth__activity_move(a, down, units);
        return false;
    }
    berth__activity_move(a, best.var, best.units);
    return true;
}

/* Amounts tried: 1 to 4, then all of it: d units of one for a single unit of another is found in the common cases. */
static bool replace_any(berth__activity *a, int down) {
    double all = a->x[down];
    for (int units = 1; units <= 4 && units <= all; units++) {
        if (replace(a, down, units)) {
            return true;
        }
    }
    return all > 4 && replace(a, down, all);
}

static bool sweep(berth__activity *a, const berth__budget *budget) {
    bool changed = false;
    for (int j = 0; j < a->p->n_vars; j++) {
        bool worth = a->p->maximize || a->p->cost[j] > 0;
        bool candidate = berth__packcover_integer(a->p, j) && worth && a->x[j] >= 1;
        if (candidate && berth__budget_spent(budget)) {
            return false;
        }
        changed = (candidate && replace_any(a, j)) || changed;
    }
    return changed;
}

berth_status berth__improve(const berth__packcover *p, const bool *skip, const berth__budget *budget, double *x) {
    berth__violation before = berth__packcover_measure(p, x);
    if (!before.feasible) {
        return BERTH_OK;
    }
    double *original = BERTH__NEW_ARRAY(double, (size_t)p->n_vars);
    berth__activity a = {.p = NULL};
    berth_status status = BERTH_E_MEMORY;
    if (original == NULL) {
        goto done;
    }
    memcpy(original, x, (size_t)p->n_vars * sizeof *x);
    status = berth__activity_open(&a, p, skip, x);
    if (status == BERTH_OK) {
        status = berth__activity_drop(&a);
    }
    do {
        status = status == BERTH_OK ? berth__activity_fill(&a) : status;
    } while (status == BERTH_OK && sweep(&a, budget));
    /* The kept row sums carry rounding errors; what is handed back is measured from scratch. */
    berth__violation after = berth__packcover_measure(p, x);
    if (status != BERTH_OK || !after.feasible || berth__packcover_better(p, before.cost, after.cost)) {
        memcpy(x, original, (size_t)p->n_vars * sizeof *x);
    }
done:
    berth__activity_close(&a);
    berth__free(original);
    return status;
}
