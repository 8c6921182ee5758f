/* Pollux and Sia: workloads of applications whose training was measured.
 *
 *   name          id; some files have none
 *   time          seconds, in Sia's with decimals
 *   application   bert, cifar10, deepspeech2, imagenet, ncf, yolov3
 *   num_replicas  GPUs
 *   batch_size    of all replicas together
 * Columns stand in different orders. The file says neither work nor duration. Work is what the measured training to the
 * same progress took at the batch size: iterations x batch size, in between linear in the logarithm of the batch size,
 * outside as at the nearest measured. A replica's batch is batch_size / num_replicas, and its time on one GPU the line
 * through the measurements. */
#include "workload/trace_rows.h"
#include "workload/traces/kinds.h"

#include <math.h>
#include <string.h>

enum { NAME, TIME, APPLICATION, REPLICAS, BATCH, N_COLUMNS };

static const berth__column columns[N_COLUMNS] = {
    [NAME] = {.name = "name", .optional = true},
    [TIME] = {.name = "time"},
    [APPLICATION] = {.name = "application"},
    [REPLICAS] = {.name = "num_replicas"},
    [BATCH] = {.name = "batch_size"},
};
static const berth__layout layout = {',', BERTH__HEADER, N_COLUMNS, columns};

enum { MOST_SIZES = 8 };

/* From petuum/adaptdl, branch osdi21-artifact, commit c793c708, simulator/traces, Apache-2.0 (Qiao et al., OSDI 2021):
 * the last rows of validation-SIZE.csv, and least-squares lines through the step times of placements.csv on one GPU. */
typedef struct application {
    const char *name;
    double step_s, sample_s; /* time of a step = step_s + sample_s x batch of the replica */
    struct {
        double batch, iterations; /* batch 0: no more */
    } sizes[MOST_SIZES];
} application;

static const application applications[] = {
    {"bert", .2267, .05783, {{12, 14774}, {24, 7427}, {48, 3732}, {96, 1885}, {192, 940}, {384, 480}}},
    {"cifar10", .01775, .0006643, {{128, 39062}, {256, 20377}, {512, 10615}, {1024, 5722}, {2048, 3178}, {4096, 2011}}},
    {"deepspeech2", .09281, .02905, {{20, 28536}, {40, 14711}, {80, 7683}, {160, 4041}, {320, 2264}, {640, 1423}}},
    {"imagenet",
     .07965,
     .004208,
     {{200, 576525}, {400, 292995}, {800, 150231}, {1600, 78453}, {3200, 42123}, {6400, 23972}, {12800, 14461}}},
    {"ncf",
     .007649,
     4.337e-7,
     {{256, 194174},
      {512, 97094},
      {1024, 48625},
      {2048, 24308},
      {4096, 12172},
      {8192, 6122},
      {16384, 3069},
      {32768, 1548}}},
    {"yolov3",
     .2189,
     .0243,
     {{8, 103444}, {16, 52905}, {32, 27430}, {64, 14577}, {128, 8075}, {256, 4809}, {512, 3143}}},
};

static const application *find_application(const char *name) {
    for (size_t i = 0; i < sizeof applications / sizeof applications[0]; i++) {
        if (strcmp(applications[i].name, name) == 0) {
            return &applications[i];
        }
    }
    return NULL;
}

static double samples_at(const application *a, size_t k) {
    return a->sizes[k].batch * a->sizes[k].iterations;
}

static double work_of(const application *a, double batch) {
    size_t k = 0;
    while (k + 1 < MOST_SIZES && a->sizes[k + 1].batch > 0 && a->sizes[k + 1].batch <= batch) {
        k++;
    }
    if (batch <= a->sizes[k].batch || k + 1 == MOST_SIZES || a->sizes[k + 1].batch == 0) {
        return samples_at(a, k);
    }
    double part = log(batch / a->sizes[k].batch) / log(a->sizes[k + 1].batch / a->sizes[k].batch);
    return round(samples_at(a, k) + part * (samples_at(a, k + 1) - samples_at(a, k)));
}

static void make_job(void *user, berth__row *row, berth__trace_job *job) {
    (void)user;
    const application *a = find_application(berth__row_text(row, APPLICATION));
    const double batch = berth__row_number(row, BATCH, 1, 1e9);
    job->id = berth__row_has(row, NAME) ? berth__row_text(row, NAME) : NULL;
    job->submit_s = berth__row_number(row, TIME, 0, 1e12);
    job->workers = berth__row_whole(row, REPLICAS, 1000000);
    job->gpus = 1;
    job->model = berth__row_text(row, APPLICATION);
    if (a == NULL) {
        berth__row_fail(row, APPLICATION, "bert, cifar10, deepspeech2, imagenet, ncf or yolov3");
        return;
    }
    if (job->workers == 0) {
        job->skip = BERTH_SKIP_NO_GPUS;
        return;
    }
    job->samples = work_of(a, batch);
    job->batch = fmax(1, ceil(batch / job->workers));
    job->step_s = a->step_s + a->sample_s * job->batch;
}

static berth_status read_trace(berth__trace_reader *reader) {
    return berth__trace_read_jobs(reader, reader->paths[0], 1, &layout, "", make_job, NULL);
}

const berth__trace_kind berth__trace_pollux = {
    .name = "pollux",
    .files = "FILE",
    .about = "Pollux (2021) and Sia (2023): workloads of the six applications with measured training",
    .format =
        "CSV in the format of the Pollux workloads (Qiao et al., OSDI 2021; github.com/petuum/adaptdl, Apache-2.0)",
    .recorded = "Arrival, application, number of GPUs and batch are the file's; work and time of a batch are those "
                "measured of the application",
    .samples_text = "those that the training took at that batch size",
    .instance_name = "pollux",
    .min_files = 1,
    .max_files = 1,
    .equal_is_duplicate = true,
    .read = read_trace,
};
