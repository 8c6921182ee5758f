#include "rounding/row_tails.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* Both tails are one: sum_j w_j B_j <= t says that sum_j w_j (1 - B_j) >= sum_j w_j - t. */
typedef struct upper_tail {
    const berth__weighted_sum *sum;
    bool mirrored;   /* chances are 1 - chance_j */
    double distance; /* P(sum_j w_j B_j >= distance), what is within the tolerance of it included */
    double total;    /* sum_j w_j */
} upper_tail;

static double chance(const upper_tail *t, int j) {
    double c = t->sum->chance[j];
    return t->mirrored ? 1 - c : c;
}

/* ---- exact ------------------------------------------------------------------------------------------ */

enum { FEW_TERMS = 10, MOST_STEPS = 1 << 17 };

static bool equal_weights(const berth__weighted_sum *sum) {
    for (int j = 1; j < sum->n; j++) {
        if (fabs(sum->weight[j] - sum->weight[0]) > 1e-14 * sum->weight[0]) {
            return false;
        }
    }
    return true;
}

/* Probability that at most `most` of the B_j are 0, by the recursion over j on the number of zeros so far: work[z]. */
static double few_zeros(const upper_tail *t, int most, double *work) {
    work[0] = 1;
    for (int z = 1; z <= most; z++) {
        work[z] = 0;
    }
    for (int j = 0; j < t->sum->n; j++) {
        double one = chance(t, j), zero = t->mirrored ? t->sum->chance[j] : 1 - one;
        for (int z = j < most ? j + 1 : most; z > 0; z--) {
            work[z] = work[z] * one + work[z - 1] * zero;
        }
        work[0] *= one;
    }
    double all = 0;
    for (int z = 0; z <= most; z++) {
        all += work[z];
    }
    return fmin(1, all * (1 + 4 * DBL_EPSILON * t->sum->n));
}

/* True if the Poisson binomial is worth its steps: it is in *tail then. */
static bool poisson_binomial(const upper_tail *t, double *work, double *tail) {
    int n = t->sum->n;
    int least = (int)fmin(n, ceil(t->distance / t->sum->weight[0])); /* >= 1 */
    int most_zeros = n - least;
    if ((double)n * (most_zeros + 1) > MOST_STEPS || !equal_weights(t->sum)) {
        return false;
    }
    *tail = few_zeros(t, most_zeros, work);
    return true;
}

/* Over all outcomes of the terms from j on, `reached` by those before and `rest` in reach. */
static double outcomes(const upper_tail *t, int j, double reached, double rest) {
    if (reached >= t->distance) {
        return 1;
    }
    if (j == t->sum->n || reached + rest < t->distance * (1 - 1e-14)) {
        return 0;
    }
    double one = chance(t, j), weight = t->sum->weight[j];
    return one * outcomes(t, j + 1, reached + weight, rest - weight) +
           (1 - one) * outcomes(t, j + 1, reached, rest - weight);
}

/* ---- exponential moments ------------------------------------------------------------------------------ */

typedef struct moment {
    double value, slope, curvature; /* of the logarithm of the bound, as a function of s */
} moment;

/* log(1 + c (e^{sw} - 1)) = s w + log(c + (1 - c) e^{-sw}): nothing overflows, and the products of several such terms
 * need one logarithm. */
static moment log_moment(const upper_tail *t, double s) {
    moment m = {.value = 0, .slope = t->total - t->distance, .curvature = 0};
    double product = 1;
    for (int j = 0; j < t->sum->n; j++) {
        double c = fmax(chance(t, j), 1e-150), w = t->sum->weight[j];
        double down = (1 - c) * exp(-s * w), both = c + down, share = down / both;
        m.slope -= w * share;
        m.curvature += w * w * share * (1 - share);
        product *= both;
        if (product < 1e-150) {
            m.value += log(product);
            product = 1;
        }
    }
    m.value += log(product);
    m.value += s * (t->total - t->distance);
    return m;
}

/* Newton for the root of the slope, which rises with s from below 0 to above; kept within the bracket found so far. Any
 * s gives a true bound, so it may stop early: when what is left to gain is below 1e-6 of the bound. */
static double best_moment(const upper_tail *t, double mean, double *best_s) {
    double least = 0, most = HUGE_VAL, best = 0, widest = 0;
    *best_s = 0;
    for (int j = 0; j < t->sum->n; j++) {
        widest = fmax(widest, t->sum->weight[j]);
    }
    double s = log(t->distance / mean) / widest; /* where the bound for many small terms has its minimum */
    for (int step = 0; step < 100 && s > 0 && s < 1e300; step++) {
        moment m = log_moment(t, s);
        if (m.value < best) {
            best = m.value;
            *best_s = s;
        }
        if (m.slope * m.slope <= 2e-6 * m.curvature || most - least <= 1e-12 * s) {
            break;
        }
        least = m.slope < 0 ? s : least;
        most = m.slope < 0 ? most : s;
        double next = s - m.slope / m.curvature;
        if (!(next > least && next < most)) {
            next = most < HUGE_VAL ? 0.5 * (least + most) : 2 * s;
        } else if (most >= HUGE_VAL) {
            next = fmin(next, 4 * s);
        }
        s = next;
    }
    return fmin(1, exp(best + 4 * DBL_EPSILON * (4 + t->sum->n) * (1 + *best_s * t->total)));
}

/* ---- both ----------------------------------------------------------------------------------------------- */

static double bound(const upper_tail *t, berth__tail_use use, double *work, double *s) {
    double mean = 0, tail;
    *s = HUGE_VAL;
    if (t->distance <= 0) {
        return 1;
    }
    if (t->distance > t->total) {
        return 0;
    }
    if (use == BERTH__TAIL_INDEPENDENT) {
        *s = (double)NAN;
        if (poisson_binomial(t, work, &tail)) {
            return tail;
        }
        if (t->sum->n <= FEW_TERMS) {
            return fmin(1, outcomes(t, 0, 0, t->total) * (1 + 64 * DBL_EPSILON));
        }
    }
    for (int j = 0; j < t->sum->n; j++) {
        mean += chance(t, j) * t->sum->weight[j];
    }
    *s = 0;
    return t->distance > mean ? best_moment(t, mean, s) : 1;
}

static double total_weight(const berth__weighted_sum *sum) {
    double total = 0;
    for (int j = 0; j < sum->n; j++) {
        total += sum->weight[j];
    }
    return total;
}

static double tolerance(const berth__weighted_sum *sum, double level) {
    return 1e-11 * fmax(fabs(level), sum->constant);
}

double berth__tail_at_least(const berth__weighted_sum *sum, double level, berth__tail_use use, double *work,
                            double *s) {
    double ignored;
    upper_tail t = {.sum = sum, .distance = level - sum->constant - tolerance(sum, level), .total = total_weight(sum)};
    return bound(&t, use, work, s != NULL ? s : &ignored);
}

double berth__tail_at_most(const berth__weighted_sum *sum, double level, berth__tail_use use, double *work, double *s) {
    double ignored, total = total_weight(sum);
    upper_tail t = {.sum = sum,
                    .mirrored = true,
                    .distance = total - (level - sum->constant) - tolerance(sum, level),
                    .total = total};
    return bound(&t, use, work, s != NULL ? s : &ignored);
}
