/* The per-slot placement question of one job: W workers and S = ceil(W / gamma) parameter servers, at least price.
 * spec: Yu et al. 2022, section IV (problem (15)-(20) relaxed and rounded; internal case, Algorithm 3).
 *
 *     min  sum_h pw_h w_h + ps_h s_h
 *     s.t. alpha^r w_h + beta^r s_h <= c_h^r   for all h, r                        packing
 *          sum_h w_h <= F                                                          packing
 *          sum_h w_h >= W,   sum_h s_h >= S                                        covering
 *          w, s >= 0 integer
 *
 * symbol     field
 * c_h^r      free           free capacity, share of the cluster's total
 * pw_h, ps_h price_worker, price_ps   price of one worker / parameter server on machine h
 * F          max_workers
 *
 * The homogeneous row gamma sum s >= sum w of the paper is replaced by sum s >= S, which is what rounding needs
 * (its right side is positive); after rounding, workers beyond W are dropped, so that S serves them.
 *
 * Not here: quotas (the caller bounds W), the all-W-at-once method (theta.h). */
#ifndef BERTH_FORMULATIONS_SLOT_H
#define BERTH_FORMULATIONS_SLOT_H

#include "base/pcg.h"
#include "formulations/placement.h"
#include "rounding/bounds.h"
#include "solver/solve.h"

typedef struct berth__slot_problem {
    int n_machines, n_resources;
    const double *free;         /* [n_machines][n_resources] */
    const double *price_worker; /* [n_machines], finite, >= 0 */
    const double *price_ps;     /* [n_machines] */
    const berth__job *job;
} berth__slot_problem;

/* Most workers (parameter servers) that fit alone in `free` [n_resources], at most `limit`. */
int berth__fit_count(const double *free, const double *demand, int n_resources, int limit);
/* True if w workers and s parameter servers fit. */
bool berth__fits(const double *free, const berth__job *job, int n_resources, int w, int s);

/* Internal case: the machine of least price with room for W workers and their servers; lowest index on ties.
 * False if none. O(n_machines n_resources). */
bool berth__slot_internal(const berth__slot_problem *p, int workers, int *machine, double *cost);

/* External case: the relaxation, kept open over W. */
typedef struct berth__slot_lp berth__slot_lp;
berth_status berth__slot_lp_new(const berth__slot_problem *p, const berth_backends *set, const char *backend,
                                berth__slot_lp **out, berth_error *error);
void berth__slot_lp_free(berth__slot_lp *lp);
/* Solves for W workers (any order; decreasing W restarts best). *value = INFINITY if infeasible. x: [2 n_machines],
 * workers first, borrowed until the next call. */
berth_status berth__slot_lp_solve(berth__slot_lp *lp, int workers, const berth__budget *budget, double *value,
                                  const double **x, berth_error *error);

typedef struct berth__slot_rounding {
    bool feasible;
    double cost;
    int draws;
    berth__guarantee guarantee;
} berth__slot_rounding;

/* Rounds the last solution by independent rounding with up to `trials` draws from `stream`; drops excess (workers
 * beyond W, servers beyond S; overfull machines first, then the dearest) before rows are tested. If the job runs
 * slower internally than externally, a draw that lands on one machine is not accepted. w, s: [n_machines]. */
berth_status berth__slot_lp_round(berth__slot_lp *lp, const berth__scale_choice *choice, int trials, bool repair,
                                  berth__pcg *stream, int *w, int *s, berth__slot_rounding *out, berth_error *error);

#endif
