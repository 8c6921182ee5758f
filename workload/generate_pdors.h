/* The random setting of Yu, Liu, Wu, Ji, Bentley, "Toward Efficient Online Scheduling for Distributed Machine
 * Learning Systems", IEEE TNSE 9(4), 2022, section V, made usable. Implements berth_generate_pdors of <berth_io.h>.
 *
 * As printed the setting does not fit its own horizon: the largest job, 200 epochs of 500,000 samples at 1e-4 slots
 * each, takes 10,000 worker-slots, while 200 workers over 20 slots do 4,000. Here such a job takes 200.
 *
 * what              law (uniform unless said otherwise)           unit, remarks
 * machines          gpu 8, cpu 48, memory_gb 192, storage_gb 96   `heterogeneous`: every third machine (rounded down
 *                                                                 in number) has twice as much
 * slot_seconds      3600                                          the paper names no length; an hour brings the
 *                                                                 derived samples an epoch near its 2e4 .. 5e5
 * arrival           first 80 % of the slots                       uniform; see below for the others
 * E, epochs         [50, 200]
 * K                 [20000, 500000]                               samples an epoch: only sizes the job, see N
 * tau               [1e-5, 1e-4]                                  slots a sample: only sizes the job, see N
 * N, worker-slots   200 (E / 200)(K / 5e5)(tau / 1e-4), >= 1      worker-slots needed at the slower locality (the
 *                                                                 paper's E K tau, divided by 50)
 * F, max_workers    [1, min(2 H, 200)]                            H machines; the paper's [1, 200] by option
 * batch             F                                             as in the paper, where F is the global batch
 * model             one of eight (models.h)                       sample_seconds = compute / batch, gradient_mb, and
 *                                                                 both bandwidths, as measured; gradient_mb is
 *                                                                 multiplied by `communication`, since with full
 *                                                                 times most jobs would do little but communicate
 *                                                                 (the paper draws sizes and bandwidths freely)
 * gamma             1 .. 10                                       workers per parameter server, integer
 * worker            gpu 0..4, cpu 1..10, memory_gb 2..32,         integers
 *                   storage_gb 5..10
 * ps                cpu 1..10, memory_gb 2..32, storage_gb 5..10  integers
 * utility           sigmoid, theta0 [1, 100], theta2 [1, 15],     utility_mix.h
 *                   theta1 by the mix 10/55/35, or a given one
 * samples           ceil(N slot_seconds / (E s))                  s: seconds a sample at the slower locality; so the
 *                                                                 N that follows from the fields exceeds the one
 *                                                                 drawn by less than one sample an epoch
 *
 * Arrivals, over the first W = max(1, floor(0.8 slots)) slots:
 *   uniform   each job in one of the W slots;
 *   Poisson   a Poisson process of n / W jobs a slot, n being the number that the load asks for: a number of jobs from
 *             the Poisson law of mean n (0 is possible), each in one of the W slots. A number that is given leaves
 *             nothing but the slots to chance, and so the very instance that uniform arrivals give;
 *   bursts    max(1, ceil(W / 8)) slots drawn with replacement, each job joins one of them.
 *
 * Load = max over resources of sum N (worker + ps / gamma) / (slots * sum of capacities), over all jobs, also those
 * that can't finish (arriving late, or wide work at small F). With jobs = 0 the least number of jobs whose load reaches
 * the one asked for is made, or, Poisson, so many in the mean. The n-th job is the same whatever the number.
 *
 * Jobs are in order of arrival, ties by the order of drawing, which their ids number from 1. */
#ifndef BERTH_WORKLOAD_GENERATE_PDORS_H
#define BERTH_WORKLOAD_GENERATE_PDORS_H

#include <berth_io.h>

#endif
