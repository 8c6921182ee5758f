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

/* Without a program, or with one that does not start or dies, the pages stay as they are. */
static void pages_are_not_made_without_a_program(void **state) {
    (void)state;
    static const char *const programs[] = {"$S/none", "$S/top", "$S/broken", "$S/dying"};
    static const char *const scripts[] = {
        "refresh", "cohorts-picture", "goodput-picture", "allocation-picture", "plots-picture", "experiments/refresh"};
    program_expect("mkdir $S/top && cp -r docs $S/top && ln -s \"$PWD/instances\" $S/top && "
                   "printf '#!/none/such\\n' > $S/broken && printf '#!/bin/sh\\nkill -9 $$\\n' > $S/dying && "
                   "chmod +x $S/broken $S/dying",
                   0, "");
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
        for (size_t s = 0; s < sizeof scripts / sizeof *scripts; s++) {
            char command[512];
            snprintf(command, sizeof command,
                     "(cd $S/top && BERTH_PROGRAM=%s timeout 60 docs/%s > $S/log 2>&1) && echo it went on; "
                     "test -s $S/log || echo it said nothing; diff -r docs $S/top/docs",
                     programs[p], scripts[s]);
            program_expect(command, 0, "");
            assert_string_equal(program_text(), "");
        }
    }
    program_expect("cd $S/top && BERTH_PROGRAM=$S/none docs/refresh", 1, "docs/refresh: there is no program '");
    program_expect("cd $S/top && BERTH_PROGRAM=$S/dying docs/refresh", 1, "docs/refresh: exit 137: build/berth ");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cohort_manager_trains_and_tests),
                                       cmocka_unit_test(pages_are_not_made_without_a_program),
                                       cmocka_unit_test(page_shows_what_is_printed)};
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
