#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "formulations/general/general.h"
#include "formulations/general/problem.h"
#include "solver/first_order/choice.h"
#include "solver/structural.h"

/* ---- The bound of integer points ---- */

/* The step between the costs that integer points can have: the greatest common divisor of the costs, if all of them
 * are whole and belong to integer variables; 0: there is none. */
static double cost_step(const berth__model *model) {
    double step = 0;
    for (int j = 0; j < model->n_cols; j++) {
        double cost = fabs(model->cost[j]);
        if (cost == 0) {
            continue;
        }
        if (!model->is_integer[j] || cost != floor(cost) || cost > 9007199254740992.0) {
            return 0;
        }
        while (cost > 0) { /* Euclid */
            double rest = fmod(step, cost);
            step = cost;
            cost = rest;
        }
    }
    return step;
}

/* The worst value at the bound or beyond it that offset + step * whole number can have; the division may be off by an
 * ulp, so a bound that is just past such a value stays at it. */
static double raised(const berth__model *model, double bound) {
    double step = cost_step(model);
    if (step <= 0 || !isfinite(bound) || fabs(bound) > 1e15) {
        return bound;
    }
    double sign = model->maximize ? -1 : 1, steps = sign * (bound - model->offset) / step;
    double whole = ceil(steps - 1e-12 * fmax(1, fabs(steps)));
    double value = model->offset + sign * step * whole;
    if (model->offset != floor(model->offset)) { /* the sum is rounded */
        value = nextafter(value, -sign * (double)INFINITY);
    }
    return model->maximize ? fmin(bound, value) : fmax(bound, value);
}

static berth_status bound_by_multipliers(berth__general *g, berth_error *error) {
    double bound;
    berth_status status = berth__certified_bound(g->model, g->multipliers, &bound, &g->proof, error);
    if (status == BERTH_OK) {
        g->bound = g->proof == BERTH_PROOF_NONE ? (double)NAN : raised(g->model, bound);
    }
    return status;
}

/* ---- Solving ---- */

/* Rounding error may leave a multiplier on a side that a row does not have: it counts as 0 in the bound. */
static void copy_multipliers(berth__general *g, const double *row_dual) {
    const berth__model *model = g->model;
    for (int i = 0; i < model->n_rows; i++) {
        double y = row_dual[i];
        bool on_lower = model->maximize ? y < 0 : y > 0;
        double side = on_lower ? model->row_lower[i] : model->row_upper[i];
        g->multipliers[i] = y == 0 || isinf(side) ? 0 : y;
    }
    g->has_multipliers = true;
}

static berth_status take(berth__general *g, const berth__lp_result *result, berth_error *error) {
    const berth__model *model = g->model;
    g->relaxed = result->outcome;
    if (result->has_primal) {
        for (int j = 0; j < model->n_cols; j++) {
            g->relaxation[j] = result->x[j] + 0.0; /* no -0 */
        }
        g->has_relaxation = true;
    }
    if (result->has_dual) {
        copy_multipliers(g, result->row_dual);
        memcpy(g->reduced_cost, result->reduced_cost, (size_t)model->n_cols * sizeof *result->reduced_cost);
    }
    if (result->outcome == BERTH_INFEASIBLE && result->has_ray) {
        for (int i = 0; i < model->n_rows; i++) {
            double side = result->ray[i] > 0 ? model->row_lower[i] : model->row_upper[i];
            g->ray[i] = result->ray[i] == 0 || isinf(side) ? 0 : result->ray[i]; /* as berth__verify_farkas counts */
        }
        g->has_ray = true;
    }
    g->stopped = result->outcome == BERTH_LIMIT;
    return g->has_multipliers ? bound_by_multipliers(g, error) : BERTH_OK;
}

/* The time of a first attempt: where others can follow, and where rounding does, it leaves them some. */
static berth__budget attempt_budget(const berth__general *g, double share) {
    berth__budget budget = g->budget;
    double now = berth__now_s();
    budget.deadline_s = now + share * (budget.deadline_s - now);
    return budget;
}

static berth_status relax_with(berth__general *g, const char *name, const berth__budget *budget, berth_error *error) {
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.integers = false;
    options.presolve = true;
    options.lp_gap = g->options->lp_gap;
    options.threads = g->options->threads;
    options.budget = budget;
    berth_status status = berth__lp_open(g->model, g->options->backends, name, &lp, error);
    if (status == BERTH_E_UNSUPPORTED) { /* what was asked for by name does not take this model */
        char why[512];
        snprintf(why, sizeof why, "%s", error == NULL ? "" : error->message);
        return berth__fail(error, BERTH_E_ARGUMENT, "lp", "%s: %s", name, why);
    }
    if (status == BERTH_OK) {
        status = berth__lp_solve(lp, &options, &result, error);
    }
    if (status == BERTH_OK) {
        g->lp = berth__lp_backend_name(lp);
        status = take(g, result, error);
    }
    berth__lp_close(lp);
    return status;
}

berth_status berth__general_relax(berth__general *g, berth_error *error) {
    const char *asked = g->options->lp;
    bool rounds = g->packing_covering && g->model->n_integer > 0;
    if (asked != NULL && strcmp(asked, "auto") != 0) {
        berth__budget budget = attempt_budget(g, rounds ? 0.7 : 1);
        return relax_with(g, asked, &budget, error);
    }
    if (berth__first_order_suits(g->model)) {
        berth__budget budget = attempt_budget(g, rounds ? 0.7 : 1);
        return relax_with(g, berth__first_order_backend.name, &budget, error);
    }
    berth__budget simplex = attempt_budget(g, g->packing_covering ? 0.4 : 1);
    berth_status status = relax_with(g, "auto", &simplex, error);
    if (status == BERTH_OK && g->relaxed == BERTH_LIMIT && g->packing_covering && !berth__budget_spent(&g->budget)) {
        berth__budget first_order = attempt_budget(g, rounds ? 0.5 : 1);
        status = relax_with(g, berth__first_order_backend.name, &first_order, error);
        if (status == BERTH_E_ARGUMENT) { /* it does not take this one */
            berth__error_clear(error);
            status = BERTH_OK;
        }
    }
    return status;
}

/* ---- Continuous variables, integers fixed ---- */

berth_status berth__general_complete(berth__general *g, const double *x, const char *by, berth_error *error) {
    if (g->model->n_integer == g->model->n_cols || berth__budget_spent(&g->budget)) {
        return BERTH_OK;
    }
    berth__model *fixed = NULL;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.integers = false;
    options.budget = &g->budget;
    for (int j = 0; j < g->model->n_cols; j++) { /* what rounding error leaves of a bound is not one */
        double value = g->model->is_integer[j] ? round(x[j]) : x[j];
        g->work[j] = fmin(fmax(value, g->model->col_lower[j]), g->model->col_upper[j]);
    }
    berth_status status = berth__problem_model(g->problem, g->work, &fixed, error);
    if (status == BERTH_OK) {
        status = berth__lp_open(fixed, g->options->backends, "auto", &lp, error);
    }
    if (status == BERTH_OK) {
        status = berth__lp_solve(lp, &options, &result, error);
    }
    if (status == BERTH_OK && result->outcome == BERTH_OPTIMAL) {
        berth__general_offer(g, result->x, by);
    }
    berth__lp_close(lp);
    berth__model_free(fixed);
    return status;
}
