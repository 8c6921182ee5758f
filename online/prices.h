/* Exponential resource prices of the primal-dual rule. spec: Yu et al. 2022, section IV, eq. (23)-(26).
 *
 *     p_h^r[t] = L^r (U^r / L^r)^(used / capacity)
 *
 *     U^r  = max over jobs with alpha^r + beta^r > 0 of  u(d_min) / (alpha^r + beta^r)
 *     L    = 1/(2 mu) min over jobs of  u_low / (ceil(N) sum_r (alpha^r + beta^r))
 *     1/mu = min over jobs of  ceil(N) sum_r (alpha^r + beta^r) / (T sum_{h,r} C_h^r)
 *
 * in shares of the cluster's totals, so that decisions do not depend on units. Everything is computed in logarithms:
 * a steep sigmoid's smallest utility is far below what a double holds. L^r = max(L, floor U^r). Left out: jobs that
 * cannot finish before the horizon, that fit on no machine, or whose utility is 0 whenever they could finish. */
#ifndef BERTH_ONLINE_PRICES_H
#define BERTH_ONLINE_PRICES_H

#include "formulations/placement.h"

enum { BERTH__FITS_NOWHERE = 1, BERTH__CANNOT_FINISH = 2, BERTH__WORTHLESS = 4, BERTH__LEFT_NO_MACHINE = 8 };

/* Why a job can be left out of U and L, and rejected out of hand; 0: it can run. */
int berth__job_hopeless(const berth__cluster *cluster, const berth__job *job);
const char *berth__hopeless_text(int hopeless); /* for a decision's reason */

typedef struct berth__prices {
    int n_resources;
    double *log_upper; /* [n_resources]; -INFINITY: nobody demands the resource, its price is 0 */
    double *log_span;  /* log U - log L */
    bool floored;
} berth__prices;

/* From public bounds (checked: same resources, upper > lower > 0 or upper = 0). */
berth_status berth__prices_new(const berth_price_bounds *bounds, size_t n_resources, berth__prices **out,
                               berth_error *error);
/* All logarithms 0. NULL: out of memory. */
berth__prices *berth__prices_blank(size_t n_resources);
berth__prices *berth__prices_copy(const berth__prices *prices); /* NULL: out of memory */
void berth__prices_free(berth__prices *prices);

/* Price of a share of resource r at utilisation x = used / capacity. */
double berth__price_at(const berth__prices *prices, int r, double utilisation);

/* The bounds of a set of jobs; arrays of `out` are allocated. */
berth_status berth__price_bounds(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs, double floor,
                                 berth_price_bounds *out, berth_error *error);

#endif
