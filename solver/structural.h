/* Bounds that hold in exact arithmetic: implied bounds on columns, and the Lagrangian bound over them.
 *
 * In terms of a minimisation (a maximisation is negated as a whole), for any row multipliers y, of which an entry > 0
 * uses row_lower and one < 0 row_upper, and counts as 0 if that is infinite:
 *
 *     L(y) = offset + sum_i y_i b_i + sum_j min over x in [lower_j, upper_j] of r_j x,    r = c - A'y
 *
 * is a bound on the relaxation's optimum if [lower, upper] are the column bounds, or narrower ones that some optimum
 * obeys if there is any. Those here are the column bounds narrowed once, by what follows from the column bounds as
 * given and one row; with rest(i, j) = inf and REST(i, j) = sup over the column bounds of the other columns' sum_k
 * A_ik x_k in row i:
 *   (a) for every feasible point, where the rest is finite:
 *       A_ij > 0:  x_j <= (row_upper_i - rest) / A_ij,    x_j >= (row_lower_i - REST) / A_ij
 *       A_ij < 0:  x_j >= (row_upper_i - rest) / A_ij,    x_j <= (row_lower_i - REST) / A_ij
 *   (b) in a model whose lower bounds are finite and of whose rows, as far as they have a finite bound, none has
 *       coefficients of both signs, for c_j >= 0 (of the minimisation): some optimum has x_j <= the largest of lower_j
 *       and, over the rows that more of x_j helps,
 *       A_ij > 0, row_lower_i finite:  (row_lower_i - rest) / A_ij
 *       A_ij < 0, row_upper_i finite:  (row_upper_i - REST) / A_ij
 *       For above that x_j alone satisfies each of these rows, and lowering it costs nothing and hurts no other row;
 *       so any feasible point is lowered, column by column, to one that obeys (a), (b) and costs no more. In packing
 *       and covering, counted from lower bounds, these are x_j <= min_i b_i / B_ij and x_j <= max_i a_i / A_ij.
 *
 * Without them a reduced cost of -1e-17 on a column without an upper bound would leave no bound at all. */
#ifndef BERTH_SOLVER_STRUCTURAL_H
#define BERTH_SOLVER_STRUCTURAL_H

#include "solver/model.h"

/* The narrowed column bounds, rounded outward: never narrower than in exact arithmetic. Where they would be empty (the
 * model is infeasible), upper is raised to lower. */
typedef struct berth__implied {
    double *lower, *upper; /* [n_cols] */
} berth__implied;

/* O(n_entries). E_MEMORY leaves nothing to clear. */
berth_status berth__implied_new(const berth__model *model, berth__implied *out, berth_error *error);
void berth__implied_clear(berth__implied *implied);

/* L(row_dual), rounded so that it is never above (a maximisation: below) the exact one; row_dual in the sense of
 * solver/backend.h. *proof: EXACT; TOLERANCE, if reduced costs within BERTH__FEASIBILITY of 0, relative to their terms,
 * count as 0 where the bound that they need is infinite; NONE, with *bound = -INFINITY (a maximisation: INFINITY), if
 * others need an infinite bound or row_dual has a number that is not finite. O(n_entries), no allocation. */
void berth__lagrangian_bound(const berth__model *model, const berth__implied *implied, const double *row_dual,
                             double *bound, berth_proof *proof);

/* How far apart a cost and a bound are, relative to the smaller of the two, both counted from the columns' lower bounds
 * (an infinite one: from 0) without the offset; differences below 1e-9 of the largest |c_j| (upper_j - lower_j) that is
 * finite, implied bounds, or of the sum of magnitudes that make up the base, count relative to that. 0: the cost is no
 * worse than the bound. INFINITY: one is not finite. */
double berth__relative_gap(const berth__model *model, const berth__implied *implied, double cost, double bound);

/* The same bound with implied bounds made for the purpose. */
berth_status berth__certified_bound(const berth__model *model, const double *row_dual, double *bound,
                                    berth_proof *proof, berth_error *error);

/* ---- The peak of a concave, piecewise linear function on t >= 0 ---- */

typedef struct berth__kink {
    double at;   /* > 0 */
    double drop; /* > 0: by how much the slope falls there; may be infinite */
} berth__kink;

/* The least t from which on the function does not rise, given its slope at 0: 0, a kink, or INFINITY. Reorders the
 * kinks. O(n) on average: selection, not sorting. */
double berth__concave_peak(double slope, berth__kink *kinks, size_t n);

#endif
