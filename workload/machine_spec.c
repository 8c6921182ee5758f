#include "workload/machine_spec.h"

#include <string.h>

#include "base/error.h"
#include "formats/decimal.h"

int berth__machine_spec_find(const berth__machine_spec *spec, const char *name) {
    for (size_t i = 0; i < spec->n; i++) {
        if (strcmp(spec->names[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* One "name=amount" of `length` characters. */
static berth_status parse_part(const char *part, size_t length, berth__machine_spec *out, berth_error *error) {
    const char *equals = memchr(part, '=', length);
    size_t name_length = equals == NULL ? 0 : (size_t)(equals - part);
    size_t amount_length = equals == NULL ? 0 : length - name_length - 1;
    char amount[BERTH__SPEC_NAME] = "";
    if (name_length == 0 || name_length >= BERTH__SPEC_NAME || amount_length >= sizeof amount) {
        return berth__fail(error, BERTH_E_ARGUMENT, "machine", "\"%.*s\" is not of the form resource=amount",
                           (int)(length < 80 ? length : 80), part);
    }
    if (out->n == BERTH__SPEC_RESOURCES) {
        return berth__fail(error, BERTH_E_ARGUMENT, "machine", "names more than %d resources", BERTH__SPEC_RESOURCES);
    }
    char name[BERTH__SPEC_NAME] = "";
    memcpy(name, part, name_length);
    memcpy(amount, equals + 1, amount_length);
    if (berth__machine_spec_find(out, name) >= 0) {
        return berth__fail(error, BERTH_E_ARGUMENT, "machine", "names %s twice", name);
    }
    if (!berth__decimal(amount, &out->amounts[out->n]) || out->amounts[out->n] < 0) {
        return berth__fail(error, BERTH_E_ARGUMENT, "machine", "%s: \"%s\" is not a number of at least 0", name,
                           amount);
    }
    memcpy(out->names[out->n], name, sizeof name);
    out->name_list[out->n] = out->names[out->n];
    out->n++;
    return BERTH_OK;
}

berth_status berth__machine_spec_parse(const char *text, berth__machine_spec *out, berth_error *error) {
    out->n = 0;
    for (const char *part = text;; part++) {
        size_t length = strcspn(part, ",");
        berth_status status = parse_part(part, length, out, error);
        if (status != BERTH_OK) {
            return status;
        }
        part += length;
        if (*part == '\0') {
            return BERTH_OK;
        }
    }
}
