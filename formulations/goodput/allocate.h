/* Who gets which GPUs: the problem as all allocators see it, what is held by whom, and the result.
 *
 * berth_allocate checks the instance (instance.h), tabulates what each job can get (options.h), proves a bound
 * (bound.h) and calls one allocator, which leaves its allocation in run->best. An allocator is a file of its own:
 *
 *     static berth_status ...(berth__allocate_run *run, berth_error *error)
 *
 * run->best comes with the pinned jobs placed and is valid at any time; the allocator betters it until it is done or
 * berth__budget_spent(run->budget), and never leaves out_of_memory unreported (E_MEMORY). */
#ifndef BERTH_FORMULATIONS_GOODPUT_ALLOCATE_H
#define BERTH_FORMULATIONS_GOODPUT_ALLOCATE_H

#include <berth_goodput.h>

#include "base/alloc.h"
#include "base/budget.h"

enum { BERTH__MOST_NODES = 16 }; /* of a job */

/* ---- The problem ---- */

/* One thing that a job can get. */
typedef struct berth__allocate_option {
    uint32_t type;        /* of GPU; 0 for none */
    uint32_t gpus;        /* 0: none */
    uint16_t least, most; /* nodes; 1, 1: on one. Of keep: as many as it has */
    bool keep;            /* just the nodes and GPUs that it has */
    double value;         /* v_j; 0 for none */
    double weight;        /* what it adds to the sum that is maximised (negated where it is minimised) */
} berth__allocate_option;

typedef struct berth__allocate_job {
    const berth__allocate_option *options; /* [n_options] none first (unless pinned), then keep if it may, then all
                                            * others by type, GPUs and nodes */
    size_t n_options;                      /* >= 1; 1: no choice */
    size_t first;                          /* of those that are neither none nor keep */
    size_t keep;                           /* its index; n_options: it has nothing, or may not keep it */
    bool pinned;                           /* to what it has, options[0] */
    uint32_t least_gpus, most_gpus;        /* min_replicas (>= 1), max_replicas (resolved) */
    uint32_t current_gpus, current_type;   /* what it has */
    double factor;                         /* of v_j if the allocation changes */
    double unit;                           /* v_j = unit goodput factor; 1 for bare options */
} berth__allocate_job;

typedef struct berth__allocate_problem {
    const berth_goodput_instance *instance;
    const berth_allocate_options *options;
    size_t n_nodes, n_types, n_jobs;
    const uint32_t *gpus;     /* [n_nodes] */
    const size_t *type;       /* [n_nodes] never NULL */
    const uint64_t *capacity; /* [n_types] GPUs */
    const uint32_t *largest;  /* [n_types] GPUs of the node that has most */
    const size_t *node_start; /* [n_types + 1] into nodes_of: the nodes of a type that have GPUs, by GPUs descending, */
    const size_t *nodes_of;   /* then by number */
    uint64_t total;           /* GPUs */
    size_t n_true_nodes;      /* with GPUs */
    uint32_t fair_gpus;       /* ceil(total / n_jobs), at least 1 */
    bool fair_spread;         /* counted as on several nodes */
    double none_weight;       /* of a job without GPUs */
    bool is_partial;          /* time ran out: some jobs have not all options, so that nothing is bounded */
    berth__allocate_job *jobs; /* [n_jobs] */
    berth__arena *arena;
} berth__allocate_problem;

/* Checks instance and options and tabulates. E_ARGUMENT with error->where like /jobs/3/current/0/node; E_UNSUPPORTED if
 * weights leave the range of a double. Borrows instance and options. Close in any case. Memory and time: O(options).
 * When most of the budget (NULL: none) is spent, jobs get no options but what they have and, for a while yet, that of
 * fewest GPUs of each type. */
berth_status berth__allocate_problem_open(berth__allocate_problem *problem, const berth_goodput_instance *instance,
                                          const berth_allocate_options *options, const berth__budget *budget,
                                          berth_error *error);
void berth__allocate_problem_close(berth__allocate_problem *problem);

/* The option of `gpus` GPUs of one type on n nodes, not keep; NULL: the job cannot run so. O(log options). */
const berth__allocate_option *berth__allocate_find(const berth__allocate_problem *problem, size_t job, size_t type,
                                                   size_t n, uint32_t gpus);

/* F of a sum over jobs of weights, as given in options; INFINITY or 0 where the sum is beyond what F can be. */
double berth__allocate_fitness(const berth__allocate_problem *problem, double sum);
/* The weight of a value; starved: without GPUs. */
double berth__allocate_weight(const berth__allocate_problem *problem, double value, bool starved);

/* ---- What is held by whom ---- */

typedef struct berth__holding {
    size_t n;               /* nodes; 0: nothing */
    berth_node_gpus *nodes; /* [room] by ascending node */
    size_t room;            /* at least BERTH__MOST_NODES, and what a pinned job has */
} berth__holding;

/* GPUs of nodes and jobs. Always within capacity, with at most one job of several nodes a node. */
typedef struct berth__placement {
    const berth__allocate_problem *problem;
    uint32_t *free;          /* [n_nodes] */
    uint64_t *type_free;     /* [n_types] their sums */
    size_t *spread;          /* [n_nodes] the job of several nodes there; SIZE_MAX: none */
    berth__holding *holding; /* [n_jobs] */
    size_t *order;           /* [n_nodes] scratch */
    berth__arena *arena;
} berth__placement;

/* Empty. False: out of memory; close in any case. */
bool berth__placement_open(berth__placement *placement, const berth__allocate_problem *problem);
void berth__placement_close(berth__placement *placement);
/* Both of the same problem. */
void berth__placement_copy(berth__placement *to, const berth__placement *from);

/* Is there room for a job that holds nothing yet? n may be above BERTH__MOST_NODES only for what the job has. */
bool berth__placement_fits(const berth__placement *placement, const berth_node_gpus *nodes, size_t n);
/* Gives a job that holds nothing the n nodes, ascending, which fit. */
void berth__placement_put(berth__placement *placement, size_t job, const berth_node_gpus *nodes, size_t n);
/* Takes all that a job holds. */
void berth__placement_take(berth__placement *placement, size_t job);
/* Nodes for `gpus` GPUs of a type on `least` to `most` nodes: as few nodes as there are, best fit of what remains; of
 * those alike the first. Puts them and returns true, or leaves all as it is. O(nodes of the type). */
bool berth__placement_place(berth__placement *placement, size_t job, size_t type, uint32_t gpus, size_t least,
                            size_t most);
/* Puts an option (keep: just what the job has; none: nothing) on a job that holds nothing. */
bool berth__placement_choose(berth__placement *placement, size_t job, const berth__allocate_option *option);

/* What a job's holding is: none, keep or another option; NULL: the job cannot run so. */
const berth__allocate_option *berth__placement_option(const berth__placement *placement, size_t job);
size_t berth__placement_starved(const berth__placement *placement);
/* The sum of weights. Every job's holding is an option. */
double berth__placement_sum(const berth__placement *placement);
/* Does a allot better than b: with starve_last fewer starved first, then the sum? */
bool berth__placement_better(const berth__placement *a, const berth__placement *b);

/* ---- A run ---- */

/* See berth_allocation for what it proves. */
typedef struct berth__allocate_bound {
    double *price, *serve_price; /* [n_types] >= 0; 0 at first, which is valid */
    double starve_price;
    struct berth__pieces *pieces; /* prices that may prove more; NULL: none */
    size_t starved;               /* no allocation starves fewer */
    double search;                /* F by complete search or by a MIP backend; NAN: none */
    size_t *wanted;               /* [n_jobs] option that the relaxation chooses, or most of it */
    bool *split;                  /* [n_jobs] it takes parts of several */
} berth__allocate_bound;

typedef struct berth__allocate_run {
    const berth__allocate_problem *problem;
    const berth__budget *budget; /* NULL: none */
    berth__allocate_bound bound;
    berth__placement best;
    bool is_optimal; /* by complete search, or a MIP backend */
    bool node_level; /* nodes were looked at one by one: for a bound, or in a complete search */
} berth__allocate_run;

/* Opens bound and placement, places what is pinned and relaxes. *fits false: that has no room, and nothing is relaxed.
 * The placement is to be closed in any case. */
berth_status berth__allocate_begin(berth__allocate_run *run, bool *fits, berth_error *error);
/* Keeps a copy of `found` if it is better than run->best. True: it is. */
bool berth__allocate_offer(berth__allocate_run *run, const berth__placement *found);
/* No allocation that starves at most `starved` has a sum above, by the prices of types or, where there are such, of
 * pieces; INFINITY where rounding errors are too large to say. O(options), or O(1) by pieces. */
double berth__allocate_bound_sum(const berth__allocate_run *run, size_t starved);
/* What an option costs at these prices. */
double berth__allocate_cost(const berth__allocate_run *run, size_t job, const berth__allocate_option *option);
/* No allocation gives more jobs GPUs, by serve_price. */
double berth__allocate_serve_bound(const berth__allocate_run *run);

/* berth.c */
berth_status berth__allocate_berth(berth__allocate_run *run, berth_error *error);

#endif
