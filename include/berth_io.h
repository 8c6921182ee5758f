/* berth_io.h - files, runs, import, generation, checking.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Installed for programs and bindings; unlike berth.h it promises no ABI: recompile with the library.
 *
 * Paths: NULL is an error; "-" is standard input or output. Input may be gzip-compressed, may begin
 * with a UTF-8 byte order mark and may have CRLF line ends. Output to a path is atomic: a temporary
 * file beside it, fsync, rename; on failure nothing is left behind.
 *
 * Objects own everything they point to and are freed as a whole.
 */
#ifndef BERTH_IO_H
#define BERTH_IO_H

#include <berth.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Kinds of files -------------------------------------------------------------------------- */

enum { BERTH_FORMAT_ROOM = 32 };
/* What the `format` field of a JSON object at the top of a regular file says, or "": no such file, no such field, not
 * JSON, a pipe (whose bytes could not be read again). */
BERTH_API void berth_file_format(const char *path, char format[BERTH_FORMAT_ROOM]);

/* ---- Instances: berth-jobs-1 ----------------------------------------------------------------- */

typedef struct berth_machine_group {
    const char *name;
    size_t count;           /* > 1: machines name-0 .. name-(count-1) */
    const double *capacity; /* [n_resources] */
} berth_machine_group;

typedef struct berth_instance {
    const char *name;
    const char *source; /* provenance; "" if absent */
    double slot_seconds;
    int horizon_slots;
    size_t n_resources;
    const char *const *resources;
    size_t n_groups;
    const berth_machine_group *groups;
    size_t n_machines;           /* expanded */
    const char *const *machines; /* [n_machines] names, in file order */
    const int *machine_group;    /* [n_machines] index into groups */
    const double *capacity;      /* [n_machines][n_resources] */
    size_t n_quotas;
    const berth_quota *quotas;
    size_t n_jobs;
    const berth_job *jobs; /* file order; max_workers resolved */
    /* Optional "prices": NULL or NAN where not given. In the unit of the file: utility per unit. */
    const double *price_upper; /* [n_resources] or NULL */
    const double *price_lower; /* [n_resources] or NULL */
    double price_floor;        /* NAN: the policy's default */
    uint32_t crc32;            /* of the canonical text */
    void *memory;              /* private */
} berth_instance;

/* E_IO: cannot be read; E_INPUT: error->where is the JSON pointer (or line/column of a syntax error). */
BERTH_API berth_status berth_instance_read(const char *path, berth_instance **out, berth_error *error);
BERTH_API berth_status berth_instance_parse(const char *text, size_t length, berth_instance **out, berth_error *error);
/* Canonical text: writing what was read from canonical text gives the same bytes. */
BERTH_API berth_status berth_instance_write(const berth_instance *instance, const char *path, berth_error *error);
BERTH_API void berth_instance_free(berth_instance *instance);
/* Jobs larger than any machine and the like: not errors, but worth a line. Calls hooks->log. */
BERTH_API void berth_instance_warnings(const berth_instance *instance, const berth_hooks *hooks);
/* A view of the machines for berth_scheduler_new; borrows from the instance. */
BERTH_API void berth_instance_cluster(const berth_instance *instance, berth_cluster *out);

/* ---- Runs: berth-run-1 ----------------------------------------------------------------------- */

#define BERTH_JOB_OUTCOME_TABLE(X)                                                                                     \
    X(COMPLETED, 0, "completed")                                                                                       \
    X(REJECTED, 1, "rejected")                                                                                         \
    X(UNFINISHED, 2, "unfinished") /* without promises, or with noise: earns 0 */                                      \
    X(UNDECIDED, 3, "undecided")   /* the run was stopped first */

typedef enum berth_job_outcome {
#define BERTH_JOB_OUTCOME_ENUM(name, value, text) BERTH_JOB_##name = (value),
    BERTH_JOB_OUTCOME_TABLE(BERTH_JOB_OUTCOME_ENUM)
#undef BERTH_JOB_OUTCOME_ENUM
} berth_job_outcome;

/* NAN = null: a policy that has no such thing, or noise, with which plans are not carried out as they were paid for. */
typedef struct berth_run_job {
    const char *id;
    bool admitted;
    berth_job_outcome outcome;
    const char *reason;
    int promised_slot;   /* at admission: to complete no later; -1: null, the policy promises nothing, or rejected */
    int completion_slot; /* -1: null */
    int delay_slots;     /* -1: null */
    double utility;
    double payoff;
    double payoff_bound;
    double price_paid;
    size_t n_slots;
    const berth_slot_plan *slots;
} berth_run_job;

/* What is true of a job, over what was declared. */
typedef struct berth_truth {
    double speed; /* of a worker, at either locality */
    double work;  /* samples */
} berth_truth;

/* What estimation errors did in a run. A job is early if it completes before its placements, at the declared speed,
 * make the declared work; late if it completes in a later slot than the one in which they do. */
typedef struct berth_estimation_summary {
    size_t early, late, unfinished;                 /* of the admitted jobs; the others complete in time */
    size_t promises_kept, promises_broken;          /* of the promised slots; broken also: unfinished */
    double mean_overrun_slots, worst_overrun_slots; /* of late jobs, in slots beyond the one said above; NAN: none */
} berth_estimation_summary;

typedef struct berth_run_bounds {
    double dual; /* B(p) at the run's own prices, scaled, or near those of the schedule LP, whichever is less; at
                    the certificate's, or weaker; NAN: not computed */
    double arrival_dual;      /* diagnostic: payoff bounds at arrival + value of capacity at final prices */
    double lp;                /* B(p) at the certificate's prices, found by column generation; NAN: not computed */
    double exact;             /* the optimum, on a solver's word; NAN: not computed */
    double best;              /* least of those present */
    double ratio;             /* best / utility; NAN if utility is 0 or no bound */
    const char *void_because; /* NULL: valid */
} berth_run_bounds;

/* Prices p >= 0 for which the dual bound was evaluated: [horizon][n_classes][n_resources], utility per
 * unit of the resource. Machines of a class have equal capacity and eligibility. */
typedef struct berth_certificate {
    size_t n_classes;
    const int *class_of_machine; /* [n_machines] */
    const double *prices;
} berth_certificate;

/* What held for every rounding of a run whose premise held: the worst of each. With probability `probability`,
 * cost <= cost_factor * relaxation, every cover row >= cover_factor * its right side, every packing row <= pack_factor
 * * its right side. */
typedef struct berth_rounding_promise {
    double scale; /* G, the largest */
    double cost_factor, cover_factor, pack_factor, probability;
} berth_rounding_promise;

/* What randomised rounding did in a run, and what its theorem promised. */
typedef struct berth_rounding_summary {
    double problems; /* (slot, workers) problems rounded */
    double solved;   /* a draw held every row */
    double repaired; /* mended after all draws failed */
    double draws;
    double guarantee_held;          /* problems for which the theorem's premise held */
    const char *why_not;            /* the first reason it did not hold; NULL if it always did */
    berth_rounding_promise promise; /* all NAN if it never held */
} berth_rounding_summary;

/* What configuration rounding did in a run. The configuration bound is below the cost of every placement of as many
 * workers in that slot; gap = cost / bound - 1. */
typedef struct berth_placement_summary {
    double slots;               /* placed across machines */
    double proved;              /* of these, proved to be cheapest */
    double worst_gap, mean_gap; /* over the slots; NAN: there are none */
} berth_placement_summary;

/* An external result may omit it: then utilisation is NULL and utility NAN, and nothing is claimed. */
typedef struct berth_run_summary {
    size_t jobs, admitted, completed;
    double utility;
    double mean_delay_slots, median_delay_slots; /* over completed jobs; NAN: none */
    int makespan_slots;                          /* last busy slot + 1; 0: none */
    const double *utilisation;                   /* [n_resources] used / (capacity * horizon); NAN: no capacity */
} berth_run_summary;

typedef struct berth_run {
    const char *instance;
    uint32_t instance_crc32;
    const char *policy; /* "external": anybody's schedule */
    uint64_t seed;
    /* options that shaped the result */
    const char *solver;
    int levels;
    double delta;
    const char *favour; /* "cover" | "packing" */
    const char *scale;  /* "auto" | "paper" | a number */
    int trials;
    bool repair;
    double restart_delay_s;
    double noise;
    berth_effort effort;
    int fifo_workers;                  /* 0: drawn */
    double dorm_fairness, dorm_adjust; /* NAN: not under dorm */
    bool stopped;                      /* by time limit or cancellation: some jobs may be undecided */
    /* price bounds, utility per unit of the resource; NULL for policies without prices */
    const double *price_upper; /* [n_resources]; 0: nobody demands it */
    const double *price_lower;
    double price_floor;       /* a lower price that was computed was raised to price_floor * upper */
    bool price_floored;       /* this happened to one at least */
    bool price_oracle;        /* computed from the instance's future jobs */
    double closed_form_ratio; /* the paper's competitive ratio, NAN where its premises fail */
    const char *closed_form_why_not;
    double utility;
    berth_run_bounds bounds;
    berth_certificate *certificate;       /* NULL: none */
    berth_rounding_summary *rounding;     /* NULL: none */
    berth_placement_summary *placement;   /* NULL: none */
    const berth_truth *truth;             /* [n_jobs]; NULL: noise is 0, and all is as declared */
    berth_estimation_summary *estimation; /* NULL: noise is 0 */
    size_t n_jobs;
    const berth_run_job *jobs; /* in the instance's order */
    berth_run_summary summary;
    size_t n_resources;
    size_t n_versions;
    const char *const *version_names; /* "berth", "clp", ... */
    const char *const *version_numbers;
    void *memory; /* private */
} berth_run;

/* Where a run's time went. Times in seconds, apart from the per-decision ones. */
typedef struct berth_timings {
    size_t n_jobs;
    double *decision_us; /* [n_jobs], instance order; NAN: not decided */
    double p50_us, p99_us, max_us, total_s;
    double relaxation_s, rounding_s, schedule_s, payoff_bound_s, dual_bound_s; /* summed over threads */
} berth_timings;

/* Replays the instance's jobs in order of arrival under options->policy, and certifies the run.
 * `timings` may be NULL; else free with berth_timings_clear. Returns OK with run->stopped set when the
 * deadline or the cancel hook ended it. */
BERTH_API berth_status berth_run_online(const berth_instance *instance, const berth_options *options, berth_run **out,
                                        berth_timings *timings, berth_error *error);
BERTH_API void berth_timings_clear(berth_timings *timings);
BERTH_API void berth_run_free(berth_run *run);

/* The instance is needed to name machines and resources. E_MISMATCH: result of another instance. */
BERTH_API berth_status berth_run_read(const char *path, const berth_instance *instance, berth_run **out,
                                      berth_error *error);
/* The certificate goes into the result if `certificate_path` is NULL (E_ARGUMENT if it has more than 100,000
 * numbers), else to that path, from where berth_run_read_certificate reads it back. */
BERTH_API berth_status berth_run_write(const berth_run *run, const berth_instance *instance, const char *path,
                                       const char *certificate_path, berth_error *error);
BERTH_API berth_status berth_run_read_certificate(berth_run *run, const berth_instance *instance, const char *path,
                                                  berth_error *error);
BERTH_API berth_status berth_timings_write(const berth_timings *timings, const berth_instance *instance,
                                           const char *path, berth_error *error);

/* ---- Problems: berth-mpc-1, MPS, LP, GMPL, OR-Library ------------------------------------------ */

typedef enum berth_problem_format {
    BERTH_PROBLEM_AUTO = 0, /* by the file's name (.json .mps .lp .mod, also with .gz), else by its content */
    BERTH_PROBLEM_JSON,     /* berth-mpc-1 */
    BERTH_PROBLEM_MPS,      /* fixed columns; reading tries free if that fails */
    BERTH_PROBLEM_MPS_FREE,
    BERTH_PROBLEM_LP,         /* CPLEX LP */
    BERTH_PROBLEM_GMPL,       /* MathProg; read only */
    BERTH_PROBLEM_ORLIB_SCP,  /* OR-Library set covering; read only */
    BERTH_PROBLEM_ORLIB_MKNAP /* OR-Library multidimensional knapsack; read only */
} berth_problem_format;

/* NULL-terminated list of the formats' names in the order above: "auto", "json", "mps", "mps-free", "lp", "gmpl",
 * "orlib-scp", "orlib-mknap". Static storage. */
BERTH_API const char *const *berth_problem_format_names(void);

typedef struct berth_problem_read_options {
    size_t struct_size;
    berth_problem_format format;
    const char *data;               /* GMPL: file of the data section; NULL: in the model */
    int number;                     /* OR-Library files of several problems: which, from 1 */
    const berth_backends *backends; /* MPS, LP and GMPL need GLPK's readers: a set that holds it; NULL: built-in ones */
    berth_hooks hooks;
} berth_problem_read_options;

BERTH_API void berth_problem_read_options_init(berth_problem_read_options *options);
/* E_IO; E_INPUT: error->line where the reader tells one; E_UNSUPPORTED: something in the file that the format knows and
 * berth does not; E_BACKEND: no reader of that format. `options` may be NULL. Free with berth_problem_free.
 * In MPS, the right side of the objective is the negative of its constant, an integer variable between markers that has
 * no bounds is binary, and rows of kind N but the first are dropped. In MPS and LP, bounds and right sides of 1e30 and
 * more are infinite and numbers below 2.2e-308 are 0. GMPL models write nothing and read no tables; variables that no
 * row and no objective names are left out. GLPK's readers cannot be interrupted. */
BERTH_API berth_status berth_problem_read(const char *path, const berth_problem_read_options *options,
                                          berth_problem **out, berth_error *error);
BERTH_API berth_status berth_problem_parse(const char *text, size_t length, const berth_problem_read_options *options,
                                           berth_problem **out, berth_error *error);
/* Reading back gives the same programme, bit for bit (ranges split in two rows where the format needs it; MPS holds
 * minimisations only, so a maximisation is written with negated costs); only JSON holds groups. E_UNSUPPORTED: the
 * format cannot hold the problem (error->where names what). AUTO: by the file's name. */
BERTH_API berth_status berth_problem_write(const berth_problem *problem, berth_problem_format format, const char *path,
                                           berth_error *error);
BERTH_API void berth_problem_free(berth_problem *problem);

/* ---- Solutions: berth-solution-1 --------------------------------------------------------------- */

/* The problem is needed to name variables and rows. E_MISMATCH: solution of another problem. */
BERTH_API berth_status berth_solution_read(const char *path, const berth_problem *problem, berth_solution **out,
                                           berth_error *error);
BERTH_API berth_status berth_solution_write(const berth_solution *solution, const berth_problem *problem,
                                            const char *path, berth_error *error);

/* ---- Checking -------------------------------------------------------------------------------- */

typedef struct berth_finding {
    bool violated;   /* false: a note (something that could not be checked) */
    char rule[32];   /* "capacity", "arrival", "ps-ratio", "max-workers", "progress", "utility", ... */
    char where[160]; /* job, slot, machine, resource */
    char message[320];
    double slack; /* signed amount by which the rule holds (< 0: violated); NAN: not a number matter */
} berth_finding;

typedef struct berth_report {
    size_t n_violations;
    size_t n_findings;
    const berth_finding *findings;
    size_t n_rules; /* rules evaluated, with how often */
    const char *const *rule_names;
    const size_t *rule_counts;
    double utility; /* recomputed */
    double dual;    /* re-evaluated from the certificate's prices; NAN: none */
    double ratio;   /* dual / utility; NAN */
    void *memory;
} berth_report;

/* Recomputes from the instance and the result alone everything the result claims. OK also when
 * violations were found: see report->n_violations. */
BERTH_API berth_status berth_check(const berth_instance *instance, const berth_run *run, const berth_hooks *hooks,
                                   berth_report **out, berth_error *error);
/* The same for the solution of a general problem: every row and bound from the values, the dual bound from the
 * multipliers in exact arithmetic, what the rounding promised, all figures. In the report, utility is the cost and
 * dual the bound, both recomputed. */
BERTH_API berth_status berth_check_solution(const berth_problem *problem, const berth_solution *solution,
                                            const berth_hooks *hooks, berth_report **out, berth_error *error);
BERTH_API berth_status berth_report_write(const berth_report *report, const char *path, berth_error *error);
BERTH_API void berth_report_free(berth_report *report);

/* ---- Generating and importing ---------------------------------------------------------------- */

typedef enum berth_arrivals {
    BERTH_ARRIVALS_UNIFORM = 0,
    BERTH_ARRIVALS_POISSON,
    BERTH_ARRIVALS_BURSTS
} berth_arrivals;

/* The random setting of Yu et al. (2022), section V, made usable (see workload/generate_pdors.h). */
typedef struct berth_generate_pdors_options {
    size_t struct_size;
    uint64_t seed;
    size_t machines;
    size_t jobs; /* 0: as many as `load` asks for */
    double load; /* max over resources of demand over capacity, used if jobs is 0 */
    int slots;
    berth_arrivals arrivals;
    double communication; /* factor on the measured communication times; default 0.1 */
    bool heterogeneous;   /* a third of the machines twice as large */
    int max_workers;      /* each job draws its own from 1 to this; 0: twice the machines, at most 200 */
    int mix[3];           /* percent of the jobs that are insensitive, sensitive, critical to delay; 10, 55, 35 */
} berth_generate_pdors_options;

BERTH_API void berth_generate_pdors_options_init(berth_generate_pdors_options *options);
BERTH_API berth_status berth_generate_pdors(const berth_generate_pdors_options *options, berth_instance **out,
                                            berth_error *error);

/* Instances small enough for brute force: 1-3 machines, 1-4 jobs, 1-4 slots. */
BERTH_API berth_status berth_generate_tiny(uint64_t seed, berth_instance **out, berth_error *error);

/* Kinds of traces by name ("philly-csv", "openb", ...): NULL-terminated. Static storage. */
BERTH_API const char *const *berth_trace_kinds(void);
/* The files that a kind is read from, in order ("PODS [NODES]"), and a line on them; NULL if there is no such kind. */
BERTH_API const char *berth_trace_files(const char *kind);
BERTH_API const char *berth_trace_about(const char *kind);

/* Times are "YYYY-MM-DD[ HH:MM:SS]" in traces that have dates (UTC where they name a zone), else seconds of the trace's
 * own clock, or as many m, h or d ("36h"). */
typedef struct berth_import_options {
    size_t struct_size;
    uint64_t seed;       /* of everything synthesised, and of the sample */
    const char *cluster; /* virtual cluster, queue or organisation: only its jobs; NULL: all */
    const char *from;    /* where slot 0 begins; NULL: with the first job */
    const char *to;      /* only jobs submitted before; NULL: no limit but the horizon */
    double slot_seconds;
    int slots;           /* horizon; 0: until `to` */
    size_t machines;     /* 0: 8, or all of the trace's list; fewer are taken from it evenly */
    const char *machine; /* "gpu=8,cpu=64,memory_gb=512"; NULL: that. Not with a list of machines */
    const char *utility; /* "pdors" (mix 10/55/35), "sigmoid", "constant", "linear", "deadline"; NULL: pdors */
    double sample;       /* each job is kept with this probability, in (0, 1] */
    double scale_load;   /* jobs arrive this many times as fast from slot 0 on */
    size_t max_jobs;     /* 0: all of the window */
    bool skip_bad;       /* skip and count malformed rows instead of refusing the file */
    const char *name;    /* instance name; NULL: the kind's */
} berth_import_options;

/* Why a row became no job. Of several reasons the first one counts. */
#define BERTH_IMPORT_SKIP_TABLE(X)                                                                                     \
    X(MALFORMED, 0, "malformed")                                                                                       \
    X(DUPLICATE, 1, "duplicate")                                                                                       \
    X(NO_GPUS, 2, "without GPUs")                                                                                      \
    X(NO_DURATION, 3, "without duration")                                                                              \
    X(NO_TIME, 4, "without a time of submission")                                                                      \
    X(OTHER_CLUSTER, 5, "of another cluster")                                                                          \
    X(NOT_SAMPLED, 6, "not in the sample")                                                                             \
    X(OUTSIDE_WINDOW, 7, "outside the window")                                                                         \
    X(OVER_MAX_JOBS, 8, "beyond that number of jobs")

typedef enum berth_import_skip {
#define BERTH_IMPORT_SKIP_ENUM(name, value, text) BERTH_SKIP_##name = (value),
    BERTH_IMPORT_SKIP_TABLE(BERTH_IMPORT_SKIP_ENUM)
#undef BERTH_IMPORT_SKIP_ENUM
        BERTH_N_SKIPS
} berth_import_skip;

/* What the trace lacks of a job and a rule made up. */
#define BERTH_IMPORT_MADE_TABLE(X)                                                                                     \
    X(MODEL, 0, "model")                                                                                               \
    X(BATCH, 1, "batch")                                                                                               \
    X(SERVERS, 2, "parameter servers")                                                                                 \
    X(DEMANDS, 3, "demands other than GPUs")                                                                           \
    X(UTILITY, 4, "utility")

typedef enum berth_import_made {
#define BERTH_IMPORT_MADE_ENUM(name, value, text) BERTH_MADE_##name = (value),
    BERTH_IMPORT_MADE_TABLE(BERTH_IMPORT_MADE_ENUM)
#undef BERTH_IMPORT_MADE_ENUM
        BERTH_N_MADE
} berth_import_made;

BERTH_API const char *berth_import_skip_text(berth_import_skip reason); /* Static storage. */
BERTH_API const char *berth_import_made_text(berth_import_made what);

typedef struct berth_import_bad_row {
    long line;         /* of the file; in JSON, where the element begins */
    char problem[160]; /* "column num_gpus is not ...: \"x\"" */
    char text[96];     /* how the row begins */
} berth_import_bad_row;

typedef struct berth_import_report {
    size_t rows;     /* data rows (JSON: elements) of the first file = imported + all that was skipped */
    size_t imported; /* rows that became jobs, or parts of one */
    size_t jobs;
    size_t skipped[BERTH_N_SKIPS];
    long first_line[BERTH_N_SKIPS]; /* the first such row; 0: none */
    size_t n_first_bad;
    berth_import_bad_row first_bad[8];  /* the first malformed rows */
    size_t synthesised[BERTH_N_MADE];   /* jobs for which it was made up */
    char first_time[32], last_time[32]; /* of all jobs, in the window or not; "": there are none */
} berth_import_report;

BERTH_API void berth_import_options_init(berth_import_options *options);
/* An instance of the `n_paths` files of a trace of that kind; `report` may be NULL and is filled on failure too, as far
 * as the import came. E_ARGUMENT: an option, the kind or the number of files; E_IO; E_INPUT with file, line and what
 * was expected: a malformed row (unless skip_bad; lists of machines and other second files must always be right), or no
 * job is left. Time O(n log n), memory O(n) in the rows. */
BERTH_API berth_status berth_import(const char *kind, const char *const *paths, size_t n_paths,
                                    const berth_import_options *options, berth_instance **out,
                                    berth_import_report *report, berth_error *error);

/* ---- Comparing policies ------------------------------------------------------------------------ */

/* Name in files, text for a person. Delays and fairness are over completed jobs, NAN if there are none. */
#define BERTH_METRIC_TABLE(X)                                                                                          \
    X(UTILITY, "utility", "utility")                                                                                   \
    X(OF_BOUND, "of_bound", "utility / bound")                                                                         \
    X(ADMITTED, "admitted", "jobs admitted")                                                                           \
    X(COMPLETED, "completed", "jobs completed")                                                                        \
    X(MEAN_DELAY, "mean_delay_slots", "mean delay, slots")                                                             \
    X(MEDIAN_DELAY, "median_delay_slots", "median delay, slots")                                                       \
    X(P95_DELAY, "p95_delay_slots", "p95 delay, slots")                                                                \
    X(MEAN_FAIRNESS, "mean_rho", "mean rho") /* finish-time fairness: see report/fairness.h and the README */          \
    X(WORST_FAIRNESS, "worst_rho", "worst rho")                                                                        \
    X(MAKESPAN, "makespan_slots", "makespan, slots")                                                                   \
    X(UTILISATION, "utilisation", "utilisation") /* of the resource that is used most */                               \
    /* measured: from here on */                                                                                       \
    X(DECISION, "decision_us", "decision p50, us") /* NAN: the policy decides slot by slot */                          \
    X(TIME, "time_s", "time of a run, s")

typedef enum berth_metric {
#define BERTH_METRIC_ENUM(name, key, text) BERTH_METRIC_##name,
    BERTH_METRIC_TABLE(BERTH_METRIC_ENUM)
#undef BERTH_METRIC_ENUM
        BERTH_N_METRICS
} berth_metric;

enum { BERTH_FIRST_MEASURED_METRIC = BERTH_METRIC_DECISION };

/* Static storage; NULL for another number. */
BERTH_API const char *berth_metric_name(berth_metric metric);
BERTH_API const char *berth_metric_text(berth_metric metric);

/* A mean over n seeds; with 95 % confidence within half_width of it by Student's t, if the values are normal. */
typedef struct berth_estimate {
    size_t n;          /* values that there are */
    double mean;       /* NAN: n = 0 */
    double half_width; /* NAN: n < 2 */
} berth_estimate;

typedef struct berth_compare_options {
    size_t struct_size;
    size_t n_policies;
    const char *const *policies; /* each once; differences are taken to the first */
    /* [n_policies] options of each, policy among them, whose name `policies` then need not be: several variants of one
     * policy. Of an entry only what a decision depends on counts; the rest is that of `run`. NULL, or an entry that is:
     * `run`, under the policy of that name. */
    const berth_options *const *variants;
    size_t seeds;
    uint64_t first_seed;
    bool
        pool; /* the instances as one: instance i is run with seed first_seed + i alone, and means are over instances */
    int jobs; /* runs at a time, each with one thread; 0: as many as processors */
    const char *state;   /* folder that keeps each run that is done, made if it is not there; NULL: none */
    double bound_time_s; /* for the bound of an instance, which then is what was found; INFINITY: no limit */
    berth_options run;   /* of every run, but for policy, seed and threads. bound and bound_gap: of the bound of each
                            instance, computed once for all; not EXACT. time_limit_s: of the whole */
} berth_compare_options;

typedef struct berth_comparison {
    size_t n_instances, n_policies, n_seeds;
    uint64_t first_seed;
    const char *const *instances; /* [n_instances] names */
    const uint32_t *crc32;        /* [n_instances] */
    const char *const *policies;  /* [n_policies] */
    const char *bound;            /* "none", "dual", "lp" */
    const double *bounds;         /* [n_instances]; NAN: none */
    const double *values;         /* [n_instances][n_policies][n_seeds][BERTH_N_METRICS] */
    /* Then n_instances is 1, named after the first, with as many seeds as there are instances, one for each, the mean
     * of their bounds (NAN if one is), and a checksum over theirs. */
    bool pooled;
    /* By time limit or cancellation: of n_instances * n_policies * n_seeds runs only n_done are there, the values of
     * the others are NAN, and estimates are over those that are there. */
    bool stopped;
    size_t n_done;
    /* [n_instances][n_policies][BERTH_N_METRICS]: over seeds; likewise of the differences, seed by seed, to the first
     * policy, whose own are 0 */
    const berth_estimate *estimates, *differences;
    void *memory; /* private */
} berth_comparison;

typedef enum berth_comparison_format {
    BERTH_COMPARISON_TABLE = 0,
    BERTH_COMPARISON_CSV, /* a row for each instance, policy and metric; numbers that there are not are empty */
    BERTH_COMPARISON_JSON /* berth-comparison-1, with every run */
} berth_comparison_format;

/* Five seeds, bound LP, no policies. */
BERTH_API void berth_compare_options_init(berth_compare_options *options);
/* Runs every policy on every instance with every seed. A run counts once berth_check has found nothing against it. What
 * is not measured depends neither on `jobs` nor, with `state`, on how often the work was interrupted: a run that is
 * there with the same instance, options and versions is taken as it is, its times too. E_ARGUMENT: error->where is the
 * option; E_IO, E_INPUT: the state; E_BACKEND: error->where is the policy that lacks it; E_INTERNAL: a run did not pass
 * the check. Returns OK with (*out)->stopped set when hook or time limit ended it; seed by seed, all policies on all
 * instances, so that what is there can be compared. hooks->progress counts runs. */
BERTH_API berth_status berth_compare(size_t n_instances, const berth_instance *const *instances,
                                     const berth_compare_options *options, berth_comparison **out, berth_error *error);
/* `measured`: with the metrics that no two computations agree on. */
BERTH_API berth_status berth_comparison_write(const berth_comparison *comparison, berth_comparison_format format,
                                              bool measured, const char *path, berth_error *error);
/* Reads back what BERTH_COMPARISON_JSON has written; metrics that were left out are n = 0 and NAN. E_IO, E_INPUT. */
BERTH_API berth_status berth_comparison_read(const char *path, berth_comparison **out, berth_error *error);
BERTH_API void berth_comparison_free(berth_comparison *comparison);

/* ---- Plots and reports ------------------------------------------------------------------------- */

#define BERTH_PLOT_TABLE(X)                                                                                            \
    X(GANTT, "gantt", "what runs on which machine, over slots")                                                        \
    X(UTILISATION, "utilisation", "share of each resource that is in use, over slots")                                 \
    X(PRICES, "prices", "prices of each resource in the certificate of a run, over slots")                             \
    X(POLICIES, "policies", "a metric of a comparison by policy, with 95 % intervals")

typedef enum berth_plot {
#define BERTH_PLOT_ENUM(name, text, about) BERTH_PLOT_##name,
    BERTH_PLOT_TABLE(BERTH_PLOT_ENUM)
#undef BERTH_PLOT_ENUM
        BERTH_N_PLOTS
} berth_plot;

/* NULL-terminated list of the plots, in the order above. Static storage. */
BERTH_API const char *const *berth_plot_names(void);
/* A line for a person; NULL if there is none of that name. Static storage. */
BERTH_API const char *berth_plot_about(const char *name);

typedef enum berth_picture_format { BERTH_PICTURE_SVG = 0, BERTH_PICTURE_PNG } berth_picture_format;
typedef enum berth_theme { BERTH_THEME_LIGHT = 0, BERTH_THEME_DARK } berth_theme;

typedef struct berth_plot_options {
    size_t struct_size;
    berth_picture_format format;
    berth_theme theme;
    int width, height;   /* pixels, 200 to 10000; 0: 960, and what the content needs */
    double scale;        /* pixels of the file for each of these, 1 to 4: a PNG for fine screens */
    bool bare;           /* without heading and caption, for where they stand beside the picture */
    berth_metric metric; /* of BERTH_PLOT_POLICIES */
} berth_plot_options;

/* A gnuplot script (version 5.2 and later) with its data in it, which writes the picture to standard output. Names of
 * jobs, machines, resources and instances are text in it, whatever they hold. */
typedef struct berth_plot_script {
    const char *text;
    size_t length;
    const char *heading;
    const char *caption; /* what is shown, by which rules; one paragraph of plain text */
    int width, height;
    berth_picture_format format; /* of what it writes */
    void *memory;                /* private */
} berth_plot_script;

BERTH_API void berth_plot_options_init(berth_plot_options *options);
/* GANTT, UTILISATION or PRICES of a run. E_ARGUMENT: error->where is the option; E_INPUT: prices of a run without
 * certificate. */
BERTH_API berth_status berth_plot_run(berth_plot plot, const berth_instance *instance, const berth_run *run,
                                      const berth_plot_options *options, berth_plot_script **out, berth_error *error);
/* POLICIES: a panel for each instance, as many as fit. E_INPUT: the comparison has no value of that metric. */
BERTH_API berth_status berth_plot_comparison(const berth_comparison *comparison, const berth_plot_options *options,
                                             berth_plot_script **out, berth_error *error);
BERTH_API void berth_plot_script_free(berth_plot_script *script);

/* Draws a script, as gnuplot does: *picture is the renderer's, valid until the next call. */
typedef struct berth_renderer {
    void *user;
    berth_status (*draw)(void *user, const berth_plot_script *script, const void **picture, size_t *length,
                         berth_error *error);
} berth_renderer;

/* A page of HTML with all there is to say of runs of an instance, or of a comparison: one file that refers to no other,
 * has no script, and adapts to width and dark mode. The pictures come from the renderer, whose errors are passed on. */
BERTH_API berth_status berth_run_page_write(const berth_instance *instance, size_t n_runs, const berth_run *const *runs,
                                            const berth_renderer *renderer, const char *path, berth_error *error);
BERTH_API berth_status berth_comparison_page_write(const berth_comparison *comparison, bool measured,
                                                   const berth_renderer *renderer, const char *path,
                                                   berth_error *error);
/* Any bytes, as the writers above write theirs. */
BERTH_API berth_status berth_bytes_write(const char *path, const void *bytes, size_t length, berth_error *error);

/* ---- Serving ----------------------------------------------------------------------------------- */

/* A scheduler as a server of the protocol berth-events-1: a JSON event a line in, a JSON reply a line out
 * (docs/serve.md, and the schemas berth-events-1 and berth-replies-1). */
typedef struct berth_serve_options {
    size_t struct_size;
    berth_options
        scheduler;      /* of a policy that promises. Its bound and its cancel hook are not used, and its time limit,
                           of a decision, is not allowed with `state`. hooks.log hears what happens to the server */
    const char *socket; /* path of a Unix socket to listen at, for several clients; NULL: input and output */
    int input, output;  /* descriptors of the one client then */
    int stop;          /* descriptor: once it can be read the server answers what it has received, and ends; -1: none */
    const char *state; /* folder that keeps journal and snapshots, made if it is not there; NULL: none */
    uint64_t snapshot_events; /* a snapshot after so many events, or */
    uint64_t snapshot_bytes;  /* so many bytes of journal */
    size_t keys;              /* that are remembered with their replies */
    size_t max_line;          /* bytes */
    size_t max_queue;         /* events answered together: in one batch, with one fsync */
    size_t max_clients;
    bool shadow; /* decides beside the real scheduler, and compares with what is observed of it */
} berth_serve_options;

/* Standard input and output, no state, 10,000 events or 64 MiB between snapshots, 1000 keys, lines of 1 MiB, batches of
 * 1000 events, 256 clients. */
BERTH_API void berth_serve_options_init(berth_serve_options *options);
/* Price bounds of an instance: those it gives, in the unit of berth_price_bounds, and for the rest those computed from
 * its jobs, as berth_run_online takes them; the floor is the instance's or the policy's. Clear them with
 * berth_price_bounds_clear. E_INPUT: they cross. */
BERTH_API berth_status berth_instance_price_bounds(const berth_instance *instance, const char *policy,
                                                   berth_price_bounds *out, berth_error *error);
/* Serves the instance's cluster (its jobs only lead to price bounds) until end of input, an event "shutdown", or
 * `stop`. E_ARGUMENT: error->where is the option; E_IO: socket or state, or input and
 * output but for a reader that has left; E_INPUT: damaged state; E_MISMATCH: state of
 * another instance or other options. Ignore SIGPIPE, and SIGXFSZ where files may be limited. */
BERTH_API berth_status berth_serve(const berth_instance *instance, const berth_serve_options *options,
                                   berth_error *error);

/* ---- Text on a terminal ----------------------------------------------------------------------- */

/* Bytes of the first character of `text`, which is not empty. *printable false: it is no UTF-8, a control character (of
 * C0 or C1), one that turns the direction of writing or ends a line, or one that XML may not hold: names come from
 * files, and such a character in one can rewrite what stands around it, so '?' is to stand for it. *code (or NULL): the
 * code point, U+FFFD for what is no UTF-8. */
BERTH_API size_t berth_next_character(const char *text, bool *printable, uint32_t *code);

/* ---- Schemas --------------------------------------------------------------------------------- */

/* JSON Schema of a format by name ("berth-jobs-1"), NULL if unknown. Static storage. */
BERTH_API const char *berth_schema(const char *format);
/* NULL-terminated list of the formats. Static storage. */
BERTH_API const char *const *berth_schema_names(void);

#ifdef __cplusplus
}
#endif

#endif /* BERTH_IO_H */
