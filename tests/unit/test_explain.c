/* berth_explain on cases that can be followed by hand: what each machine has, what stands in the way besides, and the
 * least changes. */
#include "tests/support/check.h"
#include "tests/support/scheduler_state.h"
#include "tests/support/small_scheduler.h"

#include <string.h>

/* Explains, and asserts that nothing changes by it. */
static berth_explanation *explain(berth_scheduler *s, const berth_job *job) {
    char *before = scheduler_state(s, 1);
    berth_error error;
    berth_explanation *e = NULL;
    assert_ok(berth_explain(s, job, &e, &error), error);
    expect_state(s, 1, before, "an explanation");
    return e;
}

static void expect_reason(const berth_explanation *e, const char *part) {
    if (strstr(e->reason, part) == NULL) {
        fail_msg("reason is \"%s\", expected \"%s\"", e->reason, part);
    }
}

static void expect_verdict(const berth_explanation *e, int machine, berth_machine_verdict verdict, int free_slots) {
    const berth_machine_reason *reason = &e->machines[machine];
    assert_int_equal(reason->machine, machine);
    assert_string_equal(berth_machine_verdict_text(reason->verdict), berth_machine_verdict_text(verdict));
    assert_int_equal(reason->free_slots, free_slots);
    bool is_short = verdict == BERTH_VERDICT_FULL || verdict == BERTH_VERDICT_TOO_SMALL;
    assert_int_equal(reason->resource, is_short ? 0 : -1);
    assert_true(is_short != isnan(reason->needed) && is_short != isnan(reason->most));
    assert_true((verdict == BERTH_VERDICT_FREE) != isnan(reason->price));
}

static void expect_change(const berth_least_change *change, double value, int completion) {
    assert_true(change->found);
    assert_close(change->value, value, 1e-12);
    assert_int_equal(change->completion_slot, completion);
}

static void expect_none(const berth_least_change *change) {
    assert_false(change->found);
    assert_true(isnan(change->value));
    assert_int_equal(change->completion_slot, -1);
}

static void test_admitted(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, "pdors-ci");
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("j", 4, 4);
    berth_explanation *e = explain(s, &job);
    assert_true(e->admitted);
    assert_int_equal(e->dry_runs, 1);
    assert_close(e->payoff, 10 - 4 * 0.01, 1e-12);
    assert_true(e->payoff_bound >= e->payoff);
    expect_reason(e, "payoff");
    assert_int_equal(e->n_machines, 2);
    for (int h = 0; h < 2; h++) {
        expect_verdict(e, h, BERTH_VERDICT_FREE, 6);
        assert_close(e->machines[h].price, 0.01, 1e-12);
    }
    expect_none(&e->later_slots);
    expect_none(&e->utility_factor);
    expect_none(&e->max_workers);
    berth_explanation_free(e);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* Machine a is full until slot 4, then free; b is held by three of four until the end. */
static void test_machines(void **state) {
    (void)state;
    static const double two[] = {2}, five[] = {5};
    static const char *const a[] = {"a"}, *const b[] = {"b"};
    small_world w;
    small_world_init(&w, "pdors-ci");
    w.lower[0] = 1e-6;
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("on a", 16, 4);
    job.avoid = b;
    job.n_avoid = 1;
    small_admit(s, &job);
    job = small_job("on b", 18, 3);
    job.utility.value = 100;
    job.avoid = a;
    job.n_avoid = 1;
    small_admit(s, &job);
    double price = berth_price(s, 5, 0, 0);

    job = small_job("j", 2, 2);
    job.worker = two;
    job.utility.value = 1e-9;
    berth_explanation *e = explain(s, &job);
    assert_false(e->admitted);
    expect_verdict(e, 0, BERTH_VERDICT_FREE, 2);
    assert_close(e->machines[0].price, 2 * price, 1e-12);
    expect_verdict(e, 1, BERTH_VERDICT_FULL, 0);
    assert_close(e->machines[1].needed, 2, 0);
    assert_close(e->machines[1].most, 1, 1e-12);
    berth_explanation_free(e);

    job.arrival_slot = 5; /* slots before it do not count */
    e = explain(s, &job);
    expect_verdict(e, 0, BERTH_VERDICT_FREE, 1);
    berth_explanation_free(e);

    job.arrival_slot = 0;
    job.avoid = a;
    job.n_avoid = 1;
    e = explain(s, &job);
    expect_verdict(e, 0, BERTH_VERDICT_FORBIDDEN, 0);
    expect_verdict(e, 1, BERTH_VERDICT_FULL, 0);
    expect_reason(e, "; no slot has room for a worker");
    berth_explanation_free(e);

    job.n_avoid = 0;
    job.worker = five;
    e = explain(s, &job);
    for (int h = 0; h < 2; h++) {
        expect_verdict(e, h, BERTH_VERDICT_TOO_SMALL, 0);
        assert_close(e->machines[h].needed, 5, 0);
        assert_close(e->machines[h].most, 4, 0);
    }
    expect_reason(e, "no machine it may use has room for a worker, even empty");
    expect_none(&e->utility_factor);
    berth_explanation_free(e);

    berth_error error;
    assert_ok(berth_drain_machine(s, 0, &error), error);
    assert_ok(berth_fail_machine(s, 1, &error), error);
    job.worker = two;
    e = explain(s, &job);
    expect_verdict(e, 0, BERTH_VERDICT_CLOSED, 0);
    expect_verdict(e, 1, BERTH_VERDICT_CLOSED, 0);
    berth_explanation_free(e);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static void test_no_machine_is_left(void **state) {
    (void)state;
    static const char *const nowhere[] = {"c*"}, *const a[] = {"a"};
    small_world w;
    small_world_init(&w, "pdors-ci");
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    berth_job job = small_job("j", 2, 2);
    job.allow = nowhere;
    job.n_allow = 1;
    berth_explanation *e = explain(s, &job);
    assert_false(e->admitted);
    assert_string_equal(e->reason, "allow and avoid leave it no machine");
    expect_verdict(e, 0, BERTH_VERDICT_FORBIDDEN, 0);
    expect_verdict(e, 1, BERTH_VERDICT_FORBIDDEN, 0);
    berth_explanation_free(e);

    job.n_allow = 0;
    job.avoid = a;
    job.n_avoid = 1;
    assert_ok(berth_fail_machine(s, 1, &error), error);
    e = explain(s, &job);
    expect_reason(e, "allow and avoid leave it no machine"); /* a takes jobs, b does not */
    berth_explanation_free(e);
    job.n_avoid = 0;
    assert_ok(berth_fail_machine(s, 0, &error), error);
    e = explain(s, &job); /* without any machine, it is not the globs */
    expect_reason(e, "fits on no machine it may use");
    berth_explanation_free(e);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* Workers fit everywhere, servers are the problem: the machines' verdicts do not say so, the reason does. */
static void test_servers(void **state) {
    (void)state;
    static const double three[] = {3}, four[] = {4}, five[] = {5};
    static const char *const a[] = {"a"};
    small_world w;
    small_world_init(&w, "pdors-ci");
    w.lower[0] = 1e-6;
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("j", 2, 2);
    job.ps = five;
    berth_explanation *e = explain(s, &job);
    assert_false(e->admitted);
    expect_verdict(e, 0, BERTH_VERDICT_FREE, 6);
    expect_reason(e, "a parameter server needs 5 gpu, no machine it may use has more than 4");
    berth_explanation_free(e);

    job.ps = four; /* fits on a machine of its own, but there is only one that the job may use */
    job.allow = a;
    job.n_allow = 1;
    e = explain(s, &job);
    assert_false(e->admitted);
    expect_reason(e, "no machine it may use has room for a worker together with a parameter server, even empty");
    berth_explanation_free(e);

    job.ps = three;
    berth_job filler = small_job("filler", 24, 2);
    filler.utility.value = 100;
    filler.allow = a;
    filler.n_allow = 1;
    filler.max_workers = 2;
    filler.samples = 120;
    small_admit(s, &filler);
    e = explain(s, &job);
    assert_false(e->admitted);
    expect_verdict(e, 0, BERTH_VERDICT_FREE, 6);
    expect_verdict(e, 1, BERTH_VERDICT_FORBIDDEN, 0);
    expect_reason(e, "no slot has room for a parameter server");
    berth_explanation_free(e);

    job.n_allow = 0; /* the server on b */
    e = explain(s, &job);
    assert_true(e->admitted);
    berth_explanation_free(e);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static void test_quota(void **state) {
    (void)state;
    static const double three[] = {3}, four[] = {4};
    small_world w;
    small_world_init(&w, "pdors-ci");
    w.lower[0] = 1e-6;
    berth_quota quota = {.tenant = "team", .amount = three};
    w.cluster.quotas = &quota;
    w.cluster.n_quotas = 1;
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("four", 4, 4);
    job.tenant = "team";
    job.utility = (berth_utility){.kind = BERTH_UTILITY_DEADLINE, .value = 9, .deadline_slots = 0};
    berth_explanation *e = explain(s, &job);
    assert_false(e->admitted);
    expect_reason(e, "but for the quota of tenant \"team\" it would be admitted");
    expect_change(&e->later_slots, 1, 1); /* three in a slot, one in the next */
    expect_none(&e->utility_factor);
    expect_none(&e->max_workers); /* four are more than the quota allows */
    berth_explanation_free(e);

    job.worker = four;
    e = explain(s, &job);
    assert_false(e->admitted);
    expect_reason(e, "the quota of tenant \"team\" has no room for a worker in any slot");
    berth_explanation_free(e);

    job = small_job("filler", 18, 3);
    job.tenant = "team";
    job.utility.value = 100;
    small_admit(s, &job);
    job = small_job("one", 1, 1);
    job.tenant = "team";
    e = explain(s, &job);
    assert_false(e->admitted);
    expect_verdict(e, 1, BERTH_VERDICT_FREE, 6); /* the machines are not the reason */
    expect_reason(e, "the quota of tenant \"team\" has no room for a worker in any slot");
    berth_explanation_free(e);

    job.tenant = "other"; /* without a quota */
    e = explain(s, &job);
    assert_true(e->admitted);
    berth_explanation_free(e);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* Eight worker-slots by four workers take two slots; in an empty cluster all eight run at once. */
static void test_changes(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, "pdors-ci");
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("deadline", 8, 4);
    job.utility = (berth_utility){.kind = BERTH_UTILITY_DEADLINE, .value = 9, .deadline_slots = 0};
    berth_explanation *e = explain(s, &job);
    assert_false(e->admitted);
    expect_change(&e->later_slots, 1, 1);
    expect_none(&e->utility_factor);
    expect_change(&e->max_workers, 8, 0);
    berth_explanation_free(e);

    job = small_job("cheap", 4, 4); /* costs 0.04: 36.36 times its value */
    job.utility.value = 0.0011;
    e = explain(s, &job);
    assert_false(e->admitted);
    assert_true(e->payoff_bound <= 0);
    expect_none(&e->later_slots);
    expect_change(&e->utility_factor, 36.4, 0);
    expect_none(&e->max_workers);
    berth_explanation_free(e);

    job = small_job("long", 30, 4); /* 24 are all there is in time for four workers */
    e = explain(s, &job);
    assert_false(e->admitted);
    expect_none(&e->later_slots);
    expect_none(&e->utility_factor);
    expect_change(&e->max_workers, 5, 5);
    berth_explanation_free(e);

    /* Two workers are done at d = 3, where 1 - d / 2 is nothing: it has to count as d = 1, or to be that. */
    job = small_job("linear", 8, 2);
    job.utility = (berth_utility){.kind = BERTH_UTILITY_LINEAR, .value = 1, .deadline_slots = 2};
    e = explain(s, &job);
    assert_false(e->admitted);
    expect_change(&e->later_slots, 2, 3);
    expect_change(&e->max_workers, 4, 1);
    berth_explanation_free(e);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* Slots are counted from the start, also where the horizon has moved on. */
static void test_rolling(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, "pdors-ci");
    w.options.rolling = true;
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    assert_ok(berth_advance(s, 10, &error), error);
    berth_job job = small_job("deadline", 8, 4);
    job.arrival_slot = 12;
    job.utility = (berth_utility){.kind = BERTH_UTILITY_DEADLINE, .value = 9, .deadline_slots = 0};
    berth_explanation *e = explain(s, &job);
    assert_false(e->admitted);
    expect_verdict(e, 0, BERTH_VERDICT_FREE, 4); /* 12 to 15 */
    expect_change(&e->later_slots, 1, 13);
    expect_change(&e->max_workers, 8, 12);
    berth_explanation_free(e);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* Ends the work after so many questions. */
typedef struct fuse {
    int left;
} fuse;

static bool burns(void *user) {
    fuse *f = user;
    return f->left-- <= 0;
}

static void test_stopped(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, "pdors-ci");
    fuse f = {.left = 0};
    w.options.hooks.cancel = burns;
    w.options.hooks.user = &f;
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("cheap", 4, 4);
    job.utility.value = 0.0011;
    berth_error error;
    berth_explanation *e = NULL;
    assert_int_equal(berth_explain(s, &job, &e, &error), BERTH_E_CANCELLED);
    assert_null(e);
    int partial = 0, whole = 0;
    for (int polls = 1; whole == 0; polls++) {
        f.left = polls;
        char *before = scheduler_state(s, 1);
        berth_status status = berth_explain(s, &job, &e, &error);
        expect_state(s, 1, before, "a stopped explanation");
        if (status != BERTH_OK) {
            assert_int_equal(status, BERTH_E_CANCELLED);
            assert_null(e);
            continue;
        }
        assert_true(!e->admitted && e->payoff_bound <= 0);
        expect_verdict(e, 1, BERTH_VERDICT_FREE, 6);
        partial += !e->utility_factor.found;
        whole += e->utility_factor.found;
        if (e->utility_factor.found) {
            assert_close(e->utility_factor.value, 36.4, 1e-12);
        } else {
            expect_none(&e->utility_factor);
        }
        berth_explanation_free(e);
        assert_true(polls < 10000);
    }
    assert_true(partial > 3);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static void test_misuse(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, "bidlp");
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("j", 4, 4);
    berth_error error;
    berth_explanation *e = NULL;
    assert_int_equal(berth_explain(s, &job, NULL, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_explain(NULL, &job, &e, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_explain(s, NULL, &e, &error), BERTH_E_ARGUMENT);
    job.epochs = -1;
    assert_int_equal(berth_explain(s, &job, &e, &error), BERTH_E_INPUT);
    assert_string_equal(error.where, "/epochs");
    assert_null(e);
    job.epochs = 1;
    small_admit(s, &job);
    assert_int_equal(berth_explain(s, &job, &e, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "/id");
    berth_explanation_free(NULL);
    assert_null(berth_machine_verdict_text((berth_machine_verdict)99));
    assert_null(berth_machine_verdict_text((berth_machine_verdict)-1));
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admitted), cmocka_unit_test(test_machines), cmocka_unit_test(test_no_machine_is_left),
        cmocka_unit_test(test_servers),  cmocka_unit_test(test_quota),    cmocka_unit_test(test_changes),
        cmocka_unit_test(test_rolling),  cmocka_unit_test(test_stopped),  cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
