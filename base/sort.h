/* Order statistics of doubles, and sorting without allocation. */
#ifndef BERTH_BASE_SORT_H
#define BERTH_BASE_SORT_H

#include <stddef.h>

/* Sorts in place, ascending. No NAN. */
void berth__sort(double *values, size_t n);
/* Linear-interpolated quantile of an ascending array, q in [0, 1]; NAN if n = 0. */
double berth__quantile(const double *ascending, size_t n, double q);

/* As qsort, but stable, and without memory of its own: scratch has room for the n records, aligned like them. */
void berth__sort_records(void *records, size_t n, size_t size, int (*compare)(const void *, const void *),
                         void *scratch);

#endif
