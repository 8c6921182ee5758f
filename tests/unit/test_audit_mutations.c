/* A real result with one number or flag changed at a time: each change is found, or its field is on the list of what is
 * not judged. Runs from the top folder. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"
#include "tests/support/mutations.h"

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
    {"/options/solver", "an input; anybody may add backends"},
    {"/prices/closed_form_why_not", "words"},
    {"/bounds/void_because", "words"},
    {"/jobs/#/reason", "words"},
    {"/versions/*", "who made it"},
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

static bool is_free_field(const char *field, bool noisy) {
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

/* What is surveyed. */
typedef struct survey {
    const berth_instance *instance;
    bool noisy;
} survey;

static bool is_free(void *user, const char *field, bool was_null, double to) {
    const survey *s = user;
    const bool loose = strcmp(field, "/bounds/lp") == 0 || strcmp(field, "/bounds/exact") == 0;
    return is_free_field(field, s->noisy) || (was_null && loose && to > 1e3);
}

/* A refusal to read it is as good as a violation. */
static bool is_noticed(void *user, json_t *result) {
    const survey *s = user;
    berth_run *run = NULL;
    berth_report *report = NULL;
    assert_int_equal(json_dump_file(result, path, JSON_COMPACT), 0);
    if (berth_run_read(path, s->instance, &run, NULL) != BERTH_OK) {
        return true;
    }
    bool noticed = berth_check(s->instance, run, NULL, &report, NULL) != BERTH_OK || report->n_violations > 0;
    berth_report_free(report);
    berth_run_free(run);
    return noticed;
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
    survey s = {.instance = instance, .noisy = noise > 0};
    const mutations m = {
        .result = json_load_file(path, 0, NULL), .is_noticed = is_noticed, .is_free = is_free, .user = &s};
    assert_non_null(m.result);
    char what[200];
    snprintf(what, sizeof what, "%s, %s", name, policy);
    mutations_expect_noticed(&m, what, least_changes);
    json_decref(m.result);
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
