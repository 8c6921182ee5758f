#include "cli/solve_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_WIDTH = 24 };

/* A label and a text that came from a file. */
static void text_row(const char *label, const char *text) {
    printf("%-22s", label);
    cli_print_text(text, 0);
    putchar('\n');
}

/* The value of the point that was rounded: what promises call LP. */
static void print_relaxation(const berth_problem *problem, const berth_solution *s) {
    double value = problem->offset;
    if (s->relaxation == NULL) {
        cli_row("relaxation", "%s", s->lp == NULL ? "-" : s->lp);
        return;
    }
    for (size_t j = 0; j < problem->n_vars; j++) {
        value += problem->cost[j] * s->relaxation[j];
    }
    cli_row("relaxation", "%s: LP = %.10g", s->lp == NULL ? "-" : s->lp, value);
}

static void print_setting(const berth_problem *problem, const berth_solution *s) {
    size_t n_integer = 0;
    for (size_t j = 0; j < problem->n_vars; j++) {
        n_integer += problem->is_integer != NULL && problem->is_integer[j];
    }
    if (s->problem[0] != '\0') {
        text_row("problem", s->problem);
    }
    cli_row("size", "%zu rows, %zu variables (%zu integer), %zu entries", problem->n_rows, problem->n_vars, n_integer,
            problem->n_rows == 0 ? 0 : problem->row_start[problem->n_rows]);
    if (s->packing_covering) {
        cli_row("kind", "packing and covering");
    } else {
        cli_row("kind", "general, so bounds on roundings do not apply: %s", s->why_not);
    }
    cli_row("method", "%s, seed %llu", s->method, (unsigned long long)s->seed);
    print_relaxation(problem, s);
}

static const char *proof_text(berth_proof proof) {
    switch (proof) {
    case BERTH_PROOF_EXACT:
        return "proved by the multipliers, in exact arithmetic";
    case BERTH_PROOF_TOLERANCE:
        return "by the multipliers, within rounding error of reduced costs";
    case BERTH_PROOF_NONE:
        break;
    }
    return "without proof";
}

/* Of the bound that is proved, then of branch and bound's, if that is better. */
static void print_ratio(const berth_problem *problem, const berth_solution *s) {
    char a[32];
    char b[32];
    const char *label = problem->maximize ? "bound / profit" : "cost / bound";
    double by_nodes = problem->maximize ? s->node_bound / s->cost : s->cost / s->node_bound;
    if (isnan(s->ratio)) {
        return;
    }
    if (isnan(by_nodes) || !(by_nodes < s->ratio)) {
        cli_row(label, "%s", cli_number(a, s->ratio));
    } else {
        cli_row(label, "%s proved, %s by branch and bound", cli_number(a, s->ratio), cli_number(b, by_nodes));
    }
}

static void print_rows(const berth_solution *s) {
    char a[32];
    char b[32];
    if (s->x == NULL || (isnan(s->cover_min) && isnan(s->pack_max))) {
        return;
    }
    if (isnan(s->pack_max)) {
        cli_row("rows", "cover at least %s of their right sides", cli_number(a, s->cover_min));
    } else if (isnan(s->cover_min)) {
        cli_row("rows", "packing at most %s of their right sides", cli_number(b, s->pack_max));
    } else {
        cli_row("rows", "cover at least %s, packing at most %s of their right sides", cli_number(a, s->cover_min),
                cli_number(b, s->pack_max));
    }
}

/* As many digits as it takes for what is printed to be a bound still. */
static const char *bound_text(const berth_problem *problem, double bound, char buffer[32]) {
    for (int digits = 10; digits <= 17; digits++) {
        snprintf(buffer, 32, "%.*g", digits, bound);
        double read = strtod(buffer, NULL);
        if (problem->maximize ? read >= bound : read <= bound) {
            break;
        }
    }
    return buffer;
}

static void print_quality(const berth_problem *problem, const berth_solution *s) {
    const char *cost = problem->maximize ? "profit" : "cost", *worse = problem->maximize ? "above" : "below";
    cli_row("outcome", "%s", berth_outcome_name(s->outcome));
    if (s->x != NULL) {
        cli_row(cost, "%.10g, found by %s", s->cost, s->found_by);
    }
    if (!isnan(s->bound)) {
        char bound[32];
        cli_row("bound", "%s: no solution is %s, %s", bound_text(problem, s->bound, bound), worse,
                proof_text(s->proof));
    }
    if (!isnan(s->node_bound)) {
        cli_row("branch-and-bound", "%.10g: no solution is %s, by the solver's word alone", s->node_bound, worse);
    }
    print_ratio(problem, s);
    print_rows(s);
}

static void print_promise(const berth_problem *problem, const berth_solution *s) {
    const berth_promise *p = &s->promise;
    char a[32];
    char b[32];
    char c[32];
    char d[32];
    if (!s->packing_covering || s->x == NULL) {
        return;
    }
    if (!p->holds) {
        cli_row("promise", "none: %s", p->why_not == NULL ? "-" : p->why_not);
        return;
    }
    if (p->probability >= 1) {
        cli_row("promise", "for certain, at G = %s:", cli_number(a, p->scale));
    } else {
        cli_row("promise", "of a draw at G = %s, with probability %s:", cli_number(a, p->scale),
                cli_number(b, p->probability));
    }
    printf("%-22s%s %s %s LP", "", problem->maximize ? "profit" : "cost",
           problem->maximize ? ">=" : "<=", cli_number(b, p->cost_factor));
    if (!isnan(s->cover_min)) {
        printf(", cover >= %s", cli_number(c, p->cover_factor));
    }
    if (!isnan(s->pack_max)) {
        printf(", packing <= %s", cli_number(d, p->pack_factor));
    }
    puts(isnan(s->cover_min) && isnan(s->pack_max) ? "" : " of the right sides");
}

static void print_variables(const berth_problem *problem, const berth_solution *s, size_t most) {
    size_t shown = 0, left = 0;
    if (s->x == NULL) {
        return;
    }
    for (size_t j = 0; j < problem->n_vars; j++) {
        if (s->x[j] == 0) {
            continue;
        }
        if (shown == most) {
            left++;
            continue;
        }
        if (shown++ == 0) {
            putchar('\n');
        }
        fputs("  ", stdout);
        cli_print_text(problem->var_names[j], NAME_WIDTH);
        printf(" %.10g\n", s->x[j]);
    }
    if (left > 0) {
        printf("  ... %zu more (--variables shows all)\n", left);
    }
    puts(shown == 0 ? "\n  all variables are 0" : "  all others are 0");
}

void cli_print_solution(const berth_problem *problem, const berth_solution *s, double seconds, size_t most) {
    char time[32];
    print_setting(problem, s);
    print_quality(problem, s);
    print_promise(problem, s);
    cli_row("time", "%s", cli_duration(time, seconds));
    print_variables(problem, s, most);
}
