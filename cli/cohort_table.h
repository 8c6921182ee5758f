/* What berth cohort prints. */
#ifndef BERTH_CLI_COHORT_TABLE_H
#define BERTH_CLI_COHORT_TABLE_H

#include "cli/cli.h"

#include <berth_cohort.h>

/* On standard output; `most`: participants that are listed. */
void cli_print_cohort(const berth_cohort_data *data, const berth_cohort_request *request, const berth_cohort *cohort,
                      double seconds, size_t most);

#endif
