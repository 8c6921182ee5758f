/* berth: the program. Finds the verb and hands over. */
#include "cli/cli.h"

#include <string.h>

const cli_verb *const cli_verbs[] = {&cli_verb_run,
                                     &cli_verb_compare,
                                     &cli_verb_solve,
                                     &cli_verb_cohort,
                                     &cli_verb_goodput,
                                     &cli_verb_allocate,
                                     &cli_verb_fit,
                                     &cli_verb_check,
                                     &cli_verb_generate,
                                     &cli_verb_import,
                                     &cli_verb_convert,
                                     &cli_verb_plot,
                                     &cli_verb_serve,
                                     &cli_verb_schema,
                                     &cli_verb_version,
                                     &cli_verb_help,
                                     NULL};

static const cli_verb *find_verb(const char *word) {
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return &cli_verb_help;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        return &cli_verb_version;
    }
    for (const cli_verb *const *verb = cli_verbs; *verb != NULL; verb++) {
        if (strcmp((*verb)->name, word) == 0) {
            return *verb;
        }
    }
    return NULL;
}

int cli_unknown_verb(const char *word) {
    const char *names[sizeof cli_verbs / sizeof *cli_verbs] = {0};
    for (size_t i = 0; cli_verbs[i] != NULL; i++) {
        names[i] = cli_verbs[i]->name;
    }
    return cli_unknown(NULL, "verb", word, names);
}

int main(int argc, char **argv) {
    cli_open_standard_files();
    if (argc < 2) {
        return cli_usage(NULL, "a verb is missing; usage: berth VERB [options] FILE...");
    }
    const cli_verb *verb = find_verb(argv[1]);
    if (verb == NULL) {
        return cli_unknown_verb(argv[1]);
    }
    return verb->run(argc - 1, argv + 1);
}
