/* Tiresias: Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI 2019, with two queues
 * by attained service (2D-LAS): jobs below 16 GPU hours before the others, first come first served within a queue. Jobs
 * get all the GPUs that they ask for or none; one that does not fit is passed over. Those that run stay where they are,
 * and others take the freest nodes. */
#include "formulations/goodput/baselines.h"

#include <stdlib.h>

#include "base/error.h"

static const double threshold_gpu_s = 16 * 3600;

typedef struct waiting {
    size_t job;
    bool demoted;
    double age_s;
    bool runs;
} waiting;

static int by_queue(const void *a, const void *b) {
    const waiting *x = a, *y = b;
    if (x->demoted != y->demoted) {
        return x->demoted - y->demoted;
    }
    if (x->age_s > y->age_s || x->age_s < y->age_s) {
        return x->age_s > y->age_s ? -1 : 1;
    }
    return (x->job > y->job) - (x->job < y->job);
}

static size_t fill(const berth__allocate_problem *problem, waiting *queue, uint64_t *free) {
    size_t n = 0;
    *free = problem->total;
    for (size_t job = 0; job < problem->n_jobs; job++) {
        const berth_goodput_job *given = &problem->instance->jobs[job];
        if (problem->jobs[job].pinned) {
            *free -= problem->jobs[job].current_gpus;
            continue;
        }
        queue[n++] = (waiting){.job = job, .demoted = given->attained_gpu_s >= threshold_gpu_s, .age_s = given->age_s};
    }
    qsort(queue, n, sizeof *queue, by_queue);
    return n;
}

static void serve(berth__placement *placement, waiting *queue, size_t n, uint64_t free) {
    const berth__allocate_problem *problem = placement->problem;
    for (size_t k = 0; k < n; k++) {
        const uint32_t asks = berth__baseline_request(problem, queue[k].job);
        queue[k].runs = asks <= free;
        free -= queue[k].runs ? asks : 0;
    }
    for (size_t k = 0; k < n; k++) {
        if (queue[k].runs && berth__baseline_keep(placement, queue[k].job)) {
            queue[k].runs = false;
        }
    }
    for (size_t k = 0; k < n; k++) {
        if (queue[k].runs) {
            berth__baseline_place(placement, queue[k].job, berth__baseline_request(problem, queue[k].job));
        }
    }
}

berth_status berth__allocate_tiresias(berth__allocate_run *run, berth_error *error) {
    berth__placement placement = {0};
    waiting *queue = BERTH__NEW_ARRAY(waiting, run->problem->n_jobs);
    berth_status status = berth__baseline_open(run, &placement, error);
    if (status == BERTH_OK && queue == NULL) {
        status = berth__fail_memory(error);
    }
    if (status == BERTH_OK) {
        uint64_t free;
        const size_t n = fill(run->problem, queue, &free);
        serve(&placement, queue, n, free);
        berth__allocate_offer(run, &placement);
    }
    berth__placement_close(&placement);
    berth__free(queue);
    return status;
}
