#include "tests/support/small_solutions.h"

#include <math.h>
#include <string.h>

#define ABSENT  ((double)NAN)
#define ENDLESS ((double)INFINITY)

static const char *const var_names[SMALL_VARS] = {"x", "y", "z"};
static const char *const row_names[SMALL_ROWS] = {"need", "room", "floor", "range"};

void small_solution_begin(small_solution *w, size_t n_rows) {
    memset(w, 0, sizeof *w);
    w->problem = (berth_problem){.struct_size = sizeof w->problem,
                                 .name = "world",
                                 .n_vars = SMALL_VARS,
                                 .n_rows = n_rows,
                                 .var_names = var_names,
                                 .row_names = row_names,
                                 .cost = w->cost,
                                 .lower = w->lower,
                                 .upper = w->upper,
                                 .is_integer = w->is_integer,
                                 .row_lower = w->row_lower,
                                 .row_upper = w->row_upper,
                                 .row_start = w->row_start,
                                 .var_of = w->var_of,
                                 .value = w->value,
                                 .crc32 = 77};
    w->solution =
        (berth_solution){.problem = "world",
                         .problem_crc32 = 77,
                         .method = "greedy",
                         .found_by = "greedy",
                         .packing_covering = true,
                         .cost = ABSENT,
                         .bound = ABSENT,
                         .node_bound = ABSENT,
                         .ratio = ABSENT,
                         .cover_min = ABSENT,
                         .pack_max = ABSENT,
                         .promise = {false, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, "the method makes no promise"},
                         .delta = 0.1,
                         .favour = "cover",
                         .scale = "auto",
                         .gap = 0,
                         .lp_gap = 0,
                         .n_vars = SMALL_VARS,
                         .n_rows = n_rows,
                         .x = w->x};
    for (int j = 0; j < SMALL_VARS; j++) {
        w->is_integer[j] = true;
        w->upper[j] = ENDLESS;
    }
}

void small_solution_row(small_solution *w, size_t row, double lower, const double a[SMALL_VARS], double upper) {
    size_t at = w->row_start[row];
    w->row_lower[row] = lower;
    w->row_upper[row] = upper;
    for (int j = 0; j < SMALL_VARS; j++) {
        if (a[j] != 0) {
            w->var_of[at] = j;
            w->value[at++] = a[j];
        }
    }
    w->row_start[row + 1] = at;
}

void solution_of_covering(small_solution *w) {
    small_solution_begin(w, 4);
    small_solution_row(w, 0, 7, (double[]){2, 1, 1}, ENDLESS);
    small_solution_row(w, 1, -ENDLESS, (double[]){1, 2, 0}, 9);
    small_solution_row(w, 2, -ENDLESS, (double[]){-1, 0, -1}, -1);
    small_solution_row(w, 3, 1, (double[]){0, 1, 1}, 8);
    memcpy(w->cost, (double[]){3, 2, 1.5}, sizeof w->cost);
    w->problem.offset = 1;
    w->lower[1] = 1;
    w->upper[0] = 4;
    w->upper[1] = 6;
    w->is_integer[2] = false;
    memcpy(w->x, (double[]){3, 1, 0}, sizeof w->x);
    memcpy(w->relaxation, w->x, sizeof w->x);
    w->multipliers[0] = 1.5;
    berth_solution *s = &w->solution;
    s->outcome = BERTH_OPTIMAL;
    s->cost = s->bound = 12;
    s->proof = BERTH_PROOF_EXACT;
    s->ratio = 1;
    s->cover_min = 1;
    s->pack_max = 3.0 / 7;
    s->multipliers = w->multipliers;
    s->relaxation = w->relaxation;
}

void solution_of_packing(small_solution *w) {
    small_solution_begin(w, 3);
    w->problem.maximize = true;
    small_solution_row(w, 0, -ENDLESS, (double[]){2, 3, 1}, 5);
    small_solution_row(w, 1, -ENDLESS, (double[]){4, 1, 2}, 11);
    small_solution_row(w, 2, -ENDLESS, (double[]){3, 4, 2}, 8);
    memcpy(w->cost, (double[]){5, 4, 3}, sizeof w->cost);
    memcpy(w->x, (double[]){2, 0, 1}, sizeof w->x);
    w->multipliers[0] = w->multipliers[2] = 1;
    berth_solution *s = &w->solution;
    s->outcome = BERTH_OPTIMAL;
    s->cost = s->bound = 13;
    s->proof = BERTH_PROOF_EXACT;
    s->ratio = 1;
    s->pack_max = 1;
    s->multipliers = w->multipliers;
}

void solution_of_infeasible(small_solution *w) {
    small_solution_begin(w, 2);
    small_solution_row(w, 0, 7, (double[]){2, 1, 1}, ENDLESS);
    small_solution_row(w, 1, 3, (double[]){3, 3, 1}, ENDLESS);
    w->upper[0] = 1;
    w->upper[1] = w->upper[2] = 2;
    w->ray[0] = 0.5;
    w->solution.outcome = BERTH_INFEASIBLE;
    w->solution.found_by = NULL;
    w->solution.x = NULL;
    w->solution.ray = w->ray;
}
