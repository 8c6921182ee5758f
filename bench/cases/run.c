/* Whole online runs of the paper's generator, with their certificates; the reference of a policy is pdors on the same
 * instance. */
#include "base/alloc.h"
#include "base/sort.h"
#include "bench/cases/cases.h"
#include "bench/cases/loaded_cluster.h"
#include "online/policy.h"

#include <berth_io.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct run_size {
    const char *policy;
    size_t machines;
    int slots;
    double load;
    bool reference;
} run_size;

typedef struct run_state {
    const run_size *size;
    berth_instance *instance;
    berth_backends *backends;
    berth_options options;
    berth_run *run;
    berth_timings timings;
    double reference_utility;
} run_state;

static void forget_run(run_state *state) {
    berth_run_free(state->run);
    berth_timings_clear(&state->timings);
    state->run = NULL;
    state->timings = (berth_timings){0};
}

static void teardown(void *data) {
    run_state *state = data;
    forget_run(state);
    berth_instance_free(state->instance);
    berth_backends_free(state->backends);
    berth__free(state);
}

static bench_verdict setup(const bench_case *c, const bench_settings *settings, void **out, char *note) {
    const run_size *size = c->size;
    if (berth__policy_find(size->policy) == NULL) {
        snprintf(note, BENCH_NOTE, "this build has no policy \"%s\" (it has: %s)", size->policy, berth__policy_names());
        return BENCH_SKIPPED;
    }
    run_state *state = berth__calloc(1, sizeof *state);
    if (state == NULL) {
        snprintf(note, BENCH_NOTE, "out of memory");
        return BENCH_FAILED;
    }
    state->size = size;
    berth_generate_pdors_options generate;
    berth_generate_pdors_options_init(&generate);
    generate.seed = 1;
    generate.machines = size->machines;
    generate.slots = size->slots;
    generate.jobs = 0;
    generate.load = size->load;
    berth_error error;
    if (berth_generate_pdors(&generate, &state->instance, &error) != BERTH_OK ||
        bench_backends_new(&state->backends) != BERTH_OK) {
        snprintf(note, BENCH_NOTE, "cannot make the instance");
        teardown(state);
        return BENCH_FAILED;
    }
    berth_options_init(&state->options);
    state->options.policy = size->policy;
    state->options.threads = settings->threads;
    state->options.backends = state->backends;
    *out = state;
    return BENCH_DONE;
}

static bool run(void *data, bench_clock *clock) {
    (void)clock;
    run_state *state = data;
    forget_run(state);
    return berth_run_online(state->instance, &state->options, &state->run, &state->timings, NULL) == BERTH_OK;
}

static bench_verdict setup_reference(void *data, char *note) {
    (void)note;
    const run_state *state = data;
    return state->size->reference ? BENCH_DONE : BENCH_SKIPPED;
}

static bool run_reference(void *data, bench_clock *clock) {
    (void)clock;
    run_state *state = data;
    berth_options options = state->options;
    options.policy = "pdors";
    berth_run *reference = NULL;
    if (berth_run_online(state->instance, &options, &reference, NULL, NULL) != BERTH_OK) {
        return false;
    }
    state->reference_utility = reference->utility;
    berth_run_free(reference);
    return true;
}

/* Median time of the decisions first .. end-1; instances of the generator are in order of arrival. */
static double median_us(const berth_timings *timings, size_t first, size_t end) {
    double *sorted = BERTH__NEW_ARRAY(double, end - first);
    if (sorted == NULL) {
        return (double)NAN;
    }
    size_t n = 0;
    for (size_t i = first; i < end; i++) {
        if (!isnan(timings->decision_us[i])) {
            sorted[n++] = timings->decision_us[i];
        }
    }
    berth__sort(sorted, n);
    double median = berth__quantile(sorted, n, 0.5);
    berth__free(sorted);
    return median;
}

static void quality(void *data, bench_figures *out) {
    const run_state *state = data;
    const berth_run *r = state->run;
    const berth_timings *t = &state->timings;
    size_t quarter = t->n_jobs / 4;
    double early = median_us(t, 0, quarter), late = median_us(t, t->n_jobs - quarter, t->n_jobs);
    bench_add_figure(out, "utility", "1", r->utility);
    bench_add_figure(out, "bound_ratio", "1", r->bounds.ratio);
    bench_add_figure(out, "jobs", "1", (double)r->n_jobs);
    bench_add_figure(out, "admitted", "1", (double)r->summary.admitted);
    bench_add_figure(out, "decision_p50", "s", t->p50_us * 1e-6);
    bench_add_figure(out, "decision_p99", "s", t->p99_us * 1e-6);
    bench_add_figure(out, "first_quarter", "s", early * 1e-6);
    bench_add_figure(out, "last_quarter", "s", late * 1e-6);
    bench_add_figure(out, "late_over_early", "1", late / early);
    bench_add_figure(out, "relaxation", "s", t->relaxation_s);
    bench_add_figure(out, "rounding", "s", t->rounding_s);
    bench_add_figure(out, "schedule", "s", t->schedule_s);
    bench_add_figure(out, "payoff_bound", "s", t->payoff_bound_s);
    bench_add_figure(out, "dual_bound", "s", t->dual_bound_s);
    if (r->rounding != NULL) {
        bench_add_figure(out, "roundings", "operation", r->rounding->problems);
        bench_add_figure(out, "draws", "operation", r->rounding->draws);
    }
    if (state->size->reference) {
        bench_add_figure(out, "utility_over_reference", "1", r->utility / state->reference_utility);
    }
}

#define SIZE(...)                                                                                                      \
    &(const run_size) {                                                                                                \
        __VA_ARGS__                                                                                                    \
    }

static const bench_case cases[] = {
    {"run/pdors/h10-t20", "10 machines, 20 slots, load 1", SIZE("pdors", 10, 20, 1, false), "run pdors H", "H", 10,
     true, false},
    {"run/pdors/h20-t20", "20 machines", SIZE("pdors", 20, 20, 1, false), "run pdors H", "H", 20, true, false},
    {"run/pdors/h40-t20", "40 machines", SIZE("pdors", 40, 20, 1, false), "run pdors H", "H", 40, false, false},
    {"run/pdors/h20-t20-overload", "load 3", SIZE("pdors", 20, 20, 3, false), NULL, NULL, 0, false, false},
    {"run/pdors/h20-t100", "20 machines, 100 slots, load 1", SIZE("pdors", 20, 100, 1, false), NULL, NULL, 0, false,
     false},
    {"run/pdors-ci/h10-t20", "10 machines, 20 slots, load 1", SIZE("pdors-ci", 10, 20, 1, true), "run pdors-ci H", "H",
     10, true, false},
    {"run/pdors-ci/h20-t20", "20 machines", SIZE("pdors-ci", 20, 20, 1, true), "run pdors-ci H", "H", 20, true, false},
    {"run/pdors-ci/h40-t20", "40 machines", SIZE("pdors-ci", 40, 20, 1, true), "run pdors-ci H", "H", 40, false, false},
    {"run/pdors-ci/h20-t20-overload", "load 3", SIZE("pdors-ci", 20, 20, 3, true), NULL, NULL, 0, false, false},
    {"run/pdors-ci/h20-t100", "20 machines, 100 slots, load 1", SIZE("pdors-ci", 20, 100, 1, true), NULL, NULL, 0,
     false, false},
};

const bench_family bench_run = {
    .about = "run: whole online runs of the paper's generator, certificate included; reference: policy pdors",
    .n_cases = sizeof cases / sizeof *cases,
    .cases = cases,
    .setup = setup,
    .run = run,
    .setup_reference = setup_reference,
    .run_reference = run_reference,
    .quality = quality,
    .teardown = teardown,
};
