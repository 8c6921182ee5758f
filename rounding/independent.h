/* Independent randomised rounding: x' = G x*, each x'_j up with probability frac(x'_j), else down. */
#ifndef BERTH_ROUNDING_INDEPENDENT_H
#define BERTH_ROUNDING_INDEPENDENT_H

#include "base/budget.h"
#include "base/pcg.h"
#include "rounding/bounds.h"

/* One draw into out[n_vars]. Variables in `skip` (may be NULL) become 0; results are clipped to upper.
 * Values within BERTH__INTEGRALITY of an integer count as that integer. Uses exactly one draw per variable,
 * so that streams are comparable across settings. Continuous variables (is_integer false) keep G x*. O(n_vars). */
void berth__round_independent(const berth__packcover *p, const double *x, double scale, const bool *skip,
                              berth__pcg *stream, double *out);

/* Called on each draw before rows are tested: may lower values (drop excess). NULL: nothing. */
typedef struct berth__after_draw {
    void (*adjust)(void *user, double *x);
    bool (*accept)(void *user, const double *x); /* asked of draws that hold all rows; NULL: all are accepted */
    void *user;
} berth__after_draw;

typedef struct berth__trials_result {
    bool feasible;         /* some draw held all rows and was accepted: the best such is in out */
    int draws;             /* made */
    int n_feasible;        /* of them feasible in that sense */
    berth__violation best; /* of out: the best feasible, else the least violated */
} berth__trials_result;

/* Up to `trials` >= 1 draws; keeps the best (cheapest; for a maximisation of most profit) that satisfies all rows, else
 * the least violated (largest of 1 - cover_min, pack_max - 1; then the better), else, if all held the rows and were
 * refused, the best of those. The earlier draw wins ties. stop_at_first: return at the first feasible draw (the paper's
 * way). after: may be NULL. A spent budget (NULL: none; polled every few draws) ends the draws, of which there is one
 * at least. work: [n_vars] scratch. O(trials entries). */
berth__trials_result berth__round_trials(const berth__packcover *p, const double *x, double scale, const bool *skip,
                                         int trials, bool stop_at_first, const berth__after_draw *after,
                                         const berth__budget *budget, berth__pcg *stream, double *out, double *work);

#endif
