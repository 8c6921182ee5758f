/* Small general problems with their solutions, worked out by hand. */
#ifndef BERTH_TESTS_SMALL_SOLUTIONS_H
#define BERTH_TESTS_SMALL_SOLUTIONS_H

#include <berth.h>

enum { SMALL_VARS = 3, SMALL_ROWS = 4, SMALL_ENTRIES = 10 };

/* Everything that a problem of three variables and at most four rows and its solution point to, so that a test may
 * change any of it. Not to be copied. */
typedef struct small_solution {
    double cost[SMALL_VARS], lower[SMALL_VARS], upper[SMALL_VARS], row_lower[SMALL_ROWS], row_upper[SMALL_ROWS],
        value[SMALL_ENTRIES];
    bool is_integer[SMALL_VARS];
    size_t row_start[SMALL_ROWS + 1];
    int var_of[SMALL_ENTRIES];
    double x[SMALL_VARS], relaxation[SMALL_VARS], multipliers[SMALL_ROWS], ray[SMALL_ROWS];
    berth_problem problem;
    berth_solution solution;
} small_solution;

/* Variables x, y, z: integers >= 0 without cost; a solution that claims nothing of the point 0, found by "greedy". Rows
 * are to be set in order: lower <= a . (x, y, z) <= upper. */
void small_solution_begin(small_solution *w, size_t n_rows);
void small_solution_row(small_solution *w, size_t row, double lower, const double a[SMALL_VARS], double upper);

/* min 3x + 2y + 1.5z + 1;  need: 2x + y + z >= 7,  room: x + 2y <= 9,  floor: -x - z <= -1,  range: 1 <= y + z <= 8;
 * x <= 4, 1 <= y <= 6; z continuous. Optimum 12 at (3, 1, 0); the multiplier 1.5 of the first row proves it. */
void solution_of_covering(small_solution *w);
/* max 5x + 4y + 3z;  2x + 3y + z <= 5,  4x + y + 2z <= 11,  3x + 4y + 2z <= 8. Optimum 13 at (2, 0, 1), proved. */
void solution_of_packing(small_solution *w);
/* 2x + y + z >= 7 and 3 <= 3x + 3y + z for x <= 1, y <= 2, z <= 2: at most 6 < 7, by a ray. */
void solution_of_infeasible(small_solution *w);

#endif
