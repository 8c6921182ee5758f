/* The placement model of one job, derived once from the public structs. spec: Yu et al. 2022, section III.
 *
 * symbol        field             meaning
 * V             work              samples = epochs * samples
 * F             max_workers
 * gamma         workers_per_ps    INFINITY for all-reduce (no parameter server is ever needed)
 * alpha, beta   worker, ps        demand of one worker / parameter server, as shares of the cluster's total
 * C_h^r         capacity          likewise
 * v_loc         slot_samples[loc] samples one worker processes in a slot
 * d_min         fastest_slots     slots needed at full width at the faster locality
 * N             worker_slots      worker-slots needed at the slower locality
 *
 * Not here: goodput jobs (their speed is not linear in the number of workers). */
#ifndef BERTH_FORMULATIONS_PLACEMENT_H
#define BERTH_FORMULATIONS_PLACEMENT_H

#include <berth.h>

/* The machines, with capacities divided by the cluster's total of each resource (0 where the total is 0). */
typedef struct berth__cluster {
    double slot_seconds;
    int horizon;
    int n_resources, n_machines;
    double *total;    /* [n_resources] in the user's unit */
    double *capacity; /* [n_machines][n_resources] share of the total */
    char **machines;  /* names */
    char **resources;
    int n_quotas;
    char **quota_tenant;
    double *quota; /* [n_quotas][n_resources] share of the total, INFINITY: none */
    int n_classes; /* machines of equal capacity (eligibility splits them further: per job set) */
    int *class_of; /* [n_machines] */
    void *memory;
} berth__cluster;

/* Checks and copies. error->where: "/machines/3/capacity/gpu" and the like. */
berth_status berth__cluster_new(const berth_cluster *spec, berth__cluster **out, berth_error *error);
void berth__cluster_free(berth__cluster *cluster);

typedef struct berth__job {
    char *id;
    int arrival, max_workers;
    double work;
    double workers_per_ps;  /* INFINITY: all-reduce */
    double slot_samples[2]; /* by berth_locality */
    double worker_slots;
    int fastest_slots;
    double *worker, *ps; /* [n_resources] shares */
    bool *eligible;      /* [n_machines]; NULL: every machine */
    int quota;           /* index into the cluster's quotas; -1: none */
    berth_utility utility;
    void *memory;
} berth__job;

/* Checks one job against a cluster (fields, signs, finiteness; E_INPUT with where = "/epochs" etc.). A job that
 * cannot finish or fit is valid. */
berth_status berth__job_validate(const berth_job *job, size_t n_resources, const char *const *resources,
                                 int horizon_slots, berth_error *error);
berth_status berth__job_new(const berth__cluster *cluster, const berth_job *spec, berth__job **out, berth_error *error);
void berth__job_free(berth__job *job);

/* Parameter servers that W workers need. */
int berth__ps_needed(const berth__job *job, int workers);
/* u(d), d >= 0 in slots. */
double berth__utility_at(const berth_utility *utility, double delay_slots);
/* True if name matches any of the globs (* ? [abc] [!abc]). */
bool berth__glob_any(size_t n, const char *const *globs, const char *name);

#endif
