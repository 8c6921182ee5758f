/* What the iterates prove, on the model's own numbers in double precision: a lower bound from the multipliers, an upper
 * bound from a repaired point, infeasibility from a ray. Shares no arithmetic with the iteration (pdhg.h).
 *
 * Every O(n_entries) step is a gather along columns or along rows, so its result does not depend on the number of
 * threads. */
#ifndef BERTH_SOLVER_FIRST_ORDER_CHECK_H
#define BERTH_SOLVER_FIRST_ORDER_CHECK_H

#include "solver/first_order/form.h"
#include "solver/first_order/team.h"

/* A point and how much of its rows it misses. */
typedef struct berth__fo_point {
    double *x; /* [n_cols]; valid if cost is finite */
    double cost;
} berth__fo_point;

typedef struct berth__fo_check {
    const berth__fo_form *form; /* borrowed */
    berth__team *team;          /* borrowed */
    double slack;               /* relative, of packing rows beside cover rows: allowed to `within` */
    double lower;               /* best bound so far, and its multipliers, */
    double *y;                  /* [n_rows] of the form */
    berth__fo_point exact;      /* best point whose rows all hold */
    berth__fo_point within;     /* best one whose packing rows hold within `slack`; only of problems with both kinds */
    bool repaired;              /* all rows of the last pair's point hold */
    bool infeasible;            /* then: */
    double *ray;                /* [n_rows], in the terms of solver/backend.h, verified by berth__verify_farkas */
    /* work */
    double *x, *product, *activity, *factor, *score, *signed_y;
    berth__kink *kinks;
} berth__fo_check;

/* False: out of memory; clear all the same. */
bool berth__fo_check_init(const berth__fo_form *form, berth__team *team, double slack, berth__fo_check *out);
void berth__fo_check_clear(berth__fo_check *check);

/* Improves what is known by a pair of iterates, x [n_cols] within [0, box] and y [n_rows] of the form (both borrowed).
 */
void berth__fo_check_pair(berth__fo_check *check, const double *x, const double *y);

/* The gaps of the exact point, and of the better of both. */
double berth__fo_check_gap(const berth__fo_check *check);
double berth__fo_check_gap_within(const berth__fo_check *check);

#endif
