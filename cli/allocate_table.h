/* What berth allocate prints. */
#ifndef BERTH_CLI_ALLOCATE_TABLE_H
#define BERTH_CLI_ALLOCATE_TABLE_H

#include "cli/cli.h"

#include <berth_goodput.h>

/* On standard output; `most`: jobs that are listed. */
void cli_print_allocation(const berth_goodput_instance *instance, const berth_allocation *allocation, double seconds,
                          size_t most);

#endif
