/* Any bytes as a solution file of a fixed small problem: read or refused; what is read is checked, and written so that
 * it reads back. */

#include <berth_io.h>

#include <math.h>
#include <stdlib.h>

#include "tests/fuzz/as_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* The inputs in corpus/fuzz_solution are solutions of this problem, whole and broken:
 * min 3x + 2y + 1.5z + 1;  2x + y + z >= 7,  x + 2y <= 9,  -x - z <= -1,  1 <= y + z <= 8;  x <= 4, 1 <= y <= 6. */
static const double cost[] = {3, 2, 1.5}, lower[] = {0, 1, 0}, upper[] = {4, 6, (double)INFINITY};
static const bool is_integer[] = {true, true, false};
static const double row_lower[] = {7, -(double)INFINITY, -(double)INFINITY, 1};
static const double row_upper[] = {(double)INFINITY, 9, -1, 8}, value[] = {2, 1, 1, 1, 2, -1, -1, 1, 1};
static const size_t row_start[] = {0, 3, 5, 7, 9};
static const int var_of[] = {0, 1, 2, 0, 1, 0, 2, 1, 2};
static const char *const var_names[] = {"x", "y", "z"}, *const row_names[] = {"need", "room", "floor", "range"};
static const berth_problem problem = {.struct_size = sizeof problem,
                                      .name = "fuzz",
                                      .offset = 1,
                                      .n_vars = 3,
                                      .n_rows = 4,
                                      .var_names = var_names,
                                      .cost = cost,
                                      .lower = lower,
                                      .upper = upper,
                                      .is_integer = is_integer,
                                      .row_names = row_names,
                                      .row_lower = row_lower,
                                      .row_upper = row_upper,
                                      .row_start = row_start,
                                      .var_of = var_of,
                                      .value = value,
                                      .crc32 = 0x12345678};

static void rewrite(const berth_solution *solution, const char *path) {
    berth_solution *back = NULL;
    if (berth_solution_write(solution, &problem, path, NULL) == BERTH_OK &&
        berth_solution_read(path, &problem, &back, NULL) != BERTH_OK) {
        abort();
    }
    berth_solution_free(back);
}

static void read_and_check(const char *path) {
    berth_solution *solution = NULL;
    berth_report *report = NULL;
    berth_error error = {0};
    berth_status status = berth_solution_read(path, &problem, &solution, &error);
    if ((status == BERTH_OK) != (solution != NULL) || status == BERTH_E_INTERNAL) {
        abort();
    }
    if (status == BERTH_OK) {
        if (berth_check_solution(&problem, solution, NULL, &report, &error) == BERTH_OK) {
            berth_report_free(report);
        }
        rewrite(solution, path);
    } else if (error.message[0] == '\0') {
        abort();
    }
    berth_solution_free(solution);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    as_file(bytes, length, read_and_check);
    return 0;
}
