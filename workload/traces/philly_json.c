/* cluster_job_log of the Philly trace: a JSON array of jobs.
 *
 *   jobid            id
 *   vc               virtual cluster: the tenant
 *   submitted_time   date without zone; missing, null or "None": without a time of submission
 *   attempts         [{start_time, end_time, detail: [{ip, gpus: [..]}, ..]}, ..]: the duration is the sum of all
 *                    attempts that have both times; there is no number of GPUs asked for, so those of the first attempt
 *                    that has some are counted
 * status and user are not used. The list of machines published with it contradicts the log, and is not read. */
#include "workload/trace_rows.h"
#include "workload/traces/kinds.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "formats/bytes.h"
#include "formats/json_elements.h"
#include "workload/civil_time.h"

/* A date into *out. False: there is none, or it is wrong (reader->status). */
static bool read_time(berth__reader *reader, const berth__node *object, const char *key, double *out) {
    const char *text = "";
    int64_t seconds;
    if (!berth__read_text(reader, object, key, BERTH__NULLABLE, &text) || text[0] == '\0' ||
        strcmp(text, "None") == 0) {
        return false;
    }
    if (!berth__civil_time(text, true, &seconds)) {
        return berth__member_fail(reader, object, key, BERTH_E_INPUT, "expected YYYY-MM-DD HH:MM:SS, got \"%.80s\"",
                                  text);
    }
    *out = (double)seconds;
    return true;
}

static int count_gpus(berth__reader *reader, const berth__node *attempt) {
    berth__node detail, gpus;
    size_t n_machines = 0, n_gpus, total = 0;
    if (!berth__node_member(reader, attempt, "detail", BERTH__NULLABLE, &detail) ||
        !berth__node_array(reader, &detail, &n_machines)) {
        return 0;
    }
    for (size_t i = 0; i < n_machines; i++) {
        const berth__node machine = berth__node_element(&detail, i);
        if (!berth__node_is_object(reader, &machine) ||
            !berth__node_member(reader, &machine, "gpus", BERTH__REQUIRED, &gpus) ||
            !berth__node_array(reader, &gpus, &n_gpus)) {
            return 0;
        }
        total += n_gpus;
    }
    return total > INT_MAX ? INT_MAX : (int)total;
}

static void add_attempt(berth__reader *reader, const berth__node *attempt, berth__trace_job *job) {
    double start_s = 0, end_s = 0;
    if (!berth__node_is_object(reader, attempt)) {
        return;
    }
    if (job->workers == 0) {
        job->workers = count_gpus(reader, attempt);
    }
    const bool has_start = read_time(reader, attempt, "start_time", &start_s);
    const bool has_end = read_time(reader, attempt, "end_time", &end_s);
    if (!has_start || !has_end) {
        return;
    }
    if (end_s < start_s) {
        berth__member_fail(reader, attempt, "end_time", BERTH_E_INPUT, "is before start_time");
        return;
    }
    job->duration_s += end_s - start_s;
}

static void read_job(berth__reader *reader, json_t *value, berth__trace_job *job) {
    const berth__node root = berth__node_root(value);
    berth__node attempts;
    const char *id = NULL, *vc = NULL;
    size_t n = 0;
    job->duration_s = 0;
    job->workers = 0;
    job->gpus = 1;
    if (!berth__node_is_object(reader, &root) || !berth__read_string(reader, &root, "jobid", BERTH__REQUIRED, &id)) {
        return;
    }
    berth__read_text(reader, &root, "vc", BERTH__NULLABLE, &vc);
    const bool has_time = read_time(reader, &root, "submitted_time", &job->submit_s);
    if (berth__node_member(reader, &root, "attempts", BERTH__NULLABLE, &attempts) &&
        berth__node_array(reader, &attempts, &n)) {
        for (size_t i = 0; i < n; i++) {
            const berth__node attempt = berth__node_element(&attempts, i);
            add_attempt(reader, &attempt, job);
        }
    }
    job->id = id;
    job->tenant = vc == NULL || vc[0] == '\0' ? NULL : vc;
    job->content = berth__hash_text(berth__hash_text(BERTH__HASH_START, id), vc == NULL ? "" : vc);
    job->skip = job->workers == 0      ? BERTH_SKIP_NO_GPUS
                : job->duration_s == 0 ? BERTH_SKIP_NO_DURATION
                : !has_time            ? BERTH_SKIP_NO_TIME
                                       : job->skip;
}

static berth_status take_element(berth__trace_reader *reader, json_t *value, long line) {
    berth_error problem = {.line = 0};
    berth__reader json = {.arena = berth__trace_strings(reader->trace), .error = &problem};
    berth__trace_job job = berth__trace_job_blank();
    job.line = line;
    reader->report->rows++;
    if (json.arena == NULL) {
        return berth__fail_memory(reader->error);
    }
    read_job(&json, value, &job);
    if (json.status == BERTH_E_MEMORY) {
        return berth__fail_memory(reader->error);
    }
    if (json.status != BERTH_OK) {
        char text[384];
        const char *id = json_string_value(json_object_get(value, "jobid"));
        snprintf(text, sizeof text, "%.120s: %.240s", problem.where, problem.message);
        return berth__trace_bad_row(reader, reader->paths[0], line, text, id == NULL ? "" : id);
    }
    return berth__trace_add(reader->trace, &job) ? BERTH_OK : berth__fail_memory(reader->error);
}

static berth_status read_elements(berth__trace_reader *reader, const char *text, size_t length) {
    berth__json_elements elements;
    berth_status status = berth__json_elements_start(&elements, text, length, reader->paths[0], reader->error);
    while (status == BERTH_OK) {
        json_t *value = NULL;
        long line = 0;
        status = berth__json_elements_next(&elements, &value, &line, reader->error);
        if (status != BERTH_OK || value == NULL) {
            return status;
        }
        status = take_element(reader, value, line);
        json_decref(value);
    }
    return status;
}

static berth_status read_trace(berth__trace_reader *reader) {
    char *text = NULL;
    size_t length = 0;
    berth_status status = berth__bytes_read(reader->paths[0], BERTH__MAX_INPUT, &text, &length, reader->error);
    if (status == BERTH_OK) {
        status = read_elements(reader, text, length);
    }
    berth__free(text);
    return status;
}

const berth__trace_kind berth__trace_philly_json = {
    .name = "philly-json",
    .files = "FILE",
    .about = "Philly (Microsoft 2017) as published: cluster_job_log, JSON",
    .format =
        "JSON in the format of the Philly trace (Jeon et al., USENIX ATC 2019; github.com/msr-fiddle/philly-traces, "
        "CC-BY-4.0)",
    .recorded = "Arrival, duration (of all attempts together) and number of GPUs (of the first attempt) are the file's",
    .instance_name = "philly",
    .min_files = 1,
    .max_files = 1,
    .civil = true,
    .equal_is_duplicate = true,
    .read = read_trace,
};
