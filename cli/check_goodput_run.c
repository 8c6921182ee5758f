/* berth check of a simulated run of measured trainings against its workload. */
#include "cli/check.h"

#include <berth_goodput.h>

#include <stdio.h>

typedef struct run_pair {
    const berth_goodput_workload *workload;
    const berth_goodput_run *run;
} run_pair;

static berth_status judge(const void *subject, const berth_hooks *hooks, berth_report **report, berth_error *error) {
    const run_pair *pair = subject;
    return berth_check_goodput_run(pair->workload, pair->run, hooks, report, error);
}

static void say(const void *subject, const berth_report *report, cli_claims *claims) {
    const run_pair *pair = subject;
    (void)report;
    snprintf(claims->verdict, sizeof claims->verdict, "all constraints hold; completions and figures are confirmed");
    claims->value_label = "average completion";
    claims->bound_label = "bound";
    claims->ratio_label = "ratio";
    claims->value = pair->run->mean_s;
}

int cli_check_goodput_run(const cli_check_settings *settings, char **word) {
    berth_error error = {0};
    berth_goodput_workload *workload = NULL;
    berth_goodput_run *run = NULL;
    int code;
    if (berth_goodput_workload_read(word[0], &workload, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, word[0], &error);
    } else if (berth_goodput_run_read(word[1], workload, &run, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, word[1], &error);
    } else {
        code = cli_judge(settings, judge, say, &(run_pair){workload, run});
    }
    berth_goodput_run_free(run);
    berth_goodput_workload_free(workload);
    return code;
}
