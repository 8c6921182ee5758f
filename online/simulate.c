#include "online/simulate.h"

#include "base/error.h"
#include "online/estimation.h"
#include "online/prices.h"

#include <math.h>
#include <stdio.h>

/* What a policy believes to be left of a job that has made all of the work declared and is not done, over that work. */
static const double overdue_rest = 0.05;

/* What a job has got so far. */
typedef struct history {
    berth_truth truth;
    double made; /* samples in truth; what the policy counts is declared ones */
    berth_slot_plan *slots;
    size_t n_slots, room;
    berth__slot_job *state; /* NULL: not there, or no more */
    bool arrived, rejected, completed;
} history;

typedef struct simulation {
    berth__decider *decider;
    const berth_instance *instance;
    berth__job *const *jobs;
    const size_t *order;
    berth_run *run;
    berth__arena *arena; /* placements */
    history *jobs_so_far;
    berth__slot_room room;
    berth__slot_state state;
    size_t n_arrived;
    double moved; /* what a slot is worth to a job that moved */
} simulation;

static void slot_job_free(berth__slot_job *job) {
    if (job != NULL) {
        berth__holding_free(&job->now);
        berth__holding_free(&job->previous);
        berth__free(job);
    }
}

static bool simulation_init(simulation *sim, const berth__budget *budget) {
    const berth__cluster *cluster = sim->decider->cluster;
    size_t n = sim->instance->n_jobs;
    sim->arena = berth__arena_new();
    sim->jobs_so_far = BERTH__NEW_ARRAY(history, n);
    sim->state = (berth__slot_state){.cluster = cluster,
                                     .options = &sim->decider->options,
                                     .budget = budget,
                                     .active = BERTH__NEW_ARRAY(berth__slot_job *, n),
                                     .room = &sim->room,
                                     .key = BERTH__NEW_ARRAY(double, n),
                                     .order = BERTH__NEW_ARRAY(size_t, n)};
    sim->moved = fmax(0, 1 - sim->decider->options.restart_delay_s / cluster->slot_seconds);
    return berth__room_init(&sim->room, cluster) && sim->arena != NULL && sim->jobs_so_far != NULL &&
           sim->state.active != NULL && sim->state.key != NULL && sim->state.order != NULL;
}

static void simulation_clear(simulation *sim) {
    for (size_t i = 0; sim->jobs_so_far != NULL && i < sim->instance->n_jobs; i++) {
        slot_job_free(sim->jobs_so_far[i].state);
        berth__free(sim->jobs_so_far[i].slots);
    }
    berth__free(sim->jobs_so_far);
    berth__free(sim->state.active);
    berth__free(sim->state.key);
    berth__free(sim->state.order);
    berth__room_free(&sim->room);
    berth__arena_free(sim->arena);
}

/* ---- one slot ---- */

static bool arrive(simulation *sim, size_t number) {
    history *job = &sim->jobs_so_far[number];
    const berth__slot_policy *policy = sim->decider->slot_policy;
    berth__slot_job *state = berth__calloc(1, sizeof *state);
    job->state = state;
    if (state == NULL || !berth__holding_init(&state->now, sim->state.cluster) ||
        !berth__holding_init(&state->previous, sim->state.cluster)) {
        return false;
    }
    state->job = sim->jobs[number];
    state->number = number;
    state->remaining = state->job->work;
    job->truth = berth__run_truth(sim->run, number);
    job->arrived = true;
    if (policy->admit != NULL && !policy->admit(&sim->state, state)) {
        job->rejected = true;
        slot_job_free(state);
        job->state = NULL;
    } else {
        sim->state.active[sim->state.n_active++] = state;
    }
    return true;
}

static bool take_arrivals(simulation *sim) {
    berth__room_empty(&sim->room);
    while (sim->n_arrived < sim->instance->n_jobs &&
           sim->jobs[sim->order[sim->n_arrived]]->arrival == sim->state.slot) {
        if (!arrive(sim, sim->order[sim->n_arrived++])) {
            return false;
        }
    }
    berth__room_empty(&sim->room); /* what trying leaves of rounding errors */
    return true;
}

/* Every job may have to move: it counts on what it makes then. */
static void set_speeds(simulation *sim) {
    for (size_t i = 0; i < sim->state.n_active; i++) {
        berth__slot_job *job = sim->state.active[i];
        double worth = job->n_run > 0 ? sim->moved : 1;
        job->speed[BERTH_INTERNAL] = worth * job->job->slot_samples[BERTH_INTERNAL];
        job->speed[BERTH_EXTERNAL] = worth * job->job->slot_samples[BERTH_EXTERNAL];
        berth__holding_empty(&job->now, sim->state.cluster);
    }
}

/* Books what the job holds and counts its progress. */
static berth_status run_slot(simulation *sim, berth__slot_job *job, berth_error *error) {
    const berth__cluster *cluster = sim->state.cluster;
    history *so_far = &sim->jobs_so_far[job->number];
    berth_slot_plan plan;
    if (!berth__grow((void **)&so_far->slots, &so_far->room, so_far->n_slots, sizeof plan) ||
        !berth__slot_plan_from_counts(sim->arena, cluster, job->job, sim->state.slot, job->now.w, job->now.s, &plan)) {
        return berth__fail_memory(error);
    }
    if (job->n_run > 0 && !berth__holding_equal(&job->now, &job->previous, cluster)) {
        plan.samples *= sim->moved;
    }
    job->done += plan.samples;
    job->remaining = job->job->work - job->done;
    if (berth__truly_done(job->job, (berth_truth){1, 1}, job->done)) { /* if it is not, in truth */
        job->remaining = overdue_rest * job->job->work;
    }
    plan.samples *= so_far->truth.speed;
    so_far->made += plan.samples;
    so_far->slots[so_far->n_slots++] = plan;
    job->attained += berth__dominant_share(cluster, job->job, job->now.workers, job->now.servers);
    job->n_run++;
    return berth__ledger_commit(sim->decider->ledger, job->job, 1, &plan, error);
}

/* Jobs that are done leave; the others remember where they were. */
static void end_slot(simulation *sim) {
    size_t kept = 0;
    for (size_t i = 0; i < sim->state.n_active; i++) {
        berth__slot_job *job = sim->state.active[i];
        const history *so_far = &sim->jobs_so_far[job->number];
        if (berth__truly_done(job->job, so_far->truth, so_far->made)) {
            sim->state.completed_service += job->attained;
            sim->state.n_completed++;
            sim->jobs_so_far[job->number].completed = true;
            sim->jobs_so_far[job->number].state = NULL;
            slot_job_free(job);
        } else {
            berth__holding swap = job->previous;
            job->previous = job->now;
            job->now = swap;
            sim->state.active[kept++] = job;
        }
    }
    sim->state.n_active = kept;
}

static berth_status do_slot(simulation *sim, berth_error *error) {
    if (!take_arrivals(sim)) {
        return berth__fail_memory(error);
    }
    set_speeds(sim);
    berth_status status = sim->decider->slot_policy->fill(&sim->state, error);
    for (size_t i = 0; i < sim->state.n_active && status == BERTH_OK; i++) {
        if (sim->state.active[i]->now.workers > 0) {
            status = run_slot(sim, sim->state.active[i], error);
        }
    }
    if (status == BERTH_OK) {
        end_slot(sim);
    }
    return status;
}

/* ---- the whole ---- */

/* What a policy that searches did not find or keep. */
static void tell_of_search(const simulation *sim) {
    const berth__slot_search *search = &sim->state.search;
    const berth_options *options = &sim->decider->options;
    if (search->unproved > 0) {
        berth__log(
            &options->hooks, BERTH_LOG_WARNING,
            "policy \"%s\": in %ld of %ld slots the allocation is the best that was found within the limits of the "
            "search, not proved to be the best",
            options->policy, search->unproved, search->slots);
    }
    if (search->raised > 0) {
        berth__log(
            &options->hooks, BERTH_LOG_WARNING,
            "policy \"%s\": in %ld of %ld slots no allocation was found within both bounds; the fairness loss is "
            "larger there",
            options->policy, search->raised, search->slots);
    }
}

static bool record_job(simulation *sim, size_t i) {
    const history *job = &sim->jobs_so_far[i];
    berth_decision decision = {.admitted = !job->rejected,
                               .promised_slot = -1,
                               .completion_slot = job->completed ? job->slots[job->n_slots - 1].slot : -1,
                               .payoff = (double)NAN,
                               .payoff_bound = (double)NAN,
                               .price_paid = (double)NAN,
                               .n_slots = job->n_slots,
                               .slots = job->slots};
    if (job->completed) {
        const berth__job *model = sim->jobs[i];
        decision.utility = berth__utility_at(&model->utility, decision.completion_slot - model->arrival);
        snprintf(decision.reason, sizeof decision.reason, "done in %zu slot%s", job->n_slots,
                 job->n_slots == 1 ? "" : "s");
    } else if (job->rejected) {
        int hopeless = berth__job_hopeless(sim->state.cluster, sim->jobs[i]);
        snprintf(decision.reason, sizeof decision.reason, "%s",
                 berth__hopeless_text(hopeless == BERTH__LEFT_NO_MACHINE ? hopeless : BERTH__FITS_NOWHERE));
    } else {
        double work = sim->jobs[i]->work * job->truth.work;
        double done = 1 - (work - job->made) / work;
        snprintf(decision.reason, sizeof decision.reason, "%.3g%% of its work done by the end", 100 * done);
    }
    return berth__run_set_decision(sim->run, sim->instance, i, &decision);
}

/* Jobs that had not arrived when the run was stopped stay undecided. */
static bool record(simulation *sim) {
    bool complete = true;
    for (size_t i = 0; i < sim->instance->n_jobs && complete; i++) {
        complete = !sim->jobs_so_far[i].arrived || record_job(sim, i);
    }
    return complete;
}

static berth_status simulate_slots(simulation *sim, const berth__budget *budget, berth_error *error) {
    const berth_hooks *hooks = &sim->decider->options.hooks;
    int horizon = sim->state.cluster->horizon;
    for (int slot = 0; slot < horizon; slot++) {
        if (hooks->progress != NULL) {
            hooks->progress(hooks->user, slot, horizon);
        }
        if (berth__budget_spent(budget)) {
            sim->run->stopped = true;
            return BERTH_OK;
        }
        sim->state.slot = slot;
        berth_status status = do_slot(sim, error);
        if (status == BERTH_E_CANCELLED) {
            berth__error_clear(error);
            sim->run->stopped = true;
            return BERTH_OK;
        }
        if (status != BERTH_OK) {
            return status;
        }
    }
    if (hooks->progress != NULL) {
        hooks->progress(hooks->user, horizon, horizon);
    }
    return BERTH_OK;
}

berth_status berth__simulate(berth__decider *decider, const berth_instance *instance, berth__job *const *jobs,
                             const size_t *order, const berth__budget *budget, berth_run *run, berth_error *error) {
    simulation sim = {.decider = decider, .instance = instance, .jobs = jobs, .order = order, .run = run};
    berth_status status = simulation_init(&sim, budget) ? BERTH_OK : berth__fail_memory(error);
    if (status == BERTH_OK) {
        status = simulate_slots(&sim, budget, error);
    }
    if (status == BERTH_OK) {
        tell_of_search(&sim);
    }
    if (status == BERTH_OK && !record(&sim)) {
        status = berth__fail_memory(error);
    }
    simulation_clear(&sim);
    return status;
}
