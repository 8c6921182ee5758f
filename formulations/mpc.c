#include "formulations/mpc.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

struct berth__mpc {
    bool maximize;
    int n_vars, n_cover, n_pack;
    size_t n_entries;
    /* per variable */
    double *cost, *upper;
    bool *is_integer;
    int *group;
    char **var_name;
    size_t *seen; /* stamp of the last row that named the variable */
    size_t cost_room, upper_room, is_integer_room, group_room, var_name_room, seen_room;
    size_t stamp;
    /* per row */
    double *rhs;
    size_t *row_start;
    char **row_name;
    size_t rhs_room, row_start_room, row_name_room;
    /* per entry, by rows */
    int *col;
    double *value;
    size_t col_room, value_room;
    berth__arena *names;
};

/* berth__grow for an array of any type; `array` points to the array's pointer, which is copied in and out because a
 * double * may not be written through a void **. */
static bool make_room(void *array, size_t *room, size_t count, size_t size) {
    void *block;
    memcpy(&block, array, sizeof block);
    bool grown = berth__grow(&block, room, count, size);
    memcpy(array, &block, sizeof block);
    return grown;
}

/* Makes room in one of the arrays above for an element numbered `count`. */
#define GROW(mpc, array, count) make_room(&(mpc)->array, &(mpc)->array##_room, (count), sizeof *(mpc)->array)

berth_status berth__mpc_new(bool maximize, berth__mpc **out, berth_error *error) {
    *out = NULL;
    berth__mpc *mpc = BERTH__NEW_ARRAY(berth__mpc, 1);
    if (mpc == NULL) {
        return berth__fail_memory(error);
    }
    mpc->maximize = maximize;
    mpc->names = berth__arena_new();
    if (mpc->names == NULL || !GROW(mpc, row_start, 0)) {
        berth__mpc_free(mpc);
        return berth__fail_memory(error);
    }
    mpc->row_start[0] = 0;
    *out = mpc;
    return BERTH_OK;
}

void berth__mpc_free(berth__mpc *mpc) {
    if (mpc == NULL) {
        return;
    }
    berth__arena_free(mpc->names);
    berth__free(mpc->cost);
    berth__free(mpc->upper);
    berth__free(mpc->is_integer);
    berth__free(mpc->group);
    berth__free(mpc->var_name);
    berth__free(mpc->seen);
    berth__free(mpc->rhs);
    berth__free(mpc->row_start);
    berth__free(mpc->row_name);
    berth__free(mpc->col);
    berth__free(mpc->value);
    berth__free(mpc);
}

/* "row demand", "row 3": the name if there is one. */
static void describe(char *out, size_t size, const char *kind, const char *name, int number) {
    if (name != NULL) {
        snprintf(out, size, "%s %s", kind, name);
    } else {
        snprintf(out, size, "%s %d", kind, number);
    }
}

/* An own copy of the name, or NULL for none. False if memory ran out. */
static bool copy_name(berth__mpc *mpc, const char *name, char **copy) {
    *copy = name == NULL ? NULL : berth__arena_strdup(mpc->names, name);
    return name == NULL || *copy != NULL;
}

berth_status berth__mpc_add_var(berth__mpc *mpc, const char *name, double cost, double upper, bool is_integer,
                                int group, int *var, berth_error *error) {
    char where[128];
    describe(where, sizeof where, "variable", name, mpc->n_vars);
    if (mpc->n_cover + mpc->n_pack > 0) {
        return berth__fail(error, BERTH_E_ARGUMENT, where, "%s comes after a row; expected variables first", where);
    }
    if (!isfinite(cost) || cost < 0) {
        return berth__fail(error, BERTH_E_INPUT, where, "cost is %g; expected a finite number >= 0", cost);
    }
    if (!(upper >= 0)) {
        return berth__fail(error, BERTH_E_INPUT, where, "upper bound is %g; expected a number >= 0", upper);
    }
    if (group < -1) {
        return berth__fail(error, BERTH_E_INPUT, where, "group is %d; expected a number >= 0, or -1 for none", group);
    }
    size_t j = (size_t)mpc->n_vars;
    char *copy = NULL;
    if (mpc->n_vars == INT_MAX || !GROW(mpc, cost, j) || !GROW(mpc, upper, j) || !GROW(mpc, is_integer, j) ||
        !GROW(mpc, group, j) || !GROW(mpc, var_name, j) || !GROW(mpc, seen, j) || !copy_name(mpc, name, &copy)) {
        return berth__fail_memory(error);
    }
    mpc->cost[j] = cost;
    mpc->upper[j] = upper;
    mpc->is_integer[j] = is_integer;
    mpc->group[j] = group;
    mpc->var_name[j] = copy;
    mpc->seen[j] = 0;
    if (var != NULL) {
        *var = mpc->n_vars;
    }
    mpc->n_vars++;
    return BERTH_OK;
}

static berth_status check_rhs(double rhs, const char *where, berth_error *error) {
    if (isfinite(rhs) && rhs >= 0) {
        return BERTH_OK;
    }
    return berth__fail(error, BERTH_E_INPUT, where, "right side is %g; expected a finite number >= 0", rhs);
}

static berth_status check_terms(berth__mpc *mpc, const char *where, int n, const int *vars, const double *values,
                                berth_error *error) {
    /* A stamp of its own for every attempt: a row that was refused must not leave traces. */
    mpc->stamp++;
    for (int k = 0; k < n; k++) {
        if (vars[k] < 0 || vars[k] >= mpc->n_vars) {
            return berth__fail(error, BERTH_E_INPUT, where, "variable number %d is not one of %d", vars[k],
                               mpc->n_vars);
        }
        char var[128];
        describe(var, sizeof var, "variable", mpc->var_name[vars[k]], vars[k]);
        if (!isfinite(values[k]) || values[k] < 0) {
            return berth__fail(error, BERTH_E_INPUT, where, "coefficient of %s is %g; expected a finite number >= 0",
                               var, values[k]);
        }
        if (mpc->seen[vars[k]] == mpc->stamp) {
            return berth__fail(error, BERTH_E_INPUT, where, "%s appears twice", var);
        }
        mpc->seen[vars[k]] = mpc->stamp;
    }
    return BERTH_OK;
}

/* Appends a row behind the last one; explicit zeros are left out. */
static berth_status add_row(berth__mpc *mpc, const char *name, double rhs, int n, const int *vars, const double *values,
                            berth_error *error) {
    char where[128];
    int row = mpc->n_cover + mpc->n_pack;
    describe(where, sizeof where, "row", name, row);
    berth_status status = check_rhs(rhs, where, error);
    if (status == BERTH_OK) {
        status = check_terms(mpc, where, n, vars, values, error);
    }
    if (status != BERTH_OK) {
        return status;
    }
    size_t i = (size_t)row, last = mpc->n_entries + (size_t)n;
    char *copy = NULL;
    if (row == INT_MAX || !GROW(mpc, rhs, i) || !GROW(mpc, row_start, i + 1) || !GROW(mpc, row_name, i) ||
        !GROW(mpc, col, last) || !GROW(mpc, value, last) || !copy_name(mpc, name, &copy)) {
        return berth__fail_memory(error);
    }
    for (int k = 0; k < n; k++) {
        if (values[k] > 0) {
            mpc->col[mpc->n_entries] = vars[k];
            mpc->value[mpc->n_entries++] = values[k];
        }
    }
    mpc->rhs[i] = rhs;
    mpc->row_name[i] = copy;
    mpc->row_start[i + 1] = mpc->n_entries;
    return BERTH_OK;
}

berth_status berth__mpc_add_cover(berth__mpc *mpc, const char *name, double at_least, int n, const int *vars,
                                  const double *values, berth_error *error) {
    if (mpc->n_pack > 0) {
        return berth__fail(error, BERTH_E_ARGUMENT, name, "a cover row after a packing row; expected cover rows first");
    }
    berth_status status = add_row(mpc, name, at_least, n, vars, values, error);
    mpc->n_cover += status == BERTH_OK;
    return status;
}

berth_status berth__mpc_add_pack(berth__mpc *mpc, const char *name, double at_most, int n, const int *vars,
                                 const double *values, berth_error *error) {
    berth_status status = add_row(mpc, name, at_most, n, vars, values, error);
    mpc->n_pack += status == BERTH_OK;
    return status;
}

berth__packcover berth__mpc_view(const berth__mpc *mpc) {
    return (berth__packcover){.maximize = mpc->maximize,
                              .n_vars = mpc->n_vars,
                              .n_cover = mpc->n_cover,
                              .n_pack = mpc->n_pack,
                              .cost = mpc->cost,
                              .upper = mpc->upper,
                              .is_integer = mpc->is_integer,
                              .row_start = mpc->row_start,
                              .col = mpc->col,
                              .value = mpc->value,
                              .rhs = mpc->rhs};
}

const int *berth__mpc_groups(const berth__mpc *mpc) {
    return mpc->group;
}

berth_status berth__mpc_set_rhs(berth__mpc *mpc, int row, double rhs, berth_error *error) {
    if (row < 0 || row >= mpc->n_cover + mpc->n_pack) {
        return berth__fail(error, BERTH_E_ARGUMENT, "row", "row number %d is not one of %d", row,
                           mpc->n_cover + mpc->n_pack);
    }
    char where[128];
    describe(where, sizeof where, "row", mpc->row_name[row], row);
    berth_status status = check_rhs(rhs, where, error);
    if (status == BERTH_OK) {
        mpc->rhs[row] = rhs;
    }
    return status;
}

static berth_status fill_model(const berth__mpc *mpc, berth__model *model, berth_error *error) {
    berth_status status = BERTH_OK;
    for (int j = 0; j < mpc->n_vars && status == BERTH_OK; j++) {
        status = berth__model_add_col(model, mpc->var_name[j], mpc->cost[j], 0, mpc->upper[j], mpc->is_integer[j], NULL,
                                      error);
    }
    for (int i = 0; i < mpc->n_cover + mpc->n_pack && status == BERTH_OK; i++) {
        bool cover = i < mpc->n_cover;
        status = berth__model_add_row(model, mpc->row_name[i], cover ? mpc->rhs[i] : -(double)INFINITY,
                                      cover ? (double)INFINITY : mpc->rhs[i], NULL, error);
        for (size_t k = mpc->row_start[i]; k < mpc->row_start[i + 1] && status == BERTH_OK; k++) {
            status = berth__model_add_entry(model, i, mpc->col[k], mpc->value[k], error);
        }
    }
    return status == BERTH_OK ? berth__model_finish(model, error) : status;
}

berth_status berth__mpc_model(const berth__mpc *mpc, berth__model **out, berth_error *error) {
    *out = NULL;
    berth__model *model = NULL;
    berth_status status = berth__model_new(&model, error);
    if (status != BERTH_OK) {
        return status;
    }
    model->maximize = mpc->maximize;
    status = fill_model(mpc, model, error);
    if (status == BERTH_OK) {
        *out = model;
    } else {
        berth__model_free(model);
    }
    return status;
}
