/* Derandomised rounding: the method of conditional probabilities with a pessimistic estimator (Raghavan 1988).
 *
 * symbol  here
 * G       guarantee.scale; x' = G x is rounded
 * s_i     of row i, where its exponential moment is least
 * U       the estimator: sum over rows of min over s of E exp(s_i (distance of row i into failure)), as in row_tails.h,
 *         and of the cost the better of that and Markov's E(cost - floor) / (limit - floor), for a profit mirrored
 *
 * Variables are fixed one after another to the floor or the ceiling of x'_j, whichever makes U smaller; as U is a mean
 * over both, it never rises. At the end each failed row adds at least 1. So if U < 1 at the start, no row fails and the
 * cost is within its factor, for certain.
 *
 * What is promised, the first of these that starts below 1 at some scale tried:
 *   1. all rows at factor 1, and of those scales the one with the best cost (profit) factor;
 *   2. the favoured kind at factor 1, of those scales the one with the best factor of the other kind (to maximise with
 *      packing favoured: of cover rows if there are any), then the best cost factor: probability 1 all the same;
 *   3. nothing: `holds` is false. The rounding is made all the same, at G = 1.
 * Further passes without a promise of their own, at G = 1 and between it and the first scale, may find something better
 * that keeps the promise too. */
#ifndef BERTH_ROUNDING_DERANDOMIZED_H
#define BERTH_ROUNDING_DERANDOMIZED_H

#include "base/budget.h"
#include "rounding/bounds.h"

typedef struct berth__derandomized {
    berth__guarantee guarantee; /* probability is 1 if it holds */
    bool certain;               /* all rows at factor 1: the first case */
    double estimator;      /* U at the start of the pass that the promise rests on; the least seen if there is none */
    int passes;            /* roundings made */
    berth__violation best; /* of out */
} berth__derandomized;

/* Rounds x (the relaxation's point; variables in `skip`, may be NULL, become 0) into out[n_vars]: integers are the
 * floor or ceiling of G x_j, clipped to upper; continuous variables keep G x_j. Keeps the best pass: feasible before
 * not, then less violation, then the better cost. Deterministic. The search for G makes about 200 passes over the
 * entries with some six exponentials each, most of them cut short; a rounding takes three exponentials an entry. A
 * spent budget (may be NULL) ends the search and further passes; a rounding is always made. E_MEMORY is the only
 * failure. */
berth_status berth__round_derandomized(const berth__packcover *p, const double *x, const bool *skip,
                                       berth_favour favour, const berth__budget *budget, double *out,
                                       berth__derandomized *result);

#endif
