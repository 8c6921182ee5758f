/* Random events of every kind on small random instances, under policies that keep plans and under one that moves them,
 * with horizons that roll and that do not; after each the scheduler is held against a slow twin (event_model.h). Every
 * now and then the work is cut off, after which all is as before, or the scheduler goes on as what a snapshot of it
 * restores. 10^5 events in all. Seeds are fixed, and nothing
 * depends on timing: no false failures. */
#include "base/pcg.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/checked_run.h"
#include "tests/support/event_model.h"
#include "tests/support/rich_instance.h"
#include "tests/support/sanitized.h"
#include "tests/support/scheduler_state.h"

#include <berth_io.h>

#include <stdlib.h>

enum { EVENTS = 200, TEMPLATES = 24, MOST_MACHINES = 10 };

typedef struct world {
    rich_instance *rich;
    const berth_instance *instance;
    berth_options options;
    berth_backends *set;
    long polls_left; /* < 0: never ends */
    berth_scheduler *scheduler;
    event_model *model;
    berth__pcg g;
    bool lazy;    /* changes are taken now and then only */
    bool over;    /* the horizon is reached */
    char *before; /* the state, if the work may be cut off */
    int slot;     /* of the event in hand */
    size_t cut;
} world;

static bool ends(void *user) {
    world *w = user;
    return w->polls_left >= 0 && w->polls_left-- == 0;
}

static int draw(world *w, int low, int high) {
    return (int)berth__pcg_integer(&w->g, low, high);
}

static bool one_in(world *w, int n) {
    return draw(w, 1, n) == 1;
}

static world *world_new(const char *policy, uint64_t seed) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->rich = rich_instance_new(seed + 90000, 4 + (int)(seed % 7), TEMPLATES);
    w->instance = rich_instance_of(w->rich);
    w->g = berth__pcg_seed(0x65766e74, seed);
    w->lazy = one_in(w, 3);
    w->polls_left = -1;
    checked_run_options(policy, &w->options, &w->set);
    w->options.seed = seed;
    w->options.effort = BERTH_EFFORT_LOW;
    w->options.rolling = seed % 3 != 0;
    w->options.restart_delay_s = seed % 4 == 0 ? 2 : 0;
    w->options.hooks.user = w;
    w->options.hooks.cancel = ends;
    berth_cluster cluster;
    berth_price_bounds bounds;
    berth_error error;
    berth_instance_cluster(w->instance, &cluster);
    assert_ok(berth_price_bounds_compute(&cluster, w->instance->jobs, TEMPLATES, 1e-4, &bounds, &error), error);
    assert_ok(berth_scheduler_new(&cluster, &bounds, &w->options, &w->scheduler, &error), error);
    berth_price_bounds_clear(&bounds);
    w->model = event_model_new(&cluster, &w->options);
    return w;
}

static void world_free(world *w) {
    event_model_free(w->model);
    berth_scheduler_free(w->scheduler);
    berth_backends_free(w->set);
    rich_instance_free(w->rich);
    free(w);
}

/* ---- cutting off ---- */

/* Before a call that plans: perhaps it will not get far. */
static void arm(world *w) {
    if (one_in(w, 12)) {
        w->before = scheduler_state(w->scheduler, w->instance->n_resources);
        w->polls_left = draw(w, 0, 40);
    }
}

/* After it: did it happen? */
static bool happened(world *w, berth_status status, const berth_error *error) {
    w->polls_left = -1;
    bool cut = status == BERTH_E_CANCELLED && w->before != NULL;
    if (status != BERTH_OK && !cut) {
        fail_msg("%s at %s: %s", berth_status_name(status), error->where, error->message);
    }
    if (cut) {
        w->cut++;
        expect_state(w->scheduler, w->instance->n_resources, w->before, "work that was cut off");
    } else {
        free(w->before);
    }
    w->before = NULL;
    return !cut;
}

/* ---- events ---- */

static int last_slot(const world *w) {
    return w->options.rolling ? berth_now(w->scheduler) + 3 : w->instance->horizon_slots - 1;
}

static void advance(world *w, int slot) {
    berth_error error;
    assert_ok(berth_advance(w->scheduler, slot, &error), error);
    event_model_advance(w->model, slot);
    event_model_check(w->model, w->scheduler, false);
}

static void step(world *w) {
    int slot = berth_now(w->scheduler) + (one_in(w, 6) ? draw(w, 0, 3) : 1);
    if (one_in(w, 100)) {
        slot += 2 * w->instance->horizon_slots;
    }
    w->over = slot > last_slot(w) && !w->options.rolling;
    if (!w->over) {
        advance(w, slot);
    }
}

static berth_job draw_job(world *w, size_t ahead, int slot) {
    berth_job job = w->instance->jobs[draw(w, 0, TEMPLATES - 1)];
    job.id = event_model_next_id(w->model, ahead);
    job.arrival_slot = slot;
    if (one_in(w, 3)) { /* in need of more time */
        job.epochs = draw(w, 1, 3);
    }
    if (one_in(w, 2)) { /* worth more than most, so that clusters fill */
        job.utility.kind = BERTH_UTILITY_CONSTANT;
        job.utility.value *= 10;
    }
    return job;
}

typedef enum manner { ALONE, BATCH, GANG, PROPOSAL } manner;

static void submit(world *w, manner how) {
    enum { MOST = 4 };
    size_t n = how == ALONE ? 1 : (size_t)draw(w, how == BATCH ? 0 : 1, MOST);
    int slot = berth_now(w->scheduler);
    if (one_in(w, 8) && slot < last_slot(w)) { /* the call moves time */
        slot++;
    } else {
        arm(w);
    }
    berth_job jobs[MOST];
    berth_decision *d[MOST] = {NULL};
    for (size_t i = 0; i < n; i++) {
        jobs[i] = draw_job(w, i, slot);
    }
    berth_error error;
    berth_scheduler *s = w->scheduler;
    berth_status status = how == ALONE   ? berth_submit(s, jobs, d, &error)
                          : how == BATCH ? berth_submit_batch(s, slot, n, jobs, d, &error)
                          : how == GANG  ? berth_submit_gang(s, slot, n, jobs, d, &error)
                                         : berth_propose(s, slot, n, jobs, d, &error);
    if (happened(w, status, &error)) {
        event_model_advance(w->model, slot);
        event_model_submit(w->model, n, jobs, d, how == GANG || how == PROPOSAL, how == PROPOSAL);
        event_model_check(w->model, s, false);
    }
    for (size_t i = 0; i < n; i++) {
        assert_true((d[i] != NULL) == (status == BERTH_OK));
        berth_decision_free(d[i]);
    }
}

/* A live job, proposed or not, or false. */
static bool pick(world *w, bool proposed, uint64_t *number) {
    size_t n = event_model_live(w->model);
    size_t first = n == 0 ? 0 : (size_t)draw(w, 0, (int)n - 1);
    for (size_t i = 0; i < n; i++) {
        bool is_proposed;
        *number = event_model_number(w->model, (first + i) % n, &is_proposed);
        if (is_proposed == proposed) {
            return true;
        }
    }
    return false;
}

static void settle(world *w, bool commit) {
    uint64_t number;
    berth_error error;
    if (pick(w, true, &number)) {
        assert_ok(commit ? berth_commit(w->scheduler, number, &error) : berth_abandon(w->scheduler, number, &error),
                  error);
        (commit ? event_model_commit : event_model_abandon)(w->model, number);
        event_model_check(w->model, w->scheduler, false);
    }
}

static void end_job(world *w, bool finish) {
    uint64_t number;
    berth_error error;
    if (pick(w, false, &number)) {
        assert_ok(finish ? berth_finish(w->scheduler, number, &error) : berth_cancel(w->scheduler, number, &error),
                  error);
        (finish ? event_model_finish : event_model_cancel)(w->model, number);
        event_model_check(w->model, w->scheduler, false);
    }
}

static void report_left(world *w) {
    uint64_t number;
    berth_error error;
    if (pick(w, false, &number)) {
        double left = event_model_left(w->model, number) * (0.2 + 2 * berth__pcg_uniform(&w->g));
        arm(w);
        if (happened(w, berth_report_left(w->scheduler, number, left, &error), &error)) {
            event_model_work(w->model, number, left);
            event_model_check(w->model, w->scheduler, true);
        }
    }
}

static void change_machine(world *w, berth_machine_state state) {
    int machine = draw(w, 0, (int)event_model_machines(w->model) - 1);
    if (state == BERTH_MACHINE_DRAINING && event_model_state(w->model, machine) != BERTH_MACHINE_UP) {
        return; /* it takes nothing new as it is */
    }
    berth_error error;
    berth_scheduler *s = w->scheduler;
    arm(w);
    berth_status status = state == BERTH_MACHINE_UP         ? berth_return_machine(s, machine, &error)
                          : state == BERTH_MACHINE_DRAINING ? berth_drain_machine(s, machine, &error)
                                                            : berth_fail_machine(s, machine, &error);
    if (happened(w, status, &error)) {
        event_model_machine(w->model, machine, NULL, state, NULL);
        event_model_check(w->model, s, state == BERTH_MACHINE_DOWN);
    }
}

static void draw_capacity(world *w, double *capacity) {
    for (size_t r = 0; r < w->instance->n_resources; r++) {
        capacity[r] = one_in(w, 12) ? 0 : 1 + 6 * berth__pcg_uniform(&w->g);
    }
}

static void resize(world *w) {
    double capacity[3];
    int machine = draw(w, 0, (int)event_model_machines(w->model) - 1);
    draw_capacity(w, capacity);
    berth_error error;
    arm(w);
    if (happened(w, berth_resize_machine(w->scheduler, machine, capacity, &error), &error)) {
        event_model_machine(w->model, machine, NULL, event_model_state(w->model, machine), capacity);
        event_model_check(w->model, w->scheduler, true);
    }
}

static void add(world *w) {
    double capacity[3];
    int machine = -1, n = (int)event_model_machines(w->model);
    char name[16];
    snprintf(name, sizeof name, "%c%d", "abc"[draw(w, 0, 2)], n + 10);
    draw_capacity(w, capacity);
    if (n < MOST_MACHINES) {
        berth_error error;
        arm(w);
        if (happened(w, berth_add_machine(w->scheduler, name, capacity, &machine, &error), &error)) {
            assert_int_equal(machine, n);
            event_model_machine(w->model, machine, name, BERTH_MACHINE_UP, capacity);
            event_model_check(w->model, w->scheduler, false);
        }
    }
}

/* Questions, and calls about jobs that are not there, change nothing. */
static void ask(world *w) {
    char *before = scheduler_state(w->scheduler, w->instance->n_resources);
    berth_job job = draw_job(w, 0, berth_now(w->scheduler));
    berth_error error;
    berth_decision *d = NULL;
    berth_explanation *e = NULL;
    assert_ok(berth_what_if(w->scheduler, &job, &d, &error), error);
    berth_decision_free(d);
    if (one_in(w, 4)) {
        assert_ok(berth_explain(w->scheduler, &job, &e, &error), error);
        berth_explanation_free(e);
    }
    uint64_t number = (uint64_t)draw(w, 0, (int)event_model_submitted(w->model) + 3);
    if (!event_model_is_live(w->model, number)) {
        assert_int_equal(berth_finish(w->scheduler, number, &error), BERTH_E_ARGUMENT);
        assert_int_equal(berth_cancel(w->scheduler, number, &error), BERTH_E_ARGUMENT);
        assert_int_equal(berth_commit(w->scheduler, number, &error), BERTH_E_ARGUMENT);
        assert_int_equal(berth_abandon(w->scheduler, number, &error), BERTH_E_ARGUMENT);
        assert_int_equal(berth_report_left(w->scheduler, number, 1, &error), BERTH_E_ARGUMENT);
    }
    expect_state(w->scheduler, w->instance->n_resources, before, "a question");
}

/* The scheduler goes on as what its snapshot restores. */
static void restore(world *w) {
    size_t R = w->instance->n_resources, n = 0;
    char *before = scheduler_state(w->scheduler, R);
    unsigned char *bytes = NULL;
    berth_scheduler *restored = NULL;
    berth_error error;
    assert_ok(berth_snapshot(w->scheduler, &bytes, &n, &error), error);
    assert_ok(berth_restore(bytes, n, &w->options, &restored, &error), error);
    berth_snapshot_free(bytes);
    berth_scheduler_free(w->scheduler);
    w->scheduler = restored;
    expect_state(restored, R, before, "a snapshot");
}

static void any_event(world *w) {
    int kind = draw(w, 0, 99);
    if (kind < 24) {
        submit(w, ALONE);
    } else if (kind < 33) {
        submit(w, BATCH);
    } else if (kind < 39) {
        submit(w, GANG);
    } else if (kind < 46) {
        submit(w, PROPOSAL);
    } else if (kind < 53) {
        settle(w, kind < 51);
    } else if (kind < 59) {
        end_job(w, kind < 56);
    } else if (kind < 64) {
        report_left(w);
    } else if (kind < 80) {
        change_machine(w, kind < 72 ? BERTH_MACHINE_UP : kind < 75 ? BERTH_MACHINE_DRAINING : BERTH_MACHINE_DOWN);
    } else if (kind < 83) {
        resize(w);
    } else if (kind < 85) {
        add(w);
    } else if (kind < 87) {
        ask(w);
    } else if (kind < 88) {
        restore(w);
    } else {
        step(w);
    }
}

static void run_world(const char *policy, uint64_t seed, event_tally *sum, size_t *cut) {
    world *w = world_new(policy, seed);
    for (int i = 0; i < EVENTS && !w->over; i++) {
        any_event(w);
        if (!w->lazy || one_in(w, 10)) {
            event_model_take_changes(w->model, w->scheduler);
        }
    }
    event_model_take_changes(w->model, w->scheduler);
    event_model_count(w->model, sum);
    *cut += w->cut;
    world_free(w);
}

static void run_policy(const char *policy, size_t events) {
    event_tally sum = {0};
    size_t cut = 0;
    for (uint64_t seed = 1; sum.events < events; seed++) {
        run_world(policy, seed, &sum, &cut);
    }
    print_message("%s: %zu events; jobs: %zu submitted, %zu rejected, %zu completed, %zu finished, %zu cancelled, %zu "
                  "lost, %zu lapsed, %zu abandoned; %zu moves, %zu delays; at most %zu live; %zu calls cut off\n",
                  policy, sum.events, sum.submitted, sum.rejected, sum.completed, sum.finished, sum.cancelled, sum.lost,
                  sum.lapsed, sum.abandoned, sum.moved, sum.delayed, sum.most_live, cut);
    const size_t counts[] = {sum.rejected, sum.completed, sum.finished, sum.cancelled, sum.lost,
                             sum.lapsed,   sum.abandoned, sum.moved,    sum.delayed,   cut};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        assert_true(counts[i] > events / 1000);
    }
}

static void test_pdors_ci(void **state) {
    (void)state;
    run_policy("pdors-ci", SANITIZED ? 4000 : 40000);
}

static void test_bidlp(void **state) {
    (void)state;
    run_policy("bidlp", SANITIZED ? 4000 : 40000);
}

static void test_oasis(void **state) {
    (void)state;
    run_policy("oasis", SANITIZED ? 2000 : 20000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pdors_ci),
        cmocka_unit_test(test_bidlp),
        cmocka_unit_test(test_oasis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
