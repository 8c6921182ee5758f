/* berth help, and what --help prints. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

void cli_print_help(void) {
    puts("usage: berth VERB [options] FILE...\n"
         "Decides where arriving machine-learning training jobs run, and proves how good the decision is.\n"
         "\nverbs:");
    for (const cli_verb *const *verb = cli_verbs; *verb != NULL; verb++) {
        printf("  %-10s %s\n", (*verb)->name, (*verb)->summary);
    }
    puts("\nFILE - is standard input or output; input may be gzip-compressed. Results go to standard output, messages\n"
         "and a progress bar (on a terminal) to standard error. Files asked for with options are written first, each\n"
         "whole or not at all.\n"
         "\nexit codes:\n"
         "  0  done\n"
         "  1  the problem is infeasible, or a check failed\n"
         "  2  wrong command line\n"
         "  3  input that cannot be read or is wrong\n"
         "  4  stopped by --time-limit, SIGINT or SIGTERM; what there was is written (a second signal kills)\n"
         "  5  output cannot be written, no memory, or trouble inside\n"
         "A reader that goes away ends the program by SIGPIPE, as it does any filter.\n"
         "\n'berth help VERB' tells a verb's options with examples.");
}

void cli_print_verb_help(const cli_verb *verb) {
    printf("usage: berth %s %s\n%s.\n", verb->name, verb->arguments, verb->summary);
    if (verb->details[0] != '\0') {
        printf("\n%s\n", verb->details);
    }
    puts("\noptions:");
    cli_print_options(verb);
    printf("\nexamples:\n%s\n", verb->examples);
}

static int help(int argc, char **argv) {
    cli_common settings = {0};
    cli_words words;
    int code;
    if (!cli_parse(&cli_verb_help, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if (words.n == 0) {
        cli_print_help();
        return cli_finish_output("help", CLI_DONE);
    }
    for (const cli_verb *const *verb = cli_verbs; *verb != NULL; verb++) {
        if (strcmp((*verb)->name, words.word[0]) == 0) {
            cli_print_verb_help(*verb);
            return cli_finish_output("help", CLI_DONE);
        }
    }
    return cli_unknown_verb(words.word[0]);
}

const cli_verb cli_verb_help = {
    .name = "help",
    .arguments = "[VERB]",
    .summary = "Tells what there is, or how to use a verb",
    .details = "",
    .examples = "  berth help\n  berth help run",
    .max_words = 1,
    .settings_size = sizeof(cli_common),
    .run = help,
};
