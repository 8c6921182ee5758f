/* The master problem of column generation in the plane:
 *
 *     min sum_j cost_j x_j   s.t.  sum w_j x_j >= W,  sum s_j x_j >= S,  sum x_j = 1,  x >= 0
 *
 * over known points (w_j, s_j) with their costs: a simplex method with a 3 x 3 basis. Columns are kept relative to the
 * target, dw = w / W - 1 and ds = s / S - 1, or ties would make it cycle. If the duals of the two rows are known to lie
 * in a box, surplus and shortage at the prices of its corners keep them there. */
#ifndef BERTH_FORMULATIONS_MASTER_H
#define BERTH_FORMULATIONS_MASTER_H

#include "formulations/lanes.h"

enum { BERTH__MASTER_COLUMNS = 256 };

/* Shorter differences of sums, relative, are rounding error: the column is level with the target. */
#define BERTH__LEVEL 1e-13

typedef struct berth__master_column {
    double dw, ds, one, cost;
} berth__master_column;

typedef struct berth__master {
    double W, S, scale_w, scale_s;
    int n; /* the first four columns are surplus and shortage of W and S */
    berth__master_column columns[BERTH__MASTER_COLUMNS];
    berth__column points[BERTH__MASTER_COLUMNS];
    int basis[3];
    double inverse[3][3];
    double lam, mu, value; /* scaled duals (times W, S), objective */
} berth__master;

/* Starts without points. box: of the duals, NULL: all >= 0. */
void berth__master_start(berth__master *m, double W, double S, const berth__dual_box *box);
/* False if there is no room. */
bool berth__master_add(berth__master *m, const berth__column *point);
/* Makes the last point basic; without a box, it must attain (W, S). */
void berth__master_base(berth__master *m);
/* From the basis it stands at. False if it gave up for want of precision; basis, inverse, duals and value belong
 * together all the same. */
bool berth__master_optimise(berth__master *m);

#endif
