#include "formulations/fields.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

/* The field's name in a message that already says where it stands. */
static const char *last_part(const char *where) {
    const char *slash = strrchr(where, '/');
    return slash == NULL ? where : slash + 1;
}

berth_status berth__check_number(const char *where, double value, berth__range expected, berth_error *error) {
    static const char *const text[] = {"a finite number > 0", "a finite number >= 0", "a finite number",
                                       "0 or a number from 1e-100 to 1e100"};
    bool good = isfinite(value) && (expected != BERTH__POSITIVE || value > 0) &&
                (expected != BERTH__NON_NEGATIVE || value >= 0) &&
                (expected != BERTH__AMOUNT || value == 0 || (value >= 1e-100 && value <= 1e100));
    if (good) {
        return BERTH_OK;
    }
    return berth__fail(error, BERTH_E_INPUT, where, "%s is %g; expected %s", last_part(where), value, text[expected]);
}

berth_status berth__check_name(const char *where, const char *name, berth_error *error) {
    if (name != NULL && name[0] != '\0') {
        return BERTH_OK;
    }
    return berth__fail(error, BERTH_E_INPUT, where, "%s is %s; expected a non-empty text", last_part(where),
                       name == NULL ? "missing" : "empty");
}

void berth__point_at(char where[BERTH__WHERE_SIZE], const char *prefix, const char *name) {
    size_t n = 0;
    for (; *prefix != '\0' && n + 1 < BERTH__WHERE_SIZE; prefix++) {
        where[n++] = *prefix;
    }
    for (; *name != '\0' && n + 2 < BERTH__WHERE_SIZE; name++) {
        if (*name == '~' || *name == '/') {
            where[n++] = '~';
            where[n++] = *name == '~' ? '0' : '1';
        } else {
            where[n++] = *name;
        }
    }
    where[n] = '\0';
}
