/* Which jobs of a trace are in the instance, and in what order.
 *
 * A job is left out for the first of these reasons that holds: duplicate; what its row says against it (no GPUs, no
 * duration, no time of submission); another cluster; not in the sample; outside the window; over max_jobs.
 *
 * Order: by time of submission, equal times by content, so that the order of the file does not matter. Slot of arrival:
 * ceil((submission - from) / scale_load / slot_seconds). */
#ifndef BERTH_WORKLOAD_TRACE_SELECT_H
#define BERTH_WORKLOAD_TRACE_SELECT_H

#include "workload/trace.h"

typedef struct berth__window {
    bool has_from, has_to;
    double from_s, to_s; /* of the trace's clock; from_s is set by the selection if it was not given */
    int slots;           /* 0: until to_s; set by the selection */
} berth__window;

enum { BERTH__MOST_SLOTS = 1000000 };

/* *selected [*n_selected]: indices of the jobs, whose arrival_slot is set; berth__free it. Counts what is left out, and
 * the jobs. Rows that are alike but no duplicates get contents of their own. E_INPUT if nothing is left, E_ARGUMENT. */
berth_status berth__trace_select(berth__trace *trace, const berth__trace_kind *kind,
                                 const berth_import_options *options, berth__window *window, size_t **selected,
                                 size_t *n_selected, berth_import_report *report, berth_error *error);

/* A time of the kind's clock as people write it, and back. */
bool berth__trace_time_parse(const berth__trace_kind *kind, const char *text, double *out);
void berth__trace_time_text(const berth__trace_kind *kind, double seconds, char text[32]);

#endif
