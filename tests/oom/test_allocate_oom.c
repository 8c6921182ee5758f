/* Memory that runs out at any allocation of berth_allocate: E_MEMORY, nothing made, nothing leaked (under a sanitizer).
 * Needs a library built with BERTH_TESTING_ALLOC. */
#include <berth_goodput.h>

#include "base/error.h"
#include "formulations/goodput/bound.h"
#include "formulations/goodput/patterns.h"
#include "formulations/goodput/programme.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/goodput_case.h"
#include "tests/support/oom_sweep.h"

#ifdef BERTH_TESTING_ALLOC

typedef struct attempt {
    const berth_goodput_instance *instance;
    berth_allocate_options options;
} attempt;

static berth_status allocate(void *user, berth_error *error) {
    attempt *a = user;
    berth_allocation *allocation = NULL;
    const berth_status status = berth_allocate(a->instance, &a->options, &allocation, error);
    assert_true((allocation != NULL) == (status == BERTH_OK));
    berth_allocation_free(allocation);
    return status;
}

/* The integer programme, which larger instances alone come to otherwise. */
static berth_status ask_programme(berth__allocate_run *run, berth_error *error) {
    const berth__allocate_problem *p = run->problem;
    bool better;
    run->bound.price = BERTH__ARENA_ARRAY(p->arena, double, p->n_types);
    run->bound.serve_price = BERTH__ARENA_ARRAY(p->arena, double, p->n_types);
    run->bound.wanted = BERTH__ARENA_ARRAY(p->arena, size_t, p->n_jobs);
    run->bound.split = BERTH__ARENA_ARRAY(p->arena, bool, p->n_jobs);
    if (!run->bound.price || !run->bound.serve_price || !run->bound.wanted || !run->bound.split ||
        !berth__placement_open(&run->best, p))
        return berth__fail_memory(error);
    berth_status status = berth__allocate_relax(run, error);
    if (!status)
        status = berth__allocate_relax_nodes(run, p->n_jobs, error);
    return status ? status : berth__allocate_programme(run, &better, error);
}

static berth_status programme(void *user, berth_error *error) {
    attempt *a = user;
    berth__allocate_problem problem;
    berth_status status = berth__allocate_problem_open(&problem, a->instance, &a->options, NULL, error);
    berth__allocate_run run = {.problem = &problem};
    if (!status)
        status = ask_programme(&run, error);
    berth__placement_close(&run.best);
    berth__allocate_problem_close(&problem);
    return status;
}

static void test_programme(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(4, 1);
    berth_backends *set = all_backends();
    for (int k = 0; k < 10; k++) {
        goodput_case c;
        attempt a = {.instance = &c.instance};
        goodput_case_draw(&c, &stream);
        for (size_t j = 0; j < c.instance.n_jobs; j++) {
            c.jobs[j].pinned = false; /* nothing is placed */
        }
        berth_allocate_options_init(&a.options);
        a.options.backends = set;
        oom_sweep("programme", programme, &a, 0);
    }
    berth_backends_free(set);
}

static void test_sweep(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(3, 1);
    berth_backends *set = all_backends();
    for (int k = 0; k < 30; k++) {
        goodput_case c;
        attempt a;
        goodput_case_draw(&c, &stream);
        a.instance = &c.instance;
        berth_allocate_options_init(&a.options);
        a.options.starve_last = k % 2 == 0;
        a.options.prove = k % 3 == 0;
        a.options.backends = set;
        oom_sweep("allocate", allocate, &a, 0);
    }
    berth_backends_free(set);
}

#endif

int main(void) {
#ifdef BERTH_TESTING_ALLOC
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sweep), cmocka_unit_test(test_programme)};
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    return 0;
#endif
}
