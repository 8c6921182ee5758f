/* Names from files as text for people. */
#ifndef BERTH_REPORT_NAMES_H
#define BERTH_REPORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { BERTH__NAME_ROOM = 256 };
/* At most `most` characters (<= 60) of the name, a longer one cut and ending in an ellipsis, with '?' for what cannot
 * be printed. Returns the buffer. */
const char *berth__clean_name(char buffer[BERTH__NAME_ROOM], const char *name, size_t most);
/* Columns that a text takes; wide characters of East Asia two. */
size_t berth__columns(const char *text);
/* Width in pixels, about, at a size of font. */
double berth__text_width(const char *text, double font);
/* "2 h", "10 min", "90 s". */
const char *berth__slot_length(char buffer[32], double slot_seconds);

#endif
