/* The reference of the theta cases: the relaxation of the slot problem as a sparse LP, through raw Clp calls. One
 * model is kept, the values of W are changes of its right side, and the dual simplex starts from the last basis.
 * Logging and perturbation are off; of scaling on or off, and W rising or falling, the fastest is taken. */
#ifndef BERTH_BENCH_CASES_THETA_CLP_H
#define BERTH_BENCH_CASES_THETA_CLP_H

#include "bench/case.h"
#include "bench/cases/theta_instance.h"

typedef struct theta_clp theta_clp;

/* Tries the ways to run it. `sampled`: solve three stretches of three values only and scale their time up; being
 * brought to where a stretch begins is not timed. NULL: out of memory, or Clp finds no optimum. */
theta_clp *theta_clp_new(const theta_instance *instance, bool sampled);
void theta_clp_free(theta_clp *clp);

/* One pass over the values: cost[n], NAN where not solved. False if Clp finds no optimum. */
bool theta_clp_sweep(theta_clp *clp, bench_clock *clock, double *cost);

bool theta_clp_scaling(const theta_clp *clp); /* what was fastest */
bool theta_clp_rising(const theta_clp *clp);

#endif
