#include "tests/support/variant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct variant {
    berth_instance instance;
    berth_machine_group *groups;
    berth_job *jobs;
    berth_quota *quotas;
    double *capacity, *upper, *lower;
    double *numbers; /* group capacities, then workers, parameter servers and quotas */
};

static void *copy(const void *from, size_t bytes) {
    void *to = calloc(1, bytes + 1);
    if (to == NULL) {
        abort();
    }
    if (bytes > 0) {
        memcpy(to, from, bytes);
    }
    return to;
}

variant *variant_new(const berth_instance *in) {
    variant *v = calloc(1, sizeof *v);
    if (v == NULL) {
        abort();
    }
    size_t R = in->n_resources, row = R * sizeof(double);
    v->instance = *in;
    v->groups = copy(in->groups, in->n_groups * sizeof *in->groups);
    v->jobs = copy(in->jobs, in->n_jobs * sizeof *in->jobs);
    v->quotas = copy(in->quotas, in->n_quotas * sizeof *in->quotas);
    v->capacity = copy(in->capacity, in->n_machines * row);
    v->numbers = calloc((in->n_groups + 2 * in->n_jobs + in->n_quotas) * R + 1, sizeof(double));
    if (v->numbers == NULL) {
        abort();
    }
    double *at = v->numbers;
    for (size_t g = 0; g < in->n_groups; g++, at += R) {
        memcpy(at, in->groups[g].capacity, row);
        v->groups[g].capacity = at;
    }
    for (size_t i = 0; i < in->n_jobs; i++) {
        memcpy(at, in->jobs[i].worker, row);
        v->jobs[i].worker = at;
        at += R;
        if (in->jobs[i].ps != NULL) {
            memcpy(at, in->jobs[i].ps, row);
            v->jobs[i].ps = at;
        }
        at += R;
    }
    for (size_t q = 0; q < in->n_quotas; q++, at += R) {
        memcpy(at, in->quotas[q].amount, row);
        v->quotas[q].amount = at;
    }
    v->upper = in->price_upper == NULL ? NULL : copy(in->price_upper, row);
    v->lower = in->price_lower == NULL ? NULL : copy(in->price_lower, row);
    v->instance.groups = v->groups;
    v->instance.jobs = v->jobs;
    v->instance.quotas = v->quotas;
    v->instance.capacity = v->capacity;
    v->instance.price_upper = v->upper;
    v->instance.price_lower = v->lower;
    return v;
}

void variant_free(variant *v) {
    if (v != NULL) {
        free(v->groups);
        free(v->jobs);
        free(v->quotas);
        free(v->capacity);
        free(v->numbers);
        free(v->upper);
        free(v->lower);
        free(v);
    }
}

const berth_instance *variant_instance(const variant *v) {
    return &v->instance;
}

void variant_scale(variant *v, size_t resource, double factor) {
    size_t R = v->instance.n_resources;
    size_t rows = v->instance.n_groups + 2 * v->instance.n_jobs + v->instance.n_quotas;
    for (size_t k = 0; k < rows; k++) {
        v->numbers[k * R + resource] *= factor;
    }
    for (size_t h = 0; h < v->instance.n_machines; h++) {
        v->capacity[h * R + resource] *= factor;
    }
    if (v->upper != NULL) {
        v->upper[resource] /= factor;
    }
    if (v->lower != NULL) {
        v->lower[resource] /= factor;
    }
}

void variant_prices(variant *v, double upper, double lower) {
    size_t R = v->instance.n_resources;
    free(v->upper);
    free(v->lower);
    v->upper = calloc(R + 1, sizeof(double));
    v->lower = calloc(R + 1, sizeof(double));
    if (v->upper == NULL || v->lower == NULL) {
        abort();
    }
    for (size_t r = 0; r < R; r++) {
        double total = 0;
        for (size_t h = 0; h < v->instance.n_machines; h++) {
            total += v->capacity[h * R + r];
        }
        v->upper[r] = total > 0 ? upper / total : upper;
        v->lower[r] = total > 0 ? lower / total : lower;
    }
    v->instance.price_upper = v->upper;
    v->instance.price_lower = v->lower;
}

void variant_allow(variant *v, size_t job, size_t n, const char *const *globs) {
    v->jobs[job].n_allow = n;
    v->jobs[job].allow = globs;
    v->jobs[job].n_avoid = 0;
}

void variant_whole(variant *v) {
    size_t R = v->instance.n_resources;
    double *worker = v->numbers + v->instance.n_groups * R; /* each followed by the parameter server's */
    for (size_t i = 0; i < v->instance.n_jobs; i++, worker += 2 * R) {
        berth_job *job = &v->jobs[i];
        job->all_reduce = true;
        job->ps = NULL;
        job->bandwidth_external_mb_s = job->bandwidth_internal_mb_s;
        double sample_s = job->sample_seconds + 2 * job->gradient_mb / (job->batch * job->bandwidth_internal_mb_s);
        double worker_slot = v->instance.slot_seconds / sample_s;
        job->samples = ceil(job->epochs * job->samples / worker_slot - 1e-9) * worker_slot / job->epochs;
        for (size_t r = 0; r < R; r++) {
            worker[r] = worker[r] == 0 || worker[r] == 0.5 ? worker[r] : 1;
        }
    }
}
