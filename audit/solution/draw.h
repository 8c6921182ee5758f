/* One draw of a randomised rounding, and how likely it breaks what was promised of it.
 *
 * Randomised rounding takes x' = G x* (counted from the lower bounds, clipped to the upper ones) and rounds each
 * integer variable up with the chance of its fraction. For each row the least of several bounds counts (tails.h);
 * dearer ones are asked only where wanted. Dependent rounding keeps the chances of the variables, but ties them to each
 * other within groups. For a maximisation the profit is one more cover row, of right side LP.
 *
 * A row whose coefficients are multiples of a unit, and whose variables are all integers, fails by a whole unit. */
#ifndef BERTH_AUDIT_SOLUTION_DRAW_H
#define BERTH_AUDIT_SOLUTION_DRAW_H

#include "audit/solution/review.h"
#include "audit/solution/tails.h"

/* How chances are bounded: each includes those before it. EXACT counts for independent draws only. */
typedef enum berth__draw_effort { BERTH__DRAW_PLAIN, BERTH__DRAW_CHERNOFF, BERTH__DRAW_EXACT } berth__draw_effort;

typedef struct berth__draw {
    const berth__review *review;
    double *whole;  /* [n_vars] of G x*: what is there for certain */
    double *chance; /* [n_vars] of one more; 0 for continuous variables */
    bool independent;
    double lp; /* cost or profit of the relaxation's point, from the lower bounds */
    /* the row that is looked at */
    berth__tail tail;
    double unit;   /* its values are multiples of it; 0: of anything so far */
    bool uneven;   /* they are of nothing */
    double widest; /* largest coefficient */
    double *work;  /* of exact distributions */
} berth__draw;

/* The solution's relaxation is there and finite, and the problem is packing and covering. False: out of memory; end in
 * any case. */
bool berth__draw_begin(berth__draw *draw, const berth__review *review, double scale, bool independent);
void berth__draw_end(berth__draw *draw);
/* An upper bound on the chance that anything promised fails; stops above `enough`. */
double berth__draw_failures(berth__draw *draw, const berth_promise *promise, berth__draw_effort effort, double enough);

#endif
