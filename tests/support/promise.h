/* What a rounding promised (rounding/bounds.h) against what rounding does, and a budget that is spent from the start.
 */
#ifndef BERTH_TESTS_PROMISE_H
#define BERTH_TESTS_PROMISE_H

#include "base/budget.h"
#include "rounding/bounds.h"

/* Does `out` keep all factors of g, within 1e-9? lp: cost (profit) of the point that was rounded. */
bool promise_kept(const berth__packcover *p, const double *out, const berth__guarantee *g, double lp);

/* The probability that independent rounding of g.scale times x, clipped, breaks one of them, by enumeration of all
 * roundings. At most 20 fractional variables. skip may be NULL. */
double promise_failure(const berth__packcover *p, const double *x, const bool *skip, const berth__guarantee *g,
                       double lp);

typedef struct spent_budget {
    berth__budget budget;
    berth_hooks hooks;
    long polls; /* so far */
    long after; /* it is spent from the poll after this many: 0, all polls */
} spent_budget;

/* Stays where it is: budget and hooks point into it. */
void spent_budget_start(spent_budget *b, long after);

#endif
