/* The public result of a run. */
#ifndef BERTH_FORMULATIONS_GOODPUT_RESULT_H
#define BERTH_FORMULATIONS_GOODPUT_RESULT_H

#include "formulations/goodput/allocate.h"

/* `infeasible`: the pinned jobs do not fit; run->best is not read. E_MEMORY. */
berth_status berth__allocate_result(const berth__allocate_run *run, bool infeasible, berth_allocation **out,
                                    berth_error *error);

#endif
