/* The examples run and say what they are there to show; they are built beside the program. The pages of docs/ show
 * what the program prints. */
#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/sanitized.h"

static void cohort_manager_trains_and_tests(void **state) {
    (void)state;
    const char *run = "\"$(dirname \"$B\")\"/examples/cohort_manager";
    program_expect(run, 0, "round 30: 13 of ");
    program_expect(run, 0, "test: 40 clients process 1000 samples in ");
}

static void page_shows_what_is_printed(void **state) {
    (void)state;
    if (SANITIZED) {
        skip(); /* slow, and nothing that other tests leave out */
    }
    if (program_run("BERTH_PROGRAM=\"$B\" docs/refresh --check") != 0) {
        fail_msg("a page of docs/ is not what docs/refresh makes:\n%s", program_text());
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cohort_manager_trains_and_tests),
                                       cmocka_unit_test(page_shows_what_is_printed)};
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
