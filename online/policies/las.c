/* Policy `las`: least attained service in two queues, each job with as many workers as it can use. Gu, Chowdhury, Shin,
 * Zhu, Jeon, Qian, Liu and Guo, "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI 2019, with two
 * discrete queues: jobs that have had less service than a threshold go first, and each queue is by arrival. Knows
 * nothing of the work that remains but when a job has enough.
 *
 * Service is the dominant share held, summed over slots. The threshold is the mean service that the jobs completed so
 * far have had (Tiresias sets it from the history of the cluster); before one has completed there is one queue. */
#include "online/slot_policy.h"

static berth_status fill(berth__slot_state *state, berth_error *error) {
    (void)error;
    for (size_t i = 0; i < state->n_active; i++) {
        state->key[i] = state->n_completed > 0 &&
                        state->active[i]->attained * (double)state->n_completed >= state->completed_service;
    }
    berth__slot_fill_in_order(state);
    return BERTH_OK;
}

const berth__slot_policy berth__policy_las = {
    .name = "las",
    .about = "least attained service first, in two queues; admits everything and promises nothing",
    .solver = "none",
    .fill = fill,
};
