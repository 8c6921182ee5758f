/* One run of a comparison, or the bound of an instance: done and checked, or taken from where it is kept. */
#ifndef BERTH_REPORT_COMPARE_RUN_H
#define BERTH_REPORT_COMPARE_RUN_H

#include <berth_io.h>

#include "base/budget.h"

typedef struct berth__compare_task {
    const berth_instance *instance;
    const berth_compare_options *options;
    const berth__budget *budget; /* of the whole */
    const char *policy;          /* NULL: the bound of the instance */
    const berth_options *run;    /* what the policy runs with; of a bound, options->run */
    uint64_t seed;
    int threads;
} berth__compare_task;

/* values: [BERTH_N_METRICS] without OF_BOUND, which is NAN; or the bound alone in values[0], NAN if none was found in
 * time. Errors as berth_compare's. Of a policy's run, only the cancel hook is called. Any thread. */
berth_status berth__compare_task_run(const berth__compare_task *task, double *values, berth_error *error);

/* Makes the folder if it is not there. E_IO. */
berth_status berth__compare_state_open(const char *folder, berth_error *error);

#endif
