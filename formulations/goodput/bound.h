/* The bound of an allocation: prices from the relaxation of choice.h. */
#ifndef BERTH_FORMULATIONS_GOODPUT_BOUND_H
#define BERTH_FORMULATIONS_GOODPUT_BOUND_H

#include "formulations/goodput/allocate.h"

/* Fills run->bound, whose arrays are there. E_MEMORY; others from an LP backend. */
berth_status berth__allocate_relax(berth__allocate_run *run, berth_error *error);

/* For allocations that starve at most so many: the prices as they are, without starvation's, none at all, or those of
 * pieces, whichever prove most. (The relaxation's is made for the fewest starved, and with powers like -20 sums
 * cancel.) */
void berth__allocate_settle_prices(berth__allocate_run *run, size_t starved);

/* relaxation.c: the same by an LP backend, over all options. serve: the most jobs with GPUs, else the sum, with at most
 * `starved` jobs without (SIZE_MAX: any number). Prices of types and of starvation; wanted and split may be NULL. */
berth_status berth__allocate_relax_by(berth__allocate_run *run, bool serve, size_t starved, double *price,
                                      double *starve_price, berth_error *error);

#endif
