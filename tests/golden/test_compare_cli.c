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
                       "\"$B\" generate pdors --machines 3 --jobs 9 --slots 12 --seed 4 -o $S/b.json && "
                       "\"$B\" generate pdors --machines 3 --jobs 9 --slots 12 --seed 5 -o $S/c.json");
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

/* Options of one policy are those of all when it is alone. */
static void policies_have_options_of_their_own(void **state) {
    (void)state;
    program_expect("\"$B\" compare $S/a.json --bound none --no-times --seeds 3 --csv $S/v.csv --policies "
                   "pdors,pdors:favour=packing:scale=paper:delta=0.4,pdors:trials=2:repair:scale=0.7,bidlp:effort=low,"
                   "fifo:fifo-workers=3:restart-delay=sia-bert,pdors-ci:levels=20",
                   0, "pdors:favour=packing:scale=paper:delta=0.4  ");
    static const struct {
        const char *label, *policy, *options;
    } variants[] = {
        {"pdors", "pdors", ""},
        {"pdors:favour=packing:scale=paper:delta=0.4", "pdors", "--favour packing --scale paper --delta 0.4"},
        {"pdors:trials=2:repair:scale=0.7", "pdors", "--trials 2 --repair --scale 0.7"},
        {"bidlp:effort=low", "bidlp", "--effort low"},
        {"fifo:fifo-workers=3:restart-delay=sia-bert", "fifo", "--fifo-workers 3 --restart-delay 120"},
        {"pdors-ci:levels=20", "pdors-ci", "--levels 20"}};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        char command[1024];
        snprintf(command, sizeof command,
                 "\"$B\" compare $S/a.json --bound none --no-times --seeds 3 --policies %s %s --csv $S/alone.csv > "
                 "$S/alone.txt; cut -d, -f3-6 $S/alone.csv | sed 1d > $S/alone; grep -F ',%s,' $S/v.csv | "
                 "awk -F, '$2 == \"%s\"' | cut -d, -f3-6 | cmp - $S/alone && wc -l < $S/alone",
                 variants[i].policy, variants[i].options, variants[i].label, variants[i].label);
        program_expect(command, 0, "11\n");
    }
#ifdef BERTH_WITH_GLPK
    program_expect("\"$B\" compare $S/a.json --bound none --seeds 1 --no-times --policies "
                   "dorm,dorm:dorm-adjust=0:dorm-fairness=1 --csv $S/dorm.csv > $S/dorm.txt; "
                   "awk -F, '$3 == \"utility\" {print $5}' $S/dorm.csv | sort -u | wc -l",
                   0, "2\n");
#endif
    program_expect("\"$B\" compare $S/a.json --policies fifo,pdors:scal=1", 2, "did you mean 'scale'");
    program_expect("\"$B\" compare $S/a.json --policies fifo,pdors:", 2, "no option of a policy ''; there are levels,");
    program_expect("\"$B\" compare $S/a.json --policies pdors:seeds=2", 2, "no option of a policy 'seeds'");
    program_expect("\"$B\" compare $S/a.json --policies pdors:trials", 2,
                   "--policies: trials: expected an integer from 1 to 1000000, got nothing");
    program_expect("\"$B\" compare $S/a.json --policies pdors:trials=0", 2, "1 to 1000000, got '0'");
    program_expect("\"$B\" compare $S/a.json --policies pdors:repair=1", 2, "repair: expected no value, got '1'");
    program_expect("\"$B\" compare $S/a.json --policies pdors:scale=x", 2,
                   "--policies: scale: expected auto, paper or a number");
    program_expect("\"$B\" compare $S/a.json --scale x", 2, "--scale: expected auto, paper or a number");
    program_expect("\"$B\" compare $S/a.json --policies fifo:restart-delay=sia-brt", 2,
                   "--policies: restart-delay: expected seconds from 0");
    program_expect("\"$B\" compare $S/a.json --policies pdors:repair:trials=2:repair", 2, "pdors has repair twice");
    program_expect("\"$B\" compare $S/a.json --policies drf,pdors:scale=1:scale=1", 2, "pdors has scale twice");
    program_expect("\"$B\" compare $S/a.json --policies pdors:repair,pdors:repair", 2, "'pdors:repair' is there twice");
    program_expect("\"$B\" compare $S/a.json --policies pdorss:repair", 2, "did you mean 'pdors'");
}

/* Each option under each policy: where it is said to have no effect, everything comes out the same with another value
 * of it; where it is said to have one, on some of these instances and seeds it has. */
static void options_have_the_effect_that_they_are_said_to_have(void **state) {
    (void)state;
    static const struct {
        const char *option, *value, *others, *heeding;
    } options[] = {{"levels", "3", "fifo drf srtf las optimus", "pdors pdors-ci oasis bidlp"},
                   {"fifo-workers", "2", "pdors pdors-ci oasis bidlp drf srtf las optimus", "fifo"},
                   {"effort", "low", "pdors pdors-ci oasis fifo drf srtf las optimus", ""}, /* bidlp: see below */
                   {"delta", "0.7", "pdors-ci oasis bidlp fifo drf srtf las optimus", ""},
                   {"favour", "packing", "pdors-ci oasis bidlp fifo drf srtf las optimus", "pdors"},
                   {"scale", "0.3", "pdors-ci oasis bidlp fifo drf srtf las optimus", "pdors"},
                   {"trials", "1", "pdors-ci oasis bidlp fifo drf srtf las optimus", "pdors"},
                   {"restart-delay", "500", "", "pdors-ci bidlp drf"},
                   {"dorm-adjust", "0", "pdors pdors-ci oasis bidlp fifo drf srtf las optimus", ""},
                   {"dorm-fairness", "1", "pdors pdors-ci oasis bidlp fifo drf srtf las optimus", ""}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char command[2048];
        snprintf(command, sizeof command,
                 "for p in %s; do set -- $S/a.json $S/b.json --bound none --no-times --seeds 2; "
                 "\"$B\" compare \"$@\" --policies $p:%s=%s 2>&1 | grep -q 'no effect on '$p || echo $p silent; "
                 "\"$B\" compare \"$@\" --policies $p > $S/usual.txt || echo $p failed; "
                 "\"$B\" compare \"$@\" --policies $p --%s %s > $S/other.txt 2> $S/other.err || echo $p failed; "
                 "test %s = levels || grep -q -- '--%s has no effect here' $S/other.err || echo $p silent; "
                 "cmp $S/usual.txt $S/other.txt; done; for p in %s; do "
                 "\"$B\" compare $S/a.json $S/b.json --bound none --no-times --seeds 2 --policies $p,$p:%s=%s | "
                 "awk '/^minus/ {inside = 1; next} inside && /[-+][0-9.]*[1-9]/ {found = 1} END {exit !found}' || echo "
                 "$p idle; done",
                 options[i].others, options[i].option, options[i].value, options[i].option, options[i].value,
                 options[i].option, options[i].option, options[i].heeding, options[i].option, options[i].value);
        program_expect(command, 0, "");
        assert_string_equal(program_text(), "");
    }
    program_expect("\"$B\" run $S/a.json --policy fifo --trials 3 --dorm-adjust 1", 0,
                   "--trials has no effect here: it is "
                   "for pdors");
    assert_non_null(strstr(program_text(), "--dorm-adjust has no effect here: it is for dorm"));
    program_expect("\"$B\" run $S/a.json --policy fifo --trials 3 -q 2>&1 | grep -c effect; true", 0, "0\n");
    program_expect("\"$B\" run $S/a.json --policy pdors --trials 3 2>&1 | grep -c effect; true", 0, "0\n");
}

/* Each instance once, its seed the next; going on from what is kept, and one and two jobs, give the same bytes. */
static void a_pool_is_one(void **state) {
    (void)state;
    program_expect(
        "for n in 1 2; do \"$B\" compare $S/a.json $S/b.json $S/c.json --pool --seed 4 --policies pdors,fifo "
        "--no-times --jobs $n --state $S/pool --csv $S/p$n.csv -o $S/p$n.json || exit 9; done",
        0, "in the mean: no schedule can earn more\nseeds                 4 to 6; +-");
    program_expect("for e in csv json; do cmp $S/p1.$e $S/p2.$e || exit 8; done; wc -l < $S/p1.csv; "
                   "grep -c '\"seed\": [456]' $S/p1.json; ls $S/pool | wc -l; grep '^pdors and 2 more,fifo,utility,3,' "
                   "$S/p1.csv | wc -l",
                   0, "23\n6\n9\n1\n");
    program_expect("\"$B\" compare $S/a.json --pool --seeds 3", 2, "--pool runs each instance once");
    /* Nor does one count twice, by whatever name. */
    static const char *const options[] = {"", " --pool"};
    for (size_t i = 0; i < 2; i++) {
        char command[512];
        snprintf(command, sizeof command, "\"$B\" compare $S/a.json $S/b.json $S/a.json --policies fifo%s", options[i]);
        program_expect(command, 2, "a.json' is there twice: it would count twice");
        snprintf(command, sizeof command,
                 "ln -sf a.json $S/link.json; \"$B\" compare $S/a.json $S/b.json $S/link.json --policies fifo%s",
                 options[i]);
        program_expect(command, 2, "link.json' are the same instance");
        snprintf(command, sizeof command, "\"$B\" compare $S/a.json - --policies fifo%s < $S/a.json", options[i]);
        program_expect(command, 2, "' and '-' are the same instance");
        snprintf(command, sizeof command,
                 "gzip -c $S/b.json > $S/b.gz; \"$B\" compare $S/b.json $S/b.gz --policies fifo%s", options[i]);
        program_expect(command, 2, "b.gz' are the same instance");
    }
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
    /* Other options, another instance: other runs. */
    program_expect("\"$B\" compare $S/a.json --policies fifo --fifo-workers 2 --seeds 2 --bound none --state $S/kept; "
                   "\"$B\" compare $S/b.json --policies fifo --seeds 2 --bound none --state $S/kept; "
                   "ls $S/kept | wc -l",
                   0, "\n6\n");
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

/* With all that was kept but the runs of the last seeds, and no time to do them: a table, JSON, CSV and page of the
 * others; then a signal in the middle of the work. */
static void what_is_done_is_written(void **state) {
    (void)state;
    program_expect("\"$B\" compare $S/a.json $S/b.json " SETTING " --jobs 1 --state $S/stop > $S/stop.txt && "
                   "rm $S/stop/*-[56]-* && "
                   "\"$B\" compare $S/a.json $S/b.json " SETTING " --jobs 1 --state $S/stop --time-limit 0.000001 "
                   "-o $S/stop.json --csv $S/stop.csv",
                   4, "stopped by the time limit with 24 of 36 runs done; the same command goes on from there");
    assert_non_null(strstr(program_text(), "stopped early         24 of 36 runs are there"));
    assert_non_null(strstr(program_text(), "+-"));
    program_expect("grep '\"stopped\"' $S/stop.json; grep -c '\"utility\": null' $S/stop.json; "
                   "cut -d, -f3,4,7 $S/stop.csv | grep '^utility' | sort -u",
                   0, "  \"stopped\": true,\n12\nutility,4,4\n");
    program_expect("\"$B\" compare $S/a.json $S/b.json " SETTING " --jobs 1 --state $S/stop | cmp - $S/stop.txt", 0,
                   "");
    program_expect("\"$B\" compare $S/a.json --policies pdors,fifo --seeds 90000 --bound none --state $S/signal --json "
                   "> $S/signal.json 2> $S/signal.err & "
                   "while test $(ls $S/signal 2> /dev/null | wc -l) -lt 5; do sleep 0.01; done; kill -TERM $!; "
                   "wait $!; code=$?; cat $S/signal.err; grep '\"stopped\"' $S/signal.json && exit $code",
                   4, "stopped by a signal with ");
}

#define KEPT "\"$B\" compare $S/a.json --policies fifo --seeds 1 --bound dual --state $S/state"

/* Each field beyond what it can be, within it but not what was written, and things that are no files. Whoever waits for
 * a writer, or reads zeros for ever, is killed by timeout (124). */
static void what_was_kept_is_not_believed(void **state) {
    (void)state;
    static const struct {
        const char *field, *value, *part;
    } edits[] = {{"utility", "-1", "/values/utility: expected a number >= 0, found -1"},
                 {"utility", "null", "/values/utility: expected a number, found null"},
                 {"utility", "1e3", "/crc32: is not the checksum"},
                 {"of_bound", "0.5", "/crc32: is not the checksum"},
                 {"admitted", "13", "/values/admitted: expected an integer from 0 to 12, found 13"},
                 {"admitted", "3.5", "/values/admitted: expected an integer from 0 to 12, found 3.5"},
                 {"admitted", "-1", "/values/admitted: "},
                 {"completed", "7777", "/values/completed: expected an integer from 0 to 12, found 7777"},
                 {"completed", "1", "/crc32: is not the checksum"},
                 {"mean_delay_slots", "16.5", "/values/mean_delay_slots: expected a number from 0 to 16, found 16.5"},
                 {"median_delay_slots", "-0.5", "/values/median_delay_slots: "},
                 {"p95_delay_slots", "1e300", "/values/p95_delay_slots: "},
                 {"mean_rho", "-2", "/values/mean_rho: "},
                 {"worst_rho", "\\\"high\\\"", "/values/worst_rho: expected a number, found the string"},
                 {"makespan_slots", "17", "/values/makespan_slots: "},
                 {"utilisation", "1.01", "/values/utilisation: "},
                 {"decision_us", "-1e-9", "/values/decision_us: "},
                 {"time_s", "-3", "/values/time_s: "},
                 {"time_s", "12345", "/crc32: is not the checksum"}};
    static const char *const instead[] = {"mkfifo", "mkdir", "ln -s /dev/zero", "ln -s /dev/full", "ln -s ."};
    char command[1024];
    program_expect(KEPT " > $S/state.txt && test $(ls $S/state | wc -l) = 2 && mkdir $S/kept-well && "
                        "mv $S/state/* $S/kept-well",
                   0, "");
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        snprintf(command, sizeof command,
                 "cp $S/kept-well/* $S/state; sed -i 's/\"%s\": [^,]*/\"%s\": %s/' $S/state/fifo-1-*; "
                 "! cmp -s $S/state/fifo-1-* $S/kept-well/fifo-1-* && " KEPT,
                 edits[i].field, edits[i].field, edits[i].value);
        program_expect(command, 3, edits[i].part);
        assert_non_null(strstr(program_text(), "/state/fifo-1-"));
        assert_non_null(strstr(program_text(), "; without the file the run is done again"));
    }
    program_expect("cp $S/kept-well/* $S/state; sed -i 's/\"bound\": [0-9.]*/\"bound\": -7/' $S/state/bound-*; " KEPT,
                   3, "/values/bound: expected a number >= 0, found -7");
    program_expect("cp $S/kept-well/* $S/state; sed -i '/utilisation/d' $S/state/fifo-1-*; " KEPT, 3,
                   "/values/utilisation: missing");
    program_expect("cp $S/kept-well/* $S/state; sed -i '/\"crc32\"/d; s/^  },/  }/' $S/state/fifo-1-*; " KEPT, 3,
                   "/crc32: missing");
    for (size_t i = 0; i < sizeof instead / sizeof *instead; i++) {
        snprintf(command, sizeof command,
                 "cd $S/state && rm -rf * && %s $(ls ../kept-well | grep fifo) && cd - > /dev/null; timeout 20 " KEPT,
                 instead[i]);
        program_expect(command, 3, "cannot read: it is ");
        assert_non_null(strstr(program_text(), "/state/fifo-1-"));
    }
    /* Nothing is wrong with what was kept well, and the runs are done again without it. */
    program_expect("rm -rf $S/state; " KEPT " --no-times > $S/again.txt; cp $S/kept-well/* $S/state; " KEPT
                   " --no-times | cmp - $S/again.txt && " KEPT " | cmp - $S/state.txt",
                   0, "");
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
        cmocka_unit_test(the_table_says_what_was_asked),
        cmocka_unit_test(policies_have_options_of_their_own),
        cmocka_unit_test(options_have_the_effect_that_they_are_said_to_have),
        cmocka_unit_test(a_pool_is_one),
        cmocka_unit_test(one_and_two_jobs_agree),
        cmocka_unit_test(a_killed_comparison_goes_on),
        cmocka_unit_test(what_is_kept_is_used),
        cmocka_unit_test(what_is_done_is_written),
        cmocka_unit_test(what_was_kept_is_not_believed),
        cmocka_unit_test(wrong_usage_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, program_tear_down);
}
