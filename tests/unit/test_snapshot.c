/* Snapshots that are cut, damaged, of a later version, or sound to look at and nonsense inside: refused by what is
 * wrong with them, or good for a scheduler that works. Seeds are fixed: no false failures. */
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/rich_instance.h"
#include "tests/support/sanitized.h"
#include "tests/support/scheduler_events.h"
#include "tests/support/snapshot_case.h"

#include "online/bidlp/state.h"
#include "online/scheduler/scheduler.h"

#include <stdlib.h>
#include <string.h>

static berth_status restore(const unsigned char *bytes, size_t n, berth_scheduler **out, berth_error *error) {
    berth_options options;
    berth_options_init(&options);
    options.threads = 1;
    *error = (berth_error){0};
    return berth_restore(bytes, n, &options, out, error);
}

static void expect_refused(const unsigned char *bytes, size_t n, berth_status expected) {
    berth_error error;
    berth_scheduler *s = NULL;
    assert_int_equal(restore(bytes, n, &s, &error), expected);
    assert_null(s);
    assert_int_equal(error.status, expected);
    assert_true(error.message[0] != '\0' && error.where[0] != '\0');
}

/* ---- damage ---- */

static void test_cut_short_anywhere(void **state) {
    (void)state;
    snapshot_case c;
    snapshot_case_init(&c, "pdors-ci", 3, 8);
    for (size_t n = 0; n < c.n; n++) {
        unsigned char *cut = malloc(n > 0 ? n : 1); /* of that size, so that a sanitizer sees a step beyond */
        assert_non_null(cut);
        memcpy(cut, c.bytes, n);
        expect_refused(cut, n, BERTH_E_INPUT);
        free(cut);
    }
    for (size_t n = SNAPSHOT_HEAD + 4; n < c.n; n++) { /* and made to look whole again */
        unsigned char *cut = malloc(n);
        assert_non_null(cut);
        memcpy(cut, c.bytes, n);
        snapshot_seal(cut, n);
        expect_refused(cut, n, BERTH_E_INPUT);
        free(cut);
    }
    snapshot_case_clear(&c);
}

static void test_any_byte_damaged(void **state) {
    (void)state;
    snapshot_case c;
    snapshot_case_init(&c, "bidlp", 5, 12);
    for (size_t i = 0; i < c.n; i++) {
        unsigned char was = c.bytes[i];
        c.bytes[i] ^= (unsigned char)(1 + i % 255);
        expect_refused(c.bytes, c.n, BERTH_E_INPUT);
        c.bytes[i] = was;
    }
    snapshot_case_clear(&c);
}

static void test_longer(void **state) {
    (void)state;
    snapshot_case c;
    snapshot_case_init(&c, "oasis", 4, 8);
    unsigned char *longer = calloc(c.n + 8, 1);
    assert_non_null(longer);
    memcpy(longer, c.bytes, c.n);
    expect_refused(longer, c.n + 1, BERTH_E_INPUT);
    snapshot_seal(longer, c.n + 8);
    expect_refused(longer, c.n + 8, BERTH_E_INPUT);
    free(longer);
    snapshot_case_clear(&c);
}

static void test_other_versions(void **state) {
    (void)state;
    snapshot_case c;
    snapshot_case_init(&c, "bidlp", 6, 8);
    c.bytes[8] = 2;
    snapshot_seal(c.bytes, c.n);
    expect_refused(c.bytes, c.n, BERTH_E_UNSUPPORTED);
    berth_error error;
    berth_scheduler *s = NULL;
    (void)restore(c.bytes, c.n, &s, &error);
    assert_non_null(strstr(error.message, "version 2"));
    c.bytes[8] = 0;
    snapshot_seal(c.bytes, c.n);
    expect_refused(c.bytes, c.n, BERTH_E_INPUT);
    snapshot_case_clear(&c);
}

/* ---- nonsense with a right checksum ---- */

/* What a byte, or the 4 or 8 from it on, become. */
static void mutate(unsigned char *bytes, size_t n, berth__pcg *g) {
    static const double reals[] = {-1, 0, 1e-320, 1e308, (double)INFINITY, -(double)INFINITY, (double)NAN, 0.5};
    static const int32_t integers[] = {-1, 0, 1, 2, 7, 1000, INT32_MAX, INT32_MIN};
    size_t at = SNAPSHOT_HEAD + (size_t)berth__pcg_integer(g, 0, (int64_t)(n - SNAPSHOT_HEAD - 13));
    size_t pick = (size_t)berth__pcg_integer(g, 0, 7);
    switch (berth__pcg_integer(g, 0, 3)) {
    case 0:
        bytes[at] ^= (unsigned char)(1 << pick);
        break;
    case 1:
        bytes[at] = (unsigned char)berth__pcg_integer(g, 0, 255);
        break;
    case 2:
        memcpy(bytes + at, &integers[pick], sizeof *integers);
        break;
    default:
        memcpy(bytes + at, &reals[pick], sizeof *reals);
        break;
    }
}

/* It does what it is asked to, and can be kept. Not every event succeeds. */
static void expect_works(berth_scheduler *s, const snapshot_case *c, berth__pcg *g) {
    int names = 100000;
    for (int i = 0; i < 6; i++) {
        scheduler_event event;
        scheduler_outcome outcome;
        scheduler_event_draw(&event, c->instance, s, g, &names);
        scheduler_event_apply(&event, s, &outcome);
        assert_true(outcome.status != BERTH_E_INTERNAL && outcome.status != BERTH_E_MEMORY);
        scheduler_outcome_clear(&outcome);
    }
    berth_error error;
    unsigned char *bytes = NULL, *again = NULL;
    size_t n = 0, n_again = 0;
    berth_scheduler *twin = NULL;
    assert_ok(berth_snapshot(s, &bytes, &n, &error), error);
    assert_ok(restore(bytes, n, &twin, &error), error);
    assert_ok(berth_snapshot(twin, &again, &n_again, &error), error);
    assert_int_equal(n, n_again);
    assert_memory_equal(bytes, again, n);
    berth_snapshot_free(bytes);
    berth_snapshot_free(again);
    berth_scheduler_free(twin);
}

static void mutate_case(const char *policy, uint64_t seed, int rounds, size_t *refused, size_t *worked) {
    snapshot_case c;
    snapshot_case_init(&c, policy, seed, 20);
    berth__pcg g = berth__pcg_seed(0x6d757461, seed);
    for (int i = 0; i < rounds; i++) {
        unsigned char *bytes = malloc(c.n);
        assert_non_null(bytes);
        memcpy(bytes, c.bytes, c.n);
        for (int k = i % 3; k >= 0; k--) {
            mutate(bytes, c.n, &g);
        }
        snapshot_seal(bytes, c.n);
        berth_error error;
        berth_scheduler *s = NULL;
        berth_status status = restore(bytes, c.n, &s, &error);
        assert_true((status == BERTH_OK) == (s != NULL));
        if (status == BERTH_OK) {
            expect_works(s, &c, &g);
        } else if (status != BERTH_E_BACKEND && status != BERTH_E_INPUT) {
            fail_msg("%s %d: %s, %s: %s", policy, i, berth_status_name(status), error.where, error.message);
        }
        *refused += status != BERTH_OK;
        *worked += status == BERTH_OK;
        berth_scheduler_free(s);
        free(bytes);
    }
    snapshot_case_clear(&c);
}

static void test_mutations(void **state) {
    (void)state;
    size_t refused = 0, worked = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        mutate_case("bidlp", seed, SANITIZED ? 150 : 400, &refused, &worked);
        mutate_case("pdors-ci", seed, SANITIZED ? 150 : 400, &refused, &worked);
        mutate_case("oasis", seed, SANITIZED ? 150 : 400, &refused, &worked);
    }
    print_message("%zu mutations refused, %zu schedulers that work\n", refused, worked);
    assert_true(refused > 100 && worked > 100);
}

/* ---- states that no scheduler comes to ---- */

static berth__ledger *ledger_of(berth_scheduler *s) {
    return (berth__ledger *)(uintptr_t)berth__decider_ledger(s->decider);
}

/* A slot to come in which something is held. */
static berth__slot_ledger *held_slot(berth_scheduler *s) {
    berth__ledger *ledger = ledger_of(s);
    int t = berth__now(s);
    while (ledger->slots[t].n_touched == 0) {
        t++;
        assert_true(t < s->fleet.horizon);
    }
    return &ledger->slots[t];
}

static berth_slot_plan *last_slot(berth_scheduler *s) {
    size_t n;
    const berth_slot_plan *slots = berth__live_plan(s, s->live.jobs[0], &n);
    return (berth_slot_plan *)(uintptr_t)&slots[n - 1];
}

static void break_holders(berth_scheduler *s) {
    held_slot(s)->holders[0]++;
}
static void break_machine(berth_scheduler *s) {
    held_slot(s)->machine[0] = s->decider->cluster->n_machines;
}
static void break_used(berth_scheduler *s) {
    held_slot(s)->used[0] *= 0.5;
}
static void break_price(berth_scheduler *s) {
    held_slot(s)->price[0] = held_slot(s)->price[0] * 2 + 1;
}
static void break_price_nan(berth_scheduler *s) {
    held_slot(s)->price[0] = (double)NAN;
}
static void break_idle_price(berth_scheduler *s) {
    berth__ledger *ledger = ledger_of(s);
    size_t n = (size_t)ledger->cluster->n_classes * (size_t)ledger->cluster->n_resources;
    ledger->idle_price[ledger->prices == NULL ? (size_t)ledger->cluster->horizon * n - 1 : 0] = 1e9;
}
static void break_plan_slot(berth_scheduler *s) {
    last_slot(s)->slot = s->fleet.horizon;
}
static void break_plan_machine(berth_scheduler *s) {
    last_slot(s)->placements[0].machine = -1;
}
static void break_plan_width(berth_scheduler *s) {
    last_slot(s)->placements[0].workers = s->live.jobs[0]->job->max_workers + 1;
}
static void break_plan_nothing(berth_scheduler *s) {
    last_slot(s)->placements[0].workers = last_slot(s)->placements[0].ps = 0;
}
static void break_plan_samples(berth_scheduler *s) {
    last_slot(s)->samples = -1;
}
static void break_plan_locality(berth_scheduler *s) {
    last_slot(s)->locality = (berth_locality)2;
}
static void break_promise(berth_scheduler *s) {
    s->live.jobs[0]->promised = s->now - 1;
}
static void break_end(berth_scheduler *s) {
    s->live.jobs[0]->promised = s->base + last_slot(s)->slot - 1;
}
static void break_number(berth_scheduler *s) {
    s->decider->n_submitted = 0;
}
static void break_gang(berth_scheduler *s) {
    s->live.jobs[0]->gang = s->live.jobs[0]->number + 1;
}
static void break_arrival(berth_scheduler *s) {
    s->live.jobs[0]->job->arrival = berth__now(s) + 1;
}
static void break_now(berth_scheduler *s) {
    s->now = -1;
}
static void break_utility(berth_scheduler *s) {
    s->counts.utility = (double)NAN;
}
static void break_state(berth_scheduler *s) {
    s->fleet.state[0] = (berth_machine_state)3;
}
static void break_capacity(berth_scheduler *s) {
    s->fleet.capacity[0] = -1;
}
static void break_names(berth_scheduler *s) {
    snprintf(s->fleet.machines[1], strlen(s->fleet.machines[1]) + 1, "%s", s->fleet.machines[0]);
}
static void break_slot_seconds(berth_scheduler *s) {
    s->fleet.slot_seconds = (double)INFINITY;
}
static void break_levels(berth_scheduler *s) {
    s->decider->options.levels = 0;
}
static void break_policy(berth_scheduler *s) {
    s->decider->options.policy = "fifo";
}
static void break_spec(berth_scheduler *s) {
    ((berth_job *)(uintptr_t)s->live.jobs[0]->job->spec)->epochs = (double)NAN;
}
static void break_log_upper(berth_scheduler *s) {
    s->decider->prices->log_upper[0] = (double)NAN;
}
static void break_class(berth_scheduler *s) {
    s->decider->cluster->class_of[0] = 1;
}
static void break_bids(berth_scheduler *s) {
    s->decider->bidlp->shape.bids[0] = -1;
}
static void break_future(berth_scheduler *s) {
    s->decider->bidlp->shape.future_prices[0] = (double)INFINITY;
}
static void break_past(berth_scheduler *s) {
    s->decider->bidlp->past = -1;
}
static void break_seen(berth_scheduler *s) {
    ((berth__job *)(uintptr_t)s->decider->bidlp->seen[0].job)->arrival = s->decider->bidlp->slot + 1;
}
static void break_tie(berth_scheduler *s) {
    s->decider->bidlp->tie[0] = -1;
}

typedef struct broken {
    void (*how)(berth_scheduler *s);
    const char *where, *message; /* beginning, part */
    bool bidlp, others;          /* policies with such a thing */
} broken;

static const broken all_broken[] = {
    {break_holders, "/slots/", "live jobs hold it", true, true},
    {break_machine, "/slots/", "a machine in use is", true, true},
    {break_used, "/slots/", "is used; live jobs hold", true, true},
    {break_price, "/slots/", "has the price", true, true},
    {break_price_nan, "/slots/", "the price on a machine is", true, true},
    {break_idle_price, "/prices", "an idle machine has the price", true, true},
    {break_plan_slot, "/live/0", "a slot of the plan is", true, true},
    {break_plan_machine, "/live/0", "a machine of the plan is -1", true, true},
    {break_plan_width, "/live/0", "the workers on a machine", true, true},
    {break_plan_nothing, "/live/0", "nothing on machine", true, true},
    {break_plan_samples, "/live/0", "the samples of a slot", true, true},
    {break_plan_locality, "/live/0", "the locality", true, true},
    {break_promise, "/live/0", "promised", true, true},
    {break_end, "/live/0", "the plan ends in slot", true, true},
    {break_number, "/live/0", "rising ones", true, true},
    {break_gang, "/live/0", "of gang", true, true},
    {break_arrival, "/live/0", "the job's arrival", true, true},
    {break_now, "/clock", "the present slot is -1", true, true},
    {break_utility, "/counters", "the utility so far", true, true},
    {break_state, "/machines/0", "the machine's state is 3", true, true},
    {break_capacity, "/machines/0", "the machine's capacity is -1", true, true},
    {break_names, "/cluster/machines/1/name", "expected different names", true, true},
    {break_slot_seconds, "/cluster", "slot_seconds is inf", true, true},
    {break_levels, "/options", "levels is 0", true, true},
    {break_policy, "/options", "\"fifo\" decides slot by slot", true, true},
    {break_spec, "/live/0/epochs", "epochs is nan", true, true},
    {break_log_upper, "/prices", "the logarithm of upper price 0", false, true},
    {break_class, "/classes", "machine 0 is of class 1", true, false},
    {break_bids, "/bids", "a bid is -1", true, false},
    {break_future, "/bids", "the price of a future is inf", true, false},
    {break_past, "/bids", "arrivals are remembered", true, false},
    {break_seen, "/seen/0", "the job's arrival", true, false},
    {break_tie, "/bids", "what breaks ties is -1", true, false},
};

static void expect_broken(const char *policy, const broken *b) {
    snapshot_case c;
    snapshot_case_init(&c, policy, 2, 20);
    berth_error error;
    unsigned char *bytes = NULL;
    size_t n = 0;
    berth_scheduler *s = NULL, *none = NULL;
    assert_ok(restore(c.bytes, c.n, &s, &error), error);
    assert_true(berth_live_count(s) > 0);
    b->how(s);
    assert_ok(berth_snapshot(s, &bytes, &n, &error), error);
    berth_status status = restore(bytes, n, &none, &error);
    if (status != BERTH_E_INPUT || strncmp(error.where, b->where, strlen(b->where)) != 0 ||
        strstr(error.message, b->message) == NULL) {
        fail_msg("%s: %s at %s: %s; expected %s, %s", policy, berth_status_name(status), error.where, error.message,
                 b->where, b->message);
    }
    assert_null(none);
    berth_snapshot_free(bytes);
    berth_scheduler_free(s);
    snapshot_case_clear(&c);
}

static void test_states_that_cannot_be(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof all_broken / sizeof *all_broken; i++) {
        if (all_broken[i].bidlp) {
            expect_broken("bidlp", &all_broken[i]);
        }
        if (all_broken[i].others) {
            expect_broken("pdors-ci", &all_broken[i]);
        }
    }
}

/* ---- arguments ---- */

static void test_arguments(void **state) {
    (void)state;
    snapshot_case c;
    snapshot_case_init(&c, "pdors-ci", 1, 8);
    berth_error error;
    berth_scheduler *s = NULL;
    unsigned char *bytes = NULL;
    size_t n = 0;
    berth_options options;
    berth_options_init(&options);
    assert_int_equal(berth_snapshot(NULL, &bytes, &n, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_restore(c.bytes, c.n, NULL, NULL, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_restore(NULL, 1, NULL, &s, &error), BERTH_E_ARGUMENT);
    options.threads = -1;
    assert_int_equal(berth_restore(c.bytes, c.n, &options, &s, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "threads");
    options.struct_size = 0;
    assert_int_equal(berth_restore(c.bytes, c.n, &options, &s, NULL), BERTH_E_ARGUMENT);
    assert_int_equal(berth_restore((const unsigned char *)"BERTHSEL", 8, NULL, &s, &error), BERTH_E_INPUT);
    assert_int_equal(berth_restore(NULL, 0, NULL, &s, NULL), BERTH_E_INPUT);
    berth_options_init(&options);
    options.policy = "fifo"; /* the snapshot's counts */
    options.levels = 0;
    options.threads = 1;
    assert_ok(berth_restore(c.bytes, c.n, &options, &s, &error), error);
    berth_scheduler_free(s);
    assert_ok(berth_restore(c.bytes, c.n, NULL, &s, &error), error);
    berth_scheduler_free(s);
    berth_snapshot_free(NULL);
    snapshot_case_clear(&c);
}

#ifdef BERTH_WITH_GLPK
static void test_missing_solver(void **state) {
    (void)state;
    snapshot_case c;
    snapshot_case_init(&c, "pdors", 1, 2); /* with GLPK, which is no built-in backend */
    expect_refused(c.bytes, c.n, BERTH_E_BACKEND);
    snapshot_case_clear(&c);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_short_anywhere),
        cmocka_unit_test(test_any_byte_damaged),
        cmocka_unit_test(test_longer),
        cmocka_unit_test(test_other_versions),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_states_that_cannot_be),
        cmocka_unit_test(test_arguments),
#ifdef BERTH_WITH_GLPK
        cmocka_unit_test(test_missing_solver),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
