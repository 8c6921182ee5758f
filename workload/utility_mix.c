#include "workload/utility_mix.h"

#include <math.h>

static const struct {
    int64_t lowest, highest; /* theta[1] in thousandths; the paper's intervals are open */
} sensitivities[] = {
    [BERTH__INSENSITIVE] = {0, 0},
    [BERTH__SENSITIVE] = {11, 999},
    [BERTH__CRITICAL] = {4001, 5999},
};

const int berth__usual_mix[BERTH__N_SENSITIVITIES] = {10, 55, 35};

berth__sensitivity berth__draw_sensitivity(berth__pcg *stream, const int mix[BERTH__N_SENSITIVITIES]) {
    int64_t percent = berth__pcg_integer(stream, 0, 99);
    berth__sensitivity kind = BERTH__INSENSITIVE;
    while (kind < BERTH__CRITICAL && percent >= mix[kind]) {
        percent -= mix[kind];
        kind++;
    }
    return kind;
}

berth_utility berth__draw_sigmoid(berth__pcg *stream, berth__sensitivity sensitivity, double theta2) {
    double theta0 = berth__draw_hundredths(stream, 1, 100);
    int64_t theta1 = berth__pcg_integer(stream, sensitivities[sensitivity].lowest, sensitivities[sensitivity].highest);
    return (berth_utility){.kind = BERTH_UTILITY_SIGMOID, .theta = {theta0, (double)theta1 / 1000, theta2}};
}

double berth__draw_hundredths(berth__pcg *stream, double low, double high) {
    return (double)berth__pcg_integer(stream, llround(low * 100), llround(high * 100)) / 100;
}
