/* What results of all kinds have in common: the checksum of what they belong to, seed, versions. */
#ifndef BERTH_FORMATS_RESULT_JSON_H
#define BERTH_FORMATS_RESULT_JSON_H

#include "formats/json_read.h"
#include "formats/json_write.h"

/* Eight hexadecimal digits. */
void berth__write_crc32(berth__json_writer *writer, const char *key, uint32_t crc32);
/* True if it is there. */
bool berth__read_crc32(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                       uint32_t *out);

/* A non-negative integer; one beyond 2^63 - 1 stands as a string of digits. */
bool berth__read_uint64(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                        uint64_t *out);
/* Member "seed", likewise. */
bool berth__read_seed(berth__reader *reader, const berth__node *root, berth__presence presence, uint64_t *out);

/* Members "favour", cover or packing, and "scale", auto, paper or a number above 0, of an object of options; either may
 * be absent or null. */
bool berth__read_rounding(berth__reader *reader, const berth__node *options, const char **favour, const char **scale);

/* Member "versions", {name: number}; may be absent or null. */
void berth__write_versions(berth__json_writer *writer, size_t n, const char *const *names, const char *const *numbers);
bool berth__read_versions(berth__reader *reader, const berth__node *root, size_t *n, const char *const **names,
                          const char *const **numbers);

#endif
