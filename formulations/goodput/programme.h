/* Proof by an integer programme, where complete search is out of reach. */
#ifndef BERTH_FORMULATIONS_GOODPUT_PROGRAMME_H
#define BERTH_FORMULATIONS_GOODPUT_PROGRAMME_H

#include "formulations/goodput/allocate.h"

/* Asks a MIP backend what the relaxation over nodes (patterns.h) comes to in integers, or where there are no prices of
 * pieces that over types, over options that the prices do not rule out for anything better than run->best. Sets
 * run->bound.search to the F that it says no allocation exceeds that starves no more, run->is_optimal if run->best has
 * that and no allocation can starve fewer, and where the programme has a better solution, run->bound.wanted to it and
 * *better. Does nothing where there is no such backend, or too much is left. E_MEMORY. */
berth_status berth__allocate_programme(berth__allocate_run *run, bool *better, berth_error *error);

#endif
