/* Memory that runs out at any allocation while a cohort is picked, written, read and checked: E_MEMORY, nothing made,
 * nothing leaked (under a sanitizer). Needs a library built with BERTH_TESTING_ALLOC. */
#include <berth_cohort.h>

#include "base/alloc.h"
#include "tests/support/check.h"
#include "tests/support/oom_sweep.h"
#include "tests/support/own_folder.h"

#ifdef BERTH_TESTING_ALLOC

enum { FILES = 4 }; /* each is complete though its folder could not be synced */

typedef struct attempt {
    berth_cohort_data *data;
    berth_cohort_request *request;
    berth_cohort *cohort;
    berth_cohort_options options;
} attempt;

static void free_attempt(attempt *a) {
    berth_cohort_free(a->cohort);
    berth_cohort_request_free(a->request);
    berth_cohort_data_free(a->data);
}

static berth_status pick(void *user, berth_error *error) {
    attempt *a = user;
    berth_cohort *cohort = NULL;
    berth_status status = berth_cohort_pick(a->data, a->request, &a->options, &cohort, error);
    assert_true((cohort != NULL) == (status == BERTH_OK));
    berth_cohort_free(cohort);
    return status;
}

static berth_status generate(void *user, berth_error *error) {
    (void)user;
    berth_generate_cohort_options options;
    berth_cohort_data *data = NULL;
    berth_cohort_request *request = NULL;
    berth_generate_cohort_options_init(&options);
    options.clients = 5;
    options.categories = 2;
    berth_status status = berth_generate_cohort(&options, &data, &request, error);
    assert_true((data != NULL) == (status == BERTH_OK) && (request != NULL) == (status == BERTH_OK));
    berth_cohort_data_free(data);
    berth_cohort_request_free(request);
    return status;
}

static berth_status check(void *user, berth_error *error) {
    attempt *a = user;
    berth_report *report = NULL;
    berth_status status = berth_check_cohort(a->data, a->request, a->cohort, NULL, &report, error);
    berth_report_free(report);
    return status;
}

static berth_status write_all(void *user, berth_error *error) {
    attempt *a = user;
    berth_status status = berth_cohort_data_write(a->data, path_of("d.csv"), path_of("p.csv"), error);
    status = status == BERTH_OK ? berth_cohort_request_write(a->request, a->data, path_of("r.json"), error) : status;
    return status == BERTH_OK ? berth_cohort_write(a->cohort, a->data, path_of("c.json"), error) : status;
}

static berth_status read_all(void *user, berth_error *error) {
    (void)user;
    berth_cohort_data *data = NULL;
    berth_cohort_request *request = NULL;
    berth_cohort *cohort = NULL;
    berth_cohort_read_options options;
    berth_cohort_read_options_init(&options);
    options.profiles = path_of("p.csv");
    berth_status status = berth_cohort_data_read(path_of("d.csv"), &options, &data, error);
    status = status == BERTH_OK ? berth_cohort_request_read(path_of("r.json"), data, &request, error) : status;
    status = status == BERTH_OK ? berth_cohort_read(path_of("c.json"), data, &cohort, error) : status;
    berth_cohort_free(cohort);
    berth_cohort_request_free(request);
    berth_cohort_data_free(data);
    return status;
}

/* A selector's whole life: events, a snapshot, a log. */
static berth_status train(void *user, berth_error *error) {
    berth_selector *selector = NULL, *restored = NULL;
    berth_selection *selection = NULL;
    berth_selector_result result = {3, 2, 1};
    (void)user;
    berth_status status = berth_selector_new(NULL, &selector, error);
    status = status == BERTH_OK ? berth_selector_register(selector, "a", 1, NULL, error) : status;
    status = status == BERTH_OK ? berth_selector_register(selector, NULL, 2, NULL, error) : status;
    status = status == BERTH_OK ? berth_selector_report(selector, 0, &result, error) : status;
    status = status == BERTH_OK ? berth_selector_select(selector, 2, NULL, 0, &selection, error) : status;
    assert_true((selection != NULL) == (status == BERTH_OK));
    status = status == BERTH_OK ? berth_selector_write(selector, path_of("s.bin"), error) : status;
    status = status == BERTH_OK ? berth_selector_read(path_of("s.bin"), &restored, error) : status;
    status =
        status == BERTH_OK ? berth_selector_replay(restored, path_of("log.jsonl"), NULL, NULL, NULL, error) : status;
    berth_selection_free(selection);
    berth_selector_free(selector);
    berth_selector_free(restored);
    return status;
}

static void write_log(void) {
    FILE *file = fopen(path_of("log.jsonl"), "w");
    assert_non_null(file);
    fputs("{\"format\": \"berth-selector-log-1\"}\n{\"event\": \"register\", \"client\": \"b\"}\n"
          "{\"event\": \"result\", \"client\": \"b\", \"samples\": 1, \"mean_squared_loss\": 1, \"duration_s\": 1}\n"
          "{\"event\": \"select\", \"participants\": 2, \"available\": [\"a\", \"b\"]}\n",
          file);
    assert_int_equal(fclose(file), 0);
}

static void memory_runs_out_anywhere(void **state) {
    (void)state;
    berth_error error;
    berth_generate_cohort_options options;
    attempt a = {0};
    berth_generate_cohort_options_init(&options);
    options.clients = 12;
    options.categories = 3;
    assert_ok(berth_generate_cohort(&options, &a.data, &a.request, &error), error);
    a.request->budget = 4;
    berth_cohort_options_init(&a.options);
    a.options.effort = 0.02;
    assert_ok(berth_cohort_pick(a.data, a.request, &a.options, &a.cohort, &error), error);
    write_log();
    oom_sweep("train", train, NULL, 1);
    oom_sweep("generate", generate, NULL, 0);
    oom_sweep("pick", pick, &a, 0);
    oom_sweep("check", check, &a, 0);
    oom_sweep("write", write_all, &a, FILES);
    oom_sweep("read", read_all, &a, 0);
    a.request->objective = BERTH_COHORT_PARTICIPANTS;
    oom_sweep("fewest", pick, &a, 0);
    a.request->objective = BERTH_COHORT_DURATION;
    a.request->deadline_s = 5;
    a.request->budget = 1;
    oom_sweep("why not", pick, &a, 0);
    free_attempt(&a);
}

/* Enough clients for the relaxation by columns to be solved and rounded up, twice: for the fastest, and for fewer of
 * them. */
static void memory_runs_out_while_columns_are_made(void **state) {
    (void)state;
    berth_error error;
    berth_generate_cohort_options options;
    attempt a = {0};
    berth_generate_cohort_options_init(&options);
    options.clients = 80; /* 64 or fewer are searched instead */
    options.categories = 3;
    options.request_share = 0.1;
    assert_ok(berth_generate_cohort(&options, &a.data, &a.request, &error), error);
    a.request->budget = 12;
    a.request->slack = 0.1;
    berth_cohort_options_init(&a.options);
    a.options.effort = 0.001;
    oom_sweep("columns", pick, &a, 0);
    a.request->objective = BERTH_COHORT_PARTICIPANTS;
    a.request->deadline_s = 12;
    oom_sweep("columns for fewest", pick, &a, 0);
    free_attempt(&a);
}

#endif

int main(void) {
#ifdef BERTH_TESTING_ALLOC
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out_anywhere),
                                       cmocka_unit_test(memory_runs_out_while_columns_are_made)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
#else
    return 0;
#endif
}
