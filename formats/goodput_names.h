/* Nodes, GPU types and jobs of goodput instances by name. */
#ifndef BERTH_FORMATS_GOODPUT_NAMES_H
#define BERTH_FORMATS_GOODPUT_NAMES_H

#include <berth_goodput.h>

#include "formats/json_read.h"

enum { BERTH__GOODPUT_NAME_ROOM = 32 };

/* "node-3", "type-0", "job-7" in the buffer for those without a name. */
const char *berth__goodput_node_name(const berth_goodput_instance *instance, size_t node,
                                     char buffer[BERTH__GOODPUT_NAME_ROOM]);
const char *berth__goodput_type_name(const berth_goodput_instance *instance, size_t type,
                                     char buffer[BERTH__GOODPUT_NAME_ROOM]);
const char *berth__goodput_job_name(const berth_goodput_instance *instance, size_t job,
                                    char buffer[BERTH__GOODPUT_NAME_ROOM]);

typedef struct berth__goodput_names {
    const berth_goodput_instance *instance;
    berth__names nodes, types;
    berth__arena *arena; /* names of those that have none of their own */
} berth__goodput_names;

/* False: out of memory. Free in any case. */
bool berth__goodput_names_init(berth__goodput_names *names, const berth_goodput_instance *instance);
void berth__goodput_names_free(berth__goodput_names *names);

/* The type that a member of an object is named after; false: recorded at the member. */
bool berth__goodput_find_type(berth__reader *reader, const berth__node *node, const berth__goodput_names *names,
                              const char *name, size_t *out);
/* An object {node: GPUs} as a list in the reader's arena, by ascending node. */
bool berth__goodput_read_gpus(berth__reader *reader, const berth__node *node, const berth__goodput_names *names,
                              size_t *n, const berth_node_gpus **out);
/* A whole number in [least, most]; absent: *out keeps its value. */
bool berth__goodput_read_whole(berth__reader *reader, const berth__node *object, const char *key,
                               berth__presence presence, uint32_t least, uint32_t most, uint32_t *out);
/* A number in [least, most]; absent (or null, if nullable): *out keeps its value. */
bool berth__goodput_read_real(berth__reader *reader, const berth__node *object, const char *key,
                              berth__presence presence, double least, double most, double *out);

#endif
