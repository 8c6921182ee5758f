/* What berth check prints of a report, whatever kind of result it is about. */
#ifndef BERTH_CLI_CHECK_REPORT_H
#define BERTH_CLI_CHECK_REPORT_H

#include "cli/cli.h"

typedef struct cli_claims {
    char verdict[120]; /* if nothing is violated */
    const char *value_label, *bound_label, *ratio_label;
    double value;     /* as the result has it */
    bool approximate; /* rows hold within factors: the value is no better or worse than the bound */
} cli_claims;

/* On standard output. */
void cli_print_report(const cli_claims *claims, const berth_report *report);

#endif
