/* berth_solve: the order of steps. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "formulations/general/general.h"

/* Long enough for small problems to be solved to the end, short enough to wait for. */
static const double default_limit_s = 10;

void berth_solve_options_init(berth_solve_options *options) {
    *options = (berth_solve_options){
        .struct_size = sizeof *options,
        .method = berth_method_names()[0],
        .lp = "auto",
        .seed = 1,
        .time_limit_s = default_limit_s,
        .lp_gap = 1e-3,
        .delta = 0.1,
        .favour = BERTH_FAVOUR_COVER,
        .scale_rule = BERTH_SCALE_AUTO,
        .trials = 16,
    };
    berth_hooks_init(&options->hooks);
}

/* ---- Options ---- */

static bool is_fraction(double value) {
    return value >= 0 && value < 1;
}

static berth_status check_numbers(const berth_solve_options *o, berth_error *error) {
    if (!(o->delta > 0 && o->delta < 1)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "delta", "delta is %g; expected a number between 0 and 1",
                           o->delta);
    }
    if (o->scale_rule == BERTH_SCALE_GIVEN && !(o->scale > 0 && isfinite(o->scale))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "scale", "scale is %g; expected a number > 0", o->scale);
    }
    if (o->trials < 1) {
        return berth__fail(error, BERTH_E_ARGUMENT, "trials", "trials is %d; expected a number >= 1", o->trials);
    }
    if (!is_fraction(o->gap) || !is_fraction(o->lp_gap)) {
        const char *where = is_fraction(o->gap) ? "lp_gap" : "gap";
        return berth__fail(error, BERTH_E_ARGUMENT, where, "%s is %g; expected a number >= 0 and < 1", where,
                           is_fraction(o->gap) ? o->lp_gap : o->gap);
    }
    if (!(o->time_limit_s >= 0)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "time_limit_s", "time_limit_s is %g; expected a number >= 0",
                           o->time_limit_s);
    }
    if (o->threads < 0) {
        return berth__fail(error, BERTH_E_ARGUMENT, "threads", "threads is %d; expected a number >= 0", o->threads);
    }
    return BERTH_OK;
}

static berth_status check_options(const berth_solve_options *o, berth_error *error) {
    if (o->struct_size != sizeof *o) {
        return berth__fail(error, BERTH_E_ARGUMENT, "options", "not initialised: call berth_solve_options_init first");
    }
    if (o->method == NULL || berth__method_find(o->method) == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "method", "no method '%s'; expected one of berth_method_names",
                           o->method == NULL ? "" : o->method);
    }
    return check_numbers(o, error);
}

/* ---- Solving ---- */

/* The rounding form, and the relaxation in it. */
static berth_status split(berth__general *g, berth_error *error) {
    berth_status status = berth__split_new(g->model, g->group, &g->split, error);
    if (status == BERTH_OK && g->has_relaxation) {
        berth__split_to_view(g->split, g->relaxation, g->view_relaxation);
    }
    return status;
}

/* Are the relaxation's integers whole, but for a solver's tolerance? What rounding them breaks shows when the point is
 * offered. */
static bool is_integral(const berth__general *g) {
    for (int j = 0; j < g->model->n_cols; j++) {
        if (g->model->is_integer[j] && fabs(g->relaxation[j] - round(g->relaxation[j])) > BERTH__LP_FEASIBILITY) {
            return false;
        }
    }
    return true;
}

/* Without integers the relaxation's point is the answer; with them it may be by luck. */
static bool relaxation_answers(berth__general *g, const berth__method *method) {
    bool takes = g->model->n_integer == 0 || method->takes_whole || !g->packing_covering;
    if (!takes || !g->has_relaxation || !is_integral(g)) {
        return false;
    }
    bool feasible = berth__general_offer(g, g->relaxation, "relaxation");
    return feasible && (g->model->n_integer == 0 || berth__general_good_enough(g));
}

static berth_status solve(berth__general *g, berth_error *error) {
    const berth__method *method = berth__method_find(g->options->method);
    berth_status status = berth__general_relax(g, error);
    bool has_point = g->relaxed != BERTH_INFEASIBLE && g->relaxed != BERTH_UNBOUNDED;
    if (status == BERTH_OK && g->packing_covering && has_point) {
        status = split(g, error);
    }
    if (status != BERTH_OK || !has_point || relaxation_answers(g, method) || g->model->n_integer == 0) {
        return status;
    }
    return g->packing_covering ? berth__method_run(method, g, error) : berth__general_branch(g, &g->budget, error);
}

berth_status berth_solve(const berth_problem *problem, const berth_solve_options *options, berth_solution **out,
                         berth_error *error) {
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    *out = NULL;
    berth_solve_options defaults;
    berth_solve_options_init(&defaults);
    options = options == NULL ? &defaults : options;
    berth_status status = check_options(options, error);
    if (status != BERTH_OK) {
        return status;
    }
    berth__general g;
    status = berth__general_open(&g, problem, options, error);
    if (status == BERTH_OK) {
        status = solve(&g, error);
    }
    if (status == BERTH_OK) {
        *out = berth__general_solution(&g);
        status = *out == NULL ? berth__fail_memory(error) : BERTH_OK;
    }
    berth__general_close(&g);
    return status;
}
