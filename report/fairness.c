#include "report/fairness.h"

#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "formulations/internal_curve.h"
#include "formulations/placement.h"

const char berth__rho_text[] = "rho, finish-time fairness: the slots from a completed job's arrival to its completion "
                               "over those that it would need "
                               "alone on 1/n of the cluster, n the mean number of admitted jobs that were there with "
                               "it. Up to 1 a job did no worse "
                               "than with a share of its own.";

static bool may_use(const berth__job *job, int machine) {
    return job->eligible == NULL || job->eligible[machine];
}

/* Most workers, with their servers, on one idle machine; at most `enough` are looked for. */
static int widest_on_one(const berth__cluster *cluster, const berth__job *job, int enough) {
    int widest = 0;
    for (int h = 0; h < cluster->n_machines && widest < enough; h++) {
        const double *capacity = cluster->capacity + (size_t)h * (size_t)cluster->n_resources;
        if (may_use(job, h)) {
            int room = berth__internal_room(capacity, 1, job, cluster->n_resources, enough);
            widest = room > widest ? room : widest;
        }
    }
    return widest;
}

/* Samples a slot of the job alone on 1/n of the cluster. */
static double rate_of_share(const berth__cluster *cluster, const berth__job *job, double n) {
    double workers = job->max_workers;
    for (int r = 0; r < cluster->n_resources; r++) {
        double demand = job->worker[r] + job->ps[r] / job->workers_per_ps, capacity = 0;
        for (int h = 0; h < cluster->n_machines; h++) {
            if (may_use(job, h)) {
                capacity += cluster->capacity[(size_t)h * (size_t)cluster->n_resources + (size_t)r];
            }
        }
        if (demand > 0) {
            workers = fmin(workers, capacity / n / demand);
        }
    }
    return fmax(fmin(workers, widest_on_one(cluster, job, (int)ceil(workers))) * job->slot_samples[BERTH_INTERNAL],
                workers * job->slot_samples[BERTH_EXTERNAL]);
}

/* present[t + 1]: admitted jobs in the slots 0..t, summed. */
static void count_present(const berth_instance *instance, const berth_run *run, double *present) {
    size_t horizon = (size_t)instance->horizon_slots;
    for (size_t job = 0; job < run->n_jobs; job++) {
        const berth_run_job *j = &run->jobs[job];
        size_t arrival = (size_t)instance->jobs[job].arrival_slot;
        if (j->admitted && arrival < horizon) {
            size_t end = j->outcome == BERTH_JOB_COMPLETED ? (size_t)j->completion_slot + 1 : horizon;
            present[arrival + 1] += 1;
            if (end < horizon) {
                present[end + 1] -= 1;
            }
        }
    }
    /* Changes into counts, counts into sums. */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t t = 1; t <= horizon; t++) {
            present[t] += present[t - 1];
        }
    }
}

static berth_status rho_of(const berth__cluster *cluster, const berth_instance *instance, size_t job,
                           const berth_run_job *done, const berth_truth *truth, const double *present, double *rho,
                           berth_error *error) {
    berth__job *own = NULL;
    berth_status status = berth__job_new(cluster, &instance->jobs[job], &own, error);
    if (status == BERTH_OK) {
        size_t arrival = (size_t)instance->jobs[job].arrival_slot, end = (size_t)done->completion_slot + 1;
        double slots = (double)(end - arrival);
        double n = (present[end] - present[arrival]) / slots;
        double needed = own->work * truth->work / (rate_of_share(cluster, own, n) * truth->speed);
        *rho = slots / fmax(1, ceil(needed * (1 - 1e-9)));
    }
    berth__job_free(own);
    return status;
}

berth_status berth__finish_time_fairness(const berth_instance *instance, const berth_run *run, double *rho,
                                         berth_error *error) {
    static const berth_truth as_declared = {.speed = 1, .work = 1};
    berth_cluster spec;
    berth__cluster *cluster = NULL;
    double *present = BERTH__NEW_ARRAY(double, (size_t)instance->horizon_slots + 1);
    berth_instance_cluster(instance, &spec);
    berth_status status = present == NULL ? berth__fail_memory(error) : berth__cluster_new(&spec, &cluster, error);
    if (status == BERTH_OK) {
        count_present(instance, run, present);
    }
    for (size_t job = 0; status == BERTH_OK && job < run->n_jobs; job++) {
        rho[job] = (double)NAN;
        if (run->jobs[job].outcome == BERTH_JOB_COMPLETED) {
            const berth_truth *truth = run->truth != NULL ? &run->truth[job] : &as_declared;
            status = rho_of(cluster, instance, job, &run->jobs[job], truth, present, &rho[job], error);
        }
    }
    berth__cluster_free(cluster);
    berth__free(present);
    return status;
}
