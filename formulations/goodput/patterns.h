/* The relaxation over nodes: which pieces (pieces.h) nodes are cut into, and which of them jobs take. */
#ifndef BERTH_FORMULATIONS_GOODPUT_PATTERNS_H
#define BERTH_FORMULATIONS_GOODPUT_PATTERNS_H

#include "formulations/goodput/allocate.h"

/* Betters the bound for allocations that starve at most so many, and what it wants of jobs: sets run->bound.pieces if
 * they prove about as much as the prices of types, or more. Starts from what the bound wants. Does nothing where nodes have so many
 * sizes that it would take long. E_MEMORY. */
berth_status berth__allocate_relax_nodes(berth__allocate_run *run, size_t starved, berth_error *error);

#endif
