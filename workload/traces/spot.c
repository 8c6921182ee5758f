/* Alibaba's cluster of 2026 with spot GPUs.
 *
 * Jobs:
 *   job_name        id
 *   organization    tenant
 *   gpu_model       the GPU type that it must have; empty: any
 *   cpu_request, gpu_request    cores and GPUs of one worker
 *   worker_num      workers
 *   submit_time     seconds; rows may lack it: without a time of submission
 *   duration        seconds
 * Nodes: gpu_model, gpu_capacity_num, cpu_num (cores). No memory is recorded. */
#include "workload/trace_rows.h"
#include "workload/traces/kinds.h"

enum { NAME, ORGANIZATION, GPU_MODEL, CPUS, GPUS, WORKERS, SUBMIT, DURATION, N_COLUMNS };

static const berth__column columns[N_COLUMNS] = {
    [NAME] = {.name = "job_name"},
    [ORGANIZATION] = {.name = "organization", .optional = true},
    [GPU_MODEL] = {.name = "gpu_model", .optional = true},
    [CPUS] = {.name = "cpu_request"},
    [GPUS] = {.name = "gpu_request"},
    [WORKERS] = {.name = "worker_num"},
    [SUBMIT] = {.name = "submit_time"},
    [DURATION] = {.name = "duration"},
};
static const berth__layout layout = {',', BERTH__HEADER, N_COLUMNS, columns};

static void make_job(void *user, berth__row *row, berth__trace_job *job) {
    (void)user;
    job->id = berth__row_text(row, NAME);
    job->tenant = berth__row_has(row, ORGANIZATION) ? berth__row_text(row, ORGANIZATION) : NULL;
    job->gpu_types = berth__row_gpu_types(row, GPU_MODEL);
    job->cpus = berth__row_number(row, CPUS, 0, 1e6);
    job->gpus = berth__row_number(row, GPUS, 0, 1e6);
    job->workers = berth__row_whole(row, WORKERS, 1000000);
    job->servers = 0;
    job->submit_s = berth__row_number_or(row, SUBMIT, 0, 1e12, 0);
    job->duration_s = berth__row_number_or(row, DURATION, 0, 1e12, 0);
    job->skip = job->gpus == 0 || job->workers == 0 ? BERTH_SKIP_NO_GPUS
                : job->duration_s == 0              ? BERTH_SKIP_NO_DURATION
                : !berth__row_has(row, SUBMIT)      ? BERTH_SKIP_NO_TIME
                                                    : job->skip;
}

enum { NODE_MODEL, NODE_GPUS, NODE_CPUS, N_NODE_COLUMNS };

static const berth__column node_columns[N_NODE_COLUMNS] = {
    [NODE_MODEL] = {.name = "gpu_model"},
    [NODE_GPUS] = {.name = "gpu_capacity_num"},
    [NODE_CPUS] = {.name = "cpu_num"},
};
static const berth__layout node_layout = {',', BERTH__HEADER, N_NODE_COLUMNS, node_columns};

static bool take_node(void *user, berth__row *row) {
    const berth__node_row node = {.type = berth__row_text(row, NODE_MODEL),
                                  .gpus = berth__row_whole(row, NODE_GPUS, 1000000),
                                  .cpus = berth__row_number(row, NODE_CPUS, 0, 1e9),
                                  .count = 1};
    return berth__node_list_add(user, &node);
}

static berth_status read_trace(berth__trace_reader *reader) {
    berth_status status = berth__trace_read_jobs(reader, reader->paths[0], 1, &layout, "", make_job, NULL);
    return status == BERTH_OK && reader->n_paths > 1
               ? berth__trace_read_nodes(reader, reader->paths[1], &node_layout, false, take_node)
               : status;
}

const berth__trace_kind berth__trace_spot = {
    .name = "spot",
    .files = "JOBS [NODES]",
    .about = "Alibaba's cluster with spot GPUs (2026): jobs of workers, and the nodes as machines",
    .format =
        "CSV in the format of Alibaba's spot GPU trace (github.com/alibaba/clusterdata, cluster-trace-v2026-spot-gpu)",
    .recorded =
        "Arrival, duration, workers, their GPUs and cores, and GPU types are the file's; jobs have no parameter "
        "servers",
    .width_text = "workers",
    .samples_text = "duration x workers x speed of a worker (internal if they fit one machine, else external)",
    .instance_name = "spot",
    .min_files = 1,
    .max_files = 2,
    .equal_is_duplicate = true,
    .read = read_trace,
};
