/* A point that local search moves about in: row sums, broken rows, the variables that a row can give up and the last
 * point saved, kept up to date move by move. Costs here are in the sense of minimisation. */
#ifndef BERTH_ROUNDING_SEARCH_STATE_H
#define BERTH_ROUNDING_SEARCH_STATE_H

#include <berth.h>

#include "rounding/activity.h"
#include "rounding/packcover.h"

#include <stdint.h>

/* A set of numbers below its size, in no particular order. */
typedef struct berth__index_set {
    int *item;  /* [n] */
    int *place; /* [size] of a member in item; -1: not in the set */
    int n;
} berth__index_set;

/* In a minimisation, the cheapest of the variables that stand in one cover row and nowhere else: the filler of that
 * row. It is never moved (its range is [0, 0]), but takes at once what the row lacks. */
typedef struct berth__filler {
    int var; /* -1: the row has none */
    double value, top, cost;
} berth__filler;

typedef struct berth__search_state {
    const berth__packcover *p; /* borrowed */
    int n_rows;
    berth__activity a; /* x, columns, and row sums without fillers; the others read them, berth__search_move writes */
    double *cost_of;   /* [n_vars] */
    double *bottom, *top;  /* [n_vars] the range of a variable: at first [0, what bound and packing rows allow] */
    berth__filler *filler; /* [n_cover] */
    double cost;           /* of x */

    /* The matrix by rows, of variables with bottom < top only; in each row those with x > 0 come first. */
    size_t *row_start; /* [n_rows + 1] */
    int *var;
    double *value;
    int *n_positive;   /* [n_rows] how many have x > 0 */
    size_t *entry_of;  /* from an entry of a.columns to its place in var and value ... */
    size_t *column_of; /* ... and back */

    berth__index_set broken;    /* rows that do not hold (berth__activity_lack) */
    berth__index_set filled;    /* cover rows whose filler costs something now */
    berth__index_set improving; /* variables that can move in the direction that improves the cost */

    uint64_t n_moves;
    uint64_t *moved;   /* [n_vars] number of a variable's last move, from 1; 0: none */
    uint64_t *changed; /* [n_rows] likewise */
    uint64_t work;     /* entries touched so far */

    double *saved;          /* [n_vars] the point of the last save */
    double saved_cost;      /* INFINITY: nothing saved */
    berth__index_set dirty; /* variables that changed since */
} berth__search_state;

/* x [n_vars] is borrowed and moved: rounded to integers, clipped into the bounds, skipped variables put to 0.
 * O(entries). E_MEMORY is the only failure. */
berth_status berth__search_open(berth__search_state *s, const berth__packcover *p, const bool *skip, double *x);
void berth__search_close(berth__search_state *s);

/* x_j += by, clipped into its range. O(column). */
void berth__search_move(berth__search_state *s, int j, double by);
/* Narrows the range of j to [bottom, top], within the old one, and moves x_j into it. O(column). */
void berth__search_narrow(berth__search_state *s, int j, double bottom, double top);
/* Leaves variables that can no longer move out of the rows. O(entries). */
void berth__search_rebuild(berth__search_state *s);
/* Sums rows and cost anew, from x. O(entries). */
void berth__search_resum(berth__search_state *s);
/* Remembers x. O(variables changed since the last time). */
void berth__search_save(berth__search_state *s);
/* Moves x back to the point of the last save, as far as ranges allow. O(columns of the variables changed since). */
void berth__search_return(berth__search_state *s);

/* What row i lacks when its sum without the filler is `sum`, as berth__activity_lack; of a cover row, beyond what its
 * filler takes. */
double berth__search_lack(const berth__search_state *s, int i, double sum);
/* What the filler of row i takes then: 0 without one. */
double berth__search_fill(const berth__search_state *s, int i, double sum);

#endif
