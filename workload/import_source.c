/* The source of an imported instance, one sentence after another. */
#include "workload/import.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/numeric.h"
#include "formats/bytes.h"

typedef struct growing_text {
    char *text;
    size_t length, capacity;
    bool failed;
} growing_text;

static void append(growing_text *to, const char *format, ...) BERTH__PRINTF(2, 3);
static void append(growing_text *to, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    void *text = to->text;
    while (!to->failed && length >= 0 && to->length + (size_t)length + 1 > to->capacity) {
        to->failed = !berth__grow(&text, &to->capacity, to->capacity, 1);
        to->text = text;
    }
    if (!to->failed && length >= 0) {
        vsnprintf(to->text + to->length, (size_t)length + 1, format, again);
        to->length += (size_t)length;
    }
    va_end(again);
}

/* The name without its folders, which are nobody else's business. Names are bytes, a source is text. */
static void append_file_name(growing_text *source, const char *path) {
    if (strcmp(path, "-") == 0) {
        append(source, "standard input");
        return;
    }
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    size_t left = strlen(name);
    while (left > 0) {
        size_t step = (unsigned char)*name < ' ' ? 0 : berth__utf8_length(name, left);
        append(source, "%.*s", step == 0 ? 1 : (int)step, step == 0 ? "?" : name);
        step = step == 0 ? 1 : step;
        name += step;
        left -= step;
    }
}

static void append_files(growing_text *source, const berth__import_request *request) {
    for (size_t i = 0; i < request->n_paths; i++) {
        append(source, "%s", i == 0 ? "" : i + 1 < request->n_paths ? ", " : " and ");
        append_file_name(source, request->paths[i]);
    }
}

static void append_number(growing_text *source, const char *before, double value, const char *after) {
    char number[BERTH__NUMBER_ROOM];
    berth__number_text(value, number);
    append(source, "%s%s%s", before, number, after);
}

static void append_machines(growing_text *source, const berth__import_request *request,
                            const berth__machines *machines) {
    if (request->has_list) {
        append(source, "%zu machines of the trace's list", machines->n_machines);
        return;
    }
    append(source, "%zu machines of ", machines->n_machines);
    for (size_t r = 0; r < machines->n_resources; r++) {
        append(source, "%s%s", r == 0 ? "" : ",", machines->resources[r]);
        append_number(source, "=", machines->groups[0].amounts[r], "");
    }
}

static void append_selection(growing_text *source, const berth__import_request *request,
                             const berth__machines *machines) {
    const berth_import_options *o = request->options;
    char first[32];
    berth__trace_time_text(request->kind, request->window.from_s, first);
    append(source, "%s%s, %d slots", o->cluster == NULL ? "all virtual clusters" : "virtual cluster ",
           o->cluster == NULL ? "" : o->cluster, request->window.slots);
    append_number(source, " of ", o->slot_seconds, " s from ");
    append(source, "%s, ", o->from == NULL ? first : o->from);
    if (o->to != NULL) {
        append(source, "jobs submitted before %s, ", o->to);
    }
    if (o->sample < 1) {
        append_number(source, "a sample of ", o->sample, ", ");
    }
    if (o->scale_load != 1) {
        append_number(source, "arrivals ", o->scale_load, " times as fast, ");
    }
    if (o->max_jobs > 0) {
        append(source, "at most the first %zu jobs, ", o->max_jobs);
    }
    append_machines(source, request, machines);
}

static void append_counts(growing_text *source, const berth_import_report *report) {
    append(source, "%zu rows: %zu imported", report->rows, report->imported);
    for (int k = 0; k < BERTH_N_SKIPS; k++) {
        if (report->skipped[k] > 0) {
            append(source, ", %zu %s", report->skipped[k], berth_import_skip_text((berth_import_skip)k));
        }
    }
}

static void append_synthesised(growing_text *source, const berth_import_report *report) {
    static const char *const rules[BERTH_N_MADE] = {
        [BERTH_MADE_MODEL] = "model (one of eight measured, each as likely)",
        [BERTH_MADE_BATCH] = "batch (32, 64, 128)",
        [BERTH_MADE_SERVERS] = "workers per parameter server (1, 2, 4)",
        [BERTH_MADE_DEMANDS] = "demands other than GPUs (shares of a machine's resources per GPU)",
        [BERTH_MADE_UTILITY] = "utility",
    };
    const char *joint = "";
    for (int k = 0; k < BERTH_N_MADE; k++) {
        if (report->synthesised[k] == 0) {
            continue;
        }
        append(source, "%s%s", k == BERTH_MADE_UTILITY && joint[0] != '\0' ? " and " : joint, rules[k]);
        if (report->synthesised[k] < report->jobs) {
            append(source, " of %zu jobs", report->synthesised[k]);
        }
        joint = ", ";
    }
}

/* That the format is the public trace's does not make the rows so: what they are, only the caller knows. */
char *berth__import_source(const berth__import_request *request, const berth__machines *machines,
                           const berth_import_report *report) {
    growing_text source = {.length = 0};
    append(&source, "Imported by berth from ");
    append_files(&source, request);
    append(&source, ", %s, whose licence holds if the rows come from there. Taken: ", request->kind->format);
    append_selection(&source, request, machines);
    append(&source, "; ");
    append_counts(&source, report);
    append(&source, ". %s. Synthesised, seed %llu: ", request->kind->recorded,
           (unsigned long long)request->options->seed);
    append_synthesised(&source, report);
    append(&source, "; max_workers = %s, epochs = 1, samples = %s. Utility by the rule %s.",
           request->kind->width_text == NULL ? "GPUs" : request->kind->width_text,
           request->kind->samples_text == NULL ? "duration x GPUs x speed of a worker (internal if the GPUs fit one "
                                                 "machine, else external)"
                                               : request->kind->samples_text,
           berth__utility_rule_text(request->utility));
    if (source.failed) {
        berth__free(source.text);
        return NULL;
    }
    return source.text;
}
