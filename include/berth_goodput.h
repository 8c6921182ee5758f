/* berth_goodput.h - goodput of adaptive training jobs, and who gets which GPUs for the next round.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * After Qiao et al., "Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep Learning", OSDI 2021 (sections
 * 3 and 4.2), and Jayaram Subramanya et al., "Sia: Heterogeneity-aware, goodput-optimized ML-cluster scheduling", SOSP
 * 2023, for clusters with several types of GPU.
 *
 * CONTENTS
 *   1. Goodput of one job
 *   2. Parameters from measurements
 *   3. Allocation of a cluster
 *   4. Files and checking (like berth_io.h without an ABI promise)
 *   5. Simulation (without an ABI promise)
 *
 * The conventions of berth.h hold. Nodes, GPU types and jobs are indices into the caller's arrays.
 */
#ifndef BERTH_GOODPUT_H
#define BERTH_GOODPUT_H

#include <berth.h>
#include <berth_io.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. Goodput of one job ------------------------------------------------------------------- */

/* A job on K replicas (GPUs) of n nodes, each processing m samples s + 1 times between two synchronisations
 * (section 3, equations 4 to 11):
 *
 *     T_grad = alpha_c + beta_c m
 *     T_sync = alpha_n + beta_n max(K - 2, 1e-8) if n > 1;  alpha_r + beta_r max(K - 2, 1e-8) if n = 1, K > 1;
 *              1e-8 if K = 1
 *     T_iter = s T_grad + (T_grad^gamma + T_sync^gamma)^(1 / gamma)
 *     M = K m (s + 1),  throughput = M / T_iter
 *     efficiency = (grad_var + grad_sqr) / (grad_var / (M / m0) + grad_sqr) / (M / m0)
 *     goodput = throughput * efficiency
 *
 * with the first quotient of efficiency 1 where its denominator is not positive. */
typedef struct berth_goodput_profile {
    size_t struct_size;
    double alpha_c, beta_c; /* s, s per sample: a gradient; >= 0, together >= 1e-15 */
    double alpha_n, beta_n; /* s, s per replica beyond two: synchronisation across nodes; >= 0 */
    double alpha_r, beta_r; /* the same within a node; >= 0 */
    double gamma;           /* overlap, in [1, 10] */
    double m0;              /* samples a step at first, whole, >= 1 */
    double max_batch;       /* M at most, whole, >= m0 */
    double min_local;       /* m at least, whole, >= 1 */
    double max_local;       /* m at most, whole, >= min_local */
    bool accumulation;      /* may s be > 0? */
    double grad_sqr;        /* squared norm of the mean gradient, >= 0 */
    double grad_var;        /* variance of gradients of m0 samples, >= 0 */
} berth_goodput_profile;

BERTH_API void berth_goodput_profile_init(berth_goodput_profile *profile);

/* How batch size and accumulation are chosen for given nodes and replicas. */
typedef enum berth_batch_mode {
    BERTH_BATCH_GRID = 0, /* as Pollux does: 50 geometric points of M from max(m0, min_local K) to max_batch, local =
                             M / K, s = ceil(local / max_local - 1e-8) - 1, and s >= 1 if K = 1 and local > m0 + 1e-8
                             (without accumulation s = 0), m = ceil(local / (s + 1) - 1e-8); the first that is best
                             among those within bounds. Rounding up may take K m (s + 1) beyond max_batch */
    BERTH_BATCH_EXACT     /* the best of all integers m and s with m0 <= M <= max_batch; with accumulation, K = 1 and
                             M > m0 has s >= 1 */
} berth_batch_mode;

typedef struct berth_goodput_point {
    double goodput;        /* samples a second at the efficiency of m0; 0: the job cannot run so */
    uint32_t local;        /* m; 0: cannot run */
    uint32_t accumulation; /* s */
    double batch;          /* M, samples */
    double step_s;         /* T_iter */
    double throughput;     /* samples a second */
    double efficiency;     /* of M = m0: 1, of more: less */
} berth_goodput_point;

/* Goodput at given m and s. E_ARGUMENT names the field of the profile, or nodes, replicas, local: nodes >= 1,
 * replicas >= nodes, local within [min_local, max_local], accumulation 0 if not allowed. */
BERTH_API berth_status berth_goodput_at(const berth_goodput_profile *profile, uint32_t nodes, uint32_t replicas,
                                        uint32_t local, uint32_t accumulation, berth_goodput_point *out,
                                        berth_error *error);
/* The best m and s. That there are none is a point of goodput 0. */
BERTH_API berth_status berth_goodput_best(const berth_goodput_profile *profile, berth_batch_mode mode, uint32_t nodes,
                                          uint32_t replicas, berth_goodput_point *out, berth_error *error);
/* All that goodput can be: local[k - 1] on one node and spread[k - 1] on several, for k = 1 .. replicas (spread[0] is
 * 0). Either may be NULL. */
BERTH_API berth_status berth_goodput_table(const berth_goodput_profile *profile, berth_batch_mode mode,
                                           uint32_t replicas, berth_goodput_point *local, berth_goodput_point *spread,
                                           berth_error *error);

/* ---- 2. Parameters from measurements --------------------------------------------------------- */

typedef struct berth_measurement {
    uint32_t nodes, replicas, local; /* n, K, m, s = 0 */
    double step_s;                   /* T_iter; > 0 */
    double sync_s;                   /* T_iter less the time of the gradient; >= 0, < step_s */
} berth_measurement;

/* What measurements could not tell. */
enum {
    BERTH_FIT_NO_SINGLE = 1 << 0,  /* none with one replica */
    BERTH_FIT_NO_LOCAL = 1 << 1,   /* none with several replicas on one node: alpha_r, beta_r are pinned */
    BERTH_FIT_NO_SPREAD = 1 << 2,  /* none on several nodes: alpha_n, beta_n are pinned */
    BERTH_FIT_ONE_LOCAL = 1 << 3,  /* one local batch size only: alpha_c is pinned, all is beta_c */
    BERTH_FIT_FEW_LOCAL = 1 << 4,  /* none with more than two replicas on one node: beta_r is pinned */
    BERTH_FIT_FEW_SPREAD = 1 << 5, /* none with more than two replicas on several nodes: beta_n is pinned */
    BERTH_FIT_AT_BOUND = 1 << 6,   /* gamma ended at 1 or 10 */
    BERTH_FIT_POOR = 1 << 7,       /* mean error of step times above a quarter */
    BERTH_FIT_UNCONVERGED = 1 << 8 /* the optimiser gave up: the best it found */
};

typedef struct berth_goodput_fit {
    double alpha_c, beta_c, alpha_n, beta_n, alpha_r, beta_r, gamma;
    double objective;     /* what was minimised */
    double step_error;    /* mean of |fitted / measured - 1| of step times */
    double worst_error;   /* the largest */
    size_t worst;         /* its index */
    unsigned warnings;    /* BERTH_FIT_* */
    const double *fitted; /* [n] step times */
    void *memory;         /* private */
} berth_goodput_fit;

/* Minimises rms(ln (fitted / step_s)) + rms(ln (fitted gradient / (step_s - sync_s))) + 1e-3 (gamma - 1)^2 +
 * 1e-2 ((beta_n / alpha_n)^2 + (beta_r / alpha_r)^2), rms the root of the mean square over all measurements. Pinned are
 * an alpha or beta at 1e-8 and, if nothing has several replicas, gamma at 1; what is pinned has no prior. E_ARGUMENT:
 * /3/step_s and the like; E_CANCELLED. Free with berth_goodput_fit_free. */
BERTH_API berth_status berth_goodput_fit_new(const berth_measurement *measurements, size_t n, const berth_hooks *hooks,
                                             berth_goodput_fit **out, berth_error *error);
BERTH_API void berth_goodput_fit_free(berth_goodput_fit *fit);

/* ---- 3. Allocation of a cluster -------------------------------------------------------------- */

typedef struct berth_node_gpus {
    size_t node;
    uint32_t gpus; /* >= 1 */
} berth_node_gpus;

/* What a job makes of an allocation, where no profile of it is known (Sia's matrices). */
typedef struct berth_goodput_option {
    size_t gpu_type;
    uint32_t nodes; /* exactly so many; >= 1, at most 16 */
    uint32_t gpus;  /* in all, >= nodes */
    double value;   /* v_j but for restarts, in [1e-9, 1e12] */
} berth_goodput_option;

typedef struct berth_goodput_job {
    size_t struct_size;
    const char *id; /* for messages; NULL: its number */
    double age_s;   /* since submission, >= 0 */
    uint32_t restarts;
    size_t n_current; /* GPUs held now, by ascending node, all of one type; 0: none */
    const berth_node_gpus *current;
    uint32_t min_replicas; /* if it gets any; 0 or 1: no minimum */
    uint32_t max_replicas; /* 0: min(64, max_batch / min_local), and of options no maximum */
    bool pinned;           /* keeps what it has, if anything, whatever it is */
    /* exactly one of these; a job runs on GPUs of one type at a time */
    const berth_goodput_profile *profile; /* the same on any type; NULL */
    const berth_goodput_profile *typed;   /* [n_types]; alpha_c = beta_c = 0: not on this type; NULL */
    size_t n_options;
    const berth_goodput_option *options; /* [n_options] no (type, nodes, gpus) twice */
    /* what baselines go by */
    double attained_gpu_s;    /* tiresias: GPU seconds had so far, >= 0 */
    uint32_t requested;       /* tiresias, gavel-maxsum: GPUs asked for; 0: ceil(GPUs / jobs) within the job's limits */
    double remaining_samples; /* optimus: at the efficiency of m0, >= 0; 0: an hour's of one GPU */
} berth_goodput_job;

BERTH_API void berth_goodput_job_init(berth_goodput_job *job);

/* A cluster and its jobs. Borrowed during a call. */
typedef struct berth_goodput_instance {
    size_t struct_size;
    const char *name;   /* may be NULL */
    const char *source; /* provenance; may be NULL */
    size_t n_nodes;
    const uint32_t *gpus;          /* [n_nodes] >= 0 */
    const size_t *gpu_type;        /* [n_nodes] < n_types; NULL: all 0 */
    size_t n_types;                /* >= 1 */
    const char *const *node_names; /* [n_nodes]; NULL: numbers */
    const char *const *type_names; /* [n_types]; NULL: numbers */
    size_t n_jobs;
    const berth_goodput_job *jobs; /* [n_jobs] */
    /* the objective; see berth_goodput_rules */
    double p;           /* power of the mean: negative, 0 or positive, in [-64, 64]; default -1 */
    int fair;           /* berth_fair; default node */
    double restart_s;   /* what a restart costs; default 30 */
    int rules;          /* berth_goodput_rules; default Pollux's */
    double round_s;     /* Sia: length of a round, default 60 */
    double lambda_none; /* Sia: cost of a job without GPUs, default 1.1 */
    uint32_t crc32;     /* of the file; 0 */
    void *memory;       /* private */
} berth_goodput_instance;

BERTH_API void berth_goodput_instance_init(berth_goodput_instance *instance);

typedef enum berth_fair {
    BERTH_FAIR_NODE = 0, /* the fair share of J jobs on N nodes of R GPUs, ceil(N R / J), as if within one node */
    BERTH_FAIR_SPREAD    /* on ceil(N / J) nodes */
} berth_fair;

/* What is maximised, over allocations that give each job nothing, what it has, or k GPUs of one type.
 *
 * Pollux (section 4.2): F = (1/J sum_j (v_j + 1e-3)^p)^(1/p), for p = 0 exp(1/J sum_j ln max(v_j, 1e-3)), v_j = 0
 *   without GPUs. v_j = goodput / goodput of the fair share / R', R' the mean of GPUs of nodes that have any, times
 *   max(age - restart_s restarts, 0) / (age + restart_s) if the allocation is not the present one (0 / 0 is 1). Where
 *   the job cannot run on its fair share, the most GPUs below that it can, else the fewest above; of a typed job, on
 * the type where the fair share's goodput is largest. At most 16 nodes a job, at most one job of several nodes a node.
 * Sia: configurations of 1, 2, 4, ... GPUs within a node, then whole nodes, those of the type's most GPUs; v_j =
 * goodput / the least > 0 of all configurations of the job (at most max_replicas); a job that has GPUs and is to have
 * others has max(age - restart_s restarts, 0) / (age + restart_s) of it, and those not at all if that is 0; at most
 * twice the GPUs that it has, one where it has none, or its minimum. Minimise sum_j v_j^p, p < 0, with lambda_none for
 * a job without GPUs. F is that sum over J to the power 1/p. What a job has need not be a configuration. Of options v_j
 * is the value, restarts as above; Sia's limit of growth does not apply. What a job cannot run on (goodput 0) it does
 * not get, unless pinned.
 *
 * Each job takes one of finitely many options and F is monotone in a sum over jobs of what options weigh: a
 * multiple-choice packing programme with a row of capacity for each GPU type. */
typedef enum berth_goodput_rules { BERTH_RULES_POLLUX = 0, BERTH_RULES_SIA } berth_goodput_rules;

/* How the allocation is found. All but the first are baselines. */
#define BERTH_ALLOCATOR_TABLE(X)                                                                                       \
    X(BERTH, 0, "berth")               /* duals, rounding, repair; exact where proved */                               \
    X(GENETIC, 1, "genetic")           /* Pollux's evolutionary search */                                              \
    X(OPTIMUS, 2, "optimus")           /* one GPU each, then the largest gain a GPU */                                 \
    X(TIRESIAS, 3, "tiresias")         /* least attained service in two queues, all that a job asked for */            \
    X(GAVEL_MAXSUM, 4, "gavel-maxsum") /* largest sum of normalised throughputs, by LP */                              \
    X(SIA, 5, "sia")                   /* Sia's programme by a MIP backend */

typedef enum berth_allocator {
#define BERTH_ALLOCATOR_ENUM(name, value, text) BERTH_ALLOCATOR_##name = (value),
    BERTH_ALLOCATOR_TABLE(BERTH_ALLOCATOR_ENUM)
#undef BERTH_ALLOCATOR_ENUM
} berth_allocator;

typedef struct berth_allocate_options {
    size_t struct_size;
    berth_allocator allocator;
    berth_batch_mode mode;
    const char *solver; /* of the LP bound: "auto" (sort and sweep), or an LP backend */
    bool starve_last;   /* fewest jobs without GPUs first, then F; default true */
    bool prove;    /* search for longer, completely where there are at most 64 jobs on 64 nodes; then, if there is a
                    * MIP backend, by an integer programme over what the prices leave */
    uint64_t seed; /* of randomised allocators; default 1 */
    double time_limit_s; /* where it is over before all options are listed, jobs that were not reached keep what they
                          * have or get few GPUs or none, and there is no bound */
    const berth_backends *backends; /* NULL: the built-in ones */
    berth_hooks hooks;
} berth_allocate_options;

BERTH_API void berth_allocate_options_init(berth_allocate_options *options);

typedef struct berth_allocated_job {
    size_t n_nodes;               /* 0: starved */
    const berth_node_gpus *nodes; /* by ascending node */
    uint32_t replicas;
    uint32_t local, accumulation; /* m and s; 0 for bare options */
    double goodput;               /* or the option's value; 0: starved */
    double speedup;               /* v_j of the rules */
    bool kept;                    /* the present allocation */
} berth_allocated_job;

/* The certificate is a price of a GPU of each type, and one of starvation, all >= 0. With w_jc what option c of job j
 * adds to the sum (to be maximised; negated where it is minimised), g_c its GPUs and n_c = 1 if it has none, no
 * allocation that starves at most S jobs has a sum above
 *
 *     sum_t price[t] capacity[t] + starve_price S + sum_j max_c (w_jc - price[type of c] g_c - starve_price n_c)
 *
 * and bound is the F of that, with S = starved. Without starve_last, starve_price is 0, so that the bound holds for all
 * allocations. Likewise no allocation gives GPUs to more jobs than
 *
 *     sum_t serve_price[t] capacity[t] + sum_j max_c (1 - n_c - serve_price[type of c] g_c).
 *
 * GPUs that are left over on many nodes may be worth less than others. Where there are local_prices and spread_prices,
 * all >= 0, they are the certificate in place of prices: those of k GPUs on a node, for a job on that node alone, and
 * for a part of a job on several. Then no allocation that starves at most S jobs has a sum above
 *
 *     sum over nodes of worth + starve_price S + sum over pinned jobs of w_jc
 *         + sum over other jobs max_c (w_jc - cost_c - starve_price n_c)
 *
 * where worth is the largest sum of prices of pieces, at most one of them spread, that fit into the GPUs that pinned
 * jobs leave of a node, and cost_c the price of a local piece, or the least sum of prices of spread pieces, as many as
 * c has nodes (2 to 16 where it leaves that open), with g_c GPUs in all; for what a job has, of just the pieces that it
 * has. */
typedef struct berth_allocation {
    berth_outcome outcome; /* OPTIMAL (within 1e-9), FEASIBLE, LIMIT, INFEASIBLE (pinned jobs do not fit) */
    size_t n_jobs;
    const berth_allocated_job *jobs; /* [n_jobs] */
    double fitness;                  /* F */
    double bound;                    /* no allocation that starves no more has more, by the certificate; NAN: none */
    double search_bound;             /* the same by complete search or by a MIP backend: nothing proves it; NAN: none */
    double ratio;                    /* bound / fitness */
    size_t starved;                  /* jobs without GPUs */
    size_t starved_bound;            /* no allocation starves fewer */
    const double *prices;            /* [n_types]; NULL: none */
    double starve_price;
    const double *serve_prices; /* [n_types]; NULL: none */
    size_t n_types;
    berth_allocator allocator;
    berth_batch_mode mode;
    double p; /* the instance's, or another that was asked for: berth_check_allocation goes by it */
    uint64_t seed;
    bool starve_last;            /* OPTIMAL: among the allocations with fewest starved */
    bool stopped;                /* by time limit or cancellation */
    bool node_level;             /* berth looked at nodes one by one: for a bound, or in a complete search */
    size_t n_sizes;              /* GPUs of the largest node; 0: no prices of pieces */
    const double *local_prices;  /* [n_types * n_sizes] of k GPUs of a type at [type * n_sizes + k - 1]; NULL */
    const double *spread_prices; /* likewise; NULL */
    void *memory;                /* private */
} berth_allocation;

BERTH_API const char *berth_allocator_name(berth_allocator allocator); /* "gavel-maxsum" */
/* E_ARGUMENT: error->where names the field, like /jobs/3/current/0/node. */
BERTH_API berth_status berth_allocate(const berth_goodput_instance *instance, const berth_allocate_options *options,
                                      berth_allocation **out, berth_error *error);
BERTH_API void berth_allocation_free(berth_allocation *allocation);

/* ---- 4. Files and checking ------------------------------------------------------------------- */

/* berth-profile-1. */
BERTH_API berth_status berth_goodput_profile_read(const char *path, berth_goodput_profile *out, berth_error *error);
BERTH_API berth_status berth_goodput_profile_write(const berth_goodput_profile *profile, const char *path,
                                                   berth_error *error);

/* CSV with the columns num_nodes,num_replicas,local_bsz,step_time,sync_time, in any order, others passed over, and
 * blanks around fields. E_INPUT with the line. Free with berth_measurements_free. */
BERTH_API berth_status berth_measurements_read(const char *path, berth_measurement **out, size_t *n,
                                               berth_error *error);
BERTH_API void berth_measurements_free(berth_measurement *measurements);

/* berth-goodput-1. Free with berth_goodput_instance_free. */
BERTH_API berth_status berth_goodput_instance_read(const char *path, berth_goodput_instance **out, berth_error *error);
BERTH_API berth_status berth_goodput_instance_parse(const char *text, size_t length, berth_goodput_instance **out,
                                                    berth_error *error);
BERTH_API berth_status berth_goodput_instance_write(const berth_goodput_instance *instance, const char *path,
                                                    berth_error *error);
BERTH_API void berth_goodput_instance_free(berth_goodput_instance *instance);

/* Random clusters with jobs of the six profiles of the Pollux paper, in all phases of training. */
typedef struct berth_generate_goodput_options {
    size_t struct_size;
    uint64_t seed;
    size_t nodes;  /* 1 to 10,000 */
    uint32_t gpus; /* of a node, 1 to 64 */
    size_t types;  /* of GPUs, 1 to 8: nodes are shared out evenly, and speeds differ by a factor of up to 4 */
    size_t jobs;   /* at most 100,000; 0: 2.5 for each node */
    double warm;   /* share of the jobs that hold GPUs, as far as there are some; in [0, 1] */
    double pinned; /* share of those that are pinned; in [0, 1] */
    double p;      /* of the instance; default -1 */
} berth_generate_goodput_options;

BERTH_API void berth_generate_goodput_options_init(berth_generate_goodput_options *options);
/* Free with berth_goodput_instance_free. */
BERTH_API berth_status berth_generate_goodput(const berth_generate_goodput_options *options,
                                              berth_goodput_instance **out, berth_error *error);

/* berth-allocation-1. The instance is needed to name nodes, types and jobs. E_MISMATCH: of another instance. */
BERTH_API berth_status berth_allocation_read(const char *path, const berth_goodput_instance *instance,
                                             berth_allocation **out, berth_error *error);
BERTH_API berth_status berth_allocation_write(const berth_allocation *allocation,
                                              const berth_goodput_instance *instance, const char *path,
                                              berth_error *error);

/* Recomputes every claim of an allocation: capacities, distributed jobs, minima and maxima, pinned jobs, batch sizes,
 * goodput, speedup, F, the number starved, the bounds from the prices; one that is infeasible claims nothing but that.
 * Prices are evaluated, not compared: others that give the same bounds are as good. Not judged: seed, search_bound
 * beyond F, and node_level and starve_last but for what goes with them (a search bound, a price of starvation,
 * OPTIMAL). In the report, utility is F and dual its bound. */
BERTH_API berth_status berth_check_allocation(const berth_goodput_instance *instance,
                                              const berth_allocation *allocation, const berth_hooks *hooks,
                                              berth_report **out, berth_error *error);

/* ---- 5. Simulation --------------------------------------------------------------------------- */

/* Jobs that train measured applications on a cluster, in rounds.
 *
 * Time is continuous; a policy decides at the end of each round. Between decisions a job makes progress, counted in
 * steps at m0, at the rate
 *
 *     gain / (T + s (T - T_sync)),   gain = (grad_var + grad_sqr) / (grad_var / scale + grad_sqr),  scale = M / m0
 *
 * with T and T_sync measured on its placement at m, and the noise measured in the present epoch at M. An epoch e ends
 * at the least progress that any of the measured trainings had then; the end is rounded to whole multiples of tick_s
 * (half to even). A job is done with its last epoch. For restart_s after it got other GPUs it makes none.
 *
 * T and T_sync are interpolated: in m linearly between measured sizes; below the smallest as at that one, above the
 * largest in proportion to m. A placement that was not measured (in no rotation of its ring) has the mean of those with
 * as many nodes and replicas; where there is none, linear between the next numbers of replicas on as many nodes, and
 * between the next numbers of nodes with as many replicas a node. Beyond the measured range as at its end. On GPUs of
 * speed f the time of a gradient, T - T_sync, is divided by f, the slowest of its GPUs. The noise is interpolated in M
 * linearly between measured trainings, beyond them as at the nearest. */
typedef struct berth_measured_placement {
    uint32_t nodes, replicas;
    const uint32_t *gpus;  /* [nodes] replicas on each, in the order of the ring; NULL: any placement of so many */
    size_t n;              /* >= 1 */
    const uint32_t *local; /* [n] m, ascending */
    const double *step_s;  /* [n] T > 0 */
    const double *sync_s;  /* [n] T_sync in [0, T) */
} berth_measured_placement;

/* A whole training at one batch size. */
typedef struct berth_measured_training {
    double batch;                      /* M, whole */
    const double *progress;            /* [epochs] at the end of each, in steps at m0, ascending */
    const double *iterations;          /* [epochs] at the end of each, ascending */
    const double *grad_sqr, *grad_var; /* [epochs] during each; >= 0, not both 0 */
} berth_measured_training;

typedef struct berth_application {
    const char *name;
    double m0, max_batch, min_local, max_local; /* as of a profile */
    bool accumulation;
    double batch;          /* fixed for policies that adapt it; 0: theirs to choose */
    uint32_t max_replicas; /* for policies that choose replicas; 0: no limit but min_local */
    size_t epochs;         /* >= 1 */
    size_t n_placements;   /* >= 1 */
    const berth_measured_placement *placements;
    size_t n_trainings; /* >= 1, by ascending batch, the first of m0 */
    const berth_measured_training *trainings;
} berth_application;

typedef struct berth_training_job {
    const char *id;
    double submit_s; /* >= 0 */
    size_t application;
    uint32_t replicas; /* for policies that don't choose */
    double batch;      /* M for policies that don't adapt it, whole, in [m0, max_batch] */
} berth_training_job;

typedef struct berth_goodput_workload {
    size_t struct_size;
    const char *name;
    const char *source; /* provenance; may be NULL */
    size_t n_nodes;
    const uint32_t *gpus;          /* [n_nodes] >= 1 */
    const size_t *gpu_type;        /* [n_nodes] < n_types; NULL: all 0 */
    size_t n_types;                /* >= 1 */
    const double *speed;           /* [n_types] > 0; NULL: all 1 */
    const char *const *node_names; /* [n_nodes] */
    const char *const *type_names; /* [n_types] */
    double round_s;                /* default 60 */
    double restart_s;              /* default 30 */
    double tick_s;                 /* 0: no rounding; default 1. A round is a multiple of it */
    size_t n_applications;
    const berth_application *applications;
    size_t n_jobs;
    const berth_training_job *jobs;
    uint32_t crc32; /* of the file; 0 */
    void *memory;   /* private */
} berth_goodput_workload;

BERTH_API void berth_goodput_workload_init(berth_goodput_workload *workload);

/* Who decides.
 *
 * Tiresias: two queues, first come first served within each; a job goes to the end of the second when its executed time
 * by its replicas reaches 16 GPU hours; jobs that fit into what those before them leave run, others wait. Optimus: one
 * GPU each in order of submission, then one more to the job with the largest (T(k) - T(k + 1)) x remaining iterations
 * while that is positive; T is measured on full nodes. Both keep a placement whose number of GPUs stays, and place a
 * job (Optimus: smaller ones first) on the node with most free GPUs, the next with most, and so on. Batches are the
 * jobs'.
 *
 * Pollux, Sia: berth_allocate by the rules of that name, with profiles fitted to the step times seen so far, the noise
 * last seen, and batches by berth_goodput_best. A job without a measurement is taken for one that scales perfectly. Its
 * replicas are at most twice the most it has had (one at first), 64, and max_batch / min_local.
 *
 * hesrpt: as Pollux, but knows how much each job has left to do, and weighs jobs by it: of n jobs, the logarithm of the
 * goodput of the one with the i-th longest rest counts (2 i - 1) / n times (after Berg, Vesilo and Harchol-Balter,
 * "heSRPT", 2020; see docs/goodput-policies.md). */
#define BERTH_GOODPUT_POLICY_TABLE(X)                                                                                  \
    X(POLLUX, 0, "pollux")                                                                                             \
    X(SIA, 1, "sia")                                                                                                   \
    X(TIRESIAS, 2, "tiresias")                                                                                         \
    X(OPTIMUS, 3, "optimus")                                                                                           \
    X(HESRPT, 4, "hesrpt")

typedef enum berth_goodput_policy {
#define BERTH_GOODPUT_POLICY_ENUM(name, value, text) BERTH_GOODPUT_##name = (value),
    BERTH_GOODPUT_POLICY_TABLE(BERTH_GOODPUT_POLICY_ENUM)
#undef BERTH_GOODPUT_POLICY_ENUM
} berth_goodput_policy;

typedef struct berth_goodput_run_options {
    size_t struct_size;
    berth_goodput_policy policy;
    double demote_gpu_s; /* Tiresias; default 57600 */
    double horizon_s;    /* the run ends then, done or not; default 1e8 */
    /* of Pollux, Sia and hesrpt */
    berth_allocator allocator; /* default BERTH */
    berth_batch_mode mode;
    double p; /* NAN: the rules' own, -1, -0.5 and 0 */
    uint64_t seed;
    double time_limit_s; /* of the whole run; INFINITY */
    const berth_backends *backends;
    berth_hooks hooks;
} berth_goodput_run_options;

BERTH_API void berth_goodput_run_options_init(berth_goodput_run_options *options);

/* From at_s on, until the next of the job. */
typedef struct berth_goodput_span {
    double at_s;
    size_t n_nodes;               /* 0: no GPUs */
    const berth_node_gpus *nodes; /* [n_nodes] in the order of the ring, each once */
    bool placed;                  /* other GPUs than before: the restart begins */
    uint32_t local, accumulation; /* m, s */
} berth_goodput_span;

typedef struct berth_trained_job {
    double start_s;      /* first GPUs; NAN: never */
    double completion_s; /* NAN: not done */
    uint32_t restarts;   /* placements but the first */
    double attained_gpu_s;
    double alone_s;  /* see fairness */
    double fairness; /* time from submission to completion / alone_s; NAN: not done */
    size_t n_spans;
    const berth_goodput_span *spans;
} berth_trained_job;

/* Finish-time fairness (Themis' rho): a job's time in this run against what it would take on its fair share of the
 * cluster, alone, at the best of the measured batch sizes in each epoch. Its share is the GPUs by the mean number of
 * jobs that were submitted and not done while it was: whole GPUs, on full nodes of the largest kind, at speed 1; a
 * share below one GPU takes as much longer. Includes one restart_s. Above 1: the job was worse off. */
typedef struct berth_goodput_run {
    const char *workload; /* its name */
    uint32_t workload_crc32;
    const char *policy;    /* "pollux" */
    const char *allocator; /* NULL: none */
    const char *batches;   /* "grid", "exact"; NULL: the jobs' */
    double p;              /* NAN: none */
    double demote_gpu_s;   /* NAN: none */
    double horizon_s;      /* NAN: 1e8 */
    uint64_t seed;
    bool stopped; /* by time limit or cancellation */
    size_t rounds;
    double end_s; /* of the last round */
    size_t n_jobs;
    const berth_trained_job *jobs;
    /* over jobs that are done */
    size_t completed;
    double mean_s, median_s, p99_s; /* from submission to completion; NAN: none */
    double makespan_s;              /* the last completion; NAN: none */
    double mean_fairness, worst_fairness;
    double unfair; /* part of them with fairness above 1 */
    /* over all */
    uint64_t restarts;
    double gpu_s;       /* attained */
    double utilisation; /* of all GPUs until end_s */
    void *memory;       /* private */
} berth_goodput_run;

BERTH_API const char *berth_goodput_policy_name(berth_goodput_policy policy);
BERTH_API const char *const *berth_goodput_policy_names(void); /* NULL-terminated, in order */
/* E_ARGUMENT: error->where names the field, like /jobs/3/batch. Named berth_goodput_simulate, as a run is what comes of
 * it. O(rounds x jobs) and what the policy takes. */
BERTH_API berth_status berth_goodput_simulate(const berth_goodput_workload *workload,
                                              const berth_goodput_run_options *options, berth_goodput_run **out,
                                              berth_error *error);
BERTH_API void berth_goodput_run_free(berth_goodput_run *run);

/* berth-goodput-jobs-1. */
BERTH_API berth_status berth_goodput_workload_read(const char *path, berth_goodput_workload **out, berth_error *error);
BERTH_API berth_status berth_goodput_workload_write(const berth_goodput_workload *workload, const char *path,
                                                    berth_error *error);
BERTH_API void berth_goodput_workload_free(berth_goodput_workload *workload);

/* Pollux's files: a workload CSV (name,time,application,num_replicas,batch_size) and the applications, either a folder
 * with one for each (placements.csv, scalability.csv, validation-BATCH.csv) or a berth-goodput-jobs-1 file that has
 * them. Nodes of `gpus` GPUs. What the files don't say is set as in the simulations of Qiao et al.: epochs, yolov3's
 * max_local 8, ncf's one replica and batch of 32768. */
BERTH_API berth_status berth_goodput_import(const char *workload, const char *applications, size_t n_nodes,
                                            uint32_t gpus, berth_goodput_workload **out, berth_error *error);

/* berth-goodput-run-1. */
BERTH_API berth_status berth_goodput_run_read(const char *path, const berth_goodput_workload *workload,
                                              berth_goodput_run **out, berth_error *error);
BERTH_API berth_status berth_goodput_run_write(const berth_goodput_run *run, const berth_goodput_workload *workload,
                                               const char *path, berth_error *error);

/* Recomputes a run from its spans: capacities, at most one job of several nodes a node, growth and kinds of GPU
 * (Pollux, Sia, hesrpt), batches, changes at ends of rounds and epochs only, progress, completions, restarts, GPU
 * seconds, fairness, summary, that the run ended when it was to, and that policy, allocator, batches, p and
 * demote_gpu_s go together. Batches are the jobs' (Tiresias, Optimus), the applications' fixed ones, or among those
 * that the policy chooses from: which of these is best goes by profiles fitted on the way, and is not judged, nor is
 * who gets how many GPUs, nor the seed. The policy "external" (or NULL) is anybody: only what any run must keep is
 * judged. In the report, utility is mean_s. */
BERTH_API berth_status berth_check_goodput_run(const berth_goodput_workload *workload, const berth_goodput_run *run,
                                               const berth_hooks *hooks, berth_report **out, berth_error *error);

#ifdef __cplusplus
}
#endif

#endif /* BERTH_GOODPUT_H */
