/* Bounds for the very instance (rounding/instance_scale.h) beside the closed forms: never worse in any respect, and
 * kept. 102 programmes of 20 to 200 variables, at their relaxation's optimum, both favours (one of them drawn from),
 * several delta.
 *
 * Frequencies: a promise of failure probability q fails the test above q + 7.5 sqrt(q / draws) + 24 / draws failures in
 * 10^4 draws, a tenth of that under sanitizers. By Bernstein's inequality an event of probability q comes out above
 * that with probability below exp(-28): with t = 7.5 sqrt(q n) + 24 failures too many, t^2 / (2 q n + 2 t / 3) is at
 * least 28 whatever q n. There are fewer than 300 such checks: a false failure has probability below 3e-10, for any
 * seed; the seeds are fixed. */
#include "tests/support/check.h"
#include "tests/support/packcover_brute.h"
#include "tests/support/promise.h"
#include "tests/support/sanitized.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "bench/cases/rounding_instance.h"
#include "rounding/dependent.h"
#include "rounding/independent.h"
#include "rounding/instance_scale.h"

#include <string.h>

enum { DRAWS = SANITIZED ? 1000 : 10000 };

static double frequency(const berth__packcover *p, const double *x, const berth__guarantee *g, double lp,
                        berth__pcg *stream) {
    long failures = 0;
    double *out = BERTH__NEW_ARRAY(double, (size_t)p->n_vars);
    assert_non_null(out);
    for (int draw = 0; draw < DRAWS; draw++) {
        berth__round_independent(p, x, g->scale, NULL, stream, out);
        failures += !promise_kept(p, out, g, lp);
    }
    berth__free(out);
    return (double)failures / DRAWS;
}

static void assert_kept(double promised, double observed) {
    assert_true(observed <= promised + 7.5 * sqrt(promised / DRAWS) + 24.0 / DRAWS);
}

/* Every respect; of costs, all up to the relaxation's are as good. */
static void assert_never_worse(const berth__packcover *p, const berth__guarantee *closed,
                               const berth__guarantee *exact) {
    assert_true(exact->holds || !closed->holds);
    if (!closed->holds) {
        return;
    }
    assert_true(p->maximize ? exact->cost_factor >= closed->cost_factor
                            : exact->cost_factor <= fmax(1, closed->cost_factor));
    assert_true(exact->cover_factor >= closed->cover_factor && exact->pack_factor <= closed->pack_factor);
    assert_true(exact->probability >= closed->probability);
}

typedef struct tally {
    int both, held, better_scale;
} tally;

static void compare(const rounding_instance *in, berth_favour favour, double delta, bool watch, tally *t,
                    berth__pcg *stream) {
    const berth__packcover *p = &in->view;
    berth__scale_choice choice = {.rule = BERTH_SCALE_AUTO, .favour = favour, .delta = delta};
    berth__guarantee closed = berth__choose_scale(p, in->x, NULL, &choice), exact;
    assert_int_equal(berth__choose_scale_exact(p, in->x, NULL, &choice, BERTH__TAIL_INDEPENDENT, NULL, &exact),
                     BERTH_OK);
    assert_never_worse(p, &closed, &exact);
    if (watch && closed.holds) {
        assert_kept(1 - closed.probability, frequency(p, in->x, &closed, in->lp, stream));
    }
    if (watch && exact.holds) {
        assert_kept(1 - exact.probability, frequency(p, in->x, &exact, in->lp, stream));
    }
    if (closed.holds) {
        t->better_scale += fabs(log(exact.scale)) < fabs(log(closed.scale));
    }
    if (exact.holds) {
        assert_true(favour == BERTH_FAVOUR_COVER ? exact.cover_factor >= 1 : exact.pack_factor <= 1);
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
            int last = EACH - 1, n_vars = 20 + 180 * k * k * k / (last * last * last);
            rounding_instance *in = rounding_instance_new((rounding_kind)kind, n_vars, (uint64_t)k);
            assert_non_null(in);
            berth__pcg stream = berth__pcg_key(3, (uint64_t[]){51, (uint64_t)kind, (uint64_t)k});
            compare(in, BERTH_FAVOUR_PACKING, deltas[k % 3], k % 2 == 0, &t, &stream);
            compare(in, BERTH_FAVOUR_COVER, deltas[(k + 1) % 3], k % 2 == 1, &t, &stream);
            rounding_instance_free(in);
        }
    }
    print_message("%d held, %d of them with both kinds at factor 1, %d with a scale nearer 1\n", t.held, t.both,
                  t.better_scale);
    assert_true(t.held > 200 && t.both > 20 && t.better_scale > 100);
}

/* ---- small programmes: the probability by enumeration of all roundings --------------------------------- */

/* A point anywhere, not only at an optimum: the promise is about what rounding makes of it. */
static double draw_point(packcover_case *c, bool *skip, double *x, berth__pcg *stream) {
    double lp = 0, most = 0.2 + 3 * berth__pcg_uniform(stream);
    for (int j = 0; j < c->view.n_vars; j++) {
        skip[j] = berth__pcg_integer(stream, 0, 9) == 0;
        c->is_integer[j] = berth__pcg_integer(stream, 0, 9) > 0;
        x[j] = fmin(most, c->upper[j]) * berth__pcg_uniform(stream);
        x[j] = berth__pcg_integer(stream, 0, 3) == 0 ? ceil(2 * x[j]) / 2 : x[j];
        x[j] = skip[j] ? 0 : fmin(x[j], c->upper[j]);
        lp += c->cost[j] * x[j];
    }
    for (int i = 0; i < c->view.n_cover + c->view.n_pack; i++) {
        double sum = 0, slack = 0.6 * berth__pcg_uniform(stream);
        for (size_t k = c->row_start[i]; k < c->row_start[i + 1]; k++) {
            sum += c->value[k] * x[c->col[k]];
        }
        if (berth__pcg_integer(stream, 0, 4) > 0) { /* tight or with room at x, mostly */
            c->rhs[i] = sum * (i < c->view.n_cover ? 1 - slack : 1 + slack);
        }
    }
    return lp;
}

static void small_promises_are_true(void **state) {
    (void)state;
    enum { INSTANCES = 6000 };
    static const berth_scale_rule rules[] = {BERTH_SCALE_AUTO, BERTH_SCALE_AUTO, BERTH_SCALE_GIVEN, BERTH_SCALE_PAPER};
    int held = 0, risky = 0, closed_held = 0;
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){52, seed});
        packcover_shape shape = {.most_vars = 9, .most_cover = 4, .most_pack = 4, .most_units = 4};
        packcover_case *c = packcover_random(&shape, &stream);
        const berth__packcover *p = &c->view;
        double x[PACKCOVER_MOST_VARS];
        bool skip[PACKCOVER_MOST_VARS];
        double lp = draw_point(c, skip, x, &stream);
        berth__scale_choice choice = {.rule = rules[seed % 4],
                                      .favour = (berth_favour)berth__pcg_integer(&stream, 0, 1),
                                      .delta = 0.02 + 0.9 * berth__pcg_uniform(&stream),
                                      .given = exp(2 * berth__pcg_uniform(&stream) - 1)};
        berth__guarantee closed = berth__choose_scale(p, x, skip, &choice), g;
        assert_int_equal(berth__choose_scale_exact(p, x, skip, &choice, (berth__tail_use)(seed / 4 % 2), NULL, &g),
                         BERTH_OK);
        assert_never_worse(p, &closed, &g);
        assert_true(g.holds == (g.why_not == NULL));
        if (closed.holds) {
            assert_true(promise_failure(p, x, skip, &closed, lp) <= 1 - closed.probability + 1e-12);
            closed_held++;
        }
        if (g.holds) {
            double failure = promise_failure(p, x, skip, &g, lp);
            assert_true(failure <= 1 - g.probability + 1e-12);
            assert_true(1 - g.probability <= choice.delta + 1e-12);
            risky += failure > 0.1 * (1 - g.probability) && failure > 1e-3;
            held++;
        }
        packcover_case_free(c);
    }
    print_message("%d held (%d by closed forms), %d of them within a factor of ten of the truth\n", held, closed_held,
                  risky);
    assert_true(held > INSTANCES / 2 && closed_held > 500 && risky > 500);
}

/* ---- dependent rounding ------------------------------------------------------------------------------------ */

/* Groups of variables whose draws are negatively correlated: the moment bounds hold of them. One check each for 60
 * instances (see above for what a false failure takes). */
static void dependent_draws_keep_promises(void **state) {
    (void)state;
    int held = 0;
    for (int k = 0; k < 60; k++) {
        rounding_kind kind = k % 2 == 0 ? ROUNDING_JUST_BELOW : ROUNDING_MIXED;
        rounding_instance *in = rounding_instance_new(kind, 20 + k, (uint64_t)k);
        assert_non_null(in);
        const berth__packcover *p = &in->view;
        int n = p->n_vars;
        int *group = BERTH__NEW_ARRAY(int, (size_t)n);
        double *scaled = BERTH__NEW_ARRAY(double, (size_t)n), *out = BERTH__NEW_ARRAY(double, (size_t)n);
        assert_true(group != NULL && scaled != NULL && out != NULL);
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){53, (uint64_t)k});
        for (int j = 0; j < n; j++) { /* an interior point between the optimum and the middle has more fractions */
            in->x[j] = 0.5 * in->x[j] + 0.3;
            group[j] = j % 5 == 4 ? -1 : j % 4;
        }
        double lp = berth__packcover_measure(p, in->x).cost;
        berth__scale_choice choice = {.favour = k % 4 < 2 ? BERTH_FAVOUR_COVER : BERTH_FAVOUR_PACKING, .delta = 0.5};
        berth__guarantee g;
        assert_int_equal(berth__choose_scale_exact(p, in->x, NULL, &choice, BERTH__TAIL_MOMENTS, NULL, &g), BERTH_OK);
        if (g.holds) {
            long failures = 0;
            for (int j = 0; j < n; j++) {
                scaled[j] = g.scale * in->x[j];
            }
            for (int draw = 0; draw < DRAWS; draw++) {
                assert_int_equal(berth__round_dependent(n, scaled, group, 4, &stream, out), BERTH_OK);
                failures += !promise_kept(p, out, &g, lp);
            }
            assert_kept(1 - g.probability, (double)failures / DRAWS);
            held++;
        }
        berth__free(group);
        berth__free(scaled);
        berth__free(out);
        rounding_instance_free(in);
    }
    assert_true(held > 40);
}

/* ---- ends ---------------------------------------------------------------------------------------------------- */

/* A spent budget gives what the closed form gives; a refused choice is refused. */
static void budgets_and_refusals(void **state) {
    (void)state;
    rounding_instance *in = rounding_instance_new(ROUNDING_MIXED, 40, 1);
    assert_non_null(in);
    spent_budget spent;
    spent_budget_start(&spent, 0);
    berth__scale_choice choice = {.favour = BERTH_FAVOUR_COVER, .delta = 0.3};
    berth__guarantee closed = berth__choose_scale(&in->view, in->x, NULL, &choice), g;
    assert_int_equal(
        berth__choose_scale_exact(&in->view, in->x, NULL, &choice, BERTH__TAIL_INDEPENDENT, &spent.budget, &g),
        BERTH_OK);
    assert_true(spent.polls > 0 && closed.holds && g.holds);
    assert_close(g.scale, closed.scale, 0);
    assert_close(g.probability, closed.probability, 0);
    choice.delta = 1;
    assert_int_equal(berth__choose_scale_exact(&in->view, in->x, NULL, &choice, BERTH__TAIL_INDEPENDENT, NULL, &g),
                     BERTH_OK);
    assert_true(!g.holds && strstr(g.why_not, "delta") != NULL);
    rounding_instance_free(in);
}

/* A point that is whole needs no scaling and cannot fail; a clipped one that cannot cover is refused. */
static void certain_and_hopeless(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(2);
    packcover_case_cover(c, 3);
    packcover_case_entry(c, 0, 1);
    packcover_case_entry(c, 1, 1);
    packcover_case_pack(c, 4);
    packcover_case_entry(c, 0, 2);
    berth__scale_choice choice = {.favour = BERTH_FAVOUR_COVER, .delta = 0.1};
    berth__guarantee g;
    assert_int_equal(
        berth__choose_scale_exact(&c->view, (double[]){2, 1}, NULL, &choice, BERTH__TAIL_INDEPENDENT, NULL, &g),
        BERTH_OK);
    assert_true(g.holds);
    assert_close(g.scale, 1, 0);
    assert_close(g.cost_factor, 1, 1e-9);
    assert_close(g.pack_factor, 1, 0);
    assert_close(g.probability, 1, 0);
    c->upper[0] = c->upper[1] = 1; /* 3 is out of reach */
    assert_int_equal(
        berth__choose_scale_exact(&c->view, (double[]){0.9, 0.9}, NULL, &choice, BERTH__TAIL_INDEPENDENT, NULL, &g),
        BERTH_OK);
    assert_true(!g.holds && strstr(g.why_not, "no scale") != NULL);
    packcover_case_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_worse_and_kept),          cmocka_unit_test(small_promises_are_true),
        cmocka_unit_test(dependent_draws_keep_promises), cmocka_unit_test(budgets_and_refusals),
        cmocka_unit_test(certain_and_hopeless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
