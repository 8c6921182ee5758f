/* The relaxation by an LP backend: the slow twin of choice.h. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formulations/goodput/bound.h"
#include "solver/solve.h"

/* Columns: all options, job by job. Rows: types, starvation, jobs. */
static berth_status build(const berth__allocate_problem *p, bool serve, size_t starved, berth__model *model,
                          berth_error *error) {
    berth_status status = BERTH_OK;
    model->maximize = true;
    for (size_t t = 0; !status && t < p->n_types; t++) {
        status = berth__model_add_row(model, NULL, -(double)INFINITY, (double)p->capacity[t], NULL, error);
    }
    const double most = starved == SIZE_MAX ? (double)p->n_jobs : (double)starved;
    if (!status)
        status = berth__model_add_row(model, NULL, -(double)INFINITY, most, NULL, error);
    for (size_t j = 0; !status && j < p->n_jobs; j++) {
        int row = 0;
        status = berth__model_add_row(model, NULL, 1, 1, &row, error);
        for (size_t k = 0; !status && k < p->jobs[j].n_options; k++) {
            const berth__allocate_option *o = &p->jobs[j].options[k];
            int col = 0;
            const double weight = serve ? o->gpus > 0 : o->weight;
            status = berth__model_add_col(model, NULL, weight, 0, (double)INFINITY, false, &col, error);
            if (!status)
                status = berth__model_add_entry(model, row, col, 1, error);
            if (!status)
                status = berth__model_add_entry(model, (int)(o->gpus > 0 ? o->type : p->n_types), col,
                                                o->gpus > 0 ? o->gpus : 1, error);
        }
    }
    return status ? status : berth__model_finish(model, error);
}

static void take_choices(berth__allocate_run *run, const double *x) {
    const berth__allocate_problem *p = run->problem;
    size_t col = 0;
    for (size_t j = 0; j < p->n_jobs; j++) {
        size_t best = 0;
        for (size_t k = 1; k < p->jobs[j].n_options; k++) {
            best = x[col + k] > x[col + best] ? k : best;
        }
        run->bound.wanted[j] = best;
        run->bound.split[j] = x[col + best] < 1 - 1e-6;
        col += p->jobs[j].n_options;
    }
}

static berth_status take(berth__allocate_run *run, const berth__lp_result *result, double *price, double *starve_price,
                         berth_error *error) {
    const size_t n_types = run->problem->n_types;
    if (!result->has_dual || !result->has_primal || result->outcome != BERTH_OPTIMAL) {
        if (berth__budget_spent(run->budget))
            return BERTH_OK;
        return berth__fail(error, BERTH_E_NUMERIC, NULL, "the relaxation could not be solved");
    }
    for (size_t t = 0; t < n_types; t++) {
        price[t] = fmax(result->row_dual[t], 0);
    }
    *starve_price = fmax(result->row_dual[n_types], 0);
    take_choices(run, result->x);
    return BERTH_OK;
}

berth_status berth__allocate_relax_by(berth__allocate_run *run, bool serve, size_t starved, double *price,
                                      double *starve_price, berth_error *error) {
    const berth_allocate_options *options = run->problem->options;
    berth__model *model = NULL;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options lp_options;
    berth__lp_options_init(&lp_options);
    lp_options.budget = run->budget;
    *starve_price = 0;
    if (run->problem->n_jobs == 0)
        return BERTH_OK;
    berth_status status = berth__model_new(&model, error);
    if (!status)
        status = build(run->problem, serve, starved, model, error);
    if (!status)
        status = berth__lp_open(model, options->backends, options->solver, &lp, error);
    if (!status)
        status = berth__lp_solve(lp, &lp_options, &result, error);
    if (!status)
        status = take(run, result, price, starve_price, error);
    berth__lp_close(lp);
    berth__model_free(model);
    return status;
}
