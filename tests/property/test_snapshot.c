/* Snapshots of schedulers in the midst of random events, under every policy that promises: what is restored goes on as
 * the original does, to the last bit, on any number of threads, and is the same bytes again. Seeds are fixed, and
 * nothing depends on timing: no false failures. */
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/rich_instance.h"
#include "tests/support/sanitized.h"
#include "tests/support/scheduler_events.h"

#include "online/bidlp/state.h"
#include "online/scheduler/scheduler.h"

#include <string.h>

enum { EVENTS = 60 };

typedef struct world {
    rich_instance *rich;
    const berth_instance *instance;
    berth_price_bounds bounds;
    berth_options options;
    berth_backends *set;
    berth__pcg stream;
    int names;
    uint64_t seed;
    size_t done[EVENT_KINDS]; /* events that happened while there were two */
} world;

static void world_init(world *w, const char *policy, uint64_t seed) {
    *w = (world){.rich = rich_instance_new(seed, 4 + (int)(seed % 9), 20),
                 .set = all_backends(),
                 .stream = berth__pcg_seed(0x736e6170, seed),
                 .seed = seed};
    w->instance = rich_instance_of(w->rich);
    berth_options_init(&w->options);
    w->options.policy = policy;
    w->options.seed = seed;
    w->options.effort = seed % 20 == 7 ? BERTH_EFFORT_MEDIUM : BERTH_EFFORT_LOW;
    w->options.threads = 1;
    w->options.rolling = seed % 2 == 0;
    w->options.restart_delay_s = seed % 3 == 0 ? 1 : 0;
    w->options.levels = 20 + (int)(seed % 5);
    w->options.backends = w->set;
    berth_error error;
    berth_cluster cluster;
    berth_instance_cluster(w->instance, &cluster);
    assert_ok(berth_price_bounds_compute(&cluster, w->instance->jobs, w->instance->n_jobs, 1e-4, &w->bounds, &error),
              error);
}

static void world_clear(world *w) {
    berth_price_bounds_clear(&w->bounds);
    berth_backends_free(w->set);
    rich_instance_free(w->rich);
}

static berth_scheduler *open_scheduler(const world *w) {
    berth_error error;
    berth_scheduler *s = NULL;
    berth_cluster cluster;
    berth_instance_cluster(w->instance, &cluster);
    assert_ok(berth_scheduler_new(&cluster, &w->bounds, &w->options, &s, &error), error);
    return s;
}

/* Of nothing but what restoring may ask for. */
static berth_scheduler *restore(const world *w, const unsigned char *bytes, size_t n, int threads) {
    berth_options options;
    berth_error error;
    berth_scheduler *s = NULL;
    berth_options_init(&options);
    options.backends = w->set;
    options.threads = threads;
    assert_ok(berth_restore(bytes, n, &options, &s, &error), error);
    return s;
}

static void expect_bytes(const berth_scheduler *s, const unsigned char *bytes, size_t n) {
    berth_error error;
    unsigned char *again = NULL;
    size_t n_again = 0;
    assert_ok(berth_snapshot(s, &again, &n_again, &error), error);
    assert_int_equal(n_again, n);
    assert_memory_equal(again, bytes, n);
    berth_snapshot_free(again);
}

static void expect_twins(const world *w, berth_scheduler *a, berth_scheduler *b) {
    berth_error error;
    unsigned char *bytes = NULL;
    size_t n = 0;
    schedulers_expect_same(a, b, (int)w->instance->n_resources);
    assert_ok(berth_snapshot(a, &bytes, &n, &error), error);
    expect_bytes(b, bytes, n);
    berth_snapshot_free(bytes);
}

/* The scheduler, through bytes. */
static berth_scheduler *twin_of(const world *w, berth_scheduler *s, int threads) {
    berth_error error;
    unsigned char *bytes = NULL;
    size_t n = 0;
    assert_ok(berth_snapshot(s, &bytes, &n, &error), error);
    berth_scheduler *twin = restore(w, bytes, n, threads);
    expect_bytes(twin, bytes, n);
    memset(bytes, 0xff, n); /* nothing is borrowed */
    berth_snapshot_free(bytes);
    expect_twins(w, s, twin);
    return twin;
}

static void step(world *w, berth_scheduler *a, berth_scheduler *b) {
    scheduler_event event;
    scheduler_outcome of_a, of_b;
    scheduler_event_draw(&event, w->instance, a, &w->stream, &w->names);
    scheduler_event_apply(&event, a, &of_a);
    if (b != NULL) {
        scheduler_event_apply(&event, b, &of_b);
        scheduler_outcomes_expect_same(&of_a, &of_b);
        expect_twins(w, a, b);
        w->done[event.kind] += of_a.status == BERTH_OK;
        scheduler_outcome_clear(&of_b);
    }
    scheduler_outcome_clear(&of_a);
}

static void add_up(berth_statistics *sum, const berth_scheduler *s) {
    berth_statistics one;
    assert_int_equal(berth_scheduler_statistics(s, &one), BERTH_OK);
    sum->admitted += one.admitted;
    sum->proposed += one.proposed;
    sum->lapsed += one.lapsed;
    sum->completed += one.completed;
    sum->lost += one.lost;
    sum->moved += one.moved;
    sum->delayed += one.delayed;
    sum->live += one.live;
}

/* Alone, then with a twin; now and then the original makes way for a twin of its own. */
static void run_one(world *w, berth_statistics *sum) {
    berth_scheduler *a = open_scheduler(w), *b = NULL;
    int twin_at = (int)berth__pcg_integer(&w->stream, 0, EVENTS * 2 / 3);
    for (int i = 0; i < EVENTS; i++) {
        if (i == twin_at) {
            b = twin_of(w, a, 1 + (int)(w->seed % 3));
        } else if (i > twin_at && berth__pcg_integer(&w->stream, 1, 20) == 1) {
            berth_scheduler *next = twin_of(w, a, 2);
            berth_scheduler_free(a);
            a = next;
        }
        step(w, a, b);
    }
    add_up(sum, a);
    berth_scheduler_free(a);
    berth_scheduler_free(b);
}

static void run_policy(const char *policy, uint64_t n_seeds, bool every_kind) {
    size_t done[EVENT_KINDS] = {0};
    berth_statistics sum = {0};
    for (uint64_t seed = 1; seed <= n_seeds; seed++) {
        world w;
        world_init(&w, policy, seed);
        run_one(&w, &sum);
        for (int k = 0; k < EVENT_KINDS; k++) {
            done[k] += w.done[k];
        }
        world_clear(&w);
    }
    print_message("%s: %d admitted, %d completed, %d lost, %d moved, %d delayed, %d lapsed, %d live at the end\n",
                  policy, (int)sum.admitted, (int)sum.completed, (int)sum.lost, (int)sum.moved, (int)sum.delayed,
                  (int)sum.lapsed, (int)sum.live);
    for (int k = 0; k < EVENT_KINDS && every_kind; k++) {
        assert_true(done[k] > 0);
    }
    assert_true(sum.admitted > 0 && sum.completed > 0 && sum.live > 0);
    assert_true(!every_kind || (sum.lost > 0 && sum.moved > 0 && sum.delayed > 0 && sum.lapsed > 0));
}

static void test_bidlp(void **state) {
    (void)state;
    run_policy("bidlp", SANITIZED ? 20 : 60, true);
}

static void test_pdors_ci(void **state) {
    (void)state;
    run_policy("pdors-ci", SANITIZED ? 20 : 80, true);
}

static void test_oasis(void **state) {
    (void)state;
    run_policy("oasis", SANITIZED ? 40 : 80, true);
}

static void test_pdors(void **state) {
    (void)state;
    run_policy("pdors", 4, false);
}

/* A slot's arrivals: many that fit nowhere, and a few that do. */
static void flood(const world *w, berth_scheduler *s, int slot, scheduler_outcome *out) {
    enum { LARGE = 124 };
    static const double huge[EVENT_RESOURCES] = {1e6, 1e6, 1e6};
    berth_job jobs[LARGE];
    berth_decision *decisions[LARGE];
    char ids[LARGE][16];
    berth_error error;
    scheduler_event event = {.kind = EVENT_BATCH, .slot = slot, .n = EVENT_JOBS};
    for (int i = 0; i < LARGE; i++) {
        snprintf(ids[i], sizeof ids[i], "%d-%d", slot, i);
        jobs[i] = w->instance->jobs[i % (int)w->instance->n_jobs];
        jobs[i].id = ids[i];
        jobs[i].arrival_slot = slot;
        jobs[i].worker = huge;
    }
    assert_ok(berth_submit_batch(s, slot, LARGE, jobs, decisions, &error), error);
    for (int i = 0; i < LARGE; i++) {
        assert_false(decisions[i]->admitted);
        berth_decision_free(decisions[i]);
    }
    for (int i = 0; i < EVENT_JOBS; i++) {
        snprintf(event.ids[i], sizeof event.ids[i], "%d+%d", slot, i);
        event.jobs[i] = w->instance->jobs[(slot + i) % (int)w->instance->n_jobs];
        event.jobs[i].id = event.ids[i];
        event.jobs[i].arrival_slot = slot;
    }
    scheduler_event_apply(&event, s, out);
}

/* So many arrivals under a horizon that rolls that policy bidlp forgets the first of them, before the snapshot and
 * behind it. */
static void test_long_memory(void **state) {
    (void)state;
    enum { BEFORE = 70, BEHIND = 40 };
    world w;
    world_init(&w, "bidlp", 12);
    assert_true(w.options.rolling);
    berth_scheduler *a = open_scheduler(&w), *b = NULL;
    size_t admitted = 0;
    for (int slot = 0; slot < BEFORE + BEHIND; slot++) {
        scheduler_outcome of_a, of_b;
        if (slot == BEFORE) {
            b = twin_of(&w, a, 2);
        }
        flood(&w, a, slot, &of_a);
        assert_ok(of_a.status, of_a.error);
        for (size_t i = 0; i < of_a.n; i++) {
            admitted += of_a.decisions[i]->admitted;
        }
        if (b != NULL) {
            flood(&w, b, slot, &of_b);
            scheduler_outcomes_expect_same(&of_a, &of_b);
            scheduler_outcome_clear(&of_b);
        }
        scheduler_outcome_clear(&of_a);
    }
    expect_twins(&w, a, b);
    assert_true(admitted > 20);
    assert_true(b->decider->n_submitted > 3 * BERTH__BIDLP_MEMORY);
    assert_true(b->decider->bidlp->n_seen < 2 * BERTH__BIDLP_MEMORY); /* so it has forgotten twice */
    berth_scheduler_free(a);
    berth_scheduler_free(b);
    world_clear(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bidlp), cmocka_unit_test(test_pdors_ci),    cmocka_unit_test(test_oasis),
        cmocka_unit_test(test_pdors), cmocka_unit_test(test_long_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
