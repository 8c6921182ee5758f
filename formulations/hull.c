#include "formulations/hull.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "formulations/slot.h"

#include <math.h>

/* A machine's room and the demands along the shorter axis x and the longer one y. */
typedef struct axes {
    int n_resources;
    const double *x_demand, *y_demand;
    double room[BERTH__HULL_RESOURCES];
} axes;

static double load_of(double demand, double count) {
    return count > 0.0 ? demand * count : 0.0;
}

/* The most of y beside x of the other, at most `limit` (x alone fits). Settled with the sums berth__fits forms. */
static int most_beside(const axes *a, double x, int limit) {
    double y = limit;
    for (int r = 0; r < a->n_resources; r++) {
        double used = load_of(a->x_demand[r], x), demand = a->y_demand[r], room = a->room[r];
        if (used + load_of(demand, y) <= room) {
            continue;
        }
        double before = y;
        y = fmax(0.0, fmin(y, floor((room - used) / demand)));
        while (y > 0.0 && !(used + load_of(demand, y) <= room)) {
            y -= 1.0;
        }
        while (y < before && used + load_of(demand, y + 1.0) <= room) {
            y += 1.0;
        }
    }
    return (int)y;
}

/* Whether the middle of three points, x ascending, is on or below the line through the others. */
static bool needless(const berth__point *p, double x, double y) {
    long long dx = (long long)(p[1].w - p[0].w), dy = (long long)(p[1].s - p[0].s);
    long long next_dx = (long long)(x - p[1].w), next_dy = (long long)(y - p[1].s);
    return dy * next_dx <= next_dy * dx;
}

static bool reserve(berth__hull *hull, size_t n) {
    if (n > hull->room) {
        berth__point *ends = berth__realloc(hull->ends, 2 * n, sizeof *ends);
        if (ends == NULL) {
            return false;
        }
        hull->ends = ends;
        hull->room = 2 * n;
    }
    return true;
}

/* Corners of the hull in (x, y), from (0, y_most) to (x_most, ...); returns how many, -1: out of memory. */
static int corners(berth__hull *hull, const axes *a, int x_most, int y_most) {
    bool all_fit = most_beside(a, x_most, y_most) == y_most;
    if (!reserve(hull, all_fit ? 2 : (size_t)x_most + 1)) {
        return -1;
    }
    berth__point *out = hull->ends;
    int n = 0, y = y_most;
    out[n++] = (berth__point){0.0, y_most};
    if (all_fit) {
        out[n++] = (berth__point){x_most, y_most};
        return n;
    }
    for (int x = 1; x <= x_most; x++) {
        y = most_beside(a, x, y);
        while (n >= 2 && needless(out + n - 2, x, y)) {
            n--;
        }
        out[n++] = (berth__point){x, y};
    }
    return n;
}

/* Turns corners in (s, w) round. */
static void mirror(berth__point *p, int n) {
    for (int i = 0, j = n - 1; i <= j; i++, j--) {
        berth__point first = p[i], last = p[j];
        p[i] = (berth__point){last.s, last.w};
        p[j] = (berth__point){first.s, first.w};
    }
}

bool berth__hull_build(berth__hull *hull, const double *free, size_t stride, const double *worker, const double *ps,
                       int n_resources, int w_limit, int s_limit) {
    axes a = {.n_resources = n_resources, .x_demand = worker, .y_demand = ps};
    double amount[BERTH__HULL_RESOURCES];
    for (int r = 0; r < n_resources; r++) {
        amount[r] = free[(size_t)r * stride];
        a.room[r] = fmax(amount[r], 0.0) * (1.0 + BERTH__FEASIBILITY);
    }
    int w_most = berth__fit_count(amount, worker, n_resources, w_limit);
    int s_most = berth__fit_count(amount, ps, n_resources, s_limit);
    int n;
    if (w_most <= s_most) {
        n = corners(hull, &a, w_most, s_most);
    } else {
        a.x_demand = ps;
        a.y_demand = worker;
        n = corners(hull, &a, s_most, w_most);
        mirror(hull->ends, n);
    }
    if (n < 0) {
        return false;
    }
    hull->top = s_most;
    hull->n = 0;
    double w = 0.0;
    for (int i = 0; i < n; i++) {
        if (hull->ends[i].w > w) { /* else it is the first corner, or straight below the one before */
            w = hull->ends[i].w;
            hull->ends[hull->n++] = hull->ends[i];
        }
    }
    return true;
}

void berth__hull_release(berth__hull *hull) {
    berth__free(hull->ends);
    *hull = (berth__hull){0};
}
