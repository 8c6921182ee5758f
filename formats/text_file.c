/* memfd_create is Linux's. */
#define _GNU_SOURCE
#include "formats/text_file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool write_all(int fd, const char *text, size_t length) {
    while (length > 0) {
        ssize_t n = write(fd, text, length);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        text += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool open_in_memory(berth__text_file *file) {
#ifdef MFD_CLOEXEC
    file->fd = memfd_create("berth", MFD_CLOEXEC);
    if (file->fd < 0) {
        return false;
    }
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
    if (access(file->path, R_OK) == 0) {
        return true;
    }
    close(file->fd);
    file->fd = -1;
#else
    (void)file;
#endif
    return false;
}

static bool open_on_disk(berth__text_file *file) {
    snprintf(file->path, sizeof file->path, "/tmp/berth-XXXXXX");
    file->fd = mkostemp(file->path, O_CLOEXEC);
    file->is_real = file->fd >= 0;
    return file->is_real;
}

berth_status berth__text_file_open(const char *text, size_t length, berth__text_file *file, berth_error *error) {
    *file = (berth__text_file){.fd = -1};
    if ((open_in_memory(file) || open_on_disk(file)) && write_all(file->fd, text, length)) {
        return BERTH_OK;
    }
    int code = errno;
    berth__text_file_close(file);
    return berth__fail(error, BERTH_E_IO, "/tmp", "cannot write a temporary file: %s", strerror(code));
}

void berth__text_file_close(berth__text_file *file) {
    if (file->is_real) {
        unlink(file->path);
    }
    if (file->fd >= 0) {
        close(file->fd);
    }
    file->fd = -1;
    file->is_real = false;
}
