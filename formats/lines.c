#define _POSIX_C_SOURCE 200809L
#include "formats/lines.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "formats/bytes.h"

enum { CHUNK = 1 << 18 };

berth_status berth__lines_open(berth__lines *lines, const char *path, berth_error *error) {
    *lines = (berth__lines){.path = path};
    berth_status status = berth__input_open(&lines->input, path, error);
    if (status != BERTH_OK) {
        return status;
    }
    struct stat about;
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
        lines->size = (double)about.st_size;
    }
    return BERTH_OK;
}

double berth__lines_position(const berth__lines *lines) {
    return berth__input_position(&lines->input);
}

void berth__lines_close(berth__lines *lines) {
    berth__input_close(&lines->input);
    berth__free(lines->buffer);
    *lines = (berth__lines){0};
}

/* Makes room behind `end` and reads into it. */
static berth_status read_more(berth__lines *lines, berth_error *error) {
    if (lines->begin > 0) {
        memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->begin = 0;
    }
    if (lines->end + CHUNK + 1 > lines->capacity) {
        size_t capacity = 2 * lines->capacity + CHUNK + 1;
        if (capacity > BERTH__MAX_INPUT) {
            return berth__fail_at(error, BERTH_E_INPUT, lines->path, lines->line + 1, 0,
                                  "more than %zu bytes without the end of a line", lines->end);
        }
        char *grown = berth__realloc(lines->buffer, capacity, 1);
        if (grown == NULL) {
            return berth__fail_memory(error);
        }
        lines->buffer = grown;
        lines->capacity = capacity;
    }
    size_t got;
    const berth_status status = berth__input_read(&lines->input, lines->buffer + lines->end, CHUNK, &got, error);
    lines->at_end = got == 0;
    lines->end += got;
    return status;
}

static berth_status fail_no_text(const berth__lines *lines, long line, size_t at, berth_error *error) {
    return berth__fail_at(error, BERTH_E_INPUT, lines->path, line, (long)at + 1, "a NUL byte: this is no text file");
}

static berth_status check_line(const berth__lines *lines, const char *text, size_t length, berth_error *error) {
    for (size_t k = 0; k < length;) {
        size_t step = (unsigned char)text[k] - 1u < 0x7Fu ? 1 : berth__utf8_length(text + k, length - k);
        if (step == 0) {
            return berth__fail_at(error, BERTH_E_INPUT, lines->path, lines->line, (long)k + 1, "not valid UTF-8");
        }
        if (text[k] == '\0') {
            return fail_no_text(lines, lines->line, k, error);
        }
        k += step;
    }
    return BERTH_OK;
}

berth_status berth__lines_next(berth__lines *lines, char **line, berth_error *error) {
    size_t searched = 0;
    char *end = NULL;
    *line = NULL;
    for (;;) {
        size_t length = lines->end - lines->begin;
        end = length > searched ? memchr(lines->buffer + lines->begin + searched, '\n', length - searched) : NULL;
        if (end != NULL || lines->at_end) {
            break;
        }
        /* Before more of what has no lines is read, like a device that gives zeros for ever. */
        const char *nul =
            length > searched ? memchr(lines->buffer + lines->begin + searched, '\0', length - searched) : NULL;
        if (nul != NULL) {
            return fail_no_text(lines, lines->line + 1, (size_t)(nul - lines->buffer) - lines->begin, error);
        }
        searched = length;
        berth_status status = read_more(lines, error);
        if (status != BERTH_OK) {
            return status;
        }
    }
    if (end == NULL && lines->end == lines->begin) {
        return BERTH_OK;
    }
    char *text = lines->buffer + lines->begin;
    size_t length = end != NULL ? (size_t)(end - text) : lines->end - lines->begin;
    lines->begin += length + (end != NULL);
    lines->line++;
    text[length] = '\0';
    if (length > 0 && text[length - 1] == '\r') {
        text[--length] = '\0';
    }
    bool has_mark = lines->line == 1 && length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
    *line = text + (has_mark ? 3 : 0);
    return check_line(lines, text, length, error);
}
