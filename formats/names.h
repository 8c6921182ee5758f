/* A table from names to indices; keys are borrowed. */
#ifndef BERTH_FORMATS_NAMES_H
#define BERTH_FORMATS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BERTH__NO_NAME SIZE_MAX

typedef struct berth__names {
    size_t mask; /* entries - 1; entries are a power of two */
    const char **keys;
    size_t *indices;
} berth__names;

/* Room for n names. False: out of memory. Free also a zeroed table. */
bool berth__names_init(berth__names *names, size_t n);
void berth__names_free(berth__names *names);
/* The index under which the name was there already, or BERTH__NO_NAME if it is new and now there. */
size_t berth__names_add(berth__names *names, const char *key, size_t index);
/* BERTH__NO_NAME if it is not there. */
size_t berth__names_find(const berth__names *names, const char *key);

/* The name nearest to `word` if it is near enough to be meant, else NULL: at most two edits (a swap of neighbours is
 * one), one in words of 4 to 6 letters, none in shorter ones, where most edits make another word. */
const char *berth__nearest_name(const char *word, const char *const *known, size_t n_known);

#endif
