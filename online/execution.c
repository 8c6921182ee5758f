#include "online/execution.h"

#include "base/alloc.h"
#include "base/error.h"
#include "formulations/slot.h"
#include "online/restart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* An admitted job. */
typedef struct executed_job {
    size_t job; /* of the instance */
    uint64_t number;
    const berth__job *model;
    berth_truth truth;
    double done;          /* true samples */
    size_t n_slots, room; /* of `slots` */
    berth_slot_plan *slots;
    bool complete, late;
    int workers;         /* late: as many as it had in the last slot of its plan */
    bool holds;          /* late: something in the slot at hand, `now` */
    berth_slot_plan now; /* placements: the arena's */
} executed_job;

struct berth__execution {
    berth__decider *decider;
    const berth_instance *instance;
    berth__job *const *jobs;
    berth_run *run;
    double worth;        /* of a slot to a job that moved */
    berth__arena *arena; /* placements */
    size_t n, room;
    executed_job *all; /* [n] by arrival */
    size_t n_late, late_room;
    size_t *late; /* [n_late] into all, by when their plans ended; those that are complete among them */
    berth__slot_room machines;
    berth__holding holding;
    double *free; /* [n_machines][n_resources] scratch */
};

berth_status berth__execution_new(berth__decider *decider, const berth_instance *instance, berth__job *const *jobs,
                                  berth_run *run, berth__execution **out, berth_error *error) {
    const berth__cluster *cluster = decider->cluster;
    *out = NULL;
    berth__execution *x = berth__calloc(1, sizeof *x);
    if (x == NULL) {
        return berth__fail_memory(error);
    }
    x->decider = decider;
    x->instance = instance;
    x->jobs = jobs;
    x->run = run;
    x->worth = berth__moved_worth(&decider->options, cluster);
    x->arena = berth__arena_new();
    x->free = BERTH__NEW_ARRAY(double, (size_t)cluster->n_machines *(size_t)cluster->n_resources);
    bool complete = berth__room_init(&x->machines, cluster);
    complete = berth__holding_init(&x->holding, cluster) && complete;
    if (!complete || x->arena == NULL || x->free == NULL) {
        berth__execution_free(x);
        return berth__fail_memory(error);
    }
    *out = x;
    return BERTH_OK;
}

void berth__execution_free(berth__execution *x) {
    if (x == NULL) {
        return;
    }
    for (size_t i = 0; i < x->n; i++) {
        berth__free(x->all[i].slots);
    }
    berth__free(x->all);
    berth__free(x->late);
    berth__free(x->free);
    berth__room_free(&x->machines);
    berth__holding_free(&x->holding);
    berth__arena_free(x->arena);
    berth__free(x);
}

berth_status berth__execution_admit(berth__execution *x, size_t job, uint64_t number, berth_error *error) {
    if (!berth__grow((void **)&x->all, &x->room, x->n, sizeof *x->all)) {
        return berth__fail_memory(error);
    }
    x->all[x->n++] =
        (executed_job){.job = job, .number = number, .model = x->jobs[job], .truth = berth__run_truth(x->run, job)};
    return BERTH_OK;
}

/* ---- plans as they stand ---- */

typedef struct present_plan {
    size_t n_slots;
    const berth_slot_plan *slots;
} present_plan;

static present_plan plan_of(const berth__execution *x, const executed_job *j) {
    if (x->decider->bidlp != NULL) {
        const berth__tenure *tenure = berth__bidlp_tenure(x->decider->bidlp, j->number);
        return (present_plan){tenure->plan.n_slots, tenure->plan.slots};
    }
    const berth_run_job *record = &x->run->jobs[j->job];
    return (present_plan){record->n_slots, record->slots};
}

static const berth_slot_plan *slot_of(present_plan plan, int slot) {
    size_t k = plan.n_slots;
    while (k > 0 && plan.slots[k - 1].slot > slot) {
        k--;
    }
    return k > 0 && plan.slots[k - 1].slot == slot ? &plan.slots[k - 1] : NULL;
}

static int workers_of(const berth_slot_plan *plan) {
    int workers = 0;
    for (size_t i = 0; i < plan->n_placements; i++) {
        workers += plan->placements[i].workers;
    }
    return workers;
}

/* ---- late jobs ---- */

/* What the ledger has in a slot, as far as the job is concerned. */
static void view_room(berth__execution *x, int slot, const berth__job *job) {
    const berth__cluster *cluster = x->decider->cluster;
    const berth__ledger *ledger = berth__decider_ledger(x->decider);
    size_t R = (size_t)cluster->n_resources;
    for (int h = 0; h < cluster->n_machines; h++) {
        for (int r = 0; r < cluster->n_resources; r++) {
            x->machines.used[(size_t)h * R + (size_t)r] = berth__ledger_used(ledger, slot, h, r);
        }
    }
    if (job->quota >= 0) {
        size_t row = ((size_t)slot * (size_t)cluster->n_quotas + (size_t)job->quota) * R;
        memcpy(x->machines.tenant_used + (size_t)job->quota * R, ledger->tenant_used + row, R * sizeof(double));
    }
}

/* Units of one kind on machines first, first + 2, ...: as many as fit are counted, up to `limit`, and placed if `count`
 * is not NULL. */
static int fill_half(const berth__execution *x, const berth__job *job, const double *demand, int first, int limit,
                     int *count) {
    const berth__cluster *cluster = x->decider->cluster;
    int n = 0;
    for (int h = first; h < cluster->n_machines && n < limit; h += 2) {
        bool may = job->eligible == NULL || job->eligible[h];
        int fit = may ? berth__fit_count(x->free + (size_t)h * (size_t)cluster->n_resources, demand,
                                         cluster->n_resources, limit - n)
                      : 0;
        if (count != NULL && fit > 0) {
            count[h] = fit;
        }
        n += fit;
    }
    return n;
}

/* Of a policy that keeps workers and servers apart: as many as fit of n workers. */
static void place_apart(berth__execution *x, int slot, const berth__job *job, int n) {
    const berth__ledger *ledger = berth__decider_ledger(x->decider);
    berth__holding *out = &x->holding;
    berth__ledger_free_capacity(ledger, slot, job, x->free);
    n = berth__ledger_quota_room(ledger, slot, job, n);
    n = fill_half(x, job, job->worker, 0, n, NULL);
    int servers = fill_half(x, job, job->ps, 1, berth__ps_needed(job, n), NULL);
    while (n > 0 && berth__ps_needed(job, n) > servers) {
        n--;
    }
    out->workers = fill_half(x, job, job->worker, 0, n, out->w);
    out->servers = fill_half(x, job, job->ps, 1, berth__ps_needed(job, n), out->s);
    out->machines = x->decider->cluster->n_machines; /* to be emptied as a whole */
}

/* Where a late job may run in a slot: into j->now. */
static berth_status find_share(berth__execution *x, int slot, executed_job *j, berth_error *error) {
    const berth__cluster *cluster = x->decider->cluster;
    const berth_slot_plan *last = &j->slots[j->n_slots - 1];
    j->now = *last;
    j->now.slot = slot;
    j->holds =
        workers_of(last) == j->workers && berth__ledger_fits(berth__decider_ledger(x->decider), j->model, 1, &j->now);
    if (j->holds) {
        return BERTH_OK;
    }
    berth__holding_empty(&x->holding, cluster);
    if (x->decider->policy->apart) {
        place_apart(x, slot, j->model, j->workers);
    } else {
        view_room(x, slot, j->model);
        berth__room_fill_count(&x->machines, j->model, j->workers, &x->holding);
    }
    j->holds = x->holding.workers > 0;
    bool complete = !j->holds || berth__slot_plan_from_counts(x->arena, cluster, j->model, slot, x->holding.w,
                                                              x->holding.s, &j->now);
    return complete ? BERTH_OK : berth__fail_memory(error);
}

static berth_status book(berth__execution *x, const executed_job *j, berth_error *error) {
    return x->decider->bidlp != NULL ? berth__bidlp_extend(x->decider->bidlp, j->number, &j->now, error)
                                     : berth__ledger_commit(x->decider->ledger, j->model, 1, &j->now, error);
}

static berth_status list_late(berth__execution *x, int slot, berth_error *error) {
    for (size_t i = 0; i < x->n; i++) {
        executed_job *j = &x->all[i];
        if (j->complete || j->late) {
            continue;
        }
        present_plan plan = plan_of(x, j);
        if (plan.slots[plan.n_slots - 1].slot >= slot) {
            continue;
        }
        if (!berth__grow((void **)&x->late, &x->late_room, x->n_late, sizeof *x->late)) {
            return berth__fail_memory(error);
        }
        j->late = true;
        j->workers = workers_of(&plan.slots[plan.n_slots - 1]);
        x->late[x->n_late++] = i;
    }
    return BERTH_OK;
}

berth_status berth__execution_open(berth__execution *x, int slot, berth_error *error) {
    berth_status status = list_late(x, slot, error);
    for (size_t i = 0; i < x->n_late && status == BERTH_OK; i++) {
        executed_job *j = &x->all[x->late[i]];
        j->holds = false;
        if (!j->complete) {
            status = find_share(x, slot, j, error);
        }
        if (status == BERTH_OK && j->holds) {
            status = book(x, j, error);
        }
    }
    return status;
}

/* ---- running ---- */

/* What a job that is done has booked after a slot is free again. */
static void release_rest(berth__execution *x, const executed_job *j, int slot) {
    if (x->decider->bidlp != NULL) {
        berth__bidlp_finish(x->decider->bidlp, j->number, slot + 1);
        return;
    }
    present_plan plan = plan_of(x, j);
    size_t run = plan.n_slots;
    while (run > 0 && plan.slots[run - 1].slot > slot) {
        run--;
    }
    berth__ledger_release(x->decider->ledger, j->model, plan.n_slots - run, plan.slots + run);
}

static berth_status run_job(berth__execution *x, executed_job *j, const berth_slot_plan *plan, berth_error *error) {
    berth_slot_plan made = *plan;
    made.placements = BERTH__ARENA_ARRAY(x->arena, berth_placement, plan->n_placements);
    if (made.placements == NULL || !berth__grow((void **)&j->slots, &j->room, j->n_slots, sizeof *j->slots)) {
        return berth__fail_memory(error);
    }
    memcpy(made.placements, plan->placements, plan->n_placements * sizeof *made.placements);
    const berth_slot_plan *before = j->n_slots > 0 ? &j->slots[j->n_slots - 1] : NULL;
    made.samples = j->truth.speed * berth__slot_progress(j->model, x->worth, before, &made);
    j->slots[j->n_slots++] = made;
    j->done += made.samples;
    j->complete = berth__truly_done(j->model, j->truth, j->done);
    if (j->complete) {
        release_rest(x, j, made.slot);
    }
    return BERTH_OK;
}

berth_status berth__execution_run(berth__execution *x, int slot, berth_error *error) {
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < x->n && status == BERTH_OK; i++) {
        executed_job *j = &x->all[i];
        if (j->complete) {
            continue;
        }
        const berth_slot_plan *plan = j->late ? (j->holds ? &j->now : NULL) : slot_of(plan_of(x, j), slot);
        if (plan != NULL) {
            status = run_job(x, j, plan, error);
        }
    }
    return status;
}

/* ---- the record ---- */

static bool record_job(const berth__execution *x, const executed_job *j) {
    const berth_run_job *record = &x->run->jobs[j->job];
    const berth__job *model = j->model;
    berth_decision decision = {.admitted = true,
                               .promised_slot = record->promised_slot,
                               .completion_slot = j->complete ? j->slots[j->n_slots - 1].slot : -1,
                               .payoff = (double)NAN, /* of plans that were not carried out */
                               .payoff_bound = (double)NAN,
                               .price_paid = (double)NAN,
                               .n_slots = j->n_slots,
                               .slots = j->slots};
    snprintf(decision.reason, sizeof decision.reason, "%s", record->reason);
    if (j->complete) {
        decision.utility = berth__utility_at(&model->utility, decision.completion_slot - model->arrival);
    } else {
        snprintf(decision.reason, sizeof decision.reason, "%.3g%% of its true work done by the end",
                 100 * (j->done / (model->work * j->truth.work)));
    }
    return berth__run_set_decision(x->run, x->instance, j->job, &decision);
}

berth_status berth__execution_record(const berth__execution *x, berth_error *error) {
    bool complete = true;
    for (size_t i = 0; i < x->n && complete; i++) {
        complete = record_job(x, &x->all[i]);
    }
    return complete ? BERTH_OK : berth__fail_memory(error);
}
