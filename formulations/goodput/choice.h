/* Multiple choice under a few rows of capacity, relaxed: the linear programme that bounds an allocation.
 *
 *     max sum_j sum_c w_jc x_jc   s.t.  sum_c x_jc = 1 for each job j,
 *                                       sum_jc amount_jc x_jc <= capacity_r for each row r (c uses one row), x >= 0
 *
 * Rows are the GPU types, and one more that counts jobs without GPUs where those are limited. Two codes: a sort and a
 * sweep for one row (Sinha and Zoltners, "The multiple-choice knapsack problem", Operations Research 27, 1979), and the
 * simplex method with implicit rows for the choices (generalised upper bounds: Dantzig and Van Slyke, JCSS 1, 1967),
 * whose bases have as many columns as there are rows. Either way at most as many jobs are fractional as there are rows.
 */
#ifndef BERTH_FORMULATIONS_GOODPUT_CHOICE_H
#define BERTH_FORMULATIONS_GOODPUT_CHOICE_H

#include "base/budget.h"
#include "formulations/goodput/allocate.h"

/* A choice that can be in an optimal basis: on the upper hull of weight over amount within its row. */
typedef struct berth__choice_point {
    uint32_t row, option; /* index in the job's options */
    double amount, weight;
} berth__choice_point;

typedef struct berth__choice {
    size_t n_jobs, n_rows;
    size_t *start;               /* [n_jobs + 1] into points; each job has one at least */
    berth__choice_point *points; /* of a job: none first if it may, then by row, amounts and weights ascending */
    double *capacity;            /* [n_rows] */
    /* solution */
    double *price; /* [n_rows] >= 0 */
    size_t *key;   /* [n_jobs] point that the job takes, or most of it */
    bool *split;   /* [n_jobs] takes parts of several */
    long pivots;
    bool is_optimal;                   /* else out of time, or of pivots */
    struct berth__choice_basis *basis; /* of the simplex method */
    berth__arena *arena;
} berth__choice;

/* `count_none`: a last row counts jobs without GPUs, of capacity n_jobs at first. Else choosing none costs nothing;
 * `without_none`: it is no choice where there is another. False: out of memory; close in any case. */
bool berth__choice_open(berth__choice *choice, const berth__allocate_problem *problem, bool count_none,
                        bool without_none);
void berth__choice_close(berth__choice *choice);

/* One row. O(n log n) for n points. False: out of memory. */
bool berth__choice_sweep(berth__choice *choice);
/* Any rows. The keys must fit at the first call; later ones go on from the last basis, with other weights of points or
 * capacities that it fits. */
bool berth__choice_simplex(berth__choice *choice, const berth__budget *budget);

#endif
