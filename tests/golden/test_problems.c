/* The shipped problems: each is read as what instances/problems/known.tsv says, with the optimum that it says, and each
 * of instances/problems/bad is refused with the status, the place and the message that its expected.tsv names. Runs
 * from the top folder. */
#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <berth_io.h>

#include "solver/solve.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "instances/problems/"

static berth_backends *backends;
static int n_wrong;

/* Cuts a line at its tabs into n columns. */
static void split(char *line, size_t n, const char **columns) {
    line[strcspn(line, "\n")] = '\0';
    for (size_t k = 0; k < n; k++) {
        assert_non_null(line);
        columns[k] = line;
        line = strchr(line, '\t');
        if (line != NULL) {
            *line++ = '\0';
        }
    }
    assert_null(line);
}

/* Calls `check` with the columns of each line of a table; returns how many there are. */
static size_t for_each_line(const char *path, size_t n_columns, void (*check)(const char **columns)) {
    FILE *file = fopen(path, "r");
    const char *columns[16];
    char line[1024];
    size_t n = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] != '#') {
            split(line, n_columns, columns);
            check(columns);
            n++;
        }
    }
    fclose(file);
    return n;
}

/* Without GLPK there is nothing to read these. */
static bool is_readable(const char *file) {
#ifdef BERTH_WITH_GLPK
    (void)file;
    return true;
#else
    return strstr(file, ".json") != NULL || strstr(file, ".txt") != NULL || strstr(file, ".opb") != NULL;
#endif
}

static berth_status read_file(const char *path, int number, const char *data, berth_problem **problem,
                              berth_error *error) {
    berth_problem_read_options options;
    berth_problem_read_options_init(&options);
    options.backends = backends;
    options.number = number;
    options.data = data;
    return berth_problem_read(path, &options, problem, error);
}

/* ---- malformed files ---- */

/* A JSON pointer or a name ("=NAME") without line, a line of the file with or without column, FILE: the file as a
 * whole, -: nowhere. */
static bool is_at(const berth_error *error, const char *place, const char *path) {
    char line[32], both[64];
    if (place[0] == '/' || place[0] == '=' || place[0] == '-') {
        return error->line == 0 && strcmp(error->where, place + (place[0] == '/' ? 0 : 1)) == 0;
    }
    if (strcmp(place, "FILE") == 0) {
        return error->line == 0 && strcmp(error->where, path) == 0;
    }
    snprintf(line, sizeof line, "%ld", error->line);
    snprintf(both, sizeof both, "%ld:%ld", error->line, error->column);
    return strcmp(error->where, path) == 0 &&
           (strcmp(place, both) == 0 || (error->column == 0 && strcmp(place, line) == 0));
}

static void check_bad(const char **columns) {
    const char *file = columns[0], *expected = columns[1], *place = columns[2], *message = columns[3];
    char path[256];
    berth_error error = {0};
    berth_problem *problem = NULL;
    if (!is_readable(file)) {
        return;
    }
    snprintf(path, sizeof path, FOLDER "bad/%s", file);
    berth_status status = read_file(path, 1, NULL, &problem, &error);
    if (status == BERTH_OK || problem != NULL || error.status != status ||
        strcmp(berth_status_name(status), expected) != 0 || !is_at(&error, place, path) ||
        strstr(error.message, message) == NULL) {
        n_wrong++;
        print_error("%s\texpected %s at %s with \"%s\"; got %s at %s, %ld:%ld: %s\n", path, expected, place, message,
                    berth_status_name(status), error.where, error.line, error.column, error.message);
    }
    berth_problem_free(problem);
}

static void test_bad_problems(void **state) {
    (void)state;
    size_t n = for_each_line(FOLDER "bad/expected.tsv", 4, check_bad);
    assert_int_equal(n_wrong, 0);
    /* Each file has its line. */
    glob_t files = {0};
    assert_int_equal(glob(FOLDER "bad/*", 0, NULL, &files), 0);
    assert_int_equal(files.gl_pathc, n + 1);
    assert_true(n >= 80);
    globfree(&files);
}

/* ---- good files ---- */

#ifdef BERTH_WITH_GLPK /* solves integers */
static berth__model *as_model(const berth_problem *problem) {
    berth_error error = {0};
    berth__model *model = NULL;
    assert_ok(berth__model_new(&model, &error), error);
    model->maximize = problem->maximize;
    model->offset = problem->offset;
    for (size_t j = 0; j < problem->n_vars; j++) {
        assert_ok(berth__model_add_col(model, problem->var_names[j], problem->cost[j], problem->lower[j],
                                       problem->upper[j], problem->is_integer[j], NULL, &error),
                  error);
    }
    for (size_t i = 0; i < problem->n_rows; i++) {
        assert_ok(berth__model_add_row(model, problem->row_names[i], problem->row_lower[i], problem->row_upper[i], NULL,
                                       &error),
                  error);
        for (size_t e = problem->row_start[i]; e < problem->row_start[i + 1]; e++) {
            assert_ok(berth__model_add_entry(model, (int)i, problem->var_of[e], problem->value[e], &error), error);
        }
    }
    assert_ok(berth__model_finish(model, &error), error);
    return model;
}

/* The optimum as text. */
static void solve(const berth_problem *problem, bool integers, char out[64]) {
    berth_error error = {0};
    berth__lp *lp = NULL;
    berth__lp_options options;
    const berth__lp_result *result = NULL;
    berth__model *model = as_model(problem);
    berth__lp_options_init(&options);
    options.integers = integers;
    assert_ok(berth__lp_open(model, backends, NULL, &lp, &error), error);
    assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
    if (result->outcome == BERTH_OPTIMAL) {
        snprintf(out, 64, "%.9g", result->objective + 0.0);
    } else {
        snprintf(out, 64, "%s", berth_outcome_name(result->outcome));
    }
    berth__lp_close(lp);
    berth__model_free(model);
}

#endif

static void describe(const berth_problem *problem, char out[160]) {
    size_t n_integer = 0;
    for (size_t j = 0; j < problem->n_vars; j++) {
        n_integer += problem->is_integer[j];
    }
    snprintf(out, 160, "%s %zu %zu %zu %zu %08x", problem->maximize ? "max" : "min", problem->n_vars, n_integer,
             problem->n_rows, problem->row_start[problem->n_rows], (unsigned)problem->crc32);
}

/* Columns: file, number, data, what describe says, optimum. */
static void check_known(const char **columns) {
    const char *file = columns[0], *data = strcmp(columns[2], "-") == 0 ? NULL : columns[2];
    char path[256], data_path[256], found[160], optimum[64] = "-";
    berth_error error = {0};
    berth_problem *problem = NULL;
    if (!is_readable(file)) {
        return;
    }
    snprintf(path, sizeof path, FOLDER "%s", file);
    snprintf(data_path, sizeof data_path, FOLDER "%s", data != NULL ? data : "");
    assert_ok(read_file(path, atoi(columns[1]), data != NULL ? data_path : NULL, &problem, &error), error);
    describe(problem, found);
#ifdef BERTH_WITH_GLPK
    solve(problem, true, optimum);
    bool right = strcmp(optimum, columns[4]) == 0;
#else
    bool right = true;
#endif
    if (strcmp(found, columns[3]) != 0 || !right) {
        n_wrong++;
        print_error("%s\t%s\t%s\t%s\t%s\n", file, columns[1], columns[2], found, optimum);
    }
    berth_problem_free(problem);
}

static void test_known_problems(void **state) {
    (void)state;
    n_wrong = 0;
    size_t n = for_each_line(FOLDER "known.tsv", 5, check_known);
    assert_int_equal(n_wrong, 0);
    assert_true(n >= 15);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_problems),
        cmocka_unit_test(test_known_problems),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
