/* Policy `drf`, dominant resource fairness: in each slot progressive filling, one worker with its share of a parameter
 * server at a time, for the job whose dominant share is least. Ghodsi, Zaharia, Hindman, Konwinski, Shenker and Stoica,
 * "Dominant Resource Fairness: Fair Allocation of Multiple Resource Types", NSDI 2011, Algorithm 1; a job is a user.
 * Knows nothing of speeds but when a job has enough. */
#include "online/slot_policy.h"

static double share(const berth__slot_state *state, const berth__slot_job *job) {
    return berth__dominant_share(state->cluster, job->job, job->now.workers, job->now.servers);
}

static berth_status fill(berth__slot_state *state, berth_error *error) {
    (void)error;
    berth__slot_fill_by_key(state, share);
    return BERTH_OK;
}

const berth__slot_policy berth__policy_drf = {
    .name = "drf",
    .about = "dominant resource fairness in each slot; admits everything and promises nothing",
    .solver = "none",
    .fill = fill,
};
