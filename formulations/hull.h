/* What fits on one machine in whole workers and parameter servers: the convex hull of
 *
 *     { (w, s) integer : berth__fits(free, w, s),  0 <= w <= w_limit,  0 <= s <= s_limit }
 *
 * as its upper right boundary, from (0, top) by edges of ascending slope to (most workers, ...). */
#ifndef BERTH_FORMULATIONS_HULL_H
#define BERTH_FORMULATIONS_HULL_H

#include <stdbool.h>
#include <stddef.h>

enum { BERTH__HULL_RESOURCES = 32 };

typedef struct berth__point {
    double w, s;
} berth__point;

/* Zero before first use; kept over builds. */
typedef struct berth__hull {
    double top;         /* most servers */
    int n;              /* edges; edge i ends at ends[i], w strictly ascending, s descending */
    berth__point *ends; /* integers */
    size_t room;
} berth__hull;

/* free, worker, ps: [n_resources], n_resources <= BERTH__HULL_RESOURCES; demands may be INFINITY. free is
 * free[r * stride]. Limits are in [0, 1e9]. O(n_resources min(most workers, most servers)), O(n_resources) if all the
 * workers and all the servers fit together. False: out of memory. */
bool berth__hull_build(berth__hull *hull, const double *free, size_t stride, const double *worker, const double *ps,
                       int n_resources, int w_limit, int s_limit);
void berth__hull_release(berth__hull *hull);

#endif
