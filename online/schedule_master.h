/* The restricted master of the schedule LP: the columns so far.
 *
 *     max sum_c u_c x_c   s.t.  sum_c q_c x_c <= 1 for each (slot, class, resource),  sum_{c of i} x_c <= 1,  x >= 0 */
#ifndef BERTH_ONLINE_SCHEDULE_MASTER_H
#define BERTH_ONLINE_SCHEDULE_MASTER_H

#include "online/schedule_column.h"

typedef struct berth__schedule_master {
    size_t n_rows, n_jobs;
    size_t n, room;
    berth__schedule_column *column; /* [n] */
    double value;                   /* of the last solve: a lower bound on the LP's value */
    double *row_dual;               /* [n_rows] >= 0, value of all of a row's capacity */
    double *job_dual;               /* [n_jobs] >= 0 */
    int *model_row;                 /* [n_rows + n_jobs] scratch; -1: no column has an entry */
} berth__schedule_master;

berth_status berth__schedule_master_init(berth__schedule_master *master, size_t n_rows, size_t n_jobs,
                                         berth_error *error);
void berth__schedule_master_clear(berth__schedule_master *master);
/* What a column would add to the value, by the last duals. */
double berth__schedule_master_gain(const berth__schedule_master *master, const berth__schedule_column *column);
/* True if the very same column is there: all that rounding can make of one without a gain. O(n). */
bool berth__schedule_master_has(const berth__schedule_master *master, const berth__schedule_column *column);
/* Takes the column over. False: out of memory, and the column is still the caller's. */
bool berth__schedule_master_add(berth__schedule_master *master, const berth__schedule_column *column);
/* Sets value and duals. Columns that have long been of no use are dropped. *solved false: no optimum was found (limit,
 * numerical trouble), nothing is set. */
berth_status berth__schedule_master_solve(berth__schedule_master *master, const berth_backends *backends,
                                          const berth__budget *budget, bool *solved, berth_error *error);

#endif
