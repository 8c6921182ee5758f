#include <math.h>
#include <stdio.h>

#include "audit/goodput/audit.h"
#include "base/alloc.h"

void berth__goodput_audit_where(const berth__goodput_audit *a, size_t job, char where[160]) {
    const char *id = a->instance->jobs[job].id;
    if (id != NULL) {
        snprintf(where, 160, "job %.100s", id);
    } else {
        snprintf(where, 160, "job %zu", job);
    }
}

const char *berth__goodput_audit_node(const berth__goodput_audit *a, size_t node, char buffer[32]) {
    snprintf(buffer, 32, "%zu", node);
    return a->instance->node_names != NULL ? a->instance->node_names[node] : buffer;
}

/* ---- what would be read out of bounds ---- */

static bool nodes_exist(const berth_goodput_instance *instance, const berth_node_gpus *nodes, size_t n) {
    for (size_t k = 0; k < n; k++) {
        if (nodes[k].node >= instance->n_nodes) {
            return false;
        }
    }
    return true;
}

static berth_status check_instance(const berth_goodput_instance *instance, berth_error *error) {
    for (size_t node = 0; instance->gpu_type != NULL && node < instance->n_nodes; node++) {
        if (instance->gpu_type[node] >= instance->n_types) {
            return berth__fail(error, BERTH_E_INPUT, "gpu_type", "node %zu has no GPU type that there is", node);
        }
    }
    for (size_t job = 0; job < instance->n_jobs; job++) {
        const berth_goodput_job *given = &instance->jobs[job];
        bool good = nodes_exist(instance, given->current, given->n_current) &&
                    (given->profile != NULL) + (given->typed != NULL) + (given->n_options > 0) == 1;
        for (size_t k = 0; good && k < given->n_options; k++) {
            good = given->options[k].gpu_type < instance->n_types;
        }
        if (!good) {
            return berth__fail(error, BERTH_E_INPUT, "jobs",
                               "job %zu names a node or GPU type that there is not, or has not one of profile, typed "
                               "and options",
                               job);
        }
    }
    return BERTH_OK;
}

static uint32_t largest_node(const berth_goodput_instance *instance) {
    uint32_t largest = 0;
    for (size_t node = 0; node < instance->n_nodes; node++) {
        largest = instance->gpus[node] > largest ? instance->gpus[node] : largest;
    }
    return largest;
}

static berth_status check_indices(const berth_goodput_instance *instance, const berth_allocation *allocation,
                                  berth_error *error) {
    const bool none = allocation->n_jobs == 0 && allocation->outcome == BERTH_INFEASIBLE;
    if ((allocation->n_jobs != instance->n_jobs && !none) || allocation->n_types != instance->n_types) {
        return berth__fail(error, BERTH_E_MISMATCH, NULL,
                           "the allocation is of %zu jobs and %zu GPU types; the instance has %zu and %zu",
                           allocation->n_jobs, allocation->n_types, instance->n_jobs, instance->n_types);
    }
    for (size_t job = 0; job < allocation->n_jobs; job++) {
        if (!nodes_exist(instance, allocation->jobs[job].nodes, allocation->jobs[job].n_nodes)) {
            return berth__fail(error, BERTH_E_INPUT, "jobs", "job %zu is on a node that there is not", job);
        }
    }
    if ((allocation->local_prices != NULL) != (allocation->spread_prices != NULL) ||
        (allocation->local_prices != NULL && allocation->n_sizes < largest_node(instance))) {
        return berth__fail(error, BERTH_E_MISMATCH, NULL,
                           "prices of pieces have to be there for local and spread ones, up to the GPUs of the largest "
                           "node, %u",
                           (unsigned)largest_node(instance));
    }
    return check_instance(instance, error);
}

/* ---- an allocation that cannot be ---- */

/* False: out of memory. *fit: does what pinned jobs have fit? */
static bool pinned_fit(const berth_goodput_instance *instance, bool *fit) {
    uint64_t *used = BERTH__NEW_ARRAY(uint64_t, instance->n_nodes);
    size_t *spread = BERTH__NEW_ARRAY(size_t, instance->n_nodes);
    const bool complete = used != NULL && spread != NULL;
    *fit = true;
    for (size_t job = 0; complete && job < instance->n_jobs; job++) {
        const berth_goodput_job *given = &instance->jobs[job];
        for (size_t k = 0; given->pinned && k < given->n_current; k++) {
            const size_t node = given->current[k].node;
            used[node] += given->current[k].gpus;
            spread[node] += given->n_current > 1;
            *fit = *fit && used[node] <= instance->gpus[node] && spread[node] <= 1;
        }
    }
    berth__free(used);
    berth__free(spread);
    return complete;
}

static bool is_nothing(const berth_allocated_job *job) {
    return job->n_nodes == 0 && job->replicas == 0 && job->local == 0 && job->accumulation == 0 && !job->kept &&
           !(job->goodput > 0 || job->goodput < 0) && !(job->speedup > 0 || job->speedup < 0);
}

/* What is claimed although there is no allocation; NULL: nothing. */
static const char *claimed_of_none(const berth_goodput_instance *instance, const berth_allocation *of) {
    const struct {
        const char *what;
        bool is_claimed;
    } claims[] = {{"F", !isnan(of->fitness)},
                  {"a bound", !isnan(of->bound)},
                  {"a bound by search", !isnan(of->search_bound) || of->node_level},
                  {"a ratio", !isnan(of->ratio)},
                  {"a number of starved jobs but all", of->starved != instance->n_jobs},
                  {"a bound on starved jobs", of->starved_bound != 0},
                  {"a price", of->prices != NULL || of->serve_prices != NULL || fabs(of->starve_price) > 0},
                  {"that it was stopped", of->stopped}};
    for (size_t k = 0; k < sizeof claims / sizeof *claims; k++) {
        if (claims[k].is_claimed) {
            return claims[k].what;
        }
    }
    for (size_t job = 0; job < of->n_jobs; job++) {
        if (!is_nothing(&of->jobs[job])) {
            return "something of a job";
        }
    }
    return NULL;
}

static bool check_infeasible(const berth__goodput_audit *a) {
    const char *claimed = claimed_of_none(a->instance, a->allocation);
    bool fit;
    if (!pinned_fit(a->instance, &fit)) {
        return false;
    }
    berth__audit_count(a->report, BERTH__RULE_OUTCOME);
    if (fit) {
        berth__audit_violation_at(a->report, BERTH__RULE_OUTCOME, "", (double)NAN,
                                  "claims that there is no allocation, but what pinned jobs have fits");
    }
    if (claimed != NULL) {
        berth__audit_violation_at(a->report, BERTH__RULE_OUTCOME, "", (double)NAN,
                                  "claims %s, but that there is no allocation", claimed);
    }
    return true;
}

/* ---- all of it ---- */

static bool run_steps(berth__goodput_audit *a) {
    if (a->allocation->outcome == BERTH_INFEASIBLE) {
        return check_infeasible(a);
    }
    berth__goodput_audit_limits(a);
    if (!berth__goodput_audit_placement(a)) {
        return false;
    }
    if (!berth__goodput_audit_bound(a)) {
        return false;
    }
    berth__audit_set_figures(a->report, a->fitness, a->bound, a->bound / a->fitness);
    return true;
}

berth_status berth_check_allocation(const berth_goodput_instance *instance, const berth_allocation *allocation,
                                    const berth_hooks *hooks, berth_report **out, berth_error *error) {
    if (out != NULL) {
        *out = NULL;
    }
    berth__error_clear(error);
    if (instance == NULL || allocation == NULL || out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "instance, allocation and out must not be NULL");
    }
    berth_status status = check_indices(instance, allocation, error);
    if (status != BERTH_OK) {
        return status;
    }
    const berth__budget budget = berth__budget_start((double)INFINITY, hooks);
    berth__goodput_audit a = {.instance = instance,
                              .allocation = allocation,
                              .report = berth__audit_report_new(),
                              .budget = &budget,
                              .p = allocation->p,
                              .types = BERTH__NEW_ARRAY(berth__goodput_audit_type, instance->n_types),
                              .jobs = BERTH__NEW_ARRAY(berth__goodput_audit_job, instance->n_jobs),
                              .fitness = (double)NAN,
                              .bound = (double)NAN};
    const bool complete = a.report != NULL && a.types != NULL && a.jobs != NULL && run_steps(&a);
    if (complete && !berth__budget_spent(&budget)) {
        *out = berth__audit_report_finish(a.report);
    } else {
        status = complete ? berth__fail(error, BERTH_E_CANCELLED, NULL, "the check was cancelled") : BERTH_OK;
        berth__audit_report_free(a.report);
    }
    berth__free(a.types);
    berth__free(a.jobs);
    return *out != NULL || status != BERTH_OK ? status : berth__fail_memory(error);
}
