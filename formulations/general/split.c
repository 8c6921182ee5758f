#include "formulations/general/split.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* One row being turned: its entries with the sign that makes them >= 0, counted from the lower bounds. */
typedef struct turned_row {
    int n;
    const int *vars;
    double *values; /* [longest row] */
    double lower, upper;
} turned_row;

static int longest_row(const berth__model *model) {
    size_t longest = 0;
    for (int i = 0; i < model->n_rows; i++) {
        size_t length = model->row_start[i + 1] - model->row_start[i];
        longest = length > longest ? length : longest;
    }
    return (int)longest;
}

static void turn_row(const berth__model *model, int row, turned_row *out) {
    berth__row_view view = berth__model_view_row(model, row);
    size_t first = model->row_start[row];
    out->n = (int)(model->row_start[row + 1] - first);
    out->vars = model->col_of + first;
    out->lower = view.cover;
    out->upper = view.packing;
    for (int k = 0; k < out->n; k++) {
        out->values[k] = view.sign * model->row_value[first + (size_t)k];
    }
}

static berth_status add_vars(const berth__model *model, const int *group, berth__split *split, berth_error *error) {
    berth_status status = BERTH_OK;
    for (int j = 0; j < model->n_cols && status == BERTH_OK; j++) {
        double upper = model->col_upper[j] - model->col_lower[j];
        status = berth__mpc_add_var(split->mpc, NULL, split->sign * model->cost[j], upper, model->is_integer[j],
                                    group == NULL ? -1 : group[j], NULL, error);
    }
    return status;
}

/* Cover rows in a first pass, packing rows in a second. */
static berth_status add_rows(const berth__model *model, berth__split *split, turned_row *row, bool cover,
                             berth_error *error) {
    berth_status status = BERTH_OK;
    for (int i = 0; i < model->n_rows && status == BERTH_OK; i++) {
        turn_row(model, i, row);
        if (cover && row->lower > 0 && isfinite(row->lower)) {
            status = berth__mpc_add_cover(split->mpc, NULL, row->lower, row->n, row->vars, row->values, error);
        } else if (!cover && row->n > 0 && isfinite(row->upper)) {
            /* Below 0 by rounding error only: the relaxation has a point. */
            status = berth__mpc_add_pack(split->mpc, NULL, fmax(0, row->upper), row->n, row->vars, row->values, error);
        }
    }
    return status;
}

static bool all_costs_fall(const berth__model *model) {
    bool falls = false;
    for (int j = 0; j < model->n_cols; j++) {
        if (model->cost[j] > 0) {
            return false;
        }
        falls = falls || model->cost[j] < 0;
    }
    return falls;
}

static berth_status fill(const berth__model *model, const int *group, berth__split *split, berth_error *error) {
    size_t n = (size_t)model->n_cols;
    bool turned = all_costs_fall(model);
    split->sign = turned ? -1 : 1;
    split->offset = model->offset;
    split->shift = BERTH__NEW_ARRAY(double, n);
    turned_row row = {.values = BERTH__NEW_ARRAY(double, (size_t)longest_row(model))};
    berth_status status = split->shift == NULL || row.values == NULL
                              ? berth__fail_memory(error)
                              : berth__mpc_new(model->maximize != turned, &split->mpc, error);
    if (status == BERTH_OK) {
        for (size_t j = 0; j < n; j++) {
            split->shift[j] = model->col_lower[j];
            split->offset += model->cost[j] * model->col_lower[j];
        }
        status = add_vars(model, group, split, error);
    }
    if (status == BERTH_OK) {
        status = add_rows(model, split, &row, true, error);
    }
    if (status == BERTH_OK) {
        status = add_rows(model, split, &row, false, error);
    }
    berth__free(row.values);
    if (status == BERTH_OK) {
        split->view = berth__mpc_view(split->mpc);
    }
    return status;
}

berth_status berth__split_new(const berth__model *model, const int *group, berth__split **out, berth_error *error) {
    *out = NULL;
    berth__split *split = BERTH__NEW_ARRAY(berth__split, 1);
    if (split == NULL) {
        return berth__fail_memory(error);
    }
    berth_status status = fill(model, group, split, error);
    if (status == BERTH_OK) {
        *out = split;
    } else {
        berth__split_free(split);
    }
    return status;
}

void berth__split_free(berth__split *split) {
    if (split == NULL) {
        return;
    }
    berth__mpc_free(split->mpc);
    berth__free(split->shift);
    berth__free(split);
}

void berth__split_to_view(const berth__split *split, const double *x, double *out) {
    for (int j = 0; j < split->view.n_vars; j++) {
        out[j] = fmax(0, x[j] - split->shift[j]);
    }
}

void berth__split_to_model(const berth__split *split, const double *x, double *out) {
    for (int j = 0; j < split->view.n_vars; j++) {
        out[j] = x[j] + split->shift[j];
    }
}

double berth__split_view_cost(const berth__split *split, const double *view_x) {
    double cost = 0;
    for (int j = 0; j < split->view.n_vars; j++) {
        cost += split->view.cost[j] * view_x[j];
    }
    return cost;
}
