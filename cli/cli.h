/* What the program's files share: verbs, their options, exit codes, messages. Sees the public headers only.
 *
 * A verb is a table of options whose values land in a settings struct (by offset), and a function. Options that
 * several verbs have (--json, -o, --seed, ...) are in one table; a verb picks them with a mask. */
#ifndef BERTH_CLI_CLI_H
#define BERTH_CLI_CLI_H

#include <berth.h>
#include <berth_io.h>

#include <stdarg.h>
#include <stdio.h>

#if defined(__GNUC__)
#define CLI_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define CLI_PRINTF(text, values)
#endif

typedef enum cli_exit {
    CLI_DONE = 0,
    CLI_FAILED = 1,    /* infeasible, or a check failed */
    CLI_USAGE = 2,     /* wrong command line */
    CLI_BAD_INPUT = 3, /* input cannot be read or is wrong */
    CLI_LIMIT = 4,     /* stopped by time limit or signal; what there was is written */
    CLI_INTERNAL = 5   /* everything else: output cannot be written, no memory, solver trouble */
} cli_exit;

/* ---- options (options.c) ------------------------------------------------------------------------------------ */

typedef enum cli_kind {
    CLI_FLAG,     /* bool: true */
    CLI_FLAG_OFF, /* bool: false */
    CLI_TEXT,     /* const char *, not empty; `expected` says what it is */
    CLI_INT,      /* int in [min, max] */
    CLI_COUNT,    /* size_t in [min, max] */
    CLI_SEED,     /* uint64_t */
    CLI_REAL,     /* double in [min, max], or in (min, max) if open */
    CLI_CHOICE    /* int: index into choices */
} cli_kind;

typedef struct cli_option {
    const char *name;
    const char *field;    /* what the library calls it too, alone or as a pointer, "/p"; NULL: nothing else */
    char letter;          /* 0: none */
    const char *argument; /* "N"; NULL for flags */
    cli_kind kind;
    size_t offset; /* of the value in the settings */
    double min, max;
    bool open;
    const char *const *choices; /* NULL-terminated; NULL: list() */
    const char *const *(*list)(void);
    const char *(*about)(const char *choice); /* a line of help for each choice; NULL: none */
    const char *expected;                     /* of a text: what it must be, in words */
    unsigned common;                          /* bit of a common option, 0 for a verb's own */
    const char *help;                         /* choices and default are added to it */
} cli_option;

/* Values of the common options: the first member of every settings struct. */
typedef struct cli_common {
    bool json;
    bool quiet;
    const char *output; /* -o; NULL: none */
    uint64_t seed;
    int threads;
    double time_limit_s;
} cli_common;

enum {
    CLI_OPT_JSON = 1,
    CLI_OPT_OUTPUT = 2,
    CLI_OPT_SEED = 4,
    CLI_OPT_THREADS = 8,
    CLI_OPT_TIME_LIMIT = 16,
    CLI_OPT_QUIET = 32
};

typedef struct cli_verb {
    const char *name;
    const char *arguments; /* "[options] INSTANCE" */
    const char *summary;   /* one line */
    const char *details;   /* paragraphs for `berth help VERB` */
    const char *examples;  /* one command a line */
    int min_words, max_words;
    unsigned common;
    const cli_option *options;
    size_t n_options;
    size_t settings_size;              /* of the struct that begins with cli_common */
    void (*defaults)(void *settings);  /* fills zeroed settings; NULL: zeros are the defaults */
    int (*run)(int argc, char **argv); /* argv[0] is the verb; returns a cli_exit */
} cli_verb;

typedef struct cli_words {
    int n;
    char **word;    /* what is not an option */
    uint64_t given; /* bit i: the verb's own option i was given */
} cli_words;

/* Fills settings with the defaults and what the command line says. False: the verb ends now with *code (--help or an
 * error, already told). */
bool cli_parse(const cli_verb *verb, int argc, char **argv, void *settings, cli_words *words, int *code);
/* Was the verb's own option of that name on the command line? */
bool cli_given(const cli_verb *verb, const cli_words *words, const char *name);
/* Stores what the verb's own option of that name would on the command line; value NULL: none was given. CLI_DONE, or
 * CLI_USAGE with a message that begins with `where`. */
int cli_set(const cli_verb *verb, const char *where, const char *name, const char *value, void *settings);
/* A finite number and nothing after it. */
bool cli_parse_real(const char *text, double *out);
/* The options of a verb with their defaults, for help. */
void cli_print_options(const cli_verb *verb);
/* The name of the verb's option that sets a field of a library struct ("slot_seconds": "slot-seconds"), or NULL. */
const char *cli_option_of(const cli_verb *verb, const char *field);

/* ---- rounding options (rounding.c) ------------------------------------------------------------------------------ */

/* In the order of berth_favour, NULL-terminated. */
extern const char *const cli_favour_names[];
/* "auto", "paper" or a number above 0; returns CLI_DONE, or CLI_USAGE with a message. */
extern const char cli_scale_default[];
/* Rows of a verb's table: `options` is the library's struct with delta, trials and repair, `favour` an int and `scale`
 * a text beside it; `whose` is added to the help. */
#define CLI_ROUNDING_OPTIONS(settings, options, whose)                                                                 \
    {.name = "delta",                                                                                                  \
     .argument = "X",                                                                                                  \
     .kind = CLI_REAL,                                                                                                 \
     .offset = offsetof(settings, options.delta),                                                                      \
     .max = 1,                                                                                                         \
     .open = true,                                                                                                     \
     .help = "failure probability allowed to a rounding" whose},                                                       \
        {.name = "favour",                                                                                             \
         .argument = "WHICH",                                                                                          \
         .kind = CLI_CHOICE,                                                                                           \
         .offset = offsetof(settings, favour),                                                                         \
         .choices = cli_favour_names,                                                                                  \
         .help = "rows that a rounding protects" whose ": those that get the work done, or the capacities (always "    \
                 "these where profit is maximised)"},                                                                  \
        {.name = "scale",                                                                                              \
         .argument = "RULE",                                                                                           \
         .kind = CLI_TEXT,                                                                                             \
         .offset = offsetof(settings, scale),                                                                          \
         .expected = "auto, paper or a number above 0",                                                                \
         .help = "factor on fractions before rounding" whose ": auto, paper or a number above 0"},                     \
        {.name = "trials",                                                                                             \
         .argument = "N",                                                                                              \
         .kind = CLI_INT,                                                                                              \
         .offset = offsetof(settings, options.trials),                                                                 \
         .min = 1,                                                                                                     \
         .max = 1000000,                                                                                               \
         .help = "draws of each randomised rounding" whose},                                                           \
    {                                                                                                                  \
        .name = "repair", .kind = CLI_FLAG, .offset = offsetof(settings, options.repair),                              \
        .help = "alter the best failed draw until its rows hold" whose                                                 \
    }
/* `where`: what a message begins with, as "--scale". */
int cli_read_scale(const char *verb, const char *where, const char *text, berth_scale_rule *rule, double *scale);

/* ---- options of runs (policy.c) -----------------------------------------------------------------------------------
 */

/* In the order of berth_effort, NULL-terminated. */
extern const char *const cli_effort_names[];
/* NULL-terminated names of restart delays, that of none first. Static storage, as are the texts about them. */
const char *const *cli_restart_names(void);
const char *cli_restart_about(const char *name);
/* Seconds or a name. Returns an exit code; `where`: what a message begins with, as "--restart-delay". */
int cli_read_restart_delay(const char *verb, const char *where, const char *text, double *seconds);
/* Does what a policy decides depend on the option of that name, one of those below or of the rounding or of dorm? Only
 * of these: any other has an effect. */
bool cli_policy_heeds(const char *policy, const char *option);
/* The policies that heed it, with commas between them, for messages; "" if all do. Static storage. */
const char *cli_heeding_policies(const char *option);
/* Warns of options that were given and that none of the policies heeds. Levels are not among them: they are of the
 * bounds too. */
void cli_warn_of_idle_options(const cli_verb *verb, const cli_words *words, size_t n, const char *const *policies);
/* Is options->solver one that the policy can have? CLI_DONE, or CLI_USAGE with a message. */
int cli_check_policy_solver(const char *verb, const char *policy, const berth_options *options);
/* Rows of a verb's table: `options` is a berth_options, `effort` an int and `restart_delay` a text beside it; `noise`
 * is added to the help of that option. */
#define CLI_SOLVER_OPTION(settings, options)                                                                           \
    {                                                                                                                  \
        .name = "solver", .argument = "NAME", .kind = CLI_TEXT, .offset = offsetof(settings, options.solver),          \
        .expected = "auto, fast or an LP solver that 'berth version' lists",                                           \
        .help = "what prices a slot's placements: fast (bidlp's and pdors-ci's own), clp or glpk (LP solvers, as far " \
                "as 'berth version' lists them), or auto, which is fast for bidlp and pdors-ci and the first LP "      \
                "solver for pdors"                                                                                     \
    }
#define CLI_LEVELS_OPTION(settings, options)                                                                           \
    {                                                                                                                  \
        .name = "levels", .argument = "N", .kind = CLI_INT, .offset = offsetof(settings, options.levels), .min = 1,    \
        .max = 10000, .help = "most quanta a job's work is cut into when it is scheduled"                              \
    }
#define CLI_EFFORT_OPTION(settings)                                                                                    \
    {                                                                                                                  \
        .name = "effort", .argument = "HOW", .kind = CLI_CHOICE, .offset = offsetof(settings, effort),                 \
        .choices = cli_effort_names, .help = "how hard bidlp searches: time against utility"                           \
    }
#define CLI_RESTART_OPTION(settings)                                                                                   \
    {                                                                                                                  \
        .name = "restart-delay", .argument = "SECONDS|NAME", .kind = CLI_TEXT,                                         \
        .offset = offsetof(settings, restart_delay), .list = cli_restart_names, .about = cli_restart_about,            \
        .expected = "seconds or a name",                                                                               \
        .help = "time a job loses in a slot if its placement is not that of the slot before, its first slot apart: "   \
                "seconds, or one of these"                                                                             \
    }
#define CLI_POLICY_OPTIONS(settings, options, on_noise)                                                                \
    CLI_LEVELS_OPTION(settings, options),                                                                              \
        {.name = "fifo-workers",                                                                                       \
         .argument = "N",                                                                                              \
         .kind = CLI_INT,                                                                                              \
         .offset = offsetof(settings, options.fifo_workers),                                                           \
         .min = 0,                                                                                                     \
         .max = 1000000,                                                                                               \
         .help = "workers of each job under fifo, or as many as it can have; 0 draws 1 to 30 for each by the seed"},   \
        CLI_EFFORT_OPTION(settings),                                                                                   \
        {.name = "bound-gap",                                                                                          \
         .argument = "X",                                                                                              \
         .kind = CLI_REAL,                                                                                             \
         .offset = offsetof(settings, options.bound_gap),                                                              \
         .max = 0.99,                                                                                                  \
         .help = "an LP bound within this part of the LP's value will do"},                                            \
        CLI_RESTART_OPTION(settings), {                                                                                \
        .name = "noise", .argument = "SIGMA", .kind = CLI_REAL, .offset = offsetof(settings, options.noise), .max = 2, \
        .help =                                                                                                        \
            "every job truly has a speed and a work that are the declared ones times lognormal factors of median 1 "   \
            "with this sigma, drawn by the seed, which the policy does not know: 0.1 is off by a tenth or so" on_noise \
    }

/* Likewise. */
#define CLI_DORM_OPTIONS(settings, options)                                                                            \
    {.name = "dorm-fairness",                                                                                          \
     .argument = "X",                                                                                                  \
     .kind = CLI_REAL,                                                                                                 \
     .offset = offsetof(settings, options.dorm_fairness),                                                              \
     .max = 1,                                                                                                         \
     .help = "fairness loss that dorm allows: sum over jobs of |dominant share - that under drf|, as a part of the "   \
             "largest there could be, twice the number of resources"},                                                 \
    {                                                                                                                  \
        .name = "dorm-adjust", .argument = "X", .kind = CLI_REAL, .offset = offsetof(settings, options.dorm_adjust),   \
        .max = 1, .help = "running jobs that dorm may move, resize or pause in a slot, as a part of them, rounded up"  \
    }

/* ---- problems (problem.c) ---------------------------------------------------------------------------------------- */

/* --data and --number, for the table of a verb whose settings have berth_problem_read_options `field`. */
#define CLI_PROBLEM_OPTIONS(settings, field)                                                                           \
    {.name = "data",                                                                                                   \
     .argument = "FILE",                                                                                               \
     .kind = CLI_TEXT,                                                                                                 \
     .offset = offsetof(settings, field.data),                                                                         \
     .expected = "a file's name",                                                                                      \
     .help = "data section of a GMPL model, if it is a file of its own"},                                              \
    {                                                                                                                  \
        .name = "number", .argument = "N", .kind = CLI_INT, .offset = offsetof(settings, field.number), .min = 1,      \
        .max = 1000000, .help = "which problem of an OR-Library file that holds several"                               \
    }
/* Would -o replace the problem or its data? CLI_DONE, or CLI_USAGE with a message. */
int cli_spare_problem(const char *verb, const char *output, const char *path,
                      const berth_problem_read_options *options);
/* CLI_DONE, or the exit code of what is told: in which of the two files something is wrong. */
int cli_read_problem(const char *verb, const char *path, const berth_problem_read_options *options,
                     berth_problem **out);

/* ---- verbs -------------------------------------------------------------------------------------------------- */

extern const cli_verb cli_verb_run, cli_verb_compare, cli_verb_solve, cli_verb_cohort, cli_verb_allocate,
    cli_verb_check, cli_verb_generate, cli_verb_import, cli_verb_convert, cli_verb_goodput, cli_verb_fit, cli_verb_plot,
    cli_verb_serve, cli_verb_schema, cli_verb_version, cli_verb_help;
/* NULL-terminated, in the order of help. */
extern const cli_verb *const cli_verbs[];
/* Tells that there is no such verb; returns CLI_USAGE. */
int cli_unknown_verb(const char *word);
void cli_print_help(void);
void cli_print_verb_help(const cli_verb *verb);

/* ---- solvers (solvers.c) ------------------------------------------------------------------------------------------
 */

/* Those this program was built with. */
berth_status cli_backends_new(berth_backends **out, berth_error *error);
/* Is it auto or one of the set (`exact`: of those that berth_backends_exact says are)? CLI_DONE, or CLI_USAGE with a
 * message that lists them after auto and `others`, which is "" or ", NAME". */
int cli_check_solver(const char *verb, const char *option, const char *solver, const berth_backends *set, bool exact,
                     const char *others);

/* ---- messages (message.c) ------------------------------------------------------------------------------------- */

/* "berth VERB: ..." on standard error; returns the code. */
int cli_fail(const char *verb, cli_exit code, const char *format, ...) CLI_PRINTF(3, 4);
/* A wrong command line: as cli_fail, plus where help is; returns CLI_USAGE. */
int cli_usage(const char *verb, const char *format, ...) CLI_PRINTF(2, 3);

/* "no KIND 'WORD'" with the nearest of a NULL-terminated list, or with the whole list; returns CLI_USAGE. */
int cli_unknown(const char *verb, const char *kind, const char *word, const char *const *list);
/* "berth VERB: ..." on standard error, of what is no fault. */
void cli_note(const char *verb, const char *format, ...) CLI_PRINTF(2, 3);
/* "berth VERB: warning: ..." on standard error. */
void cli_warn(const char *verb, const char *format, ...) CLI_PRINTF(2, 3);

/* What the library was doing when it failed decides whose fault that is. CLI_JUDGING: it worked on what was read from
 * the subject, and what it does not take is the subject's fault, but for arguments that come from options. */
typedef enum cli_doing { CLI_READING, CLI_WORKING, CLI_WRITING, CLI_JUDGING } cli_doing;
/* Tells a library error about `subject` (a file, or NULL) and returns the exit code. An argument that an option of the
 * verb has set goes by the option's name. */
int cli_fail_status(const char *verb, cli_doing doing, const char *subject, const berth_error *error);

/* The same of clients' counts and profiles, which are read together: the error says which of them it is about. */
int cli_fail_data(const char *verb, const char *counts, const char *profiles, const berth_error *error);
/* The same of a file whose format is one of several that the verb takes: names the others too ("\"a\" and \"b\""). */
int cli_fail_format(const char *verb, const char *path, berth_error *error, const char *also);

/* The nearest of a NULL-terminated list, or NULL if none is so near that `word` may be a slip. */
const char *cli_nearest(const char *word, const char *const *list);

/* Is there something of that name that is no regular file? What nobody named, but was found beside something, is not
 * to be waited for. */
bool cli_is_no_file(const char *path);

/* True if both paths lead to one existing file; "-" never does. */
bool cli_same_file(const char *a, const char *b);

/* ---- hooks (hooks.c) -------------------------------------------------------------------------------------------- */

/* Log to standard error (as cli_warn), a progress bar there if it is a terminal, and cancellation by SIGINT or
 * SIGTERM (a second one kills). `quiet`: no warnings and no bar. Only the first few warnings are shown. */
typedef struct cli_hooks {
    const char *verb;
    bool quiet;
    bool bar;          /* standard error is a terminal */
    bool bar_shown;    /* something to wipe out */
    double bar_next_s; /* time of the next redraw */
    unsigned long n_warnings;
} cli_hooks;

void cli_hooks_start(cli_hooks *state, const char *verb, bool quiet, berth_hooks *out);
void cli_hooks_stop(cli_hooks *state);
/* From here on the first SIGINT or SIGTERM only sets the flag that the cancel hook reads. */
void cli_catch_signals(void);
bool cli_interrupted(void);

/* ---- output (output.c) --------------------------------------------------------------------------------------------
 */

/* Makes descriptors 0-2 open, so that no file of ours takes the place of a closed one. */
void cli_open_standard_files(void);
/* Flushes standard output: `code`, or CLI_INTERNAL with a message if something could not be written. */
int cli_finish_output(const char *verb, int code);
/* Can that file be written, as far as can be told without writing? CLI_DONE, or CLI_INTERNAL with a message. "-" and
 * NULL can. */
int cli_check_output(const char *verb, const char *path);
/* Where the JSON of a verb with -o and --json goes: a file, "-", or NULL: nowhere. */
const char *cli_json_path(const cli_common *common);
/* Does the verb print its table? --json and '-o -' replace it. */
bool cli_prints_table(const cli_common *common);
/* Where the certificate of a result that is too large for the result goes: RESULT.certificate. NULL: no memory. The
 * caller frees it. */
char *cli_certificate_beside(const char *result);
/* The certificate of a file that the command line names (NULL: none), else of the one beside a result that claims a
 * bound without proof, if there is one. Returns an exit code (certificate.c). */
int cli_read_certificate(const char *verb, const char *certificate, const char *result, const berth_instance *instance,
                         berth_run *run, bool quiet);
/* vfprintf, with '?' likewise, also for line ends: what is formatted may hold names from anywhere. */
void cli_print_safely(FILE *to, const char *format, va_list arguments) CLI_PRINTF(2, 0);
/* "label      value" */
void cli_row(const char *label, const char *format, ...) CLI_PRINTF(2, 3);
/* %.6g, or "-" for NAN; in a buffer of at least 32 bytes, which is returned. */
const char *cli_number(char *buffer, double value);
/* Microseconds or seconds for people: "41 us", "3.2 ms", "12 s". */
const char *cli_duration(char *buffer, double seconds);
/* Prints text from a file, padded to `width` columns: '?' for what berth_next_character says cannot be printed. */
void cli_print_text(const char *text, int width);
/* Prints a JSON string with its quotes. */
void cli_print_json_string(const char *text);

#endif
