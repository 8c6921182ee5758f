/* The LP bound of a run of the paper's generator: what it takes to come within 0.5 % of the LP's value. The reference
 * is the same with one row per machine, not per class, where that is small enough. */
#include "base/alloc.h"
#include "bench/cases/cases.h"
#include "bench/cases/loaded_cluster.h"
#include "online/schedule_lp.h"

#include <berth_io.h>

#include <stdio.h>
#include <string.h>

typedef struct lp_size {
    size_t machines;
    int slots;
    size_t jobs; /* 0: by load */
    double load;
    double gap;
    bool reference;
} lp_size;

typedef struct lp_state {
    const lp_size *size;
    int threads;
    berth_instance *instance;
    berth_backends *backends;
    berth__cluster *cluster;
    berth__job **jobs;
    int n_classes, *class_of, *own_class;
    double *prices; /* [horizon][n_machines][n_resources] */
    size_t n_prices;
    berth__schedule_lp_result found, reference;
} lp_state;

static void teardown(void *data) {
    lp_state *state = data;
    for (size_t i = 0; state->jobs != NULL && i < state->instance->n_jobs; i++) {
        berth__job_free(state->jobs[i]);
    }
    berth__free(state->jobs);
    berth__free(state->class_of);
    berth__free(state->own_class);
    berth__free(state->prices);
    berth__cluster_free(state->cluster);
    berth_instance_free(state->instance);
    berth_backends_free(state->backends);
    berth__free(state);
}

static bool make_instance(lp_state *state) {
    berth_generate_pdors_options generate;
    berth_generate_pdors_options_init(&generate);
    generate.machines = state->size->machines;
    generate.slots = state->size->slots;
    generate.jobs = state->size->jobs;
    generate.load = state->size->load;
    return berth_generate_pdors(&generate, &state->instance, NULL) == BERTH_OK &&
           bench_backends_new(&state->backends) == BERTH_OK;
}

static bool make_jobs(lp_state *state) {
    const berth_instance *instance = state->instance;
    berth_cluster spec;
    berth_instance_cluster(instance, &spec);
    state->n_prices = (size_t)instance->horizon_slots * instance->n_machines * instance->n_resources;
    state->jobs = BERTH__NEW_ARRAY(berth__job *, instance->n_jobs);
    state->class_of = BERTH__NEW_ARRAY(int, instance->n_machines);
    state->own_class = BERTH__NEW_ARRAY(int, instance->n_machines);
    state->prices = BERTH__NEW_ARRAY(double, state->n_prices);
    if (state->jobs == NULL || state->class_of == NULL || state->own_class == NULL || state->prices == NULL ||
        berth__cluster_new(&spec, &state->cluster, NULL) != BERTH_OK) {
        return false;
    }
    for (size_t i = 0; i < instance->n_jobs; i++) {
        if (berth__job_new(state->cluster, &instance->jobs[i], &state->jobs[i], NULL) != BERTH_OK) {
            return false;
        }
    }
    for (size_t h = 0; h < instance->n_machines; h++) {
        state->own_class[h] = (int)h;
    }
    state->n_classes = berth__machine_classes(state->cluster, instance->n_jobs, state->jobs, state->class_of);
    return state->n_classes > 0;
}

static bench_verdict setup(const bench_case *c, const bench_settings *settings, void **out, char *note) {
    lp_state *state = berth__calloc(1, sizeof *state);
    if (state != NULL) {
        state->size = c->size;
        state->threads = settings->threads;
    }
    if (state == NULL || !make_instance(state) || !make_jobs(state)) {
        snprintf(note, BENCH_NOTE, "cannot make the instance");
        if (state != NULL) {
            teardown(state);
        }
        return BENCH_FAILED;
    }
    *out = state;
    return BENCH_DONE;
}

/* From no prices at all. */
static bool bound(lp_state *state, int n_classes, const int *class_of, berth__schedule_lp_result *out) {
    berth_options defaults;
    berth_options_init(&defaults);
    berth__schedule_lp_options options = {
        .levels = defaults.levels, .threads = state->threads, .gap = state->size->gap, .backends = state->backends};
    memset(state->prices, 0, state->n_prices * sizeof *state->prices);
    return berth__schedule_lp(state->cluster, state->instance->n_jobs, state->jobs, n_classes, class_of, &options,
                              state->prices, out, NULL) == BERTH_OK &&
           out->reached;
}

static bool run(void *data, bench_clock *clock) {
    (void)clock;
    lp_state *state = data;
    return bound(state, state->n_classes, state->class_of, &state->found);
}

static bench_verdict setup_reference(void *data, char *note) {
    (void)note;
    const lp_state *state = data;
    return state->size->reference ? BENCH_DONE : BENCH_SKIPPED;
}

static bool run_reference(void *data, bench_clock *clock) {
    (void)clock;
    lp_state *state = data;
    return bound(state, state->cluster->n_machines, state->own_class, &state->reference);
}

static void quality(void *data, bench_figures *out) {
    const lp_state *state = data;
    bench_add_figure(out, "bound", "1", state->found.bound);
    bench_add_figure(out, "bound_over_master", "1", state->found.bound / state->found.master);
    bench_add_figure(out, "jobs", "1", (double)state->instance->n_jobs);
    bench_add_figure(out, "passes", "operation", (double)state->found.passes);
    if (state->size->reference) {
        bench_add_figure(out, "reference_passes", "1", (double)state->reference.passes);
    }
}

#define SIZE(...)                                                                                                      \
    &(const lp_size) {                                                                                                 \
        __VA_ARGS__                                                                                                    \
    }

static const bench_case cases[] = {
    {"lp-bound/h20-t20-load3", "20 machines, 20 slots, load 3, to 0.5 %", SIZE(20, 20, 0, 3, 0.005, false),
     "lp-bound H", "H", 20, true, false},
    {"lp-bound/h40-t20-load3", "40 machines", SIZE(40, 20, 0, 3, 0.005, false), "lp-bound H", "H", 40, true, false},
    {"lp-bound/h80-t20-load3", "80 machines", SIZE(80, 20, 0, 3, 0.005, false), "lp-bound H", "H", 80, false, false},
    {"lp-bound/h5-t10-by-machine", "5 machines, 10 slots, load 3; reference: a row per machine",
     SIZE(5, 10, 0, 3, 0.005, true), NULL, NULL, 0, true, false},
    {"lp-bound/h100-t50-200-jobs", "100 machines, 50 slots, 200 jobs, to 0.5 %", SIZE(100, 50, 200, 1, 0.005, false),
     NULL, NULL, 0, true, false},
    {"lp-bound/h100-t50-load1", "load 1", SIZE(100, 50, 0, 1, 0.005, false), NULL, NULL, 0, false, false},
    {"lp-bound/h100-t50-load3", "load 3", SIZE(100, 50, 0, 3, 0.005, false), NULL, NULL, 0, false, false},
    {"lp-bound/h100-t50-load1-tight", "load 1, to 0.001 %", SIZE(100, 50, 0, 1, 1e-5, false), NULL, NULL, 0, false,
     false},
};

const bench_family bench_lp_bound = {
    .about = "lp-bound: the schedule LP of the paper's generator by column generation, from no prices at all",
    .n_cases = sizeof cases / sizeof *cases,
    .cases = cases,
    .setup = setup,
    .run = run,
    .setup_reference = setup_reference,
    .run_reference = run_reference,
    .quality = quality,
    .teardown = teardown,
};
