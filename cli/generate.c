/* berth generate: random instances. */
#include "cli/cli.h"

#include <berth_cohort.h>
#include <berth_goodput.h>

#include <stdlib.h>
#include <string.h>

typedef struct generate_settings {
    cli_common common;
    berth_generate_pdors_options pdors;
    int arrivals;
    const char *mix; /* NULL: the usual one */
    berth_generate_cohort_options cohort;
    const char *profiles, *request;
    berth_generate_goodput_options goodput;
    int gpus;
} generate_settings;

/* In the order of berth_arrivals. */
static const char *const arrival_names[] = {"uniform", "poisson", "bursts", NULL};

static void set_defaults(void *memory) {
    generate_settings *settings = memory;
    berth_generate_pdors_options_init(&settings->pdors);
    settings->common.seed = settings->pdors.seed;
    settings->arrivals = (int)settings->pdors.arrivals;
    berth_generate_cohort_options_init(&settings->cohort);
    berth_generate_goodput_options_init(&settings->goodput);
    settings->gpus = (int)settings->goodput.gpus;
}

#define AT(field) offsetof(generate_settings, field)
static const cli_option options[] = {
    {.name = "machines",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(pdors.machines),
     .min = 1,
     .max = 1000000,
     .help = "machines"},
    {.name = "jobs",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(pdors.jobs),
     .min = 1,
     .max = 1000000,
     .help = "jobs (default: as many as --load asks for; goodput: 2.5 for each node)"},
    {.name = "load",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(pdors.load),
     .max = 1000,
     .open = true,
     .help = "as many jobs as make demand X times capacity, instead of --jobs"},
    {.name = "slots",
     .argument = "N",
     .kind = CLI_INT,
     .offset = AT(pdors.slots),
     .min = 1,
     .max = 1000000,
     .help = "slots of the horizon"},
    {.name = "arrivals",
     .argument = "KIND",
     .kind = CLI_CHOICE,
     .offset = AT(arrivals),
     .choices = arrival_names,
     .help = "when jobs arrive"},
    {.name = "communication",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(pdors.communication),
     .max = 1e6,
     .help = "factor on the communication times"},
    {.name = "heterogeneous",
     .kind = CLI_FLAG,
     .offset = AT(pdors.heterogeneous),
     .help = "a third of the machines twice as large"},
    {.name = "max-workers",
     .argument = "N",
     .kind = CLI_INT,
     .offset = AT(pdors.max_workers),
     .min = 1,
     .max = 1000000,
     .help = "each job draws from 1 to N how many workers it can use at most (default: twice the machines, up to 200)"},
    {.name = "mix",
     .argument = "A,B,C",
     .kind = CLI_TEXT,
     .offset = AT(mix),
     .expected = "three percentages that add up to 100, with commas between them",
     .help = "percentages of jobs insensitive, sensitive and critical to delay (default 10,55,35)"},
    {.name = "clients",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(cohort.clients),
     .min = 1,
     .max = 100000000,
     .help = "cohort: clients"},
    {.name = "categories",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(cohort.categories),
     .min = 1,
     .max = 1000000,
     .help = "cohort: categories of all clients"},
    {.name = "per-client",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(cohort.per_client),
     .min = 1,
     .max = 1000,
     .help = "cohort: most categories of a client"},
    {.name = "profiles",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(profiles),
     .expected = "a file's name",
     .help = "cohort: where the clients' speeds go"},
    {.name = "request",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(request),
     .expected = "a file's name",
     .help = "cohort: where a request to go with them goes"},
    {.name = "nodes",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(goodput.nodes),
     .min = 1,
     .max = 10000,
     .help = "goodput: nodes"},
    {.name = "gpus",
     .argument = "N",
     .kind = CLI_INT,
     .offset = AT(gpus),
     .min = 1,
     .max = 64,
     .help = "goodput: GPUs of a node"},
    {.name = "types",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(goodput.types),
     .min = 1,
     .max = 8,
     .help = "goodput: types of GPU"},
    {.name = "warm",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(goodput.warm),
     .max = 1,
     .help = "goodput: share of the jobs that hold GPUs already"},
    {.name = "pinned",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(goodput.pinned),
     .max = 1,
     .help = "goodput: share of these that keep what they hold"},
    {.name = "p",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(goodput.p),
     .min = -64,
     .max = 64,
     .help = "goodput: power of the mean of speedups"},
};

/* What a generator makes, and the options it takes. */
typedef struct generate_kind {
    const char *name;
    int (*make)(generate_settings *settings, const cli_words *words);
    const char *const *options; /* NULL-terminated */
} generate_kind;

/* Three whole numbers; the generator checks what they add up to. */
static int read_mix(const char *text, int mix[3]) {
    const char *at = text;
    for (int kind = 0; kind < 3; kind++) {
        char *end;
        long percent = at[0] >= '0' && at[0] <= '9' ? strtol(at, &end, 10) : -1;
        if (percent < 0 || percent > 100 || *end != (kind < 2 ? ',' : '\0')) {
            return cli_usage("generate", "--mix: expected three percentages that add up to 100, as 10,55,35, got '%s'",
                             text);
        }
        mix[kind] = (int)percent;
        at = end + 1;
    }
    return CLI_DONE;
}

static int generate_instance(generate_settings *settings, const cli_words *words) {
    berth_error error = {0};
    berth_instance *instance = NULL;
    settings->pdors.seed = settings->common.seed;
    settings->pdors.arrivals = (berth_arrivals)settings->arrivals;
    if (cli_given(&cli_verb_generate, words, "load")) {
        settings->pdors.jobs = 0;
    }
    int read = settings->mix == NULL ? CLI_DONE : read_mix(settings->mix, settings->pdors.mix);
    if (read != CLI_DONE) {
        return read;
    }
    berth_status status = strcmp(words->word[0], "tiny") == 0
                              ? berth_generate_tiny(settings->common.seed, &instance, &error)
                              : berth_generate_pdors(&settings->pdors, &instance, &error);
    if (status != BERTH_OK) {
        return cli_fail_status("generate", CLI_WORKING, NULL, &error);
    }
    int code = CLI_DONE;
    const char *path = settings->common.output != NULL ? settings->common.output : "-";
    if (berth_instance_write(instance, path, &error) != BERTH_OK) {
        code = cli_fail_status("generate", CLI_WRITING, path, &error);
    }
    berth_instance_free(instance);
    return code;
}

static int generate_cohort(generate_settings *settings, const cli_words *words) {
    (void)words;
    berth_error error = {0};
    berth_cohort_data *data = NULL;
    berth_cohort_request *request = NULL;
    int code = CLI_DONE;
    const char *path = settings->common.output != NULL ? settings->common.output : "-";
    settings->cohort.seed = settings->common.seed;
    if (berth_generate_cohort(&settings->cohort, &data, &request, &error) != BERTH_OK) {
        return cli_fail_status("generate", CLI_WORKING, NULL, &error);
    }
    if (berth_cohort_data_write(data, path, settings->profiles, &error) != BERTH_OK) {
        code = cli_fail_status("generate", CLI_WRITING, path, &error);
    } else if (settings->request != NULL &&
               berth_cohort_request_write(request, data, settings->request, &error) != BERTH_OK) {
        code = cli_fail_status("generate", CLI_WRITING, settings->request, &error);
    }
    berth_cohort_request_free(request);
    berth_cohort_data_free(data);
    return code;
}

static int generate_goodput(generate_settings *settings, const cli_words *words) {
    berth_error error = {0};
    berth_goodput_instance *instance = NULL;
    int code = CLI_DONE;
    const char *path = settings->common.output != NULL ? settings->common.output : "-";
    settings->goodput.seed = settings->common.seed;
    settings->goodput.gpus = (uint32_t)settings->gpus;
    settings->goodput.jobs = cli_given(&cli_verb_generate, words, "jobs") ? settings->pdors.jobs : 0;
    if (berth_generate_goodput(&settings->goodput, &instance, &error) != BERTH_OK) {
        return cli_fail_status("generate", CLI_WORKING, NULL, &error);
    }
    if (berth_goodput_instance_write(instance, path, &error) != BERTH_OK) {
        code = cli_fail_status("generate", CLI_WRITING, path, &error);
    }
    berth_goodput_instance_free(instance);
    return code;
}

static const char *const of_pdors[] = {"machines",      "jobs",          "load",        "slots", "arrivals",
                                       "communication", "heterogeneous", "max-workers", "mix",   NULL};
static const char *const of_tiny[] = {NULL};
static const char *const of_cohort[] = {"clients", "categories", "per-client", "profiles", "request", NULL};
static const char *const of_goodput[] = {"nodes", "gpus", "types", "jobs", "warm", "pinned", "p", NULL};
static const generate_kind generators[] = {{"pdors", generate_instance, of_pdors},
                                           {"tiny", generate_instance, of_tiny},
                                           {"cohort", generate_cohort, of_cohort},
                                           {"goodput", generate_goodput, of_goodput}};
enum { N_GENERATORS = sizeof generators / sizeof *generators };

static bool takes(const generate_kind *generator, const char *option) {
    for (const char *const *name = generator->options; *name != NULL; name++) {
        if (strcmp(*name, option) == 0) {
            return true;
        }
    }
    return false;
}

/* NULL: told. */
static const generate_kind *find_generator(const char *name) {
    const char *names[N_GENERATORS + 1] = {NULL};
    for (int k = 0; k < N_GENERATORS; k++) {
        names[k] = generators[k].name;
        if (strcmp(name, names[k]) == 0) {
            return &generators[k];
        }
    }
    cli_unknown(cli_verb_generate.name, "generator", name, names);
    return NULL;
}

static int check_combination(const cli_words *words, const generate_kind *generator) {
    const cli_verb *verb = &cli_verb_generate;
    if (cli_given(verb, words, "jobs") && cli_given(verb, words, "load")) {
        return cli_usage(verb->name, "--jobs and --load exclude each other");
    }
    if (generator->options == of_tiny && words->given != 0) {
        return cli_usage(verb->name, "the generator tiny takes --seed, -o and -q only");
    }
    for (size_t k = 0; k < verb->n_options; k++) {
        const char *name = verb->options[k].name;
        if (cli_given(verb, words, name) && !takes(generator, name)) {
            return cli_usage(verb->name, "the generator %s does not take --%s", generator->name, name);
        }
    }
    return CLI_DONE;
}

static int generate(int argc, char **argv) {
    generate_settings settings = {0};
    cli_words words;
    int code;
    if (!cli_parse(&cli_verb_generate, argc, argv, &settings, &words, &code)) {
        return code;
    }
    const generate_kind *generator = find_generator(words.word[0]);
    if (generator == NULL) {
        return CLI_USAGE;
    }
    code = check_combination(&words, generator);
    return code == CLI_DONE ? generator->make(&settings, &words) : code;
}

const cli_verb cli_verb_generate = {
    .name = "generate",
    .arguments = "pdors|tiny|cohort|goodput [options]",
    .summary = "Makes a random instance",
    .details = "pdors: clusters and jobs of the usual sizes (sigmoid utilities, parameter servers).\n"
               "tiny: 1-3 machines, 1-4 jobs and 1-4 slots, small enough for brute force; --seed, -o and -q only.\n"
               "cohort: clients of a federated-learning system with their samples (CSV), for 'berth cohort pick'.\n"
               "goodput: a cluster with adaptive jobs for 'berth allocate'.\n"
               "Without -o the instance goes to standard output.",
    .examples =
        "  berth generate pdors --machines 100 --jobs 50 --seed 7 -o instance.json\n"
        "  berth generate pdors --load 3 --arrivals bursts | berth run -\n"
        "  berth generate cohort --clients 100000 -o counts.csv.gz --profiles profiles.csv --request request.json\n"
        "  berth generate goodput --nodes 64 --types 2 --jobs 160 -o cluster.json",
    .min_words = 1,
    .max_words = 1,
    .common = CLI_OPT_OUTPUT | CLI_OPT_SEED | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(generate_settings),
    .defaults = set_defaults,
    .run = generate,
};
