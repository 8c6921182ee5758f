#include "formulations/placement.h"
#include "formulations/theta.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "formulations/fields.h"

/* ---- checking ---- */

typedef struct numbered_name {
    const char *name;
    size_t index;
} numbered_name;

static int by_name_then_index(const void *left, const void *right) {
    const numbered_name *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

/* Names are non-empty and unique; the first offender is reported, as head, index, tail: "/machines/" 3 "/name". */
static berth_status check_names(size_t n, const char *const *names, const char *head, const char *tail,
                                berth_error *error) {
    char where[BERTH__WHERE_SIZE];
    for (size_t i = 0; i < n; i++) {
        if (names[i] == NULL || names[i][0] == '\0') {
            snprintf(where, sizeof where, "%s%zu%s", head, i, tail);
            return berth__check_name(where, names[i], error);
        }
    }
    numbered_name *sorted = BERTH__NEW_ARRAY(numbered_name, n);
    if (sorted == NULL) {
        return berth__fail_memory(error);
    }
    for (size_t i = 0; i < n; i++) {
        sorted[i] = (numbered_name){names[i], i};
    }
    qsort(sorted, n, sizeof *sorted, by_name_then_index);
    numbered_name again = {NULL, n};
    for (size_t i = 1; i < n; i++) {
        if (strcmp(sorted[i].name, sorted[i - 1].name) == 0 && sorted[i].index < again.index) {
            again = sorted[i];
        }
    }
    berth__free(sorted);
    if (again.name == NULL) {
        return BERTH_OK;
    }
    snprintf(where, sizeof where, "%s%zu%s", head, again.index, tail);
    return berth__fail(error, BERTH_E_INPUT, where, "%s is \"%s\" again; expected different names", where + 1,
                       again.name);
}

void berth_cluster_init(berth_cluster *cluster) {
    *cluster = (berth_cluster){.struct_size = sizeof *cluster};
}

static berth_status check_cluster_size(const berth_cluster *spec, berth_error *error) {
    if (spec->struct_size != sizeof *spec) {
        return berth__fail(error, BERTH_E_ARGUMENT, "cluster", "struct_size is %zu; expected berth_cluster_init's %zu",
                           spec->struct_size, sizeof *spec);
    }
    berth_status status = berth__check_number("/slot_seconds", spec->slot_seconds, BERTH__POSITIVE, error);
    if (status != BERTH_OK) {
        return status;
    }
    if (spec->horizon_slots < 1) {
        return berth__fail(error, BERTH_E_INPUT, "/horizon_slots", "horizon_slots is %d; expected a number >= 1",
                           spec->horizon_slots);
    }
    if (spec->n_resources > BERTH__THETA_MAX_RESOURCES) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "/resources", "%zu resources; at most %d are supported",
                           spec->n_resources, BERTH__THETA_MAX_RESOURCES);
    }
    if (spec->n_resources < 1 || spec->resources == NULL) {
        return berth__fail(error, BERTH_E_INPUT, "/resources", "there are no resources; expected at least one");
    }
    if (spec->n_machines < 1 || spec->machines == NULL || spec->capacity == NULL) {
        return berth__fail(error, BERTH_E_INPUT, "/machines", "there are no machines; expected at least one");
    }
    /* Tables over slots, machines and resources are kept, and counts of rows and columns are ints. */
    size_t cells = INT_MAX / 4;
    if (spec->n_machines > cells || spec->n_resources > cells / spec->n_machines) {
        return berth__fail(error, BERTH_E_INPUT, "/machines",
                           "there are %zu machines with %zu resources; expected at most %zu of both multiplied",
                           spec->n_machines, spec->n_resources, cells);
    }
    if ((size_t)spec->horizon_slots > PTRDIFF_MAX / sizeof(double) / (spec->n_machines * spec->n_resources)) {
        return berth__fail(error, BERTH_E_INPUT, "/horizon_slots",
                           "horizon_slots is %d, too many for %zu machines with %zu resources", spec->horizon_slots,
                           spec->n_machines, spec->n_resources);
    }
    return BERTH_OK;
}

static berth_status check_capacities(const berth_cluster *spec, berth_error *error) {
    char prefix[64], where[BERTH__WHERE_SIZE];
    for (size_t r = 0; r < spec->n_resources; r++) {
        double total = 0;
        for (size_t h = 0; h < spec->n_machines; h++) {
            double value = spec->capacity[h * spec->n_resources + r];
            total += value;
            bool good = value == 0 || (value >= 1e-100 && value <= 1e100);
            if (good && isfinite(total)) {
                continue;
            }
            snprintf(prefix, sizeof prefix, "/machines/%zu/capacity/", h);
            berth__point_at(where, prefix, spec->resources[r]);
            berth_status status = berth__check_number(where, value, BERTH__AMOUNT, error);
            if (status != BERTH_OK) {
                return status;
            }
            return berth__fail(error, BERTH_E_INPUT, where, "%s is %g: the cluster's total is not finite", where + 1,
                               value);
        }
    }
    return BERTH_OK;
}

static berth_status check_quotas(const berth_cluster *spec, berth_error *error) {
    if (spec->n_quotas > INT_MAX / spec->n_resources) {
        return berth__fail(error, BERTH_E_INPUT, "/quotas", "there are %zu quotas, too many", spec->n_quotas);
    }
    if (spec->n_quotas > 0 && spec->quotas == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "/quotas", "quotas is NULL; expected %zu of them", spec->n_quotas);
    }
    for (size_t q = 0; q < spec->n_quotas; q++) {
        const berth_quota *quota = &spec->quotas[q];
        if (quota->tenant == NULL || quota->tenant[0] == '\0' || quota->amount == NULL) {
            return berth__fail(error, BERTH_E_INPUT, "/quotas", "quota %zu lacks a tenant or amounts", q);
        }
        for (size_t before = 0; before < q; before++) {
            if (strcmp(spec->quotas[before].tenant, quota->tenant) == 0) {
                return berth__fail(error, BERTH_E_INPUT, "/quotas", "tenant \"%s\" has two quotas; expected one",
                                   quota->tenant);
            }
        }
        for (size_t r = 0; r < spec->n_resources; r++) {
            if (quota->amount[r] >= 0) {
                continue;
            }
            char where[BERTH__WHERE_SIZE], prefix[BERTH__WHERE_SIZE];
            berth__point_at(where, "/quotas/", quota->tenant);
            snprintf(prefix, sizeof prefix, "%.*s/", (int)sizeof prefix - 2, where);
            berth__point_at(where, prefix, spec->resources[r]);
            return berth__fail(error, BERTH_E_INPUT, where, "%s is %g; expected a number >= 0", where + 1,
                               quota->amount[r]);
        }
    }
    return BERTH_OK;
}

static berth_status check_cluster(const berth_cluster *spec, berth_error *error) {
    berth_status status = check_cluster_size(spec, error);
    if (status == BERTH_OK) {
        status = check_names(spec->n_resources, spec->resources, "/resources/", "", error);
    }
    if (status == BERTH_OK) {
        status = check_names(spec->n_machines, spec->machines, "/machines/", "/name", error);
    }
    if (status == BERTH_OK) {
        status = check_capacities(spec, error);
    }
    return status == BERTH_OK ? check_quotas(spec, error) : status;
}

/* ---- building ---- */

static char **copy_names(berth__arena *arena, size_t n, const char *const *names) {
    char **copy = BERTH__ARENA_ARRAY(arena, char *, n);
    for (size_t i = 0; copy != NULL && i < n; i++) {
        copy[i] = berth__arena_strdup(arena, names[i]);
        if (copy[i] == NULL) {
            return NULL;
        }
    }
    return copy;
}

/* Shares of the total: 0 capacity where the total is 0, and no limit by a quota there. */
static bool copy_amounts(berth__cluster *cluster, berth__arena *arena, const berth_cluster *spec,
                         const double *total_given) {
    size_t R = spec->n_resources, H = spec->n_machines, Q = spec->n_quotas;
    cluster->total = BERTH__ARENA_ARRAY(arena, double, R);
    cluster->capacity = BERTH__ARENA_ARRAY(arena, double, H *R);
    cluster->quota = BERTH__ARENA_ARRAY(arena, double, Q *R);
    cluster->quota_tenant = BERTH__ARENA_ARRAY(arena, char *, Q);
    if (cluster->total == NULL || cluster->capacity == NULL || cluster->quota == NULL ||
        cluster->quota_tenant == NULL) {
        return false;
    }
    for (size_t h = 0; h < H; h++) {
        for (size_t r = 0; r < R; r++) {
            cluster->total[r] += spec->capacity[h * R + r];
        }
    }
    for (size_t r = 0; total_given != NULL && r < R; r++) {
        cluster->total[r] = total_given[r] > 0 ? total_given[r] : cluster->total[r];
    }
    for (size_t i = 0; i < H * R; i++) {
        double total = cluster->total[i % R];
        cluster->capacity[i] = total > 0 ? spec->capacity[i] / total : 0;
    }
    for (size_t q = 0; q < Q; q++) {
        cluster->quota_tenant[q] = berth__arena_strdup(arena, spec->quotas[q].tenant);
        if (cluster->quota_tenant[q] == NULL) {
            return false;
        }
        for (size_t r = 0; r < R; r++) {
            double total = cluster->total[r];
            cluster->quota[q * R + r] = total > 0 ? spec->quotas[q].amount[r] / total : (double)INFINITY;
        }
    }
    return true;
}

typedef struct capacity_row {
    const double *values;
    size_t n;
    int machine;
} capacity_row;

static int compare_capacities(const capacity_row *a, const capacity_row *b) {
    for (size_t r = 0; r < a->n; r++) {
        if (a->values[r] != b->values[r]) {
            return a->values[r] < b->values[r] ? -1 : 1;
        }
    }
    return 0;
}

static int by_capacity_then_machine(const void *left, const void *right) {
    const capacity_row *a = left, *b = right;
    int order = compare_capacities(a, b);
    return order != 0 ? order : (a->machine > b->machine) - (a->machine < b->machine);
}

/* Classes are numbered by the first machine of each. */
static bool find_classes(berth__cluster *cluster, berth__arena *arena, const berth_cluster *spec) {
    size_t H = spec->n_machines;
    cluster->class_of = BERTH__ARENA_ARRAY(arena, int, H);
    capacity_row *rows = BERTH__NEW_ARRAY(capacity_row, H);
    if (cluster->class_of == NULL || rows == NULL) {
        berth__free(rows);
        return false;
    }
    for (size_t h = 0; h < H; h++) {
        rows[h] = (capacity_row){&spec->capacity[h * spec->n_resources], spec->n_resources, (int)h};
    }
    qsort(rows, H, sizeof *rows, by_capacity_then_machine);
    int first = 0;
    for (size_t i = 0; i < H; i++) {
        if (i == 0 || compare_capacities(&rows[i], &rows[i - 1]) != 0) {
            first = rows[i].machine;
        }
        cluster->class_of[rows[i].machine] = first;
    }
    berth__free(rows);
    /* class_of[h] is the class's first machine, which comes before h and so has its number already. */
    for (int h = 0; h < (int)H; h++) {
        int leader = cluster->class_of[h];
        cluster->class_of[h] = leader == h ? cluster->n_classes++ : cluster->class_of[leader];
    }
    return true;
}

static bool copy_closed(berth__cluster *cluster, berth__arena *arena, const bool *closed) {
    size_t n = (size_t)cluster->n_machines, n_closed = 0;
    for (size_t h = 0; closed != NULL && h < n; h++) {
        n_closed += closed[h];
    }
    if (n_closed == 0) {
        return true;
    }
    cluster->closed = BERTH__ARENA_ARRAY(arena, bool, n);
    if (cluster->closed != NULL) {
        memcpy(cluster->closed, closed, n * sizeof *closed);
    }
    return cluster->closed != NULL;
}

berth_status berth__cluster_new(const berth_cluster *spec, berth__cluster **out, berth_error *error) {
    return berth__cluster_new_within(spec, NULL, NULL, out, error);
}

berth_status berth__cluster_new_within(const berth_cluster *spec, const double *total, const bool *closed,
                                       berth__cluster **out, berth_error *error) {
    *out = NULL;
    if (spec == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "cluster", "cluster is NULL");
    }
    berth_status status = check_cluster(spec, error);
    if (status != BERTH_OK) {
        return status;
    }
    berth__arena *arena = berth__arena_new();
    berth__cluster *cluster = arena == NULL ? NULL : BERTH__ARENA_ARRAY(arena, berth__cluster, 1);
    if (cluster == NULL) {
        goto no_memory;
    }
    *cluster = (berth__cluster){.slot_seconds = spec->slot_seconds,
                                .horizon = spec->horizon_slots,
                                .n_resources = (int)spec->n_resources,
                                .n_machines = (int)spec->n_machines,
                                .n_quotas = (int)spec->n_quotas,
                                .memory = arena};
    cluster->machines = copy_names(arena, spec->n_machines, spec->machines);
    cluster->resources = copy_names(arena, spec->n_resources, spec->resources);
    if (cluster->machines == NULL || cluster->resources == NULL || !copy_amounts(cluster, arena, spec, total) ||
        !find_classes(cluster, arena, spec) || !copy_closed(cluster, arena, closed)) {
        goto no_memory;
    }
    *out = cluster;
    return BERTH_OK;
no_memory:
    berth__arena_free(arena);
    return berth__fail_memory(error);
}

void berth__cluster_free(berth__cluster *cluster) {
    if (cluster != NULL) {
        berth__arena_free(cluster->memory);
    }
}
