/* Reading comparisons, berth-comparison-1. */
#include <berth_io.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/numeric.h"
#include "formats/json_read.h"
#include "formats/result_json.h"

static const char format_name[] = "berth-comparison-1";
enum { MOST_SEEDS = 100000 }; /* as many as berth_compare makes */

static const char *const metric_names[] = {
#define NAME(metric, name, text) name,
    BERTH_METRIC_TABLE(NAME)
#undef NAME
};

/* What is written while the comparison is read. */
typedef struct reading {
    berth__reader *r;
    berth_comparison *c;
    const char **instances, **policies;
    uint32_t *crc32;
    double *bounds, *values;
    berth_estimate *estimates, *differences;
} reading;

/* A member that may be null: NAN then. */
static bool read_nullable(berth__reader *r, const berth__node *object, const char *key, berth__presence presence,
                          double *out) {
    berth__node node;
    *out = (double)NAN;
    if (!berth__node_member(r, object, key, presence, &node)) {
        return r->status == BERTH_OK;
    }
    return json_is_null(node.value) || berth__node_number(r, &node, out);
}

static berth__presence presence_of(size_t metric) {
    return metric < BERTH_FIRST_MEASURED_METRIC ? BERTH__REQUIRED : BERTH__OPTIONAL;
}

/* ---- one policy on one instance ---- */

static bool read_estimate(berth__reader *r, const berth__node *node, berth_estimate *out) {
    static const char *const fields[] = {"n", "mean", "half_width"};
    return berth__node_is_object(r, node) && BERTH__ONLY_FIELDS(r, node, fields) &&
           berth__read_size(r, node, "n", BERTH__REQUIRED, &out->n) &&
           read_nullable(r, node, "mean", BERTH__REQUIRED, &out->mean) &&
           read_nullable(r, node, "half_width", BERTH__REQUIRED, &out->half_width);
}

static bool read_estimates(berth__reader *r, const berth__node *object, const char *key, berth__presence presence,
                           berth_estimate *out) {
    berth__node node, member;
    if (!berth__node_member(r, object, key, presence, &node)) {
        return r->status == BERTH_OK;
    }
    if (!berth__node_is_object(r, &node) || !BERTH__ONLY_FIELDS(r, &node, metric_names)) {
        return false;
    }
    for (size_t m = 0; m < BERTH_N_METRICS; m++) {
        if (berth__node_member(r, &node, metric_names[m], presence_of(m), &member)) {
            read_estimate(r, &member, &out[m]);
        }
    }
    return r->status == BERTH_OK;
}

static bool read_run(const reading *g, const berth__node *node, uint64_t seed, double *values) {
    uint64_t found = 0;
    if (!berth__node_is_object(g->r, node) || !berth__read_seed(g->r, node, BERTH__REQUIRED, &found)) {
        return false;
    }
    if (found != seed) {
        return berth__member_fail(g->r, node, "seed", BERTH_E_INPUT, "expected %" PRIu64 ", got %" PRIu64, seed, found);
    }
    for (size_t m = 0; m < BERTH_N_METRICS; m++) {
        read_nullable(g->r, node, metric_names[m], presence_of(m), &values[m]);
    }
    return g->r->status == BERTH_OK;
}

static bool read_runs(const reading *g, const berth__node *object, double *values) {
    berth__node list;
    size_t n = 0;
    if (!berth__node_member(g->r, object, "runs", BERTH__REQUIRED, &list) || !berth__node_array(g->r, &list, &n)) {
        return false;
    }
    if (n != g->c->n_seeds) {
        return berth__node_fail(g->r, &list, BERTH_E_INPUT, "expected %zu runs, one for each seed, got %zu",
                                g->c->n_seeds, n);
    }
    for (size_t s = 0; s < n; s++) {
        berth__node item = berth__node_element(&list, s);
        if (!read_run(g, &item, g->c->first_seed + s, values + s * BERTH_N_METRICS)) {
            return false;
        }
        g->c->n_done += isnan(values[s * BERTH_N_METRICS + BERTH_METRIC_UTILITY]) ? 0 : 1;
    }
    return true;
}

static bool read_policy(const reading *g, const berth__node *node, size_t instance, size_t policy) {
    static const char *const fields[] = {"policy", "estimates", "differences", "runs"};
    const size_t row = instance * g->c->n_policies + policy;
    const char *name = NULL;
    if (!berth__node_is_object(g->r, node) || !BERTH__ONLY_FIELDS(g->r, node, fields) ||
        !berth__read_string(g->r, node, "policy", BERTH__REQUIRED, &name)) {
        return false;
    }
    if (instance == 0) {
        g->policies[policy] = name;
    } else if (strcmp(g->policies[policy], name) != 0) {
        return berth__member_fail(g->r, node, "policy", BERTH_E_INPUT,
                                  "expected \"%.60s\", as of the first instance, got \"%.60s\"", g->policies[policy],
                                  name);
    }
    for (size_t m = 0; m < BERTH_N_METRICS; m++) {
        g->estimates[row * BERTH_N_METRICS + m] = (berth_estimate){.mean = (double)NAN, .half_width = (double)NAN};
        g->differences[row * BERTH_N_METRICS + m] = (berth_estimate){.mean = (double)NAN, .half_width = (double)NAN};
    }
    return read_estimates(g->r, node, "estimates", BERTH__REQUIRED, g->estimates + row * BERTH_N_METRICS) &&
           read_estimates(g->r, node, "differences", BERTH__OPTIONAL, g->differences + row * BERTH_N_METRICS) &&
           read_runs(g, node, g->values + row * g->c->n_seeds * BERTH_N_METRICS);
}

/* ---- all instances ---- */

static bool policies_of(berth__reader *r, const berth__node *instance, berth__node *list, size_t *n) {
    if (!berth__node_is_object(r, instance) || !berth__node_member(r, instance, "policies", BERTH__REQUIRED, list) ||
        !berth__node_array(r, list, n)) {
        return false;
    }
    return *n > 0 || berth__node_fail(r, list, BERTH_E_INPUT, "expected at least one policy");
}

/* `list` borrows from the instance's node. */
static bool read_instance(const reading *g, const berth__node *node, size_t i) {
    static const char *const fields[] = {"instance", "instance_crc32", "bound", "policies"};
    berth__node list;
    size_t n = 0;
    if (!policies_of(g->r, node, &list, &n) || !BERTH__ONLY_FIELDS(g->r, node, fields) ||
        !berth__read_string(g->r, node, "instance", BERTH__REQUIRED, &g->instances[i]) ||
        !berth__read_crc32(g->r, node, "instance_crc32", BERTH__REQUIRED, &g->crc32[i]) ||
        !read_nullable(g->r, node, "bound", BERTH__REQUIRED, &g->bounds[i])) {
        return false;
    }
    if (n != g->c->n_policies) {
        return berth__node_fail(g->r, &list, BERTH_E_INPUT, "expected %zu policies, as of the first instance, got %zu",
                                g->c->n_policies, n);
    }
    for (size_t p = 0; p < n; p++) {
        berth__node item = berth__node_element(&list, p);
        if (!read_policy(g, &item, i, p)) {
            return false;
        }
    }
    return true;
}

static bool make_room(reading *g, berth__arena *arena) {
    const berth_comparison *c = g->c;
    const size_t rows = c->n_instances * c->n_policies;
    g->instances = BERTH__ARENA_ARRAY(arena, const char *, c->n_instances);
    g->policies = BERTH__ARENA_ARRAY(arena, const char *, c->n_policies);
    g->crc32 = BERTH__ARENA_ARRAY(arena, uint32_t, c->n_instances);
    g->bounds = BERTH__ARENA_ARRAY(arena, double, c->n_instances);
    g->estimates = BERTH__ARENA_ARRAY(arena, berth_estimate, rows * BERTH_N_METRICS);
    g->differences = BERTH__ARENA_ARRAY(arena, berth_estimate, rows * BERTH_N_METRICS);
    if (g->instances == NULL || g->policies == NULL || g->crc32 == NULL || g->bounds == NULL || g->estimates == NULL ||
        g->differences == NULL) {
        return berth__reader_memory(g->r);
    }
    return true;
}

/* Not more runs than the file has, so that a number in a small file cannot ask for much memory. */
static bool make_room_for_runs(reading *g, berth__arena *arena, const berth__node *first_instance) {
    berth__node list, policy, runs;
    size_t n = 0;
    if (!policies_of(g->r, first_instance, &list, &n)) {
        return false;
    }
    policy = berth__node_element(&list, 0);
    if (!berth__node_is_object(g->r, &policy) || !berth__node_member(g->r, &policy, "runs", BERTH__REQUIRED, &runs) ||
        !berth__node_array(g->r, &runs, &n)) {
        return false;
    }
    if (n != g->c->n_seeds) {
        return berth__node_fail(g->r, &runs, BERTH_E_INPUT, "expected %zu runs, one for each seed, got %zu",
                                g->c->n_seeds, n);
    }
    g->values = BERTH__ARENA_ARRAY(arena, double, g->c->n_instances * g->c->n_policies * n * BERTH_N_METRICS);
    return g->values != NULL || berth__reader_memory(g->r);
}

static bool read_instances(reading *g, const berth__node *root) {
    berth__node list, first, policies;
    if (!berth__node_member(g->r, root, "instances", BERTH__REQUIRED, &list) ||
        !berth__node_array(g->r, &list, &g->c->n_instances)) {
        return false;
    }
    if (g->c->n_instances == 0) {
        return berth__node_fail(g->r, &list, BERTH_E_INPUT, "expected at least one instance");
    }
    first = berth__node_element(&list, 0);
    if (!policies_of(g->r, &first, &policies, &g->c->n_policies) || !make_room(g, g->r->arena) ||
        !make_room_for_runs(g, g->r->arena, &first)) {
        return false;
    }
    for (size_t i = 0; i < g->c->n_instances; i++) {
        berth__node item = berth__node_element(&list, i);
        if (!read_instance(g, &item, i)) {
            return false;
        }
    }
    return true;
}

static bool read_bound(berth__reader *r, const berth__node *root, const char **out) {
    static const char *const known[] = {"none", "dual", "lp"};
    if (!berth__read_string(r, root, "bound", BERTH__REQUIRED, out)) {
        return false;
    }
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (strcmp(*out, known[k]) == 0) {
            return true;
        }
    }
    return berth__member_fail(r, root, "bound", BERTH_E_INPUT, "expected \"none\", \"dual\" or \"lp\", got \"%.60s\"",
                              *out);
}

static bool read_all(reading *g, const berth__node *root) {
    static const char *const fields[] = {"format",     "version",    "bound", "pooled",   "stopped",
                                         "confidence", "first_seed", "seeds", "instances"};
    berth_comparison *c = g->c;
    if (!berth__read_format(g->r, root, format_name) || !BERTH__ONLY_FIELDS(g->r, root, fields) ||
        !read_bound(g->r, root, &c->bound) ||
        !berth__read_uint64(g->r, root, "first_seed", BERTH__REQUIRED, &c->first_seed) ||
        !berth__read_size(g->r, root, "seeds", BERTH__REQUIRED, &c->n_seeds)) {
        return false;
    }
    berth__read_bool(g->r, root, "pooled", BERTH__OPTIONAL, &c->pooled);
    berth__read_bool(g->r, root, "stopped", BERTH__OPTIONAL, &c->stopped);
    if (g->r->status != BERTH_OK) {
        return false;
    }
    if (c->n_seeds < 1 || c->n_seeds > MOST_SEEDS || c->first_seed > UINT64_MAX - (c->n_seeds - 1)) {
        return berth__member_fail(g->r, root, "seeds", BERTH_E_INPUT, "expected 1 to %d, the last one within 64 bits",
                                  MOST_SEEDS);
    }
    if (!read_instances(g, root)) {
        return false;
    }
    c->instances = g->instances;
    c->policies = g->policies;
    c->crc32 = g->crc32;
    c->bounds = g->bounds;
    c->values = g->values;
    c->estimates = g->estimates;
    c->differences = g->differences;
    return true;
}

static berth_status read_file(const char *path, berth_comparison **out, berth_error *error) {
    json_t *top = NULL;
    berth_status status = berth__json_read_file(path, &top, error);
    if (status != BERTH_OK) {
        return status;
    }
    berth__reader r = {.error = error, .arena = berth__arena_new()};
    berth__node root = berth__node_root(top);
    reading g = {.r = &r, .c = r.arena != NULL ? BERTH__ARENA_ARRAY(r.arena, berth_comparison, 1) : NULL};
    if (g.c == NULL) {
        r.status = berth__fail_memory(error);
    } else if (read_all(&g, &root)) {
        g.c->memory = r.arena;
        *out = g.c;
    }
    if (r.status != BERTH_OK) {
        berth__arena_free(r.arena);
    }
    json_decref(top);
    return r.status;
}

berth_status berth_comparison_read(const char *path, berth_comparison **out, berth_error *error) {
    berth__error_clear(error);
    if (path == NULL || out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, path == NULL ? "path" : "out", "must not be NULL");
    }
    *out = NULL;
    berth__c_locale locale;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth_status status = read_file(path, out, error);
    berth__c_locale_leave(&locale);
    return status;
}
