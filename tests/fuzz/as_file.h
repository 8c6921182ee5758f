/* For readers that take a path. */
#ifndef BERTH_TESTS_AS_FILE_H
#define BERTH_TESTS_AS_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Calls use with the path of a temporary file of these bytes. */
void as_file(const uint8_t *bytes, size_t length, void (*use)(const char *path));

#endif
