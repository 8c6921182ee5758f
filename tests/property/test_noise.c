/* Runs whose jobs truly have another speed and work than declared, on random instances under every policy: the checker,
 * which draws the factors again and knows nothing of the simulation, agrees with every figure. All seeds are fixed. */
#include "tests/support/check.h"
#include "tests/support/checked_run.h"
#include "tests/support/true_run.h"

#include "online/estimation.h"
#include "tests/support/own_folder.h"

#include <stdlib.h>
#include <string.h>

enum { TINY = 150, GENERATED = 9 };

static berth_instance *tiny(uint64_t seed) {
    berth_error error;
    berth_instance *instance = NULL;
    assert_ok(berth_generate_tiny(seed, &instance, &error), error);
    return instance;
}

static berth_instance *generated(uint64_t seed) {
    berth_error error;
    berth_instance *instance = NULL;
    berth_generate_pdors_options options;
    berth_generate_pdors_options_init(&options);
    options.seed = seed;
    options.machines = 4;
    options.load = 0.5 * (double)(1 + seed % 5);
    options.slots = 12;
    options.heterogeneous = seed % 2 == 0;
    assert_ok(berth_generate_pdors(&options, &instance, &error), error);
    return instance;
}

static berth_instance *instance_of(size_t number) {
    return number < TINY ? tiny(1 + number) : generated(1 + number - TINY);
}

static berth_run *noisy_run(const berth_instance *instance, const char *policy, uint64_t seed, double sigma,
                            double restart_delay, int threads) {
    berth_options options;
    berth_backends *set = NULL;
    double dual = 0;
    checked_run_options(policy, &options, &set);
    options.seed = seed;
    options.noise = sigma;
    options.threads = threads;
    options.effort = BERTH_EFFORT_LOW;
    options.bound = BERTH_BOUND_NONE;
    options.restart_delay_s = restart_delay * instance->slot_seconds;
    berth_run *run = audited_run(instance, &options, seed, policy, &dual);
    berth_backends_free(set);
    return run;
}

/* ---- factors ---- */

/* z = ln factor / sigma is standard normal and both are independent. Over N pairs the sample mean is within 6 / sqrt(N)
 * of 0, the mean square within 6 sqrt(2 / N) of 1, the mean product within 6 / sqrt(N) of 0: each fails with
 * probability 2e-9 for a fresh seed; 20 equally likely bins have a chi-square of 19 degrees of freedom, above 70 with
 * probability 1e-7. */
static void test_factors_are_lognormal(void **state) {
    (void)state;
    enum { N = 40000, BINS = 20 };
    double sum[2] = {0}, square[2] = {0}, product = 0, bins[2][BINS] = {{0}};
    for (size_t job = 0; job < N; job++) {
        berth_truth truth = berth__truth_draw(0.5, 7, job);
        const double z[2] = {log(truth.speed) / 0.5, log(truth.work) / 0.5};
        for (int k = 0; k < 2; k++) {
            sum[k] += z[k];
            square[k] += z[k] * z[k];
            bins[k][(int)fmin(BINS - 1, BINS * 0.5 * erfc(-z[k] / sqrt(2)))]++;
        }
        product += z[0] * z[1];
        berth_truth wide = berth__truth_draw(1, 7, job);
        assert_close(wide.speed, truth.speed * truth.speed, 1e-12);
        assert_close(wide.work, truth.work * truth.work, 1e-12);
    }
    for (int k = 0; k < 2; k++) {
        double chi = 0;
        for (int i = 0; i < BINS; i++) {
            chi += pow(bins[k][i] - (double)N / BINS, 2) / ((double)N / BINS);
        }
        assert_true(fabs(sum[k] / N) < 6 / sqrt(N));
        assert_true(fabs(square[k] / N - 1) < 6 * sqrt(2.0 / N));
        assert_true(chi < 70);
    }
    assert_true(fabs(product / N) < 6 / sqrt(N));
    berth_truth none = berth__truth_draw(0, 7, 3), other = berth__truth_draw(0.5, 8, 3);
    assert_true(none.speed == 1 && none.work == 1);
    assert_true(other.speed != berth__truth_draw(0.5, 7, 3).speed);
}

/* ---- runs ---- */

static void expect_same_plans(const berth_run *a, const berth_run *b, bool of_another_sigma) {
    for (size_t i = 0; i < a->n_jobs; i++) {
        const berth_run_job *x = &a->jobs[i], *y = &b->jobs[i];
        assert_int_equal(x->outcome, y->outcome);
        assert_int_equal(x->promised_slot, y->promised_slot);
        assert_int_equal(x->completion_slot, y->completion_slot);
        assert_true(x->utility == y->utility);
        assert_int_equal(x->n_slots, y->n_slots);
        for (size_t k = 0; k < x->n_slots; k++) {
            const berth_slot_plan *p = &x->slots[k], *q = &y->slots[k];
            assert_int_equal(p->slot, q->slot);
            assert_close(p->samples, q->samples, of_another_sigma ? 1e-11 : 0);
            assert_int_equal(p->n_placements, q->n_placements);
            assert_memory_equal(p->placements, q->placements, p->n_placements * sizeof *p->placements);
        }
    }
}

/* Errors too small to matter leave what there is without any, which the two ways of running reach apart. */
static void test_hardly_any_noise(void **state) {
    (void)state;
    for (const char *const *policy = berth_policy_names(); *policy != NULL; policy++) {
        for (size_t i = 0; i < TINY + GENERATED; i += i < TINY ? 2 : 3) {
            berth_instance *instance = instance_of(i);
            double delay = i % 4 == 0 ? 0.3 : 0;
            berth_run *none = noisy_run(instance, *policy, i, 0, delay, 1);
            berth_run *some = noisy_run(instance, *policy, i, 1e-13, delay, 1);
            assert_null(none->truth);
            assert_null(none->estimation);
            assert_null(none->bounds.void_because);
            expect_same_plans(none, some, true);
            assert_int_equal(some->estimation->early + some->estimation->late + some->estimation->promises_broken, 0);
            assert_int_equal(some->estimation->unfinished, some->summary.admitted - some->summary.completed);
            assert_non_null(some->bounds.void_because);
            berth_run_free(none);
            berth_run_free(some);
            berth_instance_free(instance);
        }
    }
}

/* Everything that the checker knows, and that errors of every kind come up. */
static void test_audited(void **state) {
    (void)state;
    static const double sigmas[] = {0.1, 0.5, 2};
    for (const char *const *policy = berth_policy_names(); *policy != NULL; policy++) {
        berth_estimation_summary all = {0};
        for (size_t i = 0; i < TINY + GENERATED; i++) {
            berth_instance *instance = instance_of(i);
            berth_run *run = noisy_run(instance, *policy, i, sigmas[i % 3], i % 4 == 0 ? 0.3 : 0, 1);
            const berth_estimation_summary *e = run->estimation;
            assert_true(isnan(run->bounds.best) && run->certificate == NULL && isnan(run->closed_form_ratio));
            assert_int_equal(e->unfinished, run->summary.admitted - run->summary.completed);
            assert_int_equal(e->promises_kept + e->promises_broken,
                             berth_policy_promises(*policy) ? run->summary.admitted : 0);
            all.early += e->early;
            all.late += e->late;
            all.unfinished += e->unfinished;
            all.promises_kept += e->promises_kept;
            all.promises_broken += e->promises_broken;
            berth_run_free(run);
            berth_instance_free(instance);
        }
        print_message("%s: %zu early, %zu late, %zu unfinished; promises %zu kept, %zu broken\n", *policy, all.early,
                      all.late, all.unfinished, all.promises_kept, all.promises_broken);
        assert_true(all.early > 0 && all.late > 0 && all.unfinished > 0);
        assert_true(!berth_policy_promises(*policy) || (all.promises_kept > 0 && all.promises_broken > 0));
    }
}

/* The simulation's own ledger, after early jobs have given back and late ones taken more, is what the record says. */
static void test_ledger(void **state) {
    (void)state;
    for (const char *const *policy = berth_policy_names(); *policy != NULL; policy++) {
        for (size_t i = 0; i < GENERATED; i++) {
            berth_instance *instance = generated(20 + i);
            berth_options options;
            berth_options_init(&options);
            options.policy = *policy;
            options.threads = 1;
            options.effort = BERTH_EFFORT_LOW;
            berth_truth *truth = calloc(instance->n_jobs, sizeof *truth);
            assert_non_null(truth);
            for (size_t k = 0; k < instance->n_jobs; k++) {
                truth[k] = berth__truth_draw(0.5, i, k);
            }
            true_run r = true_run_new(instance, &options, truth);
            true_run_expect_ledger(&r, instance);
            true_run_free(&r, instance);
            free(truth);
            berth_instance_free(instance);
        }
    }
}

/* The same whatever the number of threads, also as files; and what is read back is what was written. */
static void test_deterministic(void **state) {
    (void)state;
    for (const char *const *policy = berth_policy_names(); *policy != NULL; policy++) {
        for (size_t i = 0; i < 2; i++) {
            berth_error error;
            berth_instance *instance = generated(40 + i);
            berth_run *one = noisy_run(instance, *policy, i, 0.3, 0, 1);
            berth_run *two = noisy_run(instance, *policy, i, 0.3, 0, 3), *back = NULL;
            expect_same_plans(one, two, false);
            assert_ok(berth_run_write(one, instance, path_of("one"), NULL, &error), error);
            assert_ok(berth_run_write(two, instance, path_of("two"), NULL, &error), error);
            assert_ok(berth_run_read(path_of("one"), instance, &back, &error), error);
            assert_ok(berth_run_write(back, instance, path_of("back"), NULL, &error), error);
            expect_schema("berth-run-1", "one");
            char *first = get_file("one"), *second = get_file("two"), *third = get_file("back");
            assert_string_equal(first, second);
            assert_string_equal(first, third);
            berth__free(first);
            berth__free(second);
            berth__free(third);
            berth_run_free(one);
            berth_run_free(two);
            berth_run_free(back);
            berth_instance_free(instance);
        }
    }
}

/* ---- the odd ways ---- */

static bool cancel_soon(void *user) {
    int *left = user;
    return --*left < 0;
}

/* Whoever was admitted before the run was stopped is carried to the end; the rest is undecided. */
static void test_stopped(void **state) {
    (void)state;
    size_t stopped = 0, completed = 0;
    for (const char *const *policy = berth_policy_names(); *policy != NULL; policy++) {
        for (int left = 0; left < 2000 && berth_policy_promises(*policy); left = 2 * left + 7) {
            berth_instance *instance = generated(3);
            berth_options options;
            berth_backends *set = NULL;
            double dual = 0;
            int polls = left;
            checked_run_options(*policy, &options, &set);
            options.noise = 0.3;
            options.effort = BERTH_EFFORT_LOW;
            options.hooks.user = &polls;
            options.hooks.cancel = cancel_soon;
            berth_run *run = audited_run(instance, &options, 3, *policy, &dual);
            for (size_t i = 0; i < run->n_jobs; i++) {
                assert_true(run->stopped || run->jobs[i].outcome != BERTH_JOB_UNDECIDED);
                completed += run->stopped && run->jobs[i].outcome == BERTH_JOB_COMPLETED;
            }
            stopped += run->stopped;
            berth_run_free(run);
            berth_backends_free(set);
            berth_instance_free(instance);
        }
    }
    assert_true(stopped > 0 && completed > 0);
}

static void test_bad_values(void **state) {
    (void)state;
    static const double bad[] = {-0.1, 2.001, (double)NAN, (double)INFINITY};
    berth_instance *instance = tiny(1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        berth_error error = {0};
        berth_options options;
        berth_run *run = NULL;
        berth_options_init(&options);
        assert_true(options.noise == 0);
        options.noise = bad[i];
        assert_int_equal(berth_run_online(instance, &options, &run, NULL, &error), BERTH_E_ARGUMENT);
        assert_null(run);
        assert_string_equal(error.where, "noise");
        assert_non_null(strstr(error.message, "[0, 2]"));
    }
    berth_instance_free(instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors_are_lognormal),
        cmocka_unit_test(test_hardly_any_noise),
        cmocka_unit_test(test_audited),
        cmocka_unit_test(test_ledger),
        cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_bad_values),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
