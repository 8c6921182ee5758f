/* What jobs buy at prices by class, against a slow twin that knows the raw numbers alone: for each completion slot all
 * pieces are collected, sorted and bought from the cheapest on. And the prices that are found: worth what is said,
 * never worse than those to start from, near the schedule LP. Seeds are fixed: no false failures. */
#include "online/class_prices.h"

#include "base/pcg.h"
#include "tests/support/check.h"
#include "tests/support/checked_run.h"
#include "tests/support/promise.h"
#include "tests/support/rich_instance.h"
#include "tests/support/sanitized.h"
#include "tests/support/variant.h"

#include <berth_io.h>

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 12, MACHINES = 24, RESOURCES = 4, JOBS = 64, PRICES = SLOTS * MACHINES * RESOURCES };

typedef struct world {
    const berth_instance *in;
    berth__cluster *cluster;
    berth__job *jobs[JOBS];
    int n_classes, class_of[MACHINES], first_of[MACHINES], count[MACHINES];
    double total[RESOURCES];
    double prices[PRICES], capacity[PRICES]; /* [slots][n_classes][n_resources] per share, shares */
    berth__class_view view;
    berth__arena *arena;
    berth__job_profile profiles[JOBS];
    berth__demand_scratch scratch;
} world;

static size_t rows(const world *w) {
    return (size_t)w->in->horizon_slots * (size_t)w->n_classes * w->in->n_resources;
}

static world *world_new(const berth_instance *in) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    assert_true(in->horizon_slots <= SLOTS && in->n_machines <= MACHINES && in->n_resources <= RESOURCES &&
                in->n_jobs <= JOBS);
    w->in = in;
    berth_cluster spec;
    berth_error error;
    berth_instance_cluster(in, &spec);
    assert_ok(berth__cluster_new(&spec, &w->cluster, &error), error);
    for (size_t i = 0; i < in->n_jobs; i++) {
        assert_ok(berth__job_new(w->cluster, &in->jobs[i], &w->jobs[i], &error), error);
    }
    w->n_classes = berth__machine_classes(w->cluster, in->n_jobs, w->jobs, w->class_of);
    for (size_t h = in->n_machines; h-- > 0;) {
        w->first_of[w->class_of[h]] = (int)h;
        w->count[w->class_of[h]]++;
        for (size_t r = 0; r < in->n_resources; r++) {
            w->total[r] += in->capacity[h * in->n_resources + r];
        }
    }
    assert_ok(berth__class_view_new(w->cluster, w->n_classes, w->class_of, w->prices, &w->view, &error), error);
    w->arena = berth__arena_new();
    assert_non_null(w->arena);
    for (size_t i = 0; i < in->n_jobs; i++) {
        void *memory = berth__arena_alloc(w->arena, 1, berth__job_profile_size(&w->view));
        assert_non_null(memory);
        berth__job_profile_init(&w->profiles[i], memory, &w->view, w->jobs[i]);
    }
    assert_true(berth__demand_scratch_init(&w->scratch, w->arena, in->horizon_slots));
    return w;
}

static void world_free(world *w) {
    for (size_t i = 0; i < w->in->n_jobs; i++) {
        berth__job_free(w->jobs[i]);
    }
    berth__class_view_clear(&w->view);
    berth__arena_free(w->arena);
    berth__cluster_free(w->cluster);
    free(w);
}

/* ---- the twin ---- */

typedef struct offer {
    double progress, cost;
} offer;

typedef struct piece {
    double rate, progress;
} piece;

static bool may_use(const world *w, const berth_job *job, int k) {
    const char *name = w->in->machines[w->first_of[k]];
    bool may = job->n_allow == 0;
    for (size_t i = 0; i < job->n_allow; i++) {
        may = may || fnmatch(job->allow[i], name, FNM_NOESCAPE) == 0;
    }
    for (size_t i = 0; i < job->n_avoid; i++) {
        may = may && fnmatch(job->avoid[i], name, FNM_NOESCAPE) != 0;
    }
    return may;
}

static int servers_of(const berth_job *job, int workers) {
    return job->all_reduce ? 0 : (int)ceil(workers / job->workers_per_ps - 1e-9);
}

static double held(const berth_job *job, size_t r, int workers, int servers) {
    return workers * job->worker[r] + (servers > 0 ? servers * job->ps[r] : 0);
}

static bool fits(const world *w, const berth_job *job, int k, int workers, int servers) {
    for (size_t r = 0; r < w->in->n_resources; r++) {
        double capacity = w->in->capacity[(size_t)w->first_of[k] * w->in->n_resources + r];
        if (held(job, r, workers, servers) > capacity * (1 + 1e-9)) {
            return false;
        }
    }
    return true;
}

static double price_of(const world *w, const double *prices, const berth_job *job, int slot, int k, int workers,
                       int servers) {
    double sum = 0;
    for (size_t r = 0; r < w->in->n_resources; r++) {
        double price = prices[((size_t)slot * (size_t)w->n_classes + (size_t)k) * w->in->n_resources + r];
        sum += w->total[r] > 0 ? price * held(job, r, workers, servers) / w->total[r] : 0;
    }
    return sum;
}

static double speed(const world *w, const berth_job *job, bool internal) {
    double bandwidth = internal ? job->bandwidth_internal_mb_s : job->bandwidth_external_mb_s;
    double sharing = job->all_reduce ? 1 : job->workers_per_ps;
    return w->in->slot_seconds / (job->sample_seconds + sharing * 2 * job->gradient_mb / (job->batch * bandwidth));
}

/* The widest on one machine, of the class where a sample costs least; of those equal but for rounding the widest or the
 * narrowest. */
static offer internal_offer(const world *w, const double *prices, const berth_job *job, int slot, bool widest) {
    offer best = {0, 0};
    for (int k = 0; k < w->n_classes; k++) {
        int room = may_use(w, job, k) ? job->max_workers : 0;
        while (room > 0 && !fits(w, job, k, room, servers_of(job, room))) {
            room--;
        }
        offer o = {room * speed(w, job, true), price_of(w, prices, job, slot, k, room, servers_of(job, room))};
        double mine = o.cost * best.progress, other = best.cost * o.progress;
        bool equal = fabs(mine - other) <= 1e-12 * other;
        if (room > 0 && (best.progress == 0 || (equal ? (o.progress > best.progress) == widest : mine < other))) {
            best = o;
        }
    }
    return best;
}

/* The widest over machines, all workers in the cheapest class for them, all servers likewise. */
static offer external_offer(const world *w, const double *prices, const berth_job *job, int slot) {
    double worker = HUGE_VAL, server = HUGE_VAL;
    int width = 0;
    bool needs_servers = servers_of(job, job->max_workers) > 0;
    for (int k = 0; k < w->n_classes; k++) {
        int alone = may_use(w, job, k) ? job->max_workers : 0;
        while (alone > 0 && !fits(w, job, k, alone, 0)) {
            alone--;
        }
        width += alone * w->count[k];
        worker = alone > 0 ? fmin(worker, price_of(w, prices, job, slot, k, 1, 0)) : worker;
        if (needs_servers && may_use(w, job, k) && fits(w, job, k, 0, 1)) {
            server = fmin(server, price_of(w, prices, job, slot, k, 0, 1));
        }
    }
    width = width < job->max_workers ? width : job->max_workers;
    int servers = servers_of(job, width);
    if (width == 0 || (servers > 0 && server >= HUGE_VAL)) {
        return (offer){0, 0};
    }
    return (offer){width * speed(w, job, false), width * worker + (servers > 0 ? servers * server : 0)};
}

static int by_rate(const void *a, const void *b) {
    const piece *x = a, *y = b;
    return (x->rate > y->rate) - (x->rate < y->rate);
}

/* Pieces of the lower hull over nothing and both offers. Returns how many. */
static int hull(offer a, offer b, piece *out) {
    if (a.progress <= 0 || (b.progress > 0 && b.cost * a.progress < a.cost * b.progress)) {
        offer swap = a;
        a = b;
        b = swap;
    }
    int n = 0;
    if (a.progress > 0) {
        out[n++] = (piece){a.cost / a.progress, a.progress};
    }
    if (b.progress > a.progress) {
        out[n++] = (piece){(b.cost - a.cost) / (b.progress - a.progress), b.progress - a.progress};
    }
    return n;
}

/* Largest utility - cost; -INFINITY: it cannot complete. */
static double twin(const world *w, const double *prices, size_t i, int arrival, bool widest) {
    const berth_job *job = &w->in->jobs[i];
    double work = job->epochs * job->samples * (1 - 1e-9), best = -HUGE_VAL;
    double most = fmax(speed(w, job, true), speed(w, job, false)) * job->max_workers;
    for (int last = arrival; last < w->in->horizon_slots; last++) {
        piece pieces[2 * SLOTS];
        int n = 0;
        for (int t = arrival; t <= last; t++) {
            n += hull(internal_offer(w, prices, job, t, widest), external_offer(w, prices, job, t), pieces + n);
        }
        qsort(pieces, (size_t)n, sizeof *pieces, by_rate);
        double progress = 0, cost = 0;
        for (int p = 0; p < n; p++) {
            double more = fmin(pieces[p].progress, work - progress);
            progress += more;
            cost += more * pieces[p].rate;
        }
        bool wide_enough = (last - arrival + 1) * most >= work;
        if (wide_enough && progress >= work * (1 - 1e-9)) {
            best = fmax(best, berth__utility_at(&job->utility, last - arrival) - cost);
        }
    }
    return best;
}

/* ---- one job ---- */

enum { FLAT = 3, KINDS = 5 }; /* the kind of prices that are all equal */

static double draw_price(berth__pcg *g, int kind) {
    double x = berth__pcg_uniform(g);
    return kind == 0      ? 0
           : kind == 1    ? 30 * x
           : kind == 2    ? (x < 0.5 ? 0 : 60 * x)
           : kind == FLAT ? 7
                          : pow(10, 3 * x - 1);
}

static void check_purchase(world *w, size_t i, double payoff, double gained, double *bought) {
    double cost = 0;
    memset(bought, 0, rows(w) * sizeof *bought);
    berth__class_demand_add(&w->view, &w->profiles[i], &w->scratch, 1, bought);
    for (size_t row = 0; row < rows(w); row++) {
        assert_true(bought[row] >= -1e-12);
        cost += bought[row] * w->prices[row];
    }
    assert_close(cost, gained - payoff, 1e-9);
}

static void test_demand_is_as_the_twin(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(71, 1);
    size_t infeasible = 0, worth = 0;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 150 : 600); seed++) {
        rich_instance *rich = rich_instance_new(seed, 1 + (int)(seed % SLOTS), 12);
        variant *v = variant_new(rich_instance_of(rich));
        if (seed % 3 == 0) { /* one speed, no servers: rates that are equal but for rounding */
            variant_whole(v);
        }
        world *w = world_new(variant_instance(v));
        double bought[PRICES];
        for (int kind = 0; kind < KINDS; kind++) {
            for (size_t row = 0; row < rows(w); row++) {
                w->prices[row] = draw_price(&g, kind);
            }
            for (size_t i = 0; i < w->in->n_jobs; i++) {
                int arrival = (int)berth__pcg_integer(&g, 0, w->in->horizon_slots - 1);
                double gained = 0, expected = twin(w, w->prices, i, arrival, true);
                double narrow = kind == FLAT ? twin(w, w->prices, i, arrival, false) : expected;
                double payoff = berth__class_demand(&w->view, &w->profiles[i], arrival, &w->scratch, &gained);
                if (expected == -HUGE_VAL || payoff == -HUGE_VAL) {
                    assert_true((expected == payoff || narrow == payoff) && w->scratch.last_slot == -1);
                    infeasible++;
                    continue;
                }
                assert_at_most(payoff, fmax(expected, narrow), 1e-9);
                assert_at_most(fmin(expected, narrow), payoff, 1e-9);
                check_purchase(w, i, payoff, gained, bought);
                worth += payoff > 0;
            }
        }
        world_free(w);
        variant_free(v);
        rich_instance_free(rich);
    }
    print_message("infeasible %zu, worth their price %zu\n", infeasible, worth);
    assert_true(infeasible > 1000 && worth > 1000);
}

/* ---- prices ---- */

static double value_at(const world *w, const double *prices, int first, size_t n, const berth__demand_item *items) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        size_t job = (size_t)(items[i].profile - w->profiles);
        sum += items[i].weight * fmax(0, twin(w, prices, job, items[i].arrival, true));
    }
    for (size_t row = (size_t)first * rows(w) / (size_t)w->in->horizon_slots; row < rows(w); row++) {
        sum += w->capacity[row] * prices[row];
    }
    return sum;
}

static void test_prices_are_worth_what_is_said(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(71, 2);
    double started = 0, found = 0;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 40 : 150); seed++) {
        rich_instance *rich = rich_instance_new(seed + 300, 2 + (int)(seed % 9), 16);
        world *w = world_new(rich_instance_of(rich));
        berth__demand_item items[JOBS];
        size_t n = 0, per_slot = rows(w) / (size_t)w->in->horizon_slots;
        int first = (int)(seed % 2) * (int)berth__pcg_integer(&g, 0, w->in->horizon_slots - 1);
        for (size_t i = 0; i < w->in->n_jobs; i++) {
            if (berth__job_hopeless(w->cluster, w->jobs[i]) == 0) {
                items[n++] =
                    (berth__demand_item){.profile = &w->profiles[i],
                                         .arrival = (int)berth__pcg_integer(&g, first, w->in->horizon_slots - 1),
                                         .weight = seed % 3 == 0 ? 3 * berth__pcg_uniform(&g) : 1};
            }
        }
        double prices[PRICES], start[PRICES];
        for (size_t row = 0; row < rows(w); row++) {
            size_t k = row / w->in->n_resources % (size_t)w->n_classes, r = row % w->in->n_resources;
            double share = w->cluster->capacity[(size_t)w->first_of[k] * w->in->n_resources + r];
            w->capacity[row] = w->count[k] * share * (seed % 4 == 0 ? 1 : berth__pcg_uniform(&g));
            prices[row] = start[row] = seed % 5 == 0 ? 0 : 10 * berth__pcg_uniform(&g);
        }
        const berth__class_prices_problem problem = {.view = &w->view,
                                                     .first = first,
                                                     .capacity = w->capacity,
                                                     .n_items = n,
                                                     .items = items,
                                                     .passes = 1 + (int)(seed * 13 % 80),
                                                     .work = seed % 2 == 0 ? 1e9 : 0,
                                                     .gap = 1e-3,
                                                     .scratch = w->arena};
        berth__class_prices_result result;
        berth_error error;
        assert_ok(berth__class_prices_find(&problem, prices, &result, &error), error);
        double at_start = value_at(w, start, first, n, items);
        assert_close(result.value, value_at(w, prices, first, n, items), 1e-9);
        assert_at_most(result.value, at_start, 1e-9);
        assert_true(result.passes >= 1 && result.passes <= problem.passes);
        assert_true(problem.work > 0 || result.passes <= BERTH__FEWEST_PASSES);
        assert_true(result.fit <= result.value * (1 + 1e-9));
        for (size_t row = 0; row < rows(w); row++) {
            assert_true(prices[row] >= 0 && prices[row] < HUGE_VAL);
            assert_true(row >= (size_t)first * per_slot || prices[row] == start[row]);
        }
        started += at_start;
        found += result.value;
        world_free(w);
        rich_instance_free(rich);
    }
    print_message("B at the start %.1f, found %.1f\n", started, found);
    assert_true(found < 0.8 * started);
}

static berth_instance *generated(uint64_t seed) {
    berth_generate_pdors_options options;
    berth_generate_pdors_options_init(&options);
    options.seed = seed;
    options.machines = 8;
    options.slots = 12;
    options.load = 0.5 * (double)(1 + seed % 6);
    options.heterogeneous = seed % 2 == 0;
    berth_error error;
    berth_instance *instance = NULL;
    assert_ok(berth_generate_pdors(&options, &instance, &error), error);
    return instance;
}

static double lp_bound(const berth_instance *instance) {
    berth_options options;
    berth_backends *set = NULL;
    berth_error error;
    berth_run *run = NULL;
    checked_run_options("fifo", &options, &set);
    options.bound = BERTH_BOUND_LP;
    options.bound_gap = 1e-4;
    assert_ok(berth_run_online(instance, &options, &run, NULL, &error), error);
    double bound = run->bounds.lp;
    berth_run_free(run);
    berth_backends_free(set);
    return bound;
}

/* With two classes of machines a slot's two corners leave out the wide placement on the dearer class: B is well below
 * the LP then. */
static void test_prices_are_near_the_schedule_lp(void **state) {
    (void)state;
    double worst[2] = {1, 1}, least[2] = {1, 1};
    int n = 0;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 2 : 8); seed++) {
        berth_instance *instance = generated(seed);
        if (instance->n_jobs > JOBS) {
            berth_instance_free(instance);
            continue;
        }
        world *w = world_new(instance);
        berth_error error;
        berth__demand_item items[JOBS];
        for (size_t i = 0; i < instance->n_jobs; i++) {
            items[i] = (berth__demand_item){
                .profile = &w->profiles[i], .arrival = instance->jobs[i].arrival_slot, .weight = 1};
        }
        for (size_t row = 0; row < rows(w); row++) {
            size_t k = row / instance->n_resources % (size_t)w->n_classes, r = row % instance->n_resources;
            w->capacity[row] = w->count[k] * w->cluster->capacity[(size_t)w->first_of[k] * instance->n_resources + r];
        }
        double prices[PRICES] = {0}, again[PRICES] = {0};
        assert_ok(berth__class_prices_of_jobs(w->cluster, instance->n_jobs, w->jobs, w->n_classes, w->class_of, 200,
                                              1e9, NULL, prices, &error),
                  error);
        assert_ok(berth__class_prices_of_jobs(w->cluster, instance->n_jobs, w->jobs, w->n_classes, w->class_of, 200,
                                              1e9, NULL, again, &error),
                  error);
        assert_memory_equal(prices, again, sizeof prices);
        double ratio = value_at(w, prices, 0, instance->n_jobs, items) / lp_bound(instance);
        bool mixed = w->n_classes > 1;
        worst[mixed] = fmax(worst[mixed], ratio);
        least[mixed] = fmin(least[mixed], ratio);
        n++;
        world_free(w);
        berth_instance_free(instance);
    }
    print_message("B at the prices found / LP: %.4f to %.4f, with two classes %.4f to %.4f\n", least[0], worst[0],
                  least[1], worst[1]);
    assert_true(n > 1);
    assert_true(worst[0] < 1.02 && least[0] > 0.98);
    assert_true(worst[1] < 1.02 && least[1] > 0.8);
}

static void test_cancellation(void **state) {
    (void)state;
    rich_instance *rich = rich_instance_new(5, 8, 16);
    world *w = world_new(rich_instance_of(rich));
    int cancelled = 0;
    for (long after = 0; after < 6; after++) {
        spent_budget spent;
        spent_budget_start(&spent, after);
        double prices[PRICES] = {0};
        berth_error error = {0};
        berth_status status = berth__class_prices_of_jobs(w->cluster, w->in->n_jobs, w->jobs, w->n_classes, w->class_of,
                                                          5, 1e9, &spent.budget, prices, &error);
        assert_int_equal(error.status, status);
        assert_true(status == BERTH_OK || status == BERTH_E_CANCELLED);
        assert_true((status == BERTH_OK) == (after >= 5));
        cancelled += status == BERTH_E_CANCELLED;
    }
    assert_int_equal(cancelled, 5);
    world_free(w);
    rich_instance_free(rich);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_demand_is_as_the_twin),
        cmocka_unit_test(test_prices_are_worth_what_is_said),
        cmocka_unit_test(test_prices_are_near_the_schedule_lp),
        cmocka_unit_test(test_cancellation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
