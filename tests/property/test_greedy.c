/* The greedy baseline against enumeration on small instances, against a greedy that raises one unit at a time on
 * covering programmes, and on instances whose units are too many to be taken one by one. Nothing depends on luck but
 * the rates of success, which fixed seeds make constant. */
#include "tests/support/check.h"
#include "tests/support/packcover_brute.h"
#include "tests/support/promise.h"

#include "base/alloc.h"
#include "rounding/greedy.h"

#include <string.h>

static void assert_point(const packcover_case *c, const bool *skip, const double *x) {
    for (int j = 0; j < c->view.n_vars; j++) {
        assert_true(x[j] >= 0 && x[j] <= berth__packcover_top(&c->view, j));
        assert_true(!c->is_integer[j] || fabs(x[j] - round(x[j])) <= 0);
        assert_true(skip == NULL || !skip[j] || x[j] <= 0);
    }
}

static void against_enumeration(void **state) {
    (void)state;
    enum { INSTANCES = 5000 };
    int solvable = 0, feasible = 0, optimal = 0, bounded = 0;
    double excess = 0;
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){71, seed});
        packcover_shape shape = {.most_vars = 10, .most_cover = 5, .most_pack = seed % 4 == 0 ? 0 : 5, .most_units = 3};
        packcover_case *c = packcover_random(&shape, &stream);
        bool skip[PACKCOVER_MOST_VARS];
        for (int j = 0; j < c->view.n_vars; j++) {
            skip[j] = berth__pcg_integer(&stream, 0, 19) == 0;
        }
        double x[PACKCOVER_MOST_VARS], best = packcover_brute(&c->view, skip, NULL);
        berth__greedy r;
        assert_int_equal(berth__round_greedy(&c->view, skip, NULL, x, &r), BERTH_OK);
        assert_point(c, skip, x);
        berth__violation v = berth__packcover_measure(&c->view, x);
        assert_true(v.feasible == r.best.feasible);
        assert_close(v.cost, r.best.cost, 0);
        assert_true(!v.feasible || !isnan(best));
        if (v.feasible) {
            double worse = c->view.maximize ? best - v.cost : v.cost - best;
            assert_true(worse >= -1e-9 * fmax(1, best));
            optimal += worse <= 1e-9 * fmax(1, best);
            excess += best > 0 ? worse / best : 0;
            assert_true(!(r.ratio < HUGE_VAL) || v.cost <= r.ratio * best * (1 + 1e-12));
        }
        bounded += r.ratio < HUGE_VAL;
        solvable += !isnan(best);
        feasible += v.feasible;
        packcover_case_free(c);
    }
    print_message("%d solvable, %d found feasible, %d optimal, mean excess %.4f, %d with a bound\n", solvable, feasible,
                  optimal, excess / feasible, bounded);
    assert_true(feasible > 0.9 * solvable && optimal > 0.5 * feasible && bounded > 200);
}

/* One unit at a time, largest gain per cost first, all scores computed anew each time. */
static void slow_greedy(const berth__packcover *p, bool plain, double *x) {
    memset(x, 0, (size_t)p->n_vars * sizeof *x);
    for (;;) {
        double best = 0;
        int best_var = -1;
        for (int j = 0; j < p->n_vars; j++) {
            double gain = 0;
            for (int i = 0; i < p->n_cover; i++) {
                double sum = 0, own = 0;
                for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
                    sum += p->value[k] * x[p->col[k]];
                    own = p->col[k] == j ? p->value[k] : own;
                }
                gain += fmax(0, fmin(own, p->rhs[i] - sum)) / (plain ? 1 : p->rhs[i]);
            }
            if (x[j] + 1 <= p->upper[j] && gain / p->cost[j] > best * (1 + 1e-12)) {
                best = gain / p->cost[j];
                best_var = j;
            }
        }
        if (best_var < 0) {
            return;
        }
        x[best_var]++;
    }
}

/* Many at once is the same as one at a time: powers of two keep all scores exact, and nothing is dropped that the slow
 * one keeps but what its own last units made needless. */
static void bulk_steps_are_single_steps(void **state) {
    (void)state;
    int exact = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){72, seed});
        int n = (int)berth__pcg_integer(&stream, 2, 8);
        packcover_case *c = packcover_case_new(n);
        for (int j = 0; j < n; j++) {
            c->cost[j] = exp2((double)berth__pcg_integer(&stream, 0, 3)) * (1 + j * 1e-3);
            c->upper[j] = (double)berth__pcg_integer(&stream, 5, 60);
        }
        for (int i = 0; i < 3; i++) {
            packcover_case_cover(c, exp2((double)berth__pcg_integer(&stream, 3, 6)));
            for (int j = 0; j < n; j++) {
                packcover_case_entry(c, j, (double)berth__pcg_integer(&stream, 1, 4));
            }
        }
        double x[8], slow[2][8], cheapest = HUGE_VAL;
        for (int plain = 0; plain < 2; plain++) {
            slow_greedy(&c->view, plain == 1, slow[plain]);
            berth__violation v = berth__packcover_measure(&c->view, slow[plain]);
            cheapest = v.feasible ? fmin(cheapest, v.cost) : cheapest;
        }
        berth__greedy r;
        assert_int_equal(berth__round_greedy(&c->view, NULL, NULL, x, &r), BERTH_OK);
        assert_true(r.best.feasible == (cheapest < HUGE_VAL));
        if (r.best.feasible) {
            assert_true(r.best.cost <= cheapest * (1 + 1e-12));
            exact += r.best.cost >= cheapest * (1 - 1e-12);
        }
        packcover_case_free(c);
    }
    assert_true(exact > 150);
}

/* A billion units, continuous variables, and both together. */
static void many_units(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(3);
    packcover_case_cover(c, 1e9);
    packcover_case_entry(c, 0, 1);
    packcover_case_entry(c, 1, 3);
    packcover_case_cover(c, 2.5);
    packcover_case_entry(c, 2, 1);
    packcover_case_pack(c, 6e8);
    packcover_case_entry(c, 0, 1);
    packcover_case_entry(c, 1, 2);
    c->cost[1] = 2.5;
    c->is_integer[2] = false;
    double x[3];
    berth__greedy r;
    assert_int_equal(berth__round_greedy(&c->view, NULL, NULL, x, &r), BERTH_OK);
    assert_false(r.best.feasible); /* x0 + 2 x1 is at least 2/3 of x0 + 3 x1 */
    assert_close(x[2], 2.5, 1e-9);
    c->rhs[2] = 1e9;
    assert_int_equal(berth__round_greedy(&c->view, NULL, NULL, x, &r), BERTH_OK);
    assert_true(r.best.feasible);
    assert_close(x[1], floor(1e9 / 3), 0);
    assert_close(x[0], 1, 0);           /* for the last unit the other is cheaper */
    assert_close(r.ratio, HUGE_VAL, 0); /* there are packing rows */
    packcover_case_free(c);

    c = packcover_case_new(2); /* max 5 x0 + 3 x1: 2 x0 + x1 <= 10^9, x0 <= 10 */
    c->view.maximize = true;
    packcover_case_pack(c, 1e9);
    packcover_case_entry(c, 0, 2);
    packcover_case_entry(c, 1, 1);
    c->cost[0] = 5;
    c->cost[1] = 3;
    c->upper[0] = 10;
    assert_int_equal(berth__round_greedy(&c->view, NULL, NULL, x, &r), BERTH_OK);
    assert_true(r.best.feasible);
    assert_close(r.best.cost, 3e9, 0);
    packcover_case_free(c);
}

/* The textbook example where greedy pays H(n): n elements, sets of one at cost 1 / (n - k), all of them at 1 + e. */
static void the_bound_is_tight(void **state) {
    (void)state;
    enum { N = 16 };
    packcover_case *c = packcover_case_new(N + 1);
    double harmonic = 0;
    for (int i = 0; i < N; i++) {
        packcover_case_cover(c, 1);
        packcover_case_entry(c, 0, 1);
        packcover_case_entry(c, i + 1, 1);
        c->cost[i + 1] = 1.0 / (i + 1);
        harmonic += c->cost[i + 1];
    }
    c->cost[0] = 1.001;
    double x[N + 1];
    berth__greedy r;
    assert_int_equal(berth__round_greedy(&c->view, NULL, NULL, x, &r), BERTH_OK);
    assert_true(r.best.feasible);
    assert_close(r.best.cost, harmonic, 1e-12);
    assert_close(r.ratio, harmonic, 1e-12);
    packcover_case_free(c);
}

/* The middle set goes first, and turns out to be needless once both others are there. */
static void excess_is_dropped(void **state) {
    (void)state;
    static const int member[4][2] = {{1, -1}, {0, 1}, {0, 2}, {2, -1}}; /* elements, and the sets that have them */
    packcover_case *c = packcover_case_new(3);
    for (int i = 0; i < 4; i++) {
        packcover_case_cover(c, 1);
        for (int k = 0; k < 2 && member[i][k] >= 0; k++) {
            packcover_case_entry(c, member[i][k], 1);
        }
    }
    c->cost[0] = 0.99;
    double x[3];
    berth__greedy r;
    assert_int_equal(berth__round_greedy(&c->view, NULL, NULL, x, &r), BERTH_OK);
    assert_true(r.best.feasible);
    assert_close(r.best.cost, 2, 0);
    packcover_case_free(c);
}

static void budgets_are_kept(void **state) {
    (void)state;
    enum { N = 2000 };
    packcover_case *c = packcover_case_new(N);
    for (int i = 0; i < N; i++) {
        packcover_case_cover(c, 1);
        packcover_case_entry(c, i, 1);
    }
    spent_budget spent;
    spent_budget_start(&spent, 0);
    double *x = BERTH__NEW_ARRAY(double, N);
    assert_non_null(x);
    berth__greedy r;
    assert_int_equal(berth__round_greedy(&c->view, NULL, &spent.budget, x, &r), BERTH_OK);
    assert_true(!r.best.feasible && spent.polls > 0 && !(r.ratio < HUGE_VAL));
    assert_int_equal(berth__round_greedy(&c->view, NULL, NULL, x, &r), BERTH_OK);
    assert_true(r.best.feasible);
    assert_close(r.best.cost, N, 0);
    berth__free(x);
    packcover_case_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_enumeration), cmocka_unit_test(bulk_steps_are_single_steps),
        cmocka_unit_test(many_units),          cmocka_unit_test(the_bound_is_tight),
        cmocka_unit_test(excess_is_dropped),   cmocka_unit_test(budgets_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
