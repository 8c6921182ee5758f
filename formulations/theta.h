/* The fractional slot cost, exactly and fast:
 *
 *     theta(W, S) = min sum_k pw_k w_k + ps_k s_k  s.t.  (w_k, s_k) in n_k P_k,  sum w >= W,  sum s >= S
 *     P_k = { (w, s) >= 0 : alpha^r w + beta^r s <= c_k^r for all r }
 *
 * by column generation in the plane: machines are coupled by two rows only, so the master has a 3 x 3 basis, and
 * pricing is one pass in which every group picks its best polygon vertex. The dual
 *
 *     lam W + mu S - sum_k n_k phi_k(lam, mu),   phi_k = max over vertices of (lam - pw_k) w + (mu - ps_k) s
 *
 * is what is returned, so a cost is a valid lower bound whatever the numerics did (up to rounding error).
 * Groups are machines of equal price and capacity, n_k of them (a scaled polygon: exact for the relaxation).
 *
 * Not here: integer hulls. */
#ifndef BERTH_FORMULATIONS_THETA_H
#define BERTH_FORMULATIONS_THETA_H

#include <berth.h>

enum { BERTH__THETA_MAX_RESOURCES = 32 };

typedef struct berth__theta_problem {
    int n_groups, n_resources;
    const double *count;        /* [n_groups] >= 0 */
    const double *capacity;     /* [n_groups][n_resources], >= 0; stride n_resources */
    const double *price_worker; /* [n_groups] finite >= 0 */
    const double *price_ps;     /* [n_groups] */
    const double *worker, *ps;  /* [n_resources] >= 0 */
} berth__theta_problem;

typedef struct berth__theta berth__theta; /* workspace, reused over problems */
berth__theta *berth__theta_new(void);
void berth__theta_free(berth__theta *theta);

/* For pairs (W[i], S[i]), both non-decreasing in i, >= 0: cost[i] (INFINITY where infeasible), lam[i], mu[i] (may
 * both be NULL). A pair within 1e-9 relative of the largest feasible one counts as feasible. E_MEMORY, or
 * E_ARGUMENT for more than BERTH__THETA_MAX_RESOURCES resources.
 * A group whose worker demands nothing of any resource it lacks... has an unbounded polygon in that direction; w is
 * then limited to W[n-1] (and s to S[n-1]). */
berth_status berth__theta_solve(berth__theta *theta, const berth__theta_problem *p, size_t n, const double *W,
                                const double *S, double *cost, double *lam, double *mu);

/* The dual at (lam, mu), straight from the definition: the slow twin that tests compare with. */
double berth__theta_dual(const berth__theta_problem *p, double W, double S, double lam, double mu, double w_limit,
                         double s_limit);

#endif
