/* berth run: replays an instance's jobs under a policy. */
#include "cli/cli.h"
#include "cli/run_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The result carries a certificate of at most that many numbers; a larger one needs a file. */
enum { INLINE_CERTIFICATE = 100000, FIRST_JOBS = 10 };

typedef struct run_settings {
    cli_common common;
    berth_options options;
    int favour;
    const char *scale;
    const char *timings;
    const char *certificate;
    bool all_jobs;
} run_settings;

/* In the order of berth_favour. */
static const char *const favour_names[] = {"cover", "packing", NULL};

#define AT(field) offsetof(run_settings, field)
static const cli_option options[] = {
    {"policy", 0, "NAME", CLI_TEXT, AT(options.policy), 0, 0, false, NULL, 0, "who decides (default pdors)"},
    {"solver", 0, "NAME", CLI_TEXT, AT(options.solver), 0, 0, false, NULL, 0,
     "auto (default) or an LP solver that 'berth version' lists"},
    {"levels", 0, "N", CLI_INT, AT(options.levels), 1, 1000000, false, NULL, 0,
     "most quanta a job's work is cut into when it is scheduled"},
    {"delta", 0, "X", CLI_REAL, AT(options.delta), 0, 1, true, NULL, 0, "failure probability allowed to a rounding"},
    {"favour", 0, "WHICH", CLI_CHOICE, AT(favour), 0, 0, false, favour_names, 0,
     "rows that rounding protects: cover (all the work gets done) or packing (capacities)"},
    {"scale", 0, "RULE", CLI_TEXT, AT(scale), 0, 0, false, NULL, 0,
     "factor on fractions before rounding: auto, paper or a number above 0"},
    {"trials", 0, "N", CLI_INT, AT(options.trials), 1, 1000000, false, NULL, 0, "roundings tried per slot problem"},
    {"repair", 0, NULL, CLI_FLAG, AT(options.repair), 0, 0, false, NULL, 0,
     "alter the best failed rounding until its rows hold"},
    {"no-bound", 0, NULL, CLI_FLAG_OFF, AT(options.bound), 0, 0, false, NULL, 0, "do not compute the dual bound"},
    {"restart-delay", 0, "SECONDS", CLI_REAL, AT(options.restart_delay_s), 0, 1e9, false, NULL, 0,
     "time a job loses when its placement changes"},
    {"timings", 0, "FILE", CLI_TEXT, AT(timings), 0, 0, false, NULL, 0, "write the decision times to FILE (JSON)"},
    {"certificate", 0, "FILE", CLI_TEXT, AT(certificate), 0, 0, false, NULL, 0,
     "where a certificate too large for the result (over 100,000 numbers) goes"},
    {"jobs", 0, NULL, CLI_FLAG, AT(all_jobs), 0, 0, false, NULL, 0, "all jobs in the table, not only the first"},
};

/* ---- the command line ------------------------------------------------------------------------------------------- */

static int read_scale(run_settings *settings) {
    berth_options *o = &settings->options;
    if (settings->scale == NULL) {
        return CLI_DONE;
    }
    if (strcmp(settings->scale, "auto") == 0) {
        o->scale_rule = BERTH_SCALE_AUTO;
    } else if (strcmp(settings->scale, "paper") == 0) {
        o->scale_rule = BERTH_SCALE_PAPER;
    } else if (cli_parse_real(settings->scale, &o->scale) && o->scale > 0) {
        o->scale_rule = BERTH_SCALE_GIVEN;
    } else {
        return cli_usage("run", "--scale: expected auto, paper or a number above 0, got '%s'", settings->scale);
    }
    return CLI_DONE;
}

static int check_solver(const run_settings *settings) {
    const char *solver = settings->options.solver;
    const berth_backends *backends = settings->options.backends;
    char names[256] = "";
    if (solver == NULL || strcmp(solver, "auto") == 0) {
        return CLI_DONE;
    }
    for (size_t i = 0; i < berth_backends_count(backends); i++) {
        const char *name = berth_backends_name(backends, i);
        if (strcmp(solver, name) == 0) {
            return CLI_DONE;
        }
        snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", name);
    }
    return cli_usage("run", "--solver: expected one of auto%s, got '%s'", names, solver);
}

/* No two outputs, and no output and the input, may be one file; extra files cannot be standard output. */
static int check_files(const run_settings *settings, const char *input) {
    const struct {
        const char *option;
        const char *path;
    } files[] = {
        {"-o", settings->common.output}, {"--timings", settings->timings}, {"--certificate", settings->certificate}};
    for (size_t i = 0; i < 3; i++) {
        if (i > 0 && files[i].path != NULL && strcmp(files[i].path, "-") == 0) {
            return cli_usage("run", "%s: expected a file's name, got '-'", files[i].option);
        }
        if (cli_same_file(files[i].path, input)) {
            return cli_usage("run", "%s would replace the instance '%s'", files[i].option, input);
        }
        for (size_t j = 0; j < i; j++) {
            if (cli_same_file(files[i].path, files[j].path)) {
                return cli_usage("run", "%s and %s name the same file '%s'", files[j].option, files[i].option,
                                 files[i].path);
            }
        }
    }
    return CLI_DONE;
}

static int check_combination(run_settings *settings, const char *input) {
    bool json = settings->common.json || (settings->common.output != NULL && strcmp(settings->common.output, "-") == 0);
    if (settings->all_jobs && json) {
        return cli_usage("run", "--jobs is about the table, which --json and '-o -' replace");
    }
    if (!settings->options.bound && settings->certificate != NULL) {
        return cli_usage("run", "--no-bound leaves no certificate for --certificate to write");
    }
    if (settings->certificate != NULL && settings->common.output == NULL && !json) {
        return cli_usage("run", "--certificate belongs to a result: give -o or --json too");
    }
    int code = check_files(settings, input);
    if (code == CLI_DONE) {
        code = read_scale(settings);
    }
    return code == CLI_DONE ? check_solver(settings) : code;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

/* Finds a place for a certificate that the result cannot hold: beside it, or, if that is standard output, nowhere.
 * `*owned` is the caller's to free. */
static bool place_certificate(const run_settings *settings, const berth_instance *instance, berth_run *run,
                              const char **path, char **owned) {
    const char *output = settings->common.output;
    *path = settings->certificate;
    *owned = NULL;
    if (run->certificate == NULL || *path != NULL) {
        return true;
    }
    size_t numbers = (size_t)instance->horizon_slots * run->certificate->n_classes * instance->n_resources;
    if (numbers <= INLINE_CERTIFICATE) {
        return true;
    }
    if (output == NULL || strcmp(output, "-") == 0) {
        fprintf(stderr, "warning: the certificate has %zu numbers and is left out; --certificate FILE keeps it\n",
                numbers);
        run->certificate = NULL;
        return true;
    }
    static const char suffix[] = ".certificate";
    *owned = malloc(strlen(output) + sizeof suffix);
    if (*owned == NULL) {
        return false;
    }
    strcpy(*owned, output);
    strcat(*owned, suffix);
    fprintf(stderr, "warning: the certificate has %zu numbers and goes to '%s'; 'berth check --certificate' reads it\n",
            numbers, *owned);
    *path = *owned;
    return true;
}

static int write_result(const run_settings *settings, const berth_instance *instance, berth_run *run) {
    berth_error error = {0};
    const char *path = settings->common.output != NULL ? settings->common.output : settings->common.json ? "-" : NULL;
    const char *certificate;
    char *owned;
    int code = CLI_DONE;
    if (path == NULL) {
        return CLI_DONE;
    }
    if (!place_certificate(settings, instance, run, &certificate, &owned)) {
        return cli_fail("run", CLI_INTERNAL, "out of memory");
    }
    if (berth_run_write(run, instance, path, certificate, &error) != BERTH_OK) {
        code = cli_fail_status("run", CLI_WRITING, path, &error);
    }
    free(owned);
    return code;
}

/* Extra files first, so that they are there when a reader of standard output goes away. */
static int write_all(const run_settings *settings, const berth_instance *instance, berth_run *run,
                     const berth_timings *timings) {
    berth_error error = {0};
    if (settings->timings != NULL && berth_timings_write(timings, instance, settings->timings, &error) != BERTH_OK) {
        return cli_fail_status("run", CLI_WRITING, settings->timings, &error);
    }
    int code = write_result(settings, instance, run);
    if (code != CLI_DONE) {
        return code;
    }
    bool to_stdout = settings->common.output != NULL && strcmp(settings->common.output, "-") == 0;
    if (!settings->common.json && !to_stdout) {
        cli_print_run(instance, run, timings, settings->all_jobs ? SIZE_MAX : FIRST_JOBS);
    }
    code = cli_finish_output("run", CLI_DONE);
    if (code == CLI_DONE && run->stopped) {
        code = cli_fail("run", CLI_LIMIT, "stopped by %s; jobs without a decision are marked",
                        cli_interrupted() ? "a signal" : "the time limit");
    }
    return code;
}

static int run_instance(const run_settings *settings, const char *input, const berth_instance *instance) {
    berth_error error = {0};
    berth_run *run = NULL;
    berth_timings timings = {0};
    cli_hooks state;
    berth_options options_now = settings->options;
    int code;
    cli_hooks_start(&state, settings->common.quiet, &options_now.hooks);
    berth_instance_warnings(instance, &options_now.hooks);
    cli_catch_signals();
    berth_status status = berth_run_online(instance, &options_now, &run, &timings, &error);
    cli_hooks_stop(&state);
    if (status == BERTH_OK) {
        code = write_all(settings, instance, run, &timings);
    } else {
        /* Only whole runs show some faults of an instance, like prices that cross. */
        code = cli_fail_status("run", CLI_WORKING, status == BERTH_E_INPUT ? input : NULL, &error);
    }
    berth_timings_clear(&timings);
    berth_run_free(run);
    return code;
}

static int run_verb(int argc, char **argv) {
    run_settings settings = {0};
    cli_words words;
    berth_error error = {0};
    berth_backends *backends = NULL;
    berth_instance *instance = NULL;
    int code;
    berth_options_init(&settings.options);
    settings.favour = (int)settings.options.favour;
    settings.common.seed = settings.options.seed;
    settings.common.threads = settings.options.threads;
    settings.common.time_limit_s = settings.options.time_limit_s;
    if (!cli_parse(&cli_verb_run, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if (cli_backends_new(&backends, &error) != BERTH_OK) {
        return cli_fail_status("run", CLI_WORKING, NULL, &error);
    }
    settings.options.backends = backends;
    settings.options.favour = (berth_favour)settings.favour;
    settings.options.seed = settings.common.seed;
    settings.options.threads = settings.common.threads;
    settings.options.time_limit_s = settings.common.time_limit_s;
    code = check_combination(&settings, words.word[0]);
    if (code == CLI_DONE) {
        if (berth_instance_read(words.word[0], &instance, &error) == BERTH_OK) {
            code = run_instance(&settings, words.word[0], instance);
        } else {
            code = cli_fail_status("run", CLI_READING, words.word[0], &error);
        }
    }
    berth_instance_free(instance);
    berth_backends_free(backends);
    return code;
}

const cli_verb cli_verb_run = {
    .name = "run",
    .arguments = "[options] INSTANCE",
    .summary = "Replays an instance's jobs under a policy and bounds what any schedule could earn",
    .details = "Prints a table; -o also writes the result for 'berth check' and programs. For one seed the result is\n"
               "the same byte for byte, whatever the number of threads.",
    .examples = "  berth run instance.json\n"
                "  berth run instance.json --seed 7 -o result.json --timings times.json\n"
                "  berth generate pdors --load 2 | berth run - --json | python3 -m json.tool",
    .min_words = 1,
    .max_words = 1,
    .common = CLI_OPT_JSON | CLI_OPT_OUTPUT | CLI_OPT_SEED | CLI_OPT_THREADS | CLI_OPT_TIME_LIMIT | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run_verb,
};
