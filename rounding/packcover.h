/* The form that rounding works on:
 *
 *     min (max) cost.x   s.t.  A x >= a (cover rows),  B x <= b (packing rows),  0 <= x <= upper,  x integer
 *
 * everything non-negative. A view: arrays are borrowed. Cover rows come first. */
#ifndef BERTH_ROUNDING_PACKCOVER_H
#define BERTH_ROUNDING_PACKCOVER_H

#include <berth.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct berth__packcover {
    bool maximize; /* cost is a profit */
    int n_vars, n_cover, n_pack;
    const double *cost;      /* [n_vars] */
    const double *upper;     /* [n_vars], INFINITY allowed */
    const bool *is_integer;  /* [n_vars]; NULL: all integer */
    const size_t *row_start; /* [n_cover + n_pack + 1] */
    const int *col;          /* by rows; cover rows first */
    const double *value;
    const double *rhs; /* [n_cover + n_pack] */
} berth__packcover;

/* W_a = least a_i / A_ij over A_ij > 0 (INFINITY: none); W_b likewise over packing rows. `skip` [n_vars] marks
 * variables fixed at 0 (NULL: none). Left out, because they vary nothing that could fail: skipped and continuous
 * variables, and cover rows with a_i = 0. A packing row with b_i = 0 and an entry gives W_b = 0. O(entries). */
double berth__width_cover(const berth__packcover *p, const bool *skip);
double berth__width_packing(const berth__packcover *p, const bool *skip);

typedef struct berth__violation {
    double cost;
    double cover_min;            /* least (A x)_i / a_i; INFINITY if no row has a_i > 0 */
    double pack_max;             /* greatest (B x)_i / b_i, 0 without rows; b_i = 0 with activity counts INFINITY */
    int worst_cover, worst_pack; /* row numbers within their kind; -1 */
    bool feasible;               /* every row within BERTH__FEASIBILITY, 0 <= x <= upper, integer */
} berth__violation;

/* O(entries). x with a NAN is not feasible. */
berth__violation berth__packcover_measure(const berth__packcover *p, const double *x);

/* max(0, 1 - cover_min, pack_max - 1): what "least violated" compares. */
double berth__violation_size(const berth__violation *violation);

/* Is cost a better than cost b? */
static inline bool berth__packcover_better(const berth__packcover *p, double a, double b) {
    return p->maximize ? a > b : a < b;
}

/* Is a point that measures as a better than one that measures as b: feasible before not, then less violation, then the
 * better cost? */
bool berth__violation_better(const berth__packcover *p, const berth__violation *a, const berth__violation *b);

/* Largest value variable j may take: upper_j, rounded down for an integer variable. */
double berth__packcover_top(const berth__packcover *p, int j);
bool berth__packcover_integer(const berth__packcover *p, int j);

/* The positive entries by columns. */
typedef struct berth__packcover_columns {
    size_t *start; /* [n_vars + 1] into row, value */
    int *row;      /* increasing within a column */
    double *value;
} berth__packcover_columns;

/* O(entries). E_MEMORY is the only failure; nothing to close then. */
berth_status berth__packcover_columns_open(berth__packcover_columns *columns, const berth__packcover *p);
void berth__packcover_columns_close(berth__packcover_columns *columns);

#endif
