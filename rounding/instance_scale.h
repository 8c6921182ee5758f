/* The scale G and its promise from the rows of this very instance: the three events of bounds.h with the probability
 * that each row really has of failing (row_tails.h) instead of one bound for the worst row times their number.
 *
 * Never worse than bounds.h, by construction. Let g be what that promises and D = 1 - g.probability. A scale is taken
 * only if its rows' failures at g's three factors add up to at most D, so every factor is at least as good as g's, and
 * so is the probability. (One exception: a cost factor up to 1 is always allowed. With packing favoured, g's may be far
 * below, because g covers next to nothing; what covers everything costs LP at least.) Among such scales:
 *   1. those at which cover and packing rows hold at factor 1, if there are any: the smallest (least expected cost);
 *   2. cover favoured: the smallest;
 *      packing favoured: the one with the largest cover factor (to maximise: profit factor, in 1. as well).
 * At that scale what is left of D goes first to the kind not favoured, up to factor 1, then to the cost factor. If
 * there is none, g stands. Where g does not hold (clipped values, closed forms out of their range), D = delta and the
 * factors of the other kind and of the cost start at what cannot fail. Clipped variables count as what they are,
 * constants. With BERTH_SCALE_GIVEN or PAPER the scale is that rule's and only the promise is computed.
 *
 * Scales are tried from the end where nothing is scaled: the failures are not monotone in G, so there is no bisection,
 * and a bad scale shows after few rows. */
#ifndef BERTH_ROUNDING_INSTANCE_SCALE_H
#define BERTH_ROUNDING_INSTANCE_SCALE_H

#include "base/budget.h"
#include "rounding/bounds.h"
#include "rounding/row_tails.h"

/* As berth__choose_scale. use: INDEPENDENT for berth__round_independent, MOMENTS for berth__round_dependent of G x. A
 * spent budget (NULL: none) ends the scan: the promise is then weaker but true. probability = 1 - the sum of the
 * bounds. holds = false: see why_not; the factors are those of berth__choose_scale then. E_MEMORY is the only failure.
 * About 200 passes over the entries, ten steps of row_tails.h for each, most of them cut short. */
berth_status berth__choose_scale_exact(const berth__packcover *p, const double *x, const bool *skip,
                                       const berth__scale_choice *choice, berth__tail_use use,
                                       const berth__budget *budget, berth__guarantee *out);

#endif
