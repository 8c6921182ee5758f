#include "solver/first_order/form.h"

#include <math.h>

#include "base/alloc.h"
#include "base/error.h"

/* Costs of the minimisation: all >= 0 or all <= 0. */
static bool costs_of_one_sign(const berth__model *model) {
    bool negative = false, positive = false;
    for (int j = 0; j < model->n_cols; j++) {
        negative = negative || model->cost[j] < 0;
        positive = positive || model->cost[j] > 0;
    }
    return !(negative && positive);
}

const char *berth__fo_refusal(const berth__model *model) {
    for (int j = 0; j < model->n_cols; j++) {
        if (isinf(model->col_lower[j])) {
            return "a column has no lower bound";
        }
    }
    for (int i = 0; i < model->n_rows; i++) {
        berth__row_view view = berth__model_view_row(model, i);
        if (view.class == BERTH__ROW_MIXED && !(view.packing < 0)) {
            return "a row has coefficients of both signs";
        }
    }
    return costs_of_one_sign(model) ? NULL : "costs of both signs";
}

static bool allocate(berth__fo_form *form) {
    size_t n = (size_t)form->n_cols, m = (size_t)form->n_rows;
    form->cost = BERTH__NEW_ARRAY(double, n);
    form->upper = BERTH__NEW_ARRAY(double, n);
    form->box = BERTH__NEW_ARRAY(double, n);
    form->sign = BERTH__NEW_ARRAY(double, m);
    form->cover = BERTH__NEW_ARRAY(double, m);
    form->packing = BERTH__NEW_ARRAY(double, m);
    return form->cost != NULL && form->upper != NULL && form->box != NULL && form->sign != NULL &&
           form->cover != NULL && form->packing != NULL;
}

void berth__fo_form_clear(berth__fo_form *form) {
    berth__free(form->cost);
    berth__free(form->upper);
    berth__free(form->box);
    berth__free(form->sign);
    berth__free(form->cover);
    berth__free(form->packing);
    berth__implied_clear(&form->implied);
    *form = (berth__fo_form){0};
}

static void fill_row(berth__fo_form *form, int i) {
    berth__row_view view = berth__model_view_row(form->model, i);
    bool is_empty = form->model->row_start[i] == form->model->row_start[i + 1];
    if (view.packing < 0 || (is_empty && view.cover > 0)) {
        form->impossible_row = i;
    }
    form->cover[i] = view.cover > 0 ? view.cover : -(double)INFINITY;
    form->packing[i] = view.packing;
    bool binds = !is_empty && (view.cover > 0 || !isinf(view.packing));
    form->sign[i] = binds ? view.sign : 0;
    form->has_cover = form->has_cover || (binds && view.cover > 0);
    form->has_packing = form->has_packing || (binds && !isinf(view.packing));
}

/* False: a profit on a column that nothing bounds. */
static bool fill_col(berth__fo_form *form, int j) {
    const berth__model *model = form->model;
    double lower = model->col_lower[j];
    form->cost[j] = form->sense * model->cost[j];
    form->upper[j] = model->col_upper[j] - lower;
    form->box[j] = fmin(form->upper[j], fmax(0, form->implied.upper[j] - lower));
    form->constant += form->cost[j] * lower;
    form->base_size += fabs(form->cost[j] * lower);
    form->cost_floor = fmax(form->cost_floor, fabs(form->cost[j]) * form->box[j]);
    return isfinite(form->box[j]);
}

berth_status berth__fo_form_init(const berth__model *model, berth__fo_form *out, berth_error *error) {
    *out = (berth__fo_form){.model = model,
                            .n_cols = model->n_cols,
                            .n_rows = model->n_rows,
                            .sense = model->maximize ? -1 : 1,
                            .impossible_row = -1,
                            .base_size = fabs(model->offset)};
    const char *why_not = berth__fo_refusal(model);
    if (why_not != NULL) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "model", "no packing or covering programme: %s", why_not);
    }
    berth_status status = berth__implied_new(model, &out->implied, error);
    if (status != BERTH_OK) {
        return status;
    }
    if (!allocate(out)) {
        return berth__fail_memory(error);
    }
    for (int i = 0; i < model->n_rows; i++) {
        fill_row(out, i);
    }
    for (int j = 0; j < model->n_cols; j++) {
        if (!fill_col(out, j)) {
            return berth__fail(error, BERTH_E_UNSUPPORTED, "model", "column %d has a profit, and nothing bounds it", j);
        }
    }
    out->cost_floor = 1e-9 * (out->cost_floor + out->base_size);
    return BERTH_OK;
}

double berth__fo_gap(const berth__fo_form *form, double lower, double upper) {
    if (!isfinite(lower) || !isfinite(upper)) {
        return (double)INFINITY;
    }
    double difference = upper - lower;
    return difference <= 0 ? 0 : difference / fmax(fmin(fabs(lower), fabs(upper)), form->cost_floor);
}

void berth__fo_model_x(const berth__fo_form *form, const double *x, double *out) {
    for (int j = 0; j < form->n_cols; j++) {
        double value = form->model->col_lower[j] + x[j];
        out[j] = fmin(value, form->model->col_upper[j]);
    }
}

void berth__fo_model_dual(const berth__fo_form *form, const double *y, double *out) {
    for (int i = 0; i < form->n_rows; i++) {
        out[i] = form->sense * form->sign[i] * y[i];
    }
}
