#include "tests/support/scheduler_events.h"

#include "tests/support/check.h"

#include <string.h>

static int draw(berth__pcg *g, int low, int high) {
    return (int)berth__pcg_integer(g, low, high);
}

/* Relative frequencies; those of machines come seldom, or nothing would be left running. */
static const int frequency[EVENT_KINDS] = {
    [EVENT_BATCH] = 20,        [EVENT_GANG] = 5,         [EVENT_PROPOSE] = 6,        [EVENT_WHAT_IF] = 4,
    [EVENT_COMMIT] = 5,        [EVENT_ABANDON] = 2,      [EVENT_ADVANCE] = 12,       [EVENT_FINISH] = 3,
    [EVENT_CANCEL] = 3,        [EVENT_REPORT_LEFT] = 4,  [EVENT_TAKE_CHANGES] = 4,   [EVENT_ADD_MACHINE] = 2,
    [EVENT_DRAIN_MACHINE] = 2, [EVENT_FAIL_MACHINE] = 3, [EVENT_RETURN_MACHINE] = 5, [EVENT_RESIZE_MACHINE] = 3,
};

static scheduler_event_kind draw_kind(berth__pcg *g) {
    int sum = 0, kind = 0;
    for (int k = 0; k < EVENT_KINDS; k++) {
        sum += frequency[k];
    }
    for (int at = draw(g, 0, sum - 1); at >= frequency[kind]; kind++) {
        at -= frequency[kind];
    }
    return (scheduler_event_kind)kind;
}

static void draw_jobs(scheduler_event *e, const berth_instance *instance, berth__pcg *g, int *names) {
    e->n = (size_t)draw(g, e->kind == EVENT_BATCH ? 0 : 1, e->kind == EVENT_WHAT_IF ? 1 : EVENT_JOBS);
    for (size_t i = 0; i < e->n; i++) {
        e->jobs[i] = instance->jobs[draw(g, 0, (int)instance->n_jobs - 1)];
        snprintf(e->ids[i], sizeof e->ids[i], "e%d", (*names)++);
        e->jobs[i].id = e->ids[i];
        e->jobs[i].arrival_slot = e->slot;
    }
}

/* A live job; for what is done to proposals one of these, if there is any behind it. */
static void draw_live(scheduler_event *e, const berth_scheduler *s, berth__pcg *g) {
    size_t n = berth_live_count(s), at = n == 0 ? 0 : (size_t)draw(g, 0, (int)n - 1);
    bool proposed = e->kind == EVENT_COMMIT || e->kind == EVENT_ABANDON;
    berth_job_info info = {.samples_left = 1};
    do {
        (void)berth_live_job(s, at, &info);
    } while (proposed && info.state != BERTH_JOB_PROPOSED && ++at < n);
    e->number = info.number;
    e->samples = fmax(info.samples_left, 1) * (0.3 + 1.4 * berth__pcg_uniform(g));
}

void scheduler_event_draw(scheduler_event *e, const berth_instance *instance, const berth_scheduler *s, berth__pcg *g,
                          int *names) {
    *e = (scheduler_event){.kind = draw_kind(g), .slot = berth_now(s)};
    e->slot += e->kind == EVENT_ADVANCE ? draw(g, 1, 2) : draw(g, 1, 6) == 1;
    e->machine = draw(g, 0, (int)berth_machine_count(s) - 1);
    draw_live(e, s, g);
    if (e->kind <= EVENT_WHAT_IF) {
        draw_jobs(e, instance, g, names);
    }
    snprintf(e->name, sizeof e->name, "%c%d", "abc"[draw(g, 0, 2)], 10 + (*names)++);
    for (size_t r = 0; r < instance->n_resources; r++) {
        e->capacity[r] = draw(g, 1, 8) == 1 ? 0 : 1 + 6 * berth__pcg_uniform(g);
    }
}

void scheduler_event_apply(const scheduler_event *e, berth_scheduler *s, scheduler_outcome *out) {
    *out = (scheduler_outcome){.n = e->n, .machine = -1};
    berth_error *error = &out->error;
    switch (e->kind) {
    case EVENT_BATCH:
        out->status = berth_submit_batch(s, e->slot, e->n, e->jobs, out->decisions, error);
        break;
    case EVENT_GANG:
        out->status = berth_submit_gang(s, e->slot, e->n, e->jobs, out->decisions, error);
        break;
    case EVENT_PROPOSE:
        out->status = berth_propose(s, e->slot, e->n, e->jobs, out->decisions, error);
        break;
    case EVENT_WHAT_IF:
        out->status = berth_what_if(s, e->jobs, out->decisions, error);
        break;
    case EVENT_COMMIT:
        out->status = berth_commit(s, e->number, error);
        break;
    case EVENT_ABANDON:
        out->status = berth_abandon(s, e->number, error);
        break;
    case EVENT_ADVANCE:
        out->status = berth_advance(s, e->slot, error);
        break;
    case EVENT_FINISH:
        out->status = berth_finish(s, e->number, error);
        break;
    case EVENT_CANCEL:
        out->status = berth_cancel(s, e->number, error);
        break;
    case EVENT_REPORT_LEFT:
        out->status = berth_report_left(s, e->number, e->samples, error);
        break;
    case EVENT_TAKE_CHANGES:
        out->status = berth_take_changes(s, &out->changes, error);
        break;
    case EVENT_ADD_MACHINE:
        out->status = berth_add_machine(s, e->name, e->capacity, &out->machine, error);
        break;
    case EVENT_DRAIN_MACHINE:
        out->status = berth_drain_machine(s, e->machine, error);
        break;
    case EVENT_FAIL_MACHINE:
        out->status = berth_fail_machine(s, e->machine, error);
        break;
    case EVENT_RETURN_MACHINE:
        out->status = berth_return_machine(s, e->machine, error);
        break;
    case EVENT_RESIZE_MACHINE:
        out->status = berth_resize_machine(s, e->machine, e->capacity, error);
        break;
    case EVENT_KINDS:
        break;
    }
}

void scheduler_outcome_clear(scheduler_outcome *o) {
    for (size_t i = 0; i < EVENT_JOBS; i++) {
        berth_decision_free(o->decisions[i]);
    }
    berth_changes_clear(&o->changes);
}

/* ---- the same ---- */

/* NAN is NAN. */
static void expect_bits(double a, double b) {
    if (memcmp(&a, &b, sizeof a) != 0 && !(isnan(a) && isnan(b))) {
        fail_msg("%.17g and %.17g", a, b);
    }
}

static void expect_same_decision(const berth_decision *a, const berth_decision *b) {
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->admitted, b->admitted);
    assert_string_equal(a->reason, b->reason);
    assert_int_equal(a->promised_slot, b->promised_slot);
    assert_int_equal(a->completion_slot, b->completion_slot);
    expect_bits(a->utility, b->utility);
    expect_bits(a->payoff, b->payoff);
    expect_bits(a->payoff_bound, b->payoff_bound);
    expect_bits(a->price_paid, b->price_paid);
    assert_int_equal(a->n_slots, b->n_slots);
    for (size_t k = 0; k < a->n_slots; k++) {
        const berth_slot_plan *p = &a->slots[k], *q = &b->slots[k];
        assert_int_equal(p->slot, q->slot);
        assert_int_equal(p->locality, q->locality);
        expect_bits(p->samples, q->samples);
        assert_int_equal(p->n_placements, q->n_placements);
        assert_memory_equal(p->placements, q->placements, p->n_placements * sizeof *p->placements);
    }
}

static void expect_same_changes(const berth_changes *a, const berth_changes *b) {
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        const berth_change *p = &a->changes[i], *q = &b->changes[i];
        assert_int_equal(p->number, q->number);
        assert_string_equal(p->id, q->id);
        assert_int_equal(p->kind, q->kind);
        assert_int_equal(p->slot, q->slot);
        assert_int_equal(p->promised_slot, q->promised_slot);
        assert_int_equal(p->completion_slot, q->completion_slot);
        assert_string_equal(p->reason, q->reason);
    }
}

void scheduler_outcomes_expect_same(const scheduler_outcome *a, const scheduler_outcome *b) {
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->machine, b->machine);
    if (a->status != BERTH_OK) {
        assert_string_equal(a->error.where, b->error.where);
        assert_string_equal(a->error.message, b->error.message);
        return;
    }
    for (size_t i = 0; i < a->n; i++) {
        expect_same_decision(a->decisions[i], b->decisions[i]);
    }
    expect_same_changes(&a->changes, &b->changes);
}

static void expect_same_statistics(const berth_scheduler *a, const berth_scheduler *b) {
    berth_statistics p, q;
    assert_int_equal(berth_scheduler_statistics(a, &p), BERTH_OK);
    assert_int_equal(berth_scheduler_statistics(b, &q), BERTH_OK);
    expect_bits(p.utility, q.utility);
    expect_bits(p.utility_planned, q.utility_planned);
    assert_memory_equal(&p, &q, sizeof p); /* without padding: numbers of 8 bytes */
}

static void expect_same_jobs(berth_scheduler *a, berth_scheduler *b) {
    assert_int_equal(berth_live_count(a), berth_live_count(b));
    for (size_t i = 0; i < berth_live_count(a); i++) {
        berth_job_info p, q;
        assert_int_equal(berth_live_job(a, i, &p), BERTH_OK);
        assert_int_equal(berth_live_job(b, i, &q), BERTH_OK);
        assert_int_equal(p.number, q.number);
        assert_int_equal(p.gang, q.gang);
        assert_string_equal(p.id, q.id);
        assert_int_equal(p.state, q.state);
        assert_int_equal(p.arrival_slot, q.arrival_slot);
        assert_int_equal(p.promised_slot, q.promised_slot);
        assert_int_equal(p.completion_slot, q.completion_slot);
        expect_bits(p.samples, q.samples);
        expect_bits(p.samples_left, q.samples_left);
        berth_error error;
        berth_decision *x = NULL, *y = NULL;
        assert_ok(berth_present_plan(a, p.number, &x, &error), error);
        assert_ok(berth_present_plan(b, q.number, &y, &error), error);
        expect_same_decision(x, y);
        berth_decision_free(x);
        berth_decision_free(y);
        uint64_t number;
        assert_true(berth_find_job(b, p.id, &number) && number == p.number);
    }
}

static void expect_same_machines(const berth_scheduler *a, const berth_scheduler *b, int n_resources) {
    assert_int_equal(berth_resource_count(a), n_resources);
    assert_int_equal(berth_resource_count(b), n_resources);
    for (int r = 0; r < n_resources; r++) {
        assert_string_equal(berth_resource_name(a, r), berth_resource_name(b, r));
    }
    assert_int_equal(berth_machine_count(a), berth_machine_count(b));
    for (int h = 0; h < (int)berth_machine_count(a); h++) {
        berth_machine_info p, q;
        assert_int_equal(berth_machine(a, h, &p), BERTH_OK);
        assert_int_equal(berth_machine(b, h, &q), BERTH_OK);
        assert_string_equal(p.name, q.name);
        assert_int_equal(p.state, q.state);
        assert_int_equal(p.held_until, q.held_until);
        assert_memory_equal(p.capacity, q.capacity, (size_t)n_resources * sizeof *p.capacity);
        for (int t = 0; t < berth_horizon(a); t++) {
            for (int r = 0; r < n_resources; r++) {
                expect_bits(berth_price(a, t, h, r), berth_price(b, t, h, r));
                expect_bits(berth_used(a, t, h, r), berth_used(b, t, h, r));
            }
        }
    }
}

void schedulers_expect_same(berth_scheduler *a, berth_scheduler *b, int n_resources) {
    assert_int_equal(berth_now(a), berth_now(b));
    assert_int_equal(berth_horizon(a), berth_horizon(b));
    expect_same_statistics(a, b);
    expect_same_jobs(a, b);
    expect_same_machines(a, b, n_resources);
}
