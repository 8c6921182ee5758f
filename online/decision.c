#include "online/decision.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

typedef struct owned_decision {
    berth_decision decision; /* first: the public pointer is this one */
    berth_slot_plan *block;  /* of its plan, whether it is told or not */
} owned_decision;

berth_slot_plan *berth__plan_block(size_t n_slots, const berth_slot_plan *slots) {
    size_t n_placements = 0;
    for (size_t k = 0; k < n_slots; k++) {
        n_placements += slots[k].n_placements;
    }
    char *block = berth__calloc(1, n_slots * sizeof *slots + n_placements * sizeof(berth_placement));
    if (block == NULL) {
        return NULL;
    }
    berth_slot_plan *copy = (berth_slot_plan *)(void *)block;
    berth_placement *placements = (berth_placement *)(void *)(block + n_slots * sizeof *slots);
    for (size_t k = 0; k < n_slots; k++) {
        copy[k] = slots[k];
        copy[k].placements = placements;
        memcpy(placements, slots[k].placements, slots[k].n_placements * sizeof *placements);
        placements += slots[k].n_placements;
    }
    return copy;
}

berth_decision *berth__decision_new(void) {
    owned_decision *owned = berth__calloc(1, sizeof *owned);
    if (owned == NULL) {
        return NULL;
    }
    owned->decision.promised_slot = -1;
    owned->decision.completion_slot = -1;
    owned->decision.payoff = (double)NAN;
    owned->decision.payoff_bound = (double)NAN;
    return &owned->decision;
}

void berth_decision_free(berth_decision *decision) {
    if (decision != NULL) {
        owned_decision *owned = (owned_decision *)(void *)decision;
        berth__free(owned->block);
        berth__free(owned);
    }
}

bool berth__decision_keep(berth_decision *decision, size_t n_slots, const berth_slot_plan *slots) {
    owned_decision *owned = (owned_decision *)(void *)decision;
    owned->block = berth__plan_block(n_slots, slots);
    if (owned->block == NULL) {
        return false;
    }
    decision->slots = owned->block;
    decision->n_slots = n_slots;
    return true;
}
