/* The LP over all integer schedules of all jobs, each written down as a column (Yu et al. 2022, section IV, relaxed):
 *
 *     max sum_{i,pi} u_pi x_pi   s.t.  sum q_pi,k^r[t] x_pi <= C_k^r  for all t, classes k, r,
 *                                      sum_{pi of i} x_pi <= 1 for all i,   x >= 0
 *
 * Its value is not below the optimum without quotas, and not above that of online/schedule_lp.h, whose columns are
 * schedules with relaxed slots. Knows neither prices nor quanta. For tiny instances. */
#ifndef BERTH_TESTS_ENUMERATION_LP_H
#define BERTH_TESTS_ENUMERATION_LP_H

#include <berth_io.h>

/* class_of: [n_machines], which share their rows; NULL: every machine has its own. NAN if there are more than
 * most_columns. *n_columns may be NULL. */
double enumeration_lp(const berth_instance *instance, int n_classes, const int *class_of, long most_columns,
                      long *n_columns);

#endif
