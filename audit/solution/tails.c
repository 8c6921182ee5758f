#include "audit/solution/tails.h"

#include <math.h>

#define MOST_STEPS 2e8   /* of a Poisson binomial */
#define SAME       1e-13 /* values that differ by less, relatively, are equal */

enum { FEW_TERMS = 12 };

void berth__tail_clear(berth__tail *t) {
    t->n = 0;
    t->constant = t->mean = t->total = t->largest = 0;
    t->least = (double)INFINITY;
}

void berth__tail_add(berth__tail *t, double value, double chance) {
    t->terms[t->n++] = (berth__tail_term){value, chance};
    t->mean += value * chance;
    t->total += value;
    t->largest = fmax(t->largest, value);
    t->least = fmin(t->least, value);
}

/* Is it 0 or 1 whatever the draws are? Else NAN. */
static double certain(const berth__tail *t, double level, bool up) {
    double least = t->constant, most = t->constant + t->total;
    if (up) {
        return most < level ? 0 : least >= level ? 1 : (double)NAN;
    }
    return least > level ? 0 : most <= level ? 1 : (double)NAN;
}

double berth__tail_plain(const berth__tail *t, double level, bool up) {
    double sure = certain(t, level, up);
    if (!isnan(sure)) {
        return sure;
    }
    double d = level - t->constant, beyond = d / t->mean;
    double markov = up ? t->mean / d : (t->total - t->mean) / (t->total - d);
    if (up ? !(beyond > 1) : !(beyond < 1)) {
        return 1;
    }
    double h = beyond > 0 ? beyond * log(beyond) - beyond + 1 : 1;
    return fmin(fmin(1, markov), exp(-t->mean / t->largest * h));
}

/* ---- Chernoff ---- */

/* P(sum >= d) for the given terms, or for their complements value_k (1 - X_k). */
typedef struct exponent {
    const berth__tail *tail;
    bool complement;
    double d;
} exponent;

/* ln of the bound at s, in units where the largest value is 1; its first two derivatives. */
static double log_bound(const exponent *e, double s, double *first, double *second) {
    double unit = e->tail->largest, sum = -s * e->d / unit;
    *first = -e->d / unit;
    *second = 0;
    for (size_t k = 0; k < e->tail->n; k++) {
        double v = e->tail->terms[k].value / unit, chance = e->tail->terms[k].chance;
        double p = e->complement ? 1 - chance : chance, left = (1 - p) * exp(-s * v);
        double tilted = p / (p + left);
        sum += s * v < 30 ? log1p(p * expm1(s * v)) : s * v + log(p + left);
        *first += v * tilted;
        *second += v * v * tilted * (1 - tilted);
    }
    return sum;
}

/* The least of a convex function by Newton's method within a bracket of the root of its derivative. Any s is a valid
 * bound. */
static double least_log_bound(const exponent *e) {
    enum { MOST_ROUNDS = 200 };
    double low = 0, high = (double)INFINITY, s = 1, least = 0;
    for (int round = 0; round < MOST_ROUNDS && s < 1e12; round++) {
        double first, second, value = log_bound(e, s, &first, &second);
        least = fmin(least, value);
        if (first > 0) {
            high = s;
        } else {
            low = s;
        }
        double step = second > 0 ? s - first / second : high;
        double next = step > low && step < high ? step : isfinite(high) ? (low + high) / 2 : 2 * s;
        next = fmin(next, 16 * s); /* where the function is nearly straight a step says little */
        if (fabs(next - s) <= 1e-9 * s || fabs(first * (next - s)) <= 1e-12) {
            break;
        }
        s = next;
    }
    return least;
}

double berth__tail_chernoff(const berth__tail *t, double level, bool up) {
    double sure = certain(t, level, up);
    if (!isnan(sure)) {
        return sure;
    }
    exponent e = {.tail = t, .complement = !up, .d = level - t->constant};
    double mean = t->mean;
    if (!up) { /* sum <= d is total - sum >= total - d */
        e.d = t->total - e.d;
        mean = t->total - mean;
    }
    return e.d > mean ? exp(least_log_bound(&e)) : 1;
}

/* ---- Poisson binomial ---- */

/* P(at least `least` of n succeed), least >= 1. work[c]: P(c so far), the last one absorbing. All terms are positive,
 * so nothing cancels. */
static double at_least(const berth__tail *t, bool complement, size_t least, double *work) {
    work[0] = 1;
    for (size_t c = 1; c <= least; c++) {
        work[c] = 0;
    }
    for (size_t k = 0; k < t->n; k++) {
        double one = t->terms[k].chance, p = complement ? 1 - one : one, q = complement ? one : 1 - one;
        work[least] += p * work[least - 1];
        for (size_t c = least - 1; c > 0; c--) {
            work[c] = work[c] * q + work[c - 1] * p;
        }
        work[0] *= q;
    }
    return work[least];
}

/* P(at most `most` of n succeed). */
static double at_most(const berth__tail *t, bool complement, size_t most, double *work) {
    for (size_t c = 0; c <= most; c++) {
        work[c] = c == 0;
    }
    for (size_t k = 0; k < t->n; k++) {
        double one = t->terms[k].chance, p = complement ? 1 - one : one, q = complement ? one : 1 - one;
        for (size_t c = most; c > 0; c--) {
            work[c] = work[c] * q + work[c - 1] * p;
        }
        work[0] *= q;
    }
    double sum = 0;
    for (size_t c = 0; c <= most; c++) {
        sum += work[c];
    }
    return sum;
}

/* All outcomes of the terms from k on, after a sum of those before; `rest`: the most that they can add. */
static double over_outcomes(const berth__tail *t, size_t k, double sum, double rest, double level, bool up) {
    if (k == t->n || (up ? sum >= level || sum + rest < level : sum > level || sum + rest <= level)) {
        return up ? sum >= level : sum <= level;
    }
    double value = t->terms[k].value, p = t->terms[k].chance;
    return p * over_outcomes(t, k + 1, sum + value, rest - value, level, up) +
           (1 - p) * over_outcomes(t, k + 1, sum, rest - value, level, up);
}

double berth__tail_exact(const berth__tail *t, double level, bool up, double *work) {
    double sure = certain(t, level, up);
    if (!isnan(sure)) {
        return sure;
    }
    if (t->least < t->largest * (1 - SAME)) {
        return t->n <= FEW_TERMS ? over_outcomes(t, 0, t->constant, t->total, level, up) : 1;
    }
    double n = (double)t->n, count = (level - t->constant) / t->largest;
    double reach = fmin(fmax(up ? ceil(count) : floor(count), up ? 1 : 0), up ? n : n - 1); /* it is not certain */
    if (n * fmin(reach, n - reach) > MOST_STEPS) {
        return 1;
    }
    size_t ones = (size_t)reach;
    double chance = up ? (ones <= t->n / 2 ? at_least(t, false, ones, work) : at_most(t, true, t->n - ones, work))
                       : (ones >= t->n / 2 ? at_least(t, true, t->n - ones, work) : at_most(t, false, ones, work));
    return fmin(1, chance * (1 + n * 0x1p-50));
}
