#include "audit/run/region.h"

#include <math.h>

#include "base/alloc.h"
#include "base/tolerance.h"

enum { MOST_CORNERS = 128, MOST_PIVOTS = 500 };

/* The right sides of the two rows are lowered by these parts; they have nothing in common with the data. */
static const double lowering[2] = {0.7390851e-9, 1.2020569e-9};

typedef struct point {
    double w, s;
} point;

/* A point of the sum of the polygons, with its price. */
typedef struct corner {
    double w, s, cost;
} corner;

struct berth__audit_region {
    size_t n_resources, n_groups;
    size_t stride; /* room for a group's vertices */
    bool with_servers;
    double *count;
    point *vertex;      /* [n_groups][stride], the origin left out */
    size_t *n_vertices; /* [n_groups] */
    double most_w, most_s;
    /* Outward normals of the sum's edges from (1, 0) to (0, 1), scaled to (1 - angle, angle) in units of most_w and
     * most_s; how far the sum reaches along each. */
    double *angle, *reach; /* [n_resources + 2] */
    size_t n_normals;
    const double *price_worker, *price_ps; /* borrowed */
    size_t *by_price;                      /* groups by increasing price of a worker */
    /* Corners met: first the outer ones in order of direction, then the origin, then what pricing found. */
    corner *pool;
    size_t n_outer, n_pool, room_pool, next_pool;
};

berth__audit_region *berth__audit_region_new(size_t most_groups, size_t n_resources) {
    berth__audit_region *region = berth__calloc(1, sizeof *region);
    if (region == NULL) {
        return NULL;
    }
    region->n_resources = n_resources;
    region->stride = n_resources + 4;
    region->room_pool = n_resources + 4 + MOST_CORNERS;
    region->count = BERTH__NEW_ARRAY(double, most_groups);
    region->vertex = berth__calloc(most_groups, region->stride * sizeof *region->vertex);
    region->n_vertices = BERTH__NEW_ARRAY(size_t, most_groups);
    region->angle = BERTH__NEW_ARRAY(double, n_resources + 2);
    region->reach = BERTH__NEW_ARRAY(double, n_resources + 2);
    region->by_price = BERTH__NEW_ARRAY(size_t, most_groups);
    region->pool = BERTH__NEW_ARRAY(corner, region->room_pool);
    if (region->count == NULL || region->vertex == NULL || region->n_vertices == NULL || region->angle == NULL ||
        region->reach == NULL || region->by_price == NULL || region->pool == NULL) {
        berth__audit_region_free(region);
        return NULL;
    }
    return region;
}

void berth__audit_region_free(berth__audit_region *region) {
    if (region != NULL) {
        berth__free(region->count);
        berth__free(region->vertex);
        berth__free(region->n_vertices);
        berth__free(region->angle);
        berth__free(region->reach);
        berth__free(region->by_price);
        berth__free(region->pool);
        berth__free(region);
    }
}

/* ---- polygons ---- */

/* Most units of a demand that fit alone; INFINITY if it demands nothing. */
static double most_alone(size_t R, const double *capacity, const double *demand) {
    double most = (double)INFINITY;
    for (size_t r = 0; r < R; r++) {
        if (demand[r] > 0) {
            most = fmin(most, capacity[r] * (1 + BERTH__FEASIBILITY) / demand[r]);
        }
    }
    return most;
}

/* The upper boundary s(w) = min over r of (C^r - alpha^r w) / beta^r is walked from w = 0: at each step the line that
 * undercuts the present one first, always a steeper one, takes over. Returns the number of vertices: at most
 * n_resources + 3. */
static size_t trace_polygon(size_t R, const double *capacity, const double *worker, const double *ps, point *vertex) {
    double most_w = most_alone(R, capacity, worker), level = (double)INFINITY, slope = 0, w = 0;
    size_t n = 0;
    for (size_t r = 0; r < R; r++) {
        if (ps[r] > 0) {
            double start = capacity[r] * (1 + BERTH__FEASIBILITY) / ps[r], fall = worker[r] / ps[r];
            if (start < level || (start == level && fall > slope)) {
                level = start;
                slope = fall;
            }
        }
    }
    vertex[n++] = (point){0, level};
    for (;;) {
        double next = most_w, next_level = level, next_slope = slope;
        for (size_t r = 0; r < R; r++) {
            double fall = ps[r] > 0 ? worker[r] / ps[r] : 0;
            if (!(fall > slope)) {
                continue;
            }
            double start = capacity[r] * (1 + BERTH__FEASIBILITY) / ps[r];
            double meets = fmax(w, (start - level) / (fall - slope));
            if (meets < next || (meets == next && fall > next_slope)) {
                next = meets;
                next_level = start;
                next_slope = fall;
            }
        }
        vertex[n++] = (point){next, fmax(0, level - slope * next)};
        if (next_slope == slope || next >= most_w) {
            break;
        }
        w = next;
        level = next_level;
        slope = next_slope;
    }
    vertex[n++] = (point){most_w, 0};
    return n;
}

/* Largest lam w + mu s over the sum. */
static double reach_along(const berth__audit_region *region, double lam, double mu) {
    double sum = 0;
    for (size_t k = 0; k < region->n_groups; k++) {
        const point *v = region->vertex + k * region->stride;
        double most = 0;
        for (size_t i = 0; i < region->n_vertices[k]; i++) {
            most = fmax(most, lam * v[i].w + mu * v[i].s);
        }
        sum += region->count[k] * most;
    }
    return sum;
}

/* The sum's normals: those of the resources and of the axes, sorted, without repetitions. */
static void collect_normals(berth__audit_region *region, const double *worker, const double *ps) {
    size_t n = 0;
    region->angle[n++] = 0;
    for (size_t r = 0; r < region->n_resources; r++) {
        double a = worker[r] * region->most_w, b = ps[r] * region->most_s;
        if (a + b > 0) {
            region->angle[n++] = b / (a + b);
        }
    }
    region->angle[n++] = 1;
    for (size_t i = 1; i < n; i++) {
        double angle = region->angle[i];
        size_t at = i;
        for (; at > 0 && region->angle[at - 1] > angle; at--) {
            region->angle[at] = region->angle[at - 1];
        }
        region->angle[at] = angle;
    }
    region->n_normals = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || region->angle[i] > region->angle[i - 1]) {
            region->angle[region->n_normals++] = region->angle[i];
        }
    }
    for (size_t i = 0; i < region->n_normals; i++) {
        region->reach[i] =
            reach_along(region, (1 - region->angle[i]) / region->most_w, region->angle[i] / region->most_s);
    }
}

void berth__audit_region_shape(berth__audit_region *region, size_t n_groups, const double *count,
                               const double *capacity, const double *worker, const double *ps) {
    size_t R = region->n_resources;
    region->n_groups = n_groups;
    region->with_servers = ps != NULL && isfinite(most_alone(R, worker, ps)); /* finite: it demands something */
    region->n_normals = region->n_pool = 0;
    for (size_t k = 0; k < n_groups; k++) {
        point *v = region->vertex + k * region->stride;
        region->count[k] = count[k];
        if (region->with_servers) {
            region->n_vertices[k] = trace_polygon(R, capacity + k * R, worker, ps, v);
        } else {
            region->n_vertices[k] = 1;
            v[0] = (point){most_alone(R, capacity + k * R, worker), 0};
        }
    }
    region->most_w = reach_along(region, 1, 0);
    region->most_s = reach_along(region, 0, 1);
    if (region->with_servers && region->most_w > 0 && region->most_s > 0) {
        collect_normals(region, worker, ps);
    }
}

bool berth__audit_region_holds(const berth__audit_region *region, double workers, double servers) {
    double rounding = 1 + 1e-12;
    if (!region->with_servers) {
        return workers <= region->most_w * rounding;
    }
    bool inside = region->n_normals > 0;
    for (size_t i = 0; i < region->n_normals && inside; i++) {
        double along = (1 - region->angle[i]) * workers / region->most_w + region->angle[i] * servers / region->most_s;
        inside = along <= region->reach[i] * rounding;
    }
    return inside;
}

/* ---- prices ---- */

/* The corner that gains most at multipliers (lam, mu) after prices times `weight`; *gain: how much. */
static corner best_corner(const berth__audit_region *region, double lam, double mu, double weight, double *gain) {
    corner best = {0, 0, 0};
    *gain = 0;
    for (size_t k = 0; k < region->n_groups; k++) {
        const point *v = region->vertex + k * region->stride;
        double for_w = lam - weight * region->price_worker[k], for_s = mu - weight * region->price_ps[k];
        double most = 0;
        point chosen = {0, 0};
        for (size_t i = 0; i < region->n_vertices[k]; i++) {
            double value = for_w * v[i].w + for_s * v[i].s;
            if (value > most) {
                most = value;
                chosen = v[i];
            }
        }
        double n = region->count[k];
        *gain += n * most;
        best.w += n * chosen.w;
        best.s += n * chosen.s;
        best.cost += n * (chosen.w * region->price_worker[k] + chosen.s * region->price_ps[k]);
    }
    return best;
}

/* One corner between each two neighbouring normals, and the ends of the axes: any point of the region lies in a
 * triangle of the origin and two neighbours. */
static void begin_pool(berth__audit_region *region) {
    double gain;
    double far = 1e9; /* prefers less of the other kind to anything */
    size_t n = 0;
    region->pool[n++] = best_corner(region, 1 / region->most_w, -far / region->most_s, 0, &gain);
    for (size_t i = 0; i + 1 < region->n_normals; i++) {
        double angle = (region->angle[i] + region->angle[i + 1]) / 2;
        region->pool[n++] = best_corner(region, (1 - angle) / region->most_w, angle / region->most_s, 0, &gain);
    }
    region->pool[n++] = best_corner(region, -far / region->most_w, 1 / region->most_s, 0, &gain);
    region->n_outer = n;
    region->pool[n++] = (corner){0, 0, 0};
    region->n_pool = n;
    region->next_pool = n;
}

void berth__audit_region_price(berth__audit_region *region, const double *price_worker, const double *price_ps) {
    region->price_worker = price_worker;
    region->price_ps = price_ps;
    for (size_t k = 0; k < region->n_groups; k++) {
        size_t at = k;
        for (; at > 0 && price_worker[region->by_price[at - 1]] > price_worker[k]; at--) {
            region->by_price[at] = region->by_price[at - 1];
        }
        region->by_price[at] = k;
    }
    if (region->n_normals > 0) {
        begin_pool(region);
    }
}

/* ---- the simplex ---- */

typedef struct column {
    double a[3], cost; /* part of W, part of S, convexity */
} column;

typedef struct simplex {
    double W, S;
    column basis[3];
    double inverse[3][3]; /* row i belongs to basis[i] */
    double x[3];
    double y[3];      /* multipliers of the rows, in parts of W and S */
    double y_size[3]; /* sum of the terms of y without their signs: its rounding error is 1e-16 of that */
    double value;
} simplex;

static column column_of(const simplex *lp, corner c) {
    return (column){{c.w / lp->W, c.s / lp->S, 1}, c.cost};
}

/* False if the basis is singular. */
static bool invert(simplex *lp) {
    const column *b = lp->basis;
    double cofactor[3][3];
    for (int i = 0; i < 3; i++) { /* row i of the inverse: cross product of the other two columns */
        const double *p = b[(i + 1) % 3].a, *q = b[(i + 2) % 3].a;
        for (int r = 0; r < 3; r++) {
            cofactor[i][r] = p[(r + 1) % 3] * q[(r + 2) % 3] - p[(r + 2) % 3] * q[(r + 1) % 3];
        }
    }
    double det = 0;
    for (int r = 0; r < 3; r++) {
        det += b[0].a[r] * cofactor[0][r];
    }
    if (!(fabs(det) > 0)) {
        return false;
    }
    const double right[3] = {1 - lowering[0], 1 - lowering[1], 1};
    lp->value = 0;
    for (int i = 0; i < 3; i++) {
        lp->x[i] = 0;
        for (int r = 0; r < 3; r++) {
            lp->inverse[i][r] = cofactor[i][r] / det;
            lp->x[i] += lp->inverse[i][r] * right[r];
        }
        lp->value += b[i].cost * lp->x[i];
    }
    for (int r = 0; r < 3; r++) {
        lp->y[r] = lp->y_size[r] = 0;
        for (int i = 0; i < 3; i++) {
            lp->y[r] += b[i].cost * lp->inverse[i][r];
            lp->y_size[r] += fabs(b[i].cost * lp->inverse[i][r]);
        }
    }
    return true;
}

/* Reduced cost relative to the terms that it is made of: below about -1e-13 it means something. */
static double relative_cost(const simplex *lp, const column *c) {
    double cost = c->cost, size = fabs(c->cost);
    for (int r = 0; r < 3; r++) {
        cost -= lp->y[r] * c->a[r];
        size += fabs(lp->y_size[r] * c->a[r]);
    }
    return size > 0 ? cost / size : 0;
}

/* Replaces the column that limits the entering one. False if none does, or the new basis is singular. */
static bool pivot(simplex *lp, const column *entering) {
    int leaves = -1;
    double least = (double)INFINITY;
    for (int i = 0; i < 3; i++) {
        double rate = 0;
        for (int r = 0; r < 3; r++) {
            rate += lp->inverse[i][r] * entering->a[r];
        }
        if (rate > 1e-14 && fmax(lp->x[i], 0) / rate < least) {
            least = fmax(lp->x[i], 0) / rate;
            leaves = i;
        }
    }
    if (leaves < 0) {
        return false;
    }
    lp->basis[leaves] = *entering;
    return invert(lp);
}

/* The origin and the two outer corners on both sides of the ray to (W, S). */
static bool begin(simplex *lp, const berth__audit_region *region, double W, double S) {
    lp->W = W;
    lp->S = S;
    double w = 1 - lowering[0], s = 1 - lowering[1], best = (double)-INFINITY;
    size_t at = 0;
    for (size_t i = 0; i + 1 < region->n_outer; i++) {
        column a = column_of(lp, region->pool[i]), b = column_of(lp, region->pool[i + 1]);
        double det = a.a[0] * b.a[1] - a.a[1] * b.a[0];
        if (!(det > 0)) {
            continue;
        }
        double inside = fmin(w * b.a[1] - s * b.a[0], a.a[0] * s - a.a[1] * w) / det;
        if (inside > best) {
            best = inside;
            at = i;
        }
    }
    lp->basis[0] = column_of(lp, region->pool[at]);
    lp->basis[1] = column_of(lp, region->pool[at + 1]);
    lp->basis[2] = column_of(lp, region->pool[region->n_outer]);
    return best > (double)-INFINITY && invert(lp);
}

/* The known column that promises most: a surplus or a corner of the pool. False if none promises anything. */
static bool choose_known(const simplex *lp, const berth__audit_region *region, column *out) {
    double least = -1e-13;
    bool any = false;
    for (size_t i = 0; i < region->n_pool + 2; i++) {
        column c = i < region->n_pool ? column_of(lp, region->pool[i]) : (column){{0, 0, 0}, 0};
        if (i >= region->n_pool) {
            c.a[i - region->n_pool] = -1;
        }
        double cost = relative_cost(lp, &c);
        if (cost < least) {
            least = cost;
            *out = c;
            any = true;
        }
    }
    return any;
}

static void remember(berth__audit_region *region, corner c) {
    if (region->next_pool == region->room_pool) {
        region->next_pool = region->n_outer + 1; /* the oldest one goes */
    }
    region->pool[region->next_pool++] = c;
    if (region->n_pool < region->next_pool) {
        region->n_pool = region->next_pool;
    }
}

static double solve(berth__audit_region *region, double W, double S) {
    simplex lp;
    double best = 0; /* prices are not negative */
    bool alive = begin(&lp, region, W, S);
    for (int i = 0; alive && i < MOST_PIVOTS; i++) {
        column entering;
        if (!choose_known(&lp, region, &entering)) {
            double lam = fmax(lp.y[0], 0) / W, mu = fmax(lp.y[1], 0) / S, gain;
            corner found = best_corner(region, lam, mu, 1, &gain);
            best = fmax(best, lam * W + mu * S - gain);
            entering = column_of(&lp, found);
            if (!(relative_cost(&lp, &entering) < -1e-13) || best >= lp.value * (1 - 1e-12)) {
                break;
            }
            remember(region, found);
        }
        alive = pivot(&lp, &entering);
    }
    return best;
}

/* Workers only: the cheapest groups first. */
static double fill(const berth__audit_region *region, double workers) {
    double cost = 0;
    for (size_t i = 0; i < region->n_groups && workers > 0; i++) {
        size_t k = region->by_price[i];
        double taken = fmin(workers, region->count[k] * region->vertex[k * region->stride].w);
        cost += taken * region->price_worker[k];
        workers -= taken;
    }
    return cost;
}

double berth__audit_region_cost(berth__audit_region *region, double workers, double servers) {
    if (!region->with_servers) {
        return fill(region, workers);
    }
    return servers > 0 && workers > 0 && region->n_normals > 0 ? solve(region, workers, servers) : 0;
}
