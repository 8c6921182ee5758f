/* The goodput model (Qiao et al., OSDI 2021, section 3) on profiles that have been checked. */
#ifndef BERTH_FORMULATIONS_GOODPUT_MODEL_H
#define BERTH_FORMULATIONS_GOODPUT_MODEL_H

#include <berth_goodput.h>

/* E_ARGUMENT with error->where naming the field. */
berth_status berth__goodput_check_profile(const berth_goodput_profile *profile, berth_error *error);

/* Goodput with m samples a replica and s accumulation steps. `spread`: over several nodes. */
berth_goodput_point berth__goodput_at(const berth_goodput_profile *profile, bool spread, uint32_t replicas,
                                      uint32_t local, uint32_t accumulation);

/* T_sync. */
double berth__goodput_sync(const berth_goodput_profile *profile, bool spread, uint32_t replicas);

/* The best batch; goodput 0 if there is none. For many numbers of replicas see best.h. */
berth_goodput_point berth__goodput_best(const berth_goodput_profile *profile, berth_batch_mode mode, bool spread,
                                        uint32_t replicas);

#endif
