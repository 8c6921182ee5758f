/* The simplex method with implicit rows of choice (generalised upper bounds: Dantzig and Van Slyke, JCSS 1, 1967).
 *
 *     max sum_c w_c x_c   s.t.  sum of x over the columns of a set = 1 for each set,
 *                               sum_c a_rc x_c <= capacity_r for each row r,   x >= 0
 *
 * A column is of one set, or of none. Each set has a key column, which takes what the set's others leave; a basis has
 * besides as many columns as there are rows, slacks among them, however many sets there are. Columns are numbers below
 * SIZE_MAX - n_rows that only their owner understands, who also says which one enters: they may come into being then.
 */
#ifndef BERTH_FORMULATIONS_GOODPUT_IMPLICIT_H
#define BERTH_FORMULATIONS_GOODPUT_IMPLICIT_H

#include "base/alloc.h"
#include "base/budget.h"

typedef struct berth__implicit_columns {
    void *user;
    /* out[r] += sign a_rc. */
    void (*add)(const void *user, size_t column, double sign, double *out);
    double (*weight)(const void *user, size_t column);
    /* A column that gains more than the tolerance at prices [n_rows] (free of sign), and its set, or SIZE_MAX for none.
     * `changed`: the prices are others than in the last call. False: there is none. */
    bool (*choose)(void *user, const double *price, bool changed, double tolerance, size_t *column, size_t *set);
} berth__implicit_columns;

typedef struct berth__implicit {
    berth__implicit_columns columns;
    size_t n_rows, n_sets;
    double *capacity; /* [n_rows] */
    size_t *key;      /* [n_sets] column */
    double precision; /* of the sum of weights, relatively: columns that gain less do not enter; default 1e-13 */
    /* basis */
    size_t *extra; /* [n_rows] column; SIZE_MAX - r: slack of row r */
    size_t *set;   /* [n_rows] of that column; SIZE_MAX: none */
    double *x;     /* [n_rows] of that column */
    double *price; /* [n_rows] */
    long pivots;   /* of the last run */
    bool is_optimal;
    /* private */
    double *residual;  /* [n_rows] capacity less keys */
    double *direction; /* [n_rows] */
    double *work;      /* [n_rows n_rows] factors of the basis */
    double *copy;      /* [n_rows] */
    size_t *pivot;     /* [n_rows] */
    bool *is_basic;    /* [n_rows] slack of a row */
    bool factored;
} berth__implicit;

/* All slacks are basic; capacity and keys are to be filled. False: out of memory. All memory is the arena's. */
bool berth__implicit_open(berth__implicit *b, berth__arena *arena, size_t n_rows, size_t n_sets,
                          berth__implicit_columns columns);
/* Puts a column of no set in place of a row's slack, before the first run. */
void berth__implicit_start_with(berth__implicit *b, size_t row, size_t column);
/* From the present basis, which must be feasible, to an optimal one, or until the budget or many pivots are spent. May
 * be called again after weights have changed, or capacities that the basis fits. */
void berth__implicit_run(berth__implicit *b, const berth__budget *budget);
/* What a set's key takes of 1. O(n_rows). */
double berth__implicit_key_value(const berth__implicit *b, size_t set);

#endif
