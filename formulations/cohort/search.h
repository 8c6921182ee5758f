/* Complete search for a cohort within a deadline, for few clients: each is in or out, the most valuable first. Cut off
 * by a pool of prices: what is in and the best that may still come in must be worth the needs at each of them. The pool
 * begins with each category alone and the learned prices; each choice whose flow falls short adds its minimum cut. */
#ifndef BERTH_FORMULATIONS_COHORT_SEARCH_H
#define BERTH_FORMULATIONS_COHORT_SEARCH_H

#include "formulations/cohort/flow.h"
#include "formulations/cohort/worth.h"

enum { BERTH__COHORT_SEARCHABLE = 64 }; /* most clients of a view that is searched */

typedef enum berth__cohort_answer {
    BERTH__COHORT_NO = 0,
    BERTH__COHORT_YES,
    BERTH__COHORT_UNKNOWN, /* the node limit was reached, or the budget spent */
    BERTH__COHORT_MEMORY
} berth__cohort_answer;

/* Can `budget` clients of the view meet the needs within the deadline? YES: *chosen (room for `budget`), *n_chosen are
 * some. `share`: of learn.h. *nodes is what may be visited, and is counted down. */
berth__cohort_answer berth__cohort_search(const berth__cohort_view *view, const double *share, double deadline_s,
                                          size_t budget, const berth__budget *limit, long *nodes, uint32_t *chosen,
                                          size_t *n_chosen);

#endif
