/* The passes over all groups of a slot, four groups at a time. A block is what four groups have to offer, as one
 * array of lanes of four doubles each:
 *
 *     price_worker, price_ps, top,  then for each edge:  slope, w, s
 *
 * A group's polygon starts at (0, top) and follows its edges to the right and down: each has a slope (servers lost per
 * worker, ascending) and ends at the vertex (w, s). Shorter chains repeat their last vertex with slope INFINITY.
 *
 * Every function exists twice, in plain vector instructions and in AVX2 ones (suffix _avx2, x86 only; needs a processor
 * that has them). Both do the same operations in the same order, without fused multiply-add: same bits. */
#ifndef BERTH_FORMULATIONS_LANES_H
#define BERTH_FORMULATIONS_LANES_H

#include "formulations/polygon.h"

#include <stdbool.h>
#include <stddef.h>

#if defined(__x86_64__)
#define BERTH__LANES_AVX2 1
#else
#define BERTH__LANES_AVX2 0
#endif

enum {
    BERTH__LANES = 4,
    BERTH__BLOCK_THIRD = 2 * BERTH__LANES, /* where top and s are */
    BERTH__BLOCK_HEAD = 3 * BERTH__LANES,  /* doubles before the edges */
    BERTH__BLOCK_EDGE = 3 * BERTH__LANES   /* and of an edge */
};

typedef struct berth__block {
    size_t at; /* in data */
    int n_edges;
} berth__block;

/* A point of the sum of all polygons, with its cost. */
typedef struct berth__column {
    double w, s, cost;
} berth__column;

/* A box of duals. */
typedef struct berth__dual_box {
    double lam_low, lam_high, mu_low, mu_high;
} berth__dual_box;

/* The lines that bound fractional polygons: s = height - slope w. Line 0 is flat, the others in order of slope. */
typedef struct berth__lines {
    int n; /* lines, 1 + resources that servers demand */
    int resource[BERTH__POLYGON_RESOURCES + 1];
    double slope[BERTH__POLYGON_RESOURCES + 1];
    double per_server[BERTH__POLYGON_RESOURCES + 1];                              /* 1 / demand */
    double per_slope[BERTH__POLYGON_RESOURCES + 1][BERTH__POLYGON_RESOURCES + 1]; /* [e][f > e] 1 / (slope f - e) */
    int n_widths;                                                                 /* resources that workers demand */
    int width_resource[BERTH__POLYGON_RESOURCES];
    double per_worker[BERTH__POLYGON_RESOURCES];
} berth__lines;

/* Groups as given: group k has count[k] machines of capacity[k * group_stride + r * resource_stride]. */
typedef struct berth__lane_groups {
    const double *count; /* NULL: 1 each */
    const double *capacity, *price_worker, *price_ps;
    size_t group_stride, resource_stride;
    double w_limit, s_limit; /* every group's polygon is cut off there */
} berth__lane_groups;

/* How many workers with their servers fit on each machine alone, for berth__internal_rooms. */
typedef struct berth__lane_rooms {
    int n_resources, limit;
    const double *free; /* [k * machine_stride + r * resource_stride] */
    size_t machine_stride, resource_stride;
    const double *worker, *ps;
    double workers_per_ps;
    double per_unit[BERTH__POLYGON_RESOURCES]; /* workers for a unit of the resource, at most */
} berth__lane_rooms;

#define BERTH__DECLARE_LANES(suffix)                                                                                   \
    /* What all groups choose at duals (lam, mu), the origin included; prices are multiplied by price_scale (0 or 1)   \
     * for the choice only. */                                                                                         \
    berth__column berth__lanes_best##suffix(const berth__block *blocks, int n_blocks, const double *data, double lam,  \
                                            double mu, double price_scale);                                            \
    /* Sums up the groups whose choice is the same all over the box; moving[b]: bits of those of block b whose is not. \
     * Returns how many bits are set. */                                                                               \
    int berth__lanes_fold##suffix(const berth__block *blocks, int n_blocks, const double *data,                        \
                                  const berth__dual_box *box, unsigned char *moving, berth__column *fixed);            \
    /* Builds the fractional polygons of n groups (list[i], NULL: i), at data[blocks[0].at ...]; fills blocks. Room:   \
     * ceil(n / 4) blocks of lines->n edges. Returns the end of what was written. */                                   \
    size_t berth__lanes_build##suffix(const berth__lines *lines, const berth__lane_groups *groups, const int *list,    \
                                      int n, berth__block *blocks, double *data);                                      \
    /* Writes the k with first[k] < first_limit or second[k] < second_limit; returns how many. */                      \
    int berth__lanes_cheap##suffix(const double *first, const double *second, int n, double first_limit,               \
                                   double second_limit, int *list);                                                    \
    /* The most workers on each of n machines. */                                                                      \
    void berth__lanes_rooms##suffix(const berth__lane_rooms *question, int n, int *room);                              \
    /* True if 0 <= values[k] < INFINITY for all k. */                                                                 \
    bool berth__lanes_in_range##suffix(const double *values, size_t n);

BERTH__DECLARE_LANES(_plain)
#if BERTH__LANES_AVX2
bool berth__lanes_have_avx2(void); /* whether the processor does */
BERTH__DECLARE_LANES(_avx2)
#endif

void berth__lines_init(berth__lines *lines, int n_resources, const double *worker, const double *ps);

#endif
