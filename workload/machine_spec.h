/* A machine written as "gpu=8,cpu=64,memory_gb=512". */
#ifndef BERTH_WORKLOAD_MACHINE_SPEC_H
#define BERTH_WORKLOAD_MACHINE_SPEC_H

#include <berth.h>

enum { BERTH__SPEC_RESOURCES = 16, BERTH__SPEC_NAME = 64 };

typedef struct berth__machine_spec {
    size_t n;
    char names[BERTH__SPEC_RESOURCES][BERTH__SPEC_NAME];
    const char *name_list[BERTH__SPEC_RESOURCES]; /* pointers to names: a spec must not be copied */
    double amounts[BERTH__SPEC_RESOURCES];        /* finite, >= 0 */
} berth__machine_spec;

/* E_ARGUMENT (where = "machine"): not of that form, a name twice, more than 16 resources. Needs the C locale. */
berth_status berth__machine_spec_parse(const char *text, berth__machine_spec *out, berth_error *error);
/* Index of a resource, or -1. */
int berth__machine_spec_find(const berth__machine_spec *spec, const char *name);

#endif
