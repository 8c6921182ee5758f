#include "formats/goodput_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static const char *name_or_number(const char *name, const char *kind, size_t index,
                                  char buffer[BERTH__GOODPUT_NAME_ROOM]) {
    if (name != NULL) {
        return name;
    }
    snprintf(buffer, BERTH__GOODPUT_NAME_ROOM, "%s-%zu", kind, index);
    return buffer;
}

const char *berth__goodput_node_name(const berth_goodput_instance *instance, size_t node,
                                     char buffer[BERTH__GOODPUT_NAME_ROOM]) {
    return name_or_number(instance->node_names != NULL ? instance->node_names[node] : NULL, "node", node, buffer);
}

const char *berth__goodput_type_name(const berth_goodput_instance *instance, size_t type,
                                     char buffer[BERTH__GOODPUT_NAME_ROOM]) {
    return name_or_number(instance->type_names != NULL ? instance->type_names[type] : NULL, "type", type, buffer);
}

const char *berth__goodput_job_name(const berth_goodput_instance *instance, size_t job,
                                    char buffer[BERTH__GOODPUT_NAME_ROOM]) {
    return name_or_number(instance->jobs[job].id, "job", job, buffer);
}

/* ---- tables ---- */

typedef const char *name_of(const berth_goodput_instance *instance, size_t index,
                            char buffer[BERTH__GOODPUT_NAME_ROOM]);

static bool index_all(berth__goodput_names *names, name_of *name, size_t n, berth__names *table) {
    char buffer[BERTH__GOODPUT_NAME_ROOM];
    if (!berth__names_init(table, n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const char *text = name(names->instance, k, buffer);
        text = text == buffer ? berth__arena_strdup(names->arena, buffer) : text;
        if (text == NULL) {
            return false;
        }
        berth__names_add(table, text, k);
    }
    return true;
}

bool berth__goodput_names_init(berth__goodput_names *names, const berth_goodput_instance *instance) {
    *names = (berth__goodput_names){.instance = instance, .arena = berth__arena_new()};
    return names->arena != NULL && index_all(names, berth__goodput_node_name, instance->n_nodes, &names->nodes) &&
           index_all(names, berth__goodput_type_name, instance->n_types, &names->types);
}

void berth__goodput_names_free(berth__goodput_names *names) {
    berth__names_free(&names->nodes);
    berth__names_free(&names->types);
    berth__arena_free(names->arena);
}

bool berth__goodput_find_type(berth__reader *reader, const berth__node *node, const berth__goodput_names *names,
                              const char *name, size_t *out) {
    *out = berth__names_find(&names->types, name);
    return *out != BERTH__NO_NAME ||
           berth__node_fail(reader, node, BERTH_E_INPUT, "there is no GPU type '%.80s'", name);
}

static int compare_nodes(const void *a, const void *b) {
    const berth_node_gpus *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

bool berth__goodput_read_gpus(berth__reader *reader, const berth__node *node, const berth__goodput_names *names,
                              size_t *n, const berth_node_gpus **out) {
    if (!berth__node_is_object(reader, node)) {
        return false;
    }
    size_t count = 0;
    berth_node_gpus *list = BERTH__ARENA_ARRAY(reader->arena, berth_node_gpus, json_object_size(node->value));
    if (list == NULL) {
        return berth__reader_memory(reader);
    }
    for (void *at = json_object_iter(node->value); at != NULL; at = json_object_iter_next(node->value, at)) {
        berth__node value = {.value = json_object_iter_value(at), .parent = node, .key = json_object_iter_key(at)};
        long long gpus;
        berth_node_gpus *entry = &list[count++];
        entry->node = berth__names_find(&names->nodes, value.key);
        if (entry->node == BERTH__NO_NAME) {
            return berth__node_fail(reader, &value, BERTH_E_INPUT, "there is no node '%.80s'", value.key);
        }
        if (!berth__node_integer(reader, &value, &gpus)) {
            return false;
        }
        if (gpus < 1 || gpus > UINT32_MAX) {
            return berth__node_fail(reader, &value, BERTH_E_INPUT, "expected a number of GPUs from 1 to %u",
                                    UINT32_MAX);
        }
        entry->gpus = (uint32_t)gpus;
    }
    qsort(list, count, sizeof *list, compare_nodes);
    *n = count;
    *out = list;
    return true;
}

/* ---- members ---- */

bool berth__goodput_read_whole(berth__reader *reader, const berth__node *object, const char *key,
                               berth__presence presence, uint32_t least, uint32_t most, uint32_t *out) {
    berth__node node;
    long long value;
    if (!berth__node_member(reader, object, key, presence, &node)) {
        return reader->status == BERTH_OK;
    }
    if (!berth__node_integer(reader, &node, &value)) {
        return false;
    }
    if (value < least || value > most) {
        return berth__node_fail(reader, &node, BERTH_E_INPUT, "must be from %u to %u, is %lld", least, most, value);
    }
    *out = (uint32_t)value;
    return true;
}

bool berth__goodput_read_real(berth__reader *reader, const berth__node *object, const char *key,
                              berth__presence presence, double least, double most, double *out) {
    berth__node node;
    double value;
    if (!berth__node_member(reader, object, key, presence, &node)) {
        return reader->status == BERTH_OK;
    }
    if (!berth__node_number(reader, &node, &value)) {
        return false;
    }
    if (!(value >= least && value <= most)) {
        return berth__node_fail(reader, &node, BERTH_E_INPUT, "must be from %g to %g, is %g", least, most, value);
    }
    *out = value;
    return true;
}
