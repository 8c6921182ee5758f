/* Clients' counts and profiles as CSV, read line by line. */
#include <berth_cohort.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/numeric.h"
#include "formats/bytes.h"
#include "formats/cohort_data.h"
#include "formats/csv.h"
#include "formats/growing_names.h"
#include "formats/lines.h"
#include "formulations/cohort/problem.h"

enum { POLL_LINES = 4096 };

void berth_cohort_read_options_init(berth_cohort_read_options *options) {
    *options = (berth_cohort_read_options){
        .struct_size = sizeof *options, .default_ms_per_sample = (double)NAN, .default_bandwidth_kbps = (double)NAN};
    berth_hooks_init(&options->hooks);
}

/* One (client, category, count), in the order of the file. */
typedef struct sample_count {
    uint32_t client, category, count, line;
} sample_count;

typedef struct table {
    const berth_cohort_read_options *options;
    berth__lines lines;
    berth__csv csv;
    berth__growing_names clients, categories;
    sample_count *counts;
    size_t n_counts, capacity;
    berth__arena *arena; /* of the result */
    berth_cohort_data data;
    berth_error *error;
} table;

static berth_status fail_line(const table *t, const char *text, const char *field) {
    return berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, t->lines.line, 0, "%s%s%.80s%s", text,
                          field != NULL ? ": '" : "", field != NULL ? field : "", field != NULL ? "'" : "");
}

/* A header that is not one, with why if it can be told. */
static berth_status fail_header(const table *t, long line, const char *expected) {
    const char *separator = berth__csv_other_separator(&t->csv);
    return separator != NULL ? berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, line, 0,
                                              "the fields are separated by %s; expected commas", separator)
                             : berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, line, 0, "%s", expected);
}

/* The next row that is not blank, cut into fields. *there: false at the end. */
static berth_status next_row(table *t, bool *there) {
    char *line;
    for (;;) {
        berth_status status = berth__lines_next(&t->lines, &line, t->error);
        *there = line != NULL;
        if (status != BERTH_OK || line == NULL) {
            return status;
        }
        if (t->lines.line % POLL_LINES == 0) {
            const berth_hooks *hooks = &t->options->hooks;
            if (hooks->cancel != NULL && hooks->cancel(hooks->user)) {
                return berth__fail(t->error, BERTH_E_CANCELLED, t->lines.path, "reading was cancelled");
            }
            if (hooks->progress != NULL) {
                hooks->progress(hooks->user, berth__lines_position(&t->lines), t->lines.size);
            }
        }
        t->csv.next = line;
        if (berth__csv_next(&t->csv)) {
            return t->csv.problem != NULL ? fail_line(t, t->csv.problem, NULL) : BERTH_OK;
        }
        if (t->csv.out_of_memory) {
            return berth__fail_memory(t->error);
        }
    }
}

static bool is_client_column(const char *name) {
    return strcmp(name, "client") == 0 || strcmp(name, "client_id") == 0;
}

/* ---- counts ---- */

static berth_status read_count(const table *t, char *field, uint32_t *out) {
    const char *text = berth__csv_trim(field);
    uint64_t value = 0;
    size_t n = strspn(text, "0123456789");
    for (size_t k = 0; k < n && value <= UINT32_MAX; k++) {
        value = 10 * value + (uint64_t)(text[k] - '0');
    }
    if (n == 0 || text[n] != '\0' || value > UINT32_MAX) {
        return fail_line(t, "expected a count, a whole number from 0 to 4294967295", text);
    }
    *out = (uint32_t)value;
    return BERTH_OK;
}

static berth_status add_count(table *t, size_t client, size_t category, uint32_t count) {
    void *list = t->counts;
    if (count == 0) {
        return BERTH_OK;
    }
    bool grown = berth__grow(&list, &t->capacity, t->n_counts, sizeof *t->counts);
    t->counts = list;
    if (!grown) {
        return berth__fail_memory(t->error);
    }
    t->counts[t->n_counts++] = (sample_count){(uint32_t)client, (uint32_t)category, count, (uint32_t)t->lines.line};
    return BERTH_OK;
}

static berth_status read_wide_row(table *t) {
    bool is_new;
    size_t client;
    if (t->csv.n_fields != t->categories.n + 1) {
        return berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, t->lines.line, 0,
                              "%zu fields; the header has %zu", t->csv.n_fields, t->categories.n + 1);
    }
    if (!berth__growing_names_add(&t->clients, t->csv.fields[0], &client, &is_new)) {
        return berth__fail_memory(t->error);
    }
    if (!is_new) {
        return fail_line(t, "the client is there already", t->csv.fields[0]);
    }
    for (size_t c = 0; c < t->categories.n; c++) {
        uint32_t count;
        berth_status status = read_count(t, t->csv.fields[c + 1], &count);
        status = status == BERTH_OK ? add_count(t, client, c, count) : status;
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

static berth_status read_long_row(table *t) {
    bool is_new;
    size_t client, category;
    uint32_t count;
    if (t->csv.n_fields != 3) {
        return berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, t->lines.line, 0,
                              "%zu fields; expected client, category, count", t->csv.n_fields);
    }
    if (!berth__growing_names_add(&t->clients, t->csv.fields[0], &client, &is_new) ||
        !berth__growing_names_add(&t->categories, t->csv.fields[1], &category, &is_new)) {
        return berth__fail_memory(t->error);
    }
    berth_status status = read_count(t, t->csv.fields[2], &count);
    return status == BERTH_OK ? add_count(t, client, category, count) : status;
}

static berth_status read_header(table *t, bool *is_long) {
    bool there;
    berth_status status = next_row(t, &there);
    if (status != BERTH_OK) {
        return status;
    }
    if (!there) {
        return berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, 1, 0, "the file is empty");
    }
    char **fields = t->csv.fields;
    if (!is_client_column(fields[0]) || t->csv.n_fields < 2) {
        return fail_header(t, t->lines.line, "expected a header: client,<categories...> or client,category,count");
    }
    *is_long = t->csv.n_fields == 3 && strcmp(fields[1], "category") == 0 && strcmp(fields[2], "count") == 0;
    for (size_t k = 1; !*is_long && k < t->csv.n_fields; k++) {
        bool is_new;
        size_t category;
        if (!berth__growing_names_add(&t->categories, fields[k], &category, &is_new)) {
            return berth__fail_memory(t->error);
        }
        if (!is_new) {
            return fail_line(t, "the category is there already", fields[k]);
        }
    }
    return BERTH_OK;
}

static berth_status read_counts(table *t) {
    bool is_long = false, there = true;
    berth_status status = read_header(t, &is_long);
    while (status == BERTH_OK) {
        status = next_row(t, &there);
        if (status != BERTH_OK || !there) {
            break;
        }
        status = is_long ? read_long_row(t) : read_wide_row(t);
    }
    return status;
}

/* ---- rows ---- */

/* Compressed rows from the counts, by counting; the order within a client is that of the file. */
static berth_status build_rows(table *t) {
    size_t n = t->clients.n;
    size_t *start = BERTH__ARENA_ARRAY(t->arena, size_t, n + 2);
    uint32_t *category = BERTH__ARENA_ARRAY(t->arena, uint32_t, t->n_counts);
    uint32_t *count = BERTH__ARENA_ARRAY(t->arena, uint32_t, t->n_counts);
    uint32_t *last_client = BERTH__NEW_ARRAY(uint32_t, t->categories.n);
    berth_status status = BERTH_OK;
    if (start == NULL || category == NULL || count == NULL || last_client == NULL) {
        berth__free(last_client);
        return berth__fail_memory(t->error);
    }
    for (size_t k = 0; k < t->n_counts; k++) {
        start[t->counts[k].client + 2]++;
    }
    for (size_t k = 0; k < n; k++) {
        start[k + 2] += start[k + 1];
    }
    for (size_t k = 0; k < t->n_counts; k++) {
        size_t at = start[t->counts[k].client + 1]++;
        category[at] = t->counts[k].category;
        count[at] = (uint32_t)k; /* for the line of a duplicate */
    }
    for (size_t k = 0; k < n && status == BERTH_OK; k++) {
        uint64_t total = 0;
        for (size_t e = start[k]; e < start[k + 1] && status == BERTH_OK; e++) {
            const sample_count *from = &t->counts[count[e]];
            if (last_client[category[e]] == k + 1) {
                status = berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, (long)from->line, 0,
                                        "client '%.60s' has category '%.60s' already", t->clients.names[k],
                                        t->categories.names[category[e]]);
            }
            last_client[category[e]] = (uint32_t)(k + 1);
            count[e] = from->count;
            total += from->count;
            if (status == BERTH_OK && total > UINT32_MAX) {
                status = berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, (long)from->line, 0,
                                        "client '%.60s' has more than 4294967295 samples", t->clients.names[k]);
            }
        }
    }
    t->data.row_start = start;
    t->data.category = category;
    t->data.count = count;
    berth__free(last_client);
    return status;
}

/* ---- profiles ---- */

/* *foreign counts those of no client. */
static berth_status read_profile(table *t, double *ms, double *kbps, size_t *foreign) {
    double values[2];
    static const char *const expected[] = {"expected milliseconds per sample, a number > 0 (1e-9 to 1e15)",
                                           "expected kbit/s, a number > 0 (1e-9 to 1e15)"};
    if (t->csv.n_fields != 3) {
        return berth__fail_at(t->error, BERTH_E_INPUT, t->lines.path, t->lines.line, 0,
                              "%zu fields; expected client, ms_per_sample, bandwidth_kbps", t->csv.n_fields);
    }
    for (size_t k = 0; k < 2; k++) {
        if (!berth__csv_number(t->csv.fields[k + 1], &values[k]) ||
            !(values[k] >= BERTH__COHORT_LEAST_SPEED && values[k] <= BERTH__COHORT_MOST_SPEED)) {
            return fail_line(t, expected[k], t->csv.fields[k + 1]);
        }
    }
    size_t client = berth__growing_names_find(&t->clients, t->csv.fields[0]);
    if (client == BERTH__NO_NAME) {
        (*foreign)++;
        return BERTH_OK;
    }
    if (!isnan(ms[client])) {
        return fail_line(t, "the client has a profile already", t->csv.fields[0]);
    }
    ms[client] = values[0];
    kbps[client] = values[1];
    return BERTH_OK;
}

static berth_status read_profile_rows(table *t, double *ms, double *kbps) {
    bool there;
    size_t foreign = 0;
    berth_status status = next_row(t, &there);
    if (status != BERTH_OK) {
        return status;
    }
    char **fields = t->csv.fields;
    if (!there || t->csv.n_fields != 3 || !is_client_column(fields[0]) || strcmp(fields[1], "ms_per_sample") != 0 ||
        strcmp(fields[2], "bandwidth_kbps") != 0) {
        return fail_header(t, there ? t->lines.line : 1, "expected the header client,ms_per_sample,bandwidth_kbps");
    }
    while (status == BERTH_OK) {
        status = next_row(t, &there);
        if (status != BERTH_OK || !there) {
            break;
        }
        status = read_profile(t, ms, kbps, &foreign);
    }
    if (status == BERTH_OK && foreign > 0) {
        berth__log(&t->options->hooks, BERTH_LOG_WARNING, "%s: %zu profile%s of no client", t->options->profiles,
                   foreign, foreign == 1 ? " is" : "s are");
    }
    return status;
}

static berth_status fill_defaults(const table *t, double *ms, double *kbps) {
    const berth_cohort_read_options *o = t->options;
    bool has_default = !isnan(o->default_ms_per_sample) && !isnan(o->default_bandwidth_kbps);
    for (size_t n = 0; n < t->clients.n; n++) {
        bool holds = t->data.row_start[n + 1] > t->data.row_start[n];
        if (isnan(ms[n]) && holds && !has_default) {
            return berth__fail(t->error, BERTH_E_INPUT, o->profiles,
                               "client '%.80s' has no profile, and there are no default speed and bandwidth",
                               t->clients.names[n]);
        }
        if (isnan(ms[n])) {
            ms[n] = o->default_ms_per_sample;
            kbps[n] = o->default_bandwidth_kbps;
        }
    }
    return BERTH_OK;
}

static berth_status read_profiles(table *t) {
    const berth_cohort_read_options *o = t->options;
    bool has_default = !isnan(o->default_ms_per_sample) && !isnan(o->default_bandwidth_kbps);
    if (o->profiles == NULL && !has_default) {
        return BERTH_OK;
    }
    double *ms = BERTH__ARENA_ARRAY(t->arena, double, t->clients.n);
    double *kbps = BERTH__ARENA_ARRAY(t->arena, double, t->clients.n);
    berth_status status = BERTH_OK;
    if (ms == NULL || kbps == NULL) {
        return berth__fail_memory(t->error);
    }
    for (size_t n = 0; n < t->clients.n; n++) {
        ms[n] = kbps[n] = (double)NAN;
    }
    if (o->profiles != NULL) {
        berth__lines_close(&t->lines);
        status = berth__lines_open(&t->lines, o->profiles, t->error);
        status = status == BERTH_OK ? read_profile_rows(t, ms, kbps) : status;
    }
    t->data.ms_per_sample = ms;
    t->data.bandwidth_kbps = kbps;
    return status == BERTH_OK ? fill_defaults(t, ms, kbps) : status;
}

/* ---- the whole ---- */

static berth_status read_table(table *t, const char *path) {
    berth_status status = berth__lines_open(&t->lines, path, t->error);
    status = status == BERTH_OK ? read_counts(t) : status;
    if (status == BERTH_OK && t->clients.n >= UINT32_MAX) {
        status = berth__fail(t->error, BERTH_E_UNSUPPORTED, path, "4294967295 clients and more");
    }
    status = status == BERTH_OK ? build_rows(t) : status;
    berth__free(t->counts);
    t->counts = NULL;
    t->data.n_clients = t->clients.n;
    t->data.n_categories = t->categories.n;
    t->data.clients = t->clients.names;
    t->data.categories = t->categories.names;
    return status == BERTH_OK ? read_profiles(t) : status;
}

static berth_status read_in_c_locale(table *t, const char *path) {
    berth__c_locale locale;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(t->error);
    }
    berth_status status = read_table(t, path);
    berth__c_locale_leave(&locale);
    return status;
}

berth_status berth_cohort_data_read(const char *path, const berth_cohort_read_options *options, berth_cohort_data **out,
                                    berth_error *error) {
    berth_cohort_read_options defaults;
    if (out != NULL) {
        *out = NULL;
    }
    berth__error_clear(error);
    if (path == NULL || out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "path", "path and out must not be NULL");
    }
    berth_cohort_read_options_init(&defaults);
    table t = {.options = options != NULL ? options : &defaults,
               .csv = berth__csv_start(NULL, ','),
               .arena = berth__arena_new(),
               .error = error};
    berth_cohort_data_init(&t.data);
    berth_status status = t.arena == NULL ? berth__fail_memory(error) : read_in_c_locale(&t, path);
    if (status == BERTH_OK) {
        status = berth__cohort_data_adopt_names(&t.data, t.arena, &t.clients, &t.categories, out, error);
    }
    berth__lines_close(&t.lines);
    berth__csv_clear(&t.csv);
    berth__free(t.counts);
    if (status != BERTH_OK) {
        berth__growing_names_free(&t.clients);
        berth__growing_names_free(&t.categories);
        berth__arena_free(t.arena);
    }
    return status;
}

/* ---- writing ---- */

typedef struct text {
    char *bytes;
    size_t length, capacity;
    bool failed; /* out of memory */
} text;

static void append(text *t, const char *bytes, size_t n) {
    if (t->length + n > t->capacity) {
        size_t capacity = 2 * (t->capacity + n) + 4096;
        char *grown = t->failed ? NULL : berth__realloc(t->bytes, capacity, 1);
        if (grown == NULL) {
            t->failed = true;
            return;
        }
        t->bytes = grown;
        t->capacity = capacity;
    }
    memcpy(t->bytes + t->length, bytes, n);
    t->length += n;
}

/* Quoted where it has to be. */
static void append_name(text *t, const char *name) {
    if (name[0] != '\0' && strpbrk(name, ",\"\r") == NULL && name[0] != ' ' && name[0] != '\t') {
        append(t, name, strlen(name));
        return;
    }
    append(t, "\"", 1);
    for (; *name != '\0'; name++) {
        append(t, name, 1);
        if (*name == '"') {
            append(t, "\"", 1);
        }
    }
    append(t, "\"", 1);
}

static void append_counts(text *t, const berth_cohort_data *data) {
    char client[32], category[32], number[32];
    for (size_t n = 0; n < data->n_clients; n++) {
        for (size_t e = data->row_start[n]; e < data->row_start[n + 1]; e++) {
            append_name(t, berth__cohort_client_name(data, n, client));
            append(t, ",", 1);
            append_name(t, berth__cohort_category_name(data, data->category[e], category));
            int length = snprintf(number, sizeof number, ",%lu\n", (unsigned long)data->count[e]);
            append(t, number, (size_t)length);
        }
    }
}

static void append_profiles(text *t, const berth_cohort_data *data) {
    char client[32], number[BERTH__NUMBER_ROOM];
    for (size_t n = 0; data->ms_per_sample != NULL && n < data->n_clients; n++) {
        if (!(data->ms_per_sample[n] > 0)) {
            continue; /* holds nothing and has none */
        }
        append_name(t, berth__cohort_client_name(data, n, client));
        append(t, ",", 1);
        berth__number_text(data->ms_per_sample[n], number);
        append(t, number, strlen(number));
        append(t, ",", 1);
        berth__number_text(data->bandwidth_kbps[n], number);
        append(t, number, strlen(number));
        append(t, "\n", 1);
    }
}

static berth_status write_text(text *t, const char *path, berth_error *error) {
    berth_status status = t->failed ? berth__fail_memory(error) : berth__bytes_write(path, t->bytes, t->length, error);
    berth__free(t->bytes);
    return status;
}

static bool has_line_break(const berth_cohort_data *data) {
    for (size_t n = 0; data->clients != NULL && n < data->n_clients; n++) {
        if (strchr(data->clients[n], '\n') != NULL) {
            return true;
        }
    }
    for (size_t c = 0; data->categories != NULL && c < data->n_categories; c++) {
        if (strchr(data->categories[c], '\n') != NULL) {
            return true;
        }
    }
    return false;
}

berth_status berth_cohort_data_write(const berth_cohort_data *data, const char *path, const char *profiles_path,
                                     berth_error *error) {
    static const char counts_header[] = "client,category,count\n";
    static const char profiles_header[] = "client,ms_per_sample,bandwidth_kbps\n";
    text counts = {0}, profiles = {0};
    berth__c_locale locale;
    berth__error_clear(error);
    if (data == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "path", "data and path must not be NULL");
    }
    if (has_line_break(data)) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "clients", "a name with a line break cannot be written");
    }
    append(&counts, counts_header, sizeof counts_header - 1);
    append_counts(&counts, data);
    berth_status status = write_text(&counts, path, error);
    if (status != BERTH_OK || profiles_path == NULL) {
        return status;
    }
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    append(&profiles, profiles_header, sizeof profiles_header - 1);
    append_profiles(&profiles, data);
    berth__c_locale_leave(&locale);
    return write_text(&profiles, profiles_path, error);
}
