/* The rows of a packing-and-covering view as random sums once its relaxation's point x is scaled by G and rounded, and
 * what the probabilities of failing rows add up to. What the closed forms of bounds.h are replaced by when the
 * instance itself is looked at (instance_scale.h) and what derandomisation starts from (derandomized.h).
 *
 * symbol  field
 * G       scale
 * x'      G x, clipped into the bounds: base + a Bernoulli of mean chance, for integer variables
 *
 * A row fails at a factor if it breaks factor times its right side by more than BERTH__HALF_FEASIBILITY. Where all
 * values a row can take are multiples of one unit, the first of them that fails is what the tail is taken at. */
#ifndef BERTH_ROUNDING_SCALED_ROWS_H
#define BERTH_ROUNDING_SCALED_ROWS_H

#include <berth.h>

#include "base/budget.h"
#include "rounding/packcover.h"
#include "rounding/row_tails.h"

/* What can fail. The cost is a row as well: at most factor times cost.x, for a maximisation at least. */
typedef enum berth__row_kind { BERTH__KIND_COVER, BERTH__KIND_PACK, BERTH__KIND_COST, BERTH__N_KINDS } berth__row_kind;

typedef struct berth__scaled_rows {
    const berth__packcover *p; /* borrowed, like x, skip and budget */
    const double *x;
    const bool *skip; /* NULL: none */
    berth__tail_use use;
    bool snaps;                  /* fractions within BERTH__INTEGRALITY of 0 or 1 do not count */
    const berth__budget *budget; /* NULL: none */
    bool spent;                  /* the budget ran out: failures were not added up since */
    double lp;                   /* cost.x without skipped variables */
    double scale;
    double *base, *chance; /* [n_vars] at this scale; chance 0: nothing random */
    double *unit;          /* [rows + 1], the cost last: all values are multiples of it; 0: of none */
    double *weight, *odds, *work;
} berth__scaled_rows;

/* O(entries). E_MEMORY is the only failure; nothing to close then. Scale is 1. snaps: as berth__round_independent does,
 * not berth__round_dependent. */
berth_status berth__scaled_rows_open(berth__scaled_rows *rows, const berth__packcover *p, const double *x,
                                     const bool *skip, berth__tail_use use, bool snaps, const berth__budget *budget);
void berth__scaled_rows_close(berth__scaled_rows *rows);
/* O(n_vars). */
void berth__scaled_rows_at(berth__scaled_rows *rows, double scale);

/* Row i (i = all rows: the cost) as a random sum; its arrays last until the next call. O(row). */
berth__weighted_sum berth__scaled_row(berth__scaled_rows *rows, int i);
/* The value that row i fails from on when held to factor times its right side: an upper bound for cover rows (and the
 * profit), a lower bound for packing rows (and the cost). */
double berth__scaled_level(const berth__scaled_rows *rows, int i, double factor);
/* False: row i holds at this factor whatever comes out (right side or factor 0, or INFINITY above). */
bool berth__scaled_can_fail(const berth__scaled_rows *rows, int i, double factor);
/* Markov's bound on P(cost > factor LP), or of a profit on P(profit < factor LP), at most 1: a linear function of the
 * mean cost. *slope (may be NULL) gets what a unit of cost adds to it. O(n_vars). */
double berth__scaled_markov(berth__scaled_rows *rows, double factor, double *slope);
/* Does row i fail downwards: is it a cover row or the profit? */
bool berth__scaled_is_lower(const berth__scaled_rows *rows, int i);

/* Sum over the rows of a kind of their probability of failing at `factor`, at most `limit` being of interest: anything
 * above stands for any above. Of the cost, the better of the row's tail and Markov's bound. Cover at factor 0, packing
 * and cost at INFINITY, profit at 0 cannot fail. O(entries) times the steps of row_tails.h. */
double berth__scaled_failure(berth__scaled_rows *rows, berth__row_kind kind, double factor, double limit);
/* The same over all kinds. */
double berth__scaled_failures(berth__scaled_rows *rows, const double factor[BERTH__N_KINDS], double limit);
/* Best factor of a kind with failure at most `limit`, by bisection (failures are monotone in it) from `worst`, at which
 * that holds, to 1 (cost: as far as it goes). O(25 failures). */
double berth__scaled_best_factor(berth__scaled_rows *rows, berth__row_kind kind, double worst, double limit);

enum { BERTH__MOST_SCALES = 96 };
/* Scales in [from, to] worth a try, ascending, both ends included: a geometric grid and those that make most variables
 * whole. Returns how many. A `from` below to / 1024 is raised to that. O(n_vars log n_vars). -1: out of memory. */
int berth__scaled_candidates(const berth__scaled_rows *rows, double from, double to, double scales[BERTH__MOST_SCALES]);

#endif
