#include "workload/trace_tasks.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool berth__trace_tasks_add(berth__trace_tasks *list, const berth__trace_task *task) {
    void *tasks = list->tasks;
    bool grown = berth__grow(&tasks, &list->capacity, list->n, sizeof *list->tasks);
    list->tasks = tasks;
    if (grown) {
        list->tasks[list->n++] = *task;
    }
    return grown;
}

void berth__trace_tasks_clear(berth__trace_tasks *list) {
    berth__free(list->tasks);
    *list = (berth__trace_tasks){.n = 0};
}

static int by_job(const void *a, const void *b) {
    const berth__trace_task *x = a, *y = b;
    int order = strcmp(x->job, y->job);
    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

static int add_counts(int a, int b) {
    return a > INT_MAX - b ? INT_MAX : a + b;
}

/* fmax and fmin pass over NAN. */
static void add_task(berth__trace_job *job, const berth__trace_task *task, double *begin_s, double *end_s) {
    if (task->role != BERTH__ROLE_OTHER) {
        *begin_s = fmin(*begin_s, task->begin_s);
        *end_s = fmax(*end_s, task->end_s);
    }
    job->content += task->content; /* in whatever order the rows come */
    job->n_rows++;
    job->tenant = job->tenant == NULL ? task->tenant : job->tenant;
    if (task->role == BERTH__ROLE_SERVER) {
        job->servers = add_counts(job->servers, task->count);
        job->server_gpus = fmax(job->server_gpus, task->gpus);
        job->server_cpus = fmax(job->server_cpus, task->cpus);
        job->server_memory_gb = fmax(job->server_memory_gb, task->memory_gb);
    } else if (task->role == BERTH__ROLE_WORKER) {
        job->workers = add_counts(job->workers, task->count);
        job->gpus = fmax(job->gpus, task->gpus);
        job->cpus = fmax(job->cpus, task->cpus);
        job->memory_gb = fmax(job->memory_gb, task->memory_gb);
        job->gpu_types = job->gpu_types == NULL ? task->gpu_types : job->gpu_types;
    }
}

static berth__trace_job join_rows(const berth__trace_task *tasks, size_t n) {
    berth__trace_job job = berth__trace_job_blank();
    double begin_s = (double)NAN, end_s = (double)NAN;
    job.id = tasks[0].job;
    job.line = tasks[0].line;
    job.workers = job.servers = job.n_rows = 0;
    job.gpus = 0;
    for (size_t i = 0; i < n; i++) {
        add_task(&job, &tasks[i], &begin_s, &end_s);
    }
    job.submit_s = isnan(begin_s) ? 0 : begin_s;
    job.duration_s = end_s - begin_s;
    job.skip = job.workers == 0 || job.gpus == 0 ? BERTH_SKIP_NO_GPUS
               : isnan(begin_s)                  ? BERTH_SKIP_NO_TIME
               : !(job.duration_s > 0)           ? BERTH_SKIP_NO_DURATION
                                                 : job.skip;
    return job;
}

bool berth__trace_tasks_join(berth__trace_tasks *list, berth__trace *trace) {
    if (list->n > 0) {
        qsort(list->tasks, list->n, sizeof *list->tasks, by_job);
    }
    for (size_t begin = 0, end; begin < list->n; begin = end) {
        for (end = begin + 1; end < list->n && strcmp(list->tasks[end].job, list->tasks[begin].job) == 0; end++) {
        }
        berth__trace_job job = join_rows(&list->tasks[begin], end - begin);
        if (!berth__trace_add(trace, &job)) {
            return false;
        }
    }
    return true;
}
