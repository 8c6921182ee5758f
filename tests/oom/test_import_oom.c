/* Memory that runs out at any allocation of importing a trace of any kind: E_MEMORY, nothing left behind. */
#include "tests/support/check.h"
#include "tests/support/oom_sweep.h"
#include "tests/support/own_folder.h"
#include "tests/support/trace_samples.h"

#include <string.h>

#include <berth_io.h>

typedef struct attempt {
    const trace_sample *sample;
    const char *paths[3];
    size_t n_paths;
} attempt;

static berth_status try_import(void *user, berth_error *error) {
    const attempt *a = user;
    berth_import_options options;
    berth_import_report report;
    berth_instance *instance = NULL;
    berth_import_options_init(&options);
    options.slots = 100;
    options.skip_bad = true;
    berth_status status = berth_import(a->sample->kind, a->paths, a->n_paths, &options, &instance, &report, error);
    assert_true((status == BERTH_OK) == (instance != NULL));
    berth_instance_free(instance);
    return status;
}

static void test_importing(void **state) {
    (void)state;
    for (size_t k = 0; k < N_TRACE_SAMPLES; k++) {
        const trace_sample *sample = &trace_samples[k];
        attempt a = {.sample = sample};
        const bool has_third = strcmp(sample->kind, "pai") == 0;
        put_file("trace", sample->trace);
        put_file("second", sample->second == NULL ? "" : sample->second);
        put_file("third", "m1,T4,96,512,2\nm2,P100,64,512,8\n");
        a.paths[0] = path_of("trace");
        a.paths[1] = path_of("second");
        a.paths[2] = path_of("third");
        a.n_paths = has_third ? 3 : sample->second != NULL ? 2 : 1;
        assert_true(oom_sweep(sample->kind, try_import, &a, 0) > 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_importing)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
