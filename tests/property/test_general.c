/* berth_solve against brute force: 5,000 random problems of up to 10 variables, in disguise, by every method.
 *
 * Whatever a method claims is judged by audit/ (berth_check_solution), and against the optimum by enumeration. */
#include <berth_io.h>

#include <string.h>

#include "base/alloc.h"
#include "rounding/packcover.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/general_case.h"
#include "tests/support/packcover_brute.h"
#include "tests/support/sanitized.h"

enum { CASES = SANITIZED ? 500 : 5000 };

typedef struct tally {
    int solved, infeasible, promised, certain, optimal;
} tally;

static berth_backends *backends;

static int open_backends(void **state) {
    (void)state;
    backends = all_backends();
    return 0;
}

static int close_backends(void **state) {
    (void)state;
    berth_backends_free(backends);
    return 0;
}

static void audit(const berth_problem *problem, const berth_solution *s, int number) {
    berth_error error;
    berth_report *report = NULL;
    assert_ok(berth_check_solution(problem, s, NULL, &report, &error), error);
    for (size_t k = 0; k < report->n_findings; k++) {
        if (report->findings[k].violated) {
            fail_msg("case %d, %s: %s at %s: %s", number, s->method, report->findings[k].rule,
                     report->findings[k].where, report->findings[k].message);
        }
    }
    berth_report_free(report);
}

/* cost, bound: with the sign that makes less better. */
static void compare(const general_case *c, const berth_solution *s, double best, int number, tally *t) {
    double sign = c->problem.maximize ? -1 : 1, due = sign * (c->offset + c->sign * best);
    bool exists = !isnan(best), claims = s->outcome == BERTH_OPTIMAL || s->outcome == BERTH_FEASIBLE;
    if (!isnan(s->bound) && exists) {
        assert_at_most(sign * s->bound, due, 1e-9);
    }
    if (s->outcome == BERTH_INFEASIBLE && exists) {
        fail_msg("case %d, %s: infeasible, but the optimum is %g", number, s->method, due);
    }
    if (claims && !exists) {
        fail_msg("case %d, %s: a solution of an infeasible problem", number, s->method);
    }
    if (claims) {
        assert_at_most(due, sign * s->cost, 1e-7);
        t->solved++;
    }
    if (s->outcome == BERTH_OPTIMAL) {
        assert_close(sign * s->cost, due, 1e-6);
        t->optimal++;
    }
    t->infeasible += s->outcome == BERTH_INFEASIBLE;
    t->promised += s->promise.holds;
    t->certain += s->promise.holds && s->promise.probability >= 1;
}

/* A derandomised rounding that was certain of all rows has them. */
static void check_certainty(const berth_solution *s, int number) {
    const berth_promise *p = &s->promise;
    if (strcmp(s->method, "derandomized") == 0 && p->holds && p->cover_factor >= 1 && p->pack_factor <= 1 &&
        s->outcome != BERTH_OPTIMAL && s->outcome != BERTH_FEASIBLE) {
        fail_msg("case %d: certain, and rows are broken (%s)", number, berth_outcome_name(s->outcome));
    }
}

static bool has_mip(void) {
    for (size_t k = 0; k < berth_backends_count(backends); k++) {
        if (strcmp(berth_backends_name(backends, k), "glpk") == 0) {
            return true;
        }
    }
    return false;
}

typedef struct variant {
    const char *method, *lp;
} variant;

static void solve_one(const general_case *c, const variant *v, double best, uint64_t seed, int number, tally *t) {
    berth_solve_options options;
    berth_error error;
    berth_solution *s = NULL;
    berth_solve_options_init(&options);
    options.method = v->method;
    options.lp = v->lp;
    options.seed = seed;
    options.backends = backends;
    options.time_limit_s = (double)INFINITY;
    options.favour = seed % 2 == 0 ? BERTH_FAVOUR_COVER : BERTH_FAVOUR_PACKING;
    options.scale_rule = seed % 5 == 0 ? BERTH_SCALE_PAPER : BERTH_SCALE_AUTO;
    options.repair = seed % 3 == 0;
    assert_ok(berth_solve(&c->problem, &options, &s, &error), error);
    compare(c, s, best, number, t);
    check_certainty(s, number);
    audit(&c->problem, s, number);
    berth_solution_free(s);
}

static void test_methods_against_brute_force(void **state) {
    (void)state;
    static const variant variants[] = {{"auto", "auto"},         {"randomized", "auto"}, {"randomized-exact", "auto"},
                                       {"derandomized", "auto"}, {"greedy", "auto"},     {"exact", "auto"},
                                       {"dependent", "auto"},    {"auto", "first-order"}};
    enum { N = sizeof variants / sizeof *variants, EXACT = 5 };
    tally tallies[N] = {0};
    uint64_t key[] = {20261129, 4};
    berth__pcg stream = berth__pcg_key(2, key);
    packcover_shape shape = {.most_vars = 10, .most_cover = 4, .most_pack = 4, .most_units = 3};
    int feasible = 0;
    for (int number = 0; number < CASES; number++) {
        shape.most_vars = number % 2 == 0 ? 10 : 6;
        packcover_case *view = packcover_random(&shape, &stream);
        general_case *c = general_case_new(&view->view, number % 3 == 0 ? NULL : &stream);
        double best = packcover_brute(&view->view, NULL, NULL);
        int group[PACKCOVER_MOST_VARS];
        for (int j = 0; j < view->view.n_vars; j++) {
            group[j] = number % 3 - 1 + j % 2; /* -1: none */
        }
        c->problem.group = group;
        c->problem.n_groups = 3;
        feasible += !isnan(best);
        for (size_t k = 0; k < N; k++) {
            if (k == EXACT && !has_mip()) {
                continue;
            }
            solve_one(c, &variants[k], best, (uint64_t)number, number, &tallies[k]);
        }
        general_case_free(c);
        packcover_case_free(view);
    }
    /* None of this was for nothing. */
    assert_true(feasible > CASES / 2 && feasible < CASES);
    if (has_mip()) {
        assert_int_equal(tallies[0].optimal, feasible); /* auto */
        assert_int_equal(tallies[EXACT].optimal, feasible);
        assert_int_equal(tallies[7].optimal, feasible); /* auto, by first-order relaxations */
    }
    assert_true(tallies[3].certain > CASES / 20);
    for (size_t k = 0; k < N; k++) {
        if (k != EXACT || has_mip()) {
            assert_true(tallies[k].solved > feasible / 4);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods_against_brute_force)};
    return cmocka_run_group_tests(tests, open_backends, close_backends);
}
