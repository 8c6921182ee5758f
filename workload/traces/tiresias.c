/* Two simulators' CSV of jobs made from the Philly trace.
 *
 * Tiresias: job_id (may repeat), num_gpu, submit_time (s), model_name, duration (s). Its cluster file has one row:
 *   num_switch, num_node_p_switch, num_gpu_p_node, num_cpu_p_node, mem_p_node (GB), all nodes alike.
 * Muri: the same with times in milliseconds, beyond 2^32; batch_size, and iteration_time (ms), of which a batch's
 *   computation is taken. */
#include "workload/trace_rows.h"
#include "workload/traces/kinds.h"

#include <math.h>

enum { ID, GPUS, SUBMIT, MODEL, DURATION, N_TIRESIAS_COLUMNS, BATCH = N_TIRESIAS_COLUMNS, STEP, N_MURI_COLUMNS };

#define COMMON_COLUMNS                                                                                                 \
    [ID] = {.name = "job_id"}, [GPUS] = {.name = "num_gpu"}, [SUBMIT] = {.name = "submit_time"},                       \
    [MODEL] = {.name = "model_name", .optional = true}, [DURATION] = {.name = "duration"}

static const berth__column tiresias_columns[N_TIRESIAS_COLUMNS] = {COMMON_COLUMNS};
static const berth__column muri_columns[N_MURI_COLUMNS] = {
    COMMON_COLUMNS, [BATCH] = {.name = "batch_size"}, [STEP] = {.name = "iteration_time"}};
static const berth__layout tiresias_layout = {',', BERTH__HEADER, N_TIRESIAS_COLUMNS, tiresias_columns};
static const berth__layout muri_layout = {',', BERTH__HEADER, N_MURI_COLUMNS, muri_columns};

static void make_tiresias_job(void *user, berth__row *row, berth__trace_job *job) {
    (void)user;
    job->id = berth__row_text(row, ID);
    job->workers = berth__row_whole(row, GPUS, 1000000);
    job->gpus = 1;
    job->submit_s = berth__row_number(row, SUBMIT, 0, 1e15);
    job->model = berth__row_has(row, MODEL) ? berth__row_text(row, MODEL) : NULL;
    job->duration_s = berth__row_number(row, DURATION, 0, 1e15);
    job->skip = job->workers == 0 ? BERTH_SKIP_NO_GPUS : job->duration_s == 0 ? BERTH_SKIP_NO_DURATION : job->skip;
}

static void make_muri_job(void *user, berth__row *row, berth__trace_job *job) {
    make_tiresias_job(user, row, job);
    job->submit_s /= 1000;
    job->duration_s /= 1000;
    job->batch = berth__row_number(row, BATCH, 1, 1e9);
    const double step_ms = berth__row_number(row, STEP, 0, 1e12);
    job->step_s = step_ms > 0 ? step_ms / 1000 : (double)NAN;
}

enum { SWITCHES, SWITCH_NODES, NODE_GPUS, NODE_CPUS, NODE_MEMORY, N_NODE_COLUMNS };

static const berth__column node_columns[N_NODE_COLUMNS] = {
    [SWITCHES] = {.name = "num_switch"},      [SWITCH_NODES] = {.name = "num_node_p_switch"},
    [NODE_GPUS] = {.name = "num_gpu_p_node"}, [NODE_CPUS] = {.name = "num_cpu_p_node"},
    [NODE_MEMORY] = {.name = "mem_p_node"},
};
static const berth__layout node_layout = {',', BERTH__HEADER, N_NODE_COLUMNS, node_columns};

static bool take_nodes(void *user, berth__row *row) {
    const size_t count =
        (size_t)berth__row_whole(row, SWITCHES, 1000) * (size_t)berth__row_whole(row, SWITCH_NODES, 1000);
    const berth__node_row node = {.type = "",
                                  .gpus = berth__row_whole(row, NODE_GPUS, 1000000),
                                  .cpus = berth__row_number(row, NODE_CPUS, 0, 1e9),
                                  .memory_gb = berth__row_number(row, NODE_MEMORY, 0, 1e9),
                                  .count = count};
    return count == 0 || berth__node_list_add(user, &node);
}

static berth_status read_nodes(berth__trace_reader *reader) {
    return reader->n_paths > 1 ? berth__trace_read_nodes(reader, reader->paths[1], &node_layout, true, take_nodes)
                               : BERTH_OK;
}

static berth_status read_tiresias(berth__trace_reader *reader) {
    berth_status status =
        berth__trace_read_jobs(reader, reader->paths[0], 1, &tiresias_layout, "", make_tiresias_job, NULL);
    return status == BERTH_OK ? read_nodes(reader) : status;
}

static berth_status read_muri(berth__trace_reader *reader) {
    berth_status status = berth__trace_read_jobs(reader, reader->paths[0], 1, &muri_layout, "", make_muri_job, NULL);
    return status == BERTH_OK ? read_nodes(reader) : status;
}

const berth__trace_kind berth__trace_tiresias = {
    .name = "tiresias",
    .files = "JOBS [CLUSTER]",
    .about = "Tiresias' simulator (2019): jobs, and its cluster file as machines",
    .format = "CSV in the format of the Tiresias simulator (Gu et al., NSDI 2019; github.com/SymbioticLab/Tiresias, "
              "Apache-2.0)",
    .recorded = "Arrival, duration, number of GPUs and the model's name are the file's",
    .instance_name = "tiresias",
    .min_files = 1,
    .max_files = 2,
    .equal_is_duplicate = true,
    .read = read_tiresias,
};

const berth__trace_kind berth__trace_muri = {
    .name = "muri",
    .files = "JOBS [CLUSTER]",
    .about = "Muri's simulator (2022): jobs with times in milliseconds, and a cluster file as of Tiresias",
    .format = "CSV in the format of the Muri simulator (Zhao et al., SIGCOMM 2022; github.com/Rivendile/Muri, "
              "Apache-2.0)",
    .recorded = "Arrival, duration, number of GPUs, the model's name, batch and time of an iteration are the file's",
    .instance_name = "muri",
    .min_files = 1,
    .max_files = 2,
    .equal_is_duplicate = true,
    .read = read_muri,
};
