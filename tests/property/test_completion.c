/* Integer placements from multipliers, against enumeration, a slow dynamic programme, and a second reading of every
 * constraint and of the bound. The multipliers come from a search of our own, or are anything at all. Seeds are fixed,
 * so a verdict never varies. */
#include "formulations/completion.h"

#include "base/pcg.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_H = 3000, MAX_R = 4, MAX_W = 60 };

typedef struct sample {
    berth__slot_problem p;
    berth__job job;
    double free[MAX_H * MAX_R], price_worker[MAX_H], price_ps[MAX_H];
    double worker[MAX_R], ps[MAX_R];
    bool eligible[MAX_H], must_spread;
    int H, R, W, S;
    int top[MAX_H][MAX_W + 1]; /* most servers beside w workers; -1: w do not fit */
} sample;

typedef struct answer {
    berth__completion_result result;
    int w[MAX_H], s[MAX_H];
} answer;

static int pick(berth__pcg *g, int low, int high) {
    return (int)berth__pcg_integer(g, low, high);
}

static bool chance(berth__pcg *g, double p) {
    return berth__pcg_uniform(g) < p;
}

/* ---- the model read again ---- */

static bool fits(const sample *in, int h, int w, int s) {
    if ((w > 0 || s > 0) && !in->eligible[h]) {
        return false;
    }
    for (int r = 0; r < in->R; r++) {
        double load = 0, room = in->free[h * in->R + r] > 0 ? in->free[h * in->R + r] : 0;
        if (w > 0) {
            load += w * in->worker[r];
        }
        if (s > 0) {
            load += s * in->ps[r];
        }
        if (load > room * (1 + 1e-9)) {
            return false;
        }
    }
    return true;
}

static double cost_at(const sample *in, int h, int w, int s) {
    return (w > 0 ? w * in->price_worker[h] : 0) + (s > 0 ? s * in->price_ps[h] : 0);
}

/* Fills in what follows from the rest. */
static void finish_sample(sample *in, double gamma) {
    in->job = (berth__job){
        .max_workers = MAX_W, .workers_per_ps = gamma, .worker = in->worker, .ps = in->ps, .eligible = in->eligible};
    in->p = (berth__slot_problem){.n_machines = in->H,
                                  .n_resources = in->R,
                                  .free = in->free,
                                  .price_worker = in->price_worker,
                                  .price_ps = in->price_ps,
                                  .job = &in->job};
    in->S = isinf(gamma) ? 0 : (int)ceil(in->W / gamma - 1e-9);
    for (int h = 0; h < in->H; h++) {
        int top = in->S;
        for (int w = 0; w <= in->W; w++) {
            while (top >= 0 && !fits(in, h, w, top)) {
                top--;
            }
            in->top[h][w] = top;
        }
    }
}

/* The bound, straight from its definition; also what the favourites lack. Spreading forbids (W, S). */
static double dual(const sample *in, double lam, double mu, double *lack_w, double *lack_s) {
    double value = lam * in->W + mu * in->S;
    *lack_w = in->W;
    *lack_s = in->S;
    for (int h = 0; h < in->H; h++) {
        double best = 0, best_w = 0, best_s = 0;
        for (int w = 0; w <= in->W && in->top[h][w] >= 0; w++) {
            int s = in->top[h][w];
            if (in->must_spread && w == in->W && s == in->S) {
                if (--s < 0) {
                    continue;
                }
            }
            double gain = (w > 0 ? (lam - in->price_worker[h]) * w : 0);
            if (s > 0 && mu > in->price_ps[h]) {
                gain += (mu - in->price_ps[h]) * s;
            } else {
                s = 0;
            }
            if (gain > best) {
                best = gain;
                best_w = w;
                best_s = s;
            }
        }
        value -= best;
        *lack_w -= best_w;
        *lack_s -= best_s;
    }
    return value;
}

/* Best mu for lam: the dual is concave in it, and what lacks is its slope. */
static double best_mu(const sample *in, double lam, double high, int steps, double *mu) {
    double low = 0, lack_w, lack_s;
    for (int i = 0; i < steps; i++) {
        double middle = (low + high) / 2;
        dual(in, lam, middle, &lack_w, &lack_s);
        *(lack_s > 0 ? &low : &high) = middle;
    }
    double at_low = dual(in, lam, low, &lack_w, &lack_s), at_high = dual(in, lam, high, &lack_w, &lack_s);
    *mu = at_low >= at_high ? low : high;
    return fmax(at_low, at_high);
}

/* Nearly the best multipliers, by golden section over lam. */
static double best_multipliers(const sample *in, double high, int steps, double *lam, double *mu) {
    const double golden = 0.6180339887498949;
    double low = 0, left = high * (1 - golden), right = high * golden, left_mu, right_mu;
    double at_left = best_mu(in, left, high, steps, &left_mu), at_right = best_mu(in, right, high, steps, &right_mu);
    for (int i = 0; i < steps; i++) {
        if (at_left < at_right) {
            low = left;
            left = right;
            at_left = at_right;
            left_mu = right_mu;
            right = low + golden * (high - low);
            at_right = best_mu(in, right, high, steps, &right_mu);
        } else {
            high = right;
            right = left;
            at_right = at_left;
            right_mu = left_mu;
            left = high - golden * (high - low);
            at_left = best_mu(in, left, high, steps, &left_mu);
        }
    }
    *lam = at_left >= at_right ? left : right;
    *mu = at_left >= at_right ? left_mu : right_mu;
    return fmax(at_left, at_right);
}

/* A price that no good multiplier exceeds by much, while there is room. */
static double dearest(const sample *in) {
    double most = 0;
    for (int h = 0; h < in->H; h++) {
        if (in->S > 0 && in->top[h][0] > 0) {
            most = fmax(most, in->price_ps[h]);
        }
        if (in->top[h][1] >= 0) {
            most = fmax(most, in->price_worker[h]);
        }
    }
    return most;
}

/* ---- the code under test ---- */

static berth__completion *shared;

static int open_shared(void **state) {
    (void)state;
    shared = berth__completion_new();
    return shared == NULL ? -1 : 0;
}

static int close_shared(void **state) {
    (void)state;
    berth__completion_free(shared);
    return 0;
}

static void check_placement(const sample *in, const answer *a) {
    int w = 0, s = 0, occupied = 0;
    double cost = 0;
    for (int h = 0; h < in->H; h++) {
        assert_true(a->w[h] >= 0 && a->s[h] >= 0);
        assert_true(fits(in, h, a->w[h], a->s[h]));
        w += a->w[h];
        s += a->s[h];
        occupied += a->w[h] + a->s[h] > 0;
        cost += cost_at(in, h, a->w[h], a->s[h]);
    }
    if (!a->result.feasible) {
        assert_true(occupied == 0 && isinf(a->result.cost));
        return;
    }
    assert_int_equal(w, in->W);
    assert_int_equal(s, in->S);
    assert_true(!in->must_spread || occupied >= 2);
    assert_true(fabs(cost - a->result.cost) <= 1e-12 * cost);
}

/* Places, and checks all that needs no other solution. */
static void place(const sample *in, double lam, double mu, answer *a) {
    memset(a, 0x55, sizeof *a);
    berth_status status = berth__complete(shared, &in->p, in->W, lam, mu, in->must_spread, a->w, a->s, &a->result);
    assert_int_equal(status, BERTH_OK);
    check_placement(in, a);
    double lack_w, lack_s, bound = fmax(dual(in, lam, mu, &lack_w, &lack_s), 0), size = lam * in->W + mu * in->S;
    assert_true(a->result.bound >= 0);
    assert_true(a->result.bound <= a->result.cost);
    /* Sums of gains may be far larger than the bound. */
    double scale = fmax(size, in->H * size * 1e-3) + 1e-300;
    if (!(fabs(bound - a->result.bound) <= 1e-9 * scale)) {
        fail_msg("bound %.17g, not %.17g", a->result.bound, bound);
    }
}

/* ---- small problems: everything enumerated ---- */

static double random_price(berth__pcg *g, int kind) {
    switch (kind) {
    case 0: /* ties, and free machines */
        return pick(g, 0, 3);
    case 1:
        return berth__pcg_uniform(g);
    case 2: /* twelve orders of magnitude */
        return pow(10, -12 * berth__pcg_uniform(g));
    case 3:
        return 0;
    default:
        return 1e-9 * (1 + berth__pcg_uniform(g));
    }
}

/* Demands of either kind of unit: tenths, or anything, some 0, seldom infinite. */
static double random_demand(berth__pcg *g, bool tenths) {
    double kind = berth__pcg_uniform(g);
    if (kind < 0.2) {
        return 0;
    }
    return kind < 0.21 ? (double)INFINITY : tenths ? 0.1 * pick(g, 1, 3) : 0.5 * berth__pcg_uniform(g);
}

static void draw_small(sample *in, berth__pcg *g, int max_h, int max_w, double roominess) {
    bool tenths = chance(g, 0.5);
    int kind = pick(g, 0, 4);
    in->H = pick(g, 1, max_h);
    in->R = pick(g, 1, MAX_R);
    in->W = pick(g, 1, max_w);
    double gamma = chance(g, 0.2) ? (double)INFINITY : (double[]){0.7, 1, 1.5, 2, 4, 10}[pick(g, 0, 5)];
    if (gamma < 1) {
        in->W = (in->W + 1) / 2;
    }
    for (int r = 0; r < in->R; r++) {
        in->worker[r] = random_demand(g, tenths);
        in->ps[r] = isinf(gamma) ? 0 : random_demand(g, tenths);
    }
    for (int h = 0; h < in->H; h++) {
        in->eligible[h] = chance(g, 0.95);
        in->price_worker[h] = random_price(g, kind);
        in->price_ps[h] = random_price(g, kind);
        for (int r = 0; r < in->R; r++) {
            double free = tenths ? 0.1 * pick(g, 0, (int)(12 * roominess)) : roominess * 1.2 * berth__pcg_uniform(g);
            in->free[h * in->R + r] = chance(g, 0.03) ? 0 : chance(g, 0.02) ? -0.1 : free;
        }
    }
    if (in->H > 1 && chance(g, 0.3)) { /* twins */
        memcpy(in->free + in->R, in->free, (size_t)in->R * sizeof(double));
        in->price_worker[1] = in->price_worker[0];
        in->price_ps[1] = in->price_ps[0];
    }
    in->must_spread = chance(g, 0.25);
    finish_sample(in, gamma);
    for (int h = 0; h < in->H; h++) { /* prices that mean nothing */
        if (in->top[h][1] < 0) {
            in->price_worker[h] = (double[]){(double)NAN, 0, 1e300}[pick(g, 0, 2)];
        }
        if (in->top[h][0] < 1) {
            in->price_ps[h] = (double[]){(double)NAN, 0, 1e300}[pick(g, 0, 2)];
        }
    }
}

/* Every placement, machine by machine. */
static void enumerate(const sample *in, int h, int w, int s, int occupied, double cost, double *best) {
    if (h == in->H) {
        if (w == 0 && s == 0 && (!in->must_spread || occupied >= 2)) {
            *best = fmin(*best, cost);
        }
        return;
    }
    for (int i = 0; i <= w; i++) {
        for (int j = 0; j <= s && fits(in, h, i, j); j++) {
            enumerate(in, h + 1, w - i, s - j, occupied + (i + j > 0), cost + cost_at(in, h, i, j), best);
        }
    }
}

static void check_against(const answer *a, double best) {
    assert_true(a->result.exact);
    assert_true(a->result.feasible == (best < (double)INFINITY));
    if (a->result.feasible && !(fabs(a->result.cost - best) <= 1e-9 * best)) {
        fail_msg("cost %.17g, enumerated %.17g", a->result.cost, best);
    }
}

static void random_multipliers(const sample *in, berth__pcg *g, double *lam, double *mu) {
    double high = dearest(in);
    *lam = chance(g, 0.1) ? 0 : high * pow(10, 2 - 4 * berth__pcg_uniform(g));
    *mu = chance(g, 0.1) ? 0 : high * pow(10, 2 - 4 * berth__pcg_uniform(g));
}

static void small_placements_equal_enumeration(void **state) {
    (void)state;
    sample *in = calloc(1, sizeof *in);
    answer *a = calloc(1, sizeof *a);
    assert_true(in != NULL && a != NULL);
    berth__pcg g = berth__pcg_seed(20, 1);
    int n_feasible = 0, n_spread = 0;
    for (int i = 0; i < 4000; i++) {
        draw_small(in, &g, 4, 8, 1.6);
        double best = (double)INFINITY, lam, mu;
        enumerate(in, 0, in->W, in->S, 0, 0, &best);
        best_multipliers(in, 4 * dearest(in), 30, &lam, &mu);
        place(in, lam, mu, a);
        check_against(a, best);
        random_multipliers(in, &g, &lam, &mu);
        place(in, lam, mu, a);
        check_against(a, best);
        n_feasible += a->result.feasible;
        n_spread += a->result.feasible && in->must_spread;
    }
    assert_true(n_feasible > 1500 && n_spread > 200); /* both verdicts are met */
    assert_true(n_feasible < 3500);
    free(in);
    free(a);
}

/* ---- middling problems: a dynamic programme without any thought ---- */

static double least_cost(const sample *in) {
    int width = in->S + 1;
    size_t n = (size_t)(in->W + 1) * (size_t)width;
    double *now = calloc(n, sizeof(double)), *then = calloc(n, sizeof(double));
    assert_true(now != NULL && then != NULL);
    for (size_t i = 1; i < n; i++) {
        now[i] = (double)INFINITY;
    }
    for (int h = 0; h < in->H; h++) {
        for (int w = 0; w <= in->W; w++) {
            for (int s = 0; s <= in->S; s++) {
                double best = (double)INFINITY;
                for (int i = 0; i <= w; i++) {
                    for (int j = 0; j <= s && j <= in->top[h][i]; j++) {
                        if (!in->must_spread || i < in->W || j < in->S) {
                            best = fmin(best, now[(w - i) * width + s - j] + cost_at(in, h, i, j));
                        }
                    }
                }
                then[w * width + s] = best;
            }
        }
        memcpy(now, then, n * sizeof(double));
    }
    double best = now[n - 1];
    free(now);
    free(then);
    return best;
}

static void middling_placements_equal_a_programme(void **state) {
    (void)state;
    sample *in = calloc(1, sizeof *in);
    answer *a = calloc(1, sizeof *a);
    assert_true(in != NULL && a != NULL);
    berth__pcg g = berth__pcg_seed(20, 2);
    int n_feasible = 0, n_exact = 0;
    for (int i = 0; i < 250; i++) {
        draw_small(in, &g, 10, 24, 2);
        double best = least_cost(in), lam, mu;
        for (int j = 0; j < 2; j++) {
            if (j == 0) {
                best_multipliers(in, 4 * dearest(in), 40, &lam, &mu);
            } else {
                random_multipliers(in, &g, &lam, &mu);
            }
            place(in, lam, mu, a);
            n_exact += a->result.exact;
            if (a->result.exact) {
                check_against(a, best);
            } else if (a->result.feasible && j == 0) {
                assert_true(a->result.cost <= best * (1 + BERTH__COMPLETION_GAP));
            }
        }
        n_feasible += a->result.feasible;
    }
    assert_true(n_feasible > 100);
    assert_true(n_exact > 490);
    free(in);
    free(a);
}

/* ---- large problems: near the bound ---- */

/* Machines of one size, each resource used at random and priced by its use. `steps` > 0: only so many levels of use. */
static void draw_large(sample *in, berth__pcg *g, int n_machines, int workers, double gamma, int steps) {
    in->H = n_machines;
    in->R = MAX_R;
    in->W = workers;
    in->must_spread = false;
    for (int r = 0; r < in->R; r++) {
        in->worker[r] = 0.02 + 0.15 * berth__pcg_uniform(g);
        in->ps[r] = r == 0 ? 0 : 0.01 + 0.1 * berth__pcg_uniform(g);
    }
    for (int h = 0; h < in->H; h++) {
        in->eligible[h] = true;
        in->price_worker[h] = in->price_ps[h] = 0;
        for (int r = 0; r < in->R; r++) {
            double use = steps > 0 ? pick(g, 0, steps - 1) / (double)steps : berth__pcg_uniform(g);
            double price = pow(10, 5 * use - 6);
            in->free[h * in->R + r] = 1 - use;
            in->price_worker[h] += price * in->worker[r];
            in->price_ps[h] += price * in->ps[r];
        }
    }
    finish_sample(in, gamma);
}

static void large_placements_are_near_the_bound(void **state) {
    (void)state;
    sample *in = calloc(1, sizeof *in);
    answer *a = calloc(1, sizeof *a);
    assert_true(in != NULL && a != NULL);
    berth__pcg g = berth__pcg_seed(20, 3);
    double sum = 0;
    int n = 40, n_exact = 0;
    for (int i = 0; i < n; i++) {
        draw_large(in, &g, pick(&g, 50, 120), pick(&g, 10, 40), pick(&g, 1, 5), i % 2 == 0 ? 0 : 4);
        double lam, mu;
        best_multipliers(in, 2 * dearest(in), 55, &lam, &mu);
        place(in, lam, mu, a);
        assert_true(a->result.feasible);
        if (a->result.exact) {
            check_against(a, least_cost(in));
        }
        sum += (a->result.cost - a->result.bound) / a->result.cost;
        n_exact += a->result.exact;
    }
    assert_true(sum / n < 1e-3);
    assert_true(n_exact >= n * 9 / 10);
    free(in);
    free(a);
}

/* Bad multipliers cost time and quality, not validity (place checks it), and with so much room not feasibility. */
static void any_multipliers_will_do(void **state) {
    (void)state;
    sample *in = calloc(1, sizeof *in);
    answer *a = calloc(1, sizeof *a);
    assert_true(in != NULL && a != NULL);
    berth__pcg g = berth__pcg_seed(20, 4);
    for (int i = 0; i < 60; i++) {
        draw_large(in, &g, pick(&g, 100, 300), pick(&g, 1, 40), pick(&g, 1, 5), (int[]){0, 1, 4}[i % 3]);
        double lam, mu;
        random_multipliers(in, &g, &lam, &mu);
        place(in, lam, mu, a);
        assert_true(a->result.feasible);
    }
    free(in);
    free(a);
}

/* ---- ties ---- */

static void equal_machines_are_no_trouble(void **state) {
    (void)state;
    sample *in = calloc(1, sizeof *in);
    answer *a = calloc(1, sizeof *a);
    assert_true(in != NULL && a != NULL);
    in->H = MAX_H;
    in->R = 2;
    in->W = 50;
    memcpy(in->worker, (double[]){0.3, 0.1}, sizeof(double[2]));
    memcpy(in->ps, (double[]){0, 0.3}, sizeof(double[2]));
    for (int h = 0; h < in->H; h++) {
        in->eligible[h] = true;
        in->free[2 * h] = in->free[2 * h + 1] = 1;
        in->price_worker[h] = 2;
        in->price_ps[h] = 1;
    }
    finish_sample(in, 2);
    for (int i = 0; i < 5; i++) {
        /* The best multipliers are the prices; a little above, all machines are filled. */
        double slip = (double[]){0, 1e-15, -1e-13, 1e-9, 1e-3}[i];
        place(in, 2 * (1 + slip), 1 + slip, a);
        assert_close(a->result.cost, 125, 1e-12);
        assert_true(a->result.exact || i >= 3);
        for (int h = 20 * in->W; h < in->H; h++) {
            assert_true(a->w[h] == 0 && a->s[h] == 0); /* the first ones are taken */
        }
    }
    free(in);
    free(a);
}

/* The same in a used workspace, a fresh one, and again. */
static void results_do_not_depend_on_the_past(void **state) {
    (void)state;
    sample *in = calloc(1, sizeof *in);
    answer *a = calloc(2, sizeof *a);
    assert_true(in != NULL && a != NULL);
    berth__pcg g = berth__pcg_seed(20, 5);
    for (int i = 0; i < 200; i++) {
        double lam, mu;
        if (i % 2 == 0) {
            draw_small(in, &g, 8, 20, 1);
        } else {
            draw_large(in, &g, pick(&g, 50, 200), pick(&g, 1, 20), 2, i % 4 == 1 ? 3 : 0);
        }
        random_multipliers(in, &g, &lam, &mu);
        place(in, lam, mu, &a[0]);
        berth__completion *fresh = berth__completion_new(), *used = shared;
        assert_non_null(fresh);
        shared = fresh;
        place(in, lam, mu, &a[1]);
        shared = used;
        berth__completion_free(fresh);
        assert_memory_equal(a[0].w, a[1].w, (size_t)in->H * sizeof(int));
        assert_memory_equal(a[0].s, a[1].s, (size_t)in->H * sizeof(int));
        assert_true(a[0].result.exact == a[1].result.exact && a[0].result.n_freed == a[1].result.n_freed);
    }
    free(in);
    free(a);
}

/* ---- by hand ---- */

/* Two machines with room for all; the first is cheap. */
static sample *two_machines(int workers, double gamma) {
    sample *in = calloc(1, sizeof *in);
    assert_non_null(in);
    in->H = 2;
    in->R = 1;
    in->W = workers;
    in->worker[0] = in->ps[0] = 0.01;
    for (int h = 0; h < 2; h++) {
        in->eligible[h] = true;
        in->free[h] = 1;
        in->price_worker[h] = 1 + 9 * h;
        in->price_ps[h] = 1 + 4 * h;
    }
    if (isinf(gamma)) {
        in->ps[0] = 0;
    }
    finish_sample(in, gamma);
    return in;
}

static void spreading_takes_a_second_machine(void **state) {
    (void)state;
    answer *a = calloc(1, sizeof *a);
    assert_non_null(a);
    sample *in = two_machines(4, 2);
    place(in, 1, 1, a);
    assert_close(a->result.cost, 6, 1e-12);
    in->must_spread = true;
    place(in, 1, 1, a); /* a server moves */
    assert_close(a->result.cost, 10, 1e-12);
    assert_int_equal(a->s[1], 1);
    in->must_spread = false;
    in->eligible[0] = false;
    finish_sample(in, 2);
    place(in, 1, 1, a);
    assert_close(a->result.cost, 50, 1e-12);
    in->must_spread = true; /* there is no second one */
    place(in, 1, 1, a);
    assert_true(!a->result.feasible && a->result.exact);
    free(in);
    in = two_machines(1, (double)INFINITY); /* nor a second unit */
    place(in, 1, 0, a);
    assert_true(a->result.feasible && a->result.cost <= 1 && a->result.cost >= 1);
    in->must_spread = true;
    place(in, 1, 0, a);
    assert_true(!a->result.feasible && a->result.exact);
    free(in);
    free(a);
}

static void limits_are_kept(void **state) {
    (void)state;
    sample *in = two_machines(4, 2);
    int w[2], s[2];
    berth__completion_result result;
    const int bad[] = {0, -3, MAX_W + 1};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(berth__complete(shared, &in->p, bad[i], 1, 1, false, w, s, &result), BERTH_OK);
        assert_true(!result.feasible && result.exact && isinf(result.cost) && w[0] == 0 && s[1] == 0);
    }
    const double wrong[] = {-1, (double)NAN, (double)INFINITY};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(berth__complete(shared, &in->p, 1, wrong[i], 1, false, w, s, &result), BERTH_E_ARGUMENT);
        assert_int_equal(berth__complete(shared, &in->p, 1, 1, wrong[i], false, w, s, &result), BERTH_E_ARGUMENT);
    }
    in->p.n_machines = 0;
    assert_int_equal(berth__complete(shared, &in->p, 1, 1, 1, false, w, s, &result), BERTH_OK);
    assert_true(!result.feasible && result.exact);
    berth__completion_free(NULL);
    free(in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_placements_equal_enumeration),  cmocka_unit_test(middling_placements_equal_a_programme),
        cmocka_unit_test(large_placements_are_near_the_bound), cmocka_unit_test(any_multipliers_will_do),
        cmocka_unit_test(equal_machines_are_no_trouble),       cmocka_unit_test(results_do_not_depend_on_the_past),
        cmocka_unit_test(spreading_takes_a_second_machine),    cmocka_unit_test(limits_are_kept),
    };
    return cmocka_run_group_tests(tests, open_shared, close_shared);
}
