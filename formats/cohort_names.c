#include "formats/cohort_names.h"

#include <stdio.h>
#include <string.h>

#include "base/numeric.h"
#include "formulations/cohort/problem.h"

typedef const char *name_of(const berth_cohort_data *data, size_t index, char buffer[32]);

static bool index_all(berth__cohort_names *names, name_of *name, size_t n, berth__names *table) {
    char buffer[32];
    if (!berth__names_init(table, n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const char *text = name(names->data, k, buffer);
        text = text == buffer ? berth__arena_strdup(names->arena, buffer) : text;
        if (text == NULL) {
            return false;
        }
        berth__names_add(table, text, k);
    }
    return true;
}

bool berth__cohort_names_init(berth__cohort_names *names, const berth_cohort_data *data, bool with_clients) {
    *names = (berth__cohort_names){.data = data, .arena = berth__arena_new()};
    return names->arena != NULL &&
           index_all(names, berth__cohort_category_name, data->n_categories, &names->categories) &&
           (!with_clients || index_all(names, berth__cohort_client_name, data->n_clients, &names->clients));
}

void berth__cohort_names_free(berth__cohort_names *names) {
    berth__names_free(&names->clients);
    berth__names_free(&names->categories);
    berth__arena_free(names->arena);
}

bool berth__cohort_find_client(berth__reader *reader, const berth__node *node, const berth__cohort_names *names,
                               const char *name, size_t *out) {
    *out = berth__names_find(&names->clients, name);
    return *out != BERTH__NO_NAME ||
           berth__node_fail(reader, node, BERTH_E_INPUT, "the data have no client '%.80s'", name);
}

bool berth__cohort_find_category(berth__reader *reader, const berth__node *node, const berth__cohort_names *names,
                                 const char *name, size_t *out) {
    *out = berth__names_find(&names->categories, name);
    if (*out != BERTH__NO_NAME) {
        return true;
    }
    const char *nearest = names->data->categories != NULL
                              ? berth__nearest_name(name, names->data->categories, names->data->n_categories)
                              : NULL;
    return berth__node_fail(reader, node, BERTH_E_INPUT, "the data have no category '%.80s'%s%.80s%s", name,
                            nearest != NULL ? "; is '" : "", nearest != NULL ? nearest : "",
                            nearest != NULL ? "' meant?" : "");
}

bool berth__cohort_read_counts(berth__reader *reader, const berth__node *node, const berth__cohort_names *names,
                               uint64_t *values) {
    if (!berth__node_is_object(reader, node)) {
        return false;
    }
    for (void *at = json_object_iter(node->value); at != NULL; at = json_object_iter_next(node->value, at)) {
        const char *key = json_object_iter_key(at);
        berth__node value = {.value = json_object_iter_value(at), .parent = node, .key = key};
        long long number;
        size_t category;
        if (!berth__cohort_find_category(reader, &value, names, key, &category) ||
            !berth__node_integer(reader, &value, &number)) {
            return false;
        }
        if (number < 0) {
            return berth__node_fail(reader, &value, BERTH_E_INPUT, "expected a number of samples >= 0");
        }
        values[category] = (uint64_t)number;
    }
    return true;
}

static berth_status read_root(json_t *root, const berth_cohort_data *data, size_t object_size,
                              berth__cohort_read_object *read, void **out, berth__arena **arena, berth_error *error) {
    berth__reader r = {.arena = berth__arena_new(), .error = error};
    berth__cohort_names names = {0};
    berth__node node = berth__node_root(root);
    /* clients are many: only for files that name some */
    bool with_clients =
        json_is_array(json_object_get(root, "eligible")) || json_array_size(json_object_get(root, "participants")) > 0;
    void *object = r.arena != NULL ? berth__arena_calloc(r.arena, 1, object_size) : NULL;
    if (object == NULL || !berth__cohort_names_init(&names, data, with_clients)) {
        berth__reader_memory(&r);
    } else {
        read(&r, &node, &names, object);
    }
    berth__cohort_names_free(&names);
    if (r.status != BERTH_OK) {
        berth__arena_free(r.arena);
        return r.status;
    }
    *out = object;
    *arena = r.arena;
    return BERTH_OK;
}

berth_status berth__cohort_read_file(const char *path, const berth_cohort_data *data, size_t object_size,
                                     berth__cohort_read_object *read, void **out, berth__arena **arena,
                                     berth_error *error) {
    json_t *root = NULL;
    berth__c_locale locale;
    *out = NULL;
    if (data == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "data", "data must not be NULL");
    }
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth_status status = berth__json_read_file(path, &root, error);
    status = status == BERTH_OK ? read_root(root, data, object_size, read, out, arena, error) : status;
    json_decref(root);
    berth__c_locale_leave(&locale);
    return status;
}

const char *const berth__cohort_objectives[2] = {
    [BERTH_COHORT_DURATION] = "duration", [BERTH_COHORT_PARTICIPANTS] = "participants"};

bool berth__cohort_read_word(berth__reader *r, const berth__node *root, const char *key, const char *const *words,
                             size_t n, size_t *out) {
    char expected[160] = "";
    const char *word = NULL;
    if (!berth__read_text(r, root, key, BERTH__NULLABLE, &word)) {
        return r->status == BERTH_OK;
    }
    for (size_t k = 0, used = 0; k < n; k++) {
        if (strcmp(word, words[k]) == 0) {
            *out = k;
            return true;
        }
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s\"%s\"",
                                 k == 0      ? ""
                                 : k + 1 < n ? ", "
                                             : " or ",
                                 words[k]);
        used = used < sizeof expected ? used : sizeof expected - 1;
    }
    return berth__member_fail(r, root, key, BERTH_E_INPUT, "expected %s", expected);
}
