/* The mix of sigmoid utilities of Yu et al. (IEEE TNSE 2022, section V), shared by generator and importers. */
#ifndef BERTH_WORKLOAD_UTILITY_MIX_H
#define BERTH_WORKLOAD_UTILITY_MIX_H

#include <berth.h>

#include "base/pcg.h"

/* Kinds of sensitivity to delay, with the paper's shares and ranges of theta[1]. */
typedef enum berth__sensitivity {
    BERTH__INSENSITIVE = 0, /* 10 %: 0 */
    BERTH__SENSITIVE,       /* 55 %: (0.01, 1) */
    BERTH__CRITICAL,        /* 35 %: (4, 6) */
    BERTH__N_SENSITIVITIES
} berth__sensitivity;

/* The paper's shares, in percent. */
extern const int berth__usual_mix[BERTH__N_SENSITIVITIES];
/* With shares of `mix` percent, which add up to 100. One draw, whatever the mix. */
berth__sensitivity berth__draw_sensitivity(berth__pcg *stream, const int mix[BERTH__N_SENSITIVITIES]);
/* u = theta0 / (1 + exp(theta1 (d - theta2))): theta0 in [1, 100] and theta1 by sensitivity are drawn, uniform on two
 * and three decimals (which keeps files readable); theta2, in slots, is the caller's. */
berth_utility berth__draw_sigmoid(berth__pcg *stream, berth__sensitivity sensitivity, double theta2);
/* Uniform in [low, high] on two decimals. */
double berth__draw_hundredths(berth__pcg *stream, double low, double high);

#endif
