/* Scaling of a packing and covering form for first-order iterations. */
#ifndef BERTH_SOLVER_FIRST_ORDER_SCALE_H
#define BERTH_SOLVER_FIRST_ORDER_SCALE_H

#include "solver/first_order/form.h"
#include "solver/first_order/team.h"

/* Factors row[n_rows], col[n_cols] such that row_i K_ij col_j is well scaled: eight Ruiz rounds (square roots of the
 * largest entries), then one of Pock and Chambolle (square roots of the sums). Rows that bind nothing and columns whose
 * box is 0 get 0. work: [n_rows]. */
void berth__fo_scale(const berth__fo_form *form, berth__team *team, double *row, double *col, double *work);

#endif
