/* Every file of instances/bad is refused with the status, the place and the message that its expected.tsv names.
 * Runs from the top folder. */
#include "tests/support/check.h"

#include <berth_io.h>

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "instances/bad/"

typedef struct expectation {
    char *file, *exit_status, *status, *place, *message;
} expectation;

/* Cuts a line into its five columns. */
static void split(char *line, expectation *out) {
    char **columns[] = {&out->file, &out->exit_status, &out->status, &out->place, &out->message};
    line[strcspn(line, "\n")] = '\0';
    for (size_t k = 0; k < 5; k++) {
        assert_non_null(line);
        *columns[k] = line;
        line = strchr(line, '\t');
        if (line != NULL) {
            *line++ = '\0';
        }
    }
    assert_null(line);
}

/* True if the error is at the place, a JSON pointer, LINE, LINE:COLUMN or FILE. */
static bool is_at(const berth_error *error, const char *place, const char *path) {
    char line[32], both[64];
    if (place[0] == '/') {
        return error->line == 0 && strcmp(error->where, place) == 0;
    }
    if (strcmp(place, "FILE") == 0) {
        return error->line == 0 && strcmp(error->where, path) == 0;
    }
    snprintf(line, sizeof line, "%ld", error->line);
    snprintf(both, sizeof both, "%ld:%ld", error->line, error->column);
    return strcmp(error->where, path) == 0 && (strcmp(place, line) == 0 || strcmp(place, both) == 0);
}

static int n_wrong;

static void check_one(const expectation *expected) {
    char path[256];
    snprintf(path, sizeof path, FOLDER "%s", expected->file);
    berth_error error = {0};
    berth_instance *instance = NULL;
    berth_status status = berth_instance_read(path, &instance, &error);
    bool good = status != BERTH_OK && instance == NULL && error.status == status &&
                strcmp(berth_status_name(status), expected->status) == 0 && strcmp(expected->exit_status, "3") == 0 &&
                is_at(&error, expected->place, path) && strstr(error.message, expected->message) != NULL;
    if (!good) {
        n_wrong++;
        print_error("%s: expected %s at %s with \"%s\"; got %s at %s, %ld:%ld: %s\n", path, expected->status,
                    expected->place, expected->message, berth_status_name(status), error.where, error.line,
                    error.column, error.message);
    }
    berth_instance_free(instance);
}

static void test_bad_instances(void **state) {
    (void)state;
    FILE *file = fopen(FOLDER "expected.tsv", "r");
    assert_non_null(file);
    char line[1024];
    size_t n = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] != '#') {
            expectation expected;
            split(line, &expected);
            check_one(&expected);
            n++;
        }
    }
    fclose(file);
    assert_int_equal(n_wrong, 0);
    /* Each file has its line. */
    glob_t files = {0};
    assert_int_equal(glob(FOLDER "*.json*", 0, NULL, &files), 0);
    assert_int_equal(files.gl_pathc, n);
    assert_true(n >= 40);
    globfree(&files);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bad_instances)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
