/* The cost of a slot for all (W, S) at once, exactly and fast:
 *
 *     theta(W, S) = min sum_k pw_k w_k + ps_k s_k  s.t.  (w_k, s_k) in n_k P_k,  sum w >= W,  sum s >= S
 *
 * where P_k is what fits on one machine of group k: for the relaxation
 *
 *     P_k = { (w, s) >= 0 : alpha^r w + beta^r s <= c_k^r for all r }
 *
 * and for the configuration bound the convex hull of the whole (w, s) that fit (hull.h).
 *
 * Method: column generation in the plane. Groups are coupled by two rows only, so the master has a 3 x 3 basis, and
 * pricing is one pass in which every group picks its best vertex. The dual
 *
 *     lam W + mu S - sum_k phi_k(lam, mu),   phi_k = max over n_k P_k of (lam - pw_k) w + (mu - ps_k) s
 *
 * is what is returned, so a cost is a valid lower bound whatever the numerics did, but for rounding error (a few
 * ulps of lam W + mu S). Groups are machines of equal price and capacity, n_k of them (a scaled polygon: exact for both
 * kinds). As prices are >= 0, no machine needs more than (W, S) in all; polygons are cut off there, which also closes
 * those of workers or servers that demand nothing.
 *
 * symbol          field
 * n_k             count
 * c_k^r           capacity
 * pw_k, ps_k      price_worker, price_ps
 * alpha, beta     worker, ps
 *
 * Not here: the placement itself. */
#ifndef BERTH_FORMULATIONS_THETA_H
#define BERTH_FORMULATIONS_THETA_H

#include <berth.h>

#include <stdbool.h>
#include <stddef.h>

enum { BERTH__THETA_MAX_RESOURCES = 32 };

typedef enum berth__theta_kind {
    BERTH__THETA_FRACTIONAL, /* the relaxation */
    BERTH__THETA_HULL        /* integer hulls: the configuration bound, for whole W and S */
} berth__theta_kind;

typedef struct berth__theta_problem {
    int n_groups, n_resources;
    const double *count;        /* [n_groups] finite >= 0; NULL: 1 each */
    const double *capacity;     /* of one machine, laid out as `stride` says; negative counts as 0 */
    const double *price_worker; /* [n_groups] finite >= 0 */
    const double *price_ps;     /* [n_groups] */
    const double *worker, *ps;  /* [n_resources] >= 0; INFINITY: no room for any */
    size_t stride;              /* 0: capacity[k * n_resources + r], otherwise capacity[r * stride + k] */
    berth__theta_kind kind;
} berth__theta_problem;

typedef struct berth__theta berth__theta; /* workspace, reused over problems; one thread at a time */
berth__theta *berth__theta_new(void);     /* NULL: out of memory */
void berth__theta_free(berth__theta *theta);
/* For tests; both are on at first. wide: use vector instructions that not every processor has (no bit of a result
 * depends on it). sift: leave out dear groups where there are many (costs differ by rounding). */
void berth__theta_tune(berth__theta *theta, bool wide, bool sift);

/* For pairs (W[i], S[i]), finite and >= 0, both non-decreasing in i: cost[i] (INFINITY where infeasible), lam[i] and
 * mu[i] >= 0 (may both be NULL; 0 where infeasible). A pair within 1e-9 relative of the largest feasible one counts as
 * feasible; at that very edge the cost may be that of a pair up to 1e-9 smaller. Iterations are capped; should a cap be
 * met or precision not suffice, the best dual found is returned, still a lower bound. With many groups the dear ones
 * are left out first, and looked at again if the duals do not prove that rightly so.
 * O(n_groups (n_resources^2 + passes)), with about two passes a pair over ever fewer groups; HULL needs
 * W[n-1], S[n-1] <= 1e9 and takes O(n_groups n_resources min(workers, servers on a machine)) first.
 * E_MEMORY, or E_ARGUMENT for more than BERTH__THETA_MAX_RESOURCES resources and numbers outside the stated ranges. */
berth_status berth__theta_solve(berth__theta *theta, const berth__theta_problem *p, size_t n, const double *W,
                                const double *S, double *cost, double *lam, double *mu);

/* The dual at (lam, mu), straight from the definition; polygons cut off at (w_limit, s_limit), which for the duals of
 * berth__theta_solve are W[n-1] and S[n-1]. Any lam, mu >= 0 gives a lower bound on theta(W, S) if W <= w_limit and
 * S <= s_limit. NAN for too many resources, or out of memory (HULL only). */
double berth__theta_dual(const berth__theta_problem *p, double W, double S, double lam, double mu, double w_limit,
                         double s_limit);

#endif
