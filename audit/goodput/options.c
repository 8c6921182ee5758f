/* What jobs can have, and what it is worth: the rules of berth_goodput.h, from the instance alone. */
#include <math.h>

#include "audit/goodput/audit.h"

static const double least_value = 1e-3; /* Pollux adds it, and takes it as the least for p = 0 */
enum { MOST_DEFAULT = 64 };

/* ---- the cluster ---- */

static void set_type(const berth_goodput_instance *instance, size_t type, berth__goodput_audit_type *out) {
    *out = (berth__goodput_audit_type){0};
    for (size_t node = 0; node < instance->n_nodes; node++) {
        uint32_t gpus = instance->gpus[node];
        if (gpus == 0 || berth__goodput_audit_type_of(instance, node) != type) {
            continue;
        }
        out->capacity += gpus;
        out->n_nodes++;
        for (int k = 0; k < BERTH__AUDIT_JOB_NODES; k++) { /* takes its place, and the smaller ones move on */
            if (gpus > out->top[k]) {
                const uint32_t smaller = out->top[k];
                out->top[k] = gpus;
                gpus = smaller;
            }
        }
    }
    for (int k = 0; k < BERTH__AUDIT_JOB_NODES; k++) {
        out->reach += out->top[k];
        out->n_largest += out->top[k] > 0 && out->top[k] == out->top[0];
    }
}

/* ---- jobs ---- */

const berth_goodput_profile *berth__goodput_audit_profile(const berth_goodput_job *job, size_t type) {
    if (job->profile != NULL) {
        return job->profile;
    }
    const berth_goodput_profile *profile = job->typed != NULL ? &job->typed[type] : NULL;
    return profile != NULL && (profile->alpha_c > 0 || profile->beta_c > 0) ? profile : NULL;
}

static double widest(const berth_goodput_profile *profile) {
    return floor(profile->max_batch / profile->min_local);
}

static double bare_value(const berth_goodput_job *job, size_t type, size_t n, uint32_t gpus) {
    for (size_t k = 0; k < job->n_options; k++) {
        if (job->options[k].gpu_type == type && job->options[k].nodes == n && job->options[k].gpus == gpus) {
            return job->options[k].value;
        }
    }
    return 0;
}

double berth__goodput_audit_goodput(const berth__goodput_audit *a, size_t job, size_t type, size_t n, uint32_t gpus) {
    const berth_goodput_job *given = &a->instance->jobs[job];
    if (given->n_options > 0) {
        return bare_value(given, type, n, gpus);
    }
    const berth_goodput_profile *profile = berth__goodput_audit_profile(given, type);
    return profile != NULL ? berth__goodput_audit_best(profile, a->allocation->mode, n > 1, gpus) : 0;
}

/* Of the fair share, else of the most GPUs below, else of the fewest above. */
static double fair_goodput(const berth__goodput_audit *a, size_t job, const berth_goodput_profile *profile) {
    const berth__goodput_audit_job *j = &a->jobs[job];
    const bool spread = a->instance->fair == BERTH_FAIR_SPREAD && a->n_true_nodes > a->instance->n_jobs;
    const double share = fmin(fmax(ceil((double)a->total / (double)a->instance->n_jobs), 1), INT32_MAX);
    const double most = fmin(widest(profile), j->most > j->current ? j->most : j->current);
    double goodput = 0;
    for (uint32_t k = (uint32_t)fmin(share, widest(profile)); k >= 1 && !(goodput > 0); k--) {
        goodput = berth__goodput_audit_best(profile, a->allocation->mode, spread && k > 1, k);
    }
    for (uint32_t k = (uint32_t)share + 1; k <= most && !(goodput > 0); k++) {
        goodput = berth__goodput_audit_best(profile, a->allocation->mode, spread && k > 1, k);
    }
    return goodput;
}

static double pollux_unit(const berth__goodput_audit *a, size_t job) {
    const berth_goodput_job *given = &a->instance->jobs[job];
    double fair = 0;
    if (given->profile != NULL) {
        fair = fair_goodput(a, job, given->profile);
    }
    for (size_t type = 0; given->typed != NULL && type < a->instance->n_types; type++) {
        const berth_goodput_profile *profile = berth__goodput_audit_profile(given, type);
        fair = profile != NULL ? fmax(fair, fair_goodput(a, job, profile)) : fair;
    }
    return fair > 0 && a->total > 0 ? (double)a->n_true_nodes / ((double)a->total * fair) : 0;
}

/* Calls for every configuration of a type: type, nodes, GPUs. Pollux: n = 2 stands for several. */
typedef void visit_configuration(void *user, size_t type, size_t n, uint32_t gpus);

static void visit_sia(const berth__goodput_audit *a, size_t job, size_t type, visit_configuration *visit, void *user) {
    const berth__goodput_audit_type *t = &a->types[type];
    const berth__goodput_audit_job *j = &a->jobs[job];
    const uint32_t largest = t->top[0];
    uint64_t gpus = 1;
    while (largest > 0 && gpus <= largest) {
        if (gpus >= j->least && gpus <= j->most) {
            visit(user, type, 1, (uint32_t)gpus);
        }
        gpus = gpus < largest && 2 * gpus > largest ? largest : 2 * gpus;
    }
    for (size_t n = 2; n <= t->n_largest && n <= BERTH__AUDIT_JOB_NODES; n++) {
        gpus = (uint64_t)n * largest;
        if (gpus >= j->least && gpus <= j->most) {
            visit(user, type, n, (uint32_t)gpus);
        }
    }
}

static void visit_pollux(const berth__goodput_audit *a, size_t job, size_t type, visit_configuration *visit,
                         void *user) {
    const berth__goodput_audit_type *t = &a->types[type];
    const berth__goodput_audit_job *j = &a->jobs[job];
    const berth_goodput_profile *profile = berth__goodput_audit_profile(&a->instance->jobs[job], type);
    const uint32_t largest = t->top[0];
    const double most = profile != NULL ? fmin(fmin(widest(profile), j->most), (double)t->reach) : 0;
    for (uint32_t gpus = j->least; gpus <= most; gpus++) {
        if (gpus <= largest) {
            visit(user, type, 1, gpus);
        }
        if (gpus >= 2 && t->n_nodes >= 2) {
            visit(user, type, 2, gpus);
        }
    }
}

/* Have the n nodes of a type that have most so many GPUs? */
static bool has_room(const berth__goodput_audit *a, size_t type, size_t n, uint32_t gpus) {
    uint64_t sum = 0;
    for (size_t k = 0; k < n && k < BERTH__AUDIT_JOB_NODES; k++) {
        sum += a->types[type].top[k];
    }
    return n <= a->types[type].n_nodes && n <= BERTH__AUDIT_JOB_NODES && gpus <= sum;
}

static void visit_bare(const berth__goodput_audit *a, size_t job, visit_configuration *visit, void *user) {
    const berth_goodput_job *given = &a->instance->jobs[job];
    const berth__goodput_audit_job *j = &a->jobs[job];
    for (size_t k = 0; k < given->n_options; k++) {
        const berth_goodput_option *o = &given->options[k];
        if (o->gpus >= j->least && o->gpus <= j->most && has_room(a, o->gpu_type, o->nodes, o->gpus)) {
            visit(user, o->gpu_type, o->nodes, o->gpus);
        }
    }
}

static void visit_all(const berth__goodput_audit *a, size_t job, visit_configuration *visit, void *user) {
    const berth_goodput_job *given = &a->instance->jobs[job];
    if (given->n_options > 0) {
        visit_bare(a, job, visit, user);
        return;
    }
    for (size_t type = 0; type < a->instance->n_types; type++) {
        if (berth__goodput_audit_profile(given, type) != NULL) {
            (a->instance->rules == BERTH_RULES_SIA ? visit_sia : visit_pollux)(a, job, type, visit, user);
        }
    }
}

/* ---- units ---- */

typedef struct least_search {
    const berth__goodput_audit *audit;
    size_t job;
    double least;
} least_search;

static void visit_least(void *user, size_t type, size_t n, uint32_t gpus) {
    least_search *search = user;
    const double goodput = berth__goodput_audit_goodput(search->audit, search->job, type, n, gpus);
    search->least = goodput > 0 ? fmin(search->least, goodput) : search->least;
}

static double unit_of(const berth__goodput_audit *a, size_t job) {
    const berth_goodput_job *given = &a->instance->jobs[job];
    if (given->n_options > 0) {
        return 1;
    }
    if (a->instance->rules != BERTH_RULES_SIA) {
        return pollux_unit(a, job);
    }
    least_search search = {.audit = a, .job = job, .least = (double)INFINITY};
    visit_all(a, job, visit_least, &search);
    return isfinite(search.least) ? 1 / search.least : 1;
}

static double factor_of(const berth_goodput_instance *instance, const berth_goodput_job *job) {
    const double after = job->age_s + instance->restart_s;
    const bool free = instance->rules == BERTH_RULES_SIA && job->n_current == 0;
    return free || after <= 0 ? 1 : fmax(job->age_s - instance->restart_s * job->restarts, 0) / after;
}

static uint32_t most_of(const berth_goodput_instance *instance, const berth_goodput_job *job) {
    double most = 0;
    if (job->max_replicas > 0) {
        return job->max_replicas;
    }
    if (job->n_options > 0) {
        return UINT32_MAX;
    }
    for (size_t type = 0; type < instance->n_types; type++) {
        const berth_goodput_profile *profile = berth__goodput_audit_profile(job, type);
        most = profile != NULL ? fmax(most, widest(profile)) : most;
    }
    return (uint32_t)fmin(most, MOST_DEFAULT);
}

static void set_job(berth__goodput_audit *a, size_t job) {
    const berth_goodput_job *given = &a->instance->jobs[job];
    berth__goodput_audit_job *out = &a->jobs[job];
    *out = (berth__goodput_audit_job){.least = given->min_replicas > 1 ? given->min_replicas : 1,
                                      .most = most_of(a->instance, given),
                                      .factor = factor_of(a->instance, given),
                                      .is_pinned = given->pinned && given->n_current > 0};
    for (size_t k = 0; k < given->n_current; k++) {
        out->current += given->current[k].gpus;
        out->current_type = berth__goodput_audit_type_of(a->instance, given->current[k].node);
    }
    out->unit = unit_of(a, job);
    out->has_keep =
        out->is_pinned || (given->n_current > 0 && given->n_current <= BERTH__AUDIT_JOB_NODES &&
                           out->current >= out->least && out->current <= out->most &&
                           berth__goodput_audit_goodput(a, job, out->current_type, given->n_current, out->current) > 0);
}

void berth__goodput_audit_limits(berth__goodput_audit *a) {
    for (size_t type = 0; type < a->instance->n_types; type++) {
        set_type(a->instance, type, &a->types[type]);
        a->total += a->types[type].capacity;
        a->n_true_nodes += a->types[type].n_nodes;
    }
    for (size_t job = 0; job < a->instance->n_jobs && !berth__budget_spent(a->budget); job++) {
        set_job(a, job);
    }
}

/* ---- what is allowed ---- */

/* Sia: no change that restarts make worthless, and growth to at most twice. */
static bool may_change_to(const berth__goodput_audit *a, size_t job, uint32_t gpus) {
    const berth__goodput_audit_job *j = &a->jobs[job];
    if (a->instance->rules != BERTH_RULES_SIA) {
        return true;
    }
    const uint64_t twice = j->current > 0 ? 2 * (uint64_t)j->current : 1;
    return j->factor > 0 && (a->instance->jobs[job].n_options > 0 || gpus <= (twice > j->least ? twice : j->least));
}

typedef struct match_search {
    size_t type, n;
    uint32_t gpus;
    bool any_number; /* of nodes above one */
    bool found;
} match_search;

static void visit_match(void *user, size_t type, size_t n, uint32_t gpus) {
    match_search *search = user;
    const bool nodes = search->any_number && n > 1 ? search->n > 1 : n == search->n;
    search->found |= type == search->type && gpus == search->gpus && nodes;
}

bool berth__goodput_audit_allowed(const berth__goodput_audit *a, size_t job, size_t type, size_t n, uint32_t gpus) {
    const bool pollux = a->instance->jobs[job].n_options == 0 && a->instance->rules != BERTH_RULES_SIA;
    match_search search = {.type = type, .n = n, .gpus = gpus, .any_number = pollux};
    visit_all(a, job, visit_match, &search);
    return search.found && n <= BERTH__AUDIT_JOB_NODES && may_change_to(a, job, gpus) &&
           berth__goodput_audit_goodput(a, job, type, n, gpus) > 0;
}

typedef struct option_search {
    const berth__goodput_audit *audit;
    size_t job;
    berth__goodput_audit_visit *visit;
    void *user;
} option_search;

static void visit_option(void *user, size_t type, size_t n, uint32_t gpus) {
    const option_search *search = user;
    const berth__goodput_audit_job *j = &search->audit->jobs[search->job];
    const double goodput = berth__goodput_audit_goodput(search->audit, search->job, type, n, gpus);
    if (goodput > 0 && may_change_to(search->audit, search->job, gpus)) {
        const berth__goodput_audit_option option = {type, n, gpus, false, goodput * j->unit * j->factor};
        search->visit(search->user, &option);
    }
}

void berth__goodput_audit_options(const berth__goodput_audit *a, size_t job, berth__goodput_audit_visit *visit,
                                  void *user) {
    const berth__goodput_audit_job *j = &a->jobs[job];
    option_search search = {.audit = a, .job = job, .visit = visit, .user = user};
    const size_t n = a->instance->jobs[job].n_current;
    const berth__goodput_audit_option none = {0};
    if (j->has_keep) {
        const double goodput = berth__goodput_audit_goodput(a, job, j->current_type, n, j->current);
        const berth__goodput_audit_option keep = {j->current_type, n, j->current, true, j->unit * goodput};
        visit(user, &keep);
    }
    if (!j->is_pinned) {
        visit(user, &none);
        visit_all(a, job, visit_option, &search);
    }
}

bool berth__goodput_audit_kept(const berth__goodput_audit *a, size_t job) {
    const berth_goodput_job *given = &a->instance->jobs[job];
    const berth_allocated_job *has = &a->allocation->jobs[job];
    bool same = has->n_nodes == given->n_current;
    for (size_t k = 0; same && k < has->n_nodes; k++) {
        same = has->nodes[k].node == given->current[k].node && has->nodes[k].gpus == given->current[k].gpus;
    }
    return same;
}

/* ---- the objective ---- */

double berth__goodput_audit_weight(const berth__goodput_audit *a, double value, bool starved) {
    if (a->instance->rules == BERTH_RULES_SIA) {
        return starved || !(value > 0) ? -a->instance->lambda_none : -pow(value, a->p);
    }
    if (a->p > 0 || a->p < 0) {
        return a->p > 0 ? pow(value + least_value, a->p) : -pow(value + least_value, a->p);
    }
    return log(fmax(value, least_value));
}

double berth__goodput_audit_fitness(const berth__goodput_audit *a, double sum) {
    const double mean = sum / (double)a->instance->n_jobs;
    if (a->p > 0) {
        return mean > 0 ? pow(mean, 1 / a->p) : 0;
    }
    if (a->p < 0) {
        return mean < 0 ? pow(-mean, 1 / a->p) : (double)INFINITY;
    }
    return exp(mean);
}
