/* berth check: recomputes everything a result claims. */
#include "cli/check_report.h"
#include "cli/cli.h"

#include <berth_cohort.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct check_settings {
    cli_common common;
    const char *certificate;
    berth_problem_read_options read;
    int format;
    bool allow_violation;
    const char *request, *profiles;
    double default_ms, default_kbps;
} check_settings;

static void set_defaults(void *memory) {
    check_settings *settings = memory;
    berth_problem_read_options_init(&settings->read);
    settings->default_ms = settings->default_kbps = -1;
}

#define AT(field) offsetof(check_settings, field)
static const cli_option options[] = {
    {.name = "certificate",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(certificate),
     .expected = "a file's name",
     .help = "certificate that the run wrote to a file of its own (default: RESULT.certificate, if the result claims a "
             "bound and holds no certificate)"},
    {.name = "format",
     .argument = "NAME",
     .kind = CLI_CHOICE,
     .offset = AT(format),
     .list = berth_problem_format_names,
     .help = "format of a problem"},
    CLI_PROBLEM_OPTIONS(check_settings, read),
    {.name = "allow-violation",
     .kind = CLI_FLAG,
     .offset = AT(allow_violation),
     .help = "exit 0 also for a solution whose rows hold within the factors that it states only"},
    {.name = "request",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(request),
     .expected = "a file's name",
     .help = "what a cohort was asked for"},
    {.name = "profiles",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .offset = AT(profiles),
     .expected = "a file's name",
     .help = "speeds of the clients of a cohort's data"},
    {.name = "default-ms",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(default_ms),
     .max = 1e15,
     .open = true,
     .help = "milliseconds a sample of clients without a profile"},
    {.name = "default-kbps",
     .argument = "X",
     .kind = CLI_REAL,
     .offset = AT(default_kbps),
     .max = 1e15,
     .open = true,
     .help = "kbit/s of clients without a profile"},
};

/* ---- the report -------------------------------------------------------------------------------------------------- */

static int write_report(const check_settings *settings, const cli_claims *claims, const berth_report *report) {
    berth_error error = {0};
    const char *path = cli_json_path(&settings->common);
    if (path != NULL && berth_report_write(report, path, &error) != BERTH_OK) {
        return cli_fail_status("check", CLI_WRITING, path, &error);
    }
    if (cli_prints_table(&settings->common)) {
        cli_print_report(claims, report);
    }
    return cli_finish_output("check", report->n_violations == 0 ? CLI_DONE : CLI_FAILED);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* What became of the bound when nothing is violated. */
static const char *run_verdict(const berth_run *run, const berth_report *report) {
    const berth_run_bounds *b = &run->bounds;
    const bool confirmed = !isnan(report->dual);
    if (b->void_because != NULL) {
        return "the bound is void";
    }
    if (isnan(b->dual) && isnan(b->lp) && isnan(b->exact) && isnan(b->best)) {
        return confirmed ? "no bound is claimed, but the certificate gives one" : "no bound is claimed";
    }
    return confirmed ? "the bound is confirmed" : "the bound is claimed but not confirmed";
}

/* Everything read: judges and tells. */
static int judge_run(const check_settings *settings, const berth_instance *instance, const berth_run *run) {
    berth_error error = {0};
    berth_report *report = NULL;
    cli_hooks state;
    berth_hooks hooks;
    cli_hooks_start(&state, "check", settings->common.quiet, &hooks);
    cli_catch_signals();
    berth_status status = berth_check(instance, run, &hooks, &report, &error);
    cli_hooks_stop(&state);
    if (status != BERTH_OK) {
        return cli_fail_status("check", CLI_WORKING, NULL, &error);
    }
    char verdict[120];
    snprintf(verdict, sizeof verdict, "all constraints hold; %s", run_verdict(run, report));
    cli_claims claims = {.verdict = verdict,
                         .value_label = "utility",
                         .bound_label = "dual bound",
                         .ratio_label = "bound / utility",
                         .value = run->utility};
    int code = write_report(settings, &claims, report);
    berth_report_free(report);
    return code;
}

/* The certificate that the command line names, else the one beside a result that claims a bound without proof. */
static int read_certificate(const check_settings *settings, const char *result, const berth_instance *instance,
                            berth_run *run) {
    berth_error error = {0};
    int code = CLI_DONE;
    char *beside = NULL;
    const char *path = settings->certificate;
    if (path == NULL && run->certificate == NULL && !isnan(run->bounds.dual) && strcmp(result, "-") != 0) {
        beside = cli_certificate_beside(result);
        if (beside == NULL) {
            return cli_fail("check", CLI_INTERNAL, "out of memory");
        }
        path = access(beside, F_OK) == 0 ? beside : NULL;
    }
    if (path != NULL && berth_run_read_certificate(run, instance, path, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, path, &error);
    } else if (path != NULL && path == beside && !settings->common.quiet) {
        fprintf(stderr, "berth check: the certificate is that of '%s'\n", path);
    }
    free(beside);
    return code;
}

static int check_run(const check_settings *settings, char **word) {
    berth_error error = {0};
    berth_instance *instance = NULL;
    berth_run *run = NULL;
    int code;
    if (berth_instance_read(word[0], &instance, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, word[0], &error);
    } else if (berth_run_read(word[1], instance, &run, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, word[1], &error);
    } else if ((code = read_certificate(settings, word[1], instance, run)) == CLI_DONE) {
        code = judge_run(settings, instance, run);
    }
    berth_run_free(run);
    berth_instance_free(instance);
    return code;
}

/* ---- solutions --------------------------------------------------------------------------------------------------- */

static bool has_note(const berth_report *report, const char *rule) {
    for (size_t k = 0; k < report->n_findings; k++) {
        if (!report->findings[k].violated && strcmp(report->findings[k].rule, rule) == 0) {
            return true;
        }
    }
    return false;
}

/* What holds, and what became of the bound, when nothing is violated. */
static void solution_verdict(const berth_solution *solution, const berth_report *report, char *verdict, size_t size) {
    const char *rows = "all constraints hold", *bound = "no bound is claimed";
    if (solution->x == NULL) {
        rows = "there is no point";
    } else if (solution->outcome == BERTH_APPROXIMATE) {
        rows = "rows hold within the stated factors only";
    }
    if (solution->outcome == BERTH_INFEASIBLE) {
        bound = solution->ray == NULL     ? "that the problem is infeasible is not proved"
                : has_note(report, "ray") ? "that the problem is infeasible is shown within tolerance only"
                                          : "that the problem is infeasible is proved";
    } else if (solution->outcome == BERTH_UNBOUNDED) {
        bound = "that the problem is unbounded is not proved";
    } else if (!isnan(solution->bound)) {
        bool confirmed = !isnan(report->dual) && (solution->proof != BERTH_PROOF_NONE || solution->multipliers != NULL);
        bound = !confirmed                  ? "the bound is claimed but not confirmed"
                : has_note(report, "bound") ? "the bound is confirmed within tolerance only"
                                            : "the bound is confirmed";
    }
    snprintf(verdict, size, "%s; %s", rows, bound);
}

static int judge_solution(const check_settings *settings, const berth_problem *problem,
                          const berth_solution *solution) {
    berth_error error = {0};
    berth_report *report = NULL;
    cli_hooks state;
    berth_hooks hooks;
    cli_hooks_start(&state, "check", settings->common.quiet, &hooks);
    cli_catch_signals();
    berth_status status = berth_check_solution(problem, solution, &hooks, &report, &error);
    cli_hooks_stop(&state);
    if (status != BERTH_OK) {
        return cli_fail_status("check", CLI_WORKING, NULL, &error);
    }
    char verdict[120];
    solution_verdict(solution, report, verdict, sizeof verdict);
    cli_claims claims = {.verdict = verdict,
                         .value_label = problem->maximize ? "profit" : "cost",
                         .bound_label = "bound",
                         .ratio_label = problem->maximize ? "bound / profit" : "cost / bound",
                         .value = solution->cost,
                         .approximate = solution->outcome == BERTH_APPROXIMATE};
    int code = write_report(settings, &claims, report);
    berth_report_free(report);
    if (code == CLI_DONE && claims.approximate && !settings->allow_violation) {
        code = cli_fail("check", CLI_FAILED,
                        "the claims are true, but some rows hold within factors only (--allow-violation accepts that)");
    }
    return code;
}

static int check_solution(const check_settings *settings, const berth_backends *backends, char **word) {
    berth_error error = {0};
    berth_problem *problem = NULL;
    berth_solution *solution = NULL;
    berth_problem_read_options read = settings->read;
    read.format = (berth_problem_format)settings->format;
    read.backends = backends;
    int code = cli_read_problem("check", word[0], &read, &problem);
    if (code == CLI_DONE && berth_solution_read(word[1], problem, &solution, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, word[1], &error);
    }
    if (code == CLI_DONE) {
        code = judge_solution(settings, problem, solution);
    }
    berth_solution_free(solution);
    berth_problem_free(problem);
    return code;
}

/* ---- cohorts ----------------------------------------------------------------------------------------------------- */

static int judge_cohort(const check_settings *settings, const berth_cohort_data *data,
                        const berth_cohort_request *request, const berth_cohort *cohort) {
    berth_error error = {0};
    berth_report *report = NULL;
    cli_hooks state;
    berth_hooks hooks;
    cli_hooks_start(&state, "check", settings->common.quiet, &hooks);
    cli_catch_signals();
    berth_status status = berth_check_cohort(data, request, cohort, &hooks, &report, &error);
    cli_hooks_stop(&state);
    if (status != BERTH_OK) {
        return cli_fail_status("check", CLI_WORKING, NULL, &error);
    }
    bool exists = cohort->outcome == BERTH_OPTIMAL || cohort->outcome == BERTH_FEASIBLE;
    bool fewest = request->objective == BERTH_COHORT_PARTICIPANTS;
    const char *bound = isnan(report->dual) ? "no bound is proved" : "the bound is confirmed";
    char verdict[120];
    snprintf(verdict, sizeof verdict, "%s; %s", exists ? "all constraints hold" : "there is no cohort",
             exists                                ? bound
             : cohort->outcome != BERTH_INFEASIBLE ? "nothing is claimed"
             : cohort->prices == NULL              ? "that there can be none is not proved"
                                                   : "that there can be none is proved");
    cli_claims claims = {.verdict = verdict,
                         .value_label = fewest ? "participants" : "duration",
                         .bound_label = "bound",
                         .ratio_label = fewest ? "participants / bound" : "duration / bound",
                         .value = fewest ? (double)cohort->n_participants : cohort->duration_s};
    int code = write_report(settings, &claims, report);
    berth_report_free(report);
    return code;
}

static int check_cohort(const check_settings *settings, char **word) {
    berth_error error = {0};
    berth_cohort_data *data = NULL;
    berth_cohort_request *request = NULL;
    berth_cohort *cohort = NULL;
    berth_cohort_read_options read;
    int code;
    berth_cohort_read_options_init(&read);
    read.profiles = settings->profiles;
    read.default_ms_per_sample = settings->default_ms > 0 ? settings->default_ms : (double)NAN;
    read.default_bandwidth_kbps = settings->default_kbps > 0 ? settings->default_kbps : (double)NAN;
    if (settings->request == NULL) {
        return cli_usage("check", "the check of a cohort needs --request");
    }
    if (berth_cohort_data_read(word[0], &read, &data, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, word[0], &error);
    } else if (berth_cohort_request_read(settings->request, data, &request, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, settings->request, &error);
    } else if (berth_cohort_read(word[1], data, &cohort, &error) != BERTH_OK) {
        code = cli_fail_status("check", CLI_READING, word[1], &error);
    } else {
        code = judge_cohort(settings, data, request, cohort);
    }
    berth_cohort_free(cohort);
    berth_cohort_request_free(request);
    berth_cohort_data_free(data);
    return code;
}

/* ---- which ------------------------------------------------------------------------------------------------------- */

static int check_combination(const check_settings *settings, char **word) {
    if (strcmp(word[0], "-") == 0 && strcmp(word[1], "-") == 0) {
        return cli_usage("check", "only one of INSTANCE and RESULT can be standard input");
    }
    for (int i = 0; i < 2; i++) {
        if (cli_same_file(settings->common.output, word[i])) {
            return cli_usage("check", "-o would replace the input '%s'", word[i]);
        }
    }
    if (cli_same_file(settings->common.output, settings->read.data)) {
        return cli_usage("check", "-o would replace the data '%s'", settings->read.data);
    }
    if (cli_same_file(settings->common.output, settings->request) ||
        cli_same_file(settings->common.output, settings->profiles)) {
        return cli_usage("check", "-o would replace the request or the profiles");
    }
    if (cli_same_file(settings->common.output, settings->certificate)) {
        return cli_usage("check", "-o would replace the certificate '%s'", settings->certificate);
    }
    return CLI_DONE;
}

/* Solutions say what they are; if the result cannot be looked at twice, the other file says what it is not. What
 * cannot be told is taken for a run, whose reader says what is wrong with it. */
static bool is_solution(const cli_words *words) {
    char format[BERTH_FORMAT_ROOM];
    berth_file_format(words->word[1], format);
    if (format[0] != '\0') {
        return strcmp(format, "berth-solution-1") == 0;
    }
    berth_file_format(words->word[0], format);
    return strcmp(format, "berth-mpc-1") == 0 || cli_given(&cli_verb_check, words, "format");
}

static bool is_cohort(const check_settings *settings, const cli_words *words) {
    char format[BERTH_FORMAT_ROOM];
    berth_file_format(words->word[1], format);
    return strcmp(format, "berth-cohort-1") == 0 || settings->request != NULL;
}

static int check(int argc, char **argv) {
    check_settings settings = {0};
    cli_words words;
    berth_error error = {0};
    berth_backends *backends = NULL;
    int code;
    if (!cli_parse(&cli_verb_check, argc, argv, &settings, &words, &code)) {
        return code;
    }
    if ((code = check_combination(&settings, words.word)) != CLI_DONE) {
        return code;
    }
    if (is_cohort(&settings, &words)) {
        return check_cohort(&settings, words.word);
    }
    if (!is_solution(&words)) {
        return check_run(&settings, words.word);
    }
    if (cli_backends_new(&backends, &error) != BERTH_OK) {
        return cli_fail_status("check", CLI_WORKING, NULL, &error);
    }
    code = check_solution(&settings, backends, words.word);
    berth_backends_free(backends);
    return code;
}

const cli_verb cli_verb_check = {
    .name = "check",
    .arguments = "[options] INSTANCE RESULT",
    .summary = "Verifies a result against its instance, a solution against its problem, a cohort against its clients",
    .details =
        "Recomputes from the two files alone what the result claims. Of a run: capacities, quotas, widths,\n"
        "progress, completions, utility, prices, and the bound from the prices in its certificate. Of a solution\n"
        "by 'berth solve': every row, the cost, the bound from its multipliers in exact arithmetic, and what the\n"
        "rounding promised. Of a cohort (INSTANCE is COUNTS, with --request and --profiles): cover, holdings, budget,\n"
        "durations, and the bound from its prices. A run with policy \"external\", or a solution with method "
        "\"external\", may come from\n"
        "anywhere. Exit 0: everything holds; 1: something does not.",
    .examples = "  berth run instance.json -o result.json && berth check instance.json result.json\n"
                "  berth solve problem.mps -o solution.json && berth check problem.mps solution.json\n"
                "  berth check instance.json result.json --json -o report.json\n"
                "  berth check counts.csv cohort.json --request request.json --profiles profiles.csv",
    .min_words = 2,
    .max_words = 2,
    .common = CLI_OPT_JSON | CLI_OPT_OUTPUT | CLI_OPT_QUIET,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(check_settings),
    .defaults = set_defaults,
    .run = check,
};
