#include "service/shadow.h"

#include "formulations/job_bytes.h"

#include <limits.h>
#include <string.h>

static void clear_job(berth__shadow_job *job) {
    union {
        const berth_step *borrowed;
        void *own;
    } steps = {.borrowed = job->utility.steps};
    berth__free(job->id);
    berth__free(steps.own);
    *job = (berth__shadow_job){0};
}

void berth__shadow_free(berth__shadow *s) {
    for (size_t k = 0; k < s->n; k++) {
        clear_job(&s->jobs[k]);
    }
    berth__free(s->jobs);
    *s = (berth__shadow){0};
}

berth__shadow_job *berth__shadow_find(const berth__shadow *s, const char *id) {
    for (size_t k = 0; k < s->n; k++) {
        if (strcmp(s->jobs[k].id, id) == 0) {
            return &s->jobs[k];
        }
    }
    return NULL;
}

bool berth__shadow_add(berth__shadow *s, const berth_job *job, int arrival) {
    void *jobs = s->jobs;
    if (!berth__grow(&jobs, &s->capacity, s->n, sizeof *s->jobs)) {
        return false;
    }
    s->jobs = jobs;
    berth_step *steps = BERTH__NEW_ARRAY(berth_step, job->utility.n_steps);
    berth__shadow_job own = {.id = berth__strdup(job->id), .arrival = arrival, .utility = job->utility};
    own.utility.steps = steps;
    if (own.id == NULL || steps == NULL) {
        clear_job(&own);
        return false;
    }
    for (size_t k = 0; k < job->utility.n_steps; k++) {
        steps[k] = job->utility.steps[k];
    }
    s->jobs[s->n++] = own;
    return true;
}

void berth__shadow_take_back(berth__shadow *s, size_t n) {
    for (; n > 0; n--) {
        clear_job(&s->jobs[--s->n]);
    }
}

void berth__shadow_decided(berth__shadow_job *job, const berth_decision *decision) {
    job->number = decision->number;
    job->planned = decision->utility;
}

static berth__shadow_job *by_number(const berth__shadow *s, uint64_t number) {
    for (size_t k = 0; k < s->n; k++) {
        if (s->jobs[k].number == number) {
            return &s->jobs[k];
        }
    }
    return NULL;
}

void berth__shadow_changed(berth__shadow *s, const berth_changes *changes) {
    for (size_t k = 0; k < changes->n; k++) {
        const berth_change *change = &changes->changes[k];
        berth__shadow_job *job = by_number(s, change->number);
        if (job != NULL) {
            bool gone = change->kind == BERTH_CHANGE_LOST || change->kind == BERTH_CHANGE_LAPSED;
            job->planned = gone ? 0 : berth__utility_at(&job->utility, change->completion_slot - job->arrival);
        }
    }
}

/* Order does not matter. */
static void remove_job(berth__shadow *s, berth__shadow_job *job) {
    clear_job(job);
    *job = s->jobs[--s->n];
    s->jobs[s->n] = (berth__shadow_job){0};
}

berth__shadow_outcome berth__shadow_observe(berth__shadow *s, berth__shadow_job *job, int slot) {
    berth__shadow_outcome outcome = {.planned = job->planned};
    if (slot >= 0) {
        int delay = slot > job->arrival ? slot - job->arrival : 0;
        outcome.observed = berth__utility_at(&job->utility, delay);
    }
    s->completed += slot >= 0;
    s->rejected += slot < 0;
    s->utility_planned += outcome.planned;
    s->utility_observed += outcome.observed;
    remove_job(s, job);
    return outcome;
}

void berth__shadow_forget(berth__shadow *s, uint64_t number) {
    berth__shadow_job *job = by_number(s, number);
    if (job != NULL) {
        remove_job(s, job);
    }
}

/* ---- snapshots ---- */

void berth__shadow_write(const berth__shadow *s, berth__writer *to) {
    berth__put_u64(to, s->completed);
    berth__put_u64(to, s->rejected);
    berth__put_real(to, s->utility_planned);
    berth__put_real(to, s->utility_observed);
    berth__put_count(to, s->n);
    for (size_t k = 0; k < s->n; k++) {
        const berth__shadow_job *job = &s->jobs[k];
        berth__put_text(to, job->id);
        berth__put_u64(to, job->number);
        berth__put_int(to, job->arrival);
        berth__put_real(to, job->planned);
        berth__utility_put(to, &job->utility);
    }
}

static void read_job(berth__shadow *s, berth__byte_reader *from, berth__arena *scratch) {
    berth_job job = {.id = berth__take_text(from, scratch, false, "the id")};
    uint64_t number = berth__take_u64(from);
    int arrival = berth__take_int(from, 0, INT_MAX, "the arrival");
    double planned = berth__take_real(from);
    berth__utility_take(from, scratch, &job.utility);
    if (!berth__byte_reader_good(from)) {
        return;
    }
    if (!berth__shadow_add(s, &job, arrival)) {
        berth__refuse_memory(from);
        return;
    }
    s->jobs[s->n - 1].number = number;
    s->jobs[s->n - 1].planned = planned;
}

void berth__shadow_read(berth__shadow *s, berth__byte_reader *from, berth__arena *scratch) {
    s->completed = berth__take_u64(from);
    s->rejected = berth__take_u64(from);
    s->utility_planned = berth__take_real(from);
    s->utility_observed = berth__take_real(from);
    size_t n = berth__take_count(from, SIZE_MAX, 25, "jobs to be observed");
    for (size_t k = 0; k < n && berth__byte_reader_good(from); k++) {
        berth__byte_reader_enter(from, "observed", k);
        read_job(s, from, scratch);
    }
}
