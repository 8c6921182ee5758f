/* Derandomised rounding: what it says is certain holds, always. Programmes with up to ten variables against their
 * optimum by enumeration, larger ones at the relaxation's optimum, and its estimator against a slow twin. Nothing here
 * depends on luck. */
#include "tests/support/check.h"
#include "tests/support/packcover_brute.h"
#include "tests/support/promise.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "bench/cases/rounding_instance.h"
#include "rounding/derandomized.h"
#include "rounding/scaled_rows.h"

#include <limits.h>
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
    bool good = rounding_relax(mpc, x, lp);
    berth__mpc_free(mpc);
    return good;
}

static bool is_random(const berth__packcover *p, double value, int j) {
    return berth__packcover_integer(p, j) && fabs(value - round(value)) > BERTH__INTEGRALITY;
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
        assert_true(promise_kept(p, out, g, lp));
    } else {
        assert_string_equal(g->why_not, "the estimator starts at or above 1");
    }
}

static void small_instances_against_enumeration(void **state) {
    (void)state;
    enum { INSTANCES = 5000 };
    int relaxed = 0, whole = 0, certain = 0, other = 0, feasible = 0, solvable = 0, optimal = 0;
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
            int fractional = 0;
            for (int j = 0; j < p->n_vars; j++) {
                fractional += is_random(p, x[j], j);
            }
            certain += r.certain && fractional > 0;
            whole += fractional == 0;
            other += r.guarantee.holds && !r.certain;
            feasible += r.best.feasible;
            solvable += !isnan(best);
        }
        packcover_case_free(c);
    }
    print_message("%d with a relaxation, %d whole; of the others %d certain, %d with a weaker promise; %d solvable, %d "
                  "feasible, %d optimal\n",
                  relaxed, whole, certain, other, solvable, feasible, optimal);
    assert_true(certain > 1000 && other > 300 && feasible > certain);
}

/* ---- the method itself --------------------------------------------------------------------------------- */

/* Interior points, some variables continuous, some skipped: the estimator that starts a pass is above the probability
 * that a random rounding fails, and what is certain is. */
static void estimators_are_above_the_truth(void **state) {
    (void)state;
    enum { INSTANCES = 4000 };
    int held = 0, close = 0, random = 0;
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){62, seed});
        packcover_shape shape = {.most_vars = 10, .most_cover = 3, .most_pack = 3, .most_units = 4};
        packcover_case *c = packcover_random(&shape, &stream);
        const berth__packcover *p = &c->view;
        double x[PACKCOVER_MOST_VARS], out[PACKCOVER_MOST_VARS], slack = 0.8 * berth__pcg_uniform(&stream);
        bool skip[PACKCOVER_MOST_VARS];
        for (int j = 0; j < p->n_vars; j++) {
            skip[j] = berth__pcg_integer(&stream, 0, 9) == 0;
            c->is_integer[j] = berth__pcg_integer(&stream, 0, 9) > 0;
            x[j] = skip[j] ? 0 : fmin(3, c->upper[j]) * berth__pcg_uniform(&stream);
        }
        for (int i = 0; i < p->n_cover + p->n_pack; i++) {
            double sum = 0;
            for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
                sum += p->value[k] * x[p->col[k]];
            }
            c->rhs[i] = sum * (i < p->n_cover ? 1 - slack : 1 + slack);
        }
        double lp = berth__packcover_measure(p, x).cost;
        berth__derandomized r;
        assert_int_equal(berth__round_derandomized(p, x, skip, (berth_favour)(seed % 2), NULL, out, &r), BERTH_OK);
        assert_promise_kept(p, x, out, &r);
        if (r.guarantee.holds) {
            double failure = promise_failure(p, x, skip, &r.guarantee, lp);
            assert_true(failure <= r.estimator + 1e-12);
            random += failure > 0;
            close += failure > 0.1 * r.estimator;
            held++;
        }
        packcover_case_free(c);
    }
    print_message("%d hold, %d of them although a random rounding may fail, %d within ten times of that\n", held,
                  random, close);
    assert_true(held > INSTANCES / 2 && random > 1000 && close > 300);
}

/* ---- the slow twin: everything from scratch for each choice --------------------------------------------- */

typedef struct twin {
    berth__scaled_rows rows;
    double s[PACKCOVER_MOST_ROWS + 1]; /* signed; 0: no share */
    bool linear;                       /* Markov's share for the cost */
    double factor[BERTH__N_KINDS];
} twin;

static void choose_exponents(twin *t) {
    const berth__packcover *p = t->rows.p;
    int n_rows = p->n_cover + p->n_pack;
    for (int i = 0; i <= n_rows; i++) {
        berth__row_kind kind = i == n_rows ? BERTH__KIND_COST : i < p->n_cover ? BERTH__KIND_COVER : BERTH__KIND_PACK;
        bool lower = berth__scaled_is_lower(&t->rows, i);
        t->s[i] = 0;
        if ((kind == BERTH__KIND_COST && !(t->rows.lp > 0)) || !berth__scaled_can_fail(&t->rows, i, t->factor[kind])) {
            continue;
        }
        double work[PACKCOVER_MOST_VARS + 1], s, level = berth__scaled_level(&t->rows, i, t->factor[kind]);
        berth__weighted_sum sum = berth__scaled_row(&t->rows, i);
        double tail = (lower ? berth__tail_at_most : berth__tail_at_least)(&sum, level, BERTH__TAIL_MOMENTS, work, &s);
        t->linear = kind == BERTH__KIND_COST && berth__scaled_markov(&t->rows, t->factor[kind], NULL) < tail;
        t->s[i] = tail > 0 && !(kind == BERTH__KIND_COST && t->linear) ? (lower ? -s : s) : 0;
    }
}

/* Coefficient of variable j in row i, the cost last. */
static double entry(const berth__packcover *p, int i, int j) {
    if (i == p->n_cover + p->n_pack) {
        return p->cost[j];
    }
    double value = 0;
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        value += p->col[k] == j ? p->value[k] : 0;
    }
    return value;
}

/* The estimator given up[j] (0, 1, or -1: still open). */
static long double estimator(twin *t, const int *up) {
    const berth__packcover *p = t->rows.p;
    int n_rows = p->n_cover + p->n_pack;
    long double all = 0;
    for (int i = 0; i <= n_rows; i++) {
        berth__row_kind kind = i == n_rows ? BERTH__KIND_COST : i < p->n_cover ? BERTH__KIND_COVER : BERTH__KIND_PACK;
        long double level = (long double)berth__scaled_level(&t->rows, i, t->factor[kind]), s = (long double)t->s[i];
        long double log_share = -s * level, mean = 0, floor_sum = 0, top = 0;
        for (int j = 0; j < p->n_vars; j++) {
            long double a = (long double)entry(p, i, j), base = (long double)t->rows.base[j];
            long double c = up[j] < 0 ? (long double)t->rows.chance[j] : up[j];
            long double rise = s * a;
            log_share +=
                rise * base + (rise > 0 ? rise + logl(c + (1 - c) * expl(-rise)) : logl(1 - c + c * expl(rise)));
            mean += a * (base + c);
            floor_sum += a * base;
            top += a * (base + (t->rows.chance[j] > 0 ? 1 : 0));
        }
        if (s < 0 || s > 0) {
            all += expl(log_share);
        } else if (i == n_rows && t->linear) {
            all += p->maximize ? (top - mean) / (top - level) : (mean - floor_sum) / (level - floor_sum);
        }
    }
    return all;
}

/* One pass of the fast one, ended before further ones begin: the last three polls stand before those. */
static void first_pass_only(const berth__packcover *p, const double *x, double *out, berth__derandomized *r) {
    spent_budget budget;
    spent_budget_start(&budget, LONG_MAX);
    assert_int_equal(berth__round_derandomized(p, x, NULL, BERTH_FAVOUR_COVER, &budget.budget, out, r), BERTH_OK);
    spent_budget_start(&budget, budget.polls - 3);
    assert_int_equal(berth__round_derandomized(p, x, NULL, BERTH_FAVOUR_COVER, &budget.budget, out, r), BERTH_OK);
    assert_int_equal(r->passes, 1);
}

static void passes_against_their_slow_twin(void **state) {
    (void)state;
    int compared = 0, decisions = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){63, seed});
        packcover_shape shape = {.most_vars = 10, .most_cover = 4, .most_pack = 3, .most_units = 4};
        packcover_case *c = packcover_random(&shape, &stream);
        const berth__packcover *p = &c->view;
        double x[PACKCOVER_MOST_VARS], out[PACKCOVER_MOST_VARS];
        for (int j = 0; j < p->n_vars; j++) {
            x[j] = fmin(3, c->upper[j]) * berth__pcg_uniform(&stream);
        }
        for (int i = 0; i < p->n_cover + p->n_pack; i++) {
            double sum = 0;
            for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
                sum += p->value[k] * x[p->col[k]];
            }
            c->rhs[i] = sum * (i < p->n_cover ? 0.6 : 1.6);
        }
        berth__derandomized r;
        first_pass_only(p, x, out, &r);
        const berth__guarantee *g = &r.guarantee;
        if (g->holds) {
            twin t = {.factor = {g->cover_factor, g->pack_factor, g->cost_factor}};
            int up[PACKCOVER_MOST_VARS];
            assert_int_equal(berth__scaled_rows_open(&t.rows, p, x, NULL, BERTH__TAIL_MOMENTS, true, NULL), BERTH_OK);
            berth__scaled_rows_at(&t.rows, g->scale);
            choose_exponents(&t);
            for (int j = 0; j < p->n_vars; j++) {
                up[j] = t.rows.chance[j] > 0 ? -1 : 0;
            }
            long double before = estimator(&t, up);
            assert_true(fabsl(before - (long double)r.estimator) <= 1e-6L);
            for (int j = 0; j < p->n_vars; j++) {
                if (up[j] < 0) {
                    up[j] = 0;
                    long double down = estimator(&t, up);
                    up[j] = 1;
                    long double rise = estimator(&t, up) - down;
                    int chosen = out[j] > t.rows.base[j] + 0.5;
                    bool tie = fabsl(rise) <= 1e-9L * down; /* either way is right */
                    up[j] = chosen;
                    assert_true(tie || chosen == (rise < 0));
                    long double after = estimator(&t, up);
                    assert_true(after <= before * (1 + 1e-8L));
                    before = after;
                    decisions += !tie;
                }
            }
            compared++;
            berth__scaled_rows_close(&t.rows);
        }
        packcover_case_free(c);
    }
    print_message("%d passes, %d decisions\n", compared, decisions);
    assert_true(compared > 300 && decisions > 1000);
}

/* A spent budget leaves one rounding within bounds and no promise. */
static void budgets_are_kept(void **state) {
    (void)state;
    rounding_instance *in = rounding_instance_new(ROUNDING_MIXED, 60, 3);
    assert_non_null(in);
    spent_budget spent;
    spent_budget_start(&spent, 0);
    double *out = BERTH__NEW_ARRAY(double, (size_t)in->view.n_vars);
    assert_non_null(out);
    berth__derandomized r;
    assert_int_equal(berth__round_derandomized(&in->view, in->x, NULL, BERTH_FAVOUR_COVER, &spent.budget, out, &r),
                     BERTH_OK);
    assert_true(spent.polls > 0 && r.passes == 1 && !r.guarantee.holds);
    for (int j = 0; j < in->view.n_vars; j++) {
        assert_true(out[j] >= floor(in->x[j] + 1e-9) - 1e-9 && out[j] <= ceil(in->x[j] - 1e-9) + 1e-9);
    }
    berth__free(out);
    rounding_instance_free(in);
}

/* Three sets, each pair of which is needed at 1/2: a random rounding at G = 1 fails half of the time, but there is a G
 * from which on all rows hold for certain, and the choice of it pays no more than that costs. */
static void a_triangle(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(3);
    for (int i = 0; i < 3; i++) {
        packcover_case_cover(c, 1);
        packcover_case_entry(c, i, 1);
        packcover_case_entry(c, (i + 1) % 3, 1);
    }
    double x[] = {0.5, 0.5, 0.5}, out[3];
    berth__derandomized r;
    assert_int_equal(berth__round_derandomized(&c->view, x, NULL, BERTH_FAVOUR_COVER, NULL, out, &r), BERTH_OK);
    assert_true(r.certain);
    assert_close(out[0] + out[1] + out[2], 2, 0);        /* the optimum */
    assert_true(r.guarantee.cost_factor >= 2.0 / 1.5);   /* no promise can be better */
    assert_true(r.guarantee.cost_factor <= 2 * 1.00001); /* G = 2 makes all whole */
    packcover_case_free(c);
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
        cmocka_unit_test(estimators_are_above_the_truth),
        cmocka_unit_test(passes_against_their_slow_twin),
        cmocka_unit_test(budgets_are_kept),
        cmocka_unit_test(a_triangle),
        cmocka_unit_test(larger_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
