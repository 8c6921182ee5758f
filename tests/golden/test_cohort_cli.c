/* berth cohort, and the check of cohorts, as their users meet them. */
#include "tests/support/check.h"
#include "tests/support/program.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_printed),
        cmocka_unit_test(shipped_requests_are_met),
        cmocka_unit_test(what_is_missing_is_printed),
        cmocka_unit_test(wrong_usage_is_told),
        cmocka_unit_test(generated_clients_can_be_picked_from),
    };
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
