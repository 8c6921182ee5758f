/* Restarted primal-dual hybrid gradient in the reflected Halpern form, on a packing and covering form.
 *
 * Sources: Chambolle and Pock, "A first-order primal-dual algorithm for convex problems", 2011; Applegate et al.,
 * "Practical large-scale linear programming using primal-dual hybrid gradient" (PDLP), 2021; Lu and Yang, "Restarted
 * Halpern PDHG for linear programming", 2024; Ruiz 2001 and Pock and Chambolle 2011 for the scaling.
 *
 * With K, c, cover, packing, box scaled, tau = eta / omega, sigma = eta omega, and k passes since the last restart, at
 * which z0 = (x0, y0) was left:
 *     x+ = clip(x - tau (c - K'y), 0, box)
 *     y+ = prox(y - sigma K (2 x+ - x)):  v -> v + sigma cover if that is > 0, v + sigma packing if that is < 0, else 0
 *     z <- w (2 z+ - z) + (1 - w) z0,     w = (k + 1) / (k + 2)
 * Restart to z+ when the step r in the norm ||dx||^2 / tau + ||dy||^2 / sigma - 2 dy.K dx is <= 0.2 r0, or <= 0.8 r0
 * and rising, or k >= 0.36 of all passes; then log omega moves by 0.7 towards log(||dy|| / ||dx||) of the whole way.
 *
 * Convergence is proved for eta < 1 / ||K||. The largest singular value of a matrix >= 0 belongs to one direction,
 * close to all ones, and the next one is half of it or less: eta = 1.6 / ||K|| took 0.6 times the passes on all
 * families of bench/cases/first_order.c. Where r does not fall from one restart to the next it shrinks, to 0.998 /
 * ||K|| at last.
 *
 * One pass goes once over the columns: gather K'y, step, scatter to K x+ where x+ is not 0. Columns sleep: where x, x0
 * and x+ are 0 and the reduced cost r_j > 0, they all stay 0 until y has moved, summed over passes in the maximum norm,
 * by r_j / ||K_j||_1; until then the column is not read. Sleeping changes no iterate (but for what single precision
 * does to the last digits of r_j).
 *
 * Work is split into chunks of columns and blocks of rows whose number depends on the model alone; each chunk has its
 * own accumulator of K x+, and all sums over chunks are in their order. So results are the same bits on any number of
 * threads. The scaled matrix and the y that is gathered are in single precision, everything else in double. */
#ifndef BERTH_SOLVER_FIRST_ORDER_PDHG_H
#define BERTH_SOLVER_FIRST_ORDER_PDHG_H

#include "base/budget.h"
#include "solver/first_order/check.h"

typedef struct berth__pdhg berth__pdhg;

/* Scales and bounds the norm. NULL: out of memory. Borrows both. */
berth__pdhg *berth__pdhg_new(const berth__fo_form *form, berth__team *team);
void berth__pdhg_free(berth__pdhg *p);

/* One pass; restarts if it is time to. `measure`: for an estimate after it. */
void berth__pdhg_pass(berth__pdhg *p, bool measure);

/* Estimates from the last pass's sums, which was to measure, in the form's costs: of the dual objective at y, of the
 * primal one at x+ with violations priced by y+. O(n_cols + n_rows). */
void berth__pdhg_estimate(const berth__pdhg *p, double *dual, double *primal);
/* The pair (x+, y+) in the form's terms; either may be NULL. */
void berth__pdhg_pair(const berth__pdhg *p, double *x, double *y);

/* From now on packing rows that are no ranges are held to packing / (1 + margin). */
void berth__pdhg_tighten(berth__pdhg *p, double margin);

typedef struct berth__pdhg_counts {
    long passes, restarts;
    double entries; /* matrix entries gathered, in all passes; sleeping columns save the rest */
    double norm;    /* upper bound on ||K||, scaled */
    double omega;
    int chunks;
} berth__pdhg_counts;
berth__pdhg_counts berth__pdhg_count(const berth__pdhg *p);

#endif
