#include "online/restart.h"

#include "base/tolerance.h"

#include <limits.h>
#include <math.h>

double berth__moved_worth(const berth_options *options, const berth__cluster *cluster) {
    return fmax(0, 1 - options->restart_delay_s / cluster->slot_seconds);
}

berth__job berth__job_slowed(const berth__job *job, double worth) {
    berth__job slow = *job;
    if (worth >= 1) {
        return slow;
    }
    slow.slot_samples[BERTH_INTERNAL] *= worth;
    slow.slot_samples[BERTH_EXTERNAL] *= worth;
    slow.worker_slots /= worth;
    double faster = fmax(slow.slot_samples[BERTH_INTERNAL], slow.slot_samples[BERTH_EXTERNAL]);
    double slots = ceil(slow.work / (slow.max_workers * faster) * (1 - BERTH__PROGRESS));
    slow.fastest_slots = slots < job->fastest_slots ? job->fastest_slots : slots < INT_MAX ? (int)slots : INT_MAX;
    return slow;
}

static bool same_place(const berth_slot_plan *a, const berth_slot_plan *b) {
    if (a->slot + 1 != b->slot || a->n_placements != b->n_placements) {
        return false;
    }
    for (size_t i = 0; i < a->n_placements; i++) { /* both by machine */
        const berth_placement *p = &a->placements[i], *q = &b->placements[i];
        if (p->machine != q->machine || p->workers != q->workers || p->ps != q->ps) {
            return false;
        }
    }
    return true;
}

double berth__slot_progress(const berth__job *job, double worth, const berth_slot_plan *before,
                            const berth_slot_plan *slot) {
    int workers = 0;
    for (size_t i = 0; i < slot->n_placements; i++) {
        workers += slot->placements[i].workers;
    }
    double samples = workers * job->slot_samples[slot->locality];
    return samples * (before == NULL || same_place(before, slot) ? 1 : worth);
}

size_t berth__count_moves(const berth__job *job, double worth, const berth_slot_plan *before, size_t n_slots,
                          berth_slot_plan *slots) {
    double samples = 0;
    size_t n = 0;
    for (; n < n_slots && samples < job->work * (1 - BERTH__PROGRESS / 2); n++) {
        berth_slot_plan *slot = &slots[n];
        slot->samples = berth__slot_progress(job, worth, before, slot);
        samples += slot->samples;
        before = slot;
    }
    return n;
}
