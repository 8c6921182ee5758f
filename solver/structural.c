#include "solver/structural.h"

#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "solver/verify.h"

/* Rounding errors. With u = 2^-53, a product or sum of doubles is off by at most u times its value, and by half the
 * smallest double, 2^-1075, where a product is subnormal. Sums of k products, each added in turn to what there is, are
 * off by at most ((1 + u)^(k+1) - 1) <= 1.0001 (k + 1) u times the sum of the terms' magnitudes, for k < 10^11; that
 * sum itself, computed the same way, is low by the same factor at most. ROUNDING is u with 8 % to spare, which more
 * than covers both, and the few operations that apply it. */
#define ROUNDING 1.2e-16
#define SMALLEST 4.94065645841246544177e-324 /* DBL_TRUE_MIN: twice the error of a subnormal product */

static double max2(double a, double b) {
    return a > b ? a : b;
}

static double min2(double a, double b) {
    return a < b ? a : b;
}

static double sense_of(const berth__model *model) {
    return model->maximize ? -1 : 1;
}

/* ---- Implied bounds ---- */

/* The least or greatest that a row's terms can sum to. */
typedef struct activity {
    double sum;       /* of the finite terms */
    double magnitude; /* sum of their magnitudes */
    int terms;        /* of these, not 0 */
    int infinite;     /* terms that are not finite */
} activity;

typedef struct row_activity {
    activity least, greatest;
} row_activity;

static void add_term(activity *a, double coefficient, double bound) {
    if (isinf(bound)) {
        a->infinite++;
    } else if (bound != 0) {
        double term = coefficient * bound;
        a->sum += term;
        a->magnitude += fabs(term);
        a->terms++;
    }
}

static row_activity activity_of(const berth__model *model, int row) {
    row_activity a = {0};
    for (size_t e = model->row_start[row]; e < model->row_start[row + 1]; e++) {
        double value = model->row_value[e];
        int j = model->col_of[e];
        add_term(&a.least, value, value > 0 ? model->col_lower[j] : model->col_upper[j]);
        add_term(&a.greatest, value, value > 0 ? model->col_upper[j] : model->col_lower[j]);
    }
    return a;
}

/* (rhs - rest) / coefficient, rounded up or down; INFINITY (down: -INFINITY) if the rest is infinite. `own` is the
 * column's bound that went into the activity. */
static double quotient(double rhs, const activity *a, double coefficient, double own, bool up) {
    double away = up ? (double)INFINITY : -(double)INFINITY;
    double rest = 0, error = 0;
    if (a->infinite > (isinf(own) ? 1 : 0)) {
        return away;
    }
    bool is_a_term = !isinf(own) && own != 0;
    if (a->terms > is_a_term) {
        rest = is_a_term ? a->sum - coefficient * own : a->sum;
        error = (a->terms + 5) * (ROUNDING * (2 * a->magnitude + fabs(rhs)) + SMALLEST);
    }
    double top = rhs - rest;
    top += (coefficient > 0) == up ? error : -error;
    if (top == 0 && error == 0) {
        return 0;
    }
    double q = top / coefficient;
    double margin = 3 * (ROUNDING * fabs(q) + SMALLEST);
    return isnan(q) ? away : up ? q + margin : q - margin;
}

typedef struct narrowed {
    double lower, upper; /* rounded outward */
    double lower_most;   /* the lower one rounded up */
} narrowed;

/* What row `row` lets column `col` be: rule (a). */
static void narrow(const berth__model *model, const row_activity *a, int row, int col, double value, narrowed *n) {
    double row_lower = model->row_lower[row], row_upper = model->row_upper[row];
    double own_least = value > 0 ? model->col_lower[col] : model->col_upper[col];
    double own_greatest = value > 0 ? model->col_upper[col] : model->col_lower[col];
    double below = value > 0 ? row_lower : row_upper, above = value > 0 ? row_upper : row_lower;
    const activity *at_below = value > 0 ? &a->greatest : &a->least, *at_above = value > 0 ? &a->least : &a->greatest;
    double own_below = value > 0 ? own_greatest : own_least, own_above = value > 0 ? own_least : own_greatest;
    if (!isinf(above)) {
        n->upper = min2(n->upper, quotient(above, at_above, value, own_above, true));
    }
    if (!isinf(below)) {
        double lower = quotient(below, at_below, value, own_below, false);
        if (!isinf(lower)) {
            n->lower = max2(n->lower, lower);
            n->lower_most = max2(n->lower_most, quotient(below, at_below, value, own_below, true));
        }
    }
}

/* The least value of the column at which it satisfies alone the row that more of it helps: rule (b). -INFINITY: it
 * helps no such row. */
static double enough(const berth__model *model, const row_activity *a, int row, int col, double value) {
    double own = model->col_lower[col];
    if (value > 0) {
        double rhs = model->row_lower[row];
        return isinf(rhs) ? rhs : quotient(rhs, &a->least, value, own, true);
    }
    double rhs = model->row_upper[row];
    return isinf(rhs) ? -rhs : quotient(rhs, &a->greatest, value, own, true);
}

static bool row_has_both_signs(const berth__model *model, int row) {
    bool negative = false, positive = false;
    for (size_t e = model->row_start[row]; e < model->row_start[row + 1]; e++) {
        negative = negative || model->row_value[e] < 0;
        positive = positive || model->row_value[e] > 0;
    }
    return negative && positive;
}

/* Whether rule (b) applies to the model. */
static bool is_structured(const berth__model *model) {
    for (int j = 0; j < model->n_cols; j++) {
        if (isinf(model->col_lower[j])) {
            return false;
        }
    }
    for (int i = 0; i < model->n_rows; i++) {
        bool bound = !isinf(model->row_lower[i]) || !isinf(model->row_upper[i]);
        if (bound && row_has_both_signs(model, i)) {
            return false;
        }
    }
    return true;
}

static void narrow_column(const berth__model *model, const row_activity *rows, bool structured, int col,
                          double *out_lower, double *out_upper) {
    double lower = model->col_lower[col], alone = lower;
    narrowed n = {lower, model->col_upper[col], lower};
    for (size_t e = model->col_start[col]; e < model->col_start[col + 1]; e++) {
        int row = model->row_of[e];
        narrow(model, &rows[row], row, col, model->value[e], &n);
        if (structured) {
            alone = max2(alone, enough(model, &rows[row], row, col, model->value[e]));
        }
    }
    if (structured && sense_of(model) * model->cost[col] >= 0) {
        n.upper = min2(n.upper, alone);
    }
    *out_lower = n.lower;
    *out_upper = max2(n.lower_most, n.upper);
}

berth_status berth__implied_new(const berth__model *model, berth__implied *out, berth_error *error) {
    *out = (berth__implied){.lower = BERTH__NEW_ARRAY(double, (size_t)model->n_cols),
                            .upper = BERTH__NEW_ARRAY(double, (size_t)model->n_cols)};
    row_activity *rows = BERTH__NEW_ARRAY(row_activity, (size_t)model->n_rows);
    if (out->lower == NULL || out->upper == NULL || rows == NULL) {
        berth__free(rows);
        berth__implied_clear(out);
        return berth__fail_memory(error);
    }
    for (int i = 0; i < model->n_rows; i++) {
        rows[i] = activity_of(model, i);
    }
    bool structured = is_structured(model);
    for (int j = 0; j < model->n_cols; j++) {
        narrow_column(model, rows, structured, j, &out->lower[j], &out->upper[j]);
    }
    berth__free(rows);
    return BERTH_OK;
}

void berth__implied_clear(berth__implied *implied) {
    berth__free(implied->lower);
    berth__free(implied->upper);
    *implied = (berth__implied){0};
}

/* ---- The Lagrangian bound ---- */

/* The multiplier in the minimisation's sense, 0 if the bound that it would use is infinite. */
static double clipped_dual(const berth__model *model, int row, const double *row_dual) {
    double dual = sense_of(model) * row_dual[row];
    return isinf(dual > 0 ? model->row_lower[row] : model->row_upper[row]) ? 0 : dual;
}

/* A sum with a second word for what rounding took from the first (Neumaier). With n terms of total magnitude M it is
 * off by at most u |sum| + (n u)^2 M (Ogita, Rump and Oishi, 2005). */
typedef struct long_sum {
    double high, low;
    double magnitude; /* of all terms */
    double margin;    /* what the terms themselves may be too high by */
    double n;
} long_sum;

/* The exact error of high + term, added to low. */
static void add_exactly(long_sum *s, double term) {
    double sum = s->high + term, part = sum - s->high;
    s->low += (s->high - (sum - part)) + (term - part);
    s->high = sum;
    s->magnitude += fabs(term);
    s->n++;
}

/* A term that is a rounded product. */
static void add_product(long_sum *s, double a, double b) {
    double term = a * b;
    add_exactly(s, term);
    if (term != 0) {
        s->margin += ROUNDING * fabs(term) + SMALLEST;
    }
}

/* Not above the sum in exact arithmetic. */
static double rounded_down(const long_sum *s) {
    double sum = s->high + s->low, share = s->n * ROUNDING;
    double error = 2 * ROUNDING * fabs(sum) + 4 * share * share * s->magnitude + s->margin * (1 + 2 * share);
    return error == 0 ? sum : sum - error * (1 + 4 * ROUNDING) - SMALLEST;
}

/* The reduced cost of a column and what may be wrong with it. */
typedef struct reduced_cost {
    double value, error;
    double scale; /* largest term */
} reduced_cost;

static reduced_cost reduced_cost_of(const berth__model *model, int col, const double *row_dual) {
    double value = sense_of(model) * model->cost[col], scale = fabs(value), magnitude = scale;
    int terms = 0;
    for (size_t e = model->col_start[col]; e < model->col_start[col + 1]; e++) {
        double dual = clipped_dual(model, model->row_of[e], row_dual);
        if (dual != 0) {
            double term = model->value[e] * dual;
            value -= term;
            magnitude += fabs(term);
            scale = max2(scale, fabs(term));
            terms++;
        }
    }
    double error = terms == 0 ? 0 : (terms + 3) * (ROUNDING * magnitude + SMALLEST);
    return (reduced_cost){value, error, scale};
}

/* The same to twice the precision (dot product of Ogita, Rump and Oishi, 2005): for the sign of one close to 0. The
 * error is 0 if no operation rounded. */
static reduced_cost precise_reduced_cost(const berth__model *model, int col, const double *row_dual) {
    long_sum s = {.high = sense_of(model) * model->cost[col]};
    double scale = fabs(s.high);
    s.magnitude = scale;
    bool rounded = false;
    for (size_t e = model->col_start[col]; e < model->col_start[col + 1]; e++) {
        double a = model->value[e], dual = clipped_dual(model, model->row_of[e], row_dual);
        double term = a * dual, lost = fma(a, dual, -term);
        scale = max2(scale, fabs(term));
        add_exactly(&s, -term);
        s.low -= lost;
        /* a product below 1e-290 may lose more than fma tells */
        rounded = rounded || s.low != 0 || (term == 0 ? dual != 0 : fabs(term) < 1e-290);
    }
    double share = (2 * s.n + 3) * ROUNDING, value = s.high + s.low;
    double error = 2 * ROUNDING * fabs(value) + share * share * s.magnitude + (s.n + 3) * SMALLEST;
    return (reduced_cost){value, rounded ? error : 0, scale};
}

/* min over x in [lower, upper] of r x, for all r within its error: the lesser of the two ends. */
static void add_column(long_sum *s, reduced_cost r, double lower, double upper) {
    double low = r.value - r.error, high = r.value + r.error;
    /* r x is least at a corner: low * upper or low * lower, high * lower or high * upper. */
    double at_lower = min2(low * lower, high * lower), at_upper = min2(low * upper, high * upper);
    if (lower == 0 && at_upper >= 0) {
        return;
    }
    if (at_lower <= at_upper) {
        add_product(s, lower > 0 ? low : high, lower);
    } else {
        add_product(s, upper > 0 ? low : high, upper);
    }
}

/* Whether a reduced cost within its error can need an infinite bound. */
static bool needs_infinite(reduced_cost r, double lower, double upper) {
    return (isinf(upper) && r.value - r.error < 0) || (isinf(lower) && r.value + r.error > 0);
}

/* Adds a column with an infinite bound. False: there is no bound. */
static bool add_unbounded_column(const berth__model *model, int col, const double *row_dual, double cost_floor,
                                 double lower, double upper, long_sum *s, berth_proof *proof) {
    reduced_cost r = reduced_cost_of(model, col, row_dual);
    if (needs_infinite(r, lower, upper)) {
        r = precise_reduced_cost(model, col, row_dual);
    }
    if (needs_infinite(r, lower, upper)) {
        if (!(fabs(r.value) <= BERTH__FEASIBILITY * max2(r.scale, cost_floor))) {
            return false;
        }
        *proof = BERTH_PROOF_TOLERANCE;
        return true;
    }
    double used = isinf(upper) ? lower : upper;
    if (!isinf(used)) {
        add_product(s, used > 0 ? r.value - r.error : r.value + r.error, used);
    }
    return true;
}

static double largest_cost(const berth__model *model) {
    double largest = 0;
    for (int j = 0; j < model->n_cols; j++) {
        largest = max2(largest, fabs(model->cost[j]));
    }
    return largest;
}

static bool all_finite(const double *values, int n) {
    for (int i = 0; i < n; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

void berth__lagrangian_bound(const berth__model *model, const berth__implied *implied, const double *row_dual,
                             double *bound, berth_proof *proof) {
    double sense = sense_of(model), cost_floor = BERTH__RESIDUAL_FLOOR * min2(1, largest_cost(model));
    *bound = -sense * (double)INFINITY;
    *proof = BERTH_PROOF_NONE;
    if (!all_finite(row_dual, model->n_rows)) {
        return;
    }
    berth_proof reached = BERTH_PROOF_EXACT;
    long_sum s = {0};
    add_exactly(&s, sense * model->offset);
    for (int i = 0; i < model->n_rows; i++) {
        double dual = clipped_dual(model, i, row_dual);
        if (dual != 0) {
            add_product(&s, dual, dual > 0 ? model->row_lower[i] : model->row_upper[i]);
        }
    }
    for (int j = 0; j < model->n_cols; j++) {
        double lower = implied->lower[j], upper = implied->upper[j];
        if (!isinf(lower) && !isinf(upper)) {
            add_column(&s, reduced_cost_of(model, j, row_dual), lower, upper);
        } else if (!add_unbounded_column(model, j, row_dual, cost_floor, lower, upper, &s, &reached)) {
            return;
        }
    }
    double sum = rounded_down(&s);
    if (isfinite(sum)) {
        *bound = sense * sum;
        *proof = reached;
    }
}

berth_status berth__certified_bound(const berth__model *model, const double *row_dual, double *bound,
                                    berth_proof *proof, berth_error *error) {
    berth__implied implied;
    berth_status status = berth__implied_new(model, &implied, error);
    if (status == BERTH_OK) {
        berth__lagrangian_bound(model, &implied, row_dual, bound, proof);
        berth__implied_clear(&implied);
    }
    return status;
}

double berth__relative_gap(const berth__model *model, const berth__implied *implied, double cost, double bound) {
    double base = model->offset, terms = fabs(base), floor = 0;
    if (!isfinite(cost) || !isfinite(bound)) {
        return (double)INFINITY;
    }
    for (int j = 0; j < model->n_cols; j++) {
        double term = isinf(model->col_lower[j]) ? 0 : model->cost[j] * model->col_lower[j];
        base += term;
        terms += fabs(term);
        double range = fabs(model->cost[j]) * (implied->upper[j] - implied->lower[j]);
        floor = isfinite(range) ? max2(floor, 1e-9 * range) : floor;
    }
    double difference = sense_of(model) * (cost - bound);
    return difference <= 0 ? 0 : difference / max2(min2(fabs(cost - base), fabs(bound - base)), floor + 1e-9 * terms);
}

/* ---- The peak of a concave, piecewise linear function ---- */

/* The peak is between `low` and `high`; only kinks there matter for the slope beyond `low`. */
double berth__concave_peak(double slope, berth__kink *kinks, size_t n) {
    if (!(slope > 0)) {
        return 0;
    }
    size_t begin = 0, end = n;
    while (begin < end) {
        /* Median of three as pivot; kinks below it to the front, equal ones after them. */
        double a = kinks[begin].at, b = kinks[begin + (end - begin) / 2].at, c = kinks[end - 1].at;
        double pivot = max2(min2(a, b), min2(max2(a, b), c));
        size_t less = begin, more = end, k = begin;
        double drop_less = 0, drop_equal = 0;
        while (k < more) {
            berth__kink kink = kinks[k];
            if (kink.at < pivot) {
                drop_less += kink.drop;
                kinks[k++] = kinks[less];
                kinks[less++] = kink;
            } else if (kink.at > pivot) {
                kinks[k] = kinks[--more];
                kinks[more] = kink;
            } else {
                drop_equal += kink.drop;
                k++;
            }
        }
        if (slope - drop_less <= 0) {
            end = less;
        } else if (slope - drop_less - drop_equal <= 0) {
            return pivot;
        } else {
            slope -= drop_less + drop_equal;
            begin = more;
        }
    }
    return end < n ? kinks[end].at : (double)INFINITY;
}
