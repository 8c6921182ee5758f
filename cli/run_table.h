/* The table that `berth run` prints for people. */
#ifndef BERTH_CLI_RUN_TABLE_H
#define BERTH_CLI_RUN_TABLE_H

#include "cli/cli.h"

/* `most_jobs`: lines of the job table before it is cut short. */
void cli_print_run(const berth_instance *instance, const berth_run *run, const berth_timings *timings,
                   size_t most_jobs);

#endif
