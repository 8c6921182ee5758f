/* Allocations of random small clusters against exhaustion. */
#include <string.h>

#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/goodput_case.h"
#include "tests/support/sanitized.h"

enum { CASES = 2000 };

typedef struct tally {
    int feasible, exact;
} tally;

static berth_allocation *allocate(const goodput_case *c, bool starve_last, bool prove) {
    berth_allocate_options options;
    berth_allocation *allocation = NULL;
    berth_error error;
    berth_allocate_options_init(&options);
    options.starve_last = starve_last;
    options.prove = prove;
    assert_ok(berth_allocate(&c->instance, &options, &allocation, &error), error);
    return allocation;
}

static void compare(const goodput_case *c, int number, bool starve_last, bool prove, tally *t) {
    size_t starved;
    berth_allocation *a = allocate(c, starve_last, prove);
    const double optimum = goodput_case_optimum(&c->instance, starve_last, &starved);
    if (isnan(optimum)) {
        assert_int_equal(a->outcome, BERTH_INFEASIBLE);
        berth_allocation_free(a);
        return;
    }
    goodput_expect_sound(&c->instance, a);
    t->feasible++;
    const bool same = a->fitness >= optimum * (1 - 1e-9) && (!starve_last || a->starved == starved);
    t->exact += same;
    if (!starve_last || a->starved == starved) {
        if (!(a->fitness <= optimum * (1 + 1e-9) && a->bound >= optimum * (1 - 1e-9)))
            fail_msg("case %d: F %.17g, optimum %.17g, bound %.17g, p %g, rules %d, starve_last %d, starved %zu %zu",
                     number, a->fitness, optimum, a->bound, c->instance.p, c->instance.rules, starve_last, a->starved,
                     starved);
    }
    assert_true(a->starved_bound <= starved || !starve_last);
    if (a->outcome == BERTH_OPTIMAL && !same)
        fail_msg("case %d: F %.17g, optimum %.17g, bound %.17g, p %g, rules %d, starve_last %d, starved %zu %zu", number,
                 a->fitness, optimum, a->bound, c->instance.p, c->instance.rules, starve_last, a->starved, starved);
    if (prove)
        assert_int_equal(a->outcome, BERTH_OPTIMAL);
    berth_allocation_free(a);
}

static void test_random(void **state) {
    (void)state;
    tally t = {0}, proved = {0};
    berth__pcg stream = berth__pcg_seed(20, 1);
    for (int k = 0; k < CASES; k++) {
        goodput_case c;
        goodput_case_draw(&c, &stream);
        compare(&c, k, k % 4 != 3, false, &t);
        if (k % 4 == 0)
            compare(&c, k, true, true, &proved);
    }
    print_message("%d of %d exact, proved %d of %d\n", t.exact, t.feasible, proved.exact, proved.feasible);
    assert_true(t.exact >= 0.98 * t.feasible);
    assert_int_equal(proved.exact, proved.feasible);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
