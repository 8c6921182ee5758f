/* A JSON Schema validator, of as much of draft 2020-12 as berth's own schemas use. An unknown keyword is an error. */
#ifndef BERTH_TESTS_SCHEMA_CHECK_H
#define BERTH_TESTS_SCHEMA_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* True if the file is valid; else `problem` says why not. */
bool schema_check_file(const char *schema, const char *path, char *problem, size_t room);

#endif
