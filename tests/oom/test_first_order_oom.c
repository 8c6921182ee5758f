/* Memory that runs out at any allocation of the first-order solver and of the bounds: E_MEMORY, nothing leaked (under a
 * sanitizer). Needs a library built with BERTH_TESTING_ALLOC. */
#include "tests/support/check.h"
#include "tests/support/oom_sweep.h"

#include "base/alloc.h"
#include "solver/solve.h"
#include "solver/structural.h"

#ifdef BERTH_TESTING_ALLOC

static berth__model *shared; /* x + 2 y >= 4, x + y <= 3, costs 1 and 3 */

static int make_shared(void **state) {
    (void)state;
    berth__model_new(&shared, NULL);
    for (int j = 0; j < 2; j++) {
        assert_int_equal(berth__model_add_col(shared, NULL, 1 + 2 * j, 0, HUGE_VAL, false, NULL, NULL), BERTH_OK);
        assert_int_equal(berth__model_add_row(shared, NULL, j == 0 ? 4 : -HUGE_VAL, j == 0 ? HUGE_VAL : 3, NULL, NULL),
                         BERTH_OK);
    }
    for (int e = 0; e < 4; e++) {
        assert_int_equal(berth__model_add_entry(shared, e / 2, e % 2, e == 1 ? 2 : 1, NULL), BERTH_OK);
    }
    assert_int_equal(berth__model_finish(shared, NULL), BERTH_OK);
    return 0;
}

static int free_shared(void **state) {
    (void)state;
    berth__model_free(shared);
    return 0;
}

static berth_status try_solve(void *user, berth_error *error) {
    (void)user;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options options;
    berth__lp_options_init(&options);
    berth_status status = berth__lp_open(shared, NULL, "first-order", &lp, error);
    assert_true((lp != NULL) == (status == BERTH_OK));
    if (status == BERTH_OK) {
        status = berth__lp_solve(lp, &options, &result, error);
        assert_true((result != NULL) == (status == BERTH_OK));
    }
    if (status == BERTH_OK) {
        assert_close(result->objective, 5, 2e-3);
    }
    berth__lp_close(lp);
    return status;
}

static berth_status try_bound(void *user, berth_error *error) {
    (void)user;
    double bound = 0, dual[] = {1, 0};
    berth_proof proof;
    berth_status status = berth__certified_bound(shared, dual, &bound, &proof, error);
    if (status == BERTH_OK) {
        assert_close(bound, 4, 1e-9);
    }
    return status;
}

static void survives_a_lack_of_memory(void **state) {
    (void)state;
    assert_true(oom_sweep("solve", try_solve, NULL, 0) > 40);
    assert_true(oom_sweep("bounds", try_bound, NULL, 0) >= 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_a_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, make_shared, free_shared);
}

#else

int main(void) {
    print_message("needs a library built with BERTH_TESTING_ALLOC (make oom)\n");
    return 0;
}

#endif
