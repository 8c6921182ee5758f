/* docs/experiments.md and its pictures follow from the data beside them, and the data are what the program gives. */
#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/sanitized.h"

/* A check that runs the smallest point without these policies. */
#define CHECK(without) "BERTH_PROGRAM=\"$B\" BERTH_EXPERIMENTS_WITHOUT='" without "' docs/experiments/refresh --check"
#define SLOW           "bidlp dorm pdors:repair" /* the policies have tests of their own */
#define MOST           SLOW " pdors pdors-ci oasis drf"

static void page_follows_from_the_runs(void **state) {
    (void)state;
    if (SANITIZED) {
        skip(); /* slow, and nothing that other tests leave out */
    }
#ifndef BERTH_WITH_CLP
    skip(); /* pdors' relaxations are Clp's, and another solver has other vertices */
#endif
    if (program_run(CHECK(SLOW)) != 0) {
        fail_msg("docs/experiments.md is not what docs/experiments/refresh makes:\n%s", program_text());
    }
}

/* A copy in which a number of the data, of the page or of a picture's mark is another fails the check. */
static void changes_are_noticed(void **state) {
    (void)state;
    if (SANITIZED) {
        skip();
    }
#ifndef BERTH_WITH_CLP
    skip();
#endif
    static const struct {
        const char *change, *told;
    } cases[] = {
        {"sed -i 's/^10,fifo,utility,10,[0-9]/&7/' docs/experiments/jobs.csv", "docs/experiments.md: not what follows"},
        {"sed -i 's/agrees in part/agrees/' docs/experiments.md", "docs/experiments.md: not what follows"},
        {"sed -i '$s/[0-9]/x/' docs/experiments/scale.svg", "docs/experiments/scale.svg: made from other data"},
        {"sed -i 's/^10,fifo,completed,10,[0-9]/&7/' docs/experiments/jobs.csv", "jobs 10: other data than in"},
        {"sed -i '$s/--trials 16/--trials 17/' docs/experiments/commands",
         "docs/experiments/commands: not what is run"},
    };
    char command[1024];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(
            command, sizeof command,
            "rm -rf $S/copy; mkdir -p $S/copy; cp -r docs $S/copy/; B=$(realpath \"$B\"); cd $S/copy && %s && " CHECK(
                MOST),
            cases[i].change);
        program_expect(command, 1, cases[i].told);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(page_follows_from_the_runs),
                                       cmocka_unit_test(changes_are_noticed)};
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
