/* A scheduler over a random cluster that is half in use, and jobs to decide on it. */
#ifndef BERTH_BENCH_CASES_LOADED_CLUSTER_H
#define BERTH_BENCH_CASES_LOADED_CLUSTER_H

#include <berth.h>

typedef struct loaded_size {
    const char *policy;
    int machines, slots, resources;
    int levels; /* also the width and the worker-slots of the jobs: they can be done in one slot or in many */
    int jobs;
} loaded_size;

typedef struct loaded_cluster {
    berth_scheduler *scheduler;
    berth_job *jobs; /* [n_jobs] arrive in slot 0; worth more than they can cost, so every slot is looked at */
    int n_jobs;
    void *memory; /* a berth__arena */
    berth_backends *backends;
} loaded_cluster;

/* Equal sizes give equal clusters, whatever the policy. Every machine's level of use is uniform in each slot, each
 * resource within 1/8 of it. Free with loaded_cluster_free. */
berth_status loaded_cluster_new(const loaded_size *size, int threads, loaded_cluster **out, berth_error *error);
void loaded_cluster_free(loaded_cluster *cluster);

/* The backends of this build. */
berth_status bench_backends_new(berth_backends **out);

#endif
