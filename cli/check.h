/* The kinds of results that berth check knows, and what they share. */
#ifndef BERTH_CLI_CHECK_H
#define BERTH_CLI_CHECK_H

#include "cli/check_report.h"

typedef struct cli_check_settings {
    cli_common common;
    const char *certificate;
    berth_problem_read_options read;
    int format;
    bool allow_violation;
    const char *request, *profiles;
    double default_ms, default_kbps;
} cli_check_settings;

/* word: [2] the files of the command line, not both "-". Each returns an exit code. */
int cli_check_run(const cli_check_settings *settings, char **word);
int cli_check_solution(const cli_check_settings *settings, char **word);
int cli_check_cohort(const cli_check_settings *settings, char **word);
int cli_check_allocation(const cli_check_settings *settings, char **word);
int cli_check_goodput_run(const cli_check_settings *settings, char **word);

/* The check itself, and what there is to say of a report in which nothing is violated. */
typedef berth_status cli_judge_function(const void *subject, const berth_hooks *hooks, berth_report **report,
                                        berth_error *error);
typedef void cli_say_function(const void *subject, const berth_report *report, cli_claims *claims);

/* Everything read: judges (to be interrupted by a signal), and writes or prints the report. */
int cli_judge(const cli_check_settings *settings, cli_judge_function *judge, cli_say_function *say,
              const void *subject);

#endif
