#include "workload/trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "workload/traces/kinds.h"

static const berth__trace_kind *const kinds[] = {
    &berth__trace_philly_csv, &berth__trace_philly_json, &berth__trace_openb,    &berth__trace_pai,
    &berth__trace_dlrm,       &berth__trace_spot,        &berth__trace_helios,   &berth__trace_acme,
    &berth__trace_gavel,      &berth__trace_shockwave,   &berth__trace_tiresias, &berth__trace_muri,
    &berth__trace_pollux,
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

const berth__trace_kind *berth__trace_kind_find(const char *name) {
    for (size_t i = 0; name != NULL && i < N_KINDS; i++) {
        if (strcmp(kinds[i]->name, name) == 0) {
            return kinds[i];
        }
    }
    return NULL;
}

const char *const *berth_trace_kinds(void) {
    static const char *const names[] = {"philly-csv", "philly-json", "openb",  "pai",   "dlrm",
                                        "spot",       "helios",      "acme",   "gavel", "shockwave",
                                        "tiresias",   "muri",        "pollux", NULL};
    return names;
}

const char *berth_trace_files(const char *kind) {
    const berth__trace_kind *found = berth__trace_kind_find(kind);
    return found == NULL ? NULL : found->files;
}

const char *berth_trace_about(const char *kind) {
    const berth__trace_kind *found = berth__trace_kind_find(kind);
    return found == NULL ? NULL : found->about;
}

const char *berth_import_skip_text(berth_import_skip reason) {
    static const char *const texts[] = {
#define SKIP_TEXT(name, value, text) [value] = text,
        BERTH_IMPORT_SKIP_TABLE(SKIP_TEXT)
#undef SKIP_TEXT
    };
    return (size_t)reason < BERTH_N_SKIPS ? texts[reason] : "";
}

const char *berth_import_made_text(berth_import_made what) {
    static const char *const texts[] = {
#define MADE_TEXT(name, value, text) [value] = text,
        BERTH_IMPORT_MADE_TABLE(MADE_TEXT)
#undef MADE_TEXT
    };
    return (size_t)what < BERTH_N_MADE ? texts[what] : "";
}

berth__trace_job berth__trace_job_blank(void) {
    return (berth__trace_job){.duration_s = (double)NAN,
                              .workers = 1,
                              .gpus = (double)NAN,
                              .cpus = (double)NAN,
                              .memory_gb = (double)NAN,
                              .servers = BERTH__SERVERS_UNKNOWN,
                              .server_gpus = 0,
                              .server_cpus = (double)NAN,
                              .server_memory_gb = (double)NAN,
                              .batch = (double)NAN,
                              .step_s = (double)NAN,
                              .samples = (double)NAN,
                              .n_rows = 1,
                              .skip = BERTH__NO_SKIP};
}

void berth__trace_clear(berth__trace *trace) {
    for (size_t i = 0; i < trace->n_texts; i++) {
        berth__free(trace->texts[i]);
    }
    berth__arena_free(trace->arena);
    berth__free(trace->jobs);
    berth__machines_clear(&trace->machines);
    *trace = (berth__trace){.n_texts = 0};
}

berth__arena *berth__trace_strings(berth__trace *trace) {
    if (trace->arena == NULL) {
        trace->arena = berth__arena_new();
    }
    return trace->arena;
}

void berth__trace_keep_text(berth__trace *trace, char *text) {
    trace->texts[trace->n_texts++] = text;
}

bool berth__trace_add(berth__trace *trace, const berth__trace_job *job) {
    void *list = trace->jobs;
    bool grown = berth__grow(&list, &trace->capacity, trace->n, sizeof *trace->jobs);
    trace->jobs = list;
    if (grown) {
        trace->jobs[trace->n++] = *job;
    }
    return grown;
}

/* Control characters would spoil the message. */
static void copy_printable(char *to, size_t room, const char *from) {
    snprintf(to, room, "%s", from);
    for (char *c = to; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' && *c != '\t') {
            *c = '?';
        }
    }
}

berth_status berth__trace_bad_row(berth__trace_reader *reader, const char *path, long line, const char *problem,
                                  const char *text) {
    berth_import_report *report = reader->report;
    if (report->n_first_bad < sizeof report->first_bad / sizeof report->first_bad[0]) {
        berth_import_bad_row *bad = &report->first_bad[report->n_first_bad++];
        bad->line = line;
        copy_printable(bad->problem, sizeof bad->problem, problem);
        copy_printable(bad->text, sizeof bad->text, text);
    }
    if (report->skipped[BERTH_SKIP_MALFORMED]++ == 0) {
        report->first_line[BERTH_SKIP_MALFORMED] = line;
    }
    return reader->skip_bad ? BERTH_OK : berth__fail_at(reader->error, BERTH_E_INPUT, path, line, 0, "%s", problem);
}
