/* Random packing-and-covering programmes with the optimum of their relaxation: what roundings are compared on, here and
 * in the tests. */
#ifndef BERTH_BENCH_CASES_ROUNDING_INSTANCE_H
#define BERTH_BENCH_CASES_ROUNDING_INSTANCE_H

#include "formulations/mpc.h"

typedef enum rounding_kind {
    ROUNDING_MIXED, /* min: cover and packing rows with coefficients in [.3, 1], room for a half more than needed */
    ROUNDING_JUST_BELOW, /* min: machines of 2.9994 units of capacity each, two kinds of unit, three quarters needed */
    ROUNDING_SLOT,       /* min: workers and parameter servers of one job on GPU machines, GPUs, CPU, memory */
    ROUNDING_SET_COVER,  /* min: each of the elements is in about eight sets and needed one to three times */
    ROUNDING_WIDE,       /* min: few rows of many equal coefficients that need 30 to 60 units, one of them packing */
    ROUNDING_KNAPSACK,   /* max: five packing rows with coefficients 1 to 100, u = 1 */
    ROUNDING_N_KINDS
} rounding_kind;

typedef struct rounding_instance {
    berth__mpc *mpc;
    berth__packcover view; /* of mpc */
    double *x;             /* [n_vars] optimum of the relaxation */
    double lp;             /* its cost or profit */
} rounding_instance;

/* About n_vars (>= 12) variables. NULL: out of memory, no LP solver, or no optimum. */
rounding_instance *rounding_instance_new(rounding_kind kind, int n_vars, uint64_t seed);
void rounding_instance_free(rounding_instance *instance);

/* The optimum of a relaxation, by any solver of this build: x[n_vars] and its value. False: there is none. */
bool rounding_relax(const berth__mpc *mpc, double *x, double *lp);

#endif
