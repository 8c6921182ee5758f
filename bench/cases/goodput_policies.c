/* Policies in simulations of measured trainings: Pollux's workloads on 16 nodes of 4 GPUs, the mean over them of
 * completion, makespan and fairness. Each run is checked (berth_check_goodput_run), and a rule broken fails the case.
 */
#include "base/alloc.h"
#include "base/budget.h"
#include "bench/cases/cases.h"

#include <berth_goodput.h>

#include <math.h>
#include <stdio.h>

enum { MOST_WORKLOADS = 8, MOST_POLICIES = 8, NODES = 16, GPUS = 4 };

/* Where all applications are. */
static const char applications[] = "instances/pollux/workload-6.json.gz";

typedef struct goodput_size {
    int first, last;           /* workload-FIRST.csv to workload-LAST.csv */
    berth_allocator allocator; /* another than berth: of pollux alone */
} goodput_size;

typedef struct outcome {
    double mean_s, makespan_s, fairness, worst, unfair, restarts, utilisation; /* sums */
    double run_s;
} outcome;

typedef struct goodput_state {
    const char *name;
    berth_allocator allocator;
    size_t n_workloads;
    berth_goodput_workload *workloads[MOST_WORKLOADS];
    outcome outcomes[MOST_POLICIES];
} goodput_state;

static void teardown(void *data) {
    goodput_state *state = data;
    for (size_t k = 0; k < state->n_workloads; k++)
        berth_goodput_workload_free(state->workloads[k]);
    berth__free(state);
}

static bench_verdict setup(const bench_case *c, const bench_settings *settings, void **out, char *note) {
    const goodput_size *size = c->size;
    berth_error error;
    goodput_state *state = berth__calloc(1, sizeof *state);
    (void)settings;
    if (!state) {
        snprintf(note, BENCH_NOTE, "out of memory");
        return BENCH_FAILED;
    }
    state->name = c->name;
    state->allocator = size->allocator;
    for (int k = size->first; k <= size->last; k++) {
        char path[80];
        snprintf(path, sizeof path, "instances/pollux/workload-%d.csv", k);
        const berth_status status =
            berth_goodput_import(path, applications, NODES, GPUS, &state->workloads[state->n_workloads], &error);
        if (status) {
            snprintf(note, BENCH_NOTE, "%.*s", BENCH_NOTE - 1, error.message);
            teardown(state);
            return status == BERTH_E_IO ? BENCH_SKIPPED : BENCH_FAILED;
        }
        state->n_workloads++;
    }
    *out = state;
    return BENCH_DONE;
}

static bool complain(const goodput_state *state, const char *policy, size_t k, const char *what) {
    fprintf(stderr, "berth-bench: %s: policy %s, %s: %s\n", state->name, policy, state->workloads[k]->name, what);
    return false;
}

static bool rules_hold(const goodput_state *state, const char *policy, size_t k, const berth_goodput_run *run) {
    berth_report *report = NULL;
    berth_error error;
    if (berth_check_goodput_run(state->workloads[k], run, NULL, &report, &error) != BERTH_OK)
        return complain(state, policy, k, error.message);
    for (size_t i = 0; i < report->n_findings; i++)
        if (report->findings[i].violated)
            complain(state, policy, k, report->findings[i].message);
    const bool clean = report->n_violations == 0 && run->completed == run->n_jobs;
    berth_report_free(report);
    return clean;
}

static bool run_one(goodput_state *state, size_t policy, size_t k, bench_clock *clock) {
    berth_goodput_run_options options;
    berth_goodput_run *run = NULL;
    berth_error error;
    outcome *o = &state->outcomes[policy];
    const char *name = berth_goodput_policy_name((berth_goodput_policy)policy);
    berth_goodput_run_options_init(&options);
    options.policy = (berth_goodput_policy)policy;
    options.allocator = state->allocator;
    const double began = berth__now_s();
    if (berth_goodput_simulate(state->workloads[k], &options, &run, &error) != BERTH_OK)
        return complain(state, name, k, error.message);
    o->run_s += berth__now_s() - began;
    bench_clock_pause(clock);
    o->mean_s += run->mean_s;
    o->makespan_s += run->makespan_s;
    o->fairness += run->mean_fairness;
    o->worst = fmax(o->worst, run->worst_fairness);
    o->unfair += run->unfair;
    o->restarts += (double)run->restarts;
    o->utilisation += run->utilisation;
    const bool clean = rules_hold(state, name, k, run);
    berth_goodput_run_free(run);
    bench_clock_resume(clock);
    return clean;
}

static size_t n_policies(const goodput_state *state) {
    size_t n = 0;
    while (n < MOST_POLICIES && berth_goodput_policy_name((berth_goodput_policy)n))
        n++;
    return state->allocator == BERTH_ALLOCATOR_BERTH ? n : 1; /* pollux is the first */
}

static bool run(void *data, bench_clock *clock) {
    goodput_state *state = data;
    bool going = true;
    for (size_t p = 0; p < n_policies(state); p++)
        for (size_t k = 0; k < state->n_workloads && going; k++)
            going = run_one(state, p, k, clock);
    return going;
}

static void compare(void *data, bench_comparison *out) {
    static const struct {
        const char *name, *unit;
    } columns[] = {{"average_completion", "s"}, {"makespan", "s"}, {"fairness", "1"},
                   {"worst_fairness", "1"},     {"unfair", "1"},   {"restarts", "1"},
                   {"utilisation", "1"},        {"run", "s"}};
    const goodput_state *state = data;
    const double n = (double)state->n_workloads;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        bench_add_column(out, columns[i].name, columns[i].unit);
    for (size_t p = 0; p < n_policies(state); p++) {
        const outcome *o = &state->outcomes[p];
        bench_item *item = bench_add_item(out, berth_goodput_policy_name((berth_goodput_policy)p));
        const double values[] = {o->mean_s / n, o->makespan_s / n, o->fairness / n,    o->worst,
                                 o->unfair / n, o->restarts / n,   o->utilisation / n, o->run_s / n};
        for (size_t i = 0; item && i < sizeof values / sizeof *values; i++)
            item->value[i] = values[i];
    }
}

static const bench_case cases[] = {
#define SIZE(first, last, allocator)                                                                                   \
    &(const goodput_size) {                                                                                            \
        first, last, BERTH_ALLOCATOR_##allocator                                                                       \
    }
    {"goodput/workload-3", "160 jobs on 64 GPUs, low load", SIZE(3, 3, BERTH), NULL, NULL, 0, false, false},
    {"long/goodput/workloads", "Pollux's eight workloads at load 1", SIZE(1, 8, BERTH), NULL, NULL, 0, false, false},
    {"long/goodput/genetic", "the same under pollux with its own search", SIZE(1, 8, GENETIC), NULL, NULL, 0, false,
     false},
#undef SIZE
};

const bench_family bench_goodput_policies = {
    .about = "goodput: policies in simulations of measured trainings, mean over workloads",
    .n_cases = sizeof cases / sizeof *cases,
    .cases = cases,
    .once = true,
    .setup = setup,
    .run = run,
    .compare = compare,
    .teardown = teardown,
};
