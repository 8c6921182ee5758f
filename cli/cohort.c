/* berth cohort: clients of a federated-learning system to test a model on. */
#include "cli/cohort_table.h"
#include "cli/cohort_train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST_PARTICIPANTS = 10 };

typedef struct cohort_settings {
    cli_common common;
    berth_cohort_size_options size;
    const char *request;
    berth_cohort_read_options read;
    berth_cohort_options options;
    double slack; /* < 0: the request's */
    cli_train_settings train;
    bool all_participants;
} cohort_settings;

static void set_defaults(void *memory) {
    cohort_settings *settings = memory;
    berth_cohort_size_options_init(&settings->size);
    settings->size.deviation = settings->size.range = -1;
    berth_cohort_read_options_init(&settings->read);
    settings->read.default_ms_per_sample = settings->read.default_bandwidth_kbps = -1;
    berth_cohort_options_init(&settings->options);
    settings->slack = -1;
    berth_selector_options_init(&settings->train.options);
    settings->common.seed = 1;
    settings->common.time_limit_s = settings->options.time_limit_s;
}

#define AT(field) offsetof(cohort_settings, field)
static const cli_option options[] = {
    {.name = "deviation",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(size.deviation),
     .min = 0,
     .max = 1e15,
     .open = true,
     .help = "size: tolerated difference between the participants' mean count of a category and all clients'"},
    {.name = "range",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(size.range),
     .min = 0,
     .max = 1e15,
     .help = "size: largest minus smallest count that a client can hold (default: that of COUNTS)"},
    {.name = "clients",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(size.clients),
     .min = 1,
     .max = 1e15,
     .help = "size: clients in all (default: those of COUNTS)"},
    {.name = "confidence",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(size.confidence),
     .min = 0,
     .max = 1,
     .open = true,
     .help = "size: probability that the difference stays within the deviation"},
    {.name = "categories",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(size.categories),
     .min = 1,
     .max = 1e15,
     .help = "size: so many categories at once, and both sides (default: those of COUNTS; without COUNTS one category "
             "and one side)"},
    {.name = "overcommit",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(size.overcommit),
     .min = 1,
     .max = 1e6,
     .help = "size, train: ask X times as many, as some will not answer; for train 1.3 unless given"},
    {.name = "request",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(request),
     .expected = "a file's name",
     .help = "pick: what is wanted, berth-cohort-request-1"},
    {.name = "profiles",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(read.profiles),
     .expected = "a file's name",
     .help = "pick: clients' speeds, CSV client,ms_per_sample,bandwidth_kbps"},
    {.name = "default-ms",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(read.default_ms_per_sample),
     .min = 1e-9,
     .max = 1e15,
     .help = "pick: milliseconds a sample of clients without a profile"},
    {.name = "default-kbps",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(read.default_bandwidth_kbps),
     .min = 1e-9,
     .max = 1e15,
     .help = "pick: kbit/s of clients without a profile"},
    {.name = "slack",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(slack),
     .min = 0,
     .max = 1e6,
     .help = "pick: participants may take longer by this part where that makes them fewer (default: the request's)"},
    {.name = "solver",
     .argument = "NAME",
     .kind = CLI_TEXT,
     .offset = AT(options.solver),
     .expected = "auto or a solver that 'berth version' lists",
     .help = "pick: where prices come from: auto (any size), or clp or glpk, as an LP (small sizes)"},
    {.name = "effort",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(options.effort),
     .min = 0,
     .max = 1000,
     .open = true,
     .help = "pick: factor on the work put into bound and search"},
    {.name = "participants", .kind = CLI_FLAG, .offset = AT(all_participants), .help = "pick: list all participants"},
    CLI_TRAIN_OPTIONS(cohort_settings, train),
};

static double seconds_now(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int read_data(cohort_settings *settings, const char *path, berth_cohort_data **out) {
    berth_error error = {0};
    cli_hooks state;
    settings->read.default_ms_per_sample =
        settings->read.default_ms_per_sample > 0 ? settings->read.default_ms_per_sample : (double)NAN;
    settings->read.default_bandwidth_kbps =
        settings->read.default_bandwidth_kbps > 0 ? settings->read.default_bandwidth_kbps : (double)NAN;
    cli_hooks_start(&state, "cohort", settings->common.quiet, &settings->read.hooks);
    cli_catch_signals();
    berth_status status = berth_cohort_data_read(path, &settings->read, out, &error);
    cli_hooks_stop(&state);
    return status == BERTH_OK ? CLI_DONE : cli_fail_data("cohort", path, settings->read.profiles, &error);
}

/* ---- size ------------------------------------------------------------------------------------------------------- */

/* Largest difference between two clients' counts of a category. False: out of memory. */
static bool range_of(const berth_cohort_data *data, double *range) {
    size_t n = data->n_categories + 1;
    double *largest = calloc(n, sizeof *largest), *smallest = calloc(n, sizeof *smallest);
    size_t *holders = calloc(n, sizeof *holders);
    bool complete = largest != NULL && smallest != NULL && holders != NULL;
    *range = 0;
    for (size_t e = 0; complete && e < data->row_start[data->n_clients]; e++) {
        size_t c = data->category[e];
        double count = data->count[e];
        smallest[c] = holders[c] == 0 ? count : fmin(smallest[c], count);
        largest[c] = fmax(largest[c], count);
        holders[c]++;
    }
    for (size_t c = 0; complete && c < data->n_categories; c++) {
        *range = fmax(*range, largest[c] - (holders[c] < data->n_clients ? 0 : smallest[c]));
    }
    free(largest);
    free(smallest);
    free(holders);
    return complete;
}

static void print_sample(const berth_cohort_data *data, const size_t *sample, size_t n, bool json) {
    char number[32];
    fputs(json ? ",\n  \"clients\": [" : "\n", stdout);
    for (size_t k = 0; k < n; k++) {
        snprintf(number, sizeof number, "%zu", sample[k]);
        const char *name = data->clients != NULL ? data->clients[sample[k]] : number;
        if (json) {
            fputs(k > 0 ? ", " : "", stdout);
            cli_print_json_string(name);
        } else {
            fputs("  ", stdout);
            cli_print_text(name, 0);
            putchar('\n');
        }
    }
    fputs(json ? "]" : "", stdout);
}

static int print_size(const cohort_settings *settings, const berth_cohort_data *data, size_t participants,
                      double exact) {
    berth_error error = {0};
    const berth_cohort_size_options *o = &settings->size;
    bool json = settings->common.json;
    size_t *sample = data != NULL ? calloc(participants + 1, sizeof *sample) : NULL;
    if (data != NULL && (sample == NULL || berth_cohort_sample(o->clients, participants, settings->common.seed, sample,
                                                               &error) != BERTH_OK)) {
        free(sample);
        return cli_fail("cohort", CLI_INTERNAL, "out of memory");
    }
    if (json) {
        printf("{\n  \"participants\": %zu,\n  \"exact\": %.17g,\n  \"clients_in_all\": %zu,\n  \"seed\": %llu",
               participants, exact, o->clients, (unsigned long long)settings->common.seed);
    } else {
        cli_row("participants", "%zu of %zu clients", participants, o->clients);
        cli_row("before rounding", "%.10g", exact);
        if (o->categories > 0) {
            cli_row("promise", "with probability %g, the mean counts of all %zu categories are within %g",
                    o->confidence, o->categories, o->deviation);
        } else {
            cli_row("promise", "with probability %g, a category's mean count is not more than %g too high",
                    o->confidence, o->deviation);
        }
    }
    if (data != NULL) {
        print_sample(data, sample, participants, json);
    }
    fputs(json ? "\n}\n" : "", stdout);
    free(sample);
    return cli_finish_output("cohort", CLI_DONE);
}

static int size_with(cohort_settings *settings, const berth_cohort_data *data) {
    berth_error error = {0};
    size_t participants;
    double exact;
    berth_cohort_size_options *o = &settings->size;
    if (data != NULL && data->n_clients == 0) {
        return cli_fail("cohort", CLI_BAD_INPUT, "there are no clients");
    }
    if (data != NULL) {
        o->clients = o->clients > 0 ? o->clients : data->n_clients;
        o->categories = o->categories > 0 ? o->categories : data->n_categories;
        if (o->range < 0 && !range_of(data, &o->range)) {
            return cli_fail("cohort", CLI_INTERNAL, "out of memory");
        }
        if (o->clients != data->n_clients) {
            return cli_usage("cohort", "--clients is %zu, but COUNTS has %zu", o->clients, data->n_clients);
        }
    }
    if (berth_cohort_size(o, &participants, &exact, &error) != BERTH_OK) {
        return cli_fail_status("cohort", CLI_WORKING, NULL, &error);
    }
    return print_size(settings, data, participants, exact);
}

static int size_verb(cohort_settings *settings, const char *path) {
    berth_cohort_data *data = NULL;
    if (settings->size.deviation < 0) {
        return cli_usage("cohort", "size needs --deviation");
    }
    if (path == NULL && (settings->size.range < 0 || settings->size.clients == 0)) {
        return cli_usage("cohort", "size needs --range and --clients, or COUNTS");
    }
    if (settings->common.output != NULL) {
        return cli_usage("cohort", "size takes no -o; --json prints the sample");
    }
    int code = path != NULL ? read_data(settings, path, &data) : CLI_DONE;
    code = code == CLI_DONE ? size_with(settings, data) : code;
    berth_cohort_data_free(data);
    return code;
}

/* ---- pick ------------------------------------------------------------------------------------------------------- */

static int code_of(const berth_cohort *cohort) {
    switch (cohort->outcome) {
    case BERTH_INFEASIBLE:
        return cli_fail("cohort", CLI_FAILED, "there is no such cohort, for want of %s",
                        berth_cohort_reason_name(cohort->reason));
    case BERTH_LIMIT:
        return cli_fail("cohort", CLI_LIMIT, "no cohort was found, and nothing proves that there is none");
    case BERTH_OPTIMAL:
    case BERTH_FEASIBLE:
    case BERTH_APPROXIMATE:
    case BERTH_UNBOUNDED:
    case BERTH_NUMERIC:
        break;
    }
    return cohort->stopped
               ? cli_fail("cohort", CLI_LIMIT, "stopped by %s", cli_interrupted() ? "a signal" : "the time limit")
               : CLI_DONE;
}

static int pick_with(cohort_settings *settings, const berth_cohort_data *data, const berth_cohort_request *request) {
    berth_error error = {0};
    if (data->ms_per_sample == NULL && (request->objective == BERTH_COHORT_DURATION || isfinite(request->deadline_s))) {
        return cli_usage("cohort",
                         "without --profiles, or --default-ms and --default-kbps, there are no durations: only "
                         "the objective participants without a deadline can be had");
    }
    berth_cohort *cohort = NULL;
    cli_hooks state;
    cli_hooks_start(&state, "cohort", settings->common.quiet, &settings->options.hooks);
    double start = seconds_now();
    berth_status status = berth_cohort_pick(data, request, &settings->options, &cohort, &error);
    double seconds = seconds_now() - start;
    cli_hooks_stop(&state);
    if (status != BERTH_OK) {
        return cli_fail_status("cohort", CLI_JUDGING, settings->request, &error);
    }
    const char *path = cli_json_path(&settings->common);
    int code = CLI_DONE;
    if (path != NULL && berth_cohort_write(cohort, data, path, &error) != BERTH_OK) {
        code = cli_fail_status("cohort", CLI_WRITING, path, &error);
    } else if (cli_prints_table(&settings->common)) {
        cli_print_cohort(data, request, cohort, seconds, settings->all_participants ? SIZE_MAX : FIRST_PARTICIPANTS);
    }
    code = code == CLI_DONE ? cli_finish_output("cohort", CLI_DONE) : code;
    code = code == CLI_DONE ? code_of(cohort) : code;
    berth_cohort_free(cohort);
    return code;
}

static int check_files(const cohort_settings *settings, const char *counts) {
    const char *const inputs[] = {counts, settings->request, settings->read.profiles};
    int standard = 0;
    for (int k = 0; k < 3; k++) {
        standard += inputs[k] != NULL && strcmp(inputs[k], "-") == 0;
        if (inputs[k] != NULL && cli_same_file(settings->common.output, inputs[k])) {
            return cli_usage("cohort", "-o would replace the input '%s'", inputs[k]);
        }
    }
    return standard > 1 ? cli_usage("cohort", "only one file can be standard input") : CLI_DONE;
}

static int pick_verb(cohort_settings *settings, const char *path) {
    berth_error error = {0};
    berth_cohort_data *data = NULL;
    berth_cohort_request *request = NULL;
    berth_backends *backends = NULL;
    if (path == NULL || settings->request == NULL) {
        return cli_usage("cohort", "pick needs COUNTS and --request");
    }
    if (settings->all_participants && !cli_prints_table(&settings->common)) {
        return cli_usage("cohort", "--participants is about the table, which --json and '-o -' replace");
    }
    int code = check_files(settings, path);
    if (code == CLI_DONE && cli_backends_new(&backends, &error) != BERTH_OK) {
        return cli_fail_status("cohort", CLI_WORKING, NULL, &error);
    }
    settings->options.backends = backends;
    settings->options.time_limit_s = settings->common.time_limit_s;
    code = code == CLI_DONE ? cli_check_solver("cohort", "solver", settings->options.solver, backends, true, "") : code;
    code = code == CLI_DONE ? read_data(settings, path, &data) : code;
    if (code == CLI_DONE && berth_cohort_request_read(settings->request, data, &request, &error) != BERTH_OK) {
        code = cli_fail_status("cohort", CLI_READING, settings->request, &error);
    }
    if (code == CLI_DONE && settings->slack >= 0) {
        request->slack = settings->slack;
    }
    code = code == CLI_DONE ? pick_with(settings, data, request) : code;
    berth_cohort_request_free(request);
    berth_cohort_data_free(data);
    berth_backends_free(backends);
    return code;
}

/* ---- train ------------------------------------------------------------------------------------------------------ */

static int train_verb(cohort_settings *settings, const cli_words *words, const char *path) {
    const char *given = cli_train_option_given(&cli_verb_cohort, words);
    if (settings->common.output != NULL) {
        return cli_usage("cohort", "train takes no -o; --json prints the rounds");
    }
    if (settings->train.restore != NULL && given != NULL) {
        return cli_usage("cohort", "--%s does not go with --restore: the snapshot's options hold", given);
    }
    settings->train.options.seed = settings->common.seed;
    if (cli_given(&cli_verb_cohort, words, "overcommit")) {
        settings->train.options.overcommit = settings->size.overcommit;
    }
    return cli_cohort_train(&settings->train, &settings->common, path);
}

/* ---- whose options ---------------------------------------------------------------------------------------------- */

/* The help of an option begins with the questions that it is for: "size, train: ...". */
static bool is_for(const cli_option *option, const char *question) {
    const char *colon = strchr(option->help, ':'), *found = strstr(option->help, question);
    return found != NULL && found < colon;
}

/* CLI_DONE, or CLI_USAGE: an option is given that says nothing here. */
static int check_given(const cli_words *words, const char *question) {
    for (size_t k = 0; k < cli_verb_cohort.n_options; k++) {
        const cli_option *option = &cli_verb_cohort.options[k];
        if (!is_for(option, question) && cli_given(&cli_verb_cohort, words, option->name)) {
            return cli_usage("cohort", "--%s is not for %s", option->name, question);
        }
    }
    return CLI_DONE;
}

/* ---- which ------------------------------------------------------------------------------------------------------ */

static int cohort(int argc, char **argv) {
    static const char *const verbs[] = {"size", "pick", "train", NULL};
    cohort_settings settings = {0};
    cli_words words;
    int code;
    if (!cli_parse(&cli_verb_cohort, argc, argv, &settings, &words, &code)) {
        return code;
    }
    const char *path = words.n > 1 ? words.word[1] : NULL;
    int which = 0;
    while (verbs[which] != NULL && strcmp(words.word[0], verbs[which]) != 0) {
        which++;
    }
    if (verbs[which] == NULL) {
        return cli_unknown("cohort", "kind of question", words.word[0], verbs);
    }
    if ((code = check_given(&words, verbs[which])) != CLI_DONE) {
        return code;
    }
    return which == 0   ? size_verb(&settings, path)
           : which == 1 ? pick_verb(&settings, path)
                        : train_verb(&settings, &words, path);
}

const cli_verb cli_verb_cohort = {
    .name = "cohort",
    .arguments = "size|pick|train [options] [COUNTS|LOG]",
    .summary =
        "Picks clients of a federated-learning system to test a model on or to train it, or says how many it takes",
    .details =
        "size: how many clients, drawn at random, represent all of them when nothing is known of their data; with\n"
        "COUNTS also which, by the seed.\n"
        "pick: which clients hold the samples that a request asks for, so that the slowest is done soonest (or so "
        "that\n"
        "they are fewest), with a bound on how much better any others could be that 'berth check' confirms.\n"
        "train: which clients train, round after round, by the utility and the speed they have shown: replays LOG, a "
        "log\n"
        "of events, JSON lines that begin with {\"format\": \"berth-selector-log-1\"}: register, select, result "
        "(docs/cohorts.md).\n"
        "COUNTS is CSV, compressed or not: client,<categories...> with a row for each client, or\n"
        "client,category,count. Exit 0: a cohort was found; 1: there is none, and the table says what is missing; 4: "
        "none\n"
        "was found, which proves nothing, or the time limit came first.",
    .examples = "  berth cohort size --deviation 5 --range 24 --clients 2187\n"
                "  berth cohort size counts.csv --deviation 1 --seed 7 --json\n"
                "  berth cohort pick counts.csv --profiles profiles.csv --request request.json -o cohort.json\n"
                "  berth check counts.csv cohort.json --profiles profiles.csv --request request.json\n"
                "  berth cohort train rounds.jsonl --snapshot selector.bin --json\n"
                "  berth cohort train more-rounds.jsonl --restore selector.bin --json",
    .min_words = 1,
    .max_words = 2,
    .common = CLI_OPT_JSON | CLI_OPT_OUTPUT | CLI_OPT_SEED | CLI_OPT_TIME_LIMIT | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(cohort_settings),
    .defaults = set_defaults,
    .run = cohort,
};
