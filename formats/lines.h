/* Text files line by line, gzip or not, in bounded memory. */
#ifndef BERTH_FORMATS_LINES_H
#define BERTH_FORMATS_LINES_H

#include "formats/input.h"

typedef struct berth__lines {
    const char *path; /* borrowed */
    berth__input input;
    char *buffer;
    size_t capacity, begin, end; /* of what was read and not handed out */
    bool at_end;
    long line;   /* number of the last line handed out */
    double size; /* of the file, compressed or not; 0: unknown */
} berth__lines;

/* Opens a file ("-": standard input). E_IO. Close in any case. */
berth_status berth__lines_open(berth__lines *lines, const char *path, berth_error *error);
void berth__lines_close(berth__lines *lines);
/* The next line, without its end (LF or CRLF) and without a byte order mark, NUL-terminated, to be written to at will
 * and gone with the next call; *line NULL: there is none. E_IO: as berth__input_read; E_INPUT: a NUL byte, not UTF-8, a
 * line of about a gibibyte. */
berth_status berth__lines_next(berth__lines *lines, char **line, berth_error *error);

/* How many of `size` bytes have been read. */
double berth__lines_position(const berth__lines *lines);

#endif
