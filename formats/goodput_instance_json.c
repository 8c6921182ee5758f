/* Reading instances of allocation, berth-goodput-1. */
#include <stdio.h>
#include <string.h>

#include "base/numeric.h"
#include "formats/goodput_instance_json.h"
#include "formats/goodput_names.h"
#include "formats/goodput_profile_json.h"

static const char format_name[] = "berth-goodput-1";
static const double most_seconds = 1e15, most_value = 1e15, most_power = 64;
static const double least_worth = 1e-9, most_worth = 1e12;
enum { MOST_NODES = 16, MOST_REPLICAS = 4096, MOST_TYPES = 256 }; /* of a job, of a job, of GPUs */

/* ---- GPU types ---- */

/* The list of types, or those of the nodes by first appearance; NULL names if there are none. */
static bool read_types(berth__reader *r, const berth__node *root, berth__names *types, berth_goodput_instance *out) {
    const char *const *names = NULL;
    size_t n = 0;
    if (!berth__read_strings(r, root, "gpu_types", BERTH__OPTIONAL, &n, &names)) {
        return r->status == BERTH_OK;
    }
    berth__node list = {.parent = root, .key = "gpu_types"};
    if (n == 0) {
        return berth__node_fail(r, &list, BERTH_E_INPUT, "there must be at least one type");
    }
    if (n > MOST_TYPES) {
        return berth__node_fail(r, &list, BERTH_E_INPUT, "%zu types; the limit is %d", n, MOST_TYPES);
    }
    berth__names_free(types);
    if (!berth__names_init(types, n)) {
        return berth__reader_memory(r);
    }
    for (size_t k = 0; k < n; k++) {
        berth__node item = {.parent = &list, .index = k};
        if (berth__names_add(types, names[k], k) != BERTH__NO_NAME) {
            return berth__node_fail(r, &item, BERTH_E_INPUT, "GPU type \"%.60s\" is named twice", names[k]);
        }
    }
    out->type_names = names;
    out->n_types = n;
    return true;
}

/* Names of the types as they come up, when there is no list of them. */
typedef struct type_list {
    const char **names; /* [groups] */
    size_t n;
    bool closed; /* the file lists them */
    berth__names index;
} type_list;

/* A group's type: its number, 0 where there are none. */
static bool read_type(berth__reader *r, const berth__node *node, type_list *types, bool first, size_t *out) {
    const char *name = NULL;
    *out = 0;
    const bool given = berth__read_string(r, node, "gpu_type", BERTH__OPTIONAL, &name);
    if (r->status != BERTH_OK) {
        return false;
    }
    if (!given && types->n > 0) {
        return berth__member_fail(r, node, "gpu_type", BERTH_E_INPUT, "missing, though GPUs have types here");
    }
    if (!given) {
        return true;
    }
    *out = berth__names_find(&types->index, name);
    if (*out != BERTH__NO_NAME) {
        return true;
    }
    if (types->closed || (types->n == 0 && !first)) {
        return berth__member_fail(r, node, "gpu_type", BERTH_E_INPUT,
                                  types->closed ? "'%.60s' is not one of gpu_types"
                                                : "'%.60s', though the GPUs of the nodes before have no type",
                                  name);
    }
    if (types->n == MOST_TYPES) {
        return berth__member_fail(r, node, "gpu_type", BERTH_E_INPUT, "more than %d types of GPU", MOST_TYPES);
    }
    *out = types->n;
    types->names[types->n] = name;
    berth__names_add(&types->index, name, types->n++);
    return true;
}

/* ---- nodes ---- */

typedef struct node_group {
    const char *name;
    uint32_t count, gpus;
    size_t type;
} node_group;

static bool read_group(berth__reader *r, const berth__node *node, type_list *types, bool first, node_group *out) {
    static const char *const fields[] = {"name", "count", "gpus", "gpu_type"};
    out->count = 1;
    return BERTH__ONLY_FIELDS(r, node, fields) && berth__read_string(r, node, "name", BERTH__REQUIRED, &out->name) &&
           berth__goodput_read_whole(r, node, "count", BERTH__OPTIONAL, 1, BERTH__MAX_GOODPUT_NODES, &out->count) &&
           berth__goodput_read_whole(r, node, "gpus", BERTH__REQUIRED, 0, BERTH__MAX_NODE_GPUS, &out->gpus) &&
           read_type(r, node, types, first, &out->type);
}

/* "name-0", "name-1", ... of a group of several. */
static const char *node_name(berth__reader *r, const node_group *group, uint32_t k) {
    return group->count == 1 ? group->name : berth__arena_printf(r->arena, "%s-%u", group->name, k);
}

static bool expand(berth__reader *r, const berth__node *list, const node_group *groups, size_t n_groups,
                   berth_goodput_instance *out) {
    uint32_t *gpus = BERTH__ARENA_ARRAY(r->arena, uint32_t, out->n_nodes);
    size_t *type = BERTH__ARENA_ARRAY(r->arena, size_t, out->n_nodes);
    const char **names = BERTH__ARENA_ARRAY(r->arena, const char *, out->n_nodes);
    berth__names seen = {0};
    if (gpus == NULL || type == NULL || names == NULL || !berth__names_init(&seen, out->n_nodes)) {
        return berth__reader_memory(r);
    }
    size_t at = 0;
    for (size_t g = 0; g < n_groups && r->status == BERTH_OK; g++) {
        for (uint32_t k = 0; k < groups[g].count && r->status == BERTH_OK; k++, at++) {
            gpus[at] = groups[g].gpus;
            type[at] = groups[g].type;
            names[at] = node_name(r, &groups[g], k);
            if (names[at] == NULL) {
                berth__reader_memory(r);
            } else if (berth__names_add(&seen, names[at], at) != BERTH__NO_NAME) {
                berth__node group = berth__node_element(list, g);
                berth__member_fail(r, &group, "name", BERTH_E_INPUT, "a second node \"%.60s\"", names[at]);
            }
        }
    }
    berth__names_free(&seen);
    out->gpus = gpus;
    out->gpu_type = type;
    out->node_names = names;
    return r->status == BERTH_OK;
}

static bool read_groups(berth__reader *r, const berth__node *list, size_t n, type_list *types,
                        berth_goodput_instance *out) {
    node_group *groups = BERTH__ARENA_ARRAY(r->arena, node_group, n);
    types->names = BERTH__ARENA_ARRAY(r->arena, const char *, n);
    if (groups == NULL || types->names == NULL || (!types->closed && !berth__names_init(&types->index, n))) {
        return berth__reader_memory(r);
    }
    for (size_t g = 0; g < n; g++) {
        berth__node item = berth__node_element(list, g);
        if (!read_group(r, &item, types, g == 0, &groups[g])) {
            return false;
        }
        out->n_nodes += groups[g].count;
        if (out->n_nodes > BERTH__MAX_GOODPUT_NODES) {
            return berth__node_fail(r, list, BERTH_E_INPUT, "more than %d nodes in all", BERTH__MAX_GOODPUT_NODES);
        }
    }
    if (!types->closed && types->n > 0) {
        out->type_names = types->names;
        out->n_types = types->n;
    }
    return expand(r, list, groups, n, out);
}

static bool read_nodes(berth__reader *r, const berth__node *root, berth_goodput_instance *out) {
    berth__node list;
    size_t n;
    type_list types = {0};
    bool good = read_types(r, root, &types.index, out) &&
                berth__node_member(r, root, "nodes", BERTH__REQUIRED, &list) && berth__node_array(r, &list, &n);
    if (good && n == 0) {
        good = berth__node_fail(r, &list, BERTH_E_INPUT, "there must be at least one node");
    }
    types.closed = out->type_names != NULL;
    types.n = types.closed ? out->n_types : 0;
    good = good && read_groups(r, &list, n, &types, out);
    berth__names_free(&types.index);
    return good;
}

/* ---- jobs ---- */

#define JOB_FIELDS                                                                                                     \
    "id", "age_s", "restarts", "current", "min_replicas", "max_replicas", "pinned", "attained_gpu_s", "requested",     \
        "remaining_samples"

static bool read_profile(berth__reader *r, const berth__node *job, const berth__node *times, berth_goodput_job *out) {
    static const char *const fields[] = {BERTH__GOODPUT_TIME_FIELDS};
    berth_goodput_profile *profile = BERTH__ARENA_ARRAY(r->arena, berth_goodput_profile, 1);
    if (profile == NULL) {
        return berth__reader_memory(r);
    }
    berth_goodput_profile_init(profile);
    out->profile = profile;
    return BERTH__ONLY_FIELDS(r, times, fields) && berth__read_goodput_times(r, times, profile) &&
           berth__read_goodput_batches(r, job, profile) && berth__check_goodput_profile(r, times, job, profile);
}

static bool read_typed(berth__reader *r, const berth__node *object, const berth__goodput_names *names,
                       berth_goodput_job *out) {
    static const char *const fields[] = {BERTH__GOODPUT_TIME_FIELDS, BERTH__GOODPUT_BATCH_FIELDS};
    const size_t n = names->instance->n_types;
    berth_goodput_profile *profiles = BERTH__ARENA_ARRAY(r->arena, berth_goodput_profile, n);
    if (profiles == NULL) {
        return berth__reader_memory(r);
    }
    for (size_t type = 0; type < n; type++) {
        berth_goodput_profile_init(&profiles[type]);
    }
    out->typed = profiles;
    if (!berth__node_is_object(r, object)) {
        return false;
    }
    for (void *at = json_object_iter(object->value); at != NULL; at = json_object_iter_next(object->value, at)) {
        berth__node node = {.value = json_object_iter_value(at), .parent = object, .key = json_object_iter_key(at)};
        size_t type;
        if (!berth__goodput_find_type(r, &node, names, node.key, &type) || !BERTH__ONLY_FIELDS(r, &node, fields) ||
            !berth__read_goodput_times(r, &node, &profiles[type]) ||
            !berth__read_goodput_batches(r, &node, &profiles[type]) ||
            !berth__check_goodput_profile(r, &node, &node, &profiles[type])) {
            return false;
        }
    }
    return true;
}

static bool read_option(berth__reader *r, const berth__node *node, const berth__goodput_names *names,
                        berth_goodput_option *out) {
    static const char *const fields[] = {"gpu_type", "nodes", "gpus", "value"};
    berth__node type;
    if (!BERTH__ONLY_FIELDS(r, node, fields)) {
        return false;
    }
    if (names->instance->type_names != NULL) {
        const char *name = NULL;
        if (!berth__node_member(r, node, "gpu_type", BERTH__REQUIRED, &type) || !berth__node_string(r, &type, &name) ||
            !berth__goodput_find_type(r, &type, names, name, &out->gpu_type)) {
            return false;
        }
    } else if (berth__node_member(r, node, "gpu_type", BERTH__OPTIONAL, &type)) {
        return berth__node_fail(r, &type, BERTH_E_INPUT, "the nodes have no GPU types");
    }
    if (!berth__goodput_read_whole(r, node, "nodes", BERTH__REQUIRED, 1, MOST_NODES, &out->nodes) ||
        !berth__goodput_read_whole(r, node, "gpus", BERTH__REQUIRED, 1, MOST_NODES * BERTH__MAX_NODE_GPUS,
                                   &out->gpus) ||
        !berth__goodput_read_real(r, node, "value", BERTH__REQUIRED, least_worth, most_worth, &out->value)) {
        return false;
    }
    return out->gpus >= out->nodes ||
           berth__member_fail(r, node, "gpus", BERTH_E_INPUT, "%u GPUs on %u nodes; expected one of each at least",
                              out->gpus, out->nodes);
}

/* No two options of the same type, nodes and GPUs. */
static bool check_twice(berth__reader *r, const berth__node *list, const berth_goodput_option *options, size_t n) {
    for (size_t k = 0; k < n; k++) {
        for (size_t l = 0; l < k; l++) {
            if (options[k].gpu_type == options[l].gpu_type && options[k].nodes == options[l].nodes &&
                options[k].gpus == options[l].gpus) {
                berth__node item = berth__node_element(list, k);
                return berth__node_fail(r, &item, BERTH_E_INPUT, "the same type, nodes and GPUs as option %zu", l);
            }
        }
    }
    return true;
}

static bool read_options(berth__reader *r, const berth__node *list, const berth__goodput_names *names,
                         berth_goodput_job *out) {
    enum { MOST_OPTIONS = 4096 };
    size_t n;
    if (!berth__node_array(r, list, &n)) {
        return false;
    }
    if (n == 0 || n > MOST_OPTIONS) {
        return berth__node_fail(r, list, BERTH_E_INPUT, "there must be from 1 to %d options", MOST_OPTIONS);
    }
    berth_goodput_option *options = BERTH__ARENA_ARRAY(r->arena, berth_goodput_option, n);
    if (options == NULL) {
        return berth__reader_memory(r);
    }
    for (size_t k = 0; k < n; k++) {
        berth__node item = berth__node_element(list, k);
        if (!read_option(r, &item, names, &options[k])) {
            return false;
        }
    }
    out->options = options;
    out->n_options = n;
    return check_twice(r, list, options, n);
}

/* What the job makes of GPUs. */
static bool read_worth(berth__reader *r, const berth__node *node, const berth__goodput_names *names,
                       berth_goodput_job *out) {
    static const char *const keys[] = {"profile", "profiles", "options"};
    static const char *const with_batches[] = {JOB_FIELDS, "profile", BERTH__GOODPUT_BATCH_FIELDS};
    static const char *const without[] = {JOB_FIELDS, "profiles", "options"};
    berth__node found[3];
    bool given[3];
    int n = 0;
    for (int k = 0; k < 3; k++) {
        given[k] = berth__node_member(r, node, keys[k], BERTH__OPTIONAL, &found[k]);
        n += given[k];
    }
    if (r->status == BERTH_OK && n != 1) {
        return berth__node_fail(r, node, BERTH_E_INPUT, "expected one of profile, profiles and options");
    }
    if (given[0]) {
        return BERTH__ONLY_FIELDS(r, node, with_batches) && read_profile(r, node, &found[0], out);
    }
    return BERTH__ONLY_FIELDS(r, node, without) &&
           (given[1] ? read_typed(r, &found[1], names, out) : read_options(r, &found[2], names, out));
}

/* What the job has: GPUs of one type. */
static bool read_current(berth__reader *r, const berth__node *node, const berth__goodput_names *names,
                         berth_goodput_job *out) {
    const size_t *type = names->instance->gpu_type;
    berth__node current;
    if (!berth__node_member(r, node, "current", BERTH__NULLABLE, &current)) {
        return r->status == BERTH_OK;
    }
    if (!berth__goodput_read_gpus(r, &current, names, &out->n_current, &out->current)) {
        return false;
    }
    for (size_t k = 0; k < out->n_current; k++) {
        const berth_node_gpus *has = &out->current[k];
        const char *name = names->instance->node_names[has->node];
        if (has->gpus > names->instance->gpus[has->node]) {
            return berth__member_fail(r, &current, name, BERTH_E_INPUT, "%u GPUs of a node that has %u", has->gpus,
                                      names->instance->gpus[has->node]);
        }
        if (type[out->current[k].node] != type[out->current[0].node]) {
            return berth__node_fail(r, &current, BERTH_E_INPUT, "GPUs of two types, on \"%.60s\" and \"%.60s\"",
                                    names->instance->node_names[out->current[0].node], name);
        }
    }
    return true;
}

static bool read_job(berth__reader *r, const berth__node *node, const berth__goodput_names *names,
                     berth_goodput_job *out) {
    berth_goodput_job_init(out);
    if (!berth__read_string(r, node, "id", BERTH__REQUIRED, &out->id) ||
        !berth__goodput_read_real(r, node, "age_s", BERTH__OPTIONAL, 0, most_seconds, &out->age_s) ||
        !berth__goodput_read_whole(r, node, "restarts", BERTH__OPTIONAL, 0, UINT32_MAX, &out->restarts) ||
        !berth__goodput_read_whole(r, node, "min_replicas", BERTH__OPTIONAL, 0, UINT32_MAX, &out->min_replicas) ||
        !berth__goodput_read_whole(r, node, "max_replicas", BERTH__OPTIONAL, 0, MOST_REPLICAS, &out->max_replicas) ||
        !berth__goodput_read_real(r, node, "attained_gpu_s", BERTH__OPTIONAL, 0, most_seconds, &out->attained_gpu_s) ||
        !berth__goodput_read_whole(r, node, "requested", BERTH__OPTIONAL, 0, UINT32_MAX, &out->requested) ||
        !berth__goodput_read_real(r, node, "remaining_samples", BERTH__OPTIONAL, 0, most_value,
                                  &out->remaining_samples)) {
        return false;
    }
    if (out->max_replicas > 0 && out->max_replicas < out->min_replicas) {
        return berth__member_fail(r, node, "max_replicas", BERTH_E_INPUT, "%u is below min_replicas, %u",
                                  out->max_replicas, out->min_replicas);
    }
    if (!berth__read_bool(r, node, "pinned", BERTH__OPTIONAL, &out->pinned) && r->status != BERTH_OK) {
        return false;
    }
    return read_current(r, node, names, out) && read_worth(r, node, names, out);
}

static bool read_each_job(berth__reader *r, const berth__node *list, size_t n, const berth__goodput_names *names,
                          berth_goodput_instance *out) {
    berth_goodput_job *jobs = BERTH__ARENA_ARRAY(r->arena, berth_goodput_job, n);
    berth__names seen = {0};
    if (jobs == NULL || !berth__names_init(&seen, n)) {
        return berth__reader_memory(r);
    }
    out->jobs = jobs;
    out->n_jobs = n;
    for (size_t k = 0; k < n; k++) {
        berth__node item = berth__node_element(list, k);
        if (!read_job(r, &item, names, &jobs[k])) {
            break;
        }
        const size_t other = berth__names_add(&seen, jobs[k].id, k);
        if (other != BERTH__NO_NAME) {
            berth__member_fail(r, &item, "id", BERTH_E_INPUT, "a second job \"%.60s\"; the first is /jobs/%zu",
                               jobs[k].id, other);
            break;
        }
    }
    berth__names_free(&seen);
    return r->status == BERTH_OK;
}

static bool read_jobs(berth__reader *r, const berth__node *root, berth_goodput_instance *out) {
    berth__node list;
    berth__goodput_names names;
    size_t n;
    if (!berth__node_member(r, root, "jobs", BERTH__REQUIRED, &list) || !berth__node_array(r, &list, &n)) {
        return false;
    }
    const bool good =
        berth__goodput_names_init(&names, out) ? read_each_job(r, &list, n, &names, out) : berth__reader_memory(r);
    berth__goodput_names_free(&names);
    return good;
}

/* ---- the whole ---- */

static bool read_objective(berth__reader *r, const berth__node *root, berth_goodput_instance *out) {
    static const char *const rules[] = {"pollux", "sia"}, *const fair[] = {"node", "spread"};
    size_t rule = BERTH_RULES_POLLUX, share = BERTH_FAIR_NODE;
    if (!berth__read_word(r, root, "rules", BERTH__OPTIONAL, rules, 2, &rule) ||
        !berth__read_word(r, root, "fair", BERTH__OPTIONAL, fair, 2, &share)) {
        return false;
    }
    out->rules = (int)rule;
    out->fair = (int)share;
    if (rule == BERTH_RULES_SIA) {
        out->p = -0.5;
    }
    if (!berth__goodput_read_real(r, root, "p", BERTH__OPTIONAL, -most_power, most_power, &out->p) ||
        !berth__goodput_read_real(r, root, "restart_s", BERTH__OPTIONAL, 0, most_seconds, &out->restart_s) ||
        !berth__goodput_read_real(r, root, "round_s", BERTH__OPTIONAL, 0, most_seconds, &out->round_s) ||
        !berth__goodput_read_real(r, root, "lambda_none", BERTH__OPTIONAL, least_worth, most_worth,
                                  &out->lambda_none)) {
        return false;
    }
    return rule != BERTH_RULES_SIA || out->p < 0 ||
           berth__member_fail(r, root, "p", BERTH_E_INPUT, "must be negative under the rules of sia, is %g", out->p);
}

static bool read_root(berth__reader *r, const berth__node *root, berth_goodput_instance *out) {
    static const char *const fields[] = {"format",    "name",    "source",      "rules",     "p",     "fair",
                                         "restart_s", "round_s", "lambda_none", "gpu_types", "nodes", "jobs"};
    return berth__read_format(r, root, format_name) && BERTH__ONLY_FIELDS(r, root, fields) &&
           (berth__read_string(r, root, "name", BERTH__NULLABLE, &out->name) || r->status == BERTH_OK) &&
           (berth__read_text(r, root, "source", BERTH__NULLABLE, &out->source) || r->status == BERTH_OK) &&
           read_objective(r, root, out) && read_nodes(r, root, out) && read_jobs(r, root, out);
}

static berth_status instance_from(json_t *document, berth_goodput_instance **out, berth_error *error) {
    berth__reader r = {.arena = berth__arena_new(), .error = error};
    berth_goodput_instance *instance = r.arena == NULL ? NULL : BERTH__ARENA_ARRAY(r.arena, berth_goodput_instance, 1);
    const berth__node root = berth__node_root(document);
    if (instance == NULL) {
        berth__reader_memory(&r);
    } else {
        berth_goodput_instance_init(instance);
        if (read_root(&r, &root, instance)) {
            r.status = berth__goodput_instance_crc32(instance, &instance->crc32, error);
        }
    }
    if (r.status != BERTH_OK) {
        berth__arena_free(r.arena);
        return r.status;
    }
    instance->memory = r.arena;
    *out = instance;
    return BERTH_OK;
}

/* From `path` if it is not NULL, else from text. */
static berth_status read_instance(const char *path, const char *text, size_t length, berth_goodput_instance **out,
                                  berth_error *error) {
    berth__c_locale locale;
    json_t *document = NULL;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth_status status = path != NULL ? berth__json_read_file(path, &document, error)
                                       : berth__json_parse(text, length, NULL, &document, error);
    if (status == BERTH_OK) {
        status = instance_from(document, out, error);
    }
    json_decref(document);
    berth__c_locale_leave(&locale);
    return status;
}

berth_status berth_goodput_instance_read(const char *path, berth_goodput_instance **out, berth_error *error) {
    *out = NULL;
    berth__error_clear(error);
    if (path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "path", "must not be NULL");
    }
    return read_instance(path, NULL, 0, out, error);
}

berth_status berth_goodput_instance_parse(const char *text, size_t length, berth_goodput_instance **out,
                                          berth_error *error) {
    *out = NULL;
    berth__error_clear(error);
    if (text == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "text", "must not be NULL");
    }
    return read_instance(NULL, text, length, out, error);
}

void berth_goodput_instance_free(berth_goodput_instance *instance) {
    if (instance != NULL) {
        berth__arena_free(instance->memory);
    }
}
