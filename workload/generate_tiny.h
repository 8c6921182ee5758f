/* Instances small enough to enumerate every schedule. Implements berth_generate_tiny of <berth_io.h>.
 *
 * They are made to be awkward rather than likely; everything is drawn from the seed:
 *
 * machines     1 - 3, at most 6 (machine, slot) pairs; gpu 1 .. 3, cpu 1 .. 4, alike or not, now and then 0 of the
 * second resource on one machine slots        1 - 4, of 12 s resources    gpu, or gpu and cpu jobs         1 - 4;
 * arrivals mostly early; some late enough not to finish workers      max_workers 1 .. 3 (always given: batch is 8);
 * worker gpu 0.5, 1, 1.5 or 2, cpu 0, 0.5 or 1 ps           gpu 0 (sometimes 0.5), cpu 0, 0.5, 1 or 2; gamma 1, 1.5, 2
 * or 3; a quarter of the jobs is all-reduce speed        12, 8, 6, 4 or 3 samples a worker-slot, drawn for each
 * locality: internal slower than external and equal speeds occur work         1 .. 4 worker-slots, often a whole number
 * of slots' progress, so that ties with the tolerance occur; one job in twelve needs more than F workers can do before
 * the horizon utility      all five kinds extras       a tenant's quota, allow and avoid lists, given small price
 * bounds: each in about a quarter of the instances
 *
 * Demand is often above capacity, so that not everything fits. */
#ifndef BERTH_WORKLOAD_GENERATE_TINY_H
#define BERTH_WORKLOAD_GENERATE_TINY_H

#include <berth_io.h>

#endif
