/* berth generate: random instances. */
#include "cli/cli.h"

#include <string.h>

typedef struct generate_settings {
    cli_common common;
    berth_generate_pdors_options pdors;
    int arrivals;
} generate_settings;

/* In the order of berth_arrivals. */
static const char *const arrival_names[] = {"uniform", "poisson", "bursts", NULL};

static void set_defaults(void *memory) {
    generate_settings *settings = memory;
    berth_generate_pdors_options_init(&settings->pdors);
    settings->common.seed = settings->pdors.seed;
    settings->arrivals = (int)settings->pdors.arrivals;
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
     .help = "jobs (default: as many as --load asks for)"},
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
};

static int check_combination(const cli_words *words, const char *generator) {
    const cli_verb *verb = &cli_verb_generate;
    static const char *const generators[] = {"pdors", "tiny", NULL};
    if (strcmp(generator, generators[0]) != 0 && strcmp(generator, generators[1]) != 0) {
        return cli_unknown(verb->name, "generator", generator, generators);
    }
    if (cli_given(verb, words, "jobs") && cli_given(verb, words, "load")) {
        return cli_usage(verb->name, "--jobs and --load exclude each other");
    }
    if (strcmp(generator, "tiny") == 0 && words->given != 0) {
        return cli_usage(verb->name, "the generator tiny takes --seed, -o and -q only");
    }
    return CLI_DONE;
}

static int generate(int argc, char **argv) {
    generate_settings settings = {0};
    cli_words words;
    berth_error error = {0};
    berth_instance *instance = NULL;
    int code;
    if (!cli_parse(&cli_verb_generate, argc, argv, &settings, &words, &code)) {
        return code;
    }
    const char *generator = words.word[0];
    if ((code = check_combination(&words, generator)) != CLI_DONE) {
        return code;
    }
    settings.pdors.seed = settings.common.seed;
    settings.pdors.arrivals = (berth_arrivals)settings.arrivals;
    if (cli_given(&cli_verb_generate, &words, "load")) {
        settings.pdors.jobs = 0;
    }
    berth_status status = strcmp(generator, "tiny") == 0 ? berth_generate_tiny(settings.common.seed, &instance, &error)
                                                         : berth_generate_pdors(&settings.pdors, &instance, &error);
    if (status != BERTH_OK) {
        return cli_fail_status("generate", CLI_WORKING, NULL, &error);
    }
    const char *path = settings.common.output != NULL ? settings.common.output : "-";
    if (berth_instance_write(instance, path, &error) != BERTH_OK) {
        code = cli_fail_status("generate", CLI_WRITING, path, &error);
    }
    berth_instance_free(instance);
    return code;
}

const cli_verb cli_verb_generate = {
    .name = "generate",
    .arguments = "pdors|tiny [options]",
    .summary = "Makes a random instance",
    .details = "pdors: clusters and jobs of the usual sizes (sigmoid utilities, parameter servers).\n"
               "tiny: 1-3 machines, 1-4 jobs and 1-4 slots, small enough for brute force; --seed, -o and -q only.\n"
               "Without -o the instance goes to standard output.",
    .examples = "  berth generate pdors --machines 100 --jobs 50 --seed 7 -o instance.json\n"
                "  berth generate pdors --load 3 --arrivals bursts | berth run -",
    .min_words = 1,
    .max_words = 1,
    .common = CLI_OPT_OUTPUT | CLI_OPT_SEED | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(generate_settings),
    .defaults = set_defaults,
    .run = generate,
};
