/* The exact optimum of a tiny instance, by branch and bound on formulations/time_indexed.h. */
#ifndef BERTH_ONLINE_EXACT_BOUND_H
#define BERTH_ONLINE_EXACT_BOUND_H

#include "base/budget.h"
#include "formulations/placement.h"

/* E_UNSUPPORTED for more variables than branch and bound can be hoped to deal with, E_BACKEND if no solver of the set
 * (NULL: the built-in ones) takes integers. */
berth_status berth__exact_check(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs,
                                const berth_backends *backends, berth_error *error);
/* *optimum: the largest total utility of any schedule; NAN if the budget was spent first. */
berth_status berth__exact_optimum(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs,
                                  const berth_backends *backends, const berth__budget *budget, double *optimum,
                                  berth_error *error);

#endif
