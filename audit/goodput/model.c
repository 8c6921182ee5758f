/* Goodput by the equations of Qiao et al., OSDI 2021, section 3. */
#include <math.h>

#include "audit/goodput/audit.h"

enum { POINTS = 50 };
static const double tolerance = 1e-8;

/* ln (exp(x)^g + exp(y)^g)^(1/g). */
static double log_norm(double x, double y, double g) {
    const double most = fmax(x, y), difference = fmin(x, y) - most;
    return most + log1p(exp(g * difference)) / g;
}

double berth__goodput_audit_at(const berth_goodput_profile *profile, bool spread, uint32_t replicas, double local,
                               double accumulation) {
    const double k = replicas, beyond = k > 2 ? k - 2 : tolerance;
    const double gradient = profile->alpha_c + profile->beta_c * local;
    double sync = tolerance;
    if (spread) {
        sync = profile->alpha_n + profile->beta_n * beyond;
    } else if (replicas > 1) {
        sync = profile->alpha_r + profile->beta_r * beyond;
    }
    const double last = sync > 0 ? exp(log_norm(log(gradient), log(sync), profile->gamma)) : gradient;
    const double step = accumulation * gradient + last;
    const double batch = k * local * (accumulation + 1);
    /* gain / scale = (var + sqr) / (var + sqr scale), but for statistics that are all 0 */
    const double scale = batch / profile->m0, noise = profile->grad_var + profile->grad_sqr * scale;
    const double efficiency = noise > 0 ? (profile->grad_var + profile->grad_sqr) / noise : 1 / scale;
    return batch / step * efficiency;
}

/* ---- as Pollux does ---- */

static double best_of_grid(const berth_goodput_profile *p, bool spread, uint32_t replicas) {
    const double least = fmax(p->m0, p->min_local * replicas);
    double best = 0;
    for (int k = 0; k < POINTS && least <= p->max_batch; k++) {
        const double t = (double)k / (POINTS - 1);
        const double batch = k + 1 < POINTS ? least * pow(p->max_batch / least, t) : p->max_batch;
        const double local = batch / replicas;
        double steps = 1;
        if (p->accumulation) {
            steps = fmax(1, ceil(local / p->max_local - tolerance));
            steps = replicas == 1 && local > p->m0 + tolerance ? fmax(2, steps) : steps;
        }
        const double m = ceil(local / steps - tolerance);
        if (m >= p->min_local && m <= p->max_local) {
            best = fmax(best, berth__goodput_audit_at(p, spread, replicas, m, steps - 1));
        }
    }
    return best;
}

/* ---- all integers ---- */

/* For fixed s, 1 / goodput is convex in 1 / m: the step time is convex in m, so step / m is convex in 1 / m, and the
 * inverse of goodput is a non-negative combination of the two. For fixed m it is convex in 1 / (s + 1), as the step
 * time is affine in s. So along either there is one largest value, found by bisection. */
typedef struct line {
    const berth_goodput_profile *profile;
    bool spread;
    uint32_t replicas;
    double fixed;     /* m or s */
    bool along_steps; /* s varies */
} line;

static double on_line(const line *l, double x) {
    return l->along_steps ? berth__goodput_audit_at(l->profile, l->spread, l->replicas, l->fixed, x)
                          : berth__goodput_audit_at(l->profile, l->spread, l->replicas, x, l->fixed);
}

static double best_of_line(const line *l, double least, double most) {
    while (most - least > 3) {
        const double middle = floor((least + most) / 2);
        if (on_line(l, middle) < on_line(l, middle + 1)) {
            least = middle;
        } else {
            most = middle + 1;
        }
    }
    double best = 0;
    for (double x = least; x <= most; x++) {
        best = fmax(best, on_line(l, x));
    }
    return best;
}

/* No batch of so many samples or more gives more: a gradient takes the least time a sample at the largest m, and
 * efficiency falls with the batch. */
static double above(const berth_goodput_profile *p, uint32_t replicas, double batch) {
    const double rate = replicas * p->max_local / (p->alpha_c + p->beta_c * p->max_local);
    const double scale = fmax(batch, p->m0) / p->m0, noise = p->grad_var + p->grad_sqr * scale;
    return rate * (noise > 0 ? (p->grad_var + p->grad_sqr) / noise : 1 / scale);
}

/* s from 0 as long as (s + 1)^2 is at most the largest number of samples of a replica, then m below that. */
static double best_of_integers(const berth_goodput_profile *p, bool spread, uint32_t replicas) {
    const double samples = floor(p->max_batch / replicas), least_samples = ceil(p->m0 / replicas);
    double best = 0, s = 0;
    for (; p->accumulation ? (s + 1) * (s + 1) <= samples : s < 1; s++) {
        const double least = fmax(p->min_local, ceil(least_samples / (s + 1)));
        if (above(p, replicas, replicas * p->min_local * (s + 1)) < best) {
            return best;
        }
        double most = fmin(p->max_local, floor(samples / (s + 1)));
        if (p->accumulation && replicas == 1 && s == 0) {
            most = fmin(most, p->m0);
        }
        if (least <= most) {
            const line l = {.profile = p, .spread = spread, .replicas = replicas, .fixed = s};
            best = fmax(best, best_of_line(&l, least, most));
        }
    }
    for (double m = p->min_local; p->accumulation && m <= p->max_local && m * (s + 1) <= samples; m++) {
        const double least = fmax(s, ceil(least_samples / m) - 1), most = floor(samples / m) - 1;
        if (least <= most) {
            const line l = {.profile = p, .spread = spread, .replicas = replicas, .fixed = m, .along_steps = true};
            best = fmax(best, best_of_line(&l, least, most));
        }
    }
    return best;
}

double berth__goodput_audit_best(const berth_goodput_profile *profile, berth_batch_mode mode, bool spread,
                                 uint32_t replicas) {
    return mode == BERTH_BATCH_EXACT ? best_of_integers(profile, spread, replicas)
                                     : best_of_grid(profile, spread, replicas);
}
