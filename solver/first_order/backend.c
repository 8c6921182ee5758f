/* The first-order solver behind the backend contract. Nothing is kept between solves. */
#include <berth.h>

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "solver/backend.h"
#include "solver/first_order/run.h"
#include "solver/verify.h"

/* Models with less work a pass are done before another thread has woken up. */
static const size_t parallel_entries = 100000;

typedef struct fo_state {
    const berth__model *model;
} fo_state;

static const char *version(void) {
    return berth_version();
}

static void close(void *opaque) {
    berth__free(opaque);
}

static berth_status open(const berth__model *model, void **out, berth_error *error) {
    *out = NULL;
    const char *why_not = berth__fo_refusal(model);
    if (why_not != NULL) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "model", "no packing or covering programme: %s", why_not);
    }
    fo_state *state = BERTH__NEW_ARRAY(fo_state, 1);
    if (state == NULL) {
        return berth__fail_memory(error);
    }
    state->model = model;
    *out = state;
    return BERTH_OK;
}

static berth_status set_row_bounds(void *opaque, int row, double lower, double upper) {
    (void)opaque; /* read from the model at each solve */
    (void)row;
    (void)lower;
    (void)upper;
    return BERTH_OK;
}

/* The row that nothing satisfies is its own proof. */
static void report_impossible_row(const berth__fo_form *form, berth__lp_result *result) {
    int row = form->impossible_row;
    berth__row_view view = berth__model_view_row(form->model, row);
    memset(result->ray, 0, (size_t)form->n_rows * sizeof(double));
    result->ray[row] = view.packing < 0 ? -view.sign : view.sign;
    result->has_ray = berth__verify_farkas(form->model, result->ray);
    result->outcome = result->has_ray ? BERTH_INFEASIBLE : BERTH_NUMERIC;
}

static void report(const berth__fo_check *check, berth_outcome outcome, double gap, berth__lp_result *result) {
    const berth__fo_form *form = check->form;
    const berth__model *model = form->model;
    result->outcome = outcome;
    if (outcome == BERTH_INFEASIBLE) {
        memcpy(result->ray, check->ray, (size_t)form->n_rows * sizeof(double));
        result->has_ray = true;
        return;
    }
    bool exact = berth__fo_check_gap(check) <= gap || isinf(check->within.cost);
    const berth__fo_point *point = exact ? &check->exact : &check->within;
    if (isfinite(point->cost)) {
        berth__fo_model_x(form, point->x, result->x);
        result->has_primal = true;
        result->objective = form->sense * (point->cost + form->constant) + model->offset;
    }
    if (isfinite(check->lower)) {
        berth_proof proof;
        berth__fo_model_dual(form, check->y, result->row_dual);
        berth__lagrangian_bound(model, &form->implied, result->row_dual, &result->bound, &proof);
        result->has_dual = true;
    }
    if (outcome == BERTH_APPROXIMATE && berth__fo_check_gap(check) <= BERTH__LP_FEASIBILITY) {
        result->outcome = BERTH_OPTIMAL;
    }
}

static int threads_for(const berth__model *model, int asked) {
    return model->n_entries < parallel_entries ? 1 : asked > 0 ? asked : omp_get_num_procs();
}

static berth_status run(const berth__fo_form *form, const berth__lp_options *options, berth__lp_result *result,
                        berth_error *error) {
    double gap = options->lp_gap > 0 ? options->lp_gap : BERTH__LP_GAP;
    int threads = threads_for(form->model, options->threads);
    berth__team *team = berth__team_new(threads);
    berth__fo_check check = {0};
    berth__fo_counts counts;
    berth_outcome outcome;
    bool good = team != NULL && berth__fo_check_init(form, team, gap, &check) &&
                berth__fo_run(&check, gap, options->budget, &outcome, &counts) == BERTH_OK;
    if (good) {
        result->iterations = counts.iteration.passes;
        report(&check, outcome, gap, result);
    }
    berth__fo_check_clear(&check);
    berth__team_free(team);
    return good ? BERTH_OK : berth__fail_memory(error);
}

static berth_status solve(void *opaque, const berth__lp_options *options, bool warm, berth__lp_result *result,
                          berth_error *error) {
    (void)warm;
    const fo_state *state = opaque;
    berth__fo_form form;
    berth_status status = berth__fo_form_init(state->model, &form, error);
    if (status == BERTH_OK && form.impossible_row >= 0) {
        report_impossible_row(&form, result);
    } else if (status == BERTH_OK) {
        status = run(&form, options, result, error);
    }
    berth__fo_form_clear(&form);
    return status;
}

const berth_backend berth__first_order_backend = {
    .name = "first-order",
    .version = version,
    .abilities = BERTH__BACKEND_APPROXIMATE,
    .open = open,
    .set_row_bounds = set_row_bounds,
    .solve = solve,
    .close = close,
};
