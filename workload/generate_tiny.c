#include "workload/generate_tiny.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/pcg.h"
#include "workload/instance_builder.h"

enum { MOST_RESOURCES = 2, MOST_STEPS = 3, STREAM_TINY = 0x7169000 };

static const char *const resource_names[MOST_RESOURCES] = {"gpu", "cpu"};
static const char *const machine_names[] = {"m0", "m1", "m2"};
static const double slot_seconds = 12, batch = 8, gradient_mb = 4;

static int draw(berth__pcg *stream, int low, int high) {
    return (int)berth__pcg_integer(stream, low, high);
}

static bool one_in(berth__pcg *stream, int n) {
    return draw(stream, 1, n) == 1;
}

#define PICK(stream, list) ((list)[draw((stream), 0, (int)(sizeof(list) / sizeof((list)[0])) - 1)])

/* The sizes of an instance, drawn first. */
typedef struct shape {
    int slots, jobs;
    size_t machines, resources;
} shape;

static shape draw_shape(berth__pcg *stream) {
    shape s = {.slots = draw(stream, 1, 4), .machines = (size_t)draw(stream, 1, 3)};
    while (s.slots * (int)s.machines > 6) { /* enumeration grows exponentially with the product */
        s.slots--;
    }
    s.jobs = one_in(stream, 2) ? 4 : draw(stream, 1, 3);
    s.resources = (size_t)draw(stream, 1, MOST_RESOURCES);
    return s;
}

static void add_machines(berth__builder *builder, berth__pcg *stream, const shape *s) {
    bool alike = one_in(stream, 2);
    double capacity[MOST_RESOURCES] = {draw(stream, 1, 3), draw(stream, 1, 4)};
    for (size_t h = 0; h < s->machines; h++) {
        if (!alike && h > 0) {
            capacity[0] = draw(stream, 1, 3);
            capacity[1] = one_in(stream, 6) ? 0 : draw(stream, 1, 4);
        }
        berth__builder_group(builder, machine_names[h], 1, capacity);
    }
}

/* The bandwidth at which a sample takes `sample_s` in all. */
static double bandwidth_for(const berth_job *job, double sample_s) {
    double sharing = job->all_reduce ? 1 : job->workers_per_ps;
    return sharing * 2 * job->gradient_mb / (job->batch * (sample_s - job->sample_seconds));
}

static void draw_speed_and_work(berth_job *job, berth__pcg *stream, const shape *s) {
    static const double sample_times_s[] = {1, 1.5, 2, 3, 4}; /* divide the slot into whole samples */
    static const double compute_times_s[] = {0.25, 0.5};
    job->sample_seconds = PICK(stream, compute_times_s);
    double internal_s = PICK(stream, sample_times_s);
    double external_s = one_in(stream, 4) ? internal_s : PICK(stream, sample_times_s);
    job->bandwidth_internal_mb_s = bandwidth_for(job, internal_s);
    job->bandwidth_external_mb_s = bandwidth_for(job, external_s);
    job->epochs = draw(stream, 1, 2);
    double faster_s = fmin(internal_s, external_s), slower_s = fmax(internal_s, external_s);
    double per_worker_slot = slot_seconds / (one_in(stream, 4) ? faster_s : slower_s);
    int most = job->max_workers * (s->slots - job->arrival_slot);
    double worker_slots = draw(stream, 1, most < 4 ? most : 4);
    worker_slots = one_in(stream, 12) ? most + 1 : worker_slots;
    double work = worker_slots * per_worker_slot;
    if (one_in(stream, 3)) { /* part of the last worker-slot stays unused */
        work -= draw(stream, 1, 2);
    }
    job->samples = fmax(1, work) / job->epochs;
}

static void draw_demands(berth__pcg *stream, double *worker, double *ps) {
    static const double worker_gpu[] = {0.5, 1, 1, 1, 1.5, 2};
    static const double worker_cpu[] = {0, 0.5, 0.5, 1}, ps_cpu[] = {0, 0.5, 1, 2};
    worker[0] = PICK(stream, worker_gpu);
    worker[1] = PICK(stream, worker_cpu);
    ps[0] = one_in(stream, 4) ? 0.5 : 0;
    ps[1] = PICK(stream, ps_cpu);
}

static berth_utility draw_utility(berth__pcg *stream, berth_step *steps) {
    berth_utility utility = {0};
    double value = draw(stream, 1, 20);
    switch (draw(stream, 0, 4)) {
    case 0:
        utility.kind = BERTH_UTILITY_SIGMOID;
        utility.theta[0] = value;
        utility.theta[1] = draw(stream, 0, 8) / 4.0;
        utility.theta[2] = draw(stream, 1, 3);
        break;
    case 1:
        utility.kind = BERTH_UTILITY_CONSTANT;
        utility.value = value;
        break;
    case 2:
        utility.kind = BERTH_UTILITY_LINEAR;
        utility.value = value;
        utility.deadline_slots = draw(stream, 2, 5);
        break;
    case 3:
        utility.kind = BERTH_UTILITY_DEADLINE;
        utility.value = value;
        utility.deadline_slots = draw(stream, 0, 3);
        break;
    default:
        utility.kind = BERTH_UTILITY_STEPS;
        utility.n_steps = (size_t)draw(stream, 2, MOST_STEPS);
        utility.steps = steps;
        for (size_t i = 0; i < utility.n_steps; i++) {
            steps[i] = (berth_step){.delay_slots = (double)i, .value = value};
            value = floor(value * draw(stream, 2, 4) / 4);
        }
        break;
    }
    return utility;
}

static void add_job(berth__builder *builder, berth__pcg *stream, const shape *s, int number, bool quota) {
    static const double gammas[] = {1, 1.5, 2, 3};
    static const char *const globs[] = {"m0", "m1", "m[01]", "*2", "m?"};
    double worker[MOST_RESOURCES], ps[MOST_RESOURCES];
    berth_step steps[MOST_STEPS];
    char id[16];
    snprintf(id, sizeof id, "j%d", number);
    berth_job job;
    berth_job_init(&job);
    job.id = id;
    job.arrival_slot = one_in(stream, 3) ? draw(stream, 0, s->slots - 1) : 0;
    job.batch = batch;
    job.max_workers = draw(stream, 1, 3);
    job.gradient_mb = gradient_mb;
    job.all_reduce = one_in(stream, 4);
    job.workers_per_ps = job.all_reduce ? 1 : PICK(stream, gammas);
    draw_speed_and_work(&job, stream, s);
    draw_demands(stream, worker, ps);
    job.worker = worker;
    job.ps = job.all_reduce ? NULL : ps;
    job.utility = draw_utility(stream, steps);
    job.tenant = quota && !one_in(stream, 3) ? "lab" : NULL;
    if (one_in(stream, 8)) {
        job.n_allow = 1;
        job.allow = &PICK(stream, globs);
    } else if (one_in(stream, 8)) {
        job.n_avoid = 1;
        job.avoid = &PICK(stream, globs);
    }
    berth__builder_job(builder, &job);
}

berth_status berth_generate_tiny(uint64_t seed, berth_instance **out, berth_error *error) {
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "is NULL");
    }
    *out = NULL;
    berth__pcg stream = berth__pcg_key(2, (uint64_t[]){STREAM_TINY, seed});
    shape s = draw_shape(&stream);
    char name[32], source[128];
    snprintf(name, sizeof name, "tiny-%llu", (unsigned long long)seed);
    snprintf(source, sizeof source, "Generated by berth: tiny instance, seed %llu.", (unsigned long long)seed);
    berth__builder *builder = berth__builder_new(name, slot_seconds, s.slots, s.resources, resource_names);
    if (builder == NULL) {
        return berth__fail_memory(error);
    }
    berth__builder_source(builder, source);
    add_machines(builder, &stream, &s);
    bool quota = one_in(&stream, 4), prices = one_in(&stream, 4);
    for (int i = 1; i <= s.jobs; i++) {
        add_job(builder, &stream, &s, i, quota);
    }
    if (quota) {
        double amount[MOST_RESOURCES] = {draw(&stream, 1, 3), (double)INFINITY};
        berth__builder_quota(builder, "lab", amount);
    }
    if (prices) {
        double upper[MOST_RESOURCES] = {draw(&stream, 1, 8) / 4.0, draw(&stream, 1, 8) / 4.0};
        double lower[MOST_RESOURCES] = {upper[0] / 16, upper[1] / 16};
        berth__builder_prices(builder, upper, lower, (double)NAN);
    }
    return berth__builder_finish(builder, out, error);
}
