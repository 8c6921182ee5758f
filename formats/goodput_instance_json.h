/* Instances of allocation as JSON, berth-goodput-1: what other files of this room need besides <berth_goodput.h>. */
#ifndef BERTH_FORMATS_GOODPUT_INSTANCE_JSON_H
#define BERTH_FORMATS_GOODPUT_INSTANCE_JSON_H

#include <berth_goodput.h>

/* Limits of the reader: expanded nodes, GPUs of one. */
enum { BERTH__MAX_GOODPUT_NODES = 1000000, BERTH__MAX_NODE_GPUS = 65536 };

/* zlib's crc32 of the canonical text, into *out. */
berth_status berth__goodput_instance_crc32(const berth_goodput_instance *instance, uint32_t *out, berth_error *error);

#endif
