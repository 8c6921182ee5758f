/* The machines of an import: given by options (all alike), or a trace's list of nodes.
 *
 * Nodes of a list that are alike in GPU type and capacities make a group. Its machines are named TYPE.GROUP-NUMBER
 * ("T4.1-0"; without GPUs "cpu.1-0", without a type "node.1-0"), so the pattern "T4.*" is all of a type. Characters of
 * a type's name that a pattern or a name cannot hold become "_". */
#ifndef BERTH_WORKLOAD_TRACE_MACHINES_H
#define BERTH_WORKLOAD_TRACE_MACHINES_H

#include <berth_io.h>

#include "workload/machine_spec.h"

enum { BERTH__GPU_TYPE = 64, BERTH__MOST_GPU_TYPES = 32 };

typedef struct berth__machine_kind {
    char type[BERTH__GPU_TYPE]; /* as in names: berth__gpu_type_name(); "" if all machines are alike */
    char name[BERTH__GPU_TYPE + 24];
    size_t count;
    double amounts[BERTH__SPEC_RESOURCES];
} berth__machine_kind;

typedef struct berth__machines {
    size_t n_resources;
    const char *resources[BERTH__SPEC_RESOURCES];
    int gpu, cpu, memory; /* index of that resource; -1: there is none */
    size_t n_groups;
    berth__machine_kind *groups;
    size_t n_machines;
    bool typed;       /* names carry GPU types */
    size_t reference; /* the group with the most GPUs: rules on shares of a machine go by it */
} berth__machines;

/* One node as listed. */
typedef struct berth__node_row {
    const char *type; /* "" : none */
    double gpus, cpus, memory_gb;
    size_t count; /* alike */
} berth__node_row;

typedef struct berth__node_list {
    berth__node_row *nodes;
    size_t n, capacity;
} berth__node_list;

bool berth__node_list_add(berth__node_list *list, const berth__node_row *node); /* false: out of memory */
void berth__node_list_clear(berth__node_list *list);

/* All alike; `spec` has a resource gpu and outlives *out. E_MEMORY. */
berth_status berth__machines_alike(const berth__machine_spec *spec, size_t count, berth__machines *out,
                                   berth_error *error);
/* From a list; without `has_memory` there is no such resource. E_INPUT (where = path) if no node has a GPU. */
berth_status berth__machines_of_list(const berth__node_list *list, bool has_memory, const char *path,
                                     berth__machines *out, berth_error *error);
/* Takes `n` of them evenly, in the order of the groups. n above their number: all. */
void berth__machines_thin(berth__machines *machines, size_t n);
void berth__machines_clear(berth__machines *machines);

/* The type as machines are named by it. */
void berth__gpu_type_name(const char *type, size_t length, char out[BERTH__GPU_TYPE]);
/* May a job with these GPU types (NULL: any) use the group? */
bool berth__machines_allowed(const berth__machines *machines, size_t group, const char *gpu_types);

#endif
