/* What the scheduler plans for one job on a part-filled cluster, against exhaustive enumeration of its schedules. With
 * one machine there is nothing to round, so the price paid must be the least there is; with more it can only be dearer.
 * Fixed seeds: no false failures. */
#include "tests/support/check.h"
#include "tests/support/checked_run.h"
#include "tests/support/one_job.h"

static void test_one_machine_is_exact(void **state) {
    (void)state;
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors", &options, &set);
    options.repair = true;
    one_machine_is_exact(&options);
    berth_backends_free(set);
}

static void test_more_machines_are_never_below(void **state) {
    (void)state;
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors", &options, &set);
    options.repair = true;
    int found = 0, possible = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        one_job_answer answer = one_job_ask(2 + (int)(seed % 2), seed, &options);
        possible += answer.least < HUGE_VAL;
        found += answer.admitted;
    }
    print_message("plans found: %d of %d possible\n", found, possible);
    assert_true(found > possible / 2);
    berth_backends_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_machine_is_exact),
        cmocka_unit_test(test_more_machines_are_never_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
