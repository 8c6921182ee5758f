/* Machines that come, go and change under a scheduler's jobs, on cases that can be followed by hand; under policies
 * that keep a plan and under one that moves it. */
#include "tests/support/check.h"
#include "tests/support/scheduler_state.h"
#include "tests/support/small_scheduler.h"

#include <string.h>

/* Of the present round of the tests. */
static const char *policy;

static const char *const on_a[] = {"a"}, *const on_b[] = {"b"}, *const on_c[] = {"c*"};

static berth_machine_info machine_of(const berth_scheduler *s, int machine) {
    berth_machine_info info = {0};
    assert_int_equal(berth_machine(s, machine, &info), BERTH_OK);
    return info;
}

static void expect_machines(const berth_scheduler *s, size_t up, size_t draining, size_t down) {
    berth_statistics c = {0};
    assert_int_equal(berth_scheduler_statistics(s, &c), BERTH_OK);
    assert_true(c.machines_up == up && c.machines_draining == draining && c.machines_down == down);
}

static void advance(berth_scheduler *s, int slot) {
    berth_error error;
    assert_ok(berth_advance(s, slot, &error), error);
}

static bool admitted(berth_scheduler *s, const berth_job *job) {
    berth_decision *d = small_submit(s, job);
    bool yes = d->admitted;
    berth_decision_free(d);
    return yes;
}

/* Workers of a live job on a machine in a slot. */
static int workers_at(berth_scheduler *s, uint64_t number, int slot, int machine) {
    berth_decision *plan = NULL;
    berth_error error;
    assert_ok(berth_present_plan(s, number, &plan, &error), error);
    int workers = 0;
    for (size_t k = 0; k < plan->n_slots; k++) {
        for (size_t i = 0; i < plan->slots[k].n_placements; i++) {
            const berth_placement *place = &plan->slots[k].placements[i];
            workers += plan->slots[k].slot == slot && place->machine == machine ? place->workers : 0;
        }
    }
    berth_decision_free(plan);
    return workers;
}

/* What bidlp has moved meanwhile. */
static void forget_moves(berth_scheduler *s) {
    berth_changes got;
    berth_error error;
    assert_ok(berth_take_changes(s, &got, &error), error);
    for (size_t i = 0; i < got.n; i++) {
        assert_int_equal(got.changes[i].kind, BERTH_CHANGE_MOVED);
    }
    assert_true(got.n == 0 || strcmp(policy, "bidlp") == 0);
    berth_changes_clear(&got);
}

static berth_utility due(int delay, double value) {
    return (berth_utility){.kind = BERTH_UTILITY_DEADLINE, .value = value, .deadline_slots = delay};
}

static void test_drain_and_return(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    berth_job job = small_job("j", 8, 4);
    small_pin(&job, on_a);
    job.utility = due(1, 10);
    small_admit(s, &job);
    assert_int_equal(machine_of(s, 0).held_until, 2);
    assert_int_equal(machine_of(s, 1).held_until, 0);
    assert_ok(berth_drain_machine(s, 0, &error), error);
    assert_int_equal(machine_of(s, 0).state, BERTH_MACHINE_DRAINING);
    assert_int_equal(machine_of(s, 0).held_until, 2);
    assert_close(machine_of(s, 0).capacity[0], 4, 0);
    expect_machines(s, 1, 1, 0);
    assert_close(berth_used(s, 1, 0, 0), 4, 0);
    expect_changes(s, 0, NULL);
    job = small_job("pinned", 4, 4);
    small_pin(&job, on_a);
    assert_false(admitted(s, &job)); /* not even once it is empty */
    job = small_job("wide", 48, 8);
    assert_false(admitted(s, &job));
    job = small_job("free", 16, 4);
    uint64_t number = small_admit(s, &job);
    for (int t = 0; t < 6; t++) {
        assert_int_equal(workers_at(s, number, t, 0), 0);
    }
    advance(s, 1);
    assert_int_equal(machine_of(s, 0).state, BERTH_MACHINE_DRAINING);
    advance(s, 2);
    assert_int_equal(machine_of(s, 0).state, BERTH_MACHINE_DOWN);
    expect_machines(s, 1, 0, 1);
    assert_ok(berth_drain_machine(s, 0, &error), error);
    assert_ok(berth_return_machine(s, 0, &error), error);
    assert_int_equal(machine_of(s, 0).state, BERTH_MACHINE_UP);
    job = small_job("pinned", 4, 4);
    job.arrival_slot = 2;
    small_pin(&job, on_a);
    small_admit(s, &job);
    char *before = scheduler_ledger(s, 1);
    assert_ok(berth_return_machine(s, 0, &error), error); /* it is up */
    expect_ledger(s, 1, before, "a return for nothing");
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* A job that has run a slot on a goes on on b: in time if there is room, else later, else not at all. */
static void test_fail(void **state) {
    (void)state;
    for (int busy = 0; busy <= 6; busy += 3) {
        small_world w;
        small_world_init(&w, policy);
        w.lower[0] = 1e-6;
        berth_scheduler *s = small_scheduler(&w);
        berth_error error;
        berth_job job = small_job("busy", 4 * busy + 1e-3, 4);
        if (busy > 0) {
            job.samples = 40 * busy;
            job.utility = due(busy - 1, 1000);
            small_pin(&job, on_b);
            small_admit(s, &job);
        }
        job = small_job("j", 12, 4);
        job.avoid = on_b; /* at first it is to be on a */
        job.n_avoid = busy == 0;
        job.utility = due(2, 10);
        uint64_t number = small_admit(s, &job);
        advance(s, 1);
        bool may_move = job.n_avoid == 0;
        assert_int_equal(workers_at(s, number, 0, 0), 4);
        assert_ok(berth_fail_machine(s, 0, &error), error);
        expect_machines(s, 1, 0, 1);
        for (int t = 1; t < 6; t++) {
            assert_true(berth_used(s, t, 0, 0) == 0);
        }
        assert_false(may_move && berth_find_job(s, "j", NULL));
        const small_change lost = {number,
                                   "j",
                                   BERTH_CHANGE_LOST,
                                   1,
                                   2,
                                   -1,
                                   busy == 0 ? "machine a failed, and no plan completes the rest before the horizon"
                                   : busy == 3
                                       ? "machine a failed, and by slot 4, when it could be complete, it is worth"
                                       : "machine a failed, and no plan completes the rest"};
        expect_changes(s, 1, &lost);
        berth_scheduler_free(s);
        berth_backends_free(w.backends);
    }
}

static void test_failure_is_made_up_for(void **state) {
    (void)state;
    for (int busy = 0; busy <= 3; busy += 3) {
        small_world w;
        small_world_init(&w, policy);
        w.lower[0] = 1e-6;
        berth_scheduler *s = small_scheduler(&w);
        berth_error error;
        berth_job job = small_job("busy", 4 * busy + 1, 4);
        job.samples = busy > 0 ? 40 * busy : 10;
        job.utility = due(busy > 0 ? busy - 1 : 0, 30);
        small_pin(&job, on_b);
        small_admit(s, &job); /* b is full until slot 3, or in slot 0 taken by one */
        job = small_job("j", 12, 4);
        job.utility = due(5, 10);
        uint64_t number = small_admit(s, &job);
        berth_decision *plan = NULL;
        assert_ok(berth_present_plan(s, number, &plan, &error), error);
        int promised = plan->promised_slot;
        berth_decision_free(plan);
        advance(s, 1);
        int run = workers_at(s, number, 0, 0) + workers_at(s, number, 0, 1), hit = 0;
        for (int t = 1; t < 6; t++) {
            hit += workers_at(s, number, t, 0);
        }
        assert_true(hit > 0 || strcmp(policy, "bidlp") == 0);
        assert_ok(berth_fail_machine(s, 0, &error), error);
        assert_ok(berth_present_plan(s, number, &plan, &error), error);
        int done = 0, later = 0;
        for (int t = 0; t < 6; t++) {
            done += t < 1 ? workers_at(s, number, t, 0) + workers_at(s, number, t, 1) : 0;
            later += t < 1 ? 0 : workers_at(s, number, t, 1);
            assert_true(t < 1 || workers_at(s, number, t, 0) == 0);
        }
        assert_int_equal(done, run); /* what has run stands */
        assert_int_equal(done + later, 12);
        bool late = plan->completion_slot > promised;
        assert_true(plan->promised_slot == (late ? plan->completion_slot : promised));
        assert_true(busy == 0 || run > 0 || promised > 2 || late);
        const small_change told = {number,
                                   "j",
                                   late ? BERTH_CHANGE_DELAYED : BERTH_CHANGE_MOVED,
                                   1,
                                   plan->promised_slot,
                                   plan->completion_slot,
                                   ""};
        berth_changes got;
        assert_ok(berth_take_changes(s, &got, &error), error);
        const berth_change *last = hit > 0 ? &got.changes[got.n - 1] : NULL;
        assert_true(last == NULL || (last->number == told.number && last->kind == told.kind && last->slot == 1 &&
                                     last->promised_slot == told.promised && last->completion_slot == told.completion));
        berth_changes_clear(&got);
        berth_decision_free(plan);
        berth_scheduler_free(s);
        berth_backends_free(w.backends);
    }
}

/* Two jobs of two GPUs on a, which fails, and two GPUs on b: the one with more utility at stake for its demand goes on,
 * whichever came first. */
static void test_more_at_stake_first(void **state) {
    (void)state;
    static const double two[] = {2};
    for (int dear = 0; dear < 2; dear++) {
        small_world w;
        small_world_init(&w, policy);
        w.lower[0] = 1e-6;
        berth_scheduler *s = small_scheduler(&w);
        berth_error error;
        berth_job jobs[] = {small_job("x", 12, 2), small_job("y", 12, 2)}, filler = small_job("filler", 24, 4);
        small_pin(&filler, on_b);
        uint64_t gone = small_admit(s, &filler);
        jobs[dear].utility.value = 30;
        jobs[1 - dear].utility.value = 20;
        uint64_t x = small_admit(s, &jobs[0]), y = small_admit(s, &jobs[1]);
        assert_ok(berth_cancel(s, gone, &error), error);
        assert_ok(berth_resize_machine(s, 1, two, &error), error);
        assert_int_equal(workers_at(s, x, 0, 0) + workers_at(s, y, 0, 0), 4);
        assert_ok(berth_fail_machine(s, 0, &error), error);
        assert_int_equal(berth_live_count(s), 1);
        assert_int_equal(workers_at(s, dear == 0 ? x : y, 0, 1), 2);
        const small_change told[] = {
            {x, "x", dear == 0 ? BERTH_CHANGE_MOVED : BERTH_CHANGE_LOST, 0, 5, dear == 0 ? 5 : -1, ""},
            {y, "y", dear == 1 ? BERTH_CHANGE_MOVED : BERTH_CHANGE_LOST, 0, 5, dear == 1 ? 5 : -1, ""}};
        expect_changes(s, 2, told);
        berth_scheduler_free(s);
        berth_backends_free(w.backends);
    }
}

static void test_resize(void **state) {
    (void)state;
    static const double two[] = {2}, zero[] = {0}, six[] = {6}, less[] = {-1}, absent[] = {(double)NAN};
    small_world w;
    small_world_init(&w, policy);
    w.lower[0] = 1e-6;
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    berth_job jobs[] = {small_job("first", 12, 2), small_job("last", 12, 2)};
    small_pin(&jobs[0], on_a);
    jobs[1].avoid = on_c;
    jobs[1].n_avoid = 1;
    uint64_t first = small_admit(s, &jobs[0]);
    berth_job filler = small_job("filler", 24, 4);
    small_pin(&filler, on_b);
    uint64_t gone = small_admit(s, &filler);
    uint64_t last = small_admit(s, &jobs[1]); /* on a, as b is full */
    assert_ok(berth_cancel(s, gone, &error), error);
    assert_int_equal(workers_at(s, last, 3, 0), 2);
    advance(s, 1);
    expect_changes(s, 0, NULL);

    assert_ok(berth_resize_machine(s, 0, two, &error), error);
    assert_close(machine_of(s, 0).capacity[0], 2, 0);
    for (int t = 1; t < 6; t++) {
        assert_int_equal(workers_at(s, first, t, 0), 2); /* the one that was admitted before stays */
        assert_int_equal(workers_at(s, last, t, 1), 2);
    }
    const small_change moved = {last, "last", BERTH_CHANGE_MOVED, 1, 5, 5, ""};
    expect_changes(s, 1, &moved);
    berth_job job = small_job("three", 3, 3);
    job.arrival_slot = 1;
    small_pin(&job, on_a);
    assert_false(admitted(s, &job));

    assert_ok(berth_resize_machine(s, 0, six, &error), error);
    expect_changes(s, 0, NULL); /* more room hits nobody */
    job.utility = due(0, 100);
    uint64_t three = small_admit(s, &job);
    assert_int_equal(workers_at(s, three, 1, 0), 3);
    forget_moves(s);

    assert_int_equal(berth_resize_machine(s, 0, less, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "capacity");
    assert_int_equal(berth_resize_machine(s, 0, absent, &error), BERTH_E_ARGUMENT);
    assert_close(machine_of(s, 0).capacity[0], 6, 0);
    assert_ok(berth_resize_machine(s, 0, zero, &error), error);
    assert_int_equal(machine_of(s, 0).state, BERTH_MACHINE_UP);
    const small_change lost[] = {
        {first, "first", BERTH_CHANGE_LOST, 1, 5, -1, "machine a was resized, and no plan completes the rest"},
        {three, "three", BERTH_CHANGE_LOST, 1, 1, -1, "machine a was resized"}};
    if (strcmp(policy, "bidlp") != 0) { /* which may have moved the other one before, and tells that it moves back */
        expect_changes(s, 2, lost);
    }
    assert_true(!berth_find_job(s, "first", NULL) && !berth_find_job(s, "three", NULL));
    assert_int_equal(workers_at(s, last, 3, 1), 2); /* there it is, or there it goes */

    assert_ok(berth_drain_machine(s, 1, &error),
              error); /* a machine that drains keeps what it has, as far as that fits */
    berth_changes got;
    assert_ok(berth_take_changes(s, &got, &error), error);
    berth_changes_clear(&got);
    assert_ok(berth_resize_machine(s, 1, two, &error), error);
    expect_changes(s, 0, NULL);
    assert_int_equal(workers_at(s, last, 3, 1), 2);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static void test_add(void **state) {
    (void)state;
    static const double eight[] = {8}, four[] = {4}, less[] = {-4};
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    int machine = 7;
    berth_job job = small_job("j", 8, 8);
    small_pin(&job, on_c);
    job.utility = due(0, 10);
    assert_false(admitted(s, &job)); /* its globs match nothing yet */
    berth_job old = small_job("old", 8, 4);
    uint64_t number = small_admit(s, &old);
    char *before = scheduler_state(s, 1);
    assert_int_equal(berth_add_machine(s, "a", four, &machine, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "name");
    assert_int_equal(machine, -1);
    assert_int_equal(berth_add_machine(s, "c1", less, &machine, &error), BERTH_E_ARGUMENT);
    expect_state(s, 1, before, "machines that are refused");
    assert_int_equal(berth_find_machine(s, "c1"), -1);
    assert_ok(berth_add_machine(s, "c1", eight, &machine, &error), error);
    assert_int_equal(machine, 2);
    assert_int_equal(berth_machine_count(s), 3);
    assert_int_equal(berth_find_machine(s, "c1"), 2);
    assert_string_equal(machine_of(s, 2).name, "c1");
    expect_machines(s, 3, 0, 0);
    expect_changes(s, 0, NULL);
    assert_true(berth_find_job(s, "old", NULL) && number == 1);
    job.id = "k";
    uint64_t wide = small_admit(s, &job);
    assert_int_equal(workers_at(s, wide, 0, 2), 8);
    assert_close(berth_used(s, 0, 2, 0), 8, 1e-12);
    assert_ok(berth_add_machine(s, "c2", four, NULL, &error), error); /* who does not want its index */
    assert_close(berth_used(s, 0, 2, 0), 8, 1e-12);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* The cluster had none of a resource. */
static void test_add_a_new_resource(void **state) {
    (void)state;
    static const char *const resources[] = {"gpu", "tpu"};
    static const double capacity[] = {4, 0, 4, 0}, with_both[] = {4, 16}, worker[] = {1, 4}, server[] = {0, 0};
    static const double no_tpus[] = {4, 0};
    double upper[] = {80, 0}, lower[] = {0.08, 0};
    small_world w;
    small_world_init(&w, policy);
    w.cluster.n_resources = 2;
    w.cluster.resources = resources;
    w.cluster.capacity = capacity;
    w.bounds.n_resources = 2;
    w.bounds.upper = upper;
    w.bounds.lower = lower;
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    berth_job old = small_job("old", 8, 4);
    static const double gpu[] = {1, 0};
    old.worker = gpu;
    old.ps = server;
    uint64_t kept = small_admit(s, &old);
    berth_job job = small_job("j", 4, 4);
    job.worker = worker;
    job.ps = server;
    assert_false(admitted(s, &job));
    int machine = -1;
    assert_ok(berth_add_machine(s, "c", with_both, &machine, &error), error);
    uint64_t number = small_admit(s, &job);
    int workers = 0;
    for (int t = 0; t < 6; t++) {
        workers += workers_at(s, number, t, machine);
        assert_close(berth_used(s, t, machine, 1), 4 * workers_at(s, number, t, machine), 1e-12);
    }
    assert_int_equal(workers, 4);
    assert_true(berth_find_job(s, "old", NULL) && kept == 0);
    assert_ok(berth_resize_machine(s, machine, no_tpus, &error), error);
    assert_false(berth_find_job(s, "j", NULL));
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* ---- quotas ---- */

static void quota_world(small_world *w, berth_quota *quota, const double *amount) {
    small_world_init(w, policy);
    w->lower[0] = 1e-6;
    *quota = (berth_quota){.tenant = "team", .amount = amount};
    w->cluster.quotas = quota;
    w->cluster.n_quotas = 1;
}

static void test_quota_after_a_failure(void **state) {
    (void)state;
    static const double four[] = {4}, ten[] = {10};
    small_world w;
    berth_quota quota;
    quota_world(&w, &quota, four);
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    berth_job jobs[] = {small_job("x", 8, 2), small_job("y", 8, 2)};
    for (int i = 0; i < 2; i++) {
        jobs[i].tenant = "team";
        jobs[i].utility = due(5, 10);
    }
    small_pin(&jobs[0], on_a);
    uint64_t x = small_admit(s, &jobs[0]), y = small_admit(s, &jobs[1]);
    assert_ok(berth_add_machine(s, "c", ten, NULL, &error), error);
    advance(s, 1);
    for (int fail = 1; fail < 3; fail++) { /* room there is enough on what is left, not within the quota */
        assert_ok(berth_fail_machine(s, fail, &error), error);
        for (int t = 1; t < 6; t++) {
            assert_true(small_held(s, t) <= 4);
        }
    }
    int workers = 0;
    for (int t = 0; t < 6; t++) {
        for (int h = 0; h < 3; h++) {
            workers += workers_at(s, x, t, h) + workers_at(s, y, t, h);
        }
    }
    assert_int_equal(workers, 16);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static void test_quota_of_a_gang(void **state) {
    (void)state;
    static const double amounts[][1] = {{5}, {6}};
    for (int wide = 0; wide < 2; wide++) {
        small_world w;
        berth_quota quota;
        quota_world(&w, &quota, amounts[wide]);
        berth_scheduler *s = small_scheduler(&w);
        berth_error error;
        berth_job jobs[] = {small_job("x", 3, 3), small_job("y", 3, 3)};
        for (int i = 0; i < 2; i++) {
            jobs[i].tenant = "team";
            jobs[i].utility = due(0, 10);
        }
        berth_decision *d[2];
        assert_ok(berth_submit_gang(s, 0, 2, jobs, d, &error), error);
        assert_true(d[0]->admitted == (wide == 1) && d[1]->admitted == (wide == 1));
        assert_close(small_held(s, 0), wide == 1 ? 6 : 0, 1e-12);
        berth_decision_free(d[0]);
        berth_decision_free(d[1]);
        jobs[0].utility = jobs[1].utility = due(1, 10); /* five and one, then, or three and three */
        jobs[0].id = "v";
        jobs[1].id = "w";
        assert_ok(berth_submit_gang(s, 0, 2, jobs, d, &error), error);
        assert_true(d[0]->admitted && d[1]->admitted);
        assert_true(small_held(s, 0) <= amounts[wide][0] && small_held(s, 1) <= amounts[wide][0]);
        berth_decision_free(d[0]);
        berth_decision_free(d[1]);
        berth_scheduler_free(s);
        berth_backends_free(w.backends);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drain_and_return),
        cmocka_unit_test(test_fail),
        cmocka_unit_test(test_failure_is_made_up_for),
        cmocka_unit_test(test_more_at_stake_first),
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_add_a_new_resource),
        cmocka_unit_test(test_quota_after_a_failure),
        cmocka_unit_test(test_quota_of_a_gang),
    };
    static const char *const policies[] = {"pdors-ci", "pdors", "bidlp"};
    int failed = 0;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        policy = policies[i];
        failed += cmocka_run_group_tests_name(policy, tests, NULL, NULL);
    }
    return failed;
}
