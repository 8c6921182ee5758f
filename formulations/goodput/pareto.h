/* NSGA-II's order of points by two objectives that are maximised (Deb et al., IEEE TEC 2002): fronts of points that do
 * not dominate each other, and how crowded a point's neighbourhood on its front is. */
#ifndef BERTH_FORMULATIONS_GOODPUT_PARETO_H
#define BERTH_FORMULATIONS_GOODPUT_PARETO_H

#include <stdbool.h>
#include <stddef.h>

typedef struct berth__pareto_point {
    double objective[2];
    size_t front;    /* 0: nothing dominates it */
    double crowding; /* INFINITY at the ends of a front */
    size_t index;    /* the caller's */
} berth__pareto_point;

bool berth__pareto_dominates(const berth__pareto_point *a, const berth__pareto_point *b);
/* Fills front and crowding, and sorts: fronts first, on a front the least crowded first, then by index. O(n^2). */
void berth__pareto_sort(berth__pareto_point *points, size_t n);

#endif
