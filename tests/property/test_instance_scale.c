/* Bounds for the very instance (rounding/instance_scale.h) beside the closed forms: never worse in any respect, and
 * kept. 102 programmes of 20 to 200 variables, at their relaxation's optimum, both favours, several delta.
 *
 * Frequencies: a promise of failure probability q fails the test above q + 6.5 sqrt(q / draws) + 20 / draws failures in
 * 10^4 draws, a tenth of that under sanitizers. By Bernstein's inequality an event of probability q comes out above
 * that with probability below exp(-20): with t = 6.5 sqrt(q n) + 20 failures too many, t^2 / (2 q n + 2 t / 3) is at
 * least 21 whatever q n. There are fewer than 2000 such checks: a false failure has probability below 2e-6, for any
 * seed; the seeds are fixed. */
#include "tests/support/check.h"
#include "tests/support/packcover_brute.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "bench/cases/rounding_instance.h"
#include "rounding/dependent.h"
#include "rounding/independent.h"
#include "rounding/instance_scale.h"

#include <string.h>

#if defined(__has_feature)
#define HAS(feature) __has_feature(feature)
#else
#define HAS(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || HAS(address_sanitizer) ||                         \
    HAS(thread_sanitizer) || HAS(undefined_behavior_sanitizer)
enum { DRAWS = 1000 };
#else
enum { DRAWS = 10000 };
#endif

static bool broken(const berth__packcover *p, const double *x, const berth__guarantee *g, double lp) {
    berth__violation v = berth__packcover_measure(p, x);
    bool cost = p->maximize ? v.cost < g->cost_factor * lp * (1 - 1e-9) : v.cost > g->cost_factor * lp * (1 + 1e-9);
    return cost || v.cover_min < g->cover_factor * (1 - 1e-9) || v.pack_max > g->pack_factor * (1 + 1e-9);
}

static double frequency(const berth__packcover *p, const double *x, const berth__guarantee *g, double lp,
                        berth__pcg *stream) {
    long failures = 0;
    double *out = BERTH__NEW_ARRAY(double, (size_t)p->n_vars);
    assert_non_null(out);
    for (int draw = 0; draw < DRAWS; draw++) {
        berth__round_independent(p, x, g->scale, NULL, stream, out);
        failures += broken(p, out, g, lp);
    }
    berth__free(out);
    return (double)failures / DRAWS;
}

static void assert_kept(double promised, double observed) {
    assert_true(observed <= promised + 6.5 * sqrt(promised / DRAWS) + 20.0 / DRAWS);
}

/* Every respect: factors, probability, and closeness of the scale to 1. */
static void assert_never_worse(const berth__packcover *p, const berth__guarantee *closed,
                               const berth__guarantee *exact) {
    assert_true(exact->holds || !closed->holds);
    if (!closed->holds) {
        return;
    }
    assert_true(p->maximize ? exact->cost_factor >= closed->cost_factor : exact->cost_factor <= closed->cost_factor);
    assert_true(exact->cover_factor >= closed->cover_factor && exact->pack_factor <= closed->pack_factor);
    assert_true(exact->probability >= closed->probability);
}

typedef struct tally {
    int both, held, better_scale;
} tally;

static void compare(const rounding_instance *in, berth_favour favour, double delta, tally *t, berth__pcg *stream) {
    const berth__packcover *p = &in->view;
    berth__scale_choice choice = {.rule = BERTH_SCALE_AUTO, .favour = favour, .delta = delta};
    berth__guarantee closed = berth__choose_scale(p, in->x, NULL, &choice), exact;
    assert_int_equal(berth__choose_scale_exact(p, in->x, NULL, &choice, BERTH__TAIL_INDEPENDENT, NULL, &exact),
                     BERTH_OK);
    assert_never_worse(p, &closed, &exact);
    if (closed.holds) {
        assert_kept(1 - closed.probability, frequency(p, in->x, &closed, in->lp, stream));
        t->better_scale += fabs(log(exact.scale)) < fabs(log(closed.scale));
    }
    if (exact.holds) {
        assert_true(favour == BERTH_FAVOUR_COVER ? exact.cover_factor >= 1 : exact.pack_factor <= 1);
        assert_kept(1 - exact.probability, frequency(p, in->x, &exact, in->lp, stream));
        t->both += exact.cover_factor >= 1 && exact.pack_factor <= 1;
        t->held++;
    }
}

static void never_worse_and_kept(void **state) {
    (void)state;
    enum { EACH = 17 };
    static const double deltas[] = {0.06, 0.3, 0.9};
    tally t = {0};
    for (int kind = 0; kind < ROUNDING_N_KINDS; kind++) {
        for (int k = 0; k < EACH; k++) {
            int n_vars = 20 + 180 * k * k / ((EACH - 1) * (EACH - 1));
            rounding_instance *in = rounding_instance_new((rounding_kind)kind, n_vars, (uint64_t)k);
            assert_non_null(in);
            berth__pcg stream = berth__pcg_key(3, (uint64_t[]){51, (uint64_t)kind, (uint64_t)k});
            compare(in, BERTH_FAVOUR_PACKING, deltas[k % 3], &t, &stream);
            compare(in, BERTH_FAVOUR_COVER, deltas[(k + 1) % 3], &t, &stream);
            rounding_instance_free(in);
        }
    }
    print_message("%d held, %d of them with both kinds at factor 1, %d with a scale nearer 1\n", t.held, t.both,
                  t.better_scale);
    assert_true(t.held > 200 && t.both > 20 && t.better_scale > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_worse_and_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
