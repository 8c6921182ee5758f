/* The sparse ledger and the groups of a slot against dense arrays recomputed from the list of commits, with prices that
 * follow from usage and with bids. Amounts are whole numbers, so that what fits is beyond doubt. Seeds are fixed: no
 * false failures. */
#include "online/ledger.h"
#include "online/slot_groups.h"

#include "base/pcg.h"
#include "tests/support/check.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 12, H_MAX = 400, R_MAX = 3, T_MAX = 4, KINDS = 3, QUOTAS = 2, JOBS = 4, COMMITS = 40 };

typedef struct commit {
    int job;
    size_t n_slots;
    berth_slot_plan slots[T_MAX];
    berth_placement placements[T_MAX][H_MAX];
} commit;

typedef struct world {
    int H, R, T;
    char names[H_MAX][12];
    const char *machines[H_MAX];
    double capacity[H_MAX * R_MAX], quota[QUOTAS * R_MAX];
    berth_quota quotas[QUOTAS];
    double upper[R_MAX], lower[R_MAX];
    double worker[JOBS][R_MAX], ps[JOBS][R_MAX];
    berth_job specs[JOBS];
    const char *allow[JOBS], *avoid[JOBS];
    berth__cluster *cluster;
    berth__prices *prices;
    berth__ledger *ledger;
    berth__job *jobs[JOBS];
    bool bids;
    double bid[T_MAX * H_MAX * R_MAX], tie[R_MAX]; /* [T][n_classes][R] */
    int from;                                      /* plans leave the slots before alone */
    int n_commits;
    commit commits[COMMITS]; /* those that were booked */
    /* recounted from them, dense and in raw units */
    double total[R_MAX];
    double held[T_MAX][H_MAX][R_MAX], tenant_held[T_MAX][QUOTAS][R_MAX];
    double price[T_MAX][H_MAX][R_MAX]; /* per share of the cluster's total */
    bool touched[T_MAX][H_MAX];
} world;

static int pick(berth__pcg *g, int low, int high) {
    return (int)berth__pcg_integer(g, low, high);
}

/* ---- dense arrays from the list of commits ---- */

static double demand(const world *w, int job, int r, int workers, int servers) {
    return workers * w->worker[job][r] + (w->specs[job].all_reduce ? 0 : servers * w->ps[job][r]);
}

static void add_commit(world *w, const commit *c) {
    for (size_t k = 0; k < c->n_slots; k++) {
        int t = c->slots[k].slot;
        for (size_t i = 0; i < c->slots[k].n_placements; i++) {
            const berth_placement *p = &c->placements[k][i];
            w->touched[t][p->machine] = true;
            for (int r = 0; r < w->R; r++) {
                double amount = demand(w, c->job, r, p->workers, p->ps);
                w->held[t][p->machine][r] += amount;
                for (int q = 0; q < QUOTAS; q++) {
                    const char *tenant = w->specs[c->job].tenant;
                    bool theirs = tenant != NULL && strcmp(tenant, w->quotas[q].tenant) == 0;
                    w->tenant_held[t][q][r] += theirs ? amount : 0;
                }
            }
        }
    }
}

static double bid_price(const world *w, int t, int h, int r, double x) {
    int row = (t * w->cluster->n_classes + w->cluster->class_of[h]) * w->R + r;
    return w->capacity[h * w->R + r] > 0 ? w->bid[row] + w->tie[r] * (1 - x / 2) : 0;
}

static void recount(world *w) {
    memset(w->total, 0, sizeof w->total);
    memset(w->held, 0, sizeof w->held);
    memset(w->tenant_held, 0, sizeof w->tenant_held);
    memset(w->touched, 0, sizeof w->touched);
    for (int c = 0; c < w->n_commits; c++) {
        add_commit(w, &w->commits[c]);
    }
    for (int h = 0; h < w->H; h++) {
        for (int r = 0; r < w->R; r++) {
            double capacity = w->capacity[h * w->R + r], ratio = w->upper[r] / w->lower[r];
            bool priced = capacity > 0 && w->upper[r] > 0;
            w->total[r] += capacity;
            for (int t = 0; t < w->T; t++) {
                double x = capacity > 0 ? w->held[t][h][r] / capacity : 0;
                w->price[t][h][r] = w->bids ? bid_price(w, t, h, r, x) : priced ? w->lower[r] * pow(ratio, x) : 0;
            }
        }
    }
}

static bool eligible(const world *w, int job, int h) {
    const char *allow = w->allow[job], *avoid = w->avoid[job];
    return (allow == NULL || fnmatch(allow, w->names[h], FNM_NOESCAPE) == 0) &&
           (avoid == NULL || fnmatch(avoid, w->names[h], FNM_NOESCAPE) != 0);
}

/* ---- making a world ---- */

static void draw_cluster(world *w, berth__pcg *g, int H) {
    static const char *const resources[] = {"gpu", "cpu", "memory"}, *const tenants[] = {"red", "blue"};
    double kinds[KINDS][R_MAX];
    bool many = H > FEW; /* then with room, as plans for hundreds of them hardly ever fit otherwise */
    w->H = H;
    w->R = pick(g, 1, R_MAX);
    w->T = pick(g, 1, T_MAX);
    for (int k = 0; k < KINDS; k++) {
        for (int r = 0; r < w->R; r++) {
            kinds[k][r] = many ? pick(g, 20, 60) : pick(g, 0, 5) == 0 ? 0 : pick(g, 1, 12);
        }
    }
    for (int h = 0; h < w->H; h++) {
        snprintf(w->names[h], sizeof w->names[h], "m%03d", h);
        w->machines[h] = w->names[h];
        memcpy(w->capacity + h * w->R, kinds[pick(g, 0, KINDS - 1)], (size_t)w->R * sizeof(double));
    }
    for (int q = 0; q < QUOTAS; q++) {
        for (int r = 0; r < w->R; r++) {
            w->quota[q * w->R + r] = pick(g, 0, 1) == 0 ? (double)INFINITY : pick(g, 2, 20) * (many ? 100 : 1);
        }
        w->quotas[q] = (berth_quota){.tenant = tenants[q], .amount = w->quota + q * w->R};
    }
    berth_cluster spec;
    berth_cluster_init(&spec);
    spec.slot_seconds = 10;
    spec.horizon_slots = w->T;
    spec.n_resources = (size_t)w->R;
    spec.resources = resources;
    spec.n_machines = (size_t)w->H;
    spec.machines = w->machines;
    spec.capacity = w->capacity;
    spec.n_quotas = QUOTAS;
    spec.quotas = w->quotas;
    berth_error error;
    assert_ok(berth__cluster_new(&spec, &w->cluster, &error), error);
}

static void draw_job(world *w, berth__pcg *g, int i) {
    static const char *const tenants[] = {NULL, "red", "blue", "green"}, *const allow[] = {"m*[0-5]", "*", "m[!1]*",
                                                                                           "z"};
    berth_job *job = &w->specs[i];
    berth_job_init(job);
    job->id = "j";
    job->tenant = tenants[pick(g, 0, 3)];
    job->epochs = job->samples = job->batch = job->sample_seconds = 1;
    job->max_workers = 20;
    job->workers_per_ps = pick(g, 1, 3);
    job->bandwidth_internal_mb_s = job->bandwidth_external_mb_s = 1;
    job->all_reduce = pick(g, 0, 3) == 0;
    for (int r = 0; r < w->R; r++) {
        w->worker[i][r] = pick(g, 0, 2);
        w->ps[i][r] = pick(g, 0, 2);
    }
    w->worker[i][pick(g, 0, w->R - 1)] = pick(g, 1, 2); /* a worker must demand something */
    job->worker = w->worker[i];
    job->ps = job->all_reduce ? NULL : w->ps[i];
    job->utility = (berth_utility){.kind = BERTH_UTILITY_CONSTANT, .value = 1};
    if (pick(g, 0, 1) == 0) {
        w->allow[i] = allow[pick(g, 0, 3)];
        job->allow = &w->allow[i];
        job->n_allow = 1;
    }
    if (pick(g, 0, 2) == 0) {
        w->avoid[i] = w->names[pick(g, 0, w->H - 1)];
        job->avoid = &w->avoid[i];
        job->n_avoid = 1;
    }
    berth_error error;
    assert_ok(berth__job_new(w->cluster, job, &w->jobs[i], &error), error);
}

/* For slots [first, end). */
static void draw_bids(world *w, berth__pcg *g, int first, int end) {
    int row = w->cluster->n_classes * w->R;
    for (int at = first * row; at < end * row; at++) {
        w->bid[at] = pick(g, 0, 3) == 0 ? 0 : berth__pcg_uniform(g);
    }
    double given[T_MAX * H_MAX * R_MAX]; /* other slots are not to be read */
    for (int at = 0; at < w->T * row; at++) {
        given[at] = at >= first * row && at < end * row ? w->bid[at] : (double)NAN;
    }
    berth__ledger_set_bids(w->ledger, first, end, given, w->tie);
}

static world *world_new(berth__pcg *g, int H, bool bids) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    draw_cluster(w, g, H);
    for (int i = 0; i < JOBS; i++) {
        draw_job(w, g, i);
    }
    for (int r = 0; r < w->R; r++) {
        w->upper[r] = pick(g, 0, 4) == 0 ? 0 : pick(g, 2, 9); /* 0: nobody is expected to demand it */
        w->lower[r] = w->upper[r] > 0 ? 0.001 * pick(g, 1, 9) : 0;
    }
    berth_price_bounds bounds = {
        .struct_size = sizeof bounds, .n_resources = (size_t)w->R, .upper = w->upper, .lower = w->lower};
    berth_error error;
    assert_ok(berth__prices_new(&bounds, (size_t)w->R, &w->prices, &error), error);
    assert_ok(berth__ledger_new(w->cluster, bids ? NULL : w->prices, &w->ledger, &error), error);
    w->bids = bids;
    for (int r = 0; r < w->R && bids; r++) {
        w->tie[r] = pick(g, 0, 2) == 0 ? 0 : 0.1 * berth__pcg_uniform(g);
    }
    if (bids) {
        draw_bids(w, g, 0, w->T);
    }
    recount(w);
    return w;
}

static void world_free(world *w) {
    for (int i = 0; i < JOBS; i++) {
        berth__job_free(w->jobs[i]);
    }
    berth__ledger_free(w->ledger);
    berth__prices_free(w->prices);
    berth__cluster_free(w->cluster);
    free(w);
}

/* ---- what jobs hold and cost, from the raw numbers ---- */

/* Of `workers` and `servers` of a job. */
static double holding_price(const world *w, int slot, int h, int job, int workers, int servers) {
    double sum = 0;
    for (int r = 0; r < w->R; r++) {
        if (w->capacity[h * w->R + r] > 0) {
            sum += w->price[slot][h][r] * demand(w, job, r, workers, servers) / w->total[r];
        }
    }
    return sum;
}

static int servers_for(const world *w, int job, int workers) {
    int gamma = (int)w->specs[job].workers_per_ps;
    return w->specs[job].all_reduce ? 0 : (workers + gamma - 1) / gamma;
}

static bool within_quota(const world *w, int slot, int job, int workers) {
    for (int q = 0; q < QUOTAS; q++) {
        const char *tenant = w->specs[job].tenant;
        for (int r = 0; tenant != NULL && strcmp(tenant, w->quotas[q].tenant) == 0 && r < w->R; r++) {
            double more = demand(w, job, r, workers, servers_for(w, job, workers));
            /* a share of nothing is no limit */
            if (w->total[r] > 0 && w->tenant_held[slot][q][r] + more > w->quota[q * w->R + r]) {
                return false;
            }
        }
    }
    return true;
}

static bool fits(const world *w, const commit *c) {
    for (size_t k = 0; k < c->n_slots; k++) {
        int workers = 0;
        for (size_t i = 0; i < c->slots[k].n_placements; i++) {
            const berth_placement *p = &c->placements[k][i];
            workers += p->workers;
            if (!eligible(w, c->job, p->machine)) {
                return false;
            }
            for (int r = 0; r < w->R; r++) {
                double load = w->held[c->slots[k].slot][p->machine][r];
                if (load + demand(w, c->job, r, p->workers, p->ps) > w->capacity[p->machine * w->R + r]) {
                    return false;
                }
            }
        }
        if (!within_quota(w, c->slots[k].slot, c->job, workers)) {
            return false;
        }
    }
    return true;
}

/* ---- comparing ---- */

static void check_machines(const world *w, int t) {
    int idle[H_MAX] = {0}, lowest[H_MAX];
    for (int h = w->H - 1; h >= 0; h--) {
        lowest[w->cluster->class_of[h]] = w->H;
    }
    for (int h = w->H - 1; h >= 0; h--) {
        for (int r = 0; r < w->R; r++) {
            double share = w->total[r] > 0 ? w->held[t][h][r] / w->total[r] : 0;
            assert_close(berth__ledger_used(w->ledger, t, h, r), share, 1e-12);
            assert_close(berth__ledger_price(w->ledger, t, h, r), w->price[t][h][r], 1e-12);
        }
        idle[w->cluster->class_of[h]] += !w->touched[t][h];
        lowest[w->cluster->class_of[h]] = w->touched[t][h] ? lowest[w->cluster->class_of[h]] : h;
    }
    for (int k = 0; k < w->cluster->n_classes; k++) {
        assert_int_equal(w->ledger->slots[t].idle[k], idle[k]);
        assert_int_equal(w->ledger->slots[t].idle_from[k], lowest[k]);
    }
    for (int q = 0; q < QUOTAS; q++) {
        for (int r = 0; r < w->R && w->total[r] > 0; r++) {
            double got = w->ledger->tenant_used[(t * QUOTAS + q) * w->R + r];
            assert_close(got, w->tenant_held[t][q][r] / w->total[r], 1e-12);
        }
    }
}

static double free_share(const world *w, int t, int h, int r, berth__capacity_kind kind) {
    double used = kind == BERTH__FREE_CAPACITY ? w->held[t][h][r] : 0;
    return w->total[r] > 0 ? (w->capacity[h * w->R + r] - used) / w->total[r] : 0;
}

static void check_job_view(const world *w, int t, int job) {
    double free[H_MAX * R_MAX], worker[H_MAX], ps[H_MAX];
    berth__ledger_free_capacity(w->ledger, t, w->jobs[job], free);
    berth__ledger_unit_prices(w->ledger, t, w->jobs[job], worker, ps);
    int idle[H_MAX] = {0}, most = 0;
    for (int h = 0; h < w->H; h++) {
        bool may = eligible(w, job, h);
        for (int r = 0; r < w->R; r++) {
            assert_true(free[h * w->R + r] >= 0);
            assert_close(free[h * w->R + r], may ? free_share(w, t, h, r, BERTH__FREE_CAPACITY) : 0, 1e-12);
        }
        assert_close(worker[h], holding_price(w, t, h, job, 1, 0), 1e-12);
        assert_close(ps[h], holding_price(w, t, h, job, 0, 1), 1e-12);
        idle[w->cluster->class_of[h]] += may && !w->touched[t][h];
    }
    for (int k = 0; k < w->cluster->n_classes; k++) {
        assert_int_equal(berth__ledger_idle(w->ledger, t, w->jobs[job], k), idle[k]);
    }
    while (most < 20 && within_quota(w, t, job, most + 1)) {
        most++;
    }
    bool nowhere = false; /* demands of what the cluster lacks are infinite, and so beyond any quota that names it */
    for (int r = 0; r < w->R; r++) {
        nowhere = nowhere || (w->total[r] <= 0 && demand(w, job, r, 1, 1) > 0);
    }
    assert_true(nowhere || berth__ledger_quota_room(w->ledger, t, w->jobs[job], 20) == most);
}

static bool same(double a, double b) {
    return fabs(a - b) <= 1e-12 * fmax(1, fabs(b));
}

/* True if a machine is as group k says. A touched machine is a group of its own. */
static bool is_member(const world *w, int t, int job, int h, const berth__slot_groups *g, int k,
                      berth__capacity_kind kind) {
    bool own =
        g->machine[k] == h || (!w->touched[t][h] && w->cluster->class_of[g->machine[k]] == w->cluster->class_of[h]);
    bool alike = own && same(g->price_worker[k], holding_price(w, t, h, job, 1, 0)) &&
                 same(g->price_ps[k], holding_price(w, t, h, job, 0, 1));
    for (int r = 0; r < w->R && alike; r++) {
        alike = same(g->capacity[(size_t)r * (size_t)g->room + (size_t)k], free_share(w, t, h, r, kind));
    }
    return alike;
}

/* What the limits leave out. Prices so near to them that rounding decides do not occur. */
static bool too_dear(const world *w, int t, int job, int h, berth__price_limits limits) {
    return holding_price(w, t, h, job, 1, 0) >= limits.worker && holding_price(w, t, h, job, 0, 1) >= limits.ps;
}

/* Touched machines first, as an idle group may be named after one. */
static void check_groups(const world *w, int t, int job, berth__capacity_kind kind, berth__price_limits limits) {
    berth__slot_groups g;
    berth__arena *arena = berth__arena_new();
    assert_non_null(arena);
    assert_true(berth__slot_groups_room(arena, berth__slot_groups_most(w->ledger, t), w->R, &g));
    berth__slot_groups_fill(w->ledger, w->jobs[job], t, kind, limits, &g);
    assert_true(g.n_groups >= 0 && g.n_groups <= g.room && g.n_groups <= 2 * H_MAX);
    int left[2 * H_MAX];
    for (int k = 0; k < g.n_groups; k++) {
        left[k] = (int)g.count[k];
        assert_true(left[k] > 0 && left[k] == g.count[k]);
    }
    bool left_out = false;
    for (int pass = 0; pass < 2; pass++) {
        for (int h = 0; h < w->H; h++) {
            if (!eligible(w, job, h) || w->touched[t][h] != (pass == 0)) {
                continue;
            }
            if (too_dear(w, t, job, h, limits)) {
                left_out = true;
                continue;
            }
            int k = 0;
            while (k < g.n_groups && (left[k] == 0 || !is_member(w, t, job, h, &g, k, kind))) {
                k++;
            }
            if (k == g.n_groups) {
                fail_msg("machine %d is in no group of slot %d", h, t);
            }
            left[k]--;
        }
    }
    for (int k = 0; k < g.n_groups; k++) {
        assert_int_equal(left[k], 0);
    }
    assert_true(g.left_out == left_out);
    berth__arena_free(arena);
}

static double random_limit(berth__pcg *g) {
    double size = berth__pcg_uniform(g);
    return size < 0.1 ? 0 : size < 0.2 ? (double)INFINITY : pow(10, -8 * size);
}

static void check_world(const world *w, berth__pcg *g) {
    const berth__price_limits all = {.worker = (double)INFINITY, .ps = (double)INFINITY};
    for (int t = 0; t < w->T; t++) {
        check_machines(w, t);
        for (int job = 0; job < JOBS; job++) {
            check_job_view(w, t, job);
            check_groups(w, t, job, BERTH__FULL_CAPACITY, all);
            check_groups(w, t, job, BERTH__FREE_CAPACITY, all);
            berth__price_limits some = {.worker = random_limit(g), .ps = random_limit(g)};
            check_groups(w, t, job, pick(g, 0, 1) == 0 ? BERTH__FULL_CAPACITY : BERTH__FREE_CAPACITY, some);
        }
    }
}

/* ---- commits ---- */

static void draw_slot_plan(const world *w, berth__pcg *g, commit *c, int slot) {
    berth_placement *places = c->placements[c->n_slots];
    int workers = 0;
    size_t n = 0, kept = 0;
    for (int h = 0; h < w->H; h++) {
        /* Seldom where the job must not be, or hardly anything would be booked. */
        if (pick(g, 0, 2) == 0 && (eligible(w, c->job, h) || pick(g, 0, 19) == 0)) {
            places[n] = (berth_placement){.machine = h, .workers = pick(g, 0, 2)};
            workers += places[n++].workers;
        }
    }
    for (int servers = servers_for(w, c->job, workers); servers > 0; servers--) {
        places[pick(g, 0, (int)n - 1)].ps++;
    }
    for (size_t i = 0; i < n; i++) {
        if (places[i].workers > 0 || places[i].ps > 0) {
            places[kept++] = places[i];
        }
    }
    c->slots[c->n_slots] = (berth_slot_plan){.slot = slot, .n_placements = kept, .placements = places};
    c->n_slots += kept > 0;
}

/* Returns 1: booked, 0: refused, 2: there was nothing to book. */
static int try_commit(world *w, berth__pcg *g) {
    commit *c = &w->commits[w->n_commits];
    *c = (commit){.job = pick(g, 0, JOBS - 1)};
    for (int t = w->from; t < w->T; t++) {
        if (pick(g, 0, 1) == 0) {
            draw_slot_plan(w, g, c, t);
        }
    }
    double expected = 0;
    for (size_t k = 0; k < c->n_slots; k++) {
        for (size_t i = 0; i < c->slots[k].n_placements; i++) {
            const berth_placement *p = &c->slots[k].placements[i];
            expected += holding_price(w, c->slots[k].slot, p->machine, c->job, p->workers, p->ps);
        }
    }
    bool fit = fits(w, c);
    if (fit) {
        assert_close(berth__ledger_plan_price(w->ledger, w->jobs[c->job], c->n_slots, c->slots), expected, 1e-12);
    }
    assert_true(berth__ledger_fits(w->ledger, w->jobs[c->job], c->n_slots, c->slots) == fit);
    berth_error error;
    berth_status status = berth__ledger_commit(w->ledger, w->jobs[c->job], c->n_slots, c->slots, &error);
    assert_int_equal(status, fit ? BERTH_OK : BERTH_E_INTERNAL);
    w->n_commits += fit;
    recount(w);
    return c->n_slots == 0 ? 2 : fit;
}

/* Commits to fresh worlds of so many machines, a check every so often. */
static void commit_and_check(berth__pcg *g, int H, int every, int met[3]) {
    world *w = world_new(g, H, false);
    check_world(w, g);
    for (int i = 0; i < COMMITS; i++) {
        met[try_commit(w, g)]++;
        if (i % every == every - 1) {
            check_world(w, g);
        }
    }
    world_free(w);
}

static void test_few_machines(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(32, 1);
    int met[3] = {0};
    for (int number = 0; number < 1000; number++) {
        commit_and_check(&g, pick(&g, 1, FEW), 5, met);
    }
    print_message("booked %d, refused %d\n", met[1], met[0]);
    assert_true(met[1] > 3000 && met[0] > 3000);
}

/* More than are ever looked at together. */
static void test_many_machines(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(32, 2);
    int met[3] = {0};
    for (int number = 0; number < 12; number++) {
        commit_and_check(&g, pick(&g, 100, H_MAX), COMMITS, met);
    }
    print_message("booked %d, refused %d\n", met[1], met[0]);
    assert_true(met[1] > 20);
}

/* ---- taking back ---- */

/* A plan that has nothing before w->from. False: there is none. */
static bool try_release(world *w, berth__pcg *g) {
    int at = w->n_commits == 0 ? -1 : pick(g, 0, w->n_commits - 1);
    if (at < 0 || (w->commits[at].n_slots > 0 && w->commits[at].slots[0].slot < w->from)) {
        return false;
    }
    commit *c = &w->commits[at], *last = &w->commits[--w->n_commits];
    berth__ledger_release(w->ledger, w->jobs[c->job], c->n_slots, c->slots);
    *c = *last;
    for (size_t k = 0; k < c->n_slots; k++) {
        c->slots[k].placements = c->placements[k];
    }
    recount(w);
    return true;
}

static void change(world *w, berth__pcg *g, int *released) {
    int what = pick(g, 0, 9);
    if (what < 5 && w->n_commits < COMMITS) {
        (void)try_commit(w, g);
    } else if (what < 9) {
        *released += try_release(w, g);
    } else if (w->bids) {
        int first = pick(g, w->from, w->T - 1);
        draw_bids(w, g, first, pick(g, first + 1, w->T));
        recount(w);
    }
}

static void commits_and_releases(bool bids) {
    berth__pcg g = berth__pcg_seed(32, bids ? 4 : 5);
    int released = 0;
    for (int number = 0; number < 300; number++) {
        world *w = world_new(&g, pick(&g, 1, FEW), bids);
        for (int i = 0; i < 60; i++) {
            change(w, &g, &released);
            if (i % 10 == 9) {
                check_world(w, &g);
            }
        }
        while (w->n_commits > 0) { /* nothing is left of what all gave back */
            released += try_release(w, &g);
        }
        check_world(w, &g);
        for (int t = 0; t < w->T; t++) {
            assert_int_equal(w->ledger->slots[t].n_touched, 0);
        }
        world_free(w);
    }
    print_message("released %d\n", released);
    assert_true(released > 2000);
}

static void test_releases_with_prices(void **state) {
    (void)state;
    commits_and_releases(false);
}

static void test_releases_with_bids(void **state) {
    (void)state;
    commits_and_releases(true);
}

/* All that a ledger says, in its own order. */
typedef struct picture {
    double used[T_MAX][FEW][R_MAX], price[T_MAX][FEW][R_MAX];
    int n_touched[T_MAX], machine[T_MAX][FEW];
} picture;

static picture picture_of(const world *w) {
    picture p;
    memset(&p, 0, sizeof p);
    for (int t = 0; t < w->T; t++) {
        for (int h = 0; h < w->H; h++) {
            for (int r = 0; r < w->R; r++) {
                p.used[t][h][r] = berth__ledger_used(w->ledger, t, h, r);
                p.price[t][h][r] = berth__ledger_price(w->ledger, t, h, r);
            }
        }
        p.n_touched[t] = w->ledger->slots[t].n_touched;
        if (p.n_touched[t] > 0) {
            memcpy(p.machine[t], w->ledger->slots[t].machine, (size_t)p.n_touched[t] * sizeof(int));
        }
    }
    return p;
}

/* From the slot of a copy on, everything can be done and is gone afterwards. */
static void test_going_back(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(32, 6);
    int released = 0, changed = 0;
    world *before = calloc(1, sizeof *before);
    assert_non_null(before);
    berth__ledger_copy copy = {0}; /* taken again and again */
    for (int number = 0; number < 400; number++) {
        world *w = world_new(&g, pick(&g, 1, FEW), number % 2 == 0);
        for (int i = 0; i < 15; i++) {
            change(w, &g, &released);
        }
        w->from = pick(&g, 0, w->T - 1);
        *before = *w;
        picture first = picture_of(w);
        berth_error error;
        assert_ok(berth__ledger_save(w->ledger, w->from, &copy, &error), error);
        for (int i = 0; i < 15; i++) {
            change(w, &g, &released);
        }
        picture second = picture_of(w);
        changed += memcmp(&first, &second, sizeof first) != 0;
        assert_true(copy.taken);
        berth__ledger_restore(w->ledger, &copy);
        if (number % 3 == 0) {
            berth__ledger_copy_drop(&copy);
            assert_false(copy.taken);
        } else if (number % 3 == 1) {
            berth__ledger_copy_clear(&copy);
        }
        second = picture_of(w);
        assert_memory_equal(&first, &second, sizeof first);
        *w = *before;
        for (int c = 0; c < w->n_commits; c++) {
            for (size_t k = 0; k < w->commits[c].n_slots; k++) {
                w->commits[c].slots[k].placements = w->commits[c].placements[k];
            }
        }
        check_world(w, &g);
        for (int i = 0; i < 5; i++) { /* and it goes on */
            change(w, &g, &released);
        }
        check_world(w, &g);
        world_free(w);
    }
    berth__ledger_copy_clear(&copy);
    free(before);
    print_message("changed in between %d\n", changed);
    assert_true(changed > 200);
}

/* ---- groups of given classes ---- */

static void test_groups_of_classes(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(32, 3);
    for (int number = 0; number < 300; number++) {
        world *w = world_new(&g, pick(&g, 1, FEW), false);
        int machine[FEW];
        double count[FEW], prices[FEW * R_MAX];
        for (int k = 0; k < w->H; k++) {
            machine[k] = w->H - 1 - k;
            count[k] = pick(&g, 1, 5);
            for (int r = 0; r < w->R; r++) {
                prices[k * w->R + r] = pick(&g, 0, 3) == 0 ? 0 : berth__pcg_uniform(&g);
            }
        }
        berth__slot_groups groups;
        berth__arena *arena = berth__arena_new();
        assert_non_null(arena);
        assert_true(berth__slot_groups_room(arena, w->H, w->R, &groups));
        for (int job = 0; job < JOBS; job++) {
            berth__slot_groups_of_classes(w->cluster, w->jobs[job], w->H, machine, count, prices, &groups);
            int n = 0;
            for (int k = 0; k < w->H; k++) {
                if (!eligible(w, job, machine[k])) {
                    continue;
                }
                double worker = 0, ps = 0;
                for (int r = 0; r < w->R; r++) {
                    double share = w->total[r] > 0 ? 1 / w->total[r] : 0;
                    worker += prices[k * w->R + r] * demand(w, job, r, 1, 0) * share;
                    ps += prices[k * w->R + r] * demand(w, job, r, 0, 1) * share;
                    assert_close(groups.capacity[r * groups.room + n], w->capacity[machine[k] * w->R + r] * share,
                                 1e-12);
                }
                assert_true(groups.machine[n] == machine[k] && groups.count[n] == count[k]);
                assert_close(groups.price_worker[n], worker, 1e-12);
                assert_close(groups.price_ps[n], ps, 1e-12);
                n++;
            }
            assert_true(groups.n_groups == n && !groups.left_out);
        }
        berth__arena_free(arena);
        world_free(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_machines),         cmocka_unit_test(test_many_machines),
        cmocka_unit_test(test_releases_with_prices), cmocka_unit_test(test_releases_with_bids),
        cmocka_unit_test(test_going_back),           cmocka_unit_test(test_groups_of_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
