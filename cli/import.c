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

static void set_defaults(void *memory) {
    import_settings *settings = memory;
    berth_import_philly_options_init(&settings->philly);
    settings->philly.machine = "gpu=8,cpu=64,memory_gb=512";
    settings->philly.name = "philly";
    settings->common.seed = settings->philly.seed;
}

#define AT(field) offsetof(import_settings, field)
static const cli_option options[] = {
    {.name = "from",
     .argument = "TIME",
     .kind = CLI_TEXT,
     .offset = AT(philly.from),
     .expected = "a time, \"YYYY-MM-DD[ HH:MM:SS]\"",
     .help = "where slot 0 begins, \"YYYY-MM-DD[ HH:MM:SS]\" (default: with the first job)"},
    {.name = "cluster",
     .argument = "NAME",
     .kind = CLI_TEXT,
     .offset = AT(philly.cluster),
     .expected = "the name of a virtual cluster",
     .help = "only this virtual cluster (default: all)"},
    {.name = "slot-seconds",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(philly.slot_seconds),
     .max = 1e9,
     .open = true,
     .help = "length of a slot"},
    {.name = "slots",
     .argument = "N",
     .kind = CLI_INT,
     .offset = AT(philly.slots),
     .min = 1,
     .max = 1000000,
     .help = "slots of the horizon"},
    {.name = "machines",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(philly.machines),
     .min = 1,
     .max = 1000000,
     .help = "machines"},
    {.name = "machine",
     .argument = "LIST",
     .kind = CLI_TEXT,
     .offset = AT(philly.machine),
     .expected = "capacities like \"gpu=8,cpu=64,memory_gb=512\"",
     .help = "capacity of each machine"},
    {.name = "utility",
     .argument = "KIND",
     .kind = CLI_CHOICE,
     .offset = AT(utility),
     .choices = utility_names,
     .help = "what jobs are worth by their delay, pdors being a mix"},
    {.name = "max-jobs",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(philly.max_jobs),
     .min = 1,
     .max = 1e9,
     .help = "only the first N jobs (default: all)"},
    {.name = "skip-bad",
     .kind = CLI_FLAG,
     .offset = AT(philly.skip_bad),
     .help = "skip and count malformed rows instead of refusing the file"},
    {.name = "name",
     .argument = "NAME",
     .kind = CLI_TEXT,
     .offset = AT(philly.name),
     .expected = "a name",
     .help = "name of the instance"},
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
    fprintf(stderr, "berth import: %zu rows: %zu imported", counts->rows, counts->imported);
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

/* Slot 0 begins with the first job unless --from says otherwise: of a trace of months little is in the window then. */
static void warn_of_window(const import_settings *settings, const berth_import_counts *counts) {
    if (counts->outside_window <= counts->imported + counts->over_max_jobs) {
        return;
    }
    const bool told = settings->philly.from != NULL;
    cli_warn("import",
             "most jobs of the trace, which has them from %s to %s, are outside the %d slots of %g s that begin %s%s; "
             "see --from, --slots and --slot-seconds",
             counts->first_time, counts->last_time, settings->philly.slots, settings->philly.slot_seconds,
             told ? "at " : "with the first job", told ? settings->philly.from : "");
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
        if (!settings->common.quiet) {
            warn_of_window(settings, &counts);
        }
        /* A wrong option is not the trace's fault. */
        return cli_fail_status("import", CLI_READING, error.status == BERTH_E_ARGUMENT ? NULL : trace, &error);
    }
    if (!settings->common.quiet) {
        print_counts(&counts);
        warn_of_window(settings, &counts);
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
    if (!cli_parse(&cli_verb_import, argc, argv, &settings, &words, &code)) {
        return code;
    }
    const char *format = words.word[0];
    const char *trace = words.word[1];
    if (strcmp(format, formats[0]) != 0) {
        return cli_unknown("import", "trace format", format, formats);
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
    .settings_size = sizeof(import_settings),
    .defaults = set_defaults,
    .run = import,
};
