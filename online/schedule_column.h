/* Columns of the schedule LP (schedule_lp.h): what a relaxed schedule of a job earns and holds. */
#ifndef BERTH_ONLINE_SCHEDULE_COLUMN_H
#define BERTH_ONLINE_SCHEDULE_COLUMN_H

#include "online/bound.h"
#include "solver/solve.h"

typedef struct berth__schedule_column {
    int job;
    double utility;
    size_t n;
    int *row;      /* [n] increasing: (slot n_classes + class) n_resources + resource */
    double *value; /* [n] share, of all the class has of the resource in the slot, that is held */
    int idle;      /* masters since it was last in use */
} berth__schedule_column;

/* The cheapest relaxed schedule of jobs[job] at the view's prices that completes by last_slot, from the trace that
 * berth__class_thetas left. Where workers and servers may sit in several classes, an LP (of a backend of the set) says
 * in which: the cost is that of theta within the tolerance of that LP. *made false: it found none, which rounding may
 * bring about at the edge of what fits. */
berth_status berth__schedule_column_new(const berth__class_view *view, const berth__job *job, int job_index,
                                        int last_slot, const int *class_of, const berth__bound_trace *trace,
                                        const berth_backends *backends, berth__schedule_column *out, bool *made,
                                        berth_error *error);
void berth__schedule_column_clear(berth__schedule_column *column);

#endif
