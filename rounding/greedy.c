#include "rounding/greedy.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "rounding/activity.h"
#include "rounding/ranking.h"

#include <math.h>
#include <string.h>

typedef struct variant {
    double theta;     /* weight of the use of packing rows in a price */
    bool by_capacity; /* use by right sides instead of what is left */
    bool plain_gain;  /* w_i = 1 */
} variant;

typedef struct building {
    const berth__packcover *p;
    const berth__budget *budget;
    berth__activity rows;
    variant how;
    double mean_cost, mean_use; /* over what is not 0 */
    berth__ranked *heap;        /* [n_vars], by score */
    int n;
    long steps;
} building;

/* ---- scores ----------------------------------------------------------------------------------------------- */

/* Share of the packing rows that a unit takes. */
static double use_of(const building *b, int j) {
    const berth__activity *a = &b->rows;
    double use = 0;
    for (size_t k = a->columns.start[j]; k < a->columns.start[j + 1]; k++) {
        int i = a->columns.row[k];
        if (i >= b->p->n_cover) {
            double left = b->p->rhs[i] - (b->how.by_capacity ? 0 : a->row[i]);
            use += a->columns.value[k] / fmax(left, 1e-9 * b->p->rhs[i]);
        }
    }
    return use;
}

static double gain_of(const building *b, int j) {
    const berth__activity *a = &b->rows;
    double gain = 0;
    for (size_t k = a->columns.start[j]; k < a->columns.start[j + 1]; k++) {
        int i = a->columns.row[k];
        double lack = i < b->p->n_cover ? berth__activity_lack(a, i) : 0;
        if (lack > 0) {
            double part = berth__packcover_integer(b->p, j) ? fmin(a->columns.value[k], lack) : a->columns.value[k];
            gain += b->how.plain_gain ? part : part / b->p->rhs[i];
        }
    }
    return gain;
}

static double ratio_of(double worth, double price) {
    return worth > 0 ? (price > 0 ? worth / price : HUGE_VAL) : 0;
}

static double cover_score(const building *b, int j) {
    double use = b->how.theta > 0 || b->p->maximize ? use_of(b, j) / b->mean_use : 0;
    double cost = b->p->cost[j] / b->mean_cost;
    return ratio_of(gain_of(b, j), b->p->maximize ? use / (1 + cost) : cost + b->how.theta * use);
}

static double profit_score(const building *b, int j) {
    return ratio_of(b->p->cost[j], use_of(b, j));
}

typedef double (*score_fn)(const building *b, int j);

/* Whole units that leave the gain of each as it is, at least one; of a continuous variable, up to where a row holds.
 * Where the use counts, which rises with every unit, an eighth of what fits at most. */
static double cover_step(const building *b, int j, double room) {
    const berth__activity *a = &b->rows;
    bool integer = berth__packcover_integer(b->p, j);
    double units = integer && b->how.theta > 0 ? floor(room / 8) : HUGE_VAL;
    for (size_t k = a->columns.start[j]; k < a->columns.start[j + 1]; k++) {
        int i = a->columns.row[k];
        double lack = i < b->p->n_cover ? berth__activity_lack(a, i) : 0;
        if (lack > 0) {
            double fill = lack / a->columns.value[k];
            units = fmin(units, integer ? floor(fill * (1 + BERTH__INTEGRALITY)) : fill);
        }
    }
    return fmin(room, integer ? fmax(1, units) : units);
}

static double profit_step(const building *b, int j, double room) {
    return berth__packcover_integer(b->p, j) ? ceil(room / 2) : room;
}

typedef double (*step_fn)(const building *b, int j, double room);

/* ---- heap --------------------------------------------------------------------------------------------------- */

static void drop_top(building *b) {
    b->heap[0] = b->heap[--b->n];
    berth__rank_sift(b->heap, b->n);
}

static void fill_heap(building *b, score_fn score) {
    b->n = 0;
    for (int j = 0; j < b->p->n_vars; j++) {
        double s = score(b, j);
        if (s > 0) {
            b->heap[b->n++] = (berth__ranked){.rank = s, .var = j};
        }
    }
    berth__rank_heap(b->heap, b->n);
}

/* ---- phases --------------------------------------------------------------------------------------------------- */

/* Raises the variable of the largest score again and again. Scores only fall, so a top whose score still stands is the
 * largest. */
static void raise_all(building *b, score_fn score, step_fn step) {
    fill_heap(b, score);
    while (b->n > 0) {
        berth__ranked top = b->heap[0];
        double now = score(b, top.var), room = now > 0 ? berth__activity_room(&b->rows, top.var) : 0;
        if (++b->steps % 256 == 0 && berth__budget_spent(b->budget)) {
            return;
        }
        if (now < top.rank && room > 0) {
            b->heap[0].rank = now;
            berth__rank_sift(b->heap, b->n);
            continue;
        }
        double units = room > 0 ? step(b, top.var, room) : 0;
        if (!(units > 0) || !(units < HUGE_VAL)) {
            drop_top(b);
            continue;
        }
        berth__activity_move(&b->rows, top.var, units);
    }
}

/* Drops what no cover row needs: the dearest first, of a maximisation what earns least for its use. */
static void drop_excess(building *b) {
    for (int j = 0; j < b->p->n_vars; j++) {
        double score = b->p->maximize ? -profit_score(b, j) : b->p->cost[j];
        b->heap[j] = (berth__ranked){.rank = score, .var = j};
    }
    berth__rank_sort(b->heap, (size_t)b->p->n_vars);
    for (int at = 0; at < b->p->n_vars; at++) {
        int j = b->heap[at].var;
        double spare = berth__activity_spare(&b->rows, j);
        if (spare > 0) {
            berth__activity_move(&b->rows, j, -spare);
        }
    }
}

static void set_means(building *b) {
    int n_cost = 0, n_use = 0;
    b->mean_cost = b->mean_use = 0;
    for (int j = 0; j < b->p->n_vars; j++) {
        double use = use_of(b, j);
        b->mean_cost += b->p->cost[j];
        b->mean_use += use < HUGE_VAL ? use : 0; /* a row with right side 0 */
        n_cost += b->p->cost[j] > 0;
        n_use += use > 0 && use < HUGE_VAL;
    }
    b->mean_cost = n_cost > 0 ? b->mean_cost / n_cost : 1;
    b->mean_use = n_use > 0 ? b->mean_use / n_use : 1;
}

static void build(building *b, const variant *how) {
    b->how = *how;
    memset(b->rows.x, 0, (size_t)b->p->n_vars * sizeof *b->rows.x);
    berth__activity_set(&b->rows, b->rows.x);
    set_means(b);
    raise_all(b, cover_score, cover_step);
    drop_excess(b);
    if (b->p->maximize) {
        raise_all(b, profit_score, profit_step);
    }
}

/* ---- variants ------------------------------------------------------------------------------------------------ */

static bool is_whole(double value) {
    return value <= floor(value) && value < 1e15;
}

/* H(max_j sum_i min(A_ij, a_i)); INFINITY where that is no bound. */
static double known_ratio(const berth__activity *a) {
    const berth__packcover *p = a->p;
    double most = 0, sum = 0;
    bool applies = !p->maximize && p->n_pack == 0;
    for (int i = 0; i < p->n_cover; i++) {
        applies = applies && is_whole(p->rhs[i]);
    }
    for (int j = 0; j < p->n_vars && applies; j++) {
        double gain = 0;
        applies = berth__packcover_integer(p, j);
        for (size_t k = a->columns.start[j]; k < a->columns.start[j + 1]; k++) {
            applies = applies && is_whole(a->columns.value[k]);
            gain += fmin(a->columns.value[k], p->rhs[a->columns.row[k]]);
        }
        most = fmax(most, gain);
    }
    if (!applies) {
        return HUGE_VAL;
    }
    for (double k = fmin(most, 1e6); k >= 1; k--) {
        sum += 1 / k;
    }
    return fmax(1, sum + (most > 1e6 ? log(most / 1e6) : 0)); /* H(n) - H(m) <= ln(n / m) */
}

static void try_one(building *b, const variant *how, bool first, double *best, berth__greedy *result) {
    build(b, how);
    berth__violation v = berth__packcover_measure(b->p, b->rows.x);
    if (first || berth__violation_better(b->p, &v, &result->best)) {
        result->best = v;
        memcpy(best, b->rows.x, (size_t)b->p->n_vars * sizeof *best);
    }
}

static void try_all(building *b, double *best, berth__greedy *result) {
    static const variant plain = {.plain_gain = true};
    static const variant to_minimize[] = {{.theta = 0}, {.theta = 0.2}, {.theta = 1}, {.theta = 8}};
    static const variant to_maximize[] = {{.theta = 1}, {.theta = 1, .by_capacity = true}};
    bool maximize = b->p->maximize;
    int n = maximize ? 2 : b->p->n_pack > 0 ? 4 : 1;
    for (int k = 0; k < n && (k == 0 || !berth__budget_spent(b->budget)); k++) {
        try_one(b, maximize ? &to_maximize[k] : &to_minimize[k], k == 0, best, result);
    }
    if (berth__budget_spent(b->budget)) {
        result->ratio = HUGE_VAL;
    } else if (result->ratio < HUGE_VAL) {
        try_one(b, &plain, false, best, result);
    }
}

berth_status berth__round_greedy(const berth__packcover *p, const bool *skip, const berth__budget *budget, double *x,
                                 berth__greedy *result) {
    size_t n = (size_t)p->n_vars;
    building b = {.p = p, .budget = budget};
    double *work = BERTH__NEW_ARRAY(double, n);
    b.heap = BERTH__NEW_ARRAY(berth__ranked, n);
    berth_status status =
        work == NULL || b.heap == NULL ? BERTH_E_MEMORY : berth__activity_open(&b.rows, p, skip, work);
    if (status == BERTH_OK) {
        result->ratio = known_ratio(&b.rows);
        try_all(&b, x, result);
        result->ratio = result->best.feasible ? result->ratio : HUGE_VAL;
        berth__activity_close(&b.rows);
    }
    berth__free(b.heap);
    berth__free(work);
    return status;
}
