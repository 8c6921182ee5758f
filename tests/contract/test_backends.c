/* One suite for every backend, which does not know which one it runs: the backend's own claims ("raw"),
 * checked with solver/verify, and the front's results with that backend first. */
#define _POSIX_C_SOURCE 200809L
#include "base/alloc.h"
#include "base/pcg.h"
#include "solver/solve.h"
#include "solver/verify.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INF (double)INFINITY

static berth_error error;

/* The backend under test and a set that holds it and all others. */
typedef struct test_subject {
    const berth_backend *backend;
    berth_backends *set;
} test_subject;

static bool has_mip(const test_subject *subject) {
    return (subject->backend->abilities & BERTH__BACKEND_MIP) != 0;
}

/* ---- Models ---- */

/* From dense rows; integers: all columns are. */
static berth__model *dense_model(bool maximize, bool integers, int n_cols, int n_rows, const double *cost,
                                 const double *col_lower, const double *col_upper, const double *matrix,
                                 const double *row_lower, const double *row_upper) {
    berth__model *model = NULL;
    assert_ok(berth__model_new(&model, &error), error);
    model->maximize = maximize;
    for (int j = 0; j < n_cols; j++) {
        assert_ok(berth__model_add_col(model, NULL, cost[j], col_lower[j], col_upper[j], integers, NULL, &error),
                  error);
    }
    for (int i = 0; i < n_rows; i++) {
        assert_ok(berth__model_add_row(model, NULL, row_lower[i], row_upper[i], NULL, &error), error);
        for (int j = 0; j < n_cols; j++) {
            assert_ok(berth__model_add_entry(model, i, j, matrix[i * n_cols + j], &error), error);
        }
    }
    assert_ok(berth__model_finish(model, &error), error);
    return model;
}

/* A session with one backend, without the front. */
typedef struct session {
    const berth__model *model;
    const berth_backend *backend;
    void *state;
    berth__lp_result result;
} session;

static session *session_new(const berth_backend *backend, const berth__model *model) {
    session *s = BERTH__NEW_ARRAY(session, 1);
    size_t n = (size_t)model->n_cols, m = (size_t)model->n_rows;
    s->model = model;
    s->backend = backend;
    s->result.x = BERTH__NEW_ARRAY(double, n);
    s->result.reduced_cost = BERTH__NEW_ARRAY(double, n);
    s->result.row_dual = BERTH__NEW_ARRAY(double, m);
    s->result.ray = BERTH__NEW_ARRAY(double, m);
    assert_ok(backend->open(model, &s->state, &error), error);
    return s;
}

static void session_free(session *s) {
    s->backend->close(s->state);
    berth__free(s->result.x);
    berth__free(s->result.reduced_cost);
    berth__free(s->result.row_dual);
    berth__free(s->result.ray);
    berth__free(s);
}

static const berth__lp_result *session_solve(session *s, const berth__lp_options *options, bool warm) {
    s->result.has_primal = s->result.has_dual = s->result.has_ray = false;
    s->result.iterations = s->result.nodes = 0;
    s->result.bound = s->model->maximize ? INF : -INF;
    assert_ok(s->backend->solve(s->state, options, warm, &s->result, &error), error);
    return &s->result;
}

/* The claim "optimal" of an LP holds; returns the objective. */
static double assert_proven(const berth__model *model, const berth__lp_result *result) {
    assert_int_equal(result->outcome, BERTH_OPTIMAL);
    assert_true(result->has_primal && result->has_dual);
    berth__residuals r;
    berth__verify(model, result->x, result->row_dual, &r);
    assert_at_most(r.primal, 1e-7, 0);
    assert_at_most(r.gap, 1e-7, 0);
    return r.objective;
}

static const berth__lp_options *variant(int k) {
    static const berth__lp_options variants[] = {
        {.scaling = true, .integers = true},
        {.integers = true},
        {.presolve = true, .scaling = true, .integers = true},
        {.presolve = true, .integers = true},
        {.scaling = true, .integers = true, .cuts = true},
    };
    return &variants[k];
}
enum { N_VARIANTS = 5 };

/* Raw, in all variants, and by the front: the same optimum everywhere. */
static void assert_optimum(const test_subject *subject, berth__model *model, double objective) {
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    assert_ok(berth__lp_open(model, subject->set, subject->backend->name, &lp, &error), error);
    for (int k = 0; k < N_VARIANTS; k++) {
        if (model->n_entries > 0) {
            session *s = session_new(subject->backend, model);
            assert_close(assert_proven(model, session_solve(s, variant(k), false)), objective, 1e-7);
            session_free(s);
        }
        assert_ok(berth__lp_solve(lp, variant(k), &result, &error), error);
        assert_close(assert_proven(model, result), objective, 1e-7);
        assert_close(result->objective, objective, 1e-7);
        assert_close(result->bound, objective, 1e-7);
        for (int j = 0; j < model->n_cols; j++) {
            assert_true(result->x[j] >= model->col_lower[j] && result->x[j] <= model->col_upper[j]);
        }
    }
    assert_int_equal(berth__lp_second_opinions(lp), 0);
    berth__lp_close(lp);
}

static berth_outcome front_outcome(const test_subject *subject, berth__model *model, const berth__lp_options *options) {
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    assert_ok(berth__lp_open(model, subject->set, subject->backend->name, &lp, &error), error);
    assert_ok(berth__lp_solve(lp, options, &result, &error), error);
    berth_outcome outcome = result->outcome;
    if (result->has_ray) {
        assert_true(outcome == BERTH_INFEASIBLE && berth__verify_farkas(model, result->ray));
    }
    assert_false(result->has_primal && outcome == BERTH_INFEASIBLE);
    berth__lp_close(lp);
    return outcome;
}

/* Raw and by the front. */
static void assert_outcome(const test_subject *subject, berth__model *model, berth_outcome outcome) {
    for (int k = 0; k < N_VARIANTS; k++) {
        if (model->n_entries > 0) {
            session *s = session_new(subject->backend, model);
            const berth__lp_result *result = session_solve(s, variant(k), false);
            assert_int_equal(result->outcome, outcome);
            session_free(s);
        }
        assert_int_equal(front_outcome(subject, model, variant(k)), outcome);
    }
}

/* ---- Known answers ---- */

/* max 3 x + 2 y, x + y <= 4, x + 3 y <= 7, x <= 3: (3, 1), 11; duals 2, 0, 1; and its mirror image. */
static void known_duals(void **state) {
    const test_subject *subject = *state;
    const double matrix[] = {1, 1, 1, 3, 1, 0}, row_lower[] = {-INF, -INF, -INF}, row_upper[] = {4, 7, 3};
    const double zero[] = {0, 0}, none[] = {INF, INF}, profit[] = {3, 2}, cost[] = {-3, -2};
    for (int maximize = 0; maximize < 2; maximize++) {
        double sign = maximize ? 1 : -1;
        berth__model *model =
            dense_model(maximize, false, 2, 3, maximize ? profit : cost, zero, none, matrix, row_lower, row_upper);
        assert_optimum(subject, model, 11 * sign);
        for (int k = 0; k < N_VARIANTS; k++) {
            session *s = session_new(subject->backend, model);
            const berth__lp_result *result = session_solve(s, variant(k), false);
            const double dual[] = {2 * sign, 0, 1 * sign}, x[] = {3, 1};
            for (int i = 0; i < 3; i++) {
                assert_close(result->row_dual[i], dual[i], 1e-9);
            }
            for (int j = 0; j < 2; j++) {
                assert_close(result->x[j], x[j], 1e-9);
            }
            session_free(s);
        }
        berth__model_free(model);
    }
}

/* The front fills in reduced costs and keeps the offset. */
static void reduced_costs_and_offset(void **state) {
    const test_subject *subject = *state;
    const double cost[] = {2, 3}, lower[] = {0, 0}, upper[] = {10, 10}, matrix[] = {1, 1}, at_least[] = {4},
                 none[] = {INF};
    berth__model *model = dense_model(false, false, 2, 1, cost, lower, upper, matrix, at_least, none);
    model->offset = 100;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    assert_ok(berth__lp_open(model, subject->set, subject->backend->name, &lp, &error), error);
    assert_ok(berth__lp_solve(lp, variant(0), &result, &error), error);
    assert_close(result->objective, 108, 1e-12);
    assert_close(result->bound, 108, 1e-12);
    assert_close(result->row_dual[0], 2, 1e-12);
    assert_close(result->reduced_cost[0], 0, 1e-12);
    assert_close(result->reduced_cost[1], 1, 1e-12);
    berth__lp_close(lp);
    berth__model_free(model);
}

static void equalities_ranges_and_free_columns(void **state) {
    const test_subject *subject = *state;
    /* min x + 2 y - z, x + y + z = 2, -1 <= x - y <= 1, z <= 3, x and y free: z = 3, x + y = -1, x - y = 1. */
    const double cost[] = {1, 2, -1}, lower[] = {-INF, -INF, 0}, upper[] = {INF, INF, 3};
    const double matrix[] = {1, 1, 1, 1, -1, 0}, row_lower[] = {2, -1}, row_upper[] = {2, 1};
    berth__model *model = dense_model(false, false, 3, 2, cost, lower, upper, matrix, row_lower, row_upper);
    assert_optimum(subject, model, 0 + 2 * -1.0 - 3);
    berth__model_free(model);
}

/* Beale's example, on which a careless simplex cycles: -0.05. */
static void degenerate(void **state) {
    const test_subject *subject = *state;
    const double cost[] = {-0.75, 150, -0.02, 6}, lower[4] = {0}, upper[] = {INF, INF, INF, INF};
    const double matrix[] = {0.25, -60, -0.04, 9, 0.5, -90, -0.02, 3, 0, 0, 1, 0};
    const double row_lower[] = {-INF, -INF, -INF}, row_upper[] = {0, 0, 1};
    berth__model *model = dense_model(false, false, 4, 3, cost, lower, upper, matrix, row_lower, row_upper);
    assert_optimum(subject, model, -0.05);
    berth__model_free(model);
}

/* A free row, a row without entries, a fixed column, a column without entries. */
static void odd_rows_and_columns(void **state) {
    const test_subject *subject = *state;
    const double cost[] = {1, 5, -2}, lower[] = {0, 2, 0}, upper[] = {INF, 2, 7};
    const double matrix[] = {1, 1, 0, 3, -1, 0, 0, 0, 0}, row_lower[] = {3, -INF, -1}, row_upper[] = {INF, INF, 1};
    berth__model *model = dense_model(false, false, 3, 3, cost, lower, upper, matrix, row_lower, row_upper);
    assert_optimum(subject, model, 1 + 10 - 14);
    assert_ok(berth__model_set_row_bounds(model, 2, 0.5, 1, &error), error);
    assert_outcome(subject, model, BERTH_INFEASIBLE);
    berth__model_free(model);
}

static void infeasible_and_unbounded(void **state) {
    const test_subject *subject = *state;
    const double cost[] = {-1, 1}, zero[] = {0, 0}, none[] = {INF, INF}, matrix[] = {1, 1, 1, -1};
    const double row_lower[] = {1, -INF}, row_upper[] = {INF, INF}, capped[] = {0.5, INF};
    berth__model *model = dense_model(false, false, 2, 2, cost, zero, none, matrix, row_lower, row_upper);
    assert_outcome(subject, model, BERTH_UNBOUNDED);
    berth__model_free(model);
    const double infeasible_lower[] = {-INF, 1};
    model = dense_model(false, false, 2, 2, cost, zero, none, matrix, infeasible_lower, capped);
    assert_outcome(subject, model, BERTH_INFEASIBLE);
    berth__model_free(model);
}

/* Dual simplex leaves a certificate of a plain infeasible model. */
static void farkas_is_offered(void **state) {
    const test_subject *subject = *state;
    const double cost[] = {1, 1}, zero[] = {0, 0}, ten[] = {10, 10}, matrix[] = {1, 1, 1, 2};
    const double row_lower[] = {5, -INF}, row_upper[] = {INF, 4};
    berth__model *model = dense_model(false, false, 2, 2, cost, zero, ten, matrix, row_lower, row_upper);
    session *s = session_new(subject->backend, model);
    const berth__lp_result *result = session_solve(s, variant(0), false);
    assert_int_equal(result->outcome, BERTH_INFEASIBLE);
    assert_true(result->has_ray);
    assert_true(berth__verify_farkas(model, result->ray));
    session_free(s);
    berth__model_free(model);
}

static void models_without_entries(void **state) {
    const test_subject *subject = *state;
    const double nothing[1] = {0}, cost[] = {2, -3, 0}, lower[] = {-1, 0, 4}, upper[] = {5, 6, INF},
                 open[] = {5, INF, INF};
    berth__model *model = dense_model(false, false, 0, 0, nothing, nothing, nothing, nothing, nothing, nothing);
    assert_optimum(subject, model, 0);
    berth__model_free(model);
    model = dense_model(false, false, 3, 0, cost, lower, upper, nothing, nothing, nothing);
    assert_optimum(subject, model, -2 - 18);
    berth__model_free(model);
    model = dense_model(true, false, 3, 0, cost, lower, upper, nothing, nothing, nothing);
    assert_optimum(subject, model, 10);
    berth__model_free(model);
    model = dense_model(false, false, 3, 0, cost, lower, open, nothing, nothing, nothing);
    assert_outcome(subject, model, BERTH_UNBOUNDED);
    berth__model_free(model);
    const double row_lower[] = {-1, 1}, row_upper[] = {1, INF}, zeros[6] = {0};
    model = dense_model(false, false, 3, 1, cost, lower, upper, zeros, row_lower, row_upper);
    assert_optimum(subject, model, -20);
    berth__model_free(model);
    model = dense_model(false, false, 3, 2, cost, lower, open, zeros, row_lower, row_upper);
    assert_outcome(subject, model, BERTH_INFEASIBLE);
    berth__model_free(model);
    const double half[] = {0.25, 0, 4}, below[] = {0.75, 6, 9};
    model = dense_model(false, true, 3, 0, cost, half, below, nothing, nothing, nothing);
    assert_int_equal(front_outcome(subject, model, variant(0)), BERTH_INFEASIBLE);
    berth__model_free(model);
}

/* ---- Random models ---- */

static double random_integer(berth__pcg *stream, int low, int high) {
    return (double)berth__pcg_integer(stream, low, high);
}

enum { MOST_COLS = 12, MOST_ROWS = 10 };

/* Small integer data, so ties and degeneracy abound; about one in six is infeasible or unbounded. */
static berth__model *random_model(berth__pcg *stream) {
    double cost[MOST_COLS], lower[MOST_COLS], upper[MOST_COLS], matrix[MOST_COLS * MOST_ROWS], inside[MOST_COLS];
    double row_lower[MOST_ROWS], row_upper[MOST_ROWS];
    int n = (int)berth__pcg_integer(stream, 1, MOST_COLS), m = (int)berth__pcg_integer(stream, 1, MOST_ROWS);
    double shift = berth__pcg_uniform(stream) < 0.15 ? 6 : 0; /* > 0: `inside` need not be feasible */
    for (int j = 0; j < n; j++) {
        double kind = berth__pcg_uniform(stream);
        inside[j] = random_integer(stream, -3, 5);
        cost[j] = random_integer(stream, -9, 9);
        lower[j] = kind < 0.1 ? -INF : inside[j] - random_integer(stream, 0, 3);
        upper[j] = kind > 0.05 && kind < 0.15 ? INF : inside[j] + random_integer(stream, 0, 4);
    }
    for (int i = 0; i < m; i++) {
        double activity = 0, kind = berth__pcg_uniform(stream);
        for (int j = 0; j < n; j++) {
            matrix[i * n + j] = berth__pcg_uniform(stream) < 0.5 ? random_integer(stream, -5, 5) : 0;
            activity += matrix[i * n + j] * inside[j];
        }
        activity += shift * random_integer(stream, -1, 1);
        row_lower[i] = kind < 0.4 ? -INF : activity - (kind > 0.8 ? 0 : random_integer(stream, 0, 4));
        row_upper[i] = kind >= 0.35 && kind < 0.7 ? INF : activity + (kind > 0.8 ? 0 : random_integer(stream, 0, 4));
    }
    return dense_model(berth__pcg_uniform(stream) < 0.5, false, n, m, cost, lower, upper, matrix, row_lower, row_upper);
}

/* Optima are proven by their duals, so no second backend is needed as an oracle; infeasible and unbounded are
 * compared with the others' answer. */
static void random_models(void **state) {
    const test_subject *subject = *state;
    berth__pcg stream = berth__pcg_seed(42, 1);
    int n_optimal = 0, n_infeasible = 0, n_unbounded = 0, n_rays = 0;
    for (int trial = 0; trial < 2000; trial++) {
        berth__model *model = random_model(&stream);
        if (model->n_entries == 0) {
            berth__model_free(model);
            continue;
        }
        session *s = session_new(subject->backend, model);
        const berth__lp_result *result = session_solve(s, variant(trial % N_VARIANTS), false);
        for (size_t k = 0; k < berth_backends_count(subject->set); k++) {
            const berth_backend *other =
                berth__backend_find(subject->set, berth_backends_name(subject->set, k), BERTH__BACKEND_LP);
            if (other == NULL) {
                continue; /* approximate */
            }
            session *t = session_new(other, model);
            const berth__lp_result *opinion = session_solve(t, variant(0), false);
            assert_int_equal(result->outcome, opinion->outcome);
            if (opinion->outcome == BERTH_OPTIMAL) {
                assert_close(assert_proven(model, result), assert_proven(model, opinion), 1e-7);
            }
            session_free(t);
        }
        n_optimal += result->outcome == BERTH_OPTIMAL;
        n_infeasible += result->outcome == BERTH_INFEASIBLE;
        n_unbounded += result->outcome == BERTH_UNBOUNDED;
        n_rays += result->has_ray && berth__verify_farkas(model, result->ray);
        assert_int_equal(front_outcome(subject, model, variant(trial % N_VARIANTS)), result->outcome);
        session_free(s);
        berth__model_free(model);
    }
    /* All kinds were met. Half of the solves presolve, and those carry no certificate. */
    assert_true(n_optimal > 1000 && n_infeasible > 70 && n_unbounded > 20);
    assert_true(n_rays * 3 > n_infeasible);
}

/* A chain of changed right sides: each warm solve says what a cold one says. */
static void warm_restarts(void **state) {
    const test_subject *subject = *state;
    berth__pcg stream = berth__pcg_seed(42, 2);
    int n_optimal = 0, n_infeasible = 0;
    for (int trial = 0; trial < 100; trial++) {
        berth__model *model = random_model(&stream);
        berth__lp *lp = NULL;
        const berth__lp_result *result = NULL;
        assert_ok(berth__lp_open(model, subject->set, subject->backend->name, &lp, &error), error);
        for (int step = 0; step < 15; step++) {
            int row = (int)berth__pcg_integer(&stream, 0, model->n_rows - 1);
            double move = random_integer(&stream, -2, 2);
            assert_ok(
                berth__lp_set_row_bounds(lp, row, model->row_lower[row] + move, model->row_upper[row] + move, &error),
                error);
            assert_ok(berth__lp_solve(lp, variant(0), &result, &error), error);
            berth_outcome cold = front_outcome(subject, model, variant(2));
            assert_int_equal(result->outcome, cold);
            if (cold == BERTH_OPTIMAL && model->n_entries > 0) {
                session *s = session_new(subject->backend, model);
                assert_close(assert_proven(model, result), assert_proven(model, session_solve(s, variant(0), false)),
                             1e-7);
                session_free(s);
            }
            n_optimal += cold == BERTH_OPTIMAL;
            n_infeasible += cold == BERTH_INFEASIBLE;
        }
        berth__lp_close(lp);
        berth__model_free(model);
    }
    assert_true(n_optimal > 300 && n_infeasible > 100);
}

/* Rows and columns in wild units: the optimum is the same number, or the front owns up to numeric trouble. */
static void badly_scaled(void **state) {
    const test_subject *subject = *state;
    berth__pcg stream = berth__pcg_seed(42, 3);
    int n_solved = 0, n_numeric = 0;
    for (int trial = 0; trial < 400; trial++) {
        berth__model *model = random_model(&stream), *scaled = NULL;
        berth__lp *lp = NULL, *scaled_lp = NULL;
        const berth__lp_result *result = NULL, *scaled_result = NULL;
        double unit[MOST_COLS];
        assert_ok(berth__model_new(&scaled, &error), error);
        scaled->maximize = model->maximize;
        for (int j = 0; j < model->n_cols; j++) {
            unit[j] = pow(10, random_integer(&stream, -5, 5));
            assert_ok(berth__model_add_col(scaled, NULL, model->cost[j] * unit[j], model->col_lower[j] / unit[j],
                                           model->col_upper[j] / unit[j], false, NULL, &error),
                      error);
        }
        for (int i = 0; i < model->n_rows; i++) {
            double row_unit = pow(10, random_integer(&stream, -4, 4));
            assert_ok(berth__model_add_row(scaled, NULL, model->row_lower[i] * row_unit, model->row_upper[i] * row_unit,
                                           NULL, &error),
                      error);
            for (size_t e = model->row_start[i]; e < model->row_start[i + 1]; e++) {
                int j = model->col_of[e];
                assert_ok(berth__model_add_entry(scaled, i, j, model->row_value[e] * row_unit * unit[j], &error),
                          error);
            }
        }
        assert_ok(berth__model_finish(scaled, &error), error);
        assert_ok(berth__lp_open(model, subject->set, subject->backend->name, &lp, &error), error);
        assert_ok(berth__lp_open(scaled, subject->set, subject->backend->name, &scaled_lp, &error), error);
        assert_ok(berth__lp_solve(lp, variant(0), &result, &error), error);
        assert_ok(berth__lp_solve(scaled_lp, variant(0), &scaled_result, &error), error);
        if (scaled_result->outcome == BERTH_OPTIMAL && result->outcome == BERTH_OPTIMAL) {
            assert_close(scaled_result->objective, result->objective, 1e-6);
            n_solved++;
        }
        n_numeric += scaled_result->outcome == BERTH_NUMERIC;
        berth__lp_close(lp);
        berth__lp_close(scaled_lp);
        berth__model_free(model);
        berth__model_free(scaled);
    }
    print_message("badly scaled: %d solved, %d numeric\n", n_solved, n_numeric);
    assert_true(n_solved > 200);
    assert_true(n_numeric <= 20);
}

/* Costs that would abort Clp, and a matrix over many powers of ten. */
static void extreme_numbers(void **state) {
    const test_subject *subject = *state;
    for (double unit = 1e-12; unit < 1e40; unit *= 1e13) {
        const double cost[] = {2 * unit, 3 * unit}, zero[] = {0, 0}, none[] = {INF, INF}, matrix[] = {1, 2},
                     row_lower[] = {4}, row_upper[] = {INF};
        berth__model *model = dense_model(false, false, 2, 1, cost, zero, none, matrix, row_lower, row_upper);
        session *s = session_new(subject->backend, model);
        assert_close(assert_proven(model, session_solve(s, variant(0), false)) / unit, 6, 1e-9);
        session_free(s);
        berth__model_free(model);
    }
    for (double size = 1e-30; size < 1e60; size *= 1e10) {
        const double cost[] = {1, 1}, zero[] = {0, 0}, none[] = {INF, INF}, matrix[] = {size, 1 / size},
                     row_lower[] = {size}, row_upper[] = {INF};
        berth__model *model = dense_model(false, false, 2, 1, cost, zero, none, matrix, row_lower, row_upper);
        front_outcome(subject, model, variant(0)); /* any outcome, but no abort */
        berth__model_free(model);
    }
}

/* ---- Integers ---- */

/* By enumeration; NAN: none is feasible. */
static double best_by_enumeration(const berth__model *model) {
    double best = (double)NAN, x[6];
    for (int j = 0; j < model->n_cols; j++) {
        x[j] = model->col_lower[j];
    }
    for (;;) {
        bool feasible = true;
        double objective = model->offset;
        for (int i = 0; i < model->n_rows && feasible; i++) {
            double activity = 0;
            for (size_t e = model->row_start[i]; e < model->row_start[i + 1]; e++) {
                activity += model->row_value[e] * x[model->col_of[e]];
            }
            feasible = activity >= model->row_lower[i] && activity <= model->row_upper[i];
        }
        for (int j = 0; j < model->n_cols; j++) {
            objective += model->cost[j] * x[j];
        }
        if (feasible && (isnan(best) || (model->maximize ? objective > best : objective < best))) {
            best = objective;
        }
        int j = 0;
        while (j < model->n_cols && x[j] == model->col_upper[j]) {
            x[j] = model->col_lower[j];
            j++;
        }
        if (j == model->n_cols) {
            return best;
        }
        x[j]++;
    }
}

static berth__model *random_integer_model(berth__pcg *stream) {
    double cost[6], lower[6], upper[6], matrix[24], row_lower[4], row_upper[4];
    int n = (int)berth__pcg_integer(stream, 1, 6), m = (int)berth__pcg_integer(stream, 1, 4);
    for (int j = 0; j < n; j++) {
        cost[j] = random_integer(stream, -9, 9);
        lower[j] = random_integer(stream, -1, 0);
        upper[j] = random_integer(stream, 0, 2);
    }
    for (int i = 0; i < m; i++) {
        double kind = berth__pcg_uniform(stream), at = random_integer(stream, -4, 8);
        for (int j = 0; j < n; j++) {
            matrix[i * n + j] = random_integer(stream, -6, 6);
        }
        row_lower[i] = kind < 0.4 ? -INF : at;
        row_upper[i] = kind < 0.4 ? at : kind < 0.6 ? INF : at + random_integer(stream, 0, 3);
    }
    return dense_model(berth__pcg_uniform(stream) < 0.5, true, n, m, cost, lower, upper, matrix, row_lower, row_upper);
}

static void integers_by_enumeration(void **state) {
    const test_subject *subject = *state;
    if (!has_mip(subject)) {
        skip();
    }
    berth__pcg stream = berth__pcg_seed(42, 4);
    int n_feasible = 0, n_infeasible = 0;
    for (int trial = 0; trial < 1500; trial++) {
        berth__model *model = random_integer_model(&stream);
        double best = best_by_enumeration(model);
        berth__lp *lp = NULL;
        const berth__lp_result *result = NULL;
        assert_ok(berth__lp_open(model, subject->set, subject->backend->name, &lp, &error), error);
        assert_ok(berth__lp_solve(lp, variant(trial % N_VARIANTS), &result, &error), error);
        if (isnan(best)) {
            assert_int_equal(result->outcome, BERTH_INFEASIBLE);
            n_infeasible++;
        } else {
            assert_int_equal(result->outcome, BERTH_OPTIMAL);
            assert_close(result->objective, best, 1e-9);
            assert_close(result->bound, best, 1e-9);
            n_feasible++;
            /* Its relaxation is no worse, and is solved as an LP. */
            berth__lp_options relaxed = {.scaling = true};
            assert_ok(berth__lp_solve(lp, &relaxed, &result, &error), error);
            double value = assert_proven(model, result);
            if (model->maximize) {
                assert_at_most(best, value, 1e-9);
            } else {
                assert_at_most(value, best, 1e-9);
            }
        }
        berth__lp_close(lp);
        berth__model_free(model);
    }
    assert_true(n_feasible > 500 && n_infeasible > 100);
}

/* Stopped at a gap: it is no wider, and the optimum is in it. */
static void integers_within_a_gap(void **state) {
    const test_subject *subject = *state;
    static const double gaps[] = {0.01, 0.1, 0.3};
    if (!has_mip(subject)) {
        skip();
    }
    berth__pcg stream = berth__pcg_seed(43, 4);
    int n_open = 0;
    for (int trial = 0; trial < 1500; trial++) {
        berth__model *model = random_integer_model(&stream);
        const double gap = gaps[trial % 3];
        berth__lp *lp = NULL;
        const berth__lp_result *result = NULL;
        berth__lp_options options = *variant(trial % N_VARIANTS);
        options.mip_gap = gap;
        model->offset = trial % 2 == 0 ? 0 : random_integer(&stream, -30, 30);
        assert_ok(berth__lp_open(model, subject->set, subject->backend->name, &lp, &error), error);
        assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
        const double best = best_by_enumeration(model);
        assert_int_equal(result->outcome, isnan(best) ? BERTH_INFEASIBLE : BERTH_OPTIMAL);
        if (!isnan(best)) {
            const double size = fmax(fabs(result->objective), 1);
            assert_at_most(model->maximize ? best : -best, model->maximize ? result->bound : -result->bound, 1e-9);
            assert_at_most(model->maximize ? result->objective : -result->objective, model->maximize ? best : -best,
                           1e-9);
            assert_at_most(fabs(result->bound - result->objective), gap * size, 1e-9);
            n_open += fabs(result->bound - result->objective) > 1e-9;
        }
        berth__lp_close(lp);
        berth__model_free(model);
    }
    assert_true(n_open > 20); /* the same each time: the seed is fixed */
}

/* 2 x + 2 y = 3: the relaxation is feasible, so there is no certificate; and a column with no integer in it. */
static void integer_infeasible(void **state) {
    const test_subject *subject = *state;
    if (!has_mip(subject)) {
        skip();
    }
    const double cost[] = {1, 1}, lower[] = {0, 0}, upper[] = {5, 5}, matrix[] = {2, 2}, three[] = {3};
    berth__model *model = dense_model(false, true, 2, 1, cost, lower, upper, matrix, three, three);
    assert_outcome(subject, model, BERTH_INFEASIBLE);
    berth__model_free(model);
    const double above[] = {0.25, 0}, below[] = {0.75, 5}, one[] = {1}, nine[] = {9};
    model = dense_model(false, true, 2, 1, cost, above, below, matrix, one, nine);
    assert_outcome(subject, model, BERTH_INFEASIBLE);
    berth__model_free(model);
}

/* The set's integer backend serves an LP backend's model, unless the caller named the LP backend. */
static void integers_need_a_backend(void **state) {
    const test_subject *subject = *state;
    const double cost[] = {1, 1}, lower[] = {0, 0}, upper[] = {5, 5}, matrix[] = {2, 2}, three[] = {3}, none[] = {INF};
    berth__model *model = dense_model(false, true, 2, 1, cost, lower, upper, matrix, three, none);
    bool any = berth__backend_find(subject->set, NULL, BERTH__BACKEND_MIP) != NULL;
    const char *names[] = {NULL, "auto", subject->backend->name};
    for (int k = 0; k < 3; k++) {
        berth__lp *lp = NULL;
        const berth__lp_result *result = NULL;
        assert_ok(berth__lp_open(model, subject->set, names[k], &lp, &error), error);
        berth_status status = berth__lp_solve(lp, variant(0), &result, &error);
        if (k == 2 ? has_mip(subject) : any) {
            assert_ok(status, error);
            assert_close(result->objective, 2, 1e-12);
            /* Bounds changed later reach it too. */
            assert_ok(berth__lp_set_row_bounds(lp, 0, 5, INF, &error), error);
            assert_ok(berth__lp_solve(lp, variant(0), &result, &error), error);
            assert_close(result->objective, 3, 1e-12);
            assert_ok(berth__lp_set_row_bounds(lp, 0, 3, INF, &error), error);
        } else {
            assert_int_equal(status, BERTH_E_BACKEND);
            assert_null(result);
        }
        berth__lp_close(lp);
    }
    berth__model_free(model);
}

/* ---- Limits ---- */

typedef struct canceller {
    int polls, allowed;
} canceller;

static bool cancel_later(void *user) {
    canceller *c = user;
    return ++c->polls > c->allowed;
}

enum { LARGE = 200 };

/* A covering LP of some size: thousands of iterations. */
static berth__model *large_model(int n_cols, int n_rows) {
    berth__pcg stream = berth__pcg_seed(42, 5);
    berth__model *model = NULL;
    assert_ok(berth__model_new(&model, &error), error);
    for (int j = 0; j < n_cols; j++) {
        assert_ok(berth__model_add_col(model, NULL, 1 + berth__pcg_uniform(&stream), 0, 1, false, NULL, &error), error);
    }
    for (int i = 0; i < n_rows; i++) {
        assert_ok(berth__model_add_row(model, NULL, 1 + berth__pcg_uniform(&stream), INF, NULL, &error), error);
        for (int j = 0; j < n_cols; j++) {
            if (berth__pcg_uniform(&stream) < 0.1) {
                assert_ok(berth__model_add_entry(model, i, j, berth__pcg_uniform(&stream), &error), error);
            }
        }
    }
    assert_ok(berth__model_finish(model, &error), error);
    return model;
}

/* More than one slice of iterations, with and without a hook: the same answer; cancelled: LIMIT, and the next
 * solve goes on from there. */
static void slices_and_cancelling(void **state) {
    const test_subject *subject = *state;
    berth__model *model = large_model(2 * LARGE, 2 * LARGE);
    for (int presolve = 0; presolve < 2; presolve++) {
        canceller never = {.allowed = 1 << 30}, at_once = {.allowed = 0};
        berth_hooks hooks = {.struct_size = sizeof hooks, .user = &never, .cancel = cancel_later};
        berth__budget budget = berth__budget_start(INF, &hooks);
        berth__lp_options options = {.scaling = true, .presolve = presolve, .budget = &budget};
        session *s = session_new(subject->backend, model), *t = session_new(subject->backend, model);
        double objective = assert_proven(model, session_solve(s, &options, false));
        assert_true(s->result.iterations > 500);
        assert_true(never.polls > 0);
        options.budget = NULL;
        assert_true(assert_proven(model, session_solve(t, &options, false)) == objective);
        assert_int_equal(s->result.iterations, t->result.iterations);
        session_free(s);
        session_free(t);
        berth__lp *lp = NULL;
        const berth__lp_result *result = NULL;
        assert_ok(berth__lp_open(model, subject->set, subject->backend->name, &lp, &error), error);
        hooks.user = &at_once;
        options.budget = &budget;
        assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
        assert_int_equal(result->outcome, BERTH_LIMIT);
        assert_true(at_once.polls <= 2);
        options.budget = NULL;
        assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
        assert_close(assert_proven(model, result), objective, 1e-7);
        berth__lp_close(lp);
    }
    berth__model_free(model);
}

/* An instance of the market split kind: hopeless for branch and bound. */
static berth__model *market_split(void) {
    enum { N = 40, M = 5 };
    berth__pcg stream = berth__pcg_seed(42, 6);
    double cost[N + M], lower[N + M] = {0}, upper[N + M], matrix[M * (N + M)] = {0}, side[M];
    for (int j = 0; j < N + M; j++) {
        cost[j] = j >= N;
        upper[j] = j < N ? 1 : 10000;
    }
    for (int i = 0; i < M; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) {
            matrix[i * (N + M) + j] = random_integer(&stream, 0, 99);
            sum += matrix[i * (N + M) + j];
        }
        matrix[i * (N + M) + N + i] = 1;
        side[i] = floor(sum / 2);
    }
    return dense_model(false, true, N + M, M, cost, lower, upper, matrix, side, side);
}

/* A time limit ends it. */
static void integer_limit(void **state) {
    const test_subject *subject = *state;
    if (!has_mip(subject)) {
        skip();
    }
    berth__model *model = market_split();
    for (int k = 0; k < N_VARIANTS; k++) {
        berth__budget budget = berth__budget_start(0.2, NULL);
        berth__lp_options options = *variant(k);
        options.budget = &budget;
        berth__lp *lp = NULL;
        const berth__lp_result *result = NULL;
        double start_s = berth__now_s();
        assert_ok(berth__lp_open(model, subject->set, subject->backend->name, &lp, &error), error);
        assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
        assert_true(berth__now_s() - start_s < 5); /* 0.2 s, and room for a busy machine */
        assert_true(result->outcome == BERTH_FEASIBLE || result->outcome == BERTH_LIMIT);
        if (result->outcome == BERTH_FEASIBLE) {
            berth__residuals r;
            berth__verify(model, result->x, NULL, &r);
            assert_true(r.primal <= 1e-7 && r.integrality == 0);
            assert_at_most(result->bound, result->objective, 1e-9);
        }
        assert_true(isfinite(result->bound) && result->bound >= -1e-9);
        berth__lp_close(lp);
    }
    berth__model_free(model);
}

/* A limit of nodes ends it too, and always in the same place. */
static void node_limit(void **state) {
    const test_subject *subject = *state;
    if (!has_mip(subject)) {
        skip();
    }
    berth__model *model = market_split();
    double bound[3];
    long nodes[3];
    for (int k = 0; k < 3; k++) {
        berth__lp_options options = *variant(0);
        options.most_nodes = k < 2 ? 100 : 1000;
        session *s = session_new(subject->backend, model);
        options.integers = true;
        const berth__lp_result *result = session_solve(s, &options, false);
        assert_true(result->outcome == BERTH_FEASIBLE || result->outcome == BERTH_LIMIT);
        bound[k] = result->bound;
        nodes[k] = result->nodes;
        session_free(s);
    }
    assert_true(nodes[0] > 100 && nodes[0] <= 110 && nodes[2] > 1000 && nodes[2] <= 1010);
    assert_true(nodes[0] == nodes[1] && bound[0] == bound[1] && bound[2] >= bound[0]);
    berth__model_free(model);
}

/* ---- Silence, and errors inside ---- */

/* GLPK's own check fails inside a solve: the call reports it and later solves are sound. */
static void broken_matrix(void **state) {
    const test_subject *subject = *state;
    if (strcmp(subject->backend->name, "glpk") != 0) {
        skip();
    }
    const double cost[] = {1, 1}, zero[] = {0, 0}, none[] = {INF, INF}, matrix[] = {1, 1, 1, 2}, lower[] = {2, 3},
                 upper[] = {INF, INF};
    berth__model *model = dense_model(false, false, 2, 2, cost, zero, none, matrix, lower, upper);
    int sound = model->row_of[1];
    model->row_of[1] = model->row_of[0]; /* a duplicate, which finish would have refused */
    session *s = session_new(subject->backend, model);
    model->row_of[1] = sound;
    session *t = session_new(subject->backend, model);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(s->backend->solve(s->state, variant(0), false, &s->result, &error), BERTH_E_BACKEND);
        assert_true(error.message[0] != '\0');
        assert_close(assert_proven(model, session_solve(t, variant(0), k > 0)), 2, 1e-9);
    }
    session_free(s);
    session_free(t);
    berth__model_free(model);
}

static void everything_once(void **state) {
    const test_subject *subject = *state;
    known_duals(state);
    infeasible_and_unbounded(state);
    models_without_entries(state);
    odd_rows_and_columns(state);
    extreme_numbers(state);
    if (strcmp(subject->backend->name, "glpk") == 0) {
        broken_matrix(state);
    }
    berth__pcg stream = berth__pcg_seed(42, 7);
    for (int trial = 0; trial < 200; trial++) {
        berth__model *model = trial % 2 ? random_integer_model(&stream) : random_model(&stream);
        berth__lp_options options = *variant(trial % N_VARIANTS);
        options.integers = options.integers && has_mip(subject);
        front_outcome(subject, model, &options);
        berth__model_free(model);
    }
}

/* Standard output and error go to a file meanwhile, which stays empty. */
static void nothing_is_printed(void **state) {
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    fflush(stderr);
    int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    assert_true(out >= 0 && err >= 0);
    assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    everything_once(state);
    fflush(stdout);
    fflush(stderr);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    off_t length = lseek(fileno(file), 0, SEEK_END);
    fclose(file);
    assert_int_equal(length, 0);
}

/* ---- Running it ---- */

/* Rows that are equal but for about 1e-9, where GLPK cycles at tolerances that tight. */
static void nearly_equal_entries(void **state) {
    const test_subject *subject = *state;
    const double a = 0.24999999800000006, b = 1.0000000019999999, zero[6] = {0}, two[] = {2, 2, 2, 2, 2, 2};
    const double cost[] = {14, 10, 6, 14, 10, 6}, ones[] = {1, 1, 1, 1, 1, 1, 1};
    const double none[] = {-INF, -INF, -INF, -INF, -INF, -INF, -INF};
    const double matrix[] = {
        1, 1,    0.5, 0, 0,    0,   /* */
        b, 0.75, 1,   a, 0,    0,   /* */
        0, 0,    0,   1, 1,    0.5, /* */
        a, 0,    0,   b, 0.75, 1,   /* */
        1, 0,    0,   1, 0,    0,   /* */
        0, 1,    0,   0, 1,    0,   /* */
        0, 0,    1,   0, 0,    1,
    };
    berth__model *model = dense_model(true, false, 6, 7, cost, zero, two, matrix, none, ones);
    assert_optimum(subject, model, 24);
    berth__model_free(model);
}

static const struct {
    const char *name;
    CMUnitTestFunction function;
} suite[] = {
    {"known_duals", known_duals},
    {"reduced_costs_and_offset", reduced_costs_and_offset},
    {"equalities_ranges_and_free_columns", equalities_ranges_and_free_columns},
    {"degenerate", degenerate},
    {"odd_rows_and_columns", odd_rows_and_columns},
    {"infeasible_and_unbounded", infeasible_and_unbounded},
    {"farkas_is_offered", farkas_is_offered},
    {"models_without_entries", models_without_entries},
    {"random_models", random_models},
    {"nearly_equal_entries", nearly_equal_entries},
    {"warm_restarts", warm_restarts},
    {"badly_scaled", badly_scaled},
    {"extreme_numbers", extreme_numbers},
    {"integers_by_enumeration", integers_by_enumeration},
    {"integers_within_a_gap", integers_within_a_gap},
    {"integer_infeasible", integer_infeasible},
    {"integers_need_a_backend", integers_need_a_backend},
    {"slices_and_cancelling", slices_and_cancelling},
    {"integer_limit", integer_limit},
    {"node_limit", node_limit},
    {"broken_matrix", broken_matrix},
    {"nothing_is_printed", nothing_is_printed},
};
enum { N_TESTS = sizeof suite / sizeof *suite };

int main(void) {
    int n_failed = 0;
    berth_backends *set = all_backends();
    for (size_t k = 0; k < berth_backends_count(set); k++) {
        const char *name = berth_backends_name(set, k);
        test_subject subject = {.backend = berth__backend_find(set, name, BERTH__BACKEND_LP), .set = set};
        if (subject.backend == NULL) {
            continue; /* approximate: tests/property/test_first_order.c */
        }
        struct CMUnitTest tests[N_TESTS];
        for (size_t t = 0; t < N_TESTS; t++) {
            tests[t] =
                (struct CMUnitTest){.name = suite[t].name, .test_func = suite[t].function, .initial_state = &subject};
        }
        print_message("backend %s %s\n", name, berth_backends_version(set, k));
        n_failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    berth_backends_free(set);
    return n_failed;
}
