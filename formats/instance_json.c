/* Reading instances, berth-jobs-1. What a single job may hold is checked by berth__job_validate; what only the
 * file knows (machine groups, names across the file, given prices) is checked here. */
#include "formats/instance_json.h"

#include "base/numeric.h"
#include "formats/job_json.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- top ---- */

static bool read_sizes(berth__reader *r, const berth__node *root, berth_instance *instance) {
    berth__read_string(r, root, "name", BERTH__REQUIRED, &instance->name);
    berth__read_text(r, root, "source", BERTH__OPTIONAL, &instance->source);
    berth__read_number(r, root, "slot_seconds", BERTH__REQUIRED, &instance->slot_seconds);
    berth__read_int(r, root, "horizon_slots", BERTH__REQUIRED, &instance->horizon_slots);
    if (r->status == BERTH_OK && !(instance->slot_seconds > 0)) {
        return berth__member_fail(r, root, "slot_seconds", BERTH_E_INPUT, "must be positive, is %g",
                                  instance->slot_seconds);
    }
    if (r->status == BERTH_OK && (instance->horizon_slots < 1 || instance->horizon_slots > BERTH__MAX_HORIZON)) {
        return berth__member_fail(r, root, "horizon_slots", BERTH_E_INPUT, "must be from 1 to %d, is %d",
                                  BERTH__MAX_HORIZON, instance->horizon_slots);
    }
    return r->status == BERTH_OK;
}

static bool read_resources(berth__reader *r, const berth__node *root, berth_instance *instance) {
    if (!berth__read_strings(r, root, "resources", BERTH__REQUIRED, &instance->n_resources, &instance->resources)) {
        return false;
    }
    if (instance->n_resources == 0) {
        return berth__member_fail(r, root, "resources", BERTH_E_INPUT, "there must be at least one resource");
    }
    if (instance->n_resources > BERTH__MAX_RESOURCES) { /* they are looked up one by one */
        return berth__member_fail(r, root, "resources", BERTH_E_INPUT, "%zu resources; the limit is %d",
                                  instance->n_resources, BERTH__MAX_RESOURCES);
    }
    berth__names seen = {0};
    if (!berth__names_init(&seen, instance->n_resources)) {
        return berth__reader_memory(r);
    }
    for (size_t k = 0; k < instance->n_resources && r->status == BERTH_OK; k++) {
        if (berth__names_add(&seen, instance->resources[k], k) != BERTH__NO_NAME) {
            berth__node list = {.parent = root, .key = "resources"}, item = {.parent = &list, .index = k};
            berth__node_fail(r, &item, BERTH_E_INPUT, "resource \"%.60s\" is named twice", instance->resources[k]);
        }
    }
    berth__names_free(&seen);
    return r->status == BERTH_OK;
}

/* ---- machines ---- */

static bool read_group(berth__reader *r, const berth__node *node, const berth_instance *instance,
                       berth_machine_group *group) {
    static const char *const fields[] = {"name", "count", "capacity"};
    berth__node count, capacity;
    long long machines = 1;
    if (!BERTH__ONLY_FIELDS(r, node, fields) || !berth__read_string(r, node, "name", BERTH__REQUIRED, &group->name)) {
        return false;
    }
    if (berth__node_member(r, node, "count", BERTH__OPTIONAL, &count) && berth__node_integer(r, &count, &machines) &&
        (machines < 1 || machines > BERTH__MAX_MACHINES)) {
        return berth__node_fail(r, &count, BERTH_E_INPUT, "must be from 1 to %d, is %lld", BERTH__MAX_MACHINES,
                                machines);
    }
    if (!berth__node_member(r, node, "capacity", BERTH__REQUIRED, &capacity)) {
        return false;
    }
    group->count = (size_t)machines;
    group->capacity = berth__read_capacity(r, instance, &capacity);
    return r->status == BERTH_OK;
}

static bool check_total(berth__reader *r, const berth__node *list, const berth_instance *instance) {
    for (size_t k = 0; k < instance->n_resources; k++) {
        double total = 0;
        for (size_t g = 0; g < instance->n_groups; g++) {
            total += (double)instance->groups[g].count * instance->groups[g].capacity[k];
        }
        if (isinf(total)) {
            return berth__node_fail(r, list, BERTH_E_INPUT, "the machines' total of \"%.60s\" is out of range",
                                    instance->resources[k]);
        }
    }
    if (instance->n_machines > BERTH__MAX_MACHINES) {
        return berth__node_fail(r, list, BERTH_E_INPUT, "%zu machines in all; the limit is %d", instance->n_machines,
                                BERTH__MAX_MACHINES);
    }
    if (instance->n_resources > BERTH__MAX_CAPACITY_NUMBERS / instance->n_machines) {
        return berth__node_fail(r, list, BERTH_E_INPUT, "%zu machines times %zu resource%s; the limit is %d",
                                instance->n_machines, instance->n_resources, instance->n_resources == 1 ? "" : "s",
                                BERTH__MAX_CAPACITY_NUMBERS);
    }
    return true;
}

/* Names of a group's machines, in one block. */
static bool name_machines(berth__arena *arena, const berth_machine_group *group, const char **names) {
    if (group->count == 1) {
        names[0] = group->name;
        return true;
    }
    size_t stride = strlen(group->name) + sizeof "-10000000";
    char *block = berth__arena_calloc(arena, group->count, stride);
    for (size_t k = 0; block != NULL && k < group->count; k++) {
        snprintf(block + k * stride, stride, "%s-%zu", group->name, k);
        names[k] = block + k * stride;
    }
    return block != NULL;
}

static bool expand_groups(berth__reader *r, berth_instance *instance) {
    size_t n = instance->n_machines, n_resources = instance->n_resources;
    const char **names = BERTH__ARENA_ARRAY(r->arena, const char *, n);
    int *group_of = BERTH__ARENA_ARRAY(r->arena, int, n);
    double *capacity = BERTH__ARENA_ARRAY(r->arena, double, n *n_resources);
    if (names == NULL || group_of == NULL || capacity == NULL) {
        return berth__reader_memory(r);
    }
    size_t at = 0;
    for (size_t g = 0; g < instance->n_groups; g++) {
        const berth_machine_group *group = &instance->groups[g];
        if (!name_machines(r->arena, group, names + at)) {
            return berth__reader_memory(r);
        }
        for (size_t k = 0; k < group->count; k++, at++) {
            group_of[at] = (int)g;
            memcpy(capacity + at * n_resources, group->capacity, n_resources * sizeof *capacity);
        }
    }
    instance->machines = names;
    instance->machine_group = group_of;
    instance->capacity = capacity;
    return true;
}

static bool check_machine_names(berth__reader *r, const berth__node *list, const berth_instance *instance) {
    berth__names seen = {0};
    if (!berth__names_init(&seen, instance->n_machines)) {
        return berth__reader_memory(r);
    }
    for (size_t k = 0; k < instance->n_machines && r->status == BERTH_OK; k++) {
        size_t other = berth__names_add(&seen, instance->machines[k], k);
        if (other != BERTH__NO_NAME) {
            berth__node group = {.parent = list, .index = (size_t)instance->machine_group[k]};
            berth__member_fail(r, &group, "name", BERTH_E_INPUT,
                               "a second machine \"%.60s\"; the first is of /machines/%d", instance->machines[k],
                               instance->machine_group[other]);
        }
    }
    berth__names_free(&seen);
    return r->status == BERTH_OK;
}

static bool read_machines(berth__reader *r, const berth__node *root, berth_instance *instance) {
    berth__node list;
    if (!berth__node_member(r, root, "machines", BERTH__REQUIRED, &list) ||
        !berth__node_array(r, &list, &instance->n_groups)) {
        return false;
    }
    if (instance->n_groups == 0) {
        return berth__node_fail(r, &list, BERTH_E_INPUT, "there must be at least one machine");
    }
    berth_machine_group *groups = BERTH__ARENA_ARRAY(r->arena, berth_machine_group, instance->n_groups);
    if (groups == NULL) {
        return berth__reader_memory(r);
    }
    instance->groups = groups;
    for (size_t g = 0; g < instance->n_groups; g++) {
        berth__node item = berth__node_element(&list, g);
        if (!read_group(r, &item, instance, &groups[g])) {
            return false;
        }
        instance->n_machines += groups[g].count;
    }
    return check_total(r, &list, instance) && expand_groups(r, instance) && check_machine_names(r, &list, instance);
}

/* ---- quotas, prices ---- */

static bool read_quotas(berth__reader *r, const berth__node *root, berth_instance *instance) {
    berth__node object;
    if (!berth__node_member(r, root, "quotas", BERTH__OPTIONAL, &object) || !berth__node_is_object(r, &object)) {
        return r->status == BERTH_OK;
    }
    berth_quota *quotas = BERTH__ARENA_ARRAY(r->arena, berth_quota, json_object_size(object.value));
    if (quotas == NULL) {
        return berth__reader_memory(r);
    }
    instance->quotas = quotas;
    for (void *at = json_object_iter(object.value); at != NULL; at = json_object_iter_next(object.value, at)) {
        berth__node tenant = {.value = json_object_iter_value(at), .parent = &object, .key = json_object_iter_key(at)};
        if (tenant.key[0] == '\0') {
            return berth__node_fail(r, &tenant, BERTH_E_INPUT, "a tenant's name must not be empty");
        }
        berth_quota *quota = &quotas[instance->n_quotas++];
        const double *amount = quota->amount = berth__read_amounts(r, instance, &tenant, (double)INFINITY);
        quota->tenant = berth__arena_strdup(r->arena, tenant.key);
        if (amount == NULL || quota->tenant == NULL) {
            return r->status == BERTH_OK ? berth__reader_memory(r) : false;
        }
        for (size_t k = 0; k < instance->n_resources; k++) {
            if (amount[k] < 0) {
                berth__node place = berth__amount_node(instance, &tenant, k);
                return berth__node_fail(r, &place, BERTH_E_INPUT, "a quota must not be negative, is %g", amount[k]);
            }
        }
    }
    return true;
}

/* One of the two lists of bounds, NULL if absent. */
static bool read_bounds(berth__reader *r, const berth__node *prices, const char *key, const berth_instance *instance,
                        const double **out) {
    berth__node node;
    if (!berth__node_member(r, prices, key, BERTH__OPTIONAL, &node)) {
        return r->status == BERTH_OK;
    }
    const double *bounds = *out = berth__read_amounts(r, instance, &node, (double)NAN);
    for (size_t k = 0; k < instance->n_resources && bounds != NULL; k++) {
        if (bounds[k] <= 0) {
            berth__node place = berth__amount_node(instance, &node, k);
            return berth__node_fail(r, &place, BERTH_E_INPUT, "a price bound must be positive, is %g", bounds[k]);
        }
    }
    return r->status == BERTH_OK;
}

static bool read_prices(berth__reader *r, const berth__node *root, berth_instance *instance) {
    static const char *const fields[] = {"upper", "lower", "floor"};
    berth__node prices;
    if (!berth__node_member(r, root, "prices", BERTH__OPTIONAL, &prices)) {
        return r->status == BERTH_OK;
    }
    if (!BERTH__ONLY_FIELDS(r, &prices, fields) ||
        !read_bounds(r, &prices, "upper", instance, &instance->price_upper) ||
        !read_bounds(r, &prices, "lower", instance, &instance->price_lower)) {
        return false;
    }
    const double *upper = instance->price_upper, *lower = instance->price_lower;
    for (size_t k = 0; upper != NULL && lower != NULL && k < instance->n_resources; k++) {
        if (upper[k] <= lower[k]) {
            berth__node list = {.parent = &prices, .key = "upper"}, place = berth__amount_node(instance, &list, k);
            return berth__node_fail(r, &place, BERTH_E_INPUT, "the upper bound, %g, must exceed the lower one, %g",
                                    upper[k], lower[k]);
        }
    }
    double floor = 0;
    if (berth__read_number(r, &prices, "floor", BERTH__OPTIONAL, &floor)) {
        instance->price_floor = floor;
        if (!(floor > 0 && floor < 1)) {
            return berth__member_fail(r, &prices, "floor", BERTH_E_INPUT, "must be between 0 and 1, is %g", floor);
        }
    }
    return r->status == BERTH_OK;
}

/* ---- jobs ---- */

static bool read_jobs(berth__reader *r, const berth__node *root, berth_instance *instance) {
    berth__node list;
    if (!berth__node_member(r, root, "jobs", BERTH__REQUIRED, &list) ||
        !berth__node_array(r, &list, &instance->n_jobs)) {
        return false;
    }
    berth_job *jobs = BERTH__ARENA_ARRAY(r->arena, berth_job, instance->n_jobs);
    berth__names seen = {0};
    if (jobs == NULL || !berth__names_init(&seen, instance->n_jobs)) {
        return berth__reader_memory(r);
    }
    instance->jobs = jobs;
    for (size_t k = 0; k < instance->n_jobs; k++) {
        berth__node item = berth__node_element(&list, k);
        if (!berth__read_job(r, &item, instance, BERTH__REQUIRED, &jobs[k])) {
            break;
        }
        size_t other = berth__names_add(&seen, jobs[k].id, k);
        if (other != BERTH__NO_NAME) {
            berth__member_fail(r, &item, "id", BERTH_E_INPUT, "a second job \"%.60s\"; the first is /jobs/%zu",
                               jobs[k].id, other);
            break;
        }
    }
    berth__names_free(&seen);
    return r->status == BERTH_OK;
}

/* ---- the whole ---- */

static bool read_root(berth__reader *r, const berth__node *root, berth_instance *instance) {
    static const char *const fields[] = {"format",    "name",     "source", "slot_seconds", "horizon_slots",
                                         "resources", "machines", "quotas", "jobs",         "prices"};
    return berth__read_format(r, root, "berth-jobs-1") && BERTH__ONLY_FIELDS(r, root, fields) &&
           read_sizes(r, root, instance) && read_resources(r, root, instance) && read_machines(r, root, instance) &&
           read_quotas(r, root, instance) && read_jobs(r, root, instance) && read_prices(r, root, instance);
}

/* Takes over the reference to `document`. */
static berth_status instance_from(json_t *document, berth_instance **out, berth_error *error) {
    berth__reader r = {.arena = berth__arena_new(), .error = error};
    berth_instance *instance = r.arena == NULL ? NULL : BERTH__ARENA_ARRAY(r.arena, berth_instance, 1);
    if (instance == NULL) {
        berth__reader_memory(&r);
        goto done;
    }
    instance->source = "";
    instance->price_floor = (double)NAN;
    berth__node root = berth__node_root(document);
    if (read_root(&r, &root, instance)) {
        r.status = berth__instance_crc32(instance, &instance->crc32, error);
    }
done:
    json_decref(document);
    if (r.status != BERTH_OK) {
        berth__arena_free(r.arena);
        return r.status;
    }
    instance->memory = r.arena;
    *out = instance;
    return BERTH_OK;
}

/* From `path` if it is not NULL, else from text. */
static berth_status read_instance(const char *path, const char *text, size_t length, berth_instance **out,
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
    berth__c_locale_leave(&locale);
    return status;
}

berth_status berth_instance_read(const char *path, berth_instance **out, berth_error *error) {
    *out = NULL;
    berth__error_clear(error);
    if (path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "path", "must not be NULL");
    }
    return read_instance(path, NULL, 0, out, error);
}

berth_status berth_instance_parse(const char *text, size_t length, berth_instance **out, berth_error *error) {
    *out = NULL;
    berth__error_clear(error);
    if (text == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "text", "must not be NULL");
    }
    return read_instance(NULL, text, length, out, error);
}

void berth_instance_free(berth_instance *instance) {
    if (instance != NULL) {
        berth__arena_free(instance->memory);
    }
}

void berth_instance_cluster(const berth_instance *instance, berth_cluster *out) {
    berth_cluster_init(out);
    out->slot_seconds = instance->slot_seconds;
    out->horizon_slots = instance->horizon_slots;
    out->n_resources = instance->n_resources;
    out->resources = instance->resources;
    out->n_machines = instance->n_machines;
    out->machines = instance->machines;
    out->capacity = instance->capacity;
    out->n_quotas = instance->n_quotas;
    out->quotas = instance->quotas;
}
