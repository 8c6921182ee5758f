/* Slot by slot over all jobs: what machines and tenants hold, and what a plan cost when it was committed.
 *
 * Decisions are replayed in their order (arrival, then file order). As prices depend on the usage of the same slot
 * only, the replay needs one slot's usage at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/run/audit.h"
#include "base/alloc.h"

typedef struct entry {
    int slot, arrival;
    size_t job, index; /* of the slot within the job: later repetitions count too */
} entry;

typedef struct replay {
    berth__audit *audit;
    entry *entries;
    size_t n_entries;
    double *held;        /* [n_machines][n_resources] in the slot at hand */
    double *tenant_held; /* [n_quotas][n_resources] */
    size_t *touched;     /* machines with something in held */
    size_t n_touched;
    bool *is_touched; /* [n_machines] */
} replay;

static int by_slot_then_decision(const void *left, const void *right) {
    const entry *a = left, *b = right;
    if (a->slot != b->slot) {
        return a->slot < b->slot ? -1 : 1;
    }
    if (a->arrival != b->arrival) {
        return a->arrival < b->arrival ? -1 : 1;
    }
    if (a->job != b->job) {
        return a->job < b->job ? -1 : 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

static bool in_horizon(const berth__audit *audit, int slot) {
    return slot >= 0 && slot < audit->instance->horizon_slots;
}

static bool sensible(const berth__audit *audit, const berth_placement *p) {
    return p->machine >= 0 && (size_t)p->machine < audit->instance->n_machines && p->workers >= 0 && p->ps >= 0;
}

static bool collect(replay *ledger) {
    const berth__audit *audit = ledger->audit;
    size_t most = 0;
    for (size_t job = 0; job < audit->run->n_jobs; job++) {
        most += audit->run->jobs[job].n_slots;
    }
    ledger->entries = BERTH__NEW_ARRAY(entry, most);
    if (ledger->entries == NULL) {
        return false;
    }
    for (size_t job = 0; job < audit->run->n_jobs; job++) {
        const berth_run_job *claim = &audit->run->jobs[job];
        for (size_t i = 0; i < claim->n_slots; i++) {
            if (in_horizon(audit, claim->slots[i].slot)) {
                ledger->entries[ledger->n_entries++] =
                    (entry){claim->slots[i].slot, audit->jobs[job].spec->arrival_slot, job, i};
            }
        }
    }
    qsort(ledger->entries, ledger->n_entries, sizeof *ledger->entries, by_slot_then_decision);
    return true;
}

/* p = lower (upper / lower)^(used / capacity) per unit. */
static double price_of(const berth_run *run, size_t resource, double utilisation) {
    double upper = run->price_upper[resource], lower = run->price_lower[resource];
    return upper > 0 ? exp(log(lower) + utilisation * (log(upper) - log(lower))) : 0;
}

/* Price of a slot's placements at the usage before them. */
static double price_before(const replay *ledger, const berth_job *job, const berth_slot_plan *plan) {
    const berth_instance *instance = ledger->audit->instance;
    double sum = 0;
    for (size_t i = 0; i < plan->n_placements; i++) {
        const berth_placement *p = &plan->placements[i];
        if (!sensible(ledger->audit, p)) {
            continue;
        }
        size_t row = (size_t)p->machine * instance->n_resources;
        for (size_t r = 0; r < instance->n_resources; r++) {
            double load = berth__audit_load(job, r, p->workers, p->ps), capacity = instance->capacity[row + r];
            if (load > 0 && capacity > 0) {
                sum += load * price_of(ledger->audit->run, r, ledger->held[row + r] / capacity);
            }
        }
    }
    return sum;
}

/* Index of the quota that a job falls under; n_quotas: none. */
static size_t quota_of(const berth_instance *instance, const berth_job *job) {
    size_t q = job->tenant == NULL ? instance->n_quotas : 0;
    while (q < instance->n_quotas && strcmp(instance->quotas[q].tenant, job->tenant) != 0) {
        q++;
    }
    return q;
}

static void hold(replay *ledger, size_t job_index, const berth_slot_plan *plan) {
    const berth_instance *instance = ledger->audit->instance;
    const berth_job *job = &instance->jobs[job_index];
    size_t R = instance->n_resources, quota = quota_of(instance, job);
    for (size_t i = 0; i < plan->n_placements; i++) {
        const berth_placement *p = &plan->placements[i];
        if (!sensible(ledger->audit, p)) {
            continue;
        }
        size_t machine = (size_t)p->machine;
        if (!ledger->is_touched[machine]) {
            ledger->is_touched[machine] = true;
            ledger->touched[ledger->n_touched++] = machine;
        }
        if ((p->workers > 0 || p->ps > 0) && plan->slot >= ledger->audit->makespan) {
            ledger->audit->makespan = plan->slot + 1;
        }
        for (size_t r = 0; r < R; r++) {
            double load = berth__audit_load(job, r, p->workers, p->ps);
            ledger->held[machine * R + r] += load;
            ledger->audit->used[r] += load;
            if (quota < instance->n_quotas) {
                ledger->tenant_held[quota * R + r] += load;
            }
        }
    }
}

static void check_capacity(replay *ledger, int slot) {
    const berth_instance *instance = ledger->audit->instance;
    size_t R = instance->n_resources;
    for (size_t i = 0; i < ledger->n_touched; i++) {
        size_t machine = ledger->touched[i];
        for (size_t r = 0; r < R; r++) {
            double held = ledger->held[machine * R + r], capacity = instance->capacity[machine * R + r];
            berth__audit_count(ledger->audit->report, BERTH__RULE_CAPACITY);
            if (!berth__audit_within(held, capacity)) {
                berth__audit_place place = {NULL, slot, instance->machines[machine], instance->resources[r]};
                berth__audit_violation(ledger->audit->report, BERTH__RULE_CAPACITY, &place, capacity - held,
                                       "jobs hold %.9g of %.9g", held, capacity);
            }
        }
    }
}

static void check_quotas(replay *ledger, int slot) {
    const berth_instance *instance = ledger->audit->instance;
    size_t R = instance->n_resources;
    for (size_t q = 0; q < instance->n_quotas; q++) {
        for (size_t r = 0; r < R; r++) {
            double held = ledger->tenant_held[q * R + r], amount = instance->quotas[q].amount[r];
            berth__audit_count(ledger->audit->report, BERTH__RULE_QUOTA);
            if (!berth__audit_within(held, amount)) {
                berth__audit_place place = {NULL, slot, NULL, instance->resources[r]};
                berth__audit_violation(ledger->audit->report, BERTH__RULE_QUOTA, &place, amount - held,
                                       "the jobs of tenant %s hold %.9g of %.9g", instance->quotas[q].tenant, held,
                                       amount);
            }
        }
    }
}

/* What the slot's holdings add to the value of capacity at final prices. */
static double value_added(const replay *ledger) {
    const berth_instance *instance = ledger->audit->instance;
    const berth_run *run = ledger->audit->run;
    size_t R = instance->n_resources;
    double sum = 0;
    for (size_t i = 0; i < ledger->n_touched; i++) {
        for (size_t r = 0; r < R; r++) {
            size_t at = ledger->touched[i] * R + r;
            double capacity = instance->capacity[at];
            if (capacity > 0) {
                sum += capacity * (price_of(run, r, ledger->held[at] / capacity) - price_of(run, r, 0));
            }
        }
    }
    return sum;
}

/* Of an empty cluster. */
static double value_at_first(const berth__audit *audit) {
    const berth_instance *instance = audit->instance;
    double sum = 0;
    for (size_t at = 0; at < instance->n_machines * instance->n_resources; at++) {
        sum += instance->capacity[at] * price_of(audit->run, at % instance->n_resources, 0);
    }
    return sum * instance->horizon_slots;
}

static void clear_slot(replay *ledger) {
    const berth_instance *instance = ledger->audit->instance;
    size_t R = instance->n_resources;
    for (size_t i = 0; i < ledger->n_touched; i++) {
        memset(ledger->held + ledger->touched[i] * R, 0, R * sizeof *ledger->held);
        ledger->is_touched[ledger->touched[i]] = false;
    }
    ledger->n_touched = 0;
    memset(ledger->tenant_held, 0, instance->n_quotas * R * sizeof *ledger->tenant_held);
}

static void replay_all(replay *ledger) {
    berth__audit *audit = ledger->audit;
    audit->final_value = audit->priced ? value_at_first(audit) : (double)NAN;
    for (size_t i = 0; i < ledger->n_entries; i++) {
        const entry *e = &ledger->entries[i];
        const berth_slot_plan *plan = &audit->run->jobs[e->job].slots[e->index];
        if (audit->priced) {
            audit->facts[e->job].price_paid += price_before(ledger, audit->jobs[e->job].spec, plan);
        }
        hold(ledger, e->job, plan);
        if (i + 1 == ledger->n_entries || ledger->entries[i + 1].slot != e->slot) {
            check_capacity(ledger, e->slot);
            check_quotas(ledger, e->slot);
            audit->final_value += audit->priced ? value_added(ledger) : 0;
            clear_slot(ledger);
        }
    }
}

bool berth__audit_ledger(berth__audit *audit) {
    const berth_instance *instance = audit->instance;
    size_t R = instance->n_resources;
    replay ledger = {.audit = audit};
    ledger.held = BERTH__NEW_ARRAY(double, instance->n_machines *R);
    ledger.tenant_held = BERTH__NEW_ARRAY(double, instance->n_quotas *R);
    ledger.touched = BERTH__NEW_ARRAY(size_t, instance->n_machines);
    ledger.is_touched = BERTH__NEW_ARRAY(bool, instance->n_machines);
    bool complete = ledger.held != NULL && ledger.tenant_held != NULL && ledger.touched != NULL &&
                    ledger.is_touched != NULL && collect(&ledger);
    if (complete) {
        replay_all(&ledger);
    }
    berth__free(ledger.held);
    berth__free(ledger.tenant_held);
    berth__free(ledger.touched);
    berth__free(ledger.is_touched);
    berth__free(ledger.entries);
    return complete;
}
