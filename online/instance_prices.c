#include "online/instance_prices.h"

#include "base/alloc.h"
#include "base/error.h"
#include "online/prices.h"

#include <math.h>

/* Slot policies have no prices. Their certificate takes those that their usage makes, with this floor. */
#define SLOT_POLICY_FLOOR 1e-4

berth_status berth__instance_price_bounds(const berth_instance *instance, const berth__cluster *cluster,
                                          berth__job *const *jobs, const berth__policy *policy,
                                          berth_price_bounds *bounds, bool *oracle, berth_error *error) {
    double own = policy != NULL ? policy->price_floor : SLOT_POLICY_FLOOR;
    double floor = isnan(instance->price_floor) ? own : instance->price_floor;
    berth_status status = berth__price_bounds(cluster, instance->n_jobs, jobs, floor, bounds, error);
    *oracle = false;
    bool any_floored = bounds->floored;
    bounds->floored = false;
    for (size_t r = 0; status == BERTH_OK && r < instance->n_resources; r++) {
        double total = cluster->total[r];
        double upper = instance->price_upper != NULL ? instance->price_upper[r] * total : (double)NAN;
        double lower = instance->price_lower != NULL ? instance->price_lower[r] * total : (double)NAN;
        *oracle = *oracle || isnan(upper) || isnan(lower);
        bool raised = any_floored && bounds->upper[r] > 0 && bounds->lower[r] == bounds->floor * bounds->upper[r];
        bounds->floored = bounds->floored || (raised && isnan(lower));
        bounds->upper[r] = isnan(upper) ? bounds->upper[r] : upper;
        if (!isnan(lower)) {
            bounds->lower[r] = lower;
        } else if (!(bounds->lower[r] >= bounds->floor * bounds->upper[r])) {
            bounds->lower[r] = bounds->floor * bounds->upper[r];
            bounds->floored = true;
        }
        bool used = bounds->upper[r] > 0;
        if (used && !(bounds->upper[r] > bounds->lower[r])) {
            return berth__fail(error, BERTH_E_INPUT, "/prices",
                               "\"%s\" has upper %g and lower %g; expected upper > lower", instance->resources[r],
                               bounds->upper[r] / total, bounds->lower[r] / total);
        }
    }
    return status;
}

berth_status berth_instance_price_bounds(const berth_instance *instance, const char *policy, berth_price_bounds *out,
                                         berth_error *error) {
    berth__error_clear(error);
    *out = (berth_price_bounds){.struct_size = sizeof *out};
    if (instance == NULL || policy == NULL || berth_policy_about(policy) == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, instance == NULL ? "instance" : "policy",
                           instance == NULL ? "must not be NULL" : "there is none of that name");
    }
    berth_cluster spec;
    berth__cluster *cluster = NULL;
    bool oracle;
    berth_instance_cluster(instance, &spec);
    berth__job **jobs = BERTH__NEW_ARRAY(berth__job *, instance->n_jobs);
    berth_status status = jobs == NULL ? berth__fail_memory(error) : berth__cluster_new(&spec, &cluster, error);
    if (status == BERTH_OK) {
        status = berth__jobs_new(cluster, instance->n_jobs, instance->jobs, jobs, error);
    }
    if (status == BERTH_OK) {
        status = berth__instance_price_bounds(instance, cluster, jobs, berth__policy_find(policy), out, &oracle, error);
    }
    for (size_t i = 0; i < instance->n_jobs && jobs != NULL; i++) {
        berth__job_free(jobs[i]);
    }
    berth__free(jobs);
    berth__cluster_free(cluster);
    if (status != BERTH_OK) {
        berth_price_bounds_clear(out);
    }
    return status;
}
