/* Greedy construction without a relaxation: the classical baseline.
 *
 * Minimisation (Dobson 1982; Wolsey 1982): again and again the variable with the largest gain per price, until all
 * cover rows hold. Gain of a unit: sum over cover rows of w_i min(A_ij, what is missing), w_i = 1 / a_i. Price: c_j
 * plus, weighted by theta, the use of packing rows: sum of B_ij / what is left of row i (both in units of their mean).
 * Maximisation (Toyoda 1975): first the cover rows, as above with the use per profit as price; then the variable with
 * the largest profit per use as long as something fits.
 * In between, units that no cover row needs are dropped again, the worst first.
 *
 * Gains and profits per use never rise while x grows, so that a heap with lazy evaluation finds the largest (Minoux
 * 1978), and units are taken many at once: as many as leave the gain as it is, which is what one at a time would do;
 * for a profit, half of what fits. Tried with theta 0, .2, 1 and 8 (profit: use by what is left, or by the right
 * sides), and the best is kept. For whole data and no packing rows also with w_i = 1, which has the bound below. */
#ifndef BERTH_ROUNDING_GREEDY_H
#define BERTH_ROUNDING_GREEDY_H

#include <berth.h>

#include "base/budget.h"
#include "rounding/packcover.h"

typedef struct berth__greedy {
    berth__violation best; /* of x; feasible: all rows hold */
    double ratio;          /* cost <= ratio times the optimum of every minimisation with integer variables and data and
                              without packing rows: H(max_j sum_i min(A_ij, a_i)), Wolsey 1982; INFINITY: no bound */
} berth__greedy;

/* Fills x [n_vars]; skip and budget may be NULL. A variable of a maximisation that nothing limits stays as cover rows
 * want it. If not feasible, nothing follows about the programme. A spent budget ends the construction; x is within its
 * bounds and packing rows. O(entries log n_vars) for each of at most five tries, but for re-evaluations. E_MEMORY is
 * the only failure. */
berth_status berth__round_greedy(const berth__packcover *p, const bool *skip, const berth__budget *budget, double *x,
                                 berth__greedy *result);

#endif
