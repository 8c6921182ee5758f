#define _POSIX_C_SOURCE 200809L
#include "formats/compare_run_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/numeric.h"
#include "formats/json_read.h"
#include "formats/json_write.h"

static const char format_name[] = "berth-compare-run-1";

berth_status berth__compare_run_write(const char *path, const char *key, size_t n, const char *const *names,
                                      const double *values, berth_error *error) {
    berth__json_writer w;
    berth__json_begin(&w);
    berth__json_object(&w, NULL);
    berth__json_string(&w, "format", format_name);
    berth__json_string(&w, "key", key);
    berth__json_object(&w, "values");
    for (size_t k = 0; k < n; k++) {
        berth__json_number(&w, names[k], values[k]);
    }
    berth__json_close(&w);
    berth__json_close(&w);
    return berth__json_finish_file(&w, path, error);
}

static void read_values(berth__reader *reader, const berth__node *root, size_t n, const char *const *names,
                        double *values) {
    berth__node node;
    if (berth__node_member(reader, root, "values", BERTH__REQUIRED, &node) && berth__node_is_object(reader, &node) &&
        json_object_size(node.value) != n) {
        berth__node_fail(reader, &node, BERTH_E_INPUT, "expected %zu values, got %zu", n, json_object_size(node.value));
    }
    if (reader->status == BERTH_OK) {
        berth__node_amounts(reader, &node, "value", n, names, true, values);
    }
}

static berth_status pass_on(const berth_error *inner, berth_error *error) {
    if (error != NULL) {
        *error = *inner;
    }
    return inner->status;
}

/* Names the file and the place in it. */
static berth_status unreadable(const char *path, const berth_error *inner, berth_error *error) {
    char place[sizeof inner->where + 32];
    if (inner->line > 0) {
        snprintf(place, sizeof place, "line %ld", inner->line);
    } else {
        snprintf(place, sizeof place, "%s", inner->where);
    }
    return berth__fail(error, BERTH_E_INPUT, path, "%s: %s; without the file the run is done again", place,
                       inner->message);
}

static berth_status read_file(const char *path, const char *key, size_t n, const char *const *names, double *values,
                              bool *found, berth_error *error) {
    json_t *top = NULL;
    berth_error inner = {0};
    berth_status status = berth__json_read_file(path, &top, &inner);
    if (status != BERTH_OK) {
        return status == BERTH_E_INPUT ? unreadable(path, &inner, error) : pass_on(&inner, error);
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
            read_values(&reader, &root, n, names, values);
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

berth_status berth__compare_run_read(const char *path, const char *key, size_t n, const char *const *names,
                                     double *values, bool *found, berth_error *error) {
    *found = false;
    for (size_t k = 0; k < n; k++) {
        values[k] = (double)NAN;
    }
    if (access(path, F_OK) != 0) {
        return BERTH_OK;
    }
    berth__c_locale locale;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth_status status = read_file(path, key, n, names, values, found, error);
    berth__c_locale_leave(&locale);
    return status;
}
