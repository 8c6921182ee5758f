/* The table that berth solve prints. */
#ifndef BERTH_CLI_SOLVE_TABLE_H
#define BERTH_CLI_SOLVE_TABLE_H

#include "cli/cli.h"

/* On standard output, with at most `most` variables. */
void cli_print_solution(const berth_problem *problem, const berth_solution *solution, double seconds, size_t most);

#endif
