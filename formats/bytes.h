/* Whole input files as text. */
#ifndef BERTH_FORMATS_BYTES_H
#define BERTH_FORMATS_BYTES_H

#include <berth.h>

/* Largest input (after decompression) that the readers take: one gibibyte. */
#define BERTH__MAX_INPUT ((size_t)1 << 30)

/* Reads all of `path` ("-": standard input), decompressing gzip, into *out (berth__free it), which gets a
 * terminating NUL beyond *length. E_IO with the path in error->where: as berth__input_read, or more than max_length
 * bytes. */
berth_status berth__bytes_read(const char *path, size_t max_length, char **out, size_t *length, berth_error *error);
/* The same by berth__input_open_found. *found false: there is none of that name, which is an error only if `found` is
 * NULL. */
berth_status berth__bytes_read_found(const char *path, size_t max_length, bool *found, char **out, size_t *length,
                                     berth_error *error);

/* Writes bytes to `path`, whole or not at all (base/atomic_file.h); gzip-compressed if its name ends in .gz. */
berth_status berth__bytes_write(const char *path, const char *bytes, size_t length, berth_error *error);

/* Checks that bytes are non-empty UTF-8 text without NUL, and steps over a byte order mark. E_INPUT with
 * line and column (in bytes); `where` names the source. */
berth_status berth__text_check(const char **text, size_t *length, const char *where, berth_error *error);

/* Length of the well-formed UTF-8 sequence at `text`, of which `left` > 0 bytes may be looked at; 0: none. */
size_t berth__utf8_length(const char *text, size_t left);

#endif
