#include "formulations/cohort/relaxation.h"

#include <math.h>

#include "base/error.h"
#include "formulations/cohort/model.h"
#include "solver/solve.h"

static berth_status take_duals(berth__cohort_run *run, const berth__lp_result *result, double *value,
                               berth_error *error) {
    if (result->outcome == BERTH_INFEASIBLE) {
        *value = (double)INFINITY;
        return BERTH_OK;
    }
    if (result->outcome != BERTH_OPTIMAL || !result->has_dual) {
        return berth__budget_spent(run->limit)
                   ? BERTH_OK
                   : berth__fail(error, BERTH_E_NUMERIC, NULL, "the relaxation could not be solved");
    }
    double sum = 0;
    for (size_t c = 0; c < run->view->n_categories; c++) {
        sum += fmax(result->row_dual[c], 0) * run->view->need[c];
    }
    for (size_t c = 0; sum > 0 && c < run->view->n_categories; c++) {
        run->share[c] = fmax(result->row_dual[c], 0) * run->view->need[c] / sum;
    }
    *value = result->objective;
    return BERTH_OK;
}

berth_status berth__cohort_relax(berth__cohort_run *run, double deadline_s, double *value, berth_error *error) {
    berth__model *model = NULL;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options options;
    *value = (double)NAN;
    berth__lp_options_init(&options);
    options.budget = run->limit;
    berth_status status = berth__cohort_model(run->view, deadline_s, false, &model, error);
    if (status == BERTH_OK) {
        status = berth__lp_open(model, run->options->backends, run->options->solver, &lp, error);
    }
    if (status == BERTH_OK) {
        status = berth__lp_solve(lp, &options, &result, error);
    }
    if (status == BERTH_OK) {
        status = take_duals(run, result, value, error);
    }
    berth__lp_close(lp);
    berth__model_free(model);
    return status;
}

berth_status berth__cohort_relax_duration(berth__cohort_run *run, berth_error *error) {
    double value = (double)INFINITY;
    berth_status status = berth__cohort_pool_all(run, error);
    /* Newton's method again: the deadline up to which the prices refute, then prices at that deadline. */
    while (status == BERTH_OK && isfinite(run->bound_s) && run->bound_s <= run->deadline_s &&
           !berth__cohort_run_stopped(run)) {
        double before = run->bound_s;
        status = berth__cohort_relax(run, run->bound_s, &value, error);
        if (status == BERTH_OK && value > (double)run->budget) {
            berth__cohort_certify_shares(run, before);
        }
        if (!(run->bound_s > before)) {
            break;
        }
    }
    return status;
}

berth_status berth__cohort_relax_participants(berth__cohort_run *run, berth_error *error) {
    double value;
    berth_status status = berth__cohort_pool_all(run, error);
    status = status == BERTH_OK ? berth__cohort_relax(run, run->deadline_s, &value, error) : status;
    if (status == BERTH_OK) {
        berth__cohort_certify_participants(run);
    }
    return status;
}
