/* All that can be seen of a scheduler, as a text, so that two can be compared to the last bit. */
#ifndef BERTH_TESTS_SCHEDULER_STATE_H
#define BERTH_TESTS_SCHEDULER_STATE_H

#include <berth.h>

/* The clock, machines, prices, what is held, live jobs and their plans, statistics. Changes are not taken: they are
 * not among it. free() it. */
char *scheduler_state(berth_scheduler *s, size_t n_resources);
/* That it is the same as it was: `before` is freed. `what` is for the message. */
void expect_state(berth_scheduler *s, size_t n_resources, char *before, const char *what);
/* What is held and the prices alone, likewise. */
char *scheduler_ledger(berth_scheduler *s, size_t n_resources);
void expect_ledger(berth_scheduler *s, size_t n_resources, char *before, const char *what);

#endif
