/* Large packing and covering LPs to 1 % and 0.1 % by the first-order solver, against simplex where that finishes. */
#include "base/alloc.h"
#include "bench/cases/cases.h"
#include "bench/cases/first_order_instance.h"
#include "solver/first_order/run.h"
#include "solver/solve.h"

#include <math.h>
#include <stdio.h>

typedef struct lp_size {
    first_order_family family;
    int cols, rows;
    size_t entries;
    double gap;
    bool reference;
} lp_size;

typedef struct lp_state {
    const lp_size *size;
    int threads;
    berth__model *model;
    berth__lp *simplex;
    /* of the last run */
    berth_outcome outcome;
    double gap, gap_within, cost, optimum;
    berth__fo_counts counts;
} lp_state;

static void teardown(void *data) {
    lp_state *state = data;
    berth__lp_close(state->simplex);
    berth__model_free(state->model);
    berth__free(state);
}

static bench_verdict setup(const bench_case *c, const bench_settings *settings, void **out, char *note) {
    const lp_size *size = c->size;
    lp_state *state = berth__calloc(1, sizeof *state);
    if (state != NULL) {
        state->size = size;
        state->threads = settings->threads;
        state->optimum = (double)NAN;
        state->model = first_order_instance(size->family, size->cols, size->rows, size->entries, 1, false);
        if (state->model != NULL) {
            *out = state;
            return BENCH_DONE;
        }
        teardown(state);
    }
    snprintf(note, BENCH_NOTE, "out of memory");
    return BENCH_FAILED;
}

static void keep(lp_state *state, const berth__fo_form *form, const berth__fo_check *check) {
    state->gap = berth__fo_check_gap(check);
    state->gap_within = berth__fo_check_gap_within(check);
    state->cost = form->sense * (fmin(check->exact.cost, check->within.cost) + form->constant) + state->model->offset;
}

/* All that the backend does, from the model to the certificate. */
static bool run(void *data, bench_clock *clock) {
    (void)clock;
    lp_state *state = data;
    berth__fo_form form = {0};
    berth__fo_check check = {0};
    berth__team *team = berth__team_new(state->threads);
    bool good = team != NULL && berth__fo_form_init(state->model, &form, NULL) == BERTH_OK &&
                berth__fo_check_init(&form, team, state->size->gap, &check) &&
                berth__fo_run(&check, state->size->gap, NULL, &state->outcome, &state->counts) == BERTH_OK;
    if (good) {
        keep(state, &form, &check);
    }
    berth__fo_check_clear(&check);
    berth__fo_form_clear(&form);
    berth__team_free(team);
    return good && state->outcome == BERTH_APPROXIMATE;
}

static bench_verdict setup_reference(void *data, char *note) {
    lp_state *state = data;
    if (!state->size->reference) {
        return BENCH_SKIPPED;
    }
    if (berth__lp_open(state->model, NULL, "auto", &state->simplex, NULL) != BERTH_OK) {
        snprintf(note, BENCH_NOTE, "this build has no Clp");
        return BENCH_SKIPPED;
    }
    return BENCH_DONE;
}

/* Cold, every time. */
static bool run_reference(void *data, bench_clock *clock) {
    lp_state *state = data;
    berth__lp_options options;
    const berth__lp_result *result;
    bench_clock_pause(clock);
    berth__lp_close(state->simplex);
    state->simplex = NULL;
    if (berth__lp_open(state->model, NULL, "auto", &state->simplex, NULL) != BERTH_OK) {
        return false;
    }
    berth__lp_options_init(&options);
    bench_clock_resume(clock);
    bool good =
        berth__lp_solve(state->simplex, &options, &result, NULL) == BERTH_OK && result->outcome == BERTH_OPTIMAL;
    state->optimum = good ? result->objective : (double)NAN;
    return good;
}

static void quality(void *data, bench_figures *out) {
    const lp_state *state = data;
    const berth__fo_counts *counts = &state->counts;
    double passes = (double)counts->iteration.passes;
    bench_add_figure(out, "gap", "1", state->gap);
    bench_add_figure(out, "gap_within_slack", "1", state->gap_within);
    bench_add_figure(out, "passes", "operation", passes);
    bench_add_figure(out, "checks", "operation", (double)counts->checks);
    bench_add_figure(out, "restarts", "operation", (double)counts->iteration.restarts);
    bench_add_figure(out, "entries_read", "operation", counts->iteration.entries);
    bench_add_figure(out, "share_read", "1", counts->iteration.entries / (passes * (double)state->model->n_entries));
    bench_add_figure(out, "setup_s", "s", counts->setup_s);
    bench_add_figure(out, "checks_s", "s", counts->check_s);
    if (!isnan(state->optimum)) {
        bench_add_figure(out, "over_optimum", "1", fabs(state->cost - state->optimum) / fabs(state->optimum));
    }
}

#define SIZE(...)                                                                                                      \
    &(const lp_size) {                                                                                                 \
        __VA_ARGS__                                                                                                    \
    }
/* Both precisions of a family at a size. */
#define BOTH(name, about, family, cols, rows, entries, reference, quick)                                               \
    {name "/1%", about ", to 1 %", SIZE(family, cols, rows, entries, 0.01, reference), NULL, NULL, 0, quick, false}, { \
        name "/0.1%", about ", to 0.1 %", SIZE(family, cols, rows, entries, 0.001, reference), NULL, NULL, 0, quick,   \
            false                                                                                                      \
    }
/* All families. */
#define ALL(name, about, cols, rows, entries, reference)                                                               \
    BOTH(name "/cover", about, FIRST_ORDER_COVER, cols, rows, entries, reference, false),                              \
        BOTH(name "/packing", about, FIRST_ORDER_PACKING, cols, rows, entries, reference, false),                      \
        BOTH(name "/mixed", about, FIRST_ORDER_MIXED, cols, rows, entries, reference, false),                          \
        BOTH(name "/set-cover", about, FIRST_ORDER_SET_COVER, cols, rows, entries, reference, false),                  \
        BOTH(name "/budget", about, FIRST_ORDER_BUDGET, cols, rows, entries, reference, false),                        \
        BOTH(name "/k-cover", about, FIRST_ORDER_K_COVER, cols, rows, entries, reference, false)

static const bench_case cases[] = {
    BOTH("first-order/n5000/cover", "5,000 columns, 500 rows, 30,000 entries", FIRST_ORDER_COVER, 5000, 500, 30000,
         true, true),
    BOTH("first-order/n100000/set-cover", "100,000 columns, 10,000 rows, 10^6 entries", FIRST_ORDER_SET_COVER, 100000,
         10000, 1000000, false, false),
    ALL("long/first-order/n20000", "20,000 columns, 2,000 rows, 200,000 entries", 20000, 2000, 200000, true),
    ALL("long/first-order/n100000", "100,000 columns, 10,000 rows, 10^6 entries", 100000, 10000, 1000000, false),
    ALL("long/first-order/n1000000", "10^6 columns, 100,000 rows, 5 10^6 entries", 1000000, 100000, 5000000, false),
};

const bench_family bench_first_order = {
    .about = "first-order: packing and covering LPs to a given precision; reference: Clp, cold",
    .n_cases = sizeof cases / sizeof *cases,
    .cases = cases,
    .setup = setup,
    .run = run,
    .setup_reference = setup_reference,
    .run_reference = run_reference,
    .quality = quality,
    .teardown = teardown,
};
