/* Prices that bound well, by multiplicative weights (Plotkin, Shmoys, Tardos 1995; Arora, Hazan, Kale 2012) on the
 * shares pi_c p_c: a category whose need the best clients at present prices would miss gets dearer.
 *
 * One pass over the view an iteration. For a given budget the deadline is raised while the prices refute it, for a
 * given deadline the prices are those that leave the most participants. Deterministic. */
#ifndef BERTH_FORMULATIONS_COHORT_LEARN_H
#define BERTH_FORMULATIONS_COHORT_LEARN_H

#include "base/budget.h"
#include "formulations/cohort/worth.h"

typedef struct berth__cohort_rate {
    int iterations;
    double rate; /* of the first iterations; falls with their square root */
    double step; /* first step of the deadline, relative */
} berth__cohort_rate;

/* share: [n_categories], the shares to begin with, and then the best found. Returns the largest deadline that was
 * refuted for `budget` clients (it tries from_s first), or < 0: none was. Stops early once it reaches `enough_s`. */
double berth__cohort_learn_deadline(const berth__cohort_view *view, size_t budget, double from_s, double enough_s,
                                    const berth__cohort_rate *rate, double *share, berth__cohort_space *space,
                                    const berth__budget *limit);

/* The least number of participants within the deadline that is not refuted by the best prices found, as a fraction:
 * the part of the last one that is needed counts. INFINITY: not even all clients suffice. */
double berth__cohort_learn_participants(const berth__cohort_view *view, double deadline_s,
                                        const berth__cohort_rate *rate, double *share, berth__cohort_space *space,
                                        const berth__budget *limit);

#endif
