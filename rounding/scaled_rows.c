#include "rounding/scaled_rows.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/tolerance.h"

#include <math.h>
#include <stdlib.h>

static int n_rows(const berth__packcover *p) {
    return p->n_cover + p->n_pack;
}

/* ---- the matrix with the cost as its last row -------------------------------------------------------- */

static size_t row_length(const berth__packcover *p, int i) {
    return i < n_rows(p) ? p->row_start[i + 1] - p->row_start[i] : (size_t)p->n_vars;
}

static double entry(const berth__packcover *p, int i, size_t k, int *var) {
    if (i == n_rows(p)) {
        *var = (int)k;
        return p->cost[k];
    }
    *var = p->col[p->row_start[i] + k];
    return p->value[p->row_start[i] + k];
}

static double right_side(const berth__scaled_rows *rows, int i) {
    return i < n_rows(rows->p) ? rows->p->rhs[i] : rows->lp;
}

bool berth__scaled_is_lower(const berth__scaled_rows *rows, int i) {
    return i < rows->p->n_cover || (i == n_rows(rows->p) && rows->p->maximize);
}

static bool is_multiple(double value, double unit) {
    double ratio = value / unit;
    return fabs(ratio - round(ratio)) <= 1e-12 * ratio;
}

/* The largest unit found by dividing the row's least coefficient; 0: none. */
static double common_unit(const berth__scaled_rows *rows, int i) {
    enum { MOST_PARTS = 32 };
    const berth__packcover *p = rows->p;
    double least = HUGE_VAL;
    size_t length = row_length(p, i);
    for (size_t k = 0; k < length; k++) {
        int j;
        double value = entry(p, i, k, &j);
        bool moves = value > 0 && !(rows->skip != NULL && rows->skip[j]);
        if (moves && !berth__packcover_integer(p, j)) {
            return 0;
        }
        least = moves ? fmin(least, value) : least;
    }
    for (int parts = 1; parts <= MOST_PARTS && least < HUGE_VAL; parts++) {
        size_t k = 0;
        for (; k < length; k++) {
            int j;
            double value = entry(p, i, k, &j);
            if (value > 0 && !(rows->skip != NULL && rows->skip[j]) && !is_multiple(value, least / parts)) {
                break;
            }
        }
        if (k == length) {
            return least / parts;
        }
    }
    return 0;
}

/* ---- opening and scaling ------------------------------------------------------------------------------ */

berth_status berth__scaled_rows_open(berth__scaled_rows *rows, const berth__packcover *p, const double *x,
                                     const bool *skip, berth__tail_use use, bool snaps, const berth__budget *budget) {
    *rows = (berth__scaled_rows){.p = p, .x = x, .skip = skip, .use = use, .snaps = snaps, .budget = budget};
    size_t n = (size_t)p->n_vars;
    rows->base = BERTH__NEW_ARRAY(double, n);
    rows->chance = BERTH__NEW_ARRAY(double, n);
    rows->unit = BERTH__NEW_ARRAY(double, (size_t)n_rows(p) + 1);
    rows->weight = BERTH__NEW_ARRAY(double, n);
    rows->odds = BERTH__NEW_ARRAY(double, n);
    rows->work = BERTH__NEW_ARRAY(double, n + 1);
    if (rows->base == NULL || rows->chance == NULL || rows->unit == NULL || rows->weight == NULL ||
        rows->odds == NULL || rows->work == NULL) {
        berth__scaled_rows_close(rows);
        return BERTH_E_MEMORY;
    }
    for (int j = 0; j < p->n_vars; j++) {
        rows->lp += skip != NULL && skip[j] ? 0 : p->cost[j] * fmax(0, x[j]);
    }
    for (int i = 0; i <= n_rows(p); i++) {
        rows->unit[i] = common_unit(rows, i);
    }
    berth__scaled_rows_at(rows, 1);
    return BERTH_OK;
}

void berth__scaled_rows_close(berth__scaled_rows *rows) {
    berth__free(rows->base);
    berth__free(rows->chance);
    berth__free(rows->unit);
    berth__free(rows->weight);
    berth__free(rows->odds);
    berth__free(rows->work);
    *rows = (berth__scaled_rows){.p = NULL};
}

void berth__scaled_rows_at(berth__scaled_rows *rows, double scale) {
    const berth__packcover *p = rows->p;
    rows->scale = scale;
    for (int j = 0; j < p->n_vars; j++) {
        double value = rows->skip != NULL && rows->skip[j] ? 0 : fmax(0, scale * rows->x[j]);
        double top = berth__packcover_top(p, j), nearest = round(value);
        rows->base[j] = fmin(value, top);
        rows->chance[j] = 0;
        if (!berth__packcover_integer(p, j) || value >= top) {
            continue;
        }
        if (rows->snaps && fabs(value - nearest) <= BERTH__INTEGRALITY) {
            rows->base[j] = nearest;
        } else {
            rows->base[j] = floor(value);
            rows->chance[j] = value - rows->base[j];
        }
    }
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

berth__weighted_sum berth__scaled_row(berth__scaled_rows *rows, int i) {
    berth__weighted_sum sum = {.weight = rows->weight, .chance = rows->odds};
    size_t length = row_length(rows->p, i);
    for (size_t k = 0; k < length; k++) {
        int j;
        double value = entry(rows->p, i, k, &j);
        sum.constant += value * rows->base[j];
        if (value > 0 && rows->chance[j] > 0) {
            rows->weight[sum.n] = value;
            rows->odds[sum.n++] = rows->chance[j];
        }
    }
    return sum;
}

double berth__scaled_level(const berth__scaled_rows *rows, int i, double factor) {
    bool lower = berth__scaled_is_lower(rows, i);
    double limit = factor * right_side(rows, i) * (lower ? 1 - BERTH__HALF_FEASIBILITY : 1 + BERTH__HALF_FEASIBILITY);
    double unit = rows->unit[i];
    if (!(unit > 0)) {
        return limit;
    }
    return lower ? (ceil(limit / unit) - 1) * unit : (floor(limit / unit) + 1) * unit;
}

bool berth__scaled_can_fail(const berth__scaled_rows *rows, int i, double factor) {
    return berth__scaled_is_lower(rows, i) ? factor * right_side(rows, i) > 0 : factor < HUGE_VAL;
}

/* Mean distance from the end of the sum's range over the distance of the level from it. */
double berth__scaled_markov(berth__scaled_rows *rows, double factor, double *slope) {
    int i = n_rows(rows->p);
    bool lower = berth__scaled_is_lower(rows, i);
    berth__weighted_sum sum = berth__scaled_row(rows, i);
    double mean = 0, all = 0, level = berth__scaled_level(rows, i, factor);
    for (int j = 0; j < sum.n; j++) {
        mean += sum.weight[j] * sum.chance[j];
        all += sum.weight[j];
    }
    double room = lower ? sum.constant + all - level : level - sum.constant;
    if (slope != NULL) {
        *slope = (lower ? -1 : 1) / room;
    }
    return room > 0 ? fmin(1, (lower ? all - mean : mean) / room) : 1;
}

static double row_failure(berth__scaled_rows *rows, int i, double factor) {
    if (!berth__scaled_can_fail(rows, i, factor)) {
        return 0;
    }
    bool lower = berth__scaled_is_lower(rows, i);
    berth__weighted_sum sum = berth__scaled_row(rows, i);
    double level = berth__scaled_level(rows, i, factor);
    double tail = (lower ? berth__tail_at_most : berth__tail_at_least)(&sum, level, rows->use, rows->work, NULL);
    return i == n_rows(rows->p) ? fmin(tail, berth__scaled_markov(rows, factor, NULL)) : tail;
}

/* Rows [first, last) of a kind; the cost is none if it cannot be other than 0. */
static void range(const berth__scaled_rows *rows, berth__row_kind kind, int *first, int *last) {
    const berth__packcover *p = rows->p;
    *first = kind == BERTH__KIND_COVER ? 0 : kind == BERTH__KIND_PACK ? p->n_cover : n_rows(p);
    *last = kind == BERTH__KIND_COVER ? p->n_cover : kind == BERTH__KIND_PACK ? n_rows(p) : n_rows(p) + (rows->lp > 0);
}

double berth__scaled_failure(berth__scaled_rows *rows, berth__row_kind kind, double factor, double limit) {
    double sum = 0;
    int first, last;
    range(rows, kind, &first, &last);
    for (int i = first; i < last && sum <= limit; i++) {
        if (i % 64 == 0 && berth__budget_spent(rows->budget)) {
            rows->spent = true;
        }
        if (rows->spent) {
            return HUGE_VAL;
        }
        sum += row_failure(rows, i, factor);
    }
    return sum;
}

double berth__scaled_failures(berth__scaled_rows *rows, const double factor[BERTH__N_KINDS], double limit) {
    double sum = 0;
    for (int kind = 0; kind < BERTH__N_KINDS && sum <= limit; kind++) {
        sum += berth__scaled_failure(rows, (berth__row_kind)kind, factor[kind], limit - sum);
    }
    return sum;
}

/* ---- factors -------------------------------------------------------------------------------------------- */

/* Least and greatest factor that any outcome of the kind's rows reaches. */
static void reach(berth__scaled_rows *rows, berth__row_kind kind, double *least, double *most) {
    int first, last;
    range(rows, kind, &first, &last);
    *least = HUGE_VAL;
    *most = 0;
    for (int i = first; i < last; i++) {
        berth__weighted_sum sum = berth__scaled_row(rows, i);
        double all = sum.constant, rhs = right_side(rows, i);
        for (int j = 0; j < sum.n; j++) {
            all += sum.weight[j];
        }
        *least = fmin(*least, rhs > 0 ? sum.constant / rhs : HUGE_VAL);
        *most = fmax(*most, rhs > 0 ? all / rhs : all > 0 ? HUGE_VAL : 0);
    }
}

double berth__scaled_best_factor(berth__scaled_rows *rows, berth__row_kind kind, double worst, double limit) {
    bool lower = kind == BERTH__KIND_COVER || (kind == BERTH__KIND_COST && rows->p->maximize);
    double least, most;
    reach(rows, kind, &least, &most);
    double good = lower ? fmax(worst, fmin(least, 1)) : fmin(worst, fmax(most, kind == BERTH__KIND_PACK ? 1 : 0));
    double bad = kind != BERTH__KIND_COST ? 1 : lower ? most : least;
    if (!(good < HUGE_VAL) || (lower ? bad <= good : bad >= good)) {
        return good;
    }
    if (berth__scaled_failure(rows, kind, bad, limit) <= limit) {
        return bad;
    }
    for (int step = 0; step < 60 && fabs(bad - good) > 1e-6 * fmax(good, bad); step++) {
        double low = fmin(good, bad), high = fmax(good, bad);
        double middle = low > 0 && high > 4 * low ? sqrt(low) * sqrt(high) : 0.5 * (low + high);
        if (berth__scaled_failure(rows, kind, middle, limit) <= limit) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    return good;
}

/* ---- scales --------------------------------------------------------------------------------------------- */

enum { GRID = 48, BREAKS = BERTH__MOST_SCALES - GRID, BREAKS_EACH = 3, LARGEST_SPAN = 1024 };

typedef struct popular {
    double scale;
    int votes;
} popular;

static int most_votes_first(const void *left, const void *right) {
    const popular *a = left, *b = right;
    int by_votes = (a->votes < b->votes) - (a->votes > b->votes);
    return by_votes != 0 ? by_votes : (a->scale > b->scale) - (a->scale < b->scale);
}

/* All k / x_j in (from, to), few for each j, ascending. */
static size_t collect_breaks(const berth__scaled_rows *rows, double from, double to, double *out) {
    size_t n = 0;
    for (int j = 0; j < rows->p->n_vars; j++) {
        double x = rows->x[j];
        bool moves = x > 0 && berth__packcover_integer(rows->p, j) && !(rows->skip != NULL && rows->skip[j]);
        double k = moves ? fmax(1, ceil(from * x)) : 0;
        for (int each = 0; moves && each < BREAKS_EACH && k < to * x; each++, k++) {
            out[n++] = k / x;
        }
    }
    berth__sort(out, n);
    return n;
}

static size_t count_votes(const double *breaks, size_t n, popular *out) {
    size_t n_groups = 0;
    for (size_t k = 0; k < n; k++) {
        if (n_groups > 0 && breaks[k] <= out[n_groups - 1].scale * (1 + 1e-12)) {
            out[n_groups - 1].votes++;
        } else {
            out[n_groups++] = (popular){.scale = breaks[k], .votes = 1};
        }
    }
    qsort(out, n_groups, sizeof *out, most_votes_first);
    return n_groups;
}

int berth__scaled_candidates(const berth__scaled_rows *rows, double from, double to,
                             double scales[BERTH__MOST_SCALES]) {
    from = fmax(from, to / LARGEST_SPAN);
    size_t room = (size_t)rows->p->n_vars * BREAKS_EACH;
    double *breaks = BERTH__NEW_ARRAY(double, room);
    popular *groups = BERTH__NEW_ARRAY(popular, room);
    int n = -1;
    if (breaks != NULL && groups != NULL) {
        n = 0;
        for (int k = 0; k < GRID && (k == 0 || to > from); k++) {
            scales[n++] = k == GRID - 1 ? to : from * pow(to / from, (double)k / (GRID - 1));
        }
        size_t n_groups = count_votes(breaks, collect_breaks(rows, from, to, breaks), groups);
        for (size_t k = 0; k < n_groups && k < BREAKS && 64 * groups[k].votes >= rows->p->n_vars; k++) {
            scales[n++] = groups[k].scale;
        }
        berth__sort(scales, (size_t)n);
    }
    berth__free(breaks);
    berth__free(groups);
    return n;
}
