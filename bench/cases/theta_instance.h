/* Random instances of the fractional slot problem of formulations/theta.h. */
#ifndef BERTH_BENCH_CASES_THETA_INSTANCE_H
#define BERTH_BENCH_CASES_THETA_INSTANCE_H

#include "formulations/theta.h"

typedef enum theta_kind {
    THETA_REALISTIC = 0, /* machines at random utilisation, prices exponential in it */
    THETA_TIED,          /* three levels of utilisation, so that most machines have many equals */
    THETA_WHOLE,         /* as THETA_REALISTIC, but for whole W and S over integer hulls: the configuration bound */
    THETA_DEGENERATE     /* small integers everywhere: free units, units without demand, full machines, ties */
} theta_kind;

typedef struct theta_instance {
    berth__theta_problem problem; /* count is 1: a group is a machine */
    double workers_per_ps;
    size_t n;     /* values of W */
    double *W;    /* [n] evenly up to 200, or to nine tenths of what fits */
    double *S;    /* [n] W / workers_per_ps; both rounded up for THETA_WHOLE */
    void *memory; /* a berth__arena */
} theta_instance;

/* The same instance for the same arguments. NULL: out of memory, or nothing fits. Frees with theta_instance_free. */
theta_instance *theta_instance_new(theta_kind kind, int n_machines, int n_resources, size_t n_values);
void theta_instance_free(theta_instance *instance);

#endif
