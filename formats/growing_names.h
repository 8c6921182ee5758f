/* Names numbered in the order in which they come, however many. */
#ifndef BERTH_FORMATS_GROWING_NAMES_H
#define BERTH_FORMATS_GROWING_NAMES_H

#include "base/alloc.h"
#include "formats/names.h"

typedef struct berth__growing_names {
    size_t n, capacity;
    const char **names; /* [n], copies */
    /* private */
    berth__names table;
    size_t table_room;
    berth__arena *arena;
} berth__growing_names;

/* The name's number; *is_new: it was not there yet. False: out of memory. `names` may be zeroed. */
bool berth__growing_names_add(berth__growing_names *names, const char *name, size_t *number, bool *is_new);
/* BERTH__NO_NAME if it is not there. */
size_t berth__growing_names_find(const berth__growing_names *names, const char *name);
void berth__growing_names_free(berth__growing_names *names);

#endif
