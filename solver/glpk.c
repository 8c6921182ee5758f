/* GLPK behind the backend contract: LP and MIP; glpk_read.c has its readers. As libberth_glpk is a library of its own,
 * they use nothing of libberth but headers.
 *
 * Notes on GLPK (5.0); what it does on errors is in glpk_guard.h
 *   - No GLPK object outlives a call, as an error kills them all: each solve loads the model anew and carries the
 *     basis over as plain data.
 *   - Presolving inside glp_simplex cannot be resumed after an iteration limit and leaves UNDEF for an
 *     infeasible model. Here it is done apart; only an optimum is taken from it, anything else is decided on
 *     the model itself.
 *   - The dual simplex stops at "no dual feasible solution"; the primal then tells infeasible from unbounded.
 *   - The integer presolver has called infeasible models optimal (5.0: max -8 x - 5 y, 5 x + 2 y in [-4, -3],
 *     -1 <= x <= 2, 0 <= y <= 2, gives 0). A wrong optimum of a MIP cannot be noticed from outside, so it stays
 *     off, and so do the cuts. */
#define _POSIX_C_SOURCE 200809L
#include <glpk.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "solver/backend.h"
#include "solver/glpk_guard.h"
#include "solver/glpk_read.h"

#define TOLERANCE         1e-9
#define LOOSE_TOLERANCE   1e-8
#define INTEGER_TOLERANCE 1e-8
/* A bound of an integer column this close to an integer is that integer. */
#define INTEGER_BOUND_SLACK 1e-9

typedef struct glpk_state {
    const berth__model *model;
    double *row_lower, *row_upper; /* [n_rows] in force */
    int *row, *col;                /* [1 + n_entries] the matrix as GLPK takes it, from 1 */
    double *value;
    int *row_status, *col_status; /* [n_rows], [n_cols] the last basis */
    double *work;                 /* [1 + n_rows] */
    bool has_basis;
    double cost_unit;
} glpk_state;

/* What one solve works with. */
typedef struct glpk_run {
    glpk_state *state;
    const berth__lp_options *options;
    berth__lp_result *result;
    glp_prob *problem;
    bool warm;
    double node_bound; /* in GLPK's costs */
    bool offered;      /* the caller's incumbent, to the search */
} glpk_run;

static const char *version(void) {
    return glp_version();
}

/* ---- Budget: base/budget.h without its object file ---- */

static double budget_left_s(const berth__budget *budget) {
    if (budget == NULL || !(budget->deadline_s < (double)INFINITY)) {
        return (double)INFINITY;
    }
    struct timespec now; /* the clock of berth__now_s */
    clock_gettime(CLOCK_MONOTONIC, &now);
    return fmax(0, budget->deadline_s - ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec));
}

static bool budget_spent(const berth__budget *budget) {
    if (budget == NULL) {
        return false;
    }
    const berth_hooks *hooks = budget->hooks;
    if (hooks != NULL && hooks->cancel != NULL && hooks->cancel(hooks->user)) {
        return true;
    }
    return budget_left_s(budget) <= 0;
}

/* In GLPK's milliseconds. */
static int budget_left_ms(const berth__budget *budget) {
    double left_ms = ceil(1000 * budget_left_s(budget));
    return left_ms < INT_MAX ? (int)left_ms : INT_MAX;
}

/* ---- Opening ---- */

static void close(void *opaque) {
    glpk_state *state = opaque;
    if (state == NULL) {
        return;
    }
    free(state->row_lower);
    free(state->row_upper);
    free(state->row);
    free(state->col);
    free(state->value);
    free(state->row_status);
    free(state->col_status);
    free(state->work);
    free(state);
}

static berth_status fail(berth_error *error, berth_status status, const char *message) {
    if (error != NULL) {
        memset(error, 0, sizeof *error);
        error->status = status;
        snprintf(error->where, sizeof error->where, "glpk");
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

static void fill_triplets(glpk_state *state) {
    const berth__model *model = state->model;
    for (int j = 0; j < model->n_cols; j++) {
        for (size_t e = model->col_start[j]; e < model->col_start[j + 1]; e++) {
            state->row[e + 1] = model->row_of[e] + 1;
            state->col[e + 1] = j + 1;
            state->value[e + 1] = model->value[e];
        }
    }
}

static berth_status open(const berth__model *model, void **out, berth_error *error) {
    *out = NULL;
    if (model->n_entries > 500000000 || model->n_rows > 100000000 || model->n_cols > 100000000) {
        return fail(error, BERTH_E_UNSUPPORTED, "the model is larger than GLPK takes");
    }
    size_t m = (size_t)model->n_rows, n = (size_t)model->n_cols, n_entries = model->n_entries;
    glpk_state *state = calloc(1, sizeof *state);
    if (state == NULL) {
        return fail(error, BERTH_E_MEMORY, "out of memory");
    }
    state->model = model;
    state->cost_unit = berth__cost_unit(model);
    state->row_lower = calloc(m + 1, sizeof(double));
    state->row_upper = calloc(m + 1, sizeof(double));
    state->row = calloc(n_entries + 1, sizeof(int));
    state->col = calloc(n_entries + 1, sizeof(int));
    state->value = calloc(n_entries + 1, sizeof(double));
    state->row_status = calloc(m + 1, sizeof(int));
    state->col_status = calloc(n + 1, sizeof(int));
    state->work = calloc(m + 1, sizeof(double));
    if (state->row_lower == NULL || state->row_upper == NULL || state->row == NULL || state->col == NULL ||
        state->value == NULL || state->row_status == NULL || state->col_status == NULL || state->work == NULL) {
        close(state);
        return fail(error, BERTH_E_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < m; i++) {
        state->row_lower[i] = model->row_lower[i];
        state->row_upper[i] = model->row_upper[i];
    }
    fill_triplets(state);
    *out = state;
    return BERTH_OK;
}

static berth_status set_row_bounds(void *opaque, int row, double lower, double upper) {
    glpk_state *state = opaque;
    state->row_lower[row] = lower;
    state->row_upper[row] = upper;
    return BERTH_OK;
}

/* ---- Loading ---- */

static int bound_type(double lower, double upper) {
    if (isinf(lower)) {
        return isinf(upper) ? GLP_FR : GLP_UP;
    }
    if (isinf(upper)) {
        return GLP_LO;
    }
    return lower < upper ? GLP_DB : GLP_FX;
}

/* False: an integer column has no integer within its bounds. */
static bool load_cols(const glpk_run *run) {
    const glpk_state *state = run->state;
    const berth__model *model = state->model;
    for (int j = 0; j < model->n_cols; j++) {
        double lower = model->col_lower[j], upper = model->col_upper[j];
        if (run->options->integers && model->is_integer[j]) {
            lower = ceil(lower - INTEGER_BOUND_SLACK);
            upper = floor(upper + INTEGER_BOUND_SLACK);
            if (lower > upper) {
                return false;
            }
            glp_set_col_kind(run->problem, j + 1, GLP_IV);
        }
        glp_set_col_bnds(run->problem, j + 1, bound_type(lower, upper), lower, upper);
        glp_set_obj_coef(run->problem, j + 1, model->cost[j] / state->cost_unit);
    }
    glp_set_obj_coef(run->problem, 0, model->offset / state->cost_unit); /* gaps are relative to the whole */
    return true;
}

static bool load(glpk_run *run) {
    const glpk_state *state = run->state;
    const berth__model *model = state->model;
    run->problem = glp_create_prob();
    glp_set_obj_dir(run->problem, model->maximize ? GLP_MAX : GLP_MIN);
    glp_add_rows(run->problem, model->n_rows);
    glp_add_cols(run->problem, model->n_cols);
    for (int i = 0; i < model->n_rows; i++) {
        double lower = state->row_lower[i], upper = state->row_upper[i];
        glp_set_row_bnds(run->problem, i + 1, bound_type(lower, upper), lower, upper);
    }
    glp_load_matrix(run->problem, (int)model->n_entries, state->row, state->col, state->value);
    return load_cols(run);
}

static void load_basis(const glpk_run *run) {
    const glpk_state *state = run->state;
    for (int i = 0; i < state->model->n_rows; i++) {
        glp_set_row_stat(run->problem, i + 1, state->row_status[i]);
    }
    for (int j = 0; j < state->model->n_cols; j++) {
        glp_set_col_stat(run->problem, j + 1, state->col_status[j]);
    }
}

static void save_basis(const glpk_run *run) {
    glpk_state *state = run->state;
    for (int i = 0; i < state->model->n_rows; i++) {
        state->row_status[i] = glp_get_row_stat(run->problem, i + 1);
    }
    for (int j = 0; j < state->model->n_cols; j++) {
        state->col_status[j] = glp_get_col_stat(run->problem, j + 1);
    }
    state->has_basis = true;
}

/* ---- LP ---- */

/* After so many iterations it has likely been cycling, as all methods do where rows are equal but for some 1e-9: then
 * from scratch, with a tolerance above that. */
static long patience(const berth__model *model) {
    return 10000 + 50 * ((long)model->n_rows + model->n_cols);
}

/* Simplex in slices until it says something. */
static berth_outcome slices(const glpk_run *run, glp_prob *problem, int method) {
    glp_smcp parameters;
    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.meth = method;
    parameters.tol_bnd = parameters.tol_dj = TOLERANCE;
    long granted = 0;
    while (granted < berth__most_iterations(run->state->model)) {
        if (granted >= patience(run->state->model) && parameters.tol_bnd < LOOSE_TOLERANCE) {
            parameters.tol_bnd = parameters.tol_dj = LOOSE_TOLERANCE;
            glp_std_basis(problem);
        }
        parameters.it_lim = berth__slice(granted);
        granted += parameters.it_lim;
        parameters.tm_lim = budget_left_ms(run->options->budget);
        int before = glp_get_it_cnt(problem);
        int code = glp_simplex(problem, &parameters);
        run->result->iterations += glp_get_it_cnt(problem) - before;
        if (code == GLP_EITLIM || code == GLP_ETMLIM) {
            if (budget_spent(run->options->budget)) {
                return BERTH_LIMIT;
            }
            continue;
        }
        if (code != 0) {
            return BERTH_NUMERIC;
        }
        switch (glp_get_status(problem)) {
        case GLP_OPT:
            return BERTH_OPTIMAL;
        case GLP_NOFEAS:
            return BERTH_INFEASIBLE;
        case GLP_UNBND:
            return BERTH_UNBOUNDED;
        default:
            return BERTH_NUMERIC;
        }
    }
    return BERTH_NUMERIC;
}

/* An optimum by way of the presolver, in run->problem; false: nothing was learnt, except on a limit. */
static bool presolved_optimum(const glpk_run *run, berth_outcome *outcome) {
    glp_prep *presolver = glp_npp_alloc_wksp();
    glp_npp_load_prob(presolver, run->problem, GLP_SOL, GLP_OFF);
    *outcome = BERTH_NUMERIC;
    if (glp_npp_preprocess1(presolver, GLP_OFF) == 0) {
        glp_prob *reduced = glp_create_prob();
        glp_npp_build_prob(presolver, reduced);
        if (run->options->scaling) {
            glp_scale_prob(reduced, GLP_SF_AUTO);
        }
        *outcome = slices(run, reduced, GLP_DUALP);
        if (*outcome == BERTH_OPTIMAL) {
            glp_npp_postprocess(presolver, reduced);
            glp_npp_obtain_sol(presolver, run->problem);
        }
        glp_delete_prob(reduced);
    }
    glp_npp_free_wksp(presolver);
    return *outcome == BERTH_OPTIMAL || *outcome == BERTH_LIMIT;
}

static berth_outcome solve_relaxation(const glpk_run *run) {
    berth_outcome outcome;
    bool warm = run->warm && run->state->has_basis;
    if (!warm && run->options->presolve && presolved_optimum(run, &outcome)) {
        return outcome;
    }
    if (run->options->scaling) {
        glp_scale_prob(run->problem, GLP_SF_AUTO);
    }
    if (warm) {
        load_basis(run);
    }
    outcome = slices(run, run->problem, GLP_DUALP);
    if (outcome == BERTH_NUMERIC) {
        /* No dual feasible solution, or a basis that no longer factorises. */
        glp_std_basis(run->problem);
        outcome = slices(run, run->problem, GLP_PRIMAL);
    }
    return outcome;
}

/* The row of the basis inverse of the basic variable that the dual simplex could not bring within its bounds:
 * a combination of the rows in which every other basic variable vanishes. */
static void copy_ray(const glpk_run *run) {
    glp_prob *problem = run->problem;
    int m = run->state->model->n_rows;
    int blocked = glp_get_unbnd_ray(problem);
    if (blocked == 0 || !(glp_bf_exists(problem) || glp_factorize(problem) == 0)) {
        return;
    }
    bool is_row = blocked <= m;
    int index = is_row ? blocked : blocked - m;
    int position = is_row ? glp_get_row_bind(problem, index) : glp_get_col_bind(problem, index);
    if (position == 0) {
        return;
    }
    double value = is_row ? glp_get_row_prim(problem, index) : glp_get_col_prim(problem, index);
    double lower = is_row ? glp_get_row_lb(problem, index) : glp_get_col_lb(problem, index);
    double sign = value < lower ? 1 : -1;
    double *work = run->state->work;
    memset(work, 0, ((size_t)m + 1) * sizeof *work);
    work[position] = 1;
    glp_btran(problem, work);
    for (int i = 0; i < m; i++) {
        run->result->ray[i] = sign * work[i + 1];
    }
    run->result->has_ray = true;
}

static void copy_lp(const glpk_run *run) {
    for (int j = 0; j < run->state->model->n_cols; j++) {
        run->result->x[j] = glp_get_col_prim(run->problem, j + 1);
    }
    for (int i = 0; i < run->state->model->n_rows; i++) {
        run->result->row_dual[i] = run->state->cost_unit * glp_get_row_dual(run->problem, i + 1);
    }
    run->result->has_primal = run->result->has_dual = true;
}

/* ---- MIP ---- */

/* Hands GLPK the incumbent that the caller has: it only looks for better ones then. Tried once. */
static void offer_incumbent(glpk_run *run, glp_tree *tree) {
    const double *x = run->options->incumbent;
    int n = run->state->model->n_cols;
    double *from_1 = x == NULL ? NULL : calloc((size_t)n + 1, sizeof *from_1);
    if (from_1 != NULL) {
        memcpy(from_1 + 1, x, (size_t)n * sizeof *x);
        glp_ios_heur_sol(tree, from_1);
        free(from_1);
    }
    run->offered = true;
}

static void at_node(glp_tree *tree, void *info) {
    glpk_run *run = info;
    if (!run->offered && glp_ios_reason(tree) == GLP_IHEUR) {
        offer_incumbent(run, tree);
    }
    int best = glp_ios_best_node(tree), total;
    if (best != 0) {
        double bound = glp_ios_node_bound(tree, best);
        bool better = run->state->model->maximize ? bound < run->node_bound : bound > run->node_bound;
        if (better) {
            run->node_bound = bound;
        }
    }
    glp_ios_tree_size(tree, NULL, NULL, &total);
    run->result->nodes = total;
    bool enough = run->options->most_nodes > 0 && total > run->options->most_nodes;
    if (enough || budget_spent(run->options->budget)) {
        glp_ios_terminate(tree);
    }
}

static int branch_and_bound(glpk_run *run) {
    glp_iocp parameters;
    glp_init_iocp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.tol_int = INTEGER_TOLERANCE; /* by its default, 1e-5, a value of 6e-6 that a row needs is 0 */
    parameters.mip_gap = run->options->mip_gap > 0 ? run->options->mip_gap : 0;
    parameters.tm_lim = budget_left_ms(run->options->budget);
    parameters.mir_cuts = parameters.gmi_cuts = run->options->cuts ? GLP_ON : GLP_OFF;
    parameters.cb_func = at_node;
    parameters.cb_info = run;
    return glp_intopt(run->problem, &parameters);
}

/* The bound that a stop at the gap means: the last node's is not seen by at_node, and may be much wider. */
static void take_gap(glpk_run *run) {
    const double incumbent = glp_mip_obj_val(run->problem);
    const double gap = run->options->mip_gap * (fabs(incumbent) + DBL_EPSILON);
    run->node_bound =
        run->state->model->maximize ? fmin(run->node_bound, incumbent + gap) : fmax(run->node_bound, incumbent - gap);
}

/* From an optimal basis of the relaxation. */
static berth_outcome solve_integers(glpk_run *run) {
    const glpk_state *state = run->state;
    run->node_bound = glp_get_obj_val(run->problem);
    int code = branch_and_bound(run);
    int status = glp_mip_status(run->problem);
    bool stopped = code == GLP_ETMLIM || code == GLP_ESTOP;
    if (code == 0 && status == GLP_NOFEAS) {
        return BERTH_INFEASIBLE;
    }
    if (code == GLP_EMIPGAP) {
        take_gap(run);
    }
    run->result->bound = state->cost_unit * run->node_bound;
    if (status != GLP_OPT && status != GLP_FEAS) {
        return stopped ? BERTH_LIMIT : BERTH_NUMERIC;
    }
    for (int j = 0; j < state->model->n_cols; j++) {
        run->result->x[j] = glp_mip_col_val(run->problem, j + 1);
    }
    run->result->has_primal = true;
    bool proven = code == 0 && status == GLP_OPT;
    double incumbent = state->cost_unit * glp_mip_obj_val(run->problem);
    bool passed = state->model->maximize ? incumbent > run->result->bound : incumbent < run->result->bound;
    if (proven || passed) {
        run->result->bound = incumbent;
    }
    return stopped ? BERTH_FEASIBLE : proven || code == GLP_EMIPGAP ? BERTH_OPTIMAL : BERTH_NUMERIC;
}

/* ---- Solving, with GLPK's errors caught ---- */

static void solve_model(void *user) {
    glpk_run *run = user;
    berth__lp_result *result = run->result;
    if (!load(run)) {
        result->outcome = BERTH_INFEASIBLE;
        glp_delete_prob(run->problem);
        return;
    }
    result->outcome = solve_relaxation(run);
    bool integers = run->options->integers && run->state->model->n_integer > 0;
    if (result->outcome == BERTH_OPTIMAL) {
        save_basis(run);
        if (integers) {
            result->outcome = solve_integers(run);
        } else {
            copy_lp(run);
        }
    } else if (result->outcome == BERTH_INFEASIBLE) {
        copy_ray(run);
    }
    glp_delete_prob(run->problem);
}

static berth_status solve(void *opaque, const berth__lp_options *options, bool warm, berth__lp_result *result,
                          berth_error *error) {
    glpk_state *state = opaque;
    glpk_run run = {.state = state, .options = options, .result = result, .warm = warm};
    char message[BERTH__GLPK_MESSAGE];
    berth__glpk_guarded guarded = berth__glpk_guard(solve_model, &run, NULL, message);
    if (guarded == BERTH__GLPK_NO_MEMORY) {
        return fail(error, BERTH_E_MEMORY, "out of memory");
    }
    if (guarded == BERTH__GLPK_DIED) {
        state->has_basis = false;
        return fail(error, BERTH_E_BACKEND, message);
    }
    return BERTH_OK;
}

static const berth_backend glpk_backend = {
    .name = "glpk",
    .version = version,
    .abilities = BERTH__BACKEND_LP | BERTH__BACKEND_MIP | BERTH__BACKEND_READ,
    .open = open,
    .set_row_bounds = set_row_bounds,
    .solve = solve,
    .close = close,
    .read = berth__glpk_read,
};

const berth_backend *berth_glpk_backend(void) {
    return &glpk_backend;
}
