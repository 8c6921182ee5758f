/* Dependent rounding of groups (Gandhi, Khuller, Parthasarathy, Srinivasan, JACM 2006): pairs of fractional
 * variables of a group are moved so that one becomes integral, marginals are kept, and each group's sum stays
 * within floor/ceil of its LP value with certainty. */
#ifndef BERTH_ROUNDING_DEPENDENT_H
#define BERTH_ROUNDING_DEPENDENT_H

#include "base/pcg.h"
#include <berth.h>

#include "rounding/packcover.h"

/* group[n_vars]: group number >= 0 and < n_groups, or -1: rounded independently. x >= 0 (below counts as 0). Out:
 * [n_vars], each the floor or ceiling of x_j. Variables in increasing index within a group. A group's sum within
 * BERTH__INTEGRALITY of an integer becomes that integer. The draws within a group are negatively correlated, so the
 * Chernoff bounds of bounds.h stand. O(n_vars + n_groups). E_MEMORY is the only failure. */
berth_status berth__round_dependent(int n_vars, const double *x, const int *group, int n_groups, berth__pcg *stream,
                                    double *out);

#endif
