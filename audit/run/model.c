/* The placement model of one job, read from the public structs. */
#include <math.h>
#include <string.h>

#include "audit/run/audit.h"
#include "base/tolerance.h"

void berth__audit_derive_job(const berth_instance *instance, size_t job, berth__audit_job *out) {
    const berth_job *spec = &instance->jobs[job];
    const double bandwidth[] = {
        [BERTH_INTERNAL] = spec->bandwidth_internal_mb_s, [BERTH_EXTERNAL] = spec->bandwidth_external_mb_s};
    out->spec = spec;
    out->work = spec->epochs * spec->samples;
    out->max_workers = spec->max_workers > 0 ? spec->max_workers : floor(spec->batch);
    out->workers_per_ps = spec->all_reduce ? (double)INFINITY : spec->workers_per_ps;
    double sharing = spec->all_reduce ? 1 : spec->workers_per_ps;
    for (int loc = 0; loc < 2; loc++) {
        double push = sharing * 2 * spec->gradient_mb / (spec->batch * bandwidth[loc]);
        out->slot_samples[loc] = instance->slot_seconds / (spec->sample_seconds + push);
    }
}

/* height / (1 + e^x) without overflow: e^-x reaches further down than 1 / e^x. */
static double sigmoid(double height, double x) {
    return x > 0 ? height * exp(-x) / (1 + exp(-x)) : height / (1 + exp(x));
}

double berth__audit_utility(const berth_utility *u, double d) {
    switch (u->kind) {
    case BERTH_UTILITY_SIGMOID:
        return sigmoid(u->theta[0], u->theta[1] * (d - u->theta[2]));
    case BERTH_UTILITY_CONSTANT:
        return u->value;
    case BERTH_UTILITY_LINEAR:
        return fmax(0, u->value * (1 - d / u->deadline_slots));
    case BERTH_UTILITY_DEADLINE:
        return d <= u->deadline_slots ? u->value : 0;
    case BERTH_UTILITY_STEPS:
        for (size_t i = 0; i < u->n_steps; i++) {
            if (u->steps[i].delay_slots >= d) {
                return u->steps[i].value;
            }
        }
        return 0;
    }
    return 0;
}

double berth__audit_log_utility(const berth_utility *u, double d) {
    if (u->kind != BERTH_UTILITY_SIGMOID) {
        return log(berth__audit_utility(u, d));
    }
    double x = u->theta[1] * (d - u->theta[2]);
    return log(u->theta[0]) - fmax(x, 0) - log1p(exp(-fabs(x)));
}

/* Length of the set that begins at glob[0] = '[', 0 if it is never closed (then '[' stands for itself). The first
 * character of a set may be ']'. */
static size_t set_length(const char *glob) {
    size_t i = glob[1] == '!' ? 2 : 1;
    if (glob[i] == ']') {
        i++;
    }
    while (glob[i] != '\0' && glob[i] != ']') {
        i++;
    }
    return glob[i] == ']' ? i + 1 : 0;
}

/* Of a closed set of that length. */
static bool in_set(const char *set, size_t length, char c) {
    bool negated = set[1] == '!', found = false;
    for (size_t i = negated ? 2 : 1; i + 1 < length; i++) {
        if (set[i + 1] == '-' && i + 3 < length) {
            found = found || (set[i] <= c && c <= set[i + 2]);
            i += 2;
        } else {
            found = found || set[i] == c;
        }
    }
    return found != negated;
}

/* Length of the pattern element at `glob` if it takes the character c, else 0. */
static size_t takes(const char *glob, char c) {
    size_t length = glob[0] == '[' ? set_length(glob) : 0;
    if (length > 0) {
        return in_set(glob, length, c) ? length : 0;
    }
    return glob[0] != '\0' && (glob[0] == '?' || glob[0] == c) ? 1 : 0;
}

static bool matches(const char *glob, const char *name) {
    const char *after_star = NULL, *retry = NULL;
    for (;;) {
        if (*glob == '*') {
            after_star = ++glob;
            retry = name;
            continue;
        }
        if (*glob == '\0' && *name == '\0') {
            return true;
        }
        size_t length = *name == '\0' ? 0 : takes(glob, *name);
        if (length > 0) {
            glob += length;
            name++;
        } else if (after_star != NULL && *retry != '\0') {
            glob = after_star; /* the star takes one character more */
            name = ++retry;
        } else {
            return false;
        }
    }
}

static bool matches_any(size_t n, const char *const *globs, const char *name) {
    bool any = false;
    for (size_t i = 0; i < n && !any; i++) {
        any = matches(globs[i], name);
    }
    return any;
}

bool berth__audit_eligible(const berth_job *job, const char *machine) {
    return (job->n_allow == 0 || matches_any(job->n_allow, job->allow, machine)) &&
           !matches_any(job->n_avoid, job->avoid, machine);
}

double berth__audit_least_delay(const berth__audit_job *job) {
    double fastest = fmax(job->slot_samples[BERTH_INTERNAL], job->slot_samples[BERTH_EXTERNAL]);
    return fmax(ceil(job->work * (1 - BERTH__PROGRESS) / fastest / job->max_workers), 1) - 1;
}

double berth__audit_servers(const berth__audit_job *job, double workers) {
    return ceil(workers / job->workers_per_ps * (1 - BERTH__FEASIBILITY));
}

double berth__audit_ps_demand(const berth_job *job, size_t resource) {
    return job->all_reduce || job->ps == NULL ? 0 : job->ps[resource];
}

double berth__audit_load(const berth_job *job, size_t resource, double w, double s) {
    return w * job->worker[resource] + s * berth__audit_ps_demand(job, resource);
}

bool berth__audit_within(double load, double limit) {
    return load <= limit * (1 + BERTH__FEASIBILITY);
}

bool berth__audit_agree(double claimed, double recomputed, double scale) {
    double size = fmax(scale, fmax(fabs(claimed), fabs(recomputed))), off = fabs(claimed - recomputed);
    return claimed == recomputed || (isfinite(off) && off <= BERTH__FIGURE * size);
}

const char *berth__audit_plural(double count) {
    return count == 1 ? "" : "s";
}

/* Is there a machine with room for one worker (or one server)? */
static bool has_room(const berth_instance *instance, const berth_job *job, double w, double s) {
    for (size_t h = 0; h < instance->n_machines; h++) {
        bool fits = berth__audit_eligible(job, instance->machines[h]);
        for (size_t r = 0; r < instance->n_resources && fits; r++) {
            fits =
                berth__audit_within(berth__audit_load(job, r, w, s), instance->capacity[h * instance->n_resources + r]);
        }
        if (fits) {
            return true;
        }
    }
    return false;
}

bool berth__audit_can_gain(const berth_instance *instance, const berth__audit_job *job) {
    double delay = berth__audit_least_delay(job);
    return job->spec->arrival_slot + delay <= instance->horizon_slots - 1 &&
           berth__audit_log_utility(&job->spec->utility, delay) > (double)-INFINITY &&
           has_room(instance, job->spec, 1, 0) && (job->spec->all_reduce || has_room(instance, job->spec, 0, 1));
}
