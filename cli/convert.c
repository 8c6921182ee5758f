/* berth convert: general problems from one file format to another. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct convert_settings {
    cli_common common;
    berth_problem_read_options read;
    int from, to;
    bool rename;
} convert_settings;

/* Those that can be written, by the numbers of berth_problem_format. */
static const char *const written_formats[] = {"auto", "json", "mps", "mps-free", "lp", NULL};

static void set_defaults(void *memory) {
    convert_settings *settings = memory;
    berth_problem_read_options_init(&settings->read);
}

#define AT(field) offsetof(convert_settings, field)
static const cli_option options[] = {
    {.name = "from",
     .argument = "FORMAT",
     .kind = CLI_CHOICE,
     .offset = AT(from),
     .list = berth_problem_format_names,
     .help = "format of FILE; auto: by its name, else by its content"},
    {.name = "to",
     .argument = "FORMAT",
     .kind = CLI_CHOICE,
     .offset = AT(to),
     .choices = written_formats,
     .help = "format of the output; auto: by its name"},
    CLI_PROBLEM_OPTIONS(convert_settings, read),
    {.name = "rename",
     .kind = CLI_FLAG,
     .offset = AT(rename),
     .help = "call the variables x1, x2, ... and the rows r1, r2, ..., for formats that cannot hold their names"},
};

typedef struct numbered {
    const char **names;
    char *text;
} numbered;

static void numbered_free(numbered *list) {
    free((void *)list->names);
    free(list->text);
}

/* LETTER1, LETTER2, ... False: no memory; free in any case. */
static bool numbered_names(char letter, size_t n, numbered *out) {
    enum { ROOM = 24 };
    out->names = malloc((n + 1) * sizeof *out->names);
    out->text = malloc((n + 1) * ROOM);
    if (out->names == NULL || out->text == NULL) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        snprintf(out->text + k * ROOM, ROOM, "%c%zu", letter, k + 1);
        out->names[k] = out->text + k * ROOM;
    }
    return true;
}

static int write_problem(const convert_settings *settings, const berth_problem *problem) {
    berth_error error = {0};
    const char *path = settings->common.output != NULL ? settings->common.output : "-";
    if (berth_problem_write(problem, (berth_problem_format)settings->to, path, &error) != BERTH_OK) {
        if (error.status == BERTH_E_UNSUPPORTED && error.where[0] != '\0') {
            bool of_name = !settings->rename && strstr(error.message, " name") != NULL;
            return cli_fail("convert", CLI_BAD_INPUT, "'%s': %s%s", error.where, error.message,
                            of_name ? " (--rename gives all new ones)" : "");
        }
        return strcmp(error.where, "format") == 0 ? cli_usage("convert", "--to: %s", error.message)
                                                  : cli_fail_status("convert", CLI_WRITING, path, &error);
    }
    return CLI_DONE;
}

static int write_renamed(const convert_settings *settings, const berth_problem *problem) {
    berth_problem renamed = *problem;
    numbered vars = {0};
    numbered rows = {0};
    int code = CLI_INTERNAL;
    if (!numbered_names('x', problem->n_vars, &vars) || !numbered_names('r', problem->n_rows, &rows)) {
        cli_fail("convert", CLI_INTERNAL, "out of memory");
    } else {
        renamed.var_names = vars.names;
        renamed.row_names = rows.names;
        code = write_problem(settings, &renamed);
    }
    numbered_free(&vars);
    numbered_free(&rows);
    return code;
}

/* What is not in the file and cannot be seen from it. */
static void warn_of_loss(const convert_settings *settings, const berth_problem *problem) {
    const char *path = settings->common.output != NULL ? settings->common.output : "";
    size_t length = strlen(path);
    bool is_json = settings->to == BERTH_PROBLEM_JSON ||
                   (settings->to == BERTH_PROBLEM_AUTO && length >= 5 && strcmp(path + length - 5, ".json") == 0);
    if (problem->n_groups > 0 && !is_json && !settings->common.quiet) {
        cli_warn("convert", "the format has no groups of variables; they are left out");
    }
}

static int convert_file(const convert_settings *settings, const char *path, const berth_backends *backends,
                        const berth_hooks *hooks) {
    berth_problem *problem = NULL;
    berth_problem_read_options read = settings->read;
    read.format = (berth_problem_format)settings->from;
    read.backends = backends;
    read.hooks = *hooks;
    int code = cli_read_problem("convert", path, &read, &problem);
    if (code != CLI_DONE) {
        return code;
    }
    code = settings->rename ? write_renamed(settings, problem) : write_problem(settings, problem);
    if (code == CLI_DONE) {
        warn_of_loss(settings, problem);
    }
    berth_problem_free(problem);
    return code;
}

static int convert(int argc, char **argv) {
    convert_settings settings = {0};
    cli_words words;
    cli_hooks state;
    berth_hooks hooks;
    berth_error error = {0};
    berth_backends *backends = NULL;
    int code;
    if (!cli_parse(&cli_verb_convert, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if ((code = cli_spare_problem("convert", settings.common.output, words.word[0], &settings.read)) != CLI_DONE) {
        return code;
    }
    if (settings.common.output == NULL && settings.to == BERTH_PROBLEM_AUTO) {
        return cli_usage("convert", "which format? Give -o FILE or --to FORMAT");
    }
    if (cli_backends_new(&backends, &error) != BERTH_OK) {
        return cli_fail_status("convert", CLI_WORKING, NULL, &error);
    }
    cli_hooks_start(&state, "convert", settings.common.quiet, &hooks);
    code = convert_file(&settings, words.word[0], backends, &hooks);
    cli_hooks_stop(&state);
    berth_backends_free(backends);
    return code;
}

const cli_verb cli_verb_convert = {
    .name = "convert",
    .arguments = "[options] FILE",
    .summary = "Writes a general problem in another file format",
    .details =
        "Reads berth-mpc-1 (JSON), MPS, CPLEX LP, GMPL, and the OR-Library's set covering and multidimensional\n"
        "knapsack texts; writes JSON, MPS, free MPS and LP. What the format cannot hold (names, negative\n"
        "coefficients in JSON) is refused, not changed; but ranges may become two rows, and MPS holds minimisations\n"
        "only: there a maximisation gets negated costs. A file called .mps gets fixed columns if all names and\n"
        "numbers fit into them. Numbers keep every bit.",
    .examples = "  berth convert model.mps.gz -o model.json\n"
                "  berth convert model.mod --data model.dat --to lp --rename > model.lp\n"
                "  berth convert mknap1.txt --number 3 -o third.json",
    .min_words = 1,
    .max_words = 1,
    .common = CLI_OPT_OUTPUT | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(convert_settings),
    .defaults = set_defaults,
    .run = convert,
};
