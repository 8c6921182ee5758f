/* The model builder, its checks, and the classes of rows. */
#include "base/pcg.h"
#include "solver/model.h"
#include "tests/support/check.h"

#include <string.h>

#define INF (double)INFINITY

static berth_error error;

static berth__model *new_model(void) {
    berth__model *model = NULL;
    assert_ok(berth__model_new(&model, &error), error);
    return model;
}

static void add_col(berth__model *model, const char *name, double cost, double lower, double upper) {
    assert_ok(berth__model_add_col(model, name, cost, lower, upper, false, NULL, &error), error);
}

static void add_row(berth__model *model, const char *name, double lower, double upper) {
    assert_ok(berth__model_add_row(model, name, lower, upper, NULL, &error), error);
}

static void add_entry(berth__model *model, int row, int col, double value) {
    assert_ok(berth__model_add_entry(model, row, col, value, &error), error);
}

/* Two named columns, one named row, one row without a name. */
static berth__model *small_model(void) {
    berth__model *model = new_model();
    add_col(model, "x", 1, 0, 4);
    add_col(model, "y", 2, 0, INF);
    add_row(model, "cover", 1, INF);
    add_row(model, NULL, -INF, 5);
    return model;
}

static void builds_both_orders(void **state) {
    (void)state;
    berth__model *model = small_model();
    add_entry(model, 1, 1, 4);
    add_entry(model, 0, 1, 0);
    add_entry(model, 1, 0, 3);
    add_entry(model, 0, 0, 1);
    assert_ok(berth__model_finish(model, &error), error);
    assert_null(model->builder);
    assert_int_equal(model->n_entries, 3);
    const size_t col_start[] = {0, 2, 3}, row_start[] = {0, 1, 3};
    const int row_of[] = {0, 1, 1}, col_of[] = {0, 0, 1};
    const double value[] = {1, 3, 4};
    assert_memory_equal(model->col_start, col_start, sizeof col_start);
    assert_memory_equal(model->row_start, row_start, sizeof row_start);
    assert_memory_equal(model->row_of, row_of, sizeof row_of);
    assert_memory_equal(model->col_of, col_of, sizeof col_of);
    assert_memory_equal(model->value, value, sizeof value);
    assert_memory_equal(model->row_value, value, sizeof value);
    assert_string_equal(model->col_name[1], "y");
    assert_string_equal(model->row_name[0], "cover");
    assert_null(model->row_name[1]);
    berth__model_free(model);
}

static void empty_models_have_arrays(void **state) {
    (void)state;
    berth__model *model = new_model();
    assert_ok(berth__model_finish(model, &error), error);
    assert_non_null(model->cost);
    assert_non_null(model->row_lower);
    assert_int_equal(model->col_start[0], 0);
    assert_int_equal(model->row_start[0], 0);
    berth__model_free(model);
    berth__model_free(NULL);
}

/* Names given to some columns only, beyond the first growth of the arrays. */
static void names_may_be_sparse(void **state) {
    (void)state;
    berth__model *model = new_model();
    for (int j = 0; j < 100; j++) {
        add_col(model, j == 40 ? "forty" : NULL, 0, 0, 1);
    }
    assert_ok(berth__model_finish(model, &error), error);
    assert_null(model->row_name);
    for (int j = 0; j < 100; j++) {
        if (j == 40) {
            assert_string_equal(model->col_name[j], "forty");
        } else {
            assert_null(model->col_name[j]);
        }
    }
    berth__model_free(model);
}

/* Against a dense matrix, entries in random order. */
static void random_matrices(void **state) {
    (void)state;
    enum { M = 17, N = 23 };
    berth__pcg stream = berth__pcg_seed(1, 2);
    for (int trial = 0; trial < 50; trial++) {
        double dense[M][N] = {{0}};
        int order[M * N];
        for (int e = 0; e < M * N; e++) {
            order[e] = e;
        }
        berth__model *model = new_model();
        for (int i = 0; i < M; i++) {
            add_row(model, NULL, -INF, i);
        }
        for (int j = 0; j < N; j++) {
            add_col(model, NULL, j, 0, 1);
        }
        for (int e = M * N - 1; e >= 0; e--) {
            int at = (int)berth__pcg_integer(&stream, 0, e), cell = order[at];
            order[at] = order[e];
            if (berth__pcg_uniform(&stream) < 0.4) {
                dense[cell / N][cell % N] = (double)berth__pcg_integer(&stream, -2, 2);
                add_entry(model, cell / N, cell % N, dense[cell / N][cell % N]);
            }
        }
        assert_ok(berth__model_finish(model, &error), error);
        size_t n = 0;
        for (int j = 0; j < N; j++) {
            for (int i = 0; i < M; i++) {
                if (dense[i][j] != 0) {
                    assert_true(n < model->col_start[j + 1]);
                    assert_int_equal(model->row_of[n], i);
                    assert_true(model->value[n] == dense[i][j]);
                    n++;
                }
            }
            assert_int_equal(model->col_start[j + 1], n);
        }
        assert_int_equal(model->n_entries, n);
        n = 0;
        for (int i = 0; i < M; i++) {
            for (int j = 0; j < N; j++) {
                if (dense[i][j] != 0) {
                    assert_int_equal(model->col_of[n], j);
                    assert_true(model->row_value[n] == dense[i][j]);
                    n++;
                }
            }
            assert_int_equal(model->row_start[i + 1], n);
        }
        berth__model_free(model);
    }
}

/* finish fails with E_INPUT, `where` and a word of the message as given. Frees the model. */
static void assert_rejected(berth__model *model, const char *where, const char *word) {
    assert_int_equal(berth__model_finish(model, &error), BERTH_E_INPUT);
    assert_string_equal(error.where, where);
    if (strstr(error.message, word) == NULL) {
        fail_msg("'%s' not in '%s'", word, error.message);
    }
    berth__model_free(model);
}

static void rejects_bad_vectors(void **state) {
    (void)state;
    const double bad_bounds[][2] = {{(double)NAN, 1}, {0, (double)NAN}, {2, 1}, {INF, INF}, {-INF, -INF}, {INF, -INF}};
    for (size_t k = 0; k < sizeof bad_bounds / sizeof *bad_bounds; k++) {
        berth__model *model = small_model();
        add_col(model, "z", 0, bad_bounds[k][0], bad_bounds[k][1]);
        assert_rejected(model, "column 'z'", "bound");
        model = small_model();
        add_row(model, NULL, bad_bounds[k][0], bad_bounds[k][1]);
        assert_rejected(model, "row 2", "bound");
    }
    const double bad_costs[] = {(double)NAN, INF, -INF};
    for (size_t k = 0; k < 3; k++) {
        berth__model *model = small_model();
        add_col(model, NULL, bad_costs[k], 0, 1);
        assert_rejected(model, "column 2", "cost");
        model = small_model();
        model->offset = bad_costs[k];
        assert_rejected(model, "offset", "offset");
    }
}

static void rejects_bad_entries(void **state) {
    (void)state;
    const double bad_values[] = {(double)NAN, INF, -INF};
    for (size_t k = 0; k < 3; k++) {
        berth__model *model = small_model();
        add_entry(model, 0, 1, bad_values[k]);
        assert_rejected(model, "row 'cover'", "column 'y'");
    }
    const int outside[][2] = {{-1, 0}, {2, 0}, {0, -1}, {0, 2}};
    for (size_t k = 0; k < 4; k++) {
        berth__model *model = small_model();
        add_entry(model, outside[k][0], outside[k][1], 1);
        assert_rejected(model, "entries", "outside");
    }
    /* A zero counts: the input is at fault all the same. */
    for (int zero = 0; zero < 2; zero++) {
        berth__model *model = small_model();
        add_entry(model, 0, 0, 1);
        add_entry(model, 1, 1, 1);
        add_entry(model, 1, 0, 1);
        add_entry(model, 1, 1, zero ? 0 : 2);
        assert_rejected(model, "row 1", "two entries in column 'y'");
    }
}

/* A model that finish refused can be put right and finished. */
static void finish_can_be_repeated(void **state) {
    (void)state;
    berth__model *model = small_model();
    add_entry(model, 0, 2, 7);
    assert_int_equal(berth__model_finish(model, NULL), BERTH_E_INPUT);
    add_col(model, NULL, 0, 0, 1);
    assert_ok(berth__model_finish(model, &error), error);
    assert_int_equal(model->n_entries, 1);
    assert_int_equal(berth__model_finish(model, NULL), BERTH_E_ARGUMENT);
    assert_int_equal(berth__model_add_col(model, NULL, 0, 0, 1, false, NULL, NULL), BERTH_E_ARGUMENT);
    assert_int_equal(berth__model_add_row(model, NULL, 0, 1, NULL, NULL), BERTH_E_ARGUMENT);
    assert_int_equal(berth__model_add_entry(model, 0, 0, 1, NULL), BERTH_E_ARGUMENT);
    berth__model_free(model);
}

static void row_bounds_change(void **state) {
    (void)state;
    berth__model *model = small_model();
    assert_int_equal(berth__model_set_row_bounds(model, 0, 1, 2, NULL), BERTH_E_ARGUMENT);
    assert_ok(berth__model_finish(model, &error), error);
    assert_ok(berth__model_set_row_bounds(model, 0, 3, 7, &error), error);
    assert_true(model->row_lower[0] == 3 && model->row_upper[0] == 7);
    assert_int_equal(berth__model_set_row_bounds(model, 0, 8, 7, &error), BERTH_E_INPUT);
    assert_string_equal(error.where, "row 'cover'");
    assert_int_equal(berth__model_set_row_bounds(model, 0, (double)NAN, 7, &error), BERTH_E_INPUT);
    assert_int_equal(berth__model_set_row_bounds(model, 2, 1, 7, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth__model_set_row_bounds(model, -1, 1, 7, &error), BERTH_E_ARGUMENT);
    assert_true(model->row_lower[0] == 3 && model->row_upper[0] == 7);
    berth__model_free(model);
}

static void classes_of_rows(void **state) {
    (void)state;
    const struct {
        double a, b, lower, upper;
        berth__row_class class;
    } cases[] = {
        {1, 2, -INF, INF, BERTH__ROW_FREE}, {1, -2, -INF, INF, BERTH__ROW_FREE},  {1, 2, 3, INF, BERTH__ROW_COVER},
        {1, 0, 0, INF, BERTH__ROW_COVER},   {-1, -2, -INF, -3, BERTH__ROW_COVER}, {1, 2, -INF, 3, BERTH__ROW_PACKING},
        {1, 2, 0, 3, BERTH__ROW_PACKING},   {1, 2, -1, 0, BERTH__ROW_PACKING},    {-1, -2, -3, INF, BERTH__ROW_PACKING},
        {1, 2, 1, 3, BERTH__ROW_BOTH},      {1, 2, 3, 3, BERTH__ROW_BOTH},        {-1, 0, -3, -1, BERTH__ROW_BOTH},
        {1, -2, 1, INF, BERTH__ROW_MIXED},  {1, 2, -1, INF, BERTH__ROW_FREE},     {1, 2, -INF, -1, BERTH__ROW_MIXED},
        {-1, -2, 1, INF, BERTH__ROW_MIXED}, {-1, -2, -INF, 1, BERTH__ROW_FREE},   {1, 2, -3, -1, BERTH__ROW_MIXED},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        berth__model *model = new_model();
        add_col(model, NULL, 1, 0, INF);
        add_col(model, NULL, 1, 0, 1);
        add_row(model, NULL, cases[k].lower, cases[k].upper);
        add_entry(model, 0, 0, cases[k].a);
        add_entry(model, 0, 1, cases[k].b);
        assert_ok(berth__model_finish(model, &error), error);
        berth__row_class class;
        bool fits;
        const char *reason;
        berth__model_classify(model, &class, &fits, &reason);
        assert_int_equal(class, cases[k].class);
        assert_int_equal(fits, cases[k].class != BERTH__ROW_MIXED);
        assert_true((reason == NULL) == fits);
        berth__model_classify(model, NULL, &fits, NULL);
        assert_int_equal(fits, cases[k].class != BERTH__ROW_MIXED);
        berth__model_free(model);
    }
}

static void columns_decide_too(void **state) {
    (void)state;
    const struct {
        double cost, lower;
        bool maximize, fits;
        double other_cost;
    } cases[] = {{1, 0, false, true, 2},    {1, 0, true, true, 0},    {-1, 0, false, true, -2},
                 {-1, 0, true, true, 0},    {-1, 0, false, false, 2}, {1, 0, true, false, -2},
                 {1, -1, false, true, 0.5}, {1, 0.5, false, true, 0}, {0, -INF, false, false, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        berth__model *model = new_model();
        model->maximize = cases[k].maximize;
        add_col(model, NULL, cases[k].cost, cases[k].lower, 2);
        add_col(model, NULL, cases[k].other_cost, 0, 2);
        assert_ok(berth__model_finish(model, &error), error);
        bool fits;
        berth__model_classify(model, NULL, &fits, NULL);
        assert_int_equal(fits, cases[k].fits);
        berth__model_free(model);
    }
}

/* x + 2 y and its negation, x >= 0.1 and y >= 0.2, so that the row is 0.5 at least. */
static void rows_count_from_lower_bounds(void **state) {
    (void)state;
    const struct {
        double lower, upper;
        berth__row_class class;
        double cover, packing;
    } cases[] = {
        {2, INF, BERTH__ROW_COVER, 1.5, INF},      {0.5, INF, BERTH__ROW_COVER, 0, INF},
        {0.25, INF, BERTH__ROW_FREE, -0.25, INF},  {-INF, 2, BERTH__ROW_PACKING, -INF, 1.5},
        {-INF, 0.5, BERTH__ROW_PACKING, -INF, 0},  {-INF, 0.25, BERTH__ROW_MIXED, -INF, -0.25},
        {0.25, 2, BERTH__ROW_PACKING, -0.25, 1.5}, {1, 2, BERTH__ROW_BOTH, 0.5, 1.5},
        {0.5, 0.5, BERTH__ROW_PACKING, 0, 0},      {-INF, INF, BERTH__ROW_FREE, -INF, INF},
    };
    for (size_t k = 0; k < 2 * (sizeof cases / sizeof *cases); k++) {
        size_t of = k / 2;
        double sign = k % 2 == 0 ? 1 : -1;
        berth__model *model = new_model();
        add_col(model, NULL, 1, 0.1, INF);
        add_col(model, NULL, 1, 0.2, 1);
        add_row(model, NULL, sign > 0 ? cases[of].lower : -cases[of].upper,
                sign > 0 ? cases[of].upper : -cases[of].lower);
        add_entry(model, 0, 0, sign);
        add_entry(model, 0, 1, 2 * sign);
        assert_ok(berth__model_finish(model, &error), error);
        berth__row_view view = berth__model_view_row(model, 0);
        assert_int_equal(view.class, cases[of].class);
        assert_true(view.sign == (view.class == BERTH__ROW_FREE && isinf(cases[of].cover) ? 1 : sign));
        assert_close(view.cover, cases[of].cover, 1e-15);
        assert_close(view.packing, cases[of].packing, 1e-15);
        berth__model_free(model);
    }
}

/* A row whose right side is the sum of its columns' lower bounds, as decimal fractions round: 0, not a little below. */
static void rounding_is_no_right_side(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(7, 3);
    for (int trial = 0; trial < 500; trial++) {
        berth__model *model = new_model();
        int n = (int)berth__pcg_integer(&stream, 1, 40);
        double forwards = 0, lower[40];
        for (int j = 0; j < n; j++) {
            lower[j] = (double)berth__pcg_integer(&stream, 1, 999) / 1000;
            add_col(model, NULL, 1, lower[j], INF);
        }
        for (int j = n - 1; j >= 0; j--) {
            forwards += 0.1 * lower[j];
        }
        add_row(model, NULL, -INF, forwards);
        for (int j = 0; j < n; j++) {
            add_entry(model, 0, j, 0.1);
        }
        assert_ok(berth__model_finish(model, &error), error);
        berth__row_view view = berth__model_view_row(model, 0);
        assert_int_equal(view.class, BERTH__ROW_PACKING);
        assert_true(view.packing == 0);
        berth__model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_count_from_lower_bounds),
        cmocka_unit_test(rounding_is_no_right_side),
        cmocka_unit_test(builds_both_orders),
        cmocka_unit_test(empty_models_have_arrays),
        cmocka_unit_test(names_may_be_sparse),
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(rejects_bad_vectors),
        cmocka_unit_test(rejects_bad_entries),
        cmocka_unit_test(finish_can_be_repeated),
        cmocka_unit_test(row_bounds_change),
        cmocka_unit_test(classes_of_rows),
        cmocka_unit_test(columns_decide_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
