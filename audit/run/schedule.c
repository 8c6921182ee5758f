/* The rules that concern one job alone: its slots, its progress, its completion, what it earns. */
#include <math.h>

#include "audit/run/audit.h"
#include "base/alloc.h"
#include "base/tolerance.h"

/* What one slot's placements add up to; placements that make no sense are left out. */
typedef struct tally {
    double workers, ps;
    int machines; /* that hold something */
} tally;

typedef struct walker {
    berth__audit *audit;
    berth__audit_report *report;
    size_t *seen; /* [n_machines] number of the slot plan in which the machine came up last */
    size_t n_plans;
} walker;

static void check_placement(walker *walk, const berth__audit_job *job, int slot, const berth_placement *placement,
                            tally *sum) {
    const berth_instance *instance = walk->audit->instance;
    berth__audit_place place = {job->spec->id, slot, NULL, NULL};
    berth__audit_count(walk->report, BERTH__RULE_PLACEMENT);
    if (placement->machine < 0 || (size_t)placement->machine >= instance->n_machines) {
        berth__audit_violation(walk->report, BERTH__RULE_PLACEMENT, &place, (double)NAN, "there is no machine %d",
                               placement->machine);
        return;
    }
    size_t machine = (size_t)placement->machine;
    place.machine = instance->machines[machine];
    if (walk->seen[machine] == walk->n_plans) {
        berth__audit_violation(walk->report, BERTH__RULE_PLACEMENT, &place, (double)NAN, "the machine is listed twice");
    }
    if (placement->workers < 0 || placement->ps < 0) {
        berth__audit_violation(walk->report, BERTH__RULE_PLACEMENT, &place, fmin(placement->workers, placement->ps),
                               "%d worker%s and %d parameter server%s; expected numbers >= 0", placement->workers,
                               berth__audit_plural(placement->workers), placement->ps,
                               berth__audit_plural(placement->ps));
        return;
    }
    if (placement->workers == 0 && placement->ps == 0) {
        berth__audit_violation(walk->report, BERTH__RULE_PLACEMENT, &place, (double)NAN,
                               "neither a worker nor a parameter server is placed");
        return;
    }
    berth__audit_count(walk->report, BERTH__RULE_ELIGIBILITY);
    if (!berth__audit_eligible(job->spec, place.machine)) {
        berth__audit_violation(walk->report, BERTH__RULE_ELIGIBILITY, &place, (double)NAN,
                               "the job's allow and avoid lists exclude this machine");
    }
    sum->machines += walk->seen[machine] != walk->n_plans;
    walk->seen[machine] = walk->n_plans;
    sum->workers += placement->workers;
    sum->ps += placement->ps;
}

static void check_width(walker *walk, const berth__audit_job *job, const berth__audit_place *place, const tally *sum) {
    berth__audit_count(walk->report, BERTH__RULE_MAX_WORKERS);
    if (!(sum->workers <= job->max_workers)) { /* whole numbers */
        berth__audit_violation(walk->report, BERTH__RULE_MAX_WORKERS, place, job->max_workers - sum->workers,
                               "%.0f worker%s; the job may have %.0f", sum->workers, berth__audit_plural(sum->workers),
                               job->max_workers);
    }
    berth__audit_count(walk->report, BERTH__RULE_PS_RATIO);
    if (job->spec->all_reduce) {
        if (sum->ps > 0) {
            berth__audit_violation(walk->report, BERTH__RULE_PS_RATIO, place, -sum->ps,
                                   "%.0f parameter server%s; an all-reduce job has none", sum->ps,
                                   berth__audit_plural(sum->ps));
        }
    } else if (!berth__audit_within(sum->workers, sum->ps * job->workers_per_ps)) {
        double served = sum->ps * job->workers_per_ps;
        berth__audit_violation(walk->report, BERTH__RULE_PS_RATIO, place, served - sum->workers,
                               "%.0f worker%s; with %.0f parameter server%s, %g to each, there may be %g", sum->workers,
                               berth__audit_plural(sum->workers), sum->ps, berth__audit_plural(sum->ps),
                               job->workers_per_ps, served);
    }
}

static bool is_on(const berth_placement *placement, const berth_slot_plan *plan) {
    for (size_t i = 0; i < plan->n_placements; i++) {
        const berth_placement *p = &plan->placements[i];
        if (p->machine == placement->machine && p->workers == placement->workers && p->ps == placement->ps) {
            return true;
        }
    }
    return false;
}

/* Is the placement of the job's k-th slot another than in the slot before? The first slot starts a job. */
static bool has_moved(const berth_run_job *claim, size_t k) {
    const berth_slot_plan *plan = &claim->slots[k];
    if (k == 0) {
        return false;
    }
    bool same = plan[-1].slot == plan->slot - 1 && plan[-1].n_placements == plan->n_placements;
    for (size_t i = 0; i < plan->n_placements && same; i++) {
        same = is_on(&plan->placements[i], &plan[-1]);
    }
    return !same;
}

/* Least that a slot may be said to make where its workers make `full`: a job that moved loses
 * restart_delay_s of it. */
static double least_progress(const walker *walk, double full, bool moved) {
    const berth_run *run = walk->audit->run;
    bool loses = run->restart_delay_s > 0 && (moved || walk->audit->external);
    return loses ? full * fmax(0, 1 - run->restart_delay_s / walk->audit->instance->slot_seconds) : full;
}

/* Returns the samples that the slot is worth. */
static double check_progress(walker *walk, const berth__audit_job *job, const berth__audit_place *place,
                             const berth_slot_plan *plan, const tally *sum, bool moved) {
    static const char *const names[] = {[BERTH_INTERNAL] = "internal", [BERTH_EXTERNAL] = "external"};
    berth_locality actual = sum->machines <= 1 ? BERTH_INTERNAL : BERTH_EXTERNAL;
    berth__audit_count(walk->report, BERTH__RULE_LOCALITY);
    if (plan->locality != actual) {
        berth__audit_violation(walk->report, BERTH__RULE_LOCALITY, place, (double)NAN,
                               "claimed %s, but on %d machine%s it is %s",
                               names[actual == BERTH_INTERNAL ? BERTH_EXTERNAL : BERTH_INTERNAL], sum->machines,
                               berth__audit_plural(sum->machines), names[actual]);
    }
    double full = sum->workers * job->slot_samples[actual] * job->truth.speed;
    if (isnan(plan->samples) && walk->audit->external) {
        berth__audit_note(walk->report, BERTH__RULE_PROGRESS, place, "no samples given; the placement makes %.9g",
                          full);
        return full;
    }
    double least = least_progress(walk, full, moved);
    full = walk->audit->external ? full : least; /* who else moved may have lost less */
    berth__audit_count(walk->report, BERTH__RULE_PROGRESS);
    double nearest = plan->samples >= least && plan->samples <= full ? plan->samples
                     : plan->samples < least                         ? least
                                                                     : full;
    if (!berth__audit_agree(plan->samples, nearest, 0)) {
        berth__audit_violation(walk->report, BERTH__RULE_PROGRESS, place, -fabs(plan->samples - nearest),
                               "claimed %.9g samples; %.0f %s worker%s can make %.9g", plan->samples, sum->workers,
                               names[actual], berth__audit_plural(sum->workers), nearest);
    }
    return nearest;
}

static double true_work(const berth__audit_job *job) {
    return job->work * job->truth.work;
}

static void check_slot(walker *walk, size_t job_index, size_t k) {
    const berth_run_job *claim = &walk->audit->run->jobs[job_index];
    const berth_slot_plan *plan = &claim->slots[k];
    const berth__audit_job *job = &walk->audit->jobs[job_index];
    berth__audit_facts *facts = &walk->audit->facts[job_index];
    int horizon = walk->audit->instance->horizon_slots;
    berth__audit_place place = {job->spec->id, plan->slot, NULL, NULL};
    tally sum = {0, 0, 0};
    walk->n_plans++;
    berth__audit_count(walk->report, BERTH__RULE_HORIZON);
    if (plan->slot < 0 || plan->slot >= horizon) {
        berth__audit_violation(walk->report, BERTH__RULE_HORIZON, &place, fmin(plan->slot, horizon - 1.0 - plan->slot),
                               "slot %d is outside 0..%d", plan->slot, horizon - 1);
        return;
    }
    berth__audit_count(walk->report, BERTH__RULE_ARRIVAL);
    if (plan->slot < job->spec->arrival_slot) {
        berth__audit_violation(walk->report, BERTH__RULE_ARRIVAL, &place, plan->slot - job->spec->arrival_slot,
                               "the job arrives in slot %d", job->spec->arrival_slot);
    }
    if (plan->n_placements == 0) {
        berth__audit_violation(walk->report, BERTH__RULE_PLACEMENT, &place, (double)NAN,
                               "nothing is placed in the slot");
    }
    for (size_t i = 0; i < plan->n_placements; i++) {
        check_placement(walk, job, plan->slot, &plan->placements[i], &sum);
    }
    check_width(walk, job, &place, &sum);
    if (walk->audit->noisy && !walk->audit->external && facts->samples >= true_work(job) * (1 - BERTH__PROGRESS)) {
        berth__audit_violation(walk->report, BERTH__RULE_COMPLETION, &place, (double)NAN,
                               "the slot is held, but the job is done before it");
    }
    facts->samples += check_progress(walk, job, &place, plan, &sum, has_moved(claim, k));
    if (facts->declared_slot < 0 && facts->samples >= job->work * job->truth.speed * (1 - BERTH__PROGRESS)) {
        facts->declared_slot = plan->slot;
    }
    if (sum.workers > 0 && plan->slot > facts->last_slot) {
        facts->last_slot = plan->slot;
    }
}

static void check_slots(walker *walk, size_t job_index) {
    const berth_run_job *claim = &walk->audit->run->jobs[job_index];
    const berth__audit_job *job = &walk->audit->jobs[job_index];
    berth__audit_facts *facts = &walk->audit->facts[job_index];
    facts->last_slot = facts->declared_slot = -1;
    for (size_t i = 0; i < claim->n_slots; i++) {
        const berth_slot_plan *plan = &claim->slots[i];
        if (i > 0 && plan->slot <= plan[-1].slot) {
            berth__audit_place place = {job->spec->id, plan->slot, NULL, NULL};
            berth__audit_violation(
                walk->report, BERTH__RULE_PLACEMENT, &place, (double)plan->slot - plan[-1].slot - 1,
                plan->slot == plan[-1].slot ? "slot %d is listed twice" : "slot %d does not come in order", plan->slot);
        }
        check_slot(walk, job_index, i);
    }
    facts->finished = facts->last_slot >= 0 && facts->samples >= true_work(job) * (1 - BERTH__PROGRESS);
    if (facts->finished && claim->admitted) {
        facts->utility = berth__audit_utility(&job->spec->utility, facts->last_slot - job->spec->arrival_slot);
    }
}

/* A job that must hold nothing. */
static void check_holds_nothing(berth__audit *audit, const berth_run_job *claim, const berth__audit_place *place,
                                const char *outcome) {
    if (claim->admitted || claim->n_slots > 0) {
        berth__audit_violation(audit->report, BERTH__RULE_OUTCOME, place, (double)NAN,
                               "outcome %s, but the job is %sadmitted and has %zu slot%s", outcome,
                               claim->admitted ? "" : "not ", claim->n_slots,
                               berth__audit_plural((double)claim->n_slots));
    } else if (audit->external) {
        berth__audit_note(audit->report, BERTH__RULE_OUTCOME, place, "the job holds nothing");
    }
}

static void check_outcome(berth__audit *audit, size_t job_index, const berth__audit_place *place) {
    const berth_run_job *claim = &audit->run->jobs[job_index];
    const berth__audit_facts *facts = &audit->facts[job_index];
    double work = true_work(&audit->jobs[job_index]);
    berth__audit_report *report = audit->report;
    berth__audit_count(report, BERTH__RULE_OUTCOME);
    switch (claim->outcome) {
    case BERTH_JOB_COMPLETED:
        if (!claim->admitted) {
            berth__audit_violation(report, BERTH__RULE_OUTCOME, place, (double)NAN, "completed, but not admitted");
        }
        berth__audit_count(report, BERTH__RULE_PROGRESS);
        if (!facts->finished) {
            berth__audit_violation(report, BERTH__RULE_PROGRESS, place, facts->samples - work,
                                   "completed, but its slots make %.9g of %.9g samples", facts->samples, work);
        }
        return;
    case BERTH_JOB_REJECTED:
        check_holds_nothing(audit, claim, place, "rejected");
        return;
    case BERTH_JOB_UNFINISHED:
        if (!claim->admitted || (audit->promises && !audit->noisy)) {
            berth__audit_violation(report, BERTH__RULE_OUTCOME, place, facts->samples - work, "unfinished, but %s",
                                   claim->admitted ? "the policy admits only what it completes" : "not admitted");
        }
        if (facts->finished) {
            berth__audit_violation(report, BERTH__RULE_OUTCOME, place, (double)NAN,
                                   "unfinished, but its slots make all of its %.9g samples", work);
        }
        return;
    case BERTH_JOB_UNDECIDED:
        check_holds_nothing(audit, claim, place, "undecided");
        if (!audit->run->stopped) {
            berth__audit_violation(report, BERTH__RULE_OUTCOME, place, (double)NAN,
                                   "undecided, but the run was not stopped");
        }
        return;
    }
    berth__audit_violation(report, BERTH__RULE_OUTCOME, place, (double)NAN, "there is no outcome %d",
                           (int)claim->outcome);
}

static void check_completion(berth__audit *audit, size_t job_index, const berth__audit_place *place) {
    const berth_run_job *claim = &audit->run->jobs[job_index];
    const berth__audit_facts *facts = &audit->facts[job_index];
    bool completed = claim->outcome == BERTH_JOB_COMPLETED;
    int slot = completed ? facts->last_slot : -1;
    int delay = slot < 0 ? -1 : slot - audit->jobs[job_index].spec->arrival_slot;
    if (completed && audit->external && claim->completion_slot < 0 && claim->delay_slots < 0) {
        berth__audit_note(audit->report, BERTH__RULE_COMPLETION, place, "none given; the last busy slot is %d", slot);
        return;
    }
    berth__audit_count(audit->report, BERTH__RULE_COMPLETION);
    if (claim->completion_slot != slot) {
        berth__audit_violation(audit->report, BERTH__RULE_COMPLETION, place,
                               -fabs((double)claim->completion_slot - slot),
                               "claimed completion in slot %d; the last slot with a worker is %d (-1: none is due)",
                               claim->completion_slot, slot);
    }
    if (claim->delay_slots != delay) {
        berth__audit_violation(audit->report, BERTH__RULE_COMPLETION, place, -fabs((double)claim->delay_slots - delay),
                               "claimed a delay of %d slot%s; it is %d (-1: none is due)", claim->delay_slots,
                               berth__audit_plural(claim->delay_slots), delay);
    }
}

/* A promise is for admitted jobs alone; where plans never change it is what the plan says. */
static void check_promised_slot(berth__audit *audit, size_t job_index, const berth__audit_place *place) {
    const berth_run_job *claim = &audit->run->jobs[job_index];
    int slot = audit->facts[job_index].last_slot, promised = claim->promised_slot;
    berth__audit_count(audit->report, BERTH__RULE_PROMISED_SLOT);
    if (promised < 0 && claim->admitted && audit->promises) {
        berth__audit_violation(audit->report, BERTH__RULE_PROMISED_SLOT, place, (double)NAN,
                               "admitted without a promised slot, by a policy that promises one");
    } else if (promised >= 0 && !claim->admitted) {
        berth__audit_violation(audit->report, BERTH__RULE_PROMISED_SLOT, place, (double)NAN,
                               "slot %d is promised, but the job was not admitted", promised);
    } else if (promised >= audit->instance->horizon_slots ||
               (promised >= 0 && promised < audit->jobs[job_index].spec->arrival_slot)) {
        berth__audit_violation(audit->report, BERTH__RULE_PROMISED_SLOT, place, (double)NAN,
                               "slot %d is promised; expected one from %d to %d", promised,
                               audit->jobs[job_index].spec->arrival_slot, audit->instance->horizon_slots - 1);
    } else if (audit->noisy) {
        return; /* it may be broken: see estimation.c */
    } else if (audit->primal_dual && claim->admitted && slot != promised) {
        berth__audit_violation(audit->report, BERTH__RULE_PROMISED_SLOT, place, -fabs((double)promised - slot),
                               "completes in slot %d; slot %d was promised, by a policy whose plans do not change",
                               slot, promised);
    } else if (promised >= 0 && slot > promised) {
        berth__audit_violation(audit->report, BERTH__RULE_PROMISED_SLOT, place, (double)promised - slot,
                               "completes in slot %d; slot %d was promised", slot, promised);
    }
}

static void check_job_utility(berth__audit *audit, size_t job_index, const berth__audit_place *place) {
    double claimed = audit->run->jobs[job_index].utility, earned = audit->facts[job_index].utility;
    if (isnan(claimed) && audit->external) {
        berth__audit_note(audit->report, BERTH__RULE_JOB_UTILITY, place, "none given; the job earns %.9g", earned);
        return;
    }
    berth__audit_count(audit->report, BERTH__RULE_JOB_UTILITY);
    if (!berth__audit_agree(claimed, earned, 0)) {
        berth__audit_violation(audit->report, BERTH__RULE_JOB_UTILITY, place, -fabs(claimed - earned),
                               "claimed %.9g; the job earns %.9g", claimed, earned);
    }
}

/* What a time limit or a cancellation ends never comes to its bound. */
static void check_stopped(berth__audit *audit) {
    if (audit->promises && audit->run->stopped && audit->run->bounds.void_because == NULL) {
        berth__audit_violation(audit->report, BERTH__RULE_OUTCOME, &BERTH__NOWHERE, (double)NAN,
                               "the run was stopped, but the bounds are not void");
    }
}

bool berth__audit_schedules(berth__audit *audit) {
    walker walk = {audit, audit->report, BERTH__NEW_ARRAY(size_t, audit->instance->n_machines), 0};
    if (walk.seen == NULL) {
        return false;
    }
    for (size_t job = 0; job < audit->run->n_jobs; job++) {
        berth__audit_place place = {audit->jobs[job].spec->id, -1, NULL, NULL};
        check_slots(&walk, job);
        check_outcome(audit, job, &place);
        check_completion(audit, job, &place);
        check_promised_slot(audit, job, &place);
        check_job_utility(audit, job, &place);
        audit->utility += audit->facts[job].utility;
    }
    check_stopped(audit);
    berth__free(walk.seen);
    return true;
}
