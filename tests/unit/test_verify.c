/* Residuals, Lagrangian bounds and Farkas certificates, from models small enough to know by hand and from
 * random ones where weak duality has to hold. */
#include "base/pcg.h"
#include "solver/verify.h"
#include "tests/support/check.h"

#define INF (double)INFINITY

static berth_error error;

/* min (or max of the negated costs) 10 + 3 x + 2 y, x + y >= 4 (row 0), x + 3 y <= 9 (row 1), x in [0, 3], y >= 0.
 * Optimum x = 1.5, y = 2.5, value 19.5, duals 3.5 and -0.5; y's price is 0 at x off its bounds. */
static berth__model *known_model(bool maximize) {
    berth__model *model = NULL;
    double sign = maximize ? -1 : 1;
    assert_ok(berth__model_new(&model, &error), error);
    model->maximize = maximize;
    model->offset = 10 * sign;
    assert_ok(berth__model_add_col(model, "x", 3 * sign, 0, 3, false, NULL, &error), error);
    assert_ok(berth__model_add_col(model, "y", 2 * sign, 0, INF, false, NULL, &error), error);
    assert_ok(berth__model_add_row(model, NULL, 4, INF, NULL, &error), error);
    assert_ok(berth__model_add_row(model, NULL, -INF, 9, NULL, &error), error);
    assert_ok(berth__model_add_entry(model, 0, 0, 1, &error), error);
    assert_ok(berth__model_add_entry(model, 0, 1, 1, &error), error);
    assert_ok(berth__model_add_entry(model, 1, 0, 1, &error), error);
    assert_ok(berth__model_add_entry(model, 1, 1, 3, &error), error);
    assert_ok(berth__model_finish(model, &error), error);
    return model;
}

static double dual_bound(const berth__model *model, const double *row_dual) {
    berth__residuals r;
    berth__verify(model, NULL, row_dual, &r);
    return r.dual_bound;
}

static void optimum_has_no_residuals(void **state) {
    (void)state;
    for (int maximize = 0; maximize < 2; maximize++) {
        double sign = maximize ? -1 : 1;
        berth__model *model = known_model(maximize);
        const double x[] = {1.5, 2.5}, dual[] = {3.5 * sign, -0.5 * sign};
        berth__residuals r;
        berth__verify(model, x, dual, &r);
        assert_true(r.primal == 0 && r.dual == 0);
        assert_close(r.objective, 19.5 * sign, 1e-15);
        assert_close(r.dual_bound, 19.5 * sign, 1e-15);
        assert_true(r.gap <= 1e-15);
        assert_true(r.worst_row == -1 && r.worst_col == -1);
        berth__model_free(model);
    }
}

static void primal_violations_are_seen(void **state) {
    (void)state;
    berth__model *model = known_model(false);
    berth__residuals r;
    const double below[] = {1.5, 2.4}; /* row 0 lacks 0.1 of 4 */
    berth__verify(model, below, NULL, &r);
    assert_close(r.primal, 0.1 / 4, 1e-12);
    assert_int_equal(r.worst_row, 0);
    assert_true(isnan(r.dual) && isnan(r.gap) && isnan(r.dual_bound));
    const double above[] = {3, 3}; /* row 1 has 3 over 9 */
    berth__verify(model, above, NULL, &r);
    assert_close(r.primal, 3.0 / 9, 1e-12);
    assert_int_equal(r.worst_row, 1);
    const double outside[] = {3.5, 1};
    berth__verify(model, outside, NULL, &r);
    assert_close(r.primal, 0.5 / 3, 1e-12);
    assert_int_equal(r.worst_col, 0);
    assert_int_equal(r.worst_row, -1);
    const double negative[] = {0, -1e-9}; /* relative to the floor, and row 0 is far off */
    berth__verify(model, negative, NULL, &r);
    assert_int_equal(r.worst_row, 0);
    const double nan[] = {(double)NAN, 1};
    berth__verify(model, nan, NULL, &r);
    assert_true(isinf(r.primal));
    berth__model_free(model);
}

/* The same relative error in a row of tiny or huge numbers is the same residual. */
static void residuals_are_relative(void **state) {
    (void)state;
    for (double unit = 1e-6; unit < 1e12; unit *= 1000) {
        berth__model *model = NULL;
        assert_ok(berth__model_new(&model, &error), error);
        assert_ok(berth__model_add_col(model, NULL, 1, 0, INF, false, NULL, &error), error);
        assert_ok(berth__model_add_row(model, NULL, 2 * unit, INF, NULL, &error), error);
        assert_ok(berth__model_add_entry(model, 0, 0, unit, &error), error);
        assert_ok(berth__model_finish(model, &error), error);
        const double x[] = {1.9};
        berth__residuals r;
        berth__verify(model, x, NULL, &r);
        assert_close(r.primal, 0.05, 1e-12);
        berth__model_free(model);
    }
}

static void integrality_is_measured(void **state) {
    (void)state;
    berth__model *model = NULL;
    assert_ok(berth__model_new(&model, &error), error);
    assert_ok(berth__model_add_col(model, NULL, 1, 0, 9, true, NULL, &error), error);
    assert_ok(berth__model_add_col(model, NULL, 1, 0, 9, false, NULL, &error), error);
    assert_ok(berth__model_finish(model, &error), error);
    const double x[] = {2.75, 0.5};
    berth__residuals r;
    berth__verify(model, x, NULL, &r);
    assert_close(r.integrality, 0.25, 1e-15);
    berth__model_free(model);
}

static void wrong_duals_are_clipped_or_refused(void **state) {
    (void)state;
    berth__model *model = known_model(false);
    /* Wrong-signed duals count as 0; the costs alone bound by 10. */
    const double wrong[] = {-1, 1};
    berth__residuals r;
    berth__verify(model, NULL, wrong, &r);
    assert_close(r.dual_bound, 10, 1e-15);
    assert_true(r.dual > 0.3);
    /* Too high a price of row 0 leaves y with a negative reduced cost and no upper bound. */
    const double unbounded[] = {2.5, 0};
    berth__verify(model, NULL, unbounded, &r);
    assert_true(r.dual_bound == -INF);
    assert_close(r.dual, 0.5 / 2.5, 1e-12);
    /* Rounding noise in that place is none. */
    const double noisy[] = {2 + 1e-14, 0};
    assert_close(dual_bound(model, noisy), 18, 1e-12);
    const double nan[] = {(double)NAN, 0};
    assert_true(dual_bound(model, nan) == -INF);
    berth__model_free(model);
    model = known_model(true);
    const double unbounded_max[] = {-2.5, 0};
    assert_true(dual_bound(model, unbounded_max) == INF);
    berth__model_free(model);
}

static void a_suboptimal_claim_shows_a_gap(void **state) {
    (void)state;
    berth__model *model = known_model(false);
    const double x[] = {3, 1}, dual[] = {3.5, -0.5};
    berth__residuals r;
    berth__verify(model, x, dual, &r);
    assert_true(r.primal == 0);
    assert_close(r.gap, (21 - 19.5) / 21, 1e-12);
    berth__model_free(model);
}

static void farkas(void **state) {
    (void)state;
    berth__model *model = known_model(false);
    /* Row 0 at 13: x + y >= 13 against x <= 3, x + 3 y <= 9: 3 row 0 - row 1 gives 2 x >= 30. */
    const double ray[] = {3, -1}, negated[] = {-3, 1}, useless[] = {1, 0}, nan[] = {(double)NAN, -1};
    assert_false(berth__verify_farkas(model, ray));
    assert_ok(berth__model_set_row_bounds(model, 0, 13, INF, &error), error);
    assert_true(berth__verify_farkas(model, ray));
    assert_false(berth__verify_farkas(model, negated));
    assert_false(berth__verify_farkas(model, useless));
    assert_false(berth__verify_farkas(model, nan));
    /* 3 * 5 - 9 = 2 * 3: feasible in one point; a hair further is not; within rounding is no proof. */
    assert_ok(berth__model_set_row_bounds(model, 0, 5, INF, &error), error);
    assert_false(berth__verify_farkas(model, ray));
    assert_ok(berth__model_set_row_bounds(model, 0, 5 + 1e-12, INF, &error), error);
    assert_false(berth__verify_farkas(model, ray));
    assert_ok(berth__model_set_row_bounds(model, 0, 5 + 1e-6, INF, &error), error);
    assert_true(berth__verify_farkas(model, ray));
    berth__model_free(model);
}

/* A random model that contains `x`, with every kind of bound. */
static berth__model *random_feasible(berth__pcg *stream, double *x, int n_cols, int n_rows) {
    berth__model *model = NULL;
    double activity[8] = {0};
    assert_ok(berth__model_new(&model, &error), error);
    model->maximize = berth__pcg_uniform(stream) < 0.5;
    for (int i = 0; i < n_rows; i++) {
        assert_ok(berth__model_add_row(model, NULL, -INF, INF, NULL, &error), error);
    }
    for (int j = 0; j < n_cols; j++) {
        x[j] = 10 * berth__pcg_uniform(stream) - 5;
        double lower = berth__pcg_uniform(stream) < 0.2 ? -INF : x[j] - berth__pcg_uniform(stream);
        double upper = berth__pcg_uniform(stream) < 0.2 ? INF : x[j] + berth__pcg_uniform(stream);
        double cost = 2 * berth__pcg_uniform(stream) - 1;
        assert_ok(berth__model_add_col(model, NULL, cost, lower, upper, false, NULL, &error), error);
        for (int i = 0; i < n_rows; i++) {
            double value = 2 * berth__pcg_uniform(stream) - 1;
            activity[i] += value * x[j];
            assert_ok(berth__model_add_entry(model, i, j, value, &error), error);
        }
    }
    assert_ok(berth__model_finish(model, &error), error);
    for (int i = 0; i < n_rows; i++) {
        double lower = berth__pcg_uniform(stream) < 0.3 ? -INF : activity[i] - berth__pcg_uniform(stream);
        double upper = berth__pcg_uniform(stream) < 0.3 ? INF : activity[i] + berth__pcg_uniform(stream);
        assert_ok(berth__model_set_row_bounds(model, i, lower, upper, &error), error);
    }
    return model;
}

/* Any vector bounds a feasible point's value, and no vector proves a feasible model infeasible. */
static void weak_duality(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(7, 7);
    int finite = 0;
    for (int trial = 0; trial < 5000; trial++) {
        double x[6], dual[8], objective = 0;
        int n_cols = (int)berth__pcg_integer(&stream, 1, 6), n_rows = (int)berth__pcg_integer(&stream, 1, 8);
        berth__model *model = random_feasible(&stream, x, n_cols, n_rows);
        for (int i = 0; i < n_rows; i++) {
            dual[i] = 2 * berth__pcg_uniform(&stream) - 1;
        }
        for (int j = 0; j < n_cols; j++) {
            objective += model->cost[j] * x[j];
        }
        double bound = dual_bound(model, dual);
        finite += isfinite(bound);
        if (model->maximize) {
            assert_at_most(objective, bound, 1e-12);
        } else {
            assert_at_most(bound, objective, 1e-12);
        }
        assert_false(berth__verify_farkas(model, dual));
        berth__model_free(model);
    }
    assert_true(finite > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optimum_has_no_residuals),
        cmocka_unit_test(primal_violations_are_seen),
        cmocka_unit_test(residuals_are_relative),
        cmocka_unit_test(integrality_is_measured),
        cmocka_unit_test(wrong_duals_are_clipped_or_refused),
        cmocka_unit_test(a_suboptimal_claim_shows_a_gap),
        cmocka_unit_test(farkas),
        cmocka_unit_test(weak_duality),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
