/* The fractional slot cost against an exact, slow twin: theta(W, S) is the largest value of a concave piecewise-linear
 * dual, so it is attained where two of its break lines meet; the twin tries every such point in long double. And
 * against the LP itself, solved by the backends.
 *
 * Seeds are fixed: a pass today is a pass for ever. */
#include "base/pcg.h"
#include "formulations/theta.h"
#include "solver/solve.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/sanitized.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS = 24, RESOURCES = 5, PAIRS = 16, LINES = GROUPS * (RESOURCES + 2) + 2, CORNERS = 64 };

typedef struct instance {
    bool delicate; /* rounding moves its corners a long way */
    int n_groups, n_resources, n_pairs;
    double count[GROUPS], capacity[GROUPS * RESOURCES], price_worker[GROUPS], price_ps[GROUPS];
    double worker[RESOURCES], ps[RESOURCES];
    double W[PAIRS], S[PAIRS];
} instance;

static berth__theta_problem problem_of(const instance *in) {
    return (berth__theta_problem){.n_groups = in->n_groups,
                                  .n_resources = in->n_resources,
                                  .count = in->count,
                                  .capacity = in->capacity,
                                  .price_worker = in->price_worker,
                                  .price_ps = in->price_ps,
                                  .worker = in->worker,
                                  .ps = in->ps};
}

/* ---- the twin ---- */

typedef struct point {
    long double x, y;
} point;

/* a x + b y = c */
typedef struct line {
    long double a, b, c;
} line;

typedef struct twin {
    /* the instance, widened */
    int n_groups, n_resources;
    long double count[GROUPS], capacity[GROUPS][RESOURCES], price_worker[GROUPS], price_ps[GROUPS];
    long double worker[RESOURCES], ps[RESOURCES], w_limit, s_limit;
    int n_corners[GROUPS];
    point corners[GROUPS][CORNERS]; /* of n_k P_k, the origin among them */
    size_t n_duals, room;
    point *duals;
    long double *phi; /* sum over groups at duals */
} twin;

static bool meet(const line *p, const line *q, point *out) {
    long double det = p->a * q->b - p->b * q->a;
    if (det == 0) {
        return false;
    }
    out->x = (p->c * q->b - p->b * q->c) / det;
    out->y = (p->a * q->c - p->c * q->a) / det;
    return true;
}

static bool fits(const line *rows, int n, const point *at) {
    for (int i = 0; i < n; i++) {
        long double load = rows[i].a * at->x + rows[i].b * at->y;
        if (load > rows[i].c + 1e-16L * (fabsl(rows[i].a * at->x) + fabsl(rows[i].b * at->y) + fabsl(rows[i].c))) {
            return false;
        }
    }
    return true;
}

static void find_corners(twin *t, int k) {
    line rows[RESOURCES + 4];
    int n = 0;
    for (int r = 0; r < t->n_resources; r++) {
        rows[n++] = (line){t->worker[r], t->ps[r], t->count[k] * t->capacity[k][r]};
    }
    rows[n++] = (line){1, 0, t->count[k] > 0 ? t->w_limit : 0};
    rows[n++] = (line){0, 1, t->count[k] > 0 ? t->s_limit : 0};
    rows[n++] = (line){-1, 0, 0};
    rows[n++] = (line){0, -1, 0};
    t->n_corners[k] = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            point at;
            if (meet(&rows[i], &rows[j], &at) && fits(rows, n, &at)) {
                assert_true(t->n_corners[k] < CORNERS);
                t->corners[k][t->n_corners[k]++] = at;
            }
        }
    }
}

/* All but the dual points. */
static void twin_load(const instance *in, twin *t) {
    t->n_groups = in->n_groups;
    t->n_resources = in->n_resources;
    t->w_limit = (long double)in->W[in->n_pairs - 1];
    t->s_limit = (long double)in->S[in->n_pairs - 1];
    for (int r = 0; r < in->n_resources; r++) {
        t->worker[r] = (long double)in->worker[r];
        t->ps[r] = (long double)in->ps[r];
    }
    for (int k = 0; k < in->n_groups; k++) {
        t->count[k] = (long double)in->count[k];
        t->price_worker[k] = (long double)in->price_worker[k];
        t->price_ps[k] = (long double)in->price_ps[k];
        for (int r = 0; r < in->n_resources; r++) {
            t->capacity[k][r] = (long double)in->capacity[k * in->n_resources + r];
        }
        find_corners(t, k);
    }
}

/* Support function of n_k P_k. */
static long double support(const twin *t, int k, long double a, long double b) {
    long double best = 0;
    for (int i = 0; i < t->n_corners[k]; i++) {
        best = fmaxl(best, a * t->corners[k][i].x + b * t->corners[k][i].y);
    }
    return best;
}

/* phi_k bends where (lam - pw_k, mu - ps_k) is normal to an edge of P_k. */
static int break_lines(const twin *t, line *lines) {
    int n = 0;
    lines[n++] = (line){1, 0, 0};
    lines[n++] = (line){0, 1, 0};
    for (int k = 0; k < t->n_groups; k++) {
        long double pw = t->price_worker[k], ps = t->price_ps[k];
        bool seen = false;
        for (int j = 0; j < k; j++) {
            seen = seen || (pw == t->price_worker[j] && ps == t->price_ps[j]);
        }
        if (seen) {
            continue;
        }
        lines[n++] = (line){1, 0, pw};
        lines[n++] = (line){0, 1, ps};
        for (int r = 0; r < t->n_resources; r++) {
            long double a = t->worker[r], b = t->ps[r];
            if (a > 0 && b > 0) {
                lines[n++] = (line){b, -a, pw * b - ps * a};
            }
        }
    }
    return n;
}

static void twin_build(const instance *in, twin *t) {
    line lines[LINES];
    twin_load(in, t);
    int n = break_lines(t, lines);
    t->n_duals = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            point at;
            if (!meet(&lines[i], &lines[j], &at) || at.x < 0 || at.y < 0) {
                continue;
            }
            long double phi = 0;
            for (int k = 0; k < t->n_groups; k++) {
                phi += support(t, k, at.x - t->price_worker[k], at.y - t->price_ps[k]);
            }
            assert_true(t->n_duals < t->room);
            t->duals[t->n_duals] = at;
            t->phi[t->n_duals++] = phi;
        }
    }
}

/* The factor keeps rounding from raising the value. */
static double twin_value(const twin *t, double W, double S) {
    long double best = 0;
    for (size_t i = 0; i < t->n_duals; i++) {
        long double gain = t->duals[i].x * (long double)W + t->duals[i].y * (long double)S;
        best = fmaxl(best, (1 - 1e-17L) * gain - t->phi[i]);
    }
    return (double)best;
}

/* How far (W, S) may be scaled, minus 1: the least over the normals of the summed polygon. */
static double twin_margin(const twin *t, double W, double S) {
    long double least = (long double)INFINITY;
    for (int r = -2; r < t->n_resources; r++) {
        long double a = r == -2 ? 1 : r == -1 ? 0 : t->worker[r], b = r == -2 ? 0 : r == -1 ? 1 : t->ps[r];
        long double need = a * (long double)W + b * (long double)S, have = 0;
        for (int k = 0; k < t->n_groups; k++) {
            have += support(t, k, a, b);
        }
        if (need > 0) {
            least = fminl(least, have / need - 1);
        }
    }
    return (double)least;
}

/* ---- random instances ---- */

typedef enum family {
    GENERIC,
    INTEGERS,     /* small integers: ties everywhere */
    WIDE_PRICES,  /* over 12 orders of magnitude */
    FREE,         /* most prices 0 */
    ONE_RESOURCE, /* where workers and servers compete for the same thing */
    WEIGHTLESS_PS,
    WEIGHTLESS_WORKER,
    EQUAL_GROUPS,
    NEARLY_PARALLEL, /* demand lines almost of one slope */
    BARREN,          /* groups without capacity, or of count 0 */
    WIDE_CAPACITIES, /* over 9 orders of magnitude */
    ALL_REDUCE,      /* S = 0 */
    MANY_GROUPS,     /* enough of them for folding */
    MANY_INTEGERS,
    N_FAMILIES
} family;

static double uniform(berth__pcg *stream, double low, double high) {
    return low + (high - low) * berth__pcg_uniform(stream);
}

static bool chance(berth__pcg *stream, double p) {
    return berth__pcg_uniform(stream) < p;
}

static double whole(berth__pcg *stream, int low, int high) {
    return (double)berth__pcg_integer(stream, low, high);
}

static double log_uniform(berth__pcg *stream, double low_exponent, double high_exponent) {
    return pow(10.0, uniform(stream, low_exponent, high_exponent));
}

static void draw_sizes(berth__pcg *s, family f, instance *in) {
    bool many = f == MANY_GROUPS || f == MANY_INTEGERS;
    in->n_resources = f == ONE_RESOURCE ? 1 : (int)berth__pcg_integer(s, many ? 1 : 0, many ? 2 : RESOURCES);
    in->n_groups = many ? (int)berth__pcg_integer(s, 13, GROUPS) : (int)berth__pcg_integer(s, 1, 5);
    in->n_pairs = (int)berth__pcg_integer(s, 1, PAIRS);
}

static void draw_demands(berth__pcg *s, family f, instance *in) {
    double slope = uniform(s, 0.2, 5);
    bool integers = f == INTEGERS || f == MANY_INTEGERS;
    for (int r = 0; r < in->n_resources; r++) {
        in->worker[r] = integers ? whole(s, 0, 4) : chance(s, 0.15) ? 0 : uniform(s, 0.1, 4);
        in->ps[r] = integers ? whole(s, 0, 3) : chance(s, 0.15) ? 0 : uniform(s, 0.1, 4);
        if (f == NEARLY_PARALLEL) {
            in->worker[r] = in->ps[r] * slope * (1 + uniform(s, -1, 1) * log_uniform(s, -15, -2));
        }
        if (f == WEIGHTLESS_PS || f == ALL_REDUCE) {
            in->ps[r] = 0;
        }
        if (f == WEIGHTLESS_WORKER) {
            in->worker[r] = 0;
        }
    }
}

static void draw_groups(berth__pcg *s, family f, instance *in) {
    int R = in->n_resources;
    for (int k = 0; k < in->n_groups; k++) {
        bool integers = f == INTEGERS || f == MANY_INTEGERS, wide = f == WIDE_PRICES;
        in->count[k] = f == BARREN && chance(s, 0.3) ? 0 : whole(s, 1, integers ? 2 : 20);
        in->price_worker[k] = integers ? whole(s, 0, 3) : wide ? log_uniform(s, -8, 4) : uniform(s, 0, 2);
        in->price_ps[k] = integers ? whole(s, 0, 3) : wide ? log_uniform(s, -8, 4) : uniform(s, 0, 2);
        if (f == FREE) {
            in->price_worker[k] *= chance(s, 0.3);
            in->price_ps[k] *= chance(s, 0.3);
        }
        for (int r = 0; r < R; r++) {
            double c = integers ? whole(s, 0, 6) : f == WIDE_CAPACITIES ? log_uniform(s, -6, 3) : uniform(s, 0, 10);
            in->capacity[k * R + r] = f == BARREN && chance(s, 0.25) ? 0 : c;
        }
        if (f == EQUAL_GROUPS && k > 0 && chance(s, 0.7)) {
            in->price_worker[k] = in->price_worker[k - 1];
            in->price_ps[k] = in->price_ps[k - 1];
            memcpy(in->capacity + k * R, in->capacity + (k - 1) * R, sizeof(double) * (size_t)R);
        }
    }
}

/* The widest W with S = W / gamma, by bisection on the normals; pairs are spread over and a little beyond that. */
static void draw_pairs(berth__pcg *s, family f, instance *in, twin *t) {
    double gamma = chance(s, 0.5) ? whole(s, 1, 6) : uniform(s, 0.3, 6);
    double servers = f == ALL_REDUCE ? 0 : 1 / gamma;
    in->W[in->n_pairs - 1] = 1e6;
    in->S[in->n_pairs - 1] = 1e6 * servers;
    twin_load(in, t);
    double width = 1 + twin_margin(t, 1, servers);
    bool ceiled = chance(s, 0.5);
    if (width > 1e5) {
        width = uniform(s, 1, 50);
    }
    double top = chance(s, 0.3) ? width : width * uniform(s, 0.3, 1.2);
    for (int i = 0; i < in->n_pairs; i++) {
        double W = top * (i + 1) / in->n_pairs;
        if (ceiled && f != NEARLY_PARALLEL) {
            W = ceil(W - 1e-9);
        }
        in->W[i] = W;
        in->S[i] = ceiled ? ceil(W * servers - 1e-9) : W * servers;
    }
}

static void draw(berth__pcg *s, family f, instance *in, twin *t) {
    *in = (instance){.delicate = f == NEARLY_PARALLEL};
    draw_sizes(s, f, in);
    draw_demands(s, f, in);
    draw_groups(s, f, in);
    draw_pairs(s, f, in, t);
}

/* ---- the properties ---- */

typedef struct fixture {
    berth__theta *theta;
    twin *twin;
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->theta = berth__theta_new();
    f->twin = calloc(1, sizeof *f->twin);
    assert_non_null(f->theta);
    assert_non_null(f->twin);
    f->twin->room = LINES * (LINES - 1) / 2;
    f->twin->duals = calloc(f->twin->room, sizeof *f->twin->duals);
    f->twin->phi = calloc(f->twin->room, sizeof *f->twin->phi);
    assert_non_null(f->twin->duals);
    assert_non_null(f->twin->phi);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    free(f->twin->duals);
    free(f->twin->phi);
    free(f->twin);
    berth__theta_free(f->theta);
    free(f);
    return 0;
}

static void check_feasible_pair(const instance *in, const twin *t, int i, double cost, double lam, double mu,
                                const char *name) {
    double W = in->W[i], S = in->S[i], size = lam * W + mu * S;
    double margin = twin_margin(t, W, S), exact = twin_value(t, W, S);
    berth__theta_problem p = problem_of(in);
    double dual = berth__theta_dual(&p, W, S, lam, mu, in->W[in->n_pairs - 1], in->S[in->n_pairs - 1]);
    if (!(fabs(dual - cost) <= 1e-13 * size)) {
        fail_msg("%s: cost %.17g but dual %.17g at (%g, %g)", name, cost, dual, lam, mu);
    }
    /* At the edge of what fits, of all or of what is free, the cost may be as steep as prices are wide: let the pair
     * move a little. */
    bool edge = margin < 2e-11;
    double moved = !edge ? 1e-15 : margin > -1e-12 && !in->delicate ? 2e-11 : 2e-9;
    double least = twin_value(t, W * (1 - moved), S * (1 - moved));
    if (cost < least * (1 - (edge ? 1e-7 : 1e-9)) - 1e-14 * size) {
        fail_msg("%s: cost %.17g is below %.17g at (%g, %g), margin %g, duals %g %g", name, cost, least, W, S, margin,
                 lam, mu);
    }
    if (margin >= 0 && cost > exact + 1e-14 * size) {
        fail_msg("%s: cost %.17g is above %.17g at (%g, %g), margin %g", name, cost, exact, W, S, margin);
    }
}

static void check_pair(const instance *in, const twin *t, int i, double cost, double lam, double mu, const char *name) {
    double margin = twin_margin(t, in->W[i], in->S[i]);
    bool feasible = cost < (double)INFINITY;
    if (!(cost >= 0 && lam >= 0 && mu >= 0) || (feasible ? margin < -1.1e-9 : margin > -0.9e-9)) {
        fail_msg("%s: cost %.17g, duals %g %g of the pair (%g, %g), margin %g", name, cost, lam, mu, in->W[i], in->S[i],
                 margin);
    }
    if (feasible) {
        check_feasible_pair(in, t, i, cost, lam, mu, name);
    } else {
        assert_true(lam == 0 && mu == 0);
    }
}

static void check_instance(fixture *f, const instance *in, const char *name) {
    double cost[PAIRS], lam[PAIRS], mu[PAIRS];
    berth__theta_problem p = problem_of(in);
    twin_build(in, f->twin);
    assert_int_equal(berth__theta_solve(f->theta, &p, (size_t)in->n_pairs, in->W, in->S, cost, lam, mu), BERTH_OK);
    for (int i = 0; i < in->n_pairs; i++) {
        check_pair(in, f->twin, i, cost[i], lam[i], mu[i], name);
    }
}

static const int sample_sizes[N_FAMILIES] = {
    [GENERIC] = 2500,         [INTEGERS] = 3500,      [WIDE_PRICES] = 2500,       [FREE] = 1500,
    [ONE_RESOURCE] = 1500,    [WEIGHTLESS_PS] = 1500, [WEIGHTLESS_WORKER] = 1000, [EQUAL_GROUPS] = 1500,
    [NEARLY_PARALLEL] = 2500, [BARREN] = 2000,        [WIDE_CAPACITIES] = 2000,   [ALL_REDUCE] = 1000,
    [MANY_GROUPS] = 250,      [MANY_INTEGERS] = 400,
};

static void draw_numbered(uint64_t sample, int number, int family_number, instance *in, twin *t, char name[64]) {
    uint64_t key[] = {sample, (uint64_t)family_number, (uint64_t)number};
    berth__pcg stream = berth__pcg_key(3, key);
    snprintf(name, 64, "sample %d family %d instance %d", (int)sample, family_number, number);
    draw(&stream, (family)family_number, in, t);
}

static void equals_the_twin(void **state) {
    fixture *f = *state;
    for (int k = 0; k < (int)N_FAMILIES; k++) {
        for (int i = 0; i < sample_sizes[k]; i++) {
            instance in;
            char name[64];
            draw_numbered(1, i, k, &in, f->twin, name);
            check_instance(f, &in, name);
        }
    }
}

/* ---- against the LP ---- */

static berth_status build_lp(const instance *in, berth__model **out, berth_error *error) {
    berth__model *m = NULL;
    berth_status status = berth__model_new(&m, error);
    for (int k = 0; k < 2 * in->n_groups && status == BERTH_OK; k++) {
        double price = k % 2 == 0 ? in->price_worker[k / 2] : in->price_ps[k / 2];
        status = berth__model_add_col(m, NULL, price, 0, (double)INFINITY, false, NULL, error);
    }
    for (int row = 0; row < 2 && status == BERTH_OK; row++) {
        status = berth__model_add_row(m, row == 0 ? "W" : "S", 0, (double)INFINITY, NULL, error);
        for (int k = 0; k < in->n_groups && status == BERTH_OK; k++) {
            status = berth__model_add_entry(m, row, 2 * k + row, in->count[k] > 0, error);
        }
    }
    for (int k = 0; k < in->n_groups; k++) {
        for (int r = 0; r < in->n_resources && status == BERTH_OK; r++) {
            int row;
            double room = in->count[k] * in->capacity[k * in->n_resources + r];
            status = berth__model_add_row(m, NULL, -(double)INFINITY, room, &row, error);
            if (status == BERTH_OK) {
                status = berth__model_add_entry(m, row, 2 * k, in->worker[r], error);
            }
            if (status == BERTH_OK) {
                status = berth__model_add_entry(m, row, 2 * k + 1, in->ps[r], error);
            }
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

typedef struct counts {
    long compared, unclear;
} counts;

static void compare_pair(const instance *in, const twin *t, int i, double cost, double size, berth__lp *lp,
                         counts *tally, const char *name) {
    berth_error error;
    const berth__lp_result *result;
    berth__lp_options options;
    berth__lp_options_init(&options);
    double margin = twin_margin(t, in->W[i], in->S[i]);
    if (fabs(margin) < 1e-5) {
        return; /* within what an LP code calls feasible */
    }
    assert_ok(berth__lp_set_row_bounds(lp, 0, in->W[i], (double)INFINITY, &error), error);
    assert_ok(berth__lp_set_row_bounds(lp, 1, in->S[i], (double)INFINITY, &error), error);
    assert_ok(berth__lp_solve(lp, &options, &result, &error), error);
    tally->compared++;
    if (result->outcome != BERTH_OPTIMAL && result->outcome != BERTH_INFEASIBLE) {
        tally->unclear++;
    } else if ((result->outcome == BERTH_OPTIMAL) != (cost < (double)INFINITY)) {
        fail_msg("%s: %s but cost %g, margin %g", name, berth_outcome_name(result->outcome), cost, margin);
    } else if (result->outcome == BERTH_OPTIMAL && fabs(result->objective - cost) > 1e-7 * fmax(cost, size)) {
        fail_msg("%s: LP %.17g but cost %.17g, margin %g", name, result->objective, cost, margin);
    }
}

/* Of each family: more than 20,000 instances in all against the first backend, a sample against the others and where
 * everything is ten times slower. */
enum { OF_A_FAMILY = SANITIZED ? 120 : 1500, SAMPLE_OF_A_FAMILY = 120 };

static void compare_with_lp(fixture *f, const char *backend, const berth_backends *set, int of_a_family,
                            counts *tally) {
    for (int k = 0; k < (int)N_FAMILIES; k++) {
        for (int i = 0; i < of_a_family; i++) {
            instance in;
            char name[64];
            berth_error error;
            berth__model *model;
            berth__lp *lp;
            double cost[PAIRS], lam[PAIRS], mu[PAIRS];
            draw_numbered(2, i, k, &in, f->twin, name);
            berth__theta_problem p = problem_of(&in);
            assert_int_equal(berth__theta_solve(f->theta, &p, (size_t)in.n_pairs, in.W, in.S, cost, lam, mu), BERTH_OK);
            assert_ok(build_lp(&in, &model, &error), error);
            assert_ok(berth__lp_open(model, set, backend, &lp, &error), error);
            for (int j = in.n_pairs - 1; j >= 0; j -= 3) {
                compare_pair(&in, f->twin, j, cost[j], lam[j] * in.W[j] + mu[j] * in.S[j], lp, tally, name);
            }
            berth__lp_close(lp);
            berth__model_free(model);
        }
    }
}

static void equals_the_lp(void **state) {
    berth_backends *set = all_backends();
    for (size_t i = 0; i < berth_backends_count(set); i++) {
        counts tally = {0, 0};
        if (berth__backend_find(set, berth_backends_name(set, i), BERTH__BACKEND_LP) == NULL) {
            continue;
        }
        compare_with_lp(*state, berth_backends_name(set, i), set, i == 0 ? OF_A_FAMILY : SAMPLE_OF_A_FAMILY, &tally);
        assert_true(tally.compared > 1000 && tally.unclear * 100 < tally.compared);
    }
    berth_backends_free(set);
}

/* ---- by hand ---- */

/* Adding machines greedily by marginal cost would give 1.875: the optimum moves the servers to the dearer machine. */
static void not_greedy(void **state) {
    fixture *f = *state;
    const double one[] = {1, 1}, pw[] = {1, 2}, ps[] = {1, 1.5}, W[] = {0.25, 0.75, 1, 1.0001}, *S = W;
    berth__theta_problem p = {.n_groups = 2,
                              .n_resources = 1,
                              .count = one,
                              .capacity = one,
                              .price_worker = pw,
                              .price_ps = ps,
                              .worker = one,
                              .ps = one};
    double cost[4], lam[4], mu[4];
    assert_int_equal(berth__theta_solve(f->theta, &p, 4, W, S, cost, lam, mu), BERTH_OK);
    assert_close(cost[0], 0.5, 1e-12);
    assert_close(cost[1], 1.75, 1e-12);
    assert_close(cost[2], 2.5, 1e-12);
    assert_true(cost[3] == (double)INFINITY);
}

static void one_group_is_linear(void **state) {
    fixture *f = *state;
    const double count = 3, capacity[] = {8, 4}, pw = 0.5, ps = 0.25, worker[] = {2, 0}, server[] = {0, 1};
    const double W[] = {0, 6, 12, 12}, S[] = {0, 2, 12, 13};
    berth__theta_problem p = {.n_groups = 1,
                              .n_resources = 2,
                              .count = &count,
                              .capacity = capacity,
                              .price_worker = &pw,
                              .price_ps = &ps,
                              .worker = worker,
                              .ps = server};
    double cost[4], lam[4], mu[4];
    assert_int_equal(berth__theta_solve(f->theta, &p, 4, W, S, cost, lam, mu), BERTH_OK);
    assert_true(cost[0] == 0 && cost[1] == 3.5 && cost[2] == 9 && cost[3] == (double)INFINITY);
    assert_true(lam[2] == 0.5 && mu[2] == 0.25);
    assert_true(lam[3] == 0 && mu[3] == 0);
}

static void nowhere_to_go(void **state) {
    fixture *f = *state;
    const double W[] = {0, 1}, S[] = {0, 0};
    double cost[2];
    berth__theta_problem p = {.n_groups = 0, .n_resources = 0};
    assert_int_equal(berth__theta_solve(f->theta, &p, 2, W, S, cost, NULL, NULL), BERTH_OK);
    assert_true(cost[0] == 0 && cost[1] == (double)INFINITY);
    assert_int_equal(berth__theta_solve(f->theta, &p, 0, NULL, NULL, NULL, NULL, NULL), BERTH_OK);
}

static void refuses_nonsense(void **state) {
    fixture *f = *state;
    const double bad[] = {-1, (double)NAN, (double)INFINITY}, one[] = {1, 1}, down[] = {2, 1};
    double cost[2];
    const berth__theta_problem good = {.n_groups = 1,
                                       .n_resources = 1,
                                       .count = one,
                                       .capacity = one,
                                       .price_worker = one,
                                       .price_ps = one,
                                       .worker = one,
                                       .ps = one};
    assert_int_equal(berth__theta_solve(f->theta, &good, 2, one, one, cost, NULL, NULL), BERTH_OK);
    assert_int_equal(berth__theta_solve(f->theta, &good, 2, down, one, cost, NULL, NULL), BERTH_E_ARGUMENT);
    assert_int_equal(berth__theta_solve(f->theta, &good, 2, one, down, cost, NULL, NULL), BERTH_E_ARGUMENT);
    for (int i = 0; i < 3; i++) {
        berth__theta_problem p[] = {good, good, good, good, good};
        p[0].count = bad + i;
        p[1].price_worker = bad + i;
        p[2].price_ps = bad + i;
        p[3].worker = bad + i;
        p[4].ps = bad + i;
        int n_bad = bad[i] == (double)INFINITY ? 3 : 5; /* demands may be infinite */
        for (int j = 0; j < n_bad; j++) {
            assert_int_equal(berth__theta_solve(f->theta, &p[j], 1, one, one, cost, NULL, NULL), BERTH_E_ARGUMENT);
        }
        assert_int_equal(berth__theta_solve(f->theta, &good, 1, bad + i, one, cost, NULL, NULL), BERTH_E_ARGUMENT);
    }
    berth__theta_problem wide = good;
    wide.n_resources = BERTH__THETA_MAX_RESOURCES + 1;
    assert_int_equal(berth__theta_solve(f->theta, &wide, 1, one, one, cost, NULL, NULL), BERTH_E_ARGUMENT);
    assert_true(isnan(berth__theta_dual(&wide, 1, 1, 1, 1, 1, 1)));
}

/* ---- many groups ---- */

typedef struct crowd {
    int n_groups, n_resources, n_pairs;
    berth__theta_kind kind;
    double *capacity, *price_worker, *price_ps; /* capacity by resource */
    double worker[RESOURCES], ps[RESOURCES], W[PAIRS], S[PAIRS];
} crowd;

static berth__theta_problem problem_of_crowd(const crowd *c) {
    return (berth__theta_problem){.n_groups = c->n_groups,
                                  .n_resources = c->n_resources,
                                  .capacity = c->capacity,
                                  .price_worker = c->price_worker,
                                  .price_ps = c->price_ps,
                                  .worker = c->worker,
                                  .ps = c->ps,
                                  .stride = (size_t)c->n_groups,
                                  .kind = c->kind};
}

static void free_crowd(crowd *c) {
    free(c->capacity);
    free(c->price_worker);
    free(c->price_ps);
}

/* Of several sorts: alike, tied, wide, or such that every so-manieth group misleads about the others. */
static void draw_crowd_prices(berth__pcg *s, int sort, crowd *c) {
    int stride = c->n_groups < 512 ? 2 : c->n_groups / 256, phase = sort == 3 ? 0 : 1;
    for (int k = 0; k < c->n_groups; k++) {
        bool odd_one = (sort == 3 || sort == 4) && k % stride == phase % stride;
        double load = berth__pcg_uniform(s), price = sort == 1 ? whole(s, 1, 3) : pow(40, load);
        price *= odd_one ? 1e-3 : 1;
        c->price_worker[k] = sort == 2 ? log_uniform(s, -8, 4) : price * uniform(s, 0.9, 1.1);
        c->price_ps[k] = sort == 2 ? log_uniform(s, -8, 4) : price * uniform(s, 0.4, 0.5);
        if (sort == 1) {
            c->price_worker[k] = price;
            c->price_ps[k] = whole(s, 0, 2);
        }
        for (int r = 0; r < c->n_resources; r++) {
            double room = 12 * uniform(s, 0, 1) * (sort == 5 ? 1 : 1.2 - load);
            c->capacity[r * c->n_groups + k] = chance(s, 0.5) ? floor(room) : room;
        }
    }
}

static void draw_crowd(int number, crowd *c) {
    uint64_t key[] = {7, (uint64_t)number};
    berth__pcg s = berth__pcg_key(2, key);
    int sort = number % 6;
    *c = (crowd){.n_groups =
                     (int)(number % 2 == 0 ? berth__pcg_integer(&s, 512, 1500) : berth__pcg_integer(&s, 40, 200)),
                 .n_resources = (int)berth__pcg_integer(&s, 1, 4),
                 .n_pairs = PAIRS,
                 .kind = number % 8 >= 6 ? BERTH__THETA_HULL : BERTH__THETA_FRACTIONAL};
    c->capacity = calloc((size_t)(c->n_groups * c->n_resources), sizeof(double));
    c->price_worker = calloc((size_t)c->n_groups, sizeof(double));
    c->price_ps = calloc((size_t)c->n_groups, sizeof(double));
    assert_true(c->capacity != NULL && c->price_worker != NULL && c->price_ps != NULL);
    for (int r = 0; r < c->n_resources; r++) {
        c->worker[r] = whole(&s, 1, 4);
        c->ps[r] = r == 0 ? 0 : whole(&s, 0, 4);
    }
    draw_crowd_prices(&s, sort, c);
    double gamma = uniform(&s, 0.8, 6), top = c->n_groups * log_uniform(&s, -2.5, 0.5);
    for (int i = 0; i < PAIRS; i++) {
        c->W[i] = c->kind == BERTH__THETA_HULL ? ceil(top * (i + 1) / PAIRS) : top * (i + 1) / PAIRS;
        c->S[i] = c->kind == BERTH__THETA_HULL ? ceil(c->W[i] / gamma) : c->W[i] / gamma;
    }
}

/* Each pair for itself: nothing is known from neighbours, and hulls are cut off lower. */
static void check_alone(fixture *f, const crowd *c, const double *cost, int number) {
    berth__theta_problem p = problem_of_crowd(c);
    for (int i = number % 3; i < PAIRS; i += 5) {
        double alone;
        assert_int_equal(berth__theta_solve(f->theta, &p, 1, &c->W[i], &c->S[i], &alone, NULL, NULL), BERTH_OK);
        bool equal = cost[i] == alone || fabs(cost[i] - alone) <= 1e-10 * alone;
        if (!(equal || (c->kind == BERTH__THETA_HULL && cost[i] < alone))) {
            fail_msg("crowd %d: cost %.17g, alone %.17g at (%g, %g)", number, cost[i], alone, c->W[i], c->S[i]);
        }
    }
}

/* With and without leaving out dear groups. Costs of many groups are sums over all of them, hence the tolerance. */
static void sifting_is_exact(void **state) {
    fixture *f = *state;
    int n_infeasible = 0;
    for (int number = 0; number < 360; number++) {
        crowd c;
        double cost[2][PAIRS], lam[PAIRS], mu[PAIRS];
        draw_crowd(number, &c);
        berth__theta_problem p = problem_of_crowd(&c);
        for (int sift = 0; sift < 2; sift++) {
            berth__theta_tune(f->theta, true, sift != 0);
            assert_int_equal(berth__theta_solve(f->theta, &p, PAIRS, c.W, c.S, cost[sift], lam, mu), BERTH_OK);
        }
        for (int i = 0; i < PAIRS; i++) {
            double exact = cost[0][i];
            n_infeasible += exact == (double)INFINITY;
            if (exact < (double)INFINITY) {
                double dual = berth__theta_dual(&p, c.W[i], c.S[i], lam[i], mu[i], c.W[PAIRS - 1], c.S[PAIRS - 1]);
                assert_true(fabs(dual - cost[1][i]) <= 1e-12 * (lam[i] * c.W[i] + mu[i] * c.S[i]));
            }
            if (!(cost[1][i] == exact || fabs(cost[1][i] - exact) <= 1e-10 * exact)) {
                fail_msg("crowd %d: cost %.17g, sifted %.17g at (%g, %g)", number, exact, cost[1][i], c.W[i], c.S[i]);
            }
        }
        berth__theta_tune(f->theta, true, false);
        check_alone(f, &c, cost[0], number);
        free_crowd(&c);
    }
    assert_true(n_infeasible > 100 && n_infeasible < 360 * PAIRS / 2);
}

/* Whatever the processor has: the same bits. */
static void instructions_make_no_difference(void **state) {
    fixture *f = *state;
    for (int number = 0; number < 2000; number++) {
        crowd c;
        instance in;
        char name[64];
        double result[2][3][PAIRS];
        memset(result, 0, sizeof result);
        bool many = number % 20 == 0;
        if (many) {
            draw_crowd(1000 + number, &c);
        } else {
            draw_numbered(4, number, number % (int)N_FAMILIES, &in, f->twin, name);
        }
        berth__theta_problem p = many ? problem_of_crowd(&c) : problem_of(&in);
        p.kind = number % 3 == 0 ? BERTH__THETA_HULL : BERTH__THETA_FRACTIONAL;
        for (int wide = 0; wide < 2; wide++) {
            double(*out)[PAIRS] = result[wide];
            berth__theta_tune(f->theta, wide != 0, true);
            assert_int_equal(berth__theta_solve(f->theta, &p, (size_t)(many ? c.n_pairs : in.n_pairs),
                                                many ? c.W : in.W, many ? c.S : in.S, out[0], out[1], out[2]),
                             BERTH_OK);
        }
        assert_memory_equal(result[0], result[1], sizeof result[0]);
        if (many) {
            free_crowd(&c);
        }
    }
}

static void layouts_are_equal(void **state) {
    fixture *f = *state;
    for (int number = 0; number < 500; number++) {
        instance in;
        char name[64];
        double cost[2][PAIRS], spread[RESOURCES * GROUPS];
        draw_numbered(5, number, number % (int)N_FAMILIES, &in, f->twin, name);
        berth__theta_problem rows = problem_of(&in), columns = rows;
        columns.capacity = spread;
        columns.stride = GROUPS;
        for (int k = 0; k < in.n_groups; k++) {
            for (int r = 0; r < in.n_resources; r++) {
                spread[r * GROUPS + k] = in.capacity[k * in.n_resources + r];
            }
        }
        size_t n = (size_t)in.n_pairs;
        assert_int_equal(berth__theta_solve(f->theta, &rows, n, in.W, in.S, cost[0], NULL, NULL), BERTH_OK);
        assert_int_equal(berth__theta_solve(f->theta, &columns, n, in.W, in.S, cost[1], NULL, NULL), BERTH_OK);
        assert_memory_equal(cost[0], cost[1], n * sizeof(double));
    }
}

/* A demand that nothing can meet. */
static void endless_demands(void **state) {
    fixture *f = *state;
    const double huge[] = {(double)INFINITY, 1}, one[] = {1, 1}, room[] = {4, 4, 4, 4}, W[] = {0, 2}, zero[] = {0, 0};
    double cost[2];
    for (int kind = 0; kind < 2; kind++) {
        berth__theta_problem p = {.n_groups = 2,
                                  .n_resources = 2,
                                  .capacity = room,
                                  .price_worker = one,
                                  .price_ps = one,
                                  .worker = one,
                                  .ps = huge,
                                  .kind = (berth__theta_kind)kind};
        assert_int_equal(berth__theta_solve(f->theta, &p, 2, W, zero, cost, NULL, NULL), BERTH_OK);
        assert_true(cost[0] == 0 && fabs(cost[1] - 2) < 1e-12);
        assert_int_equal(berth__theta_solve(f->theta, &p, 2, W, one, cost, NULL, NULL), BERTH_OK);
        assert_true(cost[0] == (double)INFINITY && cost[1] == (double)INFINITY);
        p.worker = huge;
        p.ps = one;
        assert_int_equal(berth__theta_solve(f->theta, &p, 2, zero, W, cost, NULL, NULL), BERTH_OK);
        assert_true(cost[0] == 0 && fabs(cost[1] - 2) < 1e-12);
        p.ps = huge;
        assert_int_equal(berth__theta_solve(f->theta, &p, 2, zero, W, cost, NULL, NULL), BERTH_OK);
        assert_true(cost[0] == 0 && cost[1] == (double)INFINITY);
    }
}

/* A workspace that has seen other problems gives the same bits as a new one. */
static void workspace_leaves_no_trace(void **state) {
    fixture *f = *state;
    for (int i = 0; i < 200; i++) {
        instance in;
        char name[64];
        double cost[2][PAIRS], lam[2][PAIRS], mu[2][PAIRS];
        draw_numbered(3, i, i % (int)N_FAMILIES, &in, f->twin, name);
        berth__theta_problem p = problem_of(&in);
        size_t n = (size_t)in.n_pairs;
        berth__theta *fresh = berth__theta_new();
        assert_non_null(fresh);
        assert_int_equal(berth__theta_solve(f->theta, &p, n, in.W, in.S, cost[0], lam[0], mu[0]), BERTH_OK);
        assert_int_equal(berth__theta_solve(fresh, &p, n, in.W, in.S, cost[1], lam[1], mu[1]), BERTH_OK);
        berth__theta_free(fresh);
        assert_memory_equal(cost[0], cost[1], n * sizeof(double));
        assert_memory_equal(lam[0], lam[1], n * sizeof(double));
        assert_memory_equal(mu[0], mu[1], n * sizeof(double));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_twin),
        cmocka_unit_test(equals_the_lp),
        cmocka_unit_test(not_greedy),
        cmocka_unit_test(one_group_is_linear),
        cmocka_unit_test(nowhere_to_go),
        cmocka_unit_test(refuses_nonsense),
        cmocka_unit_test(sifting_is_exact),
        cmocka_unit_test(instructions_make_no_difference),
        cmocka_unit_test(layouts_are_equal),
        cmocka_unit_test(endless_demands),
        cmocka_unit_test(workspace_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
