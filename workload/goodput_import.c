/* Workloads of Pollux's simulations with the measurements of their applications (Qiao et al., OSDI 2021;
 * github.com/petuum/adaptdl, branch osdi21-artifact, simulator/workloads and simulator/traces, Apache-2.0). */
#define _POSIX_C_SOURCE 200809L
#include <berth_goodput.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/numeric.h"
#include "formats/bytes.h"
#include "formats/csv.h"
#include "formats/goodput_workload_json.h"

enum { MOST_COLUMNS = 5, MOST_RING = 32, PATH_ROOM = 4096, NAME_ROOM = 80 };

/* What the files don't say, as set in simulator/applications.py and simulator.py. */
static const struct special {
    const char *name;
    double max_local, batch;
    uint32_t max_replicas;
} specials[] = {{"yolov3", 8, 0, 0}, {"ncf", 0, 32768, 1}};

/* ---- tables ---- */

typedef struct row {
    double number[MOST_COLUMNS]; /* NAN in the text's place */
    const char *text;            /* of the first column if it is no number */
    long line;
} row;

typedef struct table {
    const char *path;
    const char *const *columns; /* [n_columns] */
    size_t n_columns;
    bool has_text; /* the first column is text */
    size_t n, capacity;
    row *rows;
} table;

static berth_status find_columns(const table *t, const berth__csv *csv, size_t place[MOST_COLUMNS],
                                 berth_error *error) {
    const char *separator = berth__csv_other_separator(csv);
    if (csv->problem)
        return berth__fail_at(error, BERTH_E_INPUT, t->path, csv->line, 0, "%s", csv->problem);
    if (separator)
        return berth__fail_at(error, BERTH_E_INPUT, t->path, csv->line, 0,
                              "the fields are separated by %s; expected commas", separator);
    for (size_t c = 0; c < t->n_columns; c++) {
        place[c] = csv->n_fields;
        for (size_t k = 0; k < csv->n_fields; k++) {
            if (strcmp(berth__csv_trim(csv->fields[k]), t->columns[c]) != 0)
                continue;
            if (place[c] < csv->n_fields)
                return berth__fail_at(error, BERTH_E_INPUT, t->path, csv->line, 0, "two columns \"%s\"", t->columns[c]);
            place[c] = k;
        }
        if (place[c] == csv->n_fields)
            return berth__fail_at(error, BERTH_E_INPUT, t->path, csv->line, 0, "no column \"%s\"", t->columns[c]);
    }
    return BERTH_OK;
}

static berth_status take_row(table *t, const berth__csv *csv, const size_t place[MOST_COLUMNS], berth__arena *arena,
                             berth_error *error) {
    if (!berth__grow((void **)&t->rows, &t->capacity, t->n, sizeof *t->rows))
        return berth__fail_memory(error);
    row *out = &t->rows[t->n++];
    out->text = NULL;
    out->line = csv->line;
    for (size_t c = 0; c < t->n_columns; c++) {
        if (place[c] >= csv->n_fields)
            return berth__fail_at(error, BERTH_E_INPUT, t->path, csv->line, 0, "no field \"%s\"", t->columns[c]);
        char *field = csv->fields[place[c]];
        out->number[c] = (double)NAN;
        if (t->has_text && c == 0) {
            out->text = berth__arena_strdup(arena, berth__csv_trim(field));
            if (!out->text)
                return berth__fail_memory(error);
        } else if (!berth__csv_number(field, &out->number[c]) || out->number[c] < 0) {
            return berth__fail_at(error, BERTH_E_INPUT, t->path, csv->line, 0,
                                  "%s is \"%.40s\"; expected a number >= 0", t->columns[c], field);
        }
    }
    return BERTH_OK;
}

/* Fills rows; free them in any case. Needs the C locale. */
static berth_status read_table(table *t, berth__arena *arena, berth_error *error) {
    char *bytes = NULL;
    size_t length = 0, place[MOST_COLUMNS];
    berth_status status = berth__bytes_read_found(t->path, BERTH__MAX_INPUT, NULL, &bytes, &length, error);
    if (status)
        return status;
    const char *text = bytes;
    status = berth__text_check(&text, &length, t->path, error);
    berth__csv csv = berth__csv_start(bytes + (text - bytes), ',');
    if (!status && !berth__csv_next(&csv))
        status = csv.out_of_memory ? berth__fail_memory(error)
                                   : berth__fail_at(error, BERTH_E_INPUT, t->path, 1, 0, "is empty");
    if (!status)
        status = find_columns(t, &csv, place, error);
    while (!status && berth__csv_next(&csv))
        status = csv.problem ? berth__fail_at(error, BERTH_E_INPUT, t->path, csv.line, 0, "%s", csv.problem)
                             : take_row(t, &csv, place, arena, error);
    if (!status && csv.out_of_memory)
        status = berth__fail_memory(error);
    if (!status && t->n == 0)
        status = berth__fail_at(error, BERTH_E_INPUT, t->path, 1, 0, "has no rows");
    berth__csv_clear(&csv);
    berth__free(bytes);
    return status;
}

/* ---- placements ---- */

static int compare_text(const row *a, const row *b) {
    return a->text && b->text ? strcmp(a->text, b->text) : 0;
}

/* By placement (text, or the first two numbers), then batch, the `last` number of the key. */
static int compare_placements(const void *left, const void *right) {
    const row *a = left, *b = right;
    int order = compare_text(a, b);
    for (size_t c = a->text ? 1 : 0; c < (a->text ? 2 : 3) && order == 0; c++)
        order = (a->number[c] > b->number[c]) - (a->number[c] < b->number[c]);
    return order;
}

static bool same_placement(const row *a, const row *b) {
    return a->text ? strcmp(a->text, b->text) == 0 : a->number[0] == b->number[0] && a->number[1] == b->number[1];
}

static berth_status read_ring(const table *t, const row *from, berth__arena *arena, berth_measured_placement *out,
                              berth_error *error) {
    const char *text = from->text;
    const long line = from->line;
    const size_t n = strlen(text);
    if (n == 0 || n > MOST_RING || strspn(text, "123456789") != n)
        return berth__fail_at(error, BERTH_E_INPUT, t->path, line, 0,
                              "placement is \"%.40s\"; expected a digit from 1 to 9 for each node", text);
    uint32_t *gpus = BERTH__ARENA_ARRAY(arena, uint32_t, n);
    if (!gpus)
        return berth__fail_memory(error);
    for (size_t k = 0; k < n; k++) {
        gpus[k] = (uint32_t)(text[k] - '0');
        out->replicas += gpus[k];
    }
    out->nodes = (uint32_t)n;
    out->gpus = gpus;
    return BERTH_OK;
}

static bool is_count(double value, double most) {
    return value >= 1 && value <= most && value == floor(value);
}

/* Rows [first, first + n), of one placement. */
static berth_status make_placement(const table *t, size_t first, size_t n, berth__arena *arena,
                                   berth_measured_placement *out, berth_error *error) {
    const size_t at = t->has_text ? 1 : 2; /* local, step and sync */
    uint32_t *local = BERTH__ARENA_ARRAY(arena, uint32_t, n);
    double *step = BERTH__ARENA_ARRAY(arena, double, n), *sync = BERTH__ARENA_ARRAY(arena, double, n);
    if (!local || !step || !sync)
        return berth__fail_memory(error);
    const row *rows = &t->rows[first];
    for (size_t k = 0; k < n; k++) {
        for (size_t c = t->has_text ? 1 : 0; c <= at; c++)
            if (!is_count(rows[k].number[c], 1e9))
                return berth__fail_at(error, BERTH_E_INPUT, t->path, rows[k].line, 0,
                                      "%s is %g; expected a whole number from 1 to 1e9", t->columns[c],
                                      rows[k].number[c]);
        local[k] = (uint32_t)rows[k].number[at];
        step[k] = rows[k].number[at + 1];
        sync[k] = rows[k].number[at + 2];
    }
    *out = (berth_measured_placement){.n = n, .local = local, .step_s = step, .sync_s = sync};
    if (t->has_text)
        return read_ring(t, &rows[0], arena, out, error);
    out->nodes = (uint32_t)rows[0].number[0];
    out->replicas = (uint32_t)rows[0].number[1];
    return BERTH_OK;
}

/* Adds the placements of a table to *n of `all`, which has room. */
static berth_status add_placements(table *t, berth__arena *arena, berth_measured_placement *all, size_t *n,
                                   berth_error *error) {
    berth_status status = BERTH_OK;
    qsort(t->rows, t->n, sizeof *t->rows, compare_placements);
    for (size_t first = 0, k = 1; k <= t->n && !status; k++)
        if (k == t->n || !same_placement(&t->rows[first], &t->rows[k])) {
            status = make_placement(t, first, k - first, arena, &all[(*n)++], error);
            first = k;
        }
    return status;
}

static void find_locals(const table *t, berth_application *app) {
    app->min_local = (double)INFINITY;
    for (size_t k = 0; k < t->n; k++) {
        app->min_local = fmin(app->min_local, t->rows[k].number[1]);
        app->max_local = fmax(app->max_local, t->rows[k].number[1]);
    }
}

static berth_status read_placements(const char *folder, berth__arena *arena, berth_application *app,
                                    berth_error *error) {
    static const char *const placed[] = {"placement", "local_bsz", "step_time", "sync_time"};
    static const char *const counted[] = {"num_nodes", "num_replicas", "local_bsz", "step_time", "sync_time"};
    char first[PATH_ROOM + NAME_ROOM + 32], second[PATH_ROOM + NAME_ROOM + 32];
    snprintf(first, sizeof first, "%.*s/placements.csv", PATH_ROOM + NAME_ROOM, folder);
    snprintf(second, sizeof second, "%.*s/scalability.csv", PATH_ROOM + NAME_ROOM, folder);
    table a = {.path = first, .columns = placed, .n_columns = 4, .has_text = true};
    table b = {.path = second, .columns = counted, .n_columns = 5};
    berth_status status = read_table(&a, arena, error);
    if (!status)
        status = read_table(&b, arena, error);
    berth_measured_placement *all = status ? NULL : BERTH__ARENA_ARRAY(arena, berth_measured_placement, a.n + b.n);
    if (!status && !all)
        status = berth__fail_memory(error);
    if (!status)
        status = add_placements(&a, arena, all, &app->n_placements, error);
    if (!status)
        status = add_placements(&b, arena, all, &app->n_placements, error);
    if (!status)
        find_locals(&a, app);
    app->placements = all;
    berth__free(a.rows);
    berth__free(b.rows);
    return status;
}

/* ---- trainings ---- */

static berth_status read_training(const char *folder, double batch, berth__arena *arena, size_t *epochs,
                                  berth_measured_training *out, berth_error *error) {
    static const char *const columns[] = {"progress", "iteration", "grad_sqr", "grad_var"};
    char path[PATH_ROOM + NAME_ROOM + 64];
    snprintf(path, sizeof path, "%.*s/validation-%.0f.csv", PATH_ROOM + NAME_ROOM, folder, batch);
    table t = {.path = path, .columns = columns, .n_columns = 4};
    double *values[4] = {NULL};
    berth_status status = read_table(&t, arena, error);
    for (size_t c = 0; c < 4 && !status; c++) {
        values[c] = BERTH__ARENA_ARRAY(arena, double, t.n);
        if (!values[c])
            status = berth__fail_memory(error);
        for (size_t k = 0; k < t.n && !status; k++)
            values[c][k] = t.rows[k].number[c];
    }
    *epochs = *epochs < t.n ? *epochs : t.n;
    *out = (berth_measured_training){batch, values[0], values[1], values[2], values[3]};
    berth__free(t.rows);
    return status;
}

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The BATCHes of validation-BATCH.csv, ascending; berth__free them. */
static berth_status find_batches(const char *folder, size_t *n, double **out, berth_error *error) {
    size_t capacity = 0;
    DIR *entries = opendir(folder);
    if (!entries)
        return berth__fail(error, BERTH_E_IO, folder, "cannot open this folder");
    bool good = true;
    for (const struct dirent *e = readdir(entries); e && good; e = readdir(entries)) {
        unsigned long batch = 0;
        int end = 0;
        if (sscanf(e->d_name, "validation-%9lu.csv%n", &batch, &end) != 1 || end == 0 || e->d_name[end] != '\0')
            continue;
        good = berth__grow((void **)out, &capacity, *n, sizeof **out);
        if (good)
            (*out)[(*n)++] = (double)batch;
    }
    closedir(entries);
    if (!good)
        return berth__fail_memory(error);
    if (*n == 0)
        return berth__fail(error, BERTH_E_INPUT, folder, "has no validation-BATCH.csv");
    qsort(*out, *n, sizeof **out, compare_numbers);
    return BERTH_OK;
}

static berth_status read_trainings(const char *folder, berth__arena *arena, berth_application *app,
                                   berth_error *error) {
    double *batches = NULL;
    berth_status status = find_batches(folder, &app->n_trainings, &batches, error);
    berth_measured_training *all = status ? NULL : BERTH__ARENA_ARRAY(arena, berth_measured_training, app->n_trainings);
    if (!status && !all)
        status = berth__fail_memory(error);
    app->epochs = SIZE_MAX;
    for (size_t k = 0; k < app->n_trainings && !status; k++)
        status = read_training(folder, batches[k], arena, &app->epochs, &all[k], error);
    if (!status) {
        app->trainings = all;
        app->m0 = batches[0];
        app->max_batch = batches[app->n_trainings - 1];
    }
    berth__free(batches);
    return status;
}

static berth_status read_application(const char *applications, const char *name, berth__arena *arena,
                                     berth_application *app, berth_error *error) {
    char folder[PATH_ROOM + NAME_ROOM + 2];
    if (strchr(name, '/') || strlen(name) > NAME_ROOM || strlen(applications) >= PATH_ROOM)
        return berth__fail(error, BERTH_E_INPUT, applications, "no application can be named \"%.80s\"", name);
    snprintf(folder, sizeof folder, "%.*s/%.*s", PATH_ROOM, applications, NAME_ROOM, name);
    *app = (berth_application){.name = name, .accumulation = true};
    berth_status status = read_placements(folder, arena, app, error);
    if (!status)
        status = read_trainings(folder, arena, app, error);
    for (size_t k = 0; k < sizeof specials / sizeof *specials && !status; k++)
        if (strcmp(specials[k].name, name) == 0) {
            app->max_local = specials[k].max_local > 0 ? fmin(app->max_local, specials[k].max_local) : app->max_local;
            app->batch = specials[k].batch;
            app->max_replicas = specials[k].max_replicas;
        }
    return status;
}

/* ---- jobs and cluster ---- */

static size_t find_application(const berth_application *all, size_t n, const char *name) {
    size_t k = 0;
    while (k < n && strcmp(all[k].name, name) != 0)
        k++;
    return k;
}

/* The applications that rows name, in the order in which they first come. */
static berth_status read_named(const char *applications, const table *names, berth_goodput_workload *w,
                               berth_error *error) {
    berth_status status = BERTH_OK;
    berth_application *all = BERTH__ARENA_ARRAY(w->memory, berth_application, names->n);
    if (!all)
        return berth__fail_memory(error);
    for (size_t k = 0; k < names->n && !status; k++)
        if (find_application(all, w->n_applications, names->rows[k].text) == w->n_applications)
            status = read_application(applications, names->rows[k].text, w->memory, &all[w->n_applications++], error);
    w->applications = all;
    return status;
}

static berth_status make_jobs(const table *names, const table *ids, berth_goodput_workload *w, berth_error *error) {
    berth_training_job *jobs = BERTH__ARENA_ARRAY(w->memory, berth_training_job, names->n);
    if (!jobs)
        return berth__fail_memory(error);
    for (size_t k = 0; k < names->n; k++) {
        const row *r = &names->rows[k];
        const size_t app = find_application(w->applications, w->n_applications, r->text);
        if (app == w->n_applications)
            return berth__fail_at(error, BERTH_E_INPUT, names->path, r->line, 0, "there is no application \"%.60s\"",
                                  r->text);
        if (!is_count(r->number[2], 1e6) || !is_count(r->number[3], 1e9))
            return berth__fail_at(error, BERTH_E_INPUT, names->path, r->line, 0,
                                  "num_replicas is %g and batch_size %g; expected whole numbers, 1 to 1e6 and 1 to 1e9",
                                  r->number[2], r->number[3]);
        const char *id = ids ? ids->rows[k].text : berth__arena_printf(w->memory, "%s-%zu", r->text, k);
        if (!id)
            return berth__fail_memory(error);
        jobs[k] = (berth_training_job){id, r->number[1], app, (uint32_t)r->number[2], r->number[3]};
    }
    w->jobs = jobs;
    w->n_jobs = names->n;
    return BERTH_OK;
}

static bool make_nodes(berth_goodput_workload *w, size_t n_nodes, uint32_t gpus) {
    static const char *const only[] = {"gpu"};
    uint32_t *counts = BERTH__ARENA_ARRAY(w->memory, uint32_t, n_nodes);
    const char **names = BERTH__ARENA_ARRAY(w->memory, const char *, n_nodes);
    bool good = counts && names;
    for (size_t k = 0; k < n_nodes && good; k++) {
        counts[k] = gpus;
        names[k] = berth__arena_printf(w->memory, "node-%zu", k);
        good = names[k] != NULL;
    }
    w->n_nodes = n_nodes;
    w->gpus = counts;
    w->gpu_type = NULL;
    w->node_names = names;
    w->n_types = 1;
    w->speed = NULL;
    w->type_names = only;
    return good;
}

/* The file's name without folders and ending. */
static const char *name_of(berth__arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *begin = slash ? slash + 1 : path;
    const size_t length = strcspn(begin, ".");
    return length > 0 ? berth__arena_strndup(arena, begin, length) : "workload";
}

static berth_status fill(const char *path, const char *folder, size_t n_nodes, uint32_t gpus, berth_goodput_workload *w,
                         berth_error *error) {
    static const char *const columns[] = {"application", "time", "num_replicas", "batch_size"}, *const id[] = {"name"};
    table names = {.path = path, .columns = columns, .n_columns = 4, .has_text = true};
    table ids = {.path = path, .columns = id, .n_columns = 1, .has_text = true};
    berth_error ignored = {0};
    berth_status status = read_table(&names, w->memory, error);
    const berth_status named = status ? status : read_table(&ids, w->memory, &ignored);
    if (named == BERTH_E_MEMORY)
        status = berth__fail_memory(error);
    if (!status && folder)
        status = read_named(folder, &names, w, error);
    if (!status)
        status = make_jobs(&names, named == BERTH_OK ? &ids : NULL, w, error);
    berth__free(names.rows);
    berth__free(ids.rows);
    if (status)
        return status;
    w->name = name_of(w->memory, path);
    w->source = "Workload in the format of Pollux's simulations and measurements of its applications (Qiao et al., "
                "OSDI 2021; github.com/petuum/adaptdl, branch osdi21-artifact, Apache-2.0). Arrival, application, GPUs "
                "and batch are the file's; step times, noise and progress are those measured";
    return w->name && make_nodes(w, n_nodes, gpus) ? BERTH_OK : berth__fail_memory(error);
}

/* An empty workload, or that which has the applications. */
static berth_status begin(const char *applications, bool is_folder, berth_goodput_workload **out, berth_error *error) {
    if (!is_folder)
        return berth__error_in_file(error, berth_goodput_workload_read(applications, out, error), applications);
    berth__arena *arena = berth__arena_new();
    berth_goodput_workload *w = arena ? BERTH__ARENA_ARRAY(arena, berth_goodput_workload, 1) : NULL;
    if (!w) {
        berth__arena_free(arena);
        return berth__fail_memory(error);
    }
    berth_goodput_workload_init(w);
    w->memory = arena;
    *out = w;
    return BERTH_OK;
}

berth_status berth_goodput_import(const char *workload, const char *applications, size_t n_nodes, uint32_t gpus,
                                  berth_goodput_workload **out, berth_error *error) {
    struct stat about;
    berth__c_locale locale;
    berth_goodput_workload *w = NULL;
    berth__error_clear(error);
    if (out)
        *out = NULL;
    if (!workload || !applications || !out)
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "workload, applications and out must not be NULL");
    if (strcmp(workload, "-") == 0)
        return berth__fail(error, BERTH_E_ARGUMENT, "workload", "expected a file's name, got '-'");
    if (n_nodes < 1 || n_nodes > 65536 || gpus < 1 || gpus > 1024)
        return berth__fail(error, BERTH_E_ARGUMENT, "n_nodes", "%zu nodes of %u GPUs; expected 1 to 65536 of 1 to 1024",
                           n_nodes, gpus);
    if (!berth__c_locale_enter(&locale))
        return berth__fail_memory(error);
    const bool is_folder = stat(applications, &about) == 0 && S_ISDIR(about.st_mode);
    berth_status status = begin(applications, is_folder, &w, error);
    if (!status)
        status = fill(workload, is_folder ? applications : NULL, n_nodes, gpus, w, error);
    if (!status)
        status = berth__goodput_workload_finish(w, error);
    berth__c_locale_leave(&locale);
    if (status)
        berth_goodput_workload_free(w);
    else
        *out = w;
    return status;
}
