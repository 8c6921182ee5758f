/* The polygons of a slot's groups, in blocks of four (lanes.h): building, folding and summing them. */
#ifndef BERTH_FORMULATIONS_POLYGONS_H
#define BERTH_FORMULATIONS_POLYGONS_H

#include "formulations/hull.h"
#include "formulations/lanes.h"
#include "formulations/theta.h"

/* Zero before first use, `wide` apart; kept over problems. */
typedef struct berth__polygons {
    bool wide; /* use AVX2 */
    int n_blocks;
    size_t n_data;
    berth__block *blocks;
    unsigned char *moving; /* [block_room] */
    double *data;
    size_t block_room, data_room;
    berth__hull hulls[BERTH__LANES];
} berth__polygons;

bool berth__polygons_wide(void); /* what the processor can do */
void berth__polygons_release(berth__polygons *polygons);

/* Replaces what is there by the polygons of n groups of p (list[i], NULL: all), cut off at the limits.
 * False: out of memory. */
bool berth__polygons_build(berth__polygons *polygons, const berth__theta_problem *p, const int *list, int n,
                           double w_limit, double s_limit);

/* Blocks first .. end-1, and what groups that are not among them add: the same point at all duals of a box. */
typedef struct berth__polygon_set {
    int first, end;
    berth__column fixed;
} berth__polygon_set;

/* What the groups choose at (lam, mu); price_scale 0 or 1, see lanes.h. */
berth__column berth__polygons_best(const berth__polygons *polygons, const berth__polygon_set *set, double lam,
                                   double mu, double price_scale);
/* Appends blocks of the groups of `set` whose choice is not the same all over `box`, and sums up the others in
 * out->fixed. Dropped by setting n_blocks and n_data back. False: too few of them to be worth it, or out of memory;
 * then nothing has changed. */
bool berth__polygons_fold(berth__polygons *polygons, const berth__polygon_set *set, const berth__dual_box *box,
                          berth__polygon_set *out);

int berth__polygons_cheap(const berth__polygons *polygons, const double *first, const double *second, int n,
                          double first_limit, double second_limit, int *list);
bool berth__polygons_in_range(const berth__polygons *polygons, const double *values, size_t n);

#endif
