#include "formats/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool berth__decimal(const char *text, double *out) {
    size_t length = strlen(text);
    if (length == 0 || strspn(text, "0123456789.eE+-") != length) {
        return false;
    }
    char *end = NULL;
    *out = strtod(text, &end);
    return *end == '\0' && isfinite(*out);
}
