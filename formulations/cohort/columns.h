/* The relaxation of fewest participants within a deadline, by column generation (Dantzig and Wolfe 1960): where the
 * price iterations of learn.h stop at about a percent, this goes on to the optimum, and its solution is basic.
 *
 *     min sum_k y_k   s.t.  sum_k a_kc y_k >= p_c,   sum of the y_k of client n <= 1,   y >= 0
 *
 * A column k is what one client gives at some prices, its u_n(T) dearest samples; the columns of a client span all that
 * it can give. Those that present prices find missing are added until the prices bound the value from below.
 *
 * Rounding up (Lai et al., OSDI 2021, compare a general rounding): let C be the number of categories. A basic solution
 * has as many basic variables as rows. A client taken in part makes two variables of its row basic (a column and the
 * slack), any other client that has a row makes one, hence at most C clients are taken in part. Taking these whole, and
 * what a flow makes of it, meets the needs with less than C participants more than the relaxation has.
 *
 * symbol  field
 * p       view->need
 * a_k     amounts
 * T       deadline_s
 *
 * Not here: any bound of its own. What is certified is what the prices prove (worth.h). */
#ifndef BERTH_FORMULATIONS_COHORT_COLUMNS_H
#define BERTH_FORMULATIONS_COHORT_COLUMNS_H

#include "formulations/cohort/run.h"

typedef struct berth__cohort_column {
    uint32_t client; /* position in the view */
    size_t first;    /* of its amounts; the next column's first ends them */
} berth__cohort_column;

typedef struct berth__cohort_columns {
    berth__cohort_run *run;
    double deadline_s;
    size_t n, most;
    berth__cohort_column *column; /* [n + 1] */
    size_t n_amounts, most_amounts;
    berth__cohort_entry *amount;
    int *row;     /* [n_clients] of the programme, or how many columns a client has so far */
    double *best; /* [n_clients] worth of a client's best column at the prices, in units of one participant */
    /* [n_categories], of the whole need, in participants */
    double *missing_cost; /* what it costs if no column gives it */
    double *dual;         /* what it is worth in the last solution */
    double *proof;        /* at the prices that proved most */
    /* the last solution */
    double value;      /* of the columns so far; INFINITY: they do not meet the needs */
    bool may_miss;     /* the programme may leave samples out */
    bool is_missing;   /* it does */
    double least;      /* no fewer participants, by the best prices so far; INFINITY: no number of them */
    double *taken;     /* [n_clients] which part of each */
    uint32_t *support; /* [n_clients] who takes part, at least in part */
    size_t n_support;
} berth__cohort_columns;

/* Is there a backend for it? */
bool berth__cohort_columns_possible(const berth__cohort_run *run);
/* False: out of memory. Close in any case. */
bool berth__cohort_columns_open(berth__cohort_run *run, berth__cohort_columns *columns);
void berth__cohort_columns_close(berth__cohort_columns *columns);

/* Within a deadline, until value and least are within `gap`, or least is above `refuted` or value at most `met`, or
 * time is up. run->share: prices to begin with, then those that bound best. */
berth_status berth__cohort_columns_solve(berth__cohort_columns *columns, double deadline_s, double gap, double met,
                                         double refuted, berth_error *error);

#endif
