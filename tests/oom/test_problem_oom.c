/* Memory that runs out at any allocation while a general problem is read or written. GLPK's, jansson's and zlib's own
 * allocations are not part of it. Runs from the top folder. */
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/oom_sweep.h"

#include <berth_io.h>

#include <string.h>

#define FOLDER "instances/problems/"

static berth_backends *backends;

static berth_status try_read(void *user, berth_error *error) {
    berth_problem_read_options options;
    berth_problem *problem = NULL;
    berth_problem_read_options_init(&options);
    options.backends = backends;
    if (strstr(user, "shop.mod") != NULL) {
        options.data = FOLDER "shop.dat";
    }
    berth_status status = berth_problem_read(user, &options, &problem, error);
    assert_true((problem != NULL) == (status == BERTH_OK));
    berth_problem_free(problem);
    return status;
}

static void test_reading(void **state) {
    (void)state;
    static char files[][64] = {FOLDER "placement.json",   FOLDER "cover.txt",   FOLDER "knapsacks.txt",
#ifdef BERTH_WITH_GLPK
                               FOLDER "odd-sections.mps", FOLDER "sections.lp", FOLDER "diet.mod",
                               FOLDER "shop.mod"
#endif
    };
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        assert_true(oom_sweep(files[k], try_read, files[k], 0) > 10);
    }
}

typedef struct writing {
    const berth_problem *problem;
    berth_problem_format format;
} writing;

static berth_status try_write(void *user, berth_error *error) {
    const writing *w = user;
    return berth_problem_write(w->problem, w->format, "/dev/null", error);
}

static void test_writing(void **state) {
    (void)state;
    static const double cost[] = {1, 2}, row_lower[] = {1, 2}, row_upper[] = {3, 2.25}, value[] = {1, 1, 0.1};
    static const size_t row_start[] = {0, 2, 3};
    static const int var_of[] = {0, 1, 1};
    static const berth_problem_format formats[] = {BERTH_PROBLEM_JSON, BERTH_PROBLEM_MPS, BERTH_PROBLEM_MPS_FREE,
                                                   BERTH_PROBLEM_LP};
    berth_problem problem;
    berth_problem_init(&problem);
    problem.n_vars = problem.n_rows = 2;
    problem.cost = cost;
    problem.row_lower = row_lower;
    problem.row_upper = row_upper;
    problem.row_start = row_start;
    problem.var_of = var_of;
    problem.value = value;
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
        writing w = {.problem = &problem, .format = formats[k]};
        assert_true(oom_sweep(berth_problem_format_names()[formats[k]], try_write, &w, 0) > 10);
    }
}

static int set_up(void **state) {
    (void)state;
    backends = all_backends();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    berth_backends_free(backends);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reading), cmocka_unit_test(test_writing)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
