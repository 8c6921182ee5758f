/* What came of a simulated run. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "formulations/goodput/workload.h"
#include "online/goodput/simulation.h"

bool berth__record_span(berth__simulation *sim, size_t index, double at_s, bool placed) {
    berth__sim_job *job = &sim->jobs[index];
    const berth_goodput_span *last = job->n_spans > 0 ? &job->spans[job->n_spans - 1] : NULL;
    const berth_node_gpus *nodes = last && !placed && job->now.n > 0 ? last->nodes : NULL;
    if (!nodes) {
        berth_node_gpus *copy = BERTH__ARENA_ARRAY(sim->arena, berth_node_gpus, job->now.n);
        if (!copy)
            return false;
        for (size_t k = 0; k < job->now.n; k++)
            copy[k] = job->now.nodes[k];
        nodes = copy;
    }
    if (!berth__grow((void **)&job->spans, &job->spans_capacity, job->n_spans, sizeof *job->spans))
        return false;
    job->spans[job->n_spans++] = (berth_goodput_span){.at_s = at_s,
                                                      .n_nodes = job->now.n,
                                                      .nodes = nodes,
                                                      .placed = placed,
                                                      .local = job->local,
                                                      .accumulation = job->accumulation};
    return true;
}

/* ---- fairness ---- */

/* Integral over [from, to] of the number of jobs submitted and not done. */
static double contention(const berth__simulation *sim, double from, double to) {
    double sum = 0;
    for (size_t k = 0; k < sim->workload->n_jobs; k++) {
        const berth__sim_job *job = &sim->jobs[k];
        const double end = isnan(job->completion_s) ? to : fmin(job->completion_s, to);
        sum += fmax(end - fmax(job->job->submit_s, from), 0);
    }
    return sum;
}

/* For each application, times[k - 1] on k GPUs; NULL: not needed. */
typedef struct alone {
    size_t n;
    double **times; /* [n_applications] */
} alone;

static void clear_alone(const berth__simulation *sim, alone *a) {
    for (size_t k = 0; a->times && k < sim->workload->n_applications; k++)
        berth__free(a->times[k]);
    berth__free(a->times);
}

static bool compute_alone(const berth__simulation *sim, alone *a) {
    const size_t n_applications = sim->workload->n_applications;
    a->n = (size_t)(sim->gpus < 1024 ? sim->gpus : 1024);
    a->times = BERTH__NEW_ARRAY(double *, n_applications);
    if (!a->times)
        return false;
    for (size_t k = 0; k < n_applications; k++) {
        a->times[k] = BERTH__NEW_ARRAY(double, a->n);
        if (!a->times[k])
            return false;
        berth__times_alone(&sim->measured[k], berth__workload_largest_node(sim->workload), a->n, a->times[k]);
    }
    return true;
}

static double time_alone(const berth__simulation *sim, const alone *a, size_t index, double end_s) {
    const berth__sim_job *job = &sim->jobs[index];
    const double span = end_s - job->job->submit_s;
    const double others = span > 0 ? fmax(contention(sim, job->job->submit_s, end_s) / span, 1) : 1;
    const double share = (double)sim->gpus / others;
    const size_t gpus = (size_t)fmin(fmax(floor(share), 1), (double)a->n);
    return a->times[job->job->application][gpus - 1] / fmin(share, 1) + sim->workload->restart_s;
}

/* ---- the run ---- */

static bool fill_job(const berth__simulation *sim, const alone *a, size_t index, berth_trained_job *out) {
    const berth__sim_job *job = &sim->jobs[index];
    const bool done = !isnan(job->completion_s);
    *out = (berth_trained_job){.start_s = job->start_s,
                               .completion_s = job->completion_s,
                               .restarts = job->restarts,
                               .attained_gpu_s = job->attained_gpu_s,
                               .n_spans = job->n_spans};
    out->alone_s = time_alone(sim, a, index, done ? job->completion_s : fmax(sim->now_s, job->job->submit_s));
    out->fairness = done ? (job->completion_s - job->job->submit_s) / out->alone_s : (double)NAN;
    berth_goodput_span *spans = BERTH__ARENA_ARRAY(sim->arena, berth_goodput_span, job->n_spans);
    for (size_t k = 0; spans && k < job->n_spans; k++)
        spans[k] = job->spans[k];
    out->spans = spans;
    return spans != NULL;
}

static void summarise(const berth__simulation *sim, berth_goodput_run *run, double *times) {
    double sum = 0, fairness = 0;
    size_t unfair = 0;
    for (size_t k = 0; k < run->n_jobs; k++) {
        const berth_trained_job *job = &run->jobs[k];
        run->restarts += job->restarts;
        run->gpu_s += job->attained_gpu_s;
        if (isnan(job->completion_s))
            continue;
        times[run->completed++] = job->completion_s - sim->workload->jobs[k].submit_s;
        sum += times[run->completed - 1];
        fairness += job->fairness;
        unfair += job->fairness > 1;
        run->makespan_s = fmax(run->makespan_s, job->completion_s); /* NAN yields */
        run->worst_fairness = fmax(run->worst_fairness, job->fairness);
    }
    berth__sort(times, run->completed);
    const double n = run->completed > 0 ? (double)run->completed : (double)NAN;
    run->mean_s = sum / n;
    run->mean_fairness = fairness / n;
    run->unfair = (double)unfair / n;
    run->median_s = berth__quantile(times, run->completed, 0.5);
    run->p99_s = berth__quantile(times, run->completed, 0.99);
    run->utilisation = run->end_s > 0 ? run->gpu_s / ((double)sim->gpus * run->end_s) : 0;
}

static void describe(const berth__simulation *sim, berth_goodput_run *run) {
    const berth_goodput_run_options *o = sim->options;
    const bool adapts = sim->policy->batch != NULL;
    const bool by_queue = o->policy == BERTH_GOODPUT_TIRESIAS;
    run->workload_crc32 = sim->workload->crc32;
    run->policy = berth_goodput_policy_name(o->policy);
    run->allocator = adapts ? berth_allocator_name(o->allocator) : NULL;
    run->batches = !adapts ? NULL : o->mode == BERTH_BATCH_GRID ? "grid" : "exact";
    run->p = adapts ? o->p : (double)NAN;
    run->demote_gpu_s = by_queue ? o->demote_gpu_s : (double)NAN;
    run->horizon_s = o->horizon_s;
    run->seed = o->seed;
    run->rounds = sim->round;
    run->end_s = sim->now_s;
    run->makespan_s = run->worst_fairness = (double)NAN;
}

berth_status berth__record_run(berth__simulation *sim, bool stopped, berth_goodput_run **out, berth_error *error) {
    const size_t n = sim->workload->n_jobs;
    alone a = {0};
    const char *name = sim->workload->name;
    berth_goodput_run *run = BERTH__ARENA_ARRAY(sim->arena, berth_goodput_run, 1);
    berth_trained_job *jobs = BERTH__ARENA_ARRAY(sim->arena, berth_trained_job, n);
    double *times = BERTH__NEW_ARRAY(double, n);
    const char *copy = name ? berth__arena_strdup(sim->arena, name) : "";
    bool good = run && jobs && times && copy && compute_alone(sim, &a);
    for (size_t k = 0; k < n && good; k++)
        good = fill_job(sim, &a, k, &jobs[k]);
    if (good) {
        describe(sim, run);
        run->workload = copy;
        run->stopped = stopped;
        run->n_jobs = n;
        run->jobs = jobs;
        summarise(sim, run, times);
        run->memory = sim->arena;
        sim->arena = NULL;
        *out = run;
    }
    clear_alone(sim, &a);
    berth__free(times);
    return good ? BERTH_OK : berth__fail_memory(error);
}

void berth_goodput_run_free(berth_goodput_run *run) {
    if (run)
        berth__arena_free(run->memory);
}
