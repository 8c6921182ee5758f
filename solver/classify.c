#include <math.h>

#include "solver/model.h"

/* lower - A l is off by at most this for each of its terms, relative to their magnitude (twice the unit roundoff). */
#define ROUNDING 2.3e-16

/* A row's sum at the columns' lower bounds. */
typedef struct base_sum {
    double sum, magnitude;
    double terms; /* that are not 0 */
    bool negative, positive, infinite;
} base_sum;

static base_sum base_of(const berth__model *model, int row) {
    base_sum base = {0};
    for (size_t e = model->row_start[row]; e < model->row_start[row + 1]; e++) {
        double value = model->row_value[e], lower = model->col_lower[model->col_of[e]];
        base.negative = base.negative || value < 0;
        base.positive = base.positive || value > 0;
        if (isinf(lower)) {
            base.infinite = true;
        } else if (lower != 0) {
            base.sum += value * lower;
            base.magnitude += fabs(value * lower);
            base.terms++;
        }
    }
    return base;
}

/* The right side that is left, 0 if that is all rounding. */
static double shifted(double bound, const base_sum *base) {
    if (isinf(bound) || base->terms == 0) {
        return bound;
    }
    double rest = bound - base->sum;
    return fabs(rest) <= (base->terms + 2) * ROUNDING * (base->magnitude + fabs(bound)) ? 0 : rest;
}

/* Class of a row with non-negative coefficients and the given bounds. */
static berth__row_class class_of_bounds(double lower, double upper) {
    if (upper < 0) {
        return BERTH__ROW_MIXED;
    }
    if (isinf(upper)) {
        return lower >= 0 ? BERTH__ROW_COVER : BERTH__ROW_FREE;
    }
    return lower <= 0 ? BERTH__ROW_PACKING : BERTH__ROW_BOTH;
}

berth__row_view berth__model_view_row(const berth__model *model, int row) {
    berth__row_view view = {.sign = 1, .cover = -(double)INFINITY, .packing = (double)INFINITY};
    double lower = model->row_lower[row], upper = model->row_upper[row];
    base_sum base = base_of(model, row);
    if (isinf(lower) && isinf(upper)) {
        view.class = BERTH__ROW_FREE;
        return view;
    }
    if (base.infinite || (base.negative && base.positive)) {
        view.class = BERTH__ROW_MIXED;
        return view;
    }
    view.cover = shifted(lower, &base);
    view.packing = shifted(upper, &base);
    if (base.negative) {
        double cover = -view.packing;
        view.packing = -view.cover;
        view.cover = cover;
        view.sign = -1;
    }
    view.class = class_of_bounds(view.cover, view.packing);
    return view;
}

void berth__model_classify(const berth__model *model, berth__row_class *classes, bool *is_packing_covering,
                           const char **reason) {
    const char *why = NULL;
    for (int i = 0; i < model->n_rows; i++) {
        berth__row_view view = berth__model_view_row(model, i);
        if (classes != NULL) {
            classes[i] = view.class;
        }
        if (view.class == BERTH__ROW_MIXED && why == NULL) {
            why = view.packing < 0 ? "its right side is negative, which nothing satisfies"
                                   : "it has coefficients of both signs, or a column without a lower bound";
        }
    }
    bool rises = false, falls = false;
    for (int j = 0; j < model->n_cols && why == NULL; j++) {
        rises = rises || model->cost[j] > 0;
        falls = falls || model->cost[j] < 0;
        if (isinf(model->col_lower[j])) {
            why = "a column has no lower bound";
        } else if (rises && falls) {
            why = "costs have both signs";
        }
    }
    *is_packing_covering = why == NULL;
    if (reason != NULL) {
        *reason = why;
    }
}
