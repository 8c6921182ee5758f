#define _POSIX_C_SOURCE 200809L
#include "base/atomic_file.h"

#include "base/alloc.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return false;
        }
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

/* The directory entry must be on disk too, or the rename can be lost with the power. Best effort: some
 * file systems refuse to fsync a directory. */
static void sync_directory_of(const char *path) {
    char *copy = berth__strdup(path);
    if (copy == NULL) {
        return;
    }
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    berth__free(copy);
}

static berth_status io_failure(berth_error *error, const char *path, const char *what, int code) {
    return berth__fail(error, BERTH_E_IO, path, "cannot %s: %s", what, strerror(code));
}

berth_status berth__write_file(const char *path, const void *bytes, size_t length, berth_error *error) {
    if (path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "path", "no path given");
    }
    if (strcmp(path, "-") == 0) {
        return write_all(STDOUT_FILENO, bytes, length) ? BERTH_OK : io_failure(error, path, "write", errno);
    }
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        return io_failure(error, path, "write", EISDIR);
    }
    if (exists && !S_ISREG(old.st_mode)) { /* a device or a pipe: cannot be replaced */
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0) {
            return io_failure(error, path, "open", errno);
        }
        bool written = write_all(fd, bytes, length);
        int code = errno;
        close(fd);
        return written ? BERTH_OK : io_failure(error, path, "write", code);
    }

    berth_status status = BERTH_OK;
    size_t room = strlen(path) + 48;
    char *temporary = berth__calloc(room, 1);
    if (temporary == NULL) {
        return berth__fail_memory(error);
    }
    int fd = -1;
    for (unsigned attempt = 0; fd < 0 && attempt < 100; attempt++) {
        snprintf(temporary, room, "%s.tmp-%ld-%u", path, (long)getpid(), attempt);
        fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) {
            break;
        }
    }
    if (fd < 0) {
        status = io_failure(error, path, "create", errno);
        berth__free(temporary);
        return status;
    }
    if ((exists && fchmod(fd, old.st_mode & 07777) != 0) || !write_all(fd, bytes, length) || fsync(fd) != 0) {
        status = io_failure(error, path, "write", errno);
        close(fd);
    } else if (close(fd) != 0 || rename(temporary, path) != 0) {
        status = io_failure(error, path, "write", errno);
    }
    if (status != BERTH_OK) {
        unlink(temporary);
    } else {
        sync_directory_of(path);
    }
    berth__free(temporary);
    return status;
}
