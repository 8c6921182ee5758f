/* The schedule programme (online/schedule.h) over slots, quanta and offers, against the same recursion in its plainest
 * form. */
#include "online/schedule.h"
#include "base/alloc.h"
#include "base/pcg.h"
#include "bench/cases/cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct schedule_size {
    int slots, quanta, offers; /* offers: of a slot */
} schedule_size;

typedef struct schedule_state {
    schedule_size size;
    berth__offer *offers; /* [slots][size.offers] pruned */
    int *n_offers;        /* [slots] what pruning left */
    int *index;           /* [slots] the plan */
    berth__schedule *schedule;
    double theta, reference_theta;
    double *before, *after; /* [quanta + 1] of the reference */
} schedule_state;

static void teardown(void *data) {
    schedule_state *state = data;
    berth__free(state->offers);
    berth__free(state->n_offers);
    berth__free(state->index);
    berth__schedule_free(state->schedule);
    berth__free(state->before);
    berth__free(state->after);
    berth__free(state);
}

/* Costs grow faster than progress, as prices do when a slot fills; rough enough that they are not convex. */
static void draw_offers(schedule_state *state) {
    const uint64_t key[] = {(uint64_t)state->size.slots, (uint64_t)state->size.quanta, (uint64_t)state->size.offers};
    berth__pcg stream = berth__pcg_key(3, key);
    for (int t = 0; t < state->size.slots; t++) {
        berth__offer *offers = state->offers + (size_t)t * (size_t)state->size.offers;
        double level = 1 + berth__pcg_uniform(&stream), most = fmax(1, state->size.quanta / 4.0);
        for (int i = 0; i < state->size.offers; i++) {
            double part = (i + 1.0) / state->size.offers;
            offers[i] = (berth__offer){.quanta = (int)ceil(part * most),
                                       .cost = level * part * (1 + part) * (1 + 0.05 * berth__pcg_uniform(&stream)),
                                       .index = i};
        }
        state->n_offers[t] = berth__offers_prune(offers, state->size.offers);
    }
}

static bench_verdict setup(const bench_case *c, const bench_settings *settings, void **out, char *note) {
    (void)settings;
    schedule_state *state = berth__calloc(1, sizeof *state);
    if (state != NULL) {
        const schedule_size *size = c->size;
        state->size = *size;
        state->offers = BERTH__NEW_ARRAY(berth__offer, (size_t)size->slots * (size_t)size->offers);
        state->n_offers = BERTH__NEW_ARRAY(int, (size_t)size->slots);
        state->index = BERTH__NEW_ARRAY(int, (size_t)size->slots);
        state->schedule = berth__schedule_new();
        state->before = BERTH__NEW_ARRAY(double, (size_t)size->quanta + 1);
        state->after = BERTH__NEW_ARRAY(double, (size_t)size->quanta + 1);
        if (state->offers != NULL && state->n_offers != NULL && state->index != NULL && state->schedule != NULL &&
            state->before != NULL && state->after != NULL) {
            draw_offers(state);
            *out = state;
            return BENCH_DONE;
        }
        teardown(state);
    }
    snprintf(note, BENCH_NOTE, "out of memory");
    return BENCH_FAILED;
}

static bool run(void *data, bench_clock *clock) {
    (void)clock;
    schedule_state *state = data;
    const schedule_size *size = &state->size;
    berth__schedule *schedule = state->schedule;
    if (berth__schedule_start(schedule, size->quanta, size->slots, true, NULL) != BERTH_OK) {
        return false;
    }
    for (int t = 0; t < size->slots; t++) {
        state->theta =
            berth__schedule_add_slot(schedule, state->offers + (size_t)t * (size_t)size->offers, state->n_offers[t]);
    }
    if (state->theta < HUGE_VAL) {
        berth__schedule_trace(schedule, size->slots - 1, state->index);
    }
    return true;
}

static bench_verdict setup_reference(void *data, char *note) {
    (void)data;
    (void)note;
    return BENCH_DONE;
}

/* Without a trace. */
static bool run_reference(void *data, bench_clock *clock) {
    (void)clock;
    schedule_state *state = data;
    int n = state->size.quanta;
    for (int v = 0; v <= n; v++) {
        state->before[v] = v > 0 ? (double)INFINITY : 0;
    }
    for (int t = 0; t < state->size.slots; t++) {
        const berth__offer *offers = state->offers + (size_t)t * (size_t)state->size.offers;
        for (int v = 0; v <= n; v++) {
            double best = state->before[v];
            for (int i = 0; i < state->n_offers[t]; i++) {
                int left = v > offers[i].quanta ? v - offers[i].quanta : 0;
                best = fmin(best, state->before[left] + offers[i].cost);
            }
            state->after[v] = best;
        }
        memcpy(state->before, state->after, ((size_t)n + 1) * sizeof *state->before);
    }
    state->reference_theta = state->before[n];
    return true;
}

static void quality(void *data, bench_figures *out) {
    const schedule_state *state = data;
    double offers = 0;
    for (int t = 0; t < state->size.slots; t++) {
        offers += state->n_offers[t];
    }
    bench_add_figure(out, "cells", "operation", offers * state->size.quanta);
    bench_add_figure(out, "difference", "1",
                     fabs(state->theta - state->reference_theta) / fabs(state->reference_theta));
}

#define SIZE(...)                                                                                                      \
    &(const schedule_size) {                                                                                           \
        __VA_ARGS__                                                                                                    \
    }

static const bench_case cases[] = {
    {"schedule/20x200x50", "20 slots, 200 quanta, 50 offers a slot", SIZE(20, 200, 50), NULL, NULL, 0, true, true},
    {"schedule/100x200x200", "100 slots, 200 quanta, 200 offers", SIZE(100, 200, 200), NULL, NULL, 0, true, true},
    {"schedule/100x2000x500", "100 slots, 2,000 quanta, 500 offers", SIZE(100, 2000, 500), NULL, NULL, 0, false, false},
    {"growth/schedule-slots/25", "25 slots, 400 quanta, 50 offers", SIZE(25, 400, 50), "schedule slots", "slots", 25,
     true, true},
    {"growth/schedule-slots/50", "50 slots", SIZE(50, 400, 50), "schedule slots", "slots", 50, true, true},
    {"growth/schedule-slots/100", "100 slots", SIZE(100, 400, 50), "schedule slots", "slots", 100, true, true},
    {"growth/schedule-slots/200", "200 slots", SIZE(200, 400, 50), "schedule slots", "slots", 200, true, true},
    {"growth/schedule-quanta/200", "20 slots, 200 quanta, 50 offers", SIZE(20, 200, 50), "schedule quanta", "quanta",
     200, true, true},
    {"growth/schedule-quanta/800", "800 quanta", SIZE(20, 800, 50), "schedule quanta", "quanta", 800, true, true},
    {"growth/schedule-quanta/3200", "3,200 quanta", SIZE(20, 3200, 50), "schedule quanta", "quanta", 3200, true, true},
    {"growth/schedule-offers/25", "20 slots, 800 quanta, 25 offers", SIZE(20, 800, 25), "schedule offers", "offers", 25,
     true, true},
    {"growth/schedule-offers/50", "50 offers", SIZE(20, 800, 50), "schedule offers", "offers", 50, true, true},
    {"growth/schedule-offers/100", "100 offers", SIZE(20, 800, 100), "schedule offers", "offers", 100, true, true},
    {"growth/schedule-offers/200", "200 offers", SIZE(20, 800, 200), "schedule offers", "offers", 200, true, true},
};

const bench_family bench_schedule = {
    .about = "schedule: the cheapest way to gather progress over slots; reference: the recursion in its plainest form",
    .n_cases = sizeof cases / sizeof *cases,
    .cases = cases,
    .setup = setup,
    .run = run,
    .setup_reference = setup_reference,
    .run_reference = run_reference,
    .quality = quality,
    .teardown = teardown,
};
