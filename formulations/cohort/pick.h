/* What becomes of a pick: collected by pick.c, made public by result.c. */
#ifndef BERTH_FORMULATIONS_COHORT_PICK_H
#define BERTH_FORMULATIONS_COHORT_PICK_H

#include "formulations/cohort/greedy.h"
#include "formulations/cohort/run.h"

typedef struct berth__cohort_pick {
    const berth_cohort_options *options;
    berth__budget limit;
    berth__cohort_problem problem;
    berth_outcome outcome;
    berth_cohort_reason reason;
    double bound_s, search_bound_s, enough_deadline_s;
    size_t participants_bound, search_participants, enough_budget;
    double certificate_deadline_s; /* NAN: no certificate */
    bool stopped;
    /* in the arena of the result */
    berth__arena *arena;
    double *prices;    /* [n_categories of the data] */
    uint64_t *missing; /* the same */
    berth_cohort_participant *participants;
    size_t n_participants;
    double duration_s;
} berth__cohort_pick;

berth_status berth__cohort_result_open(berth__cohort_pick *pick, berth_error *error);
/* Who processes what: a flow within the deadline of the n clients of the view. E_INTERNAL: they do not meet the needs.
 */
berth_status berth__cohort_result_participants(berth__cohort_pick *pick, uint32_t *chosen, size_t n, double deadline_s,
                                               berth_error *error);
berth_status berth__cohort_result_finish(berth__cohort_pick *pick, berth_cohort **out, berth_error *error);
/* Frees what finish did not hand over. */
void berth__cohort_result_close(berth__cohort_pick *pick);

#endif
