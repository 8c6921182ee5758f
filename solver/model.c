#include "solver/model.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"

/* Triplets in the order given, and how far the model's own arrays reach while it is built. */
struct berth__model_builder {
    int *row, *col;
    double *value;
    size_t n, row_capacity, col_capacity, value_capacity;
    size_t cols[4]; /* capacities of cost, col_lower, col_upper, is_integer */
    size_t rows[2]; /* of row_lower, row_upper */
    size_t col_names, row_names;
};

static bool grow_doubles(double **array, size_t *capacity, size_t count) {
    void *block = *array;
    bool grown = berth__grow(&block, capacity, count, sizeof **array);
    *array = block;
    return grown;
}

static bool grow_ints(int **array, size_t *capacity, size_t count) {
    void *block = *array;
    bool grown = berth__grow(&block, capacity, count, sizeof **array);
    *array = block;
    return grown;
}

static bool grow_bools(bool **array, size_t *capacity, size_t count) {
    void *block = *array;
    bool grown = berth__grow(&block, capacity, count, sizeof **array);
    *array = block;
    return grown;
}

/* Puts a copy of `name` at `index` of a lazily made array; entries before it that had no name are NULL. */
static bool put_name(char ***names, size_t *capacity, size_t index, const char *name) {
    if (name == NULL && *names == NULL) {
        return true;
    }
    size_t old = *capacity;
    void *block = *names;
    if (!berth__grow(&block, capacity, index, sizeof **names)) {
        return false;
    }
    *names = block;
    for (size_t i = old; i < *capacity; i++) {
        (*names)[i] = NULL;
    }
    if (name != NULL) {
        (*names)[index] = berth__strdup(name);
        return (*names)[index] != NULL;
    }
    return true;
}

berth_status berth__model_new(berth__model **out, berth_error *error) {
    *out = NULL;
    berth__model *model = BERTH__NEW_ARRAY(berth__model, 1);
    if (model == NULL) {
        return berth__fail_memory(error);
    }
    model->builder = BERTH__NEW_ARRAY(struct berth__model_builder, 1);
    if (model->builder == NULL) {
        berth__free(model);
        return berth__fail_memory(error);
    }
    *out = model;
    return BERTH_OK;
}

static void builder_free(berth__model *model) {
    if (model->builder != NULL) {
        berth__free(model->builder->row);
        berth__free(model->builder->col);
        berth__free(model->builder->value);
        berth__free(model->builder);
        model->builder = NULL;
    }
}

static void names_free(char **names, int n) {
    for (int i = 0; names != NULL && i < n; i++) {
        berth__free(names[i]);
    }
    berth__free(names);
}

void berth__model_free(berth__model *model) {
    if (model == NULL) {
        return;
    }
    builder_free(model);
    names_free(model->col_name, model->n_cols);
    names_free(model->row_name, model->n_rows);
    berth__free(model->cost);
    berth__free(model->col_lower);
    berth__free(model->col_upper);
    berth__free(model->is_integer);
    berth__free(model->row_lower);
    berth__free(model->row_upper);
    berth__free(model->col_start);
    berth__free(model->row_of);
    berth__free(model->value);
    berth__free(model->row_start);
    berth__free(model->col_of);
    berth__free(model->row_value);
    berth__free(model);
}

static berth_status fail_finished(berth_error *error) {
    return berth__fail(error, BERTH_E_ARGUMENT, "model", "the model is finished");
}

berth_status berth__model_add_col(berth__model *model, const char *name, double cost, double lower, double upper,
                                  bool is_integer, int *col, berth_error *error) {
    struct berth__model_builder *builder = model->builder;
    if (builder == NULL) {
        return fail_finished(error);
    }
    if (model->n_cols == INT_MAX) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "model", "too many columns");
    }
    size_t index = (size_t)model->n_cols;
    if (!grow_doubles(&model->cost, &builder->cols[0], index) ||
        !grow_doubles(&model->col_lower, &builder->cols[1], index) ||
        !grow_doubles(&model->col_upper, &builder->cols[2], index) ||
        !grow_bools(&model->is_integer, &builder->cols[3], index) ||
        !put_name(&model->col_name, &builder->col_names, index, name)) {
        return berth__fail_memory(error);
    }
    model->cost[index] = cost;
    model->col_lower[index] = lower;
    model->col_upper[index] = upper;
    model->is_integer[index] = is_integer;
    model->n_integer += is_integer;
    if (col != NULL) {
        *col = model->n_cols;
    }
    model->n_cols++;
    return BERTH_OK;
}

berth_status berth__model_add_row(berth__model *model, const char *name, double lower, double upper, int *row,
                                  berth_error *error) {
    struct berth__model_builder *builder = model->builder;
    if (builder == NULL) {
        return fail_finished(error);
    }
    if (model->n_rows == INT_MAX) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "model", "too many rows");
    }
    size_t index = (size_t)model->n_rows;
    if (!grow_doubles(&model->row_lower, &builder->rows[0], index) ||
        !grow_doubles(&model->row_upper, &builder->rows[1], index) ||
        !put_name(&model->row_name, &builder->row_names, index, name)) {
        return berth__fail_memory(error);
    }
    model->row_lower[index] = lower;
    model->row_upper[index] = upper;
    if (row != NULL) {
        *row = model->n_rows;
    }
    model->n_rows++;
    return BERTH_OK;
}

berth_status berth__model_add_entry(berth__model *model, int row, int col, double value, berth_error *error) {
    struct berth__model_builder *builder = model->builder;
    if (builder == NULL) {
        return fail_finished(error);
    }
    if (!grow_ints(&builder->row, &builder->row_capacity, builder->n) ||
        !grow_ints(&builder->col, &builder->col_capacity, builder->n) ||
        !grow_doubles(&builder->value, &builder->value_capacity, builder->n)) {
        return berth__fail_memory(error);
    }
    builder->row[builder->n] = row;
    builder->col[builder->n] = col;
    builder->value[builder->n] = value;
    builder->n++;
    return BERTH_OK;
}

/* ---- Checks ---- */

typedef char label[128];

/* "row 'name'", or "row 3" if it has none. */
static const char *label_of(label text, const char *kind, char *const *names, int index) {
    if (names != NULL && names[index] != NULL) {
        snprintf(text, sizeof(label), "%s '%s'", kind, names[index]);
    } else {
        snprintf(text, sizeof(label), "%s %d", kind, index);
    }
    return text;
}

static berth_status check_bounds(const char *kind, char *const *names, int index, double lower, double upper,
                                 berth_error *error) {
    label where;
    if (isnan(lower) || isnan(upper) || lower == (double)INFINITY || upper == -(double)INFINITY) {
        return berth__fail(error, BERTH_E_INPUT, label_of(where, kind, names, index),
                           "bounds [%g, %g] are not numbers, or infinite the wrong way", lower, upper);
    }
    if (lower > upper) {
        return berth__fail(error, BERTH_E_INPUT, label_of(where, kind, names, index),
                           "lower bound %.17g is above upper bound %.17g", lower, upper);
    }
    return BERTH_OK;
}

static berth_status check_vectors(const berth__model *model, berth_error *error) {
    label where;
    if (!isfinite(model->offset)) {
        return berth__fail(error, BERTH_E_INPUT, "offset", "the objective's offset is not finite");
    }
    for (int j = 0; j < model->n_cols; j++) {
        if (!isfinite(model->cost[j])) {
            return berth__fail(error, BERTH_E_INPUT, label_of(where, "column", model->col_name, j),
                               "cost %g is not finite", model->cost[j]);
        }
        berth_status status =
            check_bounds("column", model->col_name, j, model->col_lower[j], model->col_upper[j], error);
        if (status != BERTH_OK) {
            return status;
        }
    }
    for (int i = 0; i < model->n_rows; i++) {
        berth_status status = check_bounds("row", model->row_name, i, model->row_lower[i], model->row_upper[i], error);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

static berth_status check_entries(const berth__model *model, berth_error *error) {
    const struct berth__model_builder *builder = model->builder;
    label row, col;
    for (size_t e = 0; e < builder->n; e++) {
        int i = builder->row[e], j = builder->col[e];
        if (i < 0 || i >= model->n_rows || j < 0 || j >= model->n_cols) {
            return berth__fail(error, BERTH_E_INPUT, "entries",
                               "entry (row %d, column %d) is outside a model of %d rows and %d columns", i, j,
                               model->n_rows, model->n_cols);
        }
        if (!isfinite(builder->value[e])) {
            return berth__fail(error, BERTH_E_INPUT, label_of(row, "row", model->row_name, i),
                               "coefficient %g in %s is not finite", builder->value[e],
                               label_of(col, "column", model->col_name, j));
        }
    }
    return BERTH_OK;
}

/* ---- Sorting into both orders ---- */

/* start[k + 1] += number of keys k, then sums: start[k] is where key k's entries begin. */
static void count_starts(const int *key, size_t n, int n_keys, size_t *start) {
    for (size_t e = 0; e < n; e++) {
        start[key[e] + 1]++;
    }
    for (int k = 0; k < n_keys; k++) {
        start[k + 1] += start[k];
    }
}

/* Moves the starts back after they have served as write positions. */
static void rewind_starts(size_t *start, int n_keys) {
    for (int k = n_keys; k > 0; k--) {
        start[k] = start[k - 1];
    }
    start[0] = 0;
}

/* The same matrix by the other index. Stable, so within each key the order of the source is kept. */
static void transpose(const size_t *from_start, const int *from_index, const double *from_value, int n_from,
                      size_t *start, int *index, double *value, int n_keys) {
    count_starts(from_index, from_start[n_from], n_keys, start);
    for (int k = 0; k < n_from; k++) {
        for (size_t e = from_start[k]; e < from_start[k + 1]; e++) {
            size_t at = start[from_index[e]]++;
            index[at] = k;
            value[at] = from_value[e];
        }
    }
    rewind_starts(start, n_keys);
}

static berth_status check_duplicates(const berth__model *model, berth_error *error) {
    label row, col;
    for (int j = 0; j < model->n_cols; j++) {
        for (size_t e = model->col_start[j]; e + 1 < model->col_start[j + 1]; e++) {
            if (model->row_of[e] == model->row_of[e + 1]) {
                return berth__fail(error, BERTH_E_INPUT, label_of(row, "row", model->row_name, model->row_of[e]),
                                   "two entries in %s", label_of(col, "column", model->col_name, j));
            }
        }
    }
    return BERTH_OK;
}

static void drop_zeros(berth__model *model) {
    size_t kept = 0;
    for (int j = 0; j < model->n_cols; j++) {
        size_t begin = model->col_start[j];
        model->col_start[j] = kept;
        for (size_t e = begin; e < model->col_start[j + 1]; e++) {
            if (model->value[e] != 0) {
                model->row_of[kept] = model->row_of[e];
                model->value[kept] = model->value[e];
                kept++;
            }
        }
    }
    model->col_start[model->n_cols] = kept;
    model->n_entries = kept;
}

static bool allocate_matrix(berth__model *model) {
    size_t n = model->builder->n;
    model->col_start = BERTH__NEW_ARRAY(size_t, (size_t)model->n_cols + 1);
    model->row_start = BERTH__NEW_ARRAY(size_t, (size_t)model->n_rows + 1);
    model->row_of = BERTH__NEW_ARRAY(int, n);
    model->col_of = BERTH__NEW_ARRAY(int, n);
    model->value = BERTH__NEW_ARRAY(double, n);
    model->row_value = BERTH__NEW_ARRAY(double, n);
    return model->col_start != NULL && model->row_start != NULL && model->row_of != NULL && model->col_of != NULL &&
           model->value != NULL && model->row_value != NULL;
}

/* Triplets -> by rows (any order within a row) -> by columns (rows increasing) -> by rows (columns increasing). */
static berth_status build_matrix(berth__model *model, berth_error *error) {
    const struct berth__model_builder *builder = model->builder;
    count_starts(builder->row, builder->n, model->n_rows, model->row_start);
    for (size_t e = 0; e < builder->n; e++) {
        size_t at = model->row_start[builder->row[e]]++;
        model->col_of[at] = builder->col[e];
        model->row_value[at] = builder->value[e];
    }
    rewind_starts(model->row_start, model->n_rows);
    transpose(model->row_start, model->col_of, model->row_value, model->n_rows, model->col_start, model->row_of,
              model->value, model->n_cols);
    berth_status status = check_duplicates(model, error);
    if (status != BERTH_OK) {
        return status;
    }
    drop_zeros(model);
    for (int i = 0; i <= model->n_rows; i++) {
        model->row_start[i] = 0;
    }
    transpose(model->col_start, model->row_of, model->value, model->n_cols, model->row_start, model->col_of,
              model->row_value, model->n_rows);
    return BERTH_OK;
}

/* A model without rows or columns has arrays too, so that users need not look. */
static bool ensure_vectors(berth__model *model) {
    struct berth__model_builder *builder = model->builder;
    return grow_doubles(&model->cost, &builder->cols[0], (size_t)model->n_cols) &&
           grow_doubles(&model->col_lower, &builder->cols[1], (size_t)model->n_cols) &&
           grow_doubles(&model->col_upper, &builder->cols[2], (size_t)model->n_cols) &&
           grow_bools(&model->is_integer, &builder->cols[3], (size_t)model->n_cols) &&
           grow_doubles(&model->row_lower, &builder->rows[0], (size_t)model->n_rows) &&
           grow_doubles(&model->row_upper, &builder->rows[1], (size_t)model->n_rows) &&
           (model->col_name == NULL || put_name(&model->col_name, &builder->col_names, (size_t)model->n_cols, NULL)) &&
           (model->row_name == NULL || put_name(&model->row_name, &builder->row_names, (size_t)model->n_rows, NULL));
}

static void matrix_free(berth__model *model) {
    berth__free(model->col_start);
    berth__free(model->row_start);
    berth__free(model->row_of);
    berth__free(model->col_of);
    berth__free(model->value);
    berth__free(model->row_value);
    model->col_start = model->row_start = NULL;
    model->row_of = model->col_of = NULL;
    model->value = model->row_value = NULL;
    model->n_entries = 0;
}

berth_status berth__model_finish(berth__model *model, berth_error *error) {
    if (model->builder == NULL) {
        return fail_finished(error);
    }
    berth_status status = check_vectors(model, error);
    if (status == BERTH_OK) {
        status = check_entries(model, error);
    }
    if (status != BERTH_OK) {
        return status;
    }
    if (!ensure_vectors(model) || !allocate_matrix(model)) {
        status = berth__fail_memory(error);
    } else {
        status = build_matrix(model, error);
    }
    if (status != BERTH_OK) {
        matrix_free(model);
        return status;
    }
    builder_free(model);
    return BERTH_OK;
}

berth_status berth__model_set_row_bounds(berth__model *model, int row, double lower, double upper, berth_error *error) {
    if (model->builder != NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "model", "the model is not finished");
    }
    if (row < 0 || row >= model->n_rows) {
        return berth__fail(error, BERTH_E_ARGUMENT, "row", "row %d is outside a model of %d rows", row, model->n_rows);
    }
    berth_status status = check_bounds("row", model->row_name, row, lower, upper, error);
    if (status == BERTH_OK) {
        model->row_lower[row] = lower;
        model->row_upper[row] = upper;
    }
    return status;
}

double berth__model_best_alone(const berth__model *model, int col, bool integers) {
    double lower = model->col_lower[col], upper = model->col_upper[col];
    if (integers && model->is_integer[col]) {
        lower = ceil(lower - BERTH__INTEGRALITY);
        upper = floor(upper + BERTH__INTEGRALITY);
        if (lower > upper) {
            return (double)NAN;
        }
    }
    double cost = model->maximize ? -model->cost[col] : model->cost[col];
    if (cost == 0) {
        return lower > 0 ? lower : upper < 0 ? upper : 0;
    }
    return cost > 0 ? lower : upper;
}
