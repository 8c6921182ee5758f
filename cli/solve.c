/* berth solve: relaxes, bounds and rounds a general problem. */
#include "cli/cli.h"
#include "cli/solve_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct solve_settings {
    cli_common common;
    berth_solve_options options;
    berth_problem_read_options read;
    int method;
    int favour;
    int format;
    const char *scale;
    bool allow_violation;
    bool all_variables;
} solve_settings;

static void set_defaults(void *memory) {
    solve_settings *settings = memory;
    berth_solve_options *o = &settings->options;
    berth_solve_options_init(o);
    berth_problem_read_options_init(&settings->read);
    settings->favour = (int)o->favour;
    settings->scale = cli_scale_default;
    settings->common.seed = o->seed;
    settings->common.threads = o->threads;
    settings->common.time_limit_s = o->time_limit_s;
}

#define AT(field) offsetof(solve_settings, field)
static const cli_option options[] = {
    {.name = "method",
     .argument = "NAME",
     .kind = CLI_CHOICE,
     .offset = AT(method),
     .list = berth_method_names,
     .about = berth_method_about,
     .help = "how integers are found"},
    {.name = "lp",
     .argument = "NAME",
     .kind = CLI_TEXT,
     .offset = AT(options.lp),
     .expected = "auto or a solver that 'berth version' lists",
     .help =
         "solver of the relaxation: clp, glpk or first-order (as far as 'berth version' lists them), or auto, which "
         "goes by size and structure"},
    {.name = "gap",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(options.gap),
     .max = 1,
     .help = "good enough once the cost is within this of the bound, relative (auto, exact)"},
    {.name = "lp-gap",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(options.lp_gap),
     .max = 1,
     .help = "precision of the relaxation, relative (--lp first-order)"},
    CLI_ROUNDING_OPTIONS(solve_settings, options, ""),
    {.name = "groups",
     .argument = "CHARACTERS",
     .kind = CLI_TEXT,
     .offset = AT(options.group_separators),
     .expected = "characters, such as '_['",
     .help = "for dependent rounding: variables whose names agree up to the first of these characters form a group "
             "(default: the groups of the file)"},
    {.name = "format",
     .argument = "NAME",
     .kind = CLI_CHOICE,
     .offset = AT(format),
     .list = berth_problem_format_names,
     .help = "format of the file"},
    CLI_PROBLEM_OPTIONS(solve_settings, read),
    {.name = "allow-violation",
     .kind = CLI_FLAG,
     .offset = AT(allow_violation),
     .help = "exit 0 also if some rows hold within the printed factors only"},
    {.name = "variables",
     .kind = CLI_FLAG,
     .offset = AT(all_variables),
     .help = "all variables that are not 0 in the table, not only the first ten"},
};

enum { FIRST_VARIABLES = 10 };

/* ---- the command line -------------------------------------------------------------------------------------------- */

static int check_combination(solve_settings *settings, const char *input) {
    if (settings->all_variables && !cli_prints_table(&settings->common)) {
        return cli_usage("solve", "--variables is about the table, which --json and '-o -' replace");
    }
    int code = cli_spare_problem("solve", settings->common.output, input, &settings->read);
    if (code == CLI_DONE) {
        code = cli_check_output("solve", settings->common.output);
    }
    if (code == CLI_DONE) {
        code = cli_read_scale("solve", "--scale", settings->scale, &settings->options.scale_rule,
                              &settings->options.scale);
    }
    return code == CLI_DONE
               ? cli_check_solver("solve", "lp", settings->options.lp, settings->options.backends, false, "")
               : code;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

static int code_of(const solve_settings *settings, const berth_solution *solution) {
    switch (solution->outcome) {
    case BERTH_OPTIMAL:
        break;
    case BERTH_FEASIBLE:
        return cli_interrupted() ? cli_fail("solve", CLI_LIMIT, "stopped by a signal") : CLI_DONE;
    case BERTH_APPROXIMATE:
        return settings->allow_violation
                   ? CLI_DONE
                   : cli_fail("solve", CLI_FAILED,
                              "some rows hold within the printed factors only%s; --allow-violation accepts that",
                              settings->options.repair ? "" : ", and --repair was not asked for");
    case BERTH_INFEASIBLE:
        return cli_fail("solve", CLI_FAILED, "the problem is infeasible%s",
                        solution->ray != NULL ? ", and the solution holds a proof"
                                              : " (the solver's word: there is no proof)");
    case BERTH_UNBOUNDED:
        return cli_fail("solve", CLI_FAILED, "the problem is unbounded");
    case BERTH_LIMIT:
        return cli_fail("solve", CLI_LIMIT, "stopped by %s%s", cli_interrupted() ? "a signal" : "the time limit",
                        solution->x == NULL ? "; there is no solution yet" : "");
    case BERTH_NUMERIC:
        return cli_fail("solve", CLI_INTERNAL,
                        "numerical trouble: no solver's claim about this problem could be verified");
    }
    return CLI_DONE;
}

static int write_all(const solve_settings *settings, const berth_problem *problem, const berth_solution *solution,
                     double seconds) {
    berth_error error = {0};
    const char *path = cli_json_path(&settings->common);
    if (path != NULL && berth_solution_write(solution, problem, path, &error) != BERTH_OK) {
        return cli_fail_status("solve", CLI_WRITING, path, &error);
    }
    if (cli_prints_table(&settings->common)) {
        cli_print_solution(problem, solution, seconds, settings->all_variables ? SIZE_MAX : FIRST_VARIABLES);
    }
    int code = cli_finish_output("solve", CLI_DONE);
    return code == CLI_DONE ? code_of(settings, solution) : code;
}

static double seconds_now(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int solve_problem(const solve_settings *settings, const berth_problem *problem) {
    berth_error error = {0};
    berth_solution *solution = NULL;
    cli_hooks state;
    berth_solve_options options_now = settings->options;
    cli_hooks_start(&state, "solve", settings->common.quiet, &options_now.hooks);
    cli_catch_signals();
    double start = seconds_now();
    berth_status status = berth_solve(problem, &options_now, &solution, &error);
    double seconds = seconds_now() - start;
    cli_hooks_stop(&state);
    int code = status == BERTH_OK ? write_all(settings, problem, solution, seconds)
                                  : cli_fail_status("solve", CLI_WORKING, NULL, &error);
    berth_solution_free(solution);
    return code;
}

static int solve_verb(int argc, char **argv) {
    solve_settings settings = {0};
    cli_words words;
    berth_error error = {0};
    berth_backends *backends = NULL;
    berth_problem *problem = NULL;
    int code;
    if (!cli_parse(&cli_verb_solve, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if (cli_backends_new(&backends, &error) != BERTH_OK) {
        return cli_fail_status("solve", CLI_WORKING, NULL, &error);
    }
    settings.options.backends = settings.read.backends = backends;
    settings.options.method = berth_method_names()[settings.method];
    settings.options.favour = (berth_favour)settings.favour;
    settings.options.seed = settings.common.seed;
    settings.options.threads = settings.common.threads;
    settings.options.time_limit_s = settings.common.time_limit_s;
    settings.read.format = (berth_problem_format)settings.format;
    code = check_combination(&settings, words.word[0]);
    if (code == CLI_DONE) {
        code = cli_read_problem("solve", words.word[0], &settings.read, &problem);
    }
    if (code == CLI_DONE) {
        code = solve_problem(&settings, problem);
    }
    berth_problem_free(problem);
    berth_backends_free(backends);
    return code;
}

const cli_verb cli_verb_solve = {
    .name = "solve",
    .arguments = "[options] PROBLEM",
    .summary = "Solves a packing-and-covering programme of your own, with a bound on how far from optimal it can be",
    .details =
        "Reads berth-mpc-1 JSON, MPS, CPLEX LP, GMPL and OR-Library files, also compressed. Prints a table; -o also\n"
        "writes the solution, with the multipliers that prove its bound, for 'berth check' and programs. A problem\n"
        "that is not packing and covering is solved as LP or by branch and bound, without the rounding's\n"
        "promises. Exit 0: all rows hold (auto uses what time it has, and ends with what it found by then); 1:\n"
        "infeasible, unbounded, or some rows hold within factors only; 4: the time limit came first (what there was\n"
        "is written).",
    .examples = "  berth solve problem.mps\n"
                "  berth solve problem.json --method derandomized -o solution.json\n"
                "  berth check problem.json solution.json\n"
                "  berth solve model.mod --data data.dat --method exact --time-limit 60",
    .min_words = 1,
    .max_words = 1,
    .common = CLI_OPT_JSON | CLI_OPT_OUTPUT | CLI_OPT_SEED | CLI_OPT_THREADS | CLI_OPT_TIME_LIMIT | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(solve_settings),
    .defaults = set_defaults,
    .run = solve_verb,
};
