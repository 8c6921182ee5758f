/* A text in memory under a file name, for libraries that only read files. */
#ifndef BERTH_FORMATS_TEXT_FILE_H
#define BERTH_FORMATS_TEXT_FILE_H

#include <berth.h>

typedef struct berth__text_file {
    char path[48];
    int fd;       /* -1: not open */
    bool is_real; /* on disk, removed by close */
} berth__text_file;

/* A file without a name of its own where the system has such (memfd_create and /proc), else a temporary one below /tmp.
 * E_IO if neither can be had. Close in any case if `file` was zeroed with fd = -1. */
berth_status berth__text_file_open(const char *text, size_t length, berth__text_file *file, berth_error *error);
void berth__text_file_close(berth__text_file *file);

#endif
