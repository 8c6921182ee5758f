/* The bytes of a file, unpacked if it is gzip. */
#ifndef BERTH_FORMATS_INPUT_H
#define BERTH_FORMATS_INPUT_H

#include <berth.h>

typedef struct berth__input {
    const char *path; /* borrowed */
    bool is_open;     /* false: there is nothing to close */
    int fd;
    void *stream;          /* z_stream; NULL: plain bytes */
    unsigned char *buffer; /* bytes of the file that were read and not used, from begin to end */
    size_t begin, end;
    bool at_end;     /* of the file */
    bool is_between; /* gzip: a member has ended, and whether another begins is to be seen */
    double taken;    /* bytes of the file that were read */
} berth__input;

/* Opens a file ("-": standard input). E_IO with the path in error->where. Close in any case. */
berth_status berth__input_open(berth__input *input, const char *path, berth_error *error);
/* The same of a file that nobody named, which was found in a folder or beside another one: a regular file or nothing,
 * so that no pipe is waited for and no device drained. */
berth_status berth__input_open_found(berth__input *input, const char *path, berth_error *error);
void berth__input_close(berth__input *input);
/* Up to n > 0 bytes; *got 0 at the end only. Members of gzip are read one after the other, as gzip does. E_IO:
 * unreadable, damaged, truncated, or followed by something that is not gzip (but for zeros, which fill up blocks). */
berth_status berth__input_read(berth__input *input, void *to, size_t n, size_t *got, berth_error *error);
/* How many bytes of the file have been used. */
double berth__input_position(const berth__input *input);

#endif
