/* Optimus: Peng et al., "Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning Clusters", EuroSys 2018,
 * with goodput in place of its model of speed: each job its least number of GPUs, first come first served; then one GPU
 * at a time to the job whose remaining time shrinks most, while one does. Who has that many keeps them; the others are
 * placed from the smallest to the largest, freest node first. */
#include "formulations/goodput/baselines.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

typedef struct contender {
    size_t job;
    uint32_t gpus;
    double remaining; /* samples */
    double time;      /* with so many GPUs */
    double gain;      /* of one more; 0: none */
} contender;

static const double hour_s = 3600;

static double time_on(const berth__allocate_problem *problem, const contender *c, uint32_t gpus) {
    const double goodput = berth__baseline_goodput(problem, c->job, gpus);
    return goodput > 0 ? c->remaining / goodput : (double)INFINITY;
}

static void set_gain(const berth__allocate_problem *problem, contender *c) {
    c->gain = 0;
    if (c->gpus > 0 && c->gpus < problem->jobs[c->job].most_gpus) {
        c->time = time_on(problem, c, c->gpus);
        const double gain = c->time - time_on(problem, c, c->gpus + 1);
        c->gain = gain > 0 && isfinite(gain) ? gain : 0;
    }
}

static uint64_t start(const berth__allocate_problem *problem, contender *contenders, size_t n, uint64_t free) {
    for (size_t k = 0; k < n; k++) {
        contender *c = &contenders[k];
        const uint32_t least = problem->jobs[c->job].least_gpus;
        c->remaining = problem->instance->jobs[c->job].remaining_samples;
        if (!(c->remaining > 0)) {
            c->remaining = hour_s * berth__baseline_goodput(problem, c->job, 1);
        }
        if (least <= free && isfinite(time_on(problem, c, least))) {
            c->gpus = least;
            free -= least;
        }
        set_gain(problem, c);
    }
    return free;
}

static void grow(const berth__allocate_run *run, contender *contenders, size_t n, uint64_t free) {
    for (; free > 0 && !berth__budget_spent(run->budget); free--) {
        contender *best = NULL;
        for (size_t k = 0; k < n; k++) {
            if (contenders[k].gain > 0 && (best == NULL || contenders[k].gain > best->gain)) {
                best = &contenders[k];
            }
        }
        if (best == NULL) {
            return;
        }
        best->gpus++;
        set_gain(run->problem, best);
    }
}

static int by_size(const void *a, const void *b) {
    const contender *x = a, *y = b;
    return x->gpus != y->gpus ? (x->gpus > y->gpus) - (x->gpus < y->gpus) : (x->job > y->job) - (x->job < y->job);
}

static void place(berth__placement *placement, contender *contenders, size_t n) {
    const berth__allocate_problem *problem = placement->problem;
    for (size_t k = 0; k < n; k++) {
        if (contenders[k].gpus > 0 && problem->jobs[contenders[k].job].current_gpus == contenders[k].gpus &&
            berth__baseline_keep(placement, contenders[k].job)) {
            contenders[k].gpus = 0;
        }
    }
    qsort(contenders, n, sizeof *contenders, by_size);
    for (size_t k = 0; k < n; k++) {
        const size_t job = contenders[k].job;
        uint32_t gpus = contenders[k].gpus;
        while (gpus > 0 && !berth__baseline_place(placement, job, gpus)) {
            gpus = gpus > problem->jobs[job].least_gpus ? gpus - 1 : 0;
        }
    }
}

berth_status berth__allocate_optimus(berth__allocate_run *run, berth_error *error) {
    const berth__allocate_problem *problem = run->problem;
    berth__placement placement = {0};
    contender *contenders = BERTH__NEW_ARRAY(contender, problem->n_jobs);
    berth_status status = berth__baseline_open(run, &placement, error);
    if (status == BERTH_OK && contenders == NULL) {
        status = berth__fail_memory(error);
    }
    if (status == BERTH_OK) {
        size_t n = 0;
        uint64_t free = problem->total;
        for (size_t job = 0; job < problem->n_jobs; job++) {
            if (problem->jobs[job].pinned) {
                free -= problem->jobs[job].current_gpus;
            } else {
                contenders[n++].job = job;
            }
        }
        free = start(problem, contenders, n, free);
        grow(run, contenders, n, free);
        place(&placement, contenders, n);
        berth__allocate_offer(run, &placement);
    }
    berth__placement_close(&placement);
    berth__free(contenders);
    return status;
}
