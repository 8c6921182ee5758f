/* A run of a comparison that is done, as it is kept: berth-compare-run-1. */
#ifndef BERTH_FORMATS_COMPARE_RUN_JSON_H
#define BERTH_FORMATS_COMPARE_RUN_JSON_H

#include <berth_io.h>

/* `key` says all that the values depend on. */
berth_status berth__compare_run_write(const char *path, const char *key, size_t n, const char *const *names,
                                      const double *values, berth_error *error);
/* *found false: there is no such file, or it is of another key. E_IO; E_INPUT with the file in error->where. */
berth_status berth__compare_run_read(const char *path, const char *key, size_t n, const char *const *names,
                                     double *values, bool *found, berth_error *error);

#endif
