/* The benchmark's statistics (bench/stats.h): order statistics against counted-out ones, exponents against powers. */
#include "tests/support/check.h"

#include "bench/stats.h"

static void test_summary_of_an_odd_number(void **state) {
    (void)state;
    const double samples[] = {9, 1, 5, 3, 100};
    bench_summary s = bench_summarise(samples, 5);
    assert_int_equal(s.n, 5);
    assert_true(s.min == 1 && s.q1 == 3 && s.median == 5 && s.q3 == 9 && s.max == 100);
    assert_true(s.mad == 4); /* of 4, 4, 0, 2, 95 */
    assert_true(samples[0] == 9 && samples[4] == 100);
}

/* Quartiles are interpolated: between the samples 0 and 1, 1 and 2, 2 and 3 counted from 0. */
static void test_summary_of_an_even_number(void **state) {
    (void)state;
    const double samples[] = {4, 2, 8, 1};
    bench_summary s = bench_summarise(samples, 4);
    assert_close(s.q1, 1.75, 1e-15);
    assert_close(s.median, 3, 1e-15);
    assert_close(s.q3, 5, 1e-15);
    assert_close(s.mad, 1.5, 1e-15); /* of 1, 1, 2, 5 */
}

static void test_summary_of_one_and_none(void **state) {
    (void)state;
    const double one[] = {7}, none[] = {(double)NAN, (double)INFINITY};
    bench_summary s = bench_summarise(one, 1);
    assert_true(s.n == 1 && s.min == 7 && s.q1 == 7 && s.median == 7 && s.q3 == 7 && s.max == 7 && s.mad == 0);
    s = bench_summarise(none, 2);
    assert_int_equal(s.n, 0);
    assert_true(isnan(s.min) && isnan(s.q1) && isnan(s.median) && isnan(s.q3) && isnan(s.max) && isnan(s.mad));
    assert_true(isnan(bench_summarise(NULL, 0).median));
}

static void test_summary_leaves_out_what_is_not_finite(void **state) {
    (void)state;
    const double samples[] = {(double)NAN, 3, (double)INFINITY, 1, 2};
    bench_summary s = bench_summarise(samples, 5);
    assert_true(s.n == 3 && s.min == 1 && s.median == 2 && s.max == 3);
}

/* The value is a ratio of medians (40 / 4), the quartiles are of the ratios 10, 10, 20, 5, 2. */
static void test_ratio(void **state) {
    (void)state;
    const double reference[] = {20, 40, 80, 10, 100}, run[] = {2, 4, 4, 2, 50};
    bench_ratio ratio = bench_ratio_of(reference, run, 5);
    assert_close(ratio.value, 10, 1e-15);
    assert_close(ratio.q1, 5, 1e-15);
    assert_close(ratio.q3, 10, 1e-15);
    assert_true(isnan(bench_ratio_of(reference, run, 0).value));
}

/* Noise that hits a pair leaves its ratio alone. */
static void test_ratio_is_blind_to_common_noise(void **state) {
    (void)state;
    double reference[8], run[8];
    for (int i = 0; i < 8; i++) {
        run[i] = 1 + i * i;
        reference[i] = 3 * run[i];
    }
    bench_ratio ratio = bench_ratio_of(reference, run, 8);
    assert_close(ratio.value, 3, 1e-15);
    assert_close(ratio.q1, 3, 1e-15);
    assert_close(ratio.q3, 3, 1e-15);
}

static void test_exponent(void **state) {
    (void)state;
    const double x[] = {10, 100, 1000, 10000};
    double y[4];
    for (int i = 0; i < 4; i++) {
        y[i] = 0.02 * pow(x[i], 1.5);
    }
    assert_close(bench_exponent(x, y, 4), 1.5, 1e-12);
    assert_close(bench_exponent(x, y, 2), 1.5, 1e-12);
    /* log y = 0, 1, 1 over log x = 0, 1, 2: the least-squares slope is 1/2. */
    const double steps[] = {1, 2, 4}, rough[] = {1, 2, 2};
    assert_close(bench_exponent(steps, rough, 3), 0.5, 1e-12);
}

static void test_exponent_of_too_little(void **state) {
    (void)state;
    const double x[] = {3, 3, 3, 5}, y[] = {1, 2, 4, 0}, good_x[] = {1, -1, 2}, good_y[] = {1, 5, 4};
    assert_true(isnan(bench_exponent(x, y, 0)));
    assert_true(isnan(bench_exponent(x, y, 1)));
    assert_true(isnan(bench_exponent(x, y, 3))); /* one x only */
    assert_true(isnan(bench_exponent(x, y, 4))); /* 0 has no logarithm */
    assert_close(bench_exponent(good_x, good_y, 3), 2, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_summary_of_an_odd_number),
        cmocka_unit_test(test_summary_of_an_even_number),
        cmocka_unit_test(test_summary_of_one_and_none),
        cmocka_unit_test(test_summary_leaves_out_what_is_not_finite),
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_ratio_is_blind_to_common_noise),
        cmocka_unit_test(test_exponent),
        cmocka_unit_test(test_exponent_of_too_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
