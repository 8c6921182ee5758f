/* Prices from an LP backend: duals of the cover rows of model.h. Small sizes; what it certifies is what bound.c does.
 */
#ifndef BERTH_FORMULATIONS_COHORT_RELAXATION_H
#define BERTH_FORMULATIONS_COHORT_RELAXATION_H

#include "formulations/cohort/run.h"

/* Shares of the needs by the duals of the programme within the deadline, and its value; *value is INFINITY and the
 * shares are kept if the deadline is infeasible even for all clients. */
berth_status berth__cohort_relax(berth__cohort_run *run, double deadline_s, double *value, berth_error *error);

berth_status berth__cohort_relax_duration(berth__cohort_run *run, berth_error *error);
berth_status berth__cohort_relax_participants(berth__cohort_run *run, berth_error *error);

#endif
