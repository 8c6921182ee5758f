/* The first-order solver for large packing and covering LPs: iterates (pdhg.h) until a pair certifies (check.h) the
 * precision asked for. A certificate of 1 % takes some 300 passes over the matrix, one of 0.1 % some 1,000.
 *
 * Not for interval or network matrices, nor for few rows with many columns: there simplex needs a fraction of the time
 * and passes may run into tens of thousands (choice.h). */
#ifndef BERTH_SOLVER_FIRST_ORDER_RUN_H
#define BERTH_SOLVER_FIRST_ORDER_RUN_H

#include "base/budget.h"
#include "solver/first_order/check.h"
#include "solver/first_order/pdhg.h"

/* LIMIT after as many passes. */
enum { BERTH__FO_MOST_PASSES = 200000 };

typedef struct berth__fo_counts {
    berth__pdhg_counts iteration;
    long checks;
    double setup_s, check_s, total_s;
} berth__fo_counts;

/* Precisions finer than some 1e-5 are for simplex: the iteration is in single precision.
 *
 * Runs on a form without an impossible row; `check` is initialised, its slack is the precision asked for. What was
 * found is in it: APPROXIMATE  check->exact, or if `within` is better and no exact point came of twice the passes,
 * check->within, is within the precision of check->lower, which berth__lagrangian_bound confirms for check->y
 *   INFEASIBLE   check->ray
 *   LIMIT        the best there is
 * E_MEMORY. `counts` may be NULL. */
berth_status berth__fo_run(berth__fo_check *check, double gap, const berth__budget *budget, berth_outcome *outcome,
                           berth__fo_counts *counts);

#endif
