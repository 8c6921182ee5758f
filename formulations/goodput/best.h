/* The best batch for every number of replicas (see best.c for how, and why it is exact). */
#ifndef BERTH_FORMULATIONS_GOODPUT_BEST_H
#define BERTH_FORMULATIONS_GOODPUT_BEST_H

#include "formulations/goodput/model.h"

enum { BERTH__GRID_POINTS = 50 };

/* State of the search on one profile. It only makes the next search short, and changes no result. */
typedef struct berth__batch_search {
    const berth_goodput_profile *profile; /* borrowed, checked */
    berth_batch_mode mode;
    double variance, square;          /* of the gradient, the larger 1 */
    double first;                     /* of the grid; 0: not set */
    double batch[BERTH__GRID_POINTS]; /* of the grid, to within rounding errors */
    double hint[2];                   /* where the last search ended; [1]: on several nodes */
} berth__batch_search;

void berth__batch_search_start(berth__batch_search *search, const berth_goodput_profile *profile,
                               berth_batch_mode mode);
/* The best m and s; goodput 0 if there are none. Fast if `replicas` is near that of the call before.
 * Grid: O(50). Exact: O(log max_batch) mostly, O(sqrt(max_batch) log max_batch) at worst. */
berth_goodput_point berth__batch_search_best(berth__batch_search *search, bool spread, uint32_t replicas);

#endif
