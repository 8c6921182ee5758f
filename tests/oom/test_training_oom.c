/* Memory that runs out at any allocation while trainings are simulated, written, read, imported and checked: E_MEMORY,
 * nothing made, nothing leaked (under a sanitizer). Needs a library built with BERTH_TESTING_ALLOC. */
#define _POSIX_C_SOURCE 200809L
#include <berth_goodput.h>

#include "base/alloc.h"
#include "tests/support/check.h"
#include "tests/support/oom_sweep.h"
#include "tests/support/own_folder.h"
#include "tests/support/training_case.h"

#include <sys/stat.h>
#include <unistd.h>

#ifdef BERTH_TESTING_ALLOC

typedef struct attempt {
    const berth_goodput_workload *workload;
    const berth_goodput_run *run;
    berth_goodput_policy policy;
} attempt;

static berth_status simulate(void *user, berth_error *error) {
    const attempt *a = user;
    berth_goodput_run *run = NULL;
    berth_goodput_run_options options;
    berth_goodput_run_options_init(&options);
    options.policy = a->policy;
    options.demote_gpu_s = 300;
    const berth_status status = berth_goodput_simulate(a->workload, &options, &run, error);
    assert_true((run != NULL) == (status == BERTH_OK));
    berth_goodput_run_free(run);
    return status;
}

static berth_status check(void *user, berth_error *error) {
    const attempt *a = user;
    berth_report *report = NULL;
    const berth_status status = berth_check_goodput_run(a->workload, a->run, NULL, &report, error);
    assert_true((report != NULL) == (status == BERTH_OK));
    berth_report_free(report);
    return status;
}

static berth_status write_all(void *user, berth_error *error) {
    const attempt *a = user;
    const berth_status status = berth_goodput_workload_write(a->workload, path_of("w.json"), error);
    return status ? status : berth_goodput_run_write(a->run, a->workload, path_of("r.json"), error);
}

static berth_status read_all(void *user, berth_error *error) {
    (void)user;
    berth_goodput_workload *workload = NULL;
    berth_goodput_run *run = NULL;
    berth_status status = berth_goodput_workload_read(path_of("w.json"), &workload, error);
    assert_true((workload != NULL) == (status == BERTH_OK));
    status = status ? status : berth_goodput_run_read(path_of("r.json"), workload, &run, error);
    assert_true((run != NULL) == (status == BERTH_OK));
    berth_goodput_run_free(run);
    berth_goodput_workload_free(workload);
    return status;
}

static berth_status import(void *user, berth_error *error) {
    const char *const *paths = user;
    berth_goodput_workload *workload = NULL;
    const berth_status status = berth_goodput_import(paths[0], paths[1], 2, 2, &workload, error);
    assert_true((workload != NULL) == (status == BERTH_OK));
    berth_goodput_workload_free(workload);
    return status;
}

static const char *const files[][2] = {
    {"apps/x/placements.csv", "placement,local_bsz,step_time,sync_time\n1,4,2,0.5\n21,2,3,1\n"},
    {"apps/x/scalability.csv", "num_nodes,num_replicas,local_bsz,step_time,sync_time\n4,8,2,5,1\n"},
    {"apps/x/validation-4.csv", "progress,iteration,metric,grad_sqr,grad_var\n5,5,0,1,2\n"},
    {"trace.csv", "name,time,application,num_replicas,batch_size\np,7,x,1,4\nq,9,x,1,4\n"},
};
enum { N_FILES = sizeof files / sizeof *files };

static void memory_runs_out_anywhere(void **state) {
    (void)state;
    berth_error error;
    training_case c;
    berth_goodput_workload *read = NULL;
    training_case_plain(&c);
    training_case_add(&c, 0, 3, 4);
    training_case_add(&c, 70, 3, 4);
    assert_ok(berth_goodput_workload_write(&c.workload, path_of("w.json"), &error), error);
    assert_ok(berth_goodput_workload_read(path_of("w.json"), &read, &error), error);
    attempt a = {.workload = read, .policy = BERTH_GOODPUT_TIRESIAS};
    berth_goodput_run *run = training_case_run(read, BERTH_GOODPUT_TIRESIAS);
    a.run = run;
    oom_sweep("tiresias", simulate, &a, 0);
    a.policy = BERTH_GOODPUT_OPTIMUS;
    oom_sweep("optimus", simulate, &a, 0);
    a.policy = BERTH_GOODPUT_POLLUX;
    oom_sweep("pollux", simulate, &a, 0);
    a.policy = BERTH_GOODPUT_HESRPT;
    oom_sweep("hesrpt", simulate, &a, 0);
    oom_sweep("check", check, &a, 0);
    oom_sweep("write", write_all, &a, 2); /* each is complete though its folder could not be synced */
    oom_sweep("read", read_all, &a, 0);
    berth_goodput_run_free(run);
    berth_goodput_workload_free(read);
}

static void memory_runs_out_in_imports(void **state) {
    (void)state;
    char trace[400], folder[400], known[400];
    const char *paths[] = {trace, folder};
    mkdir(path_of("apps"), 0777);
    mkdir(path_of("apps/x"), 0777);
    for (size_t k = 0; k < N_FILES; k++)
        put_file(files[k][0], files[k][1]);
    snprintf(trace, sizeof trace, "%s", path_of("trace.csv"));
    snprintf(folder, sizeof folder, "%s", path_of("apps"));
    oom_sweep("import", import, paths, 0);
    training_case c;
    berth_error error;
    training_case_plain(&c);
    snprintf(known, sizeof known, "%s", path_of("known.json"));
    assert_ok(berth_goodput_workload_write(&c.workload, known, &error), error);
    paths[1] = known;
    oom_sweep("import with known applications", import, paths, 0);
    for (size_t k = 0; k < N_FILES; k++)
        unlink(path_of(files[k][0]));
    rmdir(path_of("apps/x"));
    rmdir(path_of("apps"));
}

#endif

int main(void) {
#ifdef BERTH_TESTING_ALLOC
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out_anywhere),
                                       cmocka_unit_test(memory_runs_out_in_imports)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
#else
    return 0;
#endif
}
