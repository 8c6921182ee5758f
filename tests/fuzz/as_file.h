/* For readers that take a path. Comes before all other headers, as it needs POSIX. */
#ifndef BERTH_TESTS_AS_FILE_H
#define BERTH_TESTS_AS_FILE_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* Calls use with the path of a temporary file of these bytes. */
static inline void as_file(const uint8_t *bytes, size_t length, void (*use)(const char *path)) {
    char path[] = "/tmp/berth-fuzz-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) {
        return;
    }
    bool written = true;
    while (length > 0 && written) {
        ssize_t n = write(fd, bytes, length);
        written = n > 0;
        bytes += written ? n : 0;
        length -= written ? (size_t)n : 0;
    }
    if (written) {
        use(path);
    }
    close(fd);
    unlink(path);
}

#endif
