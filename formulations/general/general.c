#include "formulations/general/general.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "formulations/general/defaults.h"
#include "formulations/general/groups.h"
#include "formulations/general/problem.h"
#include "solver/verify.h"

static bool allocate(berth__general *g) {
    size_t n = (size_t)g->model->n_cols, m = (size_t)g->model->n_rows;
    double **vectors[] = {&g->relaxation, &g->reduced_cost, &g->x,      &g->view_relaxation,
                          &g->candidate,  &g->work,         &g->model_x};
    bool complete = true;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = BERTH__NEW_ARRAY(double, n);
        complete = complete && *vectors[k] != NULL;
    }
    g->multipliers = BERTH__NEW_ARRAY(double, m);
    g->ray = BERTH__NEW_ARRAY(double, m);
    return complete && g->multipliers != NULL && g->ray != NULL;
}

/* Is the problem packing and covering? If not, the first row, or what else, that speaks against it, by name. */
static berth_status classify(berth__general *g, berth_error *error) {
    const char *why = NULL;
    berth__row_class *classes = BERTH__NEW_ARRAY(berth__row_class, (size_t)g->model->n_rows);
    if (classes == NULL) {
        return berth__fail_memory(error);
    }
    berth__model_classify(g->model, classes, &g->packing_covering, &why);
    for (int i = 0; i < g->model->n_rows && g->why_not[0] == '\0'; i++) {
        if (classes[i] == BERTH__ROW_MIXED) {
            char name[BERTH__NAME_ROOM];
            snprintf(g->why_not, sizeof g->why_not, "row %.100s: %s", berth__row_name(g->problem, (size_t)i, name),
                     why);
        }
    }
    if (why != NULL && g->why_not[0] == '\0') {
        snprintf(g->why_not, sizeof g->why_not, "%s", why);
    }
    berth__free(classes);
    return BERTH_OK;
}

berth_status berth__general_open(berth__general *g, const berth_problem *problem, const berth_solve_options *options,
                                 berth_error *error) {
    *g = (berth__general){.problem = problem,
                          .options = options,
                          .budget = berth__budget_start(options->time_limit_s, &options->hooks),
                          .relaxed = BERTH_NUMERIC,
                          .bound = (double)NAN,
                          .cost = (double)NAN,
                          .violation = (double)INFINITY,
                          .node_bound = (double)NAN};
    g->promise = (berth_promise){.scale = (double)NAN,
                                 .cost_factor = (double)NAN,
                                 .cover_factor = (double)NAN,
                                 .pack_factor = (double)NAN,
                                 .probability = (double)NAN,
                                 .why_not = "nothing was rounded"};
    berth_status status = berth__problem_check(problem, error);
    if (status == BERTH_OK) {
        status = berth__problem_model(problem, NULL, &g->model, error);
    }
    if (status == BERTH_OK && !allocate(g)) {
        status = berth__fail_memory(error);
    }
    if (status == BERTH_OK) {
        status = classify(g, error);
    }
    if (status == BERTH_OK) {
        status = berth__problem_groups(problem, options->group_separators, &g->group, &g->n_groups, error);
    }
    return status;
}

void berth__general_close(berth__general *g) {
    berth__split_free(g->split);
    berth__model_free(g->model);
    berth__free(g->group);
    berth__free(g->relaxation);
    berth__free(g->reduced_cost);
    berth__free(g->multipliers);
    berth__free(g->ray);
    berth__free(g->x);
    berth__free(g->view_relaxation);
    berth__free(g->candidate);
    berth__free(g->work);
    berth__free(g->model_x);
}

/* Integers exact, bounds kept. */
static void tidy(const berth__model *model, const double *x, double *out) {
    for (int j = 0; j < model->n_cols; j++) {
        double value = model->is_integer[j] ? round(x[j]) : x[j];
        out[j] = fmin(fmax(value, model->col_lower[j]), model->col_upper[j]);
        out[j] += 0.0; /* no -0 */
    }
}

/* How far rows are missed, relative; 0: all hold. Sums of whole units are off by rounding error only; a continuous
 * variable comes from an LP, to its precision. */
static double miss(const berth__model *model, const berth__residuals *residuals) {
    double allowed = model->n_integer == model->n_cols ? BERTH__FEASIBILITY : BERTH__LP_FEASIBILITY;
    return residuals->primal <= allowed ? 0 : residuals->primal;
}

/* By how much the cost of a point with continuous variables may be off. */
static double cost_noise(const berth__general *g, double cost) {
    return g->model->n_integer == g->model->n_cols ? 0 : BERTH__LP_FEASIBILITY * fmax(fabs(cost), fabs(g->cost));
}

bool berth__general_offer(berth__general *g, const double *x, const char *by) {
    tidy(g->model, x, g->model_x);
    berth__residuals residuals;
    berth__verify(g->model, g->model_x, NULL, &residuals);
    double missed = miss(g->model, &residuals);
    bool feasible = missed <= 0;
    double cost = residuals.objective;
    /* What a row's tolerance is worth is no gain: of two such points the more precise one. */
    double gain = g->model->maximize ? cost - g->cost : g->cost - cost, noise = cost_noise(g, cost);
    bool cheaper = gain > noise || (gain >= -noise && residuals.primal < g->residual);
    bool better = g->found_by == NULL || (feasible && !g->feasible) ||
                  (feasible == g->feasible &&
                   (feasible ? cheaper : missed < g->violation || (missed <= g->violation && cheaper)));
    if (better) {
        memcpy(g->x, g->model_x, (size_t)g->model->n_cols * sizeof *g->x);
        g->found_by = by;
        g->feasible = feasible;
        g->cost = cost;
        g->violation = missed;
        g->residual = residuals.primal;
    }
    return feasible;
}

bool berth__general_offer_view(berth__general *g, const double *view_x, const char *by) {
    berth__split_to_model(g->split, view_x, g->model_x);
    return berth__general_offer(g, g->model_x, by);
}

bool berth__general_good_enough(const berth__general *g) {
    if (!g->feasible) {
        return false;
    }
    double bounds[] = {g->bound, g->node_bound};
    for (size_t k = 0; k < 2; k++) {
        double size = fmax(fabs(g->cost), fabs(bounds[k]));
        if (fabs(g->cost - bounds[k]) <= fmax(g->options->gap, BERTH__FEASIBILITY) * size) {
            return true;
        }
    }
    return false;
}
