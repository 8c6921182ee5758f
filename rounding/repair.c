#include "rounding/repair.h"

#include "base/alloc.h"
#include "rounding/activity.h"
#include "rounding/ranking.h"

#include <math.h>
#include <string.h>

/* The least violated state so far. */
typedef struct keeper {
    double *x; /* [n_vars] */
    berth__violation violation;
} keeper;

static void keep_if_better(keeper *best, const berth__activity *a) {
    berth__violation now = berth__packcover_measure(a->p, a->x);
    if (berth__violation_better(a->p, &now, &best->violation)) {
        best->violation = now;
        memcpy(best->x, a->x, (size_t)a->p->n_vars * sizeof *a->x);
    }
}

/* ---- (a) ------------------------------------------------------------------------------------------ */

/* Lowers variables of packing row i until it holds or nothing is left to lower; within_cover: cover rows keep what
 * they have. Every step ends the row or a variable; the count guards against steps lost in rounding. */
static void lower_row(berth__activity *a, int i, bool within_cover) {
    const berth__packcover *p = a->p;
    size_t first = p->row_start[i], last = p->row_start[i + 1];
    for (size_t step = 0; step <= 2 * (last - first); step++) {
        double lack = berth__activity_lack(a, i), best_key = -HUGE_VAL, best_most = 0, best_value = 0;
        int best = -1;
        for (size_t k = first; k < last && lack > 0; k++) {
            int j = p->col[k];
            double cost = p->maximize ? -p->cost[j] : p->cost[j];
            double key = p->value[k] > 0 ? cost / p->value[k] : -HUGE_VAL;
            double most = key > best_key ? (within_cover ? berth__activity_spare(a, j) : a->x[j]) : 0;
            if (most > 0) {
                best = j;
                best_key = key;
                best_most = most;
                best_value = p->value[k];
            }
        }
        if (best < 0) {
            return;
        }
        berth__activity_move(a, best, -fmin(best_most, berth__activity_units(a, best, lack, best_value)));
    }
}

static void lower_excess(berth__activity *a) {
    int first = a->p->n_cover, last = first + a->p->n_pack;
    for (int within_cover = 1; within_cover >= 0; within_cover--) {
        for (int i = first; i < last; i++) {
            lower_row(a, i, within_cover != 0);
        }
    }
}

/* ---- (b) ------------------------------------------------------------------------------------------ */

/* Missing cover that one unit of j supplies, as shares of the rows; *step: the largest move during which that stays
 * so, but at least a unit. */
static double gain_of(const berth__activity *a, int j, double *step) {
    double gain = 0, limit = HUGE_VAL;
    for (size_t k = a->columns.start[j]; k < a->columns.start[j + 1]; k++) {
        int i = a->columns.row[k];
        double lack = i < a->p->n_cover ? berth__activity_lack(a, i) : 0;
        if (lack > 0) {
            gain += fmin(lack, a->columns.value[k]) / a->p->rhs[i];
            limit = fmin(limit, lack / a->columns.value[k]);
        }
    }
    *step = berth__packcover_integer(a->p, j) ? fmax(1, floor(limit)) : limit;
    return gain;
}

/* What raising j by a unit costs: in a maximisation the room that others could have earned in. */
static double price_of(const berth__activity *a, int j) {
    return a->p->maximize ? berth__activity_share(a, j) : a->p->cost[j];
}

/* Minus the price of a gain, -HUGE_VAL without one. */
static double rank_of(const berth__activity *a, int j, double *step) {
    double gain = gain_of(a, j, step);
    return gain > 0 ? -(price_of(a, j) / gain) : -HUGE_VAL;
}

static int make_heap(const berth__activity *a, berth__ranked *heap) {
    int n = 0;
    for (int j = 0; j < a->p->n_vars; j++) {
        double step, rank = rank_of(a, j, &step);
        if (rank > -HUGE_VAL) {
            heap[n++] = (berth__ranked){.rank = rank, .var = j};
        }
    }
    berth__rank_heap(heap, n);
    return n;
}

/* One step of the greedy cover; false: nothing is missing or nothing can be raised. While variables only rise, gains
 * and room only fall and so do ranks: a top of the heap whose rank is still the same is the best of all (Minoux 1978).
 */
static bool raise_cheapest(berth__activity *a, berth__ranked *heap, int *n) {
    while (*n > 0) {
        int j = heap[0].var;
        double step, rank = rank_of(a, j, &step);
        double room = rank >= heap[0].rank ? berth__activity_room(a, j) : 1;
        if (!(rank > -HUGE_VAL && room > 0)) {
            heap[0] = heap[--*n];
        } else if (rank >= heap[0].rank) {
            berth__activity_move(a, j, fmin(step, room));
            return true;
        } else {
            heap[0].rank = rank;
        }
        berth__rank_sift(heap, *n);
    }
    return false;
}

/* Every step ends a row (but for less than a unit) or a variable; the count guards against steps lost in rounding.
 * heap: [n_vars] for use within. */
static void raise_missing(berth__activity *a, const berth__budget *budget, berth__ranked *heap) {
    long limit = 2L * a->p->n_vars + 4L * a->p->n_cover;
    int n = make_heap(a, heap);
    for (long step = 0; step < limit && !berth__budget_spent(budget) && raise_cheapest(a, heap, &n); step++) {
    }
}

static double missing(const berth__activity *a) {
    double sum = 0;
    for (int i = 0; i < a->p->n_cover; i++) {
        double lack = berth__activity_lack(a, i);
        sum += lack > 0 ? lack / a->p->rhs[i] : 0;
    }
    return sum;
}

/* ---- (b) with exchanges ----------------------------------------------------------------------------- */

typedef struct exchange {
    berth__activity *a;
    const berth__budget *budget;
    double *saved;       /* [n_vars] the state that trials return to */
    berth__ranked *heap; /* [n_vars] for use within */
    double missing;
    long trials_left;
} exchange;

/* A trial costs a few passes over the entries; all of them together about a hundredth of a second. */
static long trial_limit(const berth__packcover *p) {
    size_t n_entries = p->row_start[p->n_cover + p->n_pack];
    size_t limit = 4000000 / (n_entries + (size_t)p->n_vars + 1);
    return limit < 50 ? 50 : limit > 2000 ? 2000 : (long)limit;
}

/* The first packing row that a unit of j would break, and by how much; -1: none. */
static int blocking_row(const berth__activity *a, int j, double *excess) {
    for (size_t k = a->columns.start[j]; k < a->columns.start[j + 1]; k++) {
        int i = a->columns.row[k];
        double over = a->row[i] + a->columns.value[k] - a->p->rhs[i];
        if (i >= a->p->n_cover && over > 0) {
            *excess = over;
            return i;
        }
    }
    return -1;
}

/* Lowers `down` to free `excess` of a row, raises `up`, covers again; undone unless that supplies missing cover. */
static bool try_exchange(exchange *e, int down, double units, int up) {
    berth__activity *a = e->a;
    e->trials_left--;
    berth__activity_move(a, down, -units);
    if (berth__activity_room(a, up) >= 1) {
        berth__activity_move(a, up, 1);
        raise_missing(a, e->budget, e->heap);
        double now = missing(a);
        if (now < e->missing * (1 - 1e-9)) {
            e->missing = now;
            berth__activity_set(a, a->x);
            memcpy(e->saved, a->x, (size_t)a->p->n_vars * sizeof *a->x);
            return true;
        }
    }
    berth__activity_set(a, e->saved);
    return false;
}

static bool make_room_for(exchange *e, int up) {
    const berth__packcover *p = e->a->p;
    double excess = 0;
    int i = blocking_row(e->a, up, &excess);
    if (i < 0) {
        return false;
    }
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1] && e->trials_left > 0; k++) {
        int down = p->col[k];
        if (down == up || !(p->value[k] > 0) || !(e->a->x[down] > 0)) {
            continue;
        }
        double units = berth__activity_units(e->a, down, excess, p->value[k]);
        if (units <= e->a->x[down] && try_exchange(e, down, units, up)) {
            return true;
        }
    }
    return false;
}

/* One successful exchange for some missing row; false: none found. */
static bool exchange_once(exchange *e) {
    const berth__activity *a = e->a;
    const berth__packcover *p = a->p;
    for (int i = 0; i < p->n_cover; i++) {
        if (!(berth__activity_lack(a, i) > 0)) {
            continue;
        }
        for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
            int up = p->col[k];
            bool can_rise = (a->skip == NULL || !a->skip[up]) && p->value[k] > 0 && berth__packcover_integer(p, up) &&
                            a->x[up] + 1 <= berth__packcover_top(p, up);
            if (e->trials_left <= 0 || berth__budget_spent(e->budget)) {
                return false;
            }
            if (can_rise && make_room_for(e, up)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- all of it ---------------------------------------------------------------------------------------- */

static void repair_rows(exchange *e, keeper *best) {
    berth__activity *a = e->a;
    lower_excess(a);
    raise_missing(a, e->budget, e->heap);
    keep_if_better(best, a);
    e->missing = missing(a);
    e->trials_left = trial_limit(a->p);
    memcpy(e->saved, a->x, (size_t)a->p->n_vars * sizeof *e->saved);
    while (e->missing > 0 && exchange_once(e)) {
    }
    keep_if_better(best, a);
}

berth_status berth__repair(const berth__packcover *p, const bool *skip, const berth__budget *budget, double *x,
                           bool *feasible) {
    keeper best = {.x = BERTH__NEW_ARRAY(double, (size_t)p->n_vars)};
    berth__activity a = {.p = NULL};
    exchange e = {.a = &a, .budget = budget};
    e.saved = BERTH__NEW_ARRAY(double, (size_t)p->n_vars);
    e.heap = BERTH__NEW_ARRAY(berth__ranked, (size_t)p->n_vars);
    berth_status status = BERTH_E_MEMORY;
    *feasible = false;
    if (best.x == NULL || e.saved == NULL || e.heap == NULL) {
        goto done;
    }
    status = berth__activity_open(&a, p, skip, x);
    if (status != BERTH_OK) {
        goto done;
    }
    memcpy(best.x, x, (size_t)p->n_vars * sizeof *x);
    best.violation = berth__packcover_measure(p, x);
    if (!best.violation.feasible) {
        repair_rows(&e, &best);
        berth__activity_set(&a, best.x);
    }
    status = berth__activity_drop(&a);
    status = status == BERTH_OK ? berth__activity_fill(&a) : status;
    if (status != BERTH_OK) {
        goto done;
    }
    keep_if_better(&best, &a);
    memcpy(x, best.x, (size_t)p->n_vars * sizeof *x);
    *feasible = best.violation.feasible;
done:
    berth__activity_close(&a);
    berth__free(e.heap);
    berth__free(e.saved);
    berth__free(best.x);
    return status;
}
