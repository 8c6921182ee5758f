#include "formulations/fields.h"

#include <math.h>

#include "base/error.h"

berth_status berth__check_number(const char *where, double value, berth__range expected, berth_error *error) {
    static const char *const text[] = {"a finite number > 0", "a finite number >= 0", "a finite number"};
    bool good = isfinite(value) && (expected != BERTH__POSITIVE || value > 0) &&
                (expected != BERTH__NON_NEGATIVE || value >= 0);
    if (good) {
        return BERTH_OK;
    }
    return berth__fail(error, BERTH_E_INPUT, where, "%s is %g; expected %s", where + 1, value, text[expected]);
}

berth_status berth__check_name(const char *where, const char *name, berth_error *error) {
    if (name != NULL && name[0] != '\0') {
        return BERTH_OK;
    }
    return berth__fail(error, BERTH_E_INPUT, where, "%s is %s; expected a non-empty text", where + 1,
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
