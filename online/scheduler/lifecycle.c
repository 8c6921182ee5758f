/* What happens to jobs that were admitted: time passes, proposals are settled, jobs end. */
#include "online/scheduler/scheduler.h"

#include "base/error.h"

#include <math.h>

/* ---- plans ---- */

const berth_slot_plan *berth__live_plan(const berth_scheduler *s, const berth__live *live, size_t *n_slots) {
    if (s->decider->bidlp == NULL) {
        *n_slots = live->n_slots;
        return live->slots;
    }
    const berth__plan *plan = &berth__bidlp_tenure(s->decider->bidlp, live->number)->plan;
    *n_slots = plan->n_slots;
    return plan->slots;
}

int berth__live_completion(const berth_scheduler *s, const berth__live *live) {
    size_t n;
    const berth_slot_plan *slots = berth__live_plan(s, live, &n);
    return slots[n - 1].slot + s->base;
}

/* Of its first slot. */
static int start_of(const berth_scheduler *s, const berth__live *live) {
    size_t n;
    return berth__live_plan(s, live, &n)[0].slot + s->base;
}

double berth__live_done(const berth_scheduler *s, const berth__live *live) {
    size_t n;
    const berth_slot_plan *slots = berth__live_plan(s, live, &n);
    double done = 0;
    for (size_t k = 0; k < n && slots[k].slot < berth__now(s); k++) {
        done += slots[k].samples;
    }
    return fmin(done, live->job->work);
}

void berth__scheduler_note_moves(berth_scheduler *s) {
    for (size_t i = 0; i < s->live.n && s->decider->bidlp != NULL; i++) {
        berth__live *live = s->live.jobs[i];
        size_t n;
        const berth_slot_plan *slots = berth__live_plan(s, live, &n);
        uint64_t fingerprint = berth__plan_fingerprint(n, slots, s->base);
        if (fingerprint != live->fingerprint) {
            live->fingerprint = fingerprint;
            s->counts.moved++;
            berth__changes_add_move(&s->changes, live->number, s->now);
        }
    }
}

/* ---- endings ---- */

void berth__scheduler_end(berth_scheduler *s, berth__live *live) {
    size_t n;
    const berth_slot_plan *slots = berth__live_plan(s, live, &n);
    berth__decider_release(s->decider, live->number, live->job, berth__now(s), n, slots);
    berth__live_take(&s->live, live);
}

static double utility_at(const berth_scheduler *s, const berth__live *live, int slot) {
    return berth__utility_at(&live->job->utility, slot - s->base - live->job->arrival);
}

berth_status berth__scheduler_find(const berth_scheduler *s, uint64_t number, berth__live **out, berth_error *error) {
    *out = s == NULL ? NULL : berth__live_find(&s->live, number);
    if (s == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "scheduler", "scheduler must not be NULL");
    }
    if (*out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "number", "no live job has the number %llu",
                           (unsigned long long)number);
    }
    if ((*out)->proposed) {
        return berth__fail(error, BERTH_E_ARGUMENT, "number",
                           "job %llu, \"%s\", is only proposed; expected berth_commit or berth_abandon first",
                           (unsigned long long)number, (*out)->job->id);
    }
    return BERTH_OK;
}

berth_status berth_finish(berth_scheduler *s, uint64_t number, berth_error *error) {
    berth__live *live = NULL;
    berth_status status = berth__scheduler_find(s, number, &live, error);
    if (status == BERTH_OK) {
        int last = s->now - 1 > live->job->arrival + s->base ? s->now - 1 : live->job->arrival + s->base;
        s->counts.finished++;
        s->counts.utility += utility_at(s, live, last);
        berth__scheduler_end(s, live);
        berth__live_free(live);
    }
    return status;
}

berth_status berth_cancel(berth_scheduler *s, uint64_t number, berth_error *error) {
    berth__live *live = NULL;
    berth_status status = berth__scheduler_find(s, number, &live, error);
    if (status == BERTH_OK) {
        s->counts.cancelled++;
        berth__scheduler_end(s, live);
        berth__live_free(live);
    }
    return status;
}

/* ---- proposals ---- */

/* The proposed jobs of a number's gang, which has it. */
static berth_status find_proposal(const berth_scheduler *s, uint64_t number, uint64_t *gang, berth_error *error) {
    if (s == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "scheduler", "scheduler must not be NULL");
    }
    const berth__live *live = berth__live_find(&s->live, number);
    if (number >= s->decider->n_submitted) {
        return berth__fail(error, BERTH_E_ARGUMENT, "number", "no job has had the number %llu",
                           (unsigned long long)number);
    }
    if (live == NULL || !live->proposed) {
        return berth__fail(error, BERTH_E_ARGUMENT, "number",
                           live == NULL ? "no proposal has the number %llu: it was rejected, abandoned or has lapsed"
                                        : "job %llu is no proposal: it is committed",
                           (unsigned long long)number);
    }
    *gang = live->gang;
    return BERTH_OK;
}

/* Members of a gang have numbers from the first one's on: the first of them in the table, at or behind `at`. */
static berth__live *next_of_gang(const berth_scheduler *s, uint64_t gang, size_t *at) {
    while (*at < s->live.n && s->live.jobs[*at]->gang != gang) {
        (*at)++;
    }
    return *at < s->live.n ? s->live.jobs[*at] : NULL;
}

berth_status berth_commit(berth_scheduler *s, uint64_t number, berth_error *error) {
    uint64_t gang;
    berth_status status = find_proposal(s, number, &gang, error);
    size_t at = 0;
    for (berth__live *live; status == BERTH_OK && (live = next_of_gang(s, gang, &at)) != NULL; at++) {
        live->proposed = false;
        s->counts.admitted++;
    }
    return status;
}

berth_status berth_abandon(berth_scheduler *s, uint64_t number, berth_error *error) {
    uint64_t gang;
    berth_status status = find_proposal(s, number, &gang, error);
    size_t at = 0;
    for (berth__live *live; status == BERTH_OK && (live = next_of_gang(s, gang, &at)) != NULL;) {
        s->counts.abandoned++;
        berth__scheduler_end(s, live);
        berth__live_free(live);
    }
    return status;
}

/* ---- time ---- */

/* The record of a job that ends by itself goes to the log. */
static void tell_end(berth_scheduler *s, berth__live *live, berth_change_kind kind, int slot, const char *reason) {
    int completion = berth__live_completion(s, live);
    berth__change *change = berth__changes_add(&s->changes, live->number, kind, slot, reason);
    change->promised = live->promised;
    change->completion = kind == BERTH_CHANGE_COMPLETED ? completion : -1;
    berth__scheduler_end(s, live);
    change->job = live->job;
    live->job = NULL;
    berth__live_free(live);
}

/* When time has come to a slot. A gang's proposal lapses as a whole. */
static bool lapses_by(const berth_scheduler *s, const berth__live *live, int slot) {
    size_t at = 0;
    bool lapsed = false;
    for (const berth__live *mate; live->proposed && !lapsed && (mate = next_of_gang(s, live->gang, &at)) != NULL;
         at++) {
        lapsed = start_of(s, mate) < slot;
    }
    return lapsed;
}

bool berth__live_at(const berth_scheduler *s, const berth__live *live, int slot) {
    return berth__live_completion(s, live) >= slot && !lapses_by(s, live, slot);
}

static void settle_proposals(berth_scheduler *s) {
    for (size_t i = 0; i < s->live.n;) {
        berth__live *live = s->live.jobs[i];
        if (!lapses_by(s, live, s->now)) {
            i++;
            continue;
        }
        uint64_t gang = live->gang;
        size_t at = 0;
        for (berth__live *mate; (mate = next_of_gang(s, gang, &at)) != NULL;) {
            s->counts.lapsed++;
            tell_end(s, mate, BERTH_CHANGE_LAPSED, s->now, "not committed before its first slot had passed");
        }
    }
}

static void complete_jobs(berth_scheduler *s) {
    for (size_t i = 0; i < s->live.n;) {
        berth__live *live = s->live.jobs[i];
        int last = berth__live_completion(s, live);
        if (last >= s->now) {
            i++;
            continue;
        }
        s->counts.completed++;
        s->counts.utility += utility_at(s, live, last);
        tell_end(s, live, BERTH_CHANGE_COMPLETED, last + 1, NULL);
    }
}

static void move_horizon(berth_scheduler *s) {
    int slots = s->now - s->base;
    berth__decider_shift(s->decider, slots);
    s->base = s->now;
    for (size_t i = 0; i < s->live.n; i++) {
        berth__live *live = s->live.jobs[i];
        live->job->arrival -= slots;
        for (size_t k = 0; k < live->n_slots; k++) {
            live->slots[k].slot -= slots;
        }
    }
}

void berth__scheduler_advance(berth_scheduler *s, int slot) {
    if (slot == s->now) {
        return;
    }
    size_t told = s->changes.n;
    s->now = slot;
    settle_proposals(s);
    complete_jobs(s);
    berth__changes_order(&s->changes, told);
    if (s->decider->options.rolling) {
        move_horizon(s);
    }
}

berth_status berth_advance(berth_scheduler *s, int slot, berth_error *error) {
    if (s == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "scheduler", "scheduler must not be NULL");
    }
    berth_status status = berth__scheduler_check_slot(s, slot, "slot", error);
    if (status == BERTH_OK && !berth__changes_reserve(&s->changes, s->live.n)) {
        status = berth__fail_memory(error);
    }
    if (status == BERTH_OK) {
        berth__scheduler_advance(s, slot);
    }
    return status;
}

berth_status berth_report_left(berth_scheduler *s, uint64_t number, double samples, berth_error *error) {
    berth__live *live = NULL;
    berth_status status = berth__scheduler_find(s, number, &live, error);
    if (status == BERTH_OK && !(samples > 0 && samples < HUGE_VAL)) {
        status = berth__fail(error, BERTH_E_ARGUMENT, "samples",
                             "samples is %g; expected a number > 0 (berth_finish tells that none are left)", samples);
    }
    if (status == BERTH_OK) {
        const berth__replacement with = {
            .gone = -1, .worked = live, .work = berth__live_done(s, live) + samples, .cause = "more work is left"};
        status = berth__scheduler_replace(s, &with, error);
    }
    return status;
}
