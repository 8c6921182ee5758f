/* berth.h - decide where arriving machine-learning training jobs run.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * CONTENTS
 *   1. Version
 *   2. Status, outcome, error
 *   3. Hooks: log, cancellation, progress
 *   4. Backends (LP and MIP solvers)
 *   5. The placement model: jobs, machines, utilities
 *   6. Options
 *   7. Decisions
 *   8. Scheduler
 *   9. General problems: mixed packing-and-covering integer programmes
 *
 * CONVENTIONS
 *   - Functions return a berth_status; 0 is success, negative is failure. An infeasible problem is
 *     not a failure: see berth_outcome.
 *   - On failure `*out` is NULL, nothing is owed, and the optional berth_error says what and where.
 *   - Inputs are copied unless a comment says otherwise. Every _new has a NULL-safe _free.
 *   - The library never prints, exits, reads the environment, changes the locale or keeps mutable
 *     globals. Use a handle from one thread at a time; any number of handles may be used in parallel.
 *   - Results depend on inputs, options and seed alone, not on the number of threads. (A time limit
 *     or a cancellation is the one exception.)
 *   - Slots are numbered from 0. Units are in the names: _s seconds, _mb megabytes (10^6 bytes),
 *     _mb_s megabytes a second, _slots slots. Infinity is INFINITY, "absent" is NAN.
 */
#ifndef BERTH_H
#define BERTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BERTH_API __attribute__((visibility("default")))
#else
#define BERTH_API
#endif

/* ---- 1. Version ------------------------------------------------------------------------------ */

#define BERTH_VERSION_MAJOR 0
#define BERTH_VERSION_MINOR 1
#define BERTH_VERSION_PATCH 0

/* The library's version at run time, "major.minor.patch". Static storage. */
BERTH_API const char *berth_version(void);

/* ---- 2. Status, outcome, error --------------------------------------------------------------- */

/* Name, pinned value, text. One table for enum, berth_status_name and berth_status_text. */
#define BERTH_STATUS_TABLE(X)                                                                                          \
    X(OK, 0, "success")                                                                                                \
    X(E_ARGUMENT, -1, "invalid argument")                                                                              \
    X(E_MEMORY, -2, "out of memory")                                                                                   \
    X(E_INPUT, -3, "malformed or inconsistent input")                                                                  \
    X(E_IO, -4, "cannot read or write")                                                                                \
    X(E_BACKEND, -5, "solver backend missing or failed")                                                               \
    X(E_NUMERIC, -6, "numerical trouble")                                                                              \
    X(E_CANCELLED, -7, "cancelled or out of time before any result")                                                   \
    X(E_UNSUPPORTED, -8, "not supported by this version")                                                              \
    X(E_MISMATCH, -9, "result and instance do not belong together")                                                    \
    X(E_INTERNAL, -10, "internal error")

typedef enum berth_status {
#define BERTH_STATUS_ENUM(name, value, text) BERTH_##name = (value),
    BERTH_STATUS_TABLE(BERTH_STATUS_ENUM)
#undef BERTH_STATUS_ENUM
} berth_status;

/* "BERTH_E_INPUT", or "BERTH_E_UNKNOWN" for a number outside the table. Static storage. */
BERTH_API const char *berth_status_name(berth_status status);
/* One line for a person. Static storage. */
BERTH_API const char *berth_status_text(berth_status status);

/* What became of a problem, apart from whether the call worked. */
#define BERTH_OUTCOME_TABLE(X)                                                                                         \
    X(OPTIMAL, 0, "optimal")                                                                                           \
    X(FEASIBLE, 1, "feasible")                                                                                         \
    X(APPROXIMATE, 2, "approximate")                                                                                   \
    X(INFEASIBLE, 3, "infeasible")                                                                                     \
    X(UNBOUNDED, 4, "unbounded")                                                                                       \
    X(LIMIT, 5, "limit")                                                                                               \
    X(NUMERIC, 6, "numeric")

typedef enum berth_outcome {
#define BERTH_OUTCOME_ENUM(name, value, text) BERTH_##name = (value),
    BERTH_OUTCOME_TABLE(BERTH_OUTCOME_ENUM)
#undef BERTH_OUTCOME_ENUM
} berth_outcome;

BERTH_API const char *berth_outcome_name(berth_outcome outcome); /* "OPTIMAL", ... */

/* Filled on failure when the caller passes one. `where` is a JSON pointer ("/jobs/3/epochs"), a file
 * name, or an argument's name; `line` and `column` count from 1, 0 = does not apply. */
typedef struct berth_error {
    berth_status status;
    long line;
    long column;
    char where[256];
    char message[512];
} berth_error;

/* ---- 3. Hooks -------------------------------------------------------------------------------- */

typedef enum berth_log_level { BERTH_LOG_DEBUG = 0, BERTH_LOG_INFO = 1, BERTH_LOG_WARNING = 2 } berth_log_level;

/* All may be NULL. `cancel` is polled where work can be long, possibly from worker threads (it must
 * be safe to call concurrently); true ends the call soon with the best incumbent. `log` and
 * `progress` are called from the calling thread only. */
typedef struct berth_hooks {
    size_t struct_size;
    void *user;
    void (*log)(void *user, berth_log_level level, const char *message);
    bool (*cancel)(void *user);
    void (*progress)(void *user, double done, double total); /* units of the running phase */
} berth_hooks;

BERTH_API void berth_hooks_init(berth_hooks *hooks);

/* ---- 4. Backends ----------------------------------------------------------------------------- */

/* A solver behind berth's backend contract. Clp is built in (when libberth was built with it); GLPK
 * lives in a library of its own, libberth_glpk, because GLPK is under the GPL. */
typedef struct berth_backend berth_backend;
typedef struct berth_backends berth_backends;

/* A set holding the built-in backends, in order of preference. */
BERTH_API berth_status berth_backends_new(berth_backends **out);
BERTH_API void berth_backends_free(berth_backends *set);
/* Adds a backend (kept by reference: backends are static objects). E_ARGUMENT if its name is there. */
BERTH_API berth_status berth_add_backend(berth_backends *set, const berth_backend *backend);
BERTH_API size_t berth_backends_count(const berth_backends *set);
BERTH_API const char *berth_backends_name(const berth_backends *set, size_t index);    /* "clp" */
BERTH_API const char *berth_backends_version(const berth_backends *set, size_t index); /* "1.17.6" */
/* Does it solve linear programmes to the end, as policies need? "first-order" does not: it is for berth_solve. */
BERTH_API bool berth_backends_exact(const berth_backends *set, size_t index);

/* In libberth_glpk: link it and pass the result to berth_add_backend. */
BERTH_API const berth_backend *berth_glpk_backend(void);

/* ---- 5. The placement model ------------------------------------------------------------------ */

/* Utility u(d) of completing d slots after arrival; never increasing, never negative. */
typedef enum berth_utility_kind {
    BERTH_UTILITY_SIGMOID = 0, /* theta[0] / (1 + exp(theta[1] (d - theta[2]))) */
    BERTH_UTILITY_CONSTANT,    /* value */
    BERTH_UTILITY_LINEAR,      /* max(0, value (1 - d / deadline_slots)) */
    BERTH_UTILITY_DEADLINE,    /* value if d <= deadline_slots, else 0 */
    BERTH_UTILITY_STEPS        /* value of the first step with delay >= d; 0 after the last */
} berth_utility_kind;

typedef struct berth_step {
    double delay_slots; /* strictly increasing along the table */
    double value;       /* non-increasing along the table */
} berth_step;

typedef struct berth_utility {
    berth_utility_kind kind;
    double theta[3];
    double value;
    double deadline_slots;
    size_t n_steps;
    const berth_step *steps;
} berth_utility;

/* One training job (Yu et al., IEEE TNSE 2022, section III). Work is V = epochs * samples. A slot's
 * workers each process samples at
 *     1 / (sample_seconds + workers_per_ps * 2 * gradient_mb / (batch * bandwidth))   samples/s
 * with the internal bandwidth if all workers and parameter servers of the slot sit on one machine,
 * the external one otherwise. all_reduce: no parameter servers; the factor workers_per_ps is 1. */
typedef struct berth_job {
    size_t struct_size;
    const char *id;
    const char *tenant; /* NULL: none */
    int arrival_slot;   /* first slot in which it may run */
    double epochs;
    double samples; /* per epoch */
    double batch;   /* samples a worker processes between two pushes */
    int max_workers;
    double sample_seconds; /* compute time of one sample on one worker */
    double gradient_mb;    /* size of gradients = parameters */
    double workers_per_ps; /* most workers one parameter server serves; > 0 (ignored if all_reduce) */
    double bandwidth_internal_mb_s;
    double bandwidth_external_mb_s;
    bool all_reduce;
    const double *worker; /* [n_resources] demand of one worker */
    const double *ps;     /* [n_resources] demand of one parameter server; NULL if all_reduce */
    berth_utility utility;
    size_t n_allow; /* machine-name globs (* ? [abc]); 0: every machine */
    const char *const *allow;
    size_t n_avoid; /* machines matching any of these are excluded */
    const char *const *avoid;
} berth_job;

/* Sets struct_size and defaults (everything 0 / NULL, max_workers 0 = floor(batch)). */
BERTH_API void berth_job_init(berth_job *job);

/* Most of a resource that a tenant's jobs may hold together in a slot. */
typedef struct berth_quota {
    const char *tenant;
    const double *amount; /* [n_resources], INFINITY where unlimited */
} berth_quota;

typedef struct berth_cluster {
    size_t struct_size;
    double slot_seconds;
    int horizon_slots;
    size_t n_resources;
    const char *const *resources; /* names */
    size_t n_machines;
    const char *const *machines; /* names */
    const double *capacity;      /* [n_machines][n_resources] */
    size_t n_quotas;
    const berth_quota *quotas;
} berth_cluster;

BERTH_API void berth_cluster_init(berth_cluster *cluster);

/* Price bounds of the exponential price function p = lower (upper / lower)^(used / capacity), per
 * resource, in utility per share of the cluster's total of the resource (so they do not depend on
 * units). upper = 0 where nobody demands the resource. */
typedef struct berth_price_bounds {
    size_t struct_size;
    size_t n_resources;
    double *upper; /* [n_resources], owned by the struct */
    double *lower; /* [n_resources] */
    double floor;  /* lower was raised to floor * upper where it was computed; not applied to given bounds */
    bool floored;  /* the floor was active on some resource: the closed-form ratio does not apply */
} berth_price_bounds;

/* Computes U^r and L of the given jobs (a sample of what is expected, or, for an oracle run, the
 * future itself). `floor` <= 0 takes 1e-12, which only keeps numbers in range and is what runs under
 * "pdors" use; those under "pdors-ci" use 1e-4: the larger, the more is earned under overload, and the more
 * jobs that are long or of little value are turned away without it. Jobs that cannot finish are left out.
 * Free the arrays with berth_price_bounds_clear. */
BERTH_API berth_status berth_price_bounds_compute(const berth_cluster *cluster, const berth_job *jobs, size_t n_jobs,
                                                  double floor, berth_price_bounds *out, berth_error *error);
BERTH_API void berth_price_bounds_clear(berth_price_bounds *bounds);

/* ---- 6. Options ------------------------------------------------------------------------------ */

typedef enum berth_favour { BERTH_FAVOUR_COVER = 0, BERTH_FAVOUR_PACKING = 1 } berth_favour;

/* How the factor G of randomised rounding (pdors) is chosen. */
typedef enum berth_scale_rule {
    BERTH_SCALE_AUTO = 0, /* root of G - 1 - ln G = ln(3 n / delta) / W: valid for every G */
    BERTH_SCALE_PAPER,    /* the paper's closed form; its claim needs G >= 1/2 */
    BERTH_SCALE_GIVEN     /* options.scale */
} berth_scale_rule;

/* What a run is measured against. Each includes those before it; the result names the least as the best. */
typedef enum berth_bound {
    BERTH_BOUND_NONE = 0,
    BERTH_BOUND_DUAL, /* at the run's own prices or near those of the schedule LP; the certificate's prices confirm it
                       */
    BERTH_BOUND_LP,   /* the schedule LP by column generation, to bound_gap or the time limit: far tighter, and slower.
                         The certificate then has its prices, which confirm both */
    BERTH_BOUND_EXACT /* the optimum by branch and bound, for tiny instances: E_UNSUPPORTED for larger ones. On the
                         solver's word: a checker cannot confirm it */
} berth_bound;

/* Time against quality, for policies that search (bidlp). */
typedef enum berth_effort { BERTH_EFFORT_LOW = 0, BERTH_EFFORT_MEDIUM, BERTH_EFFORT_HIGH } berth_effort;
/* "low", "medium", "high"; NULL for another number. Static storage. */
BERTH_API const char *berth_effort_name(berth_effort effort);

typedef struct berth_options {
    size_t struct_size;
    const char *policy; /* one of berth_policy_names */
    const char
        *solver; /* "auto": as the policy chooses; "fast": bidlp's and pdors-ci's own slot solver; or an LP backend */
    uint64_t seed;
    int threads;         /* 0: all processors */
    double time_limit_s; /* INFINITY: none */
    int levels;          /* most quanta of work a job is cut into by the schedule programme */
    double delta;        /* failure probability of a rounding, in (0, 1) */
    berth_favour favour;
    berth_scale_rule scale_rule;
    double scale; /* G, with BERTH_SCALE_GIVEN */
    int trials;   /* roundings tried per slot problem (pdors) */
    bool repair;  /* alter the best failed rounding until its rows hold (pdors) */
    berth_effort effort;
    int fifo_workers; /* workers of each job (fifo), as far as possible; 0: 1 to 30, drawn by the seed */
    berth_bound bound;
    double bound_gap;       /* LP bound: good enough once within this of the LP's value, relative; in [0, 1) */
    double dorm_fairness;   /* theta1 of dorm: fairness loss allowed, in parts of the largest possible; in [0, 1] */
    double dorm_adjust;     /* theta2 of dorm: running jobs that a slot may change, in parts of all; in [0, 1] */
    double restart_delay_s; /* lost in a slot by a job that is not where it was in the slot before; policies that
                               promise need less than slot_seconds */
    double noise; /* sigma, in [0, 2]: jobs truly have a speed and a work that are the declared ones times lognormal
                     factors of median 1, which policies do not know; whole runs (berth_run_online) only */
    bool rolling; /* the horizon is always horizon_slots from the present slot on; schedulers (section 8) only */
    const berth_backends *backends; /* NULL: the built-in ones */
    berth_hooks hooks;
} berth_options;

BERTH_API void berth_options_init(berth_options *options);

/* NULL-terminated list of the policies, the default first. Static storage. */
BERTH_API const char *const *berth_policy_names(void);
/* What a policy does, in a line for a person; NULL if there is none of that name. Static storage. */
BERTH_API const char *berth_policy_about(const char *name);
/* Does the policy decide a job for good at arrival, and complete every job it admits? Others decide slot by slot and
 * promise nothing; they are for whole runs (berth_run_online) alone. False if there is none of that name. */
BERTH_API bool berth_policy_promises(const char *name);

/* ---- 7. Decisions ---------------------------------------------------------------------------- */

typedef enum berth_locality { BERTH_INTERNAL = 0, BERTH_EXTERNAL = 1 } berth_locality;

typedef struct berth_placement {
    int machine; /* index */
    int workers;
    int ps;
} berth_placement;

typedef struct berth_slot_plan {
    int slot;
    berth_locality locality;
    double samples; /* progress made in the slot, from the placement */
    size_t n_placements;
    berth_placement *placements; /* by increasing machine */
} berth_slot_plan;

typedef struct berth_decision {
    uint64_t number; /* of the submission, from 0 */
    bool admitted;
    char reason[160];
    int promised_slot;   /* it will complete no later, whatever comes; -1 if rejected */
    int completion_slot; /* by the plan; -1 if rejected */
    double utility;      /* 0 if rejected */
    double payoff;       /* utility - price_paid of the best plan; NAN: no plan exists */
    double payoff_bound; /* upper bound on the payoff of every plan at the prices of the moment; NAN: not computed */
    double price_paid;   /* price of the committed plan at the prices before it; 0 if rejected */
    size_t n_slots;
    berth_slot_plan *slots; /* by increasing slot */
} berth_decision;

BERTH_API void berth_decision_free(berth_decision *decision);

/* ---- 8. Scheduler ---------------------------------------------------------------------------- */

/* A cluster, the jobs it was promised to, and the clock. Time is the number of a slot: the present slot, `now`, has not
 * run yet; what is decided in it takes effect from it on. Events at a slot (submissions, machines that fail, ...) are
 * calls; each either happens in full or, on failure, not at all. What an event does to other jobs than the one it
 * names is told by berth_take_changes.
 *
 * A scheduler keeps the memory that it decides with: submitting and asking allocate the decision and, of a job that is
 * admitted, its record, and more only when something is larger than ever before. Models that a backend solves (policy
 * pdors, or a solver named) are made anew each time. */
typedef struct berth_scheduler berth_scheduler;

/* A scheduler over an empty cluster, at slot 0. `bounds` NULL is E_ARGUMENT for price-based policies (all but bidlp):
 * compute them from expected jobs with berth_price_bounds_compute or choose them. E_UNSUPPORTED: a policy that promises
 * nothing, or options.noise > 0. */
BERTH_API berth_status berth_scheduler_new(const berth_cluster *cluster, const berth_price_bounds *bounds,
                                           const berth_options *options, berth_scheduler **out, berth_error *error);
BERTH_API void berth_scheduler_free(berth_scheduler *scheduler);

/* -- submitting -- */

/* Decides a job at once and for good and commits the plan if admitted: a batch of one (policies but bidlp: Yu et al.,
 * Algorithm 1). An arrival slot after the present one moves time to it first, as berth_advance does; E_ARGUMENT for one
 * that has passed, and for an id that a job has that is still live then. `*out` is the caller's: berth_decision_free.
 * E_CANCELLED: the hook or the deadline ended the work; nothing was committed, but time has moved. */
BERTH_API berth_status berth_submit(berth_scheduler *scheduler, const berth_job *job, berth_decision **out,
                                    berth_error *error);

/* All arrivals of a slot together, `out`: [n] decisions, all or none. Policy bidlp decides them together, the rest one
 * by one in the order given. n = 0 is of use, too: bidlp then looks for better placements from that slot on. Slots must
 * not decrease from call to call, and each job's arrival slot must be `slot`. */
BERTH_API berth_status berth_submit_batch(berth_scheduler *scheduler, int slot, size_t n, const berth_job *jobs,
                                          berth_decision **out, berth_error *error);

/* As berth_submit_batch, but all or nothing: if one of them cannot be admitted, all are rejected and nothing is held;
 * the reasons name the first that failed. From then on they stand and fall together: if a machine's failure loses one
 * of them, all are lost. n > 0. */
BERTH_API berth_status berth_submit_gang(berth_scheduler *scheduler, int slot, size_t n, const berth_job *jobs,
                                         berth_decision **out, berth_error *error);

/* As berth_submit_gang (n = 1: a single job), but an admission is only a proposal: its capacity is held, and it has to
 * be confirmed by berth_commit once the launch has been arranged, or taken back by berth_abandon, both of which take
 * the number of any of the n. A proposal lapses when time passes the first slot in which one of the n would run. */
BERTH_API berth_status berth_propose(berth_scheduler *scheduler, int slot, size_t n, const berth_job *jobs,
                                     berth_decision **out, berth_error *error);
/* E_ARGUMENT: no proposal has the number (it was committed, abandoned or has lapsed). */
BERTH_API berth_status berth_commit(berth_scheduler *scheduler, uint64_t number, berth_error *error);
BERTH_API berth_status berth_abandon(berth_scheduler *scheduler, uint64_t number, berth_error *error);

/* The decision that berth_submit would give, committing nothing; time does not move either, nor with it a rolling
 * horizon, so that for a later arrival less of it is seen. */
BERTH_API berth_status berth_what_if(berth_scheduler *scheduler, const berth_job *job, berth_decision **out,
                                     berth_error *error);

/* -- time and jobs -- */

/* Time moves to `slot`: the slots before it have run as planned, jobs whose plan ended in them are complete, and
 * proposals whose first slot has passed lapse. E_ARGUMENT: before the present slot, or not before the horizon. With
 * options.rolling the horizon moves, too. */
BERTH_API berth_status berth_advance(berth_scheduler *scheduler, int slot, berth_error *error);
BERTH_API int berth_now(const berth_scheduler *scheduler);
/* The first slot that plans cannot use: horizon_slots, and with options.rolling so many from the present slot on. */
BERTH_API int berth_horizon(const berth_scheduler *scheduler);

/* A job is done before its plan ends, or is called off: what it holds from the present slot on is free. A committed
 * member of a gang may finish or be cancelled alone. E_ARGUMENT: no live job has the number. */
BERTH_API berth_status berth_finish(berth_scheduler *scheduler, uint64_t number, berth_error *error);
BERTH_API berth_status berth_cancel(berth_scheduler *scheduler, uint64_t number, berth_error *error);

/* A job turned out to have `samples` left from the present slot on, more or fewer than its plan supposes: the rest is
 * planned anew, to be done by what was promised if that can be, else as early as can be; that is told as a change.
 * If no plan completes it before the horizon, it is lost. */
BERTH_API berth_status berth_report_left(berth_scheduler *scheduler, uint64_t number, double samples,
                                         berth_error *error);

typedef enum berth_job_state {
    BERTH_JOB_PROPOSED = 0, /* held, to be committed */
    BERTH_JOB_WAITING,      /* admitted, none of its slots has come */
    BERTH_JOB_RUNNING       /* the first slot of its plan has come */
} berth_job_state;
BERTH_API const char *berth_job_state_name(berth_job_state state); /* "proposed", ... Static storage. */

/* A live job: admitted or proposed, and neither complete, finished, cancelled, lost nor lapsed. */
typedef struct berth_job_info {
    uint64_t number;
    uint64_t gang;  /* number of the first of its gang; its own if it has none */
    const char *id; /* until the job's end */
    berth_job_state state;
    int arrival_slot, promised_slot, completion_slot;
    double samples, samples_left; /* of all its work; not done before the present slot */
} berth_job_info;

BERTH_API size_t berth_live_count(const berth_scheduler *scheduler);
/* By increasing number, index < berth_live_count. */
BERTH_API berth_status berth_live_job(const berth_scheduler *scheduler, size_t index, berth_job_info *out);
/* The live job of an id: true, and its number. */
BERTH_API bool berth_find_job(const berth_scheduler *scheduler, const char *id, uint64_t *number);

/* The plan of a live job as it stands, from its first slot on: policy bidlp keeps what it promised, not where a job
 * runs. With each submission it looks for better places, also of jobs that run, and moves those that gain by it, in all
 * a thousandth of what they are worth (in whole runs, where nobody pays for moves but by options.restart_delay_s, any
 * that loses nothing); the other policies do not; and a machine's failure moves jobs under every policy. Placements of
 * slots before the present one are final. price_paid, payoff and payoff_bound are NAN. E_ARGUMENT: no live job has the
 * number. */
BERTH_API berth_status berth_present_plan(berth_scheduler *scheduler, uint64_t number, berth_decision **out,
                                          berth_error *error);

/* What became of jobs in an event that did not name them. */
typedef enum berth_change_kind {
    BERTH_CHANGE_MOVED = 0, /* another plan, complete no later than promised */
    BERTH_CHANGE_DELAYED,   /* another plan, and later than promised: promised_slot has changed */
    BERTH_CHANGE_COMPLETED, /* its plan has run out */
    BERTH_CHANGE_LOST,      /* no plan completes it any more, or its gang was lost; `reason` */
    BERTH_CHANGE_LAPSED     /* a proposal that nobody committed in time */
} berth_change_kind;
BERTH_API const char *berth_change_kind_name(berth_change_kind kind); /* "moved", ... Static storage. */

typedef struct berth_change {
    uint64_t number;
    const char *id;
    berth_change_kind kind;
    int slot; /* in which it happened; COMPLETED: the slot after its last */
    int promised_slot, completion_slot;
    char reason[160];
} berth_change;

typedef struct berth_changes {
    size_t n;
    berth_change *changes; /* in the order of events; of an event by number */
    void *memory;          /* private */
} berth_changes;

/* All since the last call (or, with what a snapshot held of them, since it was restored). Every job that ends in
 * another way than by the caller's own berth_finish, berth_cancel or berth_abandon is told of once. */
BERTH_API berth_status berth_take_changes(berth_scheduler *scheduler, berth_changes *out, berth_error *error);
BERTH_API void berth_changes_clear(berth_changes *changes);

/* -- machines -- */

typedef enum berth_machine_state {
    BERTH_MACHINE_UP = 0,
    BERTH_MACHINE_DRAINING, /* keeps what it has, takes nothing new */
    BERTH_MACHINE_DOWN      /* failed, or drained and empty */
} berth_machine_state;
BERTH_API const char *berth_machine_state_name(berth_machine_state state); /* "up", ... Static storage. */

typedef struct berth_machine_info {
    const char *name; /* until the scheduler's end */
    berth_machine_state state;
    const double *capacity; /* [n_resources] when it is up, in the cluster's units; until the next call that adds or
                               resizes a machine */
    int held_until;         /* the first slot from which on it is planned to be empty; the present one: it is */
} berth_machine_info;

/* The cluster's resources, which arrays of amounts are in the order of. NULL: none of that index. The name is there
 * until the scheduler's end. */
BERTH_API size_t berth_resource_count(const berth_scheduler *scheduler);
BERTH_API const char *berth_resource_name(const berth_scheduler *scheduler, int resource);

BERTH_API size_t berth_machine_count(const berth_scheduler *scheduler);
BERTH_API berth_status berth_machine(const berth_scheduler *scheduler, int machine, berth_machine_info *out);
/* The index of a machine's name; -1: there is none. Indices never change, and machines are never forgotten. */
BERTH_API int berth_find_machine(const berth_scheduler *scheduler, const char *name);

/* A further machine, up; `*machine` is its index. capacity: [n_resources]. E_ARGUMENT: the name is taken. Globs of jobs
 * apply to it. Price bounds stay as they are (they are per share of the cluster that the scheduler was made with). */
BERTH_API berth_status berth_add_machine(berth_scheduler *scheduler, const char *name, const double *capacity,
                                         int *machine, berth_error *error);
/* No further plans on it: jobs planned to be there keep it, unless they are moved. */
BERTH_API berth_status berth_drain_machine(berth_scheduler *scheduler, int machine, berth_error *error);
/* It is gone from the present slot on. Jobs planned to be there are planned anew for the rest of their work, by
 * what was promised if that can be, else as early as can be, those with the most utility at stake for what they demand
 * first; where nothing completes them before the horizon they are lost, and told so by berth_take_changes. */
BERTH_API berth_status berth_fail_machine(berth_scheduler *scheduler, int machine, berth_error *error);
/* Another capacity [n_resources] from the present slot on; jobs that no longer fit are planned anew as after a failure,
 * the latest admitted first. */
BERTH_API berth_status berth_resize_machine(berth_scheduler *scheduler, int machine, const double *capacity,
                                            berth_error *error);
/* A machine that is down or draining is up again, with the capacity it had. */
BERTH_API berth_status berth_return_machine(berth_scheduler *scheduler, int machine, berth_error *error);

/* -- looking -- */

/* Present price of one unit of a resource on a machine in a slot (0 where it has no capacity). */
BERTH_API double berth_price(const berth_scheduler *scheduler, int slot, int machine, int resource);

/* Amount of a resource held on a machine in a slot by live jobs. 0 for slots before the present one. */
BERTH_API double berth_used(const berth_scheduler *scheduler, int slot, int machine, int resource);

/* What one more unit of a resource on a machine in slots [first, end) would be worth, in utility: the sum of its
 * present prices. By duality an upper bound: with d units more, the bound on the total utility of schedules that were
 * possible before on each machine alone, which these prices prove, rises by d times this. What fits on no machine
 * without the d units (a worker larger than any) is not in it. 0 for slots outside [now, horizon). */
BERTH_API double berth_capacity_value(const berth_scheduler *scheduler, int first, int end, int machine, int resource);

/* Why a machine takes no worker of a job. */
typedef enum berth_machine_verdict {
    BERTH_VERDICT_FREE = 0,  /* it has room for a worker, in `free_slots` of the slots until the horizon */
    BERTH_VERDICT_FORBIDDEN, /* by the job's allow or avoid */
    BERTH_VERDICT_CLOSED,    /* draining or down */
    BERTH_VERDICT_TOO_SMALL, /* even when empty: `resource` */
    BERTH_VERDICT_FULL,      /* in every slot until the horizon: `resource` is what is short in most of them */
} berth_machine_verdict;
BERTH_API const char *berth_machine_verdict_text(berth_machine_verdict verdict); /* Static storage. */

typedef struct berth_machine_reason {
    int machine;
    berth_machine_verdict verdict;
    int resource;        /* that is short; -1: none */
    double needed, most; /* of it: by one worker, and the most that is free in one slot (TOO_SMALL: the capacity); NAN:
                            none is short */
    int free_slots;      /* with room for a worker */
    double price;        /* of a worker in the cheapest of them; NAN: there is none */
} berth_machine_reason;

/* A change of one thing of a rejected job with which berth_what_if admits it, found by dry runs, about twenty at most.
 * It is the least if more of the same never hurts, which holds but for the heuristics of policies. */
typedef struct berth_least_change {
    bool found;          /* false: none such admits it, or the time limit or the cancel hook came first */
    double value;        /* later_slots: slots by which the utility is to fall later, so that a delay d counts as
                            max(0, d - value); utility_factor: of the utility, in three digits, up to 10^6; max_workers:
                            another width, as far as workers could be of use. NAN: not found */
    int completion_slot; /* with it; -1: not found */
} berth_least_change;

typedef struct berth_explanation {
    bool admitted;    /* then nothing is to be changed */
    char reason[160]; /* as of the decision; if rejected, also what finds no room: a worker, a parameter server, or both
                         at once; and whether the tenant's quota is in the way */
    double payoff, payoff_bound;
    size_t n_machines;
    berth_machine_reason *machines; /* [n_machines] by index; of slots from the job's arrival to the horizon */
    berth_least_change later_slots, utility_factor, max_workers;
    int dry_runs;
    void *memory; /* private */
} berth_explanation;

/* Why a job would be rejected now, or that it would not; commits nothing. The time limit is that of all dry runs
 * together: E_CANCELLED if it does not even do for the job as it is. */
BERTH_API berth_status berth_explain(berth_scheduler *scheduler, const berth_job *job, berth_explanation **out,
                                     berth_error *error);
BERTH_API void berth_explanation_free(berth_explanation *explanation);

typedef struct berth_statistics {
    size_t struct_size;
    uint64_t submitted, admitted, rejected; /* admitted: not those only proposed */
    uint64_t proposed, abandoned, lapsed;   /* ever proposed; of these taken back, and lapsed */
    uint64_t completed, finished, cancelled, lost;
    uint64_t moved, delayed; /* plans changed after they were announced */
    uint64_t live;
    double utility;         /* of jobs complete or finished, at the slot in which they were */
    double utility_planned; /* of live ones but proposals, at their planned completion */
    size_t machines_up, machines_draining, machines_down;
} berth_statistics;

BERTH_API berth_status berth_scheduler_statistics(const berth_scheduler *scheduler, berth_statistics *out);

/* -- snapshots -- */

/* All of the scheduler's state as bytes, versioned and with a checksum, the same on every machine: restored, it decides
 * and prices as this one does, to the last bit (on another machine, as far as its exp and log agree). `*bytes` is the
 * caller's: berth_snapshot_free. Linear in their number, a millisecond for a megabyte. With R resources there are about
 *     160 + 16 R and its texts for a live job, and 33 for each slot of its plan (12 for each machine beyond the first),
 *     8 + 16 R for each machine in use in a slot,
 * and under bidlp 120 + 16 R and its texts for a job seen (about the last 8192 with options.rolling, else all), and
 * 8 R (futures + 2) for each slot and class of machines, with 1, 8 or 16 futures by effort. 1000 live jobs of 11 slots
 * each on 100 machines are 0.9 MB; restoring them takes 8 ms (pdors-ci) to 25 ms (bidlp). */
BERTH_API berth_status berth_snapshot(const berth_scheduler *scheduler, unsigned char **bytes, size_t *n_bytes,
                                      berth_error *error);
BERTH_API void berth_snapshot_free(unsigned char *bytes);
/* options: of these, backends, hooks, threads and time_limit_s are used, the rest is the snapshot's; NULL: defaults.
 * E_INPUT: no snapshot, cut short or damaged, or, with a right checksum, what no scheduler can be: error->where and the
 * message say where and what. E_UNSUPPORTED: of a later version. E_BACKEND: it needs a solver that is not there. */
BERTH_API berth_status berth_restore(const unsigned char *bytes, size_t n_bytes, const berth_options *options,
                                     berth_scheduler **out, berth_error *error);

/* ---- 9. General problems --------------------------------------------------------------------- */

/* A linear or mixed-integer programme, rows with bounds on both sides:
 *
 *     min or max  offset + cost . x   s.t.  row_lower <= A x <= row_upper,  lower <= x <= upper,
 *                                           x_j integer where is_integer[j]
 *
 * Plain data, borrowed during a call. It is a mixed packing-and-covering programme if, after its rows are multiplied
 * by -1 where that makes them non-negative, ranges and equalities are split in two and every variable is counted from
 * its lower bound, all of A, all right sides and all costs are >= 0 (for a maximisation: all profits). Then the bounds
 * on roundings apply; any other is solved as LP or MIP. */
typedef struct berth_problem {
    size_t struct_size;
    const char *name; /* NULL: "" */
    bool maximize;
    double offset;
    size_t n_vars, n_rows;
    const char *const *var_names; /* [n_vars] unique; NULL: x0, x1, ... */
    const double *cost;           /* [n_vars] */
    const double *lower;          /* [n_vars]; NULL: 0 */
    const double *upper;          /* [n_vars]; NULL: INFINITY */
    const bool *is_integer;       /* [n_vars]; NULL: none is */
    const int *group;             /* [n_vars] group number (dependent rounding) or -1; NULL: no groups */
    size_t n_groups;
    const char *const *group_names; /* [n_groups]; NULL: g0, g1, ... */
    const char *const *row_names;   /* [n_rows] unique; NULL: r0, r1, ... */
    const double *row_lower;        /* [n_rows], -INFINITY: none */
    const double *row_upper;        /* [n_rows], INFINITY: none */
    const size_t *row_start;        /* [n_rows + 1] into var_of, value */
    const int *var_of;              /* [row_start[n_rows]], no variable twice in a row */
    const double *value;
    uint32_t crc32; /* of all of the above, set by the readers; 0: not computed */
    void *memory;   /* private */
} berth_problem;

/* Everything 0 / NULL but struct_size. */
BERTH_API void berth_problem_init(berth_problem *problem);

typedef struct berth_solve_options {
    size_t struct_size;
    const char *method; /* one of berth_method_names */
    const char *lp;     /* solver of the relaxation: "auto" (by size and structure), "clp", "glpk", "first-order" */
    uint64_t seed;
    int threads;         /* 0: all processors */
    double time_limit_s; /* INFINITY: none */
    double gap;          /* auto, exact: good enough once the cost is within this of the bound, relative */
    double lp_gap;       /* first-order: precision of the relaxation, relative */
    double delta;        /* failure probability of a rounding, in (0, 1) */
    berth_favour favour; /* the kind of rows that shall hold for certain: cover (for max: always packing) or packing */
    berth_scale_rule scale_rule;
    double scale;                 /* G, with BERTH_SCALE_GIVEN */
    int trials;                   /* draws of randomised and dependent rounding */
    bool repair;                  /* alter a rounding until its rows hold (auto always does) */
    const char *group_separators; /* variables whose names agree up to the first of these characters form a group;
                                     NULL: the problem's own groups */
    const berth_backends *backends;
    berth_hooks hooks;
} berth_solve_options;

BERTH_API void berth_solve_options_init(berth_solve_options *options);

/* NULL-terminated list of the methods, the default first. Static storage. */
BERTH_API const char *const *berth_method_names(void);
/* What a method does, in a line for a person; NULL if there is none of that name. Static storage. */
BERTH_API const char *berth_method_about(const char *name);

/* What a rounding promised of this problem, apart from what came out. LP: the value of the relaxation's point. With
 * probability `probability` (1: certain), all of:
 *     min: cost <= cost_factor LP; max: profit >= cost_factor LP,
 *     every cover row >= cover_factor times its right side, every packing row <= pack_factor times its right side,
 * both right sides with variables counted from their lower bounds, LP and cost without offset and likewise. */
typedef struct berth_promise {
    bool holds;
    double scale;                                               /* G; NAN: no scaling */
    double cost_factor, cover_factor, pack_factor, probability; /* NAN where there is none */
    const char *why_not;                                        /* NULL if it holds */
} berth_promise;

/* How far a printed bound can be trusted. */
typedef enum berth_proof {
    BERTH_PROOF_NONE = 0,  /* there is no bound, or a solver's word is all there is */
    BERTH_PROOF_TOLERANCE, /* the multipliers give it, but for reduced costs that are 0 within tolerance */
    BERTH_PROOF_EXACT      /* it follows from the multipliers in exact arithmetic */
} berth_proof;

typedef struct berth_solution {
    const char *problem;
    uint32_t problem_crc32;
    bool packing_covering; /* the problem is one, so the bounds on roundings apply */
    const char *why_not;   /* if it is not: the first thing that speaks against it; else NULL */
    const char *method;    /* as asked for */
    const char *found_by;  /* the step that found x; NULL: there is no x */
    const char *lp;        /* solver of the relaxation; NULL: none */
    berth_outcome outcome; /* OPTIMAL: proved by `bound` or, within `gap`, by node_bound; FEASIBLE: all rows hold;
                              APPROXIMATE: rows hold within cover_min and pack_max; INFEASIBLE; UNBOUNDED;
                              LIMIT: stopped early, x as it is; NUMERIC */
    double cost;           /* offset included; NAN: no x */
    double bound;          /* min: lower, max: upper, from the multipliers; NAN: none */
    berth_proof proof;     /* of the bound */
    double node_bound;     /* what branch and bound says, without proof; NAN: none */
    double ratio;          /* min: cost / bound; max: bound / cost; >= 1; NAN: not defined */
    double cover_min;      /* least (A x)_i / a_i over cover rows, from lower bounds on; NAN: there are none, or no x */
    double pack_max;       /* greatest (B x)_i / b_i over packing rows */
    berth_promise promise;
    /* options that shaped the result */
    uint64_t seed;
    int trials; /* draws made */
    double delta;
    const char *favour; /* "cover" | "packing" */
    const char *scale;  /* "auto" | "paper" | a number */
    bool repair;
    double gap, lp_gap;
    size_t n_vars, n_rows;
    const double *x;           /* [n_vars]; NULL: none */
    const double *relaxation;  /* [n_vars] point that was rounded; NULL: none */
    const double *multipliers; /* [n_rows] of `bound`: min: > 0 on a row's lower bound, < 0 on its upper; max: reversed;
                                  NULL: none */
    const double *ray;         /* [n_rows] > 0 on a row's lower bound, < 0 on its upper: proves that the relaxation is
                                  infeasible (Farkas); NULL: none */
    size_t n_versions;
    const char *const *version_names; /* "berth", "clp", ... */
    const char *const *version_numbers;
    void *memory; /* private */
} berth_solution;

/* Solves, rounds and bounds. An infeasible or unbounded problem is an outcome, not a failure. */
BERTH_API berth_status berth_solve(const berth_problem *problem, const berth_solve_options *options,
                                   berth_solution **out, berth_error *error);
BERTH_API void berth_solution_free(berth_solution *solution);

#ifdef __cplusplus
}
#endif

#endif /* BERTH_H */
