/* Derandomised rounding: what it says is certain holds, always. Programmes with up to ten variables against their
 * optimum by enumeration, larger ones at the relaxation's optimum, and its estimator against a slow twin. Nothing here
 * depends on luck. */
#include "tests/support/check.h"
#include "tests/support/packcover_brute.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/tolerance.h"
#include "bench/cases/rounding_instance.h"
#include "rounding/derandomized.h"
#include "solver/solve.h"

#include <string.h>

/* The optimum of the relaxation of a small case by a solver; false: there is none. */
static bool relax(const packcover_case *c, double *x, double *lp) {
    const berth__packcover *p = &c->view;
    berth_error error;
    berth__mpc *mpc = NULL;
    assert_ok(berth__mpc_new(p->maximize, &mpc, &error), error);
    for (int j = 0; j < p->n_vars; j++) {
        assert_ok(berth__mpc_add_var(mpc, NULL, p->cost[j], p->upper[j], true, -1, NULL, &error), error);
    }
    for (int i = 0; i < p->n_cover + p->n_pack; i++) {
        size_t from = p->row_start[i];
        int n = (int)(p->row_start[i + 1] - from);
        assert_ok((i < p->n_cover ? berth__mpc_add_cover : berth__mpc_add_pack)(mpc, NULL, p->rhs[i], n, p->col + from,
                                                                                p->value + from, &error),
                  error);
    }
    berth__model *model = NULL;
    berth__lp *solver = NULL;
    const berth__lp_result *result = NULL;
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.integers = false;
    assert_ok(berth__mpc_model(mpc, &model, &error), error);
    assert_ok(berth__lp_open(model, NULL, "auto", &solver, &error), error);
    assert_ok(berth__lp_solve(solver, &options, &result, &error), error);
    bool good = result->outcome == BERTH_OPTIMAL;
    if (good) {
        memcpy(x, result->x, (size_t)p->n_vars * sizeof *x);
        *lp = result->objective;
    }
    berth__lp_close(solver);
    berth__model_free(model);
    berth__mpc_free(mpc);
    return good;
}

static void assert_promise_kept(const berth__packcover *p, const double *x, const double *out,
                                const berth__derandomized *r) {
    const berth__guarantee *g = &r->guarantee;
    berth__violation v = berth__packcover_measure(p, out);
    double lp = 0;
    for (int j = 0; j < p->n_vars; j++) {
        lp += p->cost[j] * x[j];
        assert_true(out[j] >= 0 && out[j] <= berth__packcover_top(p, j));
        assert_true(!berth__packcover_integer(p, j) || fabs(out[j] - round(out[j])) <= 0);
    }
    assert_close(v.cost, r->best.cost, 0);
    assert_true(v.feasible == r->best.feasible);
    assert_true(g->holds == (g->why_not == NULL));
    assert_true(!r->certain || (g->holds && v.feasible));
    if (g->holds) {
        assert_close(g->probability, 1, 0);
        assert_true(r->estimator < 1);
        assert_true(p->maximize ? v.cost >= g->cost_factor * lp * (1 - 1e-9)
                                : v.cost <= g->cost_factor * lp * (1 + 1e-9));
        assert_true(v.cover_min >= g->cover_factor * (1 - 1e-9) && v.pack_max <= g->pack_factor * (1 + 1e-9));
    } else {
        assert_string_equal(g->why_not, "the estimator starts at or above 1");
    }
}

static void small_instances_against_enumeration(void **state) {
    (void)state;
    enum { INSTANCES = 5000 };
    int relaxed = 0, certain = 0, other = 0, feasible = 0, solvable = 0, optimal = 0;
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){61, seed});
        packcover_shape shape = {.most_vars = 10, .most_cover = 4, .most_pack = 4, .most_units = 3};
        packcover_case *c = packcover_random(&shape, &stream);
        const berth__packcover *p = &c->view;
        double x[PACKCOVER_MOST_VARS], out[PACKCOVER_MOST_VARS], lp;
        if (relax(c, x, &lp)) {
            berth__derandomized r;
            berth_favour favour = seed % 2 == 0 ? BERTH_FAVOUR_COVER : BERTH_FAVOUR_PACKING;
            assert_int_equal(berth__round_derandomized(p, x, NULL, favour, NULL, out, &r), BERTH_OK);
            assert_promise_kept(p, x, out, &r);
            double best = packcover_brute(p, NULL, NULL);
            assert_true(!r.best.feasible || !isnan(best));
            if (r.best.feasible) {
                assert_true(p->maximize ? r.best.cost <= best + 1e-9 : r.best.cost >= best - 1e-9);
                optimal += fabs(r.best.cost - best) <= 1e-9 * fmax(1, best);
            }
            /* The promised factor covers the optimum as well as the relaxation. */
            if (r.certain) {
                assert_true(p->maximize ? r.best.cost >= r.guarantee.cost_factor * best * (1 - 1e-6)
                                        : r.best.cost <= r.guarantee.cost_factor * best * (1 + 1e-6));
            }
            relaxed++;
            certain += r.certain;
            other += r.guarantee.holds && !r.certain;
            feasible += r.best.feasible;
            solvable += !isnan(best);
        }
        packcover_case_free(c);
    }
    print_message("%d with a relaxation, %d solvable, %d certain, %d with a weaker promise, %d feasible, %d optimal\n",
                  relaxed, solvable, certain, other, feasible, optimal);
    assert_true(certain > 1000 && other > 300 && feasible > certain);
}

static void larger_instances(void **state) {
    (void)state;
    int held = 0, certain = 0, n = 0;
    for (int kind = 0; kind < ROUNDING_N_KINDS; kind++) {
        for (int k = 0; k < 12; k++) {
            rounding_instance *in = rounding_instance_new((rounding_kind)kind, 20 + 16 * k, (uint64_t)k);
            assert_non_null(in);
            double *out = BERTH__NEW_ARRAY(double, (size_t)in->view.n_vars);
            double *again = BERTH__NEW_ARRAY(double, (size_t)in->view.n_vars);
            assert_true(out != NULL && again != NULL);
            for (int f = 0; f < 2; f++) {
                berth__derandomized r, same;
                assert_int_equal(berth__round_derandomized(&in->view, in->x, NULL, (berth_favour)f, NULL, out, &r),
                                 BERTH_OK);
                assert_promise_kept(&in->view, in->x, out, &r);
                assert_int_equal(berth__round_derandomized(&in->view, in->x, NULL, (berth_favour)f, NULL, again, &same),
                                 BERTH_OK);
                assert_memory_equal(out, again, (size_t)in->view.n_vars * sizeof *out);
                held += r.guarantee.holds;
                certain += r.certain;
                n++;
            }
            berth__free(out);
            berth__free(again);
            rounding_instance_free(in);
        }
    }
    print_message("%d of %d hold, %d for all rows\n", held, n, certain);
    assert_true(held == n && certain > n / 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_instances_against_enumeration),
        cmocka_unit_test(larger_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
