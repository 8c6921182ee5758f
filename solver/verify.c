#include "solver/verify.h"

#include <math.h>

#include "base/tolerance.h"

static double max2(double a, double b) {
    return a > b ? a : b;
}

/* The floor under a scale whose largest coefficient is given. */
static double floor_of(double coefficient) {
    return BERTH__RESIDUAL_FLOOR * (coefficient < 1 ? coefficient : 1);
}

static double largest_cost(const berth__model *model) {
    double largest = 0;
    for (int j = 0; j < model->n_cols; j++) {
        largest = max2(largest, fabs(model->cost[j]));
    }
    return largest;
}

/* How far `value` is outside [lower, upper], relative to the bound it violates or to `scale` if that is larger. */
static double violation(double value, double lower, double upper, double scale) {
    if (!isfinite(value)) {
        return (double)INFINITY;
    }
    if (value < lower) {
        return (lower - value) / max2(fabs(lower), scale);
    }
    if (value > upper) {
        return (value - upper) / max2(fabs(upper), scale);
    }
    return 0;
}

/* ---- Primal ---- */

static double row_violation(const berth__model *model, int row, const double *x) {
    double activity = 0, largest_term = 0, largest_coefficient = 0;
    for (size_t e = model->row_start[row]; e < model->row_start[row + 1]; e++) {
        double term = model->row_value[e] * x[model->col_of[e]];
        activity += term;
        largest_term = max2(largest_term, fabs(term));
        largest_coefficient = max2(largest_coefficient, fabs(model->row_value[e]));
    }
    double scale = max2(largest_term, largest_coefficient == 0 ? BERTH__RESIDUAL_FLOOR : floor_of(largest_coefficient));
    return violation(activity, model->row_lower[row], model->row_upper[row], scale);
}

static void check_primal(const berth__model *model, const double *x, berth__residuals *out) {
    out->primal = 0;
    out->integrality = 0;
    out->objective = model->offset;
    for (int j = 0; j < model->n_cols; j++) {
        double worst = violation(x[j], model->col_lower[j], model->col_upper[j], BERTH__RESIDUAL_FLOOR);
        if (worst > out->primal) {
            out->primal = worst;
            out->worst_col = j;
        }
        if (model->is_integer[j]) {
            double distance = isfinite(x[j]) ? fabs(x[j] - round(x[j])) : (double)INFINITY;
            out->integrality = max2(out->integrality, distance);
        }
        out->objective += model->cost[j] * x[j];
    }
    for (int i = 0; i < model->n_rows; i++) {
        double worst = row_violation(model, i, x);
        if (worst > out->primal) {
            out->primal = worst;
            out->worst_row = i;
            out->worst_col = -1;
        }
    }
}

/* ---- Dual ----
 * Everything here is in terms of a minimisation: costs and duals of a maximisation change sign. */

typedef struct dual_sums {
    double bound;        /* without the offset; -INFINITY: none */
    double infeasible;   /* worst relative wrong-signed entry */
    double largest_term; /* of the bound's sum over rows */
} dual_sums;

static double sense_of(const berth__model *model) {
    return model->maximize ? -1 : 1;
}

/* The bound that a multiplier of this sign uses. */
static double used_bound(double multiplier, double lower, double upper) {
    return multiplier > 0 ? lower : upper;
}

/* The multiplier, or 0 if the bound it would use is infinite. */
static double clipped(double multiplier, double lower, double upper) {
    return isinf(used_bound(multiplier, lower, upper)) ? 0 : multiplier;
}

static double clipped_dual(const berth__model *model, int row, double sense, const double *row_dual) {
    return clipped(sense * row_dual[row], model->row_lower[row], model->row_upper[row]);
}

static double largest_in_row(const berth__model *model, int row) {
    double largest = 0;
    for (size_t e = model->row_start[row]; e < model->row_start[row + 1]; e++) {
        largest = max2(largest, fabs(model->row_value[e]));
    }
    return largest;
}

static void add_rows(const berth__model *model, double sense, const double *row_dual, double cost_scale,
                     dual_sums *sums) {
    for (int i = 0; i < model->n_rows; i++) {
        double dual = sense * row_dual[i];
        if (!isfinite(dual)) {
            sums->bound = -(double)INFINITY;
            sums->infeasible = (double)INFINITY;
            continue;
        }
        double used = clipped(dual, model->row_lower[i], model->row_upper[i]);
        if (used != 0) {
            double term = used * used_bound(used, model->row_lower[i], model->row_upper[i]);
            sums->bound += term;
            sums->largest_term = max2(sums->largest_term, fabs(term));
        } else if (dual != 0) {
            double size = fabs(dual) * largest_in_row(model, i);
            sums->infeasible = max2(sums->infeasible, size > 0 ? size / max2(cost_scale, size) : 0);
        }
    }
}

static void add_cols(const berth__model *model, double sense, const double *row_dual, double cost_floor,
                     dual_sums *sums) {
    for (int j = 0; j < model->n_cols; j++) {
        double reduced = sense * model->cost[j], scale = fabs(reduced);
        for (size_t e = model->col_start[j]; e < model->col_start[j + 1]; e++) {
            double term = model->value[e] * clipped_dual(model, model->row_of[e], sense, row_dual);
            reduced -= term;
            scale = max2(scale, fabs(term));
        }
        if (reduced == 0) {
            continue;
        }
        double bound = used_bound(reduced, model->col_lower[j], model->col_upper[j]);
        if (!isinf(bound)) {
            sums->bound += reduced * bound;
            continue;
        }
        double relative = fabs(reduced) / max2(scale, cost_floor);
        sums->infeasible = max2(sums->infeasible, relative);
        if (!(relative <= BERTH__FEASIBILITY)) {
            sums->bound = -(double)INFINITY;
        }
    }
}

static dual_sums dual_side(const berth__model *model, const double *row_dual) {
    double sense = sense_of(model), cost = largest_cost(model);
    dual_sums sums = {0};
    add_rows(model, sense, row_dual, cost, &sums);
    if (isfinite(sums.infeasible)) {
        add_cols(model, sense, row_dual, floor_of(cost), &sums);
    }
    if (isnan(sums.bound)) {
        sums.bound = -(double)INFINITY;
    }
    return sums;
}

/* ---- Both ---- */

static double gap_of(const berth__model *model, const double *x, const dual_sums *sums, double objective,
                     double bound) {
    if (!isfinite(bound) || !isfinite(objective)) {
        return (double)INFINITY;
    }
    double scale = max2(max2(fabs(objective), fabs(bound)), sums->largest_term);
    for (int j = 0; j < model->n_cols; j++) {
        scale = max2(scale, fabs(model->cost[j] * x[j]));
    }
    double difference = fabs(objective - bound);
    return difference == 0 ? 0 : difference / max2(scale, floor_of(largest_cost(model)));
}

void berth__verify(const berth__model *model, const double *x, const double *row_dual, berth__residuals *out) {
    *out = (berth__residuals){.primal = (double)NAN,
                              .integrality = (double)NAN,
                              .dual = (double)NAN,
                              .gap = (double)NAN,
                              .objective = (double)NAN,
                              .dual_bound = (double)NAN,
                              .worst_row = -1,
                              .worst_col = -1};
    if (x != NULL) {
        check_primal(model, x, out);
    }
    if (row_dual == NULL) {
        return;
    }
    dual_sums sums = dual_side(model, row_dual);
    out->dual = sums.infeasible;
    out->dual_bound = model->offset + sense_of(model) * sums.bound;
    if (x != NULL) {
        out->gap = gap_of(model, x, &sums, out->objective, out->dual_bound);
    }
}

bool berth__verify_farkas(const berth__model *model, const double *ray) {
    double excess = 0, scale = 0;
    for (int i = 0; i < model->n_rows; i++) {
        if (!isfinite(ray[i])) {
            return false;
        }
        double used = clipped_dual(model, i, 1, ray);
        if (used != 0) {
            double term = used * used_bound(used, model->row_lower[i], model->row_upper[i]);
            excess += term;
            scale = max2(scale, fabs(term));
        }
    }
    for (int j = 0; j < model->n_cols; j++) {
        double product = 0, largest = 0;
        for (size_t e = model->col_start[j]; e < model->col_start[j + 1]; e++) {
            double term = model->value[e] * clipped_dual(model, model->row_of[e], 1, ray);
            product += term;
            largest = max2(largest, fabs(term));
        }
        if (product == 0) {
            continue;
        }
        double bound = used_bound(-product, model->col_lower[j], model->col_upper[j]);
        if (isinf(bound)) {
            if (!(fabs(product) <= BERTH__FEASIBILITY * largest)) {
                return false;
            }
            continue;
        }
        excess -= product * bound;
        scale = max2(scale, fabs(product * bound));
    }
    return excess > BERTH__FEASIBILITY * scale;
}
