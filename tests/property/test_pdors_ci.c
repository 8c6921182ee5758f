/* Policy pdors-ci in whole runs: between nothing and the optimum, with a valid bound, whatever solves its slots; near
 * the least price for one job; the same for any seed and number of threads; and nothing drawn, nothing unfinished.
 * Seeds are fixed and nothing depends on timing: no false failures. */
#include "tests/support/brute_force.h"
#include "tests/support/check.h"
#include "tests/support/checked_run.h"
#include "tests/support/one_job.h"

#include "online/policy.h"

#include <stdlib.h>

enum { INSTANCES = 2000, NODE_LIMIT = 50000000 };

static const char *const solvers[] = {
    "fast",
#ifdef BERTH_WITH_CLP
    "clp",
#endif
#ifdef BERTH_WITH_GLPK
    "glpk",
#endif
};

enum { SOLVERS = sizeof solvers / sizeof *solvers };

/* ---- tiny instances ---- */

static void test_optimum_is_between(void **state) {
    (void)state;
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors-ci", &options, &set);
    double earned[SOLVERS] = {0}, possible = 0;
    for (uint64_t seed = 1; seed <= INSTANCES; seed++) {
        berth_error error;
        berth_instance *instance = NULL;
        assert_ok(berth_generate_tiny(seed, &instance, &error), error);
        bool complete = false;
        double optimum = brute_force_optimum(instance, NODE_LIMIT, &complete);
        assert_true(complete);
        possible += optimum;
        for (int k = 0; k < SOLVERS; k++) {
            options.solver = solvers[k];
            earned[k] += checked_run(instance, &options, optimum, seed, solvers[k]);
            if (k == 0 || seed % 4 == 0) {
                checked_run_variants(instance, &options, optimum, seed);
            }
        }
        berth_instance_free(instance);
    }
    for (int k = 0; k < SOLVERS; k++) {
        print_message("%s: utility / optimum over %d tiny instances: %.4f\n", solvers[k], INSTANCES,
                      earned[k] / possible);
        assert_true(earned[k] > 0.8 * possible);
    }
    berth_backends_free(set);
}

/* ---- one job against enumeration ---- */

static void test_one_machine_is_exact(void **state) {
    (void)state;
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors-ci", &options, &set);
    one_machine_is_exact(&options);
    berth_backends_free(set);
}

/* Whether it is possible is never in doubt; the price exceeds the least one only where the bound of a slot misleads. */
static void test_more_machines_are_near_the_least_price(void **state) {
    (void)state;
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors-ci", &options, &set);
    for (int k = 0; k < SOLVERS; k++) {
        options.solver = solvers[k];
        int found = 0, dearer = 0;
        double excess = 0, worst = 0;
        for (uint64_t seed = 0; seed < (k == 0 ? 3000 : 500); seed++) {
            one_job_answer answer = one_job_ask(2 + (int)(seed % 2), seed, &options);
            assert_true(answer.admitted == (answer.least < HUGE_VAL));
            if (answer.admitted) {
                double more = answer.paid / answer.least - 1;
                excess += more;
                worst = fmax(worst, more);
                dearer += more > 1e-9;
                found++;
            }
        }
        print_message("%s: %d plans, %d dearer than the least, by %.3f %% on average over all, at most %.1f %%\n",
                      solvers[k], found, dearer, 100 * excess / found, 100 * worst);
        assert_true(found > 300);
        assert_true(excess < (k == 0 ? 0.002 : 0.02) * found);
    }
    berth_backends_free(set);
}

/* ---- generated instances ---- */

static berth_instance *generate(uint64_t seed, size_t machines, size_t jobs, int slots) {
    berth_generate_pdors_options g;
    berth_generate_pdors_options_init(&g);
    g.seed = seed;
    g.machines = machines;
    g.jobs = jobs;
    g.slots = slots;
    g.heterogeneous = true;
    berth_error error;
    berth_instance *instance = NULL;
    assert_ok(berth_generate_pdors(&g, &instance, &error), error);
    return instance;
}

static void expect_equal_runs(const berth_run *a, const berth_run *b) {
    assert_true(a->utility == b->utility && a->bounds.dual == b->bounds.dual);
    for (size_t i = 0; i < a->n_jobs; i++) {
        const berth_run_job *x = &a->jobs[i], *y = &b->jobs[i];
        assert_true(x->admitted == y->admitted && x->n_slots == y->n_slots && x->price_paid == y->price_paid);
        for (size_t s = 0; s < x->n_slots; s++) {
            assert_int_equal(x->slots[s].slot, y->slots[s].slot);
            assert_int_equal(x->slots[s].n_placements, y->slots[s].n_placements);
            assert_memory_equal(x->slots[s].placements, y->slots[s].placements,
                                x->slots[s].n_placements * sizeof *x->slots[s].placements);
        }
    }
}

/* Slots are planned in parallel on many machines only. */
static void test_threads_and_seeds_change_nothing(void **state) {
    (void)state;
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors-ci", &options, &set);
    static const struct {
        size_t machines, jobs;
        int slots;
    } sizes[] = {{2500, 60, 24}, {20, 20, 12}};
    assert_true(sizes[0].machines >= (size_t)berth__policy_pdors_ci.parallel_machines);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        berth_instance *instance = generate(60 + k, sizes[k].machines, sizes[k].jobs, sizes[k].slots);
        berth_run *runs[3];
        for (int i = 0; i < 3; i++) {
            berth_error error;
            options.threads = i == 1 ? 3 : 1;
            options.seed = i == 2 ? 99 : 1;
            assert_ok(berth_run_online(instance, &options, &runs[i], NULL, &error), error);
        }
        expect_equal_runs(runs[0], runs[1]);
        expect_equal_runs(runs[0], runs[2]);
        assert_true(runs[0]->summary.admitted > sizes[k].jobs / 3);
        for (int i = 0; i < 3; i++) {
            berth_run_free(runs[i]);
        }
        berth_instance_free(instance);
    }
    berth_backends_free(set);
}

/* An instance whose jobs belong to tenants with quotas and may use some machines only. Borrows from the original. */
typedef struct restricted {
    berth_instance instance;
    berth_job *jobs;
    berth_quota quotas[2];
    double *amounts;
} restricted;

static restricted *restrict_instance(const berth_instance *in, uint64_t seed) {
    static const char *const tenants[] = {"red", "blue", "green", NULL}, *const even[] = {"*[02468]"},
                             *const fives[] = {"*[05]", "*1?"};
    restricted *r = calloc(1, sizeof *r);
    assert_non_null(r);
    size_t R = in->n_resources;
    r->instance = *in;
    r->jobs = calloc(in->n_jobs, sizeof *r->jobs);
    r->amounts = calloc(2 * R, sizeof *r->amounts);
    assert_true(r->jobs != NULL && r->amounts != NULL);
    for (size_t k = 0; k < R; k++) { /* green has none */
        double total = 0;
        for (size_t h = 0; h < in->n_machines; h++) {
            total += in->capacity[h * R + k];
        }
        r->amounts[k] = 0.3 * total;
        r->amounts[R + k] = k == seed % R ? 0.1 * total : (double)INFINITY;
    }
    for (size_t q = 0; q < 2; q++) {
        r->quotas[q] = (berth_quota){.tenant = tenants[q], .amount = r->amounts + q * R};
    }
    for (size_t i = 0; i < in->n_jobs; i++) {
        berth_job *job = &r->jobs[i];
        *job = in->jobs[i];
        job->tenant = tenants[(i + seed) % 4];
        if (i % 3 == 0) {
            job->allow = even;
            job->n_allow = 1;
        }
        if (i % 2 == 0) {
            job->avoid = fives;
            job->n_avoid = 2;
        }
    }
    r->instance.jobs = r->jobs;
    r->instance.n_quotas = 2;
    r->instance.quotas = r->quotas;
    return r;
}

static void restricted_free(restricted *r) {
    free(r->jobs);
    free(r->amounts);
    free(r);
}

/* Nothing is drawn, so nothing can fail and be tried again; whatever is admitted completes. */
static double run_clean(const berth_instance *instance, const berth_options *options, uint64_t seed) {
    double dual = 0;
    berth_run *run = audited_run(instance, options, seed, options->solver, &dual);
    assert_true(run->utility <= run->bounds.dual * (1 + 1e-9) && run->utility <= dual * (1 + 1e-6));
    assert_true(!run->stopped);
    if (run->rounding != NULL) {
        assert_true(run->rounding->problems == 0 && run->rounding->draws == 0 && run->rounding->repaired == 0);
    }
    for (size_t i = 0; i < run->n_jobs; i++) {
        assert_int_equal(run->jobs[i].outcome, run->jobs[i].admitted ? BERTH_JOB_COMPLETED : BERTH_JOB_REJECTED);
        assert_true(!run->jobs[i].admitted || run->jobs[i].completion_slot >= instance->jobs[i].arrival_slot);
    }
    double utility = run->utility;
    berth_run_free(run);
    return utility;
}

static void test_generated_instances(void **state) {
    (void)state;
    static const struct {
        size_t machines, jobs;
        int slots, seeds;
    } sizes[] = {{3, 15, 12, 8}, {8, 25, 16, 3}, {20, 20, 10, 1}};
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors-ci", &options, &set);
    double earned[SOLVERS] = {0};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int i = 0; i < sizes[k].seeds; i++) {
            uint64_t seed = 100 * k + (uint64_t)i;
            berth_instance *instance = generate(seed, sizes[k].machines, sizes[k].jobs, sizes[k].slots);
            restricted *r = restrict_instance(instance, seed);
            for (int s = 0; s < SOLVERS; s++) {
                options.solver = solvers[s];
                double plain = run_clean(instance, &options, seed), narrow = run_clean(&r->instance, &options, seed);
                earned[s] += plain + narrow;
            }
            restricted_free(r);
            berth_instance_free(instance);
        }
    }
    for (int s = 0; s < SOLVERS; s++) {
        print_message("%s: %.1f earned\n", solvers[s], earned[s]);
        assert_true(earned[0] > 0.95 * earned[s] && earned[s] > 0.8 * earned[0]);
    }
    berth_backends_free(set);
}

static void test_larger_instances(void **state) {
    (void)state;
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors-ci", &options, &set);
    for (uint64_t seed = 0; seed < 4; seed++) {
        berth_instance *instance = generate(500 + seed, seed % 2 == 0 ? 60 : 200, 80, 24);
        restricted *r = restrict_instance(instance, seed);
        assert_true(run_clean(instance, &options, seed) > 0);
        assert_true(run_clean(&r->instance, &options, seed) > 0);
        restricted_free(r);
        berth_instance_free(instance);
    }
    berth_backends_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimum_is_between),
        cmocka_unit_test(test_one_machine_is_exact),
        cmocka_unit_test(test_more_machines_are_near_the_least_price),
        cmocka_unit_test(test_threads_and_seeds_change_nothing),
        cmocka_unit_test(test_generated_instances),
        cmocka_unit_test(test_larger_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
