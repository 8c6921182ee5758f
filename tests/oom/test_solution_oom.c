/* Memory that runs out at any allocation of checking, reading and writing solutions of general problems: E_MEMORY,
 * nothing leaked (under a sanitizer), nothing half made. In a library built with BERTH_TESTING_ALLOC. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"
#include "tests/support/oom_sweep.h"
#include "tests/support/small_solutions.h"

#include <berth_io.h>

#include <stdlib.h>
#include <unistd.h>

static berth_status try_check(void *user, berth_error *error) {
    const small_solution *w = user;
    berth_report *report = NULL;
    berth_status status = berth_check_solution(&w->problem, &w->solution, NULL, &report, error);
    assert_true((report != NULL) == (status == BERTH_OK));
    berth_report_free(report);
    return status;
}

/* Solutions that need every step: tightening, a second attempt within tolerance, a ray, a draw. */
static void test_checking(void **state) {
    (void)state;
    small_solution w;
    solution_of_covering(&w);
    assert_true(oom_sweep("a proved optimum", try_check, &w, 0) > 5);
    w.multipliers[0] = nextafter(1.5, 2);
    w.solution.proof = BERTH_PROOF_TOLERANCE;
    assert_true(oom_sweep("one within tolerance", try_check, &w, 0) > 5);
    w.solution.bound = 13;
    assert_true(oom_sweep("a refused bound", try_check, &w, 0) > 5);
    solution_of_infeasible(&w);
    assert_true(oom_sweep("a ray", try_check, &w, 0) > 5);
    w.ray[0] = 0;
    assert_true(oom_sweep("a refused ray", try_check, &w, 0) > 5);
    solution_of_covering(&w);
    w.solution.method = "randomized-exact";
    w.solution.promise = (berth_promise){true, 1.5, 3, 0.5, 4, 0.5, NULL};
    assert_true(oom_sweep("a draw", try_check, &w, 0) > 5);
}

typedef struct file {
    small_solution *of;
    const char *path;
} file;

static berth_status try_write(void *user, berth_error *error) {
    const file *f = user;
    return berth_solution_write(&f->of->solution, &f->of->problem, f->path, error);
}

static berth_status try_read(void *user, berth_error *error) {
    const file *f = user;
    berth_solution *s = NULL;
    berth_status status = berth_solution_read(f->path, &f->of->problem, &s, error);
    assert_true((s != NULL) == (status == BERTH_OK));
    berth_solution_free(s);
    return status;
}

static void test_files(void **state) {
    (void)state;
    small_solution w;
    char path[] = "/tmp/berth-oom-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    solution_of_covering(&w);
    w.problem.var_names = NULL;
    file f = {&w, path};
    /* Syncing the folder is best effort. */
    assert_true(oom_sweep("writing", try_write, &f, 1) > 5);
    assert_true(oom_sweep("reading", try_read, &f, 0) > 5);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_checking), cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
