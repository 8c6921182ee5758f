/* A model as the first-order solver sees it: with x counted from the columns' lower bounds and every row multiplied by
 * its sign,
 *
 *     min cost . x   s.t.  cover <= K x <= packing,  0 <= x <= box,    K = |A| >= 0, cost all >= 0 or all <= 0
 *
 * A maximisation is negated. K is not stored: it is the model's matrix, row i times sign[i]. A row multiplier y_i > 0
 * uses cover_i, one < 0 packing_i; a row with both has one multiplier all the same. */
#ifndef BERTH_SOLVER_FIRST_ORDER_FORM_H
#define BERTH_SOLVER_FIRST_ORDER_FORM_H

#include "solver/model.h"
#include "solver/structural.h"

typedef struct berth__fo_form {
    const berth__model *model; /* borrowed */
    int n_cols, n_rows;
    double sense;                /* 1, or -1 for a maximisation */
    double *cost;                /* [n_cols] */
    double *upper;               /* [n_cols] the columns' own, may be infinite */
    double *box;                 /* [n_cols] narrowed by implied bounds (solver/structural.h), finite */
    double *sign;                /* [n_rows] 1 or -1; 0: a row that binds nothing */
    double *cover, *packing;     /* [n_rows] > 0 or -INFINITY; >= 0 or INFINITY */
    bool has_cover, has_packing; /* any such row */
    double constant;             /* model's cost at the lower bounds, times sense, without offset */
    double base_size;            /* |offset| + sum |c_j l_j| */
    double cost_floor;           /* costs below it count as 0 in relative gaps */
    int impossible_row;          /* one that no point satisfies, by its right side and signs alone; -1: none */
    berth__implied implied;
} berth__fo_form;

/* Why the model is none of these, or NULL. Static text. O(n_entries). */
const char *berth__fo_refusal(const berth__model *model);

/* E_UNSUPPORTED with the reason if it is none. Free with berth__fo_form_clear, which is safe after failure. */
berth_status berth__fo_form_init(const berth__model *model, berth__fo_form *out, berth_error *error);
void berth__fo_form_clear(berth__fo_form *form);

/* (upper - lower) / min(|upper|, |lower|) for bounds on the cost; INFINITY if one is missing. */
double berth__fo_gap(const berth__fo_form *form, double lower, double upper);

/* x of the model from x of the form, and the model's row duals from the form's multipliers. */
void berth__fo_model_x(const berth__fo_form *form, const double *x, double *out);
void berth__fo_model_dual(const berth__fo_form *form, const double *y, double *out);

#endif
