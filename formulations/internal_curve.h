/* The internal case of a slot (one machine holds all) for all worker counts at once: spec Yu et al. 2022, Algorithm 3.
 *
 *     cost(W) = min over machines h with room for (W, S(W)) of pw_h W + ps_h S(W),   W = 1 .. n
 *
 * symbol       name
 * pw_h, ps_h   price_worker, price_ps
 * S(W)         servers[W - 1] */
#ifndef BERTH_FORMULATIONS_INTERNAL_CURVE_H
#define BERTH_FORMULATIONS_INTERNAL_CURVE_H

#include "base/alloc.h"
#include "formulations/placement.h"
#include "formulations/polygon.h"

#include <stddef.h>

/* room[k], k < n: the most workers, at most `limit`, that fit with their servers on machine k, which has
 * free[k * machine_stride + r * resource_stride]: berth__fits of (W, berth__ps_needed(W)).
 * n_resources <= BERTH__POLYGON_RESOURCES; limit >= 0. O(n n_resources log(gamma)). */
void berth__internal_rooms(int n, const double *free, size_t machine_stride, size_t resource_stride,
                           const berth__job *job, int n_resources, int limit, int *room);

/* The same for one machine, free[r * stride]. */
int berth__internal_room(const double *free, size_t stride, const berth__job *job, int n_resources, int limit);

/* room: [n_groups] as of berth__internal_rooms; prices where there is none may be anything. servers: [n] >= 0. Fills
 * cost[n] (INFINITY: no room anywhere) and group[n] (-1), a group of that very cost; of groups equal in both prices the
 * lowest index. Of groups whose costs differ by rounding only, any: the cost is within 1e-15 relative of the least.
 * scratch: goes back to where it was. O(n log n + n_groups log n). E_MEMORY. */
berth_status berth__internal_curve(int n_groups, const double *price_worker, const double *price_ps, const int *room,
                                   int n, const int *servers, berth__arena *scratch, double *cost, int *group);

#endif
