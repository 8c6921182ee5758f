/* Sia: Jayaram Subramanya et al., "Sia: Heterogeneity-aware, goodput-optimized ML-cluster scheduling", SOSP 2023: one
 * option for each job by an integer programme with a row of capacity for each GPU type,
 *
 *     max sum_jc w_jc x_jc   s.t.  sum_c x_jc = 1 for each job,  sum_jc g_c x_jc <= capacity_t,  x binary,
 *
 * then placement: first who keeps what it has, then the largest options; what finds no place gets the next smaller one
 * that does. The options are those of the instance's rules. */
#include "formulations/goodput/baselines.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "solver/solve.h"

enum { MOST_NODES = 1000 }; /* of the search: what is left to gain by then is little */

typedef struct pick {
    size_t job;
    const berth__allocate_option *option;
} pick;

/* Rows: types, then jobs. The columns are the options, job by job. */
static berth_status build(const berth__allocate_problem *problem, berth__model *model, berth_error *error) {
    berth_status status = BERTH_OK;
    model->maximize = true;
    for (size_t type = 0; status == BERTH_OK && type < problem->n_types; type++) {
        status = berth__model_add_row(model, NULL, (double)-INFINITY, (double)problem->capacity[type], NULL, error);
    }
    for (size_t job = 0; status == BERTH_OK && job < problem->n_jobs; job++) {
        const berth__allocate_job *j = &problem->jobs[job];
        int row = 0;
        status = berth__model_add_row(model, NULL, 1, 1, &row, error);
        for (size_t c = 0; status == BERTH_OK && c < j->n_options; c++) {
            const berth__allocate_option *option = &j->options[c];
            int col = 0;
            status = berth__model_add_col(model, NULL, option->weight, 0, 1, true, &col, error);
            if (status == BERTH_OK) {
                status = berth__model_add_entry(model, row, col, 1, error);
            }
            if (status == BERTH_OK && option->gpus > 0) {
                status = berth__model_add_entry(model, (int)option->type, col, option->gpus, error);
            }
        }
    }
    return status == BERTH_OK ? berth__model_finish(model, error) : status;
}

/* What the programme picks; without a solution nothing. */
static size_t list_picks(const berth__allocate_problem *problem, const berth__lp_result *result, pick *picks) {
    size_t n = 0, col = 0;
    for (size_t job = 0; job < problem->n_jobs; job++) {
        const berth__allocate_job *j = &problem->jobs[job];
        for (size_t c = 0; c < j->n_options; c++, col++) {
            if (result->has_primal && result->x[col] > 0.5 && j->options[c].gpus > 0 && !j->pinned) {
                picks[n++] = (pick){.job = job, .option = &j->options[c]};
            }
        }
    }
    return n;
}

static berth_status solve(berth__allocate_run *run, pick *picks, size_t *n, berth_error *error) {
    const berth__allocate_problem *problem = run->problem;
    berth__model *model = NULL;
    berth__lp *lp = NULL;
    berth__lp_options options;
    const berth__lp_result *result = NULL;
    berth__lp_options_init(&options);
    options.budget = run->budget;
    options.integers = true;
    options.most_nodes = MOST_NODES;
    berth_status status = berth__model_new(&model, error);
    if (status == BERTH_OK) {
        status = build(problem, model, error);
    }
    if (status == BERTH_OK) {
        status = berth__lp_open(model, problem->options->backends, "auto", &lp, error);
    }
    if (status == BERTH_OK) {
        status = berth__lp_solve(lp, &options, &result, error);
    }
    if (status == BERTH_OK && result->outcome == BERTH_NUMERIC) {
        status = berth__fail(error, BERTH_E_NUMERIC, "allocator", "no solver gives a solution that holds");
    }
    if (status == BERTH_OK) {
        *n = list_picks(problem, result, picks);
        if (isfinite(result->bound) && !problem->options->starve_last) {
            run->bound.search = berth__allocate_fitness(problem, result->bound);
        }
    }
    berth__lp_close(lp);
    berth__model_free(model);
    return status;
}

/* Who keeps first, then by descending GPUs. */
static int by_size(const void *a, const void *b) {
    const pick *x = a, *y = b;
    if (x->option->keep != y->option->keep) {
        return x->option->keep ? -1 : 1;
    }
    if (x->option->gpus != y->option->gpus) {
        return x->option->gpus > y->option->gpus ? -1 : 1;
    }
    return (x->job > y->job) - (x->job < y->job);
}

/* The largest option of the same type below another; NULL: none. */
static const berth__allocate_option *next_smaller(const berth__allocate_job *job,
                                                  const berth__allocate_option *option) {
    const berth__allocate_option *best = NULL;
    for (size_t c = job->first; c < job->n_options; c++) {
        const berth__allocate_option *other = &job->options[c];
        const bool smaller = other->type == option->type && other->gpus < option->gpus;
        if (smaller && (best == NULL || other->gpus > best->gpus)) {
            best = other;
        }
    }
    return best;
}

static void place(berth__placement *placement, pick *picks, size_t n) {
    qsort(picks, n, sizeof *picks, by_size);
    for (size_t k = 0; k < n; k++) {
        const berth__allocate_option *option = picks[k].option;
        while (option != NULL && !berth__placement_choose(placement, picks[k].job, option)) {
            option = next_smaller(&placement->problem->jobs[picks[k].job], option);
        }
    }
}

berth_status berth__allocate_sia(berth__allocate_run *run, berth_error *error) {
    berth__placement placement = {0};
    pick *picks = BERTH__NEW_ARRAY(pick, run->problem->n_jobs);
    berth_status status = berth__baseline_open(run, &placement, error);
    if (status == BERTH_OK && picks == NULL) {
        status = berth__fail_memory(error);
    }
    if (status == BERTH_OK) {
        size_t n = 0;
        status = solve(run, picks, &n, error);
        if (status == BERTH_OK) {
            place(&placement, picks, n);
            berth__allocate_offer(run, &placement);
        }
    }
    berth__placement_close(&placement);
    berth__free(picks);
    return status;
}
