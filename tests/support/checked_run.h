/* A run of a whole instance of which everything that can be known is asserted. */
#ifndef BERTH_TESTS_CHECKED_RUN_H
#define BERTH_TESTS_CHECKED_RUN_H

#include <berth_io.h>

/* Options for a policy, with all backends of this build and one thread; free the set last. */
void checked_run_options(const char *policy, berth_options *options, berth_backends **set);

/* Runs, and asserts that no slot is held beyond need and that berth check finds nothing wrong. *dual: the bound as the
 * auditor evaluates it. `seed` and `what` are for messages. The caller frees the run. */
berth_run *audited_run(const berth_instance *instance, const berth_options *options, uint64_t seed, const char *what,
                       double *dual);

/* The same, and utility <= optimum <= dual bound, by both evaluations. Returns the utility. */
double checked_run(const berth_instance *instance, const berth_options *options, double optimum, uint64_t seed,
                   const char *what);

/* checked_run() where bounds are most easily broken: few levels of work, a small upper price, and both. Few is 1 to 5,
 * by the seed, and 2. */
void checked_run_variants(const berth_instance *instance, const berth_options *options, double optimum, uint64_t seed);

#endif
