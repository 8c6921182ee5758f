/* Policy bidlp where memory runs out at any allocation of deciding a batch, of a dry run, of showing a plan, on
 * instances whose jobs split the classes of machines on the way: E_MEMORY, no decision, nothing leaked (under a
 * sanitizer), and everything goes on as in a scheduler that had memory all along. */
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/oom_sweep.h"
#include "tests/support/rich_instance.h"

#include <berth_io.h>

#include <string.h>

#include "base/alloc.h"

enum { MOST_JOBS = 24 };

typedef struct session {
    const berth_instance *instance;
    berth_options options;
    berth_backends *set;
    berth_scheduler *scheduler;
    berth_decision *decisions[MOST_JOBS];
    size_t n; /* decided */
} session;

/* The batch in hand, on both schedulers. */
typedef struct pair {
    session plain, short_of;
    int slot;
    size_t n_batch;
    berth_decision *shown;
} pair;

static void session_init(session *s, const berth_instance *instance, uint64_t seed) {
    *s = (session){.instance = instance, .set = all_backends()};
    berth_options_init(&s->options);
    s->options.policy = "bidlp";
    s->options.effort = BERTH_EFFORT_LOW;
    s->options.threads = 1;
    s->options.seed = seed;
    s->options.restart_delay_s = seed % 2 == 0 ? 1 : 0;
    s->options.backends = s->set;
}

static berth_status session_open(session *s, berth_error *error) {
    berth_cluster cluster;
    berth_instance_cluster(s->instance, &cluster);
    return berth_scheduler_new(&cluster, NULL, &s->options, &s->scheduler, error);
}

static void session_clear(session *s) {
    for (size_t i = 0; i < s->n; i++) {
        berth_decision_free(s->decisions[i]);
    }
    berth_scheduler_free(s->scheduler);
    berth_backends_free(s->set);
}

static size_t arrivals(const session *s, int slot) {
    size_t n = 0;
    while (s->n + n < s->instance->n_jobs && s->instance->jobs[s->n + n].arrival_slot == slot) {
        n++;
    }
    return n;
}

/* Prices and what is held, to the last bit. Allocates nothing. */
static void expect_same(const session *a, const session *b) {
    for (int t = 0; t < a->instance->horizon_slots; t++) {
        for (int h = 0; h < (int)a->instance->n_machines; h++) {
            for (int r = 0; r < (int)a->instance->n_resources; r++) {
                assert_true(berth_used(a->scheduler, t, h, r) == berth_used(b->scheduler, t, h, r));
                assert_true(berth_price(a->scheduler, t, h, r) == berth_price(b->scheduler, t, h, r));
            }
        }
    }
}

static void expect_same_plan(const berth_decision *a, const berth_decision *b) {
    assert_true(a->admitted == b->admitted && a->promised_slot == b->promised_slot && a->n_slots == b->n_slots);
    for (size_t k = 0; k < a->n_slots; k++) {
        assert_int_equal(a->slots[k].slot, b->slots[k].slot);
        assert_int_equal(a->slots[k].n_placements, b->slots[k].n_placements);
        assert_memory_equal(a->slots[k].placements, b->slots[k].placements,
                            a->slots[k].n_placements * sizeof *a->slots[k].placements);
    }
}

static berth_status try_batch(void *user, berth_error *error) {
    pair *p = user;
    session *s = &p->short_of;
    berth_status status = berth_submit_batch(s->scheduler, p->slot, p->n_batch, s->instance->jobs + s->n,
                                             p->n_batch == 0 ? NULL : s->decisions + s->n, error);
    for (size_t i = s->n; i < s->n + p->n_batch; i++) {
        assert_true((s->decisions[i] != NULL) == (status == BERTH_OK));
    }
    if (status != BERTH_OK) {
        expect_same(&p->plain, s);
    }
    return status;
}

static berth_status try_what_if(void *user, berth_error *error) {
    pair *p = user;
    session *s = &p->short_of;
    berth_job job = s->instance->jobs[s->n];
    job.arrival_slot = p->slot;
    berth_decision *d = NULL;
    berth_status status = berth_what_if(s->scheduler, &job, &d, error);
    assert_true((d != NULL) == (status == BERTH_OK));
    expect_same(&p->plain, s);
    berth_decision_free(d);
    return status;
}

static berth_status try_present(void *user, berth_error *error) {
    pair *p = user;
    berth_job_info first;
    assert_int_equal(berth_live_job(p->short_of.scheduler, 0, &first), BERTH_OK);
    berth_status status = berth_present_plan(p->short_of.scheduler, first.number, &p->shown, error);
    assert_true((p->shown != NULL) == (status == BERTH_OK));
    berth_decision_free(p->shown);
    p->shown = NULL;
    return status;
}

static void expect_same_plans(const pair *p) {
    for (size_t i = 0; i < p->plain.n; i++) {
        expect_same_plan(p->plain.decisions[i], p->short_of.decisions[i]);
        if (berth_find_job(p->plain.scheduler, p->plain.instance->jobs[i].id, NULL)) {
            berth_error error;
            berth_decision *a = NULL, *b = NULL;
            assert_ok(berth_present_plan(p->plain.scheduler, i, &a, &error), error);
            assert_ok(berth_present_plan(p->short_of.scheduler, i, &b, &error), error);
            expect_same_plan(a, b);
            berth_decision_free(a);
            berth_decision_free(b);
        }
    }
}

static size_t sweep_slot(pair *p) {
    berth_error error;
    p->n_batch = arrivals(&p->plain, p->slot);
    assert_ok(berth_advance(p->plain.scheduler, p->slot, &error), error); /* time moves even if a submission fails */
    assert_ok(berth_advance(p->short_of.scheduler, p->slot, &error), error);
    if (p->short_of.n < p->plain.instance->n_jobs) {
        (void)oom_sweep("what if", try_what_if, p, 0);
    }
    unsigned long asked = oom_sweep("batch", try_batch, p, 0);
    assert_ok(berth_submit_batch(p->plain.scheduler, p->slot, p->n_batch, p->plain.instance->jobs + p->plain.n,
                                 p->n_batch == 0 ? NULL : p->plain.decisions + p->plain.n, &error),
              error);
    p->plain.n += p->n_batch;
    p->short_of.n += p->n_batch;
    expect_same(&p->plain, &p->short_of);
    expect_same_plans(p);
    return asked;
}

static void test_batches(void **state) {
    (void)state;
    size_t asked = 0, admitted = 0, restricted = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        rich_instance *rich = rich_instance_new(seed + 40, 3, 7);
        pair p = {.slot = 0};
        berth_error error;
        session_init(&p.plain, rich_instance_of(rich), seed);
        session_init(&p.short_of, rich_instance_of(rich), seed);
        assert_ok(session_open(&p.plain, &error), error);
        assert_ok(session_open(&p.short_of, &error), error);
        for (; p.slot < rich_instance_of(rich)->horizon_slots; p.slot++) {
            asked += sweep_slot(&p);
        }
        size_t here = 0;
        for (size_t i = 0; i < p.plain.n; i++) {
            here += p.plain.decisions[i]->admitted;
            restricted += p.plain.instance->jobs[i].n_allow + p.plain.instance->jobs[i].n_avoid;
        }
        if (berth_live_count(p.short_of.scheduler) > 0) {
            assert_true(oom_sweep("present plan", try_present, &p, 0) > 1);
        }
        admitted += here;
        session_clear(&p.plain);
        session_clear(&p.short_of);
        rich_instance_free(rich);
    }
    print_message("%zu allocations, %zu jobs admitted\n", asked, admitted);
    assert_true(admitted > 8 && restricted > 4);
}

/* ---- from the start ---- */

static berth_status decide_slot(session *s, int slot, berth_error *error) {
    size_t n = arrivals(s, slot);
    berth_status status =
        berth_submit_batch(s->scheduler, slot, n, s->instance->jobs + s->n, n == 0 ? NULL : s->decisions + s->n, error);
    s->n += status == BERTH_OK ? n : 0;
    return status;
}

/* All slots with a scheduler of its own, which has kept no memory from an attempt before. */
static berth_status try_all(void *user, berth_error *error) {
    session *s = user;
    berth_status status = session_open(s, error);
    for (int slot = 0; status == BERTH_OK && slot < s->instance->horizon_slots; slot++) {
        status = decide_slot(s, slot, error);
    }
    if (status != BERTH_OK) {
        for (size_t i = 0; i < s->n; i++) {
            berth_decision_free(s->decisions[i]);
        }
        berth_scheduler_free(s->scheduler);
        s->scheduler = NULL;
        s->n = 0;
    }
    return status;
}

static void test_from_the_start(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        rich_instance *rich = rich_instance_new(seed + 40, 3, 7);
        session plain, short_of;
        berth_error error;
        session_init(&plain, rich_instance_of(rich), seed);
        session_init(&short_of, rich_instance_of(rich), seed);
        assert_ok(try_all(&plain, &error), error);
        assert_true(oom_sweep("a scheduler and all its batches", try_all, &short_of, 0) > 100);
        for (size_t i = 0; i < plain.n; i++) {
            expect_same_plan(plain.decisions[i], short_of.decisions[i]);
        }
        session_clear(&plain);
        session_clear(&short_of);
        rich_instance_free(rich);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_from_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
