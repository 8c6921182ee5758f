#include "bench/cases/cases.h"

const bench_family *const bench_families[] = {&bench_theta,
                                              &bench_decision,
                                              &bench_run,
                                              &bench_schedule,
                                              &bench_rounding_bounds,
                                              &bench_solve,
                                              &bench_first_order,
                                              &bench_lp_bound,
                                              &bench_policies,
                                              &bench_cohort,
                                              &bench_goodput,
                                              &bench_allocate,
                                              &bench_goodput_policies,
                                              &bench_serve,
                                              NULL};
