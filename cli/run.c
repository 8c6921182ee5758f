/* berth run: replays an instance's jobs under a policy. */
#include "cli/cli.h"
#include "cli/run_goodput.h"
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
    int policy;
    int favour;
    int bound, effort;
    bool bounded;
    const char *scale;
    const char *restart_delay;
    const char *timings;
    const char *certificate;
    bool all_jobs;
    cli_goodput_settings goodput;
    char *beside; /* where a large certificate goes if nobody says; NULL: the result is not a file */
} run_settings;

static void set_defaults(void *memory) {
    run_settings *settings = memory;
    berth_options *o = &settings->options;
    berth_options_init(o);
    while (strcmp(cli_run_policies()[settings->policy], o->policy) != 0) {
        settings->policy++;
    }
    settings->favour = (int)o->favour;
    settings->bound = (int)o->bound;
    settings->bounded = true;
    settings->effort = (int)o->effort;
    settings->scale = cli_scale_default;
    settings->restart_delay = cli_restart_names()[0];
    settings->common.seed = o->seed;
    settings->common.threads = o->threads;
    settings->common.time_limit_s = o->time_limit_s;
    cli_goodput_defaults(&settings->goodput);
}

static const char *const bound_names[] = {"none", "dual", "lp", "exact", NULL}; /* as berth_bound */

#define AT(field) offsetof(run_settings, field)
static const cli_option options[] = {
    {.name = "policy",
     .argument = "NAME",
     .kind = CLI_CHOICE,
     .offset = AT(policy),
     .list = cli_run_policies,
     .about = cli_run_policy_about,
     .help = "who decides"},
    CLI_GOODPUT_OPTIONS(run_settings, goodput),
    CLI_SOLVER_OPTION(run_settings, options),
    CLI_POLICY_OPTIONS(run_settings, options, ""),
    CLI_ROUNDING_OPTIONS(run_settings, options, " (pdors)"),
    CLI_DORM_OPTIONS(run_settings, options),
    {.name = "bound",
     .argument = "WHICH",
     .kind = CLI_CHOICE,
     .offset = AT(bound),
     .choices = bound_names,
     .help = "what no schedule can earn more than, each besides those before it: dual is proved by prices "
             "found in moments, lp by the best (minutes for thousands of jobs), exact is the optimum (tiny instances)"},
    {.name = "no-bound", .kind = CLI_FLAG_OFF, .offset = AT(bounded), .help = "the same as --bound none"},
    {.name = "timings",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(timings),
     .expected = "a file's name",
     .help = "write the decision times to FILE (JSON)"},
    {.name = "certificate",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(certificate),
     .expected = "a file's name",
     .help = "write the prices that prove the bound to FILE instead of into the result (without this, one of over "
             "100,000 numbers goes to RESULT.certificate)"},
    {.name = "jobs", .kind = CLI_FLAG, .offset = AT(all_jobs), .help = "all jobs in the table, not only the first ten"},
};

/* ---- the command line ------------------------------------------------------------------------------------------- */

/* No two outputs, and no output and the input, may be one file; extra files cannot be standard output. */
static int check_files(const run_settings *settings, const char *input) {
    const bool told = settings->certificate != NULL;
    const struct {
        const char *option;
        const char *path;
    } files[] = {{"-o", settings->common.output},
                 {"--timings", settings->timings},
                 {told ? "--certificate" : "a large certificate", told ? settings->certificate : settings->beside}};
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
        int code = cli_check_output("run", files[i].path);
        if (code != CLI_DONE) {
            return code;
        }
    }
    if (!told && settings->beside != NULL && cli_is_no_file(settings->beside)) {
        return cli_fail("run", CLI_INTERNAL,
                        "%s: a large certificate cannot go there: it is not a regular file; --certificate FILE names "
                        "another",
                        settings->beside);
    }
    return CLI_DONE;
}

static int check_combination(run_settings *settings, const char *input) {
    if (settings->all_jobs && !cli_prints_table(&settings->common)) {
        return cli_usage("run", "--jobs is about the table, which --json and '-o -' replace");
    }
    if (!settings->bounded && settings->bound > BERTH_BOUND_DUAL) {
        return cli_usage("run", "--no-bound and --bound %s exclude each other", bound_names[settings->bound]);
    }
    if (settings->options.bound == BERTH_BOUND_NONE && settings->certificate != NULL) {
        return cli_usage("run", "%s leaves no certificate for --certificate to write",
                         settings->bounded ? "--bound none" : "--no-bound");
    }
    if (settings->certificate != NULL && cli_json_path(&settings->common) == NULL) {
        return cli_usage("run", "--certificate belongs to a result: give -o or --json too");
    }
    int code = check_files(settings, input);
    if (code == CLI_DONE) {
        code =
            cli_read_scale("run", "--scale", settings->scale, &settings->options.scale_rule, &settings->options.scale);
    }
    if (code == CLI_DONE) {
        code = cli_read_restart_delay("run", "--restart-delay", settings->restart_delay,
                                      &settings->options.restart_delay_s);
    }
    return code == CLI_DONE ? cli_check_policy_solver("run", cli_run_policies()[settings->policy], &settings->options)
                            : code;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

/* A bound without its proof is not claimed. */
static void leave_certificate_out(berth_run *run) {
    run->certificate = NULL;
    run->bounds.dual = run->bounds.lp = run->bounds.exact = run->bounds.best = run->bounds.ratio = (double)NAN;
    run->bounds.void_because = "the certificate is too large for a result on standard output";
}

/* Where the certificate goes, NULL: into the result. One that is too large for a result on standard output is left
 * out. Said also to the quiet: the result is not whole then. */
static const char *place_certificate(const run_settings *settings, const berth_instance *instance, berth_run *run) {
    if (run->certificate == NULL) {
        if (settings->certificate != NULL) {
            cli_warn("run", "nothing to write to '%s': %s", settings->certificate,
                     run->bounds.void_because != NULL ? run->bounds.void_because : "the run has no certificate");
        }
        return NULL;
    }
    size_t numbers = (size_t)instance->horizon_slots * run->certificate->n_classes * instance->n_resources;
    if (settings->certificate != NULL || numbers <= INLINE_CERTIFICATE) {
        return settings->certificate;
    }
    if (settings->beside == NULL) {
        cli_warn(
            "run",
            "the certificate has %zu numbers and is left out, and the bound with it; -o or --certificate FILE keeps "
            "them",
            numbers);
        leave_certificate_out(run);
    } else {
        cli_warn("run", "the certificate has %zu numbers and goes to '%s', where 'berth check' finds it", numbers,
                 settings->beside);
    }
    return settings->beside;
}

static int write_result(const run_settings *settings, const berth_instance *instance, berth_run *run) {
    berth_error error = {0};
    const char *path = cli_json_path(&settings->common);
    if (path == NULL) {
        return CLI_DONE;
    }
    const char *certificate = place_certificate(settings, instance, run);
    if (berth_run_write(run, instance, path, certificate, &error) != BERTH_OK) {
        bool other = certificate != NULL && strcmp(error.where, certificate) == 0;
        return cli_fail_status("run", CLI_WRITING, other ? certificate : path, &error);
    }
    return CLI_DONE;
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
    if (cli_prints_table(&settings->common)) {
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
    cli_hooks_start(&state, "run", settings->common.quiet, &options_now.hooks);
    berth_instance_warnings(instance, &options_now.hooks);
    cli_hooks_stop(&state); /* what the run has to say is not one more of the same */
    cli_hooks_start(&state, "run", settings->common.quiet, &options_now.hooks);
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
    if (!cli_parse(&cli_verb_run, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if (cli_is_goodput_workload(words.word[0])) {
        const char *policy = cli_given(&cli_verb_run, &words, "policy") ? cli_run_policies()[settings.policy] : NULL;
        return cli_run_goodput(&settings.common, &settings.goodput, policy, &words);
    }
    if (!cli_is_slot_policy(cli_run_policies()[settings.policy])) {
        return cli_usage("run",
                         "--policy %s is for workloads of measured trainings (berth-goodput-jobs-1), which '%s' "
                         "is not",
                         cli_run_policies()[settings.policy], words.word[0]);
    }
    if ((code = cli_check_slot_options(&words)) != CLI_DONE) {
        return code;
    }
    if (cli_backends_new(&backends, &error) != BERTH_OK) {
        return cli_fail_status("run", CLI_WORKING, NULL, &error);
    }
    settings.options.backends = backends;
    settings.options.policy = cli_run_policies()[settings.policy];
    settings.options.favour = (berth_favour)settings.favour;
    settings.options.effort = (berth_effort)settings.effort;
    settings.options.bound = settings.bounded ? (berth_bound)settings.bound : BERTH_BOUND_NONE;
    settings.options.seed = settings.common.seed;
    settings.options.threads = settings.common.threads;
    settings.options.time_limit_s = settings.common.time_limit_s;
    const char *output = settings.common.output;
    if (output != NULL && strcmp(output, "-") != 0 && (settings.beside = cli_certificate_beside(output)) == NULL) {
        code = cli_fail("run", CLI_INTERNAL, "out of memory");
    } else {
        code = check_combination(&settings, words.word[0]);
    }
    if (code == CLI_DONE) {
        if (!settings.common.quiet) {
            cli_warn_of_idle_options(&cli_verb_run, &words, 1, &settings.options.policy);
        }
        if (berth_instance_read(words.word[0], &instance, &error) == BERTH_OK) {
            code = run_instance(&settings, words.word[0], instance);
        } else {
            code = cli_fail_format("run", words.word[0], &error, "\"berth-goodput-jobs-1\", from a file");
        }
    }
    berth_instance_free(instance);
    berth_backends_free(backends);
    free(settings.beside);
    return code;
}

const cli_verb cli_verb_run = {
    .name = "run",
    .arguments = "[options] INSTANCE",
    .summary = "Replays an instance's jobs under a policy and bounds what any schedule could earn",
    .details =
        "Prints a table; -o also writes the result for 'berth check' and programs. For one seed the result is\n"
        "the same byte for byte, whatever the number of threads.\n\n"
        "INSTANCE may be a workload of measured trainings (berth-goodput-jobs-1, docs/goodput-policies.md): then the\n"
        "policies are pollux, sia, tiresias, optimus and hesrpt, and the result a berth-goodput-run-1.",
    .examples = "  berth run instance.json\n"
                "  berth run instance.json --seed 7 -o result.json --timings times.json\n"
                "  berth generate pdors --load 2 | berth run - --json | python3 -m json.tool",
    .min_words = 1,
    .max_words = 1,
    .common = CLI_OPT_JSON | CLI_OPT_OUTPUT | CLI_OPT_SEED | CLI_OPT_THREADS | CLI_OPT_TIME_LIMIT | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(run_settings),
    .defaults = set_defaults,
    .run = run_verb,
};
