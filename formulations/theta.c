#include "formulations/theta.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "formulations/master.h"
#include "formulations/polygons.h"

#include <math.h>

enum {
    FOLD_MIN_BLOCKS = 8, /* fewer are not worth folding */
    FOLD_MIN_PAIRS = 3,
    BOUNDARY = 64,
    SIFT_MIN_GROUPS = 512, /* fewer are all looked at from the start */
    SIFT_SAMPLE = 256,
    SIFT_TRIES = 3
};

_Static_assert((int)BERTH__THETA_MAX_RESOURCES <= (int)BERTH__POLYGON_RESOURCES &&
                   (int)BERTH__THETA_MAX_RESOURCES <= (int)BERTH__HULL_RESOURCES,
               "polygons have room for every resource");

/* Distance from the edge of what fits, relative, that the master keeps. */
#define EDGE 1e-11
/* Gaps below GAP of the value, or ROUNDING of the terms they are made of, are 0. */
#define GAP      1e-12
#define ROUNDING 1e-15
/* Neighbours' errors are a pair's own: that much of its value may be lost to them. */
#define LOSS 1e-11
/* Groups dearer than the sample's duals by this in both prices are left out. */
#define SIFT_FACTOR 1.15

typedef berth__column column;
typedef berth__polygon_set polygon_set;

/* What is known of a pair, and handed to the pairs beside it. */
typedef struct solution {
    double value, lam, mu; /* the best dual so far */
    column choice;         /* what the groups choose there */
    bool exact;            /* lam, mu are optimal but for `error`, and the pair is not at the edge of what fits */
    double error;          /* of the value, estimated */
    int n;
    column columns[3]; /* points of the optimal basis */
    /* The basis itself, if has_basis: it is optimal for all pairs that leave its x >= 0. */
    bool has_basis;
    double W, S, scale_w, scale_s, inverse[3][3], cost[3];
} solution;

/* Groups that may choose differently within a box of duals. Duals outside look in the wider scope. The outermost box is
 * everything. */
typedef struct scope {
    const struct scope *wider;
    berth__dual_box box;
    polygon_set set;
} scope;

struct berth__theta {
    bool sift;
    berth__polygons polygons;
    int n_groups; /* looked at */
    int *list;    /* of them */
    size_t list_room;
    polygon_set all;
    int n_boundary; /* known points of the boundary of the sum, w ascending, s descending */
    column boundary[BOUNDARY];
    double lam_limit, mu_limit; /* no group left out matters up to these duals */
    bool overstepped;           /* one of the results has duals beyond them */
    const double *W, *S;
    double *cost, *lam, *mu; /* lam, mu: NULL if not wanted */
    berth__master master;
};

berth__theta *berth__theta_new(void) {
    berth__theta *theta = berth__calloc(1, sizeof(berth__theta));
    if (theta != NULL) {
        berth__theta_tune(theta, true, true);
    }
    return theta;
}

void berth__theta_free(berth__theta *theta) {
    if (theta == NULL) {
        return;
    }
    berth__polygons_release(&theta->polygons);
    berth__free(theta->list);
    berth__free(theta);
}

void berth__theta_tune(berth__theta *theta, bool wide, bool sift) {
    theta->polygons.wide = wide && berth__polygons_wide();
    theta->sift = sift;
}

/* ---- what fits at all ---- */

static void start_boundary(berth__theta *theta) {
    theta->boundary[0] = berth__polygons_best(&theta->polygons, &theta->all, 0.0, 1.0, 0.0);
    theta->boundary[1] = berth__polygons_best(&theta->polygons, &theta->all, 1.0, 0.0, 0.0);
    theta->n_boundary = 2;
}

static void insert_boundary(berth__theta *theta, int after, const column *point) {
    column *b = theta->boundary;
    if (theta->n_boundary == BOUNDARY) { /* the ends, and where we are */
        column left = b[after], right = b[after + 1];
        b[3] = b[BOUNDARY - 1];
        b[1] = left;
        b[2] = right;
        theta->n_boundary = 4;
        after = 1;
    }
    for (int i = theta->n_boundary; i > after + 1; i--) {
        b[i] = b[i - 1];
    }
    b[after + 1] = *point;
    theta->n_boundary++;
}

/* A point of the sum that attains (w, s); false if there is none. Closes in on the boundary above w: the vertex
 * furthest out from the chord there, as long as there is one. */
static bool reach(berth__theta *theta, double w, double s, column *point) {
    const column *b = theta->boundary;
    if (b[theta->n_boundary - 1].w < w * (1.0 - 1e-15) || b[0].s < s * (1.0 - 1e-15)) {
        return false;
    }
    for (;;) {
        int i = 0;
        while (i < theta->n_boundary - 2 && b[i + 1].w < w) {
            i++;
        }
        const column *left = &b[i], *right = &b[i + 1];
        double width = right->w - left->w, part = width > 0.0 ? fmin((w - left->w) / width, 1.0) : 1.0;
        if (w <= left->w) {
            part = 0.0;
        }
        *point = (column){left->w + part * width, left->s + part * (right->s - left->s),
                          left->cost + part * (right->cost - left->cost)};
        if (point->s >= s) {
            return true;
        }
        double down = left->s - right->s, out = down * left->w + width * left->s;
        column vertex = berth__polygons_best(&theta->polygons, &theta->all, down, width, 0.0);
        double further = down * vertex.w + width * vertex.s;
        bool between = vertex.w >= left->w && vertex.w <= right->w && vertex.s <= left->s && vertex.s >= right->s;
        if (!between || !(further > out * (1.0 + 1e-15))) {
            return down * w + width * s <= out * (1.0 + 2e-15);
        }
        insert_boundary(theta, i, &vertex);
    }
}

/* True if (W, S) fits within the tolerance. `part` of it is what to solve for, attained by `point`: at the very edge of
 * what fits the duals are unbounded, and a little less has the same ones but for steps that rounding cannot resolve. */
static bool reach_within_tolerance(berth__theta *theta, double W, double S, double *part, column *point) {
    *part = 1.0;
    if (reach(theta, W * (1.0 + EDGE), S * (1.0 + EDGE), point)) {
        return true;
    }
    *part = 1.0 - EDGE;
    if (reach(theta, W * *part, S * *part, point)) {
        return true;
    }
    *part = 1.0 - BERTH__FEASIBILITY;
    return reach(theta, W * *part, S * *part, point);
}

/* ---- one pair ---- */

/* phi_k is submodular (P_k is down-closed), so some optimal duals never decrease in (W, S) (Topkis), and pairs between
 * two solved ones have theirs between. */
static berth__dual_box box_between(const solution *low, const solution *high) {
    return (berth__dual_box){.lam_low = fmin(low->lam, high->lam),
                             .lam_high = fmax(low->lam, high->lam),
                             .mu_low = fmin(low->mu, high->mu),
                             .mu_high = fmax(low->mu, high->mu)};
}

static bool inside(const berth__dual_box *box, double lam, double mu) {
    return lam >= box->lam_low && lam <= box->lam_high && mu >= box->mu_low && mu <= box->mu_high;
}

static column best_column(const berth__theta *theta, const scope *at, double lam, double mu) {
    while (at->wider != NULL && !inside(&at->box, lam, mu)) {
        at = at->wider;
    }
    return berth__polygons_best(&theta->polygons, &at->set, lam, mu, 1.0);
}

static double dual_value(const column *c, double W, double S, double lam, double mu) {
    return c->cost + lam * (W - c->w) + mu * (S - c->s);
}

/* Evaluates the dual of (W, S), keeps it if it is the best; returns its column. */
static column try_duals(const berth__theta *theta, const scope *at, double W, double S, double lam, double mu,
                        solution *best) {
    column c = best_column(theta, at, lam, mu);
    double value = dual_value(&c, W, S, lam, mu);
    if (value > best->value) {
        best->value = value;
        best->lam = lam;
        best->mu = mu;
        best->choice = c;
    }
    return c;
}

static void keep_basis(const berth__master *m, solution *out) {
    out->n = 0;
    for (int i = 0; i < 3; i++) {
        int j = m->basis[i];
        out->cost[i] = m->columns[j].cost;
        for (int k = 0; k < 3; k++) {
            out->inverse[i][k] = m->inverse[i][k];
        }
        if (m->columns[j].one > 0.0) {
            out->columns[out->n++] = m->points[j];
        }
    }
    out->W = m->W;
    out->S = m->S;
    out->scale_w = m->scale_w;
    out->scale_s = m->scale_s;
}

static double rounding_of(const berth__master *m) {
    double size = fabs(m->lam) + fabs(m->mu);
    for (int i = 0; i < 3; i++) {
        size += fabs(m->columns[m->basis[i]].cost);
    }
    return 2e-16 * size;
}

/* Column generation from where the master stands; false if it gave up: out of room, or the master is wrong for want of
 * precision, which shows in a dual above its value. */
static bool close_gap(berth__theta *theta, const scope *at, const berth__dual_box *box, double W, double S,
                      solution *best) {
    berth__master *m = &theta->master;
    while (berth__master_optimise(m)) {
        double lam = fmax(m->lam, 0.0) * m->scale_w, mu = fmax(m->mu, 0.0) * m->scale_s;
        if (box != NULL) {
            lam = fmin(fmax(lam, box->lam_low), box->lam_high);
            mu = fmin(fmax(mu, box->mu_low), box->mu_high);
        }
        column c = try_duals(theta, at, W, S, lam, mu, best);
        double gap = m->value - dual_value(&c, m->W, m->S, lam, mu);
        double tolerance = GAP * fabs(m->value) + ROUNDING * (fabs(m->lam) + fabs(m->mu));
        if (gap <= tolerance) {
            best->error = fabs(gap) + rounding_of(m);
            return gap >= -10.0 * tolerance;
        }
        if (!berth__master_add(m, &c)) {
            return false;
        }
    }
    return false;
}

static void start_pair(solution *out) {
    out->value = out->lam = out->mu = 0.0; /* the dual at 0, 0 */
    out->choice = (column){0};
    out->exact = out->has_basis = false;
    out->error = (double)INFINITY;
}

/* From a point that attains part of (W, S). */
static bool solve_from(berth__theta *theta, const scope *at, double W, double S, double part, const column *point,
                       solution *out) {
    static const column origin = {0.0, 0.0, 0.0};
    berth__master *m = &theta->master;
    berth__master_start(m, W * part, S * part, NULL);
    berth__master_add(m, &origin);
    berth__master_add(m, point);
    berth__master_base(m);
    return close_gap(theta, at, NULL, W, S, out);
}

/* A pair that fits, with nothing to go by. If it fails for want of precision, a little less is tried. False if that
 * fails as well; what was found is a lower bound all the same. */
static bool solve_alone(berth__theta *theta, const scope *at, double W, double S, solution *out) {
    double part;
    column edge;
    start_pair(out);
    reach_within_tolerance(theta, W, S, &part, &edge);
    bool closed = solve_from(theta, at, W, S, part, &edge, out);
    out->exact = out->has_basis = closed && part >= 1.0;
    if (!closed) {
        part = 1.0 - BERTH__FEASIBILITY;
        reach(theta, W * part, S * part, &edge);
        closed = solve_from(theta, at, W, S, part, &edge, out);
    }
    keep_basis(&theta->master, out);
    theta->overstepped = theta->overstepped || out->lam > theta->lam_limit || out->mu > theta->mu_limit;
    return closed;
}

/* A pair between two solved ones, by duals between theirs. Duals off the best by some value may cost a pair between as
 * much, but no more (supermodularity of the dual), which matters where costs span many orders of magnitude. If it fails
 * for want of precision, or theirs are not known well enough: alone. Should that fail too the neighbours' duals are
 * tried, which are good ones at least. */
static void solve_pair(berth__theta *theta, const scope *at, double W, double S, const solution *low,
                       const solution *high, solution *out) {
    berth__master *m = &theta->master;
    if (low->exact && high->exact) {
        berth__dual_box box = box_between(low, high);
        start_pair(out);
        berth__master_start(m, W, S, &box);
        for (int i = 0; i < low->n; i++) {
            berth__master_add(m, &low->columns[i]);
        }
        for (int i = 0; i < high->n; i++) {
            berth__master_add(m, &high->columns[i]);
        }
        berth__master_base(m);
        bool closed = close_gap(theta, at, &box, W, S, out);
        out->error += low->error + high->error;
        if (closed && out->error <= LOSS * out->value) {
            keep_basis(m, out);
            out->exact = out->has_basis = true;
            return;
        }
    }
    if (!solve_alone(theta, at, W, S, out)) {
        try_duals(theta, at, W, S, low->lam, low->mu, out);
        try_duals(theta, at, W, S, high->lam, high->mu, out);
    }
}

/* Whether the basis of another pair is optimal for (W, S) too; then *value is the cost, at that pair's duals. */
static bool same_basis(const solution *other, double W, double S, double *value) {
    if (!other->has_basis) {
        return false;
    }
    double dw = (W - other->W) * other->scale_w, ds = (S - other->S) * other->scale_s, primal = 0.0;
    for (int i = 0; i < 3; i++) {
        const double *row = other->inverse[i];
        double x = row[0] * dw + row[1] * ds + row[2];
        if (!(x >= 0.0)) {
            return false;
        }
        primal += x * other->cost[i];
    }
    *value = dual_value(&other->choice, W, S, other->lam, other->mu);
    return other->error <= LOSS * *value &&
           primal - *value <= GAP * primal + ROUNDING * (other->lam * W + other->mu * S);
}

/* ---- all pairs ---- */

static void store(const berth__theta *theta, size_t i, double cost, double lam, double mu) {
    theta->cost[i] = cost;
    if (theta->lam != NULL) {
        theta->lam[i] = lam;
        theta->mu[i] = mu;
    }
}

/* Pairs first .. end-1 between two solved ones. */
static void solve_between(berth__theta *theta, const scope *at, size_t first, size_t end, const solution *low,
                          const solution *high) {
    double value;
    while (first < end && same_basis(low, theta->W[first], theta->S[first], &value)) {
        store(theta, first++, value, low->lam, low->mu);
    }
    while (first < end && same_basis(high, theta->W[end - 1], theta->S[end - 1], &value)) {
        store(theta, --end, value, high->lam, high->mu);
    }
    if (first >= end) {
        return;
    }
    berth__polygons *polygons = &theta->polygons;
    int n_blocks = polygons->n_blocks;
    size_t n_data = polygons->n_data, middle = first + (end - first) / 2;
    scope narrow = {.wider = at, .box = box_between(low, high)};
    if (end - first >= FOLD_MIN_PAIRS && at->set.end - at->set.first >= FOLD_MIN_BLOCKS &&
        berth__polygons_fold(polygons, &at->set, &narrow.box, &narrow.set)) {
        at = &narrow;
    }
    solution found;
    solve_pair(theta, at, theta->W[middle], theta->S[middle], low, high, &found);
    store(theta, middle, found.value, found.lam, found.mu);
    solve_between(theta, at, first, middle, low, &found);
    solve_between(theta, at, middle + 1, end, &found, high);
    polygons->n_blocks = n_blocks;
    polygons->n_data = n_data;
}

/* One group: its prices are the optimal duals. */
static void solve_single(const berth__theta *theta, const berth__theta_problem *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double lam = theta->W[i] > 0.0 ? p->price_worker[0] : 0.0, mu = theta->S[i] > 0.0 ? p->price_ps[0] : 0.0;
        store(theta, i, lam * theta->W[i] + mu * theta->S[i], lam, mu);
    }
}

/* Pairs first .. n-1, over the groups of `list` (NULL: all of them). *n_feasible: the pairs before that fit.
 * False: out of memory. */
static bool solve_over(berth__theta *theta, const berth__theta_problem *p, const int *list, int n_list, size_t n,
                       size_t *n_feasible) {
    if (!berth__polygons_build(&theta->polygons, p, list, n_list, theta->W[n - 1], theta->S[n - 1])) {
        return false;
    }
    theta->all = (polygon_set){.end = theta->polygons.n_blocks};
    theta->overstepped = false;
    start_boundary(theta);
    double part;
    column point;
    size_t fit = n;
    while (fit > 0 && !reach_within_tolerance(theta, theta->W[fit - 1], theta->S[fit - 1], &part, &point)) {
        fit--;
        store(theta, fit, (double)INFINITY, 0.0, 0.0);
    }
    *n_feasible = fit;
    if (p->n_groups == 1) {
        solve_single(theta, p, fit);
    } else if (fit > 0 && (fit == n || list == NULL)) {
        scope all = {.set = theta->all};
        solution low = {.exact = true, .n = 1}, high; /* nothing placed: the column of the origin */
        solve_alone(theta, &all, theta->W[fit - 1], theta->S[fit - 1], &high);
        store(theta, fit - 1, high.value, high.lam, high.mu);
        if (!theta->overstepped) {
            solve_between(theta, &all, 0, fit - 1, &low, &high);
        }
    }
    return true;
}

/* ---- sifting ---- */

typedef struct outcome {
    size_t n;
    const double *W, *S;
    double *cost, *lam, *mu;
} outcome;

static void aim_at(berth__theta *theta, const outcome *out) {
    theta->W = out->W;
    theta->S = out->S;
    theta->cost = out->cost;
    theta->lam = out->lam;
    theta->mu = out->mu;
}

/* Estimates the duals of the last pair from every stride-th group. False: out of memory; *lam = 0 if there is no
 * telling. */
static bool sample_duals(berth__theta *theta, const berth__theta_problem *p, double W, double S, double *lam,
                         double *mu) {
    int stride = p->n_groups / SIFT_SAMPLE, n = 0;
    for (int k = 0; k < p->n_groups; k += stride) {
        theta->list[n++] = k;
    }
    double share = (double)n / p->n_groups, w = W * share, s = S * share, cost = 0.0;
    const outcome one = {.n = 1, .W = &w, .S = &s, .cost = &cost, .lam = lam, .mu = mu};
    aim_at(theta, &one);
    size_t n_feasible = 0;
    *lam = *mu = 0.0;
    return solve_over(theta, p, theta->list, n, 1, &n_feasible);
}

/* Looks at cheap groups only: exact if all duals are within the limits, as the others choose nothing there. *done: it
 * was. False: out of memory. */
static bool solve_sifted(berth__theta *theta, const berth__theta_problem *p, const outcome *out, bool *done) {
    double lam, mu;
    *done = false;
    if ((size_t)p->n_groups > theta->list_room) {
        int *list = berth__realloc(theta->list, (size_t)p->n_groups, sizeof *list);
        if (list == NULL) {
            return false;
        }
        theta->list = list;
        theta->list_room = (size_t)p->n_groups;
    }
    if (!sample_duals(theta, p, out->W[out->n - 1], out->S[out->n - 1], &lam, &mu)) {
        return false;
    }
    if (!(lam > 0.0 || mu > 0.0)) {
        return true;
    }
    aim_at(theta, out);
    for (int attempt = 0; attempt < SIFT_TRIES; attempt++) {
        theta->lam_limit = lam *= attempt == 0 ? SIFT_FACTOR : 2.0;
        theta->mu_limit = mu *= attempt == 0 ? SIFT_FACTOR : 2.0;
        int n =
            berth__polygons_cheap(&theta->polygons, p->price_worker, p->price_ps, p->n_groups, lam, mu, theta->list);
        if (4 * (long)n > 3 * (long)p->n_groups) {
            return true;
        }
        size_t n_feasible;
        if (!solve_over(theta, p, theta->list, n, out->n, &n_feasible)) {
            return false;
        }
        if (n_feasible == out->n && !theta->overstepped) {
            *done = true;
            return true;
        }
    }
    return true;
}

/* ---- entry ---- */

static bool pairs_valid(size_t n, const double *W, const double *S, double limit) {
    for (size_t i = 0; i < n; i++) {
        bool in_range = W[i] >= 0.0 && W[i] <= limit && S[i] >= 0.0 && S[i] <= limit;
        if (!in_range || (i > 0 && (W[i] < W[i - 1] || S[i] < S[i - 1]))) {
            return false;
        }
    }
    return true;
}

static bool problem_valid(const berth__theta *theta, const berth__theta_problem *p) {
    if (p->n_groups < 0 || p->n_resources < 0 || p->n_resources > BERTH__THETA_MAX_RESOURCES) {
        return false;
    }
    for (int r = 0; r < p->n_resources; r++) {
        if (!(p->worker[r] >= 0.0 && p->ps[r] >= 0.0)) {
            return false;
        }
    }
    size_t n = (size_t)p->n_groups;
    const berth__polygons *polygons = &theta->polygons;
    return (p->count == NULL || berth__polygons_in_range(polygons, p->count, n)) &&
           berth__polygons_in_range(polygons, p->price_worker, n) && berth__polygons_in_range(polygons, p->price_ps, n);
}

berth_status berth__theta_solve(berth__theta *theta, const berth__theta_problem *p, size_t n, const double *W,
                                const double *S, double *cost, double *lam, double *mu) {
    bool hull = p->kind == BERTH__THETA_HULL;
    if (!problem_valid(theta, p) || !pairs_valid(n, W, S, hull ? 1e9 : 1.7e308)) {
        return BERTH_E_ARGUMENT;
    }
    if (n == 0) {
        return BERTH_OK;
    }
    outcome out = {n, W, S, cost, lam, mu};
    theta->lam_limit = theta->mu_limit = (double)INFINITY;
    if (theta->sift && p->n_groups >= SIFT_MIN_GROUPS) {
        bool done;
        if (!solve_sifted(theta, p, &out, &done)) {
            return BERTH_E_MEMORY;
        }
        if (done) {
            return BERTH_OK;
        }
    }
    aim_at(theta, &out);
    theta->lam_limit = theta->mu_limit = (double)INFINITY;
    size_t n_feasible;
    return solve_over(theta, p, NULL, p->n_groups, n, &n_feasible) ? BERTH_OK : BERTH_E_MEMORY;
}

/* ---- the definition ---- */

/* Corners of what fits on a group; returns how many, -1: out of memory. `fractional` has room for its own. */
static int corners_of(const berth__theta_problem *p, int k, double w_limit, double s_limit, const berth__edges *edges,
                      berth__vertex *fractional, berth__hull *hull) {
    double free[BERTH__THETA_MAX_RESOURCES], count = p->count != NULL ? p->count[k] : 1.0;
    for (int r = 0; r < p->n_resources; r++) {
        free[r] = p->stride == 0 ? p->capacity[(size_t)k * (size_t)p->n_resources + (size_t)r]
                                 : p->capacity[(size_t)r * p->stride + (size_t)k];
    }
    if (p->kind == BERTH__THETA_FRACTIONAL) {
        return berth__polygon_build(edges, free, count, w_limit, s_limit, fractional);
    }
    bool built =
        berth__hull_build(hull, free, 1, p->worker, p->ps, p->n_resources, (int)ceil(w_limit), (int)ceil(s_limit));
    return built ? hull->n + 1 : -1;
}

double berth__theta_dual(const berth__theta_problem *p, double W, double S, double lam, double mu, double w_limit,
                         double s_limit) {
    if (p->n_resources > BERTH__THETA_MAX_RESOURCES) {
        return (double)NAN;
    }
    berth__edges edges;
    berth__vertex v[BERTH__POLYGON_VERTICES];
    berth__hull hull = {0};
    double value = lam * W + mu * S;
    berth__edges_init(&edges, p->n_resources, p->worker, p->ps);
    for (int k = 0; k < p->n_groups; k++) {
        int n = corners_of(p, k, w_limit, s_limit, &edges, v, &hull);
        double phi = 0.0, a = lam - p->price_worker[k], b = mu - p->price_ps[k];
        for (int i = 0; i < n && p->kind == BERTH__THETA_FRACTIONAL; i++) {
            phi = fmax(phi, a * v[i].w + b * v[i].s);
        }
        if (p->kind == BERTH__THETA_HULL) {
            double count = p->count != NULL ? p->count[k] : 1.0;
            phi = fmax(0.0, count * b * hull.top);
            for (int i = 0; i < hull.n; i++) {
                phi = fmax(phi, count * (a * hull.ends[i].w + fmax(b, 0.0) * hull.ends[i].s));
            }
        }
        value = n < 0 ? (double)NAN : value - phi;
    }
    berth__hull_release(&hull);
    return value;
}
