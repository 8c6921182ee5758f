#include "formats/json_write.h"

#include <berth_io.h>

#include "base/alloc.h"
#include "base/error.h"
#include "formats/bytes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ONE_LINE = 100,
    MOST_LEVELS = sizeof((berth__json_writer *)0)->levels / sizeof((berth__json_writer *)0)->levels[0]
};

/* ---- text ---- */

static bool reserve(berth__json_writer *w, size_t more) {
    if (w->status != BERTH_OK) {
        return false;
    }
    if (w->capacity - w->length > more) { /* also room for the NUL */
        return true;
    }
    size_t wanted = w->capacity + w->capacity / 2 + more + 256;
    char *grown = berth__realloc(w->text, wanted, 1);
    if (grown == NULL) {
        w->status = BERTH_E_MEMORY;
        return false;
    }
    w->text = grown;
    w->capacity = wanted;
    return true;
}

static void put(berth__json_writer *w, const char *text, size_t length) {
    if (reserve(w, length)) {
        memcpy(w->text + w->length, text, length);
        w->length += length;
    }
}

static void put_text(berth__json_writer *w, const char *text) {
    put(w, text, strlen(text));
}

/* Bytes at `text` that stand in a JSON string as they are. Characters that could do something to a terminal do not. */
static size_t plain_length(const char *text) {
    size_t n = 0;
    while (text[n] != '\0' && text[n] != '"' && text[n] != '\\') {
        bool printable;
        size_t step = berth_next_character(text + n, &printable, NULL);
        if (!printable) {
            break;
        }
        n += step;
    }
    return n;
}

static void put_escape(berth__json_writer *w, uint32_t code) {
    static const char special[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *found = code < 0x80 ? strchr(special, (int)code) : NULL;
    char escape[16];
    if (found != NULL) {
        snprintf(escape, sizeof escape, "\\%c", letter[found - special]);
    } else if (code > 0xffff) {
        snprintf(escape, sizeof escape, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (code >> 10)),
                 (unsigned)(0xdc00 + (code & 0x3ff)));
    } else { /* U+FFFD for half a character of a text that was cut off */
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)code);
    }
    put_text(w, escape);
}

static void put_quoted(berth__json_writer *w, const char *value) {
    put(w, "\"", 1);
    for (;;) {
        size_t n = plain_length(value);
        put(w, value, n);
        value += n;
        if (*value == '\0') {
            break;
        }
        bool printable;
        uint32_t code;
        value += berth_next_character(value, &printable, &code);
        put_escape(w, code);
    }
    put(w, "\"", 1);
}

/* ---- layout ---- */

/* What precedes a value: its place among the children of the open container, separator, key. */
static void begin_value(berth__json_writer *w, const char *key) {
    if (w->status != BERTH_OK) {
        return;
    }
    if (w->depth > 0) {
        if (w->n_starts > w->levels[w->depth - 1].first_start) {
            put(w, ", ", 2);
        }
        void *starts = w->starts;
        if (!berth__grow(&starts, &w->starts_capacity, w->n_starts, sizeof *w->starts)) {
            w->status = BERTH_E_MEMORY;
            return;
        }
        w->starts = starts;
        w->starts[w->n_starts++] = w->length;
    }
    if (key != NULL) {
        put_quoted(w, key);
        put(w, ": ", 2);
    }
}

static void open_container(berth__json_writer *w, const char *key, const char *bracket, char closer) {
    begin_value(w, key);
    if (w->status == BERTH_OK && w->depth == MOST_LEVELS) {
        w->status = BERTH_E_INTERNAL;
    }
    if (w->status != BERTH_OK) {
        return;
    }
    w->levels[w->depth++] =
        (struct berth__json_level){.closer = closer, .begin = w->length, .first_start = w->n_starts};
    put_text(w, bracket);
}

/* Puts the children of the innermost container on lines of their own: from the last one back, each moves
 * right by what the line breaks before it take. The ", " before a child becomes "," and a line break. */
static void break_lines(berth__json_writer *w, const struct berth__json_level *level, size_t n) {
    size_t indent = 2 * (size_t)w->depth, first = 1 + indent, further = indent; /* bytes gained per child */
    size_t gain = first + (n - 1) * further;
    if (!reserve(w, gain)) {
        return;
    }
    size_t end = w->length;
    w->length += gain;
    for (size_t k = n; k-- > 0;) {
        size_t start = w->starts[level->first_start + k];
        memmove(w->text + start + gain, w->text + start, end - start);
        memset(w->text + start + gain - indent, ' ', indent);
        w->text[start + gain - indent - 1] = '\n';
        end = k > 0 ? start - 1 : start; /* without the blank after the comma */
        gain -= k > 0 ? further : first;
    }
}

static void close_container(berth__json_writer *w) {
    struct berth__json_level *level = &w->levels[w->depth - 1];
    size_t n = w->n_starts - level->first_start;
    bool object = level->closer == '}';
    if (n > 0 && !w->one_line && (level->tall || w->length - level->begin > ONE_LINE)) {
        break_lines(w, level, n);
        if (w->depth > 1) {
            w->levels[w->depth - 2].tall = true;
        }
        put(w, "\n", 1);
        for (int k = 1; k < w->depth; k++) {
            put(w, "  ", 2);
        }
    } else if (n > 0 && object && reserve(w, 2)) { /* { "a": 1 } */
        memmove(w->text + level->begin + 2, w->text + level->begin + 1, w->length - level->begin - 1);
        w->text[level->begin + 1] = ' ';
        w->length++;
        put(w, " ", 1);
    }
    w->n_starts = level->first_start;
    put(w, &level->closer, 1);
    w->depth--;
}

/* ---- interface ---- */

void berth__json_begin(berth__json_writer *w) {
    *w = (berth__json_writer){0};
    if (!berth__c_locale_enter(&w->locale)) {
        w->status = BERTH_E_MEMORY;
    }
}

void berth__json_begin_line(berth__json_writer *w) {
    berth__json_begin(w);
    w->one_line = true;
}

berth_status berth__json_finish(berth__json_writer *w, char **out, size_t *length, berth_error *error) {
    *out = NULL;
    *length = 0;
    put(w, "\n", 1);
    berth__c_locale_leave(&w->locale);
    berth__free(w->starts);
    w->starts = NULL;
    if (w->status != BERTH_OK) {
        berth__free(w->text);
        w->text = NULL;
    }
    if (w->status == BERTH_E_MEMORY) {
        return berth__fail_memory(error);
    }
    if (w->status == BERTH_E_ARGUMENT) {
        return berth__fail(error, w->status, w->culprit, "an infinite number cannot be written as JSON");
    }
    if (w->status != BERTH_OK) {
        return berth__fail(error, w->status, NULL, "JSON of more than %d levels", MOST_LEVELS);
    }
    w->text[w->length] = '\0';
    *out = w->text;
    *length = w->length;
    w->text = NULL;
    return BERTH_OK;
}

berth_status berth__json_finish_file(berth__json_writer *w, const char *path, berth_error *error) {
    char *text = NULL;
    size_t length = 0;
    berth_status status = berth__json_finish(w, &text, &length, error);
    if (status == BERTH_OK) {
        status = berth__bytes_write(path, text, length, error);
    }
    berth__free(text);
    return status;
}

void berth__json_object(berth__json_writer *w, const char *key) {
    open_container(w, key, "{", '}');
}

void berth__json_list(berth__json_writer *w, const char *key) {
    open_container(w, key, "[", ']');
}

void berth__json_close(berth__json_writer *w) {
    if (w->status == BERTH_OK) {
        close_container(w);
    }
}

void berth__json_string(berth__json_writer *w, const char *key, const char *value) {
    begin_value(w, key);
    if (value == NULL) {
        put_text(w, "null");
    } else {
        put_quoted(w, value);
    }
}

void berth__json_number(berth__json_writer *w, const char *key, double value) {
    char number[BERTH__NUMBER_ROOM];
    begin_value(w, key);
    if (isnan(value)) {
        put_text(w, "null");
    } else if (isinf(value)) {
        w->status = w->status == BERTH_OK ? BERTH_E_ARGUMENT : w->status;
        snprintf(w->culprit, sizeof w->culprit, "%s", key == NULL ? "" : key);
    } else {
        berth__number_text(value, number);
        put_text(w, number);
    }
}

void berth__json_integer(berth__json_writer *w, const char *key, long long value) {
    char number[BERTH__NUMBER_ROOM];
    begin_value(w, key);
    snprintf(number, sizeof number, "%lld", value);
    put_text(w, number);
}

void berth__json_uint64(berth__json_writer *w, const char *key, uint64_t value) {
    char number[BERTH__NUMBER_ROOM];
    begin_value(w, key);
    snprintf(number, sizeof number, value > INT64_MAX ? "\"%llu\"" : "%llu", (unsigned long long)value);
    put_text(w, number);
}

void berth__json_bool(berth__json_writer *w, const char *key, bool value) {
    begin_value(w, key);
    put_text(w, value ? "true" : "false");
}

void berth__json_null(berth__json_writer *w, const char *key) {
    berth__json_string(w, key, NULL);
}

void berth__json_strings(berth__json_writer *w, const char *key, size_t n, const char *const *values) {
    berth__json_list(w, key);
    for (size_t k = 0; k < n; k++) {
        berth__json_string(w, NULL, values[k]);
    }
    berth__json_close(w);
}

bool berth__json_skip_zero(double value) {
    return value == 0;
}

void berth__json_amounts(berth__json_writer *w, const char *key, size_t n, const char *const *names,
                         const double *values, bool (*skip)(double value)) {
    berth__json_object(w, key);
    for (size_t k = 0; k < n; k++) {
        if (skip == NULL || !skip(values[k])) {
            berth__json_number(w, names[k], values[k]);
        }
    }
    berth__json_close(w);
}
