/* Random machines and jobs as clusters have them, for the benchmark's own instances. Resources are numbered; the first
 * four are gpu, cpu, memory and storage, further ones repeat the last three. */
#ifndef BERTH_BENCH_CASES_DRAW_H
#define BERTH_BENCH_CASES_DRAW_H

#include "base/pcg.h"

/* Units of the resource that a machine has: a small choice of makes. */
double bench_draw_capacity(berth__pcg *stream, int resource);
/* Demand of one worker, and of one parameter server (which has no gpu unless that is the only resource). */
double bench_draw_worker(berth__pcg *stream, int resource);
double bench_draw_ps(berth__pcg *stream, int resource, int n_resources);
/* Share in use of a resource, given the machine's own level in [0, 1]: level +- 1/8. */
double bench_draw_utilisation(berth__pcg *stream, double level);
/* What a unit is worth beside others, so that no resource decides alone. */
double bench_unit_worth(int resource);

#endif
