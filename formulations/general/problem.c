#include "formulations/general/problem.h"

#include <limits.h>
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "formulations/general/defaults.h"

/* ---- Checks ---- */

static berth_status fail_argument(berth_error *error, const char *field, const char *expected) {
    return berth__fail(error, BERTH_E_ARGUMENT, field, "%s: expected %s", field, expected);
}

static berth_status check_arrays(const berth_problem *problem, berth_error *error) {
    if (problem->struct_size != sizeof *problem) {
        return fail_argument(error, "problem", "one initialised by berth_problem_init");
    }
    if (problem->n_vars >= INT_MAX || problem->n_rows >= INT_MAX) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, problem->n_vars >= INT_MAX ? "n_vars" : "n_rows",
                           "more than 2^31 - 2 variables or rows");
    }
    if (problem->n_vars > 0 && problem->cost == NULL) {
        return fail_argument(error, "cost", "n_vars numbers, not NULL");
    }
    if (problem->n_rows == 0) {
        return BERTH_OK;
    }
    if (problem->row_lower == NULL || problem->row_upper == NULL || problem->row_start == NULL) {
        return fail_argument(error, problem->row_start == NULL ? "row_start" : "row_lower, row_upper",
                             "n_rows numbers, not NULL");
    }
    for (size_t i = 0; i < problem->n_rows; i++) {
        if (problem->row_start[i] > problem->row_start[i + 1]) {
            return fail_argument(error, "row_start", "numbers that do not fall");
        }
    }
    if (problem->row_start[0] != 0) {
        return fail_argument(error, "row_start", "0 at first");
    }
    if (problem->row_start[problem->n_rows] > 0 && (problem->var_of == NULL || problem->value == NULL)) {
        return fail_argument(error, "var_of, value", "as many as row_start ends with, not NULL");
    }
    return BERTH_OK;
}

static berth_status check_groups(const berth_problem *problem, berth_error *error) {
    if (problem->group == NULL) {
        return BERTH_OK;
    }
    if (problem->n_groups >= INT_MAX) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "n_groups", "more than 2^31 - 2 groups");
    }
    for (size_t j = 0; j < problem->n_vars; j++) {
        int group = problem->group[j];
        if (group < -1 || (group >= 0 && (size_t)group >= problem->n_groups)) {
            char name[BERTH__NAME_ROOM];
            return berth__fail(error, BERTH_E_INPUT, "group",
                               "variable %s is of group %d; expected -1, or less than n_groups, %zu",
                               berth__var_name(problem, j, name), group, problem->n_groups);
        }
    }
    return BERTH_OK;
}

berth_status berth__problem_check(const berth_problem *problem, berth_error *error) {
    if (problem == NULL) {
        return fail_argument(error, "problem", "a problem, not NULL");
    }
    berth_status status = check_arrays(problem, error);
    return status == BERTH_OK ? check_groups(problem, error) : status;
}

/* ---- The model ---- */

static double lower_of(const berth_problem *problem, size_t j) {
    double lower = berth__var_lower(problem, j);
    return berth__var_is_integer(problem, j) && isfinite(lower)
               ? ceil(lower - BERTH__INTEGRALITY * fmax(1, fabs(lower)))
               : lower;
}

static double upper_of(const berth_problem *problem, size_t j) {
    double upper = berth__var_upper(problem, j);
    return berth__var_is_integer(problem, j) && isfinite(upper)
               ? floor(upper + BERTH__INTEGRALITY * fmax(1, fabs(upper)))
               : upper;
}

/* The sign that makes a row's entries >= 0 with an upper bound; 0: there is none. */
static double limiting_sign(const berth_problem *problem, size_t row) {
    bool positive = false, negative = false;
    for (size_t k = problem->row_start[row]; k < problem->row_start[row + 1]; k++) {
        positive = positive || problem->value[k] > 0;
        negative = negative || problem->value[k] < 0;
    }
    if (positive == negative) {
        return 0;
    }
    bool limits = isfinite(positive ? problem->row_upper[row] : problem->row_lower[row]);
    return !limits ? 0 : positive ? 1 : -1;
}

/* Lowers upper[j] to the whole units that one row leaves room for. Values have not been checked yet: what is not
 * finite changes nothing. */
static void tighten_by_row(const berth_problem *problem, size_t row, const double *lower, double *upper) {
    double sign = limiting_sign(problem, row), least = 0, size = 0;
    if (sign == 0) {
        return;
    }
    double limit = sign > 0 ? problem->row_upper[row] : -problem->row_lower[row];
    for (size_t k = problem->row_start[row]; k < problem->row_start[row + 1]; k++) {
        int j = problem->var_of[k];
        if (j < 0 || (size_t)j >= problem->n_vars) {
            return;
        }
        least += problem->value[k] == 0 ? 0 : sign * problem->value[k] * lower[j];
        size = fmax(size, fabs(problem->value[k] * lower[j]));
    }
    double room = limit - least + BERTH__FEASIBILITY * fmax(fabs(limit), size);
    for (size_t k = problem->row_start[row]; k < problem->row_start[row + 1] && room >= 0; k++) {
        int j = problem->var_of[k];
        double value = sign * problem->value[k];
        if (value > 0 && berth__var_is_integer(problem, (size_t)j)) {
            double most = lower[j] + floor(room / value + BERTH__INTEGRALITY);
            upper[j] = most < upper[j] ? most : upper[j];
        }
    }
}

static berth_status fill_cols(const berth_problem *problem, const double *fixed, const double *lower,
                              const double *upper, berth__model *model, berth_error *error) {
    berth_status status = BERTH_OK;
    for (size_t j = 0; j < problem->n_vars && status == BERTH_OK; j++) {
        char name[BERTH__NAME_ROOM];
        bool integer = berth__var_is_integer(problem, j);
        bool fix = fixed != NULL && integer;
        status =
            berth__model_add_col(model, berth__var_name(problem, j, name), problem->cost[j], fix ? fixed[j] : lower[j],
                                 fix ? fixed[j] : upper[j], integer && !fix, NULL, error);
    }
    return status;
}

static berth_status fill_rows(const berth_problem *problem, berth__model *model, berth_error *error) {
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < problem->n_rows && status == BERTH_OK; i++) {
        char name[BERTH__NAME_ROOM];
        status = berth__model_add_row(model, berth__row_name(problem, i, name), problem->row_lower[i],
                                      problem->row_upper[i], NULL, error);
        for (size_t k = problem->row_start[i]; k < problem->row_start[i + 1] && status == BERTH_OK; k++) {
            status = berth__model_add_entry(model, (int)i, problem->var_of[k], problem->value[k], error);
        }
    }
    return status;
}

berth_status berth__problem_model(const berth_problem *problem, const double *fixed, berth__model **out,
                                  berth_error *error) {
    *out = NULL;
    berth__model *model = NULL;
    double *lower = BERTH__NEW_ARRAY(double, problem->n_vars), *upper = BERTH__NEW_ARRAY(double, problem->n_vars);
    berth_status status = lower == NULL || upper == NULL ? berth__fail_memory(error) : berth__model_new(&model, error);
    if (status == BERTH_OK) {
        for (size_t j = 0; j < problem->n_vars; j++) {
            lower[j] = lower_of(problem, j);
            upper[j] = upper_of(problem, j);
        }
        for (size_t i = 0; i < problem->n_rows; i++) {
            tighten_by_row(problem, i, lower, upper);
        }
        model->maximize = problem->maximize;
        model->offset = problem->offset;
        status = fill_cols(problem, fixed, lower, upper, model, error);
    }
    if (status == BERTH_OK) {
        status = fill_rows(problem, model, error);
    }
    if (status == BERTH_OK) {
        status = berth__model_finish(model, error);
    }
    if (status == BERTH_OK) {
        *out = model;
    } else {
        berth__model_free(model);
    }
    berth__free(lower);
    berth__free(upper);
    return status;
}
