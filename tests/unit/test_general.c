/* The parts of berth_solve: problems as callers fill them, groups, the rounding form, and what is said of wrong
 * options. */
#include <berth_io.h>

#include <string.h>

#include "base/alloc.h"
#include "formulations/general/groups.h"
#include "formulations/general/problem.h"
#include "formulations/general/split.h"
#include "tests/support/check.h"

static berth_error error;

/* min 3 x + y;  need: 2 x + y >= 5 (written -2 x - y <= -5);  room: 2 <= x + y <= 4;  x integer in [1, 10], y >= 0. */
static const double cost[] = {3, 1}, lower[] = {1, 0}, upper[] = {10, (double)INFINITY};
static const double row_lower[] = {-(double)INFINITY, 2}, row_upper[] = {-5, 4}, value[] = {-2, -1, 1, 1};
static const bool is_integer[] = {true, false};
static const size_t row_start[] = {0, 2, 4};
static const int var_of[] = {0, 1, 0, 1};
static const char *const var_names[] = {"x", "y"}, *const row_names[] = {"need", "room"};

static berth_problem sample(void) {
    berth_problem p;
    berth_problem_init(&p);
    p.n_vars = p.n_rows = 2;
    p.cost = cost;
    p.lower = lower;
    p.upper = upper;
    p.is_integer = is_integer;
    p.var_names = var_names;
    p.row_names = row_names;
    p.row_lower = row_lower;
    p.row_upper = row_upper;
    p.row_start = row_start;
    p.var_of = var_of;
    p.value = value;
    return p;
}

static void solves_the_sample(void **state) {
    (void)state;
    berth_problem p = sample();
    berth_solution *s = NULL;
    assert_ok(berth_solve(&p, NULL, &s, &error), error);
    assert_int_equal(s->outcome, BERTH_OPTIMAL);
    assert_close(s->cost, 6, 1e-9); /* x = 1, y = 3 */
    assert_close(s->x[0], 1, 0);
    assert_close(s->x[1], 3, 1e-9);
    assert_true(s->packing_covering);
    assert_true(s->bound <= 6);
    assert_null(s->why_not);
    berth_solution_free(s);
    berth_solution_free(NULL);
}

static void an_empty_problem_is_solved(void **state) {
    (void)state;
    berth_problem p;
    berth_solution *s = NULL;
    berth_problem_init(&p);
    p.offset = 7;
    assert_ok(berth_solve(&p, NULL, &s, &error), error);
    assert_int_equal(s->outcome, BERTH_OPTIMAL);
    assert_close(s->cost, 7, 0);
    berth_solution_free(s);
}

static void infeasible_and_unbounded_are_outcomes(void **state) {
    (void)state;
    berth_problem p = sample();
    berth_solution *s = NULL;
    const double tight[] = {-5, 1}, none[] = {-(double)INFINITY, -(double)INFINITY};
    p.row_upper = tight;
    p.row_lower = none;
    assert_ok(berth_solve(&p, NULL, &s, &error), error);
    assert_int_equal(s->outcome, BERTH_INFEASIBLE);
    assert_null(s->x);
    assert_true(isnan(s->cost));
    assert_non_null(s->ray);
    berth_solution_free(s);
    const double open[] = {(double)INFINITY, (double)INFINITY};
    p.row_upper = open;
    p.maximize = true;
    assert_ok(berth_solve(&p, NULL, &s, &error), error);
    assert_int_equal(s->outcome, BERTH_UNBOUNDED);
    berth_solution_free(s);
}

/* ---- what is refused ---- */

static void refuses(const berth_problem *p, const berth_solve_options *o, berth_status due, const char *word) {
    berth_solution *s = NULL;
    memset(&error, 0, sizeof error);
    assert_int_equal(berth_solve(p, o, &s, &error), due);
    assert_null(s);
    if (strstr(error.message, word) == NULL) {
        fail_msg("\"%s\" does not hold \"%s\"", error.message, word);
    }
}

static void wrong_problems_are_refused(void **state) {
    (void)state;
    berth_problem p = sample();
    refuses(NULL, NULL, BERTH_E_ARGUMENT, "not NULL");
    p.struct_size = 0;
    refuses(&p, NULL, BERTH_E_ARGUMENT, "berth_problem_init");
    p = sample();
    p.cost = NULL;
    refuses(&p, NULL, BERTH_E_ARGUMENT, "cost");
    p = sample();
    p.row_start = NULL;
    refuses(&p, NULL, BERTH_E_ARGUMENT, "row_start");
    p = sample();
    const size_t falling[] = {0, 4, 2}, late[] = {1, 2, 4};
    p.row_start = falling;
    refuses(&p, NULL, BERTH_E_ARGUMENT, "fall");
    p.row_start = late;
    refuses(&p, NULL, BERTH_E_ARGUMENT, "0 at first");
    p = sample();
    p.value = NULL;
    refuses(&p, NULL, BERTH_E_ARGUMENT, "value");
    p = sample();
    const double broken[] = {-2, -1, (double)NAN, 1};
    p.value = broken;
    refuses(&p, NULL, BERTH_E_INPUT, "x");
    p = sample();
    const int twice[] = {0, 0, 0, 1}, beyond[] = {0, 2, 0, 1}, below[] = {0, -1, 0, 1};
    p.var_of = twice;
    refuses(&p, NULL, BERTH_E_INPUT, "x");
    p.var_of = beyond;
    refuses(&p, NULL, BERTH_E_INPUT, "");
    p.var_of = below;
    refuses(&p, NULL, BERTH_E_INPUT, "");
    p = sample();
    const double crossed[] = {11, 0}, infinite[] = {(double)INFINITY, 1};
    p.lower = crossed;
    refuses(&p, NULL, BERTH_E_INPUT, "above upper bound");
    p = sample();
    p.cost = infinite;
    refuses(&p, NULL, BERTH_E_INPUT, "not finite");
    p = sample();
    const int groups[] = {0, 2};
    p.group = groups;
    p.n_groups = 2;
    refuses(&p, NULL, BERTH_E_INPUT, "group");
}

static void wrong_options_are_refused(void **state) {
    (void)state;
    berth_problem p = sample();
    berth_solve_options o;
    berth_solution *s = NULL;
    assert_int_equal(berth_solve(&p, NULL, NULL, &error), BERTH_E_ARGUMENT);
    berth_solve_options_init(&o);
    o.struct_size = 1;
    refuses(&p, &o, BERTH_E_ARGUMENT, "berth_solve_options_init");
#define WRONG(field, bad, word)                                                                                        \
    do {                                                                                                               \
        berth_solve_options_init(&o);                                                                                  \
        o.field = (bad);                                                                                               \
        refuses(&p, &o, BERTH_E_ARGUMENT, word);                                                                       \
    } while (0)
    WRONG(method, "magic", "magic");
    WRONG(method, NULL, "method");
    WRONG(delta, 0, "delta");
    WRONG(delta, (double)NAN, "delta");
    WRONG(delta, 1, "delta");
    WRONG(trials, 0, "trials");
    WRONG(gap, -1, "gap");
    WRONG(gap, (double)NAN, "gap");
    WRONG(lp_gap, 1, "lp_gap");
    WRONG(time_limit_s, -1, "time_limit_s");
    WRONG(time_limit_s, (double)NAN, "time_limit_s");
    WRONG(threads, -1, "threads");
#undef WRONG
    berth_solve_options_init(&o);
    o.scale_rule = BERTH_SCALE_GIVEN;
    refuses(&p, &o, BERTH_E_ARGUMENT, "scale");
    berth_solve_options_init(&o);
    o.method = "dependent";
    const double capped[] = {-7, 4};
    p.row_upper = capped; /* the relaxation is fractional */
    const double bound[] = {10, 0.5};
    p.upper = bound;
    refuses(&p, &o, BERTH_E_ARGUMENT, "groups");
    berth_solve_options_init(&o);
    o.lp = "cplex";
    memset(&error, 0, sizeof error);
    assert_int_equal(berth_solve(&p, &o, &s, &error), BERTH_E_BACKEND);
    assert_null(s);
}

static void methods_are_told(void **state) {
    (void)state;
    const char *const *names = berth_method_names();
    assert_string_equal(names[0], "auto");
    for (size_t k = 0; names[k] != NULL; k++) {
        assert_non_null(berth_method_about(names[k]));
    }
    assert_null(berth_method_about("magic"));
    assert_null(berth_method_about(NULL));
}

/* ---- groups ---- */

static void prefixes_make_groups(void **state) {
    (void)state;
    static const char *const names[] = {"w_2", "s[1]", "w_1", "alone", "s[2]", "_x", "w"};
    berth_problem p;
    berth_problem_init(&p);
    p.n_vars = 7;
    p.var_names = names;
    int *group = NULL, n_groups = 0;
    assert_ok(berth__problem_groups(&p, "_[", &group, &n_groups, &error), error);
    const int due[] = {0, 1, 0, -1, 1, 2, -1};
    assert_int_equal(n_groups, 3);
    assert_memory_equal(group, due, sizeof due);
    berth__free(group);
    assert_ok(berth__problem_groups(&p, NULL, &group, &n_groups, &error), error);
    assert_null(group);
    assert_int_equal(n_groups, 0);
    const int own[] = {1, 0, -1, -1, -1, -1, 1};
    p.group = own;
    p.n_groups = 2;
    assert_ok(berth__problem_groups(&p, NULL, &group, &n_groups, &error), error);
    assert_int_equal(n_groups, 2);
    assert_memory_equal(group, own, sizeof own);
    berth__free(group);
}

/* ---- the rounding form ---- */

static void splitting_turns_shifts_and_parts_rows(void **state) {
    (void)state;
    berth_problem p = sample();
    berth__model *model = NULL;
    berth__split *split = NULL;
    assert_ok(berth__problem_model(&p, NULL, &model, &error), error);
    assert_close(model->col_upper[0], 4, 0); /* no more fit into room */
    assert_ok(berth__split_new(model, NULL, &split, &error), error);
    const berth__packcover *v = &split->view;
    assert_int_equal(v->n_cover, 2);
    assert_int_equal(v->n_pack, 1);
    assert_close(v->rhs[0], 3, 0); /* 5 - 2 * 1 */
    assert_close(v->rhs[1], 1, 0);
    assert_close(v->rhs[2], 3, 0);
    assert_close(v->value[0], 2, 0);
    assert_close(v->upper[0], 3, 0);
    assert_close(split->offset, 3, 0);
    double x[] = {1, 3}, back[2];
    berth__split_to_view(split, x, x);
    assert_close(x[0], 0, 0);
    assert_close(berth__split_view_cost(split, x), 3, 0);
    berth__split_to_model(split, x, back);
    assert_close(back[0], 1, 0);
    berth__split_free(split);
    berth__split_free(NULL);
    berth__model_free(model);
}

static void costs_below_0_are_profits(void **state) {
    (void)state;
    berth_problem p = sample();
    berth__model *model = NULL;
    berth__split *split = NULL;
    const double gains[] = {-3, -1}; /* min of them: max of 3 x + y */
    p.cost = gains;
    assert_ok(berth__problem_model(&p, NULL, &model, &error), error);
    assert_ok(berth__split_new(model, NULL, &split, &error), error);
    assert_true(split->view.maximize);
    assert_close(split->sign, -1, 0);
    assert_close(split->view.cost[0], 3, 0);
    assert_close(split->offset, -3, 0);
    berth__split_free(split);
    berth__model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_the_sample),
        cmocka_unit_test(an_empty_problem_is_solved),
        cmocka_unit_test(infeasible_and_unbounded_are_outcomes),
        cmocka_unit_test(wrong_problems_are_refused),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(methods_are_told),
        cmocka_unit_test(prefixes_make_groups),
        cmocka_unit_test(splitting_turns_shifts_and_parts_rows),
        cmocka_unit_test(costs_below_0_are_profits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
