#define _POSIX_C_SOURCE 200809L
#include "tests/fuzz/as_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

void as_file(const uint8_t *bytes, size_t length, void (*use)(const char *path)) {
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
