#include "workload/trace_machines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

bool berth__node_list_add(berth__node_list *list, const berth__node_row *node) {
    void *nodes = list->nodes;
    bool grown = berth__grow(&nodes, &list->capacity, list->n, sizeof *list->nodes);
    list->nodes = nodes;
    if (grown) {
        list->nodes[list->n++] = *node;
    }
    return grown;
}

void berth__node_list_clear(berth__node_list *list) {
    berth__free(list->nodes);
    *list = (berth__node_list){.n = 0};
}

void berth__machines_clear(berth__machines *machines) {
    berth__free(machines->groups);
    *machines = (berth__machines){.n_groups = 0};
}

static void find_reference(berth__machines *machines) {
    double most = -1;
    machines->n_machines = 0;
    for (size_t g = 0; g < machines->n_groups; g++) {
        const berth__machine_kind *group = &machines->groups[g];
        double gpus = (double)group->count * group->amounts[machines->gpu];
        machines->n_machines += group->count;
        if (gpus > most) {
            most = gpus;
            machines->reference = g;
        }
    }
}

berth_status berth__machines_alike(const berth__machine_spec *spec, size_t count, berth__machines *out,
                                   berth_error *error) {
    *out = (berth__machines){.n_resources = spec->n,
                             .gpu = berth__machine_spec_find(spec, "gpu"),
                             .cpu = berth__machine_spec_find(spec, "cpu"),
                             .memory = berth__machine_spec_find(spec, "memory_gb"),
                             .n_groups = 1,
                             .groups = BERTH__NEW_ARRAY(berth__machine_kind, 1)};
    if (out->groups == NULL) {
        out->n_groups = 0;
        return berth__fail_memory(error);
    }
    memcpy(out->resources, spec->name_list, spec->n * sizeof out->resources[0]);
    snprintf(out->groups[0].name, sizeof out->groups[0].name, "node");
    out->groups[0].count = count;
    memcpy(out->groups[0].amounts, spec->amounts, spec->n * sizeof spec->amounts[0]);
    find_reference(out);
    return BERTH_OK;
}

/* ---- lists ---- */

void berth__gpu_type_name(const char *type, size_t length, char out[BERTH__GPU_TYPE]) {
    length = length < BERTH__GPU_TYPE ? length : BERTH__GPU_TYPE - 1;
    for (size_t i = 0; i < length; i++) {
        char c = type[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
        out[i] = c;
        if (!plain) {
            out[i] = '_';
        }
    }
    out[length] = '\0';
}

static int by_number(double a, double b) {
    return (a < b) - (a > b); /* the larger first */
}

static int by_kind(const void *a, const void *b) {
    const berth__node_row *x = a, *y = b;
    int order = strcmp(x->type, y->type);
    order = order != 0 ? order : by_number(x->gpus, y->gpus);
    order = order != 0 ? order : by_number(x->cpus, y->cpus);
    return order != 0 ? order : by_number(x->memory_gb, y->memory_gb);
}

static void name_group(const berth__machines *machines, berth__machine_kind *group, const berth__node_row *node) {
    berth__gpu_type_name(node->type, strlen(node->type), group->type);
    if (group->type[0] == '\0') {
        snprintf(group->type, sizeof group->type, node->gpus > 0 ? "node" : "cpu");
    }
    /* Numbers count within a name, which may stand for several types: "a b" and "a_b". */
    size_t number = 1;
    for (const berth__machine_kind *other = machines->groups; other < group; other++) {
        number += strcmp(other->type, group->type) == 0;
    }
    snprintf(group->name, sizeof group->name, "%s.%zu", group->type, number);
}

static void add_node(berth__machines *out, const berth__node_row *node, bool is_new) {
    if (is_new) {
        berth__machine_kind *group = &out->groups[out->n_groups];
        name_group(out, group, node);
        out->n_groups++;
        group->amounts[out->gpu] = node->gpus;
        group->amounts[out->cpu] = node->cpus;
        if (out->memory >= 0) {
            group->amounts[out->memory] = node->memory_gb;
        }
    }
    out->groups[out->n_groups - 1].count += node->count;
    out->typed = out->typed || node->type[0] != '\0';
}

enum { MOST_GROUPS = 10000 };

static size_t count_groups(const berth__node_list *list) {
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++) {
        n += i == 0 || by_kind(&list->nodes[i - 1], &list->nodes[i]) != 0;
    }
    return n;
}

berth_status berth__machines_of_list(const berth__node_list *list, bool has_memory, const char *path,
                                     berth__machines *out, berth_error *error) {
    *out = (berth__machines){.n_resources = has_memory ? 3 : 2,
                             .resources = {"gpu", "cpu", "memory_gb"},
                             .gpu = 0,
                             .cpu = 1,
                             .memory = has_memory ? 2 : -1};
    if (list->n > 0) {
        qsort(list->nodes, list->n, sizeof *list->nodes, by_kind);
    }
    size_t n_groups = count_groups(list);
    if (n_groups > MOST_GROUPS) {
        return berth__fail(error, BERTH_E_INPUT, path, "has more than %d kinds of machines", MOST_GROUPS);
    }
    out->groups = BERTH__NEW_ARRAY(berth__machine_kind, n_groups);
    if (out->groups == NULL) {
        return berth__fail_memory(error);
    }
    for (size_t i = 0; i < list->n; i++) {
        add_node(out, &list->nodes[i], i == 0 || by_kind(&list->nodes[i - 1], &list->nodes[i]) != 0);
    }
    find_reference(out);
    if (list->n == 0 || out->groups[out->reference].amounts[out->gpu] < 1) {
        return berth__fail(error, BERTH_E_INPUT, path, "no machine has a GPU");
    }
    return BERTH_OK;
}

void berth__machines_thin(berth__machines *machines, size_t n) {
    size_t total = machines->n_machines;
    if (n >= total) {
        return;
    }
    /* The k-th of n is number floor((2 k + 1) total / (2 n)): in the middle of its share. */
    size_t k = 0, begin = 0, kept = 0;
    for (size_t g = 0; g < machines->n_groups; g++) {
        berth__machine_kind group = machines->groups[g];
        size_t end = begin + group.count;
        group.count = 0;
        while (k < n && (size_t)(((double)k + 0.5) * (double)total / (double)n) < end) {
            group.count++;
            k++;
        }
        begin = end;
        if (group.count > 0) {
            machines->groups[kept++] = group;
        }
    }
    machines->n_groups = kept;
    find_reference(machines);
}

bool berth__machines_allowed(const berth__machines *machines, size_t group, const char *gpu_types) {
    if (!machines->typed || gpu_types == NULL) {
        return true;
    }
    for (const char *type = gpu_types;; type++) {
        size_t length = strcspn(type, "|");
        char name[BERTH__GPU_TYPE];
        berth__gpu_type_name(type, length, name);
        if (strcmp(name, machines->groups[group].type) == 0) {
            return true;
        }
        type += length;
        if (*type == '\0') {
            return false;
        }
    }
}
