/* Means with intervals of confidence. */
#ifndef BERTH_REPORT_STATISTICS_H
#define BERTH_REPORT_STATISTICS_H

#include <berth_io.h>

/* t with P(|T| <= t) = 0.95 for Student's distribution with `degrees` >= 1 degrees of freedom. The distribution by its
 * finite series (Abramowitz and Stegun, 26.7.3 and 26.7.4), inverted by bisection. O(degrees). */
double berth__student_t95(size_t degrees);

/* Of the values that are not NAN, `stride` apart. Equal values have exactly their value for mean, and 0 for half_width.
 */
berth_estimate berth__estimate(size_t n, const double *values, size_t stride);
/* Of values[k] - base[k], over those k where neither is NAN. */
berth_estimate berth__paired_difference(size_t n, const double *values, const double *base, size_t stride);

#endif
