/* Tails of a constant plus weighted Bernoullis: what randomised rounding makes of a row.
 *
 *     X = constant + sum_j weight_j B_j,   B_j = 1 with probability chance_j, else 0
 *
 * Exact where the weights are equal (Poisson binomial, by its recursion) or the terms few (all outcomes); else the
 * exponential moment (Chernoff), with t the distance to the constant:
 *     P(X >= constant + t) <= min over s > 0 of exp(-s t) prod_j (1 + chance_j (e^{s weight_j} - 1)),
 * and likewise below. The moment bound asks for negative correlation only, not for independence (Panconesi and
 * Srinivasan 1997). */
#ifndef BERTH_ROUNDING_ROW_TAILS_H
#define BERTH_ROUNDING_ROW_TAILS_H

#include <stdbool.h>

typedef struct berth__weighted_sum {
    double constant;
    int n;
    const double *weight; /* [n] > 0 */
    const double *chance; /* [n] in (0, 1) */
} berth__weighted_sum;

/* What may be used of the B_j. */
typedef enum berth__tail_use {
    BERTH__TAIL_INDEPENDENT, /* everything above */
    BERTH__TAIL_MOMENTS      /* exponential moments only */
} berth__tail_use;

/* Upper bounds on P(X <= level) and P(X >= level), in [0, 1]: 0 or 1 if that is certain. Levels within 1e-11,
 * relative, of a possible value count as that value. Never below the true probability but by rounding error of a few
 * 1e-12, relative. *s (may be NULL) gets the s of the moment bound, >= 0, INFINITY where the bound is 0 or 1 by
 * certainty, and NAN if the bound is no moment bound. work: [n + 1] scratch. O(n) a step of a Newton iteration of about
 * six steps; exact ones at most 2^10 or 2^17 steps, beyond which the moment bound serves. */
double berth__tail_at_most(const berth__weighted_sum *sum, double level, berth__tail_use use, double *work, double *s);
double berth__tail_at_least(const berth__weighted_sum *sum, double level, berth__tail_use use, double *work, double *s);

#endif
