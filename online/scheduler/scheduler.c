/* A scheduler's life, and submissions. */
#include "online/scheduler/scheduler.h"

#include "base/error.h"
#include "base/numeric.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- life cycle ---- */

berth_status berth_scheduler_new(const berth_cluster *cluster, const berth_price_bounds *bounds,
                                 const berth_options *options, berth_scheduler **out, berth_error *error) {
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    *out = NULL;
    berth_options defaults;
    berth_options_init(&defaults);
    options = options == NULL ? &defaults : options;
    if (options->struct_size == sizeof *options && options->policy != NULL &&
        berth__slot_policy_find(options->policy) != NULL) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "policy",
                           "policy \"%s\" decides slot by slot, not at arrival: only whole runs can have it",
                           options->policy);
    }
    if (options->struct_size == sizeof *options && options->noise > 0) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "noise",
                           "noise is %g, which only whole runs can have: a scheduler is told what jobs truly do",
                           options->noise);
    }
    berth_scheduler *s = berth__calloc(1, sizeof *s);
    if (s == NULL) {
        return berth__fail_memory(error);
    }
    berth_status status = berth__decider_new(cluster, bounds, options, &s->decider, error);
    if (status == BERTH_OK && !berth__fleet_init(&s->fleet, cluster)) {
        status = berth__fail_memory(error);
    }
    if (status != BERTH_OK) {
        berth_scheduler_free(s);
        return status;
    }
    s->decider->steady = true;
    *out = s;
    return BERTH_OK;
}

void berth_scheduler_free(berth_scheduler *s) {
    if (s != NULL) {
        berth__changes_free(&s->changes);
        berth__decider_free(s->decider); /* its plans are of live jobs */
        berth__live_clear(&s->live);
        berth__fleet_clear(&s->fleet);
        berth__free(s);
    }
}

/* ---- submissions ---- */

typedef struct submission {
    const berth_scheduler *scheduler;
    int slot;
    size_t n;
    const berth_job *specs;
    bool gang, proposed, dry;
    berth__arena *scratch; /* the decider's, of what follows; NULL: nothing has been taken yet */
    berth__arena_mark before;
    berth__job **jobs;   /* [n] those not given away */
    berth__live **lives; /* [n] records of those admitted, until they are in the table */
} submission;

static void forget(submission *sub) {
    for (size_t i = 0; i < sub->n; i++) {
        if (sub->jobs != NULL) {
            berth__job_free(sub->jobs[i]);
        }
        if (sub->lives != NULL) {
            berth__live_free(sub->lives[i]);
        }
    }
    if (sub->scratch != NULL) {
        berth__arena_back(sub->scratch, sub->before);
    }
}

berth_status berth__scheduler_check_slot(const berth_scheduler *s, int slot, const char *where, berth_error *error) {
    int last = s->decider->options.rolling ? INT_MAX - s->fleet.horizon : s->fleet.horizon - 1;
    if (slot < 0 || slot > last) {
        return berth__fail(error, BERTH_E_ARGUMENT, where, "%s is %d; expected 0 to %d",
                           where[0] == '/' ? where + 1 : where, slot, last);
    }
    if (slot < s->now) {
        return berth__fail(error, BERTH_E_ARGUMENT, where, "is %d; expected %d or later, as the present slot is that",
                           slot, s->now);
    }
    return BERTH_OK;
}

static berth_status take_in_one(const berth_scheduler *s, submission *sub, size_t i, berth_error *error) {
    berth_job spec = sub->specs[i];
    if (spec.struct_size == sizeof spec && spec.arrival_slot != sub->slot) {
        return berth__fail(error, BERTH_E_ARGUMENT, "/arrival_slot", "is %d; expected the batch's slot, %d",
                           spec.arrival_slot, sub->slot);
    }
    /* By the decider's count, once time has moved if it does. */
    spec.arrival_slot = s->decider->options.rolling && !sub->dry ? 0 : sub->slot - s->base;
    berth_status status = berth__job_new(s->decider->cluster, &spec, &sub->jobs[i], error);
    const berth__live *same = status == BERTH_OK ? berth__live_find_id(&s->live, spec.id) : NULL;
    if (same != NULL && berth__live_at(s, same, sub->slot)) {
        status = berth__fail(error, BERTH_E_ARGUMENT, "/id", "\"%s\" is the id of a job that is live, number %llu",
                             spec.id, (unsigned long long)same->number);
    }
    for (size_t k = 0; k < i && status == BERTH_OK; k++) {
        if (strcmp(sub->jobs[k]->id, spec.id) == 0) {
            status = berth__fail(error, BERTH_E_ARGUMENT, "/id", "\"%s\" is the id of job %zu, too", spec.id, k);
        }
    }
    return status;
}

static berth_status take_in(berth_scheduler *s, submission *sub, berth_error *error) {
    sub->scratch = berth__decider_scratch(s->decider);
    sub->before = berth__arena_here(sub->scratch);
    sub->jobs = BERTH__ARENA_ARRAY(sub->scratch, berth__job *, sub->n);
    sub->lives = BERTH__ARENA_ARRAY(sub->scratch, berth__live *, sub->n);
    if (sub->jobs == NULL || sub->lives == NULL || !berth__live_reserve(&s->live, sub->n) ||
        !berth__changes_reserve(&s->changes, 2 * s->live.n + sub->n)) {
        return berth__fail_memory(error);
    }
    for (size_t i = 0; i < sub->n; i++) {
        berth_status status = take_in_one(s, sub, i, error);
        if (status != BERTH_OK) {
            char prefix[32];
            snprintf(prefix, sizeof prefix, "/jobs/%zu", i);
            berth__error_prefix(error, sub->n == 1 ? "" : prefix);
            return status;
        }
    }
    return BERTH_OK;
}

/* The record of an admitted job: with its own copy of the job where policy bidlp keeps the one that was submitted. */
static berth_status record(const berth_scheduler *s, submission *sub, size_t i, const berth_decision *decision,
                           berth_error *error) {
    berth__job *job = sub->jobs[i];
    if (s->decider->bidlp != NULL) {
        berth_status status = berth__job_renew(s->decider->cluster, job, &job, error);
        if (status != BERTH_OK) {
            return status;
        }
    }
    berth__live *live = berth__live_new(decision->number, job);
    if (live == NULL) {
        if (job != sub->jobs[i]) {
            berth__job_free(job);
        }
        return berth__fail_memory(error);
    }
    sub->jobs[i] = job == sub->jobs[i] ? NULL : sub->jobs[i]; /* it is the record's */
    sub->lives[i] = live;
    live->proposed = sub->proposed;
    live->promised = decision->promised_slot + s->base;
    live->fingerprint = berth__plan_fingerprint(decision->n_slots, decision->slots, s->base);
    if (s->decider->bidlp == NULL) {
        live->slots = berth__plan_block(decision->n_slots, decision->slots);
        live->n_slots = decision->n_slots;
    }
    return s->decider->bidlp != NULL || live->slots != NULL ? BERTH_OK : berth__fail_memory(error);
}

/* Records of those admitted, before the decisions are final. */
static berth_status record_all(void *user, berth_decision *const *decisions, berth_error *error) {
    submission *sub = user;
    berth_status status = BERTH_OK;
    for (size_t i = 0; i < sub->n && status == BERTH_OK; i++) {
        status = decisions[i]->admitted ? record(sub->scheduler, sub, i, decisions[i], error) : BERTH_OK;
    }
    return status;
}

static void enter_all(berth_scheduler *s, submission *sub, berth_decision *const *decisions) {
    for (size_t i = 0; i < sub->n; i++) {
        berth__live *live = sub->lives[i];
        if (live != NULL && s->decider->bidlp != NULL) {
            berth__bidlp_set_job(s->decider->bidlp, live->number, live->job);
        }
        if (live != NULL) {
            live->gang = sub->gang ? decisions[0]->number : live->number;
            berth__live_add(&s->live, live);
            sub->lives[i] = NULL;
        }
    }
}

static void count(berth_scheduler *s, const submission *sub, berth_decision *const *decisions) {
    berth_statistics *counts = &s->counts;
    for (size_t i = 0; i < sub->n; i++) {
        counts->submitted++;
        if (!decisions[i]->admitted) {
            counts->rejected++;
        } else if (sub->proposed) {
            counts->proposed++;
        } else {
            counts->admitted++;
        }
    }
}

/* From the decider's count of slots to the public one. */
static void publish(const berth_scheduler *s, berth_decision *decision) {
    if (decision->admitted) {
        decision->promised_slot += s->base;
        decision->completion_slot += s->base;
    }
    for (size_t k = 0; k < decision->n_slots; k++) {
        decision->slots[k].slot += s->base;
    }
}

static berth_status decide(berth_scheduler *s, submission *sub, berth_decision **out, berth_error *error) {
    berth__scheduler_advance(s, sub->slot);
    const berth__batch batch = {.slot = berth__now(s),
                                .n = sub->n,
                                .jobs = sub->jobs,
                                .own = true,
                                .commit = true,
                                .gang = sub->gang,
                                .record = record_all,
                                .user = sub};
    bool kept = false;
    berth_status status = berth__decide_batch(s->decider, &batch, &kept, out, error);
    if (status != BERTH_OK) {
        return status;
    }
    for (size_t i = 0; i < sub->n && kept; i++) {
        sub->jobs[i] = NULL; /* they are the policy's */
    }
    enter_all(s, sub, out);
    berth__scheduler_note_moves(s);
    count(s, sub, out);
    for (size_t i = 0; i < sub->n; i++) {
        publish(s, out[i]);
    }
    return BERTH_OK;
}

static berth_status submit(berth_scheduler *s, submission *sub, berth_decision **out, berth_error *error) {
    if (sub->n > 0 && out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    for (size_t i = 0; i < sub->n; i++) {
        out[i] = NULL;
    }
    if (s == NULL || (sub->specs == NULL && sub->n > 0)) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "scheduler and jobs must not be NULL");
    }
    berth__c_locale locale; /* reasons and errors hold numbers, whatever the host's locale */
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth_status status = berth__scheduler_check_slot(s, sub->slot, sub->n == 1 ? "/arrival_slot" : "slot", error);
    if (status == BERTH_OK) {
        status = take_in(s, sub, error);
    }
    if (status == BERTH_OK) {
        status = decide(s, sub, out, error);
    }
    forget(sub);
    berth__c_locale_leave(&locale);
    return status;
}

berth_status berth_submit_batch(berth_scheduler *s, int slot, size_t n, const berth_job *jobs, berth_decision **out,
                                berth_error *error) {
    submission sub = {.scheduler = s, .slot = slot, .n = n, .specs = jobs};
    return submit(s, &sub, out, error);
}

berth_status berth_submit(berth_scheduler *s, const berth_job *job, berth_decision **out, berth_error *error) {
    submission sub = {.scheduler = s, .slot = job == NULL ? 0 : job->arrival_slot, .n = 1, .specs = job};
    return submit(s, &sub, out, error);
}

static berth_status submit_gang(berth_scheduler *s, submission *sub, berth_decision **out, berth_error *error) {
    if (sub->n == 0) {
        return berth__fail(error, BERTH_E_ARGUMENT, "n", "there are no jobs; expected at least one");
    }
    return submit(s, sub, out, error);
}

berth_status berth_submit_gang(berth_scheduler *s, int slot, size_t n, const berth_job *jobs, berth_decision **out,
                               berth_error *error) {
    submission sub = {.scheduler = s, .slot = slot, .n = n, .specs = jobs, .gang = true};
    return submit_gang(s, &sub, out, error);
}

berth_status berth_propose(berth_scheduler *s, int slot, size_t n, const berth_job *jobs, berth_decision **out,
                           berth_error *error) {
    submission sub = {.scheduler = s, .slot = slot, .n = n, .specs = jobs, .gang = true, .proposed = true};
    return submit_gang(s, &sub, out, error);
}

berth_status berth_what_if(berth_scheduler *s, const berth_job *job, berth_decision **out, berth_error *error) {
    if (out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    }
    *out = NULL;
    if (s == NULL || job == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "scheduler and job must not be NULL");
    }
    berth__c_locale locale;
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    submission sub = {.scheduler = s, .slot = job->arrival_slot, .n = 1, .specs = job, .dry = true};
    berth_status status = berth__scheduler_check_slot(s, sub.slot, "/arrival_slot", error);
    if (status == BERTH_OK && sub.slot - s->base >= s->fleet.horizon) {
        status = berth__fail(error, BERTH_E_ARGUMENT, "/arrival_slot",
                             "is %d; expected %d to %d: a question does not move the horizon", sub.slot, s->now,
                             s->base + s->fleet.horizon - 1);
    }
    if (status == BERTH_OK) {
        status = take_in(s, &sub, error);
    }
    if (status == BERTH_OK) {
        status = berth__decide(s->decider, sub.jobs[0], false, out, error);
    }
    if (status == BERTH_OK) {
        publish(s, *out);
    }
    forget(&sub);
    berth__c_locale_leave(&locale);
    return status;
}
