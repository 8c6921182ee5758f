/* berth import: traces become instances. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <berth_goodput.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct import_settings {
    cli_common common;
    berth_import_options import;
    const char *window; /* "FROM..TO"; NULL: none */
    int utility;
    const char *applications;
    int node_gpus;
} import_settings;

/* Becomes no instance of slots, but a workload of measured trainings. */
static const char goodput_kind[] = "pollux-goodput";
enum { GOODPUT_NODES = 16, GOODPUT_GPUS = 4 };

static const char *const utility_names[] = {"pdors", "sigmoid", "constant", "linear", "deadline", NULL};

static void set_defaults(void *memory) {
    import_settings *settings = memory;
    berth_import_options_init(&settings->import);
    settings->common.seed = settings->import.seed;
    settings->node_gpus = GOODPUT_GPUS;
}

#define TIME_TEXT "\"YYYY-MM-DD[ HH:MM:SS]\", or seconds (also 36h, 2d) in traces without dates"
#define AT(field) offsetof(import_settings, field)
static const cli_option options[] = {
    {.name = "from",
     .argument = "TIME",
     .kind = CLI_TEXT,
     .offset = AT(import.from),
     .expected = "a time, " TIME_TEXT,
     .help = "where slot 0 begins, " TIME_TEXT " (default: with the first job)"},
    {.name = "to",
     .argument = "TIME",
     .kind = CLI_TEXT,
     .offset = AT(import.to),
     .expected = "a time, " TIME_TEXT,
     .help = "only jobs submitted before (default: all of the horizon)"},
    {.name = "window",
     .argument = "FROM..TO",
     .kind = CLI_TEXT,
     .offset = AT(window),
     .expected = "two times with \"..\" between them",
     .help = "both; without --slots the horizon ends with it"},
    {.name = "cluster",
     .argument = "NAME",
     .kind = CLI_TEXT,
     .offset = AT(import.cluster),
     .expected = "the name of a virtual cluster",
     .help = "only this virtual cluster, user or organisation (default: all)"},
    {.name = "sample",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(import.sample),
     .max = 1,
     .open = true,
     .help = "keep each job with this probability, by the seed (default 1)"},
    {.name = "scale-load",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(import.scale_load),
     .max = 1e9,
     .open = true,
     .help = "jobs arrive this many times as fast"},
    {.name = "slot-seconds",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(import.slot_seconds),
     .max = 1e9,
     .open = true,
     .help = "length of a slot"},
    {.name = "slots",
     .argument = "N",
     .kind = CLI_INT,
     .offset = AT(import.slots),
     .min = 1,
     .max = 1000000,
     .help = "slots of the horizon"},
    {.name = "machines",
     .argument = "N",
     .kind = CLI_COUNT,
     .field = "n_nodes",
     .offset = AT(import.machines),
     .min = 1,
     .max = 1000000,
     .help = "machines (default: 8, or all of the trace's list; fewer are taken from it evenly)"},
    {.name = "machine",
     .argument = "LIST",
     .kind = CLI_TEXT,
     .offset = AT(import.machine),
     .expected = "capacities like \"gpu=8,cpu=64,memory_gb=512\"",
     .help = "capacity of each machine (default gpu=8,cpu=64,memory_gb=512); not with a list of machines"},
    {.name = "utility",
     .argument = "KIND",
     .kind = CLI_CHOICE,
     .offset = AT(utility),
     .choices = utility_names,
     .help = "what jobs are worth by their delay, pdors being a mix"},
    {.name = "max-jobs",
     .argument = "N",
     .kind = CLI_COUNT,
     .offset = AT(import.max_jobs),
     .min = 1,
     .max = 1e9,
     .help = "only the first N jobs (default: all)"},
    {.name = "skip-bad",
     .kind = CLI_FLAG,
     .offset = AT(import.skip_bad),
     .help = "skip and count malformed rows instead of refusing the file"},
    {.name = "name",
     .argument = "NAME",
     .kind = CLI_TEXT,
     .offset = AT(import.name),
     .expected = "a name",
     .help = "name of the instance (default: the trace's)"},
    {.name = "applications",
     .argument = "DIR|FILE",
     .kind = CLI_TEXT,
     .offset = AT(applications),
     .expected = "a folder or a file's name",
     .help = "pollux-goodput: measurements, in a folder for each application, or in a workload that has them"},
    {.name = "node-gpus",
     .argument = "N",
     .kind = CLI_INT,
     .offset = AT(node_gpus),
     .min = 1,
     .max = 1024,
     .help = "pollux-goodput: GPUs of each of the --machines (default 16 there)"},
};

/* ---- what is told ---- */

static void print_counts(const berth_import_report *report) {
    fprintf(stderr, "berth import: %zu rows: %zu imported", report->rows, report->imported);
    if (report->jobs != report->imported) {
        fprintf(stderr, " as %zu jobs", report->jobs);
    }
    for (int k = 0; k < BERTH_N_SKIPS; k++) {
        if (report->skipped[k] > 0) {
            fprintf(stderr, ", %zu %s (first in line %ld)", report->skipped[k],
                    berth_import_skip_text((berth_import_skip)k), report->first_line[k]);
        }
    }
    fputc('\n', stderr);
}

static void print_synthesised(const berth_import_report *report) {
    const char *before = "berth import: synthesised: ";
    for (int k = 0; k < BERTH_N_MADE; k++) {
        if (report->synthesised[k] > 0) {
            fprintf(stderr, "%s%s of %zu", before, berth_import_made_text((berth_import_made)k),
                    report->synthesised[k]);
            before = ", ";
        }
    }
    fprintf(stderr, " jobs\n");
}

static void print_bad_rows(const berth_import_report *report) {
    for (size_t i = 0; i < report->n_first_bad; i++) {
        const berth_import_bad_row *bad = &report->first_bad[i];
        cli_note("import", "line %ld skipped: %s; it begins: %s", bad->line, bad->problem, bad->text);
    }
    if (report->skipped[BERTH_SKIP_MALFORMED] > report->n_first_bad) {
        fprintf(stderr, "berth import: ... and %zu more\n",
                report->skipped[BERTH_SKIP_MALFORMED] - report->n_first_bad);
    }
}

/* Slot 0 begins with the first job unless --from says otherwise: of a trace of months little is in the window then. */
static void warn_of_window(const import_settings *settings, const berth_import_report *report) {
    const berth_import_options *o = &settings->import;
    if (o->to != NULL ||
        report->skipped[BERTH_SKIP_OUTSIDE_WINDOW] <= report->imported + report->skipped[BERTH_SKIP_OVER_MAX_JOBS]) {
        return;
    }
    const bool told = o->from != NULL;
    cli_warn("import",
             "most jobs of the trace, which has them from %s to %s, are outside the %d slots of %g s that begin %s%s; "
             "see --from, --slots and --slot-seconds",
             report->first_time, report->last_time, o->slots, o->slot_seconds, told ? "at " : "with the first job",
             told ? o->from : "");
}

/* ---- the command ---- */

/* Several files are read: the error names the one, unless it points into what was made of them. A wrong option is
 * none's fault. */
static int fail_files(const char *first, const berth_error *error) {
    char file[sizeof error->where];
    const bool points = error->where[0] == '\0' ||
                        (error->status == BERTH_E_INPUT && error->where[0] == '/' && access(error->where, F_OK) != 0);
    memcpy(file, error->where, sizeof file);
    return error->status == BERTH_E_ARGUMENT ? cli_fail_status("import", CLI_WORKING, NULL, error)
                                             : cli_fail_status("import", CLI_READING, points ? first : file, error);
}

static int import_trace(import_settings *settings, const char *kind, const char *const *files, size_t n_files) {
    berth_error error = {0};
    berth_import_report report = {.rows = 0};
    berth_instance *instance = NULL;
    int code = CLI_DONE;
    const char *path = settings->common.output != NULL ? settings->common.output : "-";
    settings->import.seed = settings->common.seed;
    settings->import.utility = utility_names[settings->utility];
    if (berth_import(kind, files, n_files, &settings->import, &instance, &report, &error) != BERTH_OK) {
        if (!settings->common.quiet) {
            warn_of_window(settings, &report);
        }
        return fail_files(files[0], &error);
    }
    if (!settings->common.quiet) {
        print_counts(&report);
        print_bad_rows(&report);
        print_synthesised(&report);
        warn_of_window(settings, &report);
    }
    if (berth_instance_write(instance, path, &error) != BERTH_OK) {
        code = cli_fail_status("import", CLI_WRITING, path, &error);
    }
    berth_instance_free(instance);
    return code;
}

/* Cuts FROM..TO, which is on the command line and ours to cut. */
static int take_window(import_settings *settings, const cli_words *words) {
    if (settings->window == NULL) {
        return CLI_DONE;
    }
    if (settings->import.from != NULL || settings->import.to != NULL) {
        return cli_usage("import", "--window is --from and --to in one; give it or them");
    }
    static char from[64];
    const char *dots = strstr(settings->window, "..");
    if (dots == NULL || dots == settings->window || dots[2] == '\0' || dots - settings->window >= (long)sizeof from) {
        return cli_usage("import", "--window: expected two times with \"..\" between them, got '%s'", settings->window);
    }
    memcpy(from, settings->window, (size_t)(dots - settings->window));
    settings->import.from = from;
    settings->import.to = dots + 2;
    if (!cli_given(&cli_verb_import, words, "slots")) {
        settings->import.slots = 0;
    }
    return CLI_DONE;
}

/* A workload and where the measurements are; of the options only these, --machines and --node-gpus have a meaning. */
static int import_goodput(const import_settings *settings, const cli_words *words) {
    static const char *const ours[] = {"applications", "machines", "node-gpus"};
    berth_error error = {0};
    berth_goodput_workload *workload = NULL;
    const char *path = settings->common.output != NULL ? settings->common.output : "-";
    for (size_t k = 0; k < cli_verb_import.n_options; k++) {
        const char *name = cli_verb_import.options[k].name;
        bool known = false;
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
            known = known || strcmp(ours[i], name) == 0;
        }
        if (!known && cli_given(&cli_verb_import, words, name)) {
            return cli_usage("import", "--%s is not for %s", name, goodput_kind);
        }
    }
    if (settings->applications == NULL || words->n != 2) {
        return cli_usage("import", "%s needs one file and --applications", goodput_kind);
    }
    if (strcmp(words->word[1], "-") == 0) {
        return cli_usage("import", "%s needs a file that it can read twice, not standard input", goodput_kind);
    }
    if (cli_same_file(settings->common.output, words->word[1]) ||
        cli_same_file(settings->common.output, settings->applications)) {
        return cli_usage("import", "-o would replace what is imported");
    }
    const size_t nodes = cli_given(&cli_verb_import, words, "machines") ? settings->import.machines : GOODPUT_NODES;
    int code = CLI_DONE;
    if (berth_goodput_import(words->word[1], settings->applications, nodes, (uint32_t)settings->node_gpus, &workload,
                             &error) != BERTH_OK) {
        return fail_files(words->word[1], &error);
    }
    if (!settings->common.quiet) {
        fprintf(stderr, "berth import: %zu jobs of %zu applications\n", workload->n_jobs, workload->n_applications);
    }
    if (berth_goodput_workload_write(workload, path, &error) != BERTH_OK) {
        code = cli_fail_status("import", CLI_WRITING, path, &error);
    }
    berth_goodput_workload_free(workload);
    return code;
}

static bool is_kind(const char *word) {
    return berth_trace_files(word) != NULL;
}

static int import(int argc, char **argv) {
    import_settings settings = {0};
    cli_words words;
    int code;
    if (!cli_parse(&cli_verb_import, argc, argv, &settings, &words, &code)) {
        return code;
    }
    const char *kind = words.word[0];
    const char *const *files = (const char *const *)(words.word + 1);
    if (strcmp(kind, goodput_kind) == 0) {
        return import_goodput(&settings, &words);
    }
    if (cli_given(&cli_verb_import, &words, "applications") || cli_given(&cli_verb_import, &words, "node-gpus")) {
        return cli_usage("import", "--applications and --node-gpus are for %s", goodput_kind);
    }
    if (!is_kind(kind)) {
        return cli_unknown("import", "kind of trace", kind, berth_trace_kinds());
    }
    for (int i = 0; i + 1 < words.n; i++) {
        if (cli_same_file(settings.common.output, files[i])) {
            return cli_usage("import", "-o would replace the trace '%s'", files[i]);
        }
    }
    code = take_window(&settings, &words);
    return code != CLI_DONE ? code : import_trace(&settings, kind, files, (size_t)words.n - 1);
}

const cli_verb cli_verb_import = {
    .name = "import",
    .arguments = "KIND [options] FILE...",
    .summary = "Makes an instance of a cluster trace",
    .details =
        "Kinds of traces, and the files that each is made of:\n\n"
        "  philly-csv   FILE                      Philly (Microsoft 2017) as CSV\n"
        "  philly-json  FILE                      Philly as published: cluster_job_log\n"
        "  openb        PODS [NODES]              Alibaba's GPU-sharing cluster (2023)\n"
        "  pai          TASKS [JOBS [MACHINES]]   Alibaba PAI (2020): explicit parameter servers\n"
        "  dlrm         FILE                      Alibaba's recommendation models (2025)\n"
        "  spot         JOBS [NODES]              Alibaba's spot GPUs (2026)\n"
        "  helios       FILE                      Helios (SenseTime 2020): cluster_log\n"
        "  acme         FILE                      Acme (2023): trace_seren, trace_kalos\n"
        "  gavel        TRACE [THROUGHPUTS]       Gavel's simulator, 7 or 10 fields\n"
        "  shockwave    TRACE                     Shockwave's simulator, 12 fields\n"
        "  tiresias     JOBS [CLUSTER]            Tiresias' simulator\n"
        "  muri         JOBS [CLUSTER]            Muri's simulator (milliseconds)\n"
        "  pollux       FILE                      Pollux and Sia workloads\n\n"
        "  pollux-goodput FILE                    Pollux's, with --applications: not an instance of slots but a\n"
        "                                         workload of measured trainings (berth-goodput-jobs-1)\n\n"
        "docs/traces.md says what becomes of each column. What a trace lacks (model, batch, utility) is drawn with\n"
        "--seed. How many rows were taken, why others were not, and what was made up, is told on standard error.\n"
        "Files may be gzip-compressed; - is standard input. Without -o the instance goes to standard output.",
    .examples = "  berth import philly-csv trace.csv.gz --from 2017-10-09 --slots 48 --machines 50 -o philly.json\n"
                "  berth import openb pods.csv nodes.csv --window 100d..101d --machines 60 | berth run -",
    .min_words = 2,
    .max_words = 4,
    .common = CLI_OPT_OUTPUT | CLI_OPT_SEED | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(import_settings),
    .defaults = set_defaults,
    .run = import,
};
