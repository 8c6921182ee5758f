/* Policy `fifo`: jobs start in order of arrival, each with a number of workers chosen once, by first fit, and keep
 * their machines until they are done. One that must wait makes all later ones wait. The baseline of Yu et al. 2022,
 * section V, after the default scheduler of Hadoop and Spark: the number of workers is drawn from 1 to 30 by the seed,
 * or given. */
#include "base/pcg.h"
#include "online/slot_policy.h"

enum { MOST_WORKERS = 30 };

/* At most as many workers as the job may have and as an empty cluster holds: it would wait for ever otherwise. */
static bool admit(const berth__slot_state *state, berth__slot_job *job) {
    berth__pcg stream = berth__pcg_key(2, (const uint64_t[]){state->options->seed, job->number});
    int drawn = (int)berth__pcg_integer(&stream, 1, MOST_WORKERS);
    drawn = state->options->fifo_workers > 0 ? state->options->fifo_workers : drawn;
    int most = drawn < job->job->max_workers ? drawn : job->job->max_workers;
    berth__room_fill_count(state->room, job->job, most, &job->now);
    job->fixed_workers = job->now.workers;
    berth__room_put_all(state->room, job->job, &job->now, true);
    berth__holding_empty(&job->now, state->cluster);
    return job->fixed_workers > 0;
}

static berth_status fill(berth__slot_state *state, berth_error *error) {
    (void)error;
    bool waiting = false;
    for (size_t i = 0; i < state->n_active; i++) { /* those that run were there before all that wait */
        berth__slot_job *job = state->active[i];
        if (job->previous.workers > 0) {
            berth__holding_copy(&job->now, &job->previous, state->cluster);
            berth__room_put_all(state->room, job->job, &job->now, false);
        } else if (!waiting) {
            berth__room_fill_count(state->room, job->job, job->fixed_workers, &job->now);
            waiting = job->now.workers < job->fixed_workers;
            if (waiting) {
                berth__room_put_all(state->room, job->job, &job->now, true);
                berth__holding_empty(&job->now, state->cluster);
            }
        }
    }
    return BERTH_OK;
}

const berth__slot_policy berth__policy_fifo = {
    .name = "fifo",
    .about = "by arrival, a fixed number of workers each (1 to 30, by the seed), kept until done; no completion is "
             "promised",
    .solver = "none",
    .admit = admit,
    .fill = fill,
};
