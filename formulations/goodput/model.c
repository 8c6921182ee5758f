/* Goodput of a job on given replicas, and the best batch for them (Qiao et al., OSDI 2021, equations 4 to 11). */
#include "formulations/goodput/model.h"

#include <math.h>

#include "base/error.h"
#include "formulations/goodput/best.h"

/* Theirs: the least time of a synchronisation. */
static const double tiny = 1e-8;

static const double most_samples = 1e9;
static const double least_time = 1e-15;

void berth_goodput_profile_init(berth_goodput_profile *profile) {
    *profile = (berth_goodput_profile){.struct_size = sizeof *profile,
                                       .gamma = 1,
                                       .m0 = 1,
                                       .max_batch = 1,
                                       .min_local = 1,
                                       .max_local = 1,
                                       .accumulation = true};
}

static berth_status check_real(const char *field, double value, double least, double most, berth_error *error) {
    if (value >= least && value <= most)
        return BERTH_OK;
    return berth__fail(error, BERTH_E_ARGUMENT, field, "%s is %g; expected a number in [%g, %g]", field, value, least,
                       most);
}

static berth_status check_whole(const char *field, double value, double least, berth_error *error) {
    if (value >= least && value <= most_samples && value == floor(value))
        return BERTH_OK;
    return berth__fail(error, BERTH_E_ARGUMENT, field, "%s is %.15g; expected a whole number in [%.15g, %g]", field,
                       value, least, most_samples);
}

berth_status berth__goodput_check_profile(const berth_goodput_profile *profile, berth_error *error) {
    const berth_goodput_profile *p = profile;
    const double much = 1e12;
    if (p->struct_size != sizeof *p) {
        return berth__fail(error, BERTH_E_ARGUMENT, "profile",
                           "not initialised: call berth_goodput_profile_init first");
    }
    berth_status status = check_real("alpha_c", p->alpha_c, 0, much, error);
    if (!status)
        status = check_real("beta_c", p->beta_c, 0, much, error);
    if (!status)
        status = check_real("alpha_n", p->alpha_n, 0, much, error);
    if (!status)
        status = check_real("beta_n", p->beta_n, 0, much, error);
    if (!status)
        status = check_real("alpha_r", p->alpha_r, 0, much, error);
    if (!status)
        status = check_real("beta_r", p->beta_r, 0, much, error);
    if (!status)
        status = check_real("gamma", p->gamma, 1, 10, error);
    if (!status)
        status = check_whole("m0", p->m0, 1, error);
    if (!status)
        status = check_whole("max_batch", p->max_batch, p->m0, error);
    if (!status)
        status = check_whole("min_local", p->min_local, 1, error);
    if (!status)
        status = check_whole("max_local", p->max_local, p->min_local, error);
    if (!status)
        status = check_real("grad_sqr", p->grad_sqr, 0, 1e300, error);
    if (!status)
        status = check_real("grad_var", p->grad_var, 0, 1e300, error);
    if (!status && p->alpha_c + p->beta_c < least_time) {
        status = berth__fail(error, BERTH_E_ARGUMENT, "beta_c",
                             "alpha_c + beta_c is %g; expected a gradient to take time, at least %g s",
                             p->alpha_c + p->beta_c, least_time);
    }
    return status;
}

double berth__goodput_sync(const berth_goodput_profile *p, bool spread, uint32_t replicas) {
    const double more = fmax((double)replicas - 2, tiny);
    if (spread)
        return p->alpha_n + p->beta_n * more;
    return replicas > 1 ? p->alpha_r + p->beta_r * more : tiny;
}

/* (a^gamma + b^gamma)^(1/gamma), without leaving the range of a double. */
static double overlap(double a, double b, double gamma) {
    const double large = fmax(a, b), small = fmin(a, b);
    return small > 0 ? large * pow(1 + pow(small / large, gamma), 1 / gamma) : large;
}

/* Only the ratio of variance and square matters: very small ones are enlarged, so that none gets lost on the way. */
static double efficiency(const berth_goodput_profile *p, double batch) {
    const double enlarged = p->grad_var + p->grad_sqr < 1e-200 ? 1e200 : 1;
    const double variance = p->grad_var * enlarged, square = p->grad_sqr * enlarged;
    const double scale = batch / p->m0, noise = variance / scale + square;
    return (noise > 0 ? (variance + square) / noise : 1) / scale;
}

berth_goodput_point berth__goodput_at(const berth_goodput_profile *profile, bool spread, uint32_t replicas,
                                      uint32_t local, uint32_t accumulation) {
    const double gradient = profile->alpha_c + profile->beta_c * local;
    const double step =
        accumulation * gradient + overlap(gradient, berth__goodput_sync(profile, spread, replicas), profile->gamma);
    berth_goodput_point point = {.local = local, .accumulation = accumulation, .step_s = step};
    point.batch = (double)replicas * local * ((double)accumulation + 1);
    point.throughput = point.batch / step;
    point.efficiency = efficiency(profile, point.batch);
    point.goodput = point.throughput * point.efficiency;
    return point;
}

berth_goodput_point berth__goodput_best(const berth_goodput_profile *profile, berth_batch_mode mode, bool spread,
                                        uint32_t replicas) {
    berth__batch_search search;
    berth__batch_search_start(&search, profile, mode);
    return berth__batch_search_best(&search, spread, replicas);
}

static berth_status check_shape(uint32_t nodes, uint32_t replicas, berth_error *error) {
    if (nodes < 1)
        return berth__fail(error, BERTH_E_ARGUMENT, "nodes", "nodes is 0; expected at least 1");
    if (replicas >= nodes)
        return BERTH_OK;
    return berth__fail(error, BERTH_E_ARGUMENT, "replicas",
                       "%u replicas on %u nodes; expected at least one replica a node", replicas, nodes);
}

berth_status berth_goodput_at(const berth_goodput_profile *profile, uint32_t nodes, uint32_t replicas, uint32_t local,
                              uint32_t accumulation, berth_goodput_point *out, berth_error *error) {
    *out = (berth_goodput_point){0};
    berth_status status = berth__goodput_check_profile(profile, error);
    if (!status)
        status = check_shape(nodes, replicas, error);
    if (status)
        return status;
    if (local < profile->min_local || local > profile->max_local) {
        return berth__fail(error, BERTH_E_ARGUMENT, "local", "local is %u; expected a number in [%g, %g]", local,
                           profile->min_local, profile->max_local);
    }
    if (accumulation > 0 && !profile->accumulation) {
        return berth__fail(error, BERTH_E_ARGUMENT, "accumulation", "accumulation is %u, and the job allows none",
                           accumulation);
    }
    *out = berth__goodput_at(profile, nodes > 1, replicas, local, accumulation);
    return BERTH_OK;
}

berth_status berth_goodput_best(const berth_goodput_profile *profile, berth_batch_mode mode, uint32_t nodes,
                                uint32_t replicas, berth_goodput_point *out, berth_error *error) {
    *out = (berth_goodput_point){0};
    berth_status status = berth__goodput_check_profile(profile, error);
    if (!status)
        status = check_shape(nodes, replicas, error);
    if (!status)
        *out = berth__goodput_best(profile, mode, nodes > 1, replicas);
    return status;
}

berth_status berth_goodput_table(const berth_goodput_profile *profile, berth_batch_mode mode, uint32_t replicas,
                                 berth_goodput_point *local, berth_goodput_point *spread, berth_error *error) {
    const berth_status status = berth__goodput_check_profile(profile, error);
    if (status)
        return status;
    berth__batch_search search;
    berth__batch_search_start(&search, profile, mode);
    for (uint32_t k = 1; k <= replicas; k++) {
        if (local)
            local[k - 1] = berth__batch_search_best(&search, false, k);
        if (spread)
            spread[k - 1] = k > 1 ? berth__batch_search_best(&search, true, k) : (berth_goodput_point){0};
    }
    return BERTH_OK;
}
