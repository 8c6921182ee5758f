/* openb: Alibaba's GPU-sharing cluster of 2023.
 *
 * Pods, one job of one worker each:
 *   name            id
 *   cpu_milli       thousandths of a core
 *   memory_mib      MiB; memory_gb = MiB / 1024, here and of nodes
 *   num_gpu         0 (a pod without GPUs is a job too: it holds cores on the same nodes)
 *   gpu_milli       of one GPU, in thousandths: a pod of one GPU may share it
 *   gpu_spec        GPU types that it may use, "|" between them; empty: any
 *   creation_time   seconds: submission
 *   scheduled_time, deletion_time    its run. Pods that are Pending were never scheduled: without duration
 * Lists without times (the "multigpu" variants have five columns) are refused.
 *
 * Nodes: sn, cpu_milli, memory_mib, gpu (how many), model (GPU type; empty if gpu = 0). */
#include "workload/trace_rows.h"
#include "workload/traces/kinds.h"

enum { NAME, CPU, MEMORY, GPUS, GPU_MILLI, GPU_SPEC, CREATION, DELETION, SCHEDULED, N_COLUMNS };

static const berth__column columns[N_COLUMNS] = {
    [NAME] = {.name = "name"},
    [CPU] = {.name = "cpu_milli"},
    [MEMORY] = {.name = "memory_mib"},
    [GPUS] = {.name = "num_gpu"},
    [GPU_MILLI] = {.name = "gpu_milli"},
    [GPU_SPEC] = {.name = "gpu_spec", .optional = true},
    [CREATION] = {.name = "creation_time"},
    [DELETION] = {.name = "deletion_time"},
    [SCHEDULED] = {.name = "scheduled_time"},
};
static const berth__layout layout = {',', BERTH__HEADER, N_COLUMNS, columns};

static const double latest_s = 1e12, most = 1e9;

static void make_job(void *user, berth__row *row, berth__trace_job *job) {
    (void)user;
    const int gpus = berth__row_whole(row, GPUS, 1000000);
    const double share = berth__row_number(row, GPU_MILLI, 0, 1000) / 1000;
    job->id = berth__row_text(row, NAME);
    job->gpus = gpus == 1 ? share : gpus;
    job->cpus = berth__row_number(row, CPU, 0, most) / 1000;
    job->memory_gb = berth__row_number(row, MEMORY, 0, most) / 1024;
    job->servers = 0;
    job->gpu_types = gpus > 0 ? berth__row_gpu_types(row, GPU_SPEC) : NULL;
    job->submit_s = berth__row_number(row, CREATION, 0, latest_s);
    if (!berth__row_has(row, SCHEDULED) || !berth__row_has(row, DELETION)) {
        job->skip = BERTH_SKIP_NO_DURATION;
        return;
    }
    const double begin = berth__row_number(row, SCHEDULED, 0, latest_s);
    job->duration_s = berth__row_number(row, DELETION, 0, latest_s) - begin;
    if (job->duration_s < 0) {
        berth__row_fail(row, DELETION, "at or after scheduled_time");
    }
    job->skip = job->duration_s == 0 ? BERTH_SKIP_NO_DURATION : job->skip;
}

enum { NODE_CPU, NODE_MEMORY, NODE_GPUS, NODE_MODEL, N_NODE_COLUMNS };

static const berth__column node_columns[N_NODE_COLUMNS] = {
    [NODE_CPU] = {.name = "cpu_milli"},
    [NODE_MEMORY] = {.name = "memory_mib"},
    [NODE_GPUS] = {.name = "gpu"},
    [NODE_MODEL] = {.name = "model"},
};
static const berth__layout node_layout = {',', BERTH__HEADER, N_NODE_COLUMNS, node_columns};

static bool take_node(void *user, berth__row *row) {
    const berth__node_row node = {.type = berth__row_text(row, NODE_MODEL),
                                  .gpus = berth__row_whole(row, NODE_GPUS, 1000000),
                                  .cpus = berth__row_number(row, NODE_CPU, 0, most) / 1000,
                                  .memory_gb = berth__row_number(row, NODE_MEMORY, 0, most) / 1024,
                                  .count = 1};
    return berth__node_list_add(user, &node);
}

static berth_status read_trace(berth__trace_reader *reader) {
    berth_status status = berth__trace_read_jobs(reader, reader->paths[0], 1, &layout, "", make_job, NULL);
    return status == BERTH_OK && reader->n_paths > 1
               ? berth__trace_read_nodes(reader, reader->paths[1], &node_layout, true, take_node)
               : status;
}

const berth__trace_kind berth__trace_openb = {
    .name = "openb",
    .files = "PODS [NODES]",
    .about = "Alibaba's GPU-sharing cluster (2023): pods, and the nodes as machines",
    .format = "CSV in the format of the openb trace (Weng et al., USENIX ATC 2023; github.com/alibaba/clusterdata, "
              "cluster-trace-gpu-v2023; also in hkust-adsl/kubernetes-scheduler-simulator, Apache-2.0)",
    .recorded =
        "Arrival, duration, demands and GPU types are the file's; a pod is one worker without parameter servers",
    .width_text = "1",
    .samples_text = "duration x speed of the worker",
    .instance_name = "openb",
    .min_files = 1,
    .max_files = 2,
    .equal_is_duplicate = true,
    .read = read_trace,
};
