#include "tests/support/goodput_twin.h"

#include <math.h>

#include "formulations/goodput/model.h"

static void consider(const berth_goodput_profile *p, bool spread, uint32_t replicas, double m, double s,
                     berth_goodput_point *best) {
    const berth_goodput_point point = berth__goodput_at(p, spread, replicas, (uint32_t)m, (uint32_t)s);
    if (point.goodput > best->goodput) {
        *best = point;
    }
}

static berth_goodput_point best_of_grid(const berth_goodput_profile *p, bool spread, uint32_t replicas) {
    const double tiny = 1e-8, first = fmax(p->m0, p->min_local * replicas), last = p->max_batch;
    berth_goodput_point best = {0};
    for (int k = 0; first <= last && k < 50; k++) {
        const double batch = k < 49 ? first * pow(last / first, k / 49.0) : last;
        const double local = batch / replicas;
        double s = p->accumulation ? fmax(ceil(local / p->max_local - tiny) - 1, 0) : 0;
        if (p->accumulation && replicas == 1 && local > p->m0 + tiny && s < 1) {
            s = 1;
        }
        const double m = ceil(local / (s + 1) - tiny);
        if (m >= p->min_local && m <= p->max_local) {
            consider(p, spread, replicas, m, s, &best);
        }
    }
    return best;
}

static berth_goodput_point best_of_integers(const berth_goodput_profile *p, bool spread, uint32_t replicas) {
    berth_goodput_point best = {0};
    for (double s = 0; s == 0 || (p->accumulation && replicas * p->min_local * (s + 1) <= p->max_batch); s++) {
        for (double m = p->min_local; m <= p->max_local && replicas * m * (s + 1) <= p->max_batch; m++) {
            const double batch = replicas * m * (s + 1);
            if (batch >= p->m0 && !(p->accumulation && replicas == 1 && s == 0 && batch > p->m0)) {
                consider(p, spread, replicas, m, s, &best);
            }
        }
    }
    return best;
}

berth_goodput_point goodput_twin_best(const berth_goodput_profile *profile, berth_batch_mode mode, bool spread,
                                      uint32_t replicas) {
    return mode == BERTH_BATCH_GRID ? best_of_grid(profile, spread, replicas)
                                    : best_of_integers(profile, spread, replicas);
}
