#include "bench/cases/loaded_cluster.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/pcg.h"
#include "bench/cases/draw.h"
#include "online/scheduler/scheduler.h"

#include <math.h>

/* Price of a full machine over that of an empty one. */
#define PRICE_SPAN 1000.0

/* What is drawn, all in the arena. */
typedef struct draft {
    berth__arena *arena;
    const loaded_size *size;
    berth_cluster cluster;
    double *capacity, *total; /* [machines][resources], [resources] */
} draft;

berth_status bench_backends_new(berth_backends **out) {
    berth_status status = berth_backends_new(out);
#ifdef BERTH_WITH_GLPK
    if (status == BERTH_OK) {
        status = berth_add_backend(*out, berth_glpk_backend());
    }
#endif
    return status;
}

static bool draw_cluster(draft *d, berth__pcg *stream) {
    size_t H = (size_t)d->size->machines, R = (size_t)d->size->resources;
    const char **machines = BERTH__ARENA_ARRAY(d->arena, const char *, H);
    const char **resources = BERTH__ARENA_ARRAY(d->arena, const char *, R);
    d->capacity = BERTH__ARENA_ARRAY(d->arena, double, H *R);
    d->total = BERTH__ARENA_ARRAY(d->arena, double, R);
    if (machines == NULL || resources == NULL || d->capacity == NULL || d->total == NULL) {
        return false;
    }
    bool named = true;
    for (size_t r = 0; r < R; r++) {
        resources[r] = berth__arena_printf(d->arena, "resource-%zu", r);
        named = named && resources[r] != NULL;
    }
    for (size_t h = 0; h < H; h++) {
        machines[h] = berth__arena_printf(d->arena, "machine-%zu", h);
        named = named && machines[h] != NULL;
        for (size_t r = 0; r < R; r++) {
            d->capacity[h * R + r] = bench_draw_capacity(stream, (int)r);
            d->total[r] += d->capacity[h * R + r];
        }
    }
    berth_cluster_init(&d->cluster);
    d->cluster.slot_seconds = 3600;
    d->cluster.horizon_slots = d->size->slots;
    d->cluster.n_resources = R;
    d->cluster.resources = resources;
    d->cluster.n_machines = H;
    d->cluster.machines = machines;
    d->cluster.capacity = d->capacity;
    return named;
}

/* Prices at which a unit is worth the same whatever the size of the cluster. */
static berth_status price_bounds(const draft *d, berth_price_bounds *out, berth_error *error) {
    size_t R = d->cluster.n_resources;
    *out = (berth_price_bounds){.struct_size = sizeof *out, .n_resources = R, .floor = 1e-12};
    out->upper = BERTH__ARENA_ARRAY(d->arena, double, R);
    out->lower = BERTH__ARENA_ARRAY(d->arena, double, R);
    if (out->upper == NULL || out->lower == NULL) {
        return berth__fail_memory(error);
    }
    for (size_t r = 0; r < R; r++) {
        out->upper[r] = bench_unit_worth((int)r) * d->total[r];
        out->lower[r] = out->upper[r] / PRICE_SPAN;
    }
    return BERTH_OK;
}

/* Job `number` is the same in every cluster, but for its size. */
static bool draw_job(const draft *d, int number, berth_job *job) {
    const uint64_t key[] = {0, (uint64_t)number};
    berth__pcg own = berth__pcg_key(2, key), *stream = &own;
    size_t R = d->cluster.n_resources;
    double *worker = BERTH__ARENA_ARRAY(d->arena, double, R), *ps = BERTH__ARENA_ARRAY(d->arena, double, R);
    if (worker == NULL || ps == NULL) {
        return false;
    }
    double dearest = 0, workers_per_ps = (double)berth__pcg_integer(stream, 1, 10);
    for (size_t r = 0; r < R; r++) {
        worker[r] = bench_draw_worker(stream, (int)r);
        ps[r] = bench_draw_ps(stream, (int)r, (int)R);
        dearest += (worker[r] + ps[r]) * bench_unit_worth((int)r);
    }
    berth_job_init(job);
    job->id = "decided";
    job->batch = job->max_workers = d->size->levels;
    job->sample_seconds = 0.01;
    job->gradient_mb = 100;
    job->workers_per_ps = workers_per_ps;
    job->bandwidth_internal_mb_s = 10000;
    job->bandwidth_external_mb_s = 1000;
    double seconds =
        job->sample_seconds + job->workers_per_ps * 2 * job->gradient_mb / (job->batch * job->bandwidth_external_mb_s);
    job->epochs = d->size->levels;
    job->samples = d->cluster.slot_seconds / seconds;
    job->worker = worker;
    job->ps = ps;
    job->utility = (berth_utility){.kind = BERTH_UTILITY_CONSTANT, .value = 2 * d->size->levels * dearest};
    return true;
}

/* Work that holds one unit of one resource a worker. */
static berth_status filler_of(const draft *d, const berth__cluster *cluster, size_t resource, berth__job **out,
                              berth_error *error) {
    *out = NULL;
    double *worker = BERTH__ARENA_ARRAY(d->arena, double, d->cluster.n_resources);
    if (worker == NULL) {
        return berth__fail_memory(error);
    }
    worker[resource] = 1;
    berth_job job;
    berth_job_init(&job);
    job.id = "filler";
    job.epochs = job.samples = job.batch = job.sample_seconds = 1;
    job.max_workers = 1000000;
    job.all_reduce = true;
    job.bandwidth_internal_mb_s = job.bandwidth_external_mb_s = 1;
    job.worker = worker;
    job.utility = (berth_utility){.kind = BERTH_UTILITY_CONSTANT, .value = 1};
    return berth__job_new(cluster, &job, out, error);
}

/* Books fillers in every slot. */
static berth_status fill(const draft *d, berth_scheduler *scheduler, berth__pcg *stream, berth_error *error) {
    size_t H = d->cluster.n_machines, R = d->cluster.n_resources;
    double *level = BERTH__ARENA_ARRAY(d->arena, double, H *(size_t)d->size->slots);
    berth_placement *places = BERTH__ARENA_ARRAY(d->arena, berth_placement, H);
    if (level == NULL || places == NULL) {
        return berth__fail_memory(error);
    }
    for (size_t i = 0; i < H * (size_t)d->size->slots; i++) {
        level[i] = berth__pcg_uniform(stream);
    }
    berth_status status = BERTH_OK;
    for (size_t r = 0; status == BERTH_OK && r < R; r++) {
        berth__job *filler = NULL;
        status = filler_of(d, scheduler->decider->cluster, r, &filler, error);
        for (int t = 0; status == BERTH_OK && t < d->size->slots; t++) {
            size_t n = 0;
            for (size_t h = 0; h < H; h++) {
                double use = bench_draw_utilisation(stream, level[(size_t)t * H + h]);
                int held = (int)floor(use * d->capacity[h * R + r]);
                if (held > 0) {
                    places[n++] = (berth_placement){.machine = (int)h, .workers = held};
                }
            }
            berth_slot_plan plan = {.slot = t, .locality = BERTH_EXTERNAL, .n_placements = n, .placements = places};
            status = berth__ledger_commit(scheduler->decider->ledger, filler, 1, &plan, error);
        }
        berth__job_free(filler);
    }
    return status;
}

static berth_status build(const loaded_size *size, int threads, loaded_cluster *cluster, berth_error *error) {
    draft d = {.arena = cluster->memory, .size = size};
    const uint64_t key[] = {(uint64_t)size->machines, (uint64_t)size->slots, (uint64_t)size->resources,
                            (uint64_t)size->levels};
    berth__pcg stream = berth__pcg_key(4, key);
    cluster->n_jobs = size->jobs;
    cluster->jobs = BERTH__ARENA_ARRAY(d.arena, berth_job, (size_t)size->jobs);
    bool complete = cluster->jobs != NULL && draw_cluster(&d, &stream);
    for (int j = 0; complete && j < size->jobs; j++) {
        complete = draw_job(&d, j, &cluster->jobs[j]);
    }
    berth_price_bounds bounds;
    berth_status status = complete ? price_bounds(&d, &bounds, error) : berth__fail_memory(error);
    if (status == BERTH_OK) {
        status = bench_backends_new(&cluster->backends);
    }
    if (status == BERTH_OK) {
        berth_options options;
        berth_options_init(&options);
        options.policy = size->policy;
        options.levels = size->levels;
        options.threads = threads;
        options.backends = cluster->backends;
        status = berth_scheduler_new(&d.cluster, &bounds, &options, &cluster->scheduler, error);
    }
    return status == BERTH_OK ? fill(&d, cluster->scheduler, &stream, error) : status;
}

berth_status loaded_cluster_new(const loaded_size *size, int threads, loaded_cluster **out, berth_error *error) {
    *out = NULL;
    berth__error_clear(error);
    loaded_cluster *cluster = berth__calloc(1, sizeof *cluster);
    if (cluster == NULL) {
        return berth__fail_memory(error);
    }
    cluster->memory = berth__arena_new();
    berth_status status = cluster->memory == NULL ? berth__fail_memory(error) : build(size, threads, cluster, error);
    if (status != BERTH_OK) {
        loaded_cluster_free(cluster);
        return status;
    }
    *out = cluster;
    return BERTH_OK;
}

void loaded_cluster_free(loaded_cluster *cluster) {
    if (cluster != NULL) {
        berth_scheduler_free(cluster->scheduler);
        berth_backends_free(cluster->backends);
        berth__arena_free(cluster->memory);
        berth__free(cluster);
    }
}
