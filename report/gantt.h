/* What a Gantt chart shows: bars in rows.
 *
 * A row is as many machines, one after the other, as it takes to have at most `most_rows` rows; a bin as many slots as
 * it takes to have at most `most_bins`. What a job holds of a row in a bin is the largest, over resources, of
 *
 *     amount held, summed over machines and slots / capacity, summed likewise
 *
 * so that a bar's area is the part of the capacity that is taken. Where these shares come to more than 1 (jobs that are
 * large in different resources), all of the cell are scaled down to fit. A job keeps its height in the row from bin to
 * bin where it can. Shares below `least_share` are lumped together as one bar of nobody's. */
#ifndef BERTH_REPORT_GANTT_H
#define BERTH_REPORT_GANTT_H

#include <berth_io.h>

#define BERTH__OTHERS SIZE_MAX

typedef struct berth__bar {
    size_t row, job;  /* BERTH__OTHERS: several small ones */
    int from, to;     /* slots: from <= slot < to */
    double low, high; /* in the row, 0 to 1 */
} berth__bar;

typedef struct berth__gantt {
    size_t n_rows, machines_per_row;
    int slots_per_bin;
    size_t n_bars;
    berth__bar *bars; /* by row, then in the order of their beginnings */
} berth__gantt;

/* Placements of slots beyond the horizon, which external results may hold, are left out. O(p log p) in placements. */
berth_status berth__gantt_layout(const berth_instance *instance, const berth_run *run, size_t most_rows,
                                 size_t most_bins, double least_share, berth__gantt *out, berth_error *error);
void berth__gantt_free(berth__gantt *gantt);

#endif
