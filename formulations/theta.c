#include "formulations/theta.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "formulations/polygon.h"

#include <math.h>

enum {
    MAX_COLUMNS = 256, /* of a master; a pair takes 2 to 10 of them */
    MAX_PIVOTS = 200,
    BLAND_AFTER = 60,     /* pivots by lowest index from then on, which cannot cycle */
    FOLD_MIN_GROUPS = 12, /* fewer are not worth folding */
    SURPLUS_W = 0,        /* the master's first two columns */
    SURPLUS_S = 1
};

_Static_assert((int)BERTH__THETA_MAX_RESOURCES <= (int)BERTH__POLYGON_RESOURCES,
               "polygons have room for every resource");

/* Differences of sums over groups that are rounding error: a column is level with (W, S) within this, relative. */
#define LEVEL 1e-13
/* Distance from the edge of what fits, relative, that the master keeps. */
#define EDGE 1e-11
/* Reduced costs and gaps below GAP of the value, or ROUNDING of the terms they are made of, are 0. */
#define GAP      1e-12
#define ROUNDING 1e-15
/* Smaller steps do not pivot; determinants smaller than their terms by this are 0. */
#define PIVOT    1e-12
#define SINGULAR 1e-11

typedef struct group {
    double price_worker, price_ps;
    int n_vertices;
} group;

/* A point of the sum of all polygons, with its cost. */
typedef struct column {
    double w, s, cost;
} column;

/* What is known of a pair, and handed to the pairs beside it. */
typedef struct solution {
    double value, lam, mu; /* the best dual so far */
    column point;          /* attains at least (W, S) */
    int n;
    column columns[3]; /* of the optimal basis */
} solution;

/* Groups whose best vertex is the same all over a box of duals are folded into one fixed column; the others are the
 * first n_active of theta->active. Duals outside the box look in the wider scope. The outermost box is everything. */
typedef struct scope {
    const struct scope *wider;
    double lam_low, lam_high, mu_low, mu_high;
    int n_active;
    column fixed;
} scope;

/* min sum cost_j x_j, sum dw_j x_j = 0, sum ds_j x_j = 0, sum one_j x_j = 1, x >= 0, with dw = w / W - 1,
 * ds = s / S - 1: relative to the target, or ties would make it cycle. */
typedef struct master {
    double W, S, scale_w, scale_s;
    int n;
    column columns[MAX_COLUMNS];
    double dw[MAX_COLUMNS], ds[MAX_COLUMNS], one[MAX_COLUMNS], cost[MAX_COLUMNS];
    int basis[3];
    double inverse[3][3];
    double lam, mu, value; /* scaled duals, objective */
} master;

struct berth__theta {
    int n_groups, stride; /* vertices of group k are vertices[k * stride ...] */
    size_t group_room, vertex_room;
    group *groups;
    int *active;
    berth__vertex *vertices;
    berth__edges edges;
    column edge_sum[BERTH__POLYGON_RESOURCES + 2]; /* the edges of the sum of all polygons */
    column start;                                  /* its first vertex */
    double part;                                   /* of every pair, see reach_within_tolerance */
    const double *W, *S;
    double *cost, *lam, *mu; /* lam, mu: NULL if not wanted */
    master master;
};

berth__theta *berth__theta_new(void) {
    return berth__calloc(1, sizeof(berth__theta));
}

void berth__theta_free(berth__theta *theta) {
    if (theta == NULL) {
        return;
    }
    berth__free(theta->groups);
    berth__free(theta->active);
    berth__free(theta->vertices);
    berth__free(theta);
}

/* ---- polygons ---- */

static bool reserve(berth__theta *theta, size_t n_groups, size_t n_vertices) {
    if (n_groups > theta->group_room) {
        group *groups = berth__realloc(theta->groups, n_groups, sizeof *groups);
        if (groups == NULL) {
            return false;
        }
        theta->groups = groups;
        int *active = berth__realloc(theta->active, n_groups, sizeof *active);
        if (active == NULL) {
            return false;
        }
        theta->active = active;
        theta->group_room = n_groups;
    }
    if (n_vertices > theta->vertex_room) {
        berth__vertex *vertices = berth__realloc(theta->vertices, n_vertices, sizeof *vertices);
        if (vertices == NULL) {
            return false;
        }
        theta->vertices = vertices;
        theta->vertex_room = n_vertices;
    }
    return true;
}

static void add(column *sum, const group *g, double w, double s) {
    sum->w += w;
    sum->s += s;
    sum->cost += g->price_worker * w + g->price_ps * s;
}

static void build_polygons(berth__theta *theta, const berth__theta_problem *p, double w_limit, double s_limit) {
    theta->start = (column){0};
    for (int e = 0; e < theta->edges.n; e++) {
        theta->edge_sum[e] = (column){0};
    }
    for (int k = 0; k < p->n_groups; k++) {
        berth__vertex *v = theta->vertices + (size_t)k * (size_t)theta->stride;
        group *g = theta->groups + k;
        *g = (group){.price_worker = p->price_worker[k], .price_ps = p->price_ps[k]};
        g->n_vertices = berth__polygon_build(&theta->edges, p->capacity + (size_t)k * (size_t)p->n_resources,
                                             p->count[k], w_limit, s_limit, v);
        add(&theta->start, g, v->w, v->s);
        for (int i = 0; i + 1 < g->n_vertices; i++) {
            add(&theta->edge_sum[v[i].edge], g, v[i + 1].w - v[i].w, v[i + 1].s - v[i].s);
        }
        theta->active[k] = k;
    }
}

/* The point of the summed boundary straight above w; false if the sum does not reach (w, s). */
static bool reach(const berth__theta *theta, double w, double s, column *point) {
    column at = theta->start;
    for (int e = 0; e + 1 < theta->edges.n && at.w < w; e++) {
        const column *step = &theta->edge_sum[e];
        double part = at.w + step->w > w ? (w - at.w) / step->w : 1.0;
        at.w += part * step->w;
        at.s += part * step->s;
        at.cost += part * step->cost;
    }
    *point = at;
    return at.w >= w * (1.0 - 1e-15) && at.s >= s;
}

/* True if (W, S) fits within the tolerance. `part` of it is what to solve for, reached by `point`: at the very edge of
 * what fits the duals are unbounded, and a little less has the same ones but for steps that rounding cannot resolve. */
static bool reach_within_tolerance(const berth__theta *theta, double W, double S, double *part, column *point) {
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

/* ---- pricing ---- */

static int best_vertex(const berth__theta *theta, int k, double lam, double mu) {
    const group *g = theta->groups + k;
    return berth__polygon_best(theta->vertices + (size_t)k * (size_t)theta->stride, g->n_vertices,
                               lam - g->price_worker, mu - g->price_ps);
}

static void add_vertex(const berth__theta *theta, int k, int vertex, column *sum) {
    if (vertex >= 0) {
        const berth__vertex *v = theta->vertices + (size_t)k * (size_t)theta->stride + vertex;
        add(sum, theta->groups + k, v->w, v->s);
    }
}

static bool inside(const scope *box, double lam, double mu) {
    return lam >= box->lam_low && lam <= box->lam_high && mu >= box->mu_low && mu <= box->mu_high;
}

static column best_column(const berth__theta *theta, const scope *at, double lam, double mu) {
    while (at->wider != NULL && !inside(at, lam, mu)) {
        at = at->wider;
    }
    column sum = at->fixed;
    for (int i = 0; i < at->n_active; i++) {
        int k = theta->active[i];
        add_vertex(theta, k, best_vertex(theta, k, lam, mu), &sum);
    }
    return sum;
}

/* A scope within `wider` for the box between two duals. phi_k is submodular (P_k is down-closed), so some optimal
 * duals never decrease in (W, S) (Topkis), and pairs between two solved ones have theirs between. Nothing relies on it:
 * duals outside the box are only slower. Best vertices are constant over a box if they are over its corners. */
static scope narrow(berth__theta *theta, const scope *wider, const solution *low, const solution *high) {
    scope box = {.wider = wider,
                 .lam_low = fmin(low->lam, high->lam),
                 .lam_high = fmax(low->lam, high->lam),
                 .mu_low = fmin(low->mu, high->mu),
                 .mu_high = fmax(low->mu, high->mu),
                 .fixed = wider->fixed};
    int *active = theta->active;
    for (int i = 0; i < wider->n_active; i++) {
        int k = active[i];
        int vertex = best_vertex(theta, k, box.lam_low, box.mu_high);
        if (vertex == best_vertex(theta, k, box.lam_high, box.mu_low) &&
            vertex == best_vertex(theta, k, box.lam_high, box.mu_high) &&
            vertex == best_vertex(theta, k, box.lam_low, box.mu_low)) {
            add_vertex(theta, k, vertex, &box.fixed);
        } else {
            active[i] = active[box.n_active];
            active[box.n_active++] = k;
        }
    }
    return box;
}

/* ---- master ---- */

static double level(double value, double target, double scale) {
    double difference = (value - target) * scale;
    return fabs(difference) <= LEVEL ? 0.0 : difference;
}

/* False if there is no room. */
static bool add_column(master *m, const column *c) {
    if (m->n == MAX_COLUMNS) {
        return false;
    }
    m->dw[m->n] = level(c->w, m->W, m->scale_w);
    m->ds[m->n] = level(c->s, m->S, m->scale_s);
    m->one[m->n] = 1.0;
    m->cost[m->n] = c->cost;
    m->columns[m->n++] = *c;
    return true;
}

/* Starts from `point`, which attains (W, S): feasible with both surpluses basic. */
static void master_start(master *m, double W, double S, const column *point) {
    m->W = W;
    m->S = S;
    m->scale_w = W > 0.0 ? 1.0 / W : 1.0;
    m->scale_s = S > 0.0 ? 1.0 / S : 1.0;
    m->n = 2;
    m->dw[SURPLUS_W] = m->ds[SURPLUS_S] = -1.0;
    m->dw[SURPLUS_S] = m->ds[SURPLUS_W] = 0.0;
    m->one[SURPLUS_W] = m->one[SURPLUS_S] = 0.0;
    m->cost[SURPLUS_W] = m->cost[SURPLUS_S] = 0.0;
    m->basis[0] = SURPLUS_W;
    m->basis[1] = SURPLUS_S;
    m->basis[2] = m->n;
    add_column(m, point);
    m->dw[m->basis[2]] = fmax(m->dw[m->basis[2]], 0.0);
    m->ds[m->basis[2]] = fmax(m->ds[m->basis[2]], 0.0);
}

/* Inverse of the basis by cofactors, duals and value; false if it is singular but for rounding. */
static bool factorise(master *m) {
    double a[3][3], inverse[3][3], determinant = 0.0, size = 0.0;
    for (int j = 0; j < 3; j++) {
        int c = m->basis[j];
        a[0][j] = m->dw[c];
        a[1][j] = m->ds[c];
        a[2][j] = m->one[c];
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double plus = a[i1][j1] * a[i2][j2], minus = a[i1][j2] * a[i2][j1];
            inverse[j][i] = plus - minus;
            if (i == 0) {
                determinant += a[0][j] * inverse[j][0];
                size += fabs(a[0][j]) * (fabs(plus) + fabs(minus));
            }
        }
    }
    if (!(fabs(determinant) > SINGULAR * size)) {
        return false;
    }
    double duals[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            m->inverse[j][i] = inverse[j][i] / determinant;
            duals[i] += m->cost[m->basis[j]] * m->inverse[j][i];
        }
    }
    m->lam = duals[0];
    m->mu = duals[1];
    m->value = duals[2];
    return true;
}

/* The column that enters, -1 if the basis is optimal. */
static int entering(const master *m, bool lowest_index) {
    int best = -1;
    double best_cost = 0.0;
    for (int j = 0; j < m->n; j++) {
        double lam_part = m->lam * m->dw[j], mu_part = m->mu * m->ds[j], value = m->value * m->one[j];
        double reduced = m->cost[j] - lam_part - mu_part - value;
        if (reduced < best_cost &&
            reduced < -GAP * m->value - ROUNDING * (m->cost[j] + fabs(lam_part) + fabs(mu_part)) && j != m->basis[0] &&
            j != m->basis[1] && j != m->basis[2]) {
            best = j;
            best_cost = reduced;
            if (lowest_index) {
                break;
            }
        }
    }
    return best;
}

/* The basis position that leaves for column j, -1 if none can. */
static int leaving(const master *m, int j, bool lowest_index) {
    int best = -1;
    double best_ratio = (double)INFINITY, best_step = 0.0;
    for (int i = 0; i < 3; i++) {
        const double *row = m->inverse[i];
        double step = row[0] * m->dw[j] + row[1] * m->ds[j] + row[2] * m->one[j];
        if (step <= PIVOT) {
            continue;
        }
        double ratio = fmax(row[2], 0.0) / step;
        bool tie = best >= 0 && fabs(ratio - best_ratio) <= 1e-14;
        bool better = lowest_index ? best >= 0 && m->basis[i] < m->basis[best] : step > best_step;
        if (tie ? better : ratio < best_ratio) {
            best = i;
            best_ratio = ratio;
            best_step = step;
        }
    }
    return best;
}

/* False if it gave up; basis and inverse belong together all the same. */
static bool master_optimise(master *m) {
    if (!factorise(m)) {
        return false;
    }
    for (int pivot = 0; pivot < MAX_PIVOTS; pivot++) {
        bool lowest_index = pivot >= BLAND_AFTER;
        int j = entering(m, lowest_index);
        if (j < 0) {
            return true;
        }
        int i = leaving(m, j, lowest_index);
        if (i >= 0) {
            int left = m->basis[i];
            m->basis[i] = j;
            if (factorise(m)) {
                continue;
            }
            m->basis[i] = left;
        }
        m->cost[j] = (double)INFINITY; /* unusable for want of precision */
    }
    return false;
}

/* ---- one pair ---- */

static void keep_basis(const master *m, solution *out) {
    out->n = 0;
    out->point = (column){0};
    for (int i = 0; i < 3; i++) {
        int j = m->basis[i];
        if (m->one[j] > 0.0) {
            const column *c = &m->columns[j];
            double x = fmax(m->inverse[i][2], 0.0);
            out->columns[out->n++] = *c;
            out->point.w += x * c->w;
            out->point.s += x * c->s;
            out->point.cost += x * c->cost;
        }
    }
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
    }
    return c;
}

/* Column generation from where the master stands; false if it gave up: out of room, or the master is wrong for want of
 * precision, which shows in a dual above its value. */
static bool close_gap(berth__theta *theta, const scope *at, double W, double S, solution *best) {
    master *m = &theta->master;
    while (master_optimise(m)) {
        double lam = fmax(m->lam, 0.0) * m->scale_w, mu = fmax(m->mu, 0.0) * m->scale_s;
        column c = try_duals(theta, at, W, S, lam, mu, best);
        double gap = m->value - dual_value(&c, m->W, m->S, lam, mu);
        double tolerance = GAP * m->value + ROUNDING * (fabs(m->lam) + fabs(m->mu));
        if (gap <= tolerance) {
            return gap >= -10.0 * tolerance;
        }
        if (!add_column(m, &c)) {
            return false;
        }
    }
    return false;
}

static void start_from(master *m, double W, double S, const column *point, const solution *low, const solution *high) {
    master_start(m, W, S, point);
    for (int i = 0; i < low->n; i++) {
        add_column(m, &low->columns[i]);
    }
    for (int i = 0; high != NULL && i < high->n; i++) {
        add_column(m, &high->columns[i]);
    }
}

/* A pair that fits, between two solved ones (`high` NULL: none). Starts from a point of `high`, which attains (W, S)
 * too, and the columns of both. If that fails for want of precision: from nothing but the edge of what fits, then for a
 * little less; and should that fail as well the neighbours' duals are tried, which are good ones at least. */
static void solve_pair(berth__theta *theta, const scope *at, double W, double S, const solution *low,
                       const solution *high, solution *out) {
    static const solution nothing = {.n = 1}; /* the column of the origin */
    master *m = &theta->master;
    double part;
    column edge;
    reach_within_tolerance(theta, W, S, &part, &edge);
    *out = (solution){0}; /* the dual at 0, 0 */
    start_from(m, W * part, S * part, high != NULL ? &high->point : &edge, low, high);
    bool closed = close_gap(theta, at, W, S, out);
    if (!closed) {
        start_from(m, W * part, S * part, &edge, &nothing, NULL);
        closed = close_gap(theta, at, W, S, out);
    }
    if (!closed) {
        part = 1.0 - BERTH__FEASIBILITY;
        reach(theta, W * part, S * part, &edge);
        start_from(m, W * part, S * part, &edge, &nothing, NULL);
        closed = close_gap(theta, at, W, S, out);
    }
    keep_basis(m, out);
    if (!closed) {
        out->point = edge;
        try_duals(theta, at, W, S, low->lam, low->mu, out);
        if (high != NULL) {
            try_duals(theta, at, W, S, high->lam, high->mu, out);
        }
    }
}

static void store(const berth__theta *theta, size_t i, double cost, double lam, double mu) {
    theta->cost[i] = cost;
    if (theta->lam != NULL) {
        theta->lam[i] = lam;
        theta->mu[i] = mu;
    }
}

/* Pairs first .. end-1 between two solved ones. */
static void solve_between(berth__theta *theta, const scope *wider, size_t first, size_t end, const solution *low,
                          const solution *high) {
    if (first >= end) {
        return;
    }
    size_t middle = first + (end - first) / 2;
    scope box;
    if (end - first > 1 && wider->n_active >= FOLD_MIN_GROUPS) {
        box = narrow(theta, wider, low, high);
        wider = &box;
    }
    solution found;
    solve_pair(theta, wider, theta->W[middle], theta->S[middle], low, high, &found);
    store(theta, middle, found.value, found.lam, found.mu);
    solve_between(theta, wider, first, middle, low, &found);
    solve_between(theta, wider, middle + 1, end, &found, high);
}

/* One group: its prices are the optimal duals. */
static void solve_single(const berth__theta *theta, size_t n) {
    const group *g = theta->groups;
    for (size_t i = 0; i < n; i++) {
        double lam = theta->W[i] > 0.0 ? g->price_worker : 0.0, mu = theta->S[i] > 0.0 ? g->price_ps : 0.0;
        store(theta, i, lam * theta->W[i] + mu * theta->S[i], lam, mu);
    }
}

static void solve_all(berth__theta *theta, size_t n) {
    double part;
    column point;
    size_t n_feasible = n;
    while (n_feasible > 0 &&
           !reach_within_tolerance(theta, theta->W[n_feasible - 1], theta->S[n_feasible - 1], &part, &point)) {
        n_feasible--;
        store(theta, n_feasible, (double)INFINITY, 0.0, 0.0);
    }
    if (theta->n_groups == 1) {
        solve_single(theta, n_feasible);
    } else if (n_feasible > 0) {
        size_t last = n_feasible - 1;
        scope all = {.n_active = theta->n_groups};
        solution low = {.n = 1}, high; /* nothing placed: the column of the origin */
        solve_pair(theta, &all, theta->W[last], theta->S[last], &low, NULL, &high);
        store(theta, last, high.value, high.lam, high.mu);
        solve_between(theta, &all, 0, last, &low, &high);
    }
}

/* ---- entry ---- */

static bool all_in_range(const double *values, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!(values[i] >= 0.0 && values[i] < (double)INFINITY)) {
            return false;
        }
    }
    return true;
}

static bool pairs_in_order(size_t n, const double *W, const double *S) {
    for (size_t i = 1; i < n; i++) {
        if (W[i] < W[i - 1] || S[i] < S[i - 1]) {
            return false;
        }
    }
    return all_in_range(W, n) && all_in_range(S, n);
}

static bool problem_valid(const berth__theta_problem *p) {
    if (p->n_groups < 0 || p->n_resources < 0 || p->n_resources > BERTH__THETA_MAX_RESOURCES) {
        return false;
    }
    size_t n_groups = (size_t)p->n_groups, n_resources = (size_t)p->n_resources;
    return all_in_range(p->count, n_groups) && all_in_range(p->price_worker, n_groups) &&
           all_in_range(p->price_ps, n_groups) && all_in_range(p->worker, n_resources) &&
           all_in_range(p->ps, n_resources);
}

berth_status berth__theta_solve(berth__theta *theta, const berth__theta_problem *p, size_t n, const double *W,
                                const double *S, double *cost, double *lam, double *mu) {
    if (!problem_valid(p) || !pairs_in_order(n, W, S)) {
        return BERTH_E_ARGUMENT;
    }
    if (n == 0) {
        return BERTH_OK;
    }
    theta->n_groups = p->n_groups;
    theta->stride = p->n_resources + 3;
    if (!reserve(theta, (size_t)p->n_groups, (size_t)p->n_groups * (size_t)theta->stride)) {
        return BERTH_E_MEMORY;
    }
    theta->W = W;
    theta->S = S;
    theta->cost = cost;
    theta->lam = lam;
    theta->mu = mu;
    berth__edges_init(&theta->edges, p->n_resources, p->worker, p->ps);
    build_polygons(theta, p, W[n - 1], S[n - 1]);
    solve_all(theta, n);
    return BERTH_OK;
}

double berth__theta_dual(const berth__theta_problem *p, double W, double S, double lam, double mu, double w_limit,
                         double s_limit) {
    if (p->n_resources > BERTH__THETA_MAX_RESOURCES) {
        return (double)NAN;
    }
    berth__edges edges;
    berth__vertex v[BERTH__POLYGON_VERTICES];
    double value = lam * W + mu * S;
    berth__edges_init(&edges, p->n_resources, p->worker, p->ps);
    for (int k = 0; k < p->n_groups; k++) {
        int n = berth__polygon_build(&edges, p->capacity + (size_t)k * (size_t)p->n_resources, p->count[k], w_limit,
                                     s_limit, v);
        double phi = 0.0;
        for (int i = 0; i < n; i++) {
            phi = fmax(phi, (lam - p->price_worker[k]) * v[i].w + (mu - p->price_ps[k]) * v[i].s);
        }
        value -= phi;
    }
    return value;
}
