/* berth fit: a profile of goodput from measured steps. */
#include "cli/cli.h"

#include <berth_goodput.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct fit_settings {
    cli_common common;
    const char *from;
    double m0, max_batch, min_local, max_local, grad_sqr, grad_var;
    bool accumulation;
    bool residuals;
} fit_settings;

static void set_defaults(void *memory) {
    fit_settings *settings = memory;
    settings->accumulation = true;
    settings->grad_sqr = settings->grad_var = -1;
}

#define AT(field) offsetof(fit_settings, field)
#define SAMPLES(option, field, words)                                                                                  \
    { .name = option, .argument = "N", .kind = CLI_REAL, .offset = AT(field), .min = 1, .max = 1e9, .help = words }
#define STATISTIC(option, field, words)                                                                                \
    { .name = option, .argument = "X", .kind = CLI_REAL, .offset = AT(field), .max = 1e300, .help = words }
static const cli_option options[] = {
    {.name = "from",
     .argument = "PROFILE",
     .kind = CLI_TEXT,
     .offset = AT(from),
     .expected = "a file's name",
     .help = "what is not measured comes from this profile"},
    SAMPLES("m0", m0, "samples a step that the job begins with"),
    SAMPLES("max-batch", max_batch, "most samples a step"),
    SAMPLES("min-local", min_local, "least samples of a replica in a pass (default: the least measured)"),
    SAMPLES("max-local", max_local, "most samples of a replica in a pass (default: the most measured)"),
    {.name = "no-accumulation",
     .kind = CLI_FLAG_OFF,
     .offset = AT(accumulation),
     .help = "the job cannot accumulate gradients over several passes"},
    STATISTIC("grad-sqr", grad_sqr, "squared norm of the mean gradient"),
    STATISTIC("grad-var", grad_var, "variance of gradients of m0 samples"),
    {.name = "residuals", .kind = CLI_FLAG, .offset = AT(residuals), .help = "every measurement with its error"},
};
#undef SAMPLES
#undef STATISTIC

/* ---- the profile ---- */

/* What a whole profile takes, with the options it may come from. */
static const struct {
    const char *option;
    size_t to, from; /* in the profile, in the settings */
    bool required;   /* there is no default */
} taken[] = {
#define TAKE(option, field, required)                                                                                  \
    { option, offsetof(berth_goodput_profile, field), AT(field), required }
    TAKE("m0", m0, true),
    TAKE("max-batch", max_batch, true),
    TAKE("min-local", min_local, false),
    TAKE("max-local", max_local, false),
    TAKE("grad-sqr", grad_sqr, true),
    TAKE("grad-var", grad_var, true),
#undef TAKE
};
#undef AT

static int complete(const fit_settings *settings, const cli_words *words, const berth_measurement *all, size_t n,
                    berth_goodput_profile *profile) {
    berth_error error = {0};
    berth_goodput_profile_init(profile);
    if (settings->from != NULL && berth_goodput_profile_read(settings->from, profile, &error) != BERTH_OK) {
        return cli_fail_status("fit", CLI_READING, settings->from, &error);
    }
    if (settings->from == NULL) {
        profile->min_local = profile->max_local = all[0].local;
        for (size_t k = 1; k < n; k++) {
            profile->min_local = fmin(profile->min_local, all[k].local);
            profile->max_local = fmax(profile->max_local, all[k].local);
        }
    }
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) {
        const bool given = cli_given(&cli_verb_fit, words, taken[k].option);
        if (given) {
            memcpy((char *)profile + taken[k].to, (const char *)settings + taken[k].from, sizeof(double));
        } else if (taken[k].required && settings->from == NULL) {
            return cli_usage("fit", "-o needs --%s, or --from a profile", taken[k].option);
        }
    }
    if (cli_given(&cli_verb_fit, words, "no-accumulation")) {
        profile->accumulation = false;
    }
    return CLI_DONE;
}

static void take_times(const berth_goodput_fit *fit, berth_goodput_profile *profile) {
    profile->alpha_c = fit->alpha_c;
    profile->beta_c = fit->beta_c;
    profile->alpha_n = fit->alpha_n;
    profile->beta_n = fit->beta_n;
    profile->alpha_r = fit->alpha_r;
    profile->beta_r = fit->beta_r;
    profile->gamma = fit->gamma;
}

/* ---- what is printed ---- */

static const struct {
    unsigned bit;
    const char *name, *text;
} warnings[] = {
    {BERTH_FIT_NO_SINGLE, "no-single", "no measurement has a single replica: its time is extrapolated"},
    {BERTH_FIT_NO_LOCAL, "no-local",
     "none has several replicas on one node: alpha_r and beta_r are pinned, as if synchronising took no time there"},
    {BERTH_FIT_NO_SPREAD, "no-spread",
     "none is on several nodes: alpha_n and beta_n are pinned, as if synchronising took no time there"},
    {BERTH_FIT_ONE_LOCAL, "one-local",
     "all have one local batch size: alpha_c is pinned, as if time were proportional to the batch"},
    {BERTH_FIT_FEW_LOCAL, "few-local", "none has more than two replicas on one node: beta_r is pinned"},
    {BERTH_FIT_FEW_SPREAD, "few-spread", "none has more than two replicas on several nodes: beta_n is pinned"},
    {BERTH_FIT_AT_BOUND, "at-bound", "gamma ended at 1 or 10, the least and the most it may be"},
    {BERTH_FIT_POOR, "poor", "fitted step times are off by more than a quarter on average: the model does not hold"},
    {BERTH_FIT_UNCONVERGED, "unconverged", "the optimiser gave up; this is the best it found"},
};

/* Kinds of measurements, as far as the model tells them apart. */
static const char *const kind_names[] = {"one replica", "one node", "several nodes"};

static int kind_of(const berth_measurement *m) {
    return m->replicas == 1 ? 0 : m->nodes == 1 ? 1 : 2;
}

static void print_kinds(const berth_measurement *all, size_t n, const berth_goodput_fit *fit) {
    fputs("\n  measurements            number  mean error     worst  bias\n", stdout);
    for (int kind = 0; kind < 3; kind++) {
        double count = 0, sum = 0, worst = 0, bias = 0;
        for (size_t k = 0; k < n; k++) {
            if (kind_of(&all[k]) == kind) {
                const double error = fit->fitted[k] / all[k].step_s - 1;
                count++;
                sum += fabs(error);
                bias += error;
                worst = fmax(worst, fabs(error));
            }
        }
        if (count > 0) {
            printf("  %-22s  %6.0f  %9.2f%%  %7.2f%%  %+.2f%%\n", kind_names[kind], count, 100 * sum / count,
                   100 * worst, 100 * bias / count);
        }
    }
}

static void print_residuals(const berth_measurement *all, size_t n, const berth_goodput_fit *fit) {
    fputs("\n  nodes  replicas   local    step (s)  fitted (s)     error\n", stdout);
    for (size_t k = 0; k < n; k++) {
        printf("  %5u  %8u  %6u  %10.6g  %10.6g  %+7.2f%%\n", all[k].nodes, all[k].replicas, all[k].local,
               all[k].step_s, fit->fitted[k], 100 * (fit->fitted[k] / all[k].step_s - 1));
    }
}

static void print_fit(const fit_settings *settings, const berth_measurement *all, size_t n,
                      const berth_goodput_fit *fit) {
    cli_row("measurements", "%zu", n);
    cli_row("gradient", "%.4g s + %.4g s a sample", fit->alpha_c, fit->beta_c);
    cli_row("sync, several nodes", "%.4g s + %.4g s a replica beyond two", fit->alpha_n, fit->beta_n);
    cli_row("sync, one node", "%.4g s + %.4g s a replica beyond two", fit->alpha_r, fit->beta_r);
    cli_row("gamma", "%.4g", fit->gamma);
    cli_row("objective", "%.6g", fit->objective);
    cli_row("error of step times", "mean %.2f%%, worst %.2f%% (%u samples on %u replicas of %u node%s)",
            100 * fit->step_error, 100 * fit->worst_error, all[fit->worst].local, all[fit->worst].replicas,
            all[fit->worst].nodes, all[fit->worst].nodes == 1 ? "" : "s");
    if (settings->residuals) {
        print_residuals(all, n, fit);
    } else {
        print_kinds(all, n, fit);
    }
}

static void print_json(const fit_settings *settings, const berth_measurement *all, size_t n,
                       const berth_goodput_fit *fit) {
    const char *between = "";
    printf("{\n  \"alpha_c\": %.17g,\n  \"beta_c\": %.17g,\n  \"alpha_n\": %.17g,\n  \"beta_n\": %.17g,\n",
           fit->alpha_c, fit->beta_c, fit->alpha_n, fit->beta_n);
    printf("  \"alpha_r\": %.17g,\n  \"beta_r\": %.17g,\n  \"gamma\": %.17g,\n  \"objective\": %.17g,\n", fit->alpha_r,
           fit->beta_r, fit->gamma, fit->objective);
    printf("  \"measurements\": %zu,\n  \"step_error\": %.17g,\n  \"worst_error\": %.17g,\n  \"worst\": %zu,\n", n,
           fit->step_error, fit->worst_error, fit->worst);
    fputs("  \"warnings\": [", stdout);
    for (size_t k = 0; k < sizeof warnings / sizeof *warnings; k++) {
        if ((fit->warnings & warnings[k].bit) != 0) {
            printf("%s\"%s\"", between, warnings[k].name);
            between = ", ";
        }
    }
    putchar(']');
    if (settings->residuals) {
        fputs(",\n  \"residuals\": [", stdout);
        for (size_t k = 0; k < n; k++) {
            printf("%s\n    { \"nodes\": %u, \"replicas\": %u, \"local\": %u, \"step_s\": %.17g, \"fitted_s\": %.17g }",
                   k > 0 ? "," : "", all[k].nodes, all[k].replicas, all[k].local, all[k].step_s, fit->fitted[k]);
        }
        fputs("\n  ]", stdout);
    }
    fputs("\n}\n", stdout);
}

/* ---- the verb ---- */

static int fit_with(const fit_settings *settings, const char *input, const berth_measurement *all, size_t n,
                    berth_goodput_profile *profile) {
    berth_error error = {0};
    berth_goodput_fit *fit = NULL;
    berth_hooks hooks;
    cli_hooks state;
    cli_hooks_start(&state, "fit", settings->common.quiet, &hooks);
    cli_catch_signals();
    const berth_status status = berth_goodput_fit_new(all, n, &hooks, &fit, &error);
    cli_hooks_stop(&state);
    if (status != BERTH_OK) {
        return cli_fail_status("fit", CLI_JUDGING, input, &error);
    }
    const char *path = settings->common.output;
    int code = CLI_DONE;
    take_times(fit, profile);
    if (path != NULL && berth_goodput_profile_write(profile, path, &error) != BERTH_OK) {
        code = cli_fail_status("fit", CLI_WRITING, path, &error);
    } else if (settings->common.json) {
        print_json(settings, all, n, fit);
    } else if (path == NULL || strcmp(path, "-") != 0) {
        print_fit(settings, all, n, fit);
    }
    code = code == CLI_DONE ? cli_finish_output("fit", CLI_DONE) : code;
    for (size_t k = 0; !settings->common.quiet && k < sizeof warnings / sizeof *warnings; k++) {
        if ((fit->warnings & warnings[k].bit) != 0) {
            cli_warn("fit", "%s", warnings[k].text);
        }
    }
    berth_goodput_fit_free(fit);
    return code;
}

/* What only a profile takes is for -o. */
static int check_given(const fit_settings *settings, const cli_words *words) {
    static const char *const others[] = {"from", "no-accumulation"};
    const char *given = NULL;
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) {
        given = cli_given(&cli_verb_fit, words, taken[k].option) ? taken[k].option : given;
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        given = cli_given(&cli_verb_fit, words, others[k]) ? others[k] : given;
    }
    const char *output = settings->common.output;
    if (given != NULL && output == NULL) {
        return cli_usage("fit", "--%s is for the profile that -o writes", given);
    }
    if (settings->residuals && output != NULL && strcmp(output, "-") == 0) {
        return cli_usage("fit", "--residuals is about the fit, which '-o -' replaces");
    }
    return CLI_DONE;
}

static int check_files(const fit_settings *settings, const char *path) {
    const char *output = settings->common.output;
    if (settings->from != NULL && strcmp(settings->from, "-") == 0 && strcmp(path, "-") == 0) {
        return cli_usage("fit", "only one file can be standard input");
    }
    if (output != NULL && cli_same_file(output, path)) {
        return cli_usage("fit", "-o would replace the input '%s'", path);
    }
    if (output != NULL && strcmp(output, "-") == 0 && settings->common.json) {
        return cli_usage("fit", "--json and '-o -' exclude each other");
    }
    return cli_check_output("fit", output);
}

static int fit(int argc, char **argv) {
    fit_settings settings = {0};
    cli_words words;
    int code;
    if (!cli_parse(&cli_verb_fit, argc, argv, &settings, &words, &code)) {
        return code;
    }
    const char *path = words.word[0];
    code = check_given(&settings, &words);
    code = code == CLI_DONE ? check_files(&settings, path) : code;
    if (code != CLI_DONE) {
        return code;
    }
    berth_error error = {0};
    berth_measurement *all = NULL;
    size_t n = 0;
    berth_goodput_profile profile = {0};
    if (berth_measurements_read(path, &all, &n, &error) != BERTH_OK) {
        return cli_fail_status("fit", CLI_READING, path, &error);
    }
    code = settings.common.output != NULL ? complete(&settings, &words, all, n, &profile) : CLI_DONE;
    code = code == CLI_DONE ? fit_with(&settings, path, all, n, &profile) : code;
    berth_measurements_free(all);
    return code;
}

const cli_verb cli_verb_fit = {
    .name = "fit",
    .arguments = "[options] MEASUREMENTS",
    .summary = "Fits the profile of a job's goodput to measured step times",
    .details =
        "MEASUREMENTS is CSV, compressed or not, with a row for each step that was timed:\n"
        "num_nodes,num_replicas,local_bsz,step_time,sync_time (seconds; sync_time is step_time less the time of the\n"
        "gradient). Fits the model of Qiao et al. (OSDI 2021; docs/goodput.md), by least squares of logarithms, and\n"
        "tells what the measurements leave open. -o writes a whole profile, berth-profile-1, which also takes what no\n"
        "step time tells: batch sizes and the statistics of the gradient, from options or from another profile. --json "
        "prints\n"
        "the fit itself, with -o too.",
    .examples = "  berth fit steps.csv --residuals\n"
                "  berth fit steps.csv -o profile.json --m0 128 --max-batch 4096 --grad-sqr 0.2 --grad-var 2.1\n"
                "  berth fit steps.csv -o better.json --from profile.json",
    .min_words = 1,
    .max_words = 1,
    .common = CLI_OPT_JSON | CLI_OPT_OUTPUT | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(fit_settings),
    .defaults = set_defaults,
    .run = fit,
};
