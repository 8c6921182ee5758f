/* Clients and categories of cohort files by name. */
#ifndef BERTH_FORMATS_COHORT_NAMES_H
#define BERTH_FORMATS_COHORT_NAMES_H

#include <berth_cohort.h>

#include "formats/json_read.h"

typedef struct berth__cohort_names {
    const berth_cohort_data *data;
    berth__names clients, categories;
    berth__arena *arena; /* names of those that have none of their own */
} berth__cohort_names;

/* False: out of memory. Free in any case. `with_clients`: clients too. */
bool berth__cohort_names_init(berth__cohort_names *names, const berth_cohort_data *data, bool with_clients);
void berth__cohort_names_free(berth__cohort_names *names);

/* Fills an object, zeroed in the reader's arena, from a file's root; false: recorded in the reader. */
typedef bool berth__cohort_read_object(berth__reader *reader, const berth__node *root, const berth__cohort_names *names,
                                       void *object);
/* Reads a file whose names are those of the data. *out: in *arena, which the caller owns. */
berth_status berth__cohort_read_file(const char *path, const berth_cohort_data *data, size_t object_size,
                                     berth__cohort_read_object *read, void **out, berth__arena **arena,
                                     berth_error *error);

/* An object {category: whole number}. `values`: [n_categories], absent ones keep their value. */
bool berth__cohort_read_counts(berth__reader *reader, const berth__node *node, const berth__cohort_names *names,
                               uint64_t *values);
/* Which of n words a member is; *out stays what it is if the member is absent (or null). */
bool berth__cohort_read_word(berth__reader *reader, const berth__node *root, const char *key, const char *const *words,
                             size_t n, size_t *out);
extern const char *const berth__cohort_objectives[2]; /* names, by berth_cohort_objective */
/* The client or category that a text names; false: recorded at the node. */
bool berth__cohort_find_client(berth__reader *reader, const berth__node *node, const berth__cohort_names *names,
                               const char *name, size_t *out);
bool berth__cohort_find_category(berth__reader *reader, const berth__node *node, const berth__cohort_names *names,
                                 const char *name, size_t *out);

#endif
