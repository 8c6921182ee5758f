#include "formats/bytes.h"

#include "base/alloc.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "formats/input.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { READ_CHUNK = 256 * 1024 };

static berth_status read_all(berth__input *input, size_t max_length, char **out, size_t *length, berth_error *error) {
    size_t capacity = READ_CHUNK, n = 0;
    char *bytes = berth__realloc(NULL, capacity, 1);
    berth_status status = bytes == NULL ? berth__fail_memory(error) : BERTH_OK;
    while (status == BERTH_OK) {
        if (n + READ_CHUNK > capacity) {
            char *grown = berth__realloc(bytes, capacity * 2, 1);
            if (grown == NULL) {
                status = berth__fail_memory(error);
                break;
            }
            bytes = grown;
            capacity *= 2;
        }
        size_t got;
        status = berth__input_read(input, bytes + n, READ_CHUNK - 1, &got, error);
        if (got == 0) {
            break;
        }
        n += got;
        if (n > max_length) {
            status =
                berth__fail(error, BERTH_E_IO, input->path, "cannot read: more than %zu bytes, the limit", max_length);
        }
    }
    if (status != BERTH_OK) {
        berth__free(bytes);
        return status;
    }
    bytes[n] = '\0';
    *out = bytes;
    *length = n;
    return BERTH_OK;
}

static berth_status read_and_close(berth__input *input, berth_status status, size_t max_length, char **out,
                                   size_t *length, berth_error *error) {
    *out = NULL;
    *length = 0;
    status = status == BERTH_OK ? read_all(input, max_length, out, length, error) : status;
    berth__input_close(input);
    return status;
}

berth_status berth__bytes_read(const char *path, size_t max_length, char **out, size_t *length, berth_error *error) {
    berth__input input;
    berth_status status = berth__input_open(&input, path, error);
    return read_and_close(&input, status, max_length, out, length, error);
}

berth_status berth__bytes_read_found(const char *path, size_t max_length, bool *found, char **out, size_t *length,
                                     berth_error *error) {
    struct stat about;
    *out = NULL;
    *length = 0;
    if (found != NULL) {
        *found = stat(path, &about) == 0 || errno != ENOENT;
        if (!*found) {
            return BERTH_OK;
        }
    }
    berth__input input;
    berth_status status = berth__input_open_found(&input, path, error);
    return read_and_close(&input, status, max_length, out, length, error);
}

/* *out: berth__free it. */
static berth_status compress_bytes(const char *bytes, size_t length, void **out, size_t *out_length,
                                   berth_error *error) {
    enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8 };
    z_stream stream = {0};
    *out = NULL;
    if (length > BERTH__MAX_INPUT || deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                                                  Z_DEFAULT_STRATEGY) != Z_OK) {
        return berth__fail_memory(error);
    }
    size_t room = deflateBound(&stream, (uLong)length);
    *out = berth__realloc(NULL, room, 1);
    if (*out == NULL) {
        deflateEnd(&stream);
        return berth__fail_memory(error);
    }
    memcpy(&stream.next_in, &bytes, sizeof bytes); /* zlib does not write there, but does not say so either */
    stream.avail_in = (uInt)length;
    stream.next_out = *out;
    stream.avail_out = (uInt)room;
    deflate(&stream, Z_FINISH); /* there is room for all */
    *out_length = stream.total_out;
    deflateEnd(&stream);
    return BERTH_OK;
}

berth_status berth__bytes_write(const char *path, const char *bytes, size_t length, berth_error *error) {
    size_t name = strlen(path);
    if (name < 3 || strcmp(path + name - 3, ".gz") != 0) {
        return berth__write_file(path, bytes, length, error);
    }
    void *compressed;
    size_t compressed_length = 0;
    berth_status status = compress_bytes(bytes, length, &compressed, &compressed_length, error);
    if (status == BERTH_OK) {
        status = berth__write_file(path, compressed, compressed_length, error);
    }
    berth__free(compressed);
    return status;
}

/* By RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
size_t berth__utf8_length(const char *text, size_t left) {
    const unsigned char *p = (const unsigned char *)text;
    if (p[0] < 0x80) {
        return 1;
    }
    size_t n = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
    if (p[0] < 0xC2 || p[0] > 0xF4 || left < n) {
        return 0;
    }
    unsigned char low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high) {
        return 0;
    }
    for (size_t k = 2; k < n; k++) {
        if ((p[k] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return n;
}

static bool begins_with(const unsigned char *bytes, size_t length, const char *prefix, size_t n) {
    return length >= n && memcmp(bytes, prefix, n) == 0;
}

berth_status berth__text_check(const char **text, size_t *length, const char *where, berth_error *error) {
    const unsigned char *bytes = (const unsigned char *)*text;
    size_t n = *length;
    if (begins_with(bytes, n, "\xFF\xFE", 2) || begins_with(bytes, n, "\xFE\xFF", 2)) {
        return berth__fail_at(error, BERTH_E_INPUT, where, 1, 1, "the text is UTF-16; it must be UTF-8");
    }
    if (begins_with(bytes, n, "\xEF\xBB\xBF", 3)) {
        bytes += 3;
        n -= 3;
        *text += 3;
        *length = n;
    }
    if (n == 0) {
        return berth__fail_at(error, BERTH_E_INPUT, where, 1, 1, "the file is empty");
    }
    long line = 1, column = 1;
    for (size_t k = 0; k < n;) {
        if (bytes[k] == '\0') {
            return berth__fail_at(error, BERTH_E_INPUT, where, line, column, "a NUL byte: this is no text file");
        }
        size_t step = berth__utf8_length(*text + k, n - k);
        if (step == 0) {
            return berth__fail_at(error, BERTH_E_INPUT, where, line, column, "byte 0x%02x is not valid UTF-8",
                                  bytes[k]);
        }
        column = bytes[k] == '\n' ? 1 : column + (long)step;
        line += bytes[k] == '\n';
        k += step;
    }
    return BERTH_OK;
}
