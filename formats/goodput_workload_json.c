/* Workloads of measured trainings, berth-goodput-jobs-1. */
#include <berth_goodput.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/goodput_workload_json.h"
#include "formats/json_read.h"
#include "formats/json_write.h"
#include "formulations/goodput/workload.h"

#include <zlib.h>

static const char format_name[] = "berth-goodput-jobs-1";

enum { MOST_NODES = 65536 };

/* ---- reading ---- */

static bool done(const berth__reader *r, bool read) {
    return read || r->status == BERTH_OK;
}

static bool to_uint32(berth__reader *r, const berth__node *node, long long least, uint32_t *out) {
    long long value = 0;
    if (!berth__node_integer(r, node, &value))
        return false;
    if (value < least) /* the most depends on others */
        return berth__node_fail(r, node, BERTH_E_INPUT, "is %lld; expected a whole number of at least %lld", value,
                                least);
    if (value > UINT32_MAX)
        return berth__node_fail(r, node, BERTH_E_INPUT, "is %lld: too large", value);
    *out = (uint32_t)value;
    return true;
}

static bool read_uint32(berth__reader *r, const berth__node *object, const char *key, berth__presence presence,
                        long long least, uint32_t *out) {
    berth__node node;
    return berth__node_member(r, object, key, presence, &node) && to_uint32(r, &node, least, out);
}

/* A list of *n numbers, or of any length if *n is 0. */
static bool read_list(berth__reader *r, const berth__node *object, const char *key, size_t *n, berth__node *list) {
    size_t length = 0;
    if (!berth__node_member(r, object, key, BERTH__REQUIRED, list) || !berth__node_array(r, list, &length))
        return false;
    if (length == 0)
        return berth__node_fail(r, list, BERTH_E_INPUT, "is empty");
    if (*n > 0 && length != *n)
        return berth__node_fail(r, list, BERTH_E_INPUT, "has %zu numbers; expected %zu", length, *n);
    *n = length;
    return true;
}

static bool read_numbers(berth__reader *r, const berth__node *object, const char *key, size_t *n, const double **out) {
    berth__node list;
    if (!read_list(r, object, key, n, &list))
        return false;
    double *values = BERTH__ARENA_ARRAY(r->arena, double, *n);
    if (!values)
        return berth__reader_memory(r);
    for (size_t k = 0; k < *n; k++) {
        const berth__node item = berth__node_element(&list, k);
        if (!berth__node_number(r, &item, &values[k]))
            return false;
    }
    *out = values;
    return true;
}

static bool read_counts(berth__reader *r, const berth__node *object, const char *key, size_t *n, const uint32_t **out) {
    berth__node list;
    if (!read_list(r, object, key, n, &list))
        return false;
    uint32_t *values = BERTH__ARENA_ARRAY(r->arena, uint32_t, *n);
    if (!values)
        return berth__reader_memory(r);
    for (size_t k = 0; k < *n; k++) {
        const berth__node item = berth__node_element(&list, k);
        if (!to_uint32(r, &item, 1, &values[k]))
            return false;
    }
    *out = values;
    return true;
}

static bool read_placement(berth__reader *r, const berth__node *node, berth_measured_placement *out) {
    static const char *const known[] = {"gpus", "nodes", "replicas", "local", "step_s", "sync_s"};
    if (!BERTH__ONLY_FIELDS(r, node, known))
        return false;
    if (json_object_get(node->value, "gpus")) {
        size_t nodes = 0;
        uint64_t sum = 0;
        if (!read_counts(r, node, "gpus", &nodes, &out->gpus))
            return false;
        for (size_t k = 0; k < nodes; k++)
            sum += out->gpus[k];
        if (nodes > MOST_NODES || sum > 1000000000)
            return berth__member_fail(r, node, "gpus", BERTH_E_INPUT, "has too many nodes or GPUs");
        out->nodes = (uint32_t)nodes;
        out->replicas = (uint32_t)sum;
    } else if (!read_uint32(r, node, "nodes", BERTH__REQUIRED, 1, &out->nodes) ||
               !read_uint32(r, node, "replicas", BERTH__REQUIRED, 1, &out->replicas)) {
        return false;
    }
    return read_counts(r, node, "local", &out->n, &out->local) &&
           read_numbers(r, node, "step_s", &out->n, &out->step_s) &&
           read_numbers(r, node, "sync_s", &out->n, &out->sync_s);
}

static bool read_training(berth__reader *r, const berth__node *node, size_t *epochs, berth_measured_training *out) {
    static const char *const known[] = {"batch", "progress", "iterations", "grad_sqr", "grad_var"};
    return BERTH__ONLY_FIELDS(r, node, known) && berth__read_number(r, node, "batch", BERTH__REQUIRED, &out->batch) &&
           read_numbers(r, node, "progress", epochs, &out->progress) &&
           read_numbers(r, node, "iterations", epochs, &out->iterations) &&
           read_numbers(r, node, "grad_sqr", epochs, &out->grad_sqr) &&
           read_numbers(r, node, "grad_var", epochs, &out->grad_var);
}

static bool read_measurements(berth__reader *r, const berth__node *node, berth_application *out) {
    berth__node list;
    if (!berth__node_member(r, node, "placements", BERTH__REQUIRED, &list) ||
        !berth__node_array(r, &list, &out->n_placements))
        return false;
    berth_measured_placement *placements = BERTH__ARENA_ARRAY(r->arena, berth_measured_placement, out->n_placements);
    if (!placements)
        return berth__reader_memory(r);
    for (size_t k = 0; k < out->n_placements; k++) {
        const berth__node item = berth__node_element(&list, k);
        if (!read_placement(r, &item, &placements[k]))
            return false;
    }
    out->placements = placements;
    if (!berth__node_member(r, node, "trainings", BERTH__REQUIRED, &list) ||
        !berth__node_array(r, &list, &out->n_trainings))
        return false;
    berth_measured_training *trainings = BERTH__ARENA_ARRAY(r->arena, berth_measured_training, out->n_trainings);
    if (!trainings)
        return berth__reader_memory(r);
    for (size_t k = 0; k < out->n_trainings; k++) {
        const berth__node item = berth__node_element(&list, k);
        if (!read_training(r, &item, &out->epochs, &trainings[k]))
            return false;
    }
    out->trainings = trainings;
    return true;
}

static bool read_application(berth__reader *r, const berth__node *node, berth_application *out) {
    static const char *const known[] = {"m0",    "max_batch",    "min_local",  "max_local", "accumulation",
                                        "batch", "max_replicas", "placements", "trainings"};
    out->accumulation = true;
    return BERTH__ONLY_FIELDS(r, node, known) && berth__read_number(r, node, "m0", BERTH__REQUIRED, &out->m0) &&
           berth__read_number(r, node, "max_batch", BERTH__REQUIRED, &out->max_batch) &&
           berth__read_number(r, node, "min_local", BERTH__REQUIRED, &out->min_local) &&
           berth__read_number(r, node, "max_local", BERTH__REQUIRED, &out->max_local) &&
           done(r, berth__read_bool(r, node, "accumulation", BERTH__OPTIONAL, &out->accumulation)) &&
           done(r, berth__read_number(r, node, "batch", BERTH__NULLABLE, &out->batch)) &&
           done(r, read_uint32(r, node, "max_replicas", BERTH__NULLABLE, 1, &out->max_replicas)) &&
           read_measurements(r, node, out);
}

static bool read_applications(berth__reader *r, const berth__node *root, berth_goodput_workload *w) {
    berth__node all;
    if (!berth__node_member(r, root, "applications", BERTH__REQUIRED, &all) || !berth__node_is_object(r, &all))
        return false;
    w->n_applications = json_object_size(all.value);
    berth_application *applications = BERTH__ARENA_ARRAY(r->arena, berth_application, w->n_applications);
    if (!applications)
        return berth__reader_memory(r);
    size_t k = 0;
    for (void *at = json_object_iter(all.value); at != NULL; at = json_object_iter_next(all.value, at), k++) {
        const berth__node node = {.value = json_object_iter_value(at), .parent = &all, .key = json_object_iter_key(at)};
        applications[k].name = berth__arena_strdup(r->arena, node.key);
        if (!applications[k].name)
            return berth__reader_memory(r);
        if (!read_application(r, &node, &applications[k]))
            return false;
    }
    w->applications = applications;
    return true;
}

/* {name: speed}; none: one type of speed 1. */
static bool read_types(berth__reader *r, const berth__node *root, berth_goodput_workload *w) {
    static const char *const only[] = {"gpu"};
    berth__node all;
    w->n_types = 1;
    w->type_names = only;
    if (!berth__node_member(r, root, "gpu_types", BERTH__NULLABLE, &all))
        return r->status == BERTH_OK;
    if (!berth__node_is_object(r, &all))
        return false;
    w->n_types = json_object_size(all.value);
    const char **names = BERTH__ARENA_ARRAY(r->arena, const char *, w->n_types);
    double *speed = BERTH__ARENA_ARRAY(r->arena, double, w->n_types);
    if (!names || !speed)
        return berth__reader_memory(r);
    size_t k = 0;
    for (void *at = json_object_iter(all.value); at != NULL; at = json_object_iter_next(all.value, at), k++) {
        const berth__node node = {.value = json_object_iter_value(at), .parent = &all, .key = json_object_iter_key(at)};
        names[k] = berth__arena_strdup(r->arena, node.key);
        if (!names[k])
            return berth__reader_memory(r);
        if (!berth__node_number(r, &node, &speed[k]))
            return false;
    }
    w->type_names = names;
    w->speed = speed;
    return true;
}

typedef struct group {
    const char *name;
    size_t count, type;
    uint32_t gpus;
} group;

static bool read_group(berth__reader *r, const berth__node *node, const berth_goodput_workload *w, group *out) {
    static const char *const known[] = {"name", "count", "gpus", "gpu_type"};
    const char *type = NULL;
    *out = (group){.count = 1};
    if (!BERTH__ONLY_FIELDS(r, node, known) || !berth__read_string(r, node, "name", BERTH__REQUIRED, &out->name) ||
        !done(r, berth__read_size(r, node, "count", BERTH__OPTIONAL, &out->count)) ||
        !read_uint32(r, node, "gpus", BERTH__REQUIRED, 1, &out->gpus))
        return false;
    if (out->count < 1 || out->count > MOST_NODES)
        return berth__member_fail(r, node, "count", BERTH_E_INPUT, "is %zu; expected a number from 1 to %d", out->count,
                                  MOST_NODES);
    if (!berth__read_string(r, node, "gpu_type", BERTH__NULLABLE, &type))
        return r->status == BERTH_OK;
    while (out->type < w->n_types && strcmp(w->type_names[out->type], type) != 0)
        out->type++;
    return out->type < w->n_types ||
           berth__member_fail(r, node, "gpu_type", BERTH_E_INPUT, "gpu_types has no \"%.60s\"", type);
}

static bool expand(berth__reader *r, const berth__node *list, const group *groups, size_t n,
                   berth_goodput_workload *w) {
    for (size_t g = 0; g < n; g++)
        w->n_nodes += groups[g].count;
    if (w->n_nodes > MOST_NODES)
        return berth__node_fail(r, list, BERTH_E_INPUT, "has %zu nodes; the limit is %d", w->n_nodes, MOST_NODES);
    uint32_t *gpus = BERTH__ARENA_ARRAY(r->arena, uint32_t, w->n_nodes);
    size_t *types = BERTH__ARENA_ARRAY(r->arena, size_t, w->n_nodes), k = 0;
    const char **names = BERTH__ARENA_ARRAY(r->arena, const char *, w->n_nodes);
    if (!gpus || !types || !names)
        return berth__reader_memory(r);
    for (size_t g = 0; g < n; g++)
        for (size_t i = 0; i < groups[g].count; i++, k++) {
            gpus[k] = groups[g].gpus;
            types[k] = groups[g].type;
            names[k] =
                groups[g].count == 1 ? groups[g].name : berth__arena_printf(r->arena, "%s-%zu", groups[g].name, i);
            if (!names[k])
                return berth__reader_memory(r);
        }
    w->gpus = gpus;
    w->gpu_type = types;
    w->node_names = names;
    return true;
}

/* No name twice. */
static bool are_distinct(berth__reader *r, const berth__node *list, const char *what, size_t n,
                         const char *const *names) {
    berth__names seen = {0};
    bool good = berth__names_init(&seen, n) || berth__reader_memory(r);
    for (size_t k = 0; k < n && good; k++)
        good = berth__names_add(&seen, names[k], k) == BERTH__NO_NAME ||
               berth__node_fail(r, list, BERTH_E_INPUT, "%s \"%.60s\" is there twice", what, names[k]);
    berth__names_free(&seen);
    return good;
}

static bool read_nodes(berth__reader *r, const berth__node *root, berth_goodput_workload *w) {
    berth__node list;
    size_t n = 0;
    if (!berth__node_member(r, root, "nodes", BERTH__REQUIRED, &list) || !berth__node_array(r, &list, &n))
        return false;
    if (n == 0)
        return berth__node_fail(r, &list, BERTH_E_INPUT, "is empty; expected at least one node");
    group *groups = BERTH__ARENA_ARRAY(r->arena, group, n);
    if (!groups)
        return berth__reader_memory(r);
    for (size_t g = 0; g < n; g++) {
        const berth__node node = berth__node_element(&list, g);
        if (!read_group(r, &node, w, &groups[g]))
            return false;
    }
    return expand(r, &list, groups, n, w) && are_distinct(r, &list, "node", w->n_nodes, w->node_names);
}

static bool read_job(berth__reader *r, const berth__node *node, const berth_goodput_workload *w,
                     berth_training_job *out) {
    static const char *const known[] = {"id", "submit_s", "application", "replicas", "batch"};
    const char *name = NULL;
    if (!BERTH__ONLY_FIELDS(r, node, known) || !berth__read_string(r, node, "id", BERTH__REQUIRED, &out->id) ||
        !berth__read_number(r, node, "submit_s", BERTH__REQUIRED, &out->submit_s) ||
        !berth__read_string(r, node, "application", BERTH__REQUIRED, &name))
        return false;
    while (out->application < w->n_applications && strcmp(w->applications[out->application].name, name) != 0)
        out->application++;
    if (out->application == w->n_applications)
        return berth__member_fail(r, node, "application", BERTH_E_INPUT, "applications has no \"%.60s\"", name);
    out->replicas = 1;
    out->batch = w->applications[out->application].m0;
    return done(r, read_uint32(r, node, "replicas", BERTH__NULLABLE, 1, &out->replicas)) &&
           done(r, berth__read_number(r, node, "batch", BERTH__NULLABLE, &out->batch));
}

static bool read_jobs(berth__reader *r, const berth__node *root, berth_goodput_workload *w) {
    berth__node list;
    if (!berth__node_member(r, root, "jobs", BERTH__REQUIRED, &list) || !berth__node_array(r, &list, &w->n_jobs))
        return false;
    berth_training_job *jobs = BERTH__ARENA_ARRAY(r->arena, berth_training_job, w->n_jobs);
    const char **ids = BERTH__ARENA_ARRAY(r->arena, const char *, w->n_jobs);
    if (!jobs || !ids)
        return berth__reader_memory(r);
    for (size_t k = 0; k < w->n_jobs; k++) {
        const berth__node node = berth__node_element(&list, k);
        if (!read_job(r, &node, w, &jobs[k]))
            return false;
        ids[k] = jobs[k].id;
    }
    w->jobs = jobs;
    return are_distinct(r, &list, "job", w->n_jobs, ids);
}

static bool read_workload(berth__reader *r, const berth__node *root, berth_goodput_workload *w) {
    static const char *const known[] = {"format", "name",      "source", "round_s",      "restart_s",
                                        "tick_s", "gpu_types", "nodes",  "applications", "jobs"};
    berth_goodput_workload_init(w);
    return berth__read_format(r, root, format_name) && BERTH__ONLY_FIELDS(r, root, known) &&
           berth__read_string(r, root, "name", BERTH__REQUIRED, &w->name) &&
           done(r, berth__read_text(r, root, "source", BERTH__NULLABLE, &w->source)) &&
           done(r, berth__read_number(r, root, "round_s", BERTH__OPTIONAL, &w->round_s)) &&
           done(r, berth__read_number(r, root, "restart_s", BERTH__OPTIONAL, &w->restart_s)) &&
           done(r, berth__read_number(r, root, "tick_s", BERTH__OPTIONAL, &w->tick_s)) && read_types(r, root, w) &&
           read_nodes(r, root, w) && read_applications(r, root, w) && read_jobs(r, root, w);
}

/* ---- writing ---- */

static void write_numbers(berth__json_writer *writer, const char *key, size_t n, const double *values) {
    berth__json_list(writer, key);
    for (size_t k = 0; k < n; k++)
        berth__json_number(writer, NULL, values[k]);
    berth__json_close(writer);
}

static void write_counts(berth__json_writer *writer, const char *key, size_t n, const uint32_t *values) {
    berth__json_list(writer, key);
    for (size_t k = 0; k < n; k++)
        berth__json_integer(writer, NULL, values[k]);
    berth__json_close(writer);
}

static void write_placement(berth__json_writer *writer, const berth_measured_placement *p) {
    berth__json_object(writer, NULL);
    if (p->gpus) {
        write_counts(writer, "gpus", p->nodes, p->gpus);
    } else {
        berth__json_integer(writer, "nodes", p->nodes);
        berth__json_integer(writer, "replicas", p->replicas);
    }
    write_counts(writer, "local", p->n, p->local);
    write_numbers(writer, "step_s", p->n, p->step_s);
    write_numbers(writer, "sync_s", p->n, p->sync_s);
    berth__json_close(writer);
}

static void write_application(berth__json_writer *writer, const berth_application *app) {
    berth__json_object(writer, app->name);
    berth__json_number(writer, "m0", app->m0);
    berth__json_number(writer, "max_batch", app->max_batch);
    berth__json_number(writer, "min_local", app->min_local);
    berth__json_number(writer, "max_local", app->max_local);
    berth__json_bool(writer, "accumulation", app->accumulation);
    berth__json_number(writer, "batch", app->batch > 0 ? app->batch : (double)NAN);
    if (app->max_replicas > 0)
        berth__json_integer(writer, "max_replicas", app->max_replicas);
    berth__json_list(writer, "placements");
    for (size_t k = 0; k < app->n_placements; k++)
        write_placement(writer, &app->placements[k]);
    berth__json_close(writer);
    berth__json_list(writer, "trainings");
    for (size_t k = 0; k < app->n_trainings; k++) {
        const berth_measured_training *t = &app->trainings[k];
        berth__json_object(writer, NULL);
        berth__json_number(writer, "batch", t->batch);
        write_numbers(writer, "progress", app->epochs, t->progress);
        write_numbers(writer, "iterations", app->epochs, t->iterations);
        write_numbers(writer, "grad_sqr", app->epochs, t->grad_sqr);
        write_numbers(writer, "grad_var", app->epochs, t->grad_var);
        berth__json_close(writer);
    }
    berth__json_close(writer);
    berth__json_close(writer);
}

/* As groups of one: names are what results go by. */
static void write_nodes(berth__json_writer *writer, const berth_goodput_workload *w) {
    berth__json_list(writer, "nodes");
    for (size_t k = 0; k < w->n_nodes; k++) {
        berth__json_object(writer, NULL);
        berth__json_string(writer, "name", w->node_names[k]);
        berth__json_integer(writer, "gpus", w->gpus[k]);
        if (w->n_types > 1 && w->gpu_type)
            berth__json_string(writer, "gpu_type", w->type_names[w->gpu_type[k]]);
        berth__json_close(writer);
    }
    berth__json_close(writer);
}

static void write_job(berth__json_writer *writer, const berth_goodput_workload *w, const berth_training_job *job) {
    berth__json_object(writer, NULL);
    berth__json_string(writer, "id", job->id);
    berth__json_number(writer, "submit_s", job->submit_s);
    berth__json_string(writer, "application", w->applications[job->application].name);
    berth__json_integer(writer, "replicas", job->replicas);
    berth__json_number(writer, "batch", job->batch);
    berth__json_close(writer);
}

static void write_workload(berth__json_writer *writer, const berth_goodput_workload *w) {
    berth__json_begin(writer);
    berth__json_object(writer, NULL);
    berth__json_string(writer, "format", format_name);
    berth__json_string(writer, "name", w->name);
    berth__json_string(writer, "source", w->source);
    berth__json_number(writer, "round_s", w->round_s);
    berth__json_number(writer, "restart_s", w->restart_s);
    berth__json_number(writer, "tick_s", w->tick_s);
    if (w->speed || w->n_types > 1) {
        berth__json_object(writer, "gpu_types");
        for (size_t k = 0; k < w->n_types; k++)
            berth__json_number(writer, w->type_names[k], w->speed ? w->speed[k] : 1);
        berth__json_close(writer);
    }
    write_nodes(writer, w);
    berth__json_list(writer, "jobs");
    for (size_t k = 0; k < w->n_jobs; k++)
        write_job(writer, w, &w->jobs[k]);
    berth__json_close(writer);
    berth__json_object(writer, "applications");
    for (size_t k = 0; k < w->n_applications; k++)
        write_application(writer, &w->applications[k]);
    berth__json_close(writer);
    berth__json_close(writer);
}

berth_status berth_goodput_workload_write(const berth_goodput_workload *workload, const char *path,
                                          berth_error *error) {
    berth__json_writer writer;
    berth__error_clear(error);
    if (!workload || !path)
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "workload and path must not be NULL");
    const berth_status status = berth__goodput_check_workload(workload, BERTH_E_ARGUMENT, error);
    if (status)
        return status;
    write_workload(&writer, workload);
    return berth__json_finish_file(&writer, path, error);
}

/* Of the text as it would be written, so that layout and defaults don't matter. */
static berth_status crc32_of(const berth_goodput_workload *workload, uint32_t *out, berth_error *error) {
    berth__json_writer writer;
    char *text = NULL;
    size_t length = 0;
    write_workload(&writer, workload);
    const berth_status status = berth__json_finish(&writer, &text, &length, error);
    if (!status)
        *out = (uint32_t)crc32_z(crc32_z(0, NULL, 0), (const unsigned char *)text, length);
    berth__free(text);
    return status;
}

berth_status berth__goodput_workload_finish(berth_goodput_workload *workload, berth_error *error) {
    const berth_status status = berth__goodput_check_workload(workload, BERTH_E_INPUT, error);
    return status ? status : crc32_of(workload, &workload->crc32, error);
}

/* ---- whole files ---- */

static berth_status read_root(json_t *root, berth_goodput_workload **out, berth_error *error) {
    berth__reader r = {.arena = berth__arena_new(), .error = error};
    const berth__node node = berth__node_root(root);
    berth_goodput_workload *w = r.arena ? BERTH__ARENA_ARRAY(r.arena, berth_goodput_workload, 1) : NULL;
    if (!w)
        berth__reader_memory(&r);
    else if (read_workload(&r, &node, w))
        r.status = berth__goodput_workload_finish(w, error);
    if (r.status != BERTH_OK) {
        berth__arena_free(r.arena);
        return r.status;
    }
    w->memory = r.arena;
    *out = w;
    return BERTH_OK;
}

berth_status berth_goodput_workload_read(const char *path, berth_goodput_workload **out, berth_error *error) {
    json_t *root = NULL;
    berth__c_locale locale;
    berth__error_clear(error);
    if (out)
        *out = NULL;
    if (!path || !out)
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "path and out must not be NULL");
    if (!berth__c_locale_enter(&locale))
        return berth__fail_memory(error);
    berth_status status = berth__json_read_file(path, &root, error);
    if (!status)
        status = read_root(root, out, error);
    json_decref(root);
    berth__c_locale_leave(&locale);
    return status;
}

void berth_goodput_workload_free(berth_goodput_workload *workload) {
    if (workload)
        berth__arena_free(workload->memory);
}
