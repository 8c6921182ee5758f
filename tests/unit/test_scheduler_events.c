/* What happens to jobs in a scheduler's life, event by event on cases that can be followed by hand: gangs, proposals,
 * jobs that end, time, ids, and what is told of all that; under policies that keep a plan and under one that moves it.
 */
#include "tests/support/check.h"
#include "tests/support/scheduler_state.h"
#include "tests/support/small_scheduler.h"

#include <stdlib.h>
#include <string.h>

/* Of the present round of the tests. */
static const char *policy;

static const char *const on_a[] = {"a"}, *const on_b[] = {"b"};
static const double five_gpus[] = {5};

static berth_statistics statistics_of(const berth_scheduler *s) {
    berth_statistics c = {0};
    assert_int_equal(berth_scheduler_statistics(s, &c), BERTH_OK);
    assert_int_equal(c.struct_size, sizeof c);
    return c;
}

static berth_job_info info_of(const berth_scheduler *s, const char *id) {
    for (size_t i = 0; i < berth_live_count(s); i++) {
        berth_job_info info = {0};
        assert_int_equal(berth_live_job(s, i, &info), BERTH_OK);
        if (strcmp(info.id, id) == 0) {
            uint64_t number = UINT64_MAX;
            assert_true(berth_find_job(s, id, &number));
            assert_int_equal(number, info.number);
            return info;
        }
    }
    fail_msg("no live job \"%s\"", id);
    return (berth_job_info){0};
}

static void advance(berth_scheduler *s, int slot) {
    berth_error error;
    assert_ok(berth_advance(s, slot, &error), error);
    assert_int_equal(berth_now(s), slot);
}

/* Policies at fixed prices go back to the last bit; bidlp has learnt of the job. */
static void expect_freed(berth_scheduler *s, char *before) {
    if (strcmp(policy, "bidlp") != 0) {
        expect_ledger(s, 1, before, "what a job held");
        return;
    }
    free(before);
    for (int t = berth_now(s); t < berth_horizon(s); t++) {
        assert_true(small_held(s, t) == 0);
    }
}

static void expect_empty(const berth_scheduler *s) {
    assert_int_equal(berth_live_count(s), 0);
    for (int t = berth_now(s); t < berth_horizon(s); t++) {
        assert_true(small_held(s, t) == 0);
    }
}

/* ---- gangs ---- */

static void submit_gang(berth_scheduler *s, int slot, size_t n, const berth_job *jobs, bool proposed,
                        berth_decision **out) {
    berth_error error;
    assert_ok(proposed ? berth_propose(s, slot, n, jobs, out, &error)
                       : berth_submit_gang(s, slot, n, jobs, out, &error),
              error);
}

static void free_all(size_t n, berth_decision **decisions) {
    for (size_t i = 0; i < n; i++) {
        berth_decision_free(decisions[i]);
    }
}

static void test_gang_is_all_or_nothing(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_decision *d[3];
    berth_job jobs[] = {small_job("x", 4, 4), small_job("y", 4, 4), small_job("z", 4, 4)};
    jobs[1].worker = five_gpus;
    char *before = scheduler_ledger(s, 1);
    submit_gang(s, 0, 3, jobs, false, d);
    for (int i = 0; i < 3; i++) {
        assert_false(d[i]->admitted);
        assert_int_equal(d[i]->number, i);
        assert_int_equal(d[i]->n_slots, 0);
        assert_non_null(strstr(d[i]->reason, i == 1 ? "fits on no machine" : "its gang is rejected: job 1 of it"));
    }
    free_all(3, d);
    expect_ledger(s, 1, before, "a rejected gang");
    expect_empty(s);
    assert_int_equal(statistics_of(s).rejected, 3);

    jobs[1].worker = jobs[0].worker;
    submit_gang(s, 0, 3, jobs, false, d);
    for (int i = 0; i < 3; i++) {
        assert_true(d[i]->admitted);
        assert_int_equal(d[i]->number, 3 + i);
        assert_int_equal(info_of(s, jobs[i].id).gang, 3);
    }
    free_all(3, d);
    berth_job alone = small_job("alone", 4, 4);
    assert_int_equal(small_admit(s, &alone), 6);
    assert_int_equal(info_of(s, "alone").gang, 6);
    berth_statistics c = statistics_of(s);
    assert_true(c.submitted == 7 && c.admitted == 4 && c.rejected == 3 && c.live == 4);
    if (strcmp(policy, "bidlp") != 0) { /* which moves what it likes */
        expect_changes(s, 0, NULL);
    }
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* Two jobs, each at home on a machine for the whole horizon. */
static void pinned_pair(berth_scheduler *s) {
    berth_job jobs[] = {small_job("x", 24, 4), small_job("y", 24, 4)};
    small_pin(&jobs[0], on_a);
    small_pin(&jobs[1], on_b);
    berth_decision *d[2];
    submit_gang(s, 0, 2, jobs, false, d);
    assert_true(d[0]->admitted && d[1]->admitted);
    free_all(2, d);
}

static void test_gang_is_lost_together(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    pinned_pair(s);
    assert_ok(berth_fail_machine(s, 1, &error), error);
    expect_empty(s);
    const small_change lost[] = {
        {0, "x", BERTH_CHANGE_LOST, 0, 5, -1, "its gang is lost: job 1 of it, machine b failed"},
        {1, "y", BERTH_CHANGE_LOST, 0, 5, -1, "machine b failed, and no plan completes the rest before the horizon"}};
    expect_changes(s, 2, lost);
    berth_statistics c = statistics_of(s);
    assert_true(c.lost == 2 && c.live == 0 && c.utility == 0 && c.utility_planned == 0);

    /* One that has ended for itself takes no other with it. */
    assert_ok(berth_return_machine(s, 1, &error), error);
    pinned_pair(s);
    assert_ok(berth_finish(s, 2, &error), error);
    assert_ok(berth_fail_machine(s, 0, &error), error);
    assert_int_equal(berth_live_count(s), 1);
    assert_ok(berth_fail_machine(s, 1, &error), error);
    const small_change alone[] = {{3, "y", BERTH_CHANGE_LOST, 0, 5, -1, "machine b failed"}};
    expect_changes(s, 1, alone);
    assert_int_equal(statistics_of(s).lost, 3);
    assert_int_equal(statistics_of(s).finished, 1);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* ---- proposals ---- */

static void test_proposals(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    berth_decision *d[2];
    berth_job jobs[] = {small_job("x", 4, 4), small_job("y", 4, 4)};
    char *before = scheduler_ledger(s, 1);
    submit_gang(s, 0, 2, jobs, true, d);
    assert_true(d[0]->admitted && d[1]->admitted);
    free_all(2, d);
    assert_int_equal(info_of(s, "x").state, BERTH_JOB_PROPOSED);
    assert_close(small_held(s, 0), 8, 0);
    berth_statistics c = statistics_of(s);
    assert_true(c.proposed == 2 && c.admitted == 0 && c.live == 2 && c.utility_planned == 0);
    assert_int_equal(berth_finish(s, 0, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_cancel(s, 1, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_report_left(s, 1, 10, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_commit(s, 2, &error), BERTH_E_ARGUMENT);

    assert_ok(berth_abandon(s, 1, &error), error); /* by the number of any */
    expect_empty(s);
    expect_freed(s, before);
    assert_int_equal(berth_abandon(s, 0, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_commit(s, 1, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "number");

    submit_gang(s, 0, 2, jobs, true, d);
    free_all(2, d);
    assert_ok(berth_commit(s, 3, &error), error);
    assert_int_equal(info_of(s, "x").state, BERTH_JOB_RUNNING);
    assert_int_equal(berth_commit(s, 2, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_abandon(s, 2, &error), BERTH_E_ARGUMENT);
    c = statistics_of(s);
    assert_true(c.proposed == 4 && c.admitted == 2 && c.abandoned == 2 && c.live == 2);
    assert_close(c.utility_planned, 20, 1e-12);
    expect_changes(s, 0, NULL);
    advance(s, 1); /* committed ones do not lapse */
    const small_change done[] = {{2, "x", BERTH_CHANGE_COMPLETED, 1, 0, 0, ""},
                                 {3, "y", BERTH_CHANGE_COMPLETED, 1, 0, 0, ""}};
    expect_changes(s, 2, done);
    assert_close(statistics_of(s).utility, 20, 1e-12);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* One of the two would run in slot 0, the other, behind another job on its machine, in slot 2. */
static void test_proposals_lapse(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    berth_job first = small_job("first", 8, 4);
    small_pin(&first, on_b);
    small_admit(s, &first);
    char *before = scheduler_ledger(s, 1);
    berth_job jobs[] = {small_job("x", 8, 4), small_job("y", 4, 4)};
    small_pin(&jobs[0], on_a);
    small_pin(&jobs[1], on_b);
    berth_decision *d[2];
    submit_gang(s, 0, 2, jobs, true, d);
    assert_int_equal(d[0]->slots[0].slot, 0);
    assert_int_equal(d[1]->slots[0].slot, 2);
    free_all(2, d);
    if (strcmp(policy, "bidlp") != 0) { /* to the last bit, as if they had never been there */
        assert_ok(berth_abandon(s, 1, &error), error);
        expect_ledger(s, 1, before, "an abandoned gang");
        submit_gang(s, 0, 2, jobs, true, d);
        free_all(2, d);
    } else {
        free(before);
    }
    uint64_t x = info_of(s, "x").number;
    advance(s, 1);
    const small_change lapsed[] = {{x, "x", BERTH_CHANGE_LAPSED, 1, 1, -1, "not committed"},
                                   {x + 1, "y", BERTH_CHANGE_LAPSED, 1, 2, -1, "not committed"}};
    expect_changes(s, 2, lapsed);
    assert_int_equal(berth_live_count(s), 1);
    assert_int_equal(berth_commit(s, x, &error), BERTH_E_ARGUMENT);
    assert_non_null(strstr(error.message, "has lapsed"));
    assert_int_equal(berth_commit(s, x + 2, &error), BERTH_E_ARGUMENT);
    assert_non_null(strstr(error.message, "no job has had the number"));
    assert_close(small_held(s, 1), 4, 0);
    assert_close(small_held(s, 2), 0, 0);
    assert_int_equal(statistics_of(s).lapsed, 2);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* ---- ends ---- */

static void test_finish_and_cancel(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    berth_job job = small_job("j", 24, 4);
    small_pin(&job, on_a);
    job.utility = (berth_utility){.kind = BERTH_UTILITY_LINEAR, .value = 12, .deadline_slots = 6};
    char *before = scheduler_ledger(s, 1);
    uint64_t number = small_admit(s, &job);
    assert_ok(berth_cancel(s, number, &error), error);
    expect_empty(s);
    expect_freed(s, before);
    assert_true(statistics_of(s).utility == 0);
    assert_int_equal(berth_cancel(s, number, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_finish(s, 77, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "number");

    number = small_admit(s, &job);
    assert_close(statistics_of(s).utility_planned, 2, 1e-12); /* in slot 5 */
    advance(s, 3);
    assert_close(small_held(s, 3), 4, 0);
    assert_ok(berth_finish(s, number, &error), error); /* at the end of slot 2 */
    expect_empty(s);
    berth_statistics c = statistics_of(s);
    assert_close(c.utility, 8, 1e-12);
    assert_true(c.finished == 1 && c.cancelled == 1 && c.completed == 0 && c.utility_planned == 0);
    expect_changes(s, 0, NULL); /* nothing that the caller did is told */
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static void test_more_or_less_is_left(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    berth_job job = small_job("j", 8, 4);
    small_pin(&job, on_a);
    uint64_t number = small_admit(s, &job);
    assert_int_equal(berth_report_left(s, number, 5e-324, &error), BERTH_E_ARGUMENT); /* of 80 samples: 0 epochs */
    assert_string_equal(error.where, "samples");
    advance(s, 1);
    assert_close(info_of(s, "j").samples_left, 40, 1e-9);
    assert_ok(berth_report_left(s, number, 80, &error), error);
    berth_job_info info = info_of(s, "j");
    assert_close(info.samples, 120, 1e-9);
    assert_close(info.samples_left, 80, 1e-9);
    assert_true(info.promised_slot == 2 && info.completion_slot == 2 && info.arrival_slot == 0);
    const small_change delayed[] = {{number, "j", BERTH_CHANGE_DELAYED, 1, 2, 2, ""}};
    expect_changes(s, 1, delayed);
    assert_int_equal(statistics_of(s).delayed, 1);

    assert_ok(berth_report_left(s, number, 30, &error), error);
    info = info_of(s, "j");
    assert_close(info.samples_left, 30, 1e-9);
    assert_true(info.promised_slot == 2 && info.completion_slot <= 2);
    double held = 0;
    for (int t = 1; t < 6; t++) {
        held += small_held(s, t);
    }
    assert_close(held, 3, 1e-12); /* three worker-slots, and no more */
    const small_change moved[] = {{number, "j", BERTH_CHANGE_MOVED, 1, 2, info.completion_slot, ""}};
    expect_changes(s, 1, moved);

    assert_int_equal(berth_report_left(s, number, 0, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "samples");
    assert_int_equal(berth_report_left(s, number, -1, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_report_left(s, number, (double)NAN, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_report_left(s, number, (double)INFINITY, &error), BERTH_E_ARGUMENT);
    assert_ok(berth_report_left(s, number, 4000, &error), error);
    expect_empty(s);
    const small_change lost[] = {{number, "j", BERTH_CHANGE_LOST, 1, 2, -1, "more work is left, and no plan"}};
    expect_changes(s, 1, lost);
    assert_int_equal(berth_report_left(s, number, 10, &error), BERTH_E_ARGUMENT);
    berth_statistics c = statistics_of(s);
    assert_true(c.lost == 1 && c.moved == 1 && c.delayed == 1 && c.utility == 0);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* ---- what is told ---- */

static void test_changes(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    berth_job job = small_job("j", 8, 4);
    uint64_t j = small_admit(s, &job);
    berth_decision *plan = NULL;
    assert_ok(berth_present_plan(s, j, &plan, &error), error);
    int first = plan->slots[0].placements[0].machine;
    berth_decision_free(plan);
    assert_ok(berth_fail_machine(s, first, &error), error);
    assert_ok(berth_return_machine(s, first, &error), error);
    assert_ok(berth_fail_machine(s, 1 - first, &error), error); /* and back again: told once */
    assert_ok(berth_return_machine(s, 1 - first, &error), error);
    const small_change moved[] = {{j, "j", BERTH_CHANGE_MOVED, 0, 1, 1, ""}};
    expect_changes(s, 1, moved);
    expect_changes(s, 0, NULL); /* no more than once */
    assert_int_equal(statistics_of(s).moved, 2);

    assert_ok(berth_fail_machine(s, first, &error), error);
    assert_ok(berth_cancel(s, j, &error), error);
    expect_changes(s, 0, NULL); /* of jobs that the caller has ended nothing is told */

    job = small_job("k", 4, 4);
    uint64_t k = small_admit(s, &job);
    job = small_job("l", 24, 4);
    job.utility.value = 0.1; /* too little to be worth a wait, but not too little to run */
    berth_decision *d = small_submit(s, &job);
    berth_decision_free(d);
    assert_ok(berth_fail_machine(s, 1 - first, &error), error);
    advance(s, 2);
    berth_changes got;
    assert_ok(berth_take_changes(s, &got, &error), error);
    for (size_t i = 0; i < got.n; i++) {
        assert_int_equal(got.changes[i].kind, BERTH_CHANGE_LOST); /* nothing is up */
        assert_true(i == 0 ? got.changes[i].number == k : got.changes[i].number > got.changes[i - 1].number);
    }
    assert_true(got.n >= 1);
    berth_changes_clear(&got);
    berth_changes_clear(&got);
    berth_changes_clear(NULL);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* Jobs that complete and proposals that lapse in one step of time are told by number. */
static void test_one_step_is_told_by_number(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_job jobs[] = {small_job("x", 4, 4), small_job("y", 4, 4), small_job("z", 2, 2)};
    small_pin(&jobs[0], on_a);
    small_pin(&jobs[1], on_b);
    berth_decision *d[1];
    small_admit(s, &jobs[0]);
    submit_gang(s, 0, 1, &jobs[1], true, d);
    free_all(1, d);
    small_admit(s, &jobs[2]);
    advance(s, 5);
    const small_change told[] = {{0, "x", BERTH_CHANGE_COMPLETED, 1, 0, 0, ""},
                                 {1, "y", BERTH_CHANGE_LAPSED, 5, 0, -1, "not committed"},
                                 {2, "z", BERTH_CHANGE_COMPLETED, 2, 1, 1, ""}};
    expect_changes(s, 3, told);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* ---- time, ids ---- */

/* How many completions are told; each of the job that completed in time, and nothing else but moves by bidlp. */
static uint64_t completions(berth_scheduler *s) {
    berth_changes got;
    berth_error error;
    uint64_t completed = 0;
    assert_ok(berth_take_changes(s, &got, &error), error);
    for (size_t i = 0; i < got.n; i++) {
        const berth_change *c = &got.changes[i];
        assert_true(c->kind == BERTH_CHANGE_COMPLETED ||
                    (c->kind == BERTH_CHANGE_MOVED && strcmp(policy, "bidlp") == 0));
        assert_true(c->kind != BERTH_CHANGE_COMPLETED || c->slot == c->completion_slot + 1);
        assert_true(c->completion_slot <= c->promised_slot);
        completed += c->kind == BERTH_CHANGE_COMPLETED;
    }
    berth_changes_clear(&got);
    return completed;
}

static void test_rolling_horizon(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    w.options.rolling = true;
    berth_scheduler *s = small_scheduler(&w);
    uint64_t completed = 0;
    for (int slot = 0; slot < 65; slot++) {
        berth_job job = small_job(slot % 2 == 0 ? "even" : "odd", 8, 4); /* two slots, so the id is free again */
        job.arrival_slot = slot;
        job.utility = (berth_utility){.kind = BERTH_UTILITY_DEADLINE, .value = 10, .deadline_slots = 1};
        assert_int_equal(small_admit(s, &job), slot);
        assert_int_equal(berth_now(s), slot);
        assert_int_equal(berth_horizon(s), slot + 6);
        berth_job_info info = info_of(s, job.id);
        assert_true(info.arrival_slot == slot && info.promised_slot == slot + 1);
        assert_true(small_held(s, slot) <= 8 && small_held(s, slot) >= 4);
        assert_true(berth_used(s, slot - 1, 0, 0) == 0 && berth_used(s, slot + 6, 0, 0) == 0);
        completed += completions(s);
        assert_int_equal(statistics_of(s).completed, completed);
    }
    assert_true(completed >= 63);
    advance(s, 1000); /* over far more than a horizon */
    assert_int_equal(completed + completions(s), 65);
    expect_empty(s);
    berth_statistics c = statistics_of(s);
    assert_true(c.completed == 65 && c.submitted == 65 && c.live == 0);
    assert_close(c.utility, 650, 1e-12);
    berth_error error;
    berth_job job = small_job("late", 24, 4);
    job.arrival_slot = 1000;
    small_pin(&job, on_b);
    uint64_t late = small_admit(s, &job);
    assert_int_equal(info_of(s, "late").completion_slot, 1005);
    advance(s, 1003);
    assert_ok(berth_report_left(s, late, 160, &error), error); /* four slots more, to 1006: there is room by now */
    assert_int_equal(info_of(s, "late").completion_slot, 1006);
    assert_int_equal(info_of(s, "late").arrival_slot, 1000);
    berth_decision *decision;
    job.arrival_slot = 1009; /* the first slot behind the horizon, which a question does not move */
    assert_int_equal(berth_what_if(s, &job, &decision, &error), BERTH_E_ARGUMENT);
    assert_null(decision);
    assert_string_equal(error.where, "/arrival_slot");
    assert_string_equal(error.message, "is 1009; expected 1003 to 1008: a question does not move the horizon");
    job.arrival_slot = 1008;
    job.id = "later";
    assert_ok(berth_what_if(s, &job, &decision, &error), error);
    berth_decision_free(decision);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* A job holds a worker for a slot, however little there is to do: that is what it has to pay for, not its share of it.
 */
static void test_short_jobs(void **state) {
    (void)state;
    static const double slots[] = {0.1, 1e-3, 1e-12, 1e-300, 1e-322}; /* of one worker */
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        small_world w;
        small_world_init(&w, policy);
        berth_scheduler *s = small_scheduler(&w);
        berth_job job = small_job("short", slots[i], 4);
        job.utility = (berth_utility){.kind = BERTH_UTILITY_DEADLINE, .value = 10, .deadline_slots = 6};
        small_admit(s, &job);
        assert_int_equal(info_of(s, "short").completion_slot, 0);
        job.id = "another";
        small_admit(s, &job);
        assert_true(small_held(s, 0) <= 2 && small_held(s, 1) == 0);
        berth_scheduler_free(s);
        berth_backends_free(w.backends);
    }
}

/* Nor are many of them worth more a slot than they can pay for the slots that they hold. */
static void test_many_short_jobs(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    for (int k = 0; k < 2; k++) { /* of a worker's slot, and of a tenth of it: as many fit */
        berth_scheduler *s = small_scheduler(&w);
        berth_job jobs[30];
        char ids[30][8];
        berth_decision *decisions[30];
        berth_error error;
        size_t admitted = 0;
        for (int i = 0; i < 30; i++) {
            snprintf(ids[i], sizeof ids[i], "j%d", i);
            jobs[i] = small_job(ids[i], k == 0 ? 1 : 0.1, 1);
            jobs[i].utility = (berth_utility){.kind = BERTH_UTILITY_DEADLINE, .value = 10, .deadline_slots = 6};
        }
        assert_ok(berth_submit_batch(s, 0, 30, jobs, decisions, &error), error);
        for (int i = 0; i < 30; i++) {
            admitted += decisions[i]->admitted;
            berth_decision_free(decisions[i]);
        }
        assert_int_equal(admitted, 30);
        berth_scheduler_free(s);
    }
    berth_backends_free(w.backends);
}

static void test_fixed_horizon(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    assert_int_equal(berth_horizon(s), 6);
    advance(s, 2);
    advance(s, 2);
    assert_int_equal(berth_advance(s, 1, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "slot");
    assert_int_equal(berth_advance(s, 6, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_advance(s, -1, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_now(s), 2);
    assert_int_equal(berth_horizon(s), 6);
    berth_job job = small_job("j", 4, 4);
    job.arrival_slot = 4; /* time moves to it */
    small_admit(s, &job);
    assert_int_equal(berth_now(s), 4);
    assert_int_equal(info_of(s, "j").state, BERTH_JOB_RUNNING);
    job.id = "k";
    job.arrival_slot = 3;
    berth_decision *d = NULL;
    assert_int_equal(berth_submit(s, &job, &d, &error), BERTH_E_ARGUMENT);
    assert_null(d);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static void test_ids(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    berth_job job = small_job("j", 4, 4);
    small_admit(s, &job);
    char *before = scheduler_state(s, 1);
    berth_decision *d[2] = {NULL, NULL};
    assert_int_equal(berth_submit(s, &job, d, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "/id");
    assert_int_equal(berth_what_if(s, &job, d, &error), BERTH_E_ARGUMENT);
    berth_job twins[] = {small_job("k", 4, 4), small_job("k", 4, 4)};
    assert_int_equal(berth_submit_batch(s, 0, 2, twins, d, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "/jobs/1/id");
    assert_true(d[0] == NULL && d[1] == NULL);
    twins[1].id = "l";
    twins[1].arrival_slot = 1;
    assert_int_equal(berth_submit_batch(s, 0, 2, twins, d, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "/jobs/1/arrival_slot");
    expect_state(s, 1, before, "what is refused");

    job.arrival_slot = 1; /* by then it is complete; its number is a new one */
    assert_ok(berth_what_if(s, &job, d, &error), error);
    berth_decision_free(d[0]);
    assert_int_equal(small_admit(s, &job), 1);
    assert_ok(berth_cancel(s, 1, &error), error);
    assert_int_equal(small_admit(s, &job), 2);
    twins[0].arrival_slot = 2; /* a proposal that has lapsed by then, too */
    submit_gang(s, 2, 1, twins, true, d);
    free_all(1, d);
    twins[0].arrival_slot = 3;
    assert_int_equal(small_admit(s, &twins[0]), 4);
    assert_true(berth_find_job(s, "k", NULL));
    assert_false(berth_find_job(s, "j", NULL));
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static void test_live_jobs(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_job first = small_job("first", 8, 4), second = small_job("second", 8, 4);
    small_pin(&first, on_b);
    small_pin(&second, on_b);
    first.utility = (berth_utility){.kind = BERTH_UTILITY_DEADLINE, .value = 10, .deadline_slots = 1};
    second.utility = (berth_utility){.kind = BERTH_UTILITY_DEADLINE, .value = 10, .deadline_slots = 3};
    small_admit(s, &first);
    small_admit(s, &second);
    berth_job_info one = info_of(s, "first"), two = info_of(s, "second");
    assert_true(one.state == BERTH_JOB_RUNNING && two.state == BERTH_JOB_WAITING);
    assert_true(one.completion_slot == 1 && two.completion_slot == 3 && two.promised_slot == 3);
    assert_true(one.samples == 80 && one.samples_left == 80);
    advance(s, 1);
    one = info_of(s, "first");
    two = info_of(s, "second");
    assert_close(one.samples_left, 40, 1e-9);
    assert_close(two.samples_left, 80, 1e-9);
    berth_job_info none;
    assert_int_equal(berth_live_job(s, 2, &none), BERTH_E_ARGUMENT);
    berth_decision *plan = NULL;
    berth_error error;
    assert_ok(berth_present_plan(s, two.number, &plan, &error), error);
    assert_true(plan->admitted && plan->number == two.number && plan->n_slots == 2 && plan->slots[0].slot == 2);
    assert_true(plan->utility == 10 && isnan(plan->price_paid) && isnan(plan->payoff) && isnan(plan->payoff_bound));
    berth_decision_free(plan);
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

/* ---- misuse ---- */

static void test_null_and_out_of_range(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_error error;
    berth_job job = small_job("j", 4, 4);
    berth_decision *d = NULL;
    berth_changes changes;
    berth_job_info info;
    berth_machine_info machine;
    berth_statistics statistics;
    static const double four[] = {4};
    const berth_status refused[] = {
        berth_submit(NULL, &job, &d, &error),
        berth_submit(s, NULL, &d, &error),
        berth_submit(s, &job, NULL, &error),
        berth_submit_batch(s, 0, 1, NULL, &d, &error),
        berth_submit_batch(s, -1, 1, &job, &d, &error),
        berth_submit_batch(s, 6, 0, NULL, NULL, &error),
        berth_submit_gang(s, 0, 0, &job, &d, &error),
        berth_submit_gang(s, 0, 1, &job, NULL, &error),
        berth_propose(s, 0, 0, &job, &d, &error),
        berth_propose(NULL, 0, 1, &job, &d, &error),
        berth_commit(NULL, 0, &error),
        berth_commit(s, 0, &error),
        berth_abandon(NULL, 0, &error),
        berth_abandon(s, 0, &error),
        berth_what_if(NULL, &job, &d, &error),
        berth_what_if(s, NULL, &d, &error),
        berth_what_if(s, &job, NULL, &error),
        berth_advance(NULL, 1, &error),
        berth_finish(NULL, 0, &error),
        berth_finish(s, 0, &error),
        berth_cancel(NULL, 0, &error),
        berth_report_left(NULL, 0, 1, &error),
        berth_report_left(s, 0, 1, &error),
        berth_live_job(NULL, 0, &info),
        berth_live_job(s, 0, &info),
        berth_present_plan(NULL, 0, &d, &error),
        berth_present_plan(s, 0, &d, &error),
        berth_present_plan(s, 0, NULL, &error),
        berth_take_changes(NULL, &changes, &error),
        berth_take_changes(s, NULL, &error),
        berth_machine(NULL, 0, &machine),
        berth_machine(s, 2, &machine),
        berth_machine(s, -1, &machine),
        berth_machine(s, 0, NULL),
        berth_add_machine(NULL, "c", four, NULL, &error),
        berth_add_machine(s, NULL, four, NULL, &error),
        berth_add_machine(s, "", four, NULL, &error),
        berth_add_machine(s, "c", NULL, NULL, &error),
        berth_drain_machine(NULL, 0, &error),
        berth_drain_machine(s, 2, &error),
        berth_fail_machine(NULL, 0, &error),
        berth_fail_machine(s, -1, &error),
        berth_resize_machine(NULL, 0, four, &error),
        berth_resize_machine(s, 9, four, &error),
        berth_resize_machine(s, 0, NULL, &error),
        berth_return_machine(NULL, 0, &error),
        berth_return_machine(s, 2, &error),
        berth_scheduler_statistics(NULL, &statistics),
        berth_scheduler_statistics(s, NULL),
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (refused[i] != BERTH_E_ARGUMENT) {
            fail_msg("call %zu: %s", i, berth_status_name(refused[i]));
        }
    }
    assert_null(d);
    assert_int_equal(berth_finish(s, 0, NULL), BERTH_E_ARGUMENT); /* without an error to fill */
    assert_int_equal(berth_live_count(NULL), 0);
    assert_int_equal(berth_machine_count(NULL), 0);
    assert_int_equal(berth_resource_count(NULL), 0);
    assert_null(berth_resource_name(NULL, 0));
    assert_string_equal(berth_resource_name(s, 0), "gpu");
    assert_null(berth_resource_name(s, -1));
    assert_null(berth_resource_name(s, (int)berth_resource_count(s)));
    assert_int_equal(berth_now(NULL), 0);
    assert_int_equal(berth_horizon(NULL), 0);
    assert_false(berth_find_job(NULL, "j", NULL));
    assert_false(berth_find_job(s, NULL, NULL));
    assert_false(berth_find_job(s, "j", NULL));
    assert_int_equal(berth_find_machine(NULL, "a"), -1);
    assert_int_equal(berth_find_machine(s, NULL), -1);
    assert_true(berth_price(NULL, 0, 0, 0) == 0 && berth_price(s, 0, 0, 1) == 0 && berth_price(s, 6, 0, 0) == 0);
    assert_true(berth_used(NULL, 0, 0, 0) == 0 && berth_used(s, 0, 2, 0) == 0 && berth_used(s, -1, 0, 0) == 0);
    assert_true(berth_capacity_value(NULL, 0, 6, 0, 0) == 0 && berth_capacity_value(s, 0, 6, -1, 0) == 0 &&
                berth_capacity_value(s, 6, 9, 0, 0) == 0 && berth_capacity_value(s, 3, 3, 0, 0) == 0);
    assert_int_equal(berth_live_count(s), 0);
    assert_int_equal(statistics_of(s).submitted, 0);
    berth_scheduler_free(s);
    berth_scheduler_free(NULL);
    berth_backends_free(w.backends);
}

static void test_capacity_value(void **state) {
    (void)state;
    small_world w;
    small_world_init(&w, policy);
    berth_scheduler *s = small_scheduler(&w);
    berth_job job = small_job("j", 8, 4);
    small_admit(s, &job);
    advance(s, 1);
    double sum = 0;
    for (int t = 1; t < 6; t++) {
        sum += berth_price(s, t, 0, 0);
    }
    assert_true(sum > 0);
    assert_true(berth_capacity_value(s, 0, 99, 0, 0) == sum); /* from the present slot to the horizon */
    assert_true(berth_capacity_value(s, 2, 3, 0, 0) == berth_price(s, 2, 0, 0));
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

static void test_names(void **state) {
    (void)state;
    static const char *const jobs[] = {"proposed", "waiting", "running"};
    static const char *const kinds[] = {"moved", "delayed", "completed", "lost", "lapsed"};
    static const char *const machines[] = {"up", "draining", "down"};
    for (int i = 0; i < 5; i++) {
        assert_string_equal(berth_change_kind_name((berth_change_kind)i), kinds[i]);
        assert_true(i >= 3 || strcmp(berth_job_state_name((berth_job_state)i), jobs[i]) == 0);
        assert_true(i >= 3 || strcmp(berth_machine_state_name((berth_machine_state)i), machines[i]) == 0);
    }
    assert_true(berth_change_kind_name((berth_change_kind)5) == NULL &&
                berth_change_kind_name((berth_change_kind)-1) == NULL);
    assert_true(berth_job_state_name((berth_job_state)3) == NULL && berth_job_state_name((berth_job_state)-1) == NULL);
    assert_true(berth_machine_state_name((berth_machine_state)3) == NULL &&
                berth_machine_state_name((berth_machine_state)-1) == NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gang_is_all_or_nothing),
        cmocka_unit_test(test_gang_is_lost_together),
        cmocka_unit_test(test_proposals),
        cmocka_unit_test(test_proposals_lapse),
        cmocka_unit_test(test_finish_and_cancel),
        cmocka_unit_test(test_more_or_less_is_left),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_one_step_is_told_by_number),
        cmocka_unit_test(test_rolling_horizon),
        cmocka_unit_test(test_short_jobs),
        cmocka_unit_test(test_many_short_jobs),
        cmocka_unit_test(test_fixed_horizon),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_live_jobs),
        cmocka_unit_test(test_null_and_out_of_range),
        cmocka_unit_test(test_capacity_value),
        cmocka_unit_test(test_names),
    };
    static const char *const policies[] = {"pdors-ci", "pdors", "bidlp"};
    int failed = 0;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        policy = policies[i];
        failed += cmocka_run_group_tests_name(policy, tests, NULL, NULL);
    }
    return failed;
}
