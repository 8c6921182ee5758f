#include "formats/compare_run_json.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/numeric.h"
#include "formats/bytes.h"
#include "formats/json_read.h"
#include "formats/json_write.h"
#include "formats/result_json.h"

static const char format_name[] = "berth-compare-run-1";

static uint32_t add_text(uint32_t sum, const char *text) {
    return (uint32_t)crc32_z(sum, (const unsigned char *)text, strlen(text) + 1);
}

/* Of the key, and of names and values as they are written. Needs the C locale. */
static uint32_t checksum(const char *key, size_t n, const berth__kept_value *kinds, const double *values) {
    char number[BERTH__NUMBER_ROOM];
    uint32_t sum = add_text(0, key);
    for (size_t k = 0; k < n; k++) {
        snprintf(number, sizeof number, "null");
        if (!isnan(values[k])) {
            berth__number_text(values[k], number);
        }
        sum = add_text(add_text(sum, kinds[k].name), number);
    }
    return sum;
}

berth_status berth__compare_run_write(const char *path, const char *key, size_t n, const berth__kept_value *kinds,
                                      const double *values, berth_error *error) {
    berth__json_writer w;
    berth__json_begin(&w);
    berth__json_object(&w, NULL);
    berth__json_string(&w, "format", format_name);
    berth__json_string(&w, "key", key);
    berth__json_object(&w, "values");
    for (size_t k = 0; k < n; k++) {
        berth__json_number(&w, kinds[k].name, values[k]);
    }
    berth__json_close(&w);
    berth__write_crc32(&w, "crc32", checksum(key, n, kinds, values));
    berth__json_close(&w);
    return berth__json_finish_file(&w, path, error);
}

static bool read_value(berth__reader *reader, const berth__node *object, const berth__kept_value *kind, double *out) {
    berth__node node;
    if (!berth__node_member(reader, object, kind->name, BERTH__REQUIRED, &node) ||
        (kind->nullable && json_is_null(node.value))) {
        return reader->status == BERTH_OK;
    }
    if (!berth__node_number(reader, &node, out)) {
        return false;
    }
    if (!(*out >= kind->min && *out <= kind->max) || (kind->whole && *out != floor(*out))) {
        const char *what = kind->whole ? "an integer" : "a number";
        return kind->max < DBL_MAX
                   ? berth__node_fail(reader, &node, BERTH_E_INPUT, "expected %s from %.9g to %.9g, found %.9g", what,
                                      kind->min, kind->max, *out)
                   : berth__node_fail(reader, &node, BERTH_E_INPUT, "expected %s >= %.9g, found %.9g", what, kind->min,
                                      *out);
    }
    return true;
}

static bool read_values(berth__reader *reader, const berth__node *root, const char *key, size_t n,
                        const berth__kept_value *kinds, double *values) {
    berth__node node;
    uint32_t sum = 0;
    if (!berth__node_member(reader, root, "values", BERTH__REQUIRED, &node)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        if (!read_value(reader, &node, &kinds[k], &values[k])) {
            return false;
        }
    }
    if (json_object_size(node.value) != n) {
        return berth__node_fail(reader, &node, BERTH_E_INPUT, "expected %zu values, found %zu", n,
                                json_object_size(node.value));
    }
    if (!berth__read_crc32(reader, root, "crc32", BERTH__REQUIRED, &sum)) {
        return false;
    }
    return sum == checksum(key, n, kinds, values) ||
           berth__member_fail(reader, root, "crc32", BERTH_E_INPUT,
                              "is not the checksum of key and values: the file is damaged or was edited");
}

static berth_status pass_on(const berth_error *inner, berth_error *error) {
    if (error != NULL) {
        *error = *inner;
    }
    return inner->status;
}

/* Names the file and the place in it. */
static berth_status unreadable(const char *path, const berth_error *inner, berth_error *error) {
    char place[sizeof inner->where + 32] = "";
    if (inner->line > 0) {
        snprintf(place, sizeof place, "line %ld: ", inner->line);
    } else if (inner->status == BERTH_E_INPUT) {
        snprintf(place, sizeof place, "%s: ", inner->where);
    }
    return berth__fail(error, BERTH_E_INPUT, path, "%s%s; without the file the run is done again", place,
                       inner->message);
}

static berth_status read_document(const char *path, json_t **out, bool *found, berth_error *error) {
    char *text = NULL;
    size_t length = 0;
    berth_status status = berth__bytes_read_found(path, BERTH__MAX_INPUT, found, &text, &length, error);
    if (status == BERTH_OK && *found) {
        status = berth__json_parse(text, length, path, out, error);
    }
    berth__free(text);
    return status;
}

static berth_status read_file(const char *path, const char *key, size_t n, const berth__kept_value *kinds,
                              double *values, bool *found, berth_error *error) {
    json_t *top = NULL;
    berth_error inner = {0};
    berth_status status = read_document(path, &top, found, &inner);
    if (status != BERTH_OK || !*found) {
        return status == BERTH_E_INPUT || status == BERTH_E_IO ? unreadable(path, &inner, error)
               : status != BERTH_OK                            ? pass_on(&inner, error)
                                                               : status;
    }
    berth__reader reader = {.error = &inner, .arena = berth__arena_new()};
    berth__node root = berth__node_root(top);
    const char *kept = NULL;
    if (reader.arena == NULL) {
        reader.status = berth__fail_memory(&inner);
    } else if (berth__read_format(&reader, &root, format_name) &&
               berth__read_string(&reader, &root, "key", BERTH__REQUIRED, &kept)) {
        *found = strcmp(kept, key) == 0;
        if (*found) {
            read_values(&reader, &root, key, n, kinds, values);
        }
    }
    if (reader.status == BERTH_E_INPUT) {
        unreadable(path, &inner, error);
    } else if (reader.status != BERTH_OK) {
        pass_on(&inner, error);
    }
    status = reader.status;
    berth__arena_free(reader.arena);
    json_decref(top);
    return status;
}

berth_status berth__compare_run_read(const char *path, const char *key, size_t n, const berth__kept_value *kinds,
                                     double *values, bool *found, berth_error *error) {
    *found = false;
    for (size_t k = 0; k < n; k++) {
        values[k] = (double)NAN;
    }
    berth__c_locale locale;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth_status status = read_file(path, key, n, kinds, values, found, error);
    berth__c_locale_leave(&locale);
    return status;
}
