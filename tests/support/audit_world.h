/* A small run written by hand, clean as it is: three jobs on three machines over six slots, for tests that change one
 * thing and look for what berth_check makes of it. */
#ifndef BERTH_TESTS_AUDIT_WORLD_H
#define BERTH_TESTS_AUDIT_WORLD_H

#include <berth_io.h>

#include "tests/support/check.h"

/* math.h has them as floats */
#define ABSENT  ((double)NAN)
#define ENDLESS ((double)INFINITY)

enum { R = 2, M = 3, J = 3, T = 6, CLASSES = 2 };

/* Everything that the run and the instance point to, so that a test may change any of it. */
typedef struct world {
    double capacity[M * R], worker[J][R], ps[J][R], quota_amount[R], upper[R], lower[R], utilisation[R];
    double given_upper[R], given_lower[R]; /* by the instance */
    double prices[T * CLASSES * R];
    int class_of[M];
    berth_quota quota;
    berth_job jobs[J];
    berth_instance instance;
    berth_placement at_0[2], at_1[2], of_1[2];
    berth_slot_plan slots_0[2], slots_1[2];
    berth_run_job results[J];
    berth_certificate certificate;
    berth_run run;
} world;

/* free() it. */
world *world_new(void);
berth_report *check(const world *w, const berth_hooks *hooks);
/* Findings of a rule. */
size_t count(const berth_report *report, bool violated, const char *rule);
void print_violations(const berth_report *report);
/* Nothing is violated. */
void assert_clean(const world *w);
/* Claims as the dual what the checker makes of the certificate. */
void claim_dual(world *w);

#endif
