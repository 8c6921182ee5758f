#define _XOPEN_SOURCE 700
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

static berth_status write_device(const char *path, const void *bytes, size_t length, berth_error *error) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return io_failure(error, path, "open", errno);
    }
    bool written = write_all(fd, bytes, length);
    int code = errno;
    close(fd);
    return written ? BERTH_OK : io_failure(error, path, "write", code);
}

/* A new file beside `path`; its name is in temporary[room]. -1: cannot be created, errno tells why. */
static int create_beside(const char *path, char *temporary, size_t room) {
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        snprintf(temporary, room, "%s.tmp-%ld-%u", path, (long)getpid(), attempt);
        int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

/* old: the file that is replaced, NULL: none. */
static berth_status replace(const char *path, const struct stat *old, const void *bytes, size_t length,
                            berth_error *error) {
    berth_status status = BERTH_OK;
    size_t room = strlen(path) + 48;
    char *temporary = berth__calloc(room, 1);
    if (temporary == NULL) {
        return berth__fail_memory(error);
    }
    int fd = create_beside(path, temporary, room);
    if (fd < 0) {
        status = io_failure(error, path, "create", errno);
        berth__free(temporary);
        return status;
    }
    if ((old != NULL && fchmod(fd, old->st_mode & 07777) != 0) || !write_all(fd, bytes, length) || fsync(fd) != 0) {
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

berth_status berth__write_file(const char *path, const void *bytes, size_t length, berth_error *error) {
    if (path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "path", "no path given");
    }
    if (strcmp(path, "-") == 0) {
        return write_all(STDOUT_FILENO, bytes, length) ? BERTH_OK : io_failure(error, path, "write", errno);
    }
    struct stat old;
    if (stat(path, &old) != 0) {
        return replace(path, NULL, bytes, length, error);
    }
    if (S_ISDIR(old.st_mode)) {
        return io_failure(error, path, "write", EISDIR);
    }
    if (!S_ISREG(old.st_mode)) { /* a device or a pipe: cannot be replaced */
        return write_device(path, bytes, length, error);
    }
    char *target = realpath(path, NULL); /* a symbolic link stays one: what it points to is replaced */
    if (target == NULL) {
        return io_failure(error, path, "write", errno);
    }
    berth_status status = replace(target, &old, bytes, length, error);
    free(target);
    return status;
}
