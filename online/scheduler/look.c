/* Looking at a scheduler: nothing changes. */
#include "online/scheduler/scheduler.h"

#include "base/error.h"

#include <math.h>

int berth_now(const berth_scheduler *s) {
    return s == NULL ? 0 : s->now;
}

int berth_horizon(const berth_scheduler *s) {
    return s == NULL ? 0 : s->base + s->fleet.horizon;
}

/* ---- jobs ---- */

const char *berth_job_state_name(berth_job_state state) {
    static const char *const names[] = {
        [BERTH_JOB_PROPOSED] = "proposed", [BERTH_JOB_WAITING] = "waiting", [BERTH_JOB_RUNNING] = "running"};
    return (int)state >= 0 && (size_t)state < sizeof names / sizeof *names ? names[state] : NULL;
}

size_t berth_live_count(const berth_scheduler *s) {
    return s == NULL ? 0 : s->live.n;
}

berth_status berth_live_job(const berth_scheduler *s, size_t index, berth_job_info *out) {
    if (s == NULL || out == NULL || index >= s->live.n) {
        return BERTH_E_ARGUMENT;
    }
    const berth__live *live = s->live.jobs[index];
    size_t n;
    const berth_slot_plan *slots = berth__live_plan(s, live, &n);
    double done = berth__live_done(s, live);
    *out = (berth_job_info){.number = live->number,
                            .gang = live->gang,
                            .id = live->job->id,
                            .state = live->proposed                  ? BERTH_JOB_PROPOSED
                                     : slots[0].slot > berth__now(s) ? BERTH_JOB_WAITING
                                                                     : BERTH_JOB_RUNNING,
                            .arrival_slot = live->job->arrival + s->base,
                            .promised_slot = live->promised,
                            .completion_slot = slots[n - 1].slot + s->base,
                            .samples = live->job->work,
                            .samples_left = live->job->work - done};
    return BERTH_OK;
}

bool berth_find_job(const berth_scheduler *s, const char *id, uint64_t *number) {
    const berth__live *live = s == NULL || id == NULL ? NULL : berth__live_find_id(&s->live, id);
    if (live != NULL && number != NULL) {
        *number = live->number;
    }
    return live != NULL;
}

berth_status berth_present_plan(berth_scheduler *s, uint64_t number, berth_decision **out, berth_error *error) {
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    *out = NULL;
    if (s == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "scheduler", "scheduler must not be NULL");
    }
    const berth__live *live = berth__live_find(&s->live, number);
    if (live == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "number", "no live job has the number %llu",
                           (unsigned long long)number);
    }
    size_t n;
    const berth_slot_plan *slots = berth__live_plan(s, live, &n);
    berth_decision *decision = berth__decision_new();
    if (decision == NULL || !berth__decision_keep(decision, n, slots)) {
        berth_decision_free(decision);
        return berth__fail_memory(error);
    }
    decision->number = number;
    decision->admitted = true;
    decision->promised_slot = live->promised;
    decision->completion_slot = slots[n - 1].slot + s->base;
    decision->utility = berth__utility_at(&live->job->utility, slots[n - 1].slot - live->job->arrival);
    decision->price_paid = (double)NAN;
    for (size_t k = 0; k < n; k++) {
        decision->slots[k].slot += s->base;
    }
    *out = decision;
    return BERTH_OK;
}

/* ---- prices ---- */

static bool in_range(const berth_scheduler *s, int slot, int machine, int resource) {
    return s != NULL && slot >= s->base && slot < s->base + s->fleet.horizon && machine >= 0 &&
           machine < s->decider->cluster->n_machines && resource >= 0 && resource < s->decider->cluster->n_resources;
}

double berth_price(const berth_scheduler *s, int slot, int machine, int resource) {
    if (!in_range(s, slot, machine, resource) || !(s->decider->cluster->total[resource] > 0)) {
        return 0;
    }
    return berth__ledger_price(berth__decider_ledger(s->decider), slot - s->base, machine, resource) /
           s->decider->cluster->total[resource];
}

double berth_used(const berth_scheduler *s, int slot, int machine, int resource) {
    if (!in_range(s, slot, machine, resource) || slot < s->now) {
        return 0;
    }
    return berth__ledger_used(berth__decider_ledger(s->decider), slot - s->base, machine, resource) *
           s->decider->cluster->total[resource];
}

double berth_capacity_value(const berth_scheduler *s, int first, int end, int machine, int resource) {
    double sum = 0;
    int from = s == NULL || first > s->now ? first : s->now, to = end < berth_horizon(s) ? end : berth_horizon(s);
    for (int t = from; t < to; t++) {
        sum += berth_price(s, t, machine, resource);
    }
    return sum;
}

/* ---- machines ---- */

const char *berth_machine_state_name(berth_machine_state state) {
    static const char *const names[] = {
        [BERTH_MACHINE_UP] = "up", [BERTH_MACHINE_DRAINING] = "draining", [BERTH_MACHINE_DOWN] = "down"};
    return (int)state >= 0 && (size_t)state < sizeof names / sizeof *names ? names[state] : NULL;
}

size_t berth_resource_count(const berth_scheduler *s) {
    return s == NULL ? 0 : s->fleet.n_resources;
}

const char *berth_resource_name(const berth_scheduler *s, int resource) {
    return resource < 0 || (size_t)resource >= berth_resource_count(s) ? NULL : s->fleet.resources[resource];
}

size_t berth_machine_count(const berth_scheduler *s) {
    return s == NULL ? 0 : s->fleet.n_machines;
}

int berth_find_machine(const berth_scheduler *s, const char *name) {
    return s == NULL || name == NULL ? -1 : berth__fleet_find(&s->fleet, name);
}

static int held_until(const berth_scheduler *s, int machine) {
    const berth__ledger *ledger = berth__decider_ledger(s->decider);
    size_t H = s->fleet.n_machines;
    int t = s->fleet.horizon;
    while (t > berth__now(s) && ledger->place[(size_t)(t - 1) * H + (size_t)machine] == 0) {
        t--;
    }
    return t + s->base;
}

berth_status berth_machine(const berth_scheduler *s, int machine, berth_machine_info *out) {
    if (s == NULL || out == NULL || machine < 0 || (size_t)machine >= s->fleet.n_machines) {
        return BERTH_E_ARGUMENT;
    }
    int until = held_until(s, machine);
    berth_machine_state state = s->fleet.state[machine];
    *out =
        (berth_machine_info){.name = s->fleet.machines[machine],
                             .state = state == BERTH_MACHINE_DRAINING && until == s->now ? BERTH_MACHINE_DOWN : state,
                             .capacity = s->fleet.capacity + (size_t)machine * s->fleet.n_resources,
                             .held_until = until};
    return BERTH_OK;
}

/* ---- statistics ---- */

berth_status berth_scheduler_statistics(const berth_scheduler *s, berth_statistics *out) {
    if (s == NULL || out == NULL) {
        return BERTH_E_ARGUMENT;
    }
    *out = s->counts;
    out->struct_size = sizeof *out;
    out->live = s->live.n;
    for (size_t i = 0; i < s->live.n; i++) {
        const berth__live *live = s->live.jobs[i];
        int delay = berth__live_completion(s, live) - s->base - live->job->arrival;
        out->utility_planned += live->proposed ? 0 : berth__utility_at(&live->job->utility, delay);
    }
    for (size_t h = 0; h < s->fleet.n_machines; h++) {
        berth_machine_info info = {0};
        (void)berth_machine(s, (int)h, &info);
        out->machines_up += info.state == BERTH_MACHINE_UP;
        out->machines_draining += info.state == BERTH_MACHINE_DRAINING;
        out->machines_down += info.state == BERTH_MACHINE_DOWN;
    }
    return BERTH_OK;
}
