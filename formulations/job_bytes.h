/* Jobs as bytes (base/bytes.h): what was submitted, from which all else is derived again, and the arrival. */
#ifndef BERTH_FORMULATIONS_JOB_BYTES_H
#define BERTH_FORMULATIONS_JOB_BYTES_H

#include "base/bytes.h"
#include "formulations/placement.h"

/* Of a utility, what its kind has. */
void berth__utility_put(berth__writer *to, const berth_utility *utility);
/* Into a zeroed one; its table is the arena's. */
void berth__utility_take(berth__byte_reader *from, berth__arena *arena, berth_utility *utility);

/* A job takes at least so many. */
enum { BERTH__LEAST_JOB_BYTES = 100 };

void berth__job_put(berth__writer *to, size_t n_resources, const berth__job *job);
/* A job that arrives in slots [earliest, latest], which may be negative, derived for a cluster. NULL: refused. */
berth__job *berth__job_take(berth__byte_reader *from, const berth__cluster *cluster, int earliest, int latest);

#endif
