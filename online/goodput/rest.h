/* Tables of options in which jobs with little left to do weigh more. */
#ifndef BERTH_ONLINE_GOODPUT_REST_H
#define BERTH_ONLINE_GOODPUT_REST_H

#include <berth_goodput.h>

#include "base/alloc.h"

/* Replaces the profiles of jobs by tables, after heSRPT (Berg, Vesilo, Harchol-Balter 2020): where speed grows like the
 * square root of GPUs, the sum of completion times is least when of n jobs the one with the i-th longest rest has
 * (2 i - 1) / n^2 of them. The maximum of sum_i u_i ln(goodput) gives so much if u_i = (2 i - 1) / n: so
 *
 *     value = (goodput / goodput a GPU)^u,    for p = 0,
 *
 * goodput a GPU on the fewest GPUs of one node that it can run on. rest: samples left at the efficiency of m0, over
 * that goodput the rest in seconds; below 0: unknown, shorter than any. Placements over nodes of `largest` GPUs at
 * most: on the fewest nodes, up to two more, and what the job has. n_types profiles a job. Options live in the arena.
 * False: out of memory. */
bool berth__weigh_by_rest(berth__arena *arena, size_t n, berth_goodput_job *jobs, size_t n_types,
                          const berth_goodput_profile *profiles, const double *rest, berth_batch_mode mode,
                          uint32_t largest);

#endif
