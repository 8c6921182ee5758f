/* berth check of a run against its instance. */
#include "cli/check.h"

#include <math.h>
#include <stdio.h>

/* What became of the bound when nothing is violated. */
static const char *run_verdict(const berth_run *run, const berth_report *report) {
    const berth_run_bounds *b = &run->bounds;
    const bool confirmed = !isnan(report->dual);
    if (b->void_because != NULL) {
        return "the bound is void";
    }
    if (isnan(b->dual) && isnan(b->lp) && isnan(b->exact) && isnan(b->best)) {
        return confirmed ? "no bound is claimed, but the certificate gives one" : "no bound is claimed";
    }
    return confirmed ? "the bound is confirmed" : "the bound is claimed but not confirmed";
}

typedef struct run_pair {
    const berth_instance *instance;
    const berth_run *run;
} run_pair;

static berth_status judge(const void *subject, const berth_hooks *hooks, berth_report **report, berth_error *error) {
    const run_pair *pair = subject;
    return berth_check(pair->instance, pair->run, hooks, report, error);
}

static void say(const void *subject, const berth_report *report, cli_claims *claims) {
    const run_pair *pair = subject;
    snprintf(claims->verdict, sizeof claims->verdict, "all constraints hold; %s", run_verdict(pair->run, report));
    claims->value_label = "utility";
    claims->bound_label = "dual bound";
    claims->ratio_label = "bound / utility";
    claims->value = pair->run->utility;
}

int cli_check_run(const cli_check_settings *settings, char **word) {
    berth_error error = {0};
    berth_instance *instance = NULL;
    berth_run *run = NULL;
    int code;
    if (berth_instance_read(word[0], &instance, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, word[0], &error);
    } else if (berth_run_read(word[1], instance, &run, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, word[1], &error);
    } else if ((code = cli_read_certificate("check", settings->certificate, word[1], instance, run,
                                            settings->common.quiet)) == CLI_DONE) {
        code = cli_judge(settings, judge, say, &(run_pair){instance, run});
    }
    berth_run_free(run);
    berth_instance_free(instance);
    return code;
}
