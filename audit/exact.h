/* Exact sums of products of doubles: a fixed-point number wide enough for every exponent (Kulisch's accumulator).
 *
 * Nothing is ever rounded but by berth__exact_down and berth__exact_up, so signs and comparisons are proofs. The
 * width holds 2^32 terms of any two finite doubles, and such a sum times a third double, 2^32 times over. Limbs are
 * signed and carries are put off, so an addition costs a few machine additions. */
#ifndef BERTH_AUDIT_EXACT_H
#define BERTH_AUDIT_EXACT_H

#include <stdbool.h>
#include <stdint.h>

enum { BERTH__EXACT_LIMBS = 208 };

/* value = sum over k of limb[k] 2^(32 k - 3264). {0} is zero. */
typedef struct berth__exact {
    int64_t limb[BERTH__EXACT_LIMBS];
    int low, high;    /* limbs outside [low, high) are 0 */
    uint32_t pending; /* additions since the last carry */
} berth__exact;

void berth__exact_clear(berth__exact *x);
void berth__exact_copy(berth__exact *to, const berth__exact *from); /* `to` holds a number already */

/* All arguments are finite. */
void berth__exact_add(berth__exact *x, double a);                         /* x += a */
void berth__exact_add_product(berth__exact *x, double a, double b);       /* x += a b */
void berth__exact_add_scaled(berth__exact *x, berth__exact *y, double a); /* x += a y; y is a sum of products of two */
void berth__exact_negate(berth__exact *x);

/* -1, 0, 1. The number keeps its value in this and all that follow, but is brought into normal form. */
int berth__exact_sign(berth__exact *x);
/* The sign of x - a. */
int berth__exact_compare(const berth__exact *x, double a);
/* The largest double <= x (-INFINITY below all of them), the smallest >= x. */
double berth__exact_down(berth__exact *x);
double berth__exact_up(berth__exact *x);
/* One of the two; for figures that are not proofs. */
double berth__exact_value(berth__exact *x);

#endif
