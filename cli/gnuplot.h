/* Pictures drawn by the program gnuplot, a child process that gets its script and gives its picture through pipes: no
 * shell, no files. */
#ifndef BERTH_CLI_GNUPLOT_H
#define BERTH_CLI_GNUPLOT_H

#include "cli/cli.h"

typedef struct cli_gnuplot {
    char *picture; /* of the last script */
    size_t length, capacity;
} cli_gnuplot;

/* Is gnuplot there? CLI_DONE, or CLI_INTERNAL with a message: better before long work than after it. */
int cli_gnuplot_check(const char *verb);

/* A renderer that draws with it. cli_gnuplot_free frees what it holds. Its errors: E_IO with what gnuplot says;
 * E_CANCELLED by a signal. */
berth_renderer cli_gnuplot_renderer(cli_gnuplot *gnuplot);
void cli_gnuplot_free(cli_gnuplot *gnuplot);

#endif
