/* Upper bounds on what any schedule of a job can earn at given prices. spec: weak duality; for every p >= 0
 *
 *     OPT <= B(p) = sum_i max(0, lambda_i(p)) + sum_{t,h,r} C_h^r p_h^r[t],
 *     lambda_i(p) = max over completion slots tc of  u_i(tc - a_i) - Theta_i(tc)
 *
 * Theta_i(tc) is at most the price of any integer schedule of job i that completes by tc: slot costs from the LP
 * relaxation over FULL capacities (a schedule that no longer fits is still a constraint of the dual), progress of a
 * slot rounded up to quanta, both localities allowed, quotas ignored. Since Theta(kappa p) = kappa Theta(p), one pass
 * gives B along a whole ray. */
#ifndef BERTH_ONLINE_BOUND_H
#define BERTH_ONLINE_BOUND_H

#include "base/budget.h"
#include "online/convex_schedule.h"
#include "online/ledger.h"
#include "online/schedule.h"
#include "online/workspace.h"

/* Gives the groups of a slot within the limits, with full capacities, in arrays made for them. */
typedef void (*berth__groups_of)(const void *user, const berth__job *job, int slot, berth__price_limits limits,
                                 berth__slot_groups *groups);

/* A corner of a slot's lower hull of costs over progress: `rise.count` quanta more than the corner before. */
typedef struct berth__bound_corner {
    int slot;
    berth__increment rise;
    double workers, ps; /* held in the slot, in all */
    int machine;        /* all on one like that; -1: anywhere */
} berth__bound_corner;

/* The corners of all slots, by slot and progress: what the costs of a bound stand for. Zero before first use. */
typedef struct berth__bound_trace {
    int needed; /* quanta */
    size_t n, room;
    berth__bound_corner *corner;
} berth__bound_trace;

void berth__bound_trace_clear(berth__bound_trace *trace);

/* A relaxed schedule holds a share, in (0, 1], of what a corner does; shares of a slot add up to at most 1. */
typedef struct berth__bound_step {
    const berth__bound_corner *corner; /* the trace's */
    double share;
} berth__bound_step;

/* The cheapest relaxed schedule that completes by last_slot, for which theta[last_slot] is finite. steps: [trace->n +
 * 1] by slot, at most two of a slot. O(n log n). */
berth_status berth__bound_trace_steps(const berth__bound_trace *trace, int last_slot, berth__bound_step *steps,
                                      size_t *n_steps, berth_error *error);

/* theta[horizon]: Theta_i(tc) for each completion slot tc, INFINITY where no schedule completes (always before
 * arrival + the fastest number of slots). workspace: its theta, groups (with room for what groups_of
 * gives) and scratch are used. E_CANCELLED if the budget is spent. `levels` as in options; any value gives a valid
 * bound. limits[horizon] (NULL: not wanted) gets, for each slot from arrival on, the prices up to which machines
 * mattered. trace (NULL: not wanted) gets the schedules behind theta.
 */
berth_status berth__bound_theta(const berth__cluster *cluster, const berth__job *job, int levels,
                                berth__groups_of groups_of, const void *user, berth__workspace *workspace,
                                berth__price_limits *limits, const berth__budget *budget, double *theta,
                                berth__bound_trace *trace, berth_error *error);

/* max over tc of u - kappa theta; -INFINITY if nothing completes. */
double berth__payoff_bound(const berth__cluster *cluster, const berth__job *job, const double *theta, double kappa);

/* theta[horizon] at the ledger's present prices: what completing the job by each slot costs at least. */
berth_status berth__ledger_theta(const berth__ledger *ledger, const berth__job *job, int levels,
                                 berth__workspace *workspace, const berth__budget *budget, double *theta,
                                 berth__price_limits *limits, berth_error *error);

/* ---- at prices by class ---- */

/* Machines in classes, and their prices. */
typedef struct berth__class_view {
    const berth__cluster *cluster;
    int n_classes;
    int *machine;         /* [n_classes] the first member */
    double *count;        /* [n_classes] members */
    const double *prices; /* [horizon][n_classes][n_resources] per share; borrowed */
} berth__class_view;

/* class_of: [n_machines], machines of a class alike in capacity and in eligibility for every job. */
berth_status berth__class_view_new(const berth__cluster *cluster, int n_classes, const int *class_of,
                                   const double *prices, berth__class_view *out, berth_error *error);
void berth__class_view_clear(berth__class_view *view);
/* Price of all capacity. */
double berth__class_view_value(const berth__class_view *view);
/* berth__bound_theta of all jobs at the view's prices: theta[n_jobs][horizon], traces[n_jobs] or NULL. threads >= 1; no
 * result depends on it. */
berth_status berth__class_thetas(const berth__class_view *view, size_t n_jobs, berth__job *const *jobs, int levels,
                                 int threads, const berth__budget *budget, double *theta, berth__bound_trace *traces,
                                 berth_error *error);

/* B(kappa pbar), least over kappa >= 0. */
typedef struct berth__dual_bound_result {
    double value;
    double kappa;
} berth__dual_bound_result;

/* From theta[n_jobs][horizon] at pbar, and the price of all capacity there. */
berth__dual_bound_result berth__search_kappa(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs,
                                             const double *theta, double capacity_value);

/* prices: [horizon][n_classes][n_resources] per share; class_of: [n_machines], machines of a class alike in capacity
 * and in eligibility for every job. threads >= 1; the result does not depend on it. */
berth_status berth__dual_bound_ray(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs, int levels,
                                   int n_classes, const int *class_of, const double *prices, int threads,
                                   const berth__budget *budget, berth__dual_bound_result *out, berth_error *error);

/* Classes of machines alike in capacity and in eligibility for every job: class_of[n_machines]; returns their number,
 * 0 if out of memory. */
int berth__machine_classes(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs, int *class_of);

#endif
