/* What fits on a group of equal machines, as a polygon in the plane of (workers, parameter servers), one group at a
 * time (lanes.h builds four at once; this is what it is checked against):
 *
 *     n P = { (w, s) >= 0 : alpha^r w + beta^r s <= n c^r for all r,  w <= w_limit,  s <= s_limit }
 *
 * Polygons of all groups share their edge directions: flat (s_limit), one for each resource that a parameter
 * server demands, vertical. Sorted by slope alpha^r / beta^r they are the `edges`, so that polygons add up edge by
 * edge (Minkowski sum).
 *
 * symbol          name
 * alpha, beta     worker, ps     demand of one worker, one parameter server; [n_resources], >= 0,
 *                               INFINITY: no room for any
 * c               capacity       of one machine; [n_resources], negative counts as 0
 * n               count */
#ifndef BERTH_FORMULATIONS_POLYGON_H
#define BERTH_FORMULATIONS_POLYGON_H

enum { BERTH__POLYGON_RESOURCES = 32, BERTH__POLYGON_VERTICES = BERTH__POLYGON_RESOURCES + 3 };

typedef struct berth__edges {
    int n_resources;
    const double *worker, *ps;                  /* borrowed */
    int n;                                      /* edge 0 is flat, 1 .. n-2 are resources, n-1 is vertical */
    int resource[BERTH__POLYGON_RESOURCES + 2]; /* of edges 1 .. n-2 */
    double slope[BERTH__POLYGON_RESOURCES + 2]; /* servers lost per worker: 0, ascending, INFINITY */
} berth__edges;

/* n_resources <= BERTH__POLYGON_RESOURCES. */
void berth__edges_init(berth__edges *edges, int n_resources, const double *worker, const double *ps);

/* A vertex of the upper right boundary, from (0, most servers) to (most workers, 0), and the edge that leaves it. */
typedef struct berth__vertex {
    double w, s;
    double slope; /* of the edge to the next vertex; INFINITY at the last one */
    int edge;     /* its index; the vertical one at the last vertex */
} berth__vertex;

/* Fills vertices[n_resources + 3], returns how many there are (>= 1). The origin is not among them unless nothing
 * fits. */
int berth__polygon_build(const berth__edges *edges, const double *capacity, double count, double w_limit,
                         double s_limit, berth__vertex *vertices);

#endif
