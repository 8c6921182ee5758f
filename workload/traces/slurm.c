/* Logs of two Slurm clusters, alike but for the clock: a job of GPUs and cores, shared alike by its GPUs.
 *
 * Helios (SenseTime 2020)                       Acme (Shanghai AI Laboratory 2023, "seren" and "kalos")
 *   job_id     id                                 the same
 *   vc         virtual cluster: the tenant        -
 *   user       -                                  user: the tenant
 *   gpu_num    0: a job of cores only, left out   the same
 *   cpu_num    cores; empty: not recorded         the same
 *   node_num   -                                  pods, for:
 *   -          -                                  mem_per_pod_GB (kalos): memory
 *   submit_time   date without zone               date with zone
 *   duration   seconds                            the same
 * A worker is a GPU with its share of cores and memory. The log has all that a job held: no parameter servers. */
#include "workload/trace_rows.h"
#include "workload/traces/kinds.h"

#include <math.h>

enum { ID, TENANT, GPUS, CPUS, SUBMIT, DURATION, NODES, POD_MEMORY, N_COLUMNS };

#define COLUMNS_WITH_TENANT(column)                                                                                    \
    {                                                                                                                  \
        [ID] = {.name = "job_id"}, [TENANT] = {.name = (column)}, [GPUS] = {.name = "gpu_num"},                        \
        [CPUS] = {.name = "cpu_num"}, [SUBMIT] = {.name = "submit_time"}, [DURATION] = {.name = "duration"},           \
        [NODES] = {.name = "node_num", .optional = true}, [POD_MEMORY] = {                                             \
            .name = "mem_per_pod_GB",                                                                                  \
            .optional = true                                                                                           \
        }                                                                                                              \
    }

static const berth__column helios_columns[N_COLUMNS] = COLUMNS_WITH_TENANT("vc");
static const berth__column acme_columns[N_COLUMNS] = COLUMNS_WITH_TENANT("user");
static const berth__layout helios_layout = {',', BERTH__HEADER, N_COLUMNS, helios_columns};
static const berth__layout acme_layout = {',', BERTH__HEADER, N_COLUMNS, acme_columns};

static void make_job(void *user, berth__row *row, berth__trace_job *job) {
    const bool *zoned = user;
    job->id = berth__row_text(row, ID);
    job->tenant = berth__row_has(row, TENANT) ? berth__row_text(row, TENANT) : NULL;
    job->workers = berth__row_whole(row, GPUS, 1000000);
    job->gpus = 1;
    job->servers = 0;
    const double cpus = berth__row_number_or(row, CPUS, 0, 1e9, (double)NAN);
    const double pods = berth__row_number_or(row, NODES, 0, 1e6, 1);
    const double pod_memory = berth__row_number_or(row, POD_MEMORY, 0, 1e9, (double)NAN);
    job->submit_s = berth__row_date(row, SUBMIT, *zoned);
    job->duration_s = berth__row_number_or(row, DURATION, 0, 1e12, 0);
    if (job->workers == 0) {
        job->skip = BERTH_SKIP_NO_GPUS;
        return;
    }
    job->cpus = cpus / job->workers;
    job->memory_gb = pod_memory * fmax(1, pods) / job->workers;
    job->skip = job->duration_s == 0 ? BERTH_SKIP_NO_DURATION : job->skip;
}

static berth_status read_helios(berth__trace_reader *reader) {
    bool zoned = false;
    return berth__trace_read_jobs(reader, reader->paths[0], 1, &helios_layout, "", make_job, &zoned);
}

static berth_status read_acme(berth__trace_reader *reader) {
    bool zoned = true;
    return berth__trace_read_jobs(reader, reader->paths[0], 1, &acme_layout, "", make_job, &zoned);
}

static const char recorded[] = "Arrival, duration, number of GPUs and cores (and memory where the file has it) are the "
                               "file's; jobs have no parameter servers";

const berth__trace_kind berth__trace_helios = {
    .name = "helios",
    .files = "FILE",
    .about = "Helios (SenseTime 2020): cluster_log.csv",
    .format = "CSV in the format of the Helios trace (Hu et al., SC 2021; github.com/S-Lab-System-Group/HeliosData, "
              "CC-BY-4.0)",
    .recorded = recorded,
    .instance_name = "helios",
    .min_files = 1,
    .max_files = 1,
    .civil = true,
    .equal_is_duplicate = true,
    .read = read_helios,
};

const berth__trace_kind berth__trace_acme = {
    .name = "acme",
    .files = "FILE",
    .about = "Acme (Shanghai AI Laboratory 2023): trace_seren.csv or trace_kalos.csv",
    .format = "CSV in the format of the Acme trace (Hu et al., NSDI 2024; github.com/InternLM/AcmeTrace, CC-BY-4.0)",
    .recorded = recorded,
    .instance_name = "acme",
    .min_files = 1,
    .max_files = 1,
    .civil = true,
    .equal_is_duplicate = true,
    .read = read_acme,
};
