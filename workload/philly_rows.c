#include "workload/philly_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "formats/bytes.h"
#include "workload/civil_time.h"
#include "workload/csv.h"
#include "workload/decimal.h"

enum { MOST_GPUS = 1000000 };

/* ---- header ---- */

enum { TIMESTAMP, DURATION, GPUS, CLUSTER, N_COLUMNS };

static const char *const column_names[N_COLUMNS][2] = {
    [TIMESTAMP] = {"timestamp", "timestamp"},
    [DURATION] = {"duration", "duration(s)"},
    [GPUS] = {"num_gpus", "num_gpus"},
    [CLUSTER] = {"cluster", "cluster"},
};

typedef struct csv_header {
    size_t at[N_COLUMNS]; /* index of the field; SIZE_MAX: not there */
    size_t n_fields;
} csv_header;

static berth_status read_header(berth__csv *csv, const char *path, bool needs_cluster, csv_header *out,
                                berth_error *error) {
    if (!berth__csv_next(csv)) {
        return csv->out_of_memory ? berth__fail_memory(error)
                                  : berth__fail(error, BERTH_E_INPUT, path, "is empty; expected a header");
    }
    if (csv->problem != NULL) {
        return berth__fail_at(error, BERTH_E_INPUT, path, csv->line, 0, "header: %s", csv->problem);
    }
    out->n_fields = csv->n_fields;
    for (size_t c = 0; c < N_COLUMNS; c++) {
        out->at[c] = SIZE_MAX;
        for (size_t i = 0; i < csv->n_fields; i++) {
            if (strcmp(csv->fields[i], column_names[c][0]) != 0 && strcmp(csv->fields[i], column_names[c][1]) != 0) {
                continue;
            }
            if (out->at[c] != SIZE_MAX) {
                return berth__fail_at(error, BERTH_E_INPUT, path, csv->line, 0, "header: two columns of %s",
                                      column_names[c][0]);
            }
            out->at[c] = i;
        }
        if (out->at[c] == SIZE_MAX && (c != CLUSTER || needs_cluster)) {
            return berth__fail_at(error, BERTH_E_INPUT, path, csv->line, 0,
                                  "header: no column %s (expected timestamp, duration, num_gpus, cluster)",
                                  column_names[c][0]);
        }
    }
    return BERTH_OK;
}

/* ---- one row ---- */

/* FNV-1a over the fields, each with an end mark. */
static uint64_t content_of(const berth__csv *csv) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < csv->n_fields; i++) {
        for (const char *c = csv->fields[i];; c++) {
            hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
            if (*c == '\0') {
                break;
            }
        }
    }
    return hash;
}

/* NULL if the row is well formed, else what is wrong with it, *field being the text in question or NULL. */
static const char *parse_row(const berth__csv *csv, const csv_header *header, berth__philly_row *row,
                             const char **field) {
    *field = NULL;
    if (csv->problem != NULL) {
        return csv->problem;
    }
    if (csv->n_fields != header->n_fields) {
        return csv->n_fields < header->n_fields ? "fewer fields than the header" : "more fields than the header";
    }
    row->line = csv->line;
    row->content = content_of(csv);
    row->cluster = header->at[CLUSTER] == SIZE_MAX ? "" : csv->fields[header->at[CLUSTER]];
    *field = row->timestamp = csv->fields[header->at[TIMESTAMP]];
    if (!berth__civil_time(row->timestamp, true, &row->time_s)) {
        return "timestamp is not YYYY-MM-DD HH:MM:SS";
    }
    *field = csv->fields[header->at[DURATION]];
    if (!berth__decimal(*field, &row->duration_s) || row->duration_s < 0 || row->duration_s > 1e12) {
        return "duration is not a number from 0 to 1e12";
    }
    *field = csv->fields[header->at[GPUS]];
    double gpus;
    if (!berth__decimal(*field, &gpus) || gpus < 0 || gpus > MOST_GPUS || gpus != floor(gpus)) {
        return "num_gpus is not a whole number from 0 to 1000000";
    }
    row->gpus = (int)gpus;
    return NULL;
}

/* ---- the file ---- */

static void count_malformed(berth_import_counts *counts, long line) {
    if (counts->n_first_bad_lines < sizeof counts->first_bad_lines / sizeof counts->first_bad_lines[0]) {
        counts->first_bad_lines[counts->n_first_bad_lines++] = line;
    }
    counts->malformed++;
}

static berth_status read_rows(berth__csv *csv, const char *path, const berth_import_philly_options *options,
                              berth__philly_rows *out, berth_import_counts *counts, berth_error *error) {
    csv_header header = {.n_fields = 0};
    berth_status status = read_header(csv, path, options->cluster != NULL, &header, error);
    while (status == BERTH_OK && berth__csv_next(csv)) {
        void *list = out->rows;
        bool grown = berth__grow(&list, &out->capacity, out->n, sizeof *out->rows);
        out->rows = list;
        if (!grown) {
            return berth__fail_memory(error);
        }
        counts->rows++;
        const char *field;
        const char *problem = parse_row(csv, &header, &out->rows[out->n], &field);
        if (problem == NULL) {
            out->n++;
            continue;
        }
        count_malformed(counts, csv->line);
        if (!options->skip_bad) {
            status = field == NULL
                         ? berth__fail_at(error, BERTH_E_INPUT, path, csv->line, 0, "%s", problem)
                         : berth__fail_at(error, BERTH_E_INPUT, path, csv->line, 0, "%s: \"%.80s\"", problem, field);
        }
    }
    return status == BERTH_OK && csv->out_of_memory ? berth__fail_memory(error) : status;
}

berth_status berth__philly_rows_read(const char *path, const berth_import_philly_options *options,
                                     berth__philly_rows *out, berth_import_counts *counts, berth_error *error) {
    *out = (berth__philly_rows){0};
    size_t length = 0;
    berth_status status = berth__bytes_read(path, BERTH__MAX_INPUT, &out->text, &length, error);
    if (status != BERTH_OK) {
        return status;
    }
    const char *body = out->text;
    status = berth__text_check(&body, &length, path, error);
    if (status != BERTH_OK) {
        return status;
    }
    berth__csv csv = berth__csv_start(out->text + (body - out->text));
    status = read_rows(&csv, path, options, out, counts, error);
    berth__csv_clear(&csv);
    return status;
}

void berth__philly_rows_clear(berth__philly_rows *rows) {
    berth__free(rows->text);
    berth__free(rows->rows);
    *rows = (berth__philly_rows){0};
}

/* ---- selection ---- */

static int by_content(const void *a, const void *b) {
    const berth__philly_row *x = a, *y = b;
    if (x->content != y->content) {
        return x->content < y->content ? -1 : 1;
    }
    return (x->line > y->line) - (x->line < y->line);
}

static int by_time(const void *a, const void *b) {
    const berth__philly_row *x = a, *y = b;
    return x->time_s != y->time_s ? (x->time_s < y->time_s ? -1 : 1) : by_content(a, b);
}

/* Equal hashes alone could be an accident. */
static bool same_row(const berth__philly_row *x, const berth__philly_row *y) {
    return x->content == y->content && x->time_s == y->time_s && x->duration_s == y->duration_s && x->gpus == y->gpus &&
           strcmp(x->cluster, y->cluster) == 0;
}

/* The count that a row falls under whatever the window; NULL: it is a job. `before` is the row before it in order of
 * content. */
static size_t *reason_against(const berth__philly_row *row, const berth__philly_row *before,
                              const berth_import_philly_options *options, berth_import_counts *counts) {
    if (before != NULL && same_row(row, before)) {
        return &counts->duplicate;
    }
    if (row->gpus == 0) {
        return &counts->zero_gpus;
    }
    if (row->duration_s == 0) {
        return &counts->zero_duration;
    }
    if (options->cluster != NULL && strcmp(row->cluster, options->cluster) != 0) {
        return &counts->other_cluster;
    }
    return NULL;
}

static void keep_jobs(berth__philly_rows *rows, const berth_import_philly_options *options,
                      berth_import_counts *counts) {
    qsort(rows->rows, rows->n, sizeof *rows->rows, by_content);
    size_t n = 0;
    berth__philly_row before = {0};
    for (size_t i = 0; i < rows->n; i++) {
        berth__philly_row row = rows->rows[i];
        size_t *reason = reason_against(&row, i == 0 ? NULL : &before, options, counts);
        before = row;
        if (reason != NULL) {
            ++*reason;
        } else {
            rows->rows[n++] = row;
        }
    }
    rows->n = n;
}

static void keep_window(berth__philly_rows *rows, int64_t from_s, const berth_import_philly_options *options,
                        berth_import_counts *counts) {
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++) {
        berth__philly_row row = rows->rows[i];
        double slot = ceil((double)(row.time_s - from_s) / options->slot_seconds);
        if (row.time_s < from_s || slot >= options->slots) {
            counts->outside_window++;
        } else if (options->max_jobs > 0 && n == options->max_jobs) {
            counts->over_max_jobs++;
        } else {
            row.arrival_slot = (int)slot;
            rows->rows[n++] = row;
        }
    }
    rows->n = n;
    counts->imported = n;
}

berth_status berth__philly_rows_select(berth__philly_rows *rows, const berth_import_philly_options *options,
                                       const int64_t *from_s, berth_import_counts *counts, berth_error *error) {
    if (rows->n > 0) {
        keep_jobs(rows, options, counts);
    }
    if (rows->n > 0) {
        qsort(rows->rows, rows->n, sizeof *rows->rows, by_time);
        snprintf(counts->first_time, sizeof counts->first_time, "%s", rows->rows[0].timestamp);
        snprintf(counts->last_time, sizeof counts->last_time, "%s", rows->rows[rows->n - 1].timestamp);
        keep_window(rows, from_s == NULL ? rows->rows[0].time_s : *from_s, options, counts);
    }
    if (rows->n == 0) {
        return berth__fail(error, BERTH_E_INPUT, "",
                           "no job is left of %zu rows: %zu malformed, %zu duplicate, %zu without GPUs, %zu without "
                           "duration, %zu of another cluster, %zu outside the window",
                           counts->rows, counts->malformed, counts->duplicate, counts->zero_gpus, counts->zero_duration,
                           counts->other_cluster, counts->outside_window);
    }
    return BERTH_OK;
}
