#include <math.h>

#include "base/error.h"
#include "formulations/general/general.h"

static void take(berth__general *g, const berth__lp_result *result) {
    bool has_point = result->has_primal && (result->outcome == BERTH_OPTIMAL || result->outcome == BERTH_FEASIBLE);
    if (has_point) {
        berth__general_offer(g, result->x, "branch-and-bound");
    }
    g->solved = result->outcome == BERTH_OPTIMAL || result->outcome == BERTH_INFEASIBLE;
    g->stopped = g->stopped || result->outcome == BERTH_LIMIT || result->outcome == BERTH_FEASIBLE;
    if (isfinite(result->bound) && result->outcome != BERTH_NUMERIC) {
        /* Beyond the cost of a point by rounding error only: the front has looked at it. */
        g->node_bound = !g->feasible         ? result->bound
                        : g->model->maximize ? fmax(result->bound, g->cost)
                                             : fmin(result->bound, g->cost);
    }
    if (result->outcome == BERTH_UNBOUNDED || result->outcome == BERTH_INFEASIBLE) {
        g->relaxed = result->outcome;
    }
}

berth_status berth__general_branch(berth__general *g, const berth__budget *budget, berth_error *error) {
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    const char *name =
        berth__backend_find(g->options->backends, g->options->lp, BERTH__BACKEND_MIP) != NULL ? g->options->lp : "auto";
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.mip_gap = g->options->gap;
    options.budget = budget;
    options.incumbent = g->feasible ? g->x : NULL;
    berth_status status = berth__lp_open(g->model, g->options->backends, name, &lp, error);
    if (status == BERTH_OK) {
        status = berth__lp_solve(lp, &options, &result, error);
    }
    if (status == BERTH_OK) {
        take(g, result);
    }
    berth__lp_close(lp);
    return status;
}
