#include "tests/support/job_twin.h"

#include <fnmatch.h>
#include <math.h>

double job_twin_utility(const berth_utility *u, double delay) {
    switch (u->kind) {
    case BERTH_UTILITY_SIGMOID:
        return u->theta[0] / (1 + exp(u->theta[1] * (delay - u->theta[2])));
    case BERTH_UTILITY_CONSTANT:
        return u->value;
    case BERTH_UTILITY_LINEAR:
        return fmax(0, u->value * (1 - delay / u->deadline_slots));
    case BERTH_UTILITY_DEADLINE:
        return delay <= u->deadline_slots ? u->value : 0;
    case BERTH_UTILITY_STEPS:
        for (size_t i = 0; i < u->n_steps; i++) {
            if (delay <= u->steps[i].delay_slots) {
                return u->steps[i].value;
            }
        }
        return 0;
    }
    return 0;
}

double job_twin_progress(double slot_seconds, const berth_job *job, bool internal) {
    double bandwidth = internal ? job->bandwidth_internal_mb_s : job->bandwidth_external_mb_s;
    double gamma = job->all_reduce ? 1 : job->workers_per_ps;
    return slot_seconds / (job->sample_seconds + gamma * 2 * job->gradient_mb / (job->batch * bandwidth));
}

int job_twin_servers(const berth_job *job, int workers) {
    int servers = 0;
    while (!job->all_reduce && job->workers_per_ps * servers < workers * (1 - 1e-9)) {
        servers++;
    }
    return servers;
}

static bool any_matches(size_t n, const char *const *globs, const char *name) {
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        any = any || fnmatch(globs[i], name, FNM_NOESCAPE) == 0;
    }
    return any;
}

bool job_twin_allows(const berth_job *job, const char *machine) {
    return (job->n_allow == 0 || any_matches(job->n_allow, job->allow, machine)) &&
           !any_matches(job->n_avoid, job->avoid, machine);
}
