/* Allocation of a cluster (formulations/goodput/): placed and certified, against what others take for the same
 * instance: Pollux's genetic search, the relaxation by an LP backend, the integer programme by a MIP backend. */
#include <berth_goodput.h>

#include "bench/cases/cases.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct allocate_size {
    size_t nodes;
    uint32_t gpus;
    size_t types, jobs;
    int rules;                 /* berth_goodput_rules */
    berth_allocator reference; /* BERTH: the same with the relaxation by GLPK */
    bool has_reference;
} allocate_size;

typedef struct allocate_state {
    allocate_size size;
    berth_backends *backends;
    berth_goodput_instance *instance;
    berth_allocation *ours, *theirs; /* of the last run */
} allocate_state;

static void teardown(void *data) {
    allocate_state *state = data;
    berth_allocation_free(state->ours);
    berth_allocation_free(state->theirs);
    berth_goodput_instance_free(state->instance);
    berth_backends_free(state->backends);
    free(state);
}

static berth_status add_backends(allocate_state *state) {
    berth_status status = berth_backends_new(&state->backends);
#ifdef BERTH_WITH_GLPK
    if (status == BERTH_OK)
        status = berth_add_backend(state->backends, berth_glpk_backend());
#endif
    return status;
}

static bench_verdict setup(const bench_case *c, const bench_settings *settings, void **out, char *note) {
    (void)settings;
    berth_error error = {0};
    berth_generate_goodput_options options;
    allocate_state *state = calloc(1, sizeof *state);
    if (state == NULL) {
        snprintf(note, BENCH_NOTE, "out of memory");
        return BENCH_FAILED;
    }
    state->size = *(const allocate_size *)c->size;
    berth_generate_goodput_options_init(&options);
    options.nodes = state->size.nodes;
    options.gpus = state->size.gpus;
    options.types = state->size.types;
    options.jobs = state->size.jobs;
    if (add_backends(state) != BERTH_OK || berth_generate_goodput(&options, &state->instance, &error) != BERTH_OK) {
        snprintf(note, BENCH_NOTE, "%.150s", error.message);
        teardown(state);
        return BENCH_FAILED;
    }
    state->instance->rules = state->size.rules;
    if (state->size.rules == BERTH_RULES_SIA)
        state->instance->p = -0.5;
    *out = state;
    return BENCH_DONE;
}

static bool allocate(const allocate_state *state, berth_allocator allocator, const char *solver,
                     berth_allocation **out) {
    berth_allocate_options options;
    berth_allocate_options_init(&options);
    options.allocator = allocator;
    options.solver = solver;
    options.backends = state->backends;
    berth_allocation_free(*out);
    *out = NULL;
    return berth_allocate(state->instance, &options, out, NULL) == BERTH_OK;
}

static bool run(void *data, bench_clock *clock) {
    (void)clock;
    allocate_state *state = data;
    return allocate(state, BERTH_ALLOCATOR_BERTH, "auto", &state->ours);
}

static bench_verdict setup_reference(void *data, char *note) {
    const allocate_state *state = data;
    (void)note;
#ifdef BERTH_WITH_GLPK
    return state->size.has_reference ? BENCH_DONE : BENCH_SKIPPED;
#else
    return state->size.has_reference && state->size.reference == BERTH_ALLOCATOR_GENETIC ? BENCH_DONE : BENCH_SKIPPED;
#endif
}

static bool run_reference(void *data, bench_clock *clock) {
    (void)clock;
    allocate_state *state = data;
    const bool relaxed = state->size.reference == BERTH_ALLOCATOR_BERTH;
    return allocate(state, state->size.reference, relaxed ? "glpk" : "auto", &state->theirs);
}

static void quality(void *data, bench_figures *out) {
    const allocate_state *state = data;
    double options = 0;
    for (size_t j = 0; j < state->instance->n_jobs; j++) {
        options += state->instance->jobs[j].max_replicas;
    }
    bench_add_figure(out, "replicas at most", "operation", options);
    bench_add_figure(out, "F", "1", state->ours->fitness);
    bench_add_figure(out, "gap", "1", state->ours->ratio - 1);
    bench_add_figure(out, "starved", "1", (double)state->ours->starved);
    if (state->theirs != NULL)
        bench_add_figure(out, "reference F", "1", state->theirs->fitness);
}

#define SIZE(...)                                                                                                      \
    &(const allocate_size) {                                                                                           \
        __VA_ARGS__                                                                                                    \
    }
#define POLLUX       BERTH_RULES_POLLUX
#define SIA          BERTH_RULES_SIA
#define LP           BERTH_ALLOCATOR_BERTH, true
#define NO_REFERENCE BERTH_ALLOCATOR_BERTH, false
static const bench_case cases[] = {
    {"allocate/16x4-40", "16 nodes of 4 GPUs, 40 jobs; relaxation by GLPK", SIZE(16, 4, 1, 40, POLLUX, LP), NULL, NULL,
     0, true, true},
    {"allocate/16x4-40-genetic", "Pollux's search", SIZE(16, 4, 1, 40, POLLUX, BERTH_ALLOCATOR_GENETIC, true), NULL,
     NULL, 0, false, false},
    {"allocate/16x4-40-mip", "Sia's rules; integer programme by GLPK",
     SIZE(16, 4, 4, 40, SIA, BERTH_ALLOCATOR_SIA, true), NULL, NULL, 0, false, false},
    {"allocate/64x4-160", "64 nodes of 4 GPUs, 160 jobs; relaxation by GLPK", SIZE(64, 4, 1, 160, POLLUX, LP), NULL,
     NULL, 0, false, false},
    {"allocate/256x8-1280", "2,048 GPUs, 1,280 jobs", SIZE(256, 8, 1, 1280, POLLUX, NO_REFERENCE), NULL, NULL, 0, false,
     false},
    {"allocate/256x8x4-1280", "of 4 types", SIZE(256, 8, 4, 1280, POLLUX, NO_REFERENCE), NULL, NULL, 0, false, false},
    {"allocate/256x8x4-1280-sia", "of 4 types, Sia's rules; relaxation by GLPK", SIZE(256, 8, 4, 1280, SIA, LP), NULL,
     NULL, 0, false, false},
    {"growth/allocate-jobs/160", "32 nodes of 8 GPUs, 160 jobs", SIZE(32, 8, 1, 160, POLLUX, NO_REFERENCE),
     "allocate jobs", "jobs", 160, false, false},
    {"growth/allocate-jobs/320", "64 nodes, 320 jobs", SIZE(64, 8, 1, 320, POLLUX, NO_REFERENCE), "allocate jobs",
     "jobs", 320, false, false},
    {"growth/allocate-jobs/640", "128 nodes, 640 jobs", SIZE(128, 8, 1, 640, POLLUX, NO_REFERENCE), "allocate jobs",
     "jobs", 640, false, false},
    {"growth/allocate-jobs/1280", "256 nodes, 1,280 jobs", SIZE(256, 8, 1, 1280, POLLUX, NO_REFERENCE), "allocate jobs",
     "jobs", 1280, false, false},
};

const bench_family bench_allocate = {
    .about = "allocate: GPUs for adaptive jobs, with the prices that bound any allocation, against others",
    .n_cases = sizeof cases / sizeof *cases,
    .cases = cases,
    .setup = setup,
    .run = run,
    .setup_reference = setup_reference,
    .run_reference = run_reference,
    .quality = quality,
    .teardown = teardown,
};
