/* The best m and s of a job by trying all of them: the slow, obvious twin of formulations/goodput/best.c. */
#ifndef BERTH_TESTS_SUPPORT_GOODPUT_TWIN_H
#define BERTH_TESTS_SUPPORT_GOODPUT_TWIN_H

#include <berth_goodput.h>

/* The profile is good. */
berth_goodput_point goodput_twin_best(const berth_goodput_profile *profile, berth_batch_mode mode, bool spread,
                                      uint32_t replicas);

#endif
