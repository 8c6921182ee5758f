#include "online/run_record.h"

#include "base/sort.h"
#include "rounding/bounds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_VERSIONS = 8 };

berth__arena *berth__run_arena(berth_run *run) {
    return run->memory;
}

void berth_run_free(berth_run *run) {
    if (run != NULL) {
        berth__arena_free(run->memory);
    }
}

berth_run *berth__run_new(const berth_instance *instance, const berth_options *options) {
    berth__arena *arena = berth__arena_new();
    if (arena == NULL) {
        return NULL;
    }
    berth_run *run = BERTH__ARENA_ARRAY(arena, berth_run, 1);
    berth_run_job *jobs = BERTH__ARENA_ARRAY(arena, berth_run_job, instance->n_jobs);
    const char **names = BERTH__ARENA_ARRAY(arena, const char *, MAX_VERSIONS);
    const char **numbers = BERTH__ARENA_ARRAY(arena, const char *, MAX_VERSIONS);
    char *name = berth__arena_strdup(arena, instance->name);
    char *policy = berth__arena_strdup(arena, options->policy);
    char *solver = berth__arena_strdup(arena, options->solver);
    char number[BERTH__NUMBER_ROOM];
    char *scale = berth__arena_strdup(arena, berth__scale_rule_text(options->scale_rule, options->scale, number));
    bool dorm = strcmp(options->policy, "dorm") == 0;
    bool complete = run != NULL && jobs != NULL && names != NULL && numbers != NULL && name != NULL && policy != NULL &&
                    solver != NULL && scale != NULL;
    for (size_t i = 0; i < instance->n_jobs && complete; i++) {
        jobs[i] = (berth_run_job){.id = berth__arena_strdup(arena, instance->jobs[i].id),
                                  .outcome = BERTH_JOB_UNDECIDED,
                                  .reason = "the run was stopped first",
                                  .promised_slot = -1,
                                  .completion_slot = -1,
                                  .delay_slots = -1,
                                  .payoff = (double)NAN,
                                  .payoff_bound = (double)NAN,
                                  .price_paid = 0};
        complete = jobs[i].id != NULL;
    }
    if (!complete) {
        berth__arena_free(arena);
        return NULL;
    }
    *run = (berth_run){
        .instance = name,
        .instance_crc32 = instance->crc32,
        .policy = policy,
        .seed = options->seed,
        .solver = solver,
        .levels = options->levels,
        .delta = options->delta,
        .favour = options->favour == BERTH_FAVOUR_PACKING ? "packing" : "cover",
        .scale = scale,
        .trials = options->trials,
        .repair = options->repair,
        .restart_delay_s = options->restart_delay_s,
        .noise = options->noise,
        .effort = options->effort,
        .fifo_workers = options->fifo_workers,
        .dorm_fairness = dorm ? options->dorm_fairness : (double)NAN,
        .dorm_adjust = dorm ? options->dorm_adjust : (double)NAN,
        .closed_form_ratio = (double)NAN,
        .bounds = {.dual = (double)NAN,
                   .arrival_dual = (double)NAN,
                   .lp = (double)NAN,
                   .exact = (double)NAN,
                   .best = (double)NAN,
                   .ratio = (double)NAN},
        .n_jobs = instance->n_jobs,
        .jobs = jobs,
        .summary = {.mean_delay_slots = (double)NAN, .median_delay_slots = (double)NAN},
        .n_resources = instance->n_resources,
        .version_names = names,
        .version_numbers = numbers,
        .memory = arena,
    };
    return run;
}

/* The record's arrays are const to its readers; here is where they are made. */
static berth_run_job *job_at(berth_run *run, size_t job) {
    return (berth_run_job *)(uintptr_t)run->jobs + job;
}

bool berth__run_set_plan(berth_run *run, const berth_instance *instance, size_t job, const berth_decision *decision) {
    berth__arena *arena = run->memory;
    berth_run_job *record = job_at(run, job);
    berth_slot_plan *slots = BERTH__ARENA_ARRAY(arena, berth_slot_plan, decision->n_slots);
    if (slots == NULL) {
        return false;
    }
    for (size_t k = 0; k < decision->n_slots; k++) {
        slots[k] = decision->slots[k];
        slots[k].placements = BERTH__ARENA_ARRAY(arena, berth_placement, slots[k].n_placements);
        if (slots[k].placements == NULL) {
            return false;
        }
        memcpy(slots[k].placements, decision->slots[k].placements, slots[k].n_placements * sizeof *slots[k].placements);
    }
    bool completed = decision->completion_slot >= 0;
    record->completion_slot = decision->completion_slot;
    record->delay_slots = completed ? decision->completion_slot - instance->jobs[job].arrival_slot : -1;
    record->utility = decision->utility;
    record->n_slots = decision->n_slots;
    record->slots = slots;
    return true;
}

bool berth__run_set_decision(berth_run *run, const berth_instance *instance, size_t job,
                             const berth_decision *decision) {
    berth_run_job *record = job_at(run, job);
    record->reason = berth__arena_strdup(run->memory, decision->reason);
    if (record->reason == NULL || !berth__run_set_plan(run, instance, job, decision)) {
        return false;
    }
    bool completed = decision->completion_slot >= 0;
    record->admitted = decision->admitted;
    record->outcome = !decision->admitted ? BERTH_JOB_REJECTED : completed ? BERTH_JOB_COMPLETED : BERTH_JOB_UNFINISHED;
    record->promised_slot = decision->promised_slot;
    record->payoff = decision->payoff;
    record->payoff_bound = decision->payoff_bound;
    record->price_paid = decision->price_paid;
    return true;
}

static void add_usage(const berth_run_job *record, const berth_job *job, size_t n_resources, double *used) {
    for (size_t k = 0; k < record->n_slots; k++) {
        for (size_t i = 0; i < record->slots[k].n_placements; i++) {
            const berth_placement *place = &record->slots[k].placements[i];
            for (size_t r = 0; r < n_resources; r++) {
                used[r] += place->workers * job->worker[r] + (job->ps != NULL ? place->ps * job->ps[r] : 0);
            }
        }
    }
}

bool berth__run_summarise(berth_run *run, const berth_instance *instance) {
    size_t R = instance->n_resources, n_delays = 0;
    double *utilisation = BERTH__ARENA_ARRAY(run->memory, double, R);
    double *delays = BERTH__NEW_ARRAY(double, run->n_jobs);
    if (utilisation == NULL || delays == NULL) {
        berth__free(delays);
        return false;
    }
    berth_run_summary *s = &run->summary;
    *s = (berth_run_summary){.jobs = run->n_jobs, .mean_delay_slots = (double)NAN, .median_delay_slots = (double)NAN};
    double delay_sum = 0;
    for (size_t i = 0; i < run->n_jobs; i++) {
        const berth_run_job *job = &run->jobs[i];
        s->admitted += job->admitted;
        s->utility += job->utility;
        if (job->outcome == BERTH_JOB_COMPLETED) {
            s->completed++;
            delays[n_delays++] = job->delay_slots;
            delay_sum += job->delay_slots;
        }
        if (job->n_slots > 0 && job->slots[job->n_slots - 1].slot + 1 > s->makespan_slots) {
            s->makespan_slots = job->slots[job->n_slots - 1].slot + 1;
        }
        add_usage(job, &instance->jobs[i], R, utilisation);
    }
    if (n_delays > 0) {
        berth__sort(delays, n_delays);
        s->mean_delay_slots = delay_sum / (double)n_delays;
        s->median_delay_slots = berth__quantile(delays, n_delays, 0.5);
    }
    for (size_t r = 0; r < R; r++) {
        double capacity = 0;
        for (size_t h = 0; h < instance->n_machines; h++) {
            capacity += instance->capacity[h * R + r];
        }
        utilisation[r] = capacity > 0 ? utilisation[r] / (capacity * instance->horizon_slots) : (double)NAN;
    }
    s->utilisation = utilisation;
    run->utility = s->utility;
    berth__free(delays);
    return true;
}

void berth__run_set_best_bound(berth_run *run) {
    berth_run_bounds *b = &run->bounds;
    b->best = fmin(b->dual, fmin(b->lp, b->exact)); /* fmin passes over NAN */
    b->ratio = run->utility > 0 ? b->best / run->utility : (double)NAN;
}

bool berth__run_add_version(berth_run *run, const char *name, const char *number) {
    if (run->n_versions == MAX_VERSIONS) {
        return true;
    }
    const char **names = (const char **)(uintptr_t)run->version_names;
    const char **numbers = (const char **)(uintptr_t)run->version_numbers;
    names[run->n_versions] = berth__arena_strdup(run->memory, name);
    numbers[run->n_versions] = berth__arena_strdup(run->memory, number);
    return names[run->n_versions] != NULL && numbers[run->n_versions++] != NULL;
}
