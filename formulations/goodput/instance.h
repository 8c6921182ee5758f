/* Checks of what a caller hands over. */
#ifndef BERTH_FORMULATIONS_GOODPUT_INSTANCE_H
#define BERTH_FORMULATIONS_GOODPUT_INSTANCE_H

#include <berth_goodput.h>

enum { BERTH__MOST_TYPES = 256, BERTH__MOST_GPUS = 65536 /* of a node */, BERTH__MOST_REPLICAS = 4096 };

/* E_ARGUMENT with error->where like /jobs/3/current/0/node. O(size). */
berth_status berth__goodput_check_instance(const berth_goodput_instance *instance, berth_error *error);
/* E_ARGUMENT or E_BACKEND with error->where naming the field. */
berth_status berth__allocate_check_options(const berth_allocate_options *options, berth_error *error);

/* Is a typed profile there, or does it say "not on this type"? */
static inline bool berth__goodput_runs_on(const berth_goodput_profile *typed) {
    return typed->alpha_c != 0 || typed->beta_c != 0;
}

#endif
