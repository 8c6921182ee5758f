/* What an allocator asks of the goodput model (formulations/goodput/): tables of the best batches of many jobs, for all
 * numbers of GPUs up to 64 on one node and on several. Growth with jobs. */
#include <berth_goodput.h>

#include "base/pcg.h"
#include "bench/cases/cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPLICAS = 64 };

typedef struct goodput_size {
    size_t jobs;
    berth_batch_mode mode;
} goodput_size;

typedef struct goodput_state {
    const goodput_size *size;
    berth_goodput_profile *profiles;
    berth_goodput_point local[REPLICAS], spread[REPLICAS];
    double sum; /* of the largest goodputs over those of one GPU */
} goodput_state;

static void teardown(void *data) {
    goodput_state *state = data;
    free(state->profiles);
    free(state);
}

/* Like Pollux's six applications: batches from 8 to 256 at first and 32 times that at most, some of which a GPU holds
 * at once, gradients of milliseconds to seconds, networks that take several gradients. */
static berth_goodput_profile draw_profile(berth__pcg *stream) {
    berth_goodput_profile p;
    berth_goodput_profile_init(&p);
    p.m0 = floor(8 * exp2(5 * berth__pcg_uniform(stream)));
    p.max_batch = 32 * p.m0;
    p.min_local = fmax(floor(p.m0 / 8), 1);
    p.max_local = floor(p.m0 * exp2(5 * berth__pcg_uniform(stream)));
    const double gradient = 0.01 * pow(100, berth__pcg_uniform(stream)), fixed = 0.1 + 0.5 * berth__pcg_uniform(stream);
    p.alpha_c = fixed * gradient;
    p.beta_c = (1 - fixed) * gradient / p.m0;
    p.alpha_r = gradient * (0.1 + berth__pcg_uniform(stream));
    p.beta_r = p.alpha_r * 0.05 * berth__pcg_uniform(stream);
    p.alpha_n = gradient * (1 + 4 * berth__pcg_uniform(stream));
    p.beta_n = p.alpha_n * 0.05 * berth__pcg_uniform(stream);
    p.gamma = 1 + 2 * berth__pcg_uniform(stream);
    p.grad_sqr = 1;
    p.grad_var = pow(10, 1 + 2 * berth__pcg_uniform(stream));
    return p;
}

static bench_verdict setup(const bench_case *c, const bench_settings *settings, void **out, char *note) {
    (void)settings;
    berth__pcg stream = berth__pcg_seed(1, 0);
    goodput_state *state = calloc(1, sizeof *state);
    if (state != NULL) {
        state->size = c->size;
        state->profiles = calloc(state->size->jobs, sizeof *state->profiles);
    }
    if (state == NULL || state->profiles == NULL) {
        snprintf(note, BENCH_NOTE, "out of memory");
        free(state);
        return BENCH_FAILED;
    }
    for (size_t k = 0; k < state->size->jobs; k++) {
        state->profiles[k] = draw_profile(&stream);
    }
    *out = state;
    return BENCH_DONE;
}

static bool run(void *data, bench_clock *clock) {
    (void)clock;
    goodput_state *state = data;
    state->sum = 0;
    for (size_t k = 0; k < state->size->jobs; k++) {
        double best = 0;
        if (berth_goodput_table(&state->profiles[k], state->size->mode, REPLICAS, state->local, state->spread, NULL) !=
            BERTH_OK) {
            return false;
        }
        for (int i = 0; i < REPLICAS; i++) {
            best = fmax(best, state->spread[i].goodput);
        }
        state->sum += best / state->local[0].goodput;
    }
    return true;
}

static void quality(void *data, bench_figures *out) {
    const goodput_state *state = data;
    bench_add_figure(out, "points", "operation", (double)state->size->jobs * (2 * REPLICAS - 1));
    bench_add_figure(out, "mean best speedup", "1", state->sum / (double)state->size->jobs);
}

#define SIZE(jobs, mode)                                                                                               \
    &(const goodput_size) {                                                                                            \
        jobs, mode                                                                                                     \
    }
static const bench_case cases[] = {
    {"goodput/grid-1", "a job, 50 batch sizes as Pollux", SIZE(1, BERTH_BATCH_GRID), NULL, NULL, 0, true, true},
    {"goodput/exact-1", "a job, all m and s", SIZE(1, BERTH_BATCH_EXACT), NULL, NULL, 0, true, true},
    {"goodput/grid-1280", "1,280 jobs", SIZE(1280, BERTH_BATCH_GRID), NULL, NULL, 0, false, false},
    {"goodput/exact-1280", "1,280 jobs, all m and s", SIZE(1280, BERTH_BATCH_EXACT), NULL, NULL, 0, false, false},
    {"growth/goodput-jobs/80", "80 jobs", SIZE(80, BERTH_BATCH_GRID), "goodput tables", "jobs", 80, false, false},
    {"growth/goodput-jobs/320", "320 jobs", SIZE(320, BERTH_BATCH_GRID), "goodput tables", "jobs", 320, false, false},
    {"growth/goodput-jobs/1280", "1,280 jobs", SIZE(1280, BERTH_BATCH_GRID), "goodput tables", "jobs", 1280, false,
     false},
};

const bench_family bench_goodput = {
    .about = "goodput: best batches of jobs for 1 to 64 GPUs, on one node and on several; no reference",
    .n_cases = sizeof cases / sizeof *cases,
    .cases = cases,
    .setup = setup,
    .run = run,
    .quality = quality,
    .teardown = teardown,
};
