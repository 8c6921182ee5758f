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
 * All-reduce jobs have no servers: S = 0 and there is no cover row for them.
 *
 * With many machines the LP is solved over the cheapest ones, as many as it takes until the duals rule out the rest
 * (slot_lp.h): the solution is optimal for all of them.
 *
 * Not here: quotas (the caller bounds W), the all-W-at-once method (theta.h). */
#ifndef BERTH_FORMULATIONS_SLOT_H
#define BERTH_FORMULATIONS_SLOT_H

#include "base/pcg.h"
#include "formulations/placement.h"
#include "rounding/bounds.h"
#include "solver/solve.h"

/* Arrays are borrowed. Machines that the job is not eligible for are left out here. A price matters only where a unit
 * of its kind fits: elsewhere it may be anything, NAN included. */
typedef struct berth__slot_problem {
    int n_machines, n_resources; /* those of the job's cluster */
    const double *free;          /* [n_machines][n_resources], finite; below 0 counts as 0 */
    const double *price_worker;  /* [n_machines], finite, >= 0 */
    const double *price_ps;      /* [n_machines] */
    const berth__job *job;
} berth__slot_problem;

/* Everything below calls a load feasible if load <= max(free, 0) * (1 + BERTH__FEASIBILITY). */

/* Most workers (parameter servers) that fit alone in `free` [n_resources], at most `limit`. Demands may be INFINITY. */
int berth__fit_count(const double *free, const double *demand, int n_resources, int limit);
/* True if w workers and s parameter servers fit. */
bool berth__fits(const double *free, const berth__job *job, int n_resources, int w, int s);

/* Internal case: the machine of least price with room for W workers and their servers; lowest index on ties.
 * False (machine -1, cost INFINITY) if there is none, or W is not in [1, F]. O(n_machines n_resources). */
bool berth__slot_internal(const berth__slot_problem *p, int workers, int *machine, double *cost);

/* External case: the relaxation, kept open over W. Only units that fit alone get a variable; rows and costs are scaled
 * for the solver. O(n_machines (n_resources + log n_machines)). */
typedef struct berth__slot_lp berth__slot_lp;
berth_status berth__slot_lp_new(const berth__slot_problem *p, const berth_backends *set, const char *backend,
                                berth__slot_lp **out, berth_error *error);
void berth__slot_lp_free(berth__slot_lp *lp);
/* Solves for W >= 1 workers (any order; increasing W restarts best). *value = INFINITY if infeasible, W > F included.
 * x: [2 n_machines], workers first, borrowed until the next call; zeros if infeasible. E_CANCELLED: budget spent. */
berth_status berth__slot_lp_solve(berth__slot_lp *lp, int workers, const berth__budget *budget, double *value,
                                  const double **x, berth_error *error);

/* Multipliers of sum w >= W and of sum s >= S at the last solution (0 without servers). */
void berth__slot_lp_duals(const berth__slot_lp *lp, double *lam, double *mu);

typedef struct berth__slot_rounding {
    bool feasible; /* the placement keeps every constraint, re-verified on its integers */
    bool repaired; /* no draw was feasible, one was mended */
    double cost;   /* INFINITY if not feasible */
    int draws;     /* made */
    berth__guarantee guarantee;
} berth__slot_rounding;

/* Rounds the last solution by independent rounding with up to `trials` >= 1 draws, and takes the cheapest that is
 * feasible; drops excess (workers beyond W, servers beyond S; overfull machines first, then the dearest) before rows
 * are tested. If the job runs slower internally than externally, a placement on one machine is not feasible (and no
 * draw is made if W + S = 1). repair: if no draw is feasible, the least violated one is altered. A draw takes one
 * number from `stream` for each variable above BERTH__INTEGRALITY in the solution, workers first, each kind by rising
 * price, then machine; the others stay 0. The guarantee is that of the programme of these variables and their rows: no
 * other row can fail. w, s: [n_machines], zeros if not feasible. A spent budget (NULL:
 * none) ends the draws. A draw is O(n_resources) per variable. */
berth_status berth__slot_lp_round(berth__slot_lp *lp, const berth__scale_choice *choice, int trials, bool repair,
                                  const berth__budget *budget, berth__pcg *stream, int *w, int *s,
                                  berth__slot_rounding *out, berth_error *error);

#endif
