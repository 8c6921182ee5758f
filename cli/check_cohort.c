/* berth check of a cohort against the clients' data. */
#include "cli/check.h"

#include <berth_cohort.h>

#include <math.h>
#include <stdio.h>

typedef struct cohort_files {
    const berth_cohort_data *data;
    const berth_cohort_request *request;
    const berth_cohort *cohort;
} cohort_files;

static berth_status judge(const void *subject, const berth_hooks *hooks, berth_report **report, berth_error *error) {
    const cohort_files *files = subject;
    return berth_check_cohort(files->data, files->request, files->cohort, hooks, report, error);
}

static void say(const void *subject, const berth_report *report, cli_claims *claims) {
    const cohort_files *files = subject;
    const berth_cohort *cohort = files->cohort;
    const bool exists = cohort->outcome == BERTH_OPTIMAL || cohort->outcome == BERTH_FEASIBLE;
    const bool fewest = files->request->objective == BERTH_COHORT_PARTICIPANTS;
    const char *bound = isnan(report->dual) ? "no bound is proved" : "the bound is confirmed";
    snprintf(claims->verdict, sizeof claims->verdict, "%s; %s", exists ? "all constraints hold" : "there is no cohort",
             exists                                ? bound
             : cohort->outcome != BERTH_INFEASIBLE ? "nothing is claimed"
             : cohort->prices == NULL              ? "that there can be none is not proved"
                                                   : "that there can be none is proved");
    claims->value_label = fewest ? "participants" : "duration";
    claims->bound_label = "bound";
    claims->ratio_label = fewest ? "participants / bound" : "duration / bound";
    claims->value = fewest ? (double)cohort->n_participants : cohort->duration_s;
}

int cli_check_cohort(const cli_check_settings *settings, char **word) {
    berth_error error = {0};
    berth_cohort_data *data = NULL;
    berth_cohort_request *request = NULL;
    berth_cohort *cohort = NULL;
    berth_cohort_read_options read;
    int code;
    berth_cohort_read_options_init(&read);
    read.profiles = settings->profiles;
    read.default_ms_per_sample = settings->default_ms > 0 ? settings->default_ms : (double)NAN;
    read.default_bandwidth_kbps = settings->default_kbps > 0 ? settings->default_kbps : (double)NAN;
    if (settings->request == NULL) {
        return cli_usage("check", "the check of a cohort needs --request");
    }
    if (berth_cohort_data_read(word[0], &read, &data, &error) != BERTH_OK) {
        code = cli_fail_data("check", word[0], settings->profiles, &error);
    } else if (berth_cohort_request_read(settings->request, data, &request, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, settings->request, &error);
    } else if (berth_cohort_read(word[1], data, &cohort, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, word[1], &error);
    } else {
        code = cli_judge(settings, judge, say, &(cohort_files){data, request, cohort});
    }
    berth_cohort_free(cohort);
    berth_cohort_request_free(request);
    berth_cohort_data_free(data);
    return code;
}
