/* The solvers of this build. */
#ifndef BERTH_TESTS_BACKENDS_H
#define BERTH_TESTS_BACKENDS_H

#include <berth.h>

/* A set with all of them, asserted; berth_backends_free it. */
berth_backends *all_backends(void);
/* Has this build the solver that a policy needs? */
bool has_solver_of(const char *policy);

#endif
