/* The integer programme of `--prove` on random small clusters: what it says no allocation exceeds, against exhaustion.
 */
#include <math.h>

#include "formulations/goodput/bound.h"
#include "formulations/goodput/patterns.h"
#include "formulations/goodput/programme.h"
#include "solver/solve.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/goodput_case.h"

enum { CASES = 500 };

typedef struct tally {
    int asked, exact, optimal, better;
} tally;

/* Pinned jobs alone, or the allocator's result. False: they do not fit. */
static bool start(berth__allocate_run *run, bool from_nothing) {
    const berth__allocate_problem *p = run->problem;
    berth_error error;
    assert_true(berth__placement_open(&run->best, p));
    run->bound.search = (double)NAN;
    run->bound.price = BERTH__ARENA_ARRAY(p->arena, double, p->n_types);
    run->bound.serve_price = BERTH__ARENA_ARRAY(p->arena, double, p->n_types);
    run->bound.wanted = BERTH__ARENA_ARRAY(p->arena, size_t, p->n_jobs);
    run->bound.split = BERTH__ARENA_ARRAY(p->arena, bool, p->n_jobs);
    for (size_t j = 0; j < p->n_jobs; j++) {
        if (p->jobs[j].pinned && !berth__placement_choose(&run->best, j, &p->jobs[j].options[0]))
            return false;
    }
    assert_ok(berth__allocate_relax(run, &error), error);
    if (!from_nothing)
        assert_ok(berth__allocate_berth(run, &error), error);
    run->is_optimal = false;
    return true;
}

static void ask(const goodput_case *c, const berth_backends *set, int number, tally *sum) {
    const bool from_nothing = number % 2 == 0, over_nodes = number % 4 < 2;
    berth_allocate_options options;
    berth__allocate_problem problem;
    berth_error error;
    bool better = false;
    size_t starved;
    berth_allocate_options_init(&options);
    options.starve_last = number % 3 == 0;
    options.backends = set;
    assert_ok(berth__allocate_problem_open(&problem, &c->instance, &options, NULL, &error), error);
    berth__allocate_run run = {.problem = &problem};
    if (start(&run, from_nothing)) {
        const double optimum = goodput_case_optimum(&c->instance, options.starve_last, &starved);
        const double found = berth__allocate_fitness(&problem, berth__placement_sum(&run.best));
        if (over_nodes)
            assert_ok(berth__allocate_relax_nodes(&run, berth__placement_starved(&run.best), &error), error);
        assert_ok(berth__allocate_programme(&run, &better, &error), error);
        /* fewer starved may have a lower F: then it says nothing of theirs */
        if (!isnan(run.bound.search)) {
            if (!(run.bound.search >= optimum * (1 - 1e-6)))
                fail_msg("case %d: nothing above %.12g; there is %.12g", number, run.bound.search, optimum);
            if (run.is_optimal)
                assert_true(found >= optimum * (1 - 1e-6));
            sum->asked++;
            sum->exact += run.bound.search <= optimum * (1 + 1e-6);
            sum->optimal += run.is_optimal;
            sum->better += better;
        }
    }
    berth__placement_close(&run.best);
    berth__allocate_problem_close(&problem);
}

static void test_random(void **state) {
    (void)state;
    tally sum = {0};
    berth__pcg stream = berth__pcg_seed(78, 1);
    berth_backends *set = all_backends();
    if (berth__backend_find(set, NULL, BERTH__BACKEND_MIP) == NULL) {
        berth_backends_free(set);
        skip();
    }
    for (int k = 0; k < CASES; k++) {
        goodput_case c;
        goodput_case_draw(&c, &stream);
        ask(&c, set, k, &sum);
    }
    print_message("%d asked, %d of them exact, %d proved, %d with something better\n", sum.asked, sum.exact,
                  sum.optimal, sum.better);
    assert_true(sum.asked > CASES / 2 && sum.exact > sum.asked / 2 && sum.optimal > 50 && sum.better > 50);
    berth_backends_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
