#include "workload/generate_pdors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/pcg.h"
#include "base/numeric.h"
#include "workload/instance_builder.h"
#include "workload/models.h"
#include "workload/utility_mix.h"

enum { GPU, CPU, MEMORY, STORAGE, N_RESOURCES };

static const char *const resource_names[N_RESOURCES] = {"gpu", "cpu", "memory_gb", "storage_gb"};
static const double machine_capacity[N_RESOURCES] = {8, 48, 192, 96};
static const double slot_seconds = 3600;
/* Beyond these an option is taken for a mistake rather than attempted. */
static const size_t most_jobs = 1000000, most_machines = 1000000;
static const int most_slots = 1000000;

/* First element of the key of every random stream of this file: one kind of draw each. */
enum { STREAM_JOB = 0x7064000, STREAM_ARRIVAL, STREAM_BURSTS };

/* A job as drawn, before it gets its place in the file. */
typedef struct drawn_job {
    berth_job job;
    double worker[N_RESOURCES], ps[N_RESOURCES];
    size_t number; /* order of drawing, from 0 */
} drawn_job;

void berth_generate_pdors_options_init(berth_generate_pdors_options *options) {
    *options = (berth_generate_pdors_options){.struct_size = sizeof *options,
                                              .seed = 1,
                                              .machines = 20,
                                              .load = 1,
                                              .slots = 20,
                                              .arrivals = BERTH_ARRIVALS_UNIFORM,
                                              .communication = 0.1};
}

static berth_status check_options(const berth_generate_pdors_options *o, berth_error *error) {
    if (o == NULL || o->struct_size != sizeof *o) {
        return berth__fail(error, BERTH_E_ARGUMENT, "options", "not initialised by berth_generate_pdors_options_init");
    }
    if (o->machines < 1 || o->machines > most_machines) {
        return berth__fail(error, BERTH_E_ARGUMENT, "machines", "must be from 1 to %zu", most_machines);
    }
    if (o->slots < 1 || o->slots > most_slots) {
        return berth__fail(error, BERTH_E_ARGUMENT, "slots", "must be from 1 to %d", most_slots);
    }
    if (o->jobs > most_jobs) {
        return berth__fail(error, BERTH_E_ARGUMENT, "jobs", "must be at most %zu", most_jobs);
    }
    if (o->jobs == 0 && !(o->load > 0 && isfinite(o->load))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "load",
                           "must be a number above 0 if the number of jobs is not given");
    }
    if (!(o->communication >= 0 && isfinite(o->communication))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "communication", "must be a number of at least 0");
    }
    if (o->arrivals != BERTH_ARRIVALS_UNIFORM && o->arrivals != BERTH_ARRIVALS_POISSON &&
        o->arrivals != BERTH_ARRIVALS_BURSTS) {
        return berth__fail(error, BERTH_E_ARGUMENT, "arrivals", "unknown kind %d", (int)o->arrivals);
    }
    return BERTH_OK;
}

static double uniform(berth__pcg *stream, double low, double high) {
    return low + (high - low) * berth__pcg_uniform(stream);
}

static double whole(berth__pcg *stream, int low, int high) {
    return (double)berth__pcg_integer(stream, low, high);
}

static void draw_demands(berth__pcg *stream, drawn_job *drawn) {
    drawn->worker[GPU] = whole(stream, 0, 4);
    drawn->worker[CPU] = whole(stream, 1, 10);
    drawn->worker[MEMORY] = whole(stream, 2, 32);
    drawn->worker[STORAGE] = whole(stream, 5, 10);
    drawn->ps[GPU] = 0;
    drawn->ps[CPU] = whole(stream, 1, 10);
    drawn->ps[MEMORY] = whole(stream, 2, 32);
    drawn->ps[STORAGE] = whole(stream, 5, 10);
}

static double slower_sample_time_s(const berth_job *job) {
    return fmax(berth__sample_time_s(job, BERTH_INTERNAL), berth__sample_time_s(job, BERTH_EXTERNAL));
}

/* All of job `number` but its arrival, id and the pointers into *drawn. */
static void draw_job(const berth_generate_pdors_options *o, size_t number, drawn_job *drawn) {
    berth__pcg stream = berth__pcg_key(3, (uint64_t[]){STREAM_JOB, o->seed, number});
    berth_job *job = &drawn->job;
    berth_job_init(job);
    drawn->number = number;
    job->epochs = whole(&stream, 50, 200);
    double paper_samples = whole(&stream, 20000, 500000);
    double paper_tau_slots = uniform(&stream, 1e-5, 1e-4);
    double worker_slots = fmax(1, 200 * (job->epochs / 200) * (paper_samples / 5e5) * (paper_tau_slots / 1e-4));
    job->max_workers = (int)whole(&stream, 1, o->machines < 100 ? 2 * (int)o->machines : 200);
    job->batch = job->max_workers;
    job->workers_per_ps = whole(&stream, 1, 10);
    berth__model_apply(&berth__models[berth__pcg_integer(&stream, 0, BERTH__N_MODELS - 1)], o->communication, job);
    job->samples = ceil(worker_slots * slot_seconds / (job->epochs * slower_sample_time_s(job)));
    draw_demands(&stream, drawn);
    berth__sensitivity sensitivity = berth__draw_sensitivity(&stream);
    double theta2 = berth__draw_hundredths(&stream, 1, 15);
    job->utility = berth__draw_sigmoid(&stream, sensitivity, theta2);
}

/* Adds to used[r] the resource-slots that the job needs at the slower locality. */
static void add_usage(const berth_job *job, double slot_s, size_t n_resources, const double *worker, const double *ps,
                      double *used) {
    double worker_slots = job->epochs * job->samples * slower_sample_time_s(job) / slot_s;
    for (size_t r = 0; r < n_resources; r++) {
        used[r] += worker_slots * (worker[r] + (ps == NULL ? 0 : ps[r] / job->workers_per_ps));
    }
}

static double load_of(size_t n_resources, const double *used, const double *total, int slots) {
    double load = 0;
    for (size_t r = 0; r < n_resources; r++) {
        load = used[r] > 0 ? fmax(load, used[r] / (total[r] * slots)) : load;
    }
    return load;
}

double berth__instance_load(const berth_instance *instance) {
    double load = 0;
    for (size_t r = 0; r < instance->n_resources; r++) {
        double used = 0, total = 0;
        for (size_t i = 0; i < instance->n_jobs; i++) {
            const berth_job *job = &instance->jobs[i];
            add_usage(job, instance->slot_seconds, 1, &job->worker[r], job->ps == NULL ? NULL : &job->ps[r], &used);
        }
        for (size_t h = 0; h < instance->n_machines; h++) {
            total += instance->capacity[h * instance->n_resources + r];
        }
        load = fmax(load, load_of(1, &used, &total, instance->horizon_slots));
    }
    return load;
}

/* Machines of single and double size. */
static size_t n_large(const berth_generate_pdors_options *o) {
    return o->heterogeneous ? o->machines / 3 : 0;
}

/* Draws the number of jobs asked for, or as many as the load asks for, into a new list. */
static berth_status draw_jobs(const berth_generate_pdors_options *o, drawn_job **jobs, size_t *n_jobs,
                              berth_error *error) {
    double used[N_RESOURCES] = {0}, total[N_RESOURCES];
    for (size_t r = 0; r < N_RESOURCES; r++) {
        total[r] = machine_capacity[r] * (double)(o->machines + n_large(o));
    }
    size_t capacity = 0;
    *jobs = NULL;
    *n_jobs = 0;
    while (o->jobs > 0 ? *n_jobs < o->jobs : load_of(N_RESOURCES, used, total, o->slots) < o->load) {
        if (*n_jobs == most_jobs) {
            return berth__fail(error, BERTH_E_ARGUMENT, "load", "asks for more than %zu jobs", most_jobs);
        }
        void *list = *jobs;
        bool grown = berth__grow(&list, &capacity, *n_jobs, sizeof **jobs);
        *jobs = list;
        if (!grown) {
            return berth__fail_memory(error);
        }
        drawn_job *drawn = &(*jobs)[*n_jobs];
        draw_job(o, *n_jobs, drawn);
        add_usage(&drawn->job, slot_seconds, N_RESOURCES, drawn->worker, drawn->ps, used);
        ++*n_jobs;
    }
    return BERTH_OK;
}

static void draw_arrivals(const berth_generate_pdors_options *o, drawn_job *jobs, size_t n_jobs) {
    int window = o->slots < 2 ? 1 : o->slots * 4 / 5;
    double clock = 0;
    for (size_t i = 0; i < n_jobs; i++) {
        berth__pcg stream = berth__pcg_key(3, (uint64_t[]){STREAM_ARRIVAL, o->seed, i});
        int slot = 0;
        switch (o->arrivals) {
        case BERTH_ARRIVALS_UNIFORM:
            slot = (int)berth__pcg_integer(&stream, 0, window - 1);
            break;
        case BERTH_ARRIVALS_POISSON:
            clock -= log1p(-berth__pcg_uniform(&stream)) * window / (double)n_jobs;
            slot = (int)fmod(clock, o->slots);
            break;
        case BERTH_ARRIVALS_BURSTS: {
            uint64_t burst = (uint64_t)berth__pcg_integer(&stream, 0, (window - 1) / 8);
            berth__pcg burst_stream = berth__pcg_key(3, (uint64_t[]){STREAM_BURSTS, o->seed, burst});
            slot = (int)berth__pcg_integer(&burst_stream, 0, window - 1);
            break;
        }
        }
        jobs[i].job.arrival_slot = slot;
    }
}

static int by_arrival(const void *a, const void *b) {
    const drawn_job *x = a, *y = b;
    if (x->job.arrival_slot != y->job.arrival_slot) {
        return x->job.arrival_slot < y->job.arrival_slot ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

static void add_machines(berth__builder *builder, const berth_generate_pdors_options *o) {
    berth__builder_group(builder, "node", o->machines - n_large(o), machine_capacity);
    if (n_large(o) > 0) {
        double twice[N_RESOURCES];
        for (size_t r = 0; r < N_RESOURCES; r++) {
            twice[r] = 2 * machine_capacity[r];
        }
        berth__builder_group(builder, "large", n_large(o), twice);
    }
}

static void add_jobs(berth__builder *builder, drawn_job *jobs, size_t n_jobs) {
    qsort(jobs, n_jobs, sizeof *jobs, by_arrival);
    for (size_t i = 0; i < n_jobs; i++) {
        char id[32];
        snprintf(id, sizeof id, "j%zu", jobs[i].number + 1);
        jobs[i].job.id = id;
        jobs[i].job.worker = jobs[i].worker;
        jobs[i].job.ps = jobs[i].ps;
        berth__builder_job(builder, &jobs[i].job);
    }
}

static void describe(berth__builder *builder, const berth_generate_pdors_options *o, size_t n_jobs) {
    static const char *const arrivals[] = {
        [BERTH_ARRIVALS_UNIFORM] = "uniform", [BERTH_ARRIVALS_POISSON] = "poisson", [BERTH_ARRIVALS_BURSTS] = "bursts"};
    char wanted[64] = "", number[BERTH__NUMBER_ROOM];
    if (o->jobs == 0) {
        berth__number_text(o->load, number);
        snprintf(wanted, sizeof wanted, "load %s, ", number);
    }
    berth__number_text(o->communication, number);
    char source[512];
    snprintf(source, sizeof source,
             "Generated by berth: setting of Yu et al., IEEE TNSE 9(4), 2022, section V, with jobs of at most 200 "
             "worker-slots; seed %llu, %zu%s machines, %d slots, %s%zu jobs, %s arrivals, communication times x %s.",
             (unsigned long long)o->seed, o->machines, o->heterogeneous ? " heterogeneous" : "", o->slots, wanted,
             n_jobs, arrivals[o->arrivals], number);
    berth__builder_source(builder, source);
}

static berth_status build(const berth_generate_pdors_options *o, drawn_job *jobs, size_t n_jobs, berth_instance **out,
                          berth_error *error) {
    berth__builder *builder = berth__builder_new("pdors", slot_seconds, o->slots, N_RESOURCES, resource_names);
    if (builder == NULL) {
        return berth__fail_memory(error);
    }
    describe(builder, o, n_jobs);
    add_machines(builder, o);
    add_jobs(builder, jobs, n_jobs);
    return berth__builder_finish(builder, out, error);
}

berth_status berth_generate_pdors(const berth_generate_pdors_options *options, berth_instance **out,
                                  berth_error *error) {
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "is NULL");
    }
    *out = NULL;
    berth_status status = check_options(options, error);
    if (status != BERTH_OK) {
        return status;
    }
    berth__c_locale locale;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    drawn_job *jobs = NULL;
    size_t n_jobs = 0;
    status = draw_jobs(options, &jobs, &n_jobs, error);
    if (status == BERTH_OK) {
        draw_arrivals(options, jobs, n_jobs);
        status = build(options, jobs, n_jobs, out, error);
    }
    berth__free(jobs);
    berth__c_locale_leave(&locale);
    return status;
}
