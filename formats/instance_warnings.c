/* What is allowed in an instance but rarely meant. */
#include <berth_io.h>

#include "base/error.h"
#include "formulations/placement.h"

#include <math.h>

enum { MOST_PER_KIND = 10 };

typedef enum doubt { NO_MACHINE_ALLOWED, WORKER_TOO_LARGE, PS_TOO_LARGE, CANNOT_FINISH, WORTH_NOTHING, N_DOUBTS } doubt;

static bool eligible(const berth_instance *instance, const berth_job *job, size_t machine) {
    const char *name = instance->machines[machine];
    return (job->n_allow == 0 || berth__glob_any(job->n_allow, job->allow, name)) &&
           !berth__glob_any(job->n_avoid, job->avoid, name);
}

static bool fits(const berth_instance *instance, const double *demand, size_t machine) {
    for (size_t r = 0; r < instance->n_resources; r++) {
        if (demand[r] > instance->capacity[machine * instance->n_resources + r]) {
            return false;
        }
    }
    return true;
}

/* Does one unit fit on any machine that the job may use? */
static bool fits_somewhere(const berth_instance *instance, const berth_job *job, const double *demand) {
    for (size_t h = 0; h < instance->n_machines; h++) {
        if (fits(instance, demand, h) && eligible(instance, job, h)) {
            return true;
        }
    }
    return false;
}

static bool any_eligible(const berth_instance *instance, const berth_job *job) {
    for (size_t h = 0; h < instance->n_machines; h++) {
        if (eligible(instance, job, h)) {
            return true;
        }
    }
    return false;
}

/* Slots at full width at the faster locality; the model's speed, see berth_job. */
static double fastest_slots(const berth_instance *instance, const berth_job *job) {
    double bandwidth = fmax(job->bandwidth_internal_mb_s, job->bandwidth_external_mb_s);
    double sharing = job->all_reduce ? 1 : job->workers_per_ps;
    double seconds = job->sample_seconds + sharing * 2 * job->gradient_mb / job->batch / bandwidth;
    double slots = job->epochs * job->samples * seconds / instance->slot_seconds / job->max_workers;
    return ceil(slots * (1 - 1e-9));
}

static doubt doubt_about(const berth_instance *instance, const berth_job *job) {
    if (!any_eligible(instance, job)) {
        return NO_MACHINE_ALLOWED;
    }
    if (!fits_somewhere(instance, job, job->worker)) {
        return WORKER_TOO_LARGE;
    }
    if (!job->all_reduce && !fits_somewhere(instance, job, job->ps)) {
        return PS_TOO_LARGE;
    }
    double slots = fmax(1, fastest_slots(instance, job));
    if (job->arrival_slot + slots > instance->horizon_slots) {
        return CANNOT_FINISH;
    }
    return berth__utility_at(&job->utility, slots - 1) > 0 ? N_DOUBTS : WORTH_NOTHING;
}

static const char *const doubt_text[N_DOUBTS] = {
    [NO_MACHINE_ALLOWED] = "allow and avoid leave it no machine",
    [WORKER_TOO_LARGE] = "one worker is larger than any machine that it may use",
    [PS_TOO_LARGE] = "one parameter server is larger than any machine that it may use",
    [CANNOT_FINISH] = "it cannot finish within the horizon, not even at full width",
    [WORTH_NOTHING] = "its utility is 0 even if it finishes as early as possible",
};

void berth_instance_warnings(const berth_instance *instance, const berth_hooks *hooks) {
    size_t counts[N_DOUBTS + 1] = {0};
    for (size_t k = 0; k < instance->n_jobs; k++) {
        doubt found = doubt_about(instance, &instance->jobs[k]);
        if (counts[found]++ < MOST_PER_KIND && found != N_DOUBTS) {
            berth__log(hooks, BERTH_LOG_WARNING, "/jobs/%zu: job \"%.60s\" will be rejected: %s", k,
                       instance->jobs[k].id, doubt_text[found]);
        }
    }
    for (size_t d = 0; d < N_DOUBTS; d++) {
        if (counts[d] > MOST_PER_KIND) {
            berth__log(hooks, BERTH_LOG_WARNING, "%zu more job%s: %s", counts[d] - MOST_PER_KIND,
                       counts[d] == MOST_PER_KIND + 1 ? "" : "s", doubt_text[d]);
        }
    }
    if (instance->n_jobs == 0) {
        berth__log(hooks, BERTH_LOG_WARNING, "/jobs: there are no jobs");
    }
}
