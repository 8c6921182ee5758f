/* A growing text, for the writers of MPS and LP. Keeps its first failure: check once at the end. */
#ifndef BERTH_FORMATS_PROBLEM_TEXT_H
#define BERTH_FORMATS_PROBLEM_TEXT_H

#include <berth.h>

#include "base/error.h"

typedef struct berth__text {
    char *bytes;
    size_t length, capacity;
    size_t line; /* offset of the line being written */
    berth_status status;
} berth__text;

void berth__text_add(berth__text *text, const char *format, ...) BERTH__PRINTF(2, 3);
void berth__text_put(berth__text *text, const char *bytes, size_t length);
/* Into *out, NUL-terminated (berth__free it); the text is empty again. */
berth_status berth__text_finish(berth__text *text, char **out, size_t *length, berth_error *error);
void berth__text_clear(berth__text *text);

/* True if the number keeps its value in MPS and LP files, whose readers take less than 2.2e-308 for 0 and 1e30 and more
 * for infinite. */
bool berth__fits_file(double value, bool is_bound);

#endif
