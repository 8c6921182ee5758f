/* The elements of a JSON array at the top of a file, one at a time: memory for one of them, not for all. */
#ifndef BERTH_FORMATS_JSON_ELEMENTS_H
#define BERTH_FORMATS_JSON_ELEMENTS_H

#include "formats/json_read.h"

typedef struct berth__json_elements {
    const char *next, *end; /* of what is not read yet */
    const char *where;      /* borrowed */
    long line;              /* of *next */
    size_t n;               /* elements taken */
    bool done;
} berth__json_elements;

/* `text` (checked, and freed of a byte order mark here) outlives the reading. E_INPUT with line if it is no array. */
berth_status berth__json_elements_start(berth__json_elements *elements, const char *text, size_t length,
                                        const char *where, berth_error *error);
/* The next one into *out (json_decref), *line where it begins; *out = NULL at the end of the array. E_INPUT with line
 * and column. Needs the C locale. */
berth_status berth__json_elements_next(berth__json_elements *elements, json_t **out, long *line, berth_error *error);

#endif
