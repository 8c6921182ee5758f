/* berth check: recomputes everything a result claims. What kind of result it is, the files say. */
#include "cli/check.h"

#include <stdio.h>
#include <string.h>

static void set_defaults(void *memory) {
    cli_check_settings *settings = memory;
    berth_problem_read_options_init(&settings->read);
    settings->default_ms = settings->default_kbps = -1;
}

#define AT(field) offsetof(cli_check_settings, field)
static const cli_option options[] = {
    {.name = "certificate",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(certificate),
     .expected = "a file's name",
     .help = "certificate that the run wrote to a file of its own (default: RESULT.certificate, if the result claims a "
             "bound and holds no certificate)"},
    {.name = "format",
     .argument = "NAME",
     .kind = CLI_CHOICE,
     .offset = AT(format),
     .list = berth_problem_format_names,
     .help = "format of a problem"},
    CLI_PROBLEM_OPTIONS(cli_check_settings, read),
    {.name = "allow-violation",
     .kind = CLI_FLAG,
     .offset = AT(allow_violation),
     .help = "exit 0 also for a solution whose rows hold within the factors that it states only"},
    {.name = "request",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(request),
     .expected = "a file's name",
     .help = "what a cohort was asked for"},
    {.name = "profiles",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(profiles),
     .expected = "a file's name",
     .help = "speeds of the clients of a cohort's data"},
    {.name = "default-ms",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(default_ms),
     .min = 1e-9,
     .max = 1e15,
     .help = "milliseconds a sample of clients without a profile"},
    {.name = "default-kbps",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(default_kbps),
     .min = 1e-9,
     .max = 1e15,
     .help = "kbit/s of clients without a profile"},
};

static int check_combination(const cli_check_settings *settings, char **word) {
    if (strcmp(word[0], "-") == 0 && strcmp(word[1], "-") == 0) {
        return cli_usage("check", "only one of INSTANCE and RESULT can be standard input");
    }
    for (int i = 0; i < 2; i++) {
        if (cli_same_file(settings->common.output, word[i])) {
            return cli_usage("check", "-o would replace the input '%s'", word[i]);
        }
    }
    if (cli_same_file(settings->common.output, settings->read.data)) {
        return cli_usage("check", "-o would replace the data '%s'", settings->read.data);
    }
    if (cli_same_file(settings->common.output, settings->request) ||
        cli_same_file(settings->common.output, settings->profiles)) {
        return cli_usage("check", "-o would replace the request or the profiles");
    }
    if (cli_same_file(settings->common.output, settings->certificate)) {
        return cli_usage("check", "-o would replace the certificate '%s'", settings->certificate);
    }
    return CLI_DONE;
}

typedef int check_function(const cli_check_settings *settings, char **word);

static const struct {
    const char *result, *instance;
    check_function *check;
} kinds[] = {
    {"berth-run-1", "berth-jobs-1", cli_check_run},
    {"berth-solution-1", "berth-mpc-1", cli_check_solution},
    {"berth-cohort-1", "", cli_check_cohort},
    {"berth-allocation-1", "berth-goodput-1", cli_check_allocation},
    {"berth-goodput-run-1", "berth-goodput-jobs-1", cli_check_goodput_run},
};

static check_function *kind_of(const char *result, const char *instance) {
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(result, kinds[k].result) == 0 ||
            (result[0] == '\0' && instance[0] != '\0' && strcmp(instance, kinds[k].instance) == 0)) {
            return kinds[k].check;
        }
    }
    return NULL;
}

/* Results say what they are; if one cannot be looked at twice, the other file says it. What cannot be told is taken for
 * a run, whose reader says what is wrong with it. */
static check_function *kind(const cli_check_settings *settings, const cli_words *words) {
    char result[BERTH_FORMAT_ROOM], instance[BERTH_FORMAT_ROOM];
    berth_file_format(words->word[1], result);
    berth_file_format(words->word[0], instance);
    check_function *found = kind_of(result, instance);
    if (found == NULL && settings->request != NULL) {
        return cli_check_cohort;
    }
    if (found == NULL && result[0] == '\0' && cli_given(&cli_verb_check, words, "format")) {
        return cli_check_solution;
    }
    return found == NULL ? cli_check_run : found;
}

/* CLI_DONE, or what is told of a result whose format is known, but none of those. */
static int check_format(const cli_check_settings *settings, char **word) {
    char format[BERTH_FORMAT_ROOM], list[200] = "";
    size_t used = 0;
    berth_file_format(word[1], format);
    if (format[0] == '\0' || settings->request != NULL || kind_of(format, "") != NULL) {
        return CLI_DONE;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && used < sizeof list; k++) {
        const char *between = k == 0 ? "" : k + 1 == sizeof kinds / sizeof *kinds ? " or " : ", ";
        used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%s\"", between, kinds[k].result);
    }
    return cli_fail("check", CLI_BAD_INPUT, "%s: /format: the format is \"%s\"; expected %s", word[1], format, list);
}

static int check(int argc, char **argv) {
    cli_check_settings settings = {0};
    cli_words words;
    int code;
    if (!cli_parse(&cli_verb_check, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if ((code = check_combination(&settings, words.word)) != CLI_DONE) {
        return code;
    }
    code = check_format(&settings, words.word);
    return code == CLI_DONE ? kind(&settings, &words)(&settings, words.word) : code;
}

const cli_verb cli_verb_check = {
    .name = "check",
    .arguments = "[options] INSTANCE RESULT",
    .summary =
        "Verifies a result against its instance, a solution against its problem, a cohort against its clients, an "
        "allocation against its cluster",
    .details =
        "Recomputes from the two files alone what the result claims. Of a run: capacities, quotas, widths,\n"
        "progress, completions, utility, prices, and the bound from the prices in its certificate. Of a solution\n"
        "by 'berth solve': every row, the cost, the bound from its multipliers in exact arithmetic, and what the\n"
        "rounding promised. Of a cohort (INSTANCE is COUNTS, with --request and --profiles): cover, holdings, budget,\n"
        "durations, and the bound from its prices. Of an allocation: capacity, limits, batch sizes, goodput, F, and\n"
        "the bound from its prices. Of simulated trainings (berth-goodput-run-1): GPUs, batches, progress,\n"
        "completions, fairness. A run with policy \"external\", or a solution with method "
        "\"external\", may come from\n"
        "anywhere. Exit 0: everything holds; 1: something does not.",
    .examples = "  berth run instance.json -o result.json && berth check instance.json result.json\n"
                "  berth solve problem.mps -o solution.json && berth check problem.mps solution.json\n"
                "  berth check instance.json result.json --json -o report.json\n"
                "  berth check counts.csv cohort.json --request request.json --profiles profiles.csv",
    .min_words = 2,
    .max_words = 2,
    .common = CLI_OPT_JSON | CLI_OPT_OUTPUT | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(cli_check_settings),
    .defaults = set_defaults,
    .run = check,
};
