/* Alibaba's trace of recommendation models of 2025: instances in pairs of roles.
 *
 *   app_name        the job: all instances of an app
 *   role            HN (a node with a GPU: a worker) or CN (cores only: a parameter server)
 *   cpu_request, gpu_request, memory_request (GiB)    of one instance
 *   creation_time, deletion_time    seconds, within the time that was watched. Empty: it was there before, from 0 on;
 *                   it was there after, until the last time in the file
 * Network shares, disk, limits and max_instance_per_node are not used. */
#include "workload/trace_rows.h"
#include "workload/trace_tasks.h"
#include "workload/traces/kinds.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

enum { ROLE, APP, CPUS, GPUS, MEMORY, CREATION, SCHEDULED, DELETION, N_COLUMNS };

static const berth__column columns[N_COLUMNS] = {
    [ROLE] = {.name = "role"},
    [APP] = {.name = "app_name"},
    [CPUS] = {.name = "cpu_request"},
    [GPUS] = {.name = "gpu_request"},
    [MEMORY] = {.name = "memory_request"},
    [CREATION] = {.name = "creation_time"},
    [SCHEDULED] = {.name = "scheduled_time", .optional = true},
    [DELETION] = {.name = "deletion_time"},
};
static const berth__layout layout = {',', BERTH__HEADER, N_COLUMNS, columns};

typedef struct instances {
    berth__trace_tasks tasks;
    double last_s;
} instances;

static bool take_instance(void *user, berth__row *row) {
    instances *list = user;
    const char *role = berth__row_text(row, ROLE);
    berth__trace_task task = {.job = berth__row_text(row, APP),
                              .role = strcmp(role, "CN") == 0 ? BERTH__ROLE_SERVER : BERTH__ROLE_WORKER,
                              .count = 1,
                              .gpus = berth__row_number_or(row, GPUS, 0, 1e6, 0),
                              .cpus = berth__row_number_or(row, CPUS, 0, 1e6, (double)NAN),
                              .memory_gb = berth__row_number_or(row, MEMORY, 0, 1e9, (double)NAN),
                              .begin_s = berth__row_number_or(row, CREATION, 0, 1e12, (double)NAN),
                              .end_s = berth__row_number_or(row, DELETION, 0, 1e12, (double)NAN),
                              .content = row->content,
                              .line = row->line};
    const double scheduled_s = berth__row_number_or(row, SCHEDULED, 0, 1e12, (double)NAN);
    if (strcmp(role, "CN") != 0 && strcmp(role, "HN") != 0) {
        berth__row_fail(row, ROLE, "CN or HN");
    }
    if (row->problem[0] != '\0') {
        return true;
    }
    list->last_s = fmax(list->last_s, fmax(task.begin_s, fmax(task.end_s, scheduled_s)));
    return berth__trace_tasks_add(&list->tasks, &task);
}

static berth_status read_trace(berth__trace_reader *reader) {
    instances list = {.last_s = 0};
    berth_status status = berth__trace_read_parts(reader, reader->paths[0], &layout, take_instance, &list);
    for (size_t i = 0; i < list.tasks.n; i++) {
        berth__trace_task *task = &list.tasks.tasks[i];
        task->begin_s = isnan(task->begin_s) ? 0 : task->begin_s;
        task->end_s = isnan(task->end_s) ? list.last_s : task->end_s;
    }
    if (status == BERTH_OK && !berth__trace_tasks_join(&list.tasks, reader->trace)) {
        status = berth__fail_memory(reader->error);
    }
    berth__trace_tasks_clear(&list.tasks);
    return status;
}

const berth__trace_kind berth__trace_dlrm = {
    .name = "dlrm",
    .files = "FILE",
    .about = "Alibaba's recommendation models (2025): apps of GPU nodes (workers) and CPU nodes (parameter servers)",
    .format = "CSV in the format of Alibaba's disaggregated DLRM trace (github.com/alibaba/clusterdata, "
              "cluster-trace-gpu-v2025)",
    .recorded = "Time of an app (from its first instance to its last), workers (its HN instances), parameter servers "
                "(its CN instances) and their demands are the file's",
    .width_text = "HN instances",
    .samples_text = "duration x workers x speed of a worker (internal if all fit one machine, else external)",
    .instance_name = "dlrm",
    .min_files = 1,
    .max_files = 1,
    .read = read_trace,
};
