/* Memory that runs out at any allocation of berth_allocate: E_MEMORY, nothing made, nothing leaked (under a sanitizer).
 * Needs a library built with BERTH_TESTING_ALLOC. */
#include <berth_goodput.h>

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

static void test_sweep(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(3, 1);
    for (int k = 0; k < 30; k++) {
        goodput_case c;
        attempt a;
        goodput_case_draw(&c, &stream);
        a.instance = &c.instance;
        berth_allocate_options_init(&a.options);
        a.options.starve_last = k % 2 == 0;
        a.options.prove = k % 3 == 0;
        oom_sweep("allocate", allocate, &a, 0);
    }
}

#endif

int main(void) {
#ifdef BERTH_TESTING_ALLOC
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sweep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    return 0;
#endif
}
