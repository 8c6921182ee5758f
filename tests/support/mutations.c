#include "tests/support/mutations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

enum { MOST_FIELDS = 200, TRIED_OF_A_FIELD = 4 };

typedef struct survey {
    const mutations *m;
    char fields[MOST_FIELDS][100];
    int seen[MOST_FIELDS], n_fields;
    int n_changes, n_unnoticed;
} survey;

static bool noticed(const survey *s) {
    return s->m->is_noticed(s->m->user, s->m->result);
}

static int field_index(survey *s, const char *field) {
    int i = 0;
    while (i < s->n_fields && strcmp(s->fields[i], field) != 0) {
        i++;
    }
    if (i == s->n_fields) {
        assert_true(s->n_fields < MOST_FIELDS);
        snprintf(s->fields[s->n_fields++], sizeof s->fields[0], "%s", field);
    }
    return i;
}

static void try_change(survey *s, const char *field, json_t *value, double to) {
    double from = json_number_value(value);
    if (to == from) {
        return;
    }
    s->n_changes++;
    if (json_is_integer(value)) {
        json_integer_set(value, (json_int_t)to);
    } else {
        json_real_set(value, to);
    }
    if (!noticed(s) && !s->m->is_free(s->m->user, field, false, to)) {
        print_error("%s from %.17g to %.17g is not noticed\n", field, from, to);
        s->n_unnoticed++;
    }
    if (json_is_integer(value)) {
        json_integer_set(value, (json_int_t)from);
    } else {
        json_real_set(value, from);
    }
}

static void try_number(survey *s, const char *field, json_t *value) {
    double x = json_number_value(value);
    if (json_is_integer(value)) {
        try_change(s, field, value, x + 1);
        try_change(s, field, value, x - 1);
        try_change(s, field, value, 10 * x + 100);
        return;
    }
    try_change(s, field, value, x * (1 + 1e-4));
    try_change(s, field, value, x * (1 - 1e-4));
    try_change(s, field, value, x * 10 + 1);
    try_change(s, field, value, -x);
}

static void try_flag(survey *s, const char *field, json_t *parent, const char *key, bool value) {
    s->n_changes++;
    json_object_set_new(parent, key, json_boolean(!value));
    if (!noticed(s) && !s->m->is_free(s->m->user, field, false, !value)) {
        print_error("%s from %s to %s is not noticed\n", field, value ? "true" : "false", value ? "false" : "true");
        s->n_unnoticed++;
    }
    json_object_set_new(parent, key, json_boolean(value));
}

/* A claim where there was none. */
static void try_null(survey *s, const char *field, json_t *parent, const char *key) {
    static const double claims[] = {0.5, 1, 1e4};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        s->n_changes++;
        json_object_set_new(parent, key, json_real(claims[i]));
        if (!noticed(s) && !s->m->is_free(s->m->user, field, true, claims[i])) {
            print_error("%s from null to %g is not noticed\n", field, claims[i]);
            s->n_unnoticed++;
        }
        json_object_set_new(parent, key, json_null());
    }
}

/* A word that nobody knows. */
static void try_word(survey *s, const char *field, json_t *value) {
    json_t *from = json_copy(value);
    assert_non_null(from);
    s->n_changes++;
    assert_int_equal(json_string_set(value, "nonsense"), 0);
    if (!noticed(s) && !s->m->is_free(s->m->user, field, false, (double)NAN)) {
        print_error("%s from %s to nonsense is not noticed\n", field, json_string_value(from));
        s->n_unnoticed++;
    }
    assert_int_equal(json_string_set(value, json_string_value(from)), 0);
    json_decref(from);
}

static void walk(survey *s, const char *field, json_t *parent, const char *key, json_t *value) {
    char inner[100];
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            snprintf(inner, sizeof inner, "%.90s/#", field);
            walk(s, inner, NULL, NULL, json_array_get(value, i));
        }
        return;
    }
    if (json_is_object(value)) {
        /* Through a list of the keys, as values are replaced on the way. */
        size_t n = json_object_size(value), k = 0;
        const char **keys = calloc(n + 1, sizeof *keys);
        assert_non_null(keys);
        for (void *at = json_object_iter(value); at != NULL; at = json_object_iter_next(value, at)) {
            keys[k++] = json_object_iter_key(at);
        }
        for (k = 0; k < n; k++) {
            snprintf(inner, sizeof inner, "%.50s/%.40s", field, keys[k]);
            walk(s, inner, value, keys[k], json_object_get(value, keys[k]));
        }
        free(keys);
        return;
    }
    if (s->seen[field_index(s, field)]++ >= TRIED_OF_A_FIELD) {
        return;
    }
    if (json_is_string(value)) {
        try_word(s, field, value);
    } else if (json_is_number(value)) {
        try_number(s, field, value);
    } else if (json_is_boolean(value)) {
        try_flag(s, field, parent, key, json_is_true(value));
    } else {
        try_null(s, field, parent, key);
    }
}

void mutations_expect_noticed(const mutations *m, const char *what, int least_changes) {
    survey *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->m = m;
    assert_false(noticed(s));
    walk(s, "", NULL, NULL, m->result);
    assert_false(noticed(s));
    print_message("%s: %d changes of %d fields\n", what, s->n_changes, s->n_fields);
    assert_int_equal(s->n_unnoticed, 0);
    assert_true(s->n_changes >= least_changes);
    free(s);
}
