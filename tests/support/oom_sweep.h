/* Memory that runs out at each allocation in turn; needs a library built with BERTH_TESTING_ALLOC (make oom). */
#ifndef BERTH_TESTS_OOM_SWEEP_H
#define BERTH_TESTS_OOM_SWEEP_H

#include <berth.h>

/* Does the work once. Asserts for itself that it made nothing unless it returns OK. */
typedef berth_status (*oom_attempt)(void *user, berth_error *error);

/* Lets the first allocation and all later ones fail, then the second and all later ones, ... until all succeed. Asserts
 * that the work says E_MEMORY each time, by status and error, or succeeds without what was refused, which it may up to
 * `optional` times. Returns how many allocations the work makes. */
unsigned long oom_sweep(const char *what, oom_attempt work, void *user, int optional);

#endif
