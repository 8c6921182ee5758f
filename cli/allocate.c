/* berth allocate: who gets which GPUs for the next round. */
#include "cli/allocate_table.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { FIRST_JOBS = 40 };

typedef struct allocate_settings {
    cli_common common;
    berth_allocate_options options;
    int allocator, mode;
    double p;
    bool all_jobs;
} allocate_settings;

/* In the order of the enumerations. */
static const char *const allocator_names[] = {
#define ALLOCATOR_NAME(name, value, text) text,
    BERTH_ALLOCATOR_TABLE(ALLOCATOR_NAME)
#undef ALLOCATOR_NAME
        NULL};
static const char *const mode_names[] = {"grid", "exact", NULL};

static void set_defaults(void *memory) {
    allocate_settings *settings = memory;
    berth_allocate_options_init(&settings->options);
    settings->allocator = (int)settings->options.allocator;
    settings->mode = (int)settings->options.mode;
    settings->common.seed = settings->options.seed;
    settings->common.time_limit_s = settings->options.time_limit_s;
}

#define AT(field) offsetof(allocate_settings, field)
static const cli_option options[] = {
    {.name = "allocator",
     .argument = "NAME",
     .kind = CLI_CHOICE,
     .offset = AT(allocator),
     .choices = allocator_names,
     .help = "how: berth's own, or what others do, for comparison"},
    {.name = "p",
     .field = "p",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(p),
     .min = -64,
     .max = 64,
     .help = "power of the mean of speedups in place of the instance's: the lower, the fairer"},
    {.name = "mode",
     .argument = "NAME",
     .kind = CLI_CHOICE,
     .offset = AT(mode),
     .choices = mode_names,
     .help = "batch sizes tried: 50 in geometric progression as Pollux does, or all"},
    {.name = "prove",
     .kind = CLI_FLAG,
     .offset = AT(options.prove),
     .help = "search on until the gap is closed, and ask the MIP solver (GLPK), if there is one, about what the prices "
             "leave"},
    {.name = "starve-freely",
     .kind = CLI_FLAG_OFF,
     .offset = AT(options.starve_last),
     .help = "only F counts; otherwise the fewest jobs without GPUs come first"},
    {.name = "solver",
     .argument = "NAME",
     .kind = CLI_TEXT,
     .offset = AT(options.solver),
     .expected = "auto or a solver that 'berth version' lists",
     .help = "where prices come from: auto (sorting), or clp or glpk, as an LP"},
    {.name = "jobs", .kind = CLI_FLAG, .offset = AT(all_jobs), .help = "list all jobs"},
};

static double seconds_now(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int code_of(const berth_allocation *allocation) {
    if (allocation->outcome == BERTH_INFEASIBLE) {
        return cli_fail("allocate", CLI_FAILED, "there is no allocation: what pinned jobs have does not fit");
    }
    return allocation->stopped || allocation->outcome == BERTH_LIMIT
               ? cli_fail("allocate", CLI_LIMIT, "stopped by %s", cli_interrupted() ? "a signal" : "the time limit")
               : CLI_DONE;
}

static int allocate_with(allocate_settings *settings, const char *input, const berth_goodput_instance *instance) {
    berth_error error = {0};
    berth_allocation *allocation = NULL;
    cli_hooks state;
    cli_hooks_start(&state, "allocate", settings->common.quiet, &settings->options.hooks);
    cli_catch_signals();
    const double start = seconds_now();
    const berth_status status = berth_allocate(instance, &settings->options, &allocation, &error);
    const double seconds = seconds_now() - start;
    cli_hooks_stop(&state);
    if (status != BERTH_OK) {
        return cli_fail_status("allocate", CLI_JUDGING, input, &error);
    }
    const char *path = cli_json_path(&settings->common);
    int code = CLI_DONE;
    if (path != NULL && berth_allocation_write(allocation, instance, path, &error) != BERTH_OK) {
        code = cli_fail_status("allocate", CLI_WRITING, path, &error);
    } else if (cli_prints_table(&settings->common)) {
        cli_print_allocation(instance, allocation, seconds, settings->all_jobs ? SIZE_MAX : FIRST_JOBS);
    }
    code = code == CLI_DONE ? cli_finish_output("allocate", CLI_DONE) : code;
    code = code == CLI_DONE ? code_of(allocation) : code;
    berth_allocation_free(allocation);
    return code;
}

/* The instance with what the command line says of the objective. */
static int allocate_file(allocate_settings *settings, const cli_words *words) {
    berth_error error = {0};
    berth_goodput_instance *instance = NULL;
    const char *path = words->word[0];
    if (berth_goodput_instance_read(path, &instance, &error) != BERTH_OK) {
        return cli_fail_status("allocate", CLI_READING, path, &error);
    }
    berth_goodput_instance asked = *instance;
    if (cli_given(&cli_verb_allocate, words, "p")) {
        asked.p = settings->p;
    }
    const int code = allocate_with(settings, path, &asked);
    berth_goodput_instance_free(instance);
    return code;
}

static int check_combination(const allocate_settings *settings, const char *input) {
    if (cli_same_file(settings->common.output, input)) {
        return cli_usage("allocate", "-o would replace the input '%s'", input);
    }
    if (settings->options.prove && settings->allocator != BERTH_ALLOCATOR_BERTH) {
        return cli_usage("allocate", "--prove is for --allocator berth");
    }
    if (settings->all_jobs && !cli_prints_table(&settings->common)) {
        return cli_usage("allocate", "--jobs is about the table, which --json and '-o -' replace");
    }
    return CLI_DONE;
}

static int allocate(int argc, char **argv) {
    allocate_settings settings = {0};
    cli_words words;
    berth_error error = {0};
    berth_backends *backends = NULL;
    int code;
    if (!cli_parse(&cli_verb_allocate, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if ((code = check_combination(&settings, words.word[0])) != CLI_DONE) {
        return code;
    }
    if (cli_backends_new(&backends, &error) != BERTH_OK) {
        return cli_fail_status("allocate", CLI_WORKING, NULL, &error);
    }
    settings.options.allocator = (berth_allocator)settings.allocator;
    settings.options.mode = (berth_batch_mode)settings.mode;
    settings.options.backends = backends;
    settings.options.seed = settings.common.seed;
    settings.options.time_limit_s = settings.common.time_limit_s;
    code = cli_check_solver("allocate", "solver", settings.options.solver, backends, true, "");
    code = code == CLI_DONE ? cli_check_output("allocate", settings.common.output) : code;
    code = code == CLI_DONE ? allocate_file(&settings, &words) : code;
    berth_backends_free(backends);
    return code;
}

const cli_verb cli_verb_allocate = {
    .name = "allocate",
    .arguments = "[options] INSTANCE",
    .summary = "Says which job gets which GPUs for the next round, by the goodput of each",
    .details =
        "INSTANCE is berth-goodput-1: nodes with GPUs, and jobs that run on any number of them, each with what is "
        "known\n"
        "of its goodput (docs/goodput.md). F is a power mean of the jobs' speedups over their fair share, and no\n"
        "allocation has more than the bound, which 'berth check' confirms from the prices in the result.\n"
        "Exit 0: done; 1: what pinned jobs have does not fit; 4: stopped by time limit or signal, with the best so "
        "far.",
    .examples = "  berth generate goodput --nodes 16 --jobs 40 -o cluster.json\n"
                "  berth allocate cluster.json -o allocation.json\n"
                "  berth check cluster.json allocation.json\n"
                "  berth allocate cluster.json --allocator genetic --seed 7 --json",
    .min_words = 1,
    .max_words = 1,
    .common = CLI_OPT_JSON | CLI_OPT_OUTPUT | CLI_OPT_SEED | CLI_OPT_TIME_LIMIT | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(allocate_settings),
    .defaults = set_defaults,
    .run = allocate,
};
