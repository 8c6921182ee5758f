#include "tests/support/schema_check.h"

#include <jansson.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

typedef struct checker {
    const json_t *root;
    char *problem;
    size_t room;
} checker;

static bool valid(checker *c, const json_t *schema, json_t *value, const char *place);

static bool refuse(checker *c, const char *place, const char *keyword) {
    snprintf(c->problem, c->room, "%s: %s", place[0] == '\0' ? "/" : place, keyword);
    return false;
}

static bool matches(const char *pattern, const char *text) {
    regex_t compiled;
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
        return false;
    }
    bool match = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return match;
}

static bool is_of_type(const char *type, const json_t *value) {
    double number = json_number_value(value);
    return (strcmp(type, "object") == 0 && json_is_object(value)) ||
           (strcmp(type, "array") == 0 && json_is_array(value)) ||
           (strcmp(type, "string") == 0 && json_is_string(value)) ||
           (strcmp(type, "number") == 0 && json_is_number(value)) ||
           (strcmp(type, "integer") == 0 && json_is_number(value) && number == floor(number)) ||
           (strcmp(type, "boolean") == 0 && json_is_boolean(value)) ||
           (strcmp(type, "null") == 0 && json_is_null(value));
}

static bool any_equal(const json_t *list, const json_t *value) {
    for (size_t k = 0; k < json_array_size(list); k++) {
        if (json_equal(json_array_get(list, k), value) != 0) {
            return true;
        }
    }
    return false;
}

static bool has_type(const json_t *types, const json_t *value) {
    if (json_is_string(types)) {
        return is_of_type(json_string_value(types), value);
    }
    for (size_t k = 0; k < json_array_size(types); k++) {
        if (is_of_type(json_string_value(json_array_get(types, k)), value)) {
            return true;
        }
    }
    return false;
}

static size_t count_valid(checker *c, const json_t *list, json_t *value, const char *place) {
    size_t n = 0;
    for (size_t k = 0; k < json_array_size(list); k++) {
        n += valid(c, json_array_get(list, k), value, place);
    }
    return n;
}

static const json_t *resolve(const checker *c, const char *reference) {
    const char *name = strrchr(reference, '/');
    return name == NULL ? NULL : json_object_get(json_object_get(c->root, "$defs"), name + 1);
}

/* Schema of a member of an object; NULL: not allowed. */
static const json_t *member_schema(const json_t *schema, const char *key) {
    const json_t *found = json_object_get(json_object_get(schema, "properties"), key);
    if (found != NULL) {
        return found;
    }
    json_t *patterns = json_object_get(schema, "patternProperties");
    for (void *at = json_object_iter(patterns); at != NULL; at = json_object_iter_next(patterns, at)) {
        if (matches(json_object_iter_key(at), key)) {
            return json_object_iter_value(at);
        }
    }
    const json_t *others = json_object_get(schema, "additionalProperties");
    return others == NULL ? schema : json_is_false(others) ? NULL : others;
}

static bool members_valid(checker *c, const json_t *schema, json_t *value, const char *place) {
    const json_t *names = json_object_get(schema, "propertyNames");
    for (void *at = json_object_iter(value); at != NULL; at = json_object_iter_next(value, at)) {
        char below[512];
        const char *key = json_object_iter_key(at);
        snprintf(below, sizeof below, "%s/%s", place, key);
        const json_t *member = member_schema(schema, key);
        if (member == NULL) {
            return refuse(c, below, "additionalProperties");
        }
        if (member != schema && !valid(c, member, json_object_iter_value(at), below)) {
            return false;
        }
        if (names != NULL && key[0] == '\0') {
            return refuse(c, below, "propertyNames");
        }
    }
    return true;
}

static bool items_valid(checker *c, const json_t *schema, json_t *value, const char *place) {
    const json_t *first = json_object_get(schema, "prefixItems"), *rest = json_object_get(schema, "items");
    for (size_t k = 0; k < json_array_size(value); k++) {
        char below[512];
        snprintf(below, sizeof below, "%s/%zu", place, k);
        const json_t *item = k < json_array_size(first) ? json_array_get(first, k) : rest;
        if (item != NULL && !valid(c, item, json_array_get(value, k), below)) {
            return false;
        }
    }
    return true;
}

static bool items_differ(const json_t *list) {
    for (size_t k = 0; k < json_array_size(list); k++) {
        for (size_t i = 0; i < k; i++) {
            if (json_equal(json_array_get(list, k), json_array_get(list, i)) != 0) {
                return false;
            }
        }
    }
    return true;
}

static bool has_all(const json_t *keys, const json_t *value) {
    for (size_t k = 0; k < json_array_size(keys); k++) {
        if (json_object_get(value, json_string_value(json_array_get(keys, k))) == NULL) {
            return false;
        }
    }
    return true;
}

/* Keywords without schemas below them. */
static bool simple_holds(const char *keyword, const json_t *rule, const json_t *value) {
    double bound = json_number_value(rule), number = json_number_value(value);
    bool is_number = json_is_number(value);
    if (strcmp(keyword, "type") == 0) {
        return has_type(rule, value);
    }
    if (strcmp(keyword, "const") == 0) {
        return json_equal(rule, value) != 0;
    }
    if (strcmp(keyword, "enum") == 0) {
        return any_equal(rule, value);
    }
    if (strcmp(keyword, "minimum") == 0) {
        return !is_number || number >= bound;
    }
    if (strcmp(keyword, "maximum") == 0) {
        return !is_number || number <= bound;
    }
    if (strcmp(keyword, "exclusiveMinimum") == 0) {
        return !is_number || number > bound;
    }
    if (strcmp(keyword, "exclusiveMaximum") == 0) {
        return !is_number || number < bound;
    }
    if (strcmp(keyword, "minLength") == 0) {
        return !json_is_string(value) || (double)json_string_length(value) >= bound;
    }
    if (strcmp(keyword, "pattern") == 0) {
        return !json_is_string(value) || matches(json_string_value(rule), json_string_value(value));
    }
    if (strcmp(keyword, "minItems") == 0) {
        return !json_is_array(value) || (double)json_array_size(value) >= bound;
    }
    if (strcmp(keyword, "maxItems") == 0) {
        return !json_is_array(value) || (double)json_array_size(value) <= bound;
    }
    if (strcmp(keyword, "uniqueItems") == 0) {
        return !json_is_array(value) || items_differ(value);
    }
    if (strcmp(keyword, "required") == 0) {
        return !json_is_object(value) || has_all(rule, value);
    }
    return false; /* unknown: schemas must not rest on what is not checked */
}

static bool is_one_of(const char *keyword, const char *const *list) {
    while (*list != NULL && strcmp(*list, keyword) != 0) {
        list++;
    }
    return *list != NULL;
}

static bool keyword_holds(checker *c, const json_t *schema, const char *keyword, const json_t *rule, json_t *value,
                          const char *place) {
    /* Words about the schema, and those that are read together with another one. */
    static const char *const silent[] = {
        "$schema",           "$defs",         "title",       "description", "default", "then",
        "patternProperties", "propertyNames", "prefixItems", NULL};
    static const char *const members[] = {"properties", "additionalProperties", NULL};
    if (is_one_of(keyword, silent)) {
        return strcmp(keyword, "prefixItems") != 0 || json_object_get(schema, "items") != NULL ||
               items_valid(c, schema, value, place);
    }
    if (is_one_of(keyword, members)) {
        return members_valid(c, schema, value, place);
    }
    if (strcmp(keyword, "items") == 0) {
        return items_valid(c, schema, value, place);
    }
    if (strcmp(keyword, "$ref") == 0) {
        const json_t *target = resolve(c, json_string_value(rule));
        return target == NULL ? refuse(c, place, "$ref") : valid(c, target, value, place);
    }
    if (strcmp(keyword, "anyOf") == 0) {
        return count_valid(c, rule, value, place) > 0;
    }
    if (strcmp(keyword, "oneOf") == 0) {
        return count_valid(c, rule, value, place) == 1;
    }
    if (strcmp(keyword, "not") == 0) {
        return !valid(c, rule, value, place) || refuse(c, place, keyword);
    }
    if (strcmp(keyword, "if") == 0) {
        return !valid(c, rule, value, place) || valid(c, json_object_get(schema, "then"), value, place);
    }
    return simple_holds(keyword, rule, value) || refuse(c, place, keyword);
}

static bool valid(checker *c, const json_t *schema, json_t *value, const char *place) {
    json_t *keywords = (json_t *)(size_t)schema; /* jansson's iterators take no const */
    for (void *at = json_object_iter(keywords); at != NULL; at = json_object_iter_next(keywords, at)) {
        if (!keyword_holds(c, schema, json_object_iter_key(at), json_object_iter_value(at), value, place)) {
            return false;
        }
    }
    return true;
}

bool schema_check_file(const char *schema, const char *path, char *problem, size_t room) {
    json_t *rules = schema == NULL ? NULL : json_loads(schema, JSON_REJECT_DUPLICATES, NULL);
    json_t *value = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    checker c = {.root = rules, .problem = problem, .room = room};
    snprintf(problem, room, "no schema, or no JSON");
    bool good = rules != NULL && value != NULL && valid(&c, rules, value, "");
    json_decref(rules);
    json_decref(value);
    return good;
}
