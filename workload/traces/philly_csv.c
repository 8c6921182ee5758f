/* CSV made of the Philly trace. Columns, in any order:
 *
 *   timestamp                "YYYY-MM-DD HH:MM:SS" of submission, no zone
 *   duration or duration(s)  seconds, >= 0
 *   num_gpus                 whole, >= 0
 *   cluster                  virtual cluster; may be missing: the tenant
 *
 * Rows are not in order of time, some occur twice. */
#include "workload/trace_rows.h"
#include "workload/traces/kinds.h"

enum { TIMESTAMP, DURATION, GPUS, CLUSTER, N_COLUMNS };

static const berth__column columns[N_COLUMNS] = {
    [TIMESTAMP] = {.name = "timestamp"},
    [DURATION] = {.name = "duration", .other = "duration(s)"},
    [GPUS] = {.name = "num_gpus"},
    [CLUSTER] = {.name = "cluster", .optional = true},
};
static const berth__layout layout = {',', BERTH__HEADER, N_COLUMNS, columns};

static void make_job(void *user, berth__row *row, berth__trace_job *job) {
    (void)user;
    job->submit_s = berth__row_date(row, TIMESTAMP, false);
    job->duration_s = berth__row_number(row, DURATION, 0, 1e12);
    job->workers = berth__row_whole(row, GPUS, 1000000);
    job->gpus = 1;
    job->tenant = berth__row_has(row, CLUSTER) ? berth__row_text(row, CLUSTER) : NULL;
    job->skip = job->workers == 0 ? BERTH_SKIP_NO_GPUS : job->duration_s == 0 ? BERTH_SKIP_NO_DURATION : job->skip;
}

static berth_status read_trace(berth__trace_reader *reader) {
    return berth__trace_read_jobs(reader, reader->paths[0], 1, &layout, "", make_job, NULL);
}

const berth__trace_kind berth__trace_philly_csv = {
    .name = "philly-csv",
    .files = "FILE",
    .about = "Philly (Microsoft 2017) as CSV: timestamp, duration, num_gpus, cluster",
    .format =
        "CSV in the format of the Philly trace (Jeon et al., USENIX ATC 2019; github.com/msr-fiddle/philly-traces, "
        "CC-BY-4.0; as CSV by petuum/adaptdl, Apache-2.0)",
    .recorded = "Arrival, duration and number of GPUs are the file's",
    .instance_name = "philly",
    .min_files = 1,
    .max_files = 1,
    .civil = true,
    .equal_is_duplicate = true,
    .read = read_trace,
};
