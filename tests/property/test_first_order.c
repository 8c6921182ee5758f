/* The first-order solver against simplex: six families of random instances at two precisions, infeasible ones, edges;
 * and what it promises of itself: the same bits on any number of threads, how many passes it takes, limits. */
#include "base/pcg.h"
#include "bench/cases/first_order_instance.h"
#include "solver/first_order/choice.h"
#include "solver/first_order/run.h"
#include "solver/solve.h"
#include "solver/structural.h"
#include "solver/verify.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

#define INF (double)INFINITY

static berth_error error;
static berth_backends *set;

static int make_set(void **state) {
    (void)state;
    set = all_backends();
    return 0;
}

static int free_set(void **state) {
    (void)state;
    berth_backends_free(set);
    return 0;
}

/* ---- one solve ---- */

typedef struct solved {
    berth__lp *lp;
    const berth__lp_result *result;
} solved;

static solved solve(berth__model *model, const char *backend, double gap, int threads, const berth__budget *budget) {
    solved s = {0};
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.lp_gap = gap;
    options.threads = threads;
    options.integers = false;
    options.budget = budget;
    assert_ok(berth__lp_open(model, set, backend, &s.lp, &error), error);
    assert_ok(berth__lp_solve(s.lp, &options, &s.result, &error), error);
    return s;
}

static solved solve_first_order(berth__model *model, double gap) {
    return solve(model, "first-order", gap, 1, NULL);
}

/* The optimum by simplex; NAN: infeasible. */
static double optimum_of(berth__model *model) {
    solved s = solve(model, "auto", 0, 1, NULL);
    assert_true(s.result->outcome == BERTH_OPTIMAL || s.result->outcome == BERTH_INFEASIBLE);
    double optimum = s.result->outcome == BERTH_OPTIMAL ? s.result->objective : (double)NAN;
    berth__lp_close(s.lp);
    return optimum;
}

/* x within the column bounds exactly, rows within `tolerance`, relative to their terms. */
static void assert_feasible(const berth__model *model, const double *x, double tolerance) {
    berth__residuals residuals;
    berth__verify(model, x, NULL, &residuals);
    assert_true(residuals.primal <= tolerance);
    for (int j = 0; j < model->n_cols; j++) {
        assert_true(x[j] >= model->col_lower[j] && x[j] <= model->col_upper[j]);
    }
}

/* How far rows miss, for a result that is as good as asked for against the optimum. */
static double assert_good(berth__model *model, const berth__lp_result *result, double optimum, double gap) {
    double sign = model->maximize ? -1 : 1, size = fabs(optimum), bound;
    berth_proof proof;
    berth__residuals residuals;
    assert_true(result->outcome == BERTH_APPROXIMATE || result->outcome == BERTH_OPTIMAL);
    assert_true(result->has_primal && result->has_dual);
    assert_true(sign * (optimum - result->bound) >= -1e-7 * size - 1e-9);
    assert_true(sign * (result->objective - optimum) <= 1.0001 * gap * size + 1e-9);
    assert_ok(berth__certified_bound(model, result->row_dual, &bound, &proof, &error), error);
    assert_true(proof == BERTH_PROOF_EXACT && bound == result->bound);
    assert_feasible(model, result->x, gap);
    berth__verify(model, result->x, NULL, &residuals);
    if (residuals.primal <= 1e-9) {
        assert_true(sign * (result->objective - optimum) >= -1e-7 * size - 1e-9);
    }
    return residuals.primal;
}

/* ---- against simplex ---- */

typedef struct shape {
    int n_cols, n_rows;
    size_t n_entries;
} shape;

static shape draw_shape(berth__pcg *stream, first_order_family family) {
    shape s = {.n_cols = (int)berth__pcg_integer(stream, 20, 320), .n_rows = (int)berth__pcg_integer(stream, 6, 66)};
    double mean = 1.5 + 4 * berth__pcg_uniform(stream) + (family == FIRST_ORDER_BUDGET);
    s.n_entries = (size_t)(s.n_cols * mean);
    return s;
}

static void random_instances(void **state) {
    (void)state;
    enum { TRIALS = 204 };
    const double gaps[] = {0.01, 0.001};
    berth__pcg stream = berth__pcg_seed(11, 4);
    int n_feasible = 0, n_inexact = 0;
    long passes[2] = {0, 0};
    for (int trial = 0; trial < TRIALS; trial++) {
        first_order_family family = (first_order_family)(trial % FIRST_ORDER_FAMILIES);
        shape s = draw_shape(&stream, family);
        berth__model *model = first_order_instance(family, s.n_cols, s.n_rows, s.n_entries, (uint64_t)trial + 1, false);
        double optimum = optimum_of(model);
        for (int k = 0; k < 2; k++) {
            solved f = solve_first_order(model, gaps[k]);
            if (isnan(optimum)) {
                assert_int_equal(f.result->outcome, BERTH_INFEASIBLE);
                assert_true(f.result->has_ray && berth__verify_farkas(model, f.result->ray));
            } else {
                n_inexact += assert_good(model, f.result, optimum, gaps[k]) > 1e-9;
                n_feasible++;
            }
            passes[k] += f.result->iterations;
            berth__lp_close(f.lp);
        }
        berth__model_free(model);
    }
    print_message("%d of %d solved, %d of them within slack only; mean passes %ld, %ld\n", n_feasible, 2 * TRIALS,
                  n_inexact, passes[0] / TRIALS, passes[1] / TRIALS);
    assert_true(n_feasible > TRIALS);
}

static void contradictions_are_proved(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(12, 4);
    long most = 0;
    for (int trial = 0; trial < 60; trial++) {
        first_order_family family = (first_order_family)(trial % FIRST_ORDER_FAMILIES);
        shape s = draw_shape(&stream, family);
        berth__model *model =
            first_order_instance(family, s.n_cols, s.n_rows, s.n_entries, (uint64_t)trial + 500, true);
        solved f = solve_first_order(model, 0.01);
        assert_int_equal(f.result->outcome, BERTH_INFEASIBLE);
        assert_true(f.result->has_ray && berth__verify_farkas(model, f.result->ray));
        most = f.result->iterations > most ? f.result->iterations : most;
        berth__lp_close(f.lp);
        berth__model_free(model);
    }
    print_message("at most %ld passes\n", most);
}

/* ---- forms ---- */

/* The same programme with rows negated at random, columns from other lower bounds, and an offset. */
static berth__model *disguised(const berth__model *model, berth__pcg *stream) {
    berth__model *out = NULL;
    assert_ok(berth__model_new(&out, &error), error);
    out->maximize = model->maximize;
    out->offset = -3;
    double *lower = calloc((size_t)model->n_cols, sizeof *lower), *shift = calloc((size_t)model->n_rows, sizeof *shift);
    double *sign = calloc((size_t)model->n_rows, sizeof *sign);
    assert_true(lower != NULL && shift != NULL && sign != NULL);
    for (int j = 0; j < model->n_cols; j++) {
        lower[j] = (double)berth__pcg_integer(stream, -8, 8) / 4;
        out->offset -= model->cost[j] * lower[j];
        assert_ok(berth__model_add_col(out, NULL, model->cost[j], lower[j], lower[j] + model->col_upper[j], false, NULL,
                                       &error),
                  error);
        for (size_t e = model->col_start[j]; e < model->col_start[j + 1]; e++) {
            shift[model->row_of[e]] += model->value[e] * lower[j];
        }
    }
    for (int i = 0; i < model->n_rows; i++) {
        double low = model->row_lower[i] + shift[i], high = model->row_upper[i] + shift[i];
        sign[i] = berth__pcg_integer(stream, 0, 1) ? 1 : -1;
        assert_ok(berth__model_add_row(out, NULL, sign[i] > 0 ? low : -high, sign[i] > 0 ? high : -low, NULL, &error),
                  error);
        for (size_t e = model->row_start[i]; e < model->row_start[i + 1]; e++) {
            assert_ok(berth__model_add_entry(out, i, model->col_of[e], sign[i] * model->row_value[e], &error), error);
        }
    }
    assert_ok(berth__model_finish(out, &error), error);
    free(lower);
    free(shift);
    free(sign);
    return out;
}

static void other_forms_of_the_same(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(13, 4);
    for (int trial = 0; trial < 60; trial++) {
        first_order_family family = (first_order_family)(trial % FIRST_ORDER_FAMILIES);
        shape s = draw_shape(&stream, family);
        berth__model *model =
            first_order_instance(family, s.n_cols, s.n_rows, s.n_entries, (uint64_t)trial + 900, false);
        berth__model *other = disguised(model, &stream);
        double optimum = optimum_of(model);
        solved f = solve_first_order(other, 0.001);
        if (isnan(optimum)) {
            assert_int_equal(f.result->outcome, BERTH_INFEASIBLE);
        } else {
            double sign = model->maximize ? -1 : 1;
            assert_true(sign * (f.result->objective + 3 - optimum) <= 1.001e-3 * fabs(optimum) + 1e-8);
            assert_true(sign * (optimum - f.result->bound - 3) >= -1e-7 * fabs(optimum) - 1e-8);
            assert_feasible(other, f.result->x, 1e-3);
        }
        berth__lp_close(f.lp);
        berth__model_free(other);
        berth__model_free(model);
    }
}

/* Ranges and equalities around a random point, on few columns. */
static void ranges_and_equalities(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(14, 4);
    for (int trial = 0; trial < 60; trial++) {
        enum { N = 40, M = 8 };
        berth__model *model = NULL;
        assert_ok(berth__model_new(&model, &error), error);
        model->maximize = trial % 2;
        double point[N];
        for (int j = 0; j < N; j++) {
            point[j] = berth__pcg_uniform(&stream);
            double cost = 0.2 + berth__pcg_uniform(&stream);
            assert_ok(berth__model_add_col(model, NULL, cost, 0, 1, false, NULL, &error), error);
        }
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int j = i % 3; j < N; j += 1 + (int)berth__pcg_integer(&stream, 0, 3)) {
                double value = 0.1 + berth__pcg_uniform(&stream);
                assert_ok(berth__model_add_entry(model, i, j, value, &error), error);
                sum += value * point[j];
            }
            double room = i % 2 ? 0 : 0.1;
            assert_ok(berth__model_add_row(model, NULL, sum * (1 - room), sum * (1 + room), NULL, &error), error);
        }
        assert_ok(berth__model_finish(model, &error), error);
        solved f = solve_first_order(model, 0.01);
        assert_good(model, f.result, optimum_of(model), 0.01);
        berth__lp_close(f.lp);
        berth__model_free(model);
    }
}

/* ---- edges ---- */

typedef struct edge {
    const char *what;
    bool maximize;
    double cost[2], lower[2], upper[2];
    struct {
        double a[2], lower, upper;
    } rows[2];
    berth_outcome outcome; /* APPROXIMATE stands for OPTIMAL too */
    double optimum;
} edge;

static const edge edges[] = {
    {"one cover row", false, {1, 2}, {0, 0}, {INF, INF}, {{{1, 4}, 2, INF}, {{0, 0}, -INF, INF}}, BERTH_APPROXIMATE, 1},
    {"one packing row", true, {1, 2}, {0, 0}, {INF, INF}, {{{1, 4}, -INF, 2}, {{0, 0}, -INF, 0}}, BERTH_APPROXIMATE, 2},
    {"an empty cover row", false, {1, 1}, {0, 0}, {1, 1}, {{{1, 1}, 1, INF}, {{0, 0}, 1, INF}}, BERTH_INFEASIBLE, 0},
    {"an empty packing row",
     false,
     {1, 1},
     {0, 0},
     {1, 1},
     {{{1, 1}, 1, INF}, {{0, 0}, -INF, -1}},
     BERTH_INFEASIBLE,
     0},
    {"empty rows that hold", false, {1, 1}, {0, 0}, {1, 1}, {{{1, 1}, 1, INF}, {{0, 0}, -1, 3}}, BERTH_APPROXIMATE, 1},
    {"no costs", false, {0, 0}, {0, 0}, {2, 2}, {{{1, 1}, 1, 3}, {{1, 0}, -INF, 1}}, BERTH_APPROXIMATE, 0},
    {"a free column covers",
     false,
     {0, 1},
     {0, 0},
     {INF, INF},
     {{{1, 1}, 1, INF}, {{0, 1}, 0, INF}},
     BERTH_APPROXIMATE,
     0},
    {"a free column helps", false, {0, 1}, {0, 0}, {1, 9}, {{{1, 1}, 3, INF}, {{0, 1}, -INF, 5}}, BERTH_APPROXIMATE, 2},
    {"fixed at 0", false, {1, 3}, {0, 0}, {0, INF}, {{{1, 1}, 1, INF}, {{1, 1}, -INF, 4}}, BERTH_APPROXIMATE, 3},
    {"all fixed", false, {1, 3}, {1, 2}, {1, 2}, {{{1, 1}, 3, INF}, {{1, 1}, -INF, 3}}, BERTH_APPROXIMATE, 7},
    {"all fixed, too low", false, {1, 3}, {1, 2}, {1, 2}, {{{1, 1}, 3.5, INF}, {{1, 1}, -INF, 4}}, BERTH_INFEASIBLE, 0},
    {"all fixed, too high", true, {1, 3}, {1, 2}, {1, 2}, {{{1, 1}, -INF, 2.5}, {{0, 0}, 0, 0}}, BERTH_INFEASIBLE, 0},
    {"held by lower bounds",
     false,
     {1, 1},
     {2, 2},
     {INF, INF},
     {{{1, 1}, 3, INF}, {{1, 0}, 1, INF}},
     BERTH_APPROXIMATE,
     4},
    {"right side 0", true, {1, 1}, {0, 0}, {INF, INF}, {{{1, 0}, -INF, 0}, {{0, 2}, -INF, 4}}, BERTH_APPROXIMATE, 2},
    {"nothing to gain", true, {1, 1}, {0, 0}, {INF, INF}, {{{1, 1}, -INF, 0}, {{0, 1}, -INF, 4}}, BERTH_APPROXIMATE, 0},
    {"min of negative costs",
     false,
     {-1, -2},
     {0, 0},
     {1, INF},
     {{{1, 4}, -INF, 2}, {{1, 0}, 0, INF}},
     BERTH_APPROXIMATE,
     -1.5},
    {"max of negative profits",
     true,
     {-1, -2},
     {0, 0},
     {1, INF},
     {{{1, 1}, 3, INF}, {{1, 0}, 0, INF}},
     BERTH_APPROXIMATE,
     -5},
    {"capped below its cover",
     false,
     {1, 1},
     {0, 0},
     {1, 1},
     {{{1, 1}, 2.5, INF}, {{1, 0}, -INF, 9}},
     BERTH_INFEASIBLE,
     0},
    {"just enough", false, {1, 1}, {0, 0}, {1, 1}, {{{1, 1}, 2, INF}, {{1, 0}, -INF, 9}}, BERTH_APPROXIMATE, 2},
    {"scales apart",
     false,
     {1e-8, 1e8},
     {0, 0},
     {1, INF},
     {{{1e6, 1e-6}, 2e6, INF}, {{0, 1e3}, -INF, 1e20}},
     BERTH_APPROXIMATE,
     1e20},
    {"tiny numbers",
     false,
     {1e-30, 3e-30},
     {0, 0},
     {1e-20, INF},
     {{{1e-10, 1e-10}, 2e-30, INF}, {{0, 1e3}, -INF, 1e20}},
     BERTH_APPROXIMATE,
     4e-50},
    {"an equality", false, {1, 3}, {0, 0}, {1, 4}, {{{1, 1}, 2, 2}, {{1, 2}, 0, 9}}, BERTH_APPROXIMATE, 4},
    {"a profit beside a cover",
     true,
     {1, 0},
     {0, 0},
     {INF, INF},
     {{{1, 0}, -INF, 2}, {{0, 1}, 1, INF}},
     BERTH_APPROXIMATE,
     2},
};

static berth__model *edge_model(const edge *e) {
    berth__model *model = NULL;
    assert_ok(berth__model_new(&model, &error), error);
    model->maximize = e->maximize;
    for (int j = 0; j < 2; j++) {
        assert_ok(berth__model_add_col(model, NULL, e->cost[j], e->lower[j], e->upper[j], false, NULL, &error), error);
    }
    for (int i = 0; i < 2; i++) {
        assert_ok(berth__model_add_row(model, NULL, e->rows[i].lower, e->rows[i].upper, NULL, &error), error);
        for (int j = 0; j < 2; j++) {
            assert_ok(berth__model_add_entry(model, i, j, e->rows[i].a[j], &error), error);
        }
    }
    assert_ok(berth__model_finish(model, &error), error);
    return model;
}

static void edge_cases(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof edges / sizeof *edges; k++) {
        const edge *e = &edges[k];
        berth__model *model = edge_model(e);
        solved f = solve_first_order(model, 1e-3);
        bool good = f.result->outcome == BERTH_OPTIMAL || f.result->outcome == BERTH_APPROXIMATE;
        if (e->outcome == BERTH_INFEASIBLE ? f.result->outcome != BERTH_INFEASIBLE : !good) {
            fail_msg("%s: outcome %d after %ld passes", e->what, f.result->outcome, f.result->iterations);
        }
        if (e->outcome == BERTH_INFEASIBLE) {
            assert_true(berth__verify_farkas(model, f.result->ray));
        } else if (!(fabs(f.result->objective - e->optimum) <=
                     1.01e-3 * fabs(e->optimum) + (e->optimum == 0 ? 1e-9 : 0))) {
            fail_msg("%s: %g, not %g", e->what, f.result->objective, e->optimum);
        }
        berth__lp_close(f.lp);
        berth__model_free(model);
    }
}

static void others_are_refused(void **state) {
    (void)state;
    const struct {
        edge model;
        const char *reason;
    } cases[] = {
        {{.cost = {1, -1}, .upper = {1, 1}, .rows = {{{1, 1}, 1, INF}, {{1, 1}, 0, 9}}}, "costs of both signs"},
        {{.cost = {1, 1}, .upper = {1, 1}, .rows = {{{1, -1}, 1, INF}, {{1, 1}, 0, 9}}}, "coefficients of both signs"},
        {{.cost = {1, 1}, .lower = {-INF, 0}, .upper = {1, 1}, .rows = {{{1, 1}, 1, INF}, {{1, 1}, 0, 9}}}, "lower"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        berth__model *model = edge_model(&cases[k].model);
        berth__lp *lp = NULL;
        assert_int_equal(berth__lp_open(model, set, "first-order", &lp, &error), BERTH_E_UNSUPPORTED);
        assert_null(lp);
        assert_non_null(strstr(error.message, cases[k].reason));
        berth__model_free(model);
    }
    /* A profit that nothing bounds, and an integer column. */
    const edge unbounded = {
        .maximize = true, .cost = {1, 1}, .upper = {INF, 1}, .rows = {{{1, 1}, 1, INF}, {{0, 1}, -INF, 9}}};
    berth__model *model = edge_model(&unbounded);
    berth__lp *lp = NULL;
    berth__lp_options options;
    const berth__lp_result *result;
    berth__lp_options_init(&options);
    assert_ok(berth__lp_open(model, set, "first-order", &lp, &error), error);
    assert_int_equal(berth__lp_solve(lp, &options, &result, &error), BERTH_E_UNSUPPORTED);
    model->is_integer[0] = true;
    model->n_integer = 1;
    assert_int_equal(berth__lp_solve(lp, &options, &result, &error), BERTH_E_BACKEND);
    berth__lp_close(lp);
    berth__model_free(model);
}

static void row_bounds_may_change(void **state) {
    (void)state;
    berth__model *model = edge_model(&edges[0]);
    berth__lp_options options;
    const berth__lp_result *result;
    berth__lp *lp = NULL;
    berth__lp_options_init(&options);
    assert_ok(berth__lp_open(model, set, "first-order", &lp, &error), error);
    for (int k = 1; k < 5; k++) {
        assert_ok(berth__lp_set_row_bounds(lp, 0, 2 * k, INF, &error), error);
        assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
        assert_close(result->objective, k, 1e-3);
    }
    berth__lp_close(lp);
    berth__model_free(model);
}

/* ---- what it says of itself ---- */

/* x, multipliers, bound and passes are the same bits. */
static void threads_change_nothing(void **state) {
    (void)state;
    const int threads[] = {1, 2, 3, 8};
    for (int k_family = 0; k_family < FIRST_ORDER_FAMILIES; k_family++) {
        first_order_family family = (first_order_family)k_family;
        berth__model *model = first_order_instance(family, 15000, 1500, 130000, 3, false);
        solved first = solve(model, "first-order", 0.01, threads[0], NULL);
        assert_int_equal(first.result->outcome, BERTH_APPROXIMATE);
        for (size_t k = 1; k < sizeof threads / sizeof *threads; k++) {
            solved f = solve(model, "first-order", 0.01, threads[k], NULL);
            assert_int_equal(f.result->iterations, first.result->iterations);
            assert_memory_equal(f.result->x, first.result->x, (size_t)model->n_cols * sizeof(double));
            assert_memory_equal(f.result->row_dual, first.result->row_dual, (size_t)model->n_rows * sizeof(double));
            assert_memory_equal(&f.result->bound, &first.result->bound, sizeof(double));
            berth__lp_close(f.lp);
        }
        berth__lp_close(first.lp);
        berth__model_free(model);
    }
}

static void passes_are_few(void **state) {
    (void)state;
    const double gaps[] = {0.01, 0.001};
    const long most[] = {600, 2000};
    for (int k_family = 0; k_family < FIRST_ORDER_FAMILIES; k_family++) {
        first_order_family family = (first_order_family)k_family;
        berth__model *model = first_order_instance(family, 10000, 1000, 60000, 5, false);
        for (int k = 0; k < 2; k++) {
            solved f = solve(model, "first-order", gaps[k], 1, NULL);
            print_message("%s at %g: %ld passes\n", first_order_family_name[family], gaps[k], f.result->iterations);
            assert_true(f.result->iterations <= most[k]);
            berth__lp_close(f.lp);
        }
        berth__model_free(model);
    }
}

/* Large packing and covering yes; small, few rows, runs of equal entries, or no such programme no. */
static void chosen_by_size_and_structure(void **state) {
    (void)state;
    enum { COLS = 40000, ROWS = 4000, LENGTH = 10 };
    berth__model *large = first_order_instance(FIRST_ORDER_COVER, COLS, ROWS, COLS * LENGTH, 1, false);
    berth__model *small = first_order_instance(FIRST_ORDER_COVER, 1000, 100, 10000, 1, false);
    berth__model *flat = first_order_instance(FIRST_ORDER_COVER, COLS, 100, COLS * LENGTH, 1, false);
    berth__model *runs = NULL;
    assert_ok(berth__model_new(&runs, &error), error);
    for (int j = 0; j < COLS; j++) {
        assert_ok(berth__model_add_col(runs, NULL, 1, 0, INF, false, NULL, &error), error);
        for (int k = 0; k < LENGTH; k++) {
            assert_ok(berth__model_add_entry(runs, (7 * j) % (ROWS - LENGTH) + k, j, 1, &error), error);
        }
    }
    for (int i = 0; i < ROWS; i++) {
        assert_ok(berth__model_add_row(runs, NULL, 1, INF, NULL, &error), error);
    }
    assert_ok(berth__model_finish(runs, &error), error);
    assert_true(berth__first_order_suits(large));
    assert_false(berth__first_order_suits(small));
    assert_false(berth__first_order_suits(flat));
    assert_false(berth__first_order_suits(runs));
    large->cost[7] = -1;
    assert_false(berth__first_order_suits(large));
    berth__model_free(large);
    berth__model_free(small);
    berth__model_free(flat);
    berth__model_free(runs);
}

static bool cancel_after(void *user) {
    int *left = user;
    return (*left)-- <= 0;
}

static void limits_keep_what_there_is(void **state) {
    (void)state;
    berth__model *model = first_order_instance(FIRST_ORDER_COVER, 2000, 200, 12000, 1, false);
    double optimum = optimum_of(model);
    for (int after = 0; after < 200; after += 40) {
        int left = after;
        berth_hooks hooks = {.cancel = cancel_after, .user = &left};
        berth__budget budget = berth__budget_start(INF, &hooks);
        solved f = solve(model, "first-order", 1e-6, 1, &budget);
        assert_int_equal(f.result->outcome, BERTH_LIMIT);
        assert_int_equal(f.result->iterations, after);
        assert_true(f.result->has_primal && f.result->objective >= optimum * (1 - 1e-9));
        assert_true(f.result->has_dual && f.result->bound <= optimum * (1 + 1e-9));
        assert_feasible(model, f.result->x, 1e-9);
        berth__lp_close(f.lp);
    }
    berth__budget past = berth__budget_start(0, NULL);
    solved f = solve(model, "first-order", 0.01, 1, &past);
    assert_int_equal(f.result->outcome, BERTH_LIMIT);
    berth__lp_close(f.lp);
    berth__model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edge_cases),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(row_bounds_may_change),
        cmocka_unit_test(random_instances),
        cmocka_unit_test(contradictions_are_proved),
        cmocka_unit_test(other_forms_of_the_same),
        cmocka_unit_test(ranges_and_equalities),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(passes_are_few),
        cmocka_unit_test(chosen_by_size_and_structure),
        cmocka_unit_test(limits_keep_what_there_is),
    };
    return cmocka_run_group_tests(tests, make_set, free_set);
}
