#include "online/replan.h"

#include "base/error.h"
#include "online/restart.h"

#include <math.h>
#include <string.h>

size_t berth__plan_to_come(const berth__plan *plan, int now) {
    size_t n = 0;
    while (n < plan->n_slots && plan->slots[n].slot < now) {
        n++;
    }
    return n;
}

/* The slots that have run, in front of those of `found`. */
static bool join(const berth__plan *plan, size_t n_run, berth__plan *found) {
    berth_slot_plan *slots = BERTH__ARENA_ARRAY(found->arena, berth_slot_plan, n_run + found->n_slots);
    for (size_t k = 0; k < n_run && slots != NULL; k++) {
        size_t n = plan->slots[k].n_placements;
        slots[k] = plan->slots[k];
        slots[k].placements = BERTH__ARENA_ARRAY(found->arena, berth_placement, n);
        if (slots[k].placements == NULL) {
            return false;
        }
        memcpy(slots[k].placements, plan->slots[k].placements, n * sizeof *slots[k].placements);
    }
    if (slots == NULL) {
        return false;
    }
    memcpy(slots + n_run, found->slots, found->n_slots * sizeof *slots);
    found->slots = slots;
    found->n_slots += n_run;
    return true;
}

berth_status berth__plan_rest(const berth__planning *with, const berth__rest *rest, berth__plan *found,
                              berth_error *error) {
    double worth = berth__moved_worth(with->options, with->cluster);
    size_t n_run = rest->plan == NULL ? 0 : berth__plan_to_come(rest->plan, rest->now);
    const berth__job *job = rest->job;
    berth__job left = *job;
    left.arrival = rest->now;
    for (size_t k = 0; k < n_run; k++) {
        left.work -= rest->plan->slots[k].samples;
    }
    left.work = fmax(left.work, job->work * 1e-12);
    left.worker_slots *= left.work / job->work;
    if (n_run > 0) {
        left.fastest_slots = 1; /* what does not complete so fast is found out by planning */
    }
    berth__job slow = berth__job_slowed(&left, worth);
    const berth__plan_request request = {.job = &slow,
                                         .number = rest->number,
                                         .waited = rest->now - job->arrival,
                                         .last_slot = rest->last_slot,
                                         .bounded = rest->bounded};
    berth_status status = berth__plan_job(with->policy, with->ledger, with->options, with->budget, with->workspaces,
                                          &request, with->stats, found, error);
    if (status != BERTH_OK || found->n_slots == 0) {
        if (status == BERTH_OK && !rest->bounded) {
            berth__plan_clear(found);
        }
        return status;
    }
    if (worth < 1) {
        const berth_slot_plan *last_run = n_run == 0 ? NULL : &rest->plan->slots[n_run - 1];
        found->n_slots = berth__count_moves(&left, worth, last_run, found->n_slots, found->slots);
    }
    if (n_run > 0 && !join(rest->plan, n_run, found)) {
        berth__plan_clear(found);
        return berth__fail_memory(error);
    }
    return BERTH_OK;
}
