#include "workload/import_philly.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/numeric.h"
#include "base/pcg.h"
#include "formats/bytes.h"
#include "workload/civil_time.h"
#include "workload/instance_builder.h"
#include "workload/philly_rows.h"
#include "workload/synthesis.h"

/* First element of the key of a row's stream. */
enum { STREAM_ROW = 0x7068000 };

/* Beyond these an option is taken for a mistake rather than attempted. */
static const size_t most_machines = 1000000, most_cluster_bytes = 200;
static const int most_slots = 1000000;

/* The options, parsed. */
typedef struct import_request {
    const char *path;
    const berth_import_philly_options *options;
    berth__machine_spec machine;
    berth__utility_rule utility;
    bool has_from;
    int64_t from_s;
} import_request;

void berth_import_philly_options_init(berth_import_philly_options *options) {
    *options = (berth_import_philly_options){
        .struct_size = sizeof *options, .seed = 1, .slot_seconds = 1800, .slots = 48, .machines = 8};
}

static berth_status parse_machine(import_request *request, berth_error *error) {
    const char *text = request->options->machine == NULL ? "gpu=8,cpu=64,memory_gb=512" : request->options->machine;
    berth_status status = berth__machine_spec_parse(text, &request->machine, error);
    if (status != BERTH_OK) {
        return status;
    }
    int gpu = berth__machine_spec_find(&request->machine, "gpu");
    if (gpu < 0 || request->machine.amounts[gpu] < 1) {
        return berth__fail(error, BERTH_E_ARGUMENT, "machine", "needs gpu=1 or more");
    }
    return BERTH_OK;
}

static berth_status parse_options(const berth_import_philly_options *options, import_request *out, berth_error *error) {
    if (options == NULL || options->struct_size != sizeof *options) {
        return berth__fail(error, BERTH_E_ARGUMENT, "options", "not initialised by berth_import_philly_options_init");
    }
    out->options = options;
    if (!(options->slot_seconds > 0 && isfinite(options->slot_seconds))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "slot_seconds", "must be a number above 0");
    }
    if (options->slots < 1 || options->slots > most_slots) {
        return berth__fail(error, BERTH_E_ARGUMENT, "slots", "must be from 1 to %d", most_slots);
    }
    if (options->machines < 1 || options->machines > most_machines) {
        return berth__fail(error, BERTH_E_ARGUMENT, "machines", "must be from 1 to %zu", most_machines);
    }
    if (options->name != NULL && options->name[0] == '\0') {
        return berth__fail(error, BERTH_E_ARGUMENT, "name", "is empty");
    }
    if (options->cluster != NULL && strlen(options->cluster) > most_cluster_bytes) {
        return berth__fail(error, BERTH_E_ARGUMENT, "cluster", "is longer than %zu bytes", most_cluster_bytes);
    }
    out->has_from = options->from != NULL;
    if (out->has_from && !berth__civil_time(options->from, false, &out->from_s)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "from", "\"%.80s\" is not YYYY-MM-DD[ HH:MM:SS]", options->from);
    }
    berth_status status = berth__utility_rule_parse(options->utility, &out->utility, error);
    return status == BERTH_OK ? parse_machine(out, error) : status;
}

/* ---- the source, one sentence after another ---- */

enum { FILE_NAME_ROOM = 256, MACHINE_ROOM = BERTH__SPEC_RESOURCES * (BERTH__SPEC_NAME + BERTH__NUMBER_ROOM) };

/* Room for the longest name, machine, cluster, counts and rule together. */
typedef struct source_text {
    char text[FILE_NAME_ROOM + MACHINE_ROOM + 2304];
    size_t length;
} source_text;

static void append(source_text *source, const char *format, ...) BERTH__PRINTF(2, 3);
static void append(source_text *source, const char *format, ...) {
    size_t room = sizeof source->text - source->length;
    va_list args;
    va_start(args, format);
    int written = vsnprintf(source->text + source->length, room, format, args);
    va_end(args);
    source->length += written < 0 ? 0 : (size_t)written < room ? (size_t)written : room - 1;
}

/* The name without its folders, which are nobody else's business. Names are bytes, a source is text. */
static void append_file_name(source_text *source, const char *path) {
    if (strcmp(path, "-") == 0) {
        append(source, "standard input");
        return;
    }
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    size_t left = strlen(name);
    left = left < FILE_NAME_ROOM ? left : FILE_NAME_ROOM - 1;
    while (left > 0) {
        size_t step = (unsigned char)*name < ' ' ? 0 : berth__utf8_length(name, left);
        append(source, "%.*s", step == 0 ? 1 : (int)step, step == 0 ? "?" : name);
        step = step == 0 ? 1 : step;
        name += step;
        left -= step;
    }
}

static void append_selection(source_text *source, const import_request *request, const char *from) {
    const berth_import_philly_options *o = request->options;
    char number[BERTH__NUMBER_ROOM];
    berth__number_text(o->slot_seconds, number);
    append(source, "%s%s, %d slots of %s s from %s, ", o->cluster == NULL ? "all virtual clusters" : "virtual cluster ",
           o->cluster == NULL ? "" : o->cluster, o->slots, number, from);
    if (o->max_jobs > 0) {
        append(source, "at most the first %zu jobs, ", o->max_jobs);
    }
    append(source, "%zu machines of ", o->machines);
    for (size_t r = 0; r < request->machine.n; r++) {
        berth__number_text(request->machine.amounts[r], number);
        append(source, "%s%s=%s", r == 0 ? "" : ",", request->machine.names[r], number);
    }
}

static void append_counts(source_text *source, const berth_import_counts *counts) {
    const struct {
        size_t n;
        const char *text;
    } left_out[] = {
        {counts->malformed, "malformed"},
        {counts->duplicate, "duplicate"},
        {counts->zero_gpus, "without GPUs"},
        {counts->zero_duration, "without duration"},
        {counts->other_cluster, "of another cluster"},
        {counts->outside_window, "outside the window"},
        {counts->over_max_jobs, "beyond that number of jobs"},
    };
    append(source, "%zu rows: %zu imported", counts->rows, counts->imported);
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        if (left_out[i].n > 0) {
            append(source, ", %zu %s", left_out[i].n, left_out[i].text);
        }
    }
}

/* That the format is the Philly trace's does not make the rows so: what they are, only the caller knows. */
static void describe(berth__builder *builder, const import_request *request, const char *from,
                     const berth_import_counts *counts) {
    source_text source = {.length = 0};
    append(&source, "Imported by berth from ");
    append_file_name(&source, request->path);
    append(&source, ", CSV in the format of the Philly trace (Jeon et al., USENIX ATC 2019; "
                    "github.com/msr-fiddle/philly-traces, CC-BY-4.0; as CSV by petuum/adaptdl, Apache-2.0), whose "
                    "licence holds if the rows come from there. ");
    append(&source, "Taken: ");
    append_selection(&source, request, from);
    append(&source, "; ");
    append_counts(&source, counts);
    append(&source,
           ". Arrival, duration and number of GPUs are the file's. Synthesised, seed %llu: %s. Utility by the rule %s.",
           (unsigned long long)request->options->seed, berth__synthesis_text(),
           berth__utility_rule_text(request->utility));
    berth__builder_source(builder, source.text);
}

static void add_jobs(berth__builder *builder, const import_request *request, const berth__philly_rows *rows) {
    berth__synthesis synthesis = {.machine = &request->machine,
                                  .utility = request->utility,
                                  .slot_seconds = request->options->slot_seconds,
                                  .horizon_slots = request->options->slots};
    double worker[BERTH__SPEC_RESOURCES], ps[BERTH__SPEC_RESOURCES];
    for (size_t i = 0; i < rows->n; i++) {
        const berth__philly_row *row = &rows->rows[i];
        berth__pcg stream = berth__pcg_key(3, (uint64_t[]){STREAM_ROW, request->options->seed, row->content});
        char id[32];
        snprintf(id, sizeof id, "j%zu", i + 1);
        berth_job job;
        berth_job_init(&job);
        job.id = id;
        job.tenant = row->cluster[0] == '\0' ? NULL : row->cluster;
        job.arrival_slot = row->arrival_slot;
        berth__synthesise_job(&synthesis, &stream, row->gpus, row->duration_s, &job, worker, ps);
        berth__builder_job(builder, &job);
    }
}

static berth_status build(const import_request *request, const berth__philly_rows *rows,
                          const berth_import_counts *counts, berth_instance **out, berth_error *error) {
    const berth_import_philly_options *o = request->options;
    berth__builder *builder = berth__builder_new(o->name == NULL ? "philly" : o->name, o->slot_seconds, o->slots,
                                                 request->machine.n, request->machine.name_list);
    if (builder == NULL) {
        return berth__fail_memory(error);
    }
    describe(builder, request, o->from == NULL ? rows->rows[0].timestamp : o->from, counts);
    berth__builder_group(builder, "node", o->machines, request->machine.amounts);
    add_jobs(builder, request, rows);
    return berth__builder_finish(builder, out, error);
}

berth_status berth_import_philly_csv(const char *path, const berth_import_philly_options *options, berth_instance **out,
                                     berth_import_counts *counts, berth_error *error) {
    if (out == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, out == NULL ? "out" : "path", "is NULL");
    }
    *out = NULL;
    berth_import_counts own_counts = {0};
    counts = counts == NULL ? &own_counts : counts;
    *counts = (berth_import_counts){0};
    berth__c_locale locale;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth__philly_rows rows = {0};
    import_request request = {.path = path};
    berth_status status = parse_options(options, &request, error);
    if (status == BERTH_OK) {
        status = berth__philly_rows_read(path, options, &rows, counts, error);
    }
    if (status == BERTH_OK) {
        status = berth__philly_rows_select(&rows, options, request.has_from ? &request.from_s : NULL, counts, error);
    }
    if (status == BERTH_OK) {
        status = build(&request, &rows, counts, out, error);
    }
    berth__philly_rows_clear(&rows);
    berth__c_locale_leave(&locale);
    return status;
}
