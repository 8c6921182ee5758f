#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void berth__sort(double *values, size_t n) {
    if (n > 1) {
        qsort(values, n, sizeof *values, compare);
    }
}

double berth__quantile(const double *ascending, size_t n, double q) {
    if (n == 0) {
        return (double)NAN;
    }
    double at = q * (double)(n - 1);
    size_t low = (size_t)at;
    if (low + 1 >= n) {
        return ascending[n - 1];
    }
    double part = at - (double)low;
    return ascending[low] + part * (ascending[low + 1] - ascending[low]);
}
