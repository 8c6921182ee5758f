/* Memory that runs out at any allocation of drawing, writing pages and reading comparisons: E_MEMORY, nothing left
 * behind. */
#include "tests/support/check.h"
#include "tests/support/oom_sweep.h"
#include "tests/support/own_folder.h"
#include "tests/support/plot_case.h"

#include <string.h>

typedef struct attempt {
    berth_instance *instance;
    berth_run *run;
    berth_comparison *comparison;
    berth_plot plot;
} attempt;

static berth_status try_plot(void *user, berth_error *error) {
    attempt *a = user;
    berth_plot_script *script = NULL;
    berth_status status = a->plot == BERTH_PLOT_POLICIES
                              ? berth_plot_comparison(a->comparison, NULL, &script, error)
                              : berth_plot_run(a->plot, a->instance, a->run, NULL, &script, error);
    assert_true((status == BERTH_OK) == (script != NULL));
    berth_plot_script_free(script);
    return status;
}

static berth_status try_run_page(void *user, berth_error *error) {
    attempt *a = user;
    const berth_run *runs[] = {a->run};
    fake_renderer fake = {.picture = "picture", .length = 7};
    const berth_renderer renderer = renderer_of(&fake);
    return berth_run_page_write(a->instance, 1, runs, &renderer, path_of("out"), error);
}

static berth_status try_comparison_page(void *user, berth_error *error) {
    attempt *a = user;
    fake_renderer fake = {.picture = "picture", .length = 7};
    const berth_renderer renderer = renderer_of(&fake);
    return berth_comparison_page_write(a->comparison, true, &renderer, path_of("out"), error);
}

static berth_status try_read(void *user, berth_error *error) {
    (void)user;
    berth_comparison *c = NULL;
    berth_status status = berth_comparison_read(path_of("comparison"), &c, error);
    assert_true((status == BERTH_OK) == (c != NULL));
    berth_comparison_free(c);
    return status;
}

static void test_plots(void **state) {
    (void)state;
    static const char *const policies[] = {"srtf", "fifo"};
    berth_error error = {0};
    attempt a = {.instance = hostile_instance()};
    a.run = run_of(a.instance, "pdors-ci", BERTH_BOUND_DUAL);
    berth_compare_options options;
    berth_compare_options_init(&options);
    options.policies = policies;
    options.n_policies = options.seeds = 2;
    options.jobs = 1;
    options.run.bound = BERTH_BOUND_DUAL;
    const berth_instance *instances[] = {a.instance};
    assert_ok(berth_compare(1, instances, &options, &a.comparison, &error), error);
    for (int plot = 0; plot < BERTH_N_PLOTS; plot++) {
        a.plot = (berth_plot)plot;
        assert_true(oom_sweep(berth_plot_names()[plot], try_plot, &a, 0) > 5);
    }
    assert_true(oom_sweep("page of a run", try_run_page, &a, 1) >
                100); /* the folder is synchronised if memory allows */
    assert_true(oom_sweep("page of a comparison", try_comparison_page, &a, 1) > 100);
    assert_ok(berth_comparison_write(a.comparison, BERTH_COMPARISON_JSON, true, path_of("comparison"), &error), error);
    assert_true(oom_sweep("read a comparison", try_read, &a, 0) > 3);
    berth_comparison_free(a.comparison);
    berth_run_free(a.run);
    berth_instance_free(a.instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plots)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
