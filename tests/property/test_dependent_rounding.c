/* Dependent rounding: sums with certainty, means kept, no positive correlation. */
#include "tests/support/check.h"

#include "base/pcg.h"
#include "rounding/dependent.h"

#include <string.h>

enum { GROUPS = 3, VARS = 17 };

/* Group 0 sums to exactly 4 up to rounding, group 1 to something fractional, group 2 holds integers only. */
static void make_groups(double *x, int *group) {
    static const double values[VARS] = {0.1,  0.45, 0.7, 1.3,  0.2, 0.25, 1.0,  0.61, 0.05,
                                        0.33, 2.4,  3.0, 0.91, 0.3, 0.0,  0.17, 0.62};
    static const int groups[VARS] = {0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 2, -1, 0, 2, -1, 1};
    memcpy(x, values, sizeof values);
    memcpy(group, groups, sizeof groups);
    x[13] = 4 - (0.1 + 0.7 + 1.3 + 0.2 + 0.25 + 1.0 + 0.05);
}

static void sum_groups(const double *x, const int *group, double *sum) {
    memset(sum, 0, GROUPS * sizeof *sum);
    for (int j = 0; j < VARS; j++) {
        if (group[j] >= 0) {
            sum[group[j]] += x[j];
        }
    }
}

/* Group sums with certainty; means over 10^5 draws within 5 standard deviations (false alarm 6e-7 each, 17 of them);
 * the covariance of every two of a group at most 5 standard deviations above 0 (of a product of two variables of at
 * most 1/4 variance: 1/4 / sqrt(draws)); some clearly below, which independent rounding would not give. */
static void dependent_rounding_keeps_sums_and_means(void **state) {
    (void)state;
    enum { DRAWS = 100000 };
    static double product[VARS][VARS];
    double x[VARS], out[VARS], mean[VARS] = {0}, sum[GROUPS], target[GROUPS];
    int group[VARS];
    make_groups(x, group);
    sum_groups(x, group, target);
    memset(product, 0, sizeof product);
    berth__pcg stream = berth__pcg_seed(11, 1);
    for (int draw = 0; draw < DRAWS; draw++) {
        assert_int_equal(berth__round_dependent(VARS, x, group, GROUPS, &stream, out), BERTH_OK);
        sum_groups(out, group, sum);
        assert_close(sum[0], 4, 0);
        assert_true(sum[1] >= floor(target[1]) && sum[1] <= ceil(target[1]));
        assert_close(sum[2], 3, 0);
        for (int j = 0; j < VARS; j++) {
            assert_true(out[j] >= floor(x[j]) && out[j] <= ceil(x[j]));
            mean[j] += out[j] / DRAWS;
            for (int k = 0; k < j; k++) {
                product[j][k] += (out[j] - x[j]) * (out[k] - x[k]) / DRAWS;
            }
        }
    }
    double least = 0;
    for (int j = 0; j < VARS; j++) {
        double part = x[j] - floor(x[j]);
        assert_true(fabs(mean[j] - x[j]) <= 5 * sqrt(part * (1 - part) / DRAWS) + 1e-9);
        for (int k = 0; k < j; k++) {
            bool together = group[j] >= 0 && group[j] == group[k];
            assert_true(product[j][k] < 5 * 0.25 / sqrt(DRAWS));
            assert_true(together || product[j][k] > -5 * 0.25 / sqrt(DRAWS));
            least = fmin(least, product[j][k]);
        }
    }
    assert_true(least < -0.03);
}

/* Negative correlation beyond pairs: P(all of a group's set are up) <= product of the means (here .5^3), likewise all
 * down. 4.5 standard deviations: false alarm 4e-6 each. */
static void dependent_rounding_is_negatively_correlated(void **state) {
    (void)state;
    enum { DRAWS = 100000 };
    double x[] = {0.5, 0.5, 0.5, 0.3, 0.5}, out[5];
    int group[] = {0, 0, 0, 0, 0}, up = 0, down = 0;
    berth__pcg stream = berth__pcg_seed(11, 2);
    for (int draw = 0; draw < DRAWS; draw++) {
        assert_int_equal(berth__round_dependent(5, x, group, 1, &stream, out), BERTH_OK);
        double n = out[0] + out[2] + out[4];
        up += n > 2.5;
        down += n < 0.5;
    }
    double limit = 0.125 + 4.5 * sqrt(0.125 * 0.875 / DRAWS);
    assert_true((double)up / DRAWS < limit && (double)down / DRAWS < limit);
}

/* Thousands of parts that sum to an integer but for rounding: certainty must not wear off. */
static void dependent_rounding_of_long_groups(void **state) {
    (void)state;
    enum { N = 6000 };
    static double x[N], out[N];
    static int group[N];
    berth__pcg stream = berth__pcg_seed(11, 3);
    for (int round = 0; round < 100; round++) {
        double total = 0, sum = 0, scale;
        for (int j = 0; j < N; j++) {
            x[j] = berth__pcg_uniform(&stream) * (j % 3 == 0 ? 1e-9 : 1); /* some too small to matter alone */
            total += x[j];
        }
        scale = (floor(total) - 1) / total;
        for (int j = 0; j < N; j++) {
            x[j] *= scale;
        }
        assert_int_equal(berth__round_dependent(N, x, group, 1, &stream, out), BERTH_OK);
        for (int j = 0; j < N; j++) {
            sum += out[j];
        }
        assert_close(sum, floor(total) - 1, 0);
    }
    assert_int_equal(berth__round_dependent(0, x, group, 0, &stream, out), BERTH_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_rounding_keeps_sums_and_means),
        cmocka_unit_test(dependent_rounding_is_negatively_correlated),
        cmocka_unit_test(dependent_rounding_of_long_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
