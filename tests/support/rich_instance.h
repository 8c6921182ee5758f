/* Small random instances with everything that placement knows: machines of several kinds, fractional demands, quotas,
 * allow and avoid lists that cut across the kinds, all-reduce, a slower speed on one machine or on many, bursts of
 * arrivals, every kind of utility. Made from a seed, the same on every platform. */
#ifndef BERTH_TESTS_RICH_INSTANCE_H
#define BERTH_TESTS_RICH_INSTANCE_H

#include <berth_io.h>

typedef struct rich_instance rich_instance;

/* slots: of the horizon, up to 12; jobs: up to 24, by rising arrival; 2 to 6 machines. Free with rich_instance_free. */
rich_instance *rich_instance_new(uint64_t seed, int slots, int jobs);
void rich_instance_free(rich_instance *rich);
const berth_instance *rich_instance_of(const rich_instance *rich);

#endif
