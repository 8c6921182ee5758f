#include "workload/import.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/numeric.h"
#include "base/pcg.h"
#include "formats/names.h"
#include "workload/instance_builder.h"

/* First element of the key of a row's stream. */
enum { STREAM_ROW = 0x7068000 };

/* Beyond these an option is taken for a mistake rather than attempted. */
static const size_t most_machines = 1000000, most_cluster_bytes = 200;

void berth_import_options_init(berth_import_options *options) {
    *options = (berth_import_options){
        .struct_size = sizeof *options, .seed = 1, .slot_seconds = 1800, .slots = 48, .sample = 1, .scale_load = 1};
}

/* ---- options ---- */

static berth_status parse_machine(berth__import_request *request, berth_error *error) {
    const char *text = request->options->machine == NULL ? "gpu=8,cpu=64,memory_gb=512" : request->options->machine;
    berth_status status = berth__machine_spec_parse(text, &request->spec, error);
    if (status != BERTH_OK) {
        return status;
    }
    int gpu = berth__machine_spec_find(&request->spec, "gpu");
    if (gpu < 0 || request->spec.amounts[gpu] < 1) {
        return berth__fail(error, BERTH_E_ARGUMENT, "machine", "needs gpu=1 or more");
    }
    return BERTH_OK;
}

static berth_status parse_time(const berth__trace_kind *kind, const char *where, const char *text, bool *has,
                               double *out, berth_error *error) {
    *has = text != NULL;
    if (text == NULL || berth__trace_time_parse(kind, text, out)) {
        return BERTH_OK;
    }
    return berth__fail(error, BERTH_E_ARGUMENT, where, "\"%.80s\" is not %s", text,
                       kind->civil ? "YYYY-MM-DD[ HH:MM:SS]"
                                   : "a time of the trace's clock, in seconds or like 36h, 2d");
}

static berth_status parse_window(berth__import_request *request, berth_error *error) {
    const berth_import_options *o = request->options;
    berth__window *window = &request->window;
    window->slots = o->slots;
    if (o->slots < 0 || o->slots > BERTH__MOST_SLOTS || (o->slots == 0 && o->to == NULL)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "slots", "must be from 1 to %d", BERTH__MOST_SLOTS);
    }
    berth_status status = parse_time(request->kind, "from", o->from, &window->has_from, &window->from_s, error);
    if (status == BERTH_OK) {
        status = parse_time(request->kind, "to", o->to, &window->has_to, &window->to_s, error);
    }
    if (status == BERTH_OK && window->has_from && window->has_to && window->to_s <= window->from_s) {
        return berth__fail(error, BERTH_E_ARGUMENT, "to", "is not after the begin of the window");
    }
    return status;
}

static berth_status check_numbers(const berth_import_options *o, berth_error *error) {
    if (!(o->slot_seconds > 0 && isfinite(o->slot_seconds))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "slot_seconds", "must be a number above 0");
    }
    if (o->machines > most_machines) {
        return berth__fail(error, BERTH_E_ARGUMENT, "machines", "must be from 1 to %zu", most_machines);
    }
    if (!(o->sample > 0 && o->sample <= 1)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "sample", "must be above 0 and at most 1");
    }
    if (!(o->scale_load > 0 && isfinite(o->scale_load))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "scale_load", "must be a number above 0");
    }
    if (o->name != NULL && o->name[0] == '\0') {
        return berth__fail(error, BERTH_E_ARGUMENT, "name", "is empty");
    }
    if (o->cluster != NULL && strlen(o->cluster) > most_cluster_bytes) {
        return berth__fail(error, BERTH_E_ARGUMENT, "cluster", "is longer than %zu bytes", most_cluster_bytes);
    }
    return BERTH_OK;
}

static berth_status check_files(const berth__import_request *request, berth_error *error) {
    const berth__trace_kind *kind = request->kind;
    if (request->n_paths < kind->min_files || request->n_paths > kind->max_files) {
        return berth__fail(error, BERTH_E_ARGUMENT, "paths", "%s takes %s", kind->name, kind->files);
    }
    size_t n_streams = 0;
    for (size_t i = 0; i < request->n_paths; i++) {
        if (request->paths[i] == NULL) {
            return berth__fail(error, BERTH_E_ARGUMENT, "paths", "one is NULL");
        }
        n_streams += strcmp(request->paths[i], "-") == 0;
    }
    return n_streams < 2 ? BERTH_OK
                         : berth__fail(error, BERTH_E_ARGUMENT, "paths", "standard input can be one file only");
}

static berth_status parse_options(berth__import_request *request, berth_error *error) {
    const berth_import_options *options = request->options;
    if (options == NULL || options->struct_size != sizeof *options) {
        return berth__fail(error, BERTH_E_ARGUMENT, "options", "not initialised by berth_import_options_init");
    }
    berth_status status = check_numbers(options, error);
    status = status == BERTH_OK ? check_files(request, error) : status;
    status = status == BERTH_OK ? parse_window(request, error) : status;
    status = status == BERTH_OK ? berth__utility_rule_parse(options->utility, &request->utility, error) : status;
    return status == BERTH_OK ? parse_machine(request, error) : status;
}

/* ---- machines ---- */

static berth_status settle_machines(berth__import_request *request, berth__machines *machines, berth_error *error) {
    const berth_import_options *o = request->options;
    request->has_list = machines->n_groups > 0;
    if (!request->has_list) {
        return berth__machines_alike(&request->spec, o->machines == 0 ? 8 : o->machines, machines, error);
    }
    if (o->machine != NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "machine", "the machines come from the trace's list");
    }
    if (o->machines > 0) {
        berth__machines_thin(machines, o->machines);
    }
    if (machines->groups[machines->reference].amounts[machines->gpu] < 1) {
        return berth__fail(error, BERTH_E_ARGUMENT, "machines", "too few: none of %zu has a GPU", o->machines);
    }
    return BERTH_OK;
}

/* A job that asks for nothing these machines have is none. */
static void skip_empty_demands(berth__trace *trace) {
    for (size_t i = 0; i < trace->n; i++) {
        berth__trace_job *job = &trace->jobs[i];
        const bool has_cpus = trace->machines.cpu >= 0 && job->cpus > 0;
        const bool has_memory = trace->machines.memory >= 0 && job->memory_gb > 0;
        if (job->skip == BERTH__NO_SKIP && !(job->gpus > 0) && !has_cpus && !has_memory) {
            job->skip = BERTH_SKIP_NO_GPUS;
        }
    }
}

/* ---- the instance ---- */

typedef struct building {
    const berth__import_request *request;
    berth__trace *trace;
    berth__builder *builder;
    berth__names taken; /* ids, to the numbers of their jobs */
    size_t *repeats;    /* [jobs] how often the id of that job came again */
    berth_import_report *report;
} building;

/* The trace's id, or "id#2", "id#3", .. where it is taken, or "j1", .. where there is none. NULL: out of memory. */
static const char *unique_id(building *b, const char *id, size_t number) {
    berth__arena *arena = berth__trace_strings(b->trace);
    if (arena == NULL) {
        return NULL;
    }
    const char *candidate = id == NULL || id[0] == '\0' ? berth__arena_printf(arena, "j%zu", number + 1) : id;
    const char *stem = candidate;
    while (candidate != NULL) {
        size_t holder = berth__names_add(&b->taken, candidate, number);
        if (holder == BERTH__NO_NAME) {
            return candidate;
        }
        candidate = berth__arena_printf(arena, "%s#%zu", stem, 2 + b->repeats[holder]++);
    }
    return NULL;
}

static bool add_job(building *b, size_t number, const berth__trace_job *from) {
    const berth__synthesis synthesis = {.machines = &b->trace->machines,
                                        .utility = b->request->utility,
                                        .slot_seconds = b->request->options->slot_seconds,
                                        .horizon_slots = b->request->window.slots};
    berth__pcg stream = berth__pcg_key(3, (uint64_t[]){STREAM_ROW, b->request->options->seed, from->content});
    berth__synthesis_room room;
    bool made[BERTH_N_MADE];
    berth_job job;
    berth_job_init(&job);
    job.id = unique_id(b, from->id, number);
    if (job.id == NULL) {
        return false;
    }
    job.tenant = from->tenant;
    job.arrival_slot = from->arrival_slot;
    berth__synthesise_job(&synthesis, &stream, from, &job, &room, made);
    berth__builder_job(b->builder, &job);
    for (int k = 0; k < BERTH_N_MADE; k++) {
        b->report->synthesised[k] += made[k];
    }
    return true;
}

static void add_machines(berth__builder *builder, const berth__machines *machines) {
    for (size_t g = 0; g < machines->n_groups; g++) {
        const berth__machine_kind *group = &machines->groups[g];
        berth__builder_group(builder, group->name, group->count, group->amounts);
    }
}

static bool add_all(building *b, const size_t *selected, size_t n_selected) {
    add_machines(b->builder, &b->trace->machines);
    for (size_t i = 0; i < n_selected; i++) {
        if (!add_job(b, i, &b->trace->jobs[selected[i]])) {
            return false;
        }
    }
    char *source = berth__import_source(b->request, &b->trace->machines, b->report);
    if (source != NULL) {
        berth__builder_source(b->builder, source);
    }
    berth__free(source);
    return source != NULL;
}

static berth_status build(const berth__import_request *request, berth__trace *trace, const size_t *selected,
                          size_t n_selected, berth_instance **out, berth_import_report *report, berth_error *error) {
    const berth_import_options *o = request->options;
    building b = {.request = request,
                  .trace = trace,
                  .report = report,
                  .repeats = BERTH__NEW_ARRAY(size_t, n_selected),
                  .builder = berth__builder_new(o->name == NULL ? request->kind->instance_name : o->name,
                                                o->slot_seconds, request->window.slots, trace->machines.n_resources,
                                                trace->machines.resources)};
    berth_status status = BERTH_OK;
    if (b.builder == NULL || b.repeats == NULL || !berth__names_init(&b.taken, n_selected) ||
        !add_all(&b, selected, n_selected)) {
        berth__builder_free(b.builder);
        status = berth__fail_memory(error);
    } else {
        status = berth__builder_finish(b.builder, out, error);
    }
    berth__names_free(&b.taken);
    berth__free(b.repeats);
    return status;
}

static berth_status import_trace(berth__import_request *request, berth__trace *trace, berth_instance **out,
                                 berth_import_report *report, berth_error *error) {
    berth__trace_reader reader = {.paths = request->paths,
                                  .n_paths = request->n_paths,
                                  .skip_bad = request->options->skip_bad,
                                  .trace = trace,
                                  .report = report,
                                  .error = error};
    size_t *selected = NULL, n_selected = 0;
    berth_status status = request->kind->read(&reader);
    if (status == BERTH_OK) {
        status = settle_machines(request, &trace->machines, error);
    }
    if (status == BERTH_OK) {
        skip_empty_demands(trace);
        status = berth__trace_select(trace, request->kind, request->options, &request->window, &selected, &n_selected,
                                     report, error);
    }
    if (status == BERTH_OK) {
        status = build(request, trace, selected, n_selected, out, report, error);
    }
    berth__free(selected);
    return status;
}

berth_status berth_import(const char *kind, const char *const *paths, size_t n_paths,
                          const berth_import_options *options, berth_instance **out, berth_import_report *report,
                          berth_error *error) {
    if (out == NULL || (paths == NULL && n_paths > 0)) {
        return berth__fail(error, BERTH_E_ARGUMENT, out == NULL ? "out" : "paths", "is NULL");
    }
    *out = NULL;
    berth_import_report own_report = {.rows = 0};
    report = report == NULL ? &own_report : report;
    *report = (berth_import_report){.rows = 0};
    berth__import_request request = {
        .kind = berth__trace_kind_find(kind), .paths = paths, .n_paths = n_paths, .options = options};
    if (request.kind == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "kind", "there is no kind of trace \"%.80s\"",
                           kind == NULL ? "" : kind);
    }
    berth__c_locale locale;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth__trace trace = {.n_texts = 0};
    berth_status status = parse_options(&request, error);
    if (status == BERTH_OK) {
        status = import_trace(&request, &trace, out, report, error);
    }
    berth__trace_clear(&trace);
    berth__c_locale_leave(&locale);
    return status;
}
