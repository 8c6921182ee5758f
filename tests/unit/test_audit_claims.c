/* What a run claims about its own quality, against figures by hand: the competitive ratio where its premises hold, and
 * bounds that the utility itself refutes. */
#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <berth_io.h>

#include <stdlib.h>
#include <string.h>

#define ABSENT ((double)NAN)

enum { MACHINES = 2, RESOURCES = 3 };

static const char *const machines[MACHINES] = {"a", "b"}, *const resources[RESOURCES] = {"gpu", "cpu", "tpu"};

/* One job of one slot, worth 10 if done within it, that does not fit on one machine. */
typedef struct world {
    double capacity[MACHINES * RESOURCES], worker[RESOURCES], ps[RESOURCES];
    berth_machine_group groups[MACHINES];
    int group_of[MACHINES];
    berth_job job;
    berth_instance instance;
    berth_options options;
    berth_backends *backends;
} world;

static world *world_new(void) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    for (int h = 0; h < MACHINES; h++) {
        w->group_of[h] = h;
        w->capacity[RESOURCES * h] = 1;
        w->capacity[RESOURCES * h + 1] = 4;
        w->groups[h] = (berth_machine_group){
            .name = machines[h], .count = 1, .capacity = w->capacity + (size_t)RESOURCES * (size_t)h};
    }
    w->worker[0] = w->worker[1] = 1;
    berth_job_init(&w->job);
    w->job.id = "j";
    w->job.epochs = 1;
    w->job.samples = 20; /* two workers for a slot */
    w->job.batch = 1;
    w->job.max_workers = 2;
    w->job.sample_seconds = 1;
    w->job.workers_per_ps = 1;
    w->job.bandwidth_internal_mb_s = w->job.bandwidth_external_mb_s = 1;
    w->job.worker = w->worker;
    w->job.all_reduce = true;
    w->job.utility = (berth_utility){.kind = BERTH_UTILITY_CONSTANT, .value = 10};
    w->instance = (berth_instance){.name = "claims",
                                   .source = "",
                                   .slot_seconds = 10,
                                   .horizon_slots = 1,
                                   .n_resources = RESOURCES,
                                   .resources = resources,
                                   .n_groups = MACHINES,
                                   .groups = w->groups,
                                   .n_machines = MACHINES,
                                   .machines = machines,
                                   .machine_group = w->group_of,
                                   .capacity = w->capacity,
                                   .n_jobs = 1,
                                   .jobs = &w->job,
                                   .price_floor = ABSENT};
    berth_options_init(&w->options);
    w->options.policy = "pdors";
    w->backends = all_backends();
    w->options.backends = w->backends;
    w->options.threads = 1;
    w->options.scale_rule = BERTH_SCALE_GIVEN;
    return w;
}

static void world_free(world *w) {
    berth_backends_free(w->backends);
    free(w);
}

static berth_run *run(const world *w) {
    berth_error error;
    berth_run *out = NULL;
    assert_ok(berth_run_online(&w->instance, &w->options, &out, NULL, &error), error);
    return out;
}

static size_t violations(const berth_report *report, const char *rule) {
    size_t n = 0;
    for (size_t i = 0; i < report->n_findings; i++) {
        n += report->findings[i].violated && strcmp(report->findings[i].rule, rule) == 0;
    }
    return n;
}

static berth_report *check(const world *w, const berth_run *r, const berth_hooks *hooks) {
    berth_error error;
    berth_report *report = NULL;
    assert_ok(berth_check(&w->instance, r, hooks, &report, &error), error);
    return report;
}

/* ---- the closed-form ratio ---- */

static void expect_ratio(const world *w, int problems, double ratio) {
    berth_run *r = run(w);
    assert_int_equal(r->summary.admitted, 1);
    assert_int_equal(r->rounding->problems, problems);
    assert_int_equal(r->rounding->solved, problems);
    assert_null(r->closed_form_why_not);
    assert_close(r->closed_form_ratio, ratio, 1e-12);
    berth_report *report = check(w, r, NULL);
    assert_int_equal(report->n_violations, 0);
    bool judged = false;
    for (size_t i = 0; i < report->n_rules; i++) {
        judged = judged || (strcmp(report->rule_names[i], "closed-form") == 0 && report->rule_counts[i] > 0);
    }
    assert_true(judged);
    berth_report_free(report);
    berth_run_free(r);
}

/* 6 G / delta max(1, max_r ln (U^r / L)). Two GPUs and eight CPUs, a worker takes one of each: U is 10 / (1/2) and
 * 10 / (1/8) for a share, and L = 10 / (2 * 1 slot * 2 resources), as the third is nowhere: 5/2. The second quotient,
 * 32, counts. The relaxation puts one worker on either machine, which no rounding changes. */
static void test_ratio_by_hand(void **state) {
    (void)state;
    world *w = world_new();
    w->options.scale = 1;
    expect_ratio(w, 1, 6 / 0.1 * log(32));
    w->options.delta = 0.25;
    w->options.scale = 1.5;
    expect_ratio(w, 1, 6 * 1.5 / 0.25 * log(32));
    w->options.scale = 1;
    w->options.trials = 1;
    w->instance.horizon_slots = 3; /* L falls with the horizon */
    w->job.utility = (berth_utility){.kind = BERTH_UTILITY_DEADLINE, .value = 10, .deadline_slots = 0};
    expect_ratio(w, 3, 6 / 0.25 * log(96));
    for (int h = 0; h < MACHINES; h++) { /* whichever resource comes first */
        w->capacity[RESOURCES * h] = 4;
        w->capacity[RESOURCES * h + 1] = 1;
    }
    expect_ratio(w, 3, 6 / 0.25 * log(96));
    world_free(w);
}

/* One worker and one server that fill a machine each: U = 10 / 1, L = 10 / 2, whose logarithm is below 1. */
static void test_ratio_of_a_narrow_span(void **state) {
    (void)state;
    world *w = world_new();
    w->job.samples = 10;
    w->job.max_workers = 1;
    w->job.all_reduce = false;
    w->job.ps = w->ps;
    w->ps[0] = 1;
    w->worker[1] = 0;
    w->capacity[1] = w->capacity[RESOURCES + 1] = 0;
    w->options.scale = 1.25;
    expect_ratio(w, 1, 6 * 1.25 / 0.1);
    world_free(w);
}

static void expect_no_ratio(const world *w, const char *why_not) {
    berth_run *r = run(w);
    assert_true(isnan(r->closed_form_ratio));
    assert_non_null(r->closed_form_why_not);
    if (strstr(r->closed_form_why_not, why_not) == NULL) {
        fail_msg("says \"%s\", not \"%s\"", r->closed_form_why_not, why_not);
    }
    berth_run_free(r);
}

static void test_premises_that_fail_are_named(void **state) {
    (void)state;
    world *w = world_new();
    double upper[RESOURCES] = {10, 10, 1}, lower[RESOURCES] = {1, 1, 0.5};
    w->instance.price_upper = upper;
    w->instance.price_lower = lower;
    expect_no_ratio(w, "given");
    w->instance.price_upper = w->instance.price_lower = NULL;
    w->instance.price_floor = 0.5;
    expect_no_ratio(w, "floor");
    w->instance.price_floor = ABSENT;
    w->job.samples = 10; /* one worker on one machine */
    w->job.max_workers = 1;
    expect_no_ratio(w, "nothing was rounded");
    w->job.samples = 20;
    w->job.max_workers = 2;
    w->options.scale = 0.25; /* two workers, each with a probability of 1/4: not with this seed */
    w->options.trials = 1;
    expect_no_ratio(w, "no feasible rounding");
    world_free(w);
}

/* ---- bounds below the utility ---- */

static bool always(void *user) {
    (void)user;
    return true;
}

/* No honest certificate proves less than what was earned; a claim of less is false whatever else is known. */
static void test_bounds_below_the_utility(void **state) {
    (void)state;
    world *w = world_new();
    berth_run *r = run(w);
    assert_close(r->utility, 10, 0);
    const berth_hooks cancelled = {.struct_size = sizeof cancelled, .cancel = always};
    const berth_run_bounds none = {ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, NULL};
    berth_certificate *certificate = r->certificate;
    assert_non_null(certificate);
    double *const claims[] = {&r->bounds.dual, &r->bounds.lp, &r->bounds.exact};
    for (int known = 0; known < 3; known++) { /* confirmed otherwise, no certificate, not re-evaluated */
        r->certificate = known == 1 ? NULL : certificate;
        for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
            r->bounds = none;
            *claims[i] = r->bounds.best = 9.99;
            r->bounds.ratio = 0.999;
            berth_report *report = check(w, r, known == 2 ? &cancelled : NULL);
            assert_int_equal(report->n_violations, 1);
            assert_int_equal(violations(report, "bounds"), 1);
            for (size_t f = 0; f < report->n_findings; f++) {
                if (report->findings[f].violated) {
                    assert_close(report->findings[f].slack, -0.01, 1e-9);
                    assert_non_null(
                        strstr(report->findings[f].message, "9.99 is claimed; the utility, 10, exceeds it"));
                }
            }
            berth_report_free(report);
        }
        r->bounds = none;
        r->bounds.arrival_dual = 9.99;
        r->policy = "external"; /* its payoff bounds are nobody's business */
        berth_report *report = check(w, r, known == 2 ? &cancelled : NULL);
        assert_int_equal(violations(report, "arrival-dual"), 1);
        berth_report_free(report);
        r->policy = "pdors";
    }
    r->certificate = certificate;
    berth_run_free(r);
    world_free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratio_by_hand),
        cmocka_unit_test(test_ratio_of_a_narrow_span),
        cmocka_unit_test(test_premises_that_fail_are_named),
        cmocka_unit_test(test_bounds_below_the_utility),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
