#include "formats/json_read.h"

#include "base/numeric.h"
#include "formats/bytes.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- documents ---- */

/* jansson's own words are good but for those that speak of its C interface. */
static const char *syntax_text(const json_error_t *from) {
    switch ((int)json_error_code(from)) {
    case json_error_null_character:
    case json_error_null_byte_in_key:
        return "the character U+0000 is not allowed in a string";
    case json_error_numeric_overflow:
        return "a number is out of range";
    case json_error_stack_overflow:
        return "nested too deeply";
    default:
        return from->text;
    }
}

berth_status berth__json_parse(const char *text, size_t length, const char *where, json_t **out, berth_error *error) {
    *out = NULL;
    berth_status status = berth__text_check(&text, &length, where, error);
    if (status != BERTH_OK) {
        return status;
    }
    json_error_t syntax;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &syntax);
    if (root == NULL && json_error_code(&syntax) == json_error_out_of_memory) {
        return berth__fail_memory(error);
    }
    if (root == NULL) {
        return berth__fail_at(error, BERTH_E_INPUT, where, syntax.line, syntax.column, "%s", syntax_text(&syntax));
    }
    if (!json_is_object(root)) {
        json_decref(root);
        return berth__fail_at(error, BERTH_E_INPUT, where, 1, 1, "the file must hold one JSON object");
    }
    *out = root;
    return BERTH_OK;
}

berth_status berth__json_read_file(const char *path, json_t **out, berth_error *error) {
    *out = NULL;
    char *text = NULL;
    size_t length = 0;
    berth_status status = berth__bytes_read(path, BERTH__MAX_INPUT, &text, &length, error);
    if (status == BERTH_OK) {
        status = berth__json_parse(text, length, path, out, error);
    }
    berth__free(text);
    return status;
}

berth__node berth__node_root(json_t *root) {
    return (berth__node){.value = root};
}

berth__node berth__node_element(const berth__node *array, size_t index) {
    return (berth__node){.value = json_array_get(array->value, index), .parent = array, .index = index};
}

/* ---- failures ---- */

/* Appends `key` as a reference token of RFC 6901, as far as there is room. */
static size_t append_token(const char *key, char *to, size_t at, size_t room) {
    for (; *key != '\0' && at + 3 < room; key++) {
        if (*key == '~' || *key == '/') {
            to[at++] = '~';
            to[at++] = *key == '~' ? '0' : '1';
        } else {
            to[at++] = *key;
        }
    }
    return at;
}

static size_t append_pointer(const berth__node *node, char *to, size_t room) {
    if (node->parent == NULL) {
        return 0;
    }
    size_t at = append_pointer(node->parent, to, room);
    char number[32];
    snprintf(number, sizeof number, "%zu", node->index);
    if (at + 3 < room) {
        to[at++] = '/';
    }
    return append_token(node->key != NULL ? node->key : number, to, at, room);
}

void berth__node_pointer(const berth__node *node, char *to, size_t room) {
    to[append_pointer(node, to, room)] = '\0';
}

BERTH__PRINTF(4, 0)
static bool fail_with(berth__reader *reader, const berth__node *node, berth_status status, const char *format,
                      va_list args) {
    if (reader->status != BERTH_OK) {
        return false;
    }
    reader->status = status;
    if (reader->error != NULL) {
        char pointer[sizeof reader->error->where];
        berth__node_pointer(node, pointer, sizeof pointer);
        char message[sizeof reader->error->message];
        vsnprintf(message, sizeof message, format, args);
        berth__fail(reader->error, status, pointer, "%s", message);
    }
    return false;
}

bool berth__node_fail(berth__reader *reader, const berth__node *node, berth_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail_with(reader, node, status, format, args);
    va_end(args);
    return false;
}

bool berth__member_fail(berth__reader *reader, const berth__node *object, const char *key, berth_status status,
                        const char *format, ...) {
    berth__node member = {.parent = object, .key = key};
    va_list args;
    va_start(args, format);
    fail_with(reader, &member, status, format, args);
    va_end(args);
    return false;
}

bool berth__reader_memory(berth__reader *reader) {
    if (reader->status == BERTH_OK) {
        reader->status = berth__fail_memory(reader->error);
    }
    return false;
}

/* What was found, for "expected X, found Y". */
static const char *describe(const json_t *value, char text[80]) {
    char number[BERTH__NUMBER_ROOM];
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        snprintf(text, 80, strlen(json_string_value(value)) <= 40 ? "the string \"%s\"" : "a long string",
                 json_string_value(value));
        return text;
    case JSON_INTEGER:
        snprintf(text, 80, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return text;
    case JSON_REAL:
        berth__number_text(json_real_value(value), number);
        snprintf(text, 80, "%s", number);
        return text;
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    case JSON_NULL:
        return "null";
    }
    return "something else";
}

static bool wrong_type(berth__reader *reader, const berth__node *node, const char *expected) {
    char found[80];
    return berth__node_fail(reader, node, BERTH_E_INPUT, "expected %s, found %s", expected,
                            describe(node->value, found));
}

/* ---- fields ---- */

bool berth__read_format(berth__reader *reader, const berth__node *root, const char *format) {
    const char *found = NULL;
    if (!berth__read_text(reader, root, "format", BERTH__REQUIRED, &found)) {
        return false;
    }
    if (strcmp(found, format) != 0) {
        return berth__member_fail(reader, root, "format", BERTH_E_INPUT,
                                  "the format is \"%.60s\"; expected \"%s\", the one that this version reads here",
                                  found, format);
    }
    return true;
}

bool berth__only_fields(berth__reader *reader, const berth__node *object, const char *const *known, size_t n_known) {
    if (!berth__node_is_object(reader, object)) {
        return false;
    }
    for (void *at = json_object_iter(object->value); at != NULL; at = json_object_iter_next(object->value, at)) {
        const char *key = json_object_iter_key(at);
        bool found = strncmp(key, "x_", 2) == 0;
        for (size_t k = 0; k < n_known && !found; k++) {
            found = strcmp(key, known[k]) == 0;
        }
        if (found) {
            continue;
        }
        const char *nearest = berth__nearest_name(key, known, n_known);
        return nearest != NULL ? berth__member_fail(reader, object, key, BERTH_E_INPUT,
                                                    "unknown field; did you mean \"%s\"?", nearest)
                               : berth__member_fail(reader, object, key, BERTH_E_INPUT,
                                                    "unknown field (fields of your own must begin with x_)");
    }
    return true;
}

bool berth__node_member(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                        berth__node *out) {
    if (!berth__node_is_object(reader, object)) {
        return false;
    }
    json_t *value = json_object_get(object->value, key);
    if (value == NULL) {
        return presence == BERTH__REQUIRED ? berth__member_fail(reader, object, key, BERTH_E_INPUT, "missing") : false;
    }
    *out = (berth__node){.value = value, .parent = object, .key = key};
    return presence != BERTH__NULLABLE || !json_is_null(value);
}

/* ---- values ---- */

bool berth__node_is_object(berth__reader *reader, const berth__node *node) {
    if (reader->status != BERTH_OK) {
        return false;
    }
    return json_is_object(node->value) ? true : wrong_type(reader, node, "an object");
}

bool berth__node_array(berth__reader *reader, const berth__node *node, size_t *n) {
    if (reader->status != BERTH_OK) {
        return false;
    }
    *n = json_array_size(node->value);
    return json_is_array(node->value) ? true : wrong_type(reader, node, "a list");
}

static bool node_text(berth__reader *reader, const berth__node *node, const char **out) {
    if (reader->status != BERTH_OK) {
        return false;
    }
    if (!json_is_string(node->value)) {
        return wrong_type(reader, node, "a string");
    }
    char *copy = berth__arena_strndup(reader->arena, json_string_value(node->value), json_string_length(node->value));
    if (copy == NULL) {
        return berth__reader_memory(reader);
    }
    *out = copy;
    return true;
}

bool berth__node_string(berth__reader *reader, const berth__node *node, const char **out) {
    if (!node_text(reader, node, out)) {
        return false;
    }
    return **out != '\0' ? true : berth__node_fail(reader, node, BERTH_E_INPUT, "must not be empty");
}

bool berth__node_number(berth__reader *reader, const berth__node *node, double *out) {
    if (reader->status != BERTH_OK) {
        return false;
    }
    if (!json_is_number(node->value)) {
        return wrong_type(reader, node, "a number");
    }
    *out = json_number_value(node->value);
    return true;
}

bool berth__node_integer(berth__reader *reader, const berth__node *node, long long *out) {
    if (reader->status != BERTH_OK) {
        return false;
    }
    if (json_is_integer(node->value)) {
        *out = json_integer_value(node->value);
        return true;
    }
    double value = json_real_value(node->value); /* 0 if it is no real */
    if (!json_is_real(node->value) || value != floor(value)) {
        return wrong_type(reader, node, "an integer");
    }
    if (fabs(value) >= 9e18) {
        char found[80];
        return berth__node_fail(reader, node, BERTH_E_INPUT, "%s is out of range", describe(node->value, found));
    }
    *out = (long long)value;
    return true;
}

static bool node_int(berth__reader *reader, const berth__node *node, int *out) {
    long long value = 0;
    if (!berth__node_integer(reader, node, &value)) {
        return false;
    }
    if (value < INT_MIN || value > INT_MAX) {
        return berth__node_fail(reader, node, BERTH_E_INPUT, "%lld is out of range: integers go from %d to %d", value,
                                INT_MIN, INT_MAX);
    }
    *out = (int)value;
    return true;
}

/* ---- members ---- */

bool berth__read_text(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                      const char **out) {
    berth__node node;
    return berth__node_member(reader, object, key, presence, &node) && node_text(reader, &node, out);
}

bool berth__read_string(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                        const char **out) {
    berth__node node;
    return berth__node_member(reader, object, key, presence, &node) && berth__node_string(reader, &node, out);
}

bool berth__read_word(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                      const char *const *words, size_t n, size_t *out) {
    const char *word = NULL;
    if (!berth__read_text(reader, object, key, presence, &word)) {
        return reader->status == BERTH_OK;
    }
    for (size_t k = 0; k < n; k++) {
        if (strcmp(word, words[k]) == 0) {
            *out = k;
            return true;
        }
    }
    char list[200] = "";
    size_t used = 0;
    for (size_t k = 0; k < n && used < sizeof list; k++) {
        const int wrote = snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? ", " : "", words[k]);
        used += wrote < 0 ? 0 : (size_t)wrote;
    }
    return berth__member_fail(reader, object, key, BERTH_E_INPUT, "unknown word '%.40s'; expected one of %s", word,
                              list);
}

bool berth__read_number(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                        double *out) {
    berth__node node;
    return berth__node_member(reader, object, key, presence, &node) && berth__node_number(reader, &node, out);
}

bool berth__read_int(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                     int *out) {
    berth__node node;
    return berth__node_member(reader, object, key, presence, &node) && node_int(reader, &node, out);
}

bool berth__read_size(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                      size_t *out) {
    berth__node node;
    long long value = 0;
    if (!berth__node_member(reader, object, key, presence, &node) || !berth__node_integer(reader, &node, &value)) {
        return false;
    }
    if (value < 0) {
        return berth__node_fail(reader, &node, BERTH_E_INPUT, "must not be negative, is %lld", value);
    }
    *out = (size_t)value;
    return true;
}

bool berth__read_bool(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                      bool *out) {
    berth__node node;
    if (!berth__node_member(reader, object, key, presence, &node)) {
        return false;
    }
    if (!json_is_boolean(node.value)) {
        return wrong_type(reader, &node, "true or false");
    }
    *out = json_is_true(node.value);
    return true;
}

bool berth__node_amounts(berth__reader *reader, const berth__node *node, const char *what, size_t n,
                         const char *const *names, bool nullable, double *values) {
    if (!berth__node_is_object(reader, node)) {
        return false;
    }
    for (void *at = json_object_iter(node->value); at != NULL; at = json_object_iter_next(node->value, at)) {
        const char *key = json_object_iter_key(at);
        berth__node amount = {.value = json_object_iter_value(at), .parent = node, .key = key};
        size_t k = 0;
        while (k < n && strcmp(names[k], key) != 0) {
            k++;
        }
        if (k == n) {
            const char *nearest = berth__nearest_name(key, names, n);
            return nearest != NULL ? berth__node_fail(reader, &amount, BERTH_E_INPUT,
                                                      "unknown %s; did you mean \"%s\"?", what, nearest)
                                   : berth__node_fail(reader, &amount, BERTH_E_INPUT, "unknown %s", what);
        }
        if (nullable && json_is_null(amount.value)) {
            values[k] = (double)NAN;
        } else if (!berth__node_number(reader, &amount, &values[k])) {
            return false;
        }
    }
    return true;
}

bool berth__read_strings(berth__reader *reader, const berth__node *object, const char *key, berth__presence presence,
                         size_t *n, const char *const **out) {
    berth__node list;
    size_t length = 0;
    if (!berth__node_member(reader, object, key, presence, &list) || !berth__node_array(reader, &list, &length)) {
        return false;
    }
    const char **strings = BERTH__ARENA_ARRAY(reader->arena, const char *, length);
    if (strings == NULL) {
        return berth__reader_memory(reader);
    }
    for (size_t k = 0; k < length; k++) {
        berth__node item = berth__node_element(&list, k);
        if (!berth__node_string(reader, &item, &strings[k])) {
            return false;
        }
    }
    *n = length;
    *out = strings;
    return true;
}
