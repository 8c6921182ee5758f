/* utility <= optimum <= LP bound <= dual bound on random tiny instances and on those shipped, under every policy, the
 * optimum by brute force and, where a solver takes integers, by branch and bound; berth check confirms the LP bound
 * from the certificate; on larger instances no policy passes the LP bound. Seeds are fixed and nothing depends on
 * timing: no false failures. */
#include "tests/support/brute_force.h"
#include "tests/support/check.h"
#include "tests/support/checked_run.h"
#include "tests/support/sanitized.h"
#include "tests/support/variant.h"

#include <berth_io.h>

#include <stdlib.h>
#include <string.h>

enum {
    INSTANCES = 2000,
    EXACT_EVERY = 7,
    NODE_LIMIT = 50000000,
    SHIPPED = 20,
    GENERATED = SANITIZED ? 3 : 9,
    MOST_POLICIES = 32
};

static bool has_integers(const berth_backends *set) {
    for (size_t i = 0; i < berth_backends_count(set); i++) {
        if (strcmp(berth_backends_name(set, i), "glpk") == 0) {
            return true;
        }
    }
    return false;
}

/* The policies that have the solvers they need. Returns how many. */
static int usable_policies(const char *usable[MOST_POLICIES]) {
    int n = 0;
    for (const char *const *name = berth_policy_names(); *name != NULL; name++) {
        berth_options options;
        berth_backends *set = NULL;
        berth_instance *instance = NULL;
        berth_run *run = NULL;
        berth_error error;
        checked_run_options(*name, &options, &set);
        options.bound = BERTH_BOUND_NONE;
        assert_ok(berth_generate_tiny(1, &instance, &error), error);
        berth_status status = berth_run_online(instance, &options, &run, NULL, &error);
        if (status != BERTH_E_BACKEND) {
            assert_ok(status, error);
            assert_true(n < MOST_POLICIES);
            usable[n++] = *name;
        }
        berth_run_free(run);
        berth_instance_free(instance);
        berth_backends_free(set);
    }
    assert_true(n > 5);
    return n;
}

static void expect_order(const berth_instance *instance, berth_options options, double optimum, uint64_t seed,
                         const char *what) {
    double confirmed = 0, slack = 1e-9 * fmax(1, optimum);
    berth_run *run = audited_run(instance, &options, seed, what, &confirmed);
    const berth_run_bounds *b = &run->bounds;
    if (!(run->utility <= optimum + slack && optimum <= b->lp + slack && b->lp <= b->dual)) {
        fail_msg("seed %lu, %s: utility %.12g, optimum %.12g, LP bound %.12g, dual bound %.12g", (unsigned long)seed,
                 what, run->utility, optimum, b->lp, b->dual);
    }
    assert_at_most(confirmed, b->lp, 1e-6);
    if (options.bound == BERTH_BOUND_EXACT) {
        if (!(fabs(b->exact - optimum) <= 1e-7 * fmax(1, optimum))) {
            fail_msg("seed %lu, %s: %.12g by branch and bound, %.12g by brute force", (unsigned long)seed, what,
                     b->exact, optimum);
        }
        assert_true(b->best == fmin(b->lp, b->exact));
    } else {
        assert_true(b->best == b->lp && isnan(b->exact));
    }
    berth_run_free(run);
}

static void test_optimum_is_between(void **state) {
    (void)state;
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors-ci", &options, &set);
    bool exact = has_integers(set);
    const char *names[MOST_POLICIES];
    int n_policies = usable_policies(names);
    for (uint64_t seed = 1; seed <= INSTANCES; seed++) {
        berth_error error;
        berth_instance *instance = NULL;
        assert_ok(berth_generate_tiny(seed, &instance, &error), error);
        bool complete = false;
        double optimum = brute_force_optimum(instance, NODE_LIMIT, &complete);
        assert_true(complete);
        options.policy = "pdors-ci";
        options.bound_gap = seed % 3 == 0 ? 0.1 : 1e-6;
        options.levels = 200;
        options.bound = exact && seed % EXACT_EVERY == 0 ? BERTH_BOUND_EXACT : BERTH_BOUND_LP;
        expect_order(instance, options, optimum, seed, "as generated");
        options.bound = BERTH_BOUND_LP;
        options.policy = names[seed % (uint64_t)n_policies];
        expect_order(instance, options, optimum, seed, options.policy);
        options.levels = 1 + (int)(seed % 5);
        variant *v = variant_new(instance);
        variant_prices(v, 0.05 * (double)(1 + seed % 7), 0.01);
        expect_order(variant_instance(v), options, optimum, seed, "small upper price, few levels");
        variant_free(v);
        berth_instance_free(instance);
    }
    berth_backends_free(set);
}

static void test_shipped_optima(void **state) {
    (void)state;
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors-ci", &options, &set);
    bool exact = has_integers(set);
    const char *names[MOST_POLICIES];
    int n_policies = usable_policies(names);
    FILE *optima = fopen("instances/tiny/optima.csv", "r");
    assert_non_null(optima);
    char line[200], path[256];
    assert_non_null(fgets(line, sizeof line, optima));
    for (uint64_t i = 1; i <= SHIPPED; i++) {
        assert_non_null(fgets(line, sizeof line, optima));
        char *comma = strchr(line, ',');
        assert_non_null(comma);
        *comma = '\0';
        snprintf(path, sizeof path, "instances/tiny/%s", line);
        berth_error error;
        berth_instance *instance = NULL;
        assert_ok(berth_instance_read(path, &instance, &error), error);
        double printed = strtod(comma + 1, NULL); /* to 12 digits */
        for (int p = 0; p < n_policies; p++) {
            options.policy = names[p];
            options.bound = exact && p == 0 ? BERTH_BOUND_EXACT : BERTH_BOUND_LP;
            expect_order(instance, options, printed * (1 - 1e-11), i, line);
        }
        berth_instance_free(instance);
    }
    fclose(optima);
    berth_backends_free(set);
}

/* The bound of one policy's run, however loose, is above what any other earns. */
static void test_no_policy_passes_the_lp_bound(void **state) {
    (void)state;
    const char *names[MOST_POLICIES];
    int n_policies = usable_policies(names);
    double earned = 0, possible = 0;
    for (uint64_t seed = 1; seed <= GENERATED; seed++) {
        berth_generate_pdors_options g;
        berth_generate_pdors_options_init(&g);
        g.seed = seed;
        g.machines = 3 + seed % 3;
        g.slots = 12;
        g.jobs = 0;
        g.load = 0.5 * (double)(1 + seed % 6);
        g.arrivals = (berth_arrivals)(seed % 3);
        g.heterogeneous = seed % 2 == 0;
        berth_error error;
        berth_instance *instance = NULL;
        assert_ok(berth_generate_pdors(&g, &instance, &error), error);
        double bound = 0, most = 0, confirmed = 0;
        for (int p = 0; p < n_policies; p++) {
            berth_options options;
            berth_backends *set = NULL;
            checked_run_options(names[p], &options, &set);
            options.seed = seed;
            options.bound = p == 0 ? BERTH_BOUND_LP : BERTH_BOUND_NONE;
            options.bound_gap = seed % 2 == 0 ? 1e-4 : 0.05;
            berth_run *run = audited_run(instance, &options, seed, names[p], &confirmed);
            bound = p == 0 ? run->bounds.lp : bound;
            most = fmax(most, run->utility);
            if (!(run->utility <= bound * (1 + 1e-9))) {
                fail_msg("seed %lu: %s earns %.12g, above the LP bound %.12g", (unsigned long)seed, names[p],
                         run->utility, bound);
            }
            berth_run_free(run);
            berth_backends_free(set);
        }
        earned += most;
        possible += bound;
        berth_instance_free(instance);
    }
    assert_true(earned > 0.6 * possible); /* the bound is not just some large number */
}

/* Too large, no solver for integers, values that mean nothing: said before any work. */
static void test_refusals(void **state) {
    (void)state;
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors-ci", &options, &set);
    berth_generate_pdors_options g;
    berth_generate_pdors_options_init(&g);
    berth_error error;
    berth_instance *large = NULL, *tiny = NULL;
    berth_run *run = NULL;
    assert_ok(berth_generate_pdors(&g, &large, &error), error);
    assert_ok(berth_generate_tiny(1, &tiny, &error), error);
    options.bound = BERTH_BOUND_EXACT;
    assert_int_equal(berth_run_online(large, &options, &run, NULL, &error), BERTH_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, "tiny instances"));
    if (!has_integers(set)) {
        assert_int_equal(berth_run_online(tiny, &options, &run, NULL, &error), BERTH_E_BACKEND);
    }
    options.bound = (berth_bound)4;
    assert_int_equal(berth_run_online(tiny, &options, &run, NULL, &error), BERTH_E_ARGUMENT);
    options.bound = BERTH_BOUND_LP;
    static const double gaps[] = {-1e-9, 1, (double)NAN};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        options.bound_gap = gaps[i];
        assert_int_equal(berth_run_online(tiny, &options, &run, NULL, &error), BERTH_E_ARGUMENT);
        assert_null(run);
    }
    berth_instance_free(large);
    berth_instance_free(tiny);
    berth_backends_free(set);
}

/* The tighter the gap asked for, the smaller the bound. */
static void test_gap(void **state) {
    (void)state;
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors-ci", &options, &set);
    options.bound = BERTH_BOUND_LP;
    berth_generate_pdors_options g;
    berth_generate_pdors_options_init(&g);
    g.machines = 6;
    g.slots = 12;
    g.load = 3;
    berth_error error;
    berth_instance *instance = NULL;
    assert_ok(berth_generate_pdors(&g, &instance, &error), error);
    static const double gaps[] = {1e-6, 1e-3, 0.1};
    double least = 0, before = 0;
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        double confirmed = 0;
        options.bound_gap = gaps[i];
        berth_run *run = audited_run(instance, &options, 1, "gap", &confirmed);
        least = i == 0 ? run->bounds.lp : least;
        assert_true(run->bounds.lp >= before && run->bounds.lp <= run->bounds.dual);
        assert_true(run->bounds.lp <= least / (1 - gaps[i]));
        before = run->bounds.lp;
        berth_run_free(run);
    }
    assert_true(before > least);
    berth_instance_free(instance);
    berth_backends_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimum_is_between),
        cmocka_unit_test(test_shipped_optima),
        cmocka_unit_test(test_no_policy_passes_the_lp_bound),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
