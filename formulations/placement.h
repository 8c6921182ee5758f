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

#include "base/alloc.h"

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
    double *quota; /* [n_quotas][n_resources] share of the total, INFINITY: none (also where the total is 0) */
    int n_classes; /* machines of equal capacity, numbered by first machine (a job's eligibility may split them) */
    int *class_of; /* [n_machines] */
    bool *closed;  /* [n_machines] that no job is eligible for, though some may be there; NULL: none */
    void *memory;
} berth__cluster;

/* Checks and copies. E_INPUT with error->where "/slot_seconds", "/horizon_slots", "/resources/1", "/machines/3/name",
 * "/machines/3/capacity/gpu", "/quotas/TENANT/gpu"; E_ARGUMENT if spec lacks berth_cluster_init's struct_size.
 * n_machines * n_resources is at most INT_MAX / 4. O(H log H + H R). */
berth_status berth__cluster_new(const berth_cluster *spec, berth__cluster **out, berth_error *error);
/* Likewise, in shares of other totals than its own, so that shares of a cluster that changes stay comparable. total:
 * [n_resources], where 0 its own is taken; closed: [n_machines]. */
berth_status berth__cluster_new_within(const berth_cluster *spec, const double *total, const bool *closed,
                                       berth__cluster **out, berth_error *error);
void berth__cluster_free(berth__cluster *cluster);

/* A demand is INFINITY where the cluster has none of a resource that is demanded: such a unit fits nowhere. Multiply
 * demands only by counts > 0 (0 * INFINITY), as berth__fits does. All derived numbers but demands and workers_per_ps
 * are finite and > 0. */
typedef struct berth__job {
    const char *id;
    int arrival, max_workers;
    double work;
    double workers_per_ps;  /* INFINITY: all-reduce */
    double slot_samples[2]; /* by berth_locality */
    double worker_slots;    /* not rounded */
    int fastest_slots;      /* >= 1; INT_MAX if more */
    double *worker, *ps;    /* [n_resources] shares; ps all 0 for all-reduce */
    bool *eligible;         /* [n_machines]; NULL: every machine */
    int widest_internal;    /* most workers, with their servers, on one idle machine */
    int quota;              /* index into the cluster's quotas; -1: none */
    berth_utility utility;
    const berth_job *spec; /* what it was made from, its own copy */
    void *memory;
} berth__job;

/* Checks one job against a cluster: fields, signs, finiteness. E_INPUT with error->where "/epochs", "/worker/gpu",
 * "/utility/theta/1", "/utility/table/2/0" (delay) or "/1" (value), "/allow/0"; E_ARGUMENT if job lacks
 * berth_job_init's struct_size. A job that cannot finish or fit is valid; one that arrives at or after the horizon is
 * not. */
berth_status berth__job_validate(const berth_job *job, size_t n_resources, const char *const *resources,
                                 int horizon_slots, berth_error *error);
/* Validates, copies and derives. max_workers is lowered where more would need over 10^9 parameter servers. O(H) times
 * the globs. */
berth_status berth__job_new(const berth__cluster *cluster, const berth_job *spec, berth__job **out, berth_error *error);
/* Several, into out[n] (berth__job_free each, also after a failure, which leaves the rest as they were). E_INPUT with
 * error->where "/jobs/3/...". */
berth_status berth__jobs_new(const berth__cluster *cluster, size_t n, const berth_job *specs, berth__job **out,
                             berth_error *error);
/* The same job in another cluster of the same resources; its arrival, which may lie before slot 0, is kept. */
berth_status berth__job_renew(const berth__cluster *cluster, const berth__job *job, berth__job **out,
                              berth_error *error);
void berth__job_free(berth__job *job);
/* A copy that owns nothing but what the arena does; NULL: out of memory. */
berth_job *berth__job_spec_copy(berth__arena *arena, size_t n_resources, const berth_job *spec);
/* By its allow and avoid lists. */
bool berth__job_allows(const berth_job *spec, const char *machine);

/* Parameter servers that W workers need: ceil(W / gamma), within the tolerance of a cover row; 0 for all-reduce. */
int berth__ps_needed(const berth__job *job, int workers);
/* What w workers and s servers hold of resource r; none of them hold nothing even of an infinite demand. */
static inline double berth__load(const berth__job *job, int r, int w, int s) {
    return (w != 0 ? w * job->worker[r] : 0) + (s != 0 ? s * job->ps[r] : 0);
}
/* Largest share of any resource's total that w workers and s servers hold. */
double berth__dominant_share(const berth__cluster *cluster, const berth__job *job, int w, int s);
/* u(d), d >= 0 in slots; non-increasing in d also as computed, as far as exp is monotone. */
double berth__utility_at(const berth_utility *utility, double delay_slots);
/* True if the whole name matches any of the globs (* ? [abc] [a-z] [!abc]; bytes, not letters of a locale). */
bool berth__glob_any(size_t n, const char *const *globs, const char *name);

#endif
