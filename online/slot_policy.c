#include "online/slot_policy.h"

#include "base/tolerance.h"

bool berth__slot_job_wants(const berth__slot_job *job) {
    double made = job->now.workers * job->speed[berth__holding_locality(&job->now)];
    return job->now.workers < job->job->max_workers && made < job->remaining * (1 - BERTH__PROGRESS / 4);
}

/* ---- a heap of active jobs, by key, then arrival ---- */

static bool before(const berth__slot_state *state, size_t a, size_t b) {
    return state->key[a] != state->key[b] ? state->key[a] < state->key[b] : a < b;
}

static void sift_down(const berth__slot_state *state, size_t *heap, size_t n, size_t at) {
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child < n && child <= 2 * at + 2; child++) {
            least = before(state, heap[child], heap[least]) ? child : least;
        }
        if (least == at) {
            return;
        }
        size_t swap = heap[at];
        heap[at] = heap[least];
        heap[least] = swap;
        at = least;
    }
}

static void make_heap(const berth__slot_state *state, size_t *heap) {
    for (size_t i = 0; i < state->n_active; i++) {
        heap[i] = i;
    }
    for (size_t i = state->n_active / 2; i-- > 0;) {
        sift_down(state, heap, state->n_active, i);
    }
}

/* ---- ways to fill ---- */

void berth__slot_sort(berth__slot_state *state) {
    make_heap(state, state->order);
    for (size_t n = state->n_active; n > 1; n--) { /* leaves them in decreasing order */
        size_t least = state->order[0];
        state->order[0] = state->order[n - 1];
        state->order[n - 1] = least;
        sift_down(state, state->order, n - 1, 0);
    }
    for (size_t i = 0, j = state->n_active; i + 1 < j; i++) {
        size_t swap = state->order[i];
        state->order[i] = state->order[--j];
        state->order[j] = swap;
    }
}

void berth__slot_fill_in_order(berth__slot_state *state) {
    berth__slot_sort(state);
    for (size_t i = 0; i < state->n_active; i++) {
        berth__slot_job *job = state->active[state->order[i]];
        berth__room_fill(state->room, job->job, job->speed, job->remaining, &job->now);
    }
}

void berth__slot_fill_by_key(berth__slot_state *state,
                             double (*key)(const berth__slot_state *state, const berth__slot_job *job)) {
    size_t *heap = state->order, n = state->n_active;
    for (size_t i = 0; i < n; i++) {
        state->key[i] = key(state, state->active[i]);
    }
    make_heap(state, heap);
    while (n > 0) {
        berth__slot_job *job = state->active[heap[0]];
        int wanted = berth__useful_workers(job->job, job->speed, job->remaining, BERTH_EXTERNAL);
        if (berth__slot_job_wants(job) && berth__room_add(state->room, job->job, &job->now, wanted)) {
            state->key[heap[0]] = key(state, job);
        } else {
            heap[0] = heap[--n];
        }
        sift_down(state, heap, n, 0);
    }
}
