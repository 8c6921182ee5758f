/* berth check of a solution against its problem. */
#include "cli/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

typedef struct solution_pair {
    const berth_problem *problem;
    const berth_solution *solution;
} solution_pair;

static berth_status judge(const void *subject, const berth_hooks *hooks, berth_report **report, berth_error *error) {
    const solution_pair *pair = subject;
    return berth_check_solution(pair->problem, pair->solution, hooks, report, error);
}

static void say(const void *subject, const berth_report *report, cli_claims *claims) {
    const solution_pair *pair = subject;
    solution_verdict(pair->solution, report, claims->verdict, sizeof claims->verdict);
    claims->value_label = pair->problem->maximize ? "profit" : "cost";
    claims->bound_label = "bound";
    claims->ratio_label = pair->problem->maximize ? "bound / profit" : "cost / bound";
    claims->value = pair->solution->cost;
    claims->approximate = pair->solution->outcome == BERTH_APPROXIMATE;
}

static int judge_solution(const cli_check_settings *settings, const berth_problem *problem,
                          const berth_solution *solution) {
    const int code = cli_judge(settings, judge, say, &(solution_pair){problem, solution});
    if (code == CLI_DONE && solution->outcome == BERTH_APPROXIMATE && !settings->allow_violation) {
        return cli_fail("check", CLI_FAILED,
                        "the claims are true, but some rows hold within factors only (--allow-violation accepts that)");
    }
    return code;
}

static int check_files(const cli_check_settings *settings, const berth_backends *backends, char **word) {
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

int cli_check_solution(const cli_check_settings *settings, char **word) {
    berth_error error = {0};
    berth_backends *backends = NULL;
    if (cli_backends_new(&backends, &error) != BERTH_OK) {
        return cli_fail_status("check", CLI_WORKING, NULL, &error);
    }
    const int code = check_files(settings, backends, word);
    berth_backends_free(backends);
    return code;
}
