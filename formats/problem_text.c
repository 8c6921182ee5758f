#include "formats/problem_text.h"

#include "base/alloc.h"
#include "formats/problem_build.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void berth__text_put(berth__text *text, const char *bytes, size_t length) {
    if (text->status != BERTH_OK) {
        return;
    }
    if (text->capacity - text->length <= length) { /* room for the NUL too */
        size_t wanted = text->capacity + text->capacity / 2 + length + 1024;
        char *grown = berth__realloc(text->bytes, wanted, 1);
        if (grown == NULL) {
            text->status = BERTH_E_MEMORY;
            return;
        }
        text->bytes = grown;
        text->capacity = wanted;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
    for (size_t k = length; k > 0; k--) {
        if (bytes[k - 1] == '\n') {
            text->line = text->length - (length - k);
            break;
        }
    }
}

void berth__text_add(berth__text *text, const char *format, ...) {
    char line[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof line) {
        text->status = text->status == BERTH_OK ? BERTH_E_INTERNAL : text->status;
        return;
    }
    berth__text_put(text, line, (size_t)length);
}

berth_status berth__text_finish(berth__text *text, char **out, size_t *length, berth_error *error) {
    *out = NULL;
    *length = 0;
    berth__text_put(text, "", 0);
    berth_status status = text->status;
    if (status == BERTH_OK) {
        *out = text->bytes;
        *length = text->length;
        text->bytes = NULL;
    }
    berth__text_clear(text);
    return status == BERTH_E_MEMORY ? berth__fail_memory(error)
           : status != BERTH_OK     ? berth__fail(error, status, NULL, "a line too long to write")
                                    : BERTH_OK;
}

void berth__text_clear(berth__text *text) {
    berth__free(text->bytes);
    *text = (berth__text){0};
}

bool berth__fits_file(double value, bool is_bound) {
    if (isinf(value)) {
        return is_bound;
    }
    return (value == 0 || fabs(value) >= DBL_MIN) && !(is_bound && fabs(value) >= BERTH__FILE_INFINITY);
}
