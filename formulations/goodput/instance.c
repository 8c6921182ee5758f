#include "formulations/goodput/instance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "formulations/goodput/model.h"
#include "solver/solve.h"

static const double much = 1e15;

void berth_goodput_job_init(berth_goodput_job *job) {
    *job = (berth_goodput_job){.struct_size = sizeof *job};
}

void berth_goodput_instance_init(berth_goodput_instance *instance) {
    *instance = (berth_goodput_instance){
        .struct_size = sizeof *instance, .n_types = 1, .p = -1, .restart_s = 30, .round_s = 60, .lambda_none = 1.1};
}

void berth_allocate_options_init(berth_allocate_options *options) {
    *options = (berth_allocate_options){.struct_size = sizeof *options,
                                        .solver = "auto",
                                        .starve_last = true,
                                        .seed = 1,
                                        .time_limit_s = (double)INFINITY};
    berth_hooks_init(&options->hooks);
}

const char *berth_allocator_name(berth_allocator allocator) {
    switch (allocator) {
#define ALLOCATOR_NAME(name, value, text)                                                                              \
    case BERTH_ALLOCATOR_##name:                                                                                       \
        return text;
        BERTH_ALLOCATOR_TABLE(ALLOCATOR_NAME)
#undef ALLOCATOR_NAME
    }
    return "unknown";
}

/* ---- numbers ---- */

static berth_status check_real(const char *field, double value, double least, double most, berth_error *error) {
    if (value >= least && value <= most)
        return BERTH_OK;
    return berth__fail(error, BERTH_E_ARGUMENT, field, "%s is %g; expected a number in [%g, %g]",
                       strrchr(field, '/') ? strrchr(field, '/') + 1 : field, value, least, most);
}

static berth_status check_count(const char *field, uint32_t value, uint32_t least, uint32_t most, berth_error *error) {
    if (value >= least && value <= most)
        return BERTH_OK;
    return berth__fail(error, BERTH_E_ARGUMENT, field, "%s is %u; expected a number in [%u, %u]",
                       strrchr(field, '/') ? strrchr(field, '/') + 1 : field, value, least, most);
}

/* ---- nodes ---- */

static berth_status check_nodes(const berth_goodput_instance *instance, berth_error *error) {
    char where[64];
    if (instance->n_nodes > 0 && instance->gpus == NULL)
        return berth__fail(error, BERTH_E_ARGUMENT, "/nodes", "no GPUs are given for the nodes");
    for (size_t n = 0; n < instance->n_nodes; n++) {
        snprintf(where, sizeof where, "/nodes/%zu/gpus", n);
        const berth_status status = check_count(where, instance->gpus[n], 0, BERTH__MOST_GPUS, error);
        if (status)
            return status;
        if (instance->gpu_type != NULL && instance->gpu_type[n] >= instance->n_types) {
            snprintf(where, sizeof where, "/nodes/%zu/gpu_type", n);
            return berth__fail(error, BERTH_E_ARGUMENT, where, "there is no GPU type %zu: expected less than %zu",
                               instance->gpu_type[n], instance->n_types);
        }
    }
    return BERTH_OK;
}

/* ---- jobs ---- */

static size_t type_of(const berth_goodput_instance *instance, size_t node) {
    return instance->gpu_type != NULL ? instance->gpu_type[node] : 0;
}

static berth_status check_current(const berth_goodput_instance *instance, const berth_goodput_job *job,
                                  berth_error *error) {
    char where[64];
    uint64_t total = 0;
    if (job->n_current > 0 && job->current == NULL)
        return berth__fail(error, BERTH_E_ARGUMENT, "/current", "current is NULL");
    for (size_t k = 0; k < job->n_current; k++) {
        const size_t node = job->current[k].node;
        snprintf(where, sizeof where, "/current/%zu/node", k);
        if (node >= instance->n_nodes)
            return berth__fail(error, BERTH_E_ARGUMENT, where, "there is no node %zu", node);
        if (k > 0 && node <= job->current[k - 1].node)
            return berth__fail(error, BERTH_E_ARGUMENT, where, "node %zu after node %zu; expected ascending nodes",
                               node, job->current[k - 1].node);
        if (type_of(instance, node) != type_of(instance, job->current[0].node))
            return berth__fail(error, BERTH_E_ARGUMENT, where, "node %zu has GPUs of another type than node %zu", node,
                               job->current[0].node);
        snprintf(where, sizeof where, "/current/%zu/gpus", k);
        if (job->current[k].gpus < 1 || job->current[k].gpus > instance->gpus[node])
            return berth__fail(error, BERTH_E_ARGUMENT, where, "%u GPUs of a node of %u; expected 1 to that",
                               job->current[k].gpus, instance->gpus[node]);
        total += job->current[k].gpus;
    }
    if (total > INT32_MAX)
        return berth__fail(error, BERTH_E_ARGUMENT, "/current", "more than %d GPUs", INT32_MAX);
    return BERTH_OK;
}

static berth_status check_profile(const berth_goodput_profile *profile, const char *prefix, berth_error *error) {
    const berth_status status = berth__goodput_check_profile(profile, error);
    if (status)
        berth__error_prefix(error, prefix);
    return status;
}

static berth_status check_typed(const berth_goodput_instance *instance, const berth_goodput_profile *typed,
                                berth_error *error) {
    char prefix[64];
    size_t n = 0;
    for (size_t t = 0; t < instance->n_types; t++) {
        if (!berth__goodput_runs_on(&typed[t]))
            continue;
        n++;
        snprintf(prefix, sizeof prefix, "/typed/%zu/", t);
        const berth_status status = check_profile(&typed[t], prefix, error);
        if (status)
            return status;
    }
    return n > 0 ? BERTH_OK : berth__fail(error, BERTH_E_ARGUMENT, "/typed", "the job runs on no type of GPU");
}

static int by_configuration(const void *a, const void *b) {
    const berth_goodput_option *x = a, *y = b;
    if (x->gpu_type != y->gpu_type)
        return x->gpu_type < y->gpu_type ? -1 : 1;
    if (x->gpus != y->gpus)
        return x->gpus < y->gpus ? -1 : 1;
    return x->nodes < y->nodes ? -1 : x->nodes > y->nodes;
}

static berth_status check_distinct(const berth_goodput_job *job, berth_error *error) {
    berth_goodput_option *sorted = BERTH__NEW_ARRAY(berth_goodput_option, job->n_options);
    berth_status status = BERTH_OK;
    if (sorted == NULL)
        return berth__fail_memory(error);
    memcpy(sorted, job->options, job->n_options * sizeof *sorted);
    qsort(sorted, job->n_options, sizeof *sorted, by_configuration);
    for (size_t k = 1; !status && k < job->n_options; k++) {
        if (by_configuration(&sorted[k - 1], &sorted[k]) == 0) {
            status =
                berth__fail(error, BERTH_E_ARGUMENT, "/options", "two options of %u GPUs on %u nodes of GPU type %zu",
                            sorted[k].gpus, sorted[k].nodes, sorted[k].gpu_type);
        }
    }
    berth__free(sorted);
    return status;
}

static berth_status check_bare(const berth_goodput_instance *instance, const berth_goodput_job *job,
                               berth_error *error) {
    char where[64];
    if (job->options == NULL)
        return berth__fail(error, BERTH_E_ARGUMENT, "/options", "options is NULL");
    for (size_t k = 0; k < job->n_options; k++) {
        const berth_goodput_option *o = &job->options[k];
        if (o->gpu_type >= instance->n_types) {
            snprintf(where, sizeof where, "/options/%zu/gpu_type", k);
            return berth__fail(error, BERTH_E_ARGUMENT, where, "there is no GPU type %zu", o->gpu_type);
        }
        snprintf(where, sizeof where, "/options/%zu/nodes", k);
        berth_status status = check_count(where, o->nodes, 1, 16, error);
        snprintf(where, sizeof where, "/options/%zu/gpus", k);
        if (!status)
            status = check_count(where, o->gpus, o->nodes, 16 * BERTH__MOST_GPUS, error);
        snprintf(where, sizeof where, "/options/%zu/value", k);
        if (!status)
            status = check_real(where, o->value, 1e-9, 1e12, error);
        if (status)
            return status;
    }
    return check_distinct(job, error);
}

static berth_status check_job(const berth_goodput_instance *instance, const berth_goodput_job *job,
                              berth_error *error) {
    if (job->struct_size != sizeof *job)
        return berth__fail(error, BERTH_E_ARGUMENT, "", "not initialised: call berth_goodput_job_init first");
    berth_status status = check_real("/age_s", job->age_s, 0, much, error);
    if (!status)
        status = check_real("/attained_gpu_s", job->attained_gpu_s, 0, much, error);
    if (!status)
        status = check_real("/remaining_samples", job->remaining_samples, 0, much, error);
    if (!status)
        status = check_count("/max_replicas", job->max_replicas, 0, BERTH__MOST_REPLICAS, error);
    if (!status && job->max_replicas > 0)
        status = check_count("/min_replicas", job->min_replicas, 0, job->max_replicas, error);
    if (!status)
        status = check_current(instance, job, error);
    if (status)
        return status;
    if ((job->profile != NULL) + (job->typed != NULL) + (job->n_options > 0) != 1)
        return berth__fail(error, BERTH_E_ARGUMENT, "/profile", "expected one of profile, typed and options");
    if (job->profile != NULL)
        return check_profile(job->profile, "/profile/", error);
    return job->typed != NULL ? check_typed(instance, job->typed, error) : check_bare(instance, job, error);
}

static berth_status check_jobs(const berth_goodput_instance *instance, berth_error *error) {
    char prefix[32];
    if (instance->n_jobs > 0 && instance->jobs == NULL)
        return berth__fail(error, BERTH_E_ARGUMENT, "/jobs", "jobs is NULL");
    for (size_t j = 0; j < instance->n_jobs; j++) {
        const berth_status status = check_job(instance, &instance->jobs[j], error);
        if (status) {
            snprintf(prefix, sizeof prefix, "/jobs/%zu", j);
            berth__error_prefix(error, prefix);
            return status;
        }
    }
    return BERTH_OK;
}

static berth_status check_rules(const berth_goodput_instance *i, berth_error *error) {
    berth_status status = check_real("/p", i->p, -64, 64, error);
    if (!status)
        status = check_real("/restart_s", i->restart_s, 0, much, error);
    if (!status && i->fair != BERTH_FAIR_NODE && i->fair != BERTH_FAIR_SPREAD)
        status = berth__fail(error, BERTH_E_ARGUMENT, "/fair", "there is no fair share %d", i->fair);
    if (!status && i->rules != BERTH_RULES_POLLUX && i->rules != BERTH_RULES_SIA)
        status = berth__fail(error, BERTH_E_ARGUMENT, "/rules", "there are no rules %d", i->rules);
    if (status || i->rules != BERTH_RULES_SIA)
        return status;
    if (!(i->p < 0))
        return berth__fail(error, BERTH_E_ARGUMENT, "/p", "p is %g; expected less than 0 with Sia's rules", i->p);
    return check_real("/lambda_none", i->lambda_none, 1e-9, 1e12, error);
}

berth_status berth__goodput_check_instance(const berth_goodput_instance *instance, berth_error *error) {
    if (instance == NULL || instance->struct_size != sizeof *instance)
        return berth__fail(error, BERTH_E_ARGUMENT, "instance",
                           "not initialised: call berth_goodput_instance_init first");
    if (instance->n_types < 1 || instance->n_types > BERTH__MOST_TYPES)
        return berth__fail(error, BERTH_E_ARGUMENT, "/n_types", "%zu types of GPU; expected 1 to %d", instance->n_types,
                           BERTH__MOST_TYPES);
    berth_status status = check_rules(instance, error);
    if (!status)
        status = check_nodes(instance, error);
    return status ? status : check_jobs(instance, error);
}

/* ---- options ---- */

berth_status berth__allocate_check_options(const berth_allocate_options *o, berth_error *error) {
    if (o->struct_size != sizeof *o)
        return berth__fail(error, BERTH_E_ARGUMENT, "options",
                           "not initialised: call berth_allocate_options_init first");
    if (strcmp(berth_allocator_name(o->allocator), "unknown") == 0)
        return berth__fail(error, BERTH_E_ARGUMENT, "allocator", "there is no allocator %d", (int)o->allocator);
    if (o->mode != BERTH_BATCH_GRID && o->mode != BERTH_BATCH_EXACT)
        return berth__fail(error, BERTH_E_ARGUMENT, "mode", "there is no batch mode %d", (int)o->mode);
    if (!(o->time_limit_s >= 0))
        return berth__fail(error, BERTH_E_ARGUMENT, "time_limit_s", "time_limit_s is %g; expected a number >= 0",
                           o->time_limit_s);
    if (o->solver == NULL ||
        (strcmp(o->solver, "auto") != 0 && berth__backend_find(o->backends, o->solver, BERTH__BACKEND_LP) == NULL))
        return berth__fail(error, BERTH_E_BACKEND, "solver", "no LP solver '%s'; expected auto or a backend's name",
                           o->solver == NULL ? "" : o->solver);
    return BERTH_OK;
}
