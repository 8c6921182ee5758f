/* berth_cohort_pick against GLPK: 3,000 random problems of up to 8 clients and 4 categories, both objectives. Every
 * result goes through berth_check_cohort. */
#include "formulations/cohort/greedy.h"
#include "formulations/cohort/problem.h"
#include "formulations/cohort/worth.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/cohort_case.h"
#include "tests/support/sanitized.h"

#include <string.h>

enum { DURATIONS = SANITIZED ? 200 : 3000, CASES = SANITIZED ? 100 : 1000 };

static berth_backends *backends;

static int open_backends(void **state) {
    (void)state;
    backends = all_backends();
    return 0;
}

static int close_backends(void **state) {
    (void)state;
    berth_backends_free(backends);
    return 0;
}

static berth_cohort *pick(const cohort_case *c, const char *solver, double effort) {
    berth_error error = {0};
    berth_cohort *cohort = NULL;
    berth_cohort_options options;
    berth_cohort_options_init(&options);
    options.solver = solver;
    options.effort = effort;
    options.backends = backends;
    assert_ok(berth_cohort_pick(&c->data, &c->request, &options, &cohort, &error), error);
    return cohort;
}

static berth__pcg stream_of(uint64_t seed) {
    return berth__pcg_key(1, &seed);
}

static bool exists(const berth_cohort *cohort) {
    return cohort->outcome == BERTH_OPTIMAL || cohort->outcome == BERTH_FEASIBLE;
}

#ifdef BERTH_WITH_GLPK

static double objective(const berth_cohort *cohort) {
    return cohort->objective == BERTH_COHORT_DURATION ? cohort->duration_s : (double)cohort->n_participants;
}

static double bound(const berth_cohort *cohort) {
    return cohort->objective == BERTH_COHORT_DURATION ? cohort->bound_s : (double)cohort->participants_bound;
}

/* True: the optimum was found. */
static bool compare(const cohort_case *c, const berth_cohort *cohort, double optimum, int number) {
    char what[40];
    snprintf(what, sizeof what, "case %d", number);
    cohort_expect_sound(&c->data, &c->request, cohort, what);
    if (isinf(optimum)) {
        assert_int_equal(cohort->outcome, BERTH_INFEASIBLE);
        assert_int_not_equal(cohort->reason, BERTH_COHORT_NONE);
        return true;
    }
    if (!exists(cohort)) {
        fail_msg("case %d: %s, but %g is possible", number, berth_outcome_name(cohort->outcome), optimum);
    }
    if (!isnan(bound(cohort))) { /* nothing asked for: no bound */
        assert_at_most(bound(cohort), optimum, 1e-6);
    }
    assert_at_most(optimum, objective(cohort), 1e-6);
    bool best = objective(cohort) <= optimum * (1 + 1e-6) + 1e-9;
    if (cohort->outcome == BERTH_OPTIMAL && !best) {
        fail_msg("case %d: claims that %g is optimal; %g is", number, objective(cohort), optimum);
    }
    return best;
}

static void durations_are_the_optimum_s(void **state) {
    (void)state;
    berth__pcg stream = stream_of(71);
    cohort_case c;
    int best = 0, infeasible = 0, optimal = 0;
    for (int k = 0; k < DURATIONS; k++) {
        cohort_case_draw(&c, BERTH_COHORT_DURATION, &stream);
        double optimum = cohort_case_optimum(&c, backends, true);
        berth_cohort *cohort = pick(&c, "auto", 1);
        best += compare(&c, cohort, optimum, k);
        infeasible += isinf(optimum);
        optimal += cohort->outcome == BERTH_OPTIMAL;
        berth_cohort_free(cohort);
    }
    assert_true(best >= 0.95 * DURATIONS);
    assert_true(infeasible > DURATIONS / 20 && infeasible < DURATIONS / 2);
    assert_true(optimal > DURATIONS / 2);
}

/* A basic solution of the relaxation rounds up to at most one more a row of the needs, and one. */
static void numbers_of_participants_are_near_the_relaxation(void **state) {
    (void)state;
    berth__pcg stream = stream_of(72);
    cohort_case c;
    int best = 0;
    for (int k = 0; k < CASES; k++) {
        cohort_case_draw(&c, BERTH_COHORT_PARTICIPANTS, &stream);
        double optimum = cohort_case_optimum(&c, backends, true);
        berth_cohort *cohort = pick(&c, "auto", 1);
        best += compare(&c, cohort, optimum, k);
        if (exists(cohort)) {
            double relaxed = cohort_case_optimum(&c, backends, false);
            assert_at_most((double)cohort->n_participants, relaxed + (double)c.data.n_categories + 1, 1e-9);
        }
        berth_cohort_free(cohort);
    }
    assert_true(best >= 0.95 * CASES);
}

/* The twin: prices of the programme with the deadline fixed, by every LP backend. */
static void prices_of_backends_prove_as_much(void **state) {
    (void)state;
    berth__pcg stream = stream_of(73);
    cohort_case c;
    int weaker = 0, cases = CASES / 10;
    for (int k = 0; k < cases; k++) {
        cohort_case_draw(&c, (berth_cohort_objective)(k % 2), &stream);
        double optimum = cohort_case_optimum(&c, backends, true);
        berth_cohort *ours = pick(&c, "auto", 1);
        for (size_t b = 0; b < berth_backends_count(backends); b++) {
            if (berth_backends_exact(backends, b)) {
                berth_cohort *theirs = pick(&c, berth_backends_name(backends, b), 1);
                compare(&c, theirs, optimum, k);
                weaker += exists(theirs) && bound(ours) < bound(theirs) * (1 - 0.01);
                berth_cohort_free(theirs);
            }
        }
        berth_cohort_free(ours);
    }
    assert_true(weaker <= cases / 10);
}

#endif

/* ---- fast and slow ---- */

static void largest_values_are_those_of_a_sort(void **state) {
    (void)state;
    enum { MOST = 3000 };
    static double value[MOST], sorted[MOST];
    berth__pcg stream = stream_of(74);
    berth__cohort_space space;
    assert_true(berth__cohort_space_init(&space, MOST, 1));
    for (int k = 0; k < CASES / 4; k++) {
        size_t n = (size_t)berth__pcg_integer(&stream, 1, k % 2 == 0 ? 40 : MOST), positive = 0;
        int64_t spread = berth__pcg_integer(&stream, 0, 40);
        for (size_t i = 0; i < n; i++) {
            value[i] = (double)berth__pcg_integer(&stream, 0, (int64_t)1 << spread);
            size_t at = positive;
            positive += value[i] > 0;
            for (; value[i] > 0 && at > 0 && n <= 400 && sorted[at - 1] < value[i]; at--) {
                sorted[at] = sorted[at - 1];
            }
            if (value[i] > 0) {
                sorted[at] = value[i];
            }
        }
        if (n > 400) { /* insertion is too slow: selection of each rank in turn is not needed, sort by merging runs */
            for (size_t width = 1; width < positive; width *= 2) {
                for (size_t low = 0; low + width < positive; low += 2 * width) {
                    size_t i = low, j = low + width, end = low + 2 * width < positive ? low + 2 * width : positive,
                           m = 0;
                    static double merged[MOST];
                    while (i < low + width || j < end) {
                        bool left = j == end || (i < low + width && sorted[i] >= sorted[j]);
                        merged[m++] = left ? sorted[i++] : sorted[j++];
                    }
                    memcpy(sorted + low, merged, m * sizeof *merged);
                }
            }
        }
        size_t most = (size_t)berth__pcg_integer(&stream, 0, (int64_t)n);
        double target =
            k % 3 == 0 ? (double)INFINITY : sorted[0] * (double)most * 0.4 * berth__pcg_uniform(&stream) + 1;
        double sum = 0;
        size_t count = 0;
        while (count < most && count < positive && sum < target) {
            sum += sorted[count++];
        }
        berth__cohort_top top = berth__cohort_top_values(value, n, most, target, &space);
        assert_int_equal(top.count, count);
        assert_true(top.sum >= sum && top.sum <= sum);
        assert_int_equal(top.reached, sum >= target);
        assert_true(count == 0 || (top.threshold >= sorted[count - 1] && top.threshold <= sorted[count - 1]));
    }
    berth__cohort_space_free(&space);
}

/* Many clients take another way through samples and pools: their results are sound, near the bound, and repeatable. */
static void many_clients_are_near_the_bound(void **state) {
    (void)state;
    berth_generate_cohort_options options;
    berth_generate_cohort_options_init(&options);
    options.clients = 30000;
    berth_cohort_options quick;
    berth_cohort_options_init(&quick);
    quick.effort = 0.1;
    for (size_t k = 0; k < (SANITIZED ? 1 : 3); k++) {
        berth_error error = {0};
        berth_cohort_data *data = NULL;
        berth_cohort_request *request = NULL;
        berth_cohort *cohort = NULL, *again = NULL;
        options.categories = k == 0 ? 20 : k == 1 ? 100 : 300; /* of 300, all clients are the sample */
        assert_ok(berth_generate_cohort(&options, &data, &request, &error), error);
        assert_ok(berth_cohort_pick(data, request, &quick, &cohort, &error), error);
        assert_true(exists(cohort));
        assert_true(cohort->ratio < (k < 2 ? 1.03 : 1.08));
        cohort_expect_sound(data, request, cohort, "many");
        assert_ok(berth_cohort_pick(data, request, &quick, &again, &error), error);
        assert_int_equal(cohort->n_participants, again->n_participants);
        assert_true(cohort->duration_s >= again->duration_s && cohort->duration_s <= again->duration_s);
        assert_memory_equal(cohort->prices, again->prices, data->n_categories * sizeof *cohort->prices);
        berth_cohort_free(cohort);
        berth_cohort_free(again);
        request->objective = BERTH_COHORT_PARTICIPANTS;
        assert_ok(berth_cohort_pick(data, request, &quick, &cohort, &error), error);
        assert_true(exists(cohort));
        cohort_expect_sound(data, request, cohort, "fewest of many");
        berth_cohort_free(cohort);
        berth_cohort_request_free(request);
        berth_cohort_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef BERTH_WITH_GLPK
        cmocka_unit_test(durations_are_the_optimum_s),
        cmocka_unit_test(numbers_of_participants_are_near_the_relaxation),
        cmocka_unit_test(prices_of_backends_prove_as_much),
#endif
        cmocka_unit_test(largest_values_are_those_of_a_sort),
        cmocka_unit_test(many_clients_are_near_the_bound),
    };
    return cmocka_run_group_tests(tests, open_backends, close_backends);
}
