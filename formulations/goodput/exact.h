/* The programme with rows of nodes, by a MIP backend. */
#ifndef BERTH_FORMULATIONS_GOODPUT_EXACT_H
#define BERTH_FORMULATIONS_GOODPUT_EXACT_H

#include "formulations/goodput/allocate.h"

/* Betters run->best; sets run->is_optimal where the backend says so. E_BACKEND: there is none. */
berth_status berth__allocate_exact(berth__allocate_run *run, berth_error *error);

#endif
