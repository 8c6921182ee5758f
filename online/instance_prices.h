/* Price bounds of an instance, for runs and servers. */
#ifndef BERTH_ONLINE_INSTANCE_PRICES_H
#define BERTH_ONLINE_INSTANCE_PRICES_H

#include "online/policy.h"

#include <berth_io.h>

/* jobs: the instance's, taken in. policy: whose floor is used if the instance has none; NULL: a slot policy. Given
 * prices are per unit of the file; the bounds are per share. What is not given is computed from the jobs, which makes a
 * run of them an oracle one. E_INPUT: a lower price is not below its upper one. */
berth_status berth__instance_price_bounds(const berth_instance *instance, const berth__cluster *cluster,
                                          berth__job *const *jobs, const berth__policy *policy,
                                          berth_price_bounds *bounds, bool *oracle, berth_error *error);

#endif
