/* Gavel and Shockwave: fields between tabs, no header.
 *
 *   10 fields  job_type, command, working_directory, num_steps_arg, needs_data_dir, total_steps, scale_factor,
 *              priority_weight, SLO, arrival_time                                         (Gavel)
 *   7 fields   job_type, command, num_steps_arg, needs_data_dir, total_steps, arrival_time, scale_factor
 *              (Gavel, of Philly's virtual clusters)
 *   12 fields  as the 10, with mode after scale_factor and duration before arrival_time    (Shockwave)
 *
 * scale_factor is GPUs, times are seconds. job_type "ResNet-18 (batch size 16)" names the model and a worker's batch.
 * Gavel's duration is total_steps / steps per second of the job type on as many V100; of more GPUs than were measured,
 * proportionally more than at the most of which there is a measurement. The steps are from a file of the simulator
 * (formats/throughputs_json.h) or else from the table here. priority_weight, SLO and mode are not used. */
#include "workload/trace_rows.h"
#include "workload/traces/kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/throughputs_json.h"

enum { N_SHORT_COLUMNS = 7, N_LONG_COLUMNS = 10, N_SHOCKWAVE_COLUMNS = 12 };

static const berth__column short_columns[N_SHORT_COLUMNS] = {
    {.name = "job_type"},    {.name = "command"},      {.name = "num_steps_arg"}, {.name = "needs_data_dir"},
    {.name = "total_steps"}, {.name = "arrival_time"}, {.name = "scale_factor"},
};
static const berth__column long_columns[N_LONG_COLUMNS] = {
    {.name = "job_type"},      {.name = "command"},         {.name = "working_directory"},
    {.name = "num_steps_arg"}, {.name = "needs_data_dir"},  {.name = "total_steps"},
    {.name = "scale_factor"},  {.name = "priority_weight"}, {.name = "SLO"},
    {.name = "arrival_time"},
};
static const berth__column shockwave_columns[N_SHOCKWAVE_COLUMNS] = {
    {.name = "job_type"},        {.name = "command"},     {.name = "working_directory"}, {.name = "num_steps_arg"},
    {.name = "needs_data_dir"},  {.name = "total_steps"}, {.name = "scale_factor"},      {.name = "mode"},
    {.name = "priority_weight"}, {.name = "SLO"},         {.name = "duration"},          {.name = "arrival_time"},
};
static const berth__layout gavel_layouts[] = {
    {'\t', BERTH__NO_HEADER, N_LONG_COLUMNS, long_columns},
    {'\t', BERTH__NO_HEADER, N_SHORT_COLUMNS, short_columns},
};
static const berth__layout shockwave_layouts[] = {
    {'\t', BERTH__NO_HEADER, N_SHOCKWAVE_COLUMNS, shockwave_columns},
};

/* Places of what is used, by the number of columns. */
typedef struct places {
    size_t n_columns, steps, gpus, arrival;
} places;
static const places known_places[] = {
    {N_SHORT_COLUMNS, 4, 6, 5}, {N_LONG_COLUMNS, 5, 6, 9}, {N_SHOCKWAVE_COLUMNS, 5, 6, 11}};
enum { JOB_TYPE = 0, SHOCKWAVE_DURATION = 10 };

static const places *places_of(const berth__row *row) {
    const places *found = known_places;
    while (found->n_columns != row->layout->n_columns) {
        found++;
    }
    return found;
}

/* ---- throughputs ---- */

/* Steps per second on 1, 2, 4 and 8 V100 (0: not measured), to four digits from simulation_throughputs.json of
 * stanford-futuredata/gavel, commit c4fa4009, MIT licence (Narayanan et al., OSDI 2020). */
static const struct {
    const char *job_type;
    double steps_per_s[4];
} measured[] = {
    {"ResNet-18 (batch size 16)", {32.35, 100.1, 123.9, 382.6}},
    {"ResNet-18 (batch size 32)", {29.95, 94.25, 114.7, 340}},
    {"ResNet-18 (batch size 64)", {24.09, 74.14, 95.59, 255.8}},
    {"ResNet-18 (batch size 128)", {17.99, 23.99, 69.95, 162.1}},
    {"ResNet-18 (batch size 256)", {10.3, 15.88, 27.78, 81.51}},
    {"ResNet-50 (batch size 16)", {11.4, 13.86, 23.2, 27.8}},
    {"ResNet-50 (batch size 32)", {7.787, 10.83, 13.76, 24.07}},
    {"ResNet-50 (batch size 64)", {4.395, 7.922, 9.452, 17.3}},
    {"ResNet-50 (batch size 128)", {2.497, 4.223, 7.029, 10.29}},
    {"Transformer (batch size 16)", {11.06, 14.15, 20.08, 71.65}},
    {"Transformer (batch size 32)", {10.62, 13.33, 22.82, 63.98}},
    {"Transformer (batch size 64)", {8.618, 15.88, 19.66, 49.65}},
    {"Transformer (batch size 128)", {5.446, 10.07, 14.17, 30.88}},
    {"Transformer (batch size 256)", {1.595, 2.885, 4.763, 9.717}},
    {"A3C", {7.176, 0, 0, 0}},
    {"LM (batch size 5)", {109.2, 185.7, 126.7, 698.8}},
    {"LM (batch size 10)", {81.65, 163.1, 121.5, 615.1}},
    {"LM (batch size 20)", {64.74, 132.2, 111, 497.3}},
    {"LM (batch size 40)", {45.24, 91.59, 96.03, 359.3}},
    {"LM (batch size 80)", {28.24, 58.09, 74.81, 231.2}},
    {"Recommendation (batch size 512)", {23.32, 0, 0, 0}},
    {"Recommendation (batch size 1024)", {13.28, 0, 0, 0}},
    {"Recommendation (batch size 2048)", {7.47, 0, 0, 0}},
    {"Recommendation (batch size 4096)", {3.906, 0, 0, 0}},
    {"Recommendation (batch size 8192)", {2.842, 0, 0, 0}},
    {"CycleGAN", {4.426, 0, 0, 0}},
};

typedef struct rates {
    const berth__throughputs *given; /* NULL: the table */
} rates;

/* Takes a measurement if it is the one to go by so far: of the most GPUs that are not more than wanted. */
static void consider(int gpus, double steps_per_s, int wanted, int *best, double *rate) {
    if (steps_per_s > 0 && gpus <= wanted && gpus > *best) {
        *best = gpus;
        *rate = steps_per_s * wanted / gpus;
    }
}

static double given_rate(const berth__throughputs *given, const char *job_type, int gpus, bool *is_known) {
    size_t low = 0, high = given->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(given->list[middle].job_type, job_type) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    double rate = 0;
    int best = 0;
    for (; low < given->n && strcmp(given->list[low].job_type, job_type) == 0; low++) {
        *is_known = true;
        consider(given->list[low].gpus, given->list[low].steps_per_s, gpus, &best, &rate);
    }
    return rate;
}

static double table_rate(const char *job_type, int gpus, bool *is_known) {
    double rate = 0;
    int best = 0;
    for (size_t i = 0; i < sizeof measured / sizeof measured[0]; i++) {
        if (strcmp(measured[i].job_type, job_type) == 0) {
            *is_known = true;
            for (int k = 0; k < 4; k++) {
                consider(1 << k, measured[i].steps_per_s[k], gpus, &best, &rate);
            }
        }
    }
    return rate;
}

/* Steps per second; 0: they do not fit. */
static double rate_of(const rates *from, const char *job_type, int gpus, bool *is_known) {
    *is_known = false;
    return from->given != NULL ? given_rate(from->given, job_type, gpus, is_known)
                               : table_rate(job_type, gpus, is_known);
}

/* ---- rows ---- */

/* "ResNet-18 (batch size 16)": 16; NAN if no batch is named. */
static double batch_of(const char *job_type) {
    const char *batch = strstr(job_type, "(batch size ");
    int size = 0;
    char end = '\0';
    return batch != NULL && sscanf(batch, "(batch size %d%c", &size, &end) == 2 && end == ')' && size > 0 ? size
                                                                                                          : (double)NAN;
}

/* What all three have. */
static void make_common(const rates *from, berth__row *row, berth__trace_job *job, double *duration_s) {
    const places *at = places_of(row);
    const char *job_type = berth__row_text(row, JOB_TYPE);
    const double steps = berth__row_number(row, at->steps, 0, 1e15);
    job->workers = berth__row_whole(row, at->gpus, 1000000);
    job->gpus = 1;
    job->submit_s = berth__row_number(row, at->arrival, 0, 1e12);
    job->model = job_type;
    job->batch = batch_of(job_type);
    bool is_known;
    const double alone = rate_of(from, job_type, 1, &is_known);
    if (alone > 0) {
        job->step_s = 1 / alone;
    }
    if (duration_s != NULL) {
        const double rate = rate_of(from, job_type, job->workers, &is_known);
        if (!is_known && job->workers > 0) {
            berth__row_fail(row, JOB_TYPE, "one with a known throughput");
        }
        *duration_s = rate > 0 ? steps / rate : 0;
    }
}

static void settle(berth__trace_job *job) {
    job->skip = job->workers == 0 ? BERTH_SKIP_NO_GPUS : job->duration_s == 0 ? BERTH_SKIP_NO_DURATION : job->skip;
}

static void make_gavel_job(void *user, berth__row *row, berth__trace_job *job) {
    double duration_s = 0;
    make_common(user, row, job, &duration_s);
    job->duration_s = duration_s;
    settle(job);
}

static void make_shockwave_job(void *user, berth__row *row, berth__trace_job *job) {
    make_common(user, row, job, NULL);
    job->duration_s = berth__row_number(row, SHOCKWAVE_DURATION, 0, 1e12);
    settle(job);
}

static berth_status read_gavel(berth__trace_reader *reader) {
    berth__throughputs given = {.n = 0};
    berth_status status =
        reader->n_paths > 1 ? berth__throughputs_read(reader->paths[1], "v100", &given, reader->error) : BERTH_OK;
    rates from = {.given = reader->n_paths > 1 ? &given : NULL};
    if (status == BERTH_OK) {
        status =
            berth__trace_read_jobs(reader, reader->paths[0], 2, gavel_layouts,
                                   "7 or 10 fields between tabs (12 are of kind shockwave)", make_gavel_job, &from);
    }
    berth__throughputs_clear(&given);
    return status;
}

static berth_status read_shockwave(berth__trace_reader *reader) {
    rates from = {.given = NULL};
    return berth__trace_read_jobs(reader, reader->paths[0], 1, shockwave_layouts,
                                  "12 fields between tabs (7 and 10 are of kind gavel)", make_shockwave_job, &from);
}

const berth__trace_kind berth__trace_gavel = {
    .name = "gavel",
    .files = "TRACE [THROUGHPUTS]",
    .about = "Gavel's simulator (2020): traces of 7 or 10 fields, and its JSON of throughputs (V100) instead of the "
             "built-in",
    .format = "fields in the format of the Gavel simulator (Narayanan et al., OSDI 2020; "
              "github.com/stanford-futuredata/gavel, MIT)",
    .recorded = "Arrival, number of GPUs, steps, the model's name and batch are the file's; the duration is steps / "
                "measured steps per second on V100",
    .instance_name = "gavel",
    .min_files = 1,
    .max_files = 2,
    .read = read_gavel,
};

const berth__trace_kind berth__trace_shockwave = {
    .name = "shockwave",
    .files = "TRACE",
    .about = "Shockwave's simulator (2023): traces of 12 fields",
    .format = "fields in the format of the Shockwave simulator (Zheng et al., NSDI 2023; "
              "github.com/uw-mad-dash/shockwave, MIT)",
    .recorded = "Arrival, duration, number of GPUs, the model's name and batch are the file's",
    .instance_name = "shockwave",
    .min_files = 1,
    .max_files = 1,
    .read = read_shockwave,
};
