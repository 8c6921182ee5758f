#include "service/shadow.h"

#include "base/alloc.h"
#include "formulations/placement.h"

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

void berth__shadow_write(const berth__shadow *s, berth__buffer *to) {
    berth__buffer_put_u64(to, s->completed);
    berth__buffer_put_u64(to, s->rejected);
    berth__buffer_put_real(to, s->utility_planned);
    berth__buffer_put_real(to, s->utility_observed);
    berth__buffer_put_u64(to, s->n);
    for (size_t k = 0; k < s->n; k++) {
        const berth__shadow_job *job = &s->jobs[k];
        const berth_utility *u = &job->utility;
        berth__buffer_put_text(to, job->id);
        berth__buffer_put_u64(to, job->number);
        berth__buffer_put_u32(to, (uint32_t)job->arrival);
        berth__buffer_put_real(to, job->planned);
        berth__buffer_put_u32(to, (uint32_t)u->kind);
        const double reals[] = {u->theta[0], u->theta[1], u->theta[2], u->value, u->deadline_slots};
        for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
            berth__buffer_put_real(to, reals[i]);
        }
        berth__buffer_put_u64(to, u->n_steps);
        for (size_t i = 0; i < u->n_steps; i++) {
            berth__buffer_put_real(to, u->steps[i].delay_slots);
            berth__buffer_put_real(to, u->steps[i].value);
        }
    }
}

static bool read_job(berth__shadow *s, berth__source *from) {
    char *id = berth__source_text(from);
    uint64_t number = berth__source_u64(from);
    int arrival = (int)berth__source_u32(from);
    double planned = berth__source_real(from);
    berth_utility u = {.kind = (berth_utility_kind)berth__source_u32(from)};
    double *const reals[] = {&u.theta[0], &u.theta[1], &u.theta[2], &u.value, &u.deadline_slots};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        *reals[i] = berth__source_real(from);
    }
    uint64_t n_steps = berth__source_u64(from);
    from->failed = from->failed || n_steps > from->left / 16;
    berth_step *steps = from->failed ? NULL : BERTH__NEW_ARRAY(berth_step, (size_t)n_steps);
    bool read = id != NULL && steps != NULL;
    for (size_t i = 0; read && i < n_steps; i++) {
        steps[i].delay_slots = berth__source_real(from);
        steps[i].value = berth__source_real(from);
    }
    if (read) {
        u.n_steps = (size_t)n_steps;
        u.steps = steps;
        const berth_job job = {.id = id, .utility = u};
        read = berth__shadow_add(s, &job, arrival);
    }
    if (read) {
        s->jobs[s->n - 1].number = number;
        s->jobs[s->n - 1].planned = planned;
    }
    berth__free(steps);
    berth__free(id);
    return read && !from->failed;
}

bool berth__shadow_read(berth__shadow *s, berth__source *from) {
    s->completed = berth__source_u64(from);
    s->rejected = berth__source_u64(from);
    s->utility_planned = berth__source_real(from);
    s->utility_observed = berth__source_real(from);
    uint64_t n = berth__source_u64(from);
    for (uint64_t k = 0; k < n; k++) {
        if (from->failed || !read_job(s, from)) {
            return false;
        }
    }
    return !from->failed;
}
