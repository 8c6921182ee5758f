/* Instances as JSON, berth-jobs-1: what other rooms need besides <berth_io.h>. */
#ifndef BERTH_FORMATS_INSTANCE_JSON_H
#define BERTH_FORMATS_INSTANCE_JSON_H

#include <berth_io.h>

/* Limits of the reader: resources, expanded machines, numbers in the capacity matrix, slots. */
#define BERTH__MAX_RESOURCES        1000
#define BERTH__MAX_MACHINES         10000000
#define BERTH__MAX_CAPACITY_NUMBERS 100000000
#define BERTH__MAX_HORIZON          1000000

/* The canonical text, NUL-terminated (berth__free it). Looks at name, source, slots, resources, groups, quotas,
 * jobs and given prices only, not at what is derived from them. */
berth_status berth__instance_text(const berth_instance *instance, char **out, size_t *length, berth_error *error);
/* zlib's crc32 of the canonical text, into *out. */
berth_status berth__instance_crc32(const berth_instance *instance, uint32_t *out, berth_error *error);

#endif
