/* Policy `srtf`: in each slot least remaining work first, each job with as many workers as it can use. Work is counted
 * in worker-slots at the slower locality, so that it is a time. */
#include "online/slot_policy.h"

#include <math.h>

static berth_status fill(berth__slot_state *state, berth_error *error) {
    (void)error;
    for (size_t i = 0; i < state->n_active; i++) {
        const berth__slot_job *job = state->active[i];
        state->key[i] =
            job->remaining / fmin(job->job->slot_samples[BERTH_INTERNAL], job->job->slot_samples[BERTH_EXTERNAL]);
    }
    berth__slot_fill_in_order(state);
    return BERTH_OK;
}

const berth__slot_policy berth__policy_srtf = {
    .name = "srtf",
    .about = "least remaining work first in each slot; admits everything and promises nothing",
    .solver = "none",
    .fill = fill,
};
