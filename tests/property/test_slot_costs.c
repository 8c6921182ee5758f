/* What a slot costs in whole units: the configuration bound for all worker counts at once (theta over integer hulls),
 * and the placements that are completed from its multipliers. Small slots against the enumeration of all placements,
 * larger ones against the bound. Seeds are fixed: no false failures. */
#include "formulations/completion.h"
#include "formulations/theta.h"

#include "base/pcg.h"
#include "tests/support/check.h"

#include <stdlib.h>

enum { MAX_H = 200, MAX_R = 4, MAX_W = 60 };

typedef struct slot {
    int H, R, max_workers;
    double free[MAX_H * MAX_R], price_worker[MAX_H], price_ps[MAX_H], worker[MAX_R], ps[MAX_R];
    berth__job job;
    /* the answer of theta, by worker count - 1 */
    double cost[MAX_W], lam[MAX_W], mu[MAX_W];
} slot;

typedef struct tools {
    berth__theta *theta;
    berth__completion *completion;
} tools;

static tools shared;

static int open_tools(void **state) {
    (void)state;
    shared = (tools){.theta = berth__theta_new(), .completion = berth__completion_new()};
    return shared.theta == NULL || shared.completion == NULL ? -1 : 0;
}

static int close_tools(void **state) {
    (void)state;
    berth__theta_free(shared.theta);
    berth__completion_free(shared.completion);
    return 0;
}

static int pick(berth__pcg *g, int low, int high) {
    return (int)berth__pcg_integer(g, low, high);
}

/* ---- random slots ---- */

/* Some are 0; tenths: sums and ties that a double does not hold. */
static double random_amount(berth__pcg *g, bool tenths, double most) {
    double share = berth__pcg_uniform(g);
    return share < 0.15 ? 0 : tenths ? 0.1 * pick(g, 1, (int)(10 * most)) : most * berth__pcg_uniform(g);
}

static double random_price(berth__pcg *g, int kind) {
    switch (kind) {
    case 0: /* ties, and machines for nothing */
        return pick(g, 0, 2);
    case 1:
        return berth__pcg_uniform(g);
    default: /* twelve orders of magnitude */
        return pow(10, -12 * berth__pcg_uniform(g));
    }
}

static void draw_small(berth__pcg *g, slot *s) {
    bool tenths = pick(g, 0, 1) == 0, all_reduce = pick(g, 0, 5) == 0;
    int kind = pick(g, 0, 2);
    s->H = pick(g, 1, 4);
    s->R = pick(g, 1, MAX_R);
    s->max_workers = pick(g, 1, 8);
    for (int r = 0; r < s->R; r++) {
        s->worker[r] = random_amount(g, tenths, 0.4);
        s->ps[r] = all_reduce ? 0 : random_amount(g, tenths, 0.4);
    }
    s->worker[0] += s->worker[0] > 0 ? 0 : 0.1;
    for (int h = 0; h < s->H; h++) {
        s->price_worker[h] = random_price(g, kind);
        s->price_ps[h] = random_price(g, kind);
        for (int r = 0; r < s->R; r++) {
            s->free[h * s->R + r] = random_amount(g, tenths, 1.2);
        }
    }
    double gamma = all_reduce ? (double)INFINITY : (double[]){1, 1.5, 2, 4}[pick(g, 0, 3)];
    s->job = (berth__job){.max_workers = s->max_workers, .workers_per_ps = gamma, .worker = s->worker, .ps = s->ps};
}

/* A part-filled cluster of equal machines, priced by what is used of them. levels > 0: used in so many steps. */
static void draw_large(berth__pcg *g, int H, int levels, slot *s) {
    s->H = H;
    s->R = MAX_R;
    s->max_workers = pick(g, 20, MAX_W);
    for (int r = 0; r < s->R; r++) {
        s->worker[r] = 0.02 + 0.2 * berth__pcg_uniform(g);
        s->ps[r] = r == 0 ? 0 : 0.02 + 0.2 * berth__pcg_uniform(g);
    }
    for (int h = 0; h < H; h++) {
        s->price_worker[h] = s->price_ps[h] = 0;
        for (int r = 0; r < s->R; r++) {
            double used = levels > 0 ? pick(g, 0, levels - 1) / (double)levels : berth__pcg_uniform(g);
            double price = pow(10, 3 * used - 3);
            s->free[h * s->R + r] = 1 - used;
            s->price_worker[h] += price * s->worker[r];
            s->price_ps[h] += price * s->ps[r];
        }
    }
    s->job =
        (berth__job){.max_workers = s->max_workers, .workers_per_ps = pick(g, 1, 6), .worker = s->worker, .ps = s->ps};
}

/* ---- the model read again ---- */

static int servers_for(const slot *s, int workers) {
    int servers = 0;
    while (!isinf(s->job.workers_per_ps) && servers * s->job.workers_per_ps < workers * (1 - 1e-9)) {
        servers++;
    }
    return servers;
}

static bool fits(const slot *s, int h, int workers, int servers) {
    for (int r = 0; r < s->R; r++) {
        if (workers * s->worker[r] + servers * s->ps[r] > s->free[h * s->R + r] * (1 + 1e-9)) {
            return false;
        }
    }
    return true;
}

/* The least cost of all ways to put the rest on machines h, h + 1, ... */
static double enumerate(const slot *s, int h, int workers, int servers) {
    if (h == s->H) {
        return workers == 0 && servers == 0 ? 0 : (double)INFINITY;
    }
    double best = (double)INFINITY;
    for (int w = 0; w <= workers; w++) {
        for (int p = 0; p <= servers && fits(s, h, w, p); p++) {
            double rest = enumerate(s, h + 1, workers - w, servers - p);
            best = fmin(best, w * s->price_worker[h] + p * s->price_ps[h] + rest);
        }
    }
    return best;
}

/* ---- the code under test ---- */

static void solve(slot *s) {
    double W[MAX_W], S[MAX_W];
    for (int i = 0; i < s->max_workers; i++) {
        W[i] = i + 1;
        S[i] = servers_for(s, i + 1);
    }
    const berth__theta_problem problem = {.n_groups = s->H,
                                          .n_resources = s->R,
                                          .capacity = s->free,
                                          .price_worker = s->price_worker,
                                          .price_ps = s->price_ps,
                                          .worker = s->worker,
                                          .ps = s->ps,
                                          .kind = BERTH__THETA_HULL};
    assert_int_equal(berth__theta_solve(shared.theta, &problem, (size_t)s->max_workers, W, S, s->cost, s->lam, s->mu),
                     BERTH_OK);
}

/* Completes a worker count from its multipliers; asserts packing and cover on the integers, and that the cost is not
 * below theta. */
static berth__completion_result place(const slot *s, int workers) {
    const berth__slot_problem problem = {.n_machines = s->H,
                                         .n_resources = s->R,
                                         .free = s->free,
                                         .price_worker = s->price_worker,
                                         .price_ps = s->price_ps,
                                         .job = &s->job};
    int w[MAX_H], p[MAX_H], sum_w = 0, sum_p = 0;
    double cost = 0;
    berth__completion_result result;
    assert_int_equal(berth__complete(shared.completion, &problem, workers, s->lam[workers - 1], s->mu[workers - 1],
                                     false, w, p, &result),
                     BERTH_OK);
    for (int h = 0; h < s->H; h++) {
        assert_true(w[h] >= 0 && p[h] >= 0);
        assert_true((w[h] == 0 && p[h] == 0) || fits(s, h, w[h], p[h]));
        sum_w += w[h];
        sum_p += p[h];
        cost += w[h] * s->price_worker[h] + p[h] * s->price_ps[h];
    }
    assert_int_equal(sum_w, result.feasible ? workers : 0);
    assert_int_equal(sum_p, result.feasible ? servers_for(s, workers) : 0);
    if (result.feasible) {
        assert_true(fabs(cost - result.cost) <= 1e-12 * cost);
        /* What rounding may add to a dual: a few ulps of its terms, which can be far larger than it. */
        double ulps = 1e-14 * (s->lam[workers - 1] * workers + s->mu[workers - 1] * sum_p);
        if (!(s->cost[workers - 1] <= cost * (1 + 1e-9) + ulps)) {
            fail_msg("%d workers are placed for %.17g, below the bound %.17g", workers, cost, s->cost[workers - 1]);
        }
    }
    return result;
}

static void test_small_slots_equal_enumeration(void **state) {
    (void)state;
    slot *s = calloc(1, sizeof *s);
    assert_non_null(s);
    berth__pcg g = berth__pcg_seed(33, 1);
    int possible = 0, impossible = 0, gaps = 0;
    double gap = 0;
    for (int number = 0; number < 20000; number++) {
        draw_small(&g, s);
        solve(s);
        for (int workers = 1; workers <= s->max_workers; workers++) {
            double least = enumerate(s, 0, workers, servers_for(s, workers)), theta = s->cost[workers - 1];
            if (theta == (double)INFINITY) {
                assert_true(least == (double)INFINITY);
                impossible++;
                continue;
            }
            berth__completion_result result = place(s, workers);
            assert_true(result.exact && result.feasible == (least < (double)INFINITY));
            *(result.feasible ? &possible : &impossible) += 1;
            if (result.feasible) {
                if (!(fabs(result.cost - least) <= 1e-9 * least)) {
                    fail_msg("slot %d, %d workers: cost %.17g, enumerated %.17g", number, workers, result.cost, least);
                }
                gap += least > 0 ? 1 - theta / least : 0;
                gaps += theta < least * (1 - 1e-6);
            }
        }
    }
    print_message("%d placements, %d impossible; the bound is below %d of them, by %.3g %% on average\n", possible,
                  impossible, gaps, 100 * gap / possible);
    assert_true(possible > 20000 && impossible > 5000);
    free(s);
}

/* Feasible by theta: the mean of cost over theta - 1 and how many there were. */
static double mean_gap(int H, int levels, int slots, uint64_t sequence, int *n) {
    slot *s = calloc(1, sizeof *s);
    assert_non_null(s);
    berth__pcg g = berth__pcg_seed(34, sequence);
    double sum = 0, worst = 0;
    *n = 0;
    for (int number = 0; number < slots; number++) {
        draw_large(&g, H, levels, s);
        solve(s);
        for (int workers = 1; workers <= s->max_workers; workers += 1 + workers / 8) {
            if (s->cost[workers - 1] == (double)INFINITY) {
                continue;
            }
            berth__completion_result result = place(s, workers);
            assert_true(result.feasible);
            double gap = result.cost / s->cost[workers - 1] - 1;
            sum += gap;
            worst = fmax(worst, gap);
            ++*n;
        }
    }
    print_message("H = %d, levels %d: %d placements, mean gap %.4f %%, worst %.4f %%\n", H, levels, *n, 100 * sum / *n,
                  100 * worst);
    free(s);
    return sum / *n;
}

static void test_large_slots_are_near_the_bound(void **state) {
    (void)state;
    static const struct {
        int H, levels, slots;
    } sizes[] = {{50, 0, 400}, {50, 4, 200}, {100, 0, 400}, {100, 10, 200}, {200, 0, 400}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int n = 0;
        assert_true(mean_gap(sizes[i].H, sizes[i].levels, sizes[i].slots, i, &n) < 1e-3);
        assert_true(n > 10 * sizes[i].slots);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_slots_equal_enumeration),
        cmocka_unit_test(test_large_slots_are_near_the_bound),
    };
    return cmocka_run_group_tests(tests, open_tools, close_tools);
}
