/* Alibaba PAI of 2020: tables without a header line (it is in NAME.header beside NAME.csv; if that is not there, and
 * the first line is no header either, columns are in the public order, given here).
 *
 * Tasks:
 *   job_name        the job
 *   task_name       ps: parameter servers; evaluator: neither; all else (worker, chief, ...): workers
 *   inst_num        instances
 *   start_time, end_time    seconds; empty if it did not start, or end
 *   plan_cpu        percent of a core, plan_mem GB, plan_gpu percent of a GPU, of one instance; may be empty
 *   gpu_type        the GPU type; empty: any
 * Jobs, optional: job_name, and user: the tenant.
 * Machines, optional: gpu_type, cap_cpu (cores), cap_mem (GB), cap_gpu.
 * The type MISC is what machines of rare types are called, and CPU that of those without GPUs. */
#include "workload/trace_rows.h"
#include "workload/trace_tasks.h"
#include "workload/traces/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/names.h"

enum {
    TASK_JOB,
    TASK_NAME,
    TASK_COUNT,
    TASK_STATUS,
    TASK_START,
    TASK_END,
    TASK_CPU,
    TASK_MEMORY,
    TASK_GPU,
    TASK_TYPE,
    N_TASK_COLUMNS
};

static const berth__column task_columns[N_TASK_COLUMNS] = {
    [TASK_JOB] = {.name = "job_name"},     [TASK_NAME] = {.name = "task_name"},
    [TASK_COUNT] = {.name = "inst_num"},   [TASK_STATUS] = {.name = "status", .optional = true},
    [TASK_START] = {.name = "start_time"}, [TASK_END] = {.name = "end_time"},
    [TASK_CPU] = {.name = "plan_cpu"},     [TASK_MEMORY] = {.name = "plan_mem"},
    [TASK_GPU] = {.name = "plan_gpu"},     [TASK_TYPE] = {.name = "gpu_type", .optional = true},
};

static const double latest_s = 1e12, most = 1e9;

static berth__role role_of(const char *name) {
    return strcmp(name, "ps") == 0          ? BERTH__ROLE_SERVER
           : strcmp(name, "evaluator") == 0 ? BERTH__ROLE_OTHER
                                            : BERTH__ROLE_WORKER;
}

static bool take_task(void *user, berth__row *row) {
    berth__trace_task task = {.job = berth__row_text(row, TASK_JOB),
                              .gpu_types = berth__row_gpu_types(row, TASK_TYPE),
                              .role = role_of(berth__row_text(row, TASK_NAME)),
                              .count = berth__row_whole(row, TASK_COUNT, 1000000),
                              .gpus = berth__row_number_or(row, TASK_GPU, 0, most, 0) / 100,
                              .cpus = berth__row_number_or(row, TASK_CPU, 0, most, (double)NAN) / 100,
                              .memory_gb = berth__row_number_or(row, TASK_MEMORY, 0, most, (double)NAN),
                              .begin_s = berth__row_number_or(row, TASK_START, 0, latest_s, (double)NAN),
                              .end_s = berth__row_number_or(row, TASK_END, 0, latest_s, (double)NAN),
                              .content = row->content,
                              .line = row->line};
    return row->problem[0] != '\0' || berth__trace_tasks_add(user, &task);
}

/* ---- jobs: whose they are ---- */

enum { JOB_NAME, JOB_INSTANCE, JOB_USER, JOB_STATUS, JOB_START, JOB_END, N_JOB_COLUMNS };

static const berth__column job_columns[N_JOB_COLUMNS] = {
    [JOB_NAME] = {.name = "job_name"},
    [JOB_INSTANCE] = {.name = "inst_id", .optional = true},
    [JOB_USER] = {.name = "user"},
    [JOB_STATUS] = {.name = "status", .optional = true},
    [JOB_START] = {.name = "start_time", .optional = true},
    [JOB_END] = {.name = "end_time", .optional = true},
};

typedef struct owner {
    const char *job, *user;
} owner;

typedef struct owners {
    owner *list;
    size_t n, capacity;
} owners;

static bool take_owner(void *user, berth__row *row) {
    owners *to = user;
    void *list = to->list;
    bool grown = berth__grow(&list, &to->capacity, to->n, sizeof *to->list);
    to->list = list;
    if (grown) {
        to->list[to->n++] = (owner){berth__row_text(row, JOB_NAME), berth__row_text(row, JOB_USER)};
    }
    return grown;
}

static bool set_tenants(berth__trace_tasks *tasks, const owners *from) {
    berth__names names = {.mask = 0};
    bool done = berth__names_init(&names, from->n);
    for (size_t i = 0; done && i < from->n; i++) {
        berth__names_add(&names, from->list[i].job, i);
    }
    for (size_t i = 0; done && i < tasks->n; i++) {
        size_t at = berth__names_find(&names, tasks->tasks[i].job);
        if (at != BERTH__NO_NAME && from->list[at].user[0] != '\0') {
            tasks->tasks[i].tenant = from->list[at].user;
        }
    }
    berth__names_free(&names);
    return done;
}

/* ---- machines ---- */

enum { MACHINE, MACHINE_TYPE, MACHINE_CPUS, MACHINE_MEMORY, MACHINE_GPUS, N_MACHINE_COLUMNS };

static const berth__column machine_columns[N_MACHINE_COLUMNS] = {
    [MACHINE] = {.name = "machine"},        [MACHINE_TYPE] = {.name = "gpu_type"}, [MACHINE_CPUS] = {.name = "cap_cpu"},
    [MACHINE_MEMORY] = {.name = "cap_mem"}, [MACHINE_GPUS] = {.name = "cap_gpu"},
};

static bool take_machine(void *user, berth__row *row) {
    const berth__node_row node = {.type = berth__row_text(row, MACHINE_TYPE),
                                  .gpus = berth__row_number_or(row, MACHINE_GPUS, 0, most, 0),
                                  .cpus = berth__row_number(row, MACHINE_CPUS, 0, most),
                                  .memory_gb = berth__row_number(row, MACHINE_MEMORY, 0, most),
                                  .count = 1};
    return berth__node_list_add(user, &node);
}

/* ---- the tables ---- */

static berth__layout layout_of(size_t n_columns, const berth__column *columns) {
    return (berth__layout){
        .separator = ',', .header = BERTH__HEADER_BESIDE, .n_columns = n_columns, .columns = columns};
}

static berth_status read_tenants(berth__trace_reader *reader, berth__trace_tasks *tasks) {
    const berth__layout layout = layout_of(N_JOB_COLUMNS, job_columns);
    owners list = {.n = 0};
    berth_status status = berth__trace_read_list(reader, reader->paths[1], &layout, take_owner, &list);
    if (status == BERTH_OK && !set_tenants(tasks, &list)) {
        status = berth__fail_memory(reader->error);
    }
    berth__free(list.list);
    return status;
}

static berth_status read_trace(berth__trace_reader *reader) {
    const berth__layout layout = layout_of(N_TASK_COLUMNS, task_columns);
    const berth__layout machine_layout = layout_of(N_MACHINE_COLUMNS, machine_columns);
    berth__trace_tasks tasks = {.n = 0};
    berth_status status = berth__trace_read_parts(reader, reader->paths[0], &layout, take_task, &tasks);
    if (status == BERTH_OK && reader->n_paths > 1) {
        status = read_tenants(reader, &tasks);
    }
    if (status == BERTH_OK && !berth__trace_tasks_join(&tasks, reader->trace)) {
        status = berth__fail_memory(reader->error);
    }
    berth__trace_tasks_clear(&tasks);
    return status == BERTH_OK && reader->n_paths > 2
               ? berth__trace_read_nodes(reader, reader->paths[2], &machine_layout, true, take_machine)
               : status;
}

const berth__trace_kind berth__trace_pai = {
    .name = "pai",
    .files = "TASKS [JOBS [MACHINES]]",
    .about = "Alibaba PAI (2020): pai_task_table, pai_job_table (users), pai_machine_spec",
    .format = "tables in the format of Alibaba's PAI trace (Weng et al., NSDI 2022; github.com/alibaba/clusterdata, "
              "cluster-trace-gpu-v2020)",
    .recorded = "Arrival, duration, workers, parameter servers, their demands and GPU types are the file's",
    .width_text = "instances of worker tasks",
    .samples_text = "duration x workers x speed of a worker (internal if all fit one machine, else external)",
    .instance_name = "pai",
    .min_files = 1,
    .max_files = 3,
    .read = read_trace,
};
