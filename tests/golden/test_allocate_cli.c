/* berth allocate, generated clusters and the check of allocations, as their users meet them. */
#include "tests/support/check.h"
#include "tests/support/program.h"

#define CLUSTER "$S/c.json"

static int set_up(void **state) {
    const int code = program_set_up(state);
    return code != 0 ? code : program_run("\"$B\" generate goodput --nodes 6 --jobs 14 --seed 3 -o " CLUSTER);
}

static void allocations_are_found_and_checked(void **state) {
    (void)state;
    program_expect("\"$B\" allocate " CLUSTER " -o $S/a.json", 0, "by the prices");
    program_expect("\"$B\" check " CLUSTER " $S/a.json", 0, "all constraints hold; the bound is confirmed");
    program_expect("\"$B\" allocate " CLUSTER " --json | cmp - $S/a.json && echo the same", 0, "the same");
    program_expect("\"$B\" allocate - < " CLUSTER, 0, "14 jobs");
    program_expect("\"$B\" check - $S/a.json < " CLUSTER, 0, "bound / F");
    program_expect("\"$B\" check " CLUSTER " $S/a.json --json", 0, "\"ok\": true");
    program_expect("sed 's/\"goodput\": /&1/' $S/a.json > $S/false.json; \"$B\" check " CLUSTER " $S/false.json", 1,
                   "goodput");
    program_expect("\"$B\" allocate " CLUSTER " --mode exact --starve-freely -o $S/e.json && \"$B\" check " CLUSTER
                   " $S/e.json",
                   0, "all constraints hold");
}

static void every_allocator_runs(void **state) {
    (void)state;
    program_expect("for a in berth genetic optimus tiresias; do \"$B\" allocate " CLUSTER
                   " --allocator $a -o $S/o.json && \"$B\" check " CLUSTER " $S/o.json || exit 9; done; echo all",
                   0, "all");
    program_expect("\"$B\" allocate " CLUSTER " --allocator genetic --seed 4 --json > $S/1.json &&"
                   "\"$B\" allocate " CLUSTER " --allocator genetic --seed 4 --json | cmp - $S/1.json && echo the same",
                   0, "the same");
    program_expect("\"$B\" allocate " CLUSTER " --allocator best", 2, "gavel-maxsum");
}

static void another_power_is_checked_as_such(void **state) {
    (void)state;
    program_expect("\"$B\" allocate " CLUSTER " --p 1 -o $S/p.json && \"$B\" check " CLUSTER " $S/p.json", 0,
                   "all constraints hold");
    program_expect("sed 's/\"p\": 1/\"p\": 0.5/' $S/p.json > $S/q.json; \"$B\" check " CLUSTER " $S/q.json", 1,
                   "fitness");
    program_expect("\"$B\" allocate " CLUSTER " --p 65", 2, "--p");
    program_expect("\"$B\" allocate instances/goodput/sia-40.json --p 1", 2, "--p: p is 1; expected less than 0");
}

#define JOB "\"options\": [{\"nodes\": 1, \"gpus\": 1, \"value\": 1}, {\"nodes\": 1, \"gpus\": 2, \"value\": 1.5}]"

static void what_cannot_be_is_told(void **state) {
    (void)state;
    program_expect("printf '{\"format\": \"berth-goodput-1\", \"nodes\": [{\"name\": \"n\", \"gpus\": 2}], \"jobs\": "
                   "[{\"id\": \"a\", \"pinned\": true, \"current\": {\"n\": 2}, " JOB "}, {\"id\": \"b\", "
                   "\"pinned\": true, \"current\": {\"n\": 1}, " JOB "}]}' > $S/i.json;"
                   "\"$B\" allocate $S/i.json -o $S/none.json",
                   1, "what pinned jobs have does not fit");
    program_expect("\"$B\" check $S/i.json $S/none.json", 0, "does not fit");
    program_expect("sed 's/\"pinned\": true, //' $S/i.json > $S/j.json; sed '/instance_crc32/d' $S/none.json > "
                   "$S/n.json; \"$B\" check $S/j.json $S/n.json",
                   1, "fits");
    program_expect("\"$B\" check " CLUSTER " $S/none.json", 3, "/instance");
    program_expect("\"$B\" allocate $S/nowhere.json", 3, "nowhere.json");
    program_expect("sed 's/\"gpus\": 2}]/\"gpus\": -2}]/' $S/i.json > $S/bad.json; \"$B\" allocate $S/bad.json", 3,
                   "/nodes/0/gpus");
    program_expect("\"$B\" allocate", 2, "missing argument");
    program_expect("\"$B\" allocate " CLUSTER " -o " CLUSTER, 2, "would replace the input");
    program_expect("\"$B\" allocate " CLUSTER " --solver simplex", 2, "--solver");
    program_expect("\"$B\" allocate " CLUSTER " --allocator optimus --prove", 2, "--prove is for --allocator berth");
    program_expect("\"$B\" allocate " CLUSTER " --json --jobs", 2, "--jobs is about the table");
    program_expect("\"$B\" check " CLUSTER " " CLUSTER, 3, "expected \"berth-run-1\", \"berth-solution-1\", ");
    program_expect("\"$B\" run " CLUSTER, 3, "also takes \"berth-goodput-jobs-1\"");
}

static void clusters_are_generated(void **state) {
    (void)state;
    program_expect("\"$B\" generate goodput --nodes 4 --gpus 8 --types 2 --jobs 9 --warm 1 --pinned 0.5 --p 0", 0,
                   "\"gpu_types\": [\"type0\", \"type1\"]");
    program_expect("\"$B\" generate goodput --machines 4", 2, "the generator goodput does not take --machines");
    program_expect("\"$B\" generate pdors --nodes 4", 2, "the generator pdors does not take --nodes");
    program_expect("\"$B\" generate goodput --nodes 2 --types 3", 2, "--types");
    program_expect("\"$B\" generate goodput --nodes 4 | \"$B\" allocate - | grep -c '^  [a-z]'", 0, "11");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_found_and_checked),
        cmocka_unit_test(every_allocator_runs),
        cmocka_unit_test(another_power_is_checked_as_such),
        cmocka_unit_test(what_cannot_be_is_told),
        cmocka_unit_test(clusters_are_generated),
    };
    return cmocka_run_group_tests(tests, set_up, program_tear_down);
}
