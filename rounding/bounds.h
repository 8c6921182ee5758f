/* Closed-form choices of the scale G and what they promise. spec: Chernoff bounds with a union over rows,
 * Markov for the cost; delta/3 for each of the three events (Raghavan and Thompson 1987; Raghavan 1988;
 * Yu et al. 2022, Theorem 1 for the paper's forms). */
#ifndef BERTH_ROUNDING_BOUNDS_H
#define BERTH_ROUNDING_BOUNDS_H

#include "rounding/packcover.h"
#include <berth.h>

/* The root of G - 1 - ln G = ln(3 n / delta) / width: below 1 (lower) or above 1 (upper). n >= 1, width > 0;
 * width = INFINITY gives 1. */
double berth__root_lower(double n, double delta, double width);
double berth__root_upper(double n, double delta, double width);
/* The paper's closed forms: packing 1 + k - sqrt(k^2 + 2k), k = 3 ln(3 n / delta) / (2 width);
 * cover 1 + k + sqrt(k^2 + 2k), k = ln(3 n / delta) / width. */
double berth__paper_packing(double n, double delta, double width);
double berth__paper_cover(double n, double delta, double width);

/* What a randomised rounding promised for one instance. */
typedef struct berth__guarantee {
    bool holds;
    double scale;        /* G */
    double cost_factor;  /* cost <= cost_factor * LP */
    double cover_factor; /* (A x)_i >= cover_factor * a_i */
    double pack_factor;  /* (B x)_i <= pack_factor * b_i */
    double probability;  /* of all three together, at least */
    const char *why_not; /* static text; NULL if holds */
} berth__guarantee;

typedef struct berth__scale_choice {
    berth_scale_rule rule;
    berth_favour favour;
    double delta;
    double given; /* G with BERTH_SCALE_GIVEN */
} berth__scale_choice;

/* Chooses G for `p` with LP solution x (variables in `skip` are fixed at 0), and states the promise. If some
 * G x_j exceeds upper_j the promise does not hold (x is clipped when rounding). */
berth__guarantee berth__choose_scale(const berth__packcover *p, const double *x, const bool *skip,
                                     const berth__scale_choice *choice);

#endif
