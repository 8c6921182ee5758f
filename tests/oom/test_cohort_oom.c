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
    berth_cohort_free(a.cohort);
    berth_cohort_request_free(a.request);
    berth_cohort_data_free(a.data);
}

#endif

int main(void) {
#ifdef BERTH_TESTING_ALLOC
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out_anywhere)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
#else
    return 0;
#endif
}
