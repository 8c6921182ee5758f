/* The schedule LP: an upper bound on what any policy can earn, by column generation.
 * spec: Yu et al. 2022, section IV (its reformulation over schedules), relaxed:
 *
 *     max sum_{i,pi} u_pi x_pi   s.t.  sum q_pi,k^r[t] x_pi <= n_k C_k^r  for all t, classes k, r,
 *                                      sum_{pi of i} x_pi <= 1 for all i,   x >= 0
 *
 * over relaxed schedules pi of job i: those whose costs the bound of bound.h adds up. Machines alike in capacity and in
 * eligibility for every job share their rows: by symmetry that changes nothing. By duality the LP's value is the least
 * B(p) over prices p >= 0 (which need not be alike in a class, but then average them).
 *
 * Method: a restricted master over the columns so far; its prices, drawn towards the best prices seen (Wentges 1997);
 * a pass of the bound at these, which is B(p), valid whatever the master did, and the columns that it stands for. The
 * least B seen is kept with its prices, so that work can end at any time. Each pass also gives B along its ray.
 *
 * symbol   field
 * u, q     berth__schedule_column.utility, value (of all the class has)
 * p        prices
 * n_k      machines of a class
 *
 * Not here: quotas (without them the bound is weaker, and valid). */
#ifndef BERTH_ONLINE_SCHEDULE_LP_H
#define BERTH_ONLINE_SCHEDULE_LP_H

#include "online/bound.h"
#include "solver/solve.h"

typedef struct berth__schedule_lp_options {
    int levels, threads;
    double known;                   /* B at the prices to start from; 0: not known */
    double gap;                     /* good enough once the bound is within this of the LP's value, relative */
    long most_passes;               /* stops after so many; 0: no limit */
    const berth_backends *backends; /* of the master; NULL: the built-in ones */
    const berth__budget *budget;
    const berth_hooks *hooks; /* progress; may be NULL */
} berth__schedule_lp_options;

typedef struct berth__schedule_lp_result {
    double bound;  /* B at the prices; NAN: none was known, and the budget was spent within the first pass */
    double master; /* lower bound on the LP's value; 0 at first */
    long passes;
    bool reached; /* the gap, or no column is left that would change anything */
} berth__schedule_lp_result;

/* prices: [horizon][n_classes][n_resources] per share, >= 0: in, where to start; out, those of the bound, unchanged if
 * there is none. classes as for berth__dual_bound_ray. E_BACKEND: no LP backend. */
berth_status berth__schedule_lp(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs, int n_classes,
                                const int *class_of, const berth__schedule_lp_options *options, double *prices,
                                berth__schedule_lp_result *out, berth_error *error);

#endif
