#define _POSIX_C_SOURCE 200809L
#include "formats/input.h"

#include "base/alloc.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 256 * 1024, GZIP_ONLY = 15 + 16 };

typedef enum input_kind { NAMED, FOUND } input_kind;

/* A descriptor of its own also for standard input, so that closing it is harmless. Opening a FOUND pipe does not wait
 * for somebody who writes to it. */
static berth_status open_file(const char *path, input_kind kind, int *out, berth_error *error) {
    const int flags = O_RDONLY | O_CLOEXEC | (kind == FOUND ? O_NONBLOCK | O_NOCTTY : 0);
    int fd = kind == NAMED && strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, flags);
    if (fd < 0) {
        return berth__fail(error, BERTH_E_IO, path, "cannot open: %s", strerror(errno));
    }
    struct stat about;
    const bool known = fstat(fd, &about) == 0;
    const bool is_folder = known && S_ISDIR(about.st_mode);
    if (is_folder || (kind == FOUND && !(known && S_ISREG(about.st_mode)))) {
        close(fd);
        return berth__fail(error, BERTH_E_IO, path, "cannot read: it is %s",
                           is_folder ? "a directory" : "not a regular file");
    }
    *out = fd;
    return BERTH_OK;
}

/* Up to n bytes of the file itself; *got 0 at its end. */
static berth_status read_file(berth__input *input, void *to, size_t n, size_t *got, berth_error *error) {
    ssize_t result;
    do {
        result = read(input->fd, to, n);
    } while (result < 0 && errno == EINTR);
    if (result < 0) {
        *got = 0;
        return berth__fail(error, BERTH_E_IO, input->path, "cannot read: %s", strerror(errno));
    }
    *got = (size_t)result;
    input->taken += (double)result;
    input->at_end = result == 0;
    return BERTH_OK;
}

/* Reads until there are so many bytes in the buffer, at most CHUNK, or the file ends. */
static berth_status fill(berth__input *input, size_t least, berth_error *error) {
    berth_status status = BERTH_OK;
    if (input->begin > 0) {
        memmove(input->buffer, input->buffer + input->begin, input->end - input->begin);
        input->end -= input->begin;
        input->begin = 0;
    }
    while (status == BERTH_OK && input->end < least && !input->at_end) {
        size_t got;
        status = read_file(input, input->buffer + input->end, CHUNK - input->end, &got, error);
        input->end += got;
    }
    return status;
}

static bool begins_member(const berth__input *input) {
    const unsigned char *bytes = input->buffer + input->begin;
    return input->end - input->begin >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B;
}

static berth_status start_gzip(berth__input *input, berth_error *error) {
    z_stream *stream = berth__calloc(1, sizeof *stream);
    if (stream == NULL || inflateInit2(stream, GZIP_ONLY) != Z_OK) {
        berth__free(stream);
        return berth__fail_memory(error);
    }
    input->stream = stream;
    return BERTH_OK;
}

static berth_status open_input(berth__input *input, const char *path, input_kind kind, berth_error *error) {
    *input = (berth__input){.path = path};
    if (path == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "path", "no path given");
    }
    berth_status status = open_file(path, kind, &input->fd, error);
    if (status != BERTH_OK) {
        return status;
    }
    input->is_open = true;
    input->buffer = berth__realloc(NULL, CHUNK, 1);
    if (input->buffer == NULL) {
        return berth__fail_memory(error);
    }
    status = fill(input, 2, error);
    return status == BERTH_OK && begins_member(input) ? start_gzip(input, error) : status;
}

berth_status berth__input_open(berth__input *input, const char *path, berth_error *error) {
    return open_input(input, path, NAMED, error);
}

berth_status berth__input_open_found(berth__input *input, const char *path, berth_error *error) {
    return open_input(input, path, FOUND, error);
}

void berth__input_close(berth__input *input) {
    if (input->stream != NULL) {
        inflateEnd(input->stream);
    }
    berth__free(input->stream);
    berth__free(input->buffer);
    if (input->is_open) {
        close(input->fd);
    }
    *input = (berth__input){0};
}

double berth__input_position(const berth__input *input) {
    return input->taken - (double)(input->end - input->begin);
}

/* ---- plain bytes ---- */

static berth_status read_plain(berth__input *input, void *to, size_t n, size_t *got, berth_error *error) {
    const size_t kept = input->end - input->begin;
    if (kept == 0) {
        return read_file(input, to, n, got, error);
    }
    *got = n < kept ? n : kept;
    memcpy(to, input->buffer + input->begin, *got);
    input->begin += *got;
    return BERTH_OK;
}

/* ---- gzip ---- */

/* Behind a member: another, or nothing but zeros. */
static berth_status next_member(berth__input *input, berth_error *error) {
    berth_status status;
    do {
        status = fill(input, 2, error);
        while (input->begin < input->end && input->buffer[input->begin] == 0) {
            input->begin++;
        }
    } while (status == BERTH_OK && input->end - input->begin < 2 && !input->at_end);
    if (status != BERTH_OK || input->begin == input->end) {
        return status;
    }
    if (!begins_member(input)) {
        return berth__fail(error, BERTH_E_IO, input->path,
                           "cannot read: the gzip data end, and something follows that is not gzip");
    }
    input->is_between = false;
    return inflateReset(input->stream) == Z_OK ? BERTH_OK : berth__fail_memory(error);
}

static berth_status inflate_failure(const berth__input *input, int code, berth_error *error) {
    const z_stream *stream = input->stream;
    if (code == Z_MEM_ERROR) {
        return berth__fail_memory(error);
    }
    return berth__fail(error, BERTH_E_IO, input->path, "cannot read: the gzip data are damaged: %s",
                       stream->msg != NULL ? stream->msg : "a preset dictionary");
}

/* Some bytes of a member, *got 0 if it ends or has to be read on. */
static berth_status unpack(berth__input *input, void *to, size_t n, size_t *got, berth_error *error) {
    z_stream *stream = input->stream;
    berth_status status = input->begin == input->end ? fill(input, 1, error) : BERTH_OK;
    if (status != BERTH_OK) {
        return status;
    }
    if (input->begin == input->end) {
        return berth__fail(error, BERTH_E_IO, input->path, "cannot read: the gzip data end too early (truncated file)");
    }
    stream->next_in = input->buffer + input->begin;
    stream->avail_in = (uInt)(input->end - input->begin);
    stream->next_out = to;
    stream->avail_out = n < UINT_MAX ? (uInt)n : UINT_MAX;
    const uInt room = stream->avail_out;
    const int code = inflate(stream, Z_NO_FLUSH);
    input->begin = input->end - stream->avail_in;
    *got = room - stream->avail_out;
    input->is_between = code == Z_STREAM_END;
    return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR ? BERTH_OK : inflate_failure(input, code, error);
}

static berth_status read_gzip(berth__input *input, void *to, size_t n, size_t *got, berth_error *error) {
    berth_status status = BERTH_OK;
    while (status == BERTH_OK && *got == 0) {
        if (!input->is_between) {
            status = unpack(input, to, n, got, error);
            continue;
        }
        status = next_member(input, error);
        if (input->is_between) {
            break;
        }
    }
    return status;
}

berth_status berth__input_read(berth__input *input, void *to, size_t n, size_t *got, berth_error *error) {
    *got = 0;
    return input->stream != NULL ? read_gzip(input, to, n, got, error) : read_plain(input, to, n, got, error);
}
