/* The examples run and say what they are there to show. They are built beside the program. */
#include "tests/support/check.h"
#include "tests/support/program.h"

static void cohort_manager_trains_and_tests(void **state) {
    (void)state;
    const char *run = "\"$(dirname \"$B\")\"/examples/cohort_manager";
    program_expect(run, 0, "round 30: 13 of ");
    program_expect(run, 0, "test: 40 clients process 1000 samples in ");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cohort_manager_trains_and_tests)};
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
