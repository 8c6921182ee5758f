#include "formats/csv.h"

#include <string.h>

#include "base/alloc.h"
#include "formats/decimal.h"

berth__csv berth__csv_start(char *text, char separator) {
    return (berth__csv){.next = text, .separator = separator};
}

void berth__csv_clear(berth__csv *csv) {
    berth__free(csv->fields);
    *csv = (berth__csv){0};
}

/* Ends the line at *csv->next with a NUL and steps over it. */
static char *take_line(berth__csv *csv) {
    char *start = csv->next;
    char *end = strchr(start, '\n');
    if (end == NULL) {
        end = start + strlen(start);
        csv->next = end;
    } else {
        csv->next = end + 1;
    }
    if (end > start && end[-1] == '\r') {
        end--;
    }
    *end = '\0';
    csv->line++;
    return start;
}

static const char blanks[] = " \t";

static bool is_blank(const char *line) {
    return line[strspn(line, blanks)] == '\0';
}

/* Unquotes in place the field whose opening quote `quote` points at. Returns what follows the closing one, NULL if
 * there is none. */
static char *unquote(char *quote) {
    char *to = quote;
    for (char *from = quote + 1; *from != '\0'; from++) {
        if (*from == '"') {
            if (from[1] != '"') {
                *to = '\0';
                return from + 1;
            }
            from++;
        }
        *to++ = *from;
    }
    return NULL;
}

static bool add_field(berth__csv *csv, char *field) {
    void *list = csv->fields;
    bool grown = berth__grow(&list, &csv->capacity, csv->n_fields, sizeof *csv->fields);
    csv->fields = list;
    if (grown) {
        csv->fields[csv->n_fields++] = field;
    }
    csv->out_of_memory = !grown;
    return grown;
}

/* The first bytes of a line, no character of UTF-8 cut. */
static void keep_begin(berth__csv *csv, const char *line) {
    size_t length = strlen(line);
    if (length >= sizeof csv->begin) {
        length = sizeof csv->begin - 1;
        while (length > 0 && ((unsigned char)line[length] & 0xC0) == 0x80) {
            length--;
        }
    }
    memcpy(csv->begin, line, length);
    csv->begin[length] = '\0';
}

/* Cuts a line into fields; false if out of memory. */
static bool cut(berth__csv *csv, char *field) {
    const char separators[] = {csv->separator, '\0'};
    for (;;) {
        char *end = field + strcspn(field, separators);
        if (*field == '"') {
            end = unquote(field);
            if (end == NULL || (*end != csv->separator && *end != '\0')) {
                csv->problem = end == NULL ? "a quote is not closed" : "text follows a closing quote";
                return true;
            }
        }
        bool last = *end == '\0';
        *end = '\0';
        if (!add_field(csv, field)) {
            return false;
        }
        if (last) {
            return true;
        }
        field = end + 1;
    }
}

bool berth__csv_next(berth__csv *csv) {
    csv->n_fields = 0;
    csv->problem = NULL;
    while (!csv->out_of_memory && *csv->next != '\0') {
        char *line = take_line(csv);
        if (!is_blank(line)) {
            keep_begin(csv, line);
            return cut(csv, line);
        }
    }
    return false;
}

const char *berth__csv_other_separator(const berth__csv *csv) {
    if (csv->n_fields != 1 || csv->separator != ',') {
        return NULL;
    }
    return strchr(csv->fields[0], ';') != NULL ? "semicolons" : strchr(csv->fields[0], '\t') != NULL ? "tabs" : NULL;
}

char *berth__csv_trim(char *field) {
    field += strspn(field, blanks);
    size_t n = strlen(field);
    while (n > 0 && strchr(blanks, field[n - 1]) != NULL) {
        n--;
    }
    field[n] = '\0';
    return field;
}

bool berth__csv_number(char *field, double *out) {
    return berth__decimal(berth__csv_trim(field), out);
}
