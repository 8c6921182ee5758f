/* Cohorts of a budget (formulations/cohort/) among many clients: picked and certified. Counts and growth with clients.
 */
#include <berth_cohort.h>

#include "bench/cases/cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct cohort_size {
    size_t clients, categories;
    berth_cohort_objective objective;
} cohort_size;

typedef struct cohort_state {
    berth_cohort_data *data;
    berth_cohort_request *request;
    berth_cohort *cohort; /* of the last run */
} cohort_state;

static void teardown(void *data) {
    cohort_state *state = data;
    berth_cohort_free(state->cohort);
    berth_cohort_request_free(state->request);
    berth_cohort_data_free(state->data);
    free(state);
}

static bench_verdict setup(const bench_case *c, const bench_settings *settings, void **out, char *note) {
    (void)settings;
    berth_error error;
    berth_generate_cohort_options options;
    const cohort_size *size = c->size;
    cohort_state *state = calloc(1, sizeof *state);
    if (state == NULL) {
        snprintf(note, BENCH_NOTE, "out of memory");
        return BENCH_FAILED;
    }
    berth_generate_cohort_options_init(&options);
    options.clients = size->clients;
    options.categories = size->categories;
    if (berth_generate_cohort(&options, &state->data, &state->request, &error) != BERTH_OK) {
        snprintf(note, BENCH_NOTE, "%.150s", error.message);
        teardown(state);
        return BENCH_FAILED;
    }
    state->request->objective = size->objective;
    if (size->objective == BERTH_COHORT_PARTICIPANTS) {
        state->request->budget = 0;
    }
    *out = state;
    return BENCH_DONE;
}

static bool run(void *data, bench_clock *clock) {
    (void)clock;
    cohort_state *state = data;
    berth_cohort_free(state->cohort);
    state->cohort = NULL;
    return berth_cohort_pick(state->data, state->request, NULL, &state->cohort, NULL) == BERTH_OK &&
           state->cohort->n_participants > 0;
}

static void quality(void *data, bench_figures *out) {
    const cohort_state *state = data;
    bench_add_figure(out, "entries", "operation", (double)state->data->row_start[state->data->n_clients]);
    bench_add_figure(out, "participants", "1", (double)state->cohort->n_participants);
    bench_add_figure(out, "gap", "1", state->cohort->ratio - 1);
}

#define SIZE(clients, categories, objective)                                                                           \
    &(const cohort_size) {                                                                                             \
        clients, categories, objective                                                                                 \
    }
static const bench_case cases[] = {
    {"cohort/100k-20", "100,000 clients, 20 categories", SIZE(100000, 20, BERTH_COHORT_DURATION), NULL, NULL, 0, true,
     false},
    {"cohort/100k-100", "100 categories", SIZE(100000, 100, BERTH_COHORT_DURATION), NULL, NULL, 0, false, false},
    {"cohort/1m-20", "1,000,000 clients", SIZE(1000000, 20, BERTH_COHORT_DURATION), NULL, NULL, 0, false, false},
    {"cohort/1m-100", "1,000,000 clients, 100 categories", SIZE(1000000, 100, BERTH_COHORT_DURATION), NULL, NULL, 0,
     false, false},
    {"cohort/1m-20-fewest", "fewest participants, without a deadline", SIZE(1000000, 20, BERTH_COHORT_PARTICIPANTS),
     NULL, NULL, 0, false, false},
    {"growth/cohort-clients/100k", "100,000 clients, 20 categories", SIZE(100000, 20, BERTH_COHORT_DURATION),
     "cohort clients", "clients", 100000, false, false},
    {"growth/cohort-clients/300k", "300,000 clients", SIZE(300000, 20, BERTH_COHORT_DURATION), "cohort clients",
     "clients", 300000, false, false},
    {"growth/cohort-clients/1m", "1,000,000 clients", SIZE(1000000, 20, BERTH_COHORT_DURATION), "cohort clients",
     "clients", 1000000, false, false},
};

const bench_family bench_cohort = {
    .about = "cohort: clients to test on, as fast as a budget allows, with the bound that proves it; no reference",
    .n_cases = sizeof cases / sizeof *cases,
    .cases = cases,
    .setup = setup,
    .run = run,
    .quality = quality,
    .teardown = teardown,
};
