#include "solver/solve.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "solver/structural.h"
#include "solver/verify.h"

/* A backend with the model loaded; state is NULL while closed. */
typedef struct opened_backend {
    const berth_backend *backend;
    void *state;
    bool warm; /* has a basis worth starting from */
} opened_backend;

struct berth__lp {
    berth__model *model;
    const berth_backends *set;
    const char *backend_name;
    opened_backend main; /* every solve that its backend can do */
    opened_backend mip;  /* integer solves, if main's backend cannot */
    berth__lp_result result;
    long second_opinions;
};

void berth__lp_options_init(berth__lp_options *options) {
    *options = (berth__lp_options){.scaling = true, .integers = true, .lp_gap = BERTH__LP_GAP};
}

/* ---- Opening ---- */

static berth_status open_backend(opened_backend *opened, const berth_backend *backend, const berth__model *model,
                                 berth_error *error) {
    opened->backend = backend;
    opened->warm = false;
    return backend->open(model, &opened->state, error);
}

static void close_backend(opened_backend *opened) {
    if (opened->state != NULL) {
        opened->backend->close(opened->state);
        opened->state = NULL;
    }
}

static berth_status fail_no_backend(berth_error *error, const char *name, const char *what) {
    if (name == NULL || strcmp(name, "auto") == 0) {
        return berth__fail(error, BERTH_E_BACKEND, "solver", "there is no backend for %s here: GLPK is one", what);
    }
    return berth__fail(error, BERTH_E_BACKEND, "solver", "no backend '%s' for %s", name == NULL ? "auto" : name, what);
}

static bool allocate_result(berth__lp_result *result, const berth__model *model) {
    result->x = BERTH__NEW_ARRAY(double, (size_t)model->n_cols);
    result->reduced_cost = BERTH__NEW_ARRAY(double, (size_t)model->n_cols);
    result->row_dual = BERTH__NEW_ARRAY(double, (size_t)model->n_rows);
    result->ray = BERTH__NEW_ARRAY(double, (size_t)model->n_rows);
    return result->x != NULL && result->reduced_cost != NULL && result->row_dual != NULL && result->ray != NULL;
}

berth_status berth__lp_open(berth__model *model, const berth_backends *set, const char *backend, berth__lp **out,
                            berth_error *error) {
    *out = NULL;
    if (model->builder != NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "model", "the model is not finished");
    }
    const berth_backend *found = berth__backend_find(set, backend, BERTH__BACKEND_LP);
    bool by_name = backend != NULL && strcmp(backend, "auto") != 0;
    if (found == NULL && by_name) {
        found = berth__backend_find(set, backend, BERTH__BACKEND_APPROXIMATE);
    }
    if (found == NULL) {
        return fail_no_backend(error, backend, "linear programmes");
    }
    berth__lp *lp = BERTH__NEW_ARRAY(berth__lp, 1);
    if (lp == NULL) {
        return berth__fail_memory(error);
    }
    lp->model = model;
    lp->set = set;
    /* "auto" leaves the choice of the integer backend open, a name does not. */
    lp->backend_name = by_name ? found->name : NULL;
    berth_status status = BERTH_OK;
    if (!allocate_result(&lp->result, model)) {
        status = berth__fail_memory(error);
    } else if (model->n_entries > 0) {
        status = open_backend(&lp->main, found, model, error);
    }
    if (status != BERTH_OK) {
        berth__lp_close(lp);
        return status;
    }
    *out = lp;
    return BERTH_OK;
}

void berth__lp_close(berth__lp *lp) {
    if (lp == NULL) {
        return;
    }
    close_backend(&lp->main);
    close_backend(&lp->mip);
    berth__free(lp->result.x);
    berth__free(lp->result.reduced_cost);
    berth__free(lp->result.row_dual);
    berth__free(lp->result.ray);
    berth__free(lp);
}

berth_status berth__lp_set_row_bounds(berth__lp *lp, int row, double lower, double upper, berth_error *error) {
    berth_status status = berth__model_set_row_bounds(lp->model, row, lower, upper, error);
    opened_backend *both[] = {&lp->main, &lp->mip};
    for (size_t k = 0; k < 2 && status == BERTH_OK; k++) {
        if (both[k]->state != NULL) {
            status = both[k]->backend->set_row_bounds(both[k]->state, row, lower, upper);
            if (status != BERTH_OK) {
                berth__fail(error, status, "row", "%s refused new bounds of row %d", both[k]->backend->name, row);
            }
        }
    }
    return status;
}

const char *berth__lp_backend_name(const berth__lp *lp) {
    return lp->main.backend == NULL ? NULL : lp->main.backend->name;
}

long berth__lp_second_opinions(const berth__lp *lp) {
    return lp->second_opinions;
}

/* ---- Models without entries, solved here ---- */

static void clear(berth__lp_result *result, const berth__model *model) {
    result->outcome = BERTH_NUMERIC;
    result->has_primal = result->has_dual = result->has_ray = false;
    result->objective = (double)NAN;
    result->bound = model->maximize ? (double)INFINITY : -(double)INFINITY;
    result->iterations = result->nodes = 0;
}

static void solve_without_entries(const berth__model *model, bool integers, berth__lp_result *result) {
    memset(result->row_dual, 0, (size_t)model->n_rows * sizeof(double));
    memset(result->ray, 0, (size_t)model->n_rows * sizeof(double));
    result->outcome = BERTH_OPTIMAL;
    for (int j = 0; j < model->n_cols && result->outcome != BERTH_INFEASIBLE; j++) {
        result->x[j] = berth__model_best_alone(model, j, integers);
        if (isnan(result->x[j])) {
            result->outcome = BERTH_INFEASIBLE;
        } else if (isinf(result->x[j])) {
            result->outcome = BERTH_UNBOUNDED;
        }
    }
    for (int i = 0; i < model->n_rows && !result->has_ray; i++) {
        if (model->row_lower[i] > 0 || model->row_upper[i] < 0) {
            result->ray[i] = model->row_lower[i] > 0 ? 1 : -1;
            result->outcome = BERTH_INFEASIBLE;
            result->has_ray = true;
        }
    }
    if (result->outcome == BERTH_OPTIMAL) {
        result->has_primal = true;
        result->has_dual = !(integers && model->n_integer > 0);
        result->objective = model->offset;
        for (int j = 0; j < model->n_cols; j++) {
            result->objective += model->cost[j] * result->x[j];
            result->reduced_cost[j] = model->cost[j];
        }
        result->bound = result->objective;
    }
}

/* ---- Judging a claim ---- */

typedef enum claim_verdict {
    HOLDS,    /* proven from the model alone, or a limit */
    UNPROVEN, /* infeasible without a ray, or unbounded: needs a second opinion */
    FALSE_CLAIM
} claim_verdict;

/* Backends leave x off its bounds by their tolerance, integers too: put right first, verified after. */
static void tidy_primal(const berth__model *model, bool integers, double *x) {
    for (int j = 0; j < model->n_cols; j++) {
        if (integers && model->is_integer[j]) {
            x[j] = round(x[j]);
        }
        if (x[j] < model->col_lower[j]) {
            x[j] = model->col_lower[j];
        } else if (x[j] > model->col_upper[j]) {
            x[j] = model->col_upper[j];
        }
    }
}

static void fill_reduced_costs(const berth__model *model, berth__lp_result *result) {
    for (int j = 0; j < model->n_cols; j++) {
        double reduced = model->cost[j];
        for (size_t e = model->col_start[j]; e < model->col_start[j + 1]; e++) {
            reduced -= model->value[e] * result->row_dual[model->row_of[e]];
        }
        result->reduced_cost[j] = reduced;
    }
}

static claim_verdict judge_lp_optimum(const berth__model *model, berth__lp_result *result) {
    if (!result->has_primal || !result->has_dual) {
        return FALSE_CLAIM;
    }
    berth__residuals residuals;
    berth__verify(model, result->x, result->row_dual, &residuals);
    result->objective = residuals.objective;
    result->bound = residuals.dual_bound;
    bool holds = residuals.primal <= BERTH__LP_FEASIBILITY && residuals.gap <= BERTH__LP_FEASIBILITY;
    if (holds) {
        fill_reduced_costs(model, result);
    }
    return holds ? HOLDS : FALSE_CLAIM;
}

/* The incumbent is verified; the node bound has no certificate, but must not be beaten by the incumbent. */
static claim_verdict judge_incumbent(const berth__model *model, double mip_gap, berth__lp_result *result) {
    if (!result->has_primal) {
        return FALSE_CLAIM;
    }
    berth__residuals residuals;
    berth__verify(model, result->x, NULL, &residuals);
    result->objective = residuals.objective;
    result->has_dual = false;
    double excess = model->maximize ? result->bound - residuals.objective : residuals.objective - result->bound;
    double size = fmax(1, fmax(fabs(residuals.objective), isfinite(result->bound) ? fabs(result->bound) : 0));
    double most = result->outcome == BERTH_OPTIMAL ? fmax(0, mip_gap) + BERTH__FIGURE : (double)INFINITY;
    bool holds = residuals.primal <= BERTH__LP_FEASIBILITY && residuals.integrality <= BERTH__INTEGRALITY &&
                 excess >= -BERTH__FIGURE * size && excess <= most * size;
    return holds ? HOLDS : FALSE_CLAIM;
}

/* Do the columns' bounds alone keep the objective from growing without limit? */
static bool columns_bound_costs(const berth__model *model) {
    for (int j = 0; j < model->n_cols; j++) {
        double gain = model->maximize ? model->cost[j] : -model->cost[j];
        if ((gain > 0 && isinf(model->col_upper[j])) || (gain < 0 && isinf(model->col_lower[j]))) {
            return false;
        }
    }
    return true;
}

static claim_verdict judge(const berth__model *model, const berth__lp_options *options, bool integers,
                           berth__lp_result *result) {
    switch (result->outcome) {
    case BERTH_OPTIMAL:
    case BERTH_FEASIBLE:
        if (result->has_primal) {
            tidy_primal(model, integers, result->x);
        }
        if (integers) {
            return judge_incumbent(model, options->mip_gap, result);
        }
        return result->outcome == BERTH_OPTIMAL ? judge_lp_optimum(model, result) : FALSE_CLAIM;
    case BERTH_INFEASIBLE:
        result->has_ray = result->has_ray && berth__verify_farkas(model, result->ray);
        return result->has_ray ? HOLDS : UNPROVEN;
    case BERTH_UNBOUNDED:
        return columns_bound_costs(model) ? FALSE_CLAIM : UNPROVEN;
    case BERTH_LIMIT:
        return HOLDS;
    case BERTH_APPROXIMATE:
    case BERTH_NUMERIC:
        break;
    }
    return FALSE_CLAIM;
}

/* ---- Attempts, one after another ---- */

typedef struct solve_attempt {
    bool as_asked; /* warm and presolved as the caller asks and the backend can */
    bool scaling;  /* false: without */
    bool other;    /* by the other backend */
} solve_attempt;

static const solve_attempt attempts[] = {
    {.as_asked = true, .scaling = true}, {.scaling = true}, {.scaling = false}, {.other = true, .scaling = true},
    {.other = true, .scaling = false},
};

/* What the attempts so far have said, short of proof. */
typedef struct claim_record {
    bool claimed; /* an unproven claim stands */
    berth_outcome outcome;
    const berth_backend *by;
    bool repeated; /* its author said the same again */
    bool agreed;   /* another backend said the same */
    bool disputed; /* a later claim, unproven too, was another */
} claim_record;

/* Disproven claims do not count. */
static void note_claim(claim_record *record, claim_verdict verdict, const berth_backend *by, berth_outcome outcome) {
    if (verdict != UNPROVEN) {
        return;
    }
    if (!record->claimed) {
        record->claimed = true;
        record->outcome = outcome;
        record->by = by;
    } else if (outcome != record->outcome) {
        record->disputed = true;
    } else if (by == record->by) {
        record->repeated = true;
    } else {
        record->agreed = true;
    }
}

/* Two backends agree; or the last one repeated, without scaling, what no other contradicts (there is none, or all
 * it said was disproven). */
static bool settled(const claim_record *record, const berth_backend *last) {
    return record->agreed || (record->repeated && !record->disputed && record->by == last);
}

static berth_status try_once(berth__lp *lp, opened_backend *opened, const solve_attempt *attempt,
                             const berth__lp_options *asked, bool integers, claim_verdict *verdict,
                             berth_error *error) {
    berth__lp_options options = *asked;
    options.integers = integers;
    options.presolve = asked->presolve && attempt->as_asked;
    options.scaling = attempt->as_asked ? asked->scaling : attempt->scaling;
    clear(&lp->result, lp->model);
    *verdict = FALSE_CLAIM;
    berth_status status = BERTH_OK;
    if (opened->state == NULL) {
        status = open_backend(opened, opened->backend, lp->model, error);
    }
    if (status == BERTH_OK) {
        status = opened->backend->solve(opened->state, &options, attempt->as_asked && opened->warm, &lp->result, error);
    }
    if (status == BERTH_OK) {
        *verdict = judge(lp->model, asked, integers, &lp->result);
    } else if (status != BERTH_E_MEMORY) {
        status = BERTH_OK; /* a backend that breaks down has made a false claim */
        berth__error_clear(error);
    }
    opened->warm = *verdict != FALSE_CLAIM;
    return status;
}

static void give_up(berth__lp *lp, berth_outcome outcome) {
    clear(&lp->result, lp->model);
    lp->result.outcome = outcome;
}

/* Makes the attempts in turn until a claim holds. The other backend is opened for this one solve. */
static berth_status solve_verified(berth__lp *lp, opened_backend *first, const berth__lp_options *options,
                                   bool integers, berth_error *error) {
    unsigned ability = integers ? BERTH__BACKEND_MIP : BERTH__BACKEND_LP;
    opened_backend other = {.backend = berth__backend_other(lp->set, first->backend, ability)};
    bool plain = !options->presolve && options->scaling && (integers || !first->warm);
    claim_record record = {0};
    claim_verdict verdict = FALSE_CLAIM;
    berth_status status = try_once(lp, first, &attempts[0], options, integers, &verdict, error);
    if (status != BERTH_OK || verdict == HOLDS) {
        return status;
    }
    lp->second_opinions++;
    note_claim(&record, verdict, first->backend, lp->result.outcome);
    /* The second attempt repeats a plain first one. */
    for (size_t k = plain ? 2 : 1; k < sizeof attempts / sizeof *attempts && !record.agreed; k++) {
        opened_backend *opened = attempts[k].other ? &other : first;
        if (opened->backend == NULL) {
            break;
        }
        if (berth__budget_spent(options->budget)) {
            give_up(lp, BERTH_LIMIT);
            goto done;
        }
        status = try_once(lp, opened, &attempts[k], options, integers, &verdict, error);
        if (status != BERTH_OK || verdict == HOLDS) {
            goto done;
        }
        note_claim(&record, verdict, opened->backend, lp->result.outcome);
    }
    const berth_backend *last = other.backend == NULL ? first->backend : other.backend;
    give_up(lp, settled(&record, last) ? record.outcome : BERTH_NUMERIC);
done:
    close_backend(&other);
    return status;
}

/* ---- Approximate backends ---- */

/* Recomputes what the result says from the model alone: rows, cost, the bound in exact arithmetic. Rows may miss by the
 * precision asked for, no more; OPTIMAL is held to what it always means. */
static berth_status judge_approximate(const berth__model *model, const berth__lp_options *options,
                                      berth__lp_result *result, berth_error *error) {
    double precision = options->lp_gap > 0 ? options->lp_gap : BERTH__LP_GAP;
    berth__residuals residuals = {.primal = (double)INFINITY};
    berth_proof proof = BERTH_PROOF_NONE;
    berth__implied implied;
    berth_status status = berth__implied_new(model, &implied, error);
    if (status != BERTH_OK) {
        return status;
    }
    result->bound = model->maximize ? (double)INFINITY : -(double)INFINITY;
    if (result->has_primal) {
        tidy_primal(model, false, result->x);
        berth__verify(model, result->x, NULL, &residuals);
        result->objective = residuals.objective;
        result->has_primal = residuals.primal <= fmax(precision, BERTH__LP_FEASIBILITY);
    }
    if (result->has_dual) {
        berth__lagrangian_bound(model, &implied, result->row_dual, &result->bound, &proof);
        result->has_dual = proof != BERTH_PROOF_NONE;
        fill_reduced_costs(model, result);
    }
    bool both = result->has_primal && result->has_dual;
    double gap = both ? berth__relative_gap(model, &implied, result->objective, result->bound) : (double)INFINITY;
    if (gap <= BERTH__LP_FEASIBILITY && residuals.primal <= BERTH__LP_FEASIBILITY) {
        result->outcome = BERTH_OPTIMAL;
    } else if (gap <= precision * (1 + BERTH__FIGURE)) {
        result->outcome = BERTH_APPROXIMATE;
    } else {
        result->outcome = result->outcome == BERTH_LIMIT ? BERTH_LIMIT : BERTH_NUMERIC;
    }
    berth__implied_clear(&implied);
    return BERTH_OK;
}

/* No second opinion: who asks for an approximate solver by name does not want to wait for another. */
static berth_status solve_approximately(berth__lp *lp, const berth__lp_options *options, berth_error *error) {
    berth__lp_result *result = &lp->result;
    berth_status status = lp->main.backend->solve(lp->main.state, options, lp->main.warm, result, error);
    if (status != BERTH_OK) {
        return status;
    }
    lp->main.warm = true;
    switch (result->outcome) {
    case BERTH_INFEASIBLE:
        result->has_ray = result->has_ray && berth__verify_farkas(lp->model, result->ray);
        result->outcome = result->has_ray ? BERTH_INFEASIBLE : BERTH_NUMERIC;
        return BERTH_OK;
    case BERTH_OPTIMAL:
    case BERTH_APPROXIMATE:
    case BERTH_LIMIT:
        return judge_approximate(lp->model, options, result, error);
    case BERTH_FEASIBLE:
    case BERTH_UNBOUNDED:
    case BERTH_NUMERIC:
        break;
    }
    give_up(lp, BERTH_NUMERIC);
    return BERTH_OK;
}

static berth_status backend_for(berth__lp *lp, bool integers, opened_backend **out, berth_error *error) {
    *out = &lp->main;
    if (!integers || (lp->main.backend->abilities & BERTH__BACKEND_MIP) != 0) {
        return BERTH_OK;
    }
    *out = &lp->mip;
    if (lp->mip.state != NULL) {
        return BERTH_OK;
    }
    const berth_backend *found = berth__backend_find(lp->set, lp->backend_name, BERTH__BACKEND_MIP);
    if (found == NULL) {
        return fail_no_backend(error, lp->backend_name, "integer programmes");
    }
    return open_backend(&lp->mip, found, lp->model, error);
}

berth_status berth__lp_solve(berth__lp *lp, const berth__lp_options *options, const berth__lp_result **result,
                             berth_error *error) {
    *result = NULL;
    bool integers = options->integers && lp->model->n_integer > 0;
    berth_status status = BERTH_OK;
    clear(&lp->result, lp->model);
    if (lp->model->n_entries == 0) {
        solve_without_entries(lp->model, integers, &lp->result);
    } else {
        opened_backend *opened = NULL;
        status = backend_for(lp, integers, &opened, error);
        if (status == BERTH_OK && (opened->backend->abilities & BERTH__BACKEND_APPROXIMATE) != 0) {
            status = solve_approximately(lp, options, error);
        } else if (status == BERTH_OK) {
            status = solve_verified(lp, opened, options, integers, error);
        }
    }
    if (status == BERTH_OK) {
        *result = &lp->result;
    }
    return status;
}
