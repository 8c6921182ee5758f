/* berth compare: policies on instances, with every seed. */
#include "cli/gnuplot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POLICIES = 64, MOST_INSTANCES = 1000 };

typedef struct compare_settings {
    cli_common common;
    berth_compare_options compare;
    const char *policies;
    const char *restart_delay;
    const char *csv, *html;
    const char *scale;
    int bound, effort, favour;
    bool measured;
} compare_settings;

/* The list of policies, cut up. */
typedef struct policy_list {
    char *names, *words;             /* the list, cut at commas; and at colons and = too */
    const char *name[MOST_POLICIES]; /* of each, with its options */
    berth_options options[MOST_POLICIES];
    const berth_options *variant[MOST_POLICIES]; /* NULL: no options of its own */
} policy_list;

static const char *const bound_names[] = {"none", "dual", "lp", NULL}; /* as berth_bound */

static void set_defaults(void *memory) {
    compare_settings *settings = memory;
    berth_compare_options_init(&settings->compare);
    settings->policies = "bidlp,pdors-ci,fifo,drf,srtf";
    settings->bound = (int)settings->compare.run.bound;
    settings->effort = (int)settings->compare.run.effort;
    settings->favour = (int)settings->compare.run.favour;
    settings->scale = cli_scale_default;
    settings->restart_delay = cli_restart_names()[0];
    settings->measured = true;
    settings->common.seed = settings->compare.first_seed;
    settings->common.time_limit_s = settings->compare.run.time_limit_s;
}

#define AT(field) offsetof(compare_settings, field)
static const cli_option options[] = {
    {.name = "policies",
     .argument = "LIST",
     .kind = CLI_TEXT,
     .offset = AT(policies),
     .expected = "names with commas between them",
     .help = "who decides: names with commas between them ('berth help run' lists them); differences are taken to the "
             "first. A name may be followed by options of its own, as in pdors:scale=0.5:repair, so that a policy can "
             "be there more than once: levels, fifo-workers, effort, restart-delay and those below from delta on to "
             "dorm-adjust"},
    {.name = "seeds",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(compare.seeds),
     .min = 1,
     .max = 100000,
     .help = "runs of each policy on each instance, with the seeds from --seed on"},
    {.name = "pool",
     .kind = CLI_FLAG,
     .offset = AT(compare.pool),
     .help =
         "means over the instances, each of which is run once, with a seed of its own (--seed for the first, and so "
         "on)"},
    {.name = "jobs",
     .argument = "N",
     .kind = CLI_INT,
     .offset = AT(compare.jobs),
     .min = 0,
     .max = 1024,
     .help = "runs at a time, each on one thread; 0: as many as there are processors"},
    {.name = "state",
     .argument = "DIR",
     .kind = CLI_TEXT,
     .offset = AT(compare.state),
     .expected = "a folder's name",
     .help = "keep each run that is done in this folder, and take those from it that are there: a comparison that was "
             "stopped goes on where it was"},
    {.name = "bound",
     .argument = "WHICH",
     .kind = CLI_CHOICE,
     .offset = AT(bound),
     .choices = bound_names,
     .help = "what the utilities are compared with, once for each instance: lp takes minutes for thousands of jobs"},
    {.name = "bound-time",
     .argument = "SECONDS",
     .kind = CLI_REAL,
     .offset = AT(compare.bound_time_s),
     .max = (double)INFINITY,
     .help = "time for each bound, which is then as tight as it has become"},
    CLI_POLICY_OPTIONS(compare_settings, compare.run, "; needs --bound none"),
    CLI_ROUNDING_OPTIONS(compare_settings, compare.run, " (pdors)"),
    CLI_DORM_OPTIONS(compare_settings, compare.run),
    {.name = "csv",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(csv),
     .expected = "a file's name",
     .help = "also write a row for each instance, policy and metric to FILE"},
    {.name = "html",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(html),
     .expected = "a file's name",
     .help = "also write a page with pictures (by gnuplot) and tables of everything to FILE"},
    {.name = "no-times",
     .kind = CLI_FLAG_OFF,
     .offset = AT(measured),
     .help = "leave out what is measured with a clock: the rest is the same byte for byte"},
};

/* ---- the command line ------------------------------------------------------------------------------------------- */

/* Options that one policy of the list can have by itself. */
static const char *const own_options[] = {"levels", "fifo-workers", "effort", "restart-delay", "delta",       "favour",
                                          "scale",  "trials",       "repair", "dorm-fairness", "dorm-adjust", NULL};

enum { N_OWN_OPTIONS = sizeof own_options / sizeof *own_options - 1 };

/* What options stand for that are not simply numbers; `where` is "--", or what stands before the name of an option of
 * one policy. */
static int finish_options(compare_settings *settings, const char *where) {
    char scale[64], delay[64];
    berth_options *run = &settings->compare.run;
    run->effort = (berth_effort)settings->effort;
    run->favour = (berth_favour)settings->favour;
    snprintf(scale, sizeof scale, "%sscale", where);
    snprintf(delay, sizeof delay, "%srestart-delay", where);
    int code = cli_read_scale("compare", scale, settings->scale, &run->scale_rule, &run->scale);
    return code == CLI_DONE ? cli_read_restart_delay("compare", delay, settings->restart_delay, &run->restart_delay_s)
                            : code;
}

/* OPTION or OPTION=VALUE, which it cuts. `given` has a place for each of own_options. */
static int set_own_option(const char *policy, char *text, bool *given, compare_settings *own) {
    char *value = strchr(text, '=');
    if (value != NULL) {
        *value++ = '\0';
    }
    for (size_t i = 0; own_options[i] != NULL; i++) {
        if (strcmp(own_options[i], text) != 0) {
            continue;
        }
        if (!cli_policy_heeds(policy, text)) {
            return cli_usage("compare", "--policies: %s has no effect on %s, it is for %s", text, policy,
                             cli_heeding_policies(text));
        }
        if (given[i]) {
            return cli_usage("compare", "--policies: %s has %s twice", policy, text);
        }
        given[i] = true;
        return cli_set(&cli_verb_compare, "--policies", text, value, own);
    }
    return cli_unknown("compare", "option of a policy", text, own_options);
}

/* NAME[:OPTION[=VALUE]]..., which it cuts. Without options of its own *variant stays NULL. */
static int read_policy(const compare_settings *settings, char *text, berth_options *run,
                       const berth_options **variant) {
    compare_settings own = *settings;
    bool given[N_OWN_OPTIONS] = {false};
    char *more = strchr(text, ':');
    int code = CLI_DONE;
    if (more != NULL) {
        *more++ = '\0';
        *variant = run;
    }
    if (berth_policy_about(text) == NULL) {
        return cli_unknown("compare", "policy", text, berth_policy_names());
    }
    for (char *next; more != NULL && code == CLI_DONE; more = next) {
        next = strchr(more, ':');
        if (next != NULL) {
            *next++ = '\0';
        }
        code = set_own_option(text, more, given, &own);
    }
    if (code == CLI_DONE) {
        code = finish_options(&own, "--policies: ");
    }
    *run = own.compare.run;
    run->policy = text;
    return code;
}

static int read_policies(compare_settings *settings, policy_list *list) {
    size_t n = 0, length = strlen(settings->policies) + 1;
    list->names = malloc(length);
    list->words = malloc(length);
    if (list->names == NULL || list->words == NULL) {
        return cli_fail("compare", CLI_INTERNAL, "out of memory");
    }
    memcpy(list->names, settings->policies, length);
    memcpy(list->words, settings->policies, length);
    for (char *name = list->names, *comma; name != NULL; name = comma) {
        char *word = list->words + (name - list->names);
        comma = strchr(name, ',');
        if (comma != NULL) {
            word[comma - name] = '\0';
            *comma++ = '\0';
        }
        if (n == MOST_POLICIES) {
            return cli_usage("compare", "--policies: more than %d", MOST_POLICIES);
        }
        int code = read_policy(settings, word, &list->options[n], &list->variant[n]);
        if (code != CLI_DONE) {
            return code;
        }
        list->name[n++] = name;
    }
    settings->compare.n_policies = n;
    settings->compare.policies = list->name;
    settings->compare.variants = list->variant;
    return CLI_DONE;
}

static void warn_of_idle_options(const compare_settings *settings, const policy_list *list, const cli_words *words) {
    const char *policies[MOST_POLICIES];
    for (size_t p = 0; p < settings->compare.n_policies; p++) {
        policies[p] = list->options[p].policy;
    }
    if (!settings->common.quiet) {
        cli_warn_of_idle_options(&cli_verb_compare, words, settings->compare.n_policies, policies);
    }
}

static int check_files(const compare_settings *settings, const cli_words *words) {
    const struct {
        const char *option;
        const char *path;
    } files[] = {{"-o", settings->common.output}, {"--csv", settings->csv}, {"--html", settings->html}};
    for (size_t i = 0; i < 3; i++) {
        if (i > 0 && files[i].path != NULL && strcmp(files[i].path, "-") == 0) {
            return cli_usage("compare", "%s: expected a file's name, got '-'", files[i].option);
        }
        for (size_t j = 0; j < i; j++) {
            if (cli_same_file(files[i].path, files[j].path)) {
                return cli_usage("compare", "%s and %s name the same file '%s'", files[j].option, files[i].option,
                                 files[i].path);
            }
        }
        for (int k = 0; k < words->n; k++) {
            if (cli_same_file(files[i].path, words->word[k])) {
                return cli_usage("compare", "%s would replace the instance '%s'", files[i].option, words->word[k]);
            }
        }
        int code = cli_check_output("compare", files[i].path);
        if (code != CLI_DONE) {
            return code;
        }
    }
    return CLI_DONE;
}

static int read_settings(compare_settings *settings, policy_list *list, const cli_words *words) {
    berth_options *run = &settings->compare.run;
    int inputs = 0;
    for (int k = 0; k < words->n; k++) {
        inputs += strcmp(words->word[k], "-") == 0;
    }
    if (inputs > 1) {
        return cli_usage("compare", "only one instance can come from standard input");
    }
    run->bound = (berth_bound)settings->bound;
    run->time_limit_s = settings->common.time_limit_s;
    settings->compare.first_seed = settings->common.seed;
    if (settings->compare.pool && cli_given(&cli_verb_compare, words, "seeds")) {
        return cli_usage("compare", "--pool runs each instance once: --seeds has no place beside it");
    }
    int code = finish_options(settings, "--");
    if (code == CLI_DONE) {
        code = read_policies(settings, list);
    }
    if (code == CLI_DONE) {
        warn_of_idle_options(settings, list, words);
    }
    if (code == CLI_DONE) {
        code = check_files(settings, words);
    }
    return code == CLI_DONE && settings->html != NULL ? cli_gnuplot_check("compare") : code;
}

/* ---- the work --------------------------------------------------------------------------------------------------- */

static int write_one(const berth_comparison *comparison, berth_comparison_format format, bool measured,
                     const char *path) {
    berth_error error = {0};
    if (path != NULL && berth_comparison_write(comparison, format, measured, path, &error) != BERTH_OK) {
        return cli_fail_status("compare", CLI_WRITING, path, &error);
    }
    return CLI_DONE;
}

static int write_page(const compare_settings *settings, const berth_comparison *comparison) {
    berth_error error = {0};
    cli_gnuplot gnuplot;
    berth_renderer renderer = cli_gnuplot_renderer(&gnuplot);
    berth_status status = settings->html == NULL ? BERTH_OK
                                                 : berth_comparison_page_write(comparison, settings->measured,
                                                                               &renderer, settings->html, &error);
    cli_gnuplot_free(&gnuplot);
    return status == BERTH_OK ? CLI_DONE : cli_fail_status("compare", CLI_WRITING, settings->html, &error);
}

static int write_all(const compare_settings *settings, const berth_comparison *comparison) {
    const bool measured = settings->measured;
    int code = write_one(comparison, BERTH_COMPARISON_CSV, measured, settings->csv);
    if (code == CLI_DONE) {
        code = write_one(comparison, BERTH_COMPARISON_JSON, measured, cli_json_path(&settings->common));
    }
    if (code == CLI_DONE) {
        code = write_page(settings, comparison);
    }
    if (code == CLI_DONE && cli_prints_table(&settings->common)) {
        code = write_one(comparison, BERTH_COMPARISON_TABLE, measured, "-");
    }
    return cli_finish_output("compare", code);
}

static int compare_all(compare_settings *settings, size_t n, const berth_instance *const *instances) {
    berth_error error = {0};
    berth_comparison *comparison = NULL;
    cli_hooks state;
    int code;
    cli_hooks_start(&state, "compare", settings->common.quiet, &settings->compare.run.hooks);
    cli_catch_signals();
    berth_status status = berth_compare(n, instances, &settings->compare, &comparison, &error);
    cli_hooks_stop(&state);
    if (status == BERTH_OK) {
        code = write_all(settings, comparison);
    } else {
        code = cli_fail_status("compare", CLI_WORKING, status == BERTH_E_IO ? error.where : NULL, &error);
    }
    if (code == CLI_DONE && comparison->stopped) {
        code = cli_fail("compare", CLI_LIMIT, "stopped by %s with %zu of %zu runs done%s",
                        cli_interrupted() ? "a signal" : "the time limit", comparison->n_done,
                        comparison->n_instances * comparison->n_policies * comparison->n_seeds,
                        settings->compare.state != NULL ? "; the same command goes on from there"
                                                        : "; with --state DIR it could go on from there");
    }
    berth_comparison_free(comparison);
    return code;
}

/* An instance that is there twice, under one name or two, would count twice. The checksum is of what it says. */
static int check_distinct(const cli_words *words, berth_instance *const *instances) {
    for (int i = 0; i < words->n; i++) {
        for (int j = 0; j < i; j++) {
            const berth_instance *a = instances[i], *b = instances[j];
            if (a->crc32 == b->crc32 && a->n_jobs == b->n_jobs && a->n_machines == b->n_machines &&
                strcmp(a->name, b->name) == 0) {
                return strcmp(words->word[i], words->word[j]) == 0
                           ? cli_usage("compare", "'%s' is there twice: it would count twice", words->word[i])
                           : cli_usage("compare", "'%s' and '%s' are the same instance: it would count twice",
                                       words->word[j], words->word[i]);
            }
        }
    }
    return CLI_DONE;
}

static int read_and_compare(compare_settings *settings, const cli_words *words) {
    berth_error error = {0};
    size_t n = (size_t)words->n;
    int code = CLI_DONE;
    berth_instance **instances = calloc(n, sizeof(berth_instance *));
    if (instances == NULL) {
        return cli_fail("compare", CLI_INTERNAL, "out of memory");
    }
    for (size_t i = 0; i < n && code == CLI_DONE; i++) {
        if (berth_instance_read(words->word[i], &instances[i], &error) != BERTH_OK) {
            code = cli_fail_status("compare", CLI_READING, words->word[i], &error);
        }
    }
    if (code == CLI_DONE) {
        code = check_distinct(words, instances);
    }
    if (code == CLI_DONE) {
        code = compare_all(settings, n, (const berth_instance *const *)instances);
    }
    for (size_t i = 0; i < n; i++) {
        berth_instance_free(instances[i]);
    }
    free(instances);
    return code;
}

static int compare(int argc, char **argv) {
    compare_settings settings = {0};
    policy_list list = {0};
    cli_words words;
    berth_error error = {0};
    berth_backends *backends = NULL;
    int code;
    if (!cli_parse(&cli_verb_compare, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if (cli_backends_new(&backends, &error) != BERTH_OK) {
        return cli_fail_status("compare", CLI_WORKING, NULL, &error);
    }
    settings.compare.run.backends = backends;
    code = read_settings(&settings, &list, &words);
    if (code == CLI_DONE) {
        code = read_and_compare(&settings, &words);
    }
    free(list.names);
    free(list.words);
    berth_backends_free(backends);
    return code;
}

const cli_verb cli_verb_compare = {
    .name = "compare",
    .arguments = "[options] INSTANCE...",
    .summary = "Runs several policies on instances with several seeds, and compares them with confidence",
    .details =
        "Every run is verified as by 'berth check' before it counts. Means over seeds come with 95 % intervals by\n"
        "Student's t, and with differences to the first policy, seed by seed. rho, finish-time fairness, is the time "
        "of\n"
        "a completed job over what it would have taken alone on 1/n of the cluster, n the mean number of admitted\n"
        "jobs that were there with it: at most 1 is fair. Delays and rho are over completed jobs. utilisation is that\n"
        "of the resource used most; decision p50 and time of a run are measured, on one thread. Seeds are done one by\n"
        "one, under all policies on all instances: when time limit or signal stop it, what there is by then is "
        "written,\n"
        "marked as stopped (exit 4).",
    .examples = "  berth compare instance.json --policies bidlp,drf,srtf --seeds 20\n"
                "  berth compare *.json --pool --policies pdors,pdors:favour=packing,pdors:trials=1:repair,pdors-ci\n"
                "  berth compare *.json --jobs 4 --state build/comparison --csv comparison.csv -o comparison.json",
    .min_words = 1,
    .max_words = MOST_INSTANCES,
    .common = CLI_OPT_JSON | CLI_OPT_OUTPUT | CLI_OPT_SEED | CLI_OPT_TIME_LIMIT | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(compare_settings),
    .defaults = set_defaults,
    .run = compare,
};
