/* The fractional slot cost for all values of W at once (formulations/theta.h), against warm Clp. */
#include "base/alloc.h"
#include "bench/cases/cases.h"
#include "bench/cases/theta_clp.h"
#include "bench/cases/theta_instance.h"

#include <math.h>
#include <stdio.h>

typedef enum theta_reference { NO_CLP = 0, CLP_ALL, CLP_SAMPLED } theta_reference;

typedef struct theta_size {
    theta_kind kind;
    int machines, resources;
    size_t values;
    theta_reference reference; /* how many of the values Clp solves */
} theta_size;

typedef struct theta_state {
    const theta_size *size;
    theta_instance *instance;
    berth__theta *theta;
    double *cost, *reference_cost; /* [values] */
    theta_clp *clp;
} theta_state;

static void teardown(void *data) {
    theta_state *state = data;
#ifdef BERTH_WITH_CLP
    theta_clp_free(state->clp);
#endif
    theta_instance_free(state->instance);
    berth__theta_free(state->theta);
    berth__free(state->cost);
    berth__free(state->reference_cost);
    berth__free(state);
}

static bench_verdict setup(const bench_case *c, const bench_settings *settings, void **out, char *note) {
    (void)settings;
    const theta_size *size = c->size;
    theta_state *state = berth__calloc(1, sizeof *state);
    if (state != NULL) {
        state->size = size;
        state->instance = theta_instance_new(size->kind, size->machines, size->resources, size->values);
        state->theta = berth__theta_new();
        state->cost = BERTH__NEW_ARRAY(double, size->values);
        state->reference_cost = BERTH__NEW_ARRAY(double, size->values);
        if (state->instance != NULL && state->theta != NULL && state->cost != NULL && state->reference_cost != NULL) {
            *out = state;
            return BENCH_DONE;
        }
        teardown(state);
    }
    snprintf(note, BENCH_NOTE, "out of memory, or nothing fits the instance");
    return BENCH_FAILED;
}

static bool run(void *data, bench_clock *clock) {
    (void)clock;
    theta_state *state = data;
    const theta_instance *i = state->instance;
    return berth__theta_solve(state->theta, &i->problem, i->n, i->W, i->S, state->cost, NULL, NULL) == BERTH_OK;
}

#ifdef BERTH_WITH_CLP
static bench_verdict setup_reference(void *data, char *note) {
    theta_state *state = data;
    if (state->size->reference == NO_CLP) {
        return BENCH_SKIPPED;
    }
    state->clp = theta_clp_new(state->instance, state->size->reference == CLP_SAMPLED);
    if (state->clp == NULL) {
        snprintf(note, BENCH_NOTE, "Clp finds no optimum, or out of memory");
        return BENCH_FAILED;
    }
    return BENCH_DONE;
}

static bool run_reference(void *data, bench_clock *clock) {
    theta_state *state = data;
    return theta_clp_sweep(state->clp, clock, state->reference_cost);
}

/* The worst difference of the values that both have solved, relative. */
static void compare(const theta_state *state, bench_figures *out) {
    double worst = 0, compared = 0;
    for (size_t i = 0; i < state->instance->n; i++) {
        double ours = state->cost[i], theirs = state->reference_cost[i];
        if (!isnan(theirs)) {
            worst = fmax(worst, fabs(ours - theirs) / fmax(1e-9, fabs(theirs)));
            compared++;
        }
    }
    bench_add_figure(out, "worst_difference", "1", worst);
    bench_add_figure(out, "values_compared", "1", compared);
    bench_add_figure(out, "clp_scaling", "1", theta_clp_scaling(state->clp));
    bench_add_figure(out, "clp_rising", "1", theta_clp_rising(state->clp));
}
#else
static bench_verdict setup_reference(void *data, char *note) {
    const theta_state *state = data;
    if (state->size->reference != NO_CLP) {
        snprintf(note, BENCH_NOTE, "this build has no Clp");
    }
    return BENCH_SKIPPED;
}

static bool run_reference(void *data, bench_clock *clock) {
    (void)data;
    (void)clock;
    return false;
}

static void compare(const theta_state *state, bench_figures *out) {
    (void)state;
    (void)out;
}
#endif

static void quality(void *data, bench_figures *out) {
    const theta_state *state = data;
    bench_add_figure(out, "largest_W", "1", state->instance->W[state->instance->n - 1]);
    if (state->clp != NULL) {
        compare(state, out);
    }
}

#define SIZE(...)                                                                                                      \
    &(const theta_size) {                                                                                              \
        __VA_ARGS__                                                                                                    \
    }

static const bench_case cases[] = {
    {"theta/realistic/h10", "10 machines, 4 resources, 50 values of W", SIZE(THETA_REALISTIC, 10, 4, 50, CLP_ALL),
     "theta H", "H", 10, true, true},
    {"theta/realistic/h100", "100 machines", SIZE(THETA_REALISTIC, 100, 4, 50, CLP_ALL), "theta H", "H", 100, true,
     true},
    {"theta/realistic/h1000", "1,000 machines", SIZE(THETA_REALISTIC, 1000, 4, 50, CLP_ALL), "theta H", "H", 1000, true,
     true},
    {"theta/realistic/h10000", "10,000 machines; Clp solves 9 of the 50 values",
     SIZE(THETA_REALISTIC, 10000, 4, 50, CLP_SAMPLED), "theta H", "H", 10000, false, true},
    {"theta/tied/h100", "machines with many equals", SIZE(THETA_TIED, 100, 4, 50, CLP_ALL), "theta tied H", "H", 100,
     true, true},
    {"theta/tied/h1000", "1,000 machines", SIZE(THETA_TIED, 1000, 4, 50, CLP_ALL), "theta tied H", "H", 1000, true,
     true},
    {"theta/tied/h10000", "10,000 machines; Clp solves 9 of the 50 values", SIZE(THETA_TIED, 10000, 4, 50, CLP_SAMPLED),
     "theta tied H", "H", 10000, false, true},
    {"theta/degenerate/h100", "small integers everywhere", SIZE(THETA_DEGENERATE, 100, 4, 50, CLP_ALL),
     "theta degenerate H", "H", 100, true, true},
    {"theta/degenerate/h1000", "1,000 machines", SIZE(THETA_DEGENERATE, 1000, 4, 50, CLP_ALL), "theta degenerate H",
     "H", 1000, true, true},
    {"theta/degenerate/h10000", "10,000 machines; Clp solves 9 of the 50 values",
     SIZE(THETA_DEGENERATE, 10000, 4, 50, CLP_SAMPLED), "theta degenerate H", "H", 10000, false, true},
    {"theta/whole/h10", "integer hulls, 200 whole values of W", SIZE(THETA_WHOLE, 10, 4, 200, NO_CLP), "theta whole H",
     "H", 10, true, true},
    {"theta/whole/h100", "100 machines", SIZE(THETA_WHOLE, 100, 4, 200, NO_CLP), "theta whole H", "H", 100, true, true},
    {"theta/whole/h1000", "1,000 machines", SIZE(THETA_WHOLE, 1000, 4, 200, NO_CLP), "theta whole H", "H", 1000, true,
     true},
    {"theta/whole/h10000", "10,000 machines", SIZE(THETA_WHOLE, 10000, 4, 200, NO_CLP), "theta whole H", "H", 10000,
     true, true},
    {"growth/theta-r/1", "1,000 machines, 1 resource", SIZE(THETA_REALISTIC, 1000, 1, 50, NO_CLP), "theta R", "R", 1,
     true, true},
    {"growth/theta-r/2", "2 resources", SIZE(THETA_REALISTIC, 1000, 2, 50, NO_CLP), "theta R", "R", 2, true, true},
    {"growth/theta-r/4", "4 resources", SIZE(THETA_REALISTIC, 1000, 4, 50, NO_CLP), "theta R", "R", 4, true, true},
    {"growth/theta-r/8", "8 resources", SIZE(THETA_REALISTIC, 1000, 8, 50, NO_CLP), "theta R", "R", 8, true, true},
    {"growth/theta-r/16", "16 resources", SIZE(THETA_REALISTIC, 1000, 16, 50, NO_CLP), "theta R", "R", 16, true, true},
    {"growth/theta-w/10", "1,000 machines, 10 values of W", SIZE(THETA_REALISTIC, 1000, 4, 10, NO_CLP), "theta values",
     "values", 10, true, true},
    {"growth/theta-w/50", "50 values", SIZE(THETA_REALISTIC, 1000, 4, 50, NO_CLP), "theta values", "values", 50, true,
     true},
    {"growth/theta-w/200", "200 values", SIZE(THETA_REALISTIC, 1000, 4, 200, NO_CLP), "theta values", "values", 200,
     true, true},
};

const bench_family bench_theta = {
    .about = "theta: the fractional slot cost for all values of W at once; reference: warm Clp, W by W",
    .n_cases = sizeof cases / sizeof *cases,
    .cases = cases,
    .setup = setup,
    .run = run,
    .setup_reference = setup_reference,
    .run_reference = run_reference,
    .quality = quality,
    .teardown = teardown,
};
