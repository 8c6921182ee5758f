/* The state of a simulated run of measured trainings, and what a policy is to it. */
#ifndef BERTH_ONLINE_GOODPUT_SIMULATION_H
#define BERTH_ONLINE_GOODPUT_SIMULATION_H

#include <berth_goodput.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "formulations/goodput/training.h"

/* GPUs in the order of the ring. */
typedef struct berth__ring {
    size_t n, capacity;
    berth_node_gpus *nodes; /* [n] */
} berth__ring;

typedef struct berth__sim_job {
    const berth_training_job *job;
    const berth_application *application;
    const berth__measured *measured;
    berth__ring now, next; /* GPUs held, and those that the policy gives; next begins as now */
    uint32_t replicas;     /* of now */
    uint32_t local, accumulation;
    berth__step_time time; /* of a step as it runs now */
    bool timed;            /* time is of now and local */
    double progress;
    size_t epoch;
    double restart_left_s;
    uint32_t restarts;
    double attained_gpu_s;
    double start_s, completion_s; /* NAN: not yet */
    size_t n_spans, spans_capacity;
    berth_goodput_span *spans;
} berth__sim_job;

typedef struct berth__simulation berth__simulation;

/* What was seen of a job in an instant of training. */
typedef struct berth__observation {
    uint32_t nodes, replicas, local;
    berth__step_time time;
    double grad_sqr, grad_var;
} berth__observation;

typedef struct berth__sim_policy {
    /* *state: the policy's own. On failure it owes nothing. */
    berth_status (*start)(const berth__simulation *sim, void **state, berth_error *error);
    void (*end)(void *state);
    /* Changes `next` of active jobs. */
    berth_status (*decide)(void *state, berth__simulation *sim, berth_error *error);
    /* NULL: it learns nothing. E_MEMORY. */
    berth_status (*observe)(void *state, const berth__simulation *sim, size_t job, const berth__observation *seen,
                            berth_error *error);
    /* m and s of a job on its GPUs. NULL: the job's own batch. */
    void (*batch)(void *state, const berth__simulation *sim, size_t job, uint32_t *local, uint32_t *accumulation);
} berth__sim_policy;

struct berth__simulation {
    const berth_goodput_workload *workload;
    const berth_goodput_run_options *options;
    const berth__sim_policy *policy;
    void *state;
    const berth__budget *budget;
    berth__arena *arena;       /* of the run: nodes of spans */
    berth__measured *measured; /* [n_applications] */
    berth__sim_job *jobs;      /* [n_jobs] */
    size_t *order;             /* [n_jobs] by submission, then number */
    size_t n_submitted;        /* of order */
    size_t n_active;
    size_t *active; /* [n_active] submitted and not done, in order */
    uint64_t gpus;
    size_t round;
    double now_s;   /* at the end of round `round` */
    uint32_t *free; /* [n_nodes] for berth__place */
};

extern const berth__sim_policy berth__sim_pollux, berth__sim_tiresias, berth__sim_optimus;

/* n nodes become the ring. False: out of memory. */
bool berth__ring_set(berth__ring *ring, size_t n, const berth_node_gpus *nodes);
bool berth__ring_same(const berth__ring *a, const berth__ring *b);
uint32_t berth__ring_gpus(const berth__ring *ring);

/* sim->free: what `next` of active jobs leaves. */
void berth__count_free(berth__simulation *sim);
/* Gives a job without GPUs so many: on the node with most free, the first of them, then the next. There are as many
 * free. False: out of memory. */
bool berth__place(berth__simulation *sim, size_t job, uint32_t gpus);

/* The time of a step of a job on some ring, with the speeds of the nodes. False: out of memory. */
bool berth__ring_time(const berth__simulation *sim, size_t job, const berth__ring *ring, uint32_t local,
                      berth__step_time *out);

/* record.c: what came of it. */
bool berth__record_span(berth__simulation *sim, size_t job, double at_s, bool placed);
berth_status berth__record_run(berth__simulation *sim, bool stopped, berth_goodput_run **out, berth_error *error);

#endif
