/* The schedule programme against exhaustive enumeration, and the cutting of work into quanta. */
#include "tests/support/check.h"

#include "base/pcg.h"
#include "base/tolerance.h"
#include "online/schedule.h"

#include <string.h>

enum { SLOTS = 4, OFFERS = 3 };

/* Least cost of gathering `needed` quanta in slots [t, last] by trying every combination. */
static double enumerate(berth__offer offers[SLOTS][OFFERS], const int *n, int t, int last, int needed) {
    if (needed <= 0) {
        return 0;
    }
    if (t > last) {
        return HUGE_VAL;
    }
    double best = enumerate(offers, n, t + 1, last, needed);
    for (int i = 0; i < n[t]; i++) {
        double rest = enumerate(offers, n, t + 1, last, needed - offers[t][i].quanta);
        best = fmin(best, offers[t][i].cost + rest);
    }
    return best;
}

/* Deterministic (fixed seed): no false failures. */
static void test_equals_enumeration(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(20221, 1);
    berth__schedule *traced = berth__schedule_new(), *plain = berth__schedule_new();
    assert_true(traced != NULL && plain != NULL);
    for (int round = 0; round < 3000; round++) {
        berth__offer offers[SLOTS][OFFERS];
        int n[SLOTS], needed = (int)berth__pcg_integer(&stream, 1, 12);
        berth_error error;
        assert_ok(berth__schedule_start(traced, needed, SLOTS, true, &error), error);
        assert_ok(berth__schedule_start(plain, needed, SLOTS, false, &error), error);
        for (int t = 0; t < SLOTS; t++) {
            berth__offer raw[OFFERS];
            for (int i = 0; i < OFFERS; i++) {
                /* Small integers make ties common. */
                raw[i] = (berth__offer){.quanta = (int)berth__pcg_integer(&stream, 0, 5),
                                        .cost = (double)berth__pcg_integer(&stream, 0, 6),
                                        .index = i};
                if (raw[i].quanta > needed) {
                    raw[i].quanta = needed;
                }
            }
            memcpy(offers[t], raw, sizeof raw);
            n[t] = OFFERS;
            int kept = berth__offers_prune(raw, OFFERS);
            double theta = berth__schedule_add_slot(traced, raw, kept);
            assert_true(theta == berth__schedule_add_slot(plain, raw, kept));
            assert_true(theta == enumerate(offers, n, 0, t, needed)); /* sums of small integers are exact */

            int index[SLOTS], progress = 0;
            double cost = 0;
            if (theta < HUGE_VAL) {
                berth__schedule_trace(traced, t, index);
                for (int k = 0; k <= t; k++) {
                    if (index[k] >= 0) {
                        progress += offers[k][index[k]].quanta;
                        cost += offers[k][index[k]].cost;
                    }
                }
                assert_true(progress >= needed);
                assert_true(cost == theta);
            }
        }
    }
    berth__schedule_free(traced);
    berth__schedule_free(plain);
    berth__schedule_free(NULL);
}

static void test_prune_keeps_the_undominated(void **state) {
    (void)state;
    berth__offer offers[] = {{3, 5, 0}, {2, 5, 1}, {3, 4, 2}, {0, 0, 3}, {1, 1, 4}, {4, HUGE_VAL, 5}, {1, 1, 6}};
    int n = berth__offers_prune(offers, 7);
    assert_int_equal(n, 2);
    assert_int_equal(offers[0].index, 4);
    assert_int_equal(offers[1].index, 2);
}

static berth__job job_of(double work, double internal, double external, int max_workers) {
    return (berth__job){.work = work, .slot_samples = {internal, external}, .max_workers = max_workers};
}

static void test_quantum_rules(void **state) {
    (void)state;
    berth__quanta q;
    /* A quarter of a worker-slot at the slower speed. */
    berth__job job = job_of(100, 20, 10, 8);
    assert_true(berth__quanta_of(&job, 200, 100, &q));
    assert_close(q.size, 2.5, 1e-15);
    assert_int_equal(q.needed, 40);
    /* At most `levels` quanta. */
    assert_true(berth__quanta_of(&job, 10, 100, &q));
    assert_close(q.size, 10, 1e-15);
    assert_int_equal(q.needed, 10);
    /* But a full-width slot is at least 8 of them. */
    assert_true(berth__quanta_of(&job, 1, 100, &q));
    assert_close(q.size, 10, 1e-15);
    assert_int_equal(q.needed, 10);
    job.max_workers = 1;
    assert_true(berth__quanta_of(&job, 200, 100, &q));
    assert_close(q.size, 1.25, 1e-15);
    /* Long jobs: whole parts of a full slot at the faster speed, so that full slots lose nothing. */
    job = job_of(80000, 10, 10, 1);
    assert_true(berth__quanta_of(&job, 200, 10080, &q));
    assert_close(q.size, 10, 1e-15);
    assert_int_equal(q.needed, 8000);
    /* A locality too slow to be of use does not cut the other into dust. */
    job = job_of(5, 1, 1e-6, 2);
    assert_true(berth__quanta_of(&job, 200, 3, &q));
    assert_true(q.needed <= 60000 && q.size <= 2);
    /* Absurdly long jobs are refused, not mangled. */
    job = job_of(1e9, 1, 1, 1);
    assert_false(berth__quanta_of(&job, 200, 1000, &q));
}

/* Down never overstates, up never understates, and the least worker count really is the least. */
static void test_quanta_rounding(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(20221, 2);
    for (int round = 0; round < 20000; round++) {
        berth__job job = job_of(exp(8 * berth__pcg_uniform(&stream)), exp(3 * berth__pcg_uniform(&stream)),
                                exp(3 * berth__pcg_uniform(&stream)), (int)berth__pcg_integer(&stream, 1, 50));
        berth__quanta q;
        assert_true(berth__quanta_of(&job, (int)berth__pcg_integer(&stream, 1, 300), 100, &q));
        assert_true(q.needed * q.size >= job.work * (1 - 1e-9));
        berth_locality locality = (berth_locality)berth__pcg_integer(&stream, 0, 1);
        int w = (int)berth__pcg_integer(&stream, 1, job.max_workers);
        double progress = w * job.slot_samples[locality];
        int down = berth__quanta_down(&q, &job, w, locality), up = berth__quanta_up(&q, &job, w, locality);
        assert_true(down * q.size <= progress * (1 + 1e-9));
        assert_true(up == q.needed || up * q.size >= progress * (1 - 1e-9));
        assert_true(down <= up);
        if (down > 0) {
            int least = berth__quanta_workers(&q, &job, down, locality);
            assert_true(least <= w);
            assert_true(berth__quanta_down(&q, &job, least, locality) >= down);
            assert_true(least == 1 || berth__quanta_down(&q, &job, least - 1, locality) < down);
        }
    }
}

/* Lists of any size and order, by the definition: an offer stays unless another makes no less for no more. */
static void test_prune_long_lists(void **state) {
    (void)state;
    enum { MOST = 500 };
    berth__pcg g = berth__pcg_seed(20221, 3);
    int dropped = 0, kept = 0;
    for (int round = 0; round < 400; round++) {
        berth__offer offers[MOST], pruned[MOST];
        int n = (int)berth__pcg_integer(&g, 0, round % 2 == 0 ? 12 : MOST), at = 0;
        for (int i = 0; i < n; i++) {
            int quanta = (int)berth__pcg_integer(&g, 0, 200);
            double cost = round % 4 < 2 ? quanta * quanta * berth__pcg_uniform(&g) : (int)berth__pcg_integer(&g, 0, 40);
            offers[i] = pruned[i] = (berth__offer){.quanta = quanta, .cost = cost, .index = i};
        }
        int left = berth__offers_prune(pruned, n);
        for (int i = 0; i < left; i++) {
            assert_true(i == 0 || (pruned[i - 1].quanta < pruned[i].quanta && pruned[i - 1].cost < pruned[i].cost));
        }
        for (int i = 0; i < n; i++) {
            bool beaten = offers[i].quanta == 0;
            for (int o = 0; o < n && !beaten; o++) {
                bool no_worse = offers[o].quanta >= offers[i].quanta && offers[o].cost <= offers[i].cost;
                bool same = offers[o].quanta == offers[i].quanta && offers[o].cost == offers[i].cost;
                beaten = no_worse && (!same || o < i);
            }
            at = 0;
            while (at < left && pruned[at].index != i) {
                at++;
            }
            assert_true(beaten == (at == left));
            assert_true(beaten || (pruned[at].quanta == offers[i].quanta && pruned[at].cost == offers[i].cost));
            dropped += beaten;
            kept += !beaten;
        }
    }
    assert_true(dropped > 1000 && kept > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_enumeration), cmocka_unit_test(test_prune_keeps_the_undominated),
        cmocka_unit_test(test_prune_long_lists),   cmocka_unit_test(test_quantum_rules),
        cmocka_unit_test(test_quanta_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
