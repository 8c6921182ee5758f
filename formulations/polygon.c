#include "formulations/polygon.h"

#include <math.h>
#include <stdbool.h>

void berth__edges_init(berth__edges *edges, int n_resources, const double *worker, const double *ps) {
    edges->n_resources = n_resources;
    edges->worker = worker;
    edges->ps = ps;
    edges->n = 1;
    edges->resource[0] = -1;
    edges->slope[0] = 0.0;
    for (int r = 0; r < n_resources; r++) {
        bool endless = isinf(worker[r]) || isinf(ps[r]); /* no room for one of the kind */
        double slope = endless ? 0.0 : ps[r] > 0.0 ? worker[r] / ps[r] : (double)INFINITY;
        if (!(ps[r] > 0.0) || !isfinite(slope)) {
            continue; /* servers cost nothing here (or next to nothing): only the width is limited */
        }
        int at = edges->n++;
        for (; at > 1 && edges->slope[at - 1] > slope; at--) {
            edges->slope[at] = edges->slope[at - 1];
            edges->resource[at] = edges->resource[at - 1];
        }
        edges->slope[at] = slope;
        edges->resource[at] = r;
    }
    edges->resource[edges->n] = -1;
    edges->slope[edges->n++] = (double)INFINITY;
}

/* Most workers that fit without any server. */
static double width(const berth__edges *edges, const double *capacity, double count, double w_limit) {
    double w = w_limit;
    for (int r = 0; r < edges->n_resources; r++) {
        if (edges->worker[r] > 0.0) {
            w = fmin(w, count * fmax(capacity[r], 0.0) / edges->worker[r]);
        }
    }
    return w;
}

int berth__polygon_build(const berth__edges *edges, const double *capacity, double count, double w_limit,
                         double s_limit, berth__vertex *vertices) {
    /* Edge e lies on s = height[e] - slope[e] w; the boundary is the least of these lines. */
    double height[BERTH__POLYGON_RESOURCES + 2];
    double w_end = count > 0.0 ? width(edges, capacity, count, w_limit) : 0.0;
    int vertical = edges->n - 1, edge = 0, n = 0;
    height[0] = count > 0.0 ? s_limit : 0.0;
    for (int e = 1; e < vertical; e++) {
        int r = edges->resource[e];
        height[e] = count * fmax(capacity[r], 0.0) / edges->ps[r];
        if (height[e] <= height[edge]) {
            edge = e; /* the steepest of equals: they are in order of slope */
        }
    }
    double w = 0.0, s = height[edge], top = s;
    vertices[n++] = (berth__vertex){.w = 0.0, .s = s, .slope = (double)INFINITY, .edge = vertical};
    while (w < w_end) {
        double w_next = w_end;
        int next = -1;
        for (int e = edge + 1; e < vertical; e++) {
            if (edges->slope[e] > edges->slope[edge]) {
                double crossing = (height[e] - height[edge]) / (edges->slope[e] - edges->slope[edge]);
                if (crossing <= w_next) {
                    w_next = crossing;
                    next = e;
                }
            }
        }
        w_next = fmax(w_next, w);
        double s_next = fmin(s, height[edge] - edges->slope[edge] * w_next);
        if (s_next <= 1e-15 * top) {
            s_next = 0.0; /* the line meets the axis at w_end but for rounding */
        }
        if (w_next > w || s_next < s) {
            vertices[n - 1].slope = edges->slope[edge];
            vertices[n - 1].edge = edge;
            vertices[n++] = (berth__vertex){.w = w_next, .s = s_next, .slope = (double)INFINITY, .edge = vertical};
        }
        w = w_next;
        s = s_next;
        if (next < 0) {
            break;
        }
        edge = next;
    }
    if (s > 0.0) {
        vertices[n++] = (berth__vertex){.w = w, .s = 0.0, .slope = (double)INFINITY, .edge = vertical};
    }
    return n;
}
