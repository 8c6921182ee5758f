/* A packing-and-covering model in the form that rounding works on (rounding/packcover.h): variables counted from
 * their lower bounds, rows multiplied by -1 where that makes them non-negative, ranges and equalities split in two,
 * a minimisation of costs <= 0 turned into a maximisation of profits and the other way round. */
#ifndef BERTH_FORMULATIONS_GENERAL_SPLIT_H
#define BERTH_FORMULATIONS_GENERAL_SPLIT_H

#include "formulations/mpc.h"

typedef struct berth__split {
    berth__packcover view; /* variable j is column j */
    double *shift;         /* [n_vars] lower bounds: model x = shift + view x */
    double sign;           /* model cost = offset + sign view cost */
    double offset;
    berth__mpc *mpc; /* of the view, with the groups */
} berth__split;

/* `model` must be packing and covering (berth__model_classify). group: [n_vars] for dependent rounding (-1: none), or
 * NULL. Cover rows that hold anyway, with a right side of 0 or less, are left out. E_MEMORY is the only failure of a
 * model that has a feasible relaxation. O(entries). */
berth_status berth__split_new(const berth__model *model, const int *group, berth__split **out, berth_error *error);
void berth__split_free(berth__split *split);

/* [n_vars] model values to view values and back; both may be one array. */
void berth__split_to_view(const berth__split *split, const double *x, double *out);
void berth__split_to_model(const berth__split *split, const double *x, double *out);

/* cost . x of a view point in the view's costs. */
double berth__split_view_cost(const berth__split *split, const double *view_x);

#endif
