/* Exact answers for tiny instances, by exhaustion and from the public structs alone: the oracle that the schedulers,
 * bounds and checkers are measured against. Knows nothing of prices, quanta or relaxations. */
#ifndef BERTH_TESTS_BRUTE_FORCE_H
#define BERTH_TESTS_BRUTE_FORCE_H

#include <berth_io.h>

enum { BRUTE_MACHINES = 4, BRUTE_JOBS = 6, BRUTE_SLOTS = 8, BRUTE_RESOURCES = 6, BRUTE_WORKERS = 8 };

/* The largest total utility of any integer schedule. *complete is false if more than node_limit steps were needed (the
 * value is then only some schedule's) or the instance is larger than the limits above (NAN). No goodput jobs. */
double brute_force_optimum(const berth_instance *instance, long node_limit, bool *complete);

/* The least price at which `job` is completed in slots arrival .. last_slot; INFINITY if it cannot be. NAN if the
 * instance is larger than the limits above.
 * prices: [horizon][n_machines][n_resources] per raw unit, >= 0.
 * free_capacity: likewise, raw units, at most the capacity; NULL: the machines are empty. Quotas count as if the tenant
 * held nothing. */
double brute_force_schedule_cost(const berth_instance *instance, size_t job, int last_slot, const double *prices,
                                 const double *free_capacity);

/* A schedule that completes a job, with no slot that it could do without. */
typedef struct brute_schedule {
    int completion_slot;
    double utility;
    int workers[BRUTE_SLOTS][BRUTE_MACHINES], servers[BRUTE_SLOTS][BRUTE_MACHINES];
} brute_schedule;

/* Calls `visit` for every such schedule of `job` that fits the empty machines, with as many servers as its workers
 * need; quotas do not count. False if there are more than `most`, or the instance is larger than the limits above. */
bool brute_force_schedules(const berth_instance *instance, size_t job, long most,
                           void (*visit)(void *user, const brute_schedule *schedule), void *user);

#endif
