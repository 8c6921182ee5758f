/* From public data and request to the view of view.h: everything checked, requests resolved to counts, clients and
 * categories that cannot matter left out. */
#ifndef BERTH_FORMULATIONS_COHORT_PROBLEM_H
#define BERTH_FORMULATIONS_COHORT_PROBLEM_H

#include <berth_cohort.h>

#include "base/alloc.h"
#include "formulations/cohort/view.h"

/* Speeds and kbit that there can be, so that products and quotients of them are finite and not 0. */
#define BERTH__COHORT_LEAST_SPEED 1e-9
#define BERTH__COHORT_MOST_SPEED  1e15
/* Samples requested in all, 2^50: prices are whole numbers below 2^52 / request. */
#define BERTH__COHORT_MOST_REQUESTED 1125899906842624.0

typedef struct berth__cohort_problem {
    const berth_cohort_data *data;
    const berth_cohort_request *request;
    uint64_t *requests;      /* [data->n_categories] resolved */
    uint64_t *missing;       /* [data->n_categories] that eligible clients do not hold at all */
    bool is_short;           /* some of it is missing */
    bool *eligible;          /* [data->n_clients] */
    size_t *category;        /* [view.n_categories] index in data */
    double *need;            /* [view.n_categories] */
    size_t budget;           /* most participants, at most view.n_clients */
    berth__cohort_view view; /* ids: index in data */
} berth__cohort_problem;

/* Checks arrays and request; E_INPUT or E_ARGUMENT with error->where naming array and index. Close in any case.
 * O(entries). */
berth_status berth__cohort_problem_open(berth__cohort_problem *problem, const berth_cohort_data *data,
                                        const berth_cohort_request *request, berth_error *error);
void berth__cohort_problem_close(berth__cohort_problem *problem);

/* Checks alone, for readers and checkers. */
berth_status berth__cohort_check_data(const berth_cohort_data *data, berth_error *error);

/* What messages call a client or category. */
const char *berth__cohort_client_name(const berth_cohort_data *data, size_t client, char buffer[32]);
const char *berth__cohort_category_name(const berth_cohort_data *data, size_t category, char buffer[32]);

#endif
