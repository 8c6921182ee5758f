/* berth goodput and berth fit as their users meet them. */
#include "tests/support/check.h"
#include "tests/support/program.h"

#include <stdlib.h>
#include <string.h>

#define PROFILES "instances/pollux/profiles/"
#define STEPS    "instances/pollux/measurements/"

static void goodput_is_printed(void **state) {
    (void)state;
    program_expect("\"$B\" goodput " PROFILES "bert.json --nodes 2 --replicas 2", 0,
                   "goodput               18.754 samples/s");
    program_expect("\"$B\" goodput " PROFILES "bert.json --nodes 2 --replicas 2", 0, "3, so 4 passes a step");
    program_expect("\"$B\" goodput " PROFILES "bert.json --nodes 2 --replicas 2 --json", 0, "\"m\": 12, \"s\": 3");
    program_expect("\"$B\" goodput - < " PROFILES "bert.json", 0, "1 over one GPU");
    program_expect("\"$B\" goodput " PROFILES "bert.json --replicas 97", 1, "no batch fits so many");
    program_expect("\"$B\" goodput " PROFILES "bert.json --replicas 97 --json", 1, "\"goodput\": 0");
}

static void exact_is_not_below_grid(void **state) {
    (void)state;
    program_expect("\"$B\" goodput " PROFILES "cifar10.json --replicas 4 --json", 0, "\"m\": 115,");
    program_expect("\"$B\" goodput " PROFILES "cifar10.json --replicas 4 --json --mode exact", 0, "\"m\": 116,");
}

static void a_batch_can_be_given(void **state) {
    (void)state;
    program_expect("\"$B\" goodput " PROFILES "cifar10.json --replicas 4 --local 64 --accumulation 1 --json", 0,
                   "\"m\": 64, \"s\": 1, \"batch\": 512,");
    program_expect("\"$B\" goodput " PROFILES "cifar10.json --replicas 4 --local 8", 2, "--local");
    program_expect("\"$B\" goodput " PROFILES "cifar10.json --replicas 4 --accumulation 1", 2, "needs --local");
    program_expect("\"$B\" goodput " PROFILES "cifar10.json --table --local 64", 2, "not for --table");
}

static void tables_have_all_forms(void **state) {
    (void)state;
    program_expect("\"$B\" goodput " PROFILES "ncf.json --table --replicas 3 | wc -l", 0, "6");
    program_expect("\"$B\" goodput " PROFILES "ncf.json --table | wc -l", 0, "128");
    program_expect("\"$B\" goodput " PROFILES "ncf.json --table --csv --nodes 1 | wc -l", 0, "65");
    program_expect("\"$B\" goodput " PROFILES "ncf.json --table --csv --replicas 2", 0,
                   "nodes,replicas,goodput,m,s,batch,throughput,efficiency,step_s,speedup\n1,1,939363.32908");
    program_expect("\"$B\" goodput " PROFILES "ncf.json --table --json --replicas 2", 0,
                   "{ \"nodes\": 2, \"replicas\": 2");
}

static void fits_are_printed(void **state) {
    (void)state;
    program_expect("\"$B\" fit " STEPS "cifar10.csv.gz", 0, "measurements          1512");
    program_expect("\"$B\" fit " STEPS "cifar10.csv.gz --residuals | wc -l", 0, "1521");
    program_expect("\"$B\" fit " STEPS "cifar10.csv.gz --json", 0, "\"warnings\": []");
    program_expect("gzip -dc " STEPS "cifar10.csv.gz | grep -v '^[2-9]\\|^1[0-9],' > $S/node.csv;"
                   "\"$B\" fit $S/node.csv --json -q",
                   0, "\"warnings\": [\"no-spread\"]");
    program_expect("\"$B\" fit $S/node.csv", 0, "warning: none is on several nodes");
}

static void a_fit_makes_a_profile(void **state) {
    (void)state;
    program_expect("\"$B\" fit " STEPS "bert.csv.gz -o $S/p.json --m0 12 --max-batch 384 --grad-sqr 1 --grad-var 35", 0,
                   "gamma");
    program_expect("\"$B\" goodput $S/p.json --replicas 4", 0, "speedup");
    program_expect("grep -c . $S/p.json", 0, "17");
    program_expect("grep local $S/p.json", 0, "\"min_local\": 4,\n  \"max_local\": 12,");
    program_expect("\"$B\" fit " STEPS "bert.csv.gz -o - --from $S/p.json --m0 24 --no-accumulation", 0, "\"m0\": 24,");
    program_expect("\"$B\" fit " STEPS "bert.csv.gz -o $S/q.json --from " PROFILES "bert.json --json", 0,
                   "\"measurements\": 720");
    program_expect("grep -c 'max_batch\": 384' $S/q.json", 0, "1");
}

static void wrong_usage_is_told(void **state) {
    (void)state;
    program_expect("\"$B\" goodput", 2, "");
    program_expect("\"$B\" goodput $S/none.json", 3, "none.json");
    program_expect("\"$B\" goodput " PROFILES "bert.json --nodes 3 --replicas 2", 2, "at least one a node");
    program_expect("\"$B\" goodput " PROFILES "bert.json --csv", 2, "--table");
    program_expect("\"$B\" goodput " PROFILES "bert.json --table --csv --json", 2, "exclude");
    program_expect("\"$B\" goodput " PROFILES "bert.json --mode best", 2, "best");
    program_expect("\"$B\" goodput " PROFILES "bert.json --table --accumulation 2", 2,
                   "--accumulation is not for --table");
    program_expect("\"$B\" goodput " PROFILES "bert.json --accumulation 0", 2, "--accumulation needs --local");
    program_expect("\"$B\" goodput " PROFILES "bert.json --local 100", 2, "--local: ");
    program_expect("sed 's/\"gamma\": 1/\"gamma\": 0/' " PROFILES "bert.json > $S/bad.json;"
                   "\"$B\" goodput $S/bad.json",
                   3, "/gamma");
    program_expect("\"$B\" fit", 2, "");
    program_expect("\"$B\" fit $S/none.csv", 3, "none.csv");
    program_expect("\"$B\" fit " STEPS "bert.csv.gz --m0 12", 2, "--m0 is for the profile that -o writes");
    program_expect("\"$B\" fit " STEPS "bert.csv.gz --from " PROFILES "bert.json", 2, "--from is for the profile");
    program_expect("\"$B\" fit " STEPS "bert.csv.gz --residuals -o - --from " PROFILES "bert.json", 2, "--residuals");
    program_expect("{ cat " STEPS "bert.csv.gz; echo 1,1,4,1,0; } > $S/more.csv.gz; \"$B\" fit $S/more.csv.gz", 3,
                   "something follows that is not gzip");
    program_expect("\"$B\" fit " STEPS "bert.csv.gz -o $S/p2.json --max-batch 5", 2, "--m0");
    program_expect("\"$B\" fit " STEPS "bert.csv.gz -o $S/p2.json --m0 5 --max-batch 4 --grad-sqr 1 --grad-var 1", 2,
                   "--max-batch");
    program_expect("test -e $S/p2.json", 1, "");
    program_expect("\"$B\" fit " STEPS "bert.csv.gz -o - --json --from " PROFILES "bert.json", 2, "exclude");
    program_expect("\"$B\" fit - -o $S/x.json --from - < /dev/null", 2, "standard input");
    program_expect("\"$B\" fit " STEPS "bert.csv.gz -o $S/none/x.json --from " PROFILES "bert.json", 5, "cannot write");
    program_expect(
        "printf 'num_nodes,num_replicas,local_bsz,step_time,sync_time\\n1,1,8,1,0\\n1,1,8,1,2\\n' > $S/m.csv;"
        "cp $S/m.csv $S/n.csv; \"$B\" fit $S/m.csv",
        3, "m.csv:3: sync_time");
    program_expect("\"$B\" fit $S/m.csv -o $S/m.csv --from " PROFILES "bert.json", 2, "would replace");
    program_expect("cmp $S/m.csv $S/n.csv", 0, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goodput_is_printed),   cmocka_unit_test(exact_is_not_below_grid),
        cmocka_unit_test(a_batch_can_be_given), cmocka_unit_test(tables_have_all_forms),
        cmocka_unit_test(fits_are_printed),     cmocka_unit_test(a_fit_makes_a_profile),
        cmocka_unit_test(wrong_usage_is_told),
    };
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
