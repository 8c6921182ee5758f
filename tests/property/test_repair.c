/* Alteration against enumeration, on thousands of small random instances. Every assertion here holds
 * always, whatever is drawn, except the two rates of success at the end, which fixed seeds make constant. */
#include "tests/support/check.h"
#include "tests/support/packcover_brute.h"
#include "tests/support/packcover_case.h"

#include "base/budget.h"
#include "base/pcg.h"
#include "base/tolerance.h"
#include "rounding/repair.h"

#include <string.h>

enum { MAX_VARS = 6, MAX_VALUE = 4, INSTANCES = 4000 };

typedef struct instance {
    packcover_case *c;
    bool skip[MAX_VARS];
} instance;

static double decimal(berth__pcg *stream, int low, int high) {
    return (double)berth__pcg_integer(stream, low, high) / 10;
}

/* Tenths everywhere: sums of them are off by a few ulps, which the tolerance has to absorb. */
static instance draw_instance(berth__pcg *stream) {
    int n = (int)berth__pcg_integer(stream, 1, MAX_VARS);
    int n_cover = (int)berth__pcg_integer(stream, 0, 3), n_pack = (int)berth__pcg_integer(stream, 0, 3);
    instance in = {.c = packcover_case_new(n)};
    for (int j = 0; j < n; j++) {
        in.c->cost[j] = berth__pcg_integer(stream, 0, 5) == 0 ? 0 : decimal(stream, 1, 50);
        in.c->upper[j] = berth__pcg_integer(stream, 0, 3) == 0 ? decimal(stream, 5, 25) : MAX_VALUE;
        in.skip[j] = berth__pcg_integer(stream, 0, 9) == 0;
    }
    for (int i = 0; i < n_cover + n_pack; i++) {
        bool empty = berth__pcg_integer(stream, 0, 19) == 0;
        if (i < n_cover) {
            packcover_case_cover(in.c, empty ? 0 : decimal(stream, 1, 60));
        } else {
            packcover_case_pack(in.c, empty ? 0 : decimal(stream, 10, 90));
        }
        for (int j = 0; j < n; j++) {
            if (berth__pcg_integer(stream, 0, 2) > 0) {
                packcover_case_entry(in.c, j, decimal(stream, 0, 20));
            }
        }
    }
    return in;
}

static void draw_point(const instance *in, double *x, berth__pcg *stream) {
    for (int j = 0; j < in->c->view.n_vars; j++) {
        int64_t most = (int64_t)berth__packcover_top(&in->c->view, j);
        x[j] = in->skip[j] ? 0 : (double)berth__pcg_integer(stream, 0, most);
    }
}

/* The least cost of a feasible integer point; INFINITY: none. */
static double enumerate(const instance *in) {
    const berth__packcover *p = &in->c->view;
    double x[MAX_VARS] = {0}, best = HUGE_VAL;
    for (;;) {
        berth__violation v = berth__packcover_measure(p, x);
        best = v.feasible ? fmin(best, v.cost) : best;
        int j = 0;
        while (j < p->n_vars && (in->skip[j] || x[j] + 1 > berth__packcover_top(p, j))) {
            x[j++] = 0;
        }
        if (j == p->n_vars) {
            return best;
        }
        x[j]++;
    }
}

static void assert_point(const instance *in, const double *x) {
    for (int j = 0; j < in->c->view.n_vars; j++) {
        assert_true(x[j] >= 0 && x[j] <= berth__packcover_top(&in->c->view, j));
        assert_close(x[j], round(x[j]), 0);
        assert_true(!in->skip[j] || x[j] <= 0);
    }
}

/* Repair tells the truth about its result, keeps integers, bounds and fixed variables, and makes nothing worse; a
 * feasible start stays feasible and gets no dearer. */
static void repair_against_enumeration(void **state) {
    (void)state;
    int solvable = 0, repaired = 0, optimal = 0;
    double ratio = 0;
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){21, seed});
        instance in = draw_instance(&stream);
        const berth__packcover *p = &in.c->view;
        double best = enumerate(&in), x[MAX_VARS], again[MAX_VARS];
        draw_point(&in, x, &stream);
        memcpy(again, x, sizeof again);
        berth__violation before = berth__packcover_measure(p, x);
        bool feasible, feasible_again;
        assert_int_equal(berth__repair(p, in.skip, NULL, x, &feasible), BERTH_OK);
        assert_int_equal(berth__repair(p, in.skip, NULL, again, &feasible_again), BERTH_OK);
        assert_memory_equal(x, again, (size_t)p->n_vars * sizeof *x);
        berth__violation after = berth__packcover_measure(p, x);
        assert_point(&in, x);
        assert_true(feasible == after.feasible && feasible == feasible_again);
        assert_true(feasible || !before.feasible);
        assert_true(berth__violation_size(&after) <= fmax(berth__violation_size(&before), BERTH__FEASIBILITY));
        assert_true(!before.feasible || after.cost <= before.cost);
        assert_true(!feasible || best < HUGE_VAL);
        assert_true(!feasible || after.cost >= best - 1e-9);

        if (feasible) {
            optimal += after.cost <= best + 1e-9;
            ratio += best > 0 ? after.cost / best : 1;
        }
        solvable += best < HUGE_VAL;
        repaired += feasible;
        packcover_case_free(in.c);
    }
    print_message("%d instances, %d solvable, %d repaired; %d optimal, mean cost %.4f of the least\n", INSTANCES,
                  solvable, repaired, optimal, ratio / repaired);
    assert_true(solvable > INSTANCES / 4);
    assert_true(repaired > 0.95 * solvable);
    assert_true(optimal > 0.8 * repaired);
}

/* Both senses, and right sides, coefficients and bounds of every kind: the same truths; a feasible start never gets
 * worse. */
static void both_senses_against_enumeration(void **state) {
    (void)state;
    const packcover_shape shape = {.most_vars = 6, .most_cover = 4, .most_pack = 4, .most_units = 3};
    int solvable[2] = {0}, repaired[2] = {0}, optimal[2] = {0};
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){24, seed});
        packcover_case *c = packcover_random(&shape, &stream);
        const berth__packcover *p = &c->view;
        double x[PACKCOVER_MOST_VARS], best = packcover_brute(p, NULL, NULL);
        for (int j = 0; j < p->n_vars; j++) {
            x[j] = (double)berth__pcg_integer(&stream, 0, 3);
        }
        berth__violation before = berth__packcover_measure(p, x);
        bool feasible;
        assert_int_equal(berth__repair(p, NULL, NULL, x, &feasible), BERTH_OK);
        berth__violation after = berth__packcover_measure(p, x);
        assert_true(feasible == after.feasible && (feasible || !before.feasible));
        assert_true(!before.feasible || !berth__packcover_better(p, before.cost, after.cost));
        assert_true(!feasible || !isnan(best));
        double slack = 1e-9 * fmax(1, fabs(best));
        if (feasible) {
            assert_true(p->maximize ? after.cost <= best + slack : after.cost >= best - slack);
            optimal[p->maximize] += fabs(after.cost - best) <= slack;
        }
        solvable[p->maximize] += !isnan(best);
        repaired[p->maximize] += feasible;
        packcover_case_free(c);
    }
    for (int sense = 0; sense < 2; sense++) {
        print_message("%s: %d solvable, %d repaired, %d of them optimal\n", sense ? "max" : "min", solvable[sense],
                      repaired[sense], optimal[sense]);
        assert_true(solvable[sense] > INSTANCES / 8);
        assert_true(repaired[sense] > 0.9 * solvable[sense]);
        assert_true(optimal[sense] > 0.7 * repaired[sense]);
    }
}

/* Some variables continuous: the same truths, without enumeration. */
static void repair_with_continuous_variables(void **state) {
    (void)state;
    int repaired = 0;
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){22, seed});
        instance in = draw_instance(&stream);
        const berth__packcover *p = &in.c->view;
        double x[MAX_VARS];
        bool feasible;
        draw_point(&in, x, &stream);
        for (int j = 0; j < p->n_vars; j++) {
            in.c->is_integer[j] = berth__pcg_integer(&stream, 0, 1) == 0;
            x[j] = in.c->is_integer[j] || in.skip[j] ? x[j] : p->upper[j] * berth__pcg_uniform(&stream);
        }
        berth__violation before = berth__packcover_measure(p, x);
        assert_int_equal(berth__repair(p, in.skip, NULL, x, &feasible), BERTH_OK);
        berth__violation after = berth__packcover_measure(p, x);
        assert_true(feasible == after.feasible);
        assert_true(feasible || !before.feasible);
        assert_true(berth__violation_size(&after) <= fmax(berth__violation_size(&before), BERTH__FEASIBILITY));
        for (int j = 0; j < p->n_vars; j++) {
            assert_true(x[j] >= 0 && x[j] <= p->upper[j] && (!in.skip[j] || x[j] <= 0));
            assert_true(!in.c->is_integer[j] || fabs(x[j] - round(x[j])) <= 0);
        }
        repaired += feasible;
        packcover_case_free(in.c);
    }
    assert_true(repaired > INSTANCES / 4);
}

/* ---- fixed cases ---- */

/* min 5 x0 + x1 + 2 x2 : x0 + x1 + x2 >= 4;  x1 <= 2 (a row), x0 + x2 <= 3. */
static packcover_case *fixed_case(void) {
    packcover_case *c = packcover_case_new(3);
    packcover_case_cover(c, 4);
    for (int j = 0; j < 3; j++) {
        packcover_case_entry(c, j, 1);
    }
    packcover_case_pack(c, 2);
    packcover_case_entry(c, 1, 1);
    packcover_case_pack(c, 3);
    packcover_case_entry(c, 0, 1);
    packcover_case_entry(c, 2, 1);
    c->cost[0] = 5;
    c->cost[2] = 2;
    return c;
}

static void repair_goes_the_cheap_way(void **state) {
    (void)state;
    packcover_case *c = fixed_case();
    bool feasible;
    double over[] = {2, 4, 2}; /* both packing rows broken: the dear x0 goes first */
    assert_int_equal(berth__repair(&c->view, NULL, NULL, over, &feasible), BERTH_OK);
    assert_true(feasible);
    assert_close(over[0], 0, 0);
    assert_close(over[1], 2, 0);
    assert_close(over[2], 2, 0);
    double nothing[] = {0, 0, 0};
    assert_int_equal(berth__repair(&c->view, NULL, NULL, nothing, &feasible), BERTH_OK);
    assert_true(feasible);
    assert_close(nothing[1], 2, 0);
    assert_close(nothing[2], 2, 0);
    double excess[] = {1, 2, 2}; /* feasible, but more than needed */
    assert_int_equal(berth__repair(&c->view, NULL, NULL, excess, &feasible), BERTH_OK);
    assert_true(feasible);
    assert_close(excess[0], 0, 0);
    packcover_case_free(c);
}

/* max 5 x0 + x1 + 4 x2 : x0 + x1 >= 2 (cover), x0 + x1 + x2 <= 4, x1 + 2 x2 <= 4. */
static void repair_of_a_maximisation(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(3);
    c->view.maximize = true;
    c->cost[0] = 5;
    c->cost[2] = 4;
    c->upper[0] = 2;
    packcover_case_cover(c, 2);
    packcover_case_entry(c, 0, 1);
    packcover_case_entry(c, 1, 1);
    packcover_case_pack(c, 4);
    for (int j = 0; j < 3; j++) {
        packcover_case_entry(c, j, 1);
    }
    packcover_case_pack(c, 4);
    packcover_case_entry(c, 1, 1);
    packcover_case_entry(c, 2, 2);
    bool feasible;
    double nothing[] = {0, 0, 0}; /* covers by what takes least room, then earns what room allows */
    assert_int_equal(berth__repair(&c->view, NULL, NULL, nothing, &feasible), BERTH_OK);
    assert_true(feasible);
    assert_close(nothing[0], 2, 0);
    assert_close(nothing[2], 2, 0);
    double over[] = {2, 2, 2}; /* what earns least goes first, and what earns and is not needed stays */
    assert_int_equal(berth__repair(&c->view, NULL, NULL, over, &feasible), BERTH_OK);
    assert_true(feasible);
    assert_close(over[0], 2, 0);
    assert_close(over[1], 0, 0);
    assert_close(over[2], 2, 0);
    packcover_case_free(c);
}

/* A profit that nothing limits stays where it is; packing rows without right side keep their variables at 0. */
static void maximisation_without_limit(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(2);
    c->view.maximize = true;
    packcover_case_pack(c, 0);
    packcover_case_entry(c, 1, 1);
    double x[] = {3, 2};
    bool feasible;
    assert_int_equal(berth__repair(&c->view, NULL, NULL, x, &feasible), BERTH_OK);
    assert_true(feasible);
    assert_close(x[0], 3, 0);
    assert_close(x[1], 0, 0);
    packcover_case_free(c);
}

/* Two kinds of unit share machine 0, only the second fits on machine 1: room for the first kind has to be made.
 *   x0 + x1 >= 2 with x1 barred, y0 + y1 >= 1;  x0 + y0 <= 2, y1 <= 1. */
static void repair_makes_room(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(4); /* x0, x1, y0, y1 */
    packcover_case_cover(c, 2);
    packcover_case_entry(c, 0, 1);
    packcover_case_entry(c, 1, 1);
    packcover_case_cover(c, 1);
    packcover_case_entry(c, 2, 1);
    packcover_case_entry(c, 3, 1);
    packcover_case_pack(c, 2);
    packcover_case_entry(c, 0, 1);
    packcover_case_entry(c, 2, 1);
    packcover_case_pack(c, 1);
    packcover_case_entry(c, 3, 1);
    bool skip[] = {false, true, false, false}, feasible;
    double x[] = {1, 0, 1, 0};
    assert_int_equal(berth__repair(&c->view, skip, NULL, x, &feasible), BERTH_OK);
    assert_true(feasible);
    assert_close(x[0], 2, 0);
    assert_close(x[3], 1, 0);
    packcover_case_free(c);
}

/* .3 / .1 is a little less than 3 in binary, 3 * .1 a little more than .3: neither may cost a unit. */
static void repair_counts_decimal_fractions(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(1);
    packcover_case_cover(c, 0.3);
    packcover_case_entry(c, 0, 0.1);
    packcover_case_pack(c, 0.3);
    packcover_case_entry(c, 0, 0.1);
    static const double starts[] = {0, 3, 5};
    for (int i = 0; i < 3; i++) {
        double x = starts[i];
        bool feasible;
        assert_int_equal(berth__repair(&c->view, NULL, NULL, &x, &feasible), BERTH_OK);
        assert_true(feasible);
        assert_close(x, 3, 0);
    }
    packcover_case_free(c);

    c = packcover_case_new(1); /* (.5 - .2) / .1 is a little less than 3 too: what may be dropped */
    packcover_case_cover(c, 0.2);
    packcover_case_entry(c, 0, 0.1);
    double x = 5;
    bool feasible;
    assert_int_equal(berth__repair(&c->view, NULL, NULL, &x, &feasible), BERTH_OK);
    assert_close(x, 2, 0);
    packcover_case_free(c);
}

/* Nothing can be done: the least violated state comes back, here the start. */
static void repair_of_the_impossible(void **state) {
    (void)state;
    packcover_case *c = packcover_case_new(1); /* x >= 10, x <= 9.5 */
    packcover_case_cover(c, 10);
    packcover_case_entry(c, 0, 1);
    packcover_case_pack(c, 9.5);
    packcover_case_entry(c, 0, 1);
    bool feasible = true;
    double x[] = {10}, low[] = {3};
    assert_int_equal(berth__repair(&c->view, NULL, NULL, x, &feasible), BERTH_OK);
    assert_false(feasible);
    assert_close(x[0], 10, 0); /* 5 % over beats 10 % missing */
    assert_int_equal(berth__repair(&c->view, NULL, NULL, low, &feasible), BERTH_OK);
    assert_false(feasible);
    assert_close(low[0], 9, 0);
    packcover_case_free(c);
}

static void repair_clips_and_fixes(void **state) {
    (void)state;
    packcover_case *c = fixed_case();
    c->upper[2] = 1.5;
    bool feasible, skip[] = {true, false, false};
    double x[] = {4, 2, 7};
    assert_int_equal(berth__repair(&c->view, skip, NULL, x, &feasible), BERTH_OK);
    assert_false(feasible); /* 2 + 1 < 4 */
    assert_close(x[0], 0, 0);
    assert_close(x[2], 1, 0);
    packcover_case_free(c);
}

static bool always(void *user) {
    (*(int *)user)++;
    return true;
}

/* A spent budget ends the greedy cover; what comes back is still true and no worse. */
static void budgets_are_kept(void **state) {
    (void)state;
    packcover_case *c = fixed_case();
    int polls = 0;
    berth_hooks hooks;
    berth_hooks_init(&hooks);
    hooks.cancel = always;
    hooks.user = &polls;
    berth__budget spent = berth__budget_start(HUGE_VAL, &hooks);
    double x[] = {0, 0, 0};
    bool feasible = true;
    assert_int_equal(berth__repair(&c->view, NULL, &spent, x, &feasible), BERTH_OK);
    assert_false(feasible);
    assert_true(polls > 0);
    packcover_case_free(c);
}

/* Large enough that a slip into exponential or cubic work would show: 400 variables in 60 rows. */
static void larger_instances(void **state) {
    (void)state;
    enum { N = 400 };
    for (uint64_t seed = 0; seed < 20; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){23, seed});
        packcover_case *c = packcover_case_new(N);
        double x[N], sum[60] = {0};
        for (int j = 0; j < N; j++) {
            x[j] = (double)berth__pcg_integer(&stream, 0, 2);
            c->cost[j] = berth__pcg_uniform(&stream);
            c->upper[j] = 3;
        }
        for (int i = 0; i < 60; i++) {
            (i < 20 ? packcover_case_cover : packcover_case_pack)(c, 0);
            for (int j = i % 5; j < N; j += 5) {
                double value = 0.2 + berth__pcg_uniform(&stream);
                packcover_case_entry(c, j, value);
                sum[i] += value * x[j];
            }
        }
        for (int i = 0; i < 60; i++) { /* x holds; the start below does not */
            c->rhs[i] = sum[i] * (i < 20 ? 0.9 : 1.05);
        }
        double cost = berth__packcover_measure(&c->view, x).cost;
        for (int j = 0; j < N; j++) {
            x[j] = (double)berth__pcg_integer(&stream, 0, 3);
        }
        assert_false(berth__packcover_measure(&c->view, x).feasible);
        bool feasible;
        assert_int_equal(berth__repair(&c->view, NULL, NULL, x, &feasible), BERTH_OK);
        assert_true(feasible);
        berth__violation v = berth__packcover_measure(&c->view, x);
        assert_true(v.feasible && v.cost < cost);
        packcover_case_free(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repair_against_enumeration),
        cmocka_unit_test(both_senses_against_enumeration),
        cmocka_unit_test(repair_with_continuous_variables),
        cmocka_unit_test(repair_goes_the_cheap_way),
        cmocka_unit_test(repair_makes_room),
        cmocka_unit_test(repair_of_a_maximisation),
        cmocka_unit_test(maximisation_without_limit),
        cmocka_unit_test(repair_counts_decimal_fractions),
        cmocka_unit_test(repair_of_the_impossible),
        cmocka_unit_test(repair_clips_and_fixes),
        cmocka_unit_test(budgets_are_kept),
        cmocka_unit_test(larger_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
