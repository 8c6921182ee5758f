/* What the machines hold of one job in a slot, fractionally, and the least price of it:
 *
 *     theta(W, S) = min sum_k pw_k w_k + ps_k s_k   s.t.  (w_k, s_k) in n_k P_k,  sum w >= W,  sum s >= S
 *     P_k = { (w, s) >= 0 : alpha^r w + beta^r s <= C_k^r for all r }
 *
 * over groups k of n_k equal machines. Any lam, mu >= 0 bound it from below,
 *
 *     g(lam, mu) = lam W + mu S - sum_k n_k max over vertices (w, s) of P_k of (lam - pw_k) w + (mu - ps_k) s,
 *
 * and the cost returned is the largest g met on the way to the optimum, evaluated from this formula: however the
 * multipliers were found, it is a lower bound (capacities are taken 1e-9 larger, which covers rounding errors). The
 * way: a 3 x 3 revised simplex on corners of the Minkowski sum, entering first from the corners already met. The right
 * side is lowered by some 1e-9 so that no basis is degenerate.
 *
 * Every worker must demand something. Servers that demand nothing are free: the row of S is dropped. */
#ifndef BERTH_AUDIT_RUN_REGION_H
#define BERTH_AUDIT_RUN_REGION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct berth__audit_region berth__audit_region;

/* For at most that many groups and resources; NULL: out of memory. */
berth__audit_region *berth__audit_region_new(size_t most_groups, size_t n_resources);
void berth__audit_region_free(berth__audit_region *region);

/* A job's polygons. count: [n_groups] > 0; capacity: [n_groups][n_resources] >= 0; worker, ps: [n_resources] >= 0 (ps
 * NULL: no servers). Forgets prices. */
void berth__audit_region_shape(berth__audit_region *region, size_t n_groups, const double *count,
                               const double *capacity, const double *worker, const double *ps);
/* Is (W, S) in the sum of all n_k P_k (within 1e-9)? Exact, as the sum's edges have the directions of the terms' edges.
 */
bool berth__audit_region_holds(const berth__audit_region *region, double workers, double servers);
/* Prices of a worker and of a server per group, finite and >= 0; borrowed until the next call. */
void berth__audit_region_price(berth__audit_region *region, const double *price_worker, const double *price_ps);
/* theta(W, S) from below; only for a (W, S) that the region holds. */
double berth__audit_region_cost(berth__audit_region *region, double workers, double servers);

#endif
