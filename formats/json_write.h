/* Writing JSON in one stable layout.
 *
 * Two spaces of indentation; an object or list whose one-line form is short stands on one line. Numbers are the
 * shortest of 15 to 17 digits that reads back, NAN is null. The writer keeps the first failure (out of memory, an
 * infinite number), so callers check only berth__json_finish. `key` is NULL for elements of a list and at the top. */
#ifndef BERTH_FORMATS_JSON_WRITE_H
#define BERTH_FORMATS_JSON_WRITE_H

#include <berth.h>

#include "base/numeric.h"

typedef struct berth__json_writer {
    char *text;
    size_t length, capacity;
    size_t *starts; /* offsets of the children of all open containers, outermost first */
    size_t n_starts, starts_capacity;
    struct berth__json_level {
        char closer;
        size_t begin;       /* offset of the opening bracket */
        size_t first_start; /* index into starts of its first child */
        bool tall;          /* a child stands on several lines */
    } levels[16];
    int depth;
    bool one_line;
    berth_status status;
    char culprit[48]; /* key of the infinite number */
    berth__c_locale locale;
} berth__json_writer;

/* Enters the C locale on this thread until berth__json_finish, which must follow on the same thread. */
void berth__json_begin(berth__json_writer *writer);
/* The same for a text of one line, however long. */
void berth__json_begin_line(berth__json_writer *writer);
/* The text with a final newline, NUL-terminated (berth__free it); on failure *out = NULL. */
berth_status berth__json_finish(berth__json_writer *writer, char **out, size_t *length, berth_error *error);
/* Finishes, and writes the text to `path`. */
berth_status berth__json_finish_file(berth__json_writer *writer, const char *path, berth_error *error);

void berth__json_object(berth__json_writer *writer, const char *key);
void berth__json_list(berth__json_writer *writer, const char *key);
void berth__json_close(berth__json_writer *writer);

void berth__json_string(berth__json_writer *writer, const char *key, const char *value); /* NULL: null */
void berth__json_number(berth__json_writer *writer, const char *key, double value);      /* NAN: null */
void berth__json_integer(berth__json_writer *writer, const char *key, long long value);
/* As a string of digits where it is beyond what JSON readers take for an integer (2^63 - 1). */
void berth__json_uint64(berth__json_writer *writer, const char *key, uint64_t value);
void berth__json_bool(berth__json_writer *writer, const char *key, bool value);
void berth__json_null(berth__json_writer *writer, const char *key);

void berth__json_strings(berth__json_writer *writer, const char *key, size_t n, const char *const *values);
/* An object {name: value}; `skip` decides which values are left out (NULL: none). */
void berth__json_amounts(berth__json_writer *writer, const char *key, size_t n, const char *const *names,
                         const double *values, bool (*skip)(double value));
bool berth__json_skip_zero(double value);

#endif
