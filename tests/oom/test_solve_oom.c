/* Memory that runs out at any allocation of berth_solve, by every method: E_MEMORY, nothing made, nothing leaked (under
 * a sanitizer). Needs a library built with BERTH_TESTING_ALLOC. */
#include "tests/support/check.h"
#include "tests/support/general_case.h"
#include "tests/support/oom_sweep.h"
#include "tests/support/packcover_brute.h"

#include "base/alloc.h"

#include <string.h>

#ifdef BERTH_TESTING_ALLOC

typedef struct attempt {
    general_case *c;
    const char *method;
    int group[PACKCOVER_MOST_VARS];
} attempt;

static berth_status solve(void *user, berth_error *error) {
    attempt *a = user;
    berth_solve_options options;
    berth_solution *solution = NULL;
    berth_solve_options_init(&options);
    options.method = a->method;
    options.repair = true;
    options.time_limit_s = (double)INFINITY;
    berth_status status = berth_solve(&a->c->problem, &options, &solution, error);
    assert_true((solution != NULL) == (status == BERTH_OK));
    berth_solution_free(solution);
    return status;
}

static void every_method(void **state) {
    (void)state;
    uint64_t key[] = {77};
    berth__pcg stream = berth__pcg_key(1, key);
    packcover_shape shape = {.most_vars = 8, .most_cover = 3, .most_pack = 3, .most_units = 3};
    for (int number = 0; number < 4; number++) {
        packcover_case *view = packcover_random(&shape, &stream);
        attempt a = {.c = general_case_new(&view->view, &stream)};
        a.c->problem.group = a.group;
        a.c->problem.n_groups = 1;
        for (const char *const *method = berth_method_names(); *method != NULL; method++) {
            if (strcmp(*method, "exact") == 0) {
                continue; /* there is no backend for it in the library */
            }
            a.method = *method;
            /* A backend that breaks down for want of memory has made a false claim: the other may do. */
            oom_sweep(*method, solve, &a, 0);
        }
        general_case_free(a.c);
        packcover_case_free(view);
    }
}

#endif

int main(void) {
#ifdef BERTH_TESTING_ALLOC
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method)};
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    return 0;
#endif
}
