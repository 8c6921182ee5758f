/* Leaving out dear machines on large, part-filled clusters: what pdors-ci offers in a slot does not depend on the price
 * limits that it starts from, its placements stand and are near what was offered, and the bound pass stays below the
 * same bound over all machines and worker counts. Seeds are fixed: no false failures. */
#include "online/bound.h"
#include "online/policy.h"

#include "base/pcg.h"
#include "base/tolerance.h"
#include "formulations/slot.h"
#include "tests/support/check.h"

#include <stdlib.h>

enum { MIN_H = 270, MAX_H = 420, R = 3, T = 3, MAX_W = 40, LEVELS = 60, WORLDS = 800 };

typedef struct world {
    int H;
    bool cramped; /* the job may use a few machines only */
    char names[MAX_H][12];
    const char *machines[MAX_H];
    double capacity[MAX_H * R], worker[R], ps[R];
    berth__cluster *cluster;
    berth__prices *prices;
    berth__ledger *ledger;
    berth__job *job;
    berth__workspace *workspace;
    berth_options options;
} world;

static int pick(berth__pcg *g, int low, int high) {
    return (int)berth__pcg_integer(g, low, high);
}

/* ---- a loaded cluster ---- */

static void draw_cluster(world *w, berth__pcg *g) {
    static const char *const resources[R] = {"gpu", "cpu", "memory"};
    static const double kinds[2][R] = {{8, 32, 48}, {12, 24, 96}};
    w->H = pick(g, MIN_H, MAX_H);
    for (int h = 0; h < w->H; h++) {
        snprintf(w->names[h], sizeof w->names[h], "m%03d", h);
        w->machines[h] = w->names[h];
        for (int r = 0; r < R; r++) {
            w->capacity[h * R + r] = kinds[h % 3 == 0][r];
        }
    }
    berth_cluster spec;
    berth_cluster_init(&spec);
    spec.slot_seconds = 10;
    spec.horizon_slots = T;
    spec.n_resources = R;
    spec.resources = resources;
    spec.n_machines = (size_t)w->H;
    spec.machines = w->machines;
    spec.capacity = w->capacity;
    double upper[R], lower[R];
    for (int r = 0; r < R; r++) {
        upper[r] = pick(g, 1, 9);
        lower[r] = upper[r] * pow(10, -1 - 6 * berth__pcg_uniform(g));
    }
    berth_price_bounds bounds = {.struct_size = sizeof bounds, .n_resources = R, .upper = upper, .lower = lower};
    berth_error error;
    assert_ok(berth__cluster_new(&spec, &w->cluster, &error), error);
    assert_ok(berth__prices_new(&bounds, R, &w->prices, &error), error);
    assert_ok(berth__ledger_new(w->cluster, w->prices, &w->ledger, &error), error);
}

static berth_job job_template(void) {
    berth_job job;
    berth_job_init(&job);
    job.id = "j";
    job.epochs = job.batch = job.sample_seconds = 1;
    job.max_workers = MAX_W;
    job.workers_per_ps = job.bandwidth_internal_mb_s = job.bandwidth_external_mb_s = 1;
    job.utility = (berth_utility){.kind = BERTH_UTILITY_CONSTANT, .value = 1};
    return job;
}

/* One resource of one slot: most machines hold something of it, some all they have; dear_class: those of that class
 * nearly all. */
static void load(world *w, berth__pcg *g, int slot, int r, int dear_class) {
    double unit[R] = {0};
    berth_job spec = job_template();
    berth_placement *places = calloc((size_t)w->H, sizeof *places);
    assert_non_null(places);
    unit[r] = 1;
    spec.samples = 1;
    spec.worker = unit;
    spec.all_reduce = true;
    berth_slot_plan plan = {.slot = slot, .placements = places};
    int fullest = pick(g, 1, 10);
    for (int h = 0; h < w->H; h++) {
        int room = (int)w->capacity[h * R + r];
        int used = room * (w->cluster->class_of[h] == dear_class ? 9 : pick(g, 0, fullest)) / 10;
        if (used > 0) {
            places[plan.n_placements++] = (berth_placement){.machine = h, .workers = used};
        }
    }
    berth_error error;
    berth__job *job = NULL;
    assert_ok(berth__job_new(w->cluster, &spec, &job, &error), error);
    assert_ok(berth__ledger_commit(w->ledger, job, 1, &plan, &error), error);
    berth__job_free(job);
    free(places);
}

static void draw_job(world *w, berth__pcg *g) {
    static const char *const most[] = {"*[0-7]"}, *const few[] = {"m00[0-4]"}; /* few: there is not room for all */
    static const double bandwidths[] = {0.001, 0.01, 0.5, 2};
    berth_job spec = job_template();
    for (int r = 0; r < R; r++) {
        w->worker[r] = pick(g, r == 0 ? 0 : 1, 4);
        w->ps[r] = r == 0 ? 0 : pick(g, 1, 4);
    }
    spec.samples = 10.0 * pick(g, 5, 60); /* worker-slots, where nothing is sent */
    spec.max_workers = pick(g, 4, MAX_W);
    spec.gradient_mb = pick(g, 0, 2) == 0 ? 0 : 0.1;
    spec.bandwidth_external_mb_s = bandwidths[pick(g, 0, 3)];
    spec.workers_per_ps = pick(g, 1, 5);
    spec.all_reduce = pick(g, 0, 4) == 0;
    spec.worker = w->worker;
    spec.ps = spec.all_reduce ? NULL : w->ps;
    if (pick(g, 0, 3) == 0) {
        w->cramped = pick(g, 0, 1) == 0;
        spec.allow = w->cramped ? few : most;
        spec.n_allow = 1;
    }
    berth_error error;
    assert_ok(berth__job_new(w->cluster, &spec, &w->job, &error), error);
}

static world *world_new(berth__pcg *g) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    draw_cluster(w, g);
    int dear_class = pick(g, 0, 5); /* there are two: mostly none */
    for (int t = 0; t < T; t++) {
        for (int r = 0; r < R; r++) {
            load(w, g, t, r, dear_class);
        }
    }
    draw_job(w, g);
    w->workspace = berth__workspaces_new(1);
    assert_non_null(w->workspace);
    assert_true(berth__workspace_reserve(w->workspace, berth__slot_groups_most(w->ledger, 0), R));
    berth_options_init(&w->options);
    w->options.solver = berth__policy_pdors_ci.solver;
    return w;
}

static void world_free(world *w) {
    berth__workspaces_free(w->workspace, 1);
    berth__job_free(w->job);
    berth__ledger_free(w->ledger);
    berth__prices_free(w->prices);
    berth__cluster_free(w->cluster);
    free(w);
}

/* ---- offers and placements ---- */

static berth__offer_context context_of(const world *w, const berth__price_limits *limits) {
    berth__offer_context context = {.ledger = w->ledger, .options = &w->options, .job = w->job, .limits = limits};
    assert_true(berth__quanta_of(w->job, LEVELS, T, &context.quanta));
    return context;
}

static void offers_of(const world *w, const berth__price_limits *limits, int slot, berth__slot_offers *out) {
    berth__offer_context context = context_of(w, limits);
    *out = (berth__slot_offers){.arena = berth__arena_new()};
    assert_non_null(out->arena);
    berth_error error;
    assert_ok(berth__policy_pdors_ci.offer(&context, w->workspace, slot, out, &error), error);
}

/* Least cost of at least so many quanta. */
static double cost_of(const berth__slot_offers *offers, int quanta) {
    double least = (double)INFINITY;
    for (int i = 0; i < offers->n; i++) {
        least = offers->offers[i].quanta >= quanta ? fmin(least, offers->offers[i].cost) : least;
    }
    return least;
}

static void expect_same_offers(const berth__slot_offers *a, const berth__slot_offers *b, int needed, const char *what) {
    for (int q = 1; q <= needed; q++) {
        double x = cost_of(a, q), y = cost_of(b, q);
        if (!(x == y || fabs(x - y) <= 1e-9 * y)) {
            fail_msg("%s: %d quanta for %.17g, not %.17g", what, q, x, y);
        }
    }
}

typedef struct tally {
    int placed;
    double excess;
} tally;

/* Least price on one machine. */
static double internal_price(const world *w, int slot, const double *free, int workers, int servers) {
    double worker[MAX_H], ps[MAX_H], least = (double)INFINITY;
    berth__ledger_unit_prices(w->ledger, slot, w->job, worker, ps);
    for (int h = 0; h < w->H; h++) {
        if (berth__fits(free + h * R, w->job, R, workers, servers)) {
            least = fmin(least, workers * worker[h] + (servers > 0 ? servers * ps[h] : 0));
        }
    }
    return least;
}

/* Places every offer: the plan fits, makes the progress, and costs no less than was offered, nor much more. */
static void place_all(const world *w, const berth__price_limits *limits, int slot, const berth__slot_offers *offers,
                      tally *sum) {
    berth__offer_context context = context_of(w, limits);
    for (int i = 0; i < offers->n; i++) {
        berth__arena *arena = berth__arena_new();
        berth__placement_stats stats = {0};
        berth_slot_plan plan;
        berth_error error;
        bool placed = false;
        assert_non_null(arena);
        assert_ok(berth__policy_pdors_ci.place(&context, w->workspace, slot, offers, offers->offers[i].index, arena,
                                               &plan, &stats, &placed, &error),
                  error);
        assert_true(placed);
        double price = berth__ledger_plan_price(w->ledger, w->job, 1, &plan), cost = offers->offers[i].cost;
        assert_at_most(cost, price, 1e-9);
        assert_true(plan.samples >= offers->offers[i].quanta * context.quanta.size * (1 - 1e-9));
        int workers = 0, servers = 0;
        double free[MAX_H * R];
        berth__ledger_free_capacity(w->ledger, slot, w->job, free);
        for (size_t k = 0; k < plan.n_placements; k++) {
            const berth_placement *p = &plan.placements[k];
            assert_true(k == 0 || p->machine > plan.placements[k - 1].machine);
            assert_true(berth__fits(free + p->machine * R, w->job, R, p->workers, p->ps));
            workers += p->workers;
            servers += p->ps;
        }
        assert_true(workers <= w->job->max_workers && servers == berth__ps_needed(w->job, workers));
        if (plan.locality == BERTH_INTERNAL) {
            assert_true(price <= internal_price(w, slot, free, workers, servers) * (1 + 1e-3));
        }
        if (!w->cramped) { /* else the bound may be well below what whole units cost */
            sum->excess += price / cost - 1;
            sum->placed++;
        }
        berth__arena_free(arena);
    }
}

static void test_limits_change_no_offer(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(35, 1);
    tally sum = {0, 0};
    for (int number = 0; number < WORLDS; number++) {
        world *w = world_new(&g);
        double theta[T];
        berth__price_limits found[T], none[T] = {{0, 0}}, tight[T];
        berth_error error;
        assert_ok(berth__ledger_theta(w->ledger, w->job, LEVELS, w->workspace, NULL, theta, found, &error), error);
        for (int t = 0; t < T; t++) {
            tight[t] = (berth__price_limits){.worker = found[t].worker * berth__pcg_uniform(&g),
                                             .ps = found[t].ps * berth__pcg_uniform(&g)};
        }
        const berth__price_limits *limits[] = {found, none, tight};
        static const char *const names[] = {"limits as found", "no limits to begin with", "tight limits"};
        int needed = context_of(w, NULL).quanta.needed;
        for (int t = 0; t < T; t++) {
            assert_true(w->ledger->slots[t].n_touched >= MIN_H * 3 / 4);
            berth__slot_offers all, some;
            offers_of(w, NULL, t, &all);
            for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
                offers_of(w, limits[k], t, &some);
                expect_same_offers(&some, &all, needed, names[k]);
                if (k == 0) {
                    place_all(w, limits[k], t, &some, &sum);
                }
                berth__arena_free(some.arena);
            }
            berth__arena_free(all.arena);
        }
        world_free(w);
    }
    print_message("%d offers placed, on average %.4f %% dearer than offered\n", sum.placed,
                  100 * sum.excess / sum.placed);
    assert_true(sum.placed > 10 * WORLDS);
    assert_true(sum.excess < 5e-4 * sum.placed);
}

/* ---- the bound ---- */

/* The offers of a slot for a bound, over every machine and every count. */
static int relaxed_offers(const world *w, const berth__quanta *quanta, int slot, berth__offer *offers) {
    double full[MAX_H * R], worker[MAX_H], ps[MAX_H], W[MAX_W], S[MAX_W], cost[MAX_W];
    int most = w->job->max_workers, n = 0;
    berth__ledger_unit_prices(w->ledger, slot, w->job, worker, ps);
    for (int h = 0; h < w->H; h++) {
        for (int r = 0; r < R; r++) {
            bool may = w->job->eligible == NULL || w->job->eligible[h];
            full[h * R + r] = may ? w->cluster->capacity[h * R + r] : 0;
        }
    }
    for (int i = 0; i < most; i++) {
        W[i] = i + 1;
        S[i] = berth__ps_needed(w->job, i + 1);
    }
    const berth__theta_problem problem = {.n_groups = w->H,
                                          .n_resources = R,
                                          .capacity = full,
                                          .price_worker = worker,
                                          .price_ps = ps,
                                          .worker = w->job->worker,
                                          .ps = w->job->ps};
    assert_int_equal(berth__theta_solve(w->workspace->theta, &problem, (size_t)most, W, S, cost, NULL, NULL), BERTH_OK);
    for (int i = 0; i < most; i++) {
        double internal = internal_price(w, slot, full, i + 1, (int)S[i]);
        offers[n++] =
            (berth__offer){.quanta = berth__quanta_up(quanta, w->job, i + 1, BERTH_EXTERNAL), .cost = cost[i]};
        offers[n++] =
            (berth__offer){.quanta = berth__quanta_up(quanta, w->job, i + 1, BERTH_INTERNAL), .cost = internal};
    }
    return berth__offers_prune(offers, n);
}

static void test_bound_is_below_the_slow_one(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(35, 2);
    double ratio = 0;
    int n = 0;
    for (int number = 0; number < WORLDS; number++) {
        world *w = world_new(&g);
        double theta[T];
        berth_error error;
        berth__quanta quanta;
        berth__schedule *schedule = berth__schedule_new();
        assert_non_null(schedule);
        assert_ok(berth__ledger_theta(w->ledger, w->job, LEVELS, w->workspace, NULL, theta, NULL, &error), error);
        assert_true(berth__quanta_of(w->job, LEVELS, T, &quanta));
        berth__quanta_relax(&quanta, w->job);
        assert_ok(berth__schedule_start(schedule, quanta.needed, T, false, &error), error);
        for (int t = 0; t < T; t++) {
            berth__offer offers[2 * MAX_W];
            double slow = berth__schedule_add_slot(schedule, offers, relaxed_offers(w, &quanta, t, offers));
            if (t < w->job->fastest_slots - 1) {
                assert_true(theta[t] == (double)INFINITY);
                continue;
            }
            if (!(theta[t] <= slow * (1 + 1e-12))) {
                fail_msg("world %d, slot %d: bound %.17g above the slow one, %.17g", number, t, theta[t], slow);
            }
            if (slow < (double)INFINITY) {
                ratio += theta[t] / slow;
                n++;
            }
        }
        berth__schedule_free(schedule);
        world_free(w);
    }
    print_message("%d bounds, %.4f of the slow ones on average\n", n, ratio / n);
    assert_true(n > WORLDS);
    assert_true(ratio > 0.95 * n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits_change_no_offer),
        cmocka_unit_test(test_bound_is_below_the_slow_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
