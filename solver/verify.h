/* A backend's "optimal" is never believed: residuals and bounds recomputed from the model alone. */
#ifndef BERTH_SOLVER_VERIFY_H
#define BERTH_SOLVER_VERIFY_H

#include "solver/backend.h"

/* Every figure is relative to the terms it was computed from:
 *   row i:         max(|violated bound|, max_j |A_ij x_j|, FLOOR min(1, max_j |A_ij|))
 *   column j:      max(|violated bound|, FLOOR)
 *   reduced cost:  max(|c_j|, max_i |A_ij y_i|, FLOOR min(1, max |c|))
 *   gap:           max(|objective|, |dual bound|, max_j |c_j x_j|, max_i |y_i b_i|, FLOOR min(1, max |c|))
 * where FLOOR keeps noise around 0 from counting as a violation. */
#define BERTH__RESIDUAL_FLOOR 0.01

typedef struct berth__residuals {
    double primal;            /* worst relative violation of a row or column bound */
    double integrality;       /* worst distance of an integer column from an integer */
    double dual;              /* worst wrong-signed reduced cost or row dual that no bound absorbs, relative */
    double gap;               /* relative |objective - dual bound| */
    double objective;         /* recomputed */
    double dual_bound;        /* see below */
    int worst_row, worst_col; /* of `primal`: at most one of them is not -1 */
} berth__residuals;

/* Either of x, row_dual may be NULL: what depends on it is NAN. A NAN or infinity in x or row_dual gives
 * INFINITY. O(n_entries), no allocation.
 *
 * dual_bound is the Lagrangian bound at row duals y, whatever they are: wrong-signed entries are clipped to 0, then
 *     offset + sum_i y_i b_i + sum_j min over x_j in [l_j, u_j] of (c - A'y)_j x_j      (min; max: reversed)
 * -INFINITY (+INFINITY for max) if a reduced cost needs an infinite bound; one that is relatively (see above)
 * within BERTH__FEASIBILITY of 0 is rounding noise and counts as 0 there. */
void berth__verify(const berth__model *model, const double *x, const double *row_dual, berth__residuals *out);

/* True if ray (wrong-signed entries clipped to 0) proves infeasibility beyond rounding error: the excess is
 * over BERTH__FEASIBILITY times its largest term. O(n_entries), no allocation. */
bool berth__verify_farkas(const berth__model *model, const double *ray);

#endif
