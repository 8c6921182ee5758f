/* Pollux (Qiao et al., OSDI 2021), Sia (Jayaram Subramanya et al., SOSP 2023) and hesrpt: allocation by goodput, with
 * profiles fitted to what each job has shown so far. */
#include <math.h>

#include "base/error.h"
#include "formulations/goodput/model.h"
#include "formulations/goodput/workload.h"
#include "online/goodput/rest.h"
#include "online/goodput/simulation.h"

enum { MOST_REPLICAS = 64 };

/* What is known of a job. Times are as on GPUs of speed 1. */
typedef struct knowledge {
    size_t n, capacity;
    berth_measurement *seen; /* [n] no (nodes, replicas, local) twice */
    uint32_t most;           /* replicas seen */
    berth_goodput_profile profile;
} knowledge;

typedef struct pollux {
    size_t n_jobs;
    knowledge *jobs;              /* [n_jobs] */
    berth_goodput_job *wanted;    /* [n_active] */
    berth_goodput_profile *typed; /* [n_active x n_types] */
    berth__ring *held;            /* [n_active] by ascending node */
    double *rest;                 /* [n_active] samples left at the efficiency of m0; -1: unknown */
    berth_goodput_profile ideal;  /* of a job that has shown nothing: goodput is the number of replicas */
} pollux;

static void end(void *memory) {
    pollux *p = memory;
    for (size_t k = 0; k < p->n_jobs; k++) {
        if (p->jobs)
            berth__free(p->jobs[k].seen);
        if (p->held)
            berth__free(p->held[k].nodes);
    }
    berth__free(p->jobs);
    berth__free(p->wanted);
    berth__free(p->typed);
    berth__free(p->held);
    berth__free(p->rest);
    berth__free(p);
}

static void make_ideal(berth_goodput_profile *profile) {
    berth_goodput_profile_init(profile);
    profile->beta_c = 1;
    profile->max_batch = profile->max_local = MOST_REPLICAS;
    profile->grad_var = 1;
    profile->accumulation = false;
}

/* All but times and noise. */
static void make_bounds(const berth_application *app, berth_goodput_profile *profile) {
    berth_goodput_profile_init(profile);
    profile->m0 = app->m0;
    profile->max_batch = app->max_batch;
    profile->min_local = app->min_local;
    profile->max_local = app->max_local;
    profile->accumulation = app->accumulation;
}

static berth_status start(const berth__simulation *sim, void **state, berth_error *error) {
    const size_t n = sim->workload->n_jobs;
    pollux *p = BERTH__NEW_ARRAY(pollux, 1);
    if (!p)
        return berth__fail_memory(error);
    make_ideal(&p->ideal);
    p->n_jobs = n;
    p->jobs = BERTH__NEW_ARRAY(knowledge, n);
    p->wanted = BERTH__NEW_ARRAY(berth_goodput_job, n);
    p->typed = BERTH__NEW_ARRAY(berth_goodput_profile, n * sim->workload->n_types);
    p->held = BERTH__NEW_ARRAY(berth__ring, n);
    p->rest = BERTH__NEW_ARRAY(double, n);
    if (!p->jobs || !p->wanted || !p->typed || !p->held || !p->rest) {
        end(p);
        return berth__fail_memory(error);
    }
    for (size_t k = 0; k < n; k++)
        make_bounds(sim->jobs[k].application, &p->jobs[k].profile);
    *state = p;
    return BERTH_OK;
}

/* ---- learning ---- */

/* Of the slowest of a job's GPUs. */
static double speed_of(const berth__simulation *sim, const berth__ring *ring) {
    double speed = (double)INFINITY;
    for (size_t k = 0; k < ring->n; k++)
        speed = fmin(speed, berth__workload_speed(sim->workload, ring->nodes[k].node));
    return speed;
}

static berth_status fit(knowledge *known, berth_error *error) {
    berth_goodput_fit *found = NULL;
    const berth_status status = berth_goodput_fit_new(known->seen, known->n, NULL, &found, error);
    if (status)
        return status;
    known->profile.alpha_c = found->alpha_c;
    known->profile.beta_c = found->beta_c;
    known->profile.alpha_n = found->alpha_n;
    known->profile.beta_n = found->beta_n;
    known->profile.alpha_r = found->alpha_r;
    known->profile.beta_r = found->beta_r;
    known->profile.gamma = found->gamma;
    /* Theirs: a single size says nothing of how time grows; half of it is taken to. */
    if (found->warnings & BERTH_FIT_ONE_LOCAL) {
        const double gradient = found->alpha_c + found->beta_c * known->seen[0].local;
        known->profile.alpha_c = gradient / 2;
        known->profile.beta_c = gradient / 2 / known->seen[0].local;
    }
    /* Theirs: what was not seen across nodes is not better there than within one. */
    if (found->warnings & BERTH_FIT_NO_SPREAD) {
        known->profile.alpha_n = fmax(found->alpha_n, 1.1 * found->alpha_r);
        known->profile.beta_n = fmax(found->beta_n, 1.1 * found->beta_r);
    }
    berth_goodput_fit_free(found);
    return BERTH_OK;
}

static berth_status observe(void *memory, const berth__simulation *sim, size_t job, const berth__observation *seen,
                            berth_error *error) {
    pollux *p = memory;
    knowledge *known = &p->jobs[job];
    known->profile.grad_sqr = seen->grad_sqr;
    known->profile.grad_var = seen->grad_var;
    for (size_t k = 0; k < known->n; k++)
        if (known->seen[k].nodes == seen->nodes && known->seen[k].replicas == seen->replicas &&
            known->seen[k].local == seen->local)
            return BERTH_OK;
    if (!berth__grow((void **)&known->seen, &known->capacity, known->n, sizeof *known->seen))
        return berth__fail_memory(error);
    const berth__step_time time = berth__at_speed(seen->time, 1 / speed_of(sim, &sim->jobs[job].now));
    known->seen[known->n++] = (berth_measurement){.nodes = seen->nodes,
                                                  .replicas = seen->replicas,
                                                  .local = seen->local,
                                                  .step_s = time.step_s,
                                                  .sync_s = time.sync_s};
    known->most = seen->replicas > known->most ? seen->replicas : known->most;
    return fit(known, error);
}

/* ---- batches ---- */

/* The profile on GPUs of that speed. */
static berth_goodput_profile profile_at(const pollux *p, size_t job, double speed) {
    berth_goodput_profile profile = p->jobs[job].n > 0 ? p->jobs[job].profile : p->ideal;
    profile.alpha_c /= speed;
    profile.beta_c /= speed;
    return profile;
}

static void choose_batch(void *memory, const berth__simulation *sim, size_t index, uint32_t *local,
                         uint32_t *accumulation) {
    const pollux *p = memory;
    const berth__sim_job *job = &sim->jobs[index];
    const berth_application *app = job->application;
    const uint32_t replicas = job->replicas;
    if (app->batch == 0 && p->jobs[index].n > 0) {
        const berth_goodput_profile profile = profile_at(p, index, speed_of(sim, &job->now));
        const berth_goodput_point best = berth__goodput_best(&profile, sim->options->mode, job->now.n > 1, replicas);
        const double most = floor(app->max_batch / (replicas * (best.accumulation + 1.0)));
        *local = (uint32_t)fmin(best.local, most);
        *accumulation = best.accumulation;
        if (*local > 0)
            return;
    }
    const double batch = app->batch > 0 ? app->batch : fmax(app->m0, app->min_local * replicas);
    berth__split_batch(app, fmin(batch, app->max_batch), replicas, local, accumulation);
}

/* ---- allocation ---- */

static uint32_t most_replicas(const pollux *p, const berth__sim_job *job, size_t index) {
    const berth_application *app = job->application;
    double most = fmin(fmax(2.0 * p->jobs[index].most, 1), MOST_REPLICAS);
    most = fmin(most, fmax(floor(app->max_batch / app->min_local), 1));
    return (uint32_t)(app->max_replicas > 0 ? fmin(most, app->max_replicas) : most);
}

/* GPUs held, by ascending node. */
static bool sort_held(berth__ring *out, const berth__ring *ring) {
    if (!berth__ring_set(out, ring->n, ring->nodes))
        return false;
    for (size_t k = 1; k < out->n; k++) {
        const berth_node_gpus node = out->nodes[k];
        size_t i = k;
        for (; i > 0 && out->nodes[i - 1].node > node.node; i--)
            out->nodes[i] = out->nodes[i - 1];
        out->nodes[i] = node;
    }
    return true;
}

/* The job numbered `index` as number k of the active ones. */
static bool describe(pollux *p, const berth__simulation *sim, size_t index, size_t k) {
    const berth__sim_job *job = &sim->jobs[index];
    const size_t n_types = sim->workload->n_types;
    berth_goodput_job *out = &p->wanted[k];
    berth_goodput_profile *profiles = &p->typed[k * n_types];
    if (!sort_held(&p->held[k], &job->now))
        return false;
    berth_goodput_job_init(out);
    out->id = job->job->id;
    out->age_s = sim->now_s - job->job->submit_s;
    out->restarts = job->restarts;
    out->n_current = p->held[k].n;
    out->current = p->held[k].nodes;
    out->max_replicas = most_replicas(p, job, index);
    out->attained_gpu_s = job->attained_gpu_s;
    out->requested = job->job->replicas;
    for (size_t t = 0; t < n_types; t++)
        profiles[t] = profile_at(p, index, sim->workload->speed ? sim->workload->speed[t] : 1);
    const double left = job->measured->target[job->application->epochs] - job->progress;
    p->rest[k] = p->jobs[index].n > 0 ? left * job->application->m0 : -1;
    out->profile = n_types == 1 ? profiles : NULL;
    out->typed = n_types == 1 ? NULL : profiles;
    return true;
}

static void describe_cluster(const pollux *p, const berth__simulation *sim, berth_goodput_instance *out) {
    const berth_goodput_workload *w = sim->workload;
    const bool sia = sim->options->policy == BERTH_GOODPUT_SIA, hesrpt = sim->options->policy == BERTH_GOODPUT_HESRPT;
    berth_goodput_instance_init(out);
    out->n_nodes = w->n_nodes;
    out->gpus = w->gpus;
    out->gpu_type = w->gpu_type;
    out->n_types = w->n_types;
    out->n_jobs = sim->n_active;
    out->jobs = p->wanted;
    out->rules = sia ? BERTH_RULES_SIA : BERTH_RULES_POLLUX;
    out->p = !isnan(sim->options->p) ? sim->options->p : sia ? -0.5 : hesrpt ? 0 : -1;
    out->restart_s = w->restart_s;
    out->round_s = w->round_s;
}

static berth_status allocate(pollux *p, berth__simulation *sim, berth_error *error) {
    berth_goodput_instance instance;
    berth_allocate_options options;
    berth_allocation *found = NULL;
    describe_cluster(p, sim, &instance);
    berth_allocate_options_init(&options);
    options.allocator = sim->options->allocator;
    options.mode = sim->options->mode;
    options.seed = sim->options->seed + sim->round;
    options.backends = sim->options->backends;
    options.hooks = sim->options->hooks;
    berth_status status = berth_allocate(&instance, &options, &found, error);
    for (size_t k = 0; k < sim->n_active && !status; k++) {
        const berth_allocated_job *job = &found->jobs[k];
        berth__sim_job *mine = &sim->jobs[sim->active[k]];
        if (!job->kept && !berth__ring_set(&mine->next, job->n_nodes, job->nodes))
            status = berth__fail_memory(error);
    }
    berth_allocation_free(found);
    return status;
}

static berth_status decide(void *memory, berth__simulation *sim, berth_error *error) {
    pollux *p = memory;
    const berth_goodput_workload *w = sim->workload;
    for (size_t k = 0; k < sim->n_active; k++)
        if (!describe(p, sim, sim->active[k], k))
            return berth__fail_memory(error);
    if (sim->options->policy != BERTH_GOODPUT_HESRPT)
        return allocate(p, sim, error);
    berth__arena *arena = berth__arena_new();
    const bool good = arena && berth__weigh_by_rest(arena, sim->n_active, p->wanted, w->n_types, p->typed, p->rest,
                                                    sim->options->mode, berth__workload_largest_node(w));
    const berth_status status = good ? allocate(p, sim, error) : berth__fail_memory(error);
    berth__arena_free(arena);
    return status;
}

const berth__sim_policy berth__sim_pollux = {
    .start = start, .end = end, .decide = decide, .observe = observe, .batch = choose_batch};
