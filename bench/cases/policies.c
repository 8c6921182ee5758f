/* How good the policies are: utility over the LP bound of the same instance, mean over several instances, for every
 * policy that the build has. Each run is checked (berth_check), and a rule broken fails the case.
 *
 * Instances are those of seeds FIRST_SEED on; lower ones are for tuning policies. */
#include "base/alloc.h"
#include "base/budget.h"
#include "base/sort.h"
#include "bench/cases/cases.h"
#include "bench/cases/loaded_cluster.h"

#include <berth_io.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FIRST_SEED = 101, LEAST_SEEDS = 2, MOST_SEEDS = 10 };

/* Whose run carries the bound, which does not depend on it: one that takes next to no time. */
static const char bounding_policy[] = "fifo";
static const char rival[] = "srtf";
static const char week[] = "instances/philly/philly-sample.csv";

/* With a slot length, a week of the Philly trace; else the paper's generator. */
typedef struct policies_size {
    size_t machines;
    int slots;
    double load;
    berth_arrivals arrivals;
    double slot_seconds;
    int seeds;
    double most_s; /* no further instance is begun after so much processor time; 0: no limit */
} policies_size;

static const double bound_gap = 0.005;

/* What one policy did, over the instances. */
typedef struct outcome {
    double ratio[MOST_SEEDS]; /* utility / bound */
    double run_s;             /* sum */
    size_t admitted, completed;
    double *decision_s; /* [n_decisions] those that were timed */
    size_t n_decisions, room;
    char note[BENCH_NOTE]; /* why it cannot run; "": it can */
} outcome;

typedef struct policies_state {
    const policies_size *size;
    const char *name;
    berth_backends *backends;
    berth_options options;
    berth_instance *instance[MOST_SEEDS];
    double bound[MOST_SEEDS], bound_s;
    int n_done; /* instances */
    size_t n_policies;
    outcome *outcomes; /* [n_policies] in the order of berth_policy_names */
} policies_state;

static void teardown(void *data) {
    policies_state *state = data;
    for (int k = 0; k < MOST_SEEDS; k++) {
        berth_instance_free(state->instance[k]);
    }
    for (size_t p = 0; state->outcomes != NULL && p < state->n_policies; p++) {
        berth__free(state->outcomes[p].decision_s);
    }
    berth__free(state->outcomes);
    berth_backends_free(state->backends);
    berth__free(state);
}

/* ---- instances and their bounds ---- */

static berth_status generate(const policies_size *size, uint64_t seed, berth_instance **out, berth_error *error) {
    berth_generate_pdors_options generate;
    berth_generate_pdors_options_init(&generate);
    generate.seed = seed;
    generate.machines = size->machines;
    generate.slots = size->slots;
    generate.jobs = 0;
    generate.load = size->load;
    generate.arrivals = size->arrivals;
    return berth_generate_pdors(&generate, out, error);
}

/* Times, GPUs and durations are the same with every seed, which draws the rest. */
static berth_status import_week(const policies_size *size, uint64_t seed, berth_instance **out, berth_error *error) {
    const char *const path = week;
    berth_import_options import;
    berth_import_options_init(&import);
    import.seed = seed;
    import.from = "2017-10-09";
    import.slot_seconds = size->slot_seconds;
    import.slots = (int)(7 * 24 * 3600 / size->slot_seconds);
    import.machines = size->machines;
    return berth_import("philly-csv", &path, 1, &import, out, NULL, error);
}

static berth_status bound_instance(policies_state *state, int k, berth_error *error) {
    berth_options options = state->options;
    options.policy = bounding_policy;
    options.bound = BERTH_BOUND_LP;
    options.bound_gap = bound_gap;
    berth_run *run = NULL;
    double began = berth__now_s();
    berth_status status = berth_run_online(state->instance[k], &options, &run, NULL, error);
    state->bound[k] = status == BERTH_OK ? run->bounds.best : (double)NAN;
    state->bound_s += berth__now_s() - began;
    berth_run_free(run);
    return status;
}

/* The first one's bound tells whether there can be any. */
static berth_status make_instances(policies_state *state, berth_error *error) {
    berth_status status = BERTH_OK;
    for (int k = 0; k < state->size->seeds && status == BERTH_OK; k++) {
        uint64_t seed = FIRST_SEED + (uint64_t)k;
        status = state->size->slot_seconds > 0 ? import_week(state->size, seed, &state->instance[k], error)
                                               : generate(state->size, seed, &state->instance[k], error);
    }
    return status == BERTH_OK ? bound_instance(state, 0, error) : status;
}

static size_t count_policies(void) {
    size_t n = 0;
    while (berth_policy_names()[n] != NULL) {
        n++;
    }
    return n;
}

static bench_verdict setup(const bench_case *c, const bench_settings *settings, void **out, char *note) {
    policies_state *state = berth__calloc(1, sizeof *state);
    if (state != NULL) {
        state->n_policies = count_policies();
        state->outcomes = BERTH__NEW_ARRAY(outcome, state->n_policies);
    }
    if (state == NULL || state->outcomes == NULL || bench_backends_new(&state->backends) != BERTH_OK) {
        snprintf(note, BENCH_NOTE, "out of memory");
        if (state != NULL) {
            teardown(state);
        }
        return BENCH_FAILED;
    }
    state->size = c->size;
    state->name = c->name;
    berth_options_init(&state->options);
    state->options.threads = settings->threads;
    state->options.backends = state->backends;
    berth_error error;
    berth_status status = make_instances(state, &error);
    if (status != BERTH_OK) {
        snprintf(note, BENCH_NOTE, "%.*s", BENCH_NOTE - 1, error.message);
        teardown(state);
        return status == BERTH_E_IO || status == BERTH_E_BACKEND ? BENCH_SKIPPED : BENCH_FAILED;
    }
    *out = state;
    return BENCH_DONE;
}

/* ---- runs ---- */

static bool complain(const policies_state *state, const char *policy, int k, const char *what) {
    fprintf(stderr, "berth-bench: %s: policy %s, seed %d: %s\n", state->name, policy, FIRST_SEED + k, what);
    return false;
}

static bool rules_hold(const policies_state *state, const char *policy, int k, const berth_run *run) {
    berth_report *report = NULL;
    berth_error error;
    if (berth_check(state->instance[k], run, NULL, &report, &error) != BERTH_OK) {
        return complain(state, policy, k, error.message);
    }
    for (size_t i = 0; i < report->n_findings && report->n_violations > 0; i++) {
        if (report->findings[i].violated) {
            complain(state, policy, k, report->findings[i].message);
        }
    }
    bool clean = report->n_violations == 0;
    berth_report_free(report);
    return clean;
}

/* False: out of memory. */
static bool record(outcome *o, int k, double bound, const berth_run *run, const berth_timings *timings) {
    o->ratio[k] = bound > 0 ? run->utility / bound : 1;
    o->run_s += timings->total_s;
    o->admitted += run->summary.admitted;
    o->completed += run->summary.completed;
    for (size_t i = 0; i < timings->n_jobs; i++) {
        if (isnan(timings->decision_us[i])) {
            continue;
        }
        if (!berth__grow((void **)&o->decision_s, &o->room, o->n_decisions, sizeof *o->decision_s)) {
            return false;
        }
        o->decision_s[o->n_decisions++] = timings->decision_us[i] * 1e-6;
    }
    return true;
}

/* Of instance k. False: it failed. A policy that this build cannot run leaves a note. */
static bool run_policy(policies_state *state, const char *policy, int k, outcome *o, bench_clock *clock) {
    berth_options options = state->options;
    options.policy = policy;
    options.seed = FIRST_SEED + (uint64_t)k;
    options.bound = BERTH_BOUND_NONE;
    berth_run *run = NULL;
    berth_timings timings = {0};
    berth_error error;
    berth_status status = berth_run_online(state->instance[k], &options, &run, &timings, &error);
    if (status == BERTH_E_BACKEND || status == BERTH_E_UNSUPPORTED) {
        snprintf(o->note, sizeof o->note, "%.*s", BENCH_NOTE - 1, error.message);
        return true;
    }
    if (status != BERTH_OK) {
        return complain(state, policy, k, error.message);
    }
    bench_clock_pause(clock);
    bool clean = rules_hold(state, policy, k, run) &&
                 (record(o, k, state->bound[k], run, &timings) || complain(state, policy, k, "out of memory"));
    berth_timings_clear(&timings);
    berth_run_free(run);
    bench_clock_resume(clock);
    return clean;
}

static bool run_instance(policies_state *state, int k, bench_clock *clock) {
    bench_clock_pause(clock);
    berth_error error;
    bool going =
        k == 0 || bound_instance(state, k, &error) == BERTH_OK || complain(state, bounding_policy, k, error.message);
    bench_clock_resume(clock);
    for (size_t p = 0; p < state->n_policies && going; p++) {
        outcome *o = &state->outcomes[p];
        going = o->note[0] != '\0' || run_policy(state, berth_policy_names()[p], k, o, clock);
    }
    return going;
}

/* All policies have the same instances. */
static bool run(void *data, bench_clock *timer) {
    policies_state *state = data;
    clock_t began = clock();
    double most_s = state->size->most_s > 0 ? state->size->most_s : HUGE_VAL;
    bool going = true;
    while (going && state->n_done < state->size->seeds &&
           (state->n_done < LEAST_SEEDS || (double)(clock() - began) / CLOCKS_PER_SEC < most_s)) {
        going = run_instance(state, state->n_done, timer);
        state->n_done++;
    }
    return going;
}

/* ---- what came out ---- */

static double mean(const double *x, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++) {
        sum += x[k];
    }
    return sum / n;
}

/* Standard deviation; NAN of fewer than two. */
static double deviation(const double *x, int n) {
    double centre = mean(x, n), squares = 0;
    for (int k = 0; k < n; k++) {
        squares += (x[k] - centre) * (x[k] - centre);
    }
    return n > 1 ? sqrt(squares / (n - 1)) : (double)NAN;
}

static const outcome *find_rival(const policies_state *state) {
    for (size_t p = 0; p < state->n_policies; p++) {
        if (strcmp(berth_policy_names()[p], rival) == 0 && state->outcomes[p].note[0] == '\0') {
            return &state->outcomes[p];
        }
    }
    return NULL;
}

static const struct {
    const char *name, *unit;
} columns[] = {{"utility_over_bound", "1"}, {"sd", "1"},           {"over_srtf", "1"}, {"se", "1"},
               {"admitted", "1"},           {"completed", "1"},    {"promised", "1"},  {"kept", "1"},
               {"decision_p50", "s"},       {"decision_p99", "s"}, {"run", "s"}};

/* In the order of the columns; `sd` is of utility_over_bound, `se` the standard error of over_srtf (pairs of runs). */
static void fill_item(const policies_state *state, const char *policy, outcome *o, double *value) {
    int n = state->n_done;
    const outcome *other = find_rival(state);
    double over[MOST_SEEDS];
    bool promises = berth_policy_promises(policy);
    for (int k = 0; k < n; k++) {
        over[k] = other == NULL ? (double)NAN : o->ratio[k] - other->ratio[k];
    }
    berth__sort(o->decision_s, o->n_decisions);
    *value++ = mean(o->ratio, n);
    *value++ = deviation(o->ratio, n);
    *value++ = mean(over, n);
    *value++ = deviation(over, n) / sqrt(n);
    *value++ = (double)o->admitted / n;
    *value++ = (double)o->completed / n;
    *value++ = promises ? (double)o->admitted / n : (double)NAN;
    *value++ = promises ? (double)o->completed / n : (double)NAN;
    *value++ = berth__quantile(o->decision_s, o->n_decisions, 0.5);
    *value++ = berth__quantile(o->decision_s, o->n_decisions, 0.99);
    *value = o->run_s / n;
}

static void compare(void *data, bench_comparison *out) {
    policies_state *state = data;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        bench_add_column(out, columns[i].name, columns[i].unit);
    }
    for (size_t p = 0; p < state->n_policies; p++) {
        const char *policy = berth_policy_names()[p];
        outcome *o = &state->outcomes[p];
        bench_item *item = bench_add_item(out, policy);
        if (item != NULL && o->note[0] != '\0') {
            memcpy(item->note, o->note, sizeof item->note);
        } else if (item != NULL) {
            fill_item(state, policy, o, item->value);
        }
    }
}

static void quality(void *data, bench_figures *out) {
    const policies_state *state = data;
    int n = state->n_done;
    size_t jobs = 0;
    for (int k = 0; k < n; k++) {
        jobs += state->instance[k]->n_jobs;
    }
    bench_add_figure(out, "instances", "1", n);
    bench_add_figure(out, "jobs", "1", (double)jobs / n);
    bench_add_figure(out, "bound", "1", mean(state->bound, n));
    bench_add_figure(out, "bound_gap", "1", bound_gap);
    bench_add_figure(out, "bound_time", "s", state->bound_s / n);
}

/* ---- cases ---- */

#define SIZE(...)                                                                                                      \
    &(const policies_size) {                                                                                           \
        __VA_ARGS__                                                                                                    \
    }
#define GENERATED(machines, load, arrivals, seeds, most_s)                                                             \
    SIZE((machines), 20, (load), BERTH_ARRIVALS_##arrivals, 0, (seeds), (most_s))
#define WEEK(machines, slot_seconds, seeds, most_s)                                                                    \
    SIZE((machines), 0, 0, BERTH_ARRIVALS_UNIFORM, (slot_seconds), (seeds), (most_s))

static const bench_case cases[] = {
    {"policies/h20/load0.5", "20 machines, 20 slots, load 0.5, up to 10 seeds", GENERATED(20, 0.5, UNIFORM, 10, 6),
     NULL, NULL, 0, true, false},
    {"policies/h20/load1", "load 1", GENERATED(20, 1, UNIFORM, 10, 6), NULL, NULL, 0, true, false},
    {"policies/h20/load3", "load 3", GENERATED(20, 3, UNIFORM, 10, 6), NULL, NULL, 0, false, false},
    {"policies/h20/poisson-load1", "Poisson arrivals, load 1", GENERATED(20, 1, POISSON, 10, 6), NULL, NULL, 0, false,
     false},
    {"policies/h20/bursts-load1", "arrivals in bursts, load 1", GENERATED(20, 1, BURSTS, 10, 6), NULL, NULL, 0, false,
     false},
    {"policies/h100/load1", "100 machines, load 1, 2 seeds", GENERATED(100, 1, UNIFORM, 2, 6), NULL, NULL, 0, false,
     false},
    {"policies/h100/load3", "load 3, 2 seeds", GENERATED(100, 3, UNIFORM, 2, 6), NULL, NULL, 0, false, false},
    {"policies/philly/h16-2h", "a week of the Philly trace, 16 machines, slots of 2 h, one seed", WEEK(16, 7200, 1, 6),
     NULL, NULL, 0, false, false},
    {"long/policies/h20/load0.5", "20 machines, 20 slots, load 0.5, 10 seeds", GENERATED(20, 0.5, UNIFORM, 10, 0), NULL,
     NULL, 0, false, false},
    {"long/policies/h20/load1", "load 1", GENERATED(20, 1, UNIFORM, 10, 0), NULL, NULL, 0, false, false},
    {"long/policies/h20/load3", "load 3", GENERATED(20, 3, UNIFORM, 10, 0), NULL, NULL, 0, false, false},
    {"long/policies/h20/poisson-load0.5", "Poisson arrivals, load 0.5", GENERATED(20, 0.5, POISSON, 10, 0), NULL, NULL,
     0, false, false},
    {"long/policies/h20/poisson-load1", "Poisson arrivals, load 1", GENERATED(20, 1, POISSON, 10, 0), NULL, NULL, 0,
     false, false},
    {"long/policies/h20/poisson-load3", "Poisson arrivals, load 3", GENERATED(20, 3, POISSON, 10, 0), NULL, NULL, 0,
     false, false},
    {"long/policies/h20/bursts-load0.5", "arrivals in bursts, load 0.5", GENERATED(20, 0.5, BURSTS, 10, 0), NULL, NULL,
     0, false, false},
    {"long/policies/h20/bursts-load1", "arrivals in bursts, load 1", GENERATED(20, 1, BURSTS, 10, 0), NULL, NULL, 0,
     false, false},
    {"long/policies/h20/bursts-load3", "arrivals in bursts, load 3", GENERATED(20, 3, BURSTS, 10, 0), NULL, NULL, 0,
     false, false},
    {"long/policies/h100/load0.5", "100 machines, load 0.5", GENERATED(100, 0.5, UNIFORM, 10, 0), NULL, NULL, 0, false,
     false},
    {"long/policies/h100/load1", "100 machines, load 1", GENERATED(100, 1, UNIFORM, 10, 0), NULL, NULL, 0, false,
     false},
    {"long/policies/h100/load3", "100 machines, load 3", GENERATED(100, 3, UNIFORM, 10, 0), NULL, NULL, 0, false,
     false},
    {"long/policies/philly/h8-2h", "a week of the Philly trace, 8 machines, slots of 2 h", WEEK(8, 7200, 10, 0), NULL,
     NULL, 0, false, false},
    {"long/policies/philly/h16-2h", "a week of the Philly trace, 16 machines, slots of 2 h", WEEK(16, 7200, 10, 0),
     NULL, NULL, 0, false, false},
    {"long/policies/philly/h16-1h", "a week of the Philly trace, 16 machines, slots of 1 h", WEEK(16, 3600, 10, 0),
     NULL, NULL, 0, false, false},
    {"long/policies/philly/h32-1h", "a week of the Philly trace, 32 machines, slots of 1 h", WEEK(32, 3600, 10, 0),
     NULL, NULL, 0, false, false},
};

const bench_family bench_policies = {
    .about = "policies: utility over the LP bound, mean over instances, of every policy",
    .n_cases = sizeof cases / sizeof *cases,
    .cases = cases,
    .once = true,
    .setup = setup,
    .run = run,
    .quality = quality,
    .compare = compare,
    .teardown = teardown,
};
