/* Reading JSON with errors that say where: a thin layer over jansson.
 *
 * A berth__node is a value together with the way to it, so that an error can name its JSON pointer; nodes
 * live on the caller's stack and borrow from their parents. The reader keeps the first failure: after it
 * every getter does nothing and returns false, so a run of getters needs one check of reader->status. */
#ifndef BERTH_FORMATS_JSON_READ_H
#define BERTH_FORMATS_JSON_READ_H

#include "base/alloc.h"
#include "base/error.h"
#include "formats/names.h"

#include <jansson.h>

typedef struct berth__reader {
    berth__arena *arena; /* strings that are read live here */
    berth_error *error;  /* may be NULL */
    berth_status status;
} berth__reader;

typedef struct berth__node {
    json_t *value;
    const struct berth__node *parent; /* NULL: the root */
    const char *key;                  /* NULL: element `index` of an array */
    size_t index;
} berth__node;

typedef enum berth__presence {
    BERTH__REQUIRED, /* absent: an error */
    BERTH__OPTIONAL, /* absent: *out keeps its value */
    BERTH__NULLABLE  /* absent or null: *out keeps its value */
} berth__presence;

/* Parses a whole text (checked and freed of a byte order mark here): an object at the top, no duplicate
 * keys, nothing behind it. E_INPUT with line and column; `where` names the source (NULL: none). The caller
 * owns *out (json_decref). Needs the C locale, as jansson goes by the decimal point of the locale. */
berth_status berth__json_parse(const char *text, size_t length, const char *where, json_t **out, berth_error *error);
/* The same from a file. */
berth_status berth__json_read_file(const char *path, json_t **out, berth_error *error);

berth__node berth__node_root(json_t *root);
berth__node berth__node_element(const berth__node *array, size_t index);

/* The node's JSON pointer, as far as there is room. */
void berth__node_pointer(const berth__node *node, char *to, size_t room);

/* Records a failure at the node, if it is the first. Returns false. */
bool berth__node_fail(berth__reader *reader, const berth__node *node, berth_status status, const char *format, ...)
    BERTH__PRINTF(4, 5);
/* The same at a member, which need not exist. */
bool berth__member_fail(berth__reader *reader, const berth__node *object, const char *key, berth_status status,
                        const char *format, ...) BERTH__PRINTF(5, 6);
bool berth__reader_memory(berth__reader *reader); /* records E_MEMORY; returns false */

/* The object's format field must be `format`. */
bool berth__read_format(berth__reader *reader, const berth__node *root, const char *format);
/* Every key is one of the known ones or begins with x_. */
bool berth__only_fields(berth__reader *reader, const berth__node *object, const char *const *known, size_t n_known);
#define BERTH__ONLY_FIELDS(reader, object, table)                                                                      \
    berth__only_fields((reader), (object), (table), sizeof(table) / sizeof((table)[0]))

/* True if the member is there (and not null, if NULLABLE), with *out its node. */
bool berth__node_member(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                        berth__node *out);

/* Values of a node. */
bool berth__node_is_object(berth__reader *reader, const berth__node *node);
bool berth__node_array(berth__reader *reader, const berth__node *node, size_t *n);
bool berth__node_string(berth__reader *reader, const berth__node *node, const char **out); /* not empty */
bool berth__node_number(berth__reader *reader, const berth__node *node, double *out);      /* finite */
bool berth__node_integer(berth__reader *reader, const berth__node *node, long long *out);

/* Members of an object. */
bool berth__read_text(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                      const char **out); /* may be empty */
bool berth__read_string(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                        const char **out); /* not empty */
/* Place of a member's word in a list of n; absent: *out keeps its value. */
bool berth__read_word(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                      const char *const *words, size_t n, size_t *out);
bool berth__read_number(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                        double *out);
bool berth__read_int(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                     int *out);
bool berth__read_size(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                      size_t *out);
bool berth__read_bool(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                      bool *out);

/* An object {name: number} into values[index of name]; names that are absent keep their value, null is an
 * error unless `nullable` (NAN then). `what` for the message: "resource". */
bool berth__node_amounts(berth__reader *reader, const berth__node *node, const char *what, size_t n,
                         const char *const *names, bool nullable, double *values);
/* A list of non-empty strings, in the arena. */
bool berth__read_strings(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                         size_t *n, const char *const **out);

#endif
