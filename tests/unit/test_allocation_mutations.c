/* A real allocation with one number or flag changed at a time: each change is found, or its field is on the list of
 * what is not judged. */
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/mutations.h"
#include "tests/support/own_folder.h"

#include <berth_goodput.h>

#include <string.h>

/* Fields that may change unnoticed, with why. */
static const struct {
    const char *field, *why;
} free_fields[] = {
    {"/seed", "an input"},
    {"/node_level", "how it was found; a search bound needs it"},
    {"/starve_last", "an input; a price of starvation and the outcome need it"},
    {"/search_bound", "a solver's word, not below F, where there was a search"},
    {"/prices/*", "any prices prove something: noticed by the bound, unless it is the same"},
    {"/serve_prices/*", "any prices prove something"},
    {"/piece_prices/*", "any prices prove something: noticed by the bound, unless it is the same"},
    {"/starve_price", "any price proves something"},
    {"/versions/*", "who made it"},
};

static bool is_free(void *user, const char *field, bool was_null, double to) {
    const berth_goodput_instance *instance = user;
    (void)was_null;
    (void)to;
    if (instance->name == NULL && strcmp(field, "/p") == 0) { /* of the infeasible one: an input */
        return true;
    }
    for (size_t i = 0; i < sizeof free_fields / sizeof *free_fields; i++) {
        const size_t n = strlen(free_fields[i].field);
        const bool prefix = free_fields[i].field[n - 1] == '*';
        if (prefix ? strncmp(field, free_fields[i].field, n - 1) == 0 : strcmp(field, free_fields[i].field) == 0) {
            return true;
        }
    }
    return false;
}

/* A refusal to read it is as good as a violation. */
static bool is_noticed(void *user, json_t *result) {
    const berth_goodput_instance *instance = user;
    berth_allocation *allocation = NULL;
    berth_report *report = NULL;
    berth_error error;
    assert_int_equal(json_dump_file(result, path_of("m.json"), JSON_COMPACT), 0);
    if (berth_allocation_read(path_of("m.json"), instance, &allocation, NULL) != BERTH_OK) {
        return true;
    }
    assert_ok(berth_check_allocation(instance, allocation, NULL, &report, &error), error);
    const bool noticed = report->n_violations > 0;
    berth_report_free(report);
    berth_allocation_free(allocation);
    return noticed;
}

static void survey(berth_goodput_instance *instance, const berth_allocate_options *options) {
    berth_error error = {0};
    berth_allocation *allocation = NULL;
    char what[100];
    assert_ok(berth_allocate(instance, options, &allocation, &error), error);
    assert_ok(berth_allocation_write(allocation, instance, path_of("a.json"), &error), error);
    berth_allocation_free(allocation);
    const mutations m = {.result = json_load_file(path_of("a.json"), 0, NULL),
                         .is_noticed = is_noticed,
                         .is_free = is_free,
                         .user = instance};
    assert_non_null(m.result);
    snprintf(what, sizeof what, "%s, rules %d, p %g, mode %d", berth_allocator_name(options->allocator),
             instance->rules, instance->p, (int)options->mode);
    mutations_expect_noticed(&m, what, 60);
    json_decref(m.result);
}

static berth_goodput_instance *cluster(uint64_t seed, size_t types, double pinned) {
    berth_error error;
    berth_goodput_instance *instance = NULL;
    berth_generate_goodput_options options;
    berth_generate_goodput_options_init(&options);
    options.seed = seed;
    options.nodes = 4;
    options.jobs = 7;
    options.types = types;
    options.pinned = pinned;
    assert_ok(berth_generate_goodput(&options, &instance, &error), error);
    return instance;
}

static void every_change_is_noticed(void **state) {
    (void)state;
    static const double powers[] = {-1, 0};
    berth_allocate_options options;
    berth_backends *backends = all_backends();
    berth_allocate_options_init(&options);
    options.backends = backends;
    for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
        berth_goodput_instance *instance = cluster(k + 1, 1, 0.5);
        instance->p = powers[k];
        options.allocator = BERTH_ALLOCATOR_BERTH;
        survey(instance, &options);
        options.allocator = BERTH_ALLOCATOR_TIRESIAS;
        survey(instance, &options);
        berth_goodput_instance_free(instance);
    }
    berth_backends_free(backends);
}

static void with_types_and_rules_of_sia(void **state) {
    (void)state;
    berth_allocate_options options;
    berth_backends *backends = all_backends();
    berth_allocate_options_init(&options);
    options.backends = backends;
    berth_goodput_instance *instance = cluster(5, 2, 0.2);
    options.allocator = BERTH_ALLOCATOR_BERTH;
    survey(instance, &options);
    options.starve_last = false;
    instance->rules = BERTH_RULES_SIA;
    instance->p = -0.5;
    survey(instance, &options);
    berth_goodput_instance_free(instance);
    berth_backends_free(backends);
}

/* What pinned jobs have does not fit. */
static void with_none(void **state) {
    (void)state;
    static const char text[] =
        "{\"format\": \"berth-goodput-1\", \"nodes\": [{\"name\": \"a\", \"gpus\": 2}], \"jobs\": ["
        "{\"id\": \"x\", \"current\": {\"a\": 2}, \"pinned\": true, \"options\": [{\"nodes\": 1, \"gpus\": 2, "
        "\"value\": 1}]},"
        "{\"id\": \"y\", \"current\": {\"a\": 1}, \"pinned\": true, \"options\": [{\"nodes\": 1, \"gpus\": 1, "
        "\"value\": 1}]}]}";
    berth_error error;
    berth_goodput_instance *instance = NULL;
    berth_allocate_options options;
    berth_allocate_options_init(&options);
    assert_ok(berth_goodput_instance_parse(text, sizeof text - 1, &instance, &error), error);
    survey(instance, &options);
    berth_goodput_instance_free(instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_change_is_noticed),
                                       cmocka_unit_test(with_types_and_rules_of_sia), cmocka_unit_test(with_none)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
