/* Where random numbers come from: a stream for each (seed, job number, slot, quanta of progress), and nothing else.
 * What is rounded in one slot or for one job then never depends on how much was drawn before. Fixed seeds: no false
 * failures. */
#include "tests/support/backends.h"
#include "tests/support/check.h"

#include "base/pcg.h"
#include "formulations/slot.h"
#include "online/policy.h"

#include <string.h>

enum { MACHINES = 12, SLOTS = 4, RESOURCES = 2, CELLS = MACHINES * RESOURCES };

static const char *const resources[RESOURCES] = {"gpu", "cpu"};
static const char *const machines[MACHINES] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
static const double worker[RESOURCES] = {1, 1}, ps[RESOURCES] = {0, 1.1};

typedef struct world {
    double capacity[CELLS], upper[RESOURCES], lower[RESOURCES];
    berth_cluster spec;
    berth_price_bounds bounds;
    berth_job job_spec;
    berth_options options;
    berth_backends *backends;
    berth__cluster *cluster;
    berth__prices *prices;
    berth__ledger *ledger;
    berth__job *job;
    berth__quanta quanta;
    berth__budget budget;
} world;

/* No machine holds two workers, so that all wider offers are rounded; fractions of machines stay over everywhere, and
 * mending a single draw keeps its traces, so that hardly two draws give the same placement. */
static void describe(world *w) {
    berth__pcg stream = berth__pcg_seed(5, 5);
    for (int k = 0; k < CELLS; k++) {
        w->capacity[k] = (k % RESOURCES == 0 ? 1.2 : 2.2) + 0.7 * berth__pcg_uniform(&stream);
    }
    w->upper[0] = w->upper[1] = 80;
    w->lower[0] = w->lower[1] = 0.08;
    w->bounds = (berth_price_bounds){
        .struct_size = sizeof w->bounds, .n_resources = RESOURCES, .upper = w->upper, .lower = w->lower};
    berth_cluster_init(&w->spec);
    w->spec.slot_seconds = 10;
    w->spec.horizon_slots = SLOTS;
    w->spec.n_resources = RESOURCES;
    w->spec.resources = resources;
    w->spec.n_machines = MACHINES;
    w->spec.machines = machines;
    w->spec.capacity = w->capacity;
    berth_job_init(&w->job_spec);
    w->job_spec.id = "j";
    w->job_spec.epochs = 1;
    w->job_spec.samples = 300; /* three slots of ten workers */
    w->job_spec.batch = 8;
    w->job_spec.max_workers = 12;
    w->job_spec.sample_seconds = 1;
    w->job_spec.workers_per_ps = 2;
    w->job_spec.bandwidth_internal_mb_s = w->job_spec.bandwidth_external_mb_s = 1;
    w->job_spec.worker = worker;
    w->job_spec.ps = ps;
    w->job_spec.utility = (berth_utility){.kind = BERTH_UTILITY_CONSTANT, .value = 1000};
}

static world *world_new(void) {
    world *w = test_calloc(1, sizeof *w);
    describe(w);
    berth_error error;
    berth_options_init(&w->options);
    w->options.policy = "pdors";
    w->backends = all_backends();
    w->options.backends = w->backends;
    w->options.solver = berth__backend_find(w->backends, NULL, BERTH__BACKEND_LP)->name;
    w->options.threads = 1;
    w->options.repair = true;
    w->options.trials = 1;
    w->budget = berth__budget_start(HUGE_VAL, &w->options.hooks);
    assert_ok(berth__cluster_new(&w->spec, &w->cluster, &error), error);
    assert_ok(berth__prices_new(&w->bounds, RESOURCES, &w->prices, &error), error);
    assert_ok(berth__ledger_new(w->cluster, w->prices, &w->ledger, &error), error);
    assert_ok(berth__job_new(w->cluster, &w->job_spec, &w->job, &error), error);
    w->quanta = (berth__quanta){.size = 2.5, .needed = 120}; /* of a quarter worker-slot */
    return w;
}

static void world_free(world *w) {
    berth__job_free(w->job);
    berth__ledger_free(w->ledger);
    berth__prices_free(w->prices);
    berth__cluster_free(w->cluster);
    berth_backends_free(w->backends);
    test_free(w);
}

/* ---- one slot ---- */

static berth__slot_offers offers_of(const world *w, uint64_t job_number, int slot) {
    berth__offer_context context = {.ledger = w->ledger,
                                    .options = &w->options,
                                    .budget = &w->budget,
                                    .job = w->job,
                                    .job_number = job_number,
                                    .quanta = w->quanta};
    berth__slot_offers out = {.arena = berth__arena_new()};
    assert_non_null(out.arena);
    berth_error error;
    assert_ok(berth__policy_pdors.offer(&context, NULL, slot, &out, &error), error);
    assert_true(out.n >= 10);
    return out;
}

static bool same_plan(const berth_slot_plan *a, const berth_slot_plan *b) {
    return a->n_placements == b->n_placements &&
           memcmp(a->placements, b->placements, a->n_placements * sizeof *a->placements) == 0;
}

/* Plan for that much progress; NULL: none survived. */
static const berth_slot_plan *plan_for(const berth__slot_offers *offers, int quanta) {
    for (int i = 0; i < offers->n; i++) {
        if (offers->offers[i].quanta == quanta) {
            return &offers->plans[offers->offers[i].index];
        }
    }
    return NULL;
}

static int count_differing(const berth__slot_offers *a, const berth__slot_offers *b) {
    int differing = 0;
    for (int i = 0; i < a->n; i++) {
        const berth_slot_plan *other = plan_for(b, a->offers[i].quanta);
        differing += other == NULL || !same_plan(&a->plans[a->offers[i].index], other);
    }
    return differing;
}

/* The cluster is empty, so that all slots look the same. */
static void test_each_part_of_the_key_matters(void **state) {
    (void)state;
    world *w = world_new();
    berth__slot_offers first = offers_of(w, 7, 1), again = offers_of(w, 7, 1);
    assert_int_equal(first.n, again.n);
    assert_int_equal(count_differing(&first, &again), 0);
    berth__slot_offers other[3] = {offers_of(w, 8, 1), offers_of(w, 7, 2)};
    w->options.seed = 2;
    other[2] = offers_of(w, 7, 1);
    for (int i = 0; i < 3; i++) {
        assert_true(count_differing(&first, &other[i]) >= 3);
        berth__arena_free(other[i].arena);
    }
    berth__arena_free(first.arena);
    berth__arena_free(again.arena);
    world_free(w);
}

/* ---- the very key ---- */

typedef struct reference {
    int quanta[2 * MACHINES];
    berth_slot_plan plans[2 * MACHINES];
    int n;
    berth__arena *arena;
} reference;

/* Solves and rounds the slot's problems of 2 workers and more, as many of a key's parts as `parts` says. */
static reference round_by_hand(const world *w, uint64_t job_number, int slot, int parts) {
    reference out = {.arena = berth__arena_new()};
    assert_non_null(out.arena);
    double free[CELLS], price_worker[MACHINES], price_ps[MACHINES];
    berth__ledger_free_capacity(w->ledger, slot, w->job, free);
    berth__ledger_unit_prices(w->ledger, slot, w->job, price_worker, price_ps);
    berth__slot_problem problem = {.n_machines = MACHINES,
                                   .n_resources = RESOURCES,
                                   .free = free,
                                   .price_worker = price_worker,
                                   .price_ps = price_ps,
                                   .job = w->job};
    berth__scale_choice choice = {
        .rule = w->options.scale_rule, .favour = w->options.favour, .delta = w->options.delta};
    berth_error error;
    berth__slot_lp *lp = NULL;
    assert_ok(berth__slot_lp_new(&problem, w->backends, w->options.solver, &lp, &error), error);
    for (int workers = 2; workers <= MACHINES; workers++) {
        const double *x = NULL;
        double value = 0;
        assert_ok(berth__slot_lp_solve(lp, workers, NULL, &value, &x, &error), error);
        if (!(value < HUGE_VAL)) {
            break;
        }
        int quanta = berth__quanta_down(&w->quanta, w->job, workers, BERTH_EXTERNAL);
        uint64_t key[] = {w->options.seed, job_number, (uint64_t)slot, (uint64_t)quanta};
        berth__pcg stream = berth__pcg_key(parts, key);
        berth__slot_rounding rounding;
        int at[2][MACHINES];
        assert_ok(berth__slot_lp_round(lp, &choice, w->options.trials, w->options.repair, NULL, &stream, at[0], at[1],
                                       &rounding, &error),
                  error);
        if (rounding.feasible) {
            out.quanta[out.n] = quanta;
            assert_true(
                berth__slot_plan_from_counts(out.arena, w->cluster, w->job, slot, at[0], at[1], &out.plans[out.n++]));
        }
    }
    berth__slot_lp_free(lp);
    return out;
}

static int count_matches(const berth__slot_offers *offers, const reference *r) {
    int matches = 0;
    for (int i = 0; i < r->n; i++) {
        const berth_slot_plan *plan = plan_for(offers, r->quanta[i]);
        matches += plan != NULL && same_plan(plan, &r->plans[i]);
    }
    return matches;
}

static void test_the_key(void **state) {
    (void)state;
    world *w = world_new();
    w->options.seed = 3;
    for (int slot = 0; slot < SLOTS; slot++) {
        berth__slot_offers offers = offers_of(w, 11, slot);
        reference keyed = round_by_hand(w, 11, slot, 4), without_quanta = round_by_hand(w, 11, slot, 3);
        assert_true(keyed.n >= 8);
        assert_int_equal(offers.n, keyed.n + 1); /* and one worker, which sits on one machine */
        assert_int_equal(count_matches(&offers, &keyed), keyed.n);
        assert_true(count_matches(&offers, &without_quanta) <= keyed.n - 3); /* the test would see it */
        berth__arena_free(keyed.arena);
        berth__arena_free(without_quanta.arena);
        berth__arena_free(offers.arena);
    }
    world_free(w);
}

/* ---- the scheduler's job numbers ---- */

/* Decides the job after `n_before` others that are turned away, and `n_dry` dry runs. */
static berth_decision *decide_after(const world *w, int n_before, int n_dry) {
    berth_error error;
    berth_scheduler *s = NULL;
    berth_decision *d = NULL;
    assert_ok(berth_scheduler_new(&w->spec, &w->bounds, &w->options, &s, &error), error);
    berth_job hopeless = w->job_spec;
    hopeless.samples = 1e6;
    for (int i = 0; i < n_before; i++) {
        assert_ok(berth_submit(s, &hopeless, &d, &error), error);
        assert_false(d->admitted);
        berth_decision_free(d);
    }
    for (int i = 0; i < n_dry; i++) {
        assert_ok(berth_what_if(s, &w->job_spec, &d, &error), error);
        berth_decision_free(d);
    }
    assert_ok(berth_submit(s, &w->job_spec, &d, &error), error);
    assert_true(d->admitted);
    berth_scheduler_free(s);
    return d;
}

static bool same_slots(const berth_decision *a, const berth_decision *b) {
    bool same = a->n_slots == b->n_slots;
    for (size_t k = 0; k < a->n_slots && same; k++) {
        same = a->slots[k].slot == b->slots[k].slot && same_plan(&a->slots[k], &b->slots[k]);
    }
    return same;
}

/* The same job on the same empty cluster, but another one of the queue. Dry runs do not count. */
static void test_jobs_are_numbered(void **state) {
    (void)state;
    world *w = world_new();
    berth_decision *first = decide_after(w, 0, 0), *again = decide_after(w, 0, 2), *third = decide_after(w, 2, 0);
    assert_true(same_slots(first, again));
    assert_false(same_slots(first, third));
    berth_decision_free(first);
    berth_decision_free(again);
    berth_decision_free(third);
    world_free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_part_of_the_key_matters),
        cmocka_unit_test(test_the_key),
        cmocka_unit_test(test_jobs_are_numbered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
