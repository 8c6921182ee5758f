/* berth compare as its users meet it: one and two jobs, kills and going on after them, what is kept, bad input. */
#include "tests/support/check.h"
#include "tests/support/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/pcg.h"

/* Random under pdors and fifo; LP bound; a few hundredths of a second in all. */
#define SETTING "--policies pdors-ci,fifo,drf --seeds 6 --no-times"
#define RANDOM  "--policies pdors,fifo --seeds 20 --bound dual --no-times"

static int set_up(void **state) {
    if (program_set_up(state) != 0) {
        return -1;
    }
    return program_run("\"$B\" generate pdors --machines 4 --jobs 12 --slots 16 --seed 3 -o $S/a.json && "
                       "\"$B\" generate pdors --machines 3 --jobs 9 --slots 12 --seed 4 -o $S/b.json");
}

static void the_table_says_what_was_asked(void **state) {
    (void)state;
    program_expect("\"$B\" compare $S/a.json $S/b.json " SETTING, 0, "LP bound");
    static const char *const parts[] = {
        "seeds                 1 to 6", "minus pdors-ci", "utility / bound", "p95 delay", "worst rho", "utilisation"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_non_null(strstr(program_text(), parts[i]));
    }
    assert_null(strstr(program_text(), "time of a run"));
    program_expect("\"$B\" compare $S/a.json --policies fifo --seeds 2 --bound none", 0, "time of a run, s");
    assert_null(strstr(program_text(), "LP bound"));
    assert_null(strstr(program_text(), "minus"));
    program_expect("\"$B\" compare $S/a.json --policies fifo --seeds 1 --bound none --no-times", 0,
                   "seeds                 1\n");
    assert_null(strstr(program_text(), "+-"));
}

static void one_and_two_jobs_agree(void **state) {
    (void)state;
    program_expect("for n in 1 2; do \"$B\" compare $S/a.json $S/b.json " SETTING
                   " --jobs $n --csv $S/$n.csv -o $S/$n.json > $S/$n.txt || exit 9; done;"
                   "for e in txt csv json; do cmp $S/1.$e $S/2.$e || exit 8; done; "
                   "head -1 $S/1.csv; wc -l < $S/1.csv",
                   0,
                   "instance,policy,metric,seeds,mean,half_width,paired_seeds,difference,difference_half_width\n67\n");
    program_expect("\"$B\" compare $S/a.json $S/b.json " SETTING " --json | cmp - $S/1.json", 0, "");
}

/* Killed at moments that nobody chose, each when a few more runs are kept, then let go on: what was kept makes up the
 * very same result. */
static void a_killed_comparison_goes_on(void **state) {
    (void)state;
    enum { KILLS = 7, STEP = 12 };
    berth__pcg random = berth__pcg_seed(7, 0);
    char command[1024];
    int kept = 0;
    program_expect("\"$B\" compare $S/a.json $S/b.json " RANDOM " --csv $S/whole.csv -o $S/whole.json > $S/whole.txt",
                   0, "");
    for (int kill = 0; kill < KILLS; kill++) {
        kept += (int)berth__pcg_integer(&random, 1, STEP);
        snprintf(
            command, sizeof command,
            "\"$B\" compare $S/a.json $S/b.json " RANDOM " --jobs %d --state $S/killed > /dev/null & "
            "while kill -0 $! 2> /dev/null && test $(ls $S/killed 2> /dev/null | wc -l) -lt %d; do sleep 0.001; done;"
            "kill -9 $! 2> /dev/null; wait $! 2> /dev/null; true",
            1 + kill % 2, kept);
        program_expect(command, 0, "");
        /* What is there under its name is whole. */
        program_expect("for f in $S/killed/*.json; do test ! -e $f || tail -c 2 $f | grep -q '}' || exit 7; done", 0,
                       "");
    }
    program_expect("\"$B\" compare $S/a.json $S/b.json " RANDOM
                   " --state $S/killed --csv $S/again.csv -o $S/again.json > $S/again.txt;"
                   "for e in txt csv json; do cmp $S/whole.$e $S/again.$e || exit 8; done; ls $S/killed/*.json | wc -l",
                   0, "82");
    /* Half of the runs gone, whatever the kills hit. */
    program_expect("rm $S/killed/*[0-7].json; \"$B\" compare $S/a.json $S/b.json " RANDOM
                   " --jobs 2 --state $S/killed --csv $S/again.csv -o $S/again.json > $S/again.txt;"
                   "for e in txt csv json; do cmp $S/whole.$e $S/again.$e || exit 8; done; ls $S/killed/*.json | wc -l",
                   0, "82");
}

static void what_is_kept_is_used(void **state) {
    (void)state;
    program_expect(
        "\"$B\" compare $S/a.json --policies fifo --seeds 2 --bound none --state $S/kept > $S/first.txt && "
        "\"$B\" compare $S/a.json --policies fifo --seeds 2 --bound none --state $S/kept | cmp - $S/first.txt",
        0, ""); /* times, too */
    program_expect("sed -i 's/\"completed\": [0-9]*/\"completed\": 7777/' $S/kept/fifo-*.json; "
                   "\"$B\" compare $S/a.json --policies fifo --seeds 2 --bound none --state $S/kept",
                   0, "7777 +- 0");
    /* Other options, another instance: other runs. */
    program_expect("\"$B\" compare $S/a.json --policies fifo --fifo-workers 2 --seeds 2 --bound none --state $S/kept; "
                   "\"$B\" compare $S/b.json --policies fifo --seeds 2 --bound none --state $S/kept; "
                   "ls $S/kept | wc -l",
                   0, "\n6\n");
    assert_null(strstr(program_text(), "7777"));
    /* A file under another run's name is not that run. */
    program_expect(
        "cd $S/kept; for f in fifo-1-*; do cp $(ls fifo-2-* | head -1) $f; done; cd - > /dev/null; "
        "\"$B\" compare $S/b.json --policies fifo --seeds 1 --bound none --no-times --state $S/kept > $S/x.txt;"
        "\"$B\" compare $S/b.json --policies fifo --seeds 1 --bound none --no-times | cmp - $S/x.txt",
        0, "");
    program_expect("for f in $S/kept/*; do echo '{\"format\": 3' > $f; done; "
                   "\"$B\" compare $S/a.json --policies fifo --seeds 2 --bound none --state $S/kept",
                   3, "/kept/fifo-1-");
    program_expect("for f in $S/kept/*; do sed -i 's/.*/{\"format\": \"berth-compare-run-1\"}/' $f; done; "
                   "\"$B\" compare $S/a.json --policies fifo --seeds 2 --bound none --state $S/kept",
                   3, "without the file the run is done again");
}

static void wrong_usage_is_told(void **state) {
    (void)state;
    program_expect("\"$B\" compare", 2, "missing argument");
    program_expect("\"$B\" compare $S/a.json --policies fifo,xyzzy", 2, "there are ");
    program_expect("\"$B\" compare $S/a.json --policies dormm", 2, "did you mean 'dorm'");
    program_expect("\"$B\" compare $S/a.json --policies fifo,", 2, "no policy ''");
    program_expect("\"$B\" compare $S/a.json --policies fifo,drf,fifo", 2, "--policies: 'fifo' is there twice");
    program_expect("\"$B\" compare $S/a.json --seeds 0", 2, "--seeds");
    program_expect("\"$B\" compare $S/a.json --seeds 3 --seed 18446744073709551614", 2, "--seed");
    program_expect("\"$B\" compare $S/a.json --bound exact", 2, "--bound");
    program_expect("\"$B\" compare $S/a.json --bound-time -1", 2, "--bound-time");
    program_expect("\"$B\" compare $S/a.json --noise 0.1", 2, "--noise: with noise no bound");
    program_expect("\"$B\" compare $S/a.json --noise 0.1 --bound none --policies fifo,drf --seeds 2", 0, "minus fifo");
    program_expect("\"$B\" compare - - < $S/a.json", 2, "standard input");
    program_expect("\"$B\" compare $S/a.json --csv -", 2, "--csv: expected a file's name");
    program_expect("\"$B\" compare $S/a.json --csv $S/a.json", 2, "--csv would replace the instance");
    program_expect("\"$B\" compare $S/a.json -o $S/o --csv $S/o", 2, "name the same file");
    program_expect("\"$B\" compare $S/a.json -o $S/none/o", 5, "none");
    program_expect("\"$B\" compare $S/none.json", 3, "none.json");
    program_expect("\"$B\" compare $S/a.json instances/README.md", 3, "README.md:1");
    program_expect("\"$B\" compare $S/a.json --state $S/a.json", 5, "a.json: is not a folder");
    program_expect("\"$B\" compare $S/a.json --state $S/none/deeper", 5, "none/deeper: cannot make the folder");
    program_expect("\"$B\" compare $S/a.json --time-limit 0.000001 --state $S/late", 4, "goes on from there");
    program_expect("\"$B\" compare $S/a.json --time-limit 0.000001", 4, "stopped by the time limit");
#ifndef BERTH_WITH_GLPK
    program_expect("\"$B\" compare $S/a.json --policies fifo,dorm --bound none", 5, "dorm");
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_says_what_was_asked), cmocka_unit_test(one_and_two_jobs_agree),
        cmocka_unit_test(a_killed_comparison_goes_on),   cmocka_unit_test(what_is_kept_is_used),
        cmocka_unit_test(wrong_usage_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, program_tear_down);
}
