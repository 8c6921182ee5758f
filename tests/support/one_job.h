/* One job on a small, part-filled cluster: the price that the scheduler plans it for, and the least there is.
 *
 * The job has one speed and a whole number of worker-slots of work, so it loses nothing to quanta; its utility is the
 * same whenever it completes, and larger than any price. */
#ifndef BERTH_TESTS_ONE_JOB_H
#define BERTH_TESTS_ONE_JOB_H

#include <berth_io.h>

typedef struct one_job_answer {
    double least; /* by exhaustion; INFINITY: no schedule completes */
    bool admitted;
    double paid;
} one_job_answer;

/* n_machines: 1..3. Asserts that the price is not below the least one, nor the payoff above its bound. */
one_job_answer one_job_ask(int n_machines, uint64_t seed, const berth_options *options);

/* Asserts over 3,000 seeds that on one machine, where nothing needs rounding, the job is admitted exactly when a
 * schedule completes it, at the least price (relative 1e-9). */
void one_machine_is_exact(const berth_options *options);

#endif
