/* berth check of an allocation against the cluster and its jobs. */
#include "cli/check.h"

#include <berth_goodput.h>

#include <math.h>
#include <stdio.h>

typedef struct allocation_files {
    const berth_goodput_instance *instance;
    const berth_allocation *allocation;
} allocation_files;

static berth_status judge(const void *subject, const berth_hooks *hooks, berth_report **report, berth_error *error) {
    const allocation_files *files = subject;
    return berth_check_allocation(files->instance, files->allocation, hooks, report, error);
}

static void say(const void *subject, const berth_report *report, cli_claims *claims) {
    const allocation_files *files = subject;
    const char *text = files->allocation->outcome == BERTH_INFEASIBLE ? "what pinned jobs have does not fit"
                       : isnan(report->dual)                          ? "all constraints hold; no bound is proved"
                                                                      : "all constraints hold; the bound is confirmed";
    snprintf(claims->verdict, sizeof claims->verdict, "%s", text);
    claims->value_label = "F";
    claims->bound_label = "bound";
    claims->ratio_label = "bound / F";
    claims->value = files->allocation->fitness;
}

int cli_check_allocation(const cli_check_settings *settings, char **word) {
    berth_error error = {0};
    berth_goodput_instance *instance = NULL;
    berth_allocation *allocation = NULL;
    int code;
    if (berth_goodput_instance_read(word[0], &instance, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, word[0], &error);
    } else if (berth_allocation_read(word[1], instance, &allocation, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, word[1], &error);
    } else {
        code = cli_judge(settings, judge, say, &(allocation_files){instance, allocation});
    }
    berth_allocation_free(allocation);
    berth_goodput_instance_free(instance);
    return code;
}
