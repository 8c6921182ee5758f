/* How likely a rounded sum reaches a level: bounds for  constant + sum_k value_k X_k,  X_k in {0, 1} with given chances
 * of being 1.
 *
 * plain: the least of two. Markov: the mean over the distance of the level, both from the end of the sum's range. With
 *   mean m of the sum without the constant, largest value v and the level at t m: exp(-(m / v) (t ln t - t + 1)).
 * chernoff: min over s > 0 of exp(-s d) prod_k (1 + p_k (e^(s value_k) - 1)).
 * exact: the distribution itself, if all values are equal (Poisson binomial) or the terms few (all outcomes).
 * The first two also hold for X_k that are negatively correlated, in groups (Panconesi and Srinivasan 1997), the last
 * for independent ones only. */
#ifndef BERTH_AUDIT_SOLUTION_TAILS_H
#define BERTH_AUDIT_SOLUTION_TAILS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct berth__tail_term {
    double value;  /* > 0 */
    double chance; /* in (0, 1) */
} berth__tail_term;

typedef struct berth__tail {
    size_t n;
    berth__tail_term *terms;
    double constant;
    double mean, total, largest, least; /* of the sum, of the values */
} berth__tail;

void berth__tail_clear(berth__tail *tail);
/* There is room for it. */
void berth__tail_add(berth__tail *tail, double value, double chance);

/* P(constant + sum >= level) if `up`, else P(constant + sum <= level). */
double berth__tail_plain(const berth__tail *tail, double level, bool up);
double berth__tail_chernoff(const berth__tail *tail, double level, bool up);
/* work: [n + 2]. 1 (no statement) if it takes too many steps: values that differ in more than 12 terms, or more than
 * 2e8 of a Poisson binomial. */
double berth__tail_exact(const berth__tail *tail, double level, bool up, double *work);

#endif
