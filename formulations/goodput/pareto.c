#include "formulations/goodput/pareto.h"

#include <math.h>
#include <stdlib.h>

bool berth__pareto_dominates(const berth__pareto_point *a, const berth__pareto_point *b) {
    return a->objective[0] >= b->objective[0] && a->objective[1] >= b->objective[1] &&
           (a->objective[0] > b->objective[0] || a->objective[1] > b->objective[1]);
}

static int descending(double x, double y) {
    return (x < y) - (x > y);
}

/* Nothing is dominated by what comes later. */
static int by_objectives(const void *a, const void *b) {
    const berth__pareto_point *x = a, *y = b;
    int order = descending(x->objective[0], y->objective[0]);
    order = order != 0 ? order : descending(x->objective[1], y->objective[1]);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static int by_rank(const void *a, const void *b) {
    const berth__pareto_point *x = a, *y = b;
    if (x->front != y->front) {
        return x->front > y->front ? 1 : -1;
    }
    const int order = descending(x->crowding, y->crowding);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

/* Of the points of one front, in order of the first objective, so that the second one is in order, too. */
static void crowd(berth__pareto_point *points, size_t n, size_t front) {
    size_t first = n, last = n, before = n;
    for (size_t k = 0; k < n; k++) {
        if (points[k].front == front) {
            first = first == n ? k : first;
            last = k;
            points[k].crowding = 0;
        }
    }
    for (int o = 0; o < 2; o++) {
        const double range = fabs(points[first].objective[o] - points[last].objective[o]);
        size_t middle = n;
        before = n;
        for (size_t k = first; k <= last; k++) {
            if (points[k].front != front) {
                continue;
            }
            if (middle != n && before != n && range > 0) {
                points[middle].crowding += fabs(points[k].objective[o] - points[before].objective[o]) / range;
            }
            before = middle;
            middle = k;
        }
    }
    points[first].crowding = points[last].crowding = (double)INFINITY;
}

void berth__pareto_sort(berth__pareto_point *points, size_t n) {
    size_t fronts = 0;
    qsort(points, n, sizeof *points, by_objectives);
    for (size_t k = 0; k < n; k++) {
        points[k].front = 0;
        for (size_t l = 0; l < k; l++) {
            if (points[l].front >= points[k].front && berth__pareto_dominates(&points[l], &points[k])) {
                points[k].front = points[l].front + 1;
            }
        }
        fronts = points[k].front >= fronts ? points[k].front + 1 : fronts;
    }
    for (size_t front = 0; front < fronts; front++) {
        crowd(points, n, front);
    }
    qsort(points, n, sizeof *points, by_rank);
}
