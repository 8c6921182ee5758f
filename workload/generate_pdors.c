#include "workload/generate_pdors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/numeric.h"
#include "base/pcg.h"
#include "workload/instance_builder.h"
#include "workload/models.h"
#include "workload/utility_mix.h"

enum { GPU, CPU, MEMORY, STORAGE, N_RESOURCES };

static const char *const resource_names[N_RESOURCES] = {"gpu", "cpu", "memory_gb", "storage_gb"};
static const double machine_capacity[N_RESOURCES] = {8, 48, 192, 96};
static const double slot_seconds = 3600;
/* Beyond these an option is taken for a mistake rather than attempted. */
static const size_t most_jobs = 1000000, most_machines = 1000000;
static const int most_slots = 1000000, most_workers = 1000000;

/* First element of the key of every random stream of this file: one kind of draw each. */
enum { STREAM_JOB = 0x7064000, STREAM_ARRIVAL, STREAM_BURSTS, STREAM_NUMBER };

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
    memcpy(options->mix, berth__usual_mix, sizeof options->mix);
}

static bool is_mix(const int mix[BERTH__N_SENSITIVITIES]) {
    long sum = 0;
    for (int kind = 0; kind < BERTH__N_SENSITIVITIES; kind++) {
        if (mix[kind] < 0) {
            return false;
        }
        sum += mix[kind];
    }
    return sum == 100;
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
    if (o->max_workers < 0 || o->max_workers > most_workers) {
        return berth__fail(error, BERTH_E_ARGUMENT, "max_workers", "must be from 1 to %d, or 0", most_workers);
    }
    if (!is_mix(o->mix)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "mix", "must be three percentages that add up to 100");
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

static int widest(const berth_generate_pdors_options *o) {
    return o->max_workers > 0 ? o->max_workers : o->machines < 100 ? 2 * (int)o->machines : 200;
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
    job->max_workers = (int)whole(&stream, 1, widest(o));
    job->batch = job->max_workers;
    job->workers_per_ps = whole(&stream, 1, 10);
    berth__model_apply(&berth__models[berth__pcg_integer(&stream, 0, BERTH__N_MODELS - 1)], o->communication, job);
    job->samples = ceil(worker_slots * slot_seconds / (job->epochs * slower_sample_time_s(job)));
    draw_demands(&stream, drawn);
    berth__sensitivity sensitivity = berth__draw_sensitivity(&stream, o->mix);
    double theta2 = berth__draw_hundredths(&stream, 1, 15);
    job->utility = berth__draw_sigmoid(&stream, sensitivity, theta2);
}

/* Adds to used[r] the resource-slots that the job needs at the slower locality. */
static void add_usage(const drawn_job *drawn, double used[N_RESOURCES]) {
    const berth_job *job = &drawn->job;
    double worker_slots = job->epochs * job->samples * slower_sample_time_s(job) / slot_seconds;
    for (size_t r = 0; r < N_RESOURCES; r++) {
        used[r] += worker_slots * (drawn->worker[r] + drawn->ps[r] / job->workers_per_ps);
    }
}

static double load_of(const double used[N_RESOURCES], const double total[N_RESOURCES], int slots) {
    double load = 0;
    for (size_t r = 0; r < N_RESOURCES; r++) {
        load = fmax(load, used[r] / (total[r] * slots));
    }
    return load;
}

/* Machines of single and double size. */
static size_t n_large(const berth_generate_pdors_options *o) {
    return o->heterogeneous ? o->machines / 3 : 0;
}

/* The jobs drawn so far. */
typedef struct job_list {
    drawn_job *jobs;
    size_t n, capacity;
} job_list;

static berth_status draw_next(const berth_generate_pdors_options *o, job_list *list, berth_error *error) {
    if (list->n == most_jobs) {
        return berth__fail(error, BERTH_E_ARGUMENT, "load", "asks for more than %zu jobs", most_jobs);
    }
    void *jobs = list->jobs;
    bool grown = berth__grow(&jobs, &list->capacity, list->n, sizeof *list->jobs);
    list->jobs = jobs;
    if (!grown) {
        return berth__fail_memory(error);
    }
    draw_job(o, list->n, &list->jobs[list->n]);
    list->n++;
    return BERTH_OK;
}

/* The least number of jobs that make the load. */
static berth_status draw_load(const berth_generate_pdors_options *o, job_list *list, berth_error *error) {
    double used[N_RESOURCES] = {0}, total[N_RESOURCES];
    for (size_t r = 0; r < N_RESOURCES; r++) {
        total[r] = machine_capacity[r] * (double)(o->machines + n_large(o));
    }
    while (load_of(used, total, o->slots) < o->load) {
        berth_status status = draw_next(o, list, error);
        if (status != BERTH_OK) {
            return status;
        }
        add_usage(&list->jobs[list->n - 1], used);
    }
    return BERTH_OK;
}

/* Events of a Poisson process by the time `mean`, at one a unit of time. */
static size_t poisson(berth__pcg *stream, double mean) {
    size_t n = 0;
    for (double time = 0; (time -= log1p(-berth__pcg_uniform(stream))) < mean;) {
        n++;
    }
    return n;
}

static berth_status draw_jobs(const berth_generate_pdors_options *o, job_list *list, berth_error *error) {
    size_t wanted = o->jobs;
    if (o->jobs == 0) {
        berth_status status = draw_load(o, list, error);
        if (status != BERTH_OK || o->arrivals != BERTH_ARRIVALS_POISSON) {
            return status;
        }
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){STREAM_NUMBER, o->seed});
        wanted = poisson(&stream, (double)list->n);
    }
    while (list->n < wanted) {
        berth_status status = draw_next(o, list, error);
        if (status != BERTH_OK) {
            return status;
        }
    }
    list->n = wanted;
    return BERTH_OK;
}

static void draw_arrivals(const berth_generate_pdors_options *o, const job_list *list) {
    int window = o->slots < 2 ? 1 : o->slots * 4 / 5;
    for (size_t i = 0; i < list->n; i++) {
        berth__pcg stream = berth__pcg_key(3, (uint64_t[]){STREAM_ARRIVAL, o->seed, i});
        if (o->arrivals == BERTH_ARRIVALS_BURSTS) {
            uint64_t burst = (uint64_t)berth__pcg_integer(&stream, 0, (window - 1) / 8);
            stream = berth__pcg_key(3, (uint64_t[]){STREAM_BURSTS, o->seed, burst});
        }
        /* The events of a Poisson process, given their number, are independent and uniform too. */
        list->jobs[i].job.arrival_slot = (int)berth__pcg_integer(&stream, 0, window - 1);
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

static void add_jobs(berth__builder *builder, const job_list *list) {
    drawn_job *jobs = list->jobs;
    if (list->n > 0) {
        qsort(jobs, list->n, sizeof *jobs, by_arrival);
    }
    for (size_t i = 0; i < list->n; i++) {
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
    char wanted[64] = "", workers[64] = "", mix[64] = "", number[BERTH__NUMBER_ROOM];
    if (o->jobs == 0) {
        berth__number_text(o->load, number);
        snprintf(wanted, sizeof wanted, "load %s, ", number);
    }
    if (o->max_workers > 0) {
        snprintf(workers, sizeof workers, ", at most %d workers", o->max_workers);
    }
    if (memcmp(o->mix, berth__usual_mix, sizeof o->mix) != 0) {
        snprintf(mix, sizeof mix, ", utilities %d/%d/%d", o->mix[BERTH__INSENSITIVE], o->mix[BERTH__SENSITIVE],
                 o->mix[BERTH__CRITICAL]);
    }
    berth__number_text(o->communication, number);
    char source[512];
    snprintf(
        source, sizeof source,
        "Generated by berth: setting of Yu et al., IEEE TNSE 9(4), 2022, section V, with jobs of at most 200 "
        "worker-slots; seed %llu, %zu%s machines, %d slots, %s%zu jobs, %s arrivals, communication times x %s%s%s.",
        (unsigned long long)o->seed, o->machines, o->heterogeneous ? " heterogeneous" : "", o->slots, wanted, n_jobs,
        arrivals[o->arrivals], number, workers, mix);
    berth__builder_source(builder, source);
}

static berth_status build(const berth_generate_pdors_options *o, const job_list *list, berth_instance **out,
                          berth_error *error) {
    berth__builder *builder = berth__builder_new("pdors", slot_seconds, o->slots, N_RESOURCES, resource_names);
    if (builder == NULL) {
        return berth__fail_memory(error);
    }
    describe(builder, o, list->n);
    add_machines(builder, o);
    add_jobs(builder, list);
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
    job_list list = {.n = 0};
    status = draw_jobs(options, &list, error);
    if (status == BERTH_OK) {
        draw_arrivals(options, &list);
        status = build(options, &list, out, error);
    }
    berth__free(list.jobs);
    berth__c_locale_leave(&locale);
    return status;
}
