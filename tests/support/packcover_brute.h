/* Random packing-and-covering views and their optima by enumeration: the oracle that roundings, greedy and local search
 * are measured against. */
#ifndef BERTH_TESTS_PACKCOVER_BRUTE_H
#define BERTH_TESTS_PACKCOVER_BRUTE_H

#include "base/pcg.h"
#include "tests/support/packcover_case.h"

enum { PACKCOVER_MOST_VARS = 10, PACKCOVER_MOST_ROWS = 12 };

typedef struct packcover_shape {
    int most_vars;             /* 1 .. PACKCOVER_MOST_VARS */
    int most_cover, most_pack; /* together <= PACKCOVER_MOST_ROWS */
    int most_units;            /* largest bound that is drawn, >= 1; infinite ones are drawn besides */
} packcover_shape;

/* An instance, drawn: sizes from the shape, minimisation or maximisation, coefficients all 1, tenths, whole or over
 * four orders of magnitude, explicit zeros, costs all 1, tenths, with zeros or near the column sums, bounds whole,
 * fractional, 0 or infinite, right sides 0 now and then, sometimes one row or column twice. Four in five have a
 * feasible point (right sides are put around a random one). All variables integer. A maximisation is never unbounded.
 */
packcover_case *packcover_random(const packcover_shape *shape, berth__pcg *stream);

/* The best cost of an integer point that berth__packcover_measure calls feasible, all variables taken as integer; NAN:
 * there is none. x [n_vars] gets it (may be NULL). skip may be NULL. Exponential: PACKCOVER_MOST_VARS variables of a
 * few units. */
double packcover_brute(const berth__packcover *p, const bool *skip, double *x);

#endif
