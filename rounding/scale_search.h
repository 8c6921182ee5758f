/* Search for the scale G at which the rows' failures (scaled_rows.h) stay below an allowance, and for the best factors
 * there. The failures are not monotone in G: they jump where floors change. So scales are tried one by one, each given
 * up as soon as its failures exceed the allowance, and once more between the neighbours of the one that was found. */
#ifndef BERTH_ROUNDING_SCALE_SEARCH_H
#define BERTH_ROUNDING_SCALE_SEARCH_H

#include "rounding/scaled_rows.h"

typedef struct berth__scale_search {
    berth__scaled_rows *rows; /* borrowed */
    double allowed;           /* most that the failures may add up to */
    bool found;
    double scale, factor[BERTH__N_KINDS]; /* what was found: failures at most `allowed` */
} berth__scale_search;

/* The smallest scale in [from, to] at which the failures at `factor` are allowed; `found` if there is one among those
 * tried. E_MEMORY is the only failure. */
berth_status berth__scale_search_first(berth__scale_search *s, double from, double to,
                                       const double factor[BERTH__N_KINDS]);
/* The scale at which the factor of `kind` can be made best with `share` of what is left of the allowance, the other
 * factors and at worst this one being those in `factor`. */
berth_status berth__scale_search_best(berth__scale_search *s, double from, double to,
                                      const double factor[BERTH__N_KINDS], berth__row_kind kind, double share);

/* At the scale found: betters one kind's factor by `share` of what is left of the allowance, the others staying. */
void berth__scale_search_improve(berth__scale_search *s, berth__row_kind kind, double share);
/* As improve, for cover or packing rows, up to factor 1; all but a tenth of what is left may go there if that gives
 * factor 1. */
void berth__scale_search_improve_rows(berth__scale_search *s, berth__row_kind kind, double share);
/* Sum of the failures there; at most `allowed`, also if the budget ran out. */
double berth__scale_search_failures(berth__scale_search *s);

#endif
