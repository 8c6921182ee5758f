/* The scheduler through the public interface, under every policy: decisions, dry runs, rejections, quotas, eligibility,
 * cancellation. */
#include "tests/support/check.h"
#include "tests/support/small_scheduler.h"

#include <string.h>

/* Of the present round of the tests. */
static const char *policy;

static void test_admits_and_books(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("j", 4, 4);
    double idle_price = berth_price(s, 0, 0, 0);
    assert_close(idle_price, 0.08 / 8, 1e-12); /* per GPU of the cluster's eight */
    berth_decision *d = small_submit(s, &job);
    assert_true(d->admitted);
    assert_int_equal(d->completion_slot, 0);
    assert_close(d->utility, 10, 0);
    assert_close(d->price_paid, 4 * idle_price, 1e-12);
    assert_close(d->payoff, d->utility - d->price_paid, 1e-12);
    assert_true(d->payoff_bound >= d->payoff);
    assert_int_equal(d->n_slots, 1);
    assert_int_equal(d->slots[0].n_placements, 1);
    assert_int_equal(d->slots[0].placements[0].machine, 0); /* ties: the lowest index */
    assert_int_equal(d->slots[0].placements[0].workers, 4);
    assert_int_equal(d->slots[0].placements[0].ps, 1);
    assert_close(berth_used(s, 0, 0, 0), 4, 1e-12);
    assert_close(berth_price(s, 0, 0, 0), 80.0 / 8, 1e-12); /* full: the upper price */
    assert_close(berth_price(s, 1, 0, 0), idle_price, 1e-12);
    berth_decision_free(d);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static void test_what_if_commits_nothing(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("j", 12, 8);
    berth_error error;
    berth_decision *dry = NULL;
    assert_ok(berth_what_if(s, &job, &dry, &error), error);
    for (int t = 0; t < 6; t++) {
        for (int h = 0; h < 2; h++) {
            assert_true(berth_used(s, t, h, 0) == 0);
        }
    }
    berth_decision *real = small_submit(s, &job);
    assert_true(dry->admitted == real->admitted && dry->payoff == real->payoff && dry->n_slots == real->n_slots);
    assert_string_equal(dry->reason, real->reason);
    for (size_t k = 0; k < real->n_slots; k++) {
        assert_int_equal(dry->slots[k].n_placements, real->slots[k].n_placements);
        assert_memory_equal(dry->slots[k].placements, real->slots[k].placements,
                            real->slots[k].n_placements * sizeof *real->slots[k].placements);
    }
    berth_decision_free(dry);
    berth_decision_free(real);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static void expect_rejection(berth_scheduler *s, const berth_job *job, const char *reason) {
    berth_decision *d = small_submit(s, job);
    assert_false(d->admitted);
    assert_int_equal(d->completion_slot, -1);
    assert_int_equal(d->n_slots, 0);
    assert_true(d->utility == 0 && d->price_paid == 0);
    if (strstr(d->reason, reason) == NULL) {
        fail_msg("reason is \"%s\", expected \"%s\"", d->reason, reason);
    }
    berth_decision_free(d);
}

static void test_rejections_say_why(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("long", 49, 8); /* 48 worker-slots are all there is at width 8 */
    expect_rejection(s, &job, "cannot finish before the horizon");
    static const double five[] = {5};
    job = small_job("large", 1, 1);
    job.worker = five;
    expect_rejection(s, &job, "fits on no machine");
    static const char *const nowhere[] = {"c*"};
    job = small_job("elsewhere", 1, 1);
    job.allow = nowhere;
    job.n_allow = 1;
    expect_rejection(s, &job, "allow and avoid leave it no machine");
    job = small_job("late", 8, 4);
    job.utility = (berth_utility){.kind = BERTH_UTILITY_DEADLINE, .value = 5, .deadline_slots = 0};
    expect_rejection(s, &job, "earns nothing");
    job = small_job("cheap", 4, 4);
    job.utility.value = 0.001;
    expect_rejection(s, &job, "payoff bound");
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static void test_capacity_is_respected_until_full(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    w.cluster.horizon_slots = 1;
    w.lower[0] = 1e-6;
    w.upper[0] = 79; /* a full machine costs less than a job's value, so only capacity refuses */
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("j", 1, 1);
    int admitted = 0;
    for (int i = 0; i < 12; i++) {
        char id[] = {(char)('a' + i), '\0'};
        job.id = id;
        berth_decision *d = small_submit(s, &job);
        admitted += d->admitted;
        berth_decision_free(d);
    }
    assert_int_equal(admitted, 8);
    assert_close(berth_used(s, 0, 0, 0), 4, 1e-12);
    assert_close(berth_used(s, 0, 1, 0), 4, 1e-12);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static void test_quota_holds(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    double three[] = {3};
    berth_quota quota = {.tenant = "team", .amount = three};
    w.cluster.quotas = &quota;
    w.cluster.n_quotas = 1;
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("j", 12, 8);
    job.tenant = "team";
    berth_decision *d = small_submit(s, &job);
    assert_true(d->admitted);
    assert_int_equal(d->n_slots, 4);
    for (int t = 0; t < 4; t++) {
        assert_close(berth_used(s, t, 0, 0) + berth_used(s, t, 1, 0), 3, 1e-12);
    }
    berth_decision_free(d);
    job = small_job("other", 4, 4); /* no tenant: not bound by it */
    d = small_submit(s, &job);
    assert_true(d->admitted && d->completion_slot == 0);
    berth_decision_free(d);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static void test_avoid_and_all_reduce(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    static const char *const first[] = {"a"};
    berth_job job = small_job("j", 4, 4);
    job.all_reduce = true;
    job.ps = NULL;
    job.avoid = first;
    job.n_avoid = 1;
    berth_decision *d = small_submit(s, &job);
    assert_true(d->admitted);
    assert_int_equal(d->slots[0].placements[0].machine, 1);
    assert_int_equal(d->slots[0].placements[0].ps, 0);
    berth_decision_free(d);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* Progress is rounded down to quanta of 1.25 samples: a worker's 13.33 samples a slot count as 12.5, so that 26.6
 * samples are planned over three slots. Two are enough, and the third is not held. */
static void test_slots_beyond_need_are_dropped(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("j", 2.66, 1);
    job.all_reduce = true;
    job.ps = NULL;
    job.sample_seconds = 0.5;
    job.gradient_mb = 1;
    job.bandwidth_internal_mb_s = 8; /* 0.75 s a sample; 1 s across machines */
    job.bandwidth_external_mb_s = 4;
    double idle_price = berth_price(s, 0, 0, 0);
    berth_decision *d = small_submit(s, &job);
    assert_true(d->admitted);
    assert_int_equal(d->n_slots, 2);
    assert_int_equal(d->completion_slot, d->slots[1].slot);
    assert_true(d->slots[0].samples < job.samples);
    assert_true(d->slots[0].samples + d->slots[1].samples >= job.samples);
    assert_close(d->price_paid, 2 * idle_price, 1e-12);
    assert_close(d->payoff, 10 - 2 * idle_price, 1e-12);
    double held = 0;
    for (int t = 0; t < 6; t++) {
        held += berth_used(s, t, 0, 0) + berth_used(s, t, 1, 0);
    }
    assert_close(held, 2, 1e-12);
    assert_true(berth_used(s, 0, 0, 0) + berth_used(s, 1, 0, 0) > 0 && d->completion_slot == 1);
    berth_decision_free(d);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* Machine a, of 1.5 GPUs, is idle; b is partly held and dear. Two workers sit on both, where the relaxation puts 1.5
 * and 0.5: the best plan pays less than the payoff bound, which lets the job through to the admission rule itself. */
static void test_admission_is_payoff_above_zero(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    static const double uneven[] = {1.5, 4};
    static const char *const first[] = {"a"};
    w.cluster.capacity = uneven;
    w.cluster.horizon_slots = 1;
    w.options.trials = 64;
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("filler", 2, 2);
    job.avoid = first;
    job.n_avoid = 1;
    berth_decision *d = small_submit(s, &job);
    assert_true(d->admitted);
    berth_decision_free(d);
    double price = berth_price(s, 0, 0, 0) + berth_price(s, 0, 1, 0);

    job = small_job("j", 2, 2);
    berth_error error;
    assert_ok(berth_what_if(s, &job, &d, &error), error);
    assert_true(d->admitted);
    assert_int_equal(d->slots[0].n_placements, 2);
    assert_close(d->price_paid, price, 1e-12);
    price = d->price_paid;
    berth_decision_free(d);
    static const double margins[] = {-1e-6, -1e-12, 0, 1e-12, 1e-6};
    for (size_t i = 0; i < sizeof margins / sizeof *margins; i++) {
        job.utility.value = price + margins[i];
        assert_ok(berth_what_if(s, &job, &d, &error), error);
        assert_true(d->payoff_bound > 0);
        assert_true(d->admitted == (margins[i] > 0));
        assert_true(d->payoff == job.utility.value - price);
        assert_non_null(strstr(d->reason, margins[i] > 0 ? "> 0" : "<= 0"));
        assert_null(strstr(d->reason, "payoff bound"));
        berth_decision_free(d);
    }
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static bool cancel_now(void *user) {
    (void)user;
    return true;
}

static void test_misuse_is_refused(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_error error;
    berth_scheduler *s = NULL;
    berth_decision *d = NULL;
    assert_int_equal(berth_scheduler_new(&w.cluster, NULL, &w.options, &s, &error), BERTH_E_ARGUMENT);
    assert_null(s);
    w.options.policy = "nonesuch";
    assert_int_equal(berth_scheduler_new(&w.cluster, &w.bounds, &w.options, &s, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "policy");
    w.options.policy = policy;
    w.options.solver = "nonesuch";
    assert_int_equal(berth_scheduler_new(&w.cluster, &w.bounds, &w.options, &s, &error), BERTH_E_BACKEND);
    w.options.solver = "auto";
    w.options.delta = (double)NAN;
    assert_int_equal(berth_scheduler_new(&w.cluster, &w.bounds, &w.options, &s, &error), BERTH_E_ARGUMENT);
    w.options.delta = 0.1;
    s = small_scheduler(&w);
    berth_job job = small_job("j", 1, 1);
    job.arrival_slot = 3;
    d = small_submit(s, &job);
    berth_decision_free(d);
    d = NULL;
    job.arrival_slot = 2; /* earlier than the last one */
    assert_int_equal(berth_submit(s, &job, &d, &error), BERTH_E_ARGUMENT);
    assert_null(d);
    job.arrival_slot = 3;
    job.epochs = (double)NAN;
    assert_int_equal(berth_submit(s, &job, &d, &error), BERTH_E_INPUT);
    assert_string_equal(error.where, "/epochs");
    assert_int_equal(berth_submit(s, NULL, &d, &error), BERTH_E_ARGUMENT);
    berth_scheduler_free(s);

    w.options.hooks.cancel = cancel_now;
    s = small_scheduler(&w);
    job = small_job("j", 1, 1);
    assert_int_equal(berth_submit(s, &job, &d, &error), BERTH_E_CANCELLED);
    assert_null(d);
    assert_true(berth_used(s, 0, 0, 0) == 0);
    assert_true(berth_price(s, 99, 0, 0) == 0 && berth_used(s, 0, 0, -1) == 0);
    berth_scheduler_free(s);
    berth_scheduler_free(NULL);
    berth_decision_free(NULL);
    berth_backends_free(w.backends);
}

/* The list of policies: the default first, each with a word about it, no other known. */
static void test_policies_are_listed(void **state) {
    (void)state;
    berth_options options;
    berth_options_init(&options);
    const char *const *names = berth_policy_names();
    assert_string_equal(names[0], options.policy);
    bool listed = false;
    for (size_t i = 0; names[i] != NULL; i++) {
        const char *about = berth_policy_about(names[i]);
        assert_true(about != NULL && about[0] != '\0');
        listed = listed || strcmp(names[i], policy) == 0;
        assert_true(berth_policy_promises(names[i]) || i > 0);
    }
    assert_true(listed);
    assert_false(berth_policy_promises("nonesuch") || berth_policy_promises(NULL));
    assert_null(berth_policy_about("nonesuch"));
    assert_null(berth_policy_about(NULL));
}

/* Policies that decide slot by slot are for runs. */
static void test_policies_without_promises_are_refused(void **state) {
    (void)state;
    berth_options options;
    berth_options_init(&options);
    for (const char *const *name = berth_policy_names(); *name != NULL; name++) {
        berth_scheduler *s = NULL;
        berth_error error = {0};
        berth_cluster cluster;
        berth_cluster_init(&cluster);
        options.policy = *name;
        if (!berth_policy_promises(*name)) {
            assert_int_equal(berth_scheduler_new(&cluster, NULL, &options, &s, &error), BERTH_E_UNSUPPORTED);
            assert_string_equal(error.where, "policy");
            assert_null(s);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admits_and_books),
        cmocka_unit_test(test_what_if_commits_nothing),
        cmocka_unit_test(test_rejections_say_why),
        cmocka_unit_test(test_capacity_is_respected_until_full),
        cmocka_unit_test(test_quota_holds),
        cmocka_unit_test(test_avoid_and_all_reduce),
        cmocka_unit_test(test_slots_beyond_need_are_dropped),
        cmocka_unit_test(test_admission_is_payoff_above_zero),
        cmocka_unit_test(test_misuse_is_refused),
        cmocka_unit_test(test_policies_are_listed),
        cmocka_unit_test(test_policies_without_promises_are_refused),
    };
    /* bidlp makes its own prices, and sees a future where there is none: its own tests are in test_bidlp.c. */
    const struct CMUnitTest tests_of_any[] = {
        cmocka_unit_test(test_what_if_commits_nothing),
        cmocka_unit_test(test_policies_are_listed),
    };
    policy = "bidlp";
    int failed = cmocka_run_group_tests_name(policy, tests_of_any, NULL, NULL);
    for (size_t i = 0; berth_policy_names()[i] != NULL; i++) {
        policy = berth_policy_names()[i];
        /* oasis cannot do with one machine */
        if (!berth_policy_promises(policy) || strcmp(policy, "oasis") == 0 || strcmp(policy, "bidlp") == 0) {
            continue;
        }
        failed += cmocka_run_group_tests_name(policy, tests, NULL, NULL);
    }
    return failed;
}
