/* Small random cohort problems, and their optima by a mixed-integer programme of its own making. */
#ifndef BERTH_TESTS_COHORT_CASE_H
#define BERTH_TESTS_COHORT_CASE_H

#include <berth_cohort.h>

#include "base/pcg.h"

enum { COHORT_MOST_CLIENTS = 8, COHORT_MOST_CATEGORIES = 4 };

typedef struct cohort_case {
    berth_cohort_data data;
    berth_cohort_request request;
    size_t row_start[COHORT_MOST_CLIENTS + 1];
    uint32_t category[COHORT_MOST_CLIENTS * COHORT_MOST_CATEGORIES];
    uint32_t count[COHORT_MOST_CLIENTS * COHORT_MOST_CATEGORIES];
    double ms[COHORT_MOST_CLIENTS], kbps[COHORT_MOST_CLIENTS];
    uint64_t requests[COHORT_MOST_CATEGORIES];
    size_t eligible[COHORT_MOST_CLIENTS];
} cohort_case;

/* 2 to 8 clients, 1 to 4 categories; now and then a deadline, a cap, a list of eligible clients, too large a request.
 */
void cohort_case_draw(cohort_case *c, berth_cohort_objective objective, berth__pcg *stream);

/* The least duration or number of participants by GLPK (`integers`), or that of the relaxation; INFINITY: infeasible.
 * The request must be of counts. */
double cohort_optimum(const berth_cohort_data *data, const berth_cohort_request *request, const berth_backends *set,
                      bool integers);
double cohort_case_optimum(const cohort_case *c, const berth_backends *set, bool integers);

/* Asserts that berth_check_cohort finds no violation. `what` for the message. */
void cohort_expect_sound(const berth_cohort_data *data, const berth_cohort_request *request, const berth_cohort *cohort,
                         const char *what);

#endif
