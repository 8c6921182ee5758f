/* The published schemas: well-formed, and in agreement with the reader on shipped and on malformed instances. Runs
 * from the top folder. */
#include "tests/support/check.h"

#include <berth_io.h>

#include "tests/support/schema_check.h"

#include <glob.h>
#include <jansson.h>
#include <string.h>

static void test_names(void **state) {
    (void)state;
    size_t n = 0;
    for (const char *const *name = berth_schema_names(); *name != NULL; name++, n++) {
        const char *text = berth_schema(*name);
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"const\": \"%s\"", *name);
        assert_non_null(text);
        assert_non_null(strstr(text, quoted));
        assert_non_null(strstr(text, "https://json-schema.org/draft/2020-12/schema"));
    }
    assert_int_equal(n, 17);
    assert_null(berth_schema("berth-jobs-0"));
    assert_null(berth_schema(NULL));
}

static void test_shipped_instances_are_valid(void **state) {
    (void)state;
    static const char *const patterns[] = {"instances/*.json", "instances/tiny/*.json", "instances/odd/[!b]*.json"};
    glob_t files = {0};
    char problem[256];
    for (size_t k = 0; k < sizeof patterns / sizeof patterns[0]; k++) {
        glob(patterns[k], k > 0 ? GLOB_APPEND : 0, NULL, &files);
    }
    assert_true(files.gl_pathc > 0);
    for (size_t k = 0; k < files.gl_pathc; k++) {
        if (!schema_check_file(berth_schema("berth-jobs-1"), files.gl_pathv[k], problem, sizeof problem)) {
            fail_msg("%s: %s", files.gl_pathv[k], problem);
        }
    }
    globfree(&files);
    assert_true(
        schema_check_file(berth_schema("berth-run-1"), "instances/odd/result/external.json", problem, sizeof problem));
}

/* Of the malformed instances the schema lets pass only what it cannot express. */
static void test_malformed_instances_are_not(void **state) {
    (void)state;
    static const char *const beyond_schemas[] = {"arrival-at-horizon",
                                                 "arrival-beyond-horizon",
                                                 "batch-below-one",
                                                 "capacity-matrix-huge",
                                                 "capacity-overflow",
                                                 "capacity-unknown-resource",
                                                 "count-huge-in-all",
                                                 "job-twice",
                                                 "machine-twice-expanded",
                                                 "machine-twice",
                                                 "no-time-at-all",
                                                 "price-crossed",
                                                 "price-equal",
                                                 "price-unknown-resource",
                                                 "quota-unknown-resource",
                                                 "steps-rising",
                                                 "steps-unordered",
                                                 "work-overflow",
                                                 "worker-nothing",
                                                 "worker-unknown-resource",
                                                 "worker-zeros"};
    glob_t files = {0};
    char problem[256];
    size_t n_passed = 0;
    assert_int_equal(glob("instances/bad/*.json", 0, NULL, &files), 0);
    for (size_t k = 0; k < files.gl_pathc; k++) {
        if (!schema_check_file(berth_schema("berth-jobs-1"), files.gl_pathv[k], problem, sizeof problem)) {
            continue;
        }
        bool known = false;
        for (size_t i = 0; i < sizeof beyond_schemas / sizeof beyond_schemas[0]; i++) {
            char path[128];
            snprintf(path, sizeof path, "instances/bad/%s.json", beyond_schemas[i]);
            known = known || strcmp(path, files.gl_pathv[k]) == 0;
        }
        if (!known) {
            fail_msg("the schema accepts %s", files.gl_pathv[k]);
        }
        n_passed++;
    }
    assert_int_equal(n_passed, sizeof beyond_schemas / sizeof beyond_schemas[0]);
    globfree(&files);
}

static void test_problems(void **state) {
    (void)state;
    static const char *const beyond_schemas[] = {"row-twice", "term-unknown", "variable-twice"};
    const char *schema = berth_schema("berth-mpc-1");
    glob_t files = {0};
    char problem[256];
    size_t n_passed = 0;
    assert_int_equal(glob("instances/problems/*.json", 0, NULL, &files), 0);
    for (size_t k = 0; k < files.gl_pathc; k++) {
        if (!schema_check_file(schema, files.gl_pathv[k], problem, sizeof problem)) {
            fail_msg("%s: %s", files.gl_pathv[k], problem);
        }
    }
    globfree(&files);
    assert_int_equal(glob("instances/problems/bad/*.json", 0, NULL, &files), 0);
    for (size_t k = 0; k < files.gl_pathc; k++) {
        if (schema_check_file(schema, files.gl_pathv[k], problem, sizeof problem)) {
            bool known = false;
            for (size_t i = 0; i < sizeof beyond_schemas / sizeof beyond_schemas[0]; i++) {
                known = known || strstr(files.gl_pathv[k], beyond_schemas[i]) != NULL;
            }
            if (!known) {
                fail_msg("the schema accepts %s", files.gl_pathv[k]);
            }
            n_passed++;
        }
    }
    assert_int_equal(n_passed, sizeof beyond_schemas / sizeof beyond_schemas[0]);
    globfree(&files);
}

/* What users ask about says what it means. */
static void test_descriptions(void **state) {
    (void)state;
    static const struct {
        const char *format, *object, *fields[10];
    } asked[] = {
        {"berth-run-1", "bounds", {"dual", "arrival_dual", "lp", "exact", "best", "ratio", "void_because"}},
        {"berth-run-1",
         "prices",
         {"upper", "lower", "floor", "floored", "oracle", "closed_form_ratio", "closed_form_why_not"}},
        {"berth-run-1", "rounding", {"problems", "solved", "repaired", "draws", "guarantee_held", "why_not"}},
        {"berth-run-1", "placement", {"slots", "proved", "worst_gap", "mean_gap"}},
        {"berth-run-1", "job", {"promised_slot", "completion_slot", "payoff", "payoff_bound", "price_paid"}},
        {"berth-run-1", "options", {"effort", "restart_delay_s"}},
        {"berth-run-1", "job", {"payoff", "payoff_bound", "price_paid", "speed_factor", "work_factor"}},
        {"berth-run-1", "options", {"noise"}},
        {"berth-run-1",
         "estimation",
         {"early", "late", "unfinished", "promises_kept", "promises_broken", "mean_overrun_slots",
          "worst_overrun_slots"}},
        {"berth-jobs-1", "prices", {"upper", "lower", "floor"}},
        {"berth-jobs-1", "job", {"worker", "ps", "gradient_mb", "workers_per_ps"}},
    };
    for (size_t k = 0; k < sizeof asked / sizeof asked[0]; k++) {
        json_t *schema = json_loads(berth_schema(asked[k].format), 0, NULL);
        json_t *object = json_object_get(json_object_get(schema, "$defs"), asked[k].object);
        for (size_t i = 0; asked[k].fields[i] != NULL; i++) {
            json_t *field = json_object_get(json_object_get(object, "properties"), asked[k].fields[i]);
            if (json_string_length(json_object_get(field, "description")) < 10) {
                fail_msg("%s: %s/%s has no description", asked[k].format, asked[k].object, asked[k].fields[i]);
            }
        }
        json_decref(schema);
    }
    assert_non_null(strstr(berth_schema("berth-jobs-1"), "theta[0] / (1 + exp(theta[1] (d - theta[2])))"));
    assert_non_null(strstr(berth_schema("berth-jobs-1"), "slot_seconds / (sample_seconds + "));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_shipped_instances_are_valid),
        cmocka_unit_test(test_malformed_instances_are_not),
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_descriptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
