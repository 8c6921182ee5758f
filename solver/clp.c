/* Clp behind the backend contract. LP only.
 *
 * Notes on Clp (1.17.6, C interface)
 *   - No event handler, and its time limit counts process CPU: hence the slices of dual simplex, each with an
 *     iteration limit of its own (Clp counts iterations from 0 in every call).
 *   - Costs above 1e25 abort the process and tolerances are absolute: costs are divided by their unit.
 *   - A maximisation is handed over as a minimisation of the negated costs, so duals have one sign convention.
 *   - Rays are valid after dual simplex only, in either sign: each is checked before it is offered.
 *   - Bounds beyond 1e27 are infinite to it. Row bounds may be written through the arrays between solves.
 *   - After presolve it has called feasible models infeasible: only an optimum is taken from a presolved solve.
 *     Its presolve of implied free columns and of doubletons leaks memory and stays off.
 *   - Its scaling multiplies columns without entries by 1e20 and is wrong about what comes of it, unbounded or
 *     infeasible: it never sees such columns' costs and bounds.
 *   - The dual simplex calls some infeasible models unbounded, and some unbounded ones optimal, far out or with a
 *     secondary status: the primal simplex decides.
 *   - Out of memory inside it ends the process: a C++ exception that no C caller can catch. */
#include <Clp_C_Interface.h>

#include <float.h>
#include <limits.h>
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "solver/verify.h"

/* Tightest and loosest tolerance asked for; the tightest is out of reach when bounds are large. */
#define TOLERANCE_LEAST 1e-9
#define TOLERANCE_MOST  1e-7
#define FAR_OUT         1e15

enum { CLP_OPTIMAL = 0, CLP_INFEASIBLE = 1, CLP_UNBOUNDED = 2, CLP_ITERATIONS = 3 };
enum { CLP_BASIC = 1, CLP_AT_UPPER = 2, CLP_AT_LOWER = 3, CLP_FREE = 0 };
enum { CLP_SCALING_OFF = 0, CLP_SCALING_AUTO = 3, CLP_DUAL_SIMPLEX = 0, CLP_PRESOLVE_ON = 0 };

typedef struct clp_state {
    const berth__model *model;
    Clp_Simplex *clp;
    Clp_Solve *presolving;      /* options of a presolved solve; made when first needed */
    unsigned char *slack_basis; /* [n_cols + n_rows]: every row basic */
    double cost_unit;           /* Clp's costs are the model's divided by this; negative for a maximisation */
    double largest_bound;
} clp_state;

static const char *version(void) {
    return Clp_Version();
}

static double to_clp(double bound) {
    return isinf(bound) ? copysign(DBL_MAX, bound) : bound;
}

static bool is_empty(const berth__model *model, int col) {
    return model->col_start[col] == model->col_start[col + 1];
}

static void note_bound(clp_state *state, double bound) {
    if (isfinite(bound) && fabs(bound) > state->largest_bound) {
        state->largest_bound = fabs(bound);
    }
}

/* ---- Loading ---- */

/* The arrays that Clp copies: column starts as its int, bounds and costs in its terms. */
typedef struct clp_arrays {
    int *start;
    double *col_lower, *col_upper, *cost, *row_lower, *row_upper;
} clp_arrays;

static void arrays_free(clp_arrays *arrays) {
    berth__free(arrays->start);
    berth__free(arrays->col_lower);
    berth__free(arrays->col_upper);
    berth__free(arrays->cost);
    berth__free(arrays->row_lower);
    berth__free(arrays->row_upper);
}

static bool arrays_new(const clp_state *state, clp_arrays *arrays) {
    const berth__model *model = state->model;
    size_t n = (size_t)model->n_cols, m = (size_t)model->n_rows;
    *arrays = (clp_arrays){.start = BERTH__NEW_ARRAY(int, n + 1),
                           .col_lower = BERTH__NEW_ARRAY(double, n),
                           .col_upper = BERTH__NEW_ARRAY(double, n),
                           .cost = BERTH__NEW_ARRAY(double, n),
                           .row_lower = BERTH__NEW_ARRAY(double, m),
                           .row_upper = BERTH__NEW_ARRAY(double, m)};
    if (arrays->start == NULL || arrays->col_lower == NULL || arrays->col_upper == NULL || arrays->cost == NULL ||
        arrays->row_lower == NULL || arrays->row_upper == NULL) {
        return false;
    }
    for (size_t j = 0; j < n; j++) {
        arrays->start[j + 1] = (int)model->col_start[j + 1];
        if (is_empty(model, (int)j)) {
            continue; /* fixed at 0, without a cost */
        }
        arrays->col_lower[j] = to_clp(model->col_lower[j]);
        arrays->col_upper[j] = to_clp(model->col_upper[j]);
        arrays->cost[j] = model->cost[j] / state->cost_unit;
    }
    for (size_t i = 0; i < m; i++) {
        arrays->row_lower[i] = to_clp(model->row_lower[i]);
        arrays->row_upper[i] = to_clp(model->row_upper[i]);
    }
    return true;
}

static void fill_slack_basis(clp_state *state) {
    const berth__model *model = state->model;
    for (int j = 0; j < model->n_cols; j++) {
        bool lower = isfinite(model->col_lower[j]) || is_empty(model, j), upper = isfinite(model->col_upper[j]);
        state->slack_basis[j] = lower ? CLP_AT_LOWER : upper ? CLP_AT_UPPER : CLP_FREE;
        note_bound(state, model->col_lower[j]);
        note_bound(state, model->col_upper[j]);
    }
    for (int i = 0; i < model->n_rows; i++) {
        state->slack_basis[model->n_cols + i] = CLP_BASIC;
        note_bound(state, model->row_lower[i]);
        note_bound(state, model->row_upper[i]);
    }
}

static void close(void *opaque) {
    clp_state *state = opaque;
    if (state == NULL) {
        return;
    }
    if (state->clp != NULL) {
        Clp_deleteModel(state->clp);
    }
    if (state->presolving != NULL) {
        ClpSolve_delete(state->presolving);
    }
    berth__free(state->slack_basis);
    berth__free(state);
}

static berth_status open(const berth__model *model, void **out, berth_error *error) {
    *out = NULL;
    if (model->n_entries > INT_MAX || model->n_cols > INT_MAX - model->n_rows) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "model", "too large for Clp's 32-bit indices");
    }
    berth_status status = BERTH_E_MEMORY;
    clp_arrays arrays = {0};
    clp_state *state = BERTH__NEW_ARRAY(clp_state, 1);
    if (state == NULL) {
        goto done;
    }
    state->model = model;
    state->cost_unit = (model->maximize ? -1 : 1) * berth__cost_unit(model);
    state->slack_basis = BERTH__NEW_ARRAY(unsigned char, (size_t)model->n_cols + (size_t)model->n_rows);
    if (state->slack_basis == NULL || !arrays_new(state, &arrays)) {
        goto done;
    }
    fill_slack_basis(state);
    state->clp = Clp_newModel();
    Clp_setLogLevel(state->clp, 0);
    Clp_loadProblem(state->clp, model->n_cols, model->n_rows, arrays.start, model->row_of, model->value,
                    arrays.col_lower, arrays.col_upper, arrays.cost, arrays.row_lower, arrays.row_upper);
    *out = state;
    state = NULL;
    status = BERTH_OK;
done:
    arrays_free(&arrays);
    close(state);
    return status == BERTH_OK ? status : berth__fail_memory(error);
}

static berth_status set_row_bounds(void *opaque, int row, double lower, double upper) {
    clp_state *state = opaque;
    Clp_rowLower(state->clp)[row] = to_clp(lower);
    Clp_rowUpper(state->clp)[row] = to_clp(upper);
    note_bound(state, lower);
    note_bound(state, upper);
    return BERTH_OK;
}

/* ---- Solving ---- */

static void presolved_solve(clp_state *state) {
    if (state->presolving == NULL) {
        state->presolving = ClpSolve_new();
        ClpSolve_setSolveType(state->presolving, CLP_DUAL_SIMPLEX, -1);
        ClpSolve_setPresolveType(state->presolving, CLP_PRESOLVE_ON, -1);
        ClpSolve_setDoImpliedFree(state->presolving, 0);
        ClpSolve_setDoDoubleton(state->presolving, 0);
    }
    Clp_initialSolveWithOptions(state->clp, state->presolving);
}

typedef void clp_method(clp_state *state);

static void dual(clp_state *state) {
    Clp_dual(state->clp, 0);
}

static void primal(clp_state *state) {
    Clp_primal(state->clp, 0);
}

/* A slice of a large model can take long: Clp looks at the clock too, which is that of the process, at the deadline or
 * before. Below 0: no limit. */
static double seconds_left(const berth__budget *budget) {
    bool limited = budget != NULL && budget->deadline_s < HUGE_VAL;
    return limited ? fmax(0.001, budget->deadline_s - berth__now_s()) : -1;
}

static berth_outcome slices(clp_state *state, clp_method *method, const berth__lp_options *options, long *iterations) {
    long granted = 0;
    while (granted < berth__most_iterations(state->model)) {
        int slice = berth__slice(granted);
        granted += slice;
        Clp_setMaximumIterations(state->clp, slice);
        Clp_setMaximumSeconds(state->clp, seconds_left(options->budget));
        method(state);
        *iterations += Clp_numberIterations(state->clp);
        switch (Clp_status(state->clp)) {
        case CLP_OPTIMAL:
            return BERTH_OPTIMAL;
        case CLP_INFEASIBLE:
            return BERTH_INFEASIBLE;
        case CLP_UNBOUNDED:
            return BERTH_UNBOUNDED;
        case CLP_ITERATIONS:
            break;
        default:
            return BERTH_NUMERIC;
        }
        if (berth__budget_spent(options->budget)) {
            return BERTH_LIMIT;
        }
    }
    return BERTH_NUMERIC;
}

/* Optimal, or unbounded if a column without entries has no best value. */
static berth_outcome copy_solution(const clp_state *state, berth__lp_result *result) {
    const double *x = Clp_getColSolution(state->clp), *dual = Clp_getRowPrice(state->clp);
    for (int j = 0; j < state->model->n_cols; j++) {
        result->x[j] = is_empty(state->model, j) ? berth__model_best_alone(state->model, j, false) : x[j];
        if (isinf(result->x[j])) {
            return BERTH_UNBOUNDED;
        }
    }
    for (int i = 0; i < state->model->n_rows; i++) {
        result->row_dual[i] = state->cost_unit * dual[i];
    }
    result->has_primal = result->has_dual = true;
    return BERTH_OPTIMAL;
}

/* Offers the ray if it proves infeasibility. */
static void copy_ray(const clp_state *state, berth__lp_result *result) {
    double *ray = Clp_infeasibilityRay(state->clp);
    if (ray == NULL) {
        return;
    }
    for (int sign = 1; sign >= -1 && !result->has_ray; sign -= 2) {
        for (int i = 0; i < state->model->n_rows; i++) {
            result->ray[i] = sign * ray[i];
        }
        result->has_ray = berth__verify_farkas(state->model, result->ray);
    }
    Clp_freeRay(state->clp, ray);
}

/* The dual simplex gives columns without bounds false ones, up to 1e20: an "optimum" out there is a ray. */
static bool is_far_out(const clp_state *state) {
    const double *x = Clp_getColSolution(state->clp);
    for (int j = 0; j < state->model->n_cols; j++) {
        if (fabs(x[j]) > FAR_OUT) {
            return true;
        }
    }
    return Clp_secondaryStatus(state->clp) != 0;
}

static berth_outcome run(clp_state *state, const berth__lp_options *options, bool warm, berth__lp_result *result) {
    if (!warm) {
        Clp_copyinStatus(state->clp, state->slack_basis);
    }
    if (!warm && options->presolve) {
        berth_outcome outcome = slices(state, presolved_solve, options, &result->iterations);
        if ((outcome == BERTH_OPTIMAL && !is_far_out(state)) || outcome == BERTH_LIMIT) {
            return outcome;
        }
        Clp_copyinStatus(state->clp, state->slack_basis);
    }
    berth_outcome outcome = slices(state, dual, options, &result->iterations);
    if (outcome == BERTH_INFEASIBLE) {
        copy_ray(state, result);
    }
    bool doubtful = outcome == BERTH_UNBOUNDED || (outcome == BERTH_INFEASIBLE && !result->has_ray) ||
                    (outcome == BERTH_OPTIMAL && is_far_out(state));
    if (doubtful) {
        Clp_copyinStatus(state->clp, state->slack_basis);
        outcome = slices(state, primal, options, &result->iterations);
    }
    return outcome;
}

static berth_status solve(void *opaque, const berth__lp_options *options, bool warm, berth__lp_result *result,
                          berth_error *error) {
    (void)error;
    clp_state *state = opaque;
    double tolerance = fmin(TOLERANCE_MOST, TOLERANCE_LEAST * fmax(1, state->largest_bound));
    Clp_setPrimalTolerance(state->clp, tolerance);
    Clp_setDualTolerance(state->clp, TOLERANCE_LEAST);
    Clp_scaling(state->clp, options->scaling ? CLP_SCALING_AUTO : CLP_SCALING_OFF);
    result->outcome = run(state, options, warm, result);
    if (result->outcome == BERTH_OPTIMAL) {
        result->outcome = copy_solution(state, result);
    }
    return BERTH_OK;
}

const berth_backend berth__clp_backend = {
    .name = "clp",
    .version = version,
    .abilities = BERTH__BACKEND_LP,
    .open = open,
    .set_row_bounds = set_row_bounds,
    .solve = solve,
    .close = close,
};
