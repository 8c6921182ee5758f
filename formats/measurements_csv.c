/* Measured steps of a job as CSV, compressed or not. */
#include <berth_goodput.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/numeric.h"
#include "formats/csv.h"
#include "formats/lines.h"

enum { NODES, REPLICAS, LOCAL, STEP, SYNC, COLUMNS };
static const char *const columns[COLUMNS] = {"num_nodes", "num_replicas", "local_bsz", "step_time", "sync_time"};

typedef struct table {
    berth__lines lines;
    berth__csv csv;
    size_t column[COLUMNS]; /* where in a row */
    size_t n_fields;
    berth_measurement *rows;
    size_t n, capacity;
    berth_error *error;
} table;

/* The next row that is not blank, cut into fields. *there: false at the end. */
static berth_status next_row(table *t, bool *there) {
    char *line;
    for (;;) {
        berth_status status = berth__lines_next(&t->lines, &line, t->error);
        *there = line != NULL;
        if (status != BERTH_OK || line == NULL) {
            return status;
        }
        t->csv.next = line;
        if (berth__csv_next(&t->csv)) {
            return t->csv.problem == NULL
                       ? BERTH_OK
                       : berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, t->lines.line, 0, "%s", t->csv.problem);
        }
        if (t->csv.out_of_memory) {
            return berth__fail_memory(t->error);
        }
    }
}

static berth_status find_columns(table *t) {
    t->n_fields = t->csv.n_fields;
    for (int k = 0; k < COLUMNS; k++) {
        char times[32] = "nowhere";
        size_t found = 0;
        for (size_t c = 0; c < t->n_fields; c++) {
            if (strcmp(berth__csv_trim(t->csv.fields[c]), columns[k]) == 0) {
                t->column[k] = c;
                found++;
            }
        }
        if (found > 1) {
            snprintf(times, sizeof times, found == 2 ? "twice" : "%zu times", found);
        }
        if (found != 1) {
            return berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, t->lines.line, 0,
                                  "the header names the column %s %s; expected num_nodes, num_replicas, local_bsz, "
                                  "step_time and sync_time, each once",
                                  columns[k], times);
        }
    }
    return BERTH_OK;
}

static berth_status read_header(table *t) {
    bool there;
    berth_status status = next_row(t, &there);
    if (status != BERTH_OK) {
        return status;
    }
    if (!there) {
        return berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, 1, 0, "the file is empty");
    }
    const char *separator = berth__csv_other_separator(&t->csv);
    if (separator != NULL) {
        return berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, t->lines.line, 0,
                              "the fields are separated by %s; expected commas", separator);
    }
    return find_columns(t);
}

static berth_status fail_field(const table *t, int column, const char *expected) {
    return berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, t->lines.line, 0, "%s is '%.40s'; expected %s",
                          columns[column], t->csv.fields[t->column[column]], expected);
}

static berth_status read_row(table *t, berth_measurement *m) {
    double value[COLUMNS];
    for (int k = 0; k < COLUMNS; k++) {
        const bool number = berth__csv_number(t->csv.fields[t->column[k]], &value[k]);
        if (k < STEP && !(number && value[k] >= 1 && value[k] <= 1e9 && value[k] == floor(value[k]))) {
            return fail_field(t, k, "a whole number from 1 to 1e9");
        }
        if (!number) {
            return fail_field(t, k, "a number of seconds");
        }
    }
    if (value[REPLICAS] < value[NODES]) {
        return fail_field(t, REPLICAS, "at least one replica a node");
    }
    if (!(value[STEP] > 1e-12 && value[STEP] <= 1e12)) {
        return fail_field(t, STEP, "seconds from 1e-12 to 1e12");
    }
    if (!(value[SYNC] >= 0 && value[SYNC] < value[STEP])) {
        return fail_field(t, SYNC, "seconds from 0 to less than step_time");
    }
    *m = (berth_measurement){(uint32_t)value[NODES], (uint32_t)value[REPLICAS], (uint32_t)value[LOCAL], value[STEP],
                             value[SYNC]};
    return BERTH_OK;
}

static berth_status read_rows(table *t) {
    bool there = true;
    berth_status status = read_header(t);
    while (status == BERTH_OK) {
        status = next_row(t, &there);
        if (status != BERTH_OK || !there) {
            break;
        }
        if (t->csv.n_fields != t->n_fields) {
            return berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, t->lines.line, 0,
                                  "%zu fields; the header has %zu", t->csv.n_fields, t->n_fields);
        }
        void *rows = t->rows;
        const bool grown = berth__grow(&rows, &t->capacity, t->n, sizeof *t->rows);
        t->rows = rows;
        status = grown ? read_row(t, &t->rows[t->n]) : berth__fail_memory(t->error);
        t->n++;
    }
    if (status == BERTH_OK && t->n == 0) {
        return berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, t->lines.line, 0, "there are no measurements");
    }
    return status;
}

berth_status berth_measurements_read(const char *path, berth_measurement **out, size_t *n, berth_error *error) {
    table t = {.csv = berth__csv_start(NULL, ','), .error = error};
    berth__c_locale locale;
    berth__error_clear(error);
    if (path == NULL || out == NULL || n == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "path, out and n must not be NULL");
    }
    *out = NULL;
    *n = 0;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth_status status = berth__lines_open(&t.lines, path, error);
    status = status == BERTH_OK ? read_rows(&t) : status;
    berth__lines_close(&t.lines);
    berth__csv_clear(&t.csv);
    berth__c_locale_leave(&locale);
    if (status == BERTH_OK) {
        *out = t.rows;
        *n = t.n;
    } else {
        berth__free(t.rows);
    }
    return status;
}

void berth_measurements_free(berth_measurement *measurements) {
    berth__free(measurements);
}
