/* The slot problem on thousands of random small instances, against an LP assembled here, brute force, and a second
 * reading of every constraint. Seeds are fixed, so a verdict never varies. */
#include "formulations/slot.h"
#include "formulations/slot_lp.h"
#include "formulations/theta.h"

#include "base/pcg.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

/* MANY machines where sifting is the subject. */
enum { MAX_H = 8, MANY = 60, MAX_R = 4 };

static berth_error error;
static berth_backends *backends;

static int open_backends(void **state) {
    (void)state;
    backends = all_backends();
    return 0;
}

static int close_backends(void **state) {
    (void)state;
    berth_backends_free(backends);
    return 0;
}

/* ---- random problems ---- */

typedef struct sample {
    berth__slot_problem p;
    berth__job job;
    double free[MANY * MAX_R], price_worker[MANY], price_ps[MANY];
    double worker[MAX_R], ps[MAX_R];
    bool eligible[MANY];
    int H, R;
} sample;

static int pick(berth__pcg *g, int low, int high) {
    return (int)berth__pcg_integer(g, low, high);
}

static double price(berth__pcg *g, int kind) {
    switch (kind) {
    case 0: /* few distinct prices: ties */
        return pick(g, 0, 3);
    case 1:
        return berth__pcg_uniform(g);
    case 2: /* an exponential price function over half of its range */
        return pow(10, -6 * berth__pcg_uniform(g));
    default: /* small in absolute terms */
        return 1e-9 * (1 + berth__pcg_uniform(g));
    }
}

/* Demands and capacities in tenths: what fits often fits exactly. */
static void draw_sizes(sample *s, berth__pcg *g, int max_room) {
    for (int r = 0; r < s->R; r++) {
        s->worker[r] = 0.1 * pick(g, r == 0, 5);
        s->ps[r] = s->job.workers_per_ps < (double)INFINITY ? 0.1 * pick(g, 0, 5) : 0;
        for (int h = 0; h < s->H; h++) {
            s->free[h * s->R + r] = 0.1 * pick(g, 0, max_room);
        }
    }
    if (pick(g, 0, 9) == 0) { /* the cluster has none of the last resource */
        int r = s->R - 1;
        s->worker[r] = r > 0 && pick(g, 0, 1) == 0 ? 0 : (double)INFINITY;
        s->ps[r] = 0;
        for (int h = 0; h < s->H; h++) {
            s->free[h * s->R + r] = 0;
        }
    }
}

static void draw_sample(sample *s, berth__pcg *g, int max_h, int max_f, int max_room) {
    static const double gammas[] = {1, 1, 1.5, 2, 2.5, 3, 4, 10};
    memset(s, 0, sizeof *s);
    s->H = pick(g, 1, max_h);
    s->R = pick(g, 1, MAX_R);
    s->job.max_workers = pick(g, 1, max_f);
    s->job.workers_per_ps = pick(g, 0, 7) == 0 ? (double)INFINITY : gammas[pick(g, 0, 7)];
    s->job.slot_samples[BERTH_INTERNAL] = 1;
    s->job.slot_samples[BERTH_EXTERNAL] = pick(g, 0, 2) == 0 ? 2 : 0.5;
    draw_sizes(s, g, max_room);
    int kind = pick(g, 0, 3);
    for (int h = 0; h < s->H; h++) {
        s->price_worker[h] = price(g, kind);
        s->price_ps[h] = price(g, kind);
        s->eligible[h] = pick(g, 0, 7) > 0;
    }
    s->job.worker = s->worker;
    s->job.ps = s->ps;
    s->job.eligible = pick(g, 0, 1) == 0 ? s->eligible : NULL;
    s->p = (berth__slot_problem){s->H, s->R, s->free, s->price_worker, s->price_ps, &s->job};
}

/* ---- an independent reading of the constraints ---- */

static bool has_room(const sample *s, int h, int w, int ps) {
    for (int r = 0; r < s->R; r++) {
        double load = 0;
        if (w > 0) {
            load += w * s->worker[r];
        }
        if (ps > 0) {
            load += ps * s->ps[r];
        }
        if (load > s->free[h * s->R + r] * (1 + 1e-9)) {
            return false;
        }
    }
    return true;
}

static bool is_eligible(const sample *s, int h) {
    return s->job.eligible == NULL || s->job.eligible[h];
}

static int servers_for(const sample *s, int workers) {
    int n = 0;
    while (s->job.workers_per_ps < (double)INFINITY && s->job.workers_per_ps * n < workers * (1 - 1e-12)) {
        n++;
    }
    return n;
}

static bool must_spread(const sample *s) {
    return s->job.slot_samples[BERTH_INTERNAL] < s->job.slot_samples[BERTH_EXTERNAL];
}

static double check_placement(const sample *s, int workers, const int *w, const int *ps) {
    int total_w = 0, total_s = 0, used = 0;
    double cost = 0;
    for (int h = 0; h < s->H; h++) {
        assert_true(w[h] >= 0 && ps[h] >= 0);
        if (w[h] + ps[h] == 0) {
            continue;
        }
        assert_true(is_eligible(s, h));
        assert_true(has_room(s, h, w[h], ps[h]));
        total_w += w[h];
        total_s += ps[h];
        used++;
        cost += w[h] * s->price_worker[h] + ps[h] * s->price_ps[h];
    }
    assert_int_equal(total_w, workers);
    assert_true(total_w <= s->job.max_workers);
    assert_int_equal(total_s, servers_for(s, workers));
    assert_true(used > 1 || !must_spread(s));
    return cost;
}

/* Least cost of placing w workers and ps servers on machines h.. in all ways; `used` machines so far. */
static double brute_force(const sample *s, int h, int w, int ps, int used, bool spread) {
    if (h == s->H) {
        return w == 0 && ps == 0 && (used > 1 || !spread) ? 0 : (double)INFINITY;
    }
    double best = brute_force(s, h + 1, w, ps, used, spread);
    for (int i = 0; i <= w && is_eligible(s, h); i++) {
        for (int k = i == 0; k <= ps; k++) {
            if (!has_room(s, h, i, k)) {
                break;
            }
            double rest = brute_force(s, h + 1, w - i, ps - k, used + 1, spread);
            best = fmin(best, rest + i * s->price_worker[h] + k * s->price_ps[h]);
        }
    }
    return best;
}

/* ---- the LP, assembled here without the formulation's helpers ---- */

static void add_machine(berth__model *model, const sample *s, int h, double unit) {
    bool worker = is_eligible(s, h) && has_room(s, h, 1, 0), ps = is_eligible(s, h) && has_room(s, h, 0, 1);
    int w_col, s_col;
    assert_ok(berth__model_add_col(model, NULL, s->price_worker[h] / unit, 0, worker ? 1e6 : 0, false, &w_col, &error),
              error);
    assert_ok(berth__model_add_col(model, NULL, s->price_ps[h] / unit, 0, ps ? 1e6 : 0, false, &s_col, &error), error);
    assert_ok(berth__model_add_entry(model, 0, w_col, 1, &error), error);
    assert_ok(berth__model_add_entry(model, 1, w_col, 1, &error), error);
    assert_ok(berth__model_add_entry(model, 2, s_col, 1, &error), error);
    for (int r = 0; r < s->R; r++) {
        int row;
        assert_ok(berth__model_add_row(model, NULL, -(double)INFINITY, s->free[h * s->R + r], &row, &error), error);
        if (worker) {
            assert_ok(berth__model_add_entry(model, row, w_col, s->worker[r], &error), error);
        }
        if (ps) {
            assert_ok(berth__model_add_entry(model, row, s_col, s->ps[r], &error), error);
        }
    }
}

static double reference_value(const sample *s, int workers, double unit) {
    berth__model *model = NULL;
    berth__lp *lp = NULL;
    const berth__lp_result *result = NULL;
    assert_ok(berth__model_new(&model, &error), error);
    assert_ok(berth__model_add_row(model, "F", -(double)INFINITY, s->job.max_workers, NULL, &error), error);
    assert_ok(berth__model_add_row(model, "W", workers, (double)INFINITY, NULL, &error), error);
    assert_ok(berth__model_add_row(model, "S", servers_for(s, workers), (double)INFINITY, NULL, &error), error);
    for (int h = 0; h < s->H; h++) {
        add_machine(model, s, h, unit);
    }
    assert_ok(berth__model_finish(model, &error), error);
    assert_ok(berth__lp_open(model, backends, "glpk", &lp, &error), error);
    berth__lp_options options;
    berth__lp_options_init(&options);
    options.integers = false;
    assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
    double value = result->outcome == BERTH_INFEASIBLE ? (double)INFINITY : result->objective * unit;
    assert_true(result->outcome == BERTH_INFEASIBLE || result->outcome == BERTH_OPTIMAL);
    berth__lp_close(lp);
    berth__model_free(model);
    return value;
}

static double slot_value(berth__slot_lp *lp, int workers, const double **x) {
    double value;
    assert_ok(berth__slot_lp_solve(lp, workers, NULL, &value, x, &error), error);
    return value;
}

static berth__slot_lp *open_lp(const sample *s) {
    berth__slot_lp *lp = NULL;
    assert_ok(berth__slot_lp_new(&s->p, backends, "auto", &lp, &error), error);
    return lp;
}

/* Starts with the fewest columns that can hold the need, or with all. */
static berth__slot_lp *open_sifting(const sample *s, bool whole) {
    berth__slot_lp *lp = open_lp(s);
    lp->columns_to_start = whole ? MANY : 1;
    lp->room_to_start = 1;
    return lp;
}

/* ---- tests ---- */

static void counts_agree_with_trying(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(1, 1);
    for (int n = 0; n < 20000; n++) {
        sample s;
        draw_sample(&s, &g, 1, 5, 40);
        int limit = pick(&g, 0, 50), count = 0;
        while (count < limit && has_room(&s, 0, count + 1, 0)) {
            count++;
        }
        assert_int_equal(berth__fit_count(s.free, s.worker, s.R, limit), count);
        int w = pick(&g, 0, 9), ps = pick(&g, 0, 9);
        assert_int_equal(berth__fits(s.free, &s.job, s.R, w, ps), has_room(&s, 0, w, ps));
    }
    const double negative[] = {-1e-18}, some[] = {0.1}, none[] = {0}, endless[] = {(double)INFINITY};
    assert_int_equal(berth__fit_count(negative, some, 1, 5), 0);
    assert_int_equal(berth__fit_count(negative, none, 1, 5), 5);
    assert_int_equal(berth__fit_count(some, endless, 1, 5), 0);
    assert_int_equal(berth__fit_count(some, some, 1, -3), 0);
}

static void internal_case_equals_brute_force(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(1, 2);
    int found = 0;
    for (int n = 0; n < 20000; n++) {
        sample s;
        draw_sample(&s, &g, MAX_H, 6, 30);
        int workers = pick(&g, 1, s.job.max_workers), best = -1, machine;
        double least = (double)INFINITY, cost;
        for (int h = s.H - 1; h >= 0; h--) {
            int ps = servers_for(&s, workers);
            double here = workers * s.price_worker[h] + ps * s.price_ps[h];
            if (is_eligible(&s, h) && has_room(&s, h, workers, ps) && here <= least) {
                least = here;
                best = h;
            }
        }
        assert_int_equal(berth__slot_internal(&s.p, workers, &machine, &cost), best >= 0);
        assert_int_equal(machine, best);
        assert_close(cost, least, 1e-15);
        found += best >= 0;
        assert_false(berth__slot_internal(&s.p, s.job.max_workers + 1, &machine, &cost));
        assert_false(berth__slot_internal(&s.p, 0, &machine, &cost));
    }
    assert_true(found > 2000 && found < 18000);
}

/* The solution that comes with a value: within rows, and of that price. */
static void check_solution(const sample *s, int workers, double value, const double *x) {
    double total_w = 0, total_s = 0, cost = 0;
    for (int h = 0; h < s->H; h++) {
        double w = x[h], ps = x[s->H + h];
        assert_true(w >= 0 && ps >= 0);
        assert_true(w + ps == 0 || is_eligible(s, h));
        for (int r = 0; r < s->R; r++) {
            double load = (w > 0 ? w * s->worker[r] : 0) + (ps > 0 ? ps * s->ps[r] : 0);
            assert_at_most(load, s->free[h * s->R + r], 1e-6);
        }
        total_w += w;
        total_s += ps;
        cost += (w > 0 ? w * s->price_worker[h] : 0) + (ps > 0 ? ps * s->price_ps[h] : 0);
    }
    assert_at_most(workers, total_w, 1e-6);
    assert_at_most(total_w, s->job.max_workers, 1e-6);
    assert_at_most(servers_for(s, workers), total_s, 1e-6);
    assert_true(fabs(cost - value) <= 1e-12 * value);
}

static void relaxation_equals_another_solver(void **state) {
    (void)state;
#ifndef BERTH_WITH_GLPK
    skip();
#endif
    berth__pcg g = berth__pcg_seed(1, 3);
    int feasible = 0, infeasible = 0;
    for (int n = 0; n < 1500; n++) {
        sample s;
        draw_sample(&s, &g, MAX_H, 12, 30);
        berth__slot_lp *lp = open_lp(&s);
        for (int workers = s.job.max_workers; workers >= 1; workers -= 3) {
            const double *x;
            double value = slot_value(lp, workers, &x);
            /* In units of the value: a solver's tolerance is absolute. */
            double unit = isfinite(value) && value > 1e-12 ? value : 1;
            double reference = reference_value(&s, workers, unit);
            assert_int_equal(isfinite(value), isfinite(reference));
            if (isfinite(value)) {
                if (fabs(value - reference) > 1e-7 * unit) {
                    fail_msg("problem %d, W = %d: %.17g, expected %.17g", n, workers, value, reference);
                }
                check_solution(&s, workers, value, x);
                feasible++;
            } else {
                infeasible++;
            }
        }
        berth__slot_lp_free(lp);
    }
    assert_true(feasible > 500 && infeasible > 500);
}

static double theta_value(berth__theta *theta, const sample *s, int workers) {
    double count[MAX_H], cost, W = workers, S = servers_for(s, workers);
    for (int h = 0; h < MAX_H; h++) {
        count[h] = 1;
    }
    const berth__theta_problem p = {.n_groups = s->H,
                                    .n_resources = s->R,
                                    .count = count,
                                    .capacity = s->free,
                                    .price_worker = s->price_worker,
                                    .price_ps = s->price_ps,
                                    .worker = s->worker,
                                    .ps = s->ps};
    assert_int_equal(berth__theta_solve(theta, &p, 1, &W, &S, &cost, NULL, NULL), BERTH_OK);
    return cost;
}

/* Prices over twelve orders of magnitude are beyond a solver's absolute tolerances: every problem must be solved all
 * the same, never below the bound of another method, and nearly always at it. */
static void steep_prices_are_survived(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(1, 7);
    berth__theta *theta = berth__theta_new();
    int compared = 0, off = 0;
    for (int n = 0; n < 4000; n++) {
        sample s;
        const double *x;
        draw_sample(&s, &g, MAX_H, 12, 40);
        bool all_fit = true;
        for (int h = 0; h < s.H; h++) {
            s.price_worker[h] = pow(10, -12 * berth__pcg_uniform(&g));
            s.price_ps[h] = pow(10, -12 * berth__pcg_uniform(&g));
            all_fit = all_fit && is_eligible(&s, h) && has_room(&s, h, 1, 0) && has_room(&s, h, 0, 1);
        }
        berth__slot_lp *lp = n % 2 == 0 ? open_lp(&s) : open_sifting(&s, false);
        int workers = pick(&g, 1, s.job.max_workers);
        double value = slot_value(lp, workers, &x);
        if (all_fit && isfinite(value)) {
            double bound = theta_value(theta, &s, workers);
            assert_true(value >= bound * (1 - 1e-7));
            compared++;
            off += value > bound * (1 + 1e-6);
        }
        berth__slot_lp_free(lp);
    }
    berth__theta_free(theta);
    assert_true(compared > 500 && off <= compared / 200);
}

static void order_of_solves_does_not_matter(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(1, 4);
    for (int n = 0; n < 300; n++) {
        sample s;
        const double *x;
        draw_sample(&s, &g, MAX_H, 12, 40);
        berth__slot_lp *kept = open_lp(&s);
        for (int k = 0; k < 6; k++) {
            int workers = pick(&g, 1, s.job.max_workers + 1);
            berth__slot_lp *fresh = open_lp(&s);
            double warm = slot_value(kept, workers, &x), cold = slot_value(fresh, workers, &x);
            assert_true(warm == cold || fabs(warm - cold) <= 1e-7 * cold);
            assert_true(isinf(warm) || workers <= s.job.max_workers);
            berth__slot_lp_free(fresh);
        }
        berth__slot_lp_free(kept);
    }
}

typedef struct sifting {
    int settled_early, whole, grown, infeasible;
} sifting;

/* The value for W workers, by sifting, over all columns at once, and now and then by another solver. */
static void check_sifting(const sample *s, int n, int workers, berth__slot_lp *narrow, berth__slot_lp *wide,
                          sifting *tally) {
    const double *x, *all;
    int before = narrow->set.columns.n_cols;
    double value = slot_value(narrow, workers, &x), expected = slot_value(wide, workers, &all);
    assert_true(isinf(expected) || berth__slot_set_is_whole(&wide->set, wide));
    if (isfinite(value) != isfinite(expected) || (isfinite(value) && fabs(value - expected) > 1e-7 * expected)) {
        fail_msg("problem %d, W = %d: %.17g, expected %.17g", n, workers, value, expected);
    }
    if (isfinite(value)) {
        check_solution(s, workers, value, x);
        bool whole = berth__slot_set_is_whole(&narrow->set, narrow);
        tally->whole += whole;
        tally->settled_early += !whole;
        tally->grown += before > 0 && narrow->set.columns.n_cols > before;
    } else {
        for (int j = 0; j < 2 * s->H; j++) {
            assert_true(x[j] == 0);
        }
        tally->infeasible++;
    }
#ifdef BERTH_WITH_GLPK
    if (n % 10 == 0) {
        double unit = isfinite(value) && value > 1e-12 ? value : 1, reference = reference_value(s, workers, unit);
        assert_int_equal(isfinite(value), isfinite(reference));
        assert_true(isinf(value) || fabs(value - reference) <= 1e-7 * unit);
    }
#endif
}

static void sifting_equals_the_whole(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(1, 8);
    sifting tally = {0};
    for (int n = 0; n < 600; n++) {
        sample s;
        draw_sample(&s, &g, n % 2 == 0 ? MAX_H : MANY, 40, 30);
        berth__slot_lp *narrow = open_sifting(&s, false), *wide = open_sifting(&s, true);
        for (int workers = 1; workers <= s.job.max_workers; workers += pick(&g, 1, 6)) {
            check_sifting(&s, n, workers, narrow, wide, &tally);
        }
        berth__slot_lp_free(narrow);
        berth__slot_lp_free(wide);
    }
    print_message("%d settled over some columns, %d over all, %d infeasible; %d sets grew\n", tally.settled_early,
                  tally.whole, tally.infeasible, tally.grown);
    assert_true(tally.settled_early > 500 && tally.whole > 100 && tally.infeasible > 500 && tally.grown > 500);
}

typedef struct tally {
    int possible, drawn, mended;
} tally;

static berth__slot_rounding round_once(berth__slot_lp *lp, int n, bool repair, int *w, int *ps) {
    const uint64_t key[] = {7, (uint64_t)n};
    berth__pcg stream = berth__pcg_key(2, key);
    const berth__scale_choice choice = {n % 2 == 0 ? BERTH_SCALE_AUTO : BERTH_SCALE_PAPER,
                                        n % 3 == 0 ? BERTH_FAVOUR_PACKING : BERTH_FAVOUR_COVER, 0.5, 0};
    berth__slot_rounding out;
    memset(w, 0xff, MAX_H * sizeof *w);
    assert_ok(berth__slot_lp_round(lp, &choice, 8, repair, NULL, &stream, w, ps, &out, &error), error);
    return out;
}

static void check_rounding(const sample *s, int n, int workers, double optimum, tally *t) {
    berth__slot_lp *lp = n % 4 < 2 ? open_lp(s) : open_sifting(s, false);
    const double *x;
    int w[2][MAX_H], ps[2][MAX_H];
    double value = slot_value(lp, workers, &x);
    assert_true(value <= optimum * (1 + 1e-7));
    bool plain = false;
    for (int repair = 0; repair < 2; repair++) {
        berth__slot_rounding out = round_once(lp, n, repair == 1, w[0], ps[0]);
        assert_true(out.draws <= 8);
        if (out.feasible) {
            double cost = check_placement(s, workers, w[0], ps[0]);
            assert_true(fabs(out.cost - cost) <= 1e-12 * cost);
            assert_true(cost >= optimum * (1 - 1e-12) && isfinite(optimum));
        } else {
            const int zeros[MAX_H] = {0};
            assert_true(isinf(out.cost));
            assert_memory_equal(w[0], zeros, (size_t)s->H * sizeof *zeros);
        }
        berth__slot_rounding again = round_once(lp, n, repair == 1, w[1], ps[1]);
        assert_int_equal(again.feasible, out.feasible);
        assert_memory_equal(w[0], w[1], (size_t)s->H * sizeof w[0][0]);
        assert_memory_equal(ps[0], ps[1], (size_t)s->H * sizeof ps[0][0]);
        assert_true(repair == 0 || out.feasible || !plain);
        plain = out.feasible;
        t->possible += repair == 0 && isfinite(optimum);
        t->drawn += repair == 0 && out.feasible;
        t->mended += repair == 1 && out.feasible;
    }
    berth__slot_lp_free(lp);
}

static void roundings_keep_every_constraint(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(1, 5);
    tally t = {0};
    for (int n = 0; n < 3000; n++) {
        sample s;
        draw_sample(&s, &g, 3, 4, 20);
        int workers = pick(&g, 1, s.job.max_workers), ps = servers_for(&s, workers);
        double optimum = brute_force(&s, 0, workers, ps, 0, must_spread(&s));
        check_rounding(&s, n, workers, optimum, &t);
    }
    print_message("%d problems with a placement: %d found by drawing, %d with repair\n", t.possible, t.drawn, t.mended);
    assert_true(t.possible > 500);
    assert_true(t.drawn > t.possible / 2);
    assert_true(t.mended > t.possible * 3 / 4 && t.mended > t.drawn);
}

/* One machine is cheapest, but the job is slower on one: two must be used, and can be. */
static void slow_inside_means_two_machines(void **state) {
    (void)state;
    sample s;
    memset(&s, 0, sizeof s);
    s.H = 3;
    s.R = 1;
    s.worker[0] = s.ps[0] = 0.1;
    for (int h = 0; h < 3; h++) {
        s.free[h] = 1;
        s.price_worker[h] = s.price_ps[h] = 1 + h;
    }
    s.job = (berth__job){.max_workers = 4, .workers_per_ps = 2, .slot_samples = {1, 2}, .worker = s.worker, .ps = s.ps};
    s.p = (berth__slot_problem){3, 1, s.free, s.price_worker, s.price_ps, &s.job};
    int w[MAX_H], ps[MAX_H];
    const double *x;
    berth__slot_lp *lp = open_lp(&s);
    assert_close(slot_value(lp, 4, &x), 6.0, 1e-9);
    berth__slot_rounding out = round_once(lp, 1, false, w, ps);
    assert_false(out.feasible);
    assert_int_equal(out.draws, 8);
    out = round_once(lp, 1, true, w, ps);
    assert_true(out.feasible);
    assert_close(out.cost, 7.0, 1e-9);
    check_placement(&s, 4, w, ps);
    berth__slot_lp_free(lp);
    /* A single all-reduce worker cannot be spread. */
    s.job.workers_per_ps = (double)INFINITY;
    s.ps[0] = 0;
    lp = open_lp(&s);
    assert_close(slot_value(lp, 1, &x), 1.0, 1e-9);
    out = round_once(lp, 1, true, w, ps);
    assert_false(out.feasible);
    assert_int_equal(out.draws, 0);
    berth__slot_lp_free(lp);
}

/* Three units of which no two fit on one machine: the relaxation needs two machines, a placement three. */
static void repair_looks_beyond_the_set(void **state) {
    (void)state;
    sample s;
    memset(&s, 0, sizeof s);
    s.H = 5;
    s.R = 1;
    s.worker[0] = s.ps[0] = 0.6;
    for (int h = 0; h < s.H; h++) {
        s.free[h] = 1;
        s.price_worker[h] = 1 + h;
        s.price_ps[h] = 10 * (1 + h);
    }
    s.job = (berth__job){.max_workers = 4, .workers_per_ps = 2, .slot_samples = {1, 1}, .worker = s.worker, .ps = s.ps};
    s.p = (berth__slot_problem){s.H, 1, s.free, s.price_worker, s.price_ps, &s.job};
    int w[MANY], ps[MANY];
    const double *x;
    berth__slot_lp *lp = open_sifting(&s, false);
    slot_value(lp, 2, &x);
    assert_int_equal(lp->set.columns.n_machines, 2);
    assert_false(round_once(lp, 1, false, w, ps).feasible);
    berth__slot_rounding out = round_once(lp, 1, true, w, ps);
    assert_true(out.feasible);
    assert_close(out.cost, check_placement(&s, 2, w, ps), 1e-12);
    assert_close(out.cost, 15.0, 1e-12);
    berth__slot_lp_free(lp);
}

static void misuse_is_reported(void **state) {
    (void)state;
    berth__pcg g = berth__pcg_seed(1, 6), stream = g;
    sample s;
    draw_sample(&s, &g, 3, 4, 20);
    berth__slot_lp *lp = (berth__slot_lp *)&s;
    berth__slot_rounding out;
    const berth__scale_choice choice = {.delta = 0.5};
    double value;
    const double *x;
    int w[MAX_H], ps[MAX_H];
    assert_int_equal(berth__slot_lp_new(&s.p, backends, "no such solver", &lp, &error), BERTH_E_BACKEND);
    assert_null(lp);
    lp = open_lp(&s);
    assert_int_equal(berth__slot_lp_solve(lp, 0, NULL, &value, &x, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth__slot_lp_round(lp, &choice, 0, true, NULL, &stream, w, ps, &out, &error), BERTH_E_ARGUMENT);
    assert_ok(berth__slot_lp_round(lp, &choice, 1, true, NULL, &stream, w, ps, &out, &error), error);
    assert_false(out.feasible || out.guarantee.holds);
    berth__slot_lp_free(lp);
    berth__slot_lp_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_agree_with_trying),         cmocka_unit_test(internal_case_equals_brute_force),
        cmocka_unit_test(relaxation_equals_another_solver), cmocka_unit_test(steep_prices_are_survived),
        cmocka_unit_test(order_of_solves_does_not_matter),  cmocka_unit_test(sifting_equals_the_whole),
        cmocka_unit_test(roundings_keep_every_constraint),  cmocka_unit_test(slow_inside_means_two_machines),
        cmocka_unit_test(repair_looks_beyond_the_set),      cmocka_unit_test(misuse_is_reported),
    };
    return cmocka_run_group_tests(tests, open_backends, close_backends);
}
