/* berth import: traces become instances. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

typedef struct import_settings {
    cli_common common;
    berth_import_philly_options philly;
    int utility;
} import_settings;

static const char *const utility_names[] = {"pdors", "sigmoid", "constant", "linear", "deadline", NULL};

#define AT(field) offsetof(import_settings, field)
static const cli_option options[] = {
    {"from", 0, "TIME", CLI_TEXT, AT(philly.from), 0, 0, false, NULL, 0,
     "first moment, \"YYYY-MM-DD[ HH:MM:SS]\" (default: the first job)"},
    {"cluster", 0, "NAME", CLI_TEXT, AT(philly.cluster), 0, 0, false, NULL, 0,
     "only this virtual cluster (default: all)"},
    {"slot-seconds", 0, "X", CLI_REAL, AT(philly.slot_seconds), 0, 1e9, true, NULL, 0, "length of a slot"},
    {"slots", 0, "N", CLI_INT, AT(philly.slots), 1, 100000, false, NULL, 0, "slots of the horizon"},
    {"machines", 0, "N", CLI_COUNT, AT(philly.machines), 1, 100000, false, NULL, 0, "machines"},
    {"machine", 0, "LIST", CLI_TEXT, AT(philly.machine), 0, 0, false, NULL, 0,
     "capacity of each, like \"gpu=8,cpu=64,memory_gb=512\""},
    {"utility", 0, "KIND", CLI_CHOICE, AT(utility), 0, 0, false, utility_names, 0,
     "pdors (a mix), sigmoid, constant, linear or deadline"},
    {"max-jobs", 0, "N", CLI_COUNT, AT(philly.max_jobs), 1, 1e9, false, NULL, 0, "only the first N jobs"},
    {"skip-bad", 0, NULL, CLI_FLAG, AT(philly.skip_bad), 0, 0, false, NULL, 0,
     "skip and count malformed rows instead of refusing the file"},
    {"name", 0, "NAME", CLI_TEXT, AT(philly.name), 0, 0, false, NULL, 0, "name of the instance"},
};

static void print_counts(const berth_import_counts *counts) {
    const struct {
        const char *text;
        size_t n;
    } reasons[] = {
        {"outside the window", counts->outside_window},
        {"of another cluster", counts->other_cluster},
        {"duplicate", counts->duplicate},
        {"without GPUs", counts->zero_gpus},
        {"without duration", counts->zero_duration},
        {"over --max-jobs", counts->over_max_jobs},
        {"malformed", counts->malformed},
    };
    fprintf(stderr, "%zu rows: %zu imported", counts->rows, counts->imported);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i].n > 0) {
            fprintf(stderr, ", %zu %s", reasons[i].n, reasons[i].text);
        }
    }
    for (size_t i = 0; i < counts->n_first_bad_lines; i++) {
        fprintf(stderr, "%s%ld", i == 0 ? " (lines " : ", ", counts->first_bad_lines[i]);
    }
    fputs(counts->n_first_bad_lines == 0                  ? "\n"
          : counts->malformed > counts->n_first_bad_lines ? ", ...)\n"
                                                          : ")\n",
          stderr);
}

static int import_philly(import_settings *settings, const char *trace) {
    berth_error error = {0};
    berth_import_counts counts = {0};
    berth_instance *instance = NULL;
    int code = CLI_DONE;
    const char *path = settings->common.output != NULL ? settings->common.output : "-";
    settings->philly.seed = settings->common.seed;
    settings->philly.utility = utility_names[settings->utility];
    if (berth_import_philly_csv(trace, &settings->philly, &instance, &counts, &error) != BERTH_OK) {
        /* A wrong option is not the trace's fault. */
        return cli_fail_status("import", CLI_READING, error.status == BERTH_E_ARGUMENT ? NULL : trace, &error);
    }
    if (!settings->common.quiet) {
        print_counts(&counts);
    }
    if (berth_instance_write(instance, path, &error) != BERTH_OK) {
        code = cli_fail_status("import", CLI_WRITING, path, &error);
    }
    berth_instance_free(instance);
    return code;
}

static int import(int argc, char **argv) {
    static const char *const formats[] = {"philly-csv", NULL};
    import_settings settings = {0};
    cli_words words;
    int code;
    berth_import_philly_options_init(&settings.philly);
    settings.common.seed = settings.philly.seed;
    if (!cli_parse(&cli_verb_import, argc, argv, &settings, &words, &code)) {
        return code;
    }
    const char *format = words.word[0];
    const char *trace = words.word[1];
    if (strcmp(format, formats[0]) != 0) {
        return cli_usage("import", "no trace format '%s'; there is %s", format, formats[0]);
    }
    if (cli_same_file(settings.common.output, trace)) {
        return cli_usage("import", "-o would replace the trace '%s'", trace);
    }
    return import_philly(&settings, trace);
}

const cli_verb cli_verb_import = {
    .name = "import",
    .arguments = "philly-csv [options] FILE",
    .summary = "Makes an instance of a cluster trace",
    .details = "philly-csv: columns timestamp, duration, num_gpus, gpu_time, cluster, in any order of rows. What the\n"
               "trace lacks (model, batch, utility) is drawn with --seed. How many rows were taken, and why others\n"
               "were not, is told on standard error. Without -o the instance goes to standard output.",
    .examples = "  berth import philly-csv trace.csv.gz --from 2017-10-09 --slots 48 --machines 50 -o philly.json\n"
                "  berth import philly-csv trace.csv --machine gpu=4,cpu=48,memory_gb=256 --max-jobs 100 | berth run -",
    .min_words = 2,
    .max_words = 2,
    .common = CLI_OPT_OUTPUT | CLI_OPT_SEED | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = import,
};
