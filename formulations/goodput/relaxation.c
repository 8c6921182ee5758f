/* The relaxation by an LP backend: the slow twin of choice.h.
 *
 * Weights of powers like -20 are of any size, and backends tell costs apart within some seven digits. So weights count
 * from one of the job's, the best where they are negative, in units of about what the sum is made of, and none is below
 * a limit. Where the solution makes use of an option that was, the unit was too small, and a larger one is tried. The
 * prices prove what they prove, whatever they come from. Powers like 50 stay beyond that where the sum is far below the
 * largest weight: the bound is wider then than that of choice.h. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formulations/goodput/bound.h"
#include "solver/solve.h"

/* Weights in an LP are not further below 0. */
static const double most = 1e4;
static const double growth = 1e3;
enum { MOST_UNITS = 128 };
/* Relatively, of a sum with the weights that were cut off and one without. */
static const double precise = 1e-7;

/* What is solved, and in which terms. */
typedef struct terms {
    berth__allocate_run *run;
    bool serve;
    size_t starved;
    double unit;
    double promised, found; /* sums of the solution, by the weights as they were cut off, and as they are */
} terms;

/* Where a job's weights count from. */
static double reference(const berth__allocate_problem *p, const berth__allocate_job *job) {
    double best = job->options[0].weight;
    if (p->instance->p >= 0)
        return best;
    for (size_t k = 1; k < job->n_options; k++) {
        best = fmax(best, job->options[k].weight);
    }
    return best;
}

static double cost_of(const terms *t, const berth__allocate_option *o, double from) {
    if (t->serve)
        return o->gpus > 0;
    return fmax((o->weight - from) / t->unit, -most);
}

/* Columns: all options, job by job. Rows: types, starvation, jobs. */
static berth_status build(const terms *t, berth__model *model, berth_error *error) {
    const berth__allocate_problem *p = t->run->problem;
    berth_status status = BERTH_OK;
    model->maximize = true;
    for (size_t type = 0; !status && type < p->n_types; type++) {
        status = berth__model_add_row(model, NULL, -(double)INFINITY, (double)p->capacity[type], NULL, error);
    }
    const double limit = t->starved == SIZE_MAX ? (double)p->n_jobs : (double)t->starved;
    if (!status)
        status = berth__model_add_row(model, NULL, -(double)INFINITY, limit, NULL, error);
    for (size_t j = 0; !status && j < p->n_jobs; j++) {
        const double from = reference(p, &p->jobs[j]);
        int row = 0;
        status = berth__model_add_row(model, NULL, 1, 1, &row, error);
        for (size_t k = 0; !status && k < p->jobs[j].n_options; k++) {
            const berth__allocate_option *o = &p->jobs[j].options[k];
            int col = 0;
            status = berth__model_add_col(model, NULL, cost_of(t, o, from), 0, 1, false, &col, error);
            if (!status)
                status = berth__model_add_entry(model, row, col, 1, error);
            if (!status)
                status = berth__model_add_entry(model, (int)(o->gpus > 0 ? o->type : p->n_types), col,
                                                o->gpus > 0 ? o->gpus : 1, error);
        }
    }
    return status ? status : berth__model_finish(model, error);
}

static void take_choices(terms *t, const double *x) {
    const berth__allocate_problem *p = t->run->problem;
    size_t col = 0;
    t->promised = t->found = 0;
    for (size_t j = 0; j < p->n_jobs; j++) {
        const double from = reference(p, &p->jobs[j]);
        size_t largest = 0;
        for (size_t k = 0; k < p->jobs[j].n_options; k++) {
            const berth__allocate_option *o = &p->jobs[j].options[k];
            largest = x[col + k] > x[col + largest] ? k : largest;
            t->promised += x[col + k] * (from + t->unit * cost_of(t, o, from));
            t->found += x[col + k] * o->weight;
        }
        t->run->bound.wanted[j] = largest;
        t->run->bound.split[j] = x[col + largest] < 1 - 1e-6;
        col += p->jobs[j].n_options;
    }
}

static berth_status take(terms *t, const berth__lp_result *result, double *price, double *starve_price,
                         berth_error *error) {
    const size_t n_types = t->run->problem->n_types;
    if (!result->has_dual || !result->has_primal || result->outcome != BERTH_OPTIMAL) {
        if (berth__budget_spent(t->run->budget))
            return BERTH_OK;
        return berth__fail(error, BERTH_E_NUMERIC, NULL, "the relaxation could not be solved");
    }
    for (size_t type = 0; type < n_types; type++) {
        price[type] = fmax(result->row_dual[type], 0) * t->unit;
    }
    *starve_price = fmax(result->row_dual[n_types], 0) * t->unit;
    take_choices(t, result->x);
    return BERTH_OK;
}

static berth_status solve(terms *t, double *price, double *starve_price, berth_error *error) {
    const berth_allocate_options *options = t->run->problem->options;
    berth__model *model = NULL;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options lp_options;
    berth__lp_options_init(&lp_options);
    lp_options.budget = t->run->budget;
    berth_status status = berth__model_new(&model, error);
    if (!status)
        status = build(t, model, error);
    if (!status)
        status = berth__lp_open(model, options->backends, options->solver, &lp, error);
    if (!status)
        status = berth__lp_solve(lp, &lp_options, &result, error);
    if (!status)
        status = take(t, result, price, starve_price, error);
    berth__lp_close(lp);
    berth__model_free(model);
    return status;
}

/* About what the sum is made of: the best weights, or what jobs without GPUs weigh where there have to be some. */
static double first_unit(const berth__allocate_problem *p, bool starves) {
    double unit = starves ? fabs(p->none_weight) : 0;
    for (size_t j = 0; j < p->n_jobs; j++) {
        const double from = reference(p, &p->jobs[j]);
        for (size_t k = 0; p->instance->p >= 0 && k < p->jobs[j].n_options; k++) {
            unit = fmax(unit, p->jobs[j].options[k].weight - from);
        }
        unit = fmax(unit, p->instance->p < 0 ? -from : 0);
    }
    return unit > 0 ? unit : 1;
}

berth_status berth__allocate_relax_by(berth__allocate_run *run, bool serve, size_t starved, double *price,
                                      double *starve_price, berth_error *error) {
    const berth__allocate_problem *p = run->problem;
    terms t = {.run = run, .serve = serve, .starved = starved, .unit = 1};
    berth_status status = BERTH_OK;
    *starve_price = 0;
    if (p->n_jobs == 0)
        return BERTH_OK;
    if (serve)
        return solve(&t, price, starve_price, error);
    t.unit = first_unit(p, starved > 0 && starved != SIZE_MAX);
    status = solve(&t, price, starve_price, error);
    for (int k = 0; !status && k < MOST_UNITS && !berth__budget_spent(run->budget); k++) {
        if (fabs(t.found - t.promised) <= precise * fabs(t.found))
            break;
        t.unit *= growth;
        status = solve(&t, price, starve_price, error);
    }
    return status;
}
