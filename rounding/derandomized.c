#include "rounding/derandomized.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "rounding/scale_search.h"

#include <math.h>
#include <string.h>

/* What a pass may lose to rounding error: far more than it can. */
#define MARGIN 1e-6

typedef struct pass {
    berth__scaled_rows *rows;
    const berth__packcover_columns *columns;
    double *log_moment; /* [rows + 1] log of each row's share of the estimator, the cost last */
    double *s;          /* [rows + 1] < 0 for rows that fail downwards; 0: the row has no say */
    double cost_slope;  /* > 0: the cost's share is linear, this much for each unit of cost; < 0 for a profit */
} pass;

static int n_rows(const berth__packcover *p) {
    return p->n_cover + p->n_pack;
}

/* ---- the estimator at the start ------------------------------------------------------------------------- */

/* Rows that start beyond their limit have no best s: something moderate for their widest term. */
static double hopeless_s(const berth__weighted_sum *sum) {
    double widest = 0;
    for (int j = 0; j < sum->n; j++) {
        widest = fmax(widest, sum->weight[j]);
    }
    return widest > 0 ? log(2) / widest : 0;
}

/* Its log moment then, which is not negative. */
static double hopeless_moment(const berth__weighted_sum *sum, double level, double s) {
    double value = s * (sum->constant - level);
    for (int j = 0; j < sum->n; j++) {
        value += log1p(sum->chance[j] * expm1(s * sum->weight[j]));
    }
    return value;
}

static double start_row(pass *q, int i, double factor) {
    berth__scaled_rows *rows = q->rows;
    bool lower = berth__scaled_is_lower(rows, i);
    q->s[i] = 0;
    q->log_moment[i] = -HUGE_VAL;
    if (!berth__scaled_can_fail(rows, i, factor)) {
        return 0;
    }
    berth__weighted_sum sum = berth__scaled_row(rows, i);
    double level = berth__scaled_level(rows, i, factor), s = 0;
    double tail = lower ? berth__tail_at_most(&sum, level, BERTH__TAIL_MOMENTS, rows->work, &s)
                        : berth__tail_at_least(&sum, level, BERTH__TAIL_MOMENTS, rows->work, &s);
    if (tail <= 0) {
        return 0;
    }
    bool hopeless = !(tail < 1) || !(s < HUGE_VAL);
    s = hopeless ? hopeless_s(&sum) : s;
    q->s[i] = lower ? -s : s;
    q->log_moment[i] = hopeless ? hopeless_moment(&sum, level, q->s[i]) : log(tail);
    return tail;
}

/* The cost's share: the exponential moment or, if smaller, Markov's. */
static double start_cost(pass *q, double factor) {
    berth__scaled_rows *rows = q->rows;
    int i = n_rows(rows->p);
    q->cost_slope = 0;
    double slope, moment = start_row(q, i, factor), markov = berth__scaled_markov(rows, factor, &slope);
    if (!(markov < moment)) {
        return moment;
    }
    q->s[i] = 0;
    q->log_moment[i] = -HUGE_VAL;
    q->cost_slope = slope;
    return markov;
}

static double start_pass(pass *q, double scale, const double factor[BERTH__N_KINDS]) {
    const berth__packcover *p = q->rows->p;
    berth__scaled_rows_at(q->rows, scale);
    double estimator = 0;
    for (int i = 0; i < n_rows(p); i++) {
        estimator += start_row(q, i, factor[i < p->n_cover ? BERTH__KIND_COVER : BERTH__KIND_PACK]);
    }
    q->s[n_rows(p)] = q->cost_slope = 0;
    return estimator + (q->rows->lp > 0 ? start_cost(q, factor[BERTH__KIND_COST]) : 0);
}

/* ---- one pass ------------------------------------------------------------------------------------------- */

/* log(1 + c (e^a - 1)) */
static double log_mean(double c, double a) {
    return a > 0 ? a + log(c + (1 - c) * exp(-a)) : log1p(c * expm1(a));
}

/* What rounding up instead of down adds to row i's share, scaled by e^-shift. */
static double row_rise(const pass *q, int i, double weight, double c, double shift) {
    double a = q->s[i] * weight, moment = q->log_moment[i] - log_mean(c, a) - shift;
    return a > 0 ? exp(moment + a) - exp(moment) : exp(moment) * expm1(a);
}

static void settle_row(pass *q, int i, double weight, double c, bool up) {
    double a = q->s[i] * weight;
    q->log_moment[i] += (up ? a : 0) - log_mean(c, a);
}

/* Largest logarithm beyond what exp can hold with room to spare. */
static double shift_for(const pass *q, int j) {
    double most = q->log_moment[n_rows(q->rows->p)];
    for (size_t k = q->columns->start[j]; k < q->columns->start[j + 1]; k++) {
        most = fmax(most, q->log_moment[q->columns->row[k]] + fabs(q->s[q->columns->row[k]] * q->columns->value[k]));
    }
    return fmax(0, most - 300);
}

static bool goes_up(const pass *q, int j) {
    const berth__packcover *p = q->rows->p;
    double c = q->rows->chance[j], shift = shift_for(q, j);
    double rise = q->cost_slope * p->cost[j] * exp(-shift);
    for (size_t k = q->columns->start[j]; k < q->columns->start[j + 1]; k++) {
        int i = q->columns->row[k];
        rise += q->s[i] < 0 || q->s[i] > 0 ? row_rise(q, i, q->columns->value[k], c, shift) : 0;
    }
    int last = n_rows(p);
    if (p->cost[j] > 0 && (q->s[last] < 0 || q->s[last] > 0)) {
        rise += row_rise(q, last, p->cost[j], c, shift);
    }
    return rise < 0 || (rise <= 0 && p->maximize);
}

static void run_pass(pass *q, double *out) {
    const berth__packcover *p = q->rows->p;
    for (int j = 0; j < p->n_vars; j++) {
        double c = q->rows->chance[j];
        out[j] = q->rows->base[j];
        if (!(c > 0)) {
            continue;
        }
        bool up = goes_up(q, j);
        out[j] += up ? 1 : 0;
        for (size_t k = q->columns->start[j]; k < q->columns->start[j + 1]; k++) {
            settle_row(q, q->columns->row[k], q->columns->value[k], c, up);
        }
        settle_row(q, n_rows(p), p->cost[j], c, up);
    }
}

/* ---- which passes --------------------------------------------------------------------------------------- */

/* Scales between which the favoured rows may be expected to start holding. */
static void scale_range(const berth__packcover *p, const bool *skip, double *from, double *to) {
    enum { MOST_SCALE = 16 };
    double delta = 0.75, pack = berth__width_packing(p, skip), cover = berth__width_cover(p, skip);
    *from = p->n_pack > 0 && pack > 0 ? fmax(1.0 / MOST_SCALE, berth__root_lower(p->n_pack, delta, pack)) : 1;
    *to = p->n_cover > 0 && cover > 0 ? fmin(MOST_SCALE, berth__root_upper(p->n_cover, delta, cover)) : 1;
}

static berth_status find_promise(berth__scale_search *s, berth_favour favour, const bool *skip) {
    const berth__packcover *p = s->rows->p;
    const double any_cost = p->maximize ? 0 : HUGE_VAL, all[BERTH__N_KINDS] = {1, 1, any_cost};
    double from, to;
    scale_range(p, skip, &from, &to);
    berth_status status = berth__scale_search_best(s, from, to, all, BERTH__KIND_COST, 1);
    if (status != BERTH_OK || s->found) {
        return status;
    }
    bool cover = favour == BERTH_FAVOUR_COVER;
    const double some[BERTH__N_KINDS] = {cover ? 1 : 0, cover ? HUGE_VAL : 1, any_cost};
    status = berth__scale_search_best(s, from, to, some, cover ? BERTH__KIND_PACK : BERTH__KIND_COVER,
                                      s->rows->lp > 0 ? 0.75 : 1);
    if (s->found) {
        berth__scale_search_improve(s, BERTH__KIND_COST, 1);
        s->found = s->factor[BERTH__KIND_PACK] < HUGE_VAL; /* a row with right side 0 and something in it */
    }
    return status;
}

static bool keeps(const berth__guarantee *g, const berth__violation *v, const berth__packcover *p, double lp) {
    double slack = BERTH__FEASIBILITY, limit = g->cost_factor * lp;
    bool cost = p->maximize ? v->cost >= limit * (1 - slack) : v->cost <= limit * (1 + slack);
    return cost && v->cover_min >= g->cover_factor * (1 - slack) && v->pack_max <= g->pack_factor * (1 + slack);
}

static void first_pass(pass *q, const berth__scale_search *s, double *out, berth__derandomized *result) {
    const berth__packcover *p = q->rows->p;
    berth__guarantee *g = &result->guarantee;
    bool has_cost = q->rows->lp > 0;
    const double ones[BERTH__N_KINDS] = {1, 1, p->maximize ? 0 : HUGE_VAL};
    *g = (berth__guarantee){.scale = 1, .cost_factor = ones[BERTH__KIND_COST], .pack_factor = HUGE_VAL};
    result->estimator = start_pass(q, s->found ? s->scale : 1, s->found ? s->factor : ones);
    run_pass(q, out);
    result->best = berth__packcover_measure(p, out);
    result->passes = 1;
    g->why_not = "the estimator starts at or above 1";
    if (s->found && result->estimator < 1 - 0.5 * MARGIN) {
        *g = (berth__guarantee){.holds = true,
                                .scale = s->scale,
                                .cost_factor = has_cost ? s->factor[BERTH__KIND_COST] : 1,
                                .cover_factor = s->factor[BERTH__KIND_COVER],
                                .pack_factor = s->factor[BERTH__KIND_PACK],
                                .probability = 1};
        if (!keeps(g, &result->best, p, q->rows->lp)) {
            g->holds = false;
            g->probability = 0;
            g->why_not = "rounding error broke what the estimator promised";
        }
    }
    result->certain = g->holds && g->cover_factor >= 1 && g->pack_factor <= 1;
}

static void further_pass(pass *q, double scale, double *work, double *out, berth__derandomized *result) {
    const berth__packcover *p = q->rows->p;
    const double factor[BERTH__N_KINDS] = {1, 1, p->maximize ? fmin(1, scale) * 0.5 : 2 * fmax(1, scale)};
    double estimator = start_pass(q, scale, factor);
    run_pass(q, work);
    berth__violation v = berth__packcover_measure(p, work);
    result->passes++;
    result->estimator = result->guarantee.holds ? result->estimator : fmin(result->estimator, estimator);
    bool allowed = !result->guarantee.holds || keeps(&result->guarantee, &v, p, q->rows->lp);
    if (allowed && berth__violation_better(p, &v, &result->best)) {
        result->best = v;
        memcpy(out, work, (size_t)p->n_vars * sizeof *out);
    }
}

static void all_passes(pass *q, const berth__scale_search *s, double *work, double *out, berth__derandomized *result) {
    first_pass(q, s, out, result);
    double scales[] = {1, sqrt(s->found ? s->scale : 1.5), s->found ? s->scale : 1.5};
    for (int k = 0; k < 3 && !berth__budget_spent(q->rows->budget); k++) {
        further_pass(q, scales[k], work, out, result);
    }
}

berth_status berth__round_derandomized(const berth__packcover *p, const double *x, const bool *skip,
                                       berth_favour favour, const berth__budget *budget, double *out,
                                       berth__derandomized *result) {
    berth__scaled_rows rows;
    berth__packcover_columns columns = {.start = NULL};
    pass q = {.rows = &rows, .columns = &columns};
    berth__scale_search s = {.rows = &rows, .allowed = 1 - MARGIN};
    *result = (berth__derandomized){.certain = false};
    berth_status status = berth__scaled_rows_open(&rows, p, x, skip, BERTH__TAIL_MOMENTS, true, budget);
    if (status != BERTH_OK) {
        return status;
    }
    double *work = BERTH__NEW_ARRAY(double, (size_t)p->n_vars);
    q.log_moment = BERTH__NEW_ARRAY(double, (size_t)n_rows(p) + 1);
    q.s = BERTH__NEW_ARRAY(double, (size_t)n_rows(p) + 1);
    status = work == NULL || q.log_moment == NULL || q.s == NULL ? BERTH_E_MEMORY
                                                                 : berth__packcover_columns_open(&columns, p);
    if (status == BERTH_OK) {
        status = find_promise(&s, favour, skip);
    }
    if (status == BERTH_OK) {
        all_passes(&q, &s, work, out, result);
    }
    berth__packcover_columns_close(&columns);
    berth__free(work);
    berth__free(q.log_moment);
    berth__free(q.s);
    berth__scaled_rows_close(&rows);
    return status;
}
