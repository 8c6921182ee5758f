/* berth version: this program's version and those of the solvers in it. */
#include "cli/cli.h"

#include <stdio.h>

static void print_json(const berth_backends *backends) {
    printf("{\"berth\": ");
    cli_print_json_string(berth_version());
    printf(", \"backends\": {");
    for (size_t i = 0; i < berth_backends_count(backends); i++) {
        fputs(i == 0 ? "" : ", ", stdout);
        cli_print_json_string(berth_backends_name(backends, i));
        fputs(": ", stdout);
        cli_print_json_string(berth_backends_version(backends, i));
    }
    puts("}}");
}

static void print_text(const berth_backends *backends) {
    printf("berth %s\n", berth_version());
    for (size_t i = 0; i < berth_backends_count(backends); i++) {
        printf("%s %s\n", berth_backends_name(backends, i), berth_backends_version(backends, i));
    }
}

static int version(int argc, char **argv) {
    cli_common settings = {0};
    cli_words words;
    int code;
    berth_error error = {0};
    berth_backends *backends = NULL;
    if (!cli_parse(&cli_verb_version, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if (cli_backends_new(&backends, &error) != BERTH_OK) {
        return cli_fail_status("version", CLI_WORKING, NULL, &error);
    }
    if (settings.json) {
        print_json(backends);
    } else {
        print_text(backends);
    }
    berth_backends_free(backends);
    return cli_finish_output("version", CLI_DONE);
}

const cli_verb cli_verb_version = {
    .name = "version",
    .arguments = "[--json]",
    .summary = "Prints the versions of berth and of the solvers in it",
    .details = "",
    .examples = "  berth version\n  berth version --json",
    .common = CLI_OPT_JSON,
    .settings_size = sizeof(cli_common),
    .run = version,
};
