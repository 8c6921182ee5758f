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

#define AT(field) offsetof(generate_settings, field)
static const cli_option options[] = {
    {"machines", 0, "N", CLI_COUNT, AT(pdors.machines), 1, 100000, false, NULL, 0, "machines"},
    {"jobs", 0, "N", CLI_COUNT, AT(pdors.jobs), 1, 1000000, false, NULL, 0, "jobs"},
    {"load", 0, "X", CLI_REAL, AT(pdors.load), 0, 1000, true, NULL, 0,
     "as many jobs as make demand X times capacity (instead of --jobs)"},
    {"slots", 0, "N", CLI_INT, AT(pdors.slots), 1, 100000, false, NULL, 0, "slots of the horizon"},
    {"arrivals", 0, "KIND", CLI_CHOICE, AT(arrivals), 0, 0, false, arrival_names, 0, "uniform, poisson or bursts"},
    {"communication", 0, "X", CLI_REAL, AT(pdors.communication), 0, 1e6, false, NULL, 0,
     "factor on the communication times"},
    {"heterogeneous", 0, NULL, CLI_FLAG, AT(pdors.heterogeneous), 0, 0, false, NULL, 0,
     "a third of the machines twice as large"},
};

static int check_combination(const cli_words *words, const char *generator) {
    const cli_verb *verb = &cli_verb_generate;
    static const char *const generators[] = {"pdors", "tiny", NULL};
    if (strcmp(generator, "pdors") != 0 && strcmp(generator, "tiny") != 0) {
        const char *nearest = cli_nearest(generator, generators);
        return cli_usage(verb->name, "no generator '%s'; %s%s%s", generator,
                         nearest != NULL ? "did you mean '" : "there are pdors and tiny",
                         nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
    }
    if (cli_given(verb, words, "jobs") && cli_given(verb, words, "load")) {
        return cli_usage(verb->name, "--jobs and --load exclude each other");
    }
    if (strcmp(generator, "tiny") == 0 && words->given != 0) {
        return cli_usage(verb->name, "the generator tiny takes --seed and -o only");
    }
    return CLI_DONE;
}

static int generate(int argc, char **argv) {
    generate_settings settings = {0};
    cli_words words;
    berth_error error = {0};
    berth_instance *instance = NULL;
    int code;
    berth_generate_pdors_options_init(&settings.pdors);
    settings.common.seed = settings.pdors.seed;
    settings.arrivals = (int)settings.pdors.arrivals;
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
               "tiny: 1-3 machines, 1-4 jobs and 1-4 slots, small enough for brute force; --seed and -o only.\n"
               "Without -o the instance goes to standard output.",
    .examples = "  berth generate pdors --machines 100 --jobs 50 --seed 7 -o instance.json\n"
                "  berth generate pdors --load 3 --arrivals bursts | berth run -",
    .min_words = 1,
    .max_words = 1,
    .common = CLI_OPT_OUTPUT | CLI_OPT_SEED,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = generate,
};
