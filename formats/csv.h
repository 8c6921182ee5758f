/* Rows of text separated by commas, tabs or another character, cut up in place.
 *
 * Lines end in LF or CRLF, the last one may lack it; blank lines are passed over. A field may be quoted ("a ""b""");
 * a quoted field must not contain a line break (no trace does), so that a stray quote spoils one line and not the
 * rest of the file. */
#ifndef BERTH_FORMATS_CSV_H
#define BERTH_FORMATS_CSV_H

#include <stdbool.h>
#include <stddef.h>

enum { BERTH__CSV_BEGIN = 96 };

typedef struct berth__csv {
    char *next; /* text not yet read */
    char separator;
    long line;                    /* number of the present row's line, from 1 */
    char begin[BERTH__CSV_BEGIN]; /* how that line begins, uncut */
    size_t n_fields;
    char **fields;       /* [n_fields], NUL-terminated, in the text; gone with the next row */
    const char *problem; /* why the row can't be read (its fields are then meaningless); NULL: it can */
    bool out_of_memory;  /* ends the reading */
    size_t capacity;
} berth__csv;

/* `text` is NUL-terminated and written to; it must outlive the reader. */
berth__csv berth__csv_start(char *text, char separator);
/* The next row; false at the end, or out of memory. */
bool berth__csv_next(berth__csv *csv);
void berth__csv_clear(berth__csv *csv);

/* "semicolons" or "tabs" if a row of a single field looks as if these separated its fields, not commas; else NULL. */
const char *berth__csv_other_separator(const berth__csv *csv);
/* The field without blanks at its ends; those behind are cut off. */
char *berth__csv_trim(char *field);
/* A finite decimal number, blanks around it passed over; false: it is none. Needs the C locale. */
bool berth__csv_number(char *field, double *out);

#endif
