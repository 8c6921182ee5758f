/* Output that appears whole or not at all: temporary file beside the target, fsync, rename. */
#ifndef BERTH_BASE_ATOMIC_FILE_H
#define BERTH_BASE_ATOMIC_FILE_H

#include <berth.h>

/* Writes `length` bytes to `path` ("-": standard output, written through). E_IO with the reason and the
 * path in error->where; nothing is left behind then. An existing file keeps its permission bits. */
berth_status berth__write_file(const char *path, const void *bytes, size_t length, berth_error *error);

#endif
