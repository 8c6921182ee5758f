#include "formulations/general/defaults.h"

#include <stdio.h>

static const char *name_or_number(const char *const *names, size_t number, char letter, char *buffer) {
    if (names != NULL && names[number] != NULL) {
        return names[number];
    }
    snprintf(buffer, BERTH__NAME_ROOM, "%c%zu", letter, number);
    return buffer;
}

const char *berth__var_name(const berth_problem *problem, size_t var, char buffer[BERTH__NAME_ROOM]) {
    return name_or_number(problem->var_names, var, 'x', buffer);
}

const char *berth__row_name(const berth_problem *problem, size_t row, char buffer[BERTH__NAME_ROOM]) {
    return name_or_number(problem->row_names, row, 'r', buffer);
}

const char *berth__group_name(const berth_problem *problem, size_t group, char buffer[BERTH__NAME_ROOM]) {
    return name_or_number(problem->group_names, group, 'g', buffer);
}
