/* The schedule LP written out as one linear programme, without columns, prices or passes: the slow, obvious twin of
 * online/schedule_lp.h, for small instances.
 *
 * For each job i, completion slot tc, slot t <= tc and worker count W at a locality there is a weight y; external ones
 * come with workers and servers per class; internal ones say on which class:
 *
 *     max sum u_i(tc) x_i,tc    s.t.  sum_tc x <= 1,  sum y (of a slot) <= x,  sum quanta y >= needed x,
 *     what y holds in a class of a slot's machines: inside y times all of the class, and in all within it */
#ifndef BERTH_TESTS_COMPACT_LP_H
#define BERTH_TESTS_COMPACT_LP_H

#include "formulations/placement.h"

/* class_of: [n_machines]; quanta as a bound cuts them at `levels`. NAN if no solver found the optimum. */
double compact_schedule_lp(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs, int levels,
                           int n_classes, const int *class_of);

#endif
