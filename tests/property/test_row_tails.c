/* The tails of weighted Bernoulli sums against enumeration of all outcomes. Nothing here depends on luck. */
#include "tests/support/check.h"

#include "base/pcg.h"
#include "rounding/row_tails.h"

enum { MOST = 12, LARGE = 300 };

typedef struct drawn {
    double weight[LARGE], chance[LARGE];
    berth__weighted_sum sum;
} drawn;

static double draw_chance(berth__pcg *stream) {
    double u = berth__pcg_uniform(stream);
    switch (berth__pcg_integer(stream, 0, 5)) {
    case 0:
        return 1e-9 + 1e-9 * u;
    case 1:
        return 1 - 1e-9 * (1 + u);
    default:
        return fmin(0.999, fmax(0.001, u));
    }
}

static void draw(drawn *d, int n, berth__pcg *stream) {
    int style = (int)berth__pcg_integer(stream, 0, 2);
    d->sum = (berth__weighted_sum){.n = n, .weight = d->weight, .chance = d->chance};
    d->sum.constant = berth__pcg_integer(stream, 0, 1) == 0 ? 0 : (double)berth__pcg_integer(stream, 0, 30) / 10;
    for (int j = 0; j < n; j++) {
        double weights[] = {0.3, (double)berth__pcg_integer(stream, 1, 20) / 10,
                            pow(10, 4 * berth__pcg_uniform(stream) - 2)};
        d->weight[j] = weights[style];
        d->chance[j] = draw_chance(stream);
    }
}

/* P(X <= level) and P(X >= level) over all 2^n outcomes, in long double. Values within `same` of the level count as the
 * level for `above` and `below` alike if same > 0, and do not if same < 0. */
static void enumerate(const berth__weighted_sum *sum, double level, long double same, long double *below,
                      long double *above) {
    *below = *above = 0;
    for (unsigned set = 0; set < 1U << sum->n; set++) {
        long double value = (long double)sum->constant, probability = 1;
        for (int j = 0; j < sum->n; j++) {
            bool one = (set >> j & 1U) != 0;
            value += one ? (long double)sum->weight[j] : 0;
            probability *= one ? (long double)sum->chance[j] : 1 - (long double)sum->chance[j];
        }
        *below += value <= (long double)level + same ? probability : 0;
        *above += value >= (long double)level - same ? probability : 0;
    }
}

/* A level where something is: a value of the sum, between two, or beyond either end. */
static double draw_level(const berth__weighted_sum *sum, berth__pcg *stream) {
    double level = sum->constant;
    for (int j = 0; j < sum->n; j++) {
        level += berth__pcg_integer(stream, 0, 1) == 1 ? sum->weight[j] : 0;
    }
    switch (berth__pcg_integer(stream, 0, 4)) {
    case 0:
        return level * (1 + 1e-6);
    case 1:
        return level * (1 - 1e-6);
    case 2:
        return level * 1.3 * berth__pcg_uniform(stream);
    default:
        return level;
    }
}

static bool all_equal(const berth__weighted_sum *sum) {
    for (int j = 1; j < sum->n; j++) {
        if (sum->weight[j] < sum->weight[0] || sum->weight[j] > sum->weight[0]) {
            return false;
        }
    }
    return true;
}

/* Never below the truth, and equal to it where it says it is exact. */
static void check(const berth__weighted_sum *sum, double level, bool lower, long double at_least, long double at_most) {
    double work[MOST + 1], s;
    double (*tail)(const berth__weighted_sum *, double, berth__tail_use, double *, double *) =
        lower ? berth__tail_at_most : berth__tail_at_least;
    double best = tail(sum, level, BERTH__TAIL_INDEPENDENT, work, &s);
    assert_true((long double)best >= at_least * (1 - 1e-12L));
    assert_true(best <= 1);
    if (sum->n <= 10 || all_equal(sum)) {
        assert_true((long double)best <= at_most * (1 + 1e-12L));
    }
    double moment = tail(sum, level, BERTH__TAIL_MOMENTS, work, &s);
    assert_true((long double)moment >= at_least * (1 - 1e-12L) && moment <= 1);
    assert_true(moment >= best * (1 - 1e-12));
}

static void never_below_the_truth(void **state) {
    (void)state;
    drawn d;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){41, seed});
        draw(&d, (int)berth__pcg_integer(&stream, 0, seed % 8 == 0 ? MOST : 8), &stream);
        for (int k = 0; k < 4; k++) {
            double level = draw_level(&d.sum, &stream);
            long double same = 1e-11L * fmaxl((long double)level, (long double)d.sum.constant), below, above,
                        most_below, most_above;
            enumerate(&d.sum, level, 0.5L * same, &below, &above);
            enumerate(&d.sum, level, 2 * same, &most_below, &most_above);
            check(&d.sum, level, true, below, most_below);
            check(&d.sum, level, false, above, most_above);
        }
    }
}

/* The moment bound is the minimum over s: a search over a fine grid of s finds nothing better, and its s gives it. */
static void moments_are_minimal(void **state) {
    (void)state;
    drawn d;
    double work[LARGE + 1];
    int nontrivial = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){42, seed});
        draw(&d, (int)berth__pcg_integer(&stream, 2, 60), &stream);
        double level = draw_level(&d.sum, &stream), s;
        double bound = berth__tail_at_least(&d.sum, level, BERTH__TAIL_MOMENTS, work, &s), best = 1, at_s = 1;
        for (int k = -1; k < 4000; k++) {
            double try = k < 0 ? s : 1e-6 * exp(k * 0.006), value = -try * (level - d.sum.constant);
            for (int j = 0; j < d.sum.n; j++) {
                double a = try * d.weight[j];
                value += a + log(d.chance[j] + (1 - d.chance[j]) * exp(-a));
            }
            best = isnan(value) ? best : fmin(best, exp(value));
            at_s = k < 0 ? exp(value) : at_s;
        }
        if (bound > 0 && bound < 1) {
            nontrivial++;
            assert_true(bound <= best * (1 + 1e-4) && bound >= best * (1 - 1e-4));
            assert_true(fabs(at_s / bound - 1) < 1e-6);
        }
    }
    assert_true(nontrivial > 100);
}

/* Rows longer than can be enumerated, against the full convolution in long double. */
static void long_equal_rows(void **state) {
    (void)state;
    drawn d;
    double work[LARGE + 1];
    for (uint64_t seed = 0; seed < 40; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){43, seed});
        int n = (int)berth__pcg_integer(&stream, 1, LARGE);
        long double p[LARGE + 1] = {1}, below = 0;
        for (int j = 0; j < n; j++) {
            d.weight[j] = 0.1;
            d.chance[j] = draw_chance(&stream);
            for (int z = j + 1; z >= 0; z--) {
                p[z] = p[z] * (1 - (long double)d.chance[j]) + (z > 0 ? p[z - 1] * (long double)d.chance[j] : 0);
            }
        }
        d.sum = (berth__weighted_sum){.constant = 0.7, .n = n, .weight = d.weight, .chance = d.chance};
        for (int count = 0; count <= n; count++) {
            below += p[count];
            long double above = 1 - below + p[count];
            double level = 0.7 + 0.1 * count;
            double low = berth__tail_at_most(&d.sum, level, BERTH__TAIL_INDEPENDENT, work, NULL);
            double high = berth__tail_at_least(&d.sum, level, BERTH__TAIL_INDEPENDENT, work, NULL);
            assert_true(fabsl((long double)low - below) <= 1e-12L && fabsl((long double)high - above) <= 1e-12L);
            double moment = berth__tail_at_most(&d.sum, level, BERTH__TAIL_MOMENTS, work, NULL);
            assert_true(moment >= low * (1 - 1e-11));
        }
    }
}

static void certain_ends(void **state) {
    (void)state;
    double weight[] = {1, 2}, chance[] = {0.5, 0.25}, work[3], s;
    berth__weighted_sum sum = {.constant = 3, .n = 2, .weight = weight, .chance = chance};
    berth__tail_use uses[] = {BERTH__TAIL_INDEPENDENT, BERTH__TAIL_MOMENTS};
    for (int u = 0; u < 2; u++) {
        assert_close(berth__tail_at_least(&sum, 3, uses[u], work, &s), 1, 0);
        assert_close(berth__tail_at_least(&sum, 6.1, uses[u], work, &s), 0, 0);
        assert_close(s, HUGE_VAL, 0);
        assert_close(berth__tail_at_most(&sum, 6, uses[u], work, &s), 1, 0);
        assert_close(berth__tail_at_most(&sum, 2.9, uses[u], work, &s), 0, 0);
        /* The very ends: one outcome, which the moment bound reaches as s grows. */
        assert_close(berth__tail_at_least(&sum, 6, uses[u], work, &s), 0.125, 1e-6);
        assert_close(berth__tail_at_most(&sum, 3, uses[u], work, &s), 0.375, 1e-6);
    }
    sum.n = 0;
    assert_close(berth__tail_at_least(&sum, 3, BERTH__TAIL_MOMENTS, work, &s), 1, 0);
    assert_close(berth__tail_at_least(&sum, 3.1, BERTH__TAIL_MOMENTS, work, &s), 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_below_the_truth),
        cmocka_unit_test(moments_are_minimal),
        cmocka_unit_test(long_equal_rows),
        cmocka_unit_test(certain_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
