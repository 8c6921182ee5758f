/* A packing-and-covering point with its row sums kept up to date: what alteration and local search move. */
#ifndef BERTH_ROUNDING_ACTIVITY_H
#define BERTH_ROUNDING_ACTIVITY_H

#include <berth.h>

#include "rounding/packcover.h"

typedef struct berth__activity {
    const berth__packcover *p; /* borrowed */
    const bool *skip;          /* [n_vars], borrowed; NULL: none */
    double *x;                 /* [n_vars], borrowed, changed by moves */
    double *row;               /* [n_cover + n_pack] row sums at x */
    berth__packcover_columns columns;
} berth__activity;

/* Clips x into its bounds (skipped variables to 0) and sums the rows. O(entries). E_MEMORY is the only failure. */
berth_status berth__activity_open(berth__activity *a, const berth__packcover *p, const bool *skip, double *x);
void berth__activity_close(berth__activity *a);

/* x_j += by, which stays within the bounds but for rounding error. O(column). */
void berth__activity_move(berth__activity *a, int j, double by);
/* Copies x in and sums the rows anew. O(entries). */
void berth__activity_set(berth__activity *a, const double *x);

/* Missing cover of row i < n_cover, or excess of packing row n_cover <= i, in units of the row; 0: it holds. Here and
 * below BERTH__HALF_FEASIBILITY is used. */
double berth__activity_lack(const berth__activity *a, int i);
/* Most by which x_j may rise within its bound and the packing rows; whole units for an integer variable; 0 if
 * skipped. INFINITY if nothing limits it. O(column). */
double berth__activity_room(const berth__activity *a, int j);
/* Most by which x_j may fall without a cover row losing what it needs; whole units; at most x_j. O(column). */
double berth__activity_spare(const berth__activity *a, int j);
/* Least move that changes a row by `amount` through coefficient `value`: whole units for an integer variable. */
double berth__activity_units(const berth__activity *a, int j, double amount, double value);
/* Lowers whatever no cover row needs, dearest variable first; in a maximisation what earns nothing only.
 * O(entries + n_vars log n_vars). */
berth_status berth__activity_drop(berth__activity *a);
/* In a maximisation raises whatever earns and has room, largest profit per share of the packing rows' right sides
 * first; what nothing limits stays as it is. In a minimisation does nothing. O(entries + n_vars log n_vars). */
berth_status berth__activity_fill(berth__activity *a);
/* The share of the packing rows that a unit of j takes: the sum of coefficient / right side. */
double berth__activity_share(const berth__activity *a, int j);

#endif
