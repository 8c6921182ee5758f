/* General problems by every method, against the known optima of a folder: gap and time by class, beside GLPK's branch
 * and bound with the same time limit. */
#include "base/alloc.h"
#include "base/budget.h"
#include "bench/cases/cases.h"
#include "bench/cases/loaded_cluster.h"
#include "bench/cases/optima.h"

#include <berth_io.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A problem's limit. */
static const double limit_s = 2;

typedef struct outcome {
    bool solved; /* all rows hold */
    double gap;  /* relative, of the cost to the optimum */
    double seconds;
} outcome;

typedef struct solve_state {
    const char *method;
    bench_optima *optima;
    berth_backends *backends;
    berth_problem **problems; /* [optima->n] */
    outcome *ours, *reference;
    int threads;
    bool has_reference;
} solve_state;

static void teardown(void *data) {
    solve_state *state = data;
    for (size_t k = 0; state->problems != NULL && k < state->optima->n; k++) {
        berth_problem_free(state->problems[k]);
    }
    bench_optima_free(state->optima);
    berth_backends_free(state->backends);
    berth__free(state->problems);
    berth__free(state->ours);
    berth__free(state->reference);
    berth__free(state);
}

static bool read_problems(solve_state *state, const char *folder, char *note) {
    size_t n = state->optima->n;
    state->problems = BERTH__NEW_ARRAY(berth_problem *, n);
    state->ours = BERTH__NEW_ARRAY(outcome, n);
    state->reference = BERTH__NEW_ARRAY(outcome, n);
    if (state->problems == NULL || state->ours == NULL || state->reference == NULL) {
        snprintf(note, BENCH_NOTE, "out of memory");
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        char path[1024];
        berth_error error = {0};
        berth_problem_read_options options;
        berth_problem_read_options_init(&options);
        options.backends = state->backends;
        options.number = state->optima->at[k].number;
        snprintf(path, sizeof path, "%s/%s", folder, state->optima->at[k].file);
        if (berth_problem_read(path, &options, &state->problems[k], &error) != BERTH_OK) {
            snprintf(note, BENCH_NOTE, "%.60s: %.120s", state->optima->at[k].file, error.message);
            return false;
        }
    }
    return true;
}

static bench_verdict setup(const bench_case *c, const bench_settings *settings, void **out, char *note) {
    solve_state *state = BERTH__NEW_ARRAY(solve_state, 1);
    if (state == NULL) {
        snprintf(note, BENCH_NOTE, "out of memory");
        return BENCH_FAILED;
    }
    const char *folder = settings->problems != NULL ? settings->problems : "instances/problems/optima";
    state->method = c->size;
    state->threads = settings->threads;
    bool complete = bench_backends_new(&state->backends) == BERTH_OK;
    if (!complete) {
        snprintf(note, BENCH_NOTE, "out of memory");
    }
    complete = complete && bench_optima_read(folder, &state->optima, note) && read_problems(state, folder, note);
    if (!complete) {
        teardown(state);
        return BENCH_FAILED;
    }
    *out = state;
    return BENCH_DONE;
}

static bool solve_all(const solve_state *state, const char *method, outcome *out) {
    for (size_t k = 0; k < state->optima->n; k++) {
        berth_solve_options options;
        berth_solution *solution = NULL;
        berth_solve_options_init(&options);
        options.method = method;
        options.backends = state->backends;
        options.threads = state->threads;
        options.time_limit_s = limit_s;
        options.repair = true;
        options.group_separators = strcmp(method, "dependent") == 0 ? "_" : NULL;
        double start = berth__now_s(), best = state->optima->at[k].optimum;
        if (berth_solve(state->problems[k], &options, &solution, NULL) != BERTH_OK) {
            return false;
        }
        bool holds = solution->outcome == BERTH_OPTIMAL || solution->outcome == BERTH_FEASIBLE ||
                     (solution->outcome == BERTH_LIMIT && solution->x != NULL && !isnan(solution->ratio));
        out[k] = (outcome){.solved = holds,
                           .gap = fabs(solution->cost - best) / fmax(1, fabs(best)),
                           .seconds = berth__now_s() - start};
        berth_solution_free(solution);
    }
    return true;
}

static bool run(void *data, bench_clock *clock) {
    (void)clock;
    solve_state *state = data;
    return solve_all(state, state->method, state->ours);
}

static bench_verdict setup_reference(void *data, char *note) {
    solve_state *state = data;
    for (size_t k = 0; k < berth_backends_count(state->backends); k++) {
        state->has_reference = state->has_reference || strcmp(berth_backends_name(state->backends, k), "glpk") == 0;
    }
    if (!state->has_reference) {
        snprintf(note, BENCH_NOTE, "this build has no branch and bound");
        return BENCH_SKIPPED;
    }
    return strcmp(state->method, "auto") == 0 ? BENCH_DONE : BENCH_SKIPPED;
}

static bool run_reference(void *data, bench_clock *clock) {
    (void)clock;
    solve_state *state = data;
    return solve_all(state, "exact", state->reference);
}

static void add(bench_figures *out, const char *class, const char *what, const char *unit, double value) {
    char name[40];
    snprintf(name, sizeof name, "%.20s_%.18s", class, what);
    bench_add_figure(out, name, unit, value);
}

/* Mean gap of the solved ones, share of them, mean time, over the problems of a class. */
static void add_class(const solve_state *state, const outcome *of, const char *class, const char *suffix,
                      bench_figures *out) {
    double gap = 0, seconds = 0;
    int n = 0, solved = 0;
    for (size_t k = 0; k < state->optima->n; k++) {
        if (strcmp(state->optima->at[k].class, class) == 0) {
            n++;
            solved += of[k].solved;
            gap += of[k].solved ? of[k].gap : 0;
            seconds += of[k].seconds;
        }
    }
    char what[32];
    snprintf(what, sizeof what, "gap%s", suffix);
    add(out, class, what, "1", solved > 0 ? gap / solved : (double)NAN);
    snprintf(what, sizeof what, "time%s", suffix);
    add(out, class, what, "s", seconds / n);
    if (solved < n) {
        snprintf(what, sizeof what, "unsolved%s", suffix);
        add(out, class, what, "1", n - solved);
    }
}

static bool is_first_of_class(const bench_optima *optima, size_t number) {
    for (size_t k = 0; k < number; k++) {
        if (strcmp(optima->at[k].class, optima->at[number].class) == 0) {
            return false;
        }
    }
    return true;
}

static void quality(void *data, bench_figures *out) {
    const solve_state *state = data;
    bool reference = state->has_reference && strcmp(state->method, "auto") == 0;
    for (size_t k = 0; k < state->optima->n; k++) {
        if (is_first_of_class(state->optima, k)) {
            const char *class = state->optima->at[k].class;
            add_class(state, state->ours, class, "", out);
            if (reference) {
                add_class(state, state->reference, class, "_exact", out);
            }
        }
    }
}

static const bench_case cases[] = {
    {"solve/auto", "the best of all steps, 2 s a problem", "auto", NULL, NULL, 0, false, false},
    {"solve/derandomized", "conditional probabilities, altered if needed", "derandomized", NULL, NULL, 0, false, false},
    {"solve/randomized", "16 draws, the best altered if needed", "randomized", NULL, NULL, 0, false, false},
    {"solve/randomized-exact", "the same at the scale of this very problem", "randomized-exact", NULL, NULL, 0, false,
     false},
    {"solve/greedy", "the classical baseline", "greedy", NULL, NULL, 0, false, false},
    {"solve/exact", "GLPK's branch and bound, 2 s a problem", "exact", NULL, NULL, 0, false, false},
};

const bench_family bench_solve = {
    .about = "solve: general problems with known optima, by method; reference of auto: GLPK's branch and bound, the "
             "same time limit",
    .n_cases = sizeof cases / sizeof *cases,
    .cases = cases,
    .setup = setup,
    .run = run,
    .setup_reference = setup_reference,
    .run_reference = run_reference,
    .quality = quality,
    .teardown = teardown,
};
