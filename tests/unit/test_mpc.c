#include "formulations/mpc.h"

#include "tests/support/check.h"

#include <string.h>

static berth_error error;

/* min x + 2 y + 3 z;  x + y >= 2;  x + 4 z <= 8, y <= 5;  x <= 3, y integer. */
static berth__mpc *sample(void) {
    berth__mpc *mpc = NULL;
    int x, y, z;
    assert_ok(berth__mpc_new(false, &mpc, &error), error);
    assert_ok(berth__mpc_add_var(mpc, "x", 1, 3, false, -1, &x, &error), error);
    assert_ok(berth__mpc_add_var(mpc, "y", 2, (double)INFINITY, true, 0, &y, &error), error);
    assert_ok(berth__mpc_add_var(mpc, NULL, 3, (double)INFINITY, true, 1, &z, &error), error);
    assert_int_equal(x, 0);
    assert_int_equal(z, 2);
    const int demand[] = {1, 0}, room[] = {0, 2, 1}, cap[] = {1};
    const double ones[] = {1, 1}, loads[] = {1, 4, 0}, one[] = {1};
    assert_ok(berth__mpc_add_cover(mpc, "demand", 2, 2, demand, ones, &error), error);
    assert_ok(berth__mpc_add_pack(mpc, "room", 8, 3, room, loads, &error), error);
    assert_ok(berth__mpc_add_pack(mpc, NULL, 5, 1, cap, one, &error), error);
    return mpc;
}

static void view_shows_rows_without_zeros(void **state) {
    (void)state;
    berth__mpc *mpc = sample();
    berth__packcover view = berth__mpc_view(mpc);
    assert_int_equal(view.n_vars, 3);
    assert_int_equal(view.n_cover, 1);
    assert_int_equal(view.n_pack, 2);
    const size_t starts[] = {0, 2, 4, 5};
    const int cols[] = {1, 0, 0, 2, 1};
    const double values[] = {1, 1, 1, 4, 1}, rhs[] = {2, 8, 5};
    assert_memory_equal(view.row_start, starts, sizeof starts);
    assert_memory_equal(view.col, cols, sizeof cols);
    assert_memory_equal(view.value, values, sizeof values);
    assert_memory_equal(view.rhs, rhs, sizeof rhs);
    assert_false(view.is_integer[0]);
    assert_true(view.is_integer[2]);
    assert_int_equal(berth__mpc_groups(mpc)[0], -1);
    assert_int_equal(berth__mpc_groups(mpc)[2], 1);
    berth__mpc_free(mpc);
}

static void empty_programme_has_a_view(void **state) {
    (void)state;
    berth__mpc *mpc = NULL;
    assert_ok(berth__mpc_new(true, &mpc, &error), error);
    berth__packcover view = berth__mpc_view(mpc);
    assert_int_equal(view.n_vars + view.n_cover + view.n_pack, 0);
    assert_true(view.row_start != NULL && view.row_start[0] == 0);
    berth__mpc_free(mpc);
    berth__mpc_free(NULL);
}

static void model_has_the_same_rows(void **state) {
    (void)state;
    berth__mpc *mpc = sample();
    berth__model *model = NULL;
    assert_ok(berth__mpc_model(mpc, &model, &error), error);
    assert_false(model->maximize);
    assert_int_equal(model->n_cols, 3);
    assert_int_equal(model->n_rows, 3);
    assert_true(model->n_entries == 5);
    assert_int_equal(model->n_integer, 2);
    assert_true(model->row_lower[0] == 2 && isinf(model->row_upper[0]));
    assert_true(isinf(model->row_lower[1]) && model->row_upper[1] == 8);
    assert_true(model->col_upper[0] == 3 && isinf(model->col_upper[1]));
    assert_string_equal(model->row_name[1], "room");
    assert_string_equal(model->col_name[1], "y");
    assert_true(model->row_value[model->row_start[1] + 1] == 4 && model->col_of[model->row_start[1] + 1] == 2);
    berth__row_class classes[3];
    bool fits_the_form = false;
    berth__model_classify(model, classes, &fits_the_form, NULL);
    assert_true(fits_the_form);
    assert_int_equal(classes[0], BERTH__ROW_COVER);
    assert_int_equal(classes[2], BERTH__ROW_PACKING);
    berth__model_free(model);
    berth__mpc_free(mpc);
}

static void right_sides_may_change(void **state) {
    (void)state;
    berth__mpc *mpc = sample();
    assert_ok(berth__mpc_set_rhs(mpc, 0, 7, &error), error);
    assert_true(berth__mpc_view(mpc).rhs[0] == 7);
    assert_int_equal(berth__mpc_set_rhs(mpc, 0, -1, &error), BERTH_E_INPUT);
    assert_int_equal(berth__mpc_set_rhs(mpc, 0, (double)NAN, &error), BERTH_E_INPUT);
    assert_int_equal(berth__mpc_set_rhs(mpc, 3, 1, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth__mpc_set_rhs(mpc, -1, 1, &error), BERTH_E_ARGUMENT);
    assert_true(berth__mpc_view(mpc).rhs[0] == 7);
    berth__mpc_free(mpc);
}

static void faults_are_named_and_leave_no_trace(void **state) {
    (void)state;
    berth__mpc *mpc = sample();
    const int twice[] = {0, 1, 0}, beyond[] = {0, 3}, below[] = {-1}, good[] = {0, 1, 2};
    const double ones[] = {1, 1, 1}, negative[] = {1, -2, 1}, infinite[] = {1, 1, (double)INFINITY};
    assert_int_equal(berth__mpc_add_pack(mpc, "twice", 1, 3, twice, ones, &error), BERTH_E_INPUT);
    assert_string_equal(error.where, "row twice");
    assert_string_equal(error.message, "variable x appears twice");
    assert_int_equal(berth__mpc_add_pack(mpc, NULL, 1, 2, beyond, ones, &error), BERTH_E_INPUT);
    assert_string_equal(error.where, "row 3");
    assert_int_equal(berth__mpc_add_pack(mpc, NULL, 1, 1, below, ones, &error), BERTH_E_INPUT);
    assert_int_equal(berth__mpc_add_pack(mpc, NULL, 1, 3, good, negative, &error), BERTH_E_INPUT);
    assert_non_null(strstr(error.message, "coefficient of variable y is -2"));
    assert_int_equal(berth__mpc_add_pack(mpc, NULL, 1, 3, good, infinite, &error), BERTH_E_INPUT);
    assert_non_null(strstr(error.message, "variable 2"));
    assert_int_equal(berth__mpc_add_pack(mpc, NULL, -1, 3, good, ones, &error), BERTH_E_INPUT);
    assert_int_equal(berth__mpc_add_pack(mpc, NULL, (double)INFINITY, 3, good, ones, &error), BERTH_E_INPUT);
    assert_int_equal(berth__mpc_add_cover(mpc, NULL, 1, 3, good, ones, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth__mpc_add_var(mpc, NULL, 1, 1, true, -1, NULL, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth__mpc_view(mpc).n_pack, 2);
    /* The refused rows named these variables already. */
    assert_ok(berth__mpc_add_pack(mpc, NULL, 1, 3, good, ones, &error), error);
    assert_true(berth__mpc_view(mpc).row_start[4] == 8);
    berth__mpc_free(mpc);
}

static void bad_variables_are_refused(void **state) {
    (void)state;
    berth__mpc *mpc = NULL;
    assert_ok(berth__mpc_new(false, &mpc, &error), error);
    assert_int_equal(berth__mpc_add_var(mpc, "v", -1, 1, true, -1, NULL, &error), BERTH_E_INPUT);
    assert_string_equal(error.where, "variable v");
    assert_int_equal(berth__mpc_add_var(mpc, NULL, (double)NAN, 1, true, -1, NULL, &error), BERTH_E_INPUT);
    assert_int_equal(berth__mpc_add_var(mpc, NULL, (double)INFINITY, 1, true, -1, NULL, &error), BERTH_E_INPUT);
    assert_int_equal(berth__mpc_add_var(mpc, NULL, 1, -1, true, -1, NULL, &error), BERTH_E_INPUT);
    assert_int_equal(berth__mpc_add_var(mpc, NULL, 1, (double)NAN, true, -1, NULL, &error), BERTH_E_INPUT);
    assert_int_equal(berth__mpc_add_var(mpc, NULL, 1, 1, true, -2, NULL, &error), BERTH_E_INPUT);
    assert_int_equal(berth__mpc_view(mpc).n_vars, 0);
    berth__mpc_free(mpc);
}

static void many_rows_grow(void **state) {
    (void)state;
    enum { N = 300 };
    berth__mpc *mpc = NULL;
    int vars[N];
    double values[N];
    assert_ok(berth__mpc_new(true, &mpc, &error), error);
    for (int j = 0; j < N; j++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", j);
        assert_ok(berth__mpc_add_var(mpc, name, j, 1, true, j, &vars[j], &error), error);
        values[j] = j + 1;
    }
    for (int i = 0; i < N; i++) {
        assert_ok(berth__mpc_add_pack(mpc, NULL, i, N, vars, values, &error), error);
    }
    berth__packcover view = berth__mpc_view(mpc);
    assert_true(view.row_start[N] == (size_t)N * N);
    assert_true(view.value[(size_t)N * N - 1] == N && view.rhs[N - 1] == N - 1);
    berth__model *model = NULL;
    assert_ok(berth__mpc_model(mpc, &model, &error), error);
    assert_true(model->maximize && model->cost[N - 1] == N - 1);
    assert_string_equal(model->col_name[N - 1], "v299");
    berth__model_free(model);
    berth__mpc_free(mpc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(view_shows_rows_without_zeros),
        cmocka_unit_test(empty_programme_has_a_view),
        cmocka_unit_test(model_has_the_same_rows),
        cmocka_unit_test(right_sides_may_change),
        cmocka_unit_test(faults_are_named_and_leave_no_trace),
        cmocka_unit_test(bad_variables_are_refused),
        cmocka_unit_test(many_rows_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
