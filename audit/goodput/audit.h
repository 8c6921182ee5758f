/* Checking an allocation: what its files share. Sees base and public headers alone; the equations of goodput, the
 * options and the bound are written anew. */
#ifndef BERTH_AUDIT_GOODPUT_AUDIT_H
#define BERTH_AUDIT_GOODPUT_AUDIT_H

#include <berth_goodput.h>

#include "audit/report.h"
#include "base/budget.h"

enum { BERTH__AUDIT_JOB_NODES = 16 }; /* of a job */

/* GPUs of a type. */
typedef struct berth__goodput_audit_type {
    uint64_t capacity;
    uint32_t top[BERTH__AUDIT_JOB_NODES]; /* GPUs of the nodes that have most, descending */
    uint64_t reach;                       /* of all these */
    size_t n_largest;                     /* of these, nodes that have as many as the first */
    size_t n_nodes;                       /* with GPUs */
} berth__goodput_audit_type;

/* What a job may have. */
typedef struct berth__goodput_audit_job {
    uint32_t least, most; /* GPUs, if any */
    uint32_t current;     /* GPUs that it has */
    size_t current_type;  /* of these; 0 if none */
    double unit;          /* v_j = unit goodput, but for restarts */
    double factor;        /* of v_j if the allocation changes */
    bool is_pinned;       /* to what it has */
    bool has_keep;        /* may keep what it has */
} berth__goodput_audit_job;

typedef struct berth__goodput_audit {
    const berth_goodput_instance *instance;
    const berth_allocation *allocation;
    berth__audit_report *report;
    const berth__budget *budget;
    double p;
    berth__goodput_audit_type *types; /* [n_types] */
    berth__goodput_audit_job *jobs;   /* [n_jobs] */
    uint64_t total;                   /* GPUs */
    size_t n_true_nodes;              /* that have any */
    double fitness;                   /* recomputed; NAN: none */
    double bound;                     /* from the prices; NAN: none */
    size_t starved;                   /* recomputed */
} berth__goodput_audit;

static inline size_t berth__goodput_audit_type_of(const berth_goodput_instance *instance, size_t node) {
    return instance->gpu_type != NULL ? instance->gpu_type[node] : 0;
}

/* Names for messages. */
void berth__goodput_audit_where(const berth__goodput_audit *a, size_t job, char where[160]);
const char *berth__goodput_audit_node(const berth__goodput_audit *a, size_t node, char buffer[32]);

/* ---- model.c: one job ---- */

double berth__goodput_audit_at(const berth_goodput_profile *profile, bool spread, uint32_t replicas, double local,
                               double accumulation);
/* The most that a batch mode allows; 0: the job cannot run so. */
double berth__goodput_audit_best(const berth_goodput_profile *profile, berth_batch_mode mode, bool spread,
                                 uint32_t replicas);

/* ---- options.c: what jobs can have, and what it is worth ---- */

/* Fills types, jobs and totals. */
void berth__goodput_audit_limits(berth__goodput_audit *a);
/* The profile on a type, NULL: the job does not run on it or has bare options. */
const berth_goodput_profile *berth__goodput_audit_profile(const berth_goodput_job *job, size_t type);
/* Goodput of gpus GPUs of a type on n nodes, or the bare option's value; 0: the job cannot run so. */
double berth__goodput_audit_goodput(const berth__goodput_audit *a, size_t job, size_t type, size_t n, uint32_t gpus);
/* Is it one of the configurations of the rules, within the job's limits? */
bool berth__goodput_audit_allowed(const berth__goodput_audit *a, size_t job, size_t type, size_t n, uint32_t gpus);
/* What a value adds to the sum that is maximised. */
double berth__goodput_audit_weight(const berth__goodput_audit *a, double value, bool starved);
/* F of such a sum. */
double berth__goodput_audit_fitness(const berth__goodput_audit *a, double sum);
/* Does the job have in the allocation just what it has now? */
bool berth__goodput_audit_kept(const berth__goodput_audit *a, size_t job);
/* Something that a job can have. */
typedef struct berth__goodput_audit_option {
    size_t type;
    size_t n;      /* nodes; of Pollux's configurations 2 stands for several */
    uint32_t gpus; /* 0: none */
    bool keep;     /* just what it has */
    double value;
} berth__goodput_audit_option;

/* Calls `visit` with everything that the job can have. */
typedef void berth__goodput_audit_visit(void *user, const berth__goodput_audit_option *option);
void berth__goodput_audit_options(const berth__goodput_audit *a, size_t job, berth__goodput_audit_visit *visit,
                                  void *user);

/* ---- pieces.c: what prices of pieces of nodes say ---- */

typedef struct berth__goodput_audit_pieces berth__goodput_audit_pieces;
/* From the prices of the allocation, which are >= 0. NULL: out of memory. */
berth__goodput_audit_pieces *berth__goodput_audit_pieces_new(const berth__goodput_audit *a);
void berth__goodput_audit_pieces_free(berth__goodput_audit_pieces *pieces);
/* What an option of a job that is not pinned costs at least. */
double berth__goodput_audit_pieces_cost(const berth__goodput_audit_pieces *pieces, size_t job,
                                        const berth__goodput_audit_option *option);
/* What all nodes can earn at most with what pinned jobs leave. */
double berth__goodput_audit_pieces_worth(const berth__goodput_audit_pieces *pieces);

/* ---- placement.c, bound.c: the rules ---- */

bool berth__goodput_audit_placement(berth__goodput_audit *a); /* false: out of memory */
bool berth__goodput_audit_bound(berth__goodput_audit *a);     /* false: out of memory */

#endif
