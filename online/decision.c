#include "online/decision.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

typedef struct owned_decision {
    berth_decision decision; /* first: the public pointer is this one */
    berth__arena *arena;
} owned_decision;

berth_decision *berth__decision_new(void) {
    owned_decision *owned = berth__calloc(1, sizeof *owned);
    if (owned == NULL) {
        return NULL;
    }
    owned->arena = berth__arena_new();
    if (owned->arena == NULL) {
        berth__free(owned);
        return NULL;
    }
    owned->decision.promised_slot = -1;
    owned->decision.completion_slot = -1;
    owned->decision.payoff = (double)NAN;
    owned->decision.payoff_bound = (double)NAN;
    return &owned->decision;
}

static berth__arena *decision_arena(berth_decision *decision) {
    return ((owned_decision *)(void *)decision)->arena;
}

void berth_decision_free(berth_decision *decision) {
    if (decision != NULL) {
        berth__arena_free(decision_arena(decision));
        berth__free(decision);
    }
}

bool berth__decision_keep(berth_decision *decision, size_t n_slots, const berth_slot_plan *slots) {
    berth__arena *arena = decision_arena(decision);
    decision->slots = BERTH__ARENA_ARRAY(arena, berth_slot_plan, n_slots);
    if (decision->slots == NULL) {
        return false;
    }
    for (size_t k = 0; k < n_slots; k++) {
        decision->slots[k] = slots[k];
        decision->slots[k].placements = BERTH__ARENA_ARRAY(arena, berth_placement, slots[k].n_placements);
        if (decision->slots[k].placements == NULL) {
            return false;
        }
        memcpy(decision->slots[k].placements, slots[k].placements, slots[k].n_placements * sizeof *slots[k].placements);
    }
    decision->n_slots = n_slots;
    return true;
}
