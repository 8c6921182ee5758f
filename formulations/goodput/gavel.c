/* Gavel: Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads", OSDI 2020,
 * its policy of the largest sum of normalised throughputs (max-sum):
 *
 *     max sum_jt v_jt x_jt   s.t.  sum_t x_jt <= 1 for each job,  sum_j g_j x_jt <= capacity_t for each type,  x >= 0
 *
 * where x_jt is the share of time that job j spends on type t, g_j what it asks for and v_jt its value on that many
 * GPUs of the type. A round serves (job, type) pairs by descending share, of equal ones those of more value first; a
 * job that does not get all that it asks for gets none. */
#include "formulations/goodput/baselines.h"

#include <stdlib.h>

#include "base/error.h"
#include "solver/solve.h"

typedef struct share {
    size_t job, type;
    uint32_t gpus;
    double value, part; /* v, x */
} share;

/* All pairs that can be. */
static size_t list_shares(const berth__allocate_problem *problem, share *shares) {
    size_t n = 0;
    for (size_t job = 0; job < problem->n_jobs; job++) {
        const uint32_t gpus = berth__baseline_request(problem, job);
        for (size_t type = 0; type < problem->n_types && !problem->jobs[job].pinned; type++) {
            const uint32_t largest = problem->largest[type];
            if (gpus > problem->capacity[type]) {
                continue;
            }
            const size_t nodes = (gpus + (size_t)largest - 1) / largest;
            const berth__allocate_option *option = berth__allocate_find(problem, job, type, nodes, gpus);
            if (option != NULL && option->value > 0) {
                shares[n++] = (share){.job = job, .type = type, .gpus = gpus, .value = option->value};
            }
        }
    }
    return n;
}

/* Rows: types, then jobs. */
static berth_status add_rows(const berth__allocate_problem *problem, berth__model *model, berth_error *error) {
    berth_status status = BERTH_OK;
    for (size_t type = 0; status == BERTH_OK && type < problem->n_types; type++) {
        double room = (double)problem->capacity[type];
        for (size_t job = 0; job < problem->n_jobs; job++) {
            const berth__allocate_job *j = &problem->jobs[job];
            room -= j->pinned && j->current_type == type ? j->current_gpus : 0;
        }
        status = berth__model_add_row(model, NULL, (double)-INFINITY, room, NULL, error);
    }
    for (size_t job = 0; status == BERTH_OK && job < problem->n_jobs; job++) {
        status = berth__model_add_row(model, NULL, (double)-INFINITY, 1, NULL, error);
    }
    return status;
}

static berth_status build(const berth__allocate_problem *problem, const share *shares, size_t n, berth__model *model,
                          berth_error *error) {
    berth_status status = add_rows(problem, model, error);
    model->maximize = true;
    for (size_t k = 0; status == BERTH_OK && k < n; k++) {
        int col = 0;
        status = berth__model_add_col(model, NULL, shares[k].value, 0, 1, false, &col, error);
        if (status == BERTH_OK) {
            status = berth__model_add_entry(model, (int)shares[k].type, col, shares[k].gpus, error);
        }
        if (status == BERTH_OK) {
            status = berth__model_add_entry(model, (int)(problem->n_types + shares[k].job), col, 1, error);
        }
    }
    return status == BERTH_OK ? berth__model_finish(model, error) : status;
}

static berth_status solve(const berth__allocate_run *run, share *shares, size_t n, berth_error *error) {
    berth__model *model = NULL;
    berth__lp *lp = NULL;
    berth__lp_options options;
    const berth__lp_result *result = NULL;
    berth__lp_options_init(&options);
    options.budget = run->budget;
    berth_status status = berth__model_new(&model, error);
    if (status == BERTH_OK) {
        status = build(run->problem, shares, n, model, error);
    }
    if (status == BERTH_OK) {
        status = berth__lp_open(model, run->problem->options->backends, run->problem->options->solver, &lp, error);
    }
    if (status == BERTH_OK) {
        status = berth__lp_solve(lp, &options, &result, error);
    }
    for (size_t k = 0; status == BERTH_OK && result->has_primal && k < n; k++) {
        shares[k].part = result->x[k];
    }
    berth__lp_close(lp);
    berth__model_free(model);
    return status;
}

static int by_share(const void *a, const void *b) {
    const share *x = a, *y = b;
    if (x->part > y->part || x->part < y->part) {
        return x->part > y->part ? -1 : 1;
    }
    if (x->value > y->value || x->value < y->value) {
        return x->value > y->value ? -1 : 1;
    }
    return x->job != y->job ? (x->job > y->job) - (x->job < y->job) : (x->type > y->type) - (x->type < y->type);
}

static void serve(berth__placement *placement, const share *shares, size_t n) {
    const berth__allocate_problem *problem = placement->problem;
    for (size_t k = 0; k < n; k++) {
        const share *s = &shares[k];
        const berth__allocate_job *job = &problem->jobs[s->job];
        if (placement->holding[s->job].n > 0) {
            continue;
        }
        const bool stays = job->current_gpus == s->gpus && job->current_type == s->type;
        if (!stays || !berth__baseline_keep(placement, s->job)) {
            berth__baseline_place_on(placement, s->job, s->type, s->gpus);
        }
    }
}

berth_status berth__allocate_gavel(berth__allocate_run *run, berth_error *error) {
    const berth__allocate_problem *problem = run->problem;
    berth__placement placement = {0};
    share *shares = problem->n_types <= SIZE_MAX / (problem->n_jobs + 1)
                        ? BERTH__NEW_ARRAY(share, problem->n_types * problem->n_jobs)
                        : NULL;
    berth_status status = berth__baseline_open(run, &placement, error);
    if (status == BERTH_OK && shares == NULL) {
        status = berth__fail_memory(error);
    }
    if (status == BERTH_OK) {
        const size_t n = list_shares(problem, shares);
        status = n > 0 ? solve(run, shares, n, error) : BERTH_OK;
        if (status == BERTH_OK) {
            qsort(shares, n, sizeof *shares, by_share);
            serve(&placement, shares, n);
            berth__allocate_offer(run, &placement);
        }
    }
    berth__placement_close(&placement);
    berth__free(shares);
    return status;
}
