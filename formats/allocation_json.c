/* Who gets which GPUs, and its certificate: berth-allocation-1. */
#include <math.h>
#include <string.h>

#include "base/numeric.h"
#include "formats/goodput_names.h"
#include "formats/result_json.h"

static const char format_name[] = "berth-allocation-1";

static const char *const outcome_names[] = {
#define OUTCOME_TEXT(name, value, text) #name,
    BERTH_OUTCOME_TABLE(OUTCOME_TEXT)
#undef OUTCOME_TEXT
};
static const char *const allocator_names[] = {
#define ALLOCATOR_TEXT(name, value, text) text,
    BERTH_ALLOCATOR_TABLE(ALLOCATOR_TEXT)
#undef ALLOCATOR_TEXT
};
static const char *const mode_names[] = {"grid", "exact"};
static const double most_power = 64;
#define LENGTH(table) (sizeof(table) / sizeof *(table))

/* ---- writing ---- */

static double finite_or_null(double value) {
    return isfinite(value) ? value : (double)NAN;
}

/* {type: price}, or null. */
static void write_prices(berth__json_writer *w, const char *key, const double *prices,
                         const berth_goodput_instance *instance) {
    char buffer[BERTH__GOODPUT_NAME_ROOM];
    if (prices == NULL) {
        berth__json_null(w, key);
        return;
    }
    berth__json_object(w, key);
    for (size_t type = 0; type < instance->n_types; type++) {
        berth__json_number(w, berth__goodput_type_name(instance, type, buffer), prices[type]);
    }
    berth__json_close(w);
}

/* GPUs of the largest node of a type. */
static uint32_t largest_of(const berth_goodput_instance *instance, size_t type) {
    uint32_t largest = 0;
    for (size_t n = 0; n < instance->n_nodes; n++) {
        const size_t of = instance->gpu_type != NULL ? instance->gpu_type[n] : 0;
        largest = of == type && instance->gpus[n] > largest ? instance->gpus[n] : largest;
    }
    return largest;
}

static void write_list(berth__json_writer *w, const char *key, const double *values, size_t n) {
    berth__json_list(w, key);
    for (size_t k = 0; k < n; k++) {
        berth__json_number(w, NULL, values[k]);
    }
    berth__json_close(w);
}

/* {type: {local: [price of 1 GPU, of 2, ..], spread: [..]}}; nothing where there are none. */
static void write_piece_prices(berth__json_writer *w, const berth_allocation *a,
                               const berth_goodput_instance *instance) {
    char buffer[BERTH__GOODPUT_NAME_ROOM];
    if (a->local_prices == NULL || a->spread_prices == NULL) {
        return;
    }
    berth__json_object(w, "piece_prices");
    for (size_t type = 0; type < instance->n_types; type++) {
        const uint32_t largest = largest_of(instance, type);
        const size_t n = largest < a->n_sizes ? largest : a->n_sizes;
        berth__json_object(w, berth__goodput_type_name(instance, type, buffer));
        write_list(w, "local", a->local_prices + type * a->n_sizes, n);
        write_list(w, "spread", a->spread_prices + type * a->n_sizes, n);
        berth__json_close(w);
    }
    berth__json_close(w);
}

static void write_job(berth__json_writer *w, const berth_allocated_job *job, const berth_goodput_instance *instance,
                      size_t number) {
    char buffer[BERTH__GOODPUT_NAME_ROOM];
    berth__json_object(w, NULL);
    berth__json_string(w, "id", berth__goodput_job_name(instance, number, buffer));
    berth__json_object(w, "nodes");
    for (size_t k = 0; k < job->n_nodes; k++) {
        berth__json_integer(w, berth__goodput_node_name(instance, job->nodes[k].node, buffer), job->nodes[k].gpus);
    }
    berth__json_close(w);
    berth__json_integer(w, "replicas", job->replicas);
    berth__json_integer(w, "m", job->local);
    berth__json_integer(w, "s", job->accumulation);
    berth__json_number(w, "goodput", finite_or_null(job->goodput));
    berth__json_number(w, "speedup", finite_or_null(job->speedup));
    berth__json_bool(w, "kept", job->kept);
    berth__json_close(w);
}

static void write_figures(berth__json_writer *w, const berth_allocation *a) {
    berth__json_string(w, "allocator", allocator_names[a->allocator]);
    berth__json_string(w, "mode", mode_names[a->mode == BERTH_BATCH_EXACT]);
    berth__json_number(w, "p", a->p);
    berth__json_uint64(w, "seed", a->seed);
    berth__json_string(w, "outcome", berth_outcome_name(a->outcome));
    berth__json_bool(w, "stopped", a->stopped);
    berth__json_bool(w, "starve_last", a->starve_last);
    berth__json_bool(w, "node_level", a->node_level);
    berth__json_number(w, "fitness", finite_or_null(a->fitness));
    berth__json_number(w, "bound", finite_or_null(a->bound));
    berth__json_number(w, "search_bound", finite_or_null(a->search_bound));
    berth__json_number(w, "ratio", finite_or_null(a->ratio));
    berth__json_integer(w, "starved", (long long)a->starved);
    berth__json_integer(w, "starved_bound", (long long)a->starved_bound);
}

static void write_allocation(berth__json_writer *w, const berth_allocation *allocation,
                             const berth_goodput_instance *instance) {
    static const char *const names[] = {"berth"};
    const char *const numbers[] = {berth_version()};
    berth__json_object(w, NULL);
    berth__json_string(w, "format", format_name);
    berth__json_string(w, "instance", instance->name);
    berth__write_crc32(w, "instance_crc32", instance->crc32);
    write_figures(w, allocation);
    write_prices(w, "prices", allocation->prices, instance);
    berth__json_number(w, "starve_price", finite_or_null(allocation->starve_price));
    write_prices(w, "serve_prices", allocation->serve_prices, instance);
    write_piece_prices(w, allocation, instance);
    berth__json_list(w, "jobs");
    for (size_t job = 0; job < allocation->n_jobs; job++) {
        write_job(w, &allocation->jobs[job], instance, job);
    }
    berth__json_close(w);
    berth__write_versions(w, 1, names, numbers);
    berth__json_close(w);
}

berth_status berth_allocation_write(const berth_allocation *allocation, const berth_goodput_instance *instance,
                                    const char *path, berth_error *error) {
    berth__json_writer w;
    berth__error_clear(error);
    if (allocation == NULL || instance == NULL || path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "allocation, instance and path must not be NULL");
    }
    if (allocation->n_jobs != instance->n_jobs && allocation->n_jobs != 0) {
        return berth__fail(error, BERTH_E_MISMATCH, "jobs", "the allocation is of %zu jobs, the instance has %zu",
                           allocation->n_jobs, instance->n_jobs);
    }
    berth__json_begin(&w);
    write_allocation(&w, allocation, instance);
    return berth__json_finish_file(&w, path, error);
}

/* ---- reading ---- */

static bool read_instance_of(berth__reader *r, const berth__node *root, const berth_goodput_instance *instance) {
    const char *name = NULL, *ours = instance->name != NULL ? instance->name : "";
    uint32_t crc32 = instance->crc32;
    berth__node node;
    if (!berth__read_text(r, root, "instance", BERTH__NULLABLE, &name) && r->status != BERTH_OK) {
        return false;
    }
    if (name != NULL && strcmp(name, ours) != 0) {
        return berth__member_fail(r, root, "instance", BERTH_E_MISMATCH,
                                  "this belongs to instance \"%.60s\", not to \"%.60s\"", name, ours);
    }
    if (berth__node_member(r, root, "instance_crc32", BERTH__NULLABLE, &node) &&
        !berth__read_crc32(r, root, "instance_crc32", BERTH__REQUIRED, &crc32)) {
        return false;
    }
    return r->status == BERTH_OK &&
           (crc32 == instance->crc32 || berth__member_fail(r, root, "instance_crc32", BERTH_E_MISMATCH,
                                                           "made from another state of instance \"%.60s\": its crc32 "
                                                           "was %08lx and is %08lx now",
                                                           ours, (unsigned long)crc32, (unsigned long)instance->crc32));
}

static bool read_words(berth__reader *r, const berth__node *root, berth_allocation *out) {
    size_t outcome = BERTH_FEASIBLE, allocator = 0, mode = 0;
    const bool good =
        berth__read_word(r, root, "allocator", BERTH__REQUIRED, allocator_names, LENGTH(allocator_names), &allocator) &&
        berth__read_word(r, root, "mode", BERTH__REQUIRED, mode_names, LENGTH(mode_names), &mode) &&
        berth__read_word(r, root, "outcome", BERTH__REQUIRED, outcome_names, LENGTH(outcome_names), &outcome);
    out->allocator = (berth_allocator)allocator;
    out->mode = (berth_batch_mode)mode;
    out->outcome = (berth_outcome)outcome;
    return good && berth__goodput_read_real(r, root, "p", BERTH__REQUIRED, -most_power, most_power, &out->p) &&
           berth__read_seed(r, root, BERTH__REQUIRED, &out->seed);
}

static bool read_figures(berth__reader *r, const berth__node *root, berth_allocation *out) {
    const struct {
        const char *key;
        double *to;
    } numbers[] = {{"fitness", &out->fitness},
                   {"bound", &out->bound},
                   {"search_bound", &out->search_bound},
                   {"ratio", &out->ratio},
                   {"starve_price", &out->starve_price}};
    const struct {
        const char *key;
        bool *to;
    } flags[] = {{"stopped", &out->stopped}, {"starve_last", &out->starve_last}, {"node_level", &out->node_level}};
    for (size_t k = 0; k < LENGTH(numbers); k++) {
        *numbers[k].to = (double)NAN;
        if (!berth__read_number(r, root, numbers[k].key, BERTH__NULLABLE, numbers[k].to) && r->status != BERTH_OK) {
            return false;
        }
    }
    for (size_t k = 0; k < LENGTH(flags); k++) {
        if (!berth__read_bool(r, root, flags[k].key, BERTH__NULLABLE, flags[k].to) && r->status != BERTH_OK) {
            return false;
        }
    }
    out->starve_price = isnan(out->starve_price) ? 0 : out->starve_price;
    return berth__read_size(r, root, "starved", BERTH__REQUIRED, &out->starved) &&
           berth__read_size(r, root, "starved_bound", BERTH__REQUIRED, &out->starved_bound);
}

static bool read_prices(berth__reader *r, const berth__node *root, const char *key, const berth__goodput_names *names,
                        const double **out) {
    berth__node node;
    if (!berth__node_member(r, root, key, BERTH__NULLABLE, &node)) {
        return r->status == BERTH_OK;
    }
    double *prices = BERTH__ARENA_ARRAY(r->arena, double, names->instance->n_types);
    if (prices == NULL) {
        return berth__reader_memory(r);
    }
    *out = prices;
    if (!berth__node_is_object(r, &node)) {
        return false;
    }
    for (void *at = json_object_iter(node.value); at != NULL; at = json_object_iter_next(node.value, at)) {
        berth__node value = {.value = json_object_iter_value(at), .parent = &node, .key = json_object_iter_key(at)};
        size_t type;
        if (!berth__goodput_find_type(r, &value, names, value.key, &type) ||
            !berth__node_number(r, &value, &prices[type])) {
            return false;
        }
    }
    return true;
}

static bool read_list(berth__reader *r, const berth__node *object, const char *key, size_t n, double *out) {
    berth__node list;
    size_t has;
    if (!berth__node_member(r, object, key, BERTH__REQUIRED, &list) || !berth__node_array(r, &list, &has)) {
        return false;
    }
    if (has != n) {
        return berth__node_fail(r, &list, BERTH_E_INPUT,
                                "%zu prices; expected one for each number of GPUs up to the type's largest node's, %zu",
                                has, n);
    }
    for (size_t k = 0; k < n; k++) {
        const berth__node item = berth__node_element(&list, k);
        if (!berth__node_number(r, &item, &out[k])) {
            return false;
        }
    }
    return true;
}

/* All types, those that are left out without prices. */
static bool read_piece_prices(berth__reader *r, const berth__node *root, const berth__goodput_names *names,
                              berth_allocation *out) {
    static const char *const known[] = {"local", "spread"};
    const berth_goodput_instance *instance = names->instance;
    berth__node node;
    if (!berth__node_member(r, root, "piece_prices", BERTH__NULLABLE, &node)) {
        return r->status == BERTH_OK;
    }
    if (!berth__node_is_object(r, &node)) {
        return false;
    }
    for (size_t type = 0; type < instance->n_types; type++) {
        const uint32_t largest = largest_of(instance, type);
        out->n_sizes = largest > out->n_sizes ? largest : out->n_sizes;
    }
    double *local = BERTH__ARENA_ARRAY(r->arena, double, instance->n_types * out->n_sizes);
    double *spread = BERTH__ARENA_ARRAY(r->arena, double, instance->n_types * out->n_sizes);
    if (local == NULL || spread == NULL) {
        return berth__reader_memory(r);
    }
    out->local_prices = local;
    out->spread_prices = spread;
    for (void *at = json_object_iter(node.value); at != NULL; at = json_object_iter_next(node.value, at)) {
        const berth__node of = {.value = json_object_iter_value(at), .parent = &node, .key = json_object_iter_key(at)};
        size_t type;
        if (!berth__goodput_find_type(r, &of, names, of.key, &type) || !berth__node_is_object(r, &of) ||
            !BERTH__ONLY_FIELDS(r, &of, known) ||
            !read_list(r, &of, "local", largest_of(instance, type), local + type * out->n_sizes) ||
            !read_list(r, &of, "spread", largest_of(instance, type), spread + type * out->n_sizes)) {
            return false;
        }
    }
    return true;
}

static bool read_job(berth__reader *r, const berth__node *node, const berth__goodput_names *names,
                     berth_allocated_job *out) {
    berth__node nodes;
    out->goodput = out->speedup = (double)NAN;
    return berth__node_member(r, node, "nodes", BERTH__REQUIRED, &nodes) &&
           berth__goodput_read_gpus(r, &nodes, names, &out->n_nodes, &out->nodes) &&
           berth__goodput_read_whole(r, node, "replicas", BERTH__REQUIRED, 0, UINT32_MAX, &out->replicas) &&
           berth__goodput_read_whole(r, node, "m", BERTH__REQUIRED, 0, UINT32_MAX, &out->local) &&
           berth__goodput_read_whole(r, node, "s", BERTH__REQUIRED, 0, UINT32_MAX, &out->accumulation) &&
           (berth__read_number(r, node, "goodput", BERTH__NULLABLE, &out->goodput) || r->status == BERTH_OK) &&
           (berth__read_number(r, node, "speedup", BERTH__NULLABLE, &out->speedup) || r->status == BERTH_OK) &&
           berth__read_bool(r, node, "kept", BERTH__REQUIRED, &out->kept);
}

/* Jobs by id, in any order, each of them once. */
static bool read_each_job(berth__reader *r, const berth__node *list, size_t n, const berth__goodput_names *names,
                          const berth__names *ids, berth_allocation *out) {
    static const char *const known[] = {"id", "nodes", "replicas", "m", "s", "goodput", "speedup", "kept"};
    berth_allocated_job *jobs = BERTH__ARENA_ARRAY(r->arena, berth_allocated_job, n);
    bool *seen = BERTH__ARENA_ARRAY(r->arena, bool, n);
    if (jobs == NULL || seen == NULL) {
        return berth__reader_memory(r);
    }
    for (size_t k = 0; k < n; k++) {
        berth__node item = berth__node_element(list, k);
        const char *id = NULL;
        if (!BERTH__ONLY_FIELDS(r, &item, known) || !berth__read_string(r, &item, "id", BERTH__REQUIRED, &id)) {
            return false;
        }
        const size_t job = berth__names_find(ids, id);
        if (job == BERTH__NO_NAME || seen[job]) {
            return berth__member_fail(
                r, &item, "id", BERTH_E_INPUT,
                job == BERTH__NO_NAME ? "the instance has no job '%.60s'" : "job '%.60s' stands here twice", id);
        }
        seen[job] = true;
        if (!read_job(r, &item, names, &jobs[job])) {
            return false;
        }
    }
    out->jobs = jobs;
    out->n_jobs = n;
    return true;
}

static bool index_jobs(const berth__goodput_names *names, berth__names *ids) {
    char buffer[BERTH__GOODPUT_NAME_ROOM];
    bool good = berth__names_init(ids, names->instance->n_jobs);
    for (size_t job = 0; good && job < names->instance->n_jobs; job++) {
        const char *name = berth__goodput_job_name(names->instance, job, buffer);
        name = name == buffer ? berth__arena_strdup(names->arena, buffer) : name;
        good = name != NULL;
        if (good) {
            berth__names_add(ids, name, job);
        }
    }
    return good;
}

static bool read_jobs(berth__reader *r, const berth__node *root, const berth__goodput_names *names,
                      berth_allocation *out) {
    berth__node list;
    berth__names ids = {0};
    size_t n;
    if (!berth__node_member(r, root, "jobs", BERTH__REQUIRED, &list) || !berth__node_array(r, &list, &n)) {
        return false;
    }
    if (n != names->instance->n_jobs && !(n == 0 && out->outcome == BERTH_INFEASIBLE)) {
        return berth__node_fail(r, &list, BERTH_E_MISMATCH, "%zu jobs, the instance has %zu", n,
                                names->instance->n_jobs);
    }
    const bool good = index_jobs(names, &ids) ? read_each_job(r, &list, n, names, &ids, out) : berth__reader_memory(r);
    berth__names_free(&ids);
    return good;
}

static bool read_root(berth__reader *r, const berth__node *root, const berth_goodput_instance *instance,
                      berth_allocation *out) {
    static const char *const known[] = {"format",     "instance",      "instance_crc32", "allocator",    "mode",
                                        "p",          "seed",          "outcome",        "stopped",      "starve_last",
                                        "node_level", "fitness",       "bound",          "search_bound", "ratio",
                                        "starved",    "starved_bound", "prices",         "starve_price", "serve_prices",
                                        "jobs",       "piece_prices",  "versions"};
    berth__goodput_names names = {0};
    out->n_types = instance->n_types;
    const bool good = berth__read_format(r, root, format_name) && BERTH__ONLY_FIELDS(r, root, known) &&
                      read_instance_of(r, root, instance) && read_words(r, root, out) && read_figures(r, root, out) &&
                      (berth__goodput_names_init(&names, instance) || berth__reader_memory(r)) &&
                      read_prices(r, root, "prices", &names, &out->prices) &&
                      read_prices(r, root, "serve_prices", &names, &out->serve_prices) &&
                      read_piece_prices(r, root, &names, out) && read_jobs(r, root, &names, out);
    berth__goodput_names_free(&names);
    return good;
}

static berth_status allocation_from(json_t *document, const berth_goodput_instance *instance, berth_allocation **out,
                                    berth_error *error) {
    berth__reader r = {.arena = berth__arena_new(), .error = error};
    berth_allocation *allocation = r.arena == NULL ? NULL : BERTH__ARENA_ARRAY(r.arena, berth_allocation, 1);
    const berth__node root = berth__node_root(document);
    if (allocation == NULL) {
        berth__reader_memory(&r);
    } else {
        read_root(&r, &root, instance, allocation);
    }
    if (r.status != BERTH_OK) {
        berth__arena_free(r.arena);
        return r.status;
    }
    allocation->memory = r.arena;
    *out = allocation;
    return BERTH_OK;
}

berth_status berth_allocation_read(const char *path, const berth_goodput_instance *instance, berth_allocation **out,
                                   berth_error *error) {
    berth__c_locale locale;
    json_t *document = NULL;
    *out = NULL;
    berth__error_clear(error);
    if (path == NULL || instance == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "path and instance must not be NULL");
    }
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth_status status = berth__json_read_file(path, &document, error);
    status = status == BERTH_OK ? allocation_from(document, instance, out, error) : status;
    json_decref(document);
    berth__c_locale_leave(&locale);
    return status;
}
