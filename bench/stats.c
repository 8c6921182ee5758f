#include "bench/stats.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <math.h>

static size_t keep_finite(const double *samples, size_t n, double *out) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(samples[i])) {
            out[kept++] = samples[i];
        }
    }
    return kept;
}

bench_summary bench_summarise(const double *samples, size_t n) {
    double none = (double)NAN;
    bench_summary out = {.n = 0, .min = none, .q1 = none, .median = none, .q3 = none, .max = none, .mad = none};
    double *sorted = BERTH__NEW_ARRAY(double, n);
    size_t kept = sorted == NULL ? 0 : keep_finite(samples, n, sorted);
    if (kept > 0) {
        berth__sort(sorted, kept);
        out = (bench_summary){.n = kept,
                              .min = sorted[0],
                              .q1 = berth__quantile(sorted, kept, 0.25),
                              .median = berth__quantile(sorted, kept, 0.5),
                              .q3 = berth__quantile(sorted, kept, 0.75),
                              .max = sorted[kept - 1]};
        for (size_t i = 0; i < kept; i++) {
            sorted[i] = fabs(sorted[i] - out.median);
        }
        berth__sort(sorted, kept);
        out.mad = berth__quantile(sorted, kept, 0.5);
    }
    berth__free(sorted);
    return out;
}

bench_ratio bench_ratio_of(const double *reference, const double *run, size_t n) {
    bench_ratio out = {.value = (double)NAN, .q1 = (double)NAN, .q3 = (double)NAN};
    double *paired = BERTH__NEW_ARRAY(double, n);
    if (paired != NULL) {
        for (size_t i = 0; i < n; i++) {
            paired[i] = reference[i] / run[i];
        }
        bench_summary ratios = bench_summarise(paired, n);
        out.value = bench_summarise(reference, n).median / bench_summarise(run, n).median;
        out.q1 = ratios.q1;
        out.q3 = ratios.q3;
    }
    berth__free(paired);
    return out;
}

static bool on_log_axes(double x, double y) {
    return x > 0 && y > 0 && isfinite(x) && isfinite(y);
}

double bench_exponent(const double *x, const double *y, size_t n) {
    double count = 0, mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        if (on_log_axes(x[i], y[i])) {
            count++;
            mean_x += log(x[i]);
            mean_y += log(y[i]);
        }
    }
    mean_x /= count;
    mean_y /= count;
    for (size_t i = 0; i < n; i++) {
        if (on_log_axes(x[i], y[i])) {
            double dx = log(x[i]) - mean_x;
            xx += dx * dx;
            xy += dx * (log(y[i]) - mean_y);
        }
    }
    /* Equal x differ from their mean by rounding error. */
    return count >= 2 && xx > 1e-24 ? xy / xx : (double)NAN;
}
