/* berth_check_solution against brute force on random small problems: it never confirms a bound beyond the optimum or a
 * ray of a feasible problem, whatever the multipliers, and confirms what Clp's duals prove. */
#include "tests/support/check.h"

#include <string.h>

#include <berth_io.h>

#include "base/pcg.h"
#include "solver/solve.h"

#define ABSENT  ((double)NAN)
#define ENDLESS ((double)INFINITY)

enum { MOST_VARS = 4, MOST_ROWS = 4, REACH = 9, CASES = 4000 };

typedef struct instance {
    double cost[MOST_VARS], lower[MOST_VARS], upper[MOST_VARS], row_lower[MOST_ROWS], row_upper[MOST_ROWS];
    double value[MOST_ROWS * MOST_VARS];
    bool is_integer[MOST_VARS];
    size_t row_start[MOST_ROWS + 1];
    int var_of[MOST_ROWS * MOST_VARS];
    double x[MOST_VARS], multipliers[MOST_ROWS];
    berth_problem problem;
    double optimum; /* by enumeration; NAN: there is no point */
} instance;

static int pick(berth__pcg *stream, int low, int high) {
    return (int)berth__pcg_integer(stream, low, high);
}

/* Packing and covering, without upper bounds now and then, or anything in a box. */
static void make_vars(instance *c, berth__pcg *stream, bool packcover) {
    for (size_t j = 0; j < c->problem.n_vars; j++) {
        c->is_integer[j] = true;
        c->cost[j] = (packcover ? pick(stream, 0, 5) : pick(stream, -5, 5)) * (pick(stream, 0, 3) == 0 ? 0.25 : 1);
        c->lower[j] = pick(stream, -2, 2);
        c->upper[j] = packcover && pick(stream, 0, 1) == 0 ? ENDLESS : c->lower[j] + pick(stream, 0, 4);
    }
}

static void make_row(instance *c, berth__pcg *stream, size_t i, bool packcover) {
    size_t at = c->row_start[i];
    int sign = pick(stream, 0, 3) == 0 ? -1 : 1;
    double base = 0;
    for (size_t j = 0; j < c->problem.n_vars; j++) {
        int a = packcover ? sign * pick(stream, 0, 3) : pick(stream, -3, 3);
        if (a != 0) {
            c->var_of[at] = (int)j;
            c->value[at++] = a;
            base += a * c->lower[j];
        }
    }
    c->row_start[i + 1] = at;
    double low = base + sign * pick(stream, packcover ? 0 : -4, 8), high = low + sign * pick(stream, 0, 6);
    int kind = pick(stream, 0, 3); /* range, two one-sided ones; never unbounded for a maximisation */
    c->row_lower[i] = kind == 1 ? -ENDLESS : fmin(low, high);
    c->row_upper[i] = kind == 2 ? ENDLESS : fmax(low, high);
}

static bool is_feasible(const instance *c, const int *x) {
    const berth_problem *p = &c->problem;
    for (size_t j = 0; j < p->n_vars; j++) {
        if (x[j] < c->lower[j] || x[j] > c->upper[j]) {
            return false;
        }
    }
    for (size_t i = 0; i < p->n_rows; i++) {
        double sum = 0;
        for (size_t k = c->row_start[i]; k < c->row_start[i + 1]; k++) {
            sum += c->value[k] * x[c->var_of[k]];
        }
        if (sum < c->row_lower[i] || sum > c->row_upper[i]) {
            return false;
        }
    }
    return true;
}

static double cost_of(const instance *c, const int *x) {
    double cost = c->problem.offset;
    for (size_t j = 0; j < c->problem.n_vars; j++) {
        cost += c->cost[j] * x[j];
    }
    return cost;
}

/* No minimisation needs more than REACH units of a variable without an upper bound. */
static void enumerate(instance *c) {
    int x[MOST_VARS], n = (int)c->problem.n_vars;
    c->optimum = ABSENT;
    for (int j = 0; j < n; j++) {
        x[j] = (int)c->lower[j];
    }
    for (;;) {
        if (is_feasible(c, x)) {
            double cost = cost_of(c, x);
            c->optimum = c->problem.maximize ? fmax(c->optimum, cost) : fmin(c->optimum, cost);
        }
        int j = 0;
        while (j < n && ++x[j] > fmin(c->upper[j], c->lower[j] + REACH)) {
            x[j] = (int)c->lower[j];
            j++;
        }
        if (j == n) {
            return;
        }
    }
}

static void make(instance *c, berth__pcg *stream) {
    bool packcover = pick(stream, 0, 1) == 0;
    memset(c, 0, sizeof *c);
    c->problem = (berth_problem){.struct_size = sizeof c->problem,
                                 .n_vars = (size_t)pick(stream, 1, MOST_VARS),
                                 .n_rows = (size_t)pick(stream, 1, MOST_ROWS),
                                 .cost = c->cost,
                                 .lower = c->lower,
                                 .upper = c->upper,
                                 .is_integer = c->is_integer,
                                 .row_lower = c->row_lower,
                                 .row_upper = c->row_upper,
                                 .row_start = c->row_start,
                                 .var_of = c->var_of,
                                 .value = c->value};
    c->problem.offset = pick(stream, -2, 2) * 0.5;
    make_vars(c, stream, packcover);
    c->problem.maximize = pick(stream, 0, 1) == 0;
    for (size_t j = 0; j < c->problem.n_vars; j++) { /* what is maximised is bounded */
        c->upper[j] = c->problem.maximize ? fmin(c->upper[j], c->lower[j] + 4) : c->upper[j];
    }
    for (size_t i = 0; i < c->problem.n_rows; i++) {
        make_row(c, stream, i, packcover);
    }
    enumerate(c);
}

/* "external": nothing but what is set is claimed. */
static berth_solution empty_solution(const instance *c) {
    return (berth_solution){.method = "external",
                            .outcome = BERTH_LIMIT,
                            .cost = ABSENT,
                            .bound = ABSENT,
                            .node_bound = ABSENT,
                            .ratio = ABSENT,
                            .cover_min = ABSENT,
                            .pack_max = ABSENT,
                            .gap = ABSENT,
                            .n_vars = c->problem.n_vars,
                            .n_rows = c->problem.n_rows};
}

static bool is_refused(const instance *c, const berth_solution *s, const char *rule, double *dual) {
    berth_error error = {0};
    berth_report *report = NULL;
    bool refused = false;
    assert_ok(berth_check_solution(&c->problem, s, NULL, &report, &error), error);
    for (size_t k = 0; k < report->n_findings; k++) {
        refused =
            refused || (report->findings[k].violated && (rule == NULL || strcmp(report->findings[k].rule, rule) == 0));
    }
    if (dual != NULL) {
        *dual = report->dual;
    }
    berth_report_free(report);
    return refused;
}

/* Of small whole numbers, thirds and noise; signs often right, now and then not. */
static void random_multipliers(instance *c, berth__pcg *stream) {
    for (size_t i = 0; i < c->problem.n_rows; i++) {
        double y = pick(stream, 0, 3) / (pick(stream, 0, 2) == 0 ? 3.0 : 1.0);
        y *= 1 + (pick(stream, 0, 2) - 1) * 1e-13;
        bool upper = isinf(c->row_lower[i]) || (isfinite(c->row_upper[i]) && pick(stream, 0, 1) == 0);
        y = upper == c->problem.maximize ? y : -y;
        c->multipliers[i] = pick(stream, 0, 19) == 0 ? -y : y;
    }
}

static void test_no_bound_beyond_the_optimum(void **state) {
    (void)state;
    uint64_t key[] = {1};
    berth__pcg stream = berth__pcg_key(1, key);
    int proved = 0, tight = 0;
    for (int number = 0; number < CASES; number++) {
        instance c;
        double dual;
        make(&c, &stream);
        for (int round = 0; round < 3; round++) {
            random_multipliers(&c, &stream);
            berth_solution s = empty_solution(&c);
            s.multipliers = c.multipliers;
            assert_false(is_refused(&c, &s, NULL, &dual));
            proved += !isnan(dual);
            if (isnan(c.optimum)) {
                continue;
            }
            double sign = c.problem.maximize ? -1 : 1;
            if (sign * dual > sign * c.optimum) {
                fail_msg("case %d: a bound of %.17g, but the optimum is %g", number, dual, c.optimum);
            }
            tight += dual == c.optimum;
            s.bound = nextafter(c.optimum, sign * ENDLESS);
            s.proof = pick(&stream, 0, 3) == 0 ? BERTH_PROOF_TOLERANCE : BERTH_PROOF_EXACT;
            bool nearly = s.proof == BERTH_PROOF_TOLERANCE;
            s.bound = nearly ? c.optimum + sign * 1e-6 * fmax(10, fabs(c.optimum)) : s.bound;
            assert_true(is_refused(&c, &s, NULL, NULL));
        }
    }
    assert_true(proved > CASES && tight > CASES / 20);
}

/* What it proves, it accepts as a claim; an ulp more it does not. */
static void test_sharpness(void **state) {
    (void)state;
    uint64_t key[] = {2};
    berth__pcg stream = berth__pcg_key(1, key);
    int n = 0;
    for (int number = 0; number < CASES; number++) {
        instance c;
        double dual;
        make(&c, &stream);
        random_multipliers(&c, &stream);
        berth_solution s = empty_solution(&c);
        s.multipliers = c.multipliers;
        is_refused(&c, &s, NULL, &dual);
        if (isnan(dual)) {
            continue;
        }
        /* A claim may make the checker look for more than it finds for none: climb until it finds no more. */
        double sign = c.problem.maximize ? -1 : 1, confirmed = dual;
        s.proof = BERTH_PROOF_EXACT;
        s.bound = dual;
        assert_false(is_refused(&c, &s, NULL, &dual));
        for (int climb = 0; climb < 1000 && !isnan(dual); climb++) {
            assert_true(sign * dual >= sign * confirmed);
            confirmed = dual;
            s.bound = nextafter(confirmed, sign * ENDLESS);
            if (is_refused(&c, &s, NULL, &dual)) {
                break;
            }
        }
        assert_true(is_refused(&c, &s, "bound", NULL));
        n++;
    }
    assert_true(n > CASES / 4);
}

static void test_no_ray_of_a_feasible_problem(void **state) {
    (void)state;
    uint64_t key[] = {3};
    berth__pcg stream = berth__pcg_key(1, key);
    int proved = 0;
    for (int number = 0; number < CASES; number++) {
        instance c;
        make(&c, &stream);
        random_multipliers(&c, &stream);
        berth_solution s = empty_solution(&c);
        for (size_t i = 0; i < c.problem.n_rows && c.problem.maximize; i++) {
            c.multipliers[i] = -c.multipliers[i]; /* rays have one convention */
        }
        s.outcome = BERTH_INFEASIBLE;
        s.ray = c.multipliers;
        bool refused = is_refused(&c, &s, "ray", NULL);
        if (!isnan(c.optimum) && !refused) {
            fail_msg("case %d: infeasible, but the optimum is %g", number, c.optimum);
        }
        proved += !refused;
    }
    assert_true(proved > 20);
}

static void test_points(void **state) {
    (void)state;
    uint64_t key[] = {4};
    berth__pcg stream = berth__pcg_key(1, key);
    int n[2] = {0, 0};
    for (int number = 0; number < CASES; number++) {
        instance c;
        int x[MOST_VARS];
        make(&c, &stream);
        for (int round = 0; round < 4; round++) {
            for (size_t j = 0; j < c.problem.n_vars; j++) {
                x[j] = (int)c.lower[j] + pick(&stream, round == 0 ? -1 : 0, (int)fmin(5, c.upper[j] - c.lower[j]));
                c.x[j] = x[j];
            }
            berth_solution s = empty_solution(&c);
            s.x = c.x;
            s.outcome = BERTH_FEASIBLE;
            s.cost = cost_of(&c, x);
            bool feasible = is_feasible(&c, x);
            assert_int_equal(is_refused(&c, &s, NULL, NULL), !feasible);
            s.cost += 0.25;
            assert_true(is_refused(&c, &s, "cost", NULL));
            n[feasible]++;
        }
    }
    assert_true(n[0] > CASES / 4 && n[1] > CASES / 4);
}

/* ---- duals of a solver ---- */

static berth__model *model_of(const instance *c) {
    berth_error error = {0};
    berth__model *model = NULL;
    assert_ok(berth__model_new(&model, &error), error);
    model->maximize = c->problem.maximize;
    model->offset = c->problem.offset;
    for (size_t j = 0; j < c->problem.n_vars; j++) {
        assert_ok(berth__model_add_col(model, NULL, c->cost[j], c->lower[j], c->upper[j], true, NULL, &error), error);
    }
    for (size_t i = 0; i < c->problem.n_rows; i++) {
        assert_ok(berth__model_add_row(model, NULL, c->row_lower[i], c->row_upper[i], NULL, &error), error);
        for (size_t k = c->row_start[i]; k < c->row_start[i + 1]; k++) {
            assert_ok(berth__model_add_entry(model, (int)i, c->var_of[k], c->value[k], &error), error);
        }
    }
    assert_ok(berth__model_finish(model, &error), error);
    return model;
}

/* Costs that make for duals with rounding errors. */
static void blur(instance *c, berth__pcg *stream) {
    for (size_t j = 0; j < c->problem.n_vars; j++) {
        c->cost[j] *= 1 + 0.3 * berth__pcg_uniform(stream);
    }
    for (size_t k = 0; k < c->row_start[c->problem.n_rows]; k++) {
        c->value[k] *= 1 + 0.3 * berth__pcg_uniform(stream);
    }
}

static void test_duals_of_a_solver(void **state) {
    (void)state;
    uint64_t key[] = {5};
    berth__pcg stream = berth__pcg_key(1, key);
    int optimal = 0, rays = 0;
    for (int number = 0; number < CASES / 4; number++) {
        instance c;
        berth_error error = {0};
        berth__lp *lp = NULL;
        const berth__lp_result *result = NULL;
        berth__lp_options options;
        make(&c, &stream);
        blur(&c, &stream);
        berth__model *model = model_of(&c);
        berth__lp_options_init(&options);
        options.integers = false;
        assert_ok(berth__lp_open(model, NULL, "auto", &lp, &error), error);
        assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
        berth_solution s = empty_solution(&c);
        double dual, sign = c.problem.maximize ? -1 : 1;
        if (result->outcome == BERTH_OPTIMAL && result->has_dual) {
            s.multipliers = result->row_dual;
            s.relaxation = result->x;
            assert_false(is_refused(&c, &s, NULL, &dual));
            assert_at_most(sign * result->objective, sign * dual, 1e-9);
            s.proof = BERTH_PROOF_EXACT;
            s.bound = result->objective - sign * 1e-9 * fmax(1, fabs(result->objective));
            assert_false(is_refused(&c, &s, NULL, NULL));
            optimal++;
        } else if (result->outcome == BERTH_INFEASIBLE && result->has_ray) {
            s.outcome = BERTH_INFEASIBLE;
            s.ray = result->ray;
            assert_false(is_refused(&c, &s, NULL, NULL));
            rays++;
        }
        berth__lp_close(lp);
        berth__model_free(model);
    }
    assert_true(optimal > CASES / 16 && rays > CASES / 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_bound_beyond_the_optimum),
        cmocka_unit_test(test_sharpness),
        cmocka_unit_test(test_no_ray_of_a_feasible_problem),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_duals_of_a_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
