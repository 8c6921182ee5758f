/* Assembling a berth_run: everything in one arena. */
#ifndef BERTH_ONLINE_RUN_RECORD_H
#define BERTH_ONLINE_RUN_RECORD_H

#include <berth_io.h>

#include "base/alloc.h"

/* An empty record of the instance's size: jobs undecided, figures NAN. NULL if out of memory. */
berth_run *berth__run_new(const berth_instance *instance, const berth_options *options);
/* The arena that owns the record. */
berth__arena *berth__run_arena(berth_run *run);

/* Job `job` of the instance as decided; admitted without a completion slot: unfinished. False if out of memory. */
bool berth__run_set_decision(berth_run *run, const berth_instance *instance, size_t job,
                             const berth_decision *decision);
/* The plan of an admitted job as it came to be. False if out of memory. */
bool berth__run_set_plan(berth_run *run, const berth_instance *instance, size_t job, const berth_decision *decision);
/* utility, counts, delays, makespan, utilisation from the jobs' plans. False if out of memory. */
bool berth__run_summarise(berth_run *run, const berth_instance *instance);
/* bounds.best and bounds.ratio from the bounds present. */
void berth__run_set_best_bound(berth_run *run);
/* Adds name and number to the versions. False if out of memory. */
bool berth__run_add_version(berth_run *run, const char *name, const char *number);

#endif
