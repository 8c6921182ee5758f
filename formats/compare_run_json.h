/* A run of a comparison that is done, as it is kept: berth-compare-run-1. */
#ifndef BERTH_FORMATS_COMPARE_RUN_JSON_H
#define BERTH_FORMATS_COMPARE_RUN_JSON_H

#include <berth_io.h>

/* What a value can be. */
typedef struct berth__kept_value {
    const char *name;
    double min, max;
    bool whole;    /* no fractions */
    bool nullable; /* NAN, which stands as null, is a value too */
} berth__kept_value;

/* values: [n]. `key` says all that they depend on; a checksum of key and values goes along. */
berth_status berth__compare_run_write(const char *path, const char *key, size_t n, const berth__kept_value *kinds,
                                      const double *values, berth_error *error);
/* *found false: there is no such file, or it is of another key. E_INPUT with the file in error->where and the field in
 * the message: it cannot be read, is no regular file, a value is beyond what it can be, or not the one that was
 * written.
 */
berth_status berth__compare_run_read(const char *path, const char *key, size_t n, const berth__kept_value *kinds,
                                     double *values, bool *found, berth_error *error);

#endif
