/* Results of runs as JSON, berth-run-1, with their certificates, berth-certificate-1: what the files of this
 * room share. */
#ifndef BERTH_FORMATS_RUN_JSON_H
#define BERTH_FORMATS_RUN_JSON_H

#include <berth_io.h>

#include "formats/json_read.h"
#include "formats/json_write.h"

/* More numbers (slots x classes x resources) than this must go to a file of their own. */
#define BERTH__MAX_INLINE_CERTIFICATE 100000

size_t berth__certificate_numbers(const berth_certificate *certificate, const berth_instance *instance);

/* Members "classes" and "prices" of an open object. */
void berth__write_certificate(berth__json_writer *writer, const berth_certificate *certificate,
                              const berth_instance *instance);
berth_status berth__write_certificate_file(const berth_certificate *certificate, const berth_instance *instance,
                                           const char *path, berth_error *error);

/* Reads the same members; *out lives in the reader's arena. Every machine is in exactly one class and there is a
 * price list for every slot and class; resources that are left out have price 0. */
bool berth__read_certificate(berth__reader *reader, const berth__node *object, const berth_instance *instance,
                             const berth__names *machines, berth_certificate **out);
/* The instance's machine names. False: out of memory. */
bool berth__machine_names(const berth_instance *instance, berth__names *out);

/* Members "instance" and "instance_crc32": those of the instance, else BERTH_E_MISMATCH. */
void berth__write_instance_of(berth__json_writer *writer, const char *name, uint32_t crc32);
bool berth__read_instance_of(berth__reader *reader, const berth__node *root, const berth_instance *instance,
                             berth__presence crc32_presence, const char **name, uint32_t *crc32);

#endif
