/* Memory that runs out at any allocation while profiles and measurements are read and written and parameters are
 * fitted: E_MEMORY, nothing made, nothing leaked (under a sanitizer). Needs a library built with
 * BERTH_TESTING_ALLOC. */
#include <berth_goodput.h>

#include "base/alloc.h"
#include "tests/support/check.h"
#include "tests/support/oom_sweep.h"
#include "tests/support/own_folder.h"

#ifdef BERTH_TESTING_ALLOC

static berth_status read_profile(void *user, berth_error *error) {
    berth_goodput_profile profile;
    return berth_goodput_profile_read(user, &profile, error);
}

static berth_status write_profile(void *user, berth_error *error) {
    return berth_goodput_profile_write(user, path_of("p.json"), error);
}

static berth_status read_steps(void *user, berth_error *error) {
    berth_measurement *all;
    size_t n;
    const berth_status status = berth_measurements_read(user, &all, &n, error);
    assert_true((all != NULL) == (status == BERTH_OK) && (n > 0) == (status == BERTH_OK));
    berth_measurements_free(all);
    return status;
}

static berth_status fit(void *user, berth_error *error) {
    berth_goodput_fit *result;
    const berth_status status = berth_goodput_fit_new(user, 2, NULL, &result, error);
    assert_true((result != NULL) == (status == BERTH_OK));
    berth_goodput_fit_free(result);
    return status;
}

static void memory_runs_out_anywhere(void **state) {
    (void)state;
    static char profile[] = "instances/pollux/profiles/bert.json",
                steps[] = "instances/pollux/measurements/bert.csv.gz";
    berth_measurement all[] = {{1, 1, 10, 1, 0}, {2, 3, 20, 3, 1}};
    berth_goodput_profile p;
    berth_goodput_profile_init(&p);
    p.alpha_c = 1;
    oom_sweep("read a profile", read_profile, profile, 0);
    oom_sweep("write a profile", write_profile, &p, 1);
    oom_sweep("read measurements", read_steps, steps, 0);
    oom_sweep("fit", fit, all, 0);
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
