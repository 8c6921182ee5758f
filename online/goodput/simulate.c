/* Rounds of a simulated run: jobs make progress, then the policy decides. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "formulations/goodput/workload.h"
#include "online/goodput/simulation.h"

static const berth__sim_policy *const policies[] = {
    [BERTH_GOODPUT_POLLUX] = &berth__sim_pollux,   [BERTH_GOODPUT_SIA] = &berth__sim_pollux,
    [BERTH_GOODPUT_HESRPT] = &berth__sim_pollux,   [BERTH_GOODPUT_TIRESIAS] = &berth__sim_tiresias,
    [BERTH_GOODPUT_OPTIMUS] = &berth__sim_optimus,
};

static const char *const names[] = {
#define NAME(name, value, text) text,
    BERTH_GOODPUT_POLICY_TABLE(NAME)
#undef NAME
        NULL,
};
enum { N_POLICIES = sizeof names / sizeof *names - 1 };

const char *const *berth_goodput_policy_names(void) {
    return names;
}

const char *berth_goodput_policy_name(berth_goodput_policy policy) {
    return (unsigned)policy < N_POLICIES ? names[policy] : NULL;
}

void berth_goodput_run_options_init(berth_goodput_run_options *options) {
    *options = (berth_goodput_run_options){.struct_size = sizeof *options,
                                           .policy = BERTH_GOODPUT_POLLUX,
                                           .demote_gpu_s = 57600,
                                           .horizon_s = 1e8,
                                           .allocator = BERTH_ALLOCATOR_BERTH,
                                           .mode = BERTH_BATCH_GRID,
                                           .p = (double)NAN,
                                           .seed = 1,
                                           .time_limit_s = (double)INFINITY};
    berth_hooks_init(&options->hooks);
}

/* ---- rings ---- */

bool berth__ring_set(berth__ring *ring, size_t n, const berth_node_gpus *nodes) {
    for (size_t k = 0; k < n; k++) {
        if (!berth__grow((void **)&ring->nodes, &ring->capacity, k, sizeof *ring->nodes))
            return false;
        ring->nodes[k] = nodes[k];
    }
    ring->n = n;
    return true;
}

bool berth__ring_same(const berth__ring *a, const berth__ring *b) {
    bool same = a->n == b->n;
    for (size_t k = 0; k < a->n && same; k++)
        same = a->nodes[k].node == b->nodes[k].node && a->nodes[k].gpus == b->nodes[k].gpus;
    return same;
}

uint32_t berth__ring_gpus(const berth__ring *ring) {
    uint32_t sum = 0;
    for (size_t k = 0; k < ring->n; k++)
        sum += ring->nodes[k].gpus;
    return sum;
}

void berth__count_free(berth__simulation *sim) {
    for (size_t n = 0; n < sim->workload->n_nodes; n++)
        sim->free[n] = sim->workload->gpus[n];
    for (size_t a = 0; a < sim->n_active; a++) {
        const berth__ring *ring = &sim->jobs[sim->active[a]].next;
        for (size_t k = 0; k < ring->n; k++)
            sim->free[ring->nodes[k].node] -= ring->nodes[k].gpus;
    }
}

bool berth__place(berth__simulation *sim, size_t job, uint32_t gpus) {
    berth__ring *ring = &sim->jobs[job].next;
    ring->n = 0;
    while (gpus > 0) {
        size_t best = 0;
        for (size_t n = 1; n < sim->workload->n_nodes; n++)
            best = sim->free[n] > sim->free[best] ? n : best;
        const uint32_t taken = sim->free[best] < gpus ? sim->free[best] : gpus;
        if (!berth__grow((void **)&ring->nodes, &ring->capacity, ring->n, sizeof *ring->nodes))
            return false;
        ring->nodes[ring->n++] = (berth_node_gpus){best, taken};
        sim->free[best] -= taken;
        gpus -= taken;
    }
    return true;
}

bool berth__ring_time(const berth__simulation *sim, size_t job, const berth__ring *ring, uint32_t local,
                      berth__step_time *out) {
    uint32_t *gpus = BERTH__NEW_ARRAY(uint32_t, ring->n);
    double speed = (double)INFINITY;
    if (!gpus)
        return false;
    for (size_t k = 0; k < ring->n; k++) {
        gpus[k] = ring->nodes[k].gpus;
        speed = fmin(speed, berth__workload_speed(sim->workload, ring->nodes[k].node));
    }
    *out = berth__at_speed(berth__measured_time(sim->jobs[job].measured, ring->n, gpus, local), speed);
    berth__free(gpus);
    return true;
}

/* ---- training ---- */

/* Sets m and s anew; a change is a new span. */
static berth_status set_batch(berth__simulation *sim, size_t index, double at_s, bool placed, berth_error *error) {
    berth__sim_job *job = &sim->jobs[index];
    uint32_t local = 0, accumulation = 0;
    if (sim->policy->batch)
        sim->policy->batch(sim->state, sim, index, &local, &accumulation);
    else
        berth__split_batch(job->application, job->job->batch, job->replicas, &local, &accumulation);
    if (!placed && local == job->local && accumulation == job->accumulation)
        return BERTH_OK;
    job->timed = job->timed && !placed && local == job->local;
    job->local = local;
    job->accumulation = accumulation;
    return berth__record_span(sim, index, at_s, placed) ? BERTH_OK : berth__fail_memory(error);
}

/* Progress a second, as measured; the policy sees it too. */
static berth_status rate_of(berth__simulation *sim, size_t index, double *rate, berth_error *error) {
    berth__sim_job *job = &sim->jobs[index];
    if (!job->timed && !berth__ring_time(sim, index, &job->now, job->local, &job->time))
        return berth__fail_memory(error);
    job->timed = true;
    berth__observation seen = {(uint32_t)job->now.n, job->replicas, job->local, job->time, 0, 0};
    const double batch = (double)job->replicas * job->local * (job->accumulation + 1.0);
    berth__measured_noise(job->measured, batch, job->epoch, &seen.grad_sqr, &seen.grad_var);
    const double gradient_s = job->time.step_s - job->time.sync_s;
    *rate = berth__gain(seen.grad_sqr, seen.grad_var, batch / job->application->m0) /
            (job->time.step_s + gradient_s * job->accumulation);
    return sim->policy->observe ? sim->policy->observe(sim->state, sim, index, &seen, error) : BERTH_OK;
}

static double whole_ticks(const berth_goodput_workload *workload, double seconds) {
    return workload->tick_s > 0 ? nearbyint(seconds / workload->tick_s) * workload->tick_s : seconds;
}

/* A round of a job that holds GPUs, from from_s on. */
static berth_status train(berth__simulation *sim, size_t index, double from_s, berth_error *error) {
    berth__sim_job *job = &sim->jobs[index];
    const double end_s = (double)(sim->round + 1) * sim->workload->round_s;
    double left = sim->workload->round_s, now = from_s;
    const double delay = fmin(job->restart_left_s, left);
    job->restart_left_s -= delay;
    job->attained_gpu_s += delay * job->replicas;
    left -= delay;
    now += delay;
    while (left > 0 && isnan(job->completion_s)) {
        double rate = 0;
        berth_status status = rate_of(sim, index, &rate, error);
        if (status)
            return status;
        const double target = job->measured->target[job->epoch + 1];
        double taken = left;
        if (job->progress + rate * left < target) {
            job->progress += rate * left;
        } else {
            taken = fmin(whole_ticks(sim->workload, (target - job->progress) / rate), left);
            job->progress = target;
            job->epoch++;
        }
        now = taken == left ? end_s : now + taken;
        left -= taken;
        job->attained_gpu_s += taken * job->replicas;
        if (job->epoch == job->application->epochs)
            job->completion_s = now;
        else if ((status = set_batch(sim, index, now, false, error)))
            return status;
    }
    return BERTH_OK;
}

/* ---- rounds ---- */

static int compare_times(double a, double b) {
    return (a > b) - (a < b);
}

static void sort_jobs(berth__simulation *sim) { /* by insertion: files are sorted */
    for (size_t k = 0; k < sim->workload->n_jobs; k++) {
        size_t i = k;
        for (; i > 0 &&
               compare_times(sim->workload->jobs[sim->order[i - 1]].submit_s, sim->workload->jobs[k].submit_s) > 0;
             i--)
            sim->order[i] = sim->order[i - 1];
        sim->order[i] = k;
    }
}

/* Takes out the jobs that are done, and in those that came. */
static void update_active(berth__simulation *sim) {
    size_t n = 0;
    for (size_t k = 0; k < sim->n_active; k++)
        if (isnan(sim->jobs[sim->active[k]].completion_s))
            sim->active[n++] = sim->active[k];
    while (sim->n_submitted < sim->workload->n_jobs &&
           sim->jobs[sim->order[sim->n_submitted]].job->submit_s <= sim->now_s)
        sim->active[n++] = sim->order[sim->n_submitted++];
    sim->n_active = n;
}

static berth_status apply(berth__simulation *sim, size_t index, bool *changed, berth_error *error) {
    berth__sim_job *job = &sim->jobs[index];
    if (berth__ring_same(&job->now, &job->next))
        return BERTH_OK;
    *changed = true;
    if (!berth__ring_set(&job->now, job->next.n, job->next.nodes))
        return berth__fail_memory(error);
    job->replicas = berth__ring_gpus(&job->now);
    job->timed = false;
    if (job->replicas == 0) {
        job->local = job->accumulation = 0;
        return berth__record_span(sim, index, sim->now_s, false) ? BERTH_OK : berth__fail_memory(error);
    }
    job->restart_left_s = sim->workload->restart_s;
    if (isnan(job->start_s))
        job->start_s = sim->now_s;
    else
        job->restarts++;
    return set_batch(sim, index, sim->now_s, true, error);
}

/* *idle: nobody holds GPUs, although there are jobs. */
static berth_status decide(berth__simulation *sim, bool *idle, berth_error *error) {
    bool changed = false;
    for (size_t k = 0; k < sim->n_active; k++) {
        berth__sim_job *job = &sim->jobs[sim->active[k]];
        if (!berth__ring_set(&job->next, job->now.n, job->now.nodes))
            return berth__fail_memory(error);
    }
    berth_status status = sim->policy->decide(sim->state, sim, error);
    *idle = true;
    for (size_t k = 0; k < sim->n_active && !status; k++) {
        status = apply(sim, sim->active[k], &changed, error);
        *idle = *idle && sim->jobs[sim->active[k]].replicas == 0;
    }
    return status;
}

static berth_status next_round(berth__simulation *sim, berth_error *error) {
    const double from = sim->now_s;
    for (size_t k = 0; k < sim->n_active; k++) {
        const size_t index = sim->active[k];
        const berth_status status = sim->jobs[index].replicas > 0 ? train(sim, index, from, error) : BERTH_OK;
        if (status)
            return status;
    }
    sim->round++;
    sim->now_s = (double)sim->round * sim->workload->round_s;
    return BERTH_OK;
}

/* Rounds without jobs are passed over. */
static void skip_rounds(berth__simulation *sim) {
    if (sim->n_active > 0 || sim->n_submitted == sim->workload->n_jobs)
        return;
    const double submit = sim->jobs[sim->order[sim->n_submitted]].job->submit_s;
    const double rounds = ceil(submit / sim->workload->round_s) - 1;
    if (rounds > (double)sim->round) {
        sim->round = (size_t)rounds;
        sim->now_s = rounds * sim->workload->round_s;
    }
}

/* Until all jobs are done, none ever will be, or time is over. */
static berth_status run_rounds(berth__simulation *sim, bool *stopped, berth_error *error) {
    const size_t n_jobs = sim->workload->n_jobs;
    bool idle = false;
    while (sim->n_active > 0 || sim->n_submitted < n_jobs) {
        *stopped = berth__budget_spent(sim->budget);
        if (*stopped || sim->now_s >= sim->options->horizon_s || (idle && sim->n_submitted == n_jobs))
            return BERTH_OK;
        skip_rounds(sim);
        berth_status status = next_round(sim, error);
        update_active(sim);
        idle = false;
        if (!status && sim->n_active > 0)
            status = decide(sim, &idle, error);
        if (status)
            return status;
    }
    return BERTH_OK;
}

/* ---- beginning and end ---- */

static berth_status prepare(berth__simulation *sim, berth_error *error) {
    const berth_goodput_workload *w = sim->workload;
    sim->arena = berth__arena_new();
    sim->measured = BERTH__NEW_ARRAY(berth__measured, w->n_applications);
    sim->jobs = BERTH__NEW_ARRAY(berth__sim_job, w->n_jobs);
    sim->order = BERTH__NEW_ARRAY(size_t, w->n_jobs);
    sim->active = BERTH__NEW_ARRAY(size_t, w->n_jobs);
    sim->free = BERTH__NEW_ARRAY(uint32_t, w->n_nodes);
    if (!sim->arena || !sim->measured || !sim->jobs || !sim->order || !sim->active || !sim->free)
        return berth__fail_memory(error);
    for (size_t k = 0; k < w->n_applications; k++) {
        const berth_status status = berth__measured_init(&sim->measured[k], &w->applications[k], error);
        if (status)
            return status;
    }
    for (size_t k = 0; k < w->n_jobs; k++)
        sim->jobs[k] = (berth__sim_job){.job = &w->jobs[k],
                                        .application = &w->applications[w->jobs[k].application],
                                        .measured = &sim->measured[w->jobs[k].application],
                                        .start_s = (double)NAN,
                                        .completion_s = (double)NAN};
    sort_jobs(sim);
    sim->gpus = berth__workload_gpus(w);
    return sim->policy->start(sim, &sim->state, error);
}

static void clear(berth__simulation *sim) {
    if (sim->state)
        sim->policy->end(sim->state);
    for (size_t k = 0; sim->jobs && k < sim->workload->n_jobs; k++) {
        berth__free(sim->jobs[k].now.nodes);
        berth__free(sim->jobs[k].next.nodes);
        berth__free(sim->jobs[k].spans);
    }
    for (size_t k = 0; sim->measured && k < sim->workload->n_applications; k++)
        berth__measured_clear(&sim->measured[k]);
    berth__free(sim->measured);
    berth__free(sim->jobs);
    berth__free(sim->order);
    berth__free(sim->active);
    berth__free(sim->free);
    berth__arena_free(sim->arena);
}

static berth_status check_options(const berth_goodput_run_options *o, berth_error *error) {
    if (o->struct_size != sizeof *o)
        return berth__fail(error, BERTH_E_ARGUMENT, "options",
                           "not initialised: call berth_goodput_run_options_init first");
    if ((unsigned)o->policy >= N_POLICIES)
        return berth__fail(error, BERTH_E_ARGUMENT, "policy", "there is no policy %d", (int)o->policy);
    if (!(o->demote_gpu_s > 0))
        return berth__fail(error, BERTH_E_ARGUMENT, "demote_gpu_s", "is %g; expected a number above 0",
                           o->demote_gpu_s);
    if (!(o->horizon_s > 0 && o->horizon_s <= 1e12))
        return berth__fail(error, BERTH_E_ARGUMENT, "horizon_s", "is %g; expected a number above 0, at most 1e12",
                           o->horizon_s);
    return BERTH_OK;
}

berth_status berth_goodput_simulate(const berth_goodput_workload *workload, const berth_goodput_run_options *options,
                                    berth_goodput_run **out, berth_error *error) {
    bool stopped = false;
    berth__error_clear(error);
    if (out)
        *out = NULL;
    if (!workload || !options || !out)
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "workload, options and out must not be NULL");
    berth_status status = check_options(options, error);
    if (!status)
        status = berth__goodput_check_workload(workload, BERTH_E_ARGUMENT, error);
    if (status)
        return status;
    berth__budget budget = berth__budget_start(options->time_limit_s, &options->hooks);
    berth__simulation sim = {
        .workload = workload, .options = options, .policy = policies[options->policy], .budget = &budget};
    status = prepare(&sim, error);
    if (!status)
        status = run_rounds(&sim, &stopped, error);
    if (!status)
        status = berth__record_run(&sim, stopped, out, error);
    clear(&sim);
    return status;
}
