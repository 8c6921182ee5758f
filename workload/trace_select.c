#include "workload/trace_select.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/numeric.h"
#include "base/pcg.h"
#include "formats/decimal.h"
#include "workload/civil_time.h"

/* First elements of the keys of streams. */
enum { STREAM_SAMPLE = 0x7068001, STREAM_ALIKE = 0x7068002 };

/* ---- times ---- */

bool berth__trace_time_parse(const berth__trace_kind *kind, const char *text, double *out) {
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    if (kind->civil) {
        int64_t seconds;
        const bool good = berth__civil_time(text, false, &seconds);
        *out = good ? (double)seconds : 0;
        return good;
    }
    char number[64];
    size_t length = strlen(text);
    if (length == 0 || length >= sizeof number) {
        return false;
    }
    memcpy(number, text, length + 1);
    double unit = 1;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (number[length - 1] == units[i].letter) {
            unit = units[i].seconds;
            number[length - 1] = '\0';
            break;
        }
    }
    double value;
    if (!berth__decimal(number, &value) || !(fabs(value * unit) <= 1e15)) {
        return false;
    }
    *out = value * unit;
    return true;
}

void berth__trace_time_text(const berth__trace_kind *kind, double seconds, char text[32]) {
    if (kind->civil) {
        berth__civil_text((int64_t)seconds, text);
        return;
    }
    char number[BERTH__NUMBER_ROOM];
    berth__number_text(seconds, number);
    snprintf(text, 32, "%.28s s", number);
}

/* ---- orders ---- */

typedef struct sort_key {
    double submit_s;
    uint64_t content;
    size_t job;
} sort_key;

static int by_content(const void *a, const void *b) {
    const sort_key *x = a, *y = b;
    if (x->content != y->content) {
        return x->content < y->content ? -1 : 1;
    }
    return (x->job > y->job) - (x->job < y->job);
}

static int by_time(const void *a, const void *b) {
    const sort_key *x = a, *y = b;
    return x->submit_s != y->submit_s ? (x->submit_s < y->submit_s ? -1 : 1) : by_content(a, b);
}

/* ---- rows that are alike ---- */

static bool same_text(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* Equal hashes alone could be an accident. */
static bool same_job(const berth__trace_job *x, const berth__trace_job *y) {
    return x->content == y->content && same_number(x->submit_s, y->submit_s) &&
           same_number(x->duration_s, y->duration_s) && x->workers == y->workers && same_number(x->gpus, y->gpus) &&
           same_text(x->tenant, y->tenant) && same_text(x->id, y->id);
}

/* Marks the duplicates, or tells jobs that are alike apart by their number, in the order of the file. `keys` are in
 * order of content; contents change in the jobs only. */
static void settle_alike(berth__trace *trace, const sort_key *keys, bool equal_is_duplicate) {
    for (size_t begin = 0, end; begin < trace->n; begin = end) {
        const berth__trace_job first = trace->jobs[keys[begin].job];
        for (end = begin + 1; end < trace->n && keys[end].content == first.content; end++) {
            berth__trace_job *job = &trace->jobs[keys[end].job];
            if (equal_is_duplicate && same_job(job, &first)) {
                job->skip = BERTH_SKIP_DUPLICATE;
            } else {
                berth__pcg stream = berth__pcg_key(3, (uint64_t[]){STREAM_ALIKE, first.content, end - begin});
                job->content = berth__pcg_next(&stream);
            }
        }
    }
}

/* ---- reasons ---- */

static void count_skip(berth_import_report *report, const berth__trace_job *job, int reason) {
    report->skipped[reason] += (size_t)job->n_rows;
    if (report->first_line[reason] == 0 || job->line < report->first_line[reason]) {
        report->first_line[reason] = job->line;
    }
}

static bool is_sampled(const berth__trace_job *job, const berth_import_options *options) {
    if (options->sample >= 1) {
        return true;
    }
    berth__pcg stream = berth__pcg_key(3, (uint64_t[]){STREAM_SAMPLE, options->seed, job->content});
    return berth__pcg_uniform(&stream) < options->sample;
}

/* The reason that holds whatever the window. */
static int reason_against(const berth__trace_job *job, const berth_import_options *options) {
    if (job->skip != BERTH__NO_SKIP) {
        return job->skip;
    }
    if (options->cluster != NULL && (job->tenant == NULL || strcmp(job->tenant, options->cluster) != 0)) {
        return BERTH_SKIP_OTHER_CLUSTER;
    }
    return is_sampled(job, options) ? BERTH__NO_SKIP : BERTH_SKIP_NOT_SAMPLED;
}

/* Leaves the keys of jobs, with the jobs' final contents; returns how many. */
static size_t keep_jobs(const berth__trace *trace, const berth_import_options *options, sort_key *keys,
                        berth_import_report *report) {
    size_t n = 0;
    for (size_t i = 0; i < trace->n; i++) {
        const berth__trace_job *job = &trace->jobs[i];
        int reason = reason_against(job, options);
        if (reason != BERTH__NO_SKIP) {
            count_skip(report, job, reason);
        } else {
            keys[n++] = (sort_key){job->submit_s, job->content, i};
        }
    }
    return n;
}

/* ---- the window ---- */

static berth_status complete_window(berth__window *window, double first_s, const berth_import_options *options,
                                    berth_error *error) {
    if (!window->has_from) {
        window->from_s = first_s;
    }
    if (window->slots == 0) {
        double slots = ceil((window->to_s - window->from_s) / options->scale_load / options->slot_seconds);
        if (!(slots >= 1 && slots <= BERTH__MOST_SLOTS)) {
            return berth__fail(error, BERTH_E_ARGUMENT, "to", "the window has %.6g slots, not from 1 to %d", slots,
                               BERTH__MOST_SLOTS);
        }
        window->slots = (int)slots;
    }
    return BERTH_OK;
}

static size_t keep_window(berth__trace *trace, const sort_key *keys, size_t n_keys, const berth_import_options *options,
                          const berth__window *window, size_t *selected, berth_import_report *report) {
    size_t n = 0;
    for (size_t i = 0; i < n_keys; i++) {
        berth__trace_job *job = &trace->jobs[keys[i].job];
        double slot = ceil((job->submit_s - window->from_s) / options->scale_load / options->slot_seconds);
        if (job->submit_s < window->from_s || slot >= window->slots ||
            (window->has_to && job->submit_s >= window->to_s)) {
            count_skip(report, job, BERTH_SKIP_OUTSIDE_WINDOW);
        } else if (options->max_jobs > 0 && n == options->max_jobs) {
            count_skip(report, job, BERTH_SKIP_OVER_MAX_JOBS);
        } else {
            job->arrival_slot = (int)slot;
            report->imported += (size_t)job->n_rows;
            selected[n++] = keys[i].job;
        }
    }
    report->jobs = n;
    return n;
}

static berth_status fail_empty(const berth_import_report *report, berth_error *error) {
    char reasons[400] = "";
    size_t at = 0;
    for (int k = 0; k < BERTH_N_SKIPS; k++) {
        if (report->skipped[k] > 0 && at < sizeof reasons) {
            int n = snprintf(reasons + at, sizeof reasons - at, "%s%zu %s", at == 0 ? ": " : ", ", report->skipped[k],
                             berth_import_skip_text((berth_import_skip)k));
            at += n > 0 ? (size_t)n : 0;
        }
    }
    return berth__fail(error, BERTH_E_INPUT, "", "no job is left of %zu rows%s", report->rows, reasons);
}

static berth_status select_jobs(berth__trace *trace, const berth__trace_kind *kind, const berth_import_options *options,
                                berth__window *window, sort_key *keys, size_t *selected, size_t *n_selected,
                                berth_import_report *report, berth_error *error) {
    for (size_t i = 0; i < trace->n; i++) {
        keys[i] = (sort_key){trace->jobs[i].submit_s, trace->jobs[i].content, i};
    }
    if (trace->n > 0) {
        qsort(keys, trace->n, sizeof *keys, by_content);
        settle_alike(trace, keys, kind->equal_is_duplicate);
    }
    size_t n = keep_jobs(trace, options, keys, report);
    if (n > 0) {
        qsort(keys, n, sizeof *keys, by_time);
        berth__trace_time_text(kind, keys[0].submit_s, report->first_time);
        berth__trace_time_text(kind, keys[n - 1].submit_s, report->last_time);
        berth_status status = complete_window(window, keys[0].submit_s, options, error);
        if (status != BERTH_OK) {
            return status;
        }
        *n_selected = keep_window(trace, keys, n, options, window, selected, report);
    }
    return *n_selected > 0 ? BERTH_OK : fail_empty(report, error);
}

berth_status berth__trace_select(berth__trace *trace, const berth__trace_kind *kind,
                                 const berth_import_options *options, berth__window *window, size_t **selected,
                                 size_t *n_selected, berth_import_report *report, berth_error *error) {
    *selected = NULL;
    *n_selected = 0;
    sort_key *keys = BERTH__NEW_ARRAY(sort_key, trace->n);
    size_t *list = BERTH__NEW_ARRAY(size_t, trace->n);
    berth_status status = keys == NULL || list == NULL
                              ? berth__fail_memory(error)
                              : select_jobs(trace, kind, options, window, keys, list, n_selected, report, error);
    berth__free(keys);
    if (status != BERTH_OK) {
        berth__free(list);
        return status;
    }
    *selected = list;
    return BERTH_OK;
}
