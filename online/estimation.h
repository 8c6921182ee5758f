/* Estimation error: jobs truly have a speed and a work that are the declared ones times factors, which policies do not
 * know.
 *
 * Both factors of a job are lognormal of median 1, exp(sigma z) with z standard normal, independent, and drawn by the
 * seed and the job's place in the instance. They are the same under every policy. */
#ifndef BERTH_ONLINE_ESTIMATION_H
#define BERTH_ONLINE_ESTIMATION_H

#include "online/run_record.h"

#include "formulations/placement.h"

/* All 1 if sigma is 0. By Box and Muller's method from two uniform draws of the job's stream. */
berth_truth berth__truth_draw(double sigma, uint64_t seed, size_t job);
/* Of every job of a run with noise; without, there is none. False if out of memory. */
bool berth__run_set_truth(berth_run *run);
/* The record's; all 1 if it has none. */
berth_truth berth__run_truth(const berth_run *run, size_t job);

/* Is a job done that has made so many samples? */
bool berth__truly_done(const berth__job *job, berth_truth truth, double samples);

/* run->estimation, from what the jobs' slots made. False if out of memory. */
bool berth__run_summarise_estimation(berth_run *run, berth__job *const *jobs);

#endif
