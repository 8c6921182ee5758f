/* Simulated trainings as users meet them: import, run, check, on Pollux's workload 6. BERTH_PROGRAM names the
 * program. */
#include "tests/support/check.h"
#include "tests/support/program.h"

#define WORKLOAD "instances/pollux/workload-6.json.gz"

static void policies_run_and_are_confirmed(void **state) {
    (void)state;
    /* Of the policies without fits the figures hold to the digit. Theirs, with another interpolation of step times:
     * 3469.69375 and 5301.875. */
    program_expect("\"$B\" run " WORKLOAD " --policy tiresias -o $S/r.json", 0, "average completion    3474.89 s");
    program_expect("grep -c '\"mean_s\": 3474.89375,' $S/r.json", 0, "1");
    program_expect("\"$B\" check " WORKLOAD " $S/r.json", 0, "completions and figures are confirmed");
    program_expect("\"$B\" run " WORKLOAD " --policy optimus -o $S/r.json", 0, "average completion    5291.45 s");
    program_expect("\"$B\" check " WORKLOAD " $S/r.json", 0, "completions and figures are confirmed");
    program_expect("sed -i 's/\"mean_s\": 5291.45,/\"mean_s\": 5291,/' $S/r.json && \"$B\" check " WORKLOAD
                   " $S/r.json",
                   1, "violated: summary at mean_s");
    program_expect(
        "sed 's/\"policy\": \"optimus\"/\"policy\": \"optimal\"/' $S/r.json > $S/x.json; \"$B\" check " WORKLOAD
        " $S/x.json",
        3, "x.json: /policy: unknown word 'optimal'; expected one of pollux, sia, tiresias, optimus, hesrpt");
    program_expect("sed 's/\"batches\": null/\"batches\": \"grid\"/' $S/r.json > $S/x.json; \"$B\" check " WORKLOAD
                   " $S/x.json",
                   1, "violated: identity at batches: is grid; expected none under this policy");
    program_expect("sed 's/\"stopped\": false/\"stopped\": true/' $S/r.json > $S/x.json; \"$B\" check " WORKLOAD
                   " $S/x.json",
                   1, "violated: identity at stopped: is true, but all jobs are done");
}

static void workloads_are_imported(void **state) {
    (void)state;
    program_expect("\"$B\" import pollux-goodput instances/pollux/workload-3.csv --applications " WORKLOAD
                   " --machines 8 -o $S/w.json",
                   0, "160 jobs of 6 applications");
    program_expect("head -n 4 instances/pollux/workload-3.csv > $S/few.csv; \"$B\" import pollux-goodput $S/few.csv "
                   "--applications " WORKLOAD
                   " -q -o $S/few.json && \"$B\" run $S/few.json --policy pollux -o $S/p.json",
                   0, "3 of 3 jobs");
    program_expect("\"$B\" check $S/few.json $S/p.json", 0, "completions and figures are confirmed");
    program_expect("\"$B\" run $S/few.json --policy hesrpt --batches exact", 0, "hesrpt, allocator berth");
    program_expect("\"$B\" run $S/few.json --policy pollux --json | cmp - $S/p.json && echo same", 0, "same");
    program_expect("\"$B\" check $S/w.json $S/p.json", 3, "this belongs to workload");
}

/* A node of two GPUs, and a job that asks for three. */
static void reasons_are_told(void **state) {
    (void)state;
    program_expect(
        "printf '{\"format\": \"berth-goodput-jobs-1\", \"name\": \"n\", \"nodes\": [{\"name\": \"a\", \"gpus\": 2}], "
        "\"applications\": {\"x\": {\"m0\": 4, \"max_batch\": 8, \"min_local\": 1, \"max_local\": 8, \"placements\": "
        "[{\"gpus\": [1], \"local\": [4], \"step_s\": [1], \"sync_s\": [0]}], \"trainings\": [{\"batch\": 4, "
        "\"progress\": "
        "[1], \"iterations\": [1], \"grad_sqr\": [1], \"grad_var\": [1]}]}}, \"jobs\": [{\"id\": \"j\", \"submit_s\": "
        "0, "
        "\"application\": \"x\", \"replicas\": 3}]}' > $S/few.json; \"$B\" run $S/few.json --policy tiresias",
        0, "1 job was never done: 'j' asks for 3 GPUs, and there are 2");
    program_expect("\"$B\" run $S/few.json --policy optimus", 0, "1 of 1 jobs");
    program_expect("sed 's/\"gpus\": 2/\"gpus\": 0/' $S/few.json > $S/f.json; \"$B\" run $S/f.json --policy optimus", 3,
                   "f.json: /nodes/0/gpus: is 0; expected a whole number of at least 1");
    program_expect("sed 's/\"gpus\": 2/\"gpus\": 2000/' $S/few.json > $S/f.json; \"$B\" run $S/f.json --policy optimus",
                   3, "f.json: /nodes/0/gpus: is 2000; expected a whole number in [1, 1024]");
    program_expect("sed 's/\"nodes\": .*gpus\": 2}\\]/\"nodes\": []/' $S/few.json > $S/f.json; \"$B\" run $S/f.json "
                   "--policy optimus",
                   3, "f.json: /nodes: is empty; expected at least one node");
}

static void wrong_usage_is_told(void **state) {
    (void)state;
    static const struct {
        const char *command;
        int code;
        const char *part;
    } cases[] = {
        {"\"$B\" run " WORKLOAD " --policy fifo", 2, "does not know measured trainings"},
        {"\"$B\" run " WORKLOAD " --policy pollux --bound lp", 2, "--bound is not for"},
        {"\"$B\" run instances/quickstart.json --policy tiresias", 2, "for workloads of measured trainings"},
        {"\"$B\" run instances/quickstart.json --batches exact", 2, "--batches is for workloads of measured trainings"},
        {"\"$B\" run " WORKLOAD " --policy tiresias --power 1", 2,
         "--power is for the policies pollux, sia and hesrpt"},
        {"\"$B\" run " WORKLOAD " --policy sia --power 1", 2, "--power: p is 1; expected less than 0"},
        {"cp " WORKLOAD " $S/w.json.gz; \"$B\" run $S/w.json.gz -o $S/w.json.gz", 2, "would replace the workload"},
        {"\"$B\" import pollux-goodput instances/pollux/workload-3.csv", 2, "--applications"},
        {"\"$B\" import pollux-goodput instances/pollux/workload-3.csv --applications x --slots 3", 2,
         "--slots is not for"},
        {"\"$B\" import pollux instances/pollux/workload-3.csv --applications x", 2, "are for pollux-goodput"},
        {"\"$B\" import pollux-goodput $S/none.csv --applications " WORKLOAD, 3, "none.csv: cannot open"},
        {"\"$B\" import pollux-goodput - --applications - < /dev/null", 2, "not standard input"},
        {"\"$B\" import pollux-goodput instances/pollux/workload-3.csv --applications " WORKLOAD " --machines 70000", 2,
         "--machines: "},
        {"\"$B\" import pollux-goodput instances/pollux/workload-3.csv --applications instances/goodput/tiny-a.json", 3,
         "tiny-a.json: /format: "},
        {"printf '{\"format\": \"berth-goodput-jobs-1\", \"name\": \"n\", \"nodes\": []}' > $S/n.json; \"$B\" import "
         "pollux-goodput instances/pollux/workload-3.csv --applications $S/n.json",
         3, "n.json: /"},
        {"printf 'sn,cpu_milli,memory_mib,gpu,model\\nx,1\\n' > $S/n.csv; \"$B\" import openb "
         "instances/openb/pods-day.csv "
         "$S/n.csv",
         3, "n.csv:2: fewer fields"},
        {"printf '{\"v100\": {\"x\": 3}}' > $S/t.json; \"$B\" import gavel instances/gavel/msr-first48.trace $S/t.json",
         3, "t.json: /v100/x: "},
        {"printf 'time;application;num_replicas;batch_size\\n' > $S/bad.csv; \"$B\" import pollux-goodput "
         "$S/bad.csv --applications " WORKLOAD,
         3, "bad.csv:1: the fields are separated by semicolons"},
        {"\"$B\" import pollux-goodput instances/pollux/workload-3.csv --applications $S", 3, "placements.csv"},
        {"printf 'time,application,num_replicas,batch_size\\n1,bert,0,12\\n' > $S/bad.csv; \"$B\" import "
         "pollux-goodput "
         "$S/bad.csv --applications " WORKLOAD,
         3, "bad.csv:2: num_replicas is 0"},
        /* Found in a folder: not waited for. */
        {"mkdir -p $S/apps/ncf; mkfifo $S/apps/ncf/placements.csv; timeout 20 \"$B\" import pollux-goodput "
         "instances/pollux/workload-3.csv --applications $S/apps",
         3, "apps/ncf/placements.csv: cannot read: it is not a regular file"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        program_expect(cases[k].command, cases[k].code, cases[k].part);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_run_and_are_confirmed),
        cmocka_unit_test(workloads_are_imported),
        cmocka_unit_test(reasons_are_told),
        cmocka_unit_test(wrong_usage_is_told),
    };
    return cmocka_run_group_tests(tests, program_set_up, program_tear_down);
}
