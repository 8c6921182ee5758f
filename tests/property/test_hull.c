/* Integer hulls against their definition; the configuration bound against the LP over all configurations, and below the
 * integer optimum by brute force; the internal case for all worker counts against the double loop.
 *
 * Seeds are fixed: a pass today is a pass for ever. */
#include "base/pcg.h"
#include "formulations/hull.h"
#include "formulations/internal_curve.h"
#include "formulations/lanes.h"
#include "formulations/slot.h"
#include "formulations/theta.h"
#include "solver/solve.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { RESOURCES = 4, GROUPS = 6, W_TOP = 9, S_TOP = 7, CONFIGURATIONS = (W_TOP + 1) * (S_TOP + 1) };

static bool chance(berth__pcg *stream, double p) {
    return berth__pcg_uniform(stream) < p;
}

static double uniform(berth__pcg *stream, double low, double high) {
    return low + (high - low) * berth__pcg_uniform(stream);
}

static int whole(berth__pcg *stream, int low, int high) {
    return (int)berth__pcg_integer(stream, low, high);
}

/* ---- instances ---- */

typedef struct instance {
    int n_groups, n_resources, w_top, s_top;
    bool all_reduce;
    double worker[RESOURCES], ps[RESOURCES];
    double free[GROUPS][RESOURCES], count[GROUPS], price_worker[GROUPS], price_ps[GROUPS];
} instance;

static berth__job job_of(instance *in) {
    return (berth__job){.worker = in->worker, .ps = in->ps, .max_workers = INT_MAX, .workers_per_ps = 1};
}

/* Demands as people write them, and room for exactly so many, give or take what may matter. */
static void draw_demands(berth__pcg *s, instance *in) {
    bool decimals = chance(s, 0.4), integers = chance(s, 0.4);
    for (int r = 0; r < in->n_resources; r++) {
        in->worker[r] = decimals ? 0.1 * whole(s, 0, 9) : integers ? whole(s, 0, 4) : uniform(s, 0.05, 3);
        in->ps[r] = decimals ? 0.1 * whole(s, 0, 9) : integers ? whole(s, 0, 4) : uniform(s, 0.05, 3);
        in->worker[r] *= chance(s, 0.85);
        in->ps[r] *= chance(s, 0.7) && !in->all_reduce;
        if (chance(s, 0.01)) {
            *(chance(s, 0.5) ? &in->worker[r] : &in->ps[r]) = (double)INFINITY;
        }
    }
    if (chance(s, 0.05)) {
        memset(chance(s, 0.5) ? in->worker : in->ps, 0, sizeof in->worker);
    }
}

static double draw_room(berth__pcg *s, const instance *in, int r) {
    static const double nudges[] = {1, 1 + 5e-10, 1 - 5e-10, 1 + 1e-9, 1 - 1e-9, 1 - 2e-9, 1 + 2e-16, 1 - 2e-16};
    double demand = in->worker[r] * whole(s, 0, W_TOP) + in->ps[r] * whole(s, 0, S_TOP);
    if (chance(s, 0.1) || !(demand < (double)INFINITY)) {
        return chance(s, 0.3) ? -1 : 0;
    }
    return chance(s, 0.5) ? demand * nudges[whole(s, 0, 7)] : uniform(s, 0, 25);
}

static void draw(berth__pcg *s, instance *in) {
    *in =
        (instance){.n_groups = whole(s, 1, GROUPS), .n_resources = whole(s, 0, RESOURCES), .w_top = whole(s, 0, W_TOP)};
    in->all_reduce = chance(s, 0.1);
    in->s_top = in->all_reduce ? 0 : whole(s, 0, S_TOP);
    draw_demands(s, in);
    bool ties = chance(s, 0.3), wide = chance(s, 0.3), free_units = chance(s, 0.2);
    for (int k = 0; k < in->n_groups; k++) {
        in->count[k] = chance(s, 0.7) ? 1 : whole(s, 0, 3);
        in->price_worker[k] = ties ? whole(s, 0, 2) : wide ? pow(10, uniform(s, -8, 4)) : uniform(s, 0, 2);
        in->price_ps[k] = ties ? whole(s, 0, 2) : wide ? pow(10, uniform(s, -8, 4)) : uniform(s, 0, 2);
        in->price_worker[k] *= !(free_units && chance(s, 0.6));
        in->price_ps[k] *= !(free_units && chance(s, 0.6));
        for (int r = 0; r < in->n_resources; r++) {
            in->free[k][r] = draw_room(s, in, r);
        }
    }
}

static void draw_numbered(uint64_t sample, int number, instance *in) {
    uint64_t key[] = {sample, (uint64_t)number};
    berth__pcg stream = berth__pcg_key(2, key);
    draw(&stream, in);
}

/* ---- one hull ---- */

/* The most servers within the hull above w, by its edges. */
static double height_at(const berth__hull *hull, double w) {
    double from_w = 0, from_s = hull->top;
    for (int i = 0; i < hull->n; i++) {
        const berth__point *end = &hull->ends[i];
        if (w <= end->w) {
            return from_s + (w - from_w) / (end->w - from_w) * (end->s - from_s);
        }
        from_w = end->w;
        from_s = end->s;
    }
    return w > from_w ? -1 : from_s;
}

static void check_hull(instance *in, int k, const berth__hull *hull, int number) {
    berth__job job = job_of(in);
    double last = 0, s = hull->top, slope = -1;
    assert_true(berth__fits(in->free[k], &job, in->n_resources, 0, (int)hull->top));
    for (int i = 0; i < hull->n; i++) {
        const berth__point *end = &hull->ends[i];
        double steeper = (s - end->s) / (end->w - last);
        if (!(end->w > last && steeper > slope && end->s >= 0 && end->s == floor(end->s) && end->w == floor(end->w)) ||
            !(end->w <= in->w_top && hull->top <= in->s_top) ||
            !berth__fits(in->free[k], &job, in->n_resources, (int)end->w, (int)end->s)) {
            fail_msg("instance %d machine %d: (%g, %g) does not fit or is no corner", number, k, end->w, end->s);
        }
        last = end->w;
        s = end->s;
        slope = steeper;
    }
    for (int w = 0; w <= in->w_top; w++) {
        for (int p = 0; p <= in->s_top; p++) {
            if (berth__fits(in->free[k], &job, in->n_resources, w, p) && p > height_at(hull, w) + 1e-9) {
                fail_msg("instance %d machine %d: (%d, %d) fits but is not in the hull", number, k, w, p);
            }
        }
    }
}

static void hull_is_what_fits(void **state) {
    (void)state;
    berth__hull hull = {0};
    for (int i = 0; i < 30000; i++) {
        instance in;
        draw_numbered(1, i, &in);
        for (int k = 0; k < in.n_groups; k++) {
            double spread[3 * RESOURCES];
            size_t stride = i % 2 == 0 ? 1 : 3;
            for (int r = 0; r < in.n_resources; r++) {
                spread[(size_t)r * stride] = in.free[k][r];
            }
            assert_true(berth__hull_build(&hull, spread, stride, in.worker, in.ps, in.n_resources, in.w_top, in.s_top));
            check_hull(&in, k, &hull, i);
        }
    }
    berth__hull_release(&hull);
}

/* Demands far below the room: long chains, and both orders of the axes. */
static void large_hulls(void **state) {
    (void)state;
    berth__hull hull = {0};
    const double free[] = {1, 1, 1};
    for (int i = 0; i < 60; i++) {
        berth__pcg s = berth__pcg_key(1, (uint64_t[]){(uint64_t)i});
        double worker[3], ps[3];
        for (int r = 0; r < 3; r++) {
            worker[r] = uniform(&s, 0.001, 0.02);
            ps[r] = uniform(&s, 0.001, 0.02);
        }
        berth__job job = {.worker = worker, .ps = ps};
        assert_true(berth__hull_build(&hull, free, 1, worker, ps, 3, 2000, 2000));
        for (int w = 0; w <= 2000; w++) {
            int most = -1;
            while (berth__fits(free, &job, 3, w, most + 1)) {
                most++;
            }
            double height = height_at(&hull, w);
            assert_true(most <= height + 1e-9 && (most >= 0) == (height >= 0));
        }
        for (int e = 0; e < hull.n; e++) {
            assert_true(berth__fits(free, &job, 3, (int)hull.ends[e].w, (int)hull.ends[e].s));
        }
    }
    assert_true(berth__hull_build(&hull, free, 1, (double[]){0, 0, 0}, (double[]){0, 0, 0}, 3, 1000000000, 1000000000));
    assert_true(hull.n == 1 && hull.top == 1e9 && hull.ends[0].w == 1e9 && hull.ends[0].s == 1e9);
    berth__hull_release(&hull);
}

/* ---- the configuration bound ---- */

typedef struct pairs {
    int n;
    double W[W_TOP + 1], S[W_TOP + 1];
} pairs;

static void list_pairs(const instance *in, double gamma, pairs *out) {
    out->n = in->w_top + 1;
    for (int i = 0; i <= in->w_top; i++) {
        out->W[i] = i;
        out->S[i] = fmin(in->s_top, ceil(i / gamma));
    }
}

static void solve(berth__theta *theta, const instance *in, const pairs *at, double *cost, double *lam, double *mu) {
    const berth__theta_problem p = {.n_groups = in->n_groups,
                                    .n_resources = in->n_resources,
                                    .count = in->count,
                                    .capacity = &in->free[0][0],
                                    .price_worker = in->price_worker,
                                    .price_ps = in->price_ps,
                                    .worker = in->worker,
                                    .ps = in->ps,
                                    .kind = BERTH__THETA_HULL};
    double packed[GROUPS * RESOURCES];
    for (int k = 0; k < in->n_groups; k++) {
        memcpy(packed + k * in->n_resources, in->free[k], sizeof(double) * (size_t)in->n_resources);
    }
    berth__theta_problem rows = p, columns = p;
    double spread[RESOURCES * GROUPS];
    rows.capacity = packed;
    columns.capacity = spread;
    columns.stride = GROUPS;
    for (int k = 0; k < in->n_groups; k++) {
        for (int r = 0; r < in->n_resources; r++) {
            spread[r * GROUPS + k] = in->free[k][r];
        }
    }
    double again[W_TOP + 1];
    size_t n = (size_t)at->n;
    assert_int_equal(berth__theta_solve(theta, &rows, n, at->W, at->S, cost, lam, mu), BERTH_OK);
    assert_int_equal(berth__theta_solve(theta, &columns, n, at->W, at->S, again, NULL, NULL), BERTH_OK);
    assert_memory_equal(cost, again, n * sizeof *cost);
    for (int i = 0; i < at->n; i++) {
        if (cost[i] < (double)INFINITY) {
            double dual = berth__theta_dual(&rows, at->W[i], at->S[i], lam[i], mu[i], at->W[n - 1], at->S[n - 1]);
            assert_true(fabs(dual - cost[i]) <= 1e-12 * (lam[i] * at->W[i] + mu[i] * at->S[i]));
        }
    }
}

/* The least cost of exactly whole placements: counts are machines. */
static void brute_force(instance *in, double best[W_TOP + 1][S_TOP + 1]) {
    berth__job job = job_of(in);
    for (int w = 0; w <= W_TOP; w++) {
        for (int s = 0; s <= S_TOP; s++) {
            best[w][s] = w + s == 0 ? 0 : (double)INFINITY;
        }
    }
    for (int k = 0; k < in->n_groups; k++) {
        for (int copy = 0; copy < (int)in->count[k]; copy++) {
            double after[W_TOP + 1][S_TOP + 1];
            memcpy(after, best, sizeof after);
            for (int w = 0; w <= in->w_top; w++) {
                for (int s = 0; s <= in->s_top; s++) {
                    if (!berth__fits(in->free[k], &job, in->n_resources, w, s)) {
                        continue;
                    }
                    double price = w * in->price_worker[k] + s * in->price_ps[k];
                    for (int a = 0; a + w <= in->w_top; a++) {
                        for (int b = 0; b + s <= in->s_top; b++) {
                            after[a + w][b + s] = fmin(after[a + w][b + s], best[a][b] + price);
                        }
                    }
                }
            }
            memcpy(best, after, sizeof after);
        }
    }
}

static void below_the_integer_optimum(void **state) {
    long feasible = 0, tight = 0;
    for (int i = 0; i < 6000; i++) {
        instance in;
        pairs at;
        double cost[W_TOP + 1], lam[W_TOP + 1], mu[W_TOP + 1], best[W_TOP + 1][S_TOP + 1];
        draw_numbered(2, i, &in);
        list_pairs(&in, 0.5 + i % 5, &at);
        solve(*state, &in, &at, cost, lam, mu);
        brute_force(&in, best);
        for (int j = 0; j < at.n; j++) {
            double exact = best[(int)at.W[j]][(int)at.S[j]];
            if (cost[j] > exact + 1e-13 * (lam[j] * at.W[j] + mu[j] * at.S[j])) {
                fail_msg("instance %d: bound %.17g over optimum %.17g at (%g, %g)", i, cost[j], exact, at.W[j],
                         at.S[j]);
            }
            feasible += exact < (double)INFINITY;
            tight += exact < (double)INFINITY && cost[j] >= exact * (1 - 1e-9);
        }
    }
    assert_true(feasible > 8000 && tight * 10 > feasible * 7);
}

/* ---- the same by an LP ---- */

/* min sum of configuration costs, each group using count configurations, covering W and S. */
static berth_status build_lp(instance *in, const pairs *at, berth__model **out, berth_error *error) {
    berth__job job = job_of(in);
    berth__model *m = NULL;
    berth_status status = berth__model_new(&m, error);
    for (int row = 0; row < 2 + in->n_groups && status == BERTH_OK; row++) {
        double count = row < 2 ? 0 : in->count[row - 2];
        status = berth__model_add_row(m, NULL, count, row < 2 ? (double)INFINITY : count, NULL, error);
    }
    int col = 0;
    for (int k = 0; k < in->n_groups; k++) {
        for (int c = 0; c < CONFIGURATIONS && status == BERTH_OK; c++) {
            int w = c / (S_TOP + 1), s = c % (S_TOP + 1);
            if (w > at->W[at->n - 1] || s > at->S[at->n - 1] ||
                !berth__fits(in->free[k], &job, in->n_resources, w, s)) {
                continue;
            }
            double price = w * in->price_worker[k] + s * in->price_ps[k];
            status = berth__model_add_col(m, NULL, price, 0, (double)INFINITY, false, NULL, error);
            double entries[] = {w, s, 1};
            for (int e = 0; e < 3 && status == BERTH_OK; e++) {
                status = berth__model_add_entry(m, e < 2 ? e : 2 + k, col, entries[e], error);
            }
            col++;
        }
    }
    if (status == BERTH_OK) {
        status = berth__model_finish(m, error);
    }
    if (status != BERTH_OK) {
        berth__model_free(m);
        m = NULL;
    }
    *out = m;
    return status;
}

static bool tame(const instance *in) {
    for (int k = 0; k < in->n_groups; k++) {
        const double prices[] = {in->price_worker[k], in->price_ps[k]};
        for (int i = 0; i < 2; i++) {
            if (prices[i] > 0 && !(prices[i] > 1e-4 && prices[i] < 100)) {
                return false; /* an LP code's tolerances are absolute */
            }
        }
    }
    return true;
}

static long compare_with_lp(berth__theta *theta, int number, const char *backend, const berth_backends *set) {
    instance in;
    pairs at;
    berth_error error;
    berth__model *model;
    berth__lp *lp;
    double cost[W_TOP + 1], lam[W_TOP + 1], mu[W_TOP + 1];
    long compared = 0;
    draw_numbered(3, number, &in);
    if (!tame(&in)) {
        return 0;
    }
    list_pairs(&in, 0.5 + number % 5, &at);
    solve(theta, &in, &at, cost, lam, mu);
    assert_ok(build_lp(&in, &at, &model, &error), error);
    assert_ok(berth__lp_open(model, set, backend, &lp, &error), error);
    for (int j = at.n - 1; j >= 0; j -= 2) {
        const berth__lp_result *result;
        berth__lp_options options;
        berth__lp_options_init(&options);
        assert_ok(berth__lp_set_row_bounds(lp, 0, at.W[j], (double)INFINITY, &error), error);
        assert_ok(berth__lp_set_row_bounds(lp, 1, at.S[j], (double)INFINITY, &error), error);
        assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
        if ((result->outcome == BERTH_OPTIMAL) != (cost[j] < (double)INFINITY) ||
            (result->outcome == BERTH_OPTIMAL && fabs(result->objective - cost[j]) > 1e-7 * fmax(1, cost[j]))) {
            fail_msg("instance %d, (%g, %g): bound %.17g, LP %s %.17g", number, at.W[j], at.S[j], cost[j],
                     berth_outcome_name(result->outcome), result->objective);
        }
        compared++;
    }
    berth__lp_close(lp);
    berth__model_free(model);
    return compared;
}

static void equals_the_lp(void **state) {
    berth_backends *set = all_backends();
    for (size_t b = 0; b < berth_backends_count(set); b++) {
        long compared = 0;
        if (berth__backend_find(set, berth_backends_name(set, b), BERTH__BACKEND_LP) == NULL) {
            continue;
        }
        for (int i = 0; i < 800; i++) {
            compared += compare_with_lp(*state, i, berth_backends_name(set, b), set);
        }
        assert_true(compared > 1000);
    }
    berth_backends_free(set);
}

/* ---- the internal case ---- */

/* Without instructions that not every processor has. */
static void plain_rooms(const instance *in, const berth__job *job, int limit, int *room) {
    berth__lane_rooms question = {.n_resources = in->n_resources,
                                  .limit = limit,
                                  .free = in->free[0],
                                  .machine_stride = RESOURCES,
                                  .resource_stride = 1,
                                  .worker = in->worker,
                                  .ps = in->ps,
                                  .workers_per_ps = job->workers_per_ps};
    for (int r = 0; r < in->n_resources; r++) {
        question.per_unit[r] = 1 / (in->worker[r] + in->ps[r] / job->workers_per_ps);
    }
    berth__lanes_rooms_plain(&question, in->n_groups, room);
}

static void room_is_the_most_that_fits(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        instance in;
        draw_numbered(4, i, &in);
        berth__job job = job_of(&in);
        const double gammas[] = {1, 0.4, 2, 1.1, 3, 10, (double)INFINITY};
        job.workers_per_ps = in.all_reduce ? (double)INFINITY : gammas[i % 6];
        int limit = i % 40, rows[GROUPS], columns[GROUPS], plain[GROUPS];
        double spread[RESOURCES * GROUPS];
        for (int k = 0; k < in.n_groups; k++) {
            for (int r = 0; r < in.n_resources; r++) {
                spread[r * GROUPS + k] = in.free[k][r];
            }
        }
        berth__internal_rooms(in.n_groups, in.free[0], RESOURCES, 1, &job, in.n_resources, limit, rows);
        berth__internal_rooms(in.n_groups, spread, 1, GROUPS, &job, in.n_resources, limit, columns);
        plain_rooms(&in, &job, limit, plain);
        for (int k = 0; k < in.n_groups; k++) {
            int most = 0;
            while (most < limit &&
                   berth__fits(in.free[k], &job, in.n_resources, most + 1, berth__ps_needed(&job, most + 1))) {
                most++;
            }
            assert_int_equal(rows[k], most);
            assert_int_equal(columns[k], most);
            assert_int_equal(plain[k], most);
            assert_int_equal(berth__internal_room(spread + k, GROUPS, &job, in.n_resources, limit), most);
        }
    }
}

enum { CURVE_GROUPS = 300, CURVE_COUNTS = 60 };

typedef struct curve {
    int n_groups, n, room[CURVE_GROUPS], servers[CURVE_COUNTS];
    double price_worker[CURVE_GROUPS], price_ps[CURVE_GROUPS];
} curve;

static void draw_curve(berth__pcg *s, curve *c) {
    int family = whole(s, 0, 4);
    double gamma = uniform(s, 0.5, 8);
    bool all_reduce = chance(s, 0.1);
    c->n_groups = whole(s, 0, chance(s, 0.3) ? CURVE_GROUPS : 12);
    c->n = whole(s, 0, CURVE_COUNTS);
    for (int i = 0; i < c->n; i++) {
        c->servers[i] = all_reduce ? 0 : (int)ceil((i + 1) / gamma);
    }
    for (int k = 0; k < c->n_groups; k++) {
        double x = berth__pcg_uniform(s), y = berth__pcg_uniform(s);
        c->room[k] = whole(s, 0, chance(s, 0.2) ? 2 * CURVE_COUNTS : 8);
        c->price_worker[k] = family == 0 ? whole(s, 0, 2) : family == 1 ? pow(10, 12 * x - 8) : x;
        /* family 2: all on a convex curve, so that none is beaten by another in both prices */
        c->price_ps[k] = family == 0 ? whole(s, 0, 2) : family == 1 ? pow(10, 12 * y - 8) : family == 2 ? 0.01 / x : y;
        if (c->room[k] == 0) {
            c->price_worker[k] = (double)NAN;
        }
        if (family == 3 && chance(s, 0.5)) {
            c->price_worker[k] = c->price_ps[k] = 0;
        }
    }
}

static double curve_cost(const curve *c, int k, int i) {
    return (i + 1) * c->price_worker[k] + (c->servers[i] > 0 ? c->servers[i] * c->price_ps[k] : 0);
}

static void curve_equals_the_double_loop(void **state) {
    (void)state;
    berth__arena *scratch = berth__arena_new();
    assert_non_null(scratch);
    for (int number = 0; number < 20000; number++) {
        curve c;
        double cost[CURVE_COUNTS];
        int group[CURVE_COUNTS];
        berth__pcg s = berth__pcg_key(2, (uint64_t[]){5, (uint64_t)number});
        draw_curve(&s, &c);
        assert_int_equal(
            berth__internal_curve(c.n_groups, c.price_worker, c.price_ps, c.room, c.n, c.servers, scratch, cost, group),
            BERTH_OK);
        for (int i = 0; i < c.n; i++) {
            double least = (double)INFINITY;
            int first = -1;
            for (int k = 0; k < c.n_groups; k++) {
                if (c.room[k] >= i + 1 && curve_cost(&c, k, i) < least) {
                    least = curve_cost(&c, k, i);
                    first = k;
                }
            }
            int k = group[i];
            if ((k < 0) != (first < 0) || (k >= 0 && (c.room[k] < i + 1 || cost[i] != curve_cost(&c, k, i))) ||
                !(cost[i] <= least * (1 + 1e-15))) {
                fail_msg("curve %d, %d workers: %.17g on %d instead of %.17g on %d", number, i + 1, cost[i], k, least,
                         first);
            }
            for (int other = 0; other < k; other++) {
                assert_false(c.room[other] > i && c.price_worker[other] == c.price_worker[k] &&
                             c.price_ps[other] == c.price_ps[k]);
            }
        }
    }
    berth__arena_free(scratch);
}

static int set_up(void **state) {
    *state = berth__theta_new();
    return *state == NULL ? -1 : 0;
}

static int tear_down(void **state) {
    berth__theta_free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hull_is_what_fits),          cmocka_unit_test(large_hulls),
        cmocka_unit_test(below_the_integer_optimum),  cmocka_unit_test(equals_the_lp),
        cmocka_unit_test(room_is_the_most_that_fits), cmocka_unit_test(curve_equals_the_double_loop),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
