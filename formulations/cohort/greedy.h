/* Cohorts by lazy greedy choice: the client worth most at the prices, of what is still lacking, again and again. Prices
 * are adjusted on the way to what is lacking. */
#ifndef BERTH_FORMULATIONS_COHORT_GREEDY_H
#define BERTH_FORMULATIONS_COHORT_GREEDY_H

#include "formulations/cohort/worth.h"

typedef struct berth__cohort_greedy {
    const berth__cohort_view *view;
    berth__cohort_space *space; /* borrowed: room for as many clients */
    int iterations;             /* passes over the clients for each adjustment of prices */
    double rate;                /* of these */
    /* work space */
    struct berth__cohort_candidate *heap; /* [n_clients] */
    double *lacking;                      /* [n_categories] */
    double *price;                        /* [n_categories] */
    bool *taken;                          /* [n_clients] */
    uint32_t *chosen;                     /* [n_clients] */
    size_t n_chosen;
} berth__cohort_greedy;

/* False: out of memory. Close in any case. */
bool berth__cohort_greedy_open(const berth__cohort_view *view, berth__cohort_space *space, int iterations,
                               berth__cohort_greedy *greedy);
void berth__cohort_greedy_close(berth__cohort_greedy *greedy);

/* Chooses up to `budget` clients that meet the needs within the deadline; the first n_kept of `chosen` are taken as
 * they are. True: met. share: those of learn.h. `expected`: about how many it will take, at most the budget. What is
 * lacking in the end is in `lacking`. */
bool berth__cohort_greedy_choose(berth__cohort_greedy *greedy, const double *share, double deadline_s, size_t budget,
                                 size_t expected, size_t n_kept);

#endif
