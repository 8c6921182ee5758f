/* Traces whose rows are parts of jobs: the parts of a job, by its name, become one trace job.
 *
 *   workers, servers    how many of each role; others (an evaluator) count for nothing
 *   demands             the largest of any row of the role, per resource: what surely suffices
 *   submission          the earliest begin; duration: from there to the latest end
 *   GPU types           of the first worker row that names some
 * A job none of whose rows has a begin is without a time of submission, one without an end without duration, one
 * without workers that hold GPUs without GPUs; all its rows count under that reason. */
#ifndef BERTH_WORKLOAD_TRACE_TASKS_H
#define BERTH_WORKLOAD_TRACE_TASKS_H

#include "workload/trace.h"

typedef enum berth__role { BERTH__ROLE_WORKER, BERTH__ROLE_SERVER, BERTH__ROLE_OTHER } berth__role;

typedef struct berth__trace_task {
    const char *job;       /* name of the job */
    const char *gpu_types; /* NULL: any */
    const char *tenant;    /* NULL: none */
    berth__role role;
    int count;                    /* instances */
    double gpus, cpus, memory_gb; /* of one; NAN: not recorded */
    double begin_s, end_s;        /* NAN: not recorded */
    uint64_t content;
    long line;
} berth__trace_task;

typedef struct berth__trace_tasks {
    berth__trace_task *tasks;
    size_t n, capacity;
} berth__trace_tasks;

bool berth__trace_tasks_add(berth__trace_tasks *list, const berth__trace_task *task); /* false: out of memory */
/* Adds the jobs of the list to the trace; the list's order changes. False: out of memory. */
bool berth__trace_tasks_join(berth__trace_tasks *list, berth__trace *trace);
void berth__trace_tasks_clear(berth__trace_tasks *list);

#endif
