/* A backend's "optimal" is never believed: residuals and bounds recomputed from the model alone. */
#ifndef BERTH_SOLVER_VERIFY_H
#define BERTH_SOLVER_VERIFY_H

#include "solver/backend.h"

typedef struct berth__residuals {
    double primal;            /* worst violation of a row or column bound, relative to the row's scale */
    double integrality;       /* worst distance of an integer column from an integer */
    double dual;              /* worst wrong-signed reduced cost or row dual that no bound absorbs, scaled */
    double gap;               /* |objective - dual bound| / (1 + |objective|) */
    double objective;         /* recomputed */
    double dual_bound;        /* a valid bound from row_dual clipped to valid signs; -INF / +INF if none */
    int worst_row, worst_col; /* -1: none */
} berth__residuals;

/* Any of x, row_dual may be NULL: that part is skipped (NAN). Rows are scaled by the largest |A_ij x_j| or
 * |bound|, columns by |cost|. O(n_entries). */
void berth__verify(const berth__model *model, const double *x, const double *row_dual, berth__residuals *out);

/* Lagrangian bound at row duals y, whatever they are: wrong-signed entries are clipped to 0, then
 *     offset + sum_i y_i b_i + sum_j min over x_j in [l_j, u_j] of (c - A'y)_j x_j      (min; max: reversed)
 * -INFINITY (+INFINITY for max) if a reduced cost needs an infinite bound. */
double berth__dual_bound(const berth__model *model, const double *row_dual);

/* True if ray proves infeasibility beyond rounding error. */
bool berth__verify_farkas(const berth__model *model, const double *ray);

#endif
