/* The oracle for packing-and-covering views against the plainest enumeration there is, and its generator. */
#include "tests/support/check.h"
#include "tests/support/packcover_brute.h"

#include <string.h>

/* All points of the box, without pruning. */
static double every_point(const berth__packcover *p, const bool *skip, double most) {
    double x[PACKCOVER_MOST_VARS] = {0}, best = (double)NAN;
    for (;;) {
        berth__violation v = berth__packcover_measure(p, x);
        if (v.feasible && (isnan(best) || berth__packcover_better(p, v.cost, best))) {
            best = v.cost;
        }
        int j = 0;
        while (j < p->n_vars && (skip[j] || x[j] + 1 > fmin(most, berth__packcover_top(p, j)))) {
            x[j++] = 0;
        }
        if (j == p->n_vars) {
            return best;
        }
        x[j]++;
    }
}

static void pruning_loses_nothing(void **state) {
    (void)state;
    enum { INSTANCES = 1500, MOST = 6 };
    int solvable = 0, maximized = 0;
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){31, seed});
        packcover_shape shape = {.most_vars = 4, .most_cover = 3, .most_pack = 3, .most_units = 2};
        packcover_case *c = packcover_random(&shape, &stream);
        for (int j = 0; j < c->view.n_vars; j++) {
            c->upper[j] = fmin(c->upper[j], MOST);
        }
        bool skip[4];
        for (int j = 0; j < 4; j++) {
            skip[j] = berth__pcg_integer(&stream, 0, 9) == 0;
        }
        double x[4], best = packcover_brute(&c->view, skip, x), plain = every_point(&c->view, skip, MOST);
        assert_true(isnan(best) == isnan(plain));
        if (!isnan(best)) {
            assert_close(best, plain, 1e-12);
            berth__violation v = berth__packcover_measure(&c->view, x);
            assert_true(v.feasible);
            assert_close(v.cost, best, 0);
            solvable++;
            maximized += c->view.maximize;
        }
        packcover_case_free(c);
    }
    assert_true(solvable > INSTANCES / 2 && maximized > solvable / 4 && maximized < solvable * 3 / 4);
}

/* What the tests that use the generator rely on: every trait it is said to have comes up. */
static void the_generator_draws_all_there_is(void **state) {
    (void)state;
    enum { INSTANCES = 2000 };
    int infinite = 0, fractional = 0, barred = 0, free_cost = 0, zero_cover = 0, zero_pack = 0, zero_entry = 0;
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){32, seed});
        packcover_shape shape = {.most_vars = 10, .most_cover = 6, .most_pack = 6, .most_units = 3};
        packcover_case *c = packcover_random(&shape, &stream);
        const berth__packcover *p = &c->view;
        for (int j = 0; j < p->n_vars; j++) {
            infinite += p->upper[j] >= HUGE_VAL;
            fractional += p->upper[j] < HUGE_VAL && p->upper[j] > floor(p->upper[j]);
            barred += p->upper[j] <= 0;
            free_cost += p->cost[j] <= 0;
        }
        for (int i = 0; i < p->n_cover + p->n_pack; i++) {
            zero_cover += i < p->n_cover && p->rhs[i] <= 0;
            zero_pack += i >= p->n_cover && p->rhs[i] <= 0;
        }
        for (size_t k = 0; k < p->row_start[p->n_cover + p->n_pack]; k++) {
            zero_entry += p->value[k] <= 0;
        }
        packcover_case_free(c);
    }
    assert_true(infinite > 100 && fractional > 100 && barred > 100 && free_cost > 100);
    assert_true(zero_cover > 100 && zero_pack > 30 && zero_entry > 100);
}

/* Ten variables take no time worth speaking of. */
static void ten_variables(void **state) {
    (void)state;
    int solvable = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        berth__pcg stream = berth__pcg_key(2, (uint64_t[]){33, seed});
        packcover_shape shape = {.most_vars = 10, .most_cover = 5, .most_pack = 5, .most_units = 3};
        packcover_case *c = packcover_random(&shape, &stream);
        double x[PACKCOVER_MOST_VARS], best = packcover_brute(&c->view, NULL, x);
        solvable += !isnan(best) && berth__packcover_measure(&c->view, x).feasible;
        packcover_case_free(c);
    }
    assert_true(solvable > 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pruning_loses_nothing),
        cmocka_unit_test(ten_variables),
        cmocka_unit_test(the_generator_draws_all_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
