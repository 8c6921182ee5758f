/* A real result with one number or flag changed at a time: each change is found, or its field is on the list of what is
 * not judged. Runs from the top folder. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"

#include <berth_io.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/berth-mutation-XXXXXX";

/* Fields that may change unnoticed, with why. Elements of lists have the index "#". */
static const struct {
    const char *field, *why;
} free_fields[] = {
    {"/seed", "an input"},
    {"/options/levels", "an input"},
    {"/options/delta", "an input"},
    {"/options/trials", "an input; draws <= problems * trials"},
    {"/options/repair", "an input; needed for repaired > 0"},
    {"/options/restart_delay_s", "an input"},
    {"/rounding/draws", "within solved .. problems * trials"},
    {"/rounding/solved", "up to problems"},
    {"/rounding/repaired", "up to problems - solved"},
    {"/rounding/promise/*", "restates the theorem; within its ranges"},
    {"/prices/floor", "the policy's; shows where a price was raised to it"},
    {"/placement/slots", "counts those of plans not taken too"},
    {"/placement/proved", "up to slots"},
    {"/placement/worst_gap", "not below mean_gap"},
    {"/placement/mean_gap", "up to worst_gap"},
    {"/certificate/prices/#/#/*", "any prices prove something"},
    {"/jobs/#/payoff_bound", "of a rejected job: below 0 it does not show in arrival_dual"},
};

/* Of runs with noise there are more, but the seed is noticed by the factors that it gives. */
static bool is_free_with_noise(const char *field) {
    static const char *const fields[] = {"/stopped",               /* the bounds are void anyway */
                                         "/jobs/#/promised_slot"}; /* of a job done early: its plan was longer */
    return strcmp(field, fields[0]) == 0 || strcmp(field, fields[1]) == 0;
}

static bool is_free(const char *field, bool noisy) {
    if (noisy && (strcmp(field, "/seed") == 0 || is_free_with_noise(field))) {
        return is_free_with_noise(field);
    }
    for (size_t i = 0; i < sizeof free_fields / sizeof *free_fields; i++) {
        size_t n = strlen(free_fields[i].field);
        bool prefix = free_fields[i].field[n - 1] == '*';
        if (prefix ? strncmp(field, free_fields[i].field, n - 1) == 0 : strcmp(field, free_fields[i].field) == 0) {
            return true;
        }
    }
    return false;
}

enum { MOST_FIELDS = 200, TRIED_OF_A_FIELD = 4 };

typedef struct survey {
    const berth_instance *instance;
    json_t *result;
    char fields[MOST_FIELDS][100];
    int seen[MOST_FIELDS], n_fields;
    int n_changes, n_unnoticed;
    bool noisy;
} survey;

/* A refusal to read it is as good as a violation. */
static bool is_noticed(const survey *s) {
    berth_run *run = NULL;
    berth_report *report = NULL;
    assert_int_equal(json_dump_file(s->result, path, JSON_COMPACT), 0);
    if (berth_run_read(path, s->instance, &run, NULL) != BERTH_OK) {
        return true;
    }
    bool noticed = berth_check(s->instance, run, NULL, &report, NULL) != BERTH_OK || report->n_violations > 0;
    berth_report_free(report);
    berth_run_free(run);
    return noticed;
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
    if (!is_noticed(s) && !is_free(field, s->noisy)) {
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
    if (!is_noticed(s) && !is_free(field, s->noisy)) {
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
        if (!is_noticed(s) && !is_free(field, s->noisy) && !(strcmp(field, "/bounds/lp") == 0 && claims[i] > 1e3) &&
            !(strcmp(field, "/bounds/exact") == 0 && claims[i] > 1e3)) {
            print_error("%s from null to %g is not noticed\n", field, claims[i]);
            s->n_unnoticed++;
        }
        json_object_set_new(parent, key, json_null());
    }
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
    if (json_is_string(value) || s->seen[field_index(s, field)]++ >= TRIED_OF_A_FIELD) {
        return;
    }
    if (json_is_number(value)) {
        try_number(s, field, value);
    } else if (json_is_boolean(value)) {
        try_flag(s, field, parent, key, json_is_true(value));
    } else {
        try_null(s, field, parent, key);
    }
}

static void survey_instance(const char *name, const char *policy, bool repair, double noise, int least_changes) {
    berth_error error = {0};
    berth_instance *instance = NULL;
    berth_run *run = NULL;
    berth_options options;
    berth_options_init(&options);
    options.policy = policy;
    options.repair = repair;
    options.noise = noise;
    options.effort = BERTH_EFFORT_LOW;
    assert_ok(berth_instance_read(name, &instance, &error), error);
    assert_ok(berth_run_online(instance, &options, &run, NULL, &error), error);
    assert_ok(berth_run_write(run, instance, path, NULL, &error), error);
    survey *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->instance = instance;
    s->noisy = noise > 0;
    s->result = json_load_file(path, 0, NULL);
    assert_non_null(s->result);
    assert_false(is_noticed(s));
    walk(s, "", NULL, NULL, s->result);
    assert_false(is_noticed(s));
    print_message("%s, %s: %d changes of %d fields\n", name, policy, s->n_changes, s->n_fields);
    assert_int_equal(s->n_unnoticed, 0);
    assert_true(s->n_changes >= least_changes);
    json_decref(s->result);
    free(s);
    berth_run_free(run);
    berth_instance_free(instance);
}

static void test_small(void **state) {
    (void)state;
    survey_instance("instances/tiny/tiny-02.json", "pdors", false, 0, 150);
    survey_instance("instances/tiny/tiny-04.json", "pdors", true, 0, 150);
    survey_instance("instances/tiny/tiny-02.json", "pdors-ci", false, 0, 130);
    survey_instance("instances/tiny/tiny-04.json", "pdors-ci", false, 0, 130);
}

static void test_quickstart(void **state) {
    (void)state;
    survey_instance("instances/quickstart.json", "pdors", true, 0, 250);
    survey_instance("instances/quickstart.json", "pdors-ci", false, 0, 200);
}

static void test_noise(void **state) {
    (void)state;
    survey_instance("instances/tiny/tiny-04.json", "pdors", true, 0.5, 150);
    survey_instance("instances/tiny/tiny-04.json", "bidlp", false, 0.5, 150);
    survey_instance("instances/tiny/tiny-04.json", "srtf", false, 0.5, 150);
    survey_instance("instances/quickstart.json", "pdors-ci", false, 0.2, 200);
}

static int make_file(void **state) {
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_quickstart),
                                       cmocka_unit_test(test_noise)};
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
