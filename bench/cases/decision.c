/* The decision of one job on a half-loaded cluster, through berth_what_if. The reference of a policy is policy pdors,
 * which solves and rounds an LP for every slot and width: a sample of its slots, scaled up to as many as the measured
 * policy looked at. What is not a slot's offers (bound, schedule programme) is not part of that, in its favour. */
#include "base/alloc.h"
#include "bench/cases/cases.h"
#include "bench/cases/loaded_cluster.h"
#include "bench/cases/theta_clp.h"
#include "online/scheduler/scheduler.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* The reference is what the relaxations alone would take in raw Clp: one slot's problem of the same size with 50 values
 * of W, scaled up to 200 values in every slot of the bound pass and every slot searched. */
enum { RAW_CLP = -1, RAW_VALUES = 50, RAW_WIDTHS = 200 };

typedef struct decision_size {
    loaded_size cluster;
    int reference_slots; /* of pdors; 0: no reference; RAW_CLP: see there */
} decision_size;

typedef struct decision_state {
    const decision_size *size;
    loaded_cluster *cluster;
    double slots_searched, roundings, draws; /* over all jobs */
    double cost_over_bound;                  /* mean over jobs that have a plan */
    double planned, admitted;
    double reference_roundings; /* mean of its slots */
    theta_instance *raw_slot;
    theta_clp *raw_clp;
} decision_state;

static void teardown(void *data) {
    decision_state *state = data;
#ifdef BERTH_WITH_CLP
    theta_clp_free(state->raw_clp);
#endif
    theta_instance_free(state->raw_slot);
    loaded_cluster_free(state->cluster);
    berth__free(state);
}

static bench_verdict setup(const bench_case *c, const bench_settings *settings, void **out, char *note) {
    const decision_size *size = c->size;
    if (berth__policy_find(size->cluster.policy) == NULL) {
        snprintf(note, BENCH_NOTE, "this build has no policy \"%s\" (it has: %s)", size->cluster.policy,
                 berth__policy_names());
        return BENCH_SKIPPED;
    }
    decision_state *state = berth__calloc(1, sizeof *state);
    if (state == NULL) {
        snprintf(note, BENCH_NOTE, "out of memory");
        return BENCH_FAILED;
    }
    state->size = size;
    berth_error error;
    if (loaded_cluster_new(&size->cluster, settings->threads, &state->cluster, &error) != BERTH_OK) {
        snprintf(note, BENCH_NOTE, "%.150s", error.message);
        teardown(state);
        return BENCH_FAILED;
    }
    *out = state;
    return BENCH_DONE;
}

static void note_quality(decision_state *state, const berth_job *job, const berth_decision *decision) {
    state->admitted += decision->admitted;
    if (!isnan(decision->payoff)) {
        double bound = job->utility.value - decision->payoff_bound, cost = job->utility.value - decision->payoff;
        state->cost_over_bound += cost / bound;
        state->planned++;
    }
}

static bool run(void *data, bench_clock *clock) {
    decision_state *state = data;
    const loaded_cluster *cluster = state->cluster;
    state->cost_over_bound = state->planned = state->admitted = 0;
    for (int j = 0; j < cluster->n_jobs; j++) {
        berth_decision *decision = NULL;
        if (berth_what_if(cluster->scheduler, &cluster->jobs[j], &decision, NULL) != BERTH_OK) {
            return false;
        }
        note_quality(state, &cluster->jobs[j], decision);
        berth_decision_free(decision);
    }
    clock->share = cluster->n_jobs;
    return true;
}

/* ---- which slots a policy looks at: a policy that counts and hands on ---- */

static atomic_long n_offers_asked;
static const berth__policy *counted_policy;

static berth_status counting_offer(const berth__offer_context *context, berth__workspace *workspace, int slot,
                                   berth__slot_offers *out, berth_error *error) {
    atomic_fetch_add(&n_offers_asked, 1);
    return counted_policy->offer(context, workspace, slot, out, error);
}

/* Decides all jobs once more and counts what is done. */
static bool count_operations(decision_state *state) {
    berth__decider *decider = state->cluster->scheduler->decider;
    berth__rounding_stats before = decider->stats.rounding;
    counted_policy = decider->policy;
    atomic_store(&n_offers_asked, 0);
    berth__policy counting = *counted_policy;
    counting.offer = counting_offer;
    decider->policy = &counting;
    bench_clock clock = {0};
    bool good = run(state, &clock);
    decider->policy = counted_policy;
    state->slots_searched = (double)atomic_load(&n_offers_asked);
    state->roundings = (double)(decider->stats.rounding.problems - before.problems);
    state->draws = (double)(decider->stats.rounding.draws - before.draws);
    return good;
}

/* ---- the reference ---- */

static bench_verdict setup_raw_clp(decision_state *state, char *note) {
#ifdef BERTH_WITH_CLP
    const loaded_size *size = &state->size->cluster;
    state->raw_slot = theta_instance_new(THETA_REALISTIC, size->machines, size->resources, RAW_VALUES);
    state->raw_clp =
        state->raw_slot == NULL ? NULL : theta_clp_new(state->raw_slot, size->machines > 1000 /* nine values */);
    if (state->raw_clp != NULL) {
        return BENCH_DONE;
    }
    snprintf(note, BENCH_NOTE, "Clp finds no optimum");
    return BENCH_FAILED;
#else
    (void)state;
    snprintf(note, BENCH_NOTE, "this build has no Clp");
    return BENCH_SKIPPED;
#endif
}

static bool run_raw_clp(decision_state *state, bench_clock *clock) {
#ifdef BERTH_WITH_CLP
    double cost[RAW_VALUES];
    if (!theta_clp_sweep(state->raw_clp, clock, cost)) {
        return false;
    }
    double slots = state->size->cluster.slots + state->slots_searched / state->cluster->n_jobs;
    clock->factor *= slots * RAW_WIDTHS / RAW_VALUES;
    return true;
#else
    (void)state;
    (void)clock;
    return false;
#endif
}

static bench_verdict setup_reference(void *data, char *note) {
    decision_state *state = data;
    if (!count_operations(state)) {
        snprintf(note, BENCH_NOTE, "a decision failed");
        return BENCH_FAILED;
    }
    if (state->size->reference_slots == RAW_CLP) {
        return setup_raw_clp(state, note);
    }
    return state->size->reference_slots > 0 ? BENCH_DONE : BENCH_SKIPPED;
}

static bool offer_by_pdors(const berth__decider *s, const berth__job *job, int slot, double *roundings) {
    berth_options options = s->options;
    options.solver = "auto"; /* the policy may have one that is no LP backend */
    berth__offer_context context = {.ledger = s->ledger, .options = &options, .job = job};
    berth__slot_offers offers = {.arena = berth__arena_new()};
    bool good = offers.arena != NULL &&
                berth__quanta_of(job, options.levels, s->cluster->horizon - job->arrival, &context.quanta) &&
                berth__policy_pdors.offer(&context, &s->workspaces[0], slot, &offers, NULL) == BERTH_OK;
    *roundings += (double)offers.stats.problems;
    berth__arena_free(offers.arena);
    return good;
}

static bool run_reference(void *data, bench_clock *clock) {
    decision_state *state = data;
    const loaded_cluster *cluster = state->cluster;
    const berth__decider *s = cluster->scheduler->decider;
    if (state->size->reference_slots == RAW_CLP) {
        return run_raw_clp(state, clock);
    }
    int sampled = state->size->reference_slots, horizon = s->cluster->horizon;
    double roundings = 0;
    for (int j = 0; j < cluster->n_jobs; j++) {
        berth__job *job = NULL;
        bool good = berth__job_new(s->cluster, &cluster->jobs[j], &job, NULL) == BERTH_OK;
        for (int k = 0; good && k < sampled; k++) {
            good = offer_by_pdors(s, job, horizon * (2 * k + 1) / (2 * sampled), &roundings);
        }
        berth__job_free(job);
        if (!good) {
            return false;
        }
    }
    state->reference_roundings = roundings / ((double)sampled * cluster->n_jobs);
    clock->factor = state->slots_searched / ((double)sampled * cluster->n_jobs);
    clock->share = cluster->n_jobs;
    return true;
}

static void quality(void *data, bench_figures *out) {
    const decision_state *state = data;
    double jobs = state->cluster->n_jobs;
    bench_add_figure(out, "cost_over_bound", "1", state->cost_over_bound / state->planned);
    bench_add_figure(out, "planned", "1", state->planned / jobs);
    bench_add_figure(out, "admitted", "1", state->admitted / jobs);
    bench_add_figure(out, "slots_searched", "operation", state->slots_searched / jobs);
    bench_add_figure(out, "roundings", "operation", state->roundings / jobs);
    bench_add_figure(out, "draws", "operation", state->draws / jobs);
    if (state->size->reference_slots > 0) {
        bench_add_figure(out, "reference_roundings_a_slot", "1", state->reference_roundings);
    }
}

/* policy, machines, slots, resources, levels, jobs; slots of the reference */
#define SIZE(policy, H, T, R, levels, jobs, reference)                                                                 \
    &(const decision_size) {                                                                                           \
        {policy, H, T, R, levels, jobs}, reference                                                                     \
    }

/* The growth tables of a policy: small enough for pdors and for callgrind. The mean of four jobs. */
#define POINT(policy, axis, x, about, H, T, R, levels)                                                                 \
    {                                                                                                                  \
        "growth/" policy "-" axis "/" #x, about, SIZE(policy, H, T, R, levels, 4, 0), policy " " axis, axis, x, true,  \
            true                                                                                                       \
    }
/* clang-format off */
#define GROWTH(policy)                                                                                                 \
    POINT(policy, "H", 10, "10 machines, 8 slots, 4 resources, 40 levels, mean of 4 jobs", 10, 8, 4, 40),              \
    POINT(policy, "H", 20, "20 machines", 20, 8, 4, 40),                                                               \
    POINT(policy, "H", 40, "40 machines", 40, 8, 4, 40),                                                               \
    POINT(policy, "H", 80, "80 machines", 80, 8, 4, 40),                                                               \
    POINT(policy, "T", 8, "20 machines, 8 slots, 4 resources, 40 levels, mean of 4 jobs", 20, 8, 4, 40),               \
    POINT(policy, "T", 16, "16 slots", 20, 16, 4, 40),                                                                 \
    POINT(policy, "T", 32, "32 slots", 20, 32, 4, 40),                                                                 \
    POINT(policy, "levels", 20, "40 machines, 8 slots, 4 resources, 20 levels, mean of 4 jobs", 40, 8, 4, 20),         \
    POINT(policy, "levels", 40, "40 levels", 40, 8, 4, 40),                                                            \
    POINT(policy, "levels", 80, "80 levels", 40, 8, 4, 80),                                                            \
    POINT(policy, "R", 2, "20 machines, 8 slots, 2 resources, 40 levels, mean of 4 jobs", 20, 8, 2, 40),               \
    POINT(policy, "R", 4, "4 resources", 20, 8, 4, 40),                                                                \
    POINT(policy, "R", 8, "8 resources", 20, 8, 8, 40),                                                                \
    POINT(policy, "R", 16, "16 resources", 20, 8, 16, 40)
/* clang-format on */

static const bench_case cases[] = {
    {"decision/pdors/h10", "10 machines, 100 slots, 4 resources, 200 levels, mean of 3 jobs",
     SIZE("pdors", 10, 100, 4, 200, 3, 0), "decision pdors H", "H", 10, true, false},
    {"decision/pdors/h100", "100 machines, 1 job", SIZE("pdors", 100, 100, 4, 200, 1, 0), "decision pdors H", "H", 100,
     false, false},
    {"decision/pdors-ci/h10", "10 machines, 100 slots, 4 resources, 200 levels, mean of 3 jobs",
     SIZE("pdors-ci", 10, 100, 4, 200, 3, 10), "decision pdors-ci H", "H", 10, true, true},
    {"decision/pdors-ci/h100", "100 machines; 4 slots of pdors", SIZE("pdors-ci", 100, 100, 4, 200, 3, 4),
     "decision pdors-ci H", "H", 100, true, false},
    {"decision/pdors-ci/h1000", "1,000 machines; 1 slot of pdors", SIZE("pdors-ci", 1000, 100, 4, 200, 1, 1),
     "decision pdors-ci H", "H", 1000, true, false},
    {"decision/pdors-ci/h10000", "10,000 machines; 1 slot of pdors", SIZE("pdors-ci", 10000, 100, 4, 200, 1, 1),
     "decision pdors-ci H", "H", 10000, false, false},
    {"decision/raw-clp/h100", "100 machines; the relaxations alone in raw Clp, from one slot",
     SIZE("pdors-ci", 100, 100, 4, 200, 1, RAW_CLP), NULL, NULL, 0, false, false},
    {"decision/raw-clp/h1000", "1,000 machines", SIZE("pdors-ci", 1000, 100, 4, 200, 1, RAW_CLP), NULL, NULL, 0, false,
     false},
    {"decision/raw-clp/h10000", "10,000 machines; nine of the values", SIZE("pdors-ci", 10000, 100, 4, 200, 1, RAW_CLP),
     NULL, NULL, 0, false, false},
    GROWTH("pdors"),
    GROWTH("pdors-ci"),
};

const bench_family bench_decision = {
    .about = "decision: one job on a half-loaded cluster, by berth_what_if; reference: policy pdors on a sample of "
             "slots, or raw Clp",
    .n_cases = sizeof cases / sizeof *cases,
    .cases = cases,
    .setup = setup,
    .run = run,
    .setup_reference = setup_reference,
    .run_reference = run_reference,
    .quality = quality,
    .teardown = teardown,
};
