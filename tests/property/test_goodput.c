/* The best batch against trying all of them, and what must hold of goodput whatever the job is like.
 *
 * Seeds are fixed: a pass today is a pass for ever. */
#include <berth_goodput.h>

#include "base/pcg.h"
#include "tests/support/check.h"
#include "tests/support/goodput_twin.h"

#include <string.h>

enum { MOST_REPLICAS = 64 };

static bool chance(berth__pcg *stream, double p) {
    return berth__pcg_uniform(stream) < p;
}

static double between(berth__pcg *stream, double low, double high) {
    return low * pow(high / low, berth__pcg_uniform(stream));
}

static double zero_or(berth__pcg *stream, double p, double low, double high) {
    return chance(stream, p) ? 0 : between(stream, low, high);
}

/* Of any kind; `most` bounds max_batch. Accumulation that costs nothing at all is frequent: there the search is hard.
 */
static berth_goodput_profile draw_profile(berth__pcg *s, double most) {
    berth_goodput_profile p;
    berth_goodput_profile_init(&p);
    p.alpha_c = zero_or(s, 0.3, 1e-8, 1);
    p.beta_c = p.alpha_c == 0 ? between(s, 1e-6, 0.1) : zero_or(s, 0.1, 1e-8, 0.1);
    p.alpha_n = zero_or(s, 0.2, 1e-8, 10);
    p.beta_n = zero_or(s, 0.3, 1e-8, 0.1);
    p.alpha_r = zero_or(s, 0.2, 1e-8, 1);
    p.beta_r = zero_or(s, 0.3, 1e-8, 0.1);
    p.gamma = chance(s, 0.2) ? 1 : chance(s, 0.2) ? 10 : 1 + 4 * berth__pcg_uniform(s);
    p.m0 = floor(between(s, 1, most));
    p.max_batch = floor(between(s, p.m0, most));
    p.min_local = chance(s, 0.3) ? 1 : floor(between(s, 1, most / 4));
    p.max_local = floor(between(s, p.min_local, most));
    p.accumulation = chance(s, 0.8);
    p.grad_sqr = zero_or(s, 0.15, 1e-6, 1e15);
    p.grad_var = zero_or(s, 0.15, 1e-2 * (p.grad_sqr + 1e-9), 1e5 * (p.grad_sqr + 1e-9));
    return p;
}

static void assert_sound(const berth_goodput_point *point, const berth_goodput_profile *p, bool within) {
    assert_true(isfinite(point->goodput) && point->goodput >= 0);
    if (point->goodput == 0) {
        assert_int_equal(point->local, 0);
        return;
    }
    assert_true(isfinite(point->step_s) && point->step_s > 0 && isfinite(point->throughput));
    assert_true(point->efficiency > 0 && point->efficiency <= 1 + 1e-15);
    assert_true(point->local >= p->min_local && point->local <= p->max_local);
    assert_true(point->batch >= p->m0 && (!within || point->batch <= p->max_batch));
    assert_true(p->accumulation || point->accumulation == 0);
    assert_close(point->goodput, point->throughput * point->efficiency, 0);
}

/* Runs `check` on the tables of random profiles. */
typedef void check_point(const berth_goodput_profile *profile, bool spread, uint32_t replicas,
                         const berth_goodput_point *point);

static void with_tables(uint64_t seed, int profiles, double most, berth_batch_mode mode, check_point *check) {
    berth__pcg stream = berth__pcg_seed(seed, 0);
    for (int k = 0; k < profiles; k++) {
        const berth_goodput_profile p = draw_profile(&stream, most);
        const uint32_t n = 1 + (uint32_t)berth__pcg_integer(&stream, 0, MOST_REPLICAS - 1);
        berth_goodput_point local[MOST_REPLICAS], spread[MOST_REPLICAS];
        berth_error error;
        assert_ok(berth_goodput_table(&p, mode, n, local, spread, &error), error);
        assert_true(spread[0].goodput == 0);
        for (uint32_t i = 0; i < n; i++) {
            check(&p, false, i + 1, &local[i]);
            if (i > 0) {
                check(&p, true, i + 1, &spread[i]);
            }
        }
    }
}

static void check_grid(const berth_goodput_profile *p, bool spread, uint32_t replicas,
                       const berth_goodput_point *point) {
    const berth_goodput_point twin = goodput_twin_best(p, BERTH_BATCH_GRID, spread, replicas);
    assert_sound(point, p, false);
    if (memcmp(point, &twin, sizeof twin) != 0) {
        fail_msg("%u replicas: %.17g at m %u, s %u; there is %.17g at m %u, s %u", replicas, point->goodput,
                 point->local, point->accumulation, twin.goodput, twin.local, twin.accumulation);
    }
}

static void test_grid_is_all_points(void **state) {
    (void)state;
    with_tables(1, 500, 1000, BERTH_BATCH_GRID, check_grid);
    with_tables(2, 300, 1e9, BERTH_BATCH_GRID, check_grid);
}

static void check_exact(const berth_goodput_profile *p, bool spread, uint32_t replicas,
                        const berth_goodput_point *point) {
    const berth_goodput_point twin = goodput_twin_best(p, BERTH_BATCH_EXACT, spread, replicas);
    assert_sound(point, p, true);
    if (fabs(point->goodput - twin.goodput) > 1e-12 * twin.goodput) {
        fail_msg("%u replicas: %.17g at m %u, s %u; there is %.17g at m %u, s %u", replicas, point->goodput,
                 point->local, point->accumulation, twin.goodput, twin.local, twin.accumulation);
    }
}

static void test_exact_is_all_integers(void **state) {
    (void)state;
    with_tables(3, 3000, 60, BERTH_BATCH_EXACT, check_exact);
    with_tables(4, 300, 1000, BERTH_BATCH_EXACT, check_exact);
}

/* Rounding up takes a point of the grid beyond max_batch at times; no integers are worse than any other. */
static void check_above_grid(const berth_goodput_profile *p, bool spread, uint32_t replicas,
                             const berth_goodput_point *point) {
    const berth_goodput_point grid = goodput_twin_best(p, BERTH_BATCH_GRID, spread, replicas);
    assert_sound(point, p, true);
    if (grid.batch <= p->max_batch) {
        assert_true(point->goodput >= grid.goodput * (1 - 1e-12));
    }
}

static void test_exact_is_not_below_grid(void **state) {
    (void)state;
    with_tables(5, 500, 1e5, BERTH_BATCH_EXACT, check_above_grid);
    with_tables(6, 50, 1e9, BERTH_BATCH_EXACT, check_above_grid);
}

/* ---- what a change does ---- */

/* Changes that let no m and s become better, and none new. */
static void worsen(berth__pcg *s, berth_goodput_profile *p) {
    double *const costs[] = {&p->alpha_c, &p->beta_c, &p->alpha_n, &p->beta_n, &p->alpha_r, &p->beta_r};
    const int which = (int)berth__pcg_integer(s, 0, 10);
    if (which < 6) {
        *costs[which] = *costs[which] * between(s, 1, 10) + zero_or(s, 0.5, 1e-8, 1e-3);
    } else if (which == 6) {
        p->gamma -= (p->gamma - 1) * berth__pcg_uniform(s);
    } else if (which == 7) {
        p->max_batch = floor(between(s, p->m0, p->max_batch));
    } else if (which == 8) {
        p->max_local = floor(between(s, p->min_local, p->max_local));
    } else if (which == 9) {
        p->min_local = floor(between(s, p->min_local, p->max_local));
    } else {
        p->grad_var *= berth__pcg_uniform(s);
    }
}

static void test_what_is_worse_is_not_better(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(7, 0);
    for (int k = 0; k < 5000; k++) {
        const berth_goodput_profile p = draw_profile(&stream, 1e4);
        berth_goodput_profile q = p;
        worsen(&stream, &q);
        const uint32_t replicas = 1 + (uint32_t)berth__pcg_integer(&stream, 0, MOST_REPLICAS - 1);
        const uint32_t nodes = 1 + (uint32_t)berth__pcg_integer(&stream, 0, replicas > 1);
        berth_goodput_point before, after;
        berth_error error;
        assert_ok(berth_goodput_best(&p, BERTH_BATCH_EXACT, nodes, replicas, &before, &error), error);
        assert_ok(berth_goodput_best(&q, BERTH_BATCH_EXACT, nodes, replicas, &after, &error), error);
        assert_true(after.goodput <= before.goodput * (1 + 1e-12));
    }
}

/* ---- extremes ---- */

static double pick(berth__pcg *s, const double *from, int n) {
    return from[berth__pcg_integer(s, 0, n - 1)];
}

static berth_goodput_profile draw_extreme(berth__pcg *s) {
    static const double times[] = {0, 1e-15, 1e-8, 1, 1e12}, gammas[] = {1, 1.0000001, 2, 10},
                        sizes[] = {1, 2, 1000, 999999937, 1e9}, noise[] = {0, 1e-300, 1, 1e300};
    berth_goodput_profile p;
    berth_goodput_profile_init(&p);
    p.alpha_c = pick(s, times, 5);
    p.beta_c = pick(s, times, 5);
    p.alpha_n = pick(s, times, 5);
    p.beta_n = pick(s, times, 5);
    p.alpha_r = pick(s, times, 5);
    p.beta_r = pick(s, times, 5);
    p.gamma = pick(s, gammas, 4);
    p.m0 = pick(s, sizes, 5);
    p.max_batch = fmax(p.m0, pick(s, sizes, 5));
    p.min_local = pick(s, sizes, 5);
    p.max_local = fmax(p.min_local, pick(s, sizes, 5));
    p.accumulation = chance(s, 0.5);
    p.grad_sqr = pick(s, noise, 4);
    p.grad_var = pick(s, noise, 4);
    if (p.alpha_c + p.beta_c == 0) {
        p.alpha_c = 1;
    }
    return p;
}

static void test_extremes_are_finite(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(8, 0);
    const uint32_t replicas[] = {1, 2, 3, 1000, 1000000000, UINT32_MAX};
    for (int k = 0; k < 20000; k++) {
        const berth_goodput_profile p = draw_extreme(&stream);
        const uint32_t n = replicas[berth__pcg_integer(&stream, 0, 5)];
        const uint32_t nodes = n > 1 && chance(&stream, 0.5) ? 2 : 1;
        const bool exact = chance(&stream, 0.3);
        berth_goodput_point point;
        berth_error error;
        assert_ok(berth_goodput_best(&p, exact ? BERTH_BATCH_EXACT : BERTH_BATCH_GRID, nodes, n, &point, &error),
                  error);
        assert_sound(&point, &p, exact);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid_is_all_points),      cmocka_unit_test(test_exact_is_all_integers),
        cmocka_unit_test(test_exact_is_not_below_grid), cmocka_unit_test(test_what_is_worse_is_not_better),
        cmocka_unit_test(test_extremes_are_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
