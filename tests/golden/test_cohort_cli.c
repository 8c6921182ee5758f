/* berth cohort, and the check of cohorts, as their users meet them. */
#include "tests/support/check.h"
#include "tests/support/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEECH "instances/cohort/speech.csv.gz --profiles instances/cohort/speech.profiles.csv.gz"

static void sizes_are_printed(void **state) {
    (void)state;
    program_expect("\"$B\" cohort size --deviation 5 --range 24 --clients 2187", 0, "34 of 2187");
    program_expect("\"$B\" cohort size --deviation 5 --range 24 --clients 2187 --confidence 0.8", 0, "19 of 2187");
    program_expect("\"$B\" cohort size instances/cohort/speech.csv.gz --deviation 5 --json", 0, "\"clients\": [\"");
    program_expect("\"$B\" cohort size instances/cohort/speech.csv.gz --deviation 5", 0, "all 35 categories");
    program_expect("\"$B\" cohort size --range 24 --clients 2187", 2, "--deviation");
    program_expect("\"$B\" cohort size --deviation 5", 2, "--range");
    program_expect("\"$B\" cohort size --deviation 5 --range 1 --clients 0", 2, "--clients");
    program_expect("\"$B\" cohort sise", 2, "size");
}

static void shipped_requests_are_met(void **state) {
    (void)state;
    program_expect("\"$B\" cohort pick " SPEECH
                   " --request instances/cohort/speech-fast.json -o $S/fast.json --effort 0.2",
                   0, "no cohort is done sooner, by the prices");
    program_expect("\"$B\" check " SPEECH " --request instances/cohort/speech-fast.json $S/fast.json", 0,
                   "the bound is confirmed");
    program_expect("\"$B\" cohort pick " SPEECH
                   " --request instances/cohort/speech-few.json --json --effort 0.2 > $S/few.json",
                   0, "");
    program_expect("\"$B\" check " SPEECH " --request instances/cohort/speech-few.json $S/few.json", 0,
                   "participants / bound");
    program_expect("sed 's/\"duration_s\": 1/\"duration_s\": 2/' $S/fast.json > $S/false.json;"
                   "\"$B\" check " SPEECH " --request instances/cohort/speech-fast.json $S/false.json",
                   1, "violated: duration");
}

static void what_is_missing_is_printed(void **state) {
    (void)state;
    program_expect("printf 'client,a,b\\nx,3,1\\ny,2,0\\n' > $S/c.csv;"
                   "printf '{\"format\": \"berth-cohort-request-1\", \"requests\": {\"a\": 4, \"b\": 3}}' > $S/r.json;"
                   "\"$B\" cohort pick $S/c.csv --request $S/r.json --default-ms 10 --default-kbps 1000 -o $S/no.json",
                   1, "missing               b: 2 of 3 samples");
    program_expect("\"$B\" check $S/c.csv $S/no.json --request $S/r.json --default-ms 10 --default-kbps 1000", 0,
                   "that there can be none is proved");
    program_expect(
        "printf '{\"format\": \"berth-cohort-request-1\", \"requests\": {\"a\": 4}, \"budget\": 1}' > $S/r.json;"
        "\"$B\" cohort pick $S/c.csv --request $S/r.json --default-ms 10 --default-kbps 1000",
        1, "a budget of 2 participants");
}

static void wrong_usage_is_told(void **state) {
    (void)state;
    program_expect("\"$B\" cohort", 2, "");
    program_expect("\"$B\" cohort pick", 2, "--request");
    program_expect("\"$B\" cohort pick $S/none.csv --request $S/none.json", 3, "none.csv");
    program_expect("\"$B\" cohort pick - --request -", 2, "standard input");
    program_expect("\"$B\" cohort pick " SPEECH " --request instances/cohort/speech-few.json --solver simplex", 2,
                   "simplex");
    program_expect("\"$B\" check " SPEECH " $S/fast.json", 2, "--request");
    program_expect("printf 'client,a\\nx,-3\\n' > $S/bad.csv;"
                   "\"$B\" cohort pick $S/bad.csv --request instances/cohort/speech-few.json",
                   3, "bad.csv:2: ");
    program_expect("\"$B\" cohort pick " SPEECH " --request instances/cohort/speech-few.json --deviation 5", 2,
                   "--deviation is not for pick");
    program_expect("\"$B\" cohort size instances/cohort/speech.csv.gz --deviation 5 --effort 2", 2,
                   "--effort is not for size");
    program_expect("\"$B\" cohort train - --profiles x < /dev/null", 2, "--profiles is not for train");
    program_expect("\"$B\" cohort pick " SPEECH " --request instances/cohort/speech-few.json --participants --json", 2,
                   "--participants is about the table");
}

/* What is wrong in a file is bad input, and the file is named; what is wrong with an option is wrong usage. */
static void files_are_named(void **state) {
    (void)state;
    program_expect(
        "printf 'client,a\\nx,3\\n' > $S/k.csv; printf 'client,ms_per_sample,bandwidth_kbps\\nx,1e16,1\\n' > "
        "$S/k.prof.csv; printf '{\"format\": \"berth-cohort-request-1\", \"requests\": {\"a\": 1}}' > "
        "$S/k.json; \"$B\" cohort pick $S/k.csv --profiles $S/k.prof.csv --request $S/k.json",
        3, "k.prof.csv:2: expected milliseconds per sample");
    program_expect("\"$B\" cohort pick $S/k.csv --profiles $S/k.csv --request $S/k.json", 3, "k.csv:1: ");
    program_expect("\"$B\" cohort pick $S/k.csv --default-ms 1e-12 --default-kbps 1 --request $S/k.json", 2,
                   "--default-ms");
    program_expect("\"$B\" cohort pick $S/k.csv --request $S/k.json", 2, "without --profiles");
    program_expect("sed 's/}}/}, \"model_kbit\": 1e16}/' $S/k.json > $S/m.json; \"$B\" cohort pick $S/k.csv "
                   "--default-ms 1 --default-kbps 1 --request $S/m.json",
                   3, "m.json: /model_kbit: is 1e+16");
}

/* As many as there are, once; nothing where each is a client's. */
static void foreign_profiles_are_told(void **state) {
    (void)state;
    static const char pick[] = "\"$B\" cohort pick $S/f.csv --profiles $S/f.prof.csv --request $S/f.json "
                               "--default-ms 1 --default-kbps 1";
    char command[512];
    program_expect("printf 'client,a\\nx,3\\n' > $S/f.csv; printf '{\"format\": \"berth-cohort-request-1\", "
                   "\"requests\": {\"a\": 1}}' > $S/f.json; printf 'client,ms_per_sample,bandwidth_kbps\\nx,1,1\\n' > "
                   "$S/f.prof.csv",
                   0, "");
    snprintf(command, sizeof command, "%s 2>&1 > /dev/null | grep -c warning", pick);
    program_expect(command, 1, "0");
    snprintf(command, sizeof command, "printf 'y,1,1\\nz,2,2\\n' >> $S/f.prof.csv; %s", pick);
    program_expect(command, 0, "f.prof.csv: 2 profiles are of no client");
}

static void generated_clients_can_be_picked_from(void **state) {
    (void)state;
    program_expect(
        "\"$B\" generate cohort --clients 300 --seed 5 -o $S/g.csv.gz --profiles $S/g.prof.csv --request $S/g.json &&"
        "\"$B\" cohort pick $S/g.csv.gz --profiles $S/g.prof.csv --request $S/g.json -o $S/g.out.json && "
        "\"$B\" check $S/g.csv.gz $S/g.out.json --profiles $S/g.prof.csv --request $S/g.json",
        0, "the bound is confirmed");
    program_expect("\"$B\" generate cohort --jobs 3", 2, "--jobs");
    program_expect("\"$B\" generate pdors --clients 3", 2, "--clients");
}

/* ---- train ---- */

#define LOG_BEGIN      "{\"format\": \"berth-selector-log-1\"}\\n"
#define REGISTER(c, s) "{\"event\": \"register\", \"client\": \"" c "\", \"duration_s\": " s "}\\n"
#define RESULT(c, n)                                                                                                   \
    "{\"event\": \"result\", \"client\": \"" c "\", \"samples\": " n ", \"mean_squared_loss\": 2, \"duration_s\": "    \
    "3}\\n"
#define SELECT "{\"event\": \"select\", \"participants\": 2}\\n"
#define FOUR   REGISTER("a", "1") REGISTER("b", "2") REGISTER("c", "null") REGISTER("d d", "4")

static void logs_are_replayed(void **state) {
    (void)state;
    program_expect("printf '" LOG_BEGIN FOUR SELECT RESULT("a", "9") RESULT("b", "4") SELECT SELECT
                   "' > $S/log.jsonl; \"$B\" cohort train $S/log.jsonl",
                   0, "4, of which 2 have reported");
    program_expect("\"$B\" cohort train $S/log.jsonl --json", 0, "{\"round\": 3, \"available\": 4");
    program_expect("\"$B\" cohort train - --json --overcommit 1 < $S/log.jsonl | grep -c explored", 0, "3");
    /* a later registration is a new declaration; available clients may be repeated */
    program_expect(
        "printf '" LOG_BEGIN FOUR REGISTER(
            "a", "7") "{\"event\": \"select\", \"participants\": 5, \"available\": [\"a\", \"d d\", \"a\"]}\\n' |"
                      "\"$B\" cohort train - --json",
        0, "\"explored\": [\"a\", \"d d\"]");
}

/* A log in two parts, the second with a restored selector, selects what the whole selects. */
static void snapshots_go_on(void **state) {
    (void)state;
    program_expect(
        "printf '" LOG_BEGIN FOUR SELECT RESULT("a", "9") "' > $S/one.jsonl;"
                                                          "printf '" LOG_BEGIN RESULT("b", "4")
                                                              SELECT RESULT("d d", "5") SELECT
        "' > $S/two.jsonl;"
        "(cat $S/one.jsonl; sed 1d $S/two.jsonl) | gzip > $S/whole.jsonl.gz;"
        "\"$B\" cohort train $S/whole.jsonl.gz --seed 5 --json --snapshot $S/whole.bin > $S/whole.txt &&"
        "\"$B\" cohort train $S/one.jsonl --seed 5 --json --snapshot $S/one.bin > $S/parts.txt &&"
        "\"$B\" cohort train $S/two.jsonl --restore $S/one.bin --json --snapshot $S/two.bin >> $S/parts.txt &&"
        "cmp $S/whole.txt $S/parts.txt && cmp $S/whole.bin $S/two.bin && wc -l < $S/whole.txt",
        0, "3");
    program_expect("\"$B\" cohort train $S/two.jsonl --restore $S/one.bin --alpha 1", 2, "--alpha");
    program_expect("\"$B\" cohort train $S/two.jsonl --restore $S/one.jsonl", 3, "no snapshot");
    program_expect("head -c 100 $S/one.bin > $S/cut.bin; \"$B\" cohort train $S/two.jsonl --restore $S/cut.bin", 3,
                   "cut short");
    program_expect("(printf 'BERTHSEL\\002'; tail -c +10 $S/one.bin) > $S/new.bin;"
                   "\"$B\" cohort train $S/two.jsonl --restore $S/new.bin",
                   3, "of version 2; this berth reads version 1");
    program_expect("\"$B\" cohort train $S/two.jsonl --snapshot $S/two.jsonl", 2, "would replace");
    program_expect("\"$B\" cohort train", 2, "LOG");
    program_expect("\"$B\" cohort train $S/two.jsonl -o $S/x", 2, "-o");
    program_expect("\"$B\" cohort train $S/two.jsonl --cut-off 2", 2, "--cut-off");
}

static void bad_logs_are_told_by_line(void **state) {
    (void)state;
    static const struct {
        const char *log, *part;
    } bad[] = {
        {"", "log.jsonl:1: "},
        {SELECT, "log.jsonl:1: "},
        {"{\"format\": \"berth-selector-log-2\"}", "log.jsonl:1: "},
        {LOG_BEGIN "\\n[1]", "log.jsonl:3:"},
        {LOG_BEGIN SELECT "{\"event\": ", "log.jsonl:3:"},
        {LOG_BEGIN "{\"event\": \"selekt\"}", "log.jsonl:2: /event: expected register, result or select"},
        {LOG_BEGIN "{\"event\": \"select\"}", "log.jsonl:2: /participants"},
        {LOG_BEGIN "{\"event\": \"select\", \"participants\": 0}", "log.jsonl:2: participants"},
        {LOG_BEGIN "{\"event\": \"select\", \"participants\": 1.5}", "log.jsonl:2: /participants"},
        {LOG_BEGIN "{\"event\": \"select\", \"participants\": 1, \"available\": [\"x\"]}",
         "log.jsonl:2: /available/0: client 'x' has not registered"},
        {LOG_BEGIN RESULT("x", "1"), "log.jsonl:2: /client: client 'x' has not registered"},
        {LOG_BEGIN REGISTER("x", "0"), "log.jsonl:2: /duration_s"},
        {LOG_BEGIN REGISTER("x", "1") RESULT("x", "-1"), "log.jsonl:3: /samples"},
        {LOG_BEGIN REGISTER("", "1"), "log.jsonl:2: /client"},
        {LOG_BEGIN "{\"event\": \"register\", \"client\": \"x\", \"speed\": 1}", "log.jsonl:2: /speed"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char command[1024];
        snprintf(command, sizeof command, "printf '%s' > $S/log.jsonl; \"$B\" cohort train $S/log.jsonl", bad[k].log);
        program_expect(command, 3, bad[k].part);
    }
    program_expect("\"$B\" cohort train $S/none.jsonl", 3, "none.jsonl");
}

/* Of the files that belong together the one at fault is named. */
static void the_file_at_fault_is_named(void **state) {
    (void)state;
    /* Zeros for ever are not read until memory ends. */
    static const char *const readers[] = {"cohort size /dev/zero --deviation 1", "cohort train /dev/zero",
                                          "fit /dev/zero"};
    for (size_t k = 0; k < sizeof readers / sizeof *readers; k++) {
        char command[256];
        snprintf(command, sizeof command, "timeout 60 \"$B\" %s", readers[k]);
        program_expect(command, 3, "/dev/zero:1:1: a NUL byte: this is no text file");
    }
    program_expect("printf 'client,x\\na,1\\nb\\000,2\\n' > $S/nul.csv; \"$B\" cohort size $S/nul.csv --deviation 1", 3,
                   "nul.csv:3:2: a NUL byte");
#define PICK "\"$B\" cohort pick instances/cohort/speech.csv.gz --request instances/cohort/speech-fast.json --profiles "
    program_expect(PICK "$S", 3, "berth cohort: /tmp/");
    assert_null(strstr(program_text(), "speech"));
    program_expect(PICK "$S/none.csv", 3, "none.csv: cannot open");
    program_expect(PICK "/dev/null", 3, "berth cohort: /dev/null:1: expected the header client");
    program_expect("printf 'client,ms_per_sample,bandwidth_kbps\\n0,1\\n' > $S/half.csv; " PICK "$S/half.csv", 3,
                   "half.csv:2: ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_printed),
        cmocka_unit_test(shipped_requests_are_met),
        cmocka_unit_test(what_is_missing_is_printed),
        cmocka_unit_test(wrong_usage_is_told),
        cmocka_unit_test(files_are_named),
        cmocka_unit_test(foreign_profiles_are_told),
        cmocka_unit_test(generated_clients_can_be_picked_from),
        cmocka_unit_test(logs_are_replayed),
        cmocka_unit_test(snapshots_go_on),
        cmocka_unit_test(bad_logs_are_told_by_line),
        cmocka_unit_test(the_file_at_fault_is_named),
    };
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
