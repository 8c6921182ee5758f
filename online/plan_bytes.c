#include "online/plan_bytes.h"

#include <float.h>
#include <math.h>

/* What a slot and a placement take at least. */
enum { SLOT_BYTES = 21, PLACEMENT_BYTES = 12 };
/* Servers of a slot, as many as a job can need (placement.h). */
enum { MOST_SERVERS = 1000000000 };

void berth__plan_put(berth__writer *to, size_t n_slots, const berth_slot_plan *slots) {
    berth__put_count(to, n_slots);
    for (size_t k = 0; k < n_slots; k++) {
        berth__put_int(to, slots[k].slot);
        berth__put_u8(to, (unsigned)slots[k].locality);
        berth__put_real(to, slots[k].samples);
        berth__put_count(to, slots[k].n_placements);
        for (size_t i = 0; i < slots[k].n_placements; i++) {
            const berth_placement *place = &slots[k].placements[i];
            berth__put_int(to, place->machine);
            berth__put_int(to, place->workers);
            berth__put_int(to, place->ps);
        }
    }
}

/* On a closed machine it may have been before. */
static bool may_be_on(const berth__cluster *cluster, const berth__job *job, int machine) {
    return job->eligible == NULL || job->eligible[machine] || (cluster->closed != NULL && cluster->closed[machine]);
}

static bool take_placements(berth__byte_reader *from, const berth__cluster *cluster, const berth__job *job,
                            berth_slot_plan *slot) {
    int64_t workers = 0, servers = 0;
    for (size_t i = 0; i < slot->n_placements && berth__byte_reader_good(from); i++) {
        int first = i == 0 ? 0 : slot->placements[i - 1].machine + 1;
        berth_placement *place = &slot->placements[i];
        place->machine = berth__take_int(from, first, cluster->n_machines - 1, "a machine of the plan");
        place->workers = berth__take_int(from, 0, job->max_workers, "the workers on a machine of the plan");
        place->ps = berth__take_int(from, 0, MOST_SERVERS, "the servers on a machine of the plan");
        workers += place->workers;
        servers += place->ps;
        if (berth__byte_reader_good(from) && place->workers + place->ps == 0) {
            berth__refuse(from, "the plan has nothing on machine %d in slot %d", place->machine, slot->slot);
        }
        if (berth__byte_reader_good(from) && !may_be_on(cluster, job, place->machine)) {
            berth__refuse(from, "the plan is on machine %d, which the job may not use", place->machine);
        }
    }
    if (berth__byte_reader_good(from) && (workers < 1 || workers > job->max_workers || servers > MOST_SERVERS)) {
        berth__refuse(from, "the plan has %lld workers and %lld servers in slot %d; expected 1 to %d workers",
                      (long long)workers, (long long)servers, slot->slot, job->max_workers);
    }
    return berth__byte_reader_good(from);
}

static bool take_slot(berth__byte_reader *from, const berth__cluster *cluster, const berth__job *job, int first,
                      berth__arena *arena, berth_slot_plan *slot) {
    slot->slot = berth__take_int(from, first, cluster->horizon - 1, "a slot of the plan");
    unsigned locality = berth__take_u8(from);
    if (locality > BERTH_EXTERNAL) {
        berth__refuse(from, "the locality in slot %d is %u; expected 0 or 1", slot->slot, locality);
    }
    slot->locality = (berth_locality)locality;
    slot->samples = berth__take_number(from, 0, DBL_MAX, "the samples of a slot");
    slot->n_placements =
        berth__take_count(from, (size_t)cluster->n_machines, PLACEMENT_BYTES, "the placements in a slot");
    slot->placements = BERTH__ARENA_ARRAY(arena, berth_placement, slot->n_placements);
    if (slot->placements == NULL) {
        return berth__refuse_memory(from);
    }
    return take_placements(from, cluster, job, slot);
}

bool berth__plan_take(berth__byte_reader *from, const berth__cluster *cluster, const berth__job *job,
                      berth__plan *out) {
    *out = (berth__plan){.arena = berth__arena_new(), .payoff_bound = (double)NAN};
    size_t n = berth__take_count(from, SIZE_MAX, SLOT_BYTES, "the slots of the plan");
    if (berth__byte_reader_good(from) && n == 0) {
        berth__refuse(from, "the plan has no slots");
    }
    out->slots = out->arena == NULL ? NULL : BERTH__ARENA_ARRAY(out->arena, berth_slot_plan, n);
    if (out->slots == NULL) {
        return berth__refuse_memory(from);
    }
    for (size_t k = 0; k < n && berth__byte_reader_good(from); k++) {
        int first = k == 0 ? job->arrival : out->slots[k - 1].slot + 1;
        if (take_slot(from, cluster, job, first, out->arena, &out->slots[k])) {
            out->n_slots = k + 1;
        }
    }
    return berth__byte_reader_good(from);
}
