#include "report/statistics.h"

#include <math.h>

static const double half_pi = 1.57079632679489661923;

/* P(|T| <= sqrt(degrees) tan(theta)). */
static double within(size_t degrees, double theta) {
    const double c2 = cos(theta) * cos(theta);
    const size_t odd = degrees % 2;
    double term = odd ? cos(theta) : 1, sum = 0;
    for (size_t k = odd ? 3 : 2; k <= degrees; k += 2) {
        sum += term;
        term *= (double)(k - 1) / (double)k * c2;
    }
    return odd ? (theta + sin(theta) * sum) / half_pi : sin(theta) * sum;
}

double berth__student_t95(size_t degrees) {
    double low = 0, high = half_pi;
    for (int step = 0; step < 100; step++) {
        double middle = 0.5 * (low + high);
        *(within(degrees, middle) < 0.95 ? &low : &high) = middle;
    }
    return sqrt((double)degrees) * tan(0.5 * (low + high));
}

/* Over k of value(k) - base(k). Counted from the first, so that equal ones leave no rounding error. */
static berth_estimate estimate(size_t n, const double *values, const double *base, size_t stride) {
    berth_estimate e = {.n = 0, .mean = (double)NAN, .half_width = (double)NAN};
    double first = 0, sum = 0, squares = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < n; k++) {
            double value = values[k * stride] - (base != NULL ? base[k * stride] : 0);
            if (isnan(value)) {
                continue;
            }
            if (pass == 0) {
                first = e.n == 0 ? value : first;
                sum += value - first;
                e.n++;
            } else {
                squares += (value - e.mean) * (value - e.mean);
            }
        }
        if (pass == 0 && e.n > 0) {
            e.mean = first + sum / (double)e.n;
        }
    }
    if (e.n > 1) {
        e.half_width = berth__student_t95(e.n - 1) * sqrt(squares / (double)(e.n - 1) / (double)e.n);
    }
    return e;
}

berth_estimate berth__estimate(size_t n, const double *values, size_t stride) {
    return estimate(n, values, NULL, stride);
}

berth_estimate berth__paired_difference(size_t n, const double *values, const double *base, size_t stride) {
    return estimate(n, values, base, stride);
}
