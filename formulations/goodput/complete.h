/* Complete search over nodes, for few jobs on few nodes. */
#ifndef BERTH_FORMULATIONS_GOODPUT_COMPLETE_H
#define BERTH_FORMULATIONS_GOODPUT_COMPLETE_H

#include "formulations/goodput/allocate.h"

/* Betters run->best; sets run->is_optimal if nothing is left to try. Takes few steps, more if proof is asked for. Does
 * nothing where there are many jobs. E_MEMORY. */
berth_status berth__allocate_complete(berth__allocate_run *run, berth_error *error);

/* Frees a few jobs at a time and finds their best nodes by the same search, until it is enough or the steps are spent.
 * E_MEMORY. */
berth_status berth__allocate_neighbourhoods(berth__allocate_run *run, bool (*is_enough)(const berth__allocate_run *),
                                            berth_error *error);

#endif
