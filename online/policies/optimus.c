/* Policy `optimus`: in each slot every job gets a worker and a parameter server, by arrival, as far as there is room;
 * then the job whose remaining time drops most per dominant share of what it takes gets the next worker, with a server
 * if it needs one (alone neither makes progress in this model). Peng, Bao, Chen, Wu and Guo, "Optimus: An Efficient
 * Dynamic Resource Scheduler for Deep Learning Clusters", EuroSys 2018, section 4.1. Its speed function knows no
 * locality: here the one across machines. */
#include "online/slot_policy.h"

#include <math.h>

/* Minus the drop of remaining time, in slots, per dominant share. */
static double loss(const berth__slot_state *state, const berth__slot_job *job) {
    int w = job->now.workers;
    if (w == 0) {
        return -HUGE_VAL;
    }
    int servers = berth__ps_needed(job->job, w + 1) - job->now.servers;
    double time = job->remaining / job->job->slot_samples[BERTH_EXTERNAL];
    double drop = time / ((double)w * (w + 1.0)); /* 1/w - 1/(w + 1) */
    return -drop / berth__dominant_share(state->cluster, job->job, 1, servers > 0 ? servers : 0);
}

static berth_status fill(berth__slot_state *state, berth_error *error) {
    (void)error;
    berth__slot_fill_by_key(state, loss);
    return BERTH_OK;
}

const berth__slot_policy berth__policy_optimus = {
    .name = "optimus",
    .about = "largest drop of remaining time per share in each slot; admits everything and promises nothing",
    .solver = "none",
    .fill = fill,
};
