#include "online/bidlp/state.h"

#include "base/alloc.h"
#include "base/error.h"
#include "online/replan.h"
#include "online/restart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const berth__bidlp_effort efforts[] = {
    [BERTH_EFFORT_LOW] =
        {.futures = 1, .most_sampled = 200, .passes = 60, .pricing_work = 2e6, .rounds = 12, .work = 1e5},
    [BERTH_EFFORT_MEDIUM] =
        {.futures = 8, .most_sampled = 400, .passes = 100, .pricing_work = 1e6, .rounds = 400, .work = 1e6},
    [BERTH_EFFORT_HIGH] =
        {.futures = 16, .most_sampled = 800, .passes = 200, .pricing_work = 1e7, .rounds = 4000, .work = 1e7},
};

/* ---- making ---- */

berth__arena *berth__bidlp_scratch(const berth__bidlp *b) {
    return b->set.workspaces[0].scratch;
}

const berth__ledger *berth__bidlp_ledger(const berth__bidlp *b) {
    return b->shape.ledger;
}

berth_status berth__bidlp_new(const berth__bidlp_setting *setting, berth__bidlp **out, berth_error *error) {
    *out = NULL;
    berth__bidlp *b = berth__calloc(1, sizeof *b);
    if (b == NULL) {
        return berth__fail_memory(error);
    }
    b->set = *setting;
    b->effort = efforts[setting->options->effort];
    b->tie = BERTH__NEW_ARRAY(double, (size_t)setting->cluster->n_resources);
    b->least_bid = BERTH__NEW_ARRAY(double, (size_t)setting->cluster->n_resources);
    b->arrived = BERTH__NEW_ARRAY(int, (size_t)setting->cluster->horizon + BERTH__BIDLP_MOST_PAST);
    b->undo.tie = BERTH__NEW_ARRAY(double, (size_t)setting->cluster->n_resources);
    b->undo.class_of = BERTH__NEW_ARRAY(int, (size_t)setting->cluster->n_machines);
    b->undo.memory = berth__arena_new();
    bool complete = b->tie != NULL && b->least_bid != NULL && b->arrived != NULL && b->undo.tie != NULL &&
                    b->undo.class_of != NULL && b->undo.memory != NULL;
    berth_status status = complete ? berth__bidlp_shape_init(b, &b->shape, error) : berth__fail_memory(error);
    if (status != BERTH_OK) {
        berth__bidlp_free(b);
        return status;
    }
    *out = b;
    return BERTH_OK;
}

berth__tenure *berth__bidlp_tenure_new(berth__bidlp *b) {
    berth__tenure *tenure = b->spare;
    if (tenure == NULL) {
        return berth__calloc(1, sizeof *tenure);
    }
    b->spare = tenure->next_spare;
    return tenure;
}

void berth__bidlp_tenure_end(berth__bidlp *b, berth__tenure *tenure) {
    berth__plan_clear(&tenure->plan);
    berth__plan_clear(&tenure->before);
    tenure->next_spare = b->spare;
    b->spare = tenure;
}

void berth__bidlp_free(berth__bidlp *b) {
    if (b == NULL) {
        return;
    }
    for (size_t i = 0; i < b->n_tenures; i++) {
        berth__bidlp_tenure_end(b, b->tenures[i]);
    }
    while (b->spare != NULL) {
        berth__free(berth__bidlp_tenure_new(b));
    }
    for (size_t i = 0; i < b->n_seen; i++) {
        if (b->seen[i].own) {
            berth__job_free((berth__job *)(uintptr_t)b->seen[i].job);
        }
    }
    berth__bidlp_shape_clear(&b->shape);
    berth__bidlp_shape_clear(&b->undo.shape);
    berth__free(b->tenures);
    berth__free(b->active);
    berth__free(b->seen);
    berth__free(b->tie);
    berth__free(b->least_bid);
    berth__free(b->arrived);
    berth__free(b->undo.tie);
    berth__free(b->undo.class_of);
    berth__ledger_copy_clear(&b->undo.ledger);
    berth__arena_free(b->undo.memory);
    berth__free(b);
}

void berth__bidlp_set_steady(berth__bidlp *b, bool steady) {
    b->steady = steady;
}

/* ---- plans ---- */

size_t berth__bidlp_to_come(const berth__bidlp *b, const berth__plan *plan) {
    return berth__plan_to_come(plan, b->slot);
}

double berth__bidlp_utility(const berth__job *job, const berth__plan *plan) {
    return berth__utility_at(&job->utility, plan->slots[plan->n_slots - 1].slot - job->arrival);
}

double berth__bidlp_cost(const berth__bidlp *b, const berth__job *job, const berth__plan *plan) {
    const berth__cluster *cluster = b->set.cluster;
    size_t R = (size_t)cluster->n_resources, K = (size_t)cluster->n_classes;
    double total = 0;
    for (size_t k = berth__bidlp_to_come(b, plan); k < plan->n_slots; k++) {
        const berth_slot_plan *slot = &plan->slots[k];
        for (size_t i = 0; i < slot->n_placements; i++) {
            const berth_placement *place = &slot->placements[i];
            const double *bid =
                b->shape.bids + ((size_t)slot->slot * K + (size_t)cluster->class_of[place->machine]) * R;
            for (size_t r = 0; r < R; r++) {
                double held = (place->workers > 0 ? place->workers * job->worker[r] : 0) +
                              (place->ps > 0 ? place->ps * job->ps[r] : 0);
                total += bid[r] > 0 ? bid[r] * held : 0;
            }
        }
    }
    return total;
}

berth_status berth__bidlp_replan(berth__bidlp *b, const berth__job *job, uint64_t number, const berth__plan *plan,
                                 int last_slot, bool bounded, const berth__budget *budget, berth__plan *found,
                                 berth_error *error) {
    const berth__planning with = {.policy = b->set.policy,
                                  .cluster = b->set.cluster,
                                  .ledger = b->shape.ledger,
                                  .options = b->set.options,
                                  .budget = budget,
                                  .workspaces = b->set.workspaces,
                                  .stats = b->set.stats};
    const berth__rest rest = {
        .job = job, .number = number, .now = b->slot, .plan = plan, .last_slot = last_slot, .bounded = bounded};
    return berth__plan_rest(&with, &rest, found, error);
}

/* ---- tenures ---- */

berth_status berth__bidlp_book(berth__bidlp *b, berth__tenure *tenure, berth_error *error) {
    size_t from = berth__bidlp_to_come(b, &tenure->plan);
    berth_status status = berth__ledger_commit(b->shape.ledger, tenure->job, tenure->plan.n_slots - from,
                                               tenure->plan.slots + from, error);
    tenure->booked = status == BERTH_OK;
    return status;
}

void berth__bidlp_unbook(berth__bidlp *b, berth__tenure *tenure) {
    size_t from = berth__bidlp_to_come(b, &tenure->plan);
    berth__ledger_release(b->shape.ledger, tenure->job, tenure->plan.n_slots - from, tenure->plan.slots + from);
    tenure->booked = false;
}

void berth__bidlp_set_plan(berth__tenure *tenure, berth__plan *plan) {
    if (tenure->changed || !tenure->announced) {
        berth__plan_clear(&tenure->plan);
    } else {
        tenure->before = tenure->plan;
        tenure->changed = true;
    }
    tenure->plan = *plan;
    *plan = (berth__plan){.payoff_bound = (double)NAN};
}

berth__tenure *berth__bidlp_admit(berth__bidlp *b, const berth__job *job, uint64_t number, berth__plan *plan) {
    if (!berth__grow((void **)&b->tenures, &b->tenure_room, b->n_tenures, sizeof(berth__tenure *)) ||
        !berth__grow((void **)&b->active, &b->active_room, b->n_active, sizeof(berth__tenure *))) {
        return NULL;
    }
    berth__tenure *tenure = berth__bidlp_tenure_new(b);
    if (tenure == NULL) {
        return NULL;
    }
    *tenure = (berth__tenure){.number = number,
                              .job = job,
                              .promised = b->set.cluster->horizon - 1,
                              .plan = *plan,
                              .before = {.payoff_bound = (double)NAN}};
    *plan = (berth__plan){.payoff_bound = (double)NAN};
    b->tenures[b->n_tenures++] = tenure;
    b->active[b->n_active++] = tenure;
    return tenure;
}

static berth_status list_active(berth__bidlp *b, berth_error *error) {
    b->n_active = 0;
    for (size_t i = 0; i < b->n_tenures; i++) {
        berth__tenure *tenure = b->tenures[i];
        if (!berth__grow((void **)&b->active, &b->active_room, b->n_active, sizeof(berth__tenure *))) {
            return berth__fail_memory(error);
        }
        if (!tenure->late && tenure->plan.slots[tenure->plan.n_slots - 1].slot >= b->slot) {
            b->active[b->n_active++] = tenure;
        }
    }
    return BERTH_OK;
}

/* ---- jobs that take less or more than declared ---- */

void berth__bidlp_finish(berth__bidlp *b, uint64_t number, int slot) {
    berth__tenure *tenure = (berth__tenure *)(uintptr_t)berth__bidlp_tenure(b, number);
    size_t kept = tenure->plan.n_slots;
    while (kept > 0 && tenure->plan.slots[kept - 1].slot >= slot) {
        kept--;
    }
    berth__ledger_release(b->shape.ledger, tenure->job, tenure->plan.n_slots - kept, tenure->plan.slots + kept);
    tenure->plan.n_slots = kept;
}

berth_status berth__bidlp_extend(berth__bidlp *b, uint64_t number, const berth_slot_plan *slot, berth_error *error) {
    berth__tenure *tenure = (berth__tenure *)(uintptr_t)berth__bidlp_tenure(b, number);
    berth__plan *plan = &tenure->plan;
    berth_slot_plan *slots = BERTH__ARENA_ARRAY(plan->arena, berth_slot_plan, plan->n_slots + 1);
    berth_placement *placements = BERTH__ARENA_ARRAY(plan->arena, berth_placement, slot->n_placements);
    if (slots == NULL || placements == NULL) {
        return berth__fail_memory(error);
    }
    berth_status status = berth__ledger_commit(b->shape.ledger, tenure->job, 1, slot, error);
    if (status == BERTH_OK) {
        memcpy(placements, slot->placements, slot->n_placements * sizeof *placements);
        memcpy(slots, plan->slots, plan->n_slots * sizeof *slots);
        slots[plan->n_slots] = *slot;
        slots[plan->n_slots++].placements = placements;
        plan->slots = slots;
        tenure->late = true;
    }
    return status;
}

static berth_status split(berth__bidlp *b, size_t n, berth_error *error) {
    const berth__cluster *cluster = b->set.cluster;
    berth__arena *scratch = berth__bidlp_scratch(b);
    berth__arena_mark before = berth__arena_here(scratch);
    int *class_of = BERTH__ARENA_ARRAY(scratch, int, (size_t)cluster->n_machines);
    int *number = BERTH__ARENA_ARRAY(scratch, int, 2 * (size_t)cluster->n_classes + 2 * (size_t)BERTH__MOST_CLASSES);
    berth_status status = BERTH_OK;
    if (class_of == NULL || number == NULL) {
        status = berth__fail_memory(error);
    } else {
        int n_classes = berth__bidlp_split_classes(b, n, class_of, number);
        if (n_classes > cluster->n_classes) {
            status = berth__bidlp_reclass(b, n_classes, class_of, error);
        }
    }
    berth__arena_back(scratch, before);
    return status;
}

/* ---- a call, and how it is undone ---- */

static double *copy_of(berth__arena *arena, const double *values, size_t n) {
    double *copy = berth__arena_alloc(arena, n, sizeof *copy);
    if (copy != NULL) {
        memcpy(copy, values, n * sizeof *copy);
    }
    return copy;
}

/* The slot and the jobs of a call. On failure all is as it was. */
static berth_status begin(berth__bidlp *b, int slot, size_t n, berth__job *const *jobs, berth_error *error) {
    const berth__cluster *cluster = b->set.cluster;
    berth__bidlp_undo_log *undo = &b->undo;
    size_t rows = berth__bidlp_rows(b);
    undo->slot = b->slot;
    undo->n_classes = cluster->n_classes;
    undo->n_seen = b->n_seen;
    undo->n_tenures = b->n_tenures;
    undo->reclassed = false;
    b->slot = slot;
    berth_status status = list_active(b, error);
    undo->idle = n == 0 && (b->n_active == 0 || berth__bidlp_search_work(b, 0) <= 0);
    if (status != BERTH_OK || undo->idle) {
        undo->idle = true;
        return status;
    }
    memcpy(undo->class_of, cluster->class_of, (size_t)cluster->n_machines * sizeof *undo->class_of);
    memcpy(undo->tie, b->tie, (size_t)cluster->n_resources * sizeof *undo->tie);
    if (n > 0) { /* else prices stay */
        undo->prices = copy_of(undo->memory, b->shape.future_prices, (size_t)b->effort.futures * rows);
        undo->bids = copy_of(undo->memory, b->shape.bids, rows);
        status = undo->prices == NULL || undo->bids == NULL ? berth__fail_memory(error) : BERTH_OK;
    }
    for (size_t i = 0; i < n && status == BERTH_OK; i++) {
        if (!berth__grow((void **)&b->seen, &b->seen_room, b->n_seen, sizeof *b->seen)) {
            status = berth__fail_memory(error);
        } else {
            b->seen[b->n_seen++] = (berth__seen){.job = jobs[i]};
        }
    }
    if (status == BERTH_OK) {
        status = split(b, n, error);
    }
    if (status == BERTH_OK) {
        status = berth__bidlp_profile_seen(b, &b->shape, error);
    }
    return status == BERTH_OK && !undo->reclassed ? berth__ledger_save(b->shape.ledger, slot, &undo->ledger, error)
                                                  : status;
}

static void end(berth__bidlp *b) {
    berth__bidlp_shape_clear(&b->undo.shape);
    berth__ledger_copy_drop(&b->undo.ledger);
    b->undo.prices = b->undo.bids = NULL;
    berth__arena_reset(b->undo.memory);
}

/* Tenures that the call made go, those that it gave another plan get the old one. */
static void restore_plans(berth__bidlp *b) {
    while (b->n_tenures > b->undo.n_tenures) {
        berth__bidlp_tenure_end(b, b->tenures[--b->n_tenures]);
    }
    for (size_t i = 0; i < b->n_tenures; i++) {
        berth__tenure *tenure = b->tenures[i];
        if (tenure->changed) {
            berth__plan_clear(&tenure->plan);
            tenure->plan = tenure->before;
            tenure->before = (berth__plan){.payoff_bound = (double)NAN};
            tenure->changed = false;
        }
        tenure->booked = true;
    }
}

void berth__bidlp_undo(berth__bidlp *b) {
    berth__cluster *cluster = b->set.cluster;
    b->n_active = 0;
    b->slot = b->undo.slot;
    if (b->undo.idle) {
        return;
    }
    restore_plans(b);
    b->n_seen = b->undo.n_seen;
    memcpy(b->tie, b->undo.tie, (size_t)cluster->n_resources * sizeof *b->tie);
    if (b->undo.reclassed) {
        berth__bidlp_shape_clear(&b->shape);
        b->shape = b->undo.shape;
        b->undo.shape = (berth__bidlp_shape){0};
        berth__bidlp_set_classes(cluster, b->undo.n_classes, b->undo.class_of);
    } else if (b->undo.ledger.taken) {
        size_t rows = berth__bidlp_rows(b);
        if (b->undo.prices != NULL) {
            memcpy(b->shape.future_prices, b->undo.prices, (size_t)b->effort.futures * rows * sizeof(double));
            memcpy(b->shape.bids, b->undo.bids, rows * sizeof(double));
        }
        berth__ledger_restore(b->shape.ledger, &b->undo.ledger);
    }
    berth__bidlp_forget_profiles(&b->shape, b->n_seen);
    end(b);
}

static int by_number(const void *a, const void *b) {
    const berth__tenure *x = *(berth__tenure *const *)a, *y = *(berth__tenure *const *)b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Announces: what was admitted stays so, and no later than now said. Those that were dropped go. */
void berth__bidlp_keep(berth__bidlp *b, bool own) {
    if (b->undo.idle) {
        return;
    }
    size_t kept = b->undo.n_tenures;
    for (size_t i = b->undo.n_seen; i < b->n_seen; i++) {
        b->seen[i].own = own;
    }
    for (size_t i = 0; i < b->n_tenures; i++) {
        berth__tenure *tenure = b->tenures[i];
        if (tenure->changed) {
            berth__plan_clear(&tenure->before);
            tenure->changed = false;
        }
        if (i < b->undo.n_tenures) {
            continue;
        }
        if (tenure->plan.n_slots == 0) {
            berth__bidlp_tenure_end(b, tenure);
            continue;
        }
        tenure->announced = true;
        tenure->promised = tenure->plan.slots[tenure->plan.n_slots - 1].slot;
        b->tenures[kept++] = tenure;
    }
    b->n_tenures = kept;
    if (kept > b->undo.n_tenures) {
        qsort(b->tenures + b->undo.n_tenures, kept - b->undo.n_tenures, sizeof(berth__tenure *), by_number);
    }
    end(b);
}

/* ---- deciding ---- */

typedef struct arrival {
    size_t index;
    double density; /* payoff for what the job demands at least */
} arrival;

static int by_density(const void *a, const void *b) {
    const arrival *x = a, *y = b;
    if (x->density != y->density) {
        return x->density > y->density ? -1 : 1;
    }
    return (x->index > y->index) - (x->index < y->index);
}

/* Worker-slots times the largest share that a worker with its part of a server holds of anything. */
static double demand_of(const berth__cluster *cluster, const berth__job *job) {
    double share = 0;
    for (int r = 0; r < cluster->n_resources; r++) {
        double one = job->worker[r] + (isinf(job->workers_per_ps) ? 0 : job->ps[r] / job->workers_per_ps);
        share = fmax(share, one);
    }
    return fmax(job->worker_slots * share, 1e-300);
}

static void judge(const berth__bidlp *b, const berth__job *job, const berth__plan *plan, berth__bidlp_verdict *out) {
    out->price_paid = berth__bidlp_cost(b, job, plan);
    out->payoff = berth__bidlp_utility(job, plan) - out->price_paid;
}

static berth_status plan_arrivals(berth__bidlp *b, size_t n, berth__job *const *jobs, uint64_t number,
                                  const berth__budget *budget, berth__bidlp_verdict *out, berth__plan *plans,
                                  berth_error *error) {
    double worth = berth__moved_worth(b->set.options, b->set.cluster);
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < n; i++) {
        out[i] = (berth__bidlp_verdict){.payoff = (double)NAN, .payoff_bound = (double)NAN, .price_paid = (double)NAN};
        plans[i] = (berth__plan){.payoff_bound = (double)NAN};
    }
    for (size_t i = 0; i < n && status == BERTH_OK; i++) {
        berth__job slow = berth__job_slowed(jobs[i], worth);
        out[i].hopeless = berth__job_hopeless(b->set.cluster, &slow);
        if (out[i].hopeless != 0) {
            continue;
        }
        status = berth__bidlp_replan(b, jobs[i], number + i, NULL, b->set.cluster->horizon - 1, true, budget, &plans[i],
                                     error);
        if (status == BERTH_OK) {
            out[i].payoff_bound = plans[i].payoff_bound;
            out[i].too_long = plans[i].too_long;
        }
        if (status == BERTH_OK && plans[i].n_slots > 0) {
            judge(b, jobs[i], &plans[i], &out[i]);
        }
    }
    return status;
}

/* Admits a job by its plan, or, if that fits no longer, by another one. */
static berth_status admit(berth__bidlp *b, const berth__job *job, uint64_t number, const berth__budget *budget,
                          berth__plan *plan, berth__bidlp_verdict *out, berth__tenure **admitted, berth_error *error) {
    if (!berth__ledger_fits(b->shape.ledger, job, plan->n_slots, plan->slots)) {
        berth__plan_clear(plan);
        berth_status status =
            berth__bidlp_replan(b, job, number, NULL, b->set.cluster->horizon - 1, false, budget, plan, error);
        if (status != BERTH_OK) {
            return status;
        }
        out->payoff = out->price_paid = (double)NAN;
        if (plan->n_slots > 0) {
            judge(b, job, plan, out);
        }
    }
    if (!(out->payoff > 0)) {
        return BERTH_OK;
    }
    berth__tenure *tenure = berth__bidlp_admit(b, job, number, plan);
    if (tenure == NULL) {
        return berth__fail_memory(error);
    }
    *admitted = tenure;
    return berth__bidlp_book(b, tenure, error);
}

static berth_status admit_arrivals(berth__bidlp *b, size_t n, berth__job *const *jobs, uint64_t number,
                                   const berth__budget *budget, berth__bidlp_verdict *out, berth__plan *plans,
                                   berth__tenure **admitted, berth_error *error) {
    berth__arena *scratch = berth__bidlp_scratch(b);
    berth__arena_mark before = berth__arena_here(scratch);
    arrival *order = BERTH__ARENA_ARRAY(scratch, arrival, n);
    if (order == NULL) {
        return berth__fail_memory(error);
    }
    for (size_t i = 0; i < n; i++) {
        bool pays = out[i].payoff > 0; /* false for NAN */
        order[i] = (arrival){.index = i, .density = pays ? out[i].payoff / demand_of(b->set.cluster, jobs[i]) : -1};
    }
    if (n > 1) {
        qsort(order, n, sizeof *order, by_density);
    }
    berth_status status = BERTH_OK;
    for (size_t k = 0; k < n && order[k].density > 0 && status == BERTH_OK; k++) {
        size_t i = order[k].index;
        status = admit(b, jobs[i], number + i, budget, &plans[i], &out[i], &admitted[i], error);
    }
    berth__arena_back(scratch, before);
    return status;
}

static berth_status decide(berth__bidlp *b, size_t n, berth__job *const *jobs, uint64_t number,
                           const berth__budget *budget, berth__bidlp_verdict *out, berth_error *error) {
    if (b->undo.idle) {
        return BERTH_OK;
    }
    berth__arena *scratch = berth__bidlp_scratch(b);
    berth__arena_mark before = berth__arena_here(scratch);
    berth__plan *plans = BERTH__ARENA_ARRAY(scratch, berth__plan, n);
    berth__tenure **admitted = BERTH__ARENA_ARRAY(scratch, berth__tenure *, n);
    berth_status status = plans == NULL || admitted == NULL ? berth__fail_memory(error) : BERTH_OK;
    if (status == BERTH_OK) {
        status = berth__bidlp_find_bids(b, n, budget, error);
    }
    if (status == BERTH_OK) {
        status = plan_arrivals(b, n, jobs, number, budget, out, plans, error);
    }
    if (status == BERTH_OK) {
        status = admit_arrivals(b, n, jobs, number, budget, out, plans, admitted, error);
    }
    if (status == BERTH_OK) {
        status = berth__bidlp_search(b, n, out, number, admitted, budget, error);
    }
    for (size_t i = 0; i < n && plans != NULL; i++) {
        berth__plan_clear(&plans[i]);
        if (status == BERTH_OK && admitted[i] != NULL) {
            out[i].tenure = admitted[i];
            judge(b, jobs[i], &admitted[i]->plan, &out[i]); /* the search may have changed the plan */
        }
    }
    berth__arena_back(scratch, before);
    return status;
}

berth_status berth__bidlp_decide(berth__bidlp *b, int slot, size_t n, berth__job *const *jobs, uint64_t number,
                                 const berth__budget *budget, berth__bidlp_verdict *out, berth_error *error) {
    berth_status status = begin(b, slot, n, jobs, error);
    if (status == BERTH_OK) {
        status = decide(b, n, jobs, number, budget, out, error);
    }
    if (status != BERTH_OK) {
        berth__bidlp_undo(b);
    }
    return status;
}
