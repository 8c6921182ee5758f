/* The problem as the checker takes it. */
#include "audit/solution/review.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"

double berth__problem_lower(const berth_problem *problem, size_t var) {
    return problem->lower == NULL ? 0 : problem->lower[var];
}

double berth__problem_upper(const berth_problem *problem, size_t var) {
    return problem->upper == NULL ? (double)INFINITY : problem->upper[var];
}

bool berth__problem_integer(const berth_problem *problem, size_t var) {
    return problem->is_integer != NULL && problem->is_integer[var];
}

static const char *place(const char *kind, const char *const *names, char letter, size_t index, char *room) {
    if (names != NULL && names[index] != NULL) {
        snprintf(room, BERTH__PLACE_ROOM, "%s %s", kind, names[index]);
    } else {
        snprintf(room, BERTH__PLACE_ROOM, "%s %c%zu", kind, letter, index);
    }
    return room;
}

const char *berth__place_var(const berth_problem *problem, size_t var, char room[BERTH__PLACE_ROOM]) {
    return place("variable", problem->var_names, 'x', var, room);
}

const char *berth__place_row(const berth_problem *problem, size_t row, char room[BERTH__PLACE_ROOM]) {
    return place("row", problem->row_names, 'r', row, room);
}

/* ---- validation ---- */

static berth_status refuse(berth_error *error, const char *where, const char *what) {
    return berth__fail(error, BERTH_E_ARGUMENT, where, "the problem is not sound: %s", what);
}

/* lower <= upper, neither on the wrong side of all numbers. */
static bool is_range(double lower, double upper) {
    return lower <= upper && lower < HUGE_VAL && upper > -HUGE_VAL;
}

static berth_status validate_shape(const berth_problem *p, berth_error *error) {
    if (p->n_vars > INT_MAX || p->n_rows > INT_MAX) {
        return refuse(error, NULL, "it is too large");
    }
    if ((p->n_vars > 0 && p->cost == NULL) ||
        (p->n_rows > 0 && (p->row_lower == NULL || p->row_upper == NULL || p->row_start == NULL))) {
        return refuse(error, NULL, "an array is missing");
    }
    for (size_t i = 0; i < p->n_rows; i++) {
        if (p->row_start[i] > p->row_start[i + 1]) {
            return refuse(error, "row_start", "it decreases");
        }
    }
    if (p->n_rows > 0 && p->row_start[p->n_rows] > p->row_start[0] && (p->var_of == NULL || p->value == NULL)) {
        return refuse(error, NULL, "an array is missing");
    }
    return BERTH_OK;
}

static berth_status validate_vars(const berth_problem *p, berth_error *error) {
    char room[BERTH__PLACE_ROOM];
    for (size_t j = 0; j < p->n_vars; j++) {
        if (!isfinite(p->cost[j])) {
            return refuse(error, berth__place_var(p, j, room), "its cost is not finite");
        }
        if (!is_range(berth__problem_lower(p, j), berth__problem_upper(p, j))) {
            return refuse(error, berth__place_var(p, j, room), "its bounds allow nothing");
        }
    }
    return isfinite(p->offset) ? BERTH_OK : refuse(error, "offset", "it is not finite");
}

/* last_row: [n_vars], 0. */
static berth_status validate_row(const berth_problem *p, size_t i, size_t *last_row, berth_error *error) {
    char room[BERTH__PLACE_ROOM];
    if (!is_range(p->row_lower[i], p->row_upper[i])) {
        return refuse(error, berth__place_row(p, i, room), "its bounds allow nothing");
    }
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        if (p->var_of[k] < 0 || (size_t)p->var_of[k] >= p->n_vars) {
            return refuse(error, berth__place_row(p, i, room), "it has a variable that does not exist");
        }
        if (!isfinite(p->value[k])) {
            return refuse(error, berth__place_row(p, i, room), "it has a coefficient that is not finite");
        }
        if (last_row[p->var_of[k]] == i + 1) {
            return refuse(error, berth__place_row(p, i, room), "it has a variable twice");
        }
        last_row[p->var_of[k]] = i + 1;
    }
    return BERTH_OK;
}

berth_status berth__review_validate(const berth_problem *p, berth_error *error) {
    berth_status status = validate_shape(p, error);
    status = status == BERTH_OK ? validate_vars(p, error) : status;
    if (status != BERTH_OK) {
        return status;
    }
    size_t *last_row = BERTH__NEW_ARRAY(size_t, p->n_vars);
    if (last_row == NULL) {
        return berth__fail_memory(error);
    }
    for (size_t i = 0; i < p->n_rows && status == BERTH_OK; i++) {
        status = validate_row(p, i, last_row, error);
    }
    berth__free(last_row);
    return status;
}

/* ---- box and columns ---- */

static void set_box(berth__review *r) {
    for (size_t j = 0; j < r->problem->n_vars; j++) {
        bool integer = berth__problem_integer(r->problem, j);
        double lower = berth__problem_lower(r->problem, j), upper = berth__problem_upper(r->problem, j);
        r->lower[j] = integer ? ceil(lower) : lower;
        r->upper[j] = integer ? floor(upper) : upper;
    }
}

static void set_columns(berth__review *r) {
    const berth_problem *p = r->problem;
    for (size_t i = 0; i < p->n_rows; i++) {
        for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
            r->col_start[p->var_of[k] + 1]++;
        }
    }
    for (size_t j = 0; j < p->n_vars; j++) {
        r->col_start[j + 1] += r->col_start[j];
    }
    for (size_t i = 0; i < p->n_rows; i++) {
        for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
            size_t at = r->col_start[p->var_of[k]]++;
            r->row_of[at] = (int)i;
            r->col_value[at] = p->value[k];
        }
    }
    for (size_t j = p->n_vars; j > 0; j--) {
        r->col_start[j] = r->col_start[j - 1];
    }
    r->col_start[0] = 0;
}

bool berth__review_prepare(berth__review *r) {
    const berth_problem *p = r->problem;
    size_t entries = p->n_rows > 0 ? p->row_start[p->n_rows] - p->row_start[0] : 0;
    r->lower = BERTH__NEW_ARRAY(double, p->n_vars);
    r->upper = BERTH__NEW_ARRAY(double, p->n_vars);
    r->col_start = BERTH__NEW_ARRAY(size_t, p->n_vars + 1);
    r->row_of = BERTH__NEW_ARRAY(int, entries);
    r->col_value = BERTH__NEW_ARRAY(double, entries);
    r->form_rows = BERTH__NEW_ARRAY(berth__form_row, p->n_rows);
    if (r->lower == NULL || r->upper == NULL || r->col_start == NULL || r->row_of == NULL || r->col_value == NULL ||
        r->form_rows == NULL) {
        return false;
    }
    set_box(r);
    set_columns(r);
    return true;
}

void berth__review_free(berth__review *r) {
    berth__free(r->lower);
    berth__free(r->upper);
    berth__free(r->col_start);
    berth__free(r->row_of);
    berth__free(r->col_value);
    berth__free(r->form_rows);
}

double berth__largest_cost(const berth_problem *problem) {
    double largest = 0;
    for (size_t j = 0; j < problem->n_vars; j++) {
        largest = fmax(largest, fabs(problem->cost[j]));
    }
    return largest;
}
