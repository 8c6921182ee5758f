/* Order statistics of repeated measurements, and growth exponents. Medians and quartiles, as a machine's noise has one
 * side only. */
#ifndef BERTH_BENCH_STATS_H
#define BERTH_BENCH_STATS_H

#include <stddef.h>

typedef struct bench_summary {
    size_t n; /* samples that are finite */
    double min, q1, median, q3, max;
    double mad; /* median absolute deviation from the median */
} bench_summary;

/* Samples that are NAN or infinite are left out. All NAN if none is left, or memory ran out. */
bench_summary bench_summarise(const double *samples, size_t n);

/* How many times longer the reference takes: value is the ratio of the medians, q1 and q3 the quartiles of the ratios
 * of samples taken one after the other, reference[i] / run[i], as noise that lasts hits both. */
typedef struct bench_ratio {
    double value, q1, q3;
} bench_ratio;

bench_ratio bench_ratio_of(const double *reference, const double *run, size_t n);

/* The b of y = a x^b by least squares in logarithms. Points that are not positive are left out; NAN with fewer than two
 * different x. */
double bench_exponent(const double *x, const double *y, size_t n);

#endif
