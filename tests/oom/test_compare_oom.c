/* Memory that runs out at any allocation of comparing policies and writing the comparison: E_MEMORY, nothing left
 * behind. */
#include "tests/support/check.h"
#include "tests/support/oom_sweep.h"
#include "tests/support/own_folder.h"

#include <berth_io.h>

typedef struct attempt {
    berth_instance *instance;
    berth_compare_options options;
    berth_comparison *comparison;
    berth_comparison_format format;
} attempt;

static berth_status try_compare(void *user, berth_error *error) {
    attempt *a = user;
    const berth_instance *instances[] = {a->instance};
    berth_comparison *c = NULL;
    berth_status status = berth_compare(1, instances, &a->options, &c, error);
    assert_true((status == BERTH_OK) == (c != NULL));
    berth_comparison_free(c);
    return status;
}

static berth_status try_write(void *user, berth_error *error) {
    attempt *a = user;
    return berth_comparison_write(a->comparison, a->format, true, path_of("out"), error);
}

static void test_comparing(void **state) {
    (void)state;
    static const char *const policies[] = {"drf", "srtf"};
    berth_error error;
    attempt a = {0};
    assert_ok(berth_generate_tiny(3, &a.instance, &error), error);
    berth_compare_options_init(&a.options);
    a.options.policies = policies;
    a.options.n_policies = 2;
    a.options.seeds = 2;
    a.options.jobs = 1;
    a.options.run.bound = BERTH_BOUND_DUAL;
    assert_true(oom_sweep("compare", try_compare, &a, 0) > 50);
    const berth_instance *instances[] = {a.instance};
    assert_ok(berth_compare(1, instances, &a.options, &a.comparison, &error), error);
    for (int format = 0; format < 3; format++) {
        a.format = (berth_comparison_format)format;
        assert_true(oom_sweep("write", try_write, &a, 1) > 2); /* the folder is synchronised if memory allows */
    }
    /* From what is kept. */
    a.options.state = path_of("");
    a.options.n_policies = a.options.seeds = 1;
    a.options.run.bound = BERTH_BOUND_NONE;
    berth_comparison_free(a.comparison);
    assert_ok(berth_compare(1, instances, &a.options, &a.comparison, &error), error);
    assert_true(oom_sweep("compare what is kept", try_compare, &a, 0) > 5);
    berth_comparison_free(a.comparison);
    berth_instance_free(a.instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_comparing)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
