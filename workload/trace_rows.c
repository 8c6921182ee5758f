#include "workload/trace_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/bytes.h"
#include "formats/decimal.h"
#include "workload/civil_time.h"

uint64_t berth__hash_text(uint64_t hash, const char *text) {
    for (const char *c = text;; c++) {
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        if (*c == '\0') {
            return hash;
        }
    }
}

/* ---- columns ---- */

/* Where each column is among the fields of a row. */
typedef struct column_map {
    const berth__layout *layout;
    size_t at[BERTH__ROW_COLUMNS]; /* SIZE_MAX: not there */
    size_t n_fields;
} column_map;

static bool is_column(const berth__column *column, const char *name) {
    return strcmp(column->name, name) == 0 || (column->other != NULL && strcmp(column->other, name) == 0);
}

static bool names_a_column(const berth__layout *layout, const char *name) {
    for (size_t c = 0; c < layout->n_columns; c++) {
        if (is_column(&layout->columns[c], name)) {
            return true;
        }
    }
    return false;
}

/* "a, b, [c]" */
static void list_columns(const berth__layout *layout, char *out, size_t room) {
    size_t at = 0;
    out[0] = '\0';
    for (size_t c = 0; c < layout->n_columns && at < room; c++) {
        const berth__column *column = &layout->columns[c];
        int n = snprintf(out + at, room - at, "%s%s%s%s", c == 0 ? "" : ", ", column->optional ? "[" : "", column->name,
                         column->optional ? "]" : "");
        at += n > 0 ? (size_t)n : 0;
    }
}

static berth_status map_by_name(const berth__csv *csv, const char *path, const berth__layout *layout, column_map *out,
                                berth_error *error) {
    const char *separator = berth__csv_other_separator(csv);
    *out = (column_map){.layout = layout, .n_fields = csv->n_fields};
    if (separator != NULL && layout->n_columns > 1) {
        return berth__fail_at(error, BERTH_E_INPUT, path, csv->line, 0,
                              "header: the fields are separated by %s; expected commas", separator);
    }
    for (size_t c = 0; c < layout->n_columns; c++) {
        const berth__column *column = &layout->columns[c];
        out->at[c] = SIZE_MAX;
        for (size_t i = 0; i < csv->n_fields; i++) {
            if (!is_column(column, csv->fields[i])) {
                continue;
            }
            if (out->at[c] != SIZE_MAX) {
                return berth__fail_at(error, BERTH_E_INPUT, path, csv->line, 0, "header: two columns of %s",
                                      column->name);
            }
            out->at[c] = i;
        }
        if (out->at[c] == SIZE_MAX && !column->optional) {
            char expected[320];
            list_columns(layout, expected, sizeof expected);
            return berth__fail_at(error, BERTH_E_INPUT, path, csv->line, 0, "header: no column %s (expected %s)",
                                  column->name, expected);
        }
    }
    return BERTH_OK;
}

static void map_by_place(const berth__layout *layout, column_map *out) {
    *out = (column_map){.layout = layout, .n_fields = layout->n_columns};
    for (size_t c = 0; c < layout->n_columns; c++) {
        out->at[c] = c;
    }
}

/* ---- one row ---- */

static void fail_row(berth__row *row, const char *problem) {
    if (row->problem[0] == '\0') {
        snprintf(row->problem, sizeof row->problem, "%s", problem);
    }
}

static void fill_row(const berth__csv *csv, const column_map *map, berth__row *row) {
    row->layout = map->layout;
    row->line = csv->line;
    row->begin = csv->begin;
    row->problem[0] = '\0';
    row->content = BERTH__HASH_START;
    const bool is_cut = csv->problem == NULL && csv->n_fields == map->n_fields;
    if (csv->problem != NULL) {
        fail_row(row, csv->problem);
    } else if (!is_cut) {
        snprintf(row->problem, sizeof row->problem, "%s: %zu instead of %zu",
                 map->layout->header == BERTH__NO_HEADER ? "wrong number of fields"
                 : csv->n_fields < map->n_fields         ? "fewer fields than the header"
                                                         : "more fields than the header",
                 csv->n_fields, map->n_fields);
    }
    for (size_t i = 0; is_cut && i < csv->n_fields; i++) {
        row->content = berth__hash_text(row->content, csv->fields[i]);
    }
    for (size_t c = 0; c < map->layout->n_columns; c++) {
        row->has_column[c] = map->at[c] != SIZE_MAX;
        row->field[c] = is_cut && row->has_column[c] ? csv->fields[map->at[c]] : "";
    }
}

const char *berth__row_text(const berth__row *row, size_t column) {
    return row->field[column];
}

bool berth__row_has(const berth__row *row, size_t column) {
    return row->field[column][0] != '\0';
}

void berth__row_fail(berth__row *row, size_t column, const char *expected) {
    if (row->problem[0] == '\0') {
        snprintf(row->problem, sizeof row->problem, "%s is not %s: \"%.80s\"", row->layout->columns[column].name,
                 expected, row->field[column]);
    }
}

/* Anything less, of whatever unit, is nothing. */
static const double least = 1e-12;

double berth__row_number(berth__row *row, size_t column, double low, double high) {
    double value = 0;
    if (row->problem[0] == '\0' && (!berth__decimal(row->field[column], &value) || !(value >= low && value <= high))) {
        char expected[96];
        snprintf(expected, sizeof expected, "a number from %.15g to %.15g", low, high);
        berth__row_fail(row, column, expected);
        value = low;
    }
    return fabs(value) < least ? 0 : value;
}

double berth__row_number_or(berth__row *row, size_t column, double low, double high, double missing) {
    return berth__row_has(row, column) ? berth__row_number(row, column, low, high) : missing;
}

int berth__row_whole(berth__row *row, size_t column, int high) {
    double value = 0;
    if (row->problem[0] == '\0' &&
        (!berth__decimal(row->field[column], &value) || !(value >= 0 && value <= high && value == floor(value)))) {
        char expected[64];
        snprintf(expected, sizeof expected, "a whole number from 0 to %d", high);
        berth__row_fail(row, column, expected);
        value = 0;
    }
    return (int)value;
}

const char *berth__row_gpu_types(berth__row *row, size_t column) {
    size_t n = 1;
    for (const char *c = row->field[column]; *c != '\0'; c++) {
        n += *c == '|';
    }
    if (n > BERTH__MOST_GPU_TYPES) {
        char expected[64];
        snprintf(expected, sizeof expected, "a list of at most %d GPU types", BERTH__MOST_GPU_TYPES);
        berth__row_fail(row, column, expected);
    }
    return berth__row_has(row, column) ? row->field[column] : NULL;
}

double berth__row_date(berth__row *row, size_t column, bool zoned) {
    int64_t seconds = 0;
    const char *text = row->field[column];
    if (row->problem[0] == '\0' &&
        !(zoned ? berth__civil_time_zoned(text, &seconds) : berth__civil_time(text, true, &seconds))) {
        berth__row_fail(row, column, zoned ? "YYYY-MM-DD HH:MM:SS[+HH:MM]" : "YYYY-MM-DD HH:MM:SS");
    }
    return (double)seconds;
}

/* ---- files ---- */

/* A file being read. Clear it in any case; its text belongs to the trace. */
typedef struct open_file {
    berth__csv csv;
    column_map map;
    bool has_row; /* the csv stands on a data row already */
} open_file;

static berth_status read_text(berth__trace_reader *reader, const char *path, char **body) {
    char *text = NULL;
    size_t length = 0;
    berth_status status = berth__bytes_read(path, BERTH__MAX_INPUT, &text, &length, reader->error);
    if (status != BERTH_OK) {
        return status;
    }
    berth__trace_keep_text(reader->trace, text);
    const char *begin = text;
    status = berth__text_check(&begin, &length, path, reader->error);
    *body = text + (begin - text);
    return status;
}

/* Replaces the ending of a table's name: "a/b.csv.gz" -> "a/b.header". False: no room. */
static bool header_path(const char *path, char *out, size_t room) {
    static const char *const endings[] = {".gz", ".csv"};
    size_t length = strlen(path);
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(endings[i]);
        length -= length > n && memcmp(path + length - n, endings[i], n) == 0 ? n : 0;
    }
    return snprintf(out, room, "%.*s.header", (int)length, path) < (int)room;
}

/* The columns by a file beside the table; *found: there is one. */
static berth_status map_by_file_beside(berth__trace_reader *reader, const char *path, open_file *file, bool *found) {
    char beside[4096];
    char *text = NULL;
    size_t length = 0;
    const berth__layout *layout = file->map.layout;
    *found = false;
    if (strcmp(path, "-") == 0 || !header_path(path, beside, sizeof beside)) {
        return BERTH_OK;
    }
    berth_status status = berth__bytes_read_found(beside, BERTH__MAX_INPUT, found, &text, &length, reader->error);
    if (status != BERTH_OK || !*found) {
        return status;
    }
    berth__csv csv = berth__csv_start(text, layout->separator);
    if (berth__csv_next(&csv)) {
        status = map_by_name(&csv, beside, layout, &file->map, reader->error);
    } else {
        status = csv.out_of_memory ? berth__fail_memory(reader->error)
                                   : berth__fail(reader->error, BERTH_E_INPUT, beside, "is empty; expected a header");
    }
    berth__csv_clear(&csv);
    berth__free(text);
    return status;
}

static berth_status map_by_fields(open_file *file, const char *path, size_t n_layouts, const berth__layout *layouts,
                                  const char *expected, berth_error *error) {
    for (size_t k = 0; k < n_layouts; k++) {
        if (layouts[k].n_columns == file->csv.n_fields) {
            map_by_place(&layouts[k], &file->map);
            return BERTH_OK;
        }
    }
    return berth__fail_at(error, BERTH_E_INPUT, path, file->csv.line, 0, "%zu fields; expected %s", file->csv.n_fields,
                          expected);
}

static berth_status map_columns(berth__trace_reader *reader, open_file *file, const char *path, size_t n_layouts,
                                const berth__layout *layouts, const char *expected) {
    berth__csv *csv = &file->csv;
    const berth__header header = layouts[0].header;
    if (csv->problem != NULL) {
        return berth__fail_at(reader->error, BERTH_E_INPUT, path, csv->line, 0, "%s%s",
                              header == BERTH__NO_HEADER ? "" : "header: ", csv->problem);
    }
    if (header == BERTH__HEADER || (header == BERTH__HEADER_BESIDE && names_a_column(&layouts[0], csv->fields[0]))) {
        return map_by_name(csv, path, &layouts[0], &file->map, reader->error);
    }
    file->has_row = true;
    if (header == BERTH__NO_HEADER) {
        return map_by_fields(file, path, n_layouts, layouts, expected, reader->error);
    }
    bool found;
    map_by_place(&layouts[0], &file->map);
    return map_by_file_beside(reader, path, file, &found);
}

static berth_status open_rows(berth__trace_reader *reader, const char *path, size_t n_layouts,
                              const berth__layout *layouts, const char *expected, open_file *file) {
    *file = (open_file){.has_row = false};
    char *body = NULL;
    berth_status status = read_text(reader, path, &body);
    if (status != BERTH_OK) {
        return status;
    }
    file->csv = berth__csv_start(body, layouts[0].separator);
    if (!berth__csv_next(&file->csv)) {
        return file->csv.out_of_memory ? berth__fail_memory(reader->error)
                                       : berth__fail(reader->error, BERTH_E_INPUT, path, "is empty; expected %s",
                                                     layouts[0].header == BERTH__HEADER ? "a header" : "rows");
    }
    return map_columns(reader, file, path, n_layouts, layouts, expected);
}

static bool next_row(open_file *file, berth__row *row) {
    if (!file->has_row && !berth__csv_next(&file->csv)) {
        return false;
    }
    file->has_row = false;
    fill_row(&file->csv, &file->map, row);
    return true;
}

static berth_status close_rows(berth__trace_reader *reader, open_file *file, berth_status status) {
    const bool out_of_memory = file->csv.out_of_memory;
    berth__csv_clear(&file->csv);
    return status == BERTH_OK && out_of_memory ? berth__fail_memory(reader->error) : status;
}

/* All rows of a file to `take`. `counted`: the first file's rows, of which malformed ones may be skipped. */
static berth_status read_rows(berth__trace_reader *reader, const char *path, size_t n_layouts,
                              const berth__layout *layouts, const char *expected, bool counted, berth__row_take *take,
                              void *user) {
    open_file file;
    berth_status status = open_rows(reader, path, n_layouts, layouts, expected, &file);
    berth__row row;
    while (status == BERTH_OK && next_row(&file, &row)) {
        reader->report->rows += counted;
        if (row.problem[0] == '\0' && !take(user, &row)) {
            status = berth__fail_memory(reader->error);
        } else if (row.problem[0] != '\0') {
            status = counted ? berth__trace_bad_row(reader, path, row.line, row.problem, row.begin)
                             : berth__fail_at(reader->error, BERTH_E_INPUT, path, row.line, 0, "%s", row.problem);
        }
    }
    return close_rows(reader, &file, status);
}

berth_status berth__trace_read_parts(berth__trace_reader *reader, const char *path, const berth__layout *layout,
                                     berth__row_take *take, void *user) {
    return read_rows(reader, path, 1, layout, "", true, take, user);
}

berth_status berth__trace_read_list(berth__trace_reader *reader, const char *path, const berth__layout *layout,
                                    berth__row_take *take, void *user) {
    return read_rows(reader, path, 1, layout, "", false, take, user);
}

/* Rows of which each is a job. */
typedef struct job_rows {
    berth__trace *trace;
    berth__row_job *make_job;
    void *user;
} job_rows;

static bool take_job(void *user, berth__row *row) {
    const job_rows *to = user;
    berth__trace_job job = berth__trace_job_blank();
    job.content = row->content;
    job.line = row->line;
    to->make_job(to->user, row, &job);
    return row->problem[0] != '\0' || berth__trace_add(to->trace, &job);
}

berth_status berth__trace_read_jobs(berth__trace_reader *reader, const char *path, size_t n_layouts,
                                    const berth__layout *layouts, const char *expected, berth__row_job *make_job,
                                    void *user) {
    job_rows to = {.trace = reader->trace, .make_job = make_job, .user = user};
    return read_rows(reader, path, n_layouts, layouts, expected, true, take_job, &to);
}

berth_status berth__trace_read_nodes(berth__trace_reader *reader, const char *path, const berth__layout *layout,
                                     bool has_memory, berth__row_take *take) {
    berth__node_list list = {.n = 0};
    berth_status status = berth__trace_read_list(reader, path, layout, take, &list);
    if (status == BERTH_OK) {
        status = berth__machines_of_list(&list, has_memory, path, &reader->trace->machines, reader->error);
    }
    berth__node_list_clear(&list);
    return status;
}
