/* Tiresias (Gu et al., NSDI 2019) as in the simulations of Pollux: two queues by attained service. */
#include "base/error.h"
#include "online/goodput/simulation.h"

typedef struct standing {
    bool known, running;
    double executed_s, checked_s;
} standing;

typedef struct queue {
    size_t n;
    size_t *jobs;
} queue;

typedef struct tiresias {
    standing *jobs; /* [n_jobs] */
    queue queues[2];
} tiresias;

static void end(void *memory) {
    tiresias *t = memory;
    berth__free(t->jobs);
    berth__free(t->queues[0].jobs);
    berth__free(t->queues[1].jobs);
    berth__free(t);
}

static berth_status start(const berth__simulation *sim, void **state, berth_error *error) {
    const size_t n = sim->workload->n_jobs;
    tiresias *t = BERTH__NEW_ARRAY(tiresias, 1);
    if (!t)
        return berth__fail_memory(error);
    t->jobs = BERTH__NEW_ARRAY(standing, n);
    t->queues[0].jobs = BERTH__NEW_ARRAY(size_t, n);
    t->queues[1].jobs = BERTH__NEW_ARRAY(size_t, n);
    if (!t->jobs || !t->queues[0].jobs || !t->queues[1].jobs) {
        end(t);
        return berth__fail_memory(error);
    }
    *state = t;
    return BERTH_OK;
}

/* Out go the jobs that are done and those that have had their share. `demoted` takes these; NULL: nobody is. */
static void tidy(tiresias *t, const berth__simulation *sim, queue *q, queue *demoted) {
    size_t n = 0;
    for (size_t k = 0; k < q->n; k++) {
        const size_t job = q->jobs[k];
        if (sim->jobs[job].completion_s >= 0)
            continue;
        const double gpu_s = t->jobs[job].executed_s * sim->jobs[job].job->replicas;
        if (demoted && t->jobs[job].running && gpu_s >= sim->options->demote_gpu_s)
            demoted->jobs[demoted->n++] = job;
        else
            q->jobs[n++] = job;
    }
    q->n = n;
}

static void update_queues(tiresias *t, const berth__simulation *sim) {
    for (size_t k = 0; k < sim->n_active; k++) {
        standing *job = &t->jobs[sim->active[k]];
        if (!job->known)
            t->queues[0].jobs[t->queues[0].n++] = sim->active[k];
        else if (job->running)
            job->executed_s += sim->now_s - job->checked_s;
        job->known = true;
        job->checked_s = sim->now_s;
    }
    tidy(t, sim, &t->queues[1], NULL);
    tidy(t, sim, &t->queues[0], &t->queues[1]);
}

static berth_status decide(void *memory, berth__simulation *sim, berth_error *error) {
    tiresias *t = memory;
    uint64_t left = sim->gpus;
    update_queues(t, sim);
    for (size_t q = 0; q < 2; q++)
        for (size_t k = 0; k < t->queues[q].n; k++) {
            const size_t job = t->queues[q].jobs[k];
            const uint32_t asked = sim->jobs[job].job->replicas;
            t->jobs[job].running = asked <= left;
            left -= asked <= left ? asked : 0;
            if (!t->jobs[job].running)
                sim->jobs[job].next.n = 0;
        }
    berth__count_free(sim);
    for (size_t q = 0; q < 2; q++)
        for (size_t k = 0; k < t->queues[q].n; k++) {
            const size_t job = t->queues[q].jobs[k];
            if (t->jobs[job].running && sim->jobs[job].next.n == 0 &&
                !berth__place(sim, job, sim->jobs[job].job->replicas))
                return berth__fail_memory(error);
        }
    return BERTH_OK;
}

const berth__sim_policy berth__sim_tiresias = {.start = start, .end = end, .decide = decide};
