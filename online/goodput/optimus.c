/* Optimus (Peng et al., EuroSys 2018) as in the simulations of Pollux: GPUs go where the next one saves most time. */
#include <math.h>

#include "base/error.h"
#include "formulations/goodput/workload.h"
#include "online/goodput/simulation.h"

typedef struct optimus {
    uint32_t node;      /* GPUs of the largest */
    uint32_t *replicas; /* [n_jobs] */
    double *gain;       /* [n_jobs] seconds that one more GPU saves */
    double *step;       /* [n_jobs] seconds of a step on replicas */
    double *rest;       /* [n_jobs] iterations */
    size_t *order;      /* [n_active] */
} optimus;

static void end(void *memory) {
    optimus *o = memory;
    berth__free(o->replicas);
    berth__free(o->gain);
    berth__free(o->step);
    berth__free(o->rest);
    berth__free(o->order);
    berth__free(o);
}

static berth_status start(const berth__simulation *sim, void **state, berth_error *error) {
    const size_t n = sim->workload->n_jobs;
    optimus *o = BERTH__NEW_ARRAY(optimus, 1);
    if (!o)
        return berth__fail_memory(error);
    o->node = berth__workload_largest_node(sim->workload);
    o->replicas = BERTH__NEW_ARRAY(uint32_t, n);
    o->gain = BERTH__NEW_ARRAY(double, n);
    o->step = BERTH__NEW_ARRAY(double, n);
    o->rest = BERTH__NEW_ARRAY(double, n);
    o->order = BERTH__NEW_ARRAY(size_t, n);
    if (!o->replicas || !o->gain || !o->step || !o->rest || !o->order) {
        end(o);
        return berth__fail_memory(error);
    }
    *state = o;
    return BERTH_OK;
}

/* As theirs: counted from the end of the present epoch; in the last one, 1. */
static double rest_of(const berth__sim_job *job) {
    const size_t last = job->application->epochs - 1;
    if (job->epoch >= last)
        return 1;
    return berth__measured_iterations(job->measured, job->job->batch, last) -
           berth__measured_iterations(job->measured, job->job->batch, job->epoch);
}

static double step_on(const optimus *o, const berth__sim_job *job, uint32_t replicas) {
    uint32_t local, accumulation;
    berth__split_batch(job->application, job->job->batch, replicas, &local, &accumulation);
    const berth__step_time time = berth__measured_time_packed(job->measured, o->node, replicas, local);
    return time.step_s + (time.step_s - time.sync_s) * accumulation;
}

static double most_replicas(const berth__sim_job *job) {
    const berth_application *app = job->application;
    const double most = fmax(floor(job->job->batch / app->min_local), 1);
    return app->max_replicas > 0 ? fmin(most, app->max_replicas) : most;
}

/* Gives a GPU and says what the next one would be worth. */
static void give(optimus *o, const berth__simulation *sim, size_t index) {
    const berth__sim_job *job = &sim->jobs[index];
    const uint32_t replicas = ++o->replicas[index];
    if (replicas == 1)
        o->step[index] = step_on(o, job, 1);
    o->gain[index] = 0;
    if (replicas + 1 <= most_replicas(job) && replicas < sim->gpus) {
        const double next = step_on(o, job, replicas + 1);
        o->gain[index] = (o->step[index] - next) * o->rest[index];
        o->step[index] = next;
    }
}

static void share_out(optimus *o, const berth__simulation *sim) {
    uint64_t left = sim->gpus;
    for (size_t k = 0; k < sim->n_active; k++) {
        const size_t index = sim->active[k];
        o->replicas[index] = 0;
        o->gain[index] = 0;
        o->rest[index] = rest_of(&sim->jobs[index]);
        if (left > 0) {
            left--;
            give(o, sim, index);
        }
    }
    while (left > 0) {
        size_t best = sim->active[0];
        for (size_t k = 1; k < sim->n_active; k++)
            best = o->gain[sim->active[k]] > o->gain[best] ? sim->active[k] : best;
        if (!(o->gain[best] > 0))
            return;
        give(o, sim, best);
        left--;
    }
}

/* Active jobs by replicas, stable. */
static void sort_active(optimus *o, const berth__simulation *sim) {
    for (size_t k = 0; k < sim->n_active; k++) {
        size_t i = k;
        for (; i > 0 && o->replicas[o->order[i - 1]] > o->replicas[sim->active[k]]; i--)
            o->order[i] = o->order[i - 1];
        o->order[i] = sim->active[k];
    }
}

static berth_status decide(void *memory, berth__simulation *sim, berth_error *error) {
    optimus *o = memory;
    share_out(o, sim);
    sort_active(o, sim);
    for (size_t k = 0; k < sim->n_active; k++) {
        berth__ring *next = &sim->jobs[sim->active[k]].next;
        if (berth__ring_gpus(next) != o->replicas[sim->active[k]])
            next->n = 0;
    }
    berth__count_free(sim);
    for (size_t k = 0; k < sim->n_active; k++) {
        const size_t index = o->order[k];
        if (sim->jobs[index].next.n == 0 && !berth__place(sim, index, o->replicas[index]))
            return berth__fail_memory(error);
    }
    return BERTH_OK;
}

const berth__sim_policy berth__sim_optimus = {.start = start, .end = end, .decide = decide};
