/* What the NULL pointers of a problem stand for. */
#ifndef BERTH_FORMULATIONS_GENERAL_DEFAULTS_H
#define BERTH_FORMULATIONS_GENERAL_DEFAULTS_H

#include <berth.h>

#include <math.h>

enum { BERTH__NAME_ROOM = 24 };
/* The name, or one made of a letter (x, r, g) and the number from 0, in the buffer. */
const char *berth__var_name(const berth_problem *problem, size_t var, char buffer[BERTH__NAME_ROOM]);
const char *berth__row_name(const berth_problem *problem, size_t row, char buffer[BERTH__NAME_ROOM]);
const char *berth__group_name(const berth_problem *problem, size_t group, char buffer[BERTH__NAME_ROOM]);

static inline double berth__var_lower(const berth_problem *problem, size_t var) {
    return problem->lower != NULL ? problem->lower[var] : 0;
}
static inline double berth__var_upper(const berth_problem *problem, size_t var) {
    return problem->upper != NULL ? problem->upper[var] : (double)INFINITY;
}
static inline bool berth__var_is_integer(const berth_problem *problem, size_t var) {
    return problem->is_integer != NULL && problem->is_integer[var];
}
static inline int berth__var_group(const berth_problem *problem, size_t var) {
    return problem->group != NULL ? problem->group[var] : -1;
}

#endif
