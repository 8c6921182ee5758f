/* Named, reproducible random streams: PCG XSL RR 128/64 ("pcg64") of the packaged pcg-cpp library.
 *
 * O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random
 * Number Generation", Harvey Mudd College HMC-CS-2014-0905, 2014.
 *
 * A stream is a value: copy it to fork, keep it on the stack. The same key gives the same draws on
 * every machine, compiler and thread. */
#ifndef BERTH_BASE_PCG_H
#define BERTH_BASE_PCG_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth__pcg {
    uint64_t opaque[4]; /* state and increment of the 128-bit generator */
} berth__pcg;

/* pcg64(seed, sequence) exactly as the library seeds it. */
berth__pcg berth__pcg_seed(uint64_t seed, uint64_t sequence);
/* A stream keyed by a tuple of n numbers (seed, job, slot, ...); different tuples give unrelated streams. */
berth__pcg berth__pcg_key(int n, const uint64_t *key);

uint64_t berth__pcg_next(berth__pcg *stream);
/* Uniform in [0, 1), 53 bits. */
double berth__pcg_uniform(berth__pcg *stream);
/* Uniform integer in [low, high], without bias. low <= high. */
int64_t berth__pcg_integer(berth__pcg *stream, int64_t low, int64_t high);

#ifdef __cplusplus
}
#endif

#endif
