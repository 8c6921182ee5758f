#include "formulations/placement.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "formulations/fields.h"
#include "formulations/internal_curve.h"

/* A job that may need more parameter servers than this in a slot is refused, so that counts stay far from INT_MAX. */
#define MOST_PS 1e9

/* F: the given width, or one worker per sample of a batch. */
static int full_width(const berth_job *job) {
    if (job->max_workers != 0) {
        return job->max_workers;
    }
    return job->batch >= INT_MAX ? INT_MAX : (int)floor(job->batch);
}

/* ---- utility ---- */

/* Value of the first step whose delay is no less. O(log n_steps). */
static double step_at(const berth_utility *utility, double delay_slots) {
    size_t low = 0, high = utility->n_steps;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool before = utility->steps[middle].delay_slots < delay_slots;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low < utility->n_steps ? utility->steps[low].value : 0;
}

double berth__utility_at(const berth_utility *utility, double delay_slots) {
    switch (utility->kind) {
    case BERTH_UTILITY_SIGMOID: {
        double slope = utility->theta[1];
        double exponent = slope == 0 ? 0 : slope * (delay_slots - utility->theta[2]);
        /* Beyond 36 the 1 is less than half a unit in the last place; exp(-x) then reaches further than 1 / exp(x). */
        return exponent > 36 ? utility->theta[0] * exp(-exponent) : utility->theta[0] / (1 + exp(exponent));
    }
    case BERTH_UTILITY_CONSTANT:
        return utility->value;
    case BERTH_UTILITY_LINEAR:
        return delay_slots >= utility->deadline_slots ? 0
                                                      : utility->value * (1 - delay_slots / utility->deadline_slots);
    case BERTH_UTILITY_DEADLINE:
        return delay_slots <= utility->deadline_slots ? utility->value : 0;
    case BERTH_UTILITY_STEPS:
        return step_at(utility, delay_slots);
    }
    return 0;
}

static berth_status check_steps(const berth_utility *utility, berth_error *error) {
    if (utility->n_steps < 1 || utility->steps == NULL) {
        return berth__fail(error, BERTH_E_INPUT, "/utility/table", "the table is empty; expected at least one pair");
    }
    char where[BERTH__WHERE_SIZE];
    for (size_t i = 0; i < utility->n_steps; i++) {
        const berth_step *step = &utility->steps[i];
        const berth_step *last = i == 0 ? NULL : step - 1;
        snprintf(where, sizeof where, "/utility/table/%zu/0", i);
        berth_status status = berth__check_number(where, step->delay_slots, BERTH__NON_NEGATIVE, error);
        if (status != BERTH_OK) {
            return status;
        }
        if (last != NULL && !(step->delay_slots > last->delay_slots)) {
            return berth__fail(error, BERTH_E_INPUT, where, "delay is %g after %g; expected strictly increasing delays",
                               step->delay_slots, last->delay_slots);
        }
        snprintf(where, sizeof where, "/utility/table/%zu/1", i);
        status = berth__check_number(where, step->value, BERTH__AMOUNT, error);
        if (status != BERTH_OK) {
            return status;
        }
        if (last != NULL && step->value > last->value) {
            return berth__fail(error, BERTH_E_INPUT, where, "value is %g after %g; expected non-increasing values",
                               step->value, last->value);
        }
    }
    return BERTH_OK;
}

static berth_status check_utility(const berth_utility *utility, berth_error *error) {
    berth_status status = BERTH_OK;
    switch (utility->kind) {
    case BERTH_UTILITY_SIGMOID:
        status = berth__check_number("/utility/theta/0", utility->theta[0], BERTH__AMOUNT, error);
        if (status == BERTH_OK) {
            status = berth__check_number("/utility/theta/1", utility->theta[1], BERTH__NON_NEGATIVE, error);
        }
        return status == BERTH_OK ? berth__check_number("/utility/theta/2", utility->theta[2], BERTH__FINITE, error)
                                  : status;
    case BERTH_UTILITY_CONSTANT:
        return berth__check_number("/utility/value", utility->value, BERTH__AMOUNT, error);
    case BERTH_UTILITY_LINEAR:
    case BERTH_UTILITY_DEADLINE:
        status = berth__check_number("/utility/value", utility->value, BERTH__AMOUNT, error);
        if (status != BERTH_OK) {
            return status;
        }
        return berth__check_number("/utility/deadline_slots", utility->deadline_slots,
                                   utility->kind == BERTH_UTILITY_LINEAR ? BERTH__POSITIVE : BERTH__NON_NEGATIVE,
                                   error);
    case BERTH_UTILITY_STEPS:
        return check_steps(utility, error);
    }
    return berth__fail(error, BERTH_E_INPUT, "/utility/kind", "utility/kind is %d; expected one of 0 to %d",
                       (int)utility->kind, (int)BERTH_UTILITY_STEPS);
}

/* ---- checking ---- */

void berth_job_init(berth_job *job) {
    *job = (berth_job){.struct_size = sizeof *job};
}

static const struct {
    const char *where;
    size_t offset;
    berth__range expected;
} job_numbers[] = {
    {"/epochs", offsetof(berth_job, epochs), BERTH__POSITIVE},
    {"/samples", offsetof(berth_job, samples), BERTH__POSITIVE},
    {"/batch", offsetof(berth_job, batch), BERTH__POSITIVE},
    {"/sample_seconds", offsetof(berth_job, sample_seconds), BERTH__NON_NEGATIVE},
    {"/gradient_mb", offsetof(berth_job, gradient_mb), BERTH__NON_NEGATIVE},
    {"/bandwidth_internal_mb_s", offsetof(berth_job, bandwidth_internal_mb_s), BERTH__POSITIVE},
    {"/bandwidth_external_mb_s", offsetof(berth_job, bandwidth_external_mb_s), BERTH__POSITIVE},
};

static berth_status check_job_numbers(const berth_job *job, berth_error *error) {
    for (size_t i = 0; i < sizeof job_numbers / sizeof job_numbers[0]; i++) {
        double value;
        memcpy(&value, (const char *)job + job_numbers[i].offset, sizeof value);
        berth_status status = berth__check_number(job_numbers[i].where, value, job_numbers[i].expected, error);
        if (status != BERTH_OK) {
            return status;
        }
    }
    if (job->all_reduce) {
        return BERTH_OK;
    }
    berth_status status = berth__check_number("/workers_per_ps", job->workers_per_ps, BERTH__POSITIVE, error);
    if (status == BERTH_OK && full_width(job) / job->workers_per_ps > MOST_PS) {
        return berth__fail(error, BERTH_E_INPUT, "/workers_per_ps",
                           "workers_per_ps is %g, so that %d workers need more than %g servers", job->workers_per_ps,
                           full_width(job), MOST_PS);
    }
    return status;
}

/* Seconds a worker spends on one sample, pushes included (the reciprocal of its speed). */
static double seconds_per_sample(const berth_job *job, berth_locality locality) {
    double bandwidth = locality == BERTH_INTERNAL ? job->bandwidth_internal_mb_s : job->bandwidth_external_mb_s;
    double sharing = job->all_reduce ? 1 : job->workers_per_ps;
    /* Divided step by step: a product of batch and bandwidth could overflow and hide the cost. */
    return job->sample_seconds + sharing * 2 * job->gradient_mb / job->batch / bandwidth;
}

static berth_status check_job_speed(const berth_job *job, berth_error *error) {
    double work = job->epochs * job->samples;
    if (!isfinite(work) || work <= 0) {
        return berth__fail(error, BERTH_E_INPUT, "/samples", "epochs * samples is %g; expected a finite number > 0",
                           work);
    }
    if (job->max_workers < 0) {
        return berth__fail(error, BERTH_E_INPUT, "/max_workers", "max_workers is %d; expected a number >= 1",
                           job->max_workers);
    }
    if (full_width(job) < 1) {
        return berth__fail(error, BERTH_E_INPUT, "/max_workers",
                           "max_workers is left to its default, floor(batch), which is 0; expected a number >= 1");
    }
    for (int locality = BERTH_INTERNAL; locality <= BERTH_EXTERNAL; locality++) {
        double seconds = seconds_per_sample(job, (berth_locality)locality);
        if (!isfinite(seconds) || !(seconds > 0) || !isfinite(1 / seconds)) {
            return berth__fail(error, BERTH_E_INPUT, "/sample_seconds",
                               "a sample takes %g s, pushes included; expected a finite number > 0", seconds);
        }
    }
    return BERTH_OK;
}

static berth_status check_demand(const char *name, const double *demand, size_t n, const char *const *resources,
                                 berth_error *error) {
    if (demand == NULL) {
        return berth__fail(error, BERTH_E_INPUT, name, "%s is missing", name + 1);
    }
    for (size_t r = 0; r < n; r++) {
        char prefix[16], where[BERTH__WHERE_SIZE];
        snprintf(prefix, sizeof prefix, "%s/", name);
        berth__point_at(where, prefix, resources[r]);
        berth_status status = berth__check_number(where, demand[r], BERTH__AMOUNT, error);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

static berth_status check_demands(const berth_job *job, size_t n, const char *const *resources, berth_error *error) {
    berth_status status = check_demand("/worker", job->worker, n, resources, error);
    if (status != BERTH_OK) {
        return status;
    }
    bool any = false;
    for (size_t r = 0; r < n; r++) {
        any = any || job->worker[r] > 0;
    }
    if (!any) {
        return berth__fail(error, BERTH_E_INPUT, "/worker", "worker demands nothing; expected some demand > 0");
    }
    if (!job->all_reduce) {
        return check_demand("/ps", job->ps, n, resources, error);
    }
    if (job->ps != NULL) {
        return berth__fail(error, BERTH_E_INPUT, "/ps", "ps is given for an all-reduce job; expected none");
    }
    return BERTH_OK;
}

static berth_status check_globs(const char *name, size_t n, const char *const *globs, berth_error *error) {
    if (n > 0 && globs == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, name, "the list is NULL; expected %zu patterns", n);
    }
    for (size_t i = 0; i < n; i++) {
        char where[BERTH__WHERE_SIZE];
        snprintf(where, sizeof where, "%s/%zu", name, i);
        berth_status status = berth__check_name(where, globs[i], error);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

static berth_status check_job_names(const berth_job *job, int horizon_slots, berth_error *error) {
    if (job->struct_size != sizeof *job) {
        return berth__fail(error, BERTH_E_ARGUMENT, "job", "struct_size is %zu; expected berth_job_init's %zu",
                           job->struct_size, sizeof *job);
    }
    berth_status status = berth__check_name("/id", job->id, error);
    if (status == BERTH_OK && job->tenant != NULL) {
        status = berth__check_name("/tenant", job->tenant, error);
    }
    if (status == BERTH_OK) {
        status = check_globs("/allow", job->n_allow, job->allow, error);
    }
    if (status == BERTH_OK) {
        status = check_globs("/avoid", job->n_avoid, job->avoid, error);
    }
    if (status == BERTH_OK && (job->arrival_slot < 0 || job->arrival_slot >= horizon_slots)) {
        return berth__fail(error, BERTH_E_INPUT, "/arrival_slot", "arrival_slot is %d; expected a number from 0 to %d",
                           job->arrival_slot, horizon_slots - 1);
    }
    return status;
}

berth_status berth__job_validate(const berth_job *job, size_t n_resources, const char *const *resources,
                                 int horizon_slots, berth_error *error) {
    if (job == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "job", "job is NULL");
    }
    berth_status status = check_job_names(job, horizon_slots, error);
    if (status == BERTH_OK) {
        status = check_job_numbers(job, error);
    }
    if (status == BERTH_OK) {
        status = check_job_speed(job, error);
    }
    if (status == BERTH_OK) {
        status = check_demands(job, n_resources, resources, error);
    }
    return status == BERTH_OK ? check_utility(&job->utility, error) : status;
}

/* ---- deriving ---- */

/* Demands as shares of the totals. INFINITY where the cluster has nothing of the resource. */
static double *shares(berth__arena *arena, const berth__cluster *cluster, const double *demand) {
    double *share = BERTH__ARENA_ARRAY(arena, double, (size_t)cluster->n_resources);
    for (int r = 0; share != NULL && demand != NULL && r < cluster->n_resources; r++) {
        share[r] = demand[r] > 0 ? demand[r] / cluster->total[r] : 0;
    }
    return share;
}

bool berth__job_allows(const berth_job *spec, const char *machine) {
    return (spec->n_allow == 0 || berth__glob_any(spec->n_allow, spec->allow, machine)) &&
           !berth__glob_any(spec->n_avoid, spec->avoid, machine);
}

static bool derive_eligible(berth__job *job, berth__arena *arena, const berth__cluster *cluster,
                            const berth_job *spec) {
    if (spec->n_allow == 0 && spec->n_avoid == 0 && cluster->closed == NULL) {
        return true;
    }
    job->eligible = BERTH__ARENA_ARRAY(arena, bool, (size_t)cluster->n_machines);
    for (int h = 0; job->eligible != NULL && h < cluster->n_machines; h++) {
        const char *name = cluster->machines[h];
        job->eligible[h] = berth__job_allows(spec, name) && (cluster->closed == NULL || !cluster->closed[h]);
    }
    return job->eligible != NULL;
}

static bool derive_widest_internal(berth__job *job, berth__arena *arena, const berth__cluster *cluster) {
    bool *done = BERTH__ARENA_ARRAY(arena, bool, (size_t)cluster->n_classes);
    if (done == NULL) {
        return false;
    }
    for (int h = 0; h < cluster->n_machines; h++) {
        if (!done[cluster->class_of[h]] && (job->eligible == NULL || job->eligible[h])) {
            const double *capacity = cluster->capacity + (size_t)h * (size_t)cluster->n_resources;
            int room = berth__internal_room(capacity, 1, job, cluster->n_resources, job->max_workers);
            job->widest_internal = room > job->widest_internal ? room : job->widest_internal;
            done[cluster->class_of[h]] = true;
        }
    }
    return true;
}

static berth_status derive_speeds(berth__job *job, const berth__cluster *cluster, const berth_job *spec,
                                  berth_error *error) {
    job->work = spec->epochs * spec->samples;
    job->workers_per_ps = spec->all_reduce ? (double)INFINITY : spec->workers_per_ps;
    job->max_workers = full_width(spec);
    for (int locality = BERTH_INTERNAL; locality <= BERTH_EXTERNAL; locality++) {
        double samples = cluster->slot_seconds / seconds_per_sample(spec, (berth_locality)locality);
        double slots = job->work / samples;
        if (!isfinite(samples) || !isfinite(slots) || !(samples > 0) || !(slots > 0)) {
            return berth__fail(error, BERTH_E_INPUT, "/sample_seconds",
                               "a worker processes %g of %g samples in a slot, out of the range of computation",
                               samples, job->work);
        }
        job->slot_samples[locality] = samples;
        job->worker_slots = fmax(job->worker_slots, slots);
    }
    double fastest = fmax(job->slot_samples[BERTH_INTERNAL], job->slot_samples[BERTH_EXTERNAL]);
    double slots = ceil(job->work * (1 - BERTH__PROGRESS) / fastest / job->max_workers);
    job->fastest_slots = slots >= INT_MAX ? INT_MAX : slots < 1 ? 1 : (int)slots;
    return BERTH_OK;
}

static bool derive_rest(berth__job *job, berth__arena *arena, const berth__cluster *cluster, const berth_job *given) {
    const berth_job *spec = berth__job_spec_copy(arena, (size_t)cluster->n_resources, given);
    if (spec == NULL) {
        return false;
    }
    job->spec = spec;
    job->id = spec->id;
    job->worker = shares(arena, cluster, spec->worker);
    job->ps = shares(arena, cluster, spec->all_reduce ? NULL : spec->ps);
    job->utility = spec->utility;
    if (job->worker == NULL || job->ps == NULL) {
        return false;
    }
    job->quota = -1;
    for (int q = 0; spec->tenant != NULL && q < cluster->n_quotas; q++) {
        if (strcmp(cluster->quota_tenant[q], spec->tenant) == 0) {
            job->quota = q;
        }
    }
    return derive_eligible(job, arena, cluster, spec);
}

berth_status berth__job_new(const berth__cluster *cluster, const berth_job *spec, berth__job **out,
                            berth_error *error) {
    *out = NULL;
    berth_status status = berth__job_validate(spec, (size_t)cluster->n_resources,
                                              (const char *const *)cluster->resources, cluster->horizon, error);
    if (status != BERTH_OK) {
        return status;
    }
    berth__arena *arena = berth__arena_new();
    berth__job *job = arena == NULL ? NULL : BERTH__ARENA_ARRAY(arena, berth__job, 1);
    if (job == NULL || !derive_rest(job, arena, cluster, spec)) {
        status = berth__fail_memory(error);
        goto done;
    }
    job->memory = arena;
    job->arrival = spec->arrival_slot;
    status = derive_speeds(job, cluster, spec, error);
    if (status == BERTH_OK && !derive_widest_internal(job, arena, cluster)) {
        status = berth__fail_memory(error);
    }
done:
    if (status == BERTH_OK) {
        *out = job;
    } else {
        berth__arena_free(arena);
    }
    return status;
}

berth_status berth__jobs_new(const berth__cluster *cluster, size_t n, const berth_job *specs, berth__job **out,
                             berth_error *error) {
    for (size_t i = 0; i < n; i++) {
        berth_status status = berth__job_new(cluster, &specs[i], &out[i], error);
        if (status != BERTH_OK) {
            char prefix[32];
            snprintf(prefix, sizeof prefix, "/jobs/%zu", i);
            berth__error_prefix(error, prefix);
            return status;
        }
    }
    return BERTH_OK;
}

berth_status berth__job_renew(const berth__cluster *cluster, const berth__job *job, berth__job **out,
                              berth_error *error) {
    berth_job spec = *job->spec;
    spec.arrival_slot = 0;
    berth_status status = berth__job_new(cluster, &spec, out, error);
    if (status == BERTH_OK) {
        (*out)->arrival = job->arrival;
    }
    return status;
}

void berth__job_free(berth__job *job) {
    if (job != NULL) {
        berth__arena_free(job->memory);
    }
}

int berth__ps_needed(const berth__job *job, int workers) {
    /* Within the tolerance of a cover row: 11 workers at 1.1 a server need 10. */
    double servers = ceil(workers / job->workers_per_ps * (1 - BERTH__FEASIBILITY));
    return servers >= INT_MAX ? INT_MAX : (int)servers;
}

double berth__dominant_share(const berth__cluster *cluster, const berth__job *job, int w, int s) {
    double share = 0;
    for (int r = 0; r < cluster->n_resources; r++) {
        share = fmax(share, berth__load(job, r, w, s));
    }
    return share;
}

/* ---- globs ---- */

/* Matches c against the set at *set, just behind its '['; moves *set behind its ']'. A '[' without ']' is a
 * literal: *set stays, and the caller has to compare. */
static bool match_set(const char **set, char c, bool *closed) {
    const char *s = *set;
    bool negated = *s == '!';
    s += negated;
    const char *end = *s == '\0' ? NULL : strchr(s + 1, ']');
    *closed = end != NULL;
    if (end == NULL) {
        return false;
    }
    bool found = false;
    while (s < end) {
        bool is_range = s + 2 < end && s[1] == '-';
        found = found || (is_range ? s[0] <= c && c <= s[2] : *s == c);
        s += is_range ? 3 : 1;
    }
    *set = end + 1;
    return found != negated;
}

/* One character of the pattern, '*' excluded, against c; moves *pattern on if it matches. */
static bool match_one(const char **pattern, char c) {
    const char *p = *pattern;
    bool closed = false, matched = false;
    if (*p == '[') {
        p++;
        matched = match_set(&p, c, &closed);
    }
    if (!closed) {
        p = *pattern;
        matched = *p == '?' || *p == c;
        p++;
    }
    if (matched) {
        *pattern = p;
    }
    return matched;
}

/* After a mismatch only the last '*' needs to take one character more: linear space, O(|glob| |name|) time. */
static bool glob_matches(const char *glob, const char *name) {
    const char *star = NULL, *resume = NULL;
    while (*name != '\0') {
        if (*glob == '*') {
            star = ++glob;
            resume = name;
        } else if (*glob != '\0' && match_one(&glob, *name)) {
            name++;
        } else if (star != NULL) {
            glob = star;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*glob == '*') {
        glob++;
    }
    return *glob == '\0';
}

bool berth__glob_any(size_t n, const char *const *globs, const char *name) {
    for (size_t i = 0; i < n; i++) {
        if (glob_matches(globs[i], name)) {
            return true;
        }
    }
    return false;
}
