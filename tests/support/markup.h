/* Is a text well-formed XML, as SVG and our HTML are? Elements nested and closed, attributes quoted and each once,
 * known entities only, UTF-8 without control characters. */
#ifndef BERTH_TESTS_MARKUP_H
#define BERTH_TESTS_MARKUP_H

#include <stdbool.h>
#include <stddef.h>

/* False: `problem` says what is wrong and where. */
bool markup_is_well_formed(const char *text, size_t length, char *problem, size_t size);
/* How many elements of that name there are. */
size_t markup_count(const char *text, const char *element);

#endif
