#include <math.h>

#include "solver/model.h"

/* Class of a row with non-negative coefficients and the given bounds. */
static berth__row_class class_of_bounds(double lower, double upper) {
    bool has_lower = !isinf(lower), has_upper = !isinf(upper);
    if (!has_lower && !has_upper) {
        return BERTH__ROW_FREE;
    }
    if (!has_upper) {
        return lower >= 0 ? BERTH__ROW_COVER : BERTH__ROW_MIXED;
    }
    if (upper < 0) {
        return BERTH__ROW_MIXED;
    }
    return !has_lower || lower <= 0 ? BERTH__ROW_PACKING : BERTH__ROW_BOTH;
}

static berth__row_class class_of_row(const berth__model *model, int row) {
    bool negative = false, positive = false;
    for (size_t e = model->row_start[row]; e < model->row_start[row + 1]; e++) {
        negative = negative || model->row_value[e] < 0;
        positive = positive || model->row_value[e] > 0;
    }
    double lower = model->row_lower[row], upper = model->row_upper[row];
    if (negative && positive) {
        return isinf(lower) && isinf(upper) ? BERTH__ROW_FREE : BERTH__ROW_MIXED;
    }
    return negative ? class_of_bounds(-upper, -lower) : class_of_bounds(lower, upper);
}

void berth__model_classify(const berth__model *model, berth__row_class *classes, bool *is_packing_covering,
                           const char **reason) {
    const char *why = NULL;
    for (int i = 0; i < model->n_rows; i++) {
        berth__row_class class = class_of_row(model, i);
        if (classes != NULL) {
            classes[i] = class;
        }
        if (class == BERTH__ROW_MIXED) {
            why = "a row has coefficients of both signs or a right side of the wrong sign";
        }
    }
    for (int j = 0; j < model->n_cols && why == NULL; j++) {
        if (model->col_lower[j] != 0) {
            why = "a column's lower bound is not 0";
        } else if (model->cost[j] < 0) {
            why = model->maximize ? "a column has a negative profit" : "a column has a negative cost";
        }
    }
    *is_packing_covering = why == NULL;
    if (reason != NULL) {
        *reason = why;
    }
}
