/* Groups of variables for dependent rounding. */
#ifndef BERTH_FORMULATIONS_GENERAL_GROUPS_H
#define BERTH_FORMULATIONS_GENERAL_GROUPS_H

#include <berth.h>

/* The problem's own groups, or those of names: variables whose names agree up to the first of the characters in
 * `separators` form a group, in order of first appearance; a name without one is in no group. *group: [n_vars], -1: no
 * group, the caller's to free; NULL with *n_groups 0 if there are none. O(length of all names), expected. */
berth_status berth__problem_groups(const berth_problem *problem, const char *separators, int **group, int *n_groups,
                                   berth_error *error);

#endif
