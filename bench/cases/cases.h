/* The families, one a file, and what they share. */
#ifndef BERTH_BENCH_CASES_CASES_H
#define BERTH_BENCH_CASES_CASES_H

#include "bench/case.h"

extern const bench_family bench_theta, bench_decision, bench_run, bench_schedule, bench_rounding_bounds, bench_solve,
    bench_first_order, bench_lp_bound, bench_policies, bench_cohort, bench_goodput, bench_allocate,
    bench_goodput_policies, bench_serve;

/* NULL-terminated. */
extern const bench_family *const bench_families[];

#endif
