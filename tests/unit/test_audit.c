/* berth_check on a small run written by hand: clean as it is, and each corruption is found under its rule's name. */
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

#include <berth_io.h>

#include "audit/run/audit.h"

/* math.h has them as floats */
#define ABSENT  ((double)NAN)
#define ENDLESS ((double)INFINITY)

enum { R = 2, M = 3, J = 3, T = 6, CLASSES = 2 };

static const char *const resources[R] = {"gpu", "cpu"};
static const char *const machines[M] = {"m-0", "m-1", "big"};
static const char *const avoid_big[] = {"b*"};

/* Everything that the run and the instance point to, so that a test may change any of it. */
typedef struct world {
    double capacity[M * R], worker[J][R], ps[J][R], quota_amount[R], upper[R], lower[R], utilisation[R];
    double given_upper[R], given_lower[R]; /* by the instance */
    double prices[T * CLASSES * R];
    int class_of[M];
    berth_quota quota;
    berth_job jobs[J];
    berth_instance instance;
    berth_placement at_0[2], at_1[2], of_1[2];
    berth_slot_plan slots_0[2], slots_1[2];
    berth_run_job results[J];
    berth_certificate certificate;
    berth_run run;
} world;

static void make_jobs(world *w) {
    static const char *const ids[J] = {"ps", "ring", "late"};
    for (int j = 0; j < J; j++) {
        berth_job *job = &w->jobs[j];
        job->struct_size = sizeof *job;
        job->id = ids[j];
        job->arrival_slot = j;
        job->epochs = 1;
        job->samples = 3000;
        job->batch = 8;
        job->max_workers = 4;
        job->sample_seconds = 0.1;
        job->gradient_mb = 8;
        job->workers_per_ps = 2;
        job->bandwidth_internal_mb_s = 100; /* 0.14 s a sample, 0.18 externally */
        job->bandwidth_external_mb_s = 50;
        w->worker[j][0] = 1;
        w->worker[j][1] = 2;
        w->ps[j][1] = 1;
        job->worker = w->worker[j];
        job->ps = w->ps[j];
        job->utility.kind = BERTH_UTILITY_LINEAR;
        job->utility.value = 60;
        job->utility.deadline_slots = 6;
    }
    w->jobs[1].all_reduce = true; /* 0.12 s a sample internally */
    w->jobs[1].ps = NULL;
    w->jobs[1].samples = 1000;
    w->jobs[1].tenant = "tenant";
    w->jobs[1].n_avoid = 1;
    w->jobs[1].avoid = avoid_big;
    w->jobs[1].utility.kind = BERTH_UTILITY_CONSTANT;
    w->jobs[1].utility.value = 10;
    w->jobs[2].samples = 1e7;
}

static void make_instance(world *w) {
    static const double capacity[M * R] = {4, 16, 4, 16, 8, 32};
    memcpy(w->capacity, capacity, sizeof capacity);
    w->quota_amount[0] = 2;
    w->quota_amount[1] = ENDLESS;
    w->quota = (berth_quota){"tenant", w->quota_amount};
    make_jobs(w);
    w->instance = (berth_instance){.name = "tiny",
                                   .source = "",
                                   .slot_seconds = 100,
                                   .horizon_slots = T,
                                   .n_resources = R,
                                   .resources = resources,
                                   .n_machines = M,
                                   .machines = machines,
                                   .capacity = w->capacity,
                                   .n_quotas = 1,
                                   .quotas = &w->quota,
                                   .n_jobs = J,
                                   .jobs = w->jobs,
                                   .price_floor = ABSENT,
                                   .crc32 = 7};
}

/* "ps" runs on m-0 in slot 0, and in slot 1 with its server on m-1, where "ring" joins it. "late" is rejected. */
static void make_schedules(world *w) {
    w->at_0[0] = (berth_placement){0, 4, 2};
    w->at_1[0] = (berth_placement){0, 1, 0};
    w->at_1[1] = (berth_placement){1, 0, 1};
    w->of_1[0] = (berth_placement){1, 2, 0};
    w->slots_0[0] = (berth_slot_plan){0, BERTH_INTERNAL, 400 / 0.14, 1, w->at_0};
    w->slots_0[1] = (berth_slot_plan){1, BERTH_EXTERNAL, 100 / 0.18, 2, w->at_1};
    w->slots_1[0] = (berth_slot_plan){1, BERTH_INTERNAL, 200 / 0.12, 1, w->of_1};
    double paid_0 = 4 * 0.4 + 10 * 0.04 + 0.4 + 3 * 0.04, paid_1 = 2 * 0.4 + 4 * 0.04 * pow(100, 1.0 / 16);
    w->results[0] = (berth_run_job){.id = "ps",
                                    .admitted = true,
                                    .outcome = BERTH_JOB_COMPLETED,
                                    .reason = "",
                                    .promised_slot = 1,
                                    .completion_slot = 1,
                                    .delay_slots = 1,
                                    .utility = 50,
                                    .payoff = 50 - paid_0,
                                    .payoff_bound = 50,
                                    .price_paid = paid_0,
                                    .n_slots = 2,
                                    .slots = w->slots_0};
    w->results[1] = w->results[0];
    w->results[1].id = "ring";
    w->results[1].delay_slots = 0;
    w->results[1].utility = 10;
    w->results[1].payoff = 10 - paid_1;
    w->results[1].price_paid = paid_1;
    w->results[1].n_slots = 1;
    w->results[1].slots = w->slots_1;
    w->results[2] = (berth_run_job){.id = "late",
                                    .outcome = BERTH_JOB_REJECTED,
                                    .reason = "",
                                    .promised_slot = -1,
                                    .completion_slot = -1,
                                    .delay_slots = -1,
                                    .payoff = ABSENT,
                                    .payoff_bound = ABSENT};
}

static world *world_new(void) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    make_instance(w);
    make_schedules(w);
    for (int i = 0; i < T * CLASSES * R; i++) {
        w->prices[i] = i % R == 0 ? 0.5 : 0.01;
    }
    w->class_of[2] = 1;
    w->certificate = (berth_certificate){CLASSES, w->class_of, w->prices};
    w->upper[0] = 40;
    w->lower[0] = 0.4;
    w->upper[1] = 4;
    w->lower[1] = 0.04;
    memcpy(w->given_upper, w->upper, sizeof w->upper);
    memcpy(w->given_lower, w->lower, sizeof w->lower);
    w->instance.price_upper = w->given_upper;
    w->instance.price_lower = w->given_lower;
    w->utilisation[0] = 7.0 / (16 * T);
    w->utilisation[1] = 17.0 / (64 * T);
    w->run = (berth_run){.instance = "tiny",
                         .instance_crc32 = 7,
                         .policy = "pdors",
                         .levels = 200,
                         .price_upper = w->upper,
                         .price_lower = w->lower,
                         .price_floor = 1e-12,
                         .closed_form_ratio = ABSENT,
                         .utility = 60,
                         .bounds = {ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, NULL},
                         .certificate = &w->certificate,
                         .n_jobs = J,
                         .jobs = w->results,
                         .summary = {J, 2, 2, 60, 0.5, 0.5, 2, w->utilisation},
                         .n_resources = R};
    return w;
}

static berth_report *check(const world *w, const berth_hooks *hooks) {
    berth_error error = {0};
    berth_report *report = NULL;
    assert_ok(berth_check(&w->instance, &w->run, hooks, &report, &error), error);
    assert_non_null(report);
    return report;
}

static size_t count(const berth_report *report, bool violated, const char *rule) {
    size_t n = 0;
    for (size_t i = 0; i < report->n_findings; i++) {
        n += report->findings[i].violated == violated && strcmp(report->findings[i].rule, rule) == 0;
    }
    return n;
}

static void print_violations(const berth_report *report) {
    for (size_t i = 0; i < report->n_findings; i++) {
        if (report->findings[i].violated) {
            print_message("%s: %s: %s\n", report->findings[i].rule, report->findings[i].where,
                          report->findings[i].message);
        }
    }
}

static void assert_clean(const world *w) {
    berth_report *report = check(w, NULL);
    if (report->n_violations > 0) {
        print_violations(report);
    }
    assert_int_equal(report->n_violations, 0);
    berth_report_free(report);
}

/* Claims as the dual what the checker makes of the certificate. */
static void claim_dual(world *w) {
    berth_report *report = check(w, NULL);
    assert_true(report->dual >= 0);
    w->run.bounds.dual = w->run.bounds.best = report->dual;
    w->run.bounds.ratio = report->dual / 60;
    berth_report_free(report);
}

/* ---- the clean run ---- */

static void test_clean_run(void **state) {
    (void)state;
    world *w = world_new();
    claim_dual(w);
    assert_clean(w);
    berth_report *report = check(w, NULL);
    assert_close(report->utility, 60, 1e-12);
    assert_true(report->dual >= 60);
    assert_close(report->ratio, report->dual / 60, 1e-12);
    assert_true(report->n_rules > 15);
    for (size_t i = 0; i < report->n_rules; i++) {
        assert_true(report->rule_counts[i] > 0);
    }
    berth_report_free(report);
    free(w);
}

/* B(p) by hand: prices 0.5 and 0.01 everywhere. "ps" does best with 4 workers in slot 0 and 1 in slot 1 or all in two
 * slots; "late" cannot finish. */
static void test_dual_by_hand(void **state) {
    (void)state;
    world *w = world_new();
    memset(w->prices, 0, sizeof w->prices);
    berth_report *report = check(w, NULL);
    /* free capacity: "ps" needs two slots (2857 of 3000 samples a slot), "ring" one */
    assert_close(report->dual, 50 + 10, 1e-9);
    berth_report_free(report);
    w->prices[0] = 2; /* gpu on m-0, m-1 in slot 0; the job escapes to "big" */
    report = check(w, NULL);
    assert_close(report->dual, 50 + 10 + 2 * 8, 1e-9);
    berth_report_free(report);
    w->prices[CLASSES * R] = 3; /* gpu on m-0, m-1 in slot 1; "ring" goes to slot 2 */
    report = check(w, NULL);
    assert_close(report->dual, 50 + 10 + 2 * 8 + 3 * 8, 1e-9);
    berth_report_free(report);
    free(w);
}

/* ---- corruptions ---- */

/* rule under which it must be found, what is changed */
#define CORRUPTIONS(X)                                                                                                 \
    X("capacity", w->at_0[0].workers = 5)                                                                              \
    X("capacity", (w->at_1[0].machine = 1, w->capacity[2] = 2))                                                        \
    X("capacity", w->at_0[0].ps = 9)                                                                                   \
    X("quota", w->of_1[0].workers = 3)                                                                                 \
    X("max-workers", w->jobs[0].max_workers = 3)                                                                       \
    X("max-workers", w->at_0[0].workers = 5)                                                                           \
    X("ps-ratio", w->at_0[0].ps = 1)                                                                                   \
    X("ps-ratio", w->of_1[0].ps = 1)                                                                                   \
    X("arrival", w->slots_1[0].slot = 0)                                                                               \
    X("horizon", w->slots_0[1].slot = T)                                                                               \
    X("horizon", w->slots_0[0].slot = -1)                                                                              \
    X("eligibility", w->of_1[0].machine = 2)                                                                           \
    X("placement", w->at_1[0].workers = -1)                                                                            \
    X("placement", w->at_1[0].machine = M)                                                                             \
    X("placement", w->at_1[0].machine = -2)                                                                            \
    X("placement", w->at_1[1].machine = 0)                                                                             \
    X("placement", w->slots_0[1].slot = 0)                                                                             \
    X("placement", w->slots_0[0].slot = 2)                                                                             \
    X("placement", w->at_1[1].ps = 0)                                                                                  \
    X("placement", w->slots_0[1].n_placements = 0)                                                                     \
    X("locality", w->slots_0[1].locality = BERTH_INTERNAL)                                                             \
    X("locality", w->at_1[1].ps = 0)                                                                                   \
    X("progress", w->slots_0[1].samples *= 1.01)                                                                       \
    X("progress", w->slots_0[1].samples = ABSENT)                                                                      \
    X("progress", w->slots_0[1].samples = ENDLESS)                                                                     \
    X("progress", w->jobs[0].samples = 3413)                                                                           \
    X("completion", w->results[0].completion_slot = 2)                                                                 \
    X("completion", w->results[0].delay_slots = 0)                                                                     \
    X("completion", w->results[2].completion_slot = 3)                                                                 \
    X("completion", w->slots_1[0].slot = 0)                                                                            \
    X("promised-slot", w->results[0].promised_slot = 0)                                                                \
    X("promised-slot", w->results[0].promised_slot = 2)                                                                \
    X("promised-slot", w->results[0].promised_slot = T)                                                                \
    X("promised-slot", w->results[0].promised_slot = -1)                                                               \
    X("promised-slot", w->results[2].promised_slot = 2)                                                                \
    X("outcome", w->results[0].outcome = BERTH_JOB_UNFINISHED)                                                         \
    X("outcome", w->results[0].outcome = BERTH_JOB_REJECTED)                                                           \
    X("outcome", w->results[0].admitted = false)                                                                       \
    X("outcome", w->results[2].outcome = BERTH_JOB_UNDECIDED)                                                          \
    X("outcome", w->results[2].outcome = (berth_job_outcome)9)                                                         \
    X("job-utility", w->results[0].utility += 1)                                                                       \
    X("job-utility", w->results[2].utility = 1)                                                                        \
    X("job-utility", w->results[0].utility = ABSENT)                                                                   \
    X("job-utility", w->jobs[0].samples = 3413)                                                                        \
    X("utility", w->run.utility += 0.01)                                                                               \
    X("utility", w->run.utility = ENDLESS)                                                                             \
    X("utility", w->results[0].admitted = false)                                                                       \
    X("summary", w->run.summary.admitted = 3)                                                                          \
    X("summary", w->run.summary.median_delay_slots = 1)                                                                \
    X("summary", w->run.summary.makespan_slots = 1)                                                                    \
    X("summary", w->utilisation[1] *= 1.1)                                                                             \
    X("price-bounds", w->upper[0] = 0.3)                                                                               \
    X("price-bounds", w->lower[1] = ABSENT)                                                                            \
    X("price-bounds", w->run.price_upper = NULL)                                                                       \
    X("price-paid", w->results[1].price_paid *= 0.99)                                                                  \
    X("price-paid", w->results[2].price_paid = 1)                                                                      \
    X("payoff", w->results[1].payoff += 0.1)                                                                           \
    X("payoff", w->jobs[1].utility.value = w->results[1].utility = 0.5)                                                \
    X("finite", w->results[2].payoff = -ENDLESS)                                                                       \
    X("arrival-dual", w->results[0].payoff_bound = 40)                                                                 \
    X("arrival-dual", w->run.bounds.arrival_dual = 59)                                                                 \
    X("dual", w->run.bounds.dual *= 0.99)                                                                              \
    X("bounds", w->run.bounds.dual = 59)                                                                               \
    X("bounds", w->run.bounds.lp = 59.9)                                                                               \
    X("bounds", w->run.bounds.lp = 60.5)                                                                               \
    X("bounds", w->run.bounds.ratio *= 1.01)                                                                           \
    X("bounds", w->run.bounds.ratio = ABSENT)                                                                          \
    X("bounds", w->run.bounds.best = ABSENT)                                                                           \
    X("bounds", w->run.bounds.best *= 1.01)                                                                            \
    X("bounds", w->run.bounds.best *= 0.99)                                                                            \
    X("dual", w->run.certificate = NULL)                                                                               \
    X("bounds", w->run.bounds.void_because = "no reason")                                                              \
    X("outcome", w->run.stopped = true)                                                                                \
    X("payoff", w->results[2].payoff = 1)                                                                              \
    X("price-bounds", w->run.price_floored = true)                                                                     \
    X("price-oracle", w->run.price_oracle = true)                                                                      \
    X("progress", (w->run.restart_delay_s = 30, w->slots_1[0].samples *= 0.8))                                         \
    X("estimation", w->run.noise = 0.1)                                                                                \
    X("estimation", w->run.noise = ABSENT)                                                                             \
    X("estimation", w->run.truth = swift)                                                                              \
    X("estimation", w->run.estimation = &no_errors)                                                                    \
    X("certificate-classes", w->prices[3] = -1e-9)                                                                     \
    X("certificate-classes", w->prices[5] = ABSENT)                                                                    \
    X("certificate-classes", w->class_of[1] = -1)                                                                      \
    X("certificate-classes", w->class_of[1] = CLASSES)                                                                 \
    X("certificate-classes", w->class_of[2] = 0)                                                                       \
    X("certificate-classes", (w->capacity[4] = 4, w->capacity[5] = 16, w->class_of[2] = 0))

static const berth_truth swift[J] = {{2, 1}, {1, 1}, {1, 1}};
static berth_estimation_summary no_errors;

static const char *const corrupted_rules[] = {
#define CORRUPTED_RULE(rule, change) rule,
    CORRUPTIONS(CORRUPTED_RULE)
#undef CORRUPTED_RULE
};

static void corrupt(world *w, size_t which) {
    size_t n = 0;
#define CORRUPT(rule, change)                                                                                          \
    if (n++ == which) {                                                                                                \
        change;                                                                                                        \
    }
    CORRUPTIONS(CORRUPT)
#undef CORRUPT
}

static void test_corruptions(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof corrupted_rules / sizeof *corrupted_rules; i++) {
        world *w = world_new();
        claim_dual(w);
        corrupt(w, i);
        berth_report *report = check(w, NULL);
        if (count(report, true, corrupted_rules[i]) == 0) {
            print_violations(report);
            fail_msg("corruption %zu is not found as \"%s\"", i, corrupted_rules[i]);
        }
        berth_report_free(report);
        free(w);
    }
}

/* Under bidlp a job may complete before its promise; under a policy that promises nothing none is missed. */
static void test_promised_slots(void **state) {
    (void)state;
    static const struct {
        const char *policy;
        int promised;
        bool clean;
        const char *message;
    } cases[] = {
        {"bidlp", 1, true, ""},
        {"bidlp", 2, true, ""},
        {"bidlp", 0, false, "completes in slot 1; slot 0 was promised"},
        {"bidlp", -1, false, "without a promised slot"},
        {"bidlp", T, false, "expected one from 0 to"},
        {"pdors", 2, false, "whose plans do not change"},
        {"srtf", -1, true, ""},
        {"external", -1, true, ""},
        {"external", 1, true, ""},
        {"external", 0, false, "completes in slot 1; slot 0 was promised"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world *w = world_new();
        w->run.policy = cases[i].policy;
        w->results[0].promised_slot = cases[i].promised;
        berth_report *report = check(w, NULL);
        if ((count(report, true, "promised-slot") == 0) != cases[i].clean) {
            print_violations(report);
            fail_msg("%s, slot %d promised", cases[i].policy, cases[i].promised);
        }
        for (size_t k = 0; k < report->n_findings; k++) {
            const berth_finding *f = &report->findings[k];
            if (f->violated && strcmp(f->rule, "promised-slot") == 0) {
                assert_non_null(strstr(f->message, cases[i].message));
                assert_non_null(strstr(f->where, "job ps"));
            }
        }
        berth_report_free(report);
        free(w);
    }
}

static void test_finding_says_where(void **state) {
    (void)state;
    world *w = world_new();
    w->at_0[0].workers = 5;
    w->at_0[0].ps = 1;
    berth_report *report = check(w, NULL);
    size_t found = 0;
    for (size_t i = 0; i < report->n_findings; i++) {
        const berth_finding *f = &report->findings[i];
        if (strcmp(f->rule, "capacity") == 0) {
            found++;
            assert_string_equal(f->where, "slot 0, machine m-0, gpu");
            assert_string_equal(f->message, "jobs hold 5 of 4");
            assert_close(f->slack, -1, 1e-12);
        }
        if (strcmp(f->rule, "max-workers") == 0) {
            assert_string_equal(f->where, "job ps, slot 0");
        }
        if (strcmp(f->rule, "ps-ratio") == 0) {
            assert_string_equal(f->message, "5 workers; with 1 parameter server, 2 to each, there may be 2");
        }
    }
    assert_int_equal(found, 1);
    berth_report_free(report);
    free(w);
}

/* All are counted, the first 1000 of a rule are listed. */
static void test_long_lists_are_cut(void **state) {
    (void)state;
    world *w = world_new();
    enum { MANY = 3000 };
    berth_slot_plan *many = calloc(MANY, sizeof *many);
    assert_non_null(many);
    for (int i = 0; i < MANY; i++) {
        many[i] = w->slots_0[0];
        many[i].slot = T + i;
    }
    w->results[0].slots = many;
    w->results[0].n_slots = MANY;
    berth_report *report = check(w, NULL);
    assert_int_equal(count(report, true, "horizon"), 1000);
    assert_int_equal(count(report, false, "horizon"), 1);
    assert_true(report->n_violations >= MANY);
    berth_report_free(report);
    free(many);
    free(w);
}

/* ---- absent figures, other policies ---- */

static void test_external_schedule(void **state) {
    (void)state;
    world *w = world_new();
    w->run.policy = "external";
    w->run.instance_crc32 = 0;
    w->run.price_upper = w->run.price_lower = NULL;
    w->run.certificate = NULL;
    w->run.utility = ABSENT;
    w->instance.price_upper = w->instance.price_lower = NULL;
    w->run.summary.mean_delay_slots = w->run.summary.median_delay_slots = w->run.summary.utility = ABSENT;
    w->run.summary.utilisation = NULL;
    for (int j = 0; j < 2; j++) {
        berth_run_job *result = &w->results[j];
        result->utility = result->payoff = result->payoff_bound = result->price_paid = ABSENT;
        result->completion_slot = result->delay_slots = -1;
    }
    w->slots_0[0].samples = ABSENT;
    assert_clean(w);
    berth_report *report = check(w, NULL);
    assert_int_equal(count(report, false, "utility"), 1);
    assert_int_equal(count(report, false, "completion"), 2);
    assert_int_equal(count(report, false, "outcome"), 1); /* "late" holds nothing */
    assert_close(report->utility, 60, 1e-12);
    assert_true(report->dual != report->dual);
    berth_report_free(report);
    w->at_0[0].workers = 5;
    report = check(w, NULL);
    assert_int_equal(count(report, true, "capacity"), 1);
    berth_report_free(report);
    free(w);
}

/* A baseline may leave jobs unfinished, without prices. */
static void test_baseline(void **state) {
    (void)state;
    world *w = world_new();
    w->run.policy = "srtf";
    w->run.price_upper = w->run.price_lower = NULL;
    w->results[0].n_slots = 1;
    w->results[0].outcome = BERTH_JOB_UNFINISHED;
    w->results[0].completion_slot = w->results[0].delay_slots = -1;
    w->results[0].utility = 0;
    for (int j = 0; j < 2; j++) {
        w->results[j].payoff = w->results[j].payoff_bound = w->results[j].price_paid = ABSENT;
    }
    w->run.utility = w->run.summary.utility = 10;
    w->run.summary.completed = 1;
    w->run.summary.mean_delay_slots = w->run.summary.median_delay_slots = 0;
    w->utilisation[0] = 6.0 / (16 * T);
    w->utilisation[1] = 14.0 / (64 * T);
    assert_clean(w);
    free(w);
}

/* A job that moves loses the delay of that slot, no more and no less; from elsewhere, up to it. */
static void test_restart_delay(void **state) {
    (void)state;
    world *w = world_new();
    w->run.policy = "srtf";
    w->run.price_upper = w->run.price_lower = NULL;
    w->run.bounds.arrival_dual = ABSENT;
    for (int j = 0; j < J; j++) {
        w->results[j].payoff = w->results[j].payoff_bound = w->results[j].price_paid = ABSENT;
    }
    w->jobs[0].samples *= 0.9;
    w->run.certificate = NULL;
    w->run.bounds.dual = w->run.bounds.best = w->run.bounds.ratio = ABSENT;
    assert_clean(w);
    w->run.restart_delay_s = 30; /* of 100 s; "ps" gets a second machine in its second slot */
    double full = w->slots_0[1].samples;
    static const struct {
        double worth;
        const char *policy;
        size_t violations;
    } cases[] = {{1, "srtf", 1},     {0.7, "srtf", 0},     {0.8, "srtf", 1},     {0.69, "srtf", 1},
                 {1, "external", 0}, {0.7, "external", 0}, {0.8, "external", 0}, {0.69, "external", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        w->run.policy = cases[i].policy;
        w->slots_0[1].samples = cases[i].worth * full;
        berth_report *report = check(w, NULL);
        assert_int_equal(count(report, true, "progress"), cases[i].violations);
        assert_int_equal(report->n_violations, cases[i].violations);
        berth_report_free(report);
    }
    free(w);
}

/* Anybody's factors are taken as they are, and shape progress, work and what is late. */
static void test_noise(void **state) {
    (void)state;
    world *w = world_new();
    berth_truth truth[J] = {{2, 2}, {0.5, 0.25}, {1, 1}};
    berth_estimation_summary errors = {
        .early = 1, .promises_kept = 2, .mean_overrun_slots = ABSENT, .worst_overrun_slots = ABSENT};
    w->run.policy = "external";
    w->run.noise = 0.3;
    w->run.truth = truth;
    w->run.estimation = &errors;
    w->run.bounds.void_because = "true speed and work differ from the declared";
    for (int k = 0; k < 2; k++) {
        w->slots_0[k].samples *= 2;
    }
    w->slots_1[0].samples *= 0.5;
    w->jobs[1].samples *=
        200.0 / 0.12 * 0.5 / 0.25 / 1000; /* to be done in the end, when it is not by what is declared */
    assert_clean(w);
    static const struct {
        double factor;
        const char *rule;
    } cases[] = {{0, "estimation"}, {-1, "estimation"}, {ENDLESS, "estimation"}, {2.1, "progress"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        truth[0].speed = cases[i].factor;
        berth_report *report = check(w, NULL);
        assert_true(count(report, true, cases[i].rule) > 0);
        berth_report_free(report);
    }
    truth[0].speed = 2;
    errors.late = 1;
    berth_report *report = check(w, NULL);
    assert_int_equal(count(report, true, "estimation"), 1);
    berth_report_free(report);
    w->run.bounds.void_because = NULL;
    report = check(w, NULL);
    assert_true(count(report, true, "bounds") > 0);
    berth_report_free(report);
    free(w);
}

static void test_stopped_run(void **state) {
    (void)state;
    world *w = world_new();
    w->run.stopped = true;
    w->results[2].outcome = BERTH_JOB_UNDECIDED;
    berth_report *report = check(w, NULL); /* a run that was stopped never came to its bound */
    assert_int_equal(count(report, true, "outcome"), 1);
    berth_report_free(report);
    w->results[2].outcome = BERTH_JOB_REJECTED; /* stopped after the last decision */
    w->run.bounds.void_because = "the run was stopped before the bound was computed";
    assert_clean(w);
    free(w);
}

/* ---- claimed bounds ---- */

static const char *violation_text(const berth_report *report, const char *rule) {
    for (size_t i = 0; i < report->n_findings; i++) {
        if (report->findings[i].violated && strcmp(report->findings[i].rule, rule) == 0) {
            return report->findings[i].message;
        }
    }
    return "";
}

/* Void bounds: none may stand there as if it were valid; the diagnostic may. */
static void test_void_bounds(void **state) {
    (void)state;
    world *w = world_new();
    w->run.bounds.void_because = "a machine failed in slot 2";
    w->run.price_upper = w->run.price_lower = NULL;
    w->run.policy = "other";
    w->run.bounds.arrival_dual = 70;
    berth_report *report = check(w, NULL);
    assert_int_equal(report->n_violations, 0);
    assert_int_equal(count(report, false, "bounds"), 1);
    assert_true(report->dual != report->dual);
    berth_report_free(report);
    double *const claims[] = {&w->run.bounds.dual, &w->run.bounds.lp, &w->run.bounds.exact, &w->run.bounds.best,
                              &w->run.bounds.ratio};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        *claims[i] = 1e6;
        report = check(w, NULL);
        assert_int_equal(report->n_violations, 1);
        assert_int_equal(count(report, true, "bounds"), 1);
        berth_report_free(report);
        *claims[i] = ABSENT;
    }
    free(w);
}

/* False claims of optimality: every bound set to the utility, ratio 1. */
static void test_optimality_needs_proof(void **state) {
    (void)state;
    world *w = world_new();
    static const char *const rules[] = {"dual", "bounds"};
    double *const claims[] = {&w->run.bounds.dual, &w->run.bounds.lp};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        *claims[i] = w->run.bounds.best = 60;
        w->run.bounds.ratio = 1;
        for (int proof = 0; proof < 2; proof++) {
            w->run.certificate = proof ? &w->certificate : NULL;
            for (int external = 0; external < 2; external++) {
                w->run.policy = external ? "external" : "pdors";
                berth_report *report = check(w, NULL);
                assert_int_equal(report->n_violations, 1);
                assert_int_equal(count(report, true, rules[i]), 1);
                assert_non_null(
                    strstr(violation_text(report, rules[i]),
                           proof ? "bound 60 is claimed; nothing in the result confirms less than " : "--certificate"));
                berth_report_free(report);
            }
        }
        *claims[i] = ABSENT;
    }
    /* The best alone: a result from elsewhere must prove it, one of berth's own must say what it is the best of. */
    for (int external = 0; external < 2; external++) {
        w->run.policy = external ? "external" : "pdors";
        berth_report *report = check(w, NULL);
        assert_int_equal(report->n_violations, 1);
        assert_non_null(
            strstr(violation_text(report, "bounds"), external ? "nothing in the result confirms" : "there is none"));
        berth_report_free(report);
    }
    free(w);
}

/* An optimum is a solver's word: noted where it cannot be confirmed, faulty where it cannot be. */
static void test_exact_optimum(void **state) {
    (void)state;
    world *w = world_new();
    claim_dual(w);
    double dual = w->run.bounds.dual;
    w->run.bounds.exact = w->run.bounds.best = 60;
    w->run.bounds.ratio = 1;
    for (int proof = 0; proof < 2; proof++) {
        w->run.certificate = proof ? &w->certificate : NULL;
        w->run.bounds.dual = proof ? dual : ABSENT;
        berth_report *report = check(w, NULL);
        assert_int_equal(report->n_violations, 0);
        assert_int_equal(count(report, false, "bounds"), 1);
        berth_report_free(report);
    }
    w->run.bounds.exact = dual * (1 + 1e-5);
    w->run.bounds.best = dual;
    w->run.bounds.ratio = dual / 60;
    berth_report *report = check(w, NULL);
    assert_int_equal(report->n_violations, 1);
    assert_non_null(strstr(violation_text(report, "bounds"), "no schedule can earn more than"));
    berth_report_free(report);
    free(w);
}

/* Weaker than what is confirmed, or close to it: fine. */
static void test_weaker_claims_are_valid(void **state) {
    (void)state;
    world *w = world_new();
    claim_dual(w);
    double dual = w->run.bounds.dual;
    w->run.bounds.lp = w->run.bounds.best = dual * (1 - 5e-7);
    w->run.bounds.ratio = w->run.bounds.best / 60;
    assert_clean(w);
    w->run.bounds.lp = dual * 2;
    w->run.bounds.dual = ABSENT;
    w->run.bounds.best = w->run.bounds.lp;
    w->run.bounds.ratio = w->run.bounds.best / 60;
    assert_clean(w);
    w->run.bounds.lp = ABSENT;
    w->run.policy = "external";
    assert_clean(w);
    free(w);
}

/* By hand: payoff bounds 50 and 50; prices of an empty cluster 0.4 and 0.04, with 16 gpu and 64 cpu over 6 slots; what
 * is held raises a price to lower * 100^(used / capacity). */
static void test_arrival_dual(void **state) {
    (void)state;
    world *w = world_new();
    double value = T * (16 * 0.4 + 64 * 0.04);
    value += 4 * 0.4 * (100 - 1) + 16 * 0.04 * (pow(100, 10.0 / 16) - 1);              /* m-0, slot 0 */
    value += 4 * 0.4 * (pow(100, 1.0 / 4) - 1) + 16 * 0.04 * (pow(100, 2.0 / 16) - 1); /* m-0, slot 1 */
    value += 4 * 0.4 * (pow(100, 2.0 / 4) - 1) + 16 * 0.04 * (pow(100, 5.0 / 16) - 1); /* m-1, slot 1 */
    w->run.bounds.arrival_dual = 50 + 50 + value;
    assert_clean(w); /* and no best: it is a diagnostic */
    w->results[0].payoff_bound = 51;
    berth_report *report = check(w, NULL);
    assert_int_equal(report->n_violations, 1);
    assert_int_equal(count(report, true, "arrival-dual"), 1);
    berth_report_free(report);
    w->results[0].payoff_bound = 50;
    w->run.bounds.best = w->run.bounds.arrival_dual;
    w->run.bounds.ratio = w->run.bounds.best / 60;
    report = check(w, NULL);
    assert_int_equal(count(report, true, "bounds"), 1);
    berth_report_free(report);
    free(w);
}

/* ---- rounding and what it promised ---- */

#define ROUNDING_CORRUPTIONS(X)                                                                                        \
    X("rounding", counts.problems = 10.5)                                                                              \
    X("rounding", counts.problems = -1)                                                                                \
    X("rounding", counts.draws = ABSENT)                                                                               \
    X("rounding", counts.solved = 10)                                                                                  \
    X("rounding", counts.repaired = 3)                                                                                 \
    X("rounding", counts.draws = 9)                                                                                    \
    X("rounding", counts.draws = 41)                                                                                   \
    X("rounding", counts.guarantee_held = 11)                                                                          \
    X("rounding", counts.guarantee_held = 9)                                                                           \
    X("rounding", counts.why_not = "W is 0")                                                                           \
    X("rounding", w->run.repair = false)                                                                               \
    X("closed-form", w->run.closed_form_ratio *= 1.001)                                                                \
    X("closed-form", w->run.delta = 0.2)                                                                               \
    X("rounding", w->run.delta = 0.05)                                                                                 \
    X("rounding", counts.promise.probability = 1.1)                                                                    \
    X("rounding", counts.promise.scale = 0)                                                                            \
    X("rounding", counts.promise.pack_factor = -1)                                                                     \
    X("rounding", (counts.guarantee_held = 0, counts.why_not = "W is 0"))                                              \
    X("rounding", w->run.scale = "2.5")                                                                                \
    X("closed-form", w->run.price_oracle = false)                                                                      \
    X("closed-form", w->run.price_floored = true)                                                                      \
    X("closed-form", w->run.rounding = NULL)                                                                           \
    X("closed-form", counts.problems = 11)                                                                             \
    X("closed-form", (counts.guarantee_held = 9, counts.why_not = "W is 0"))                                           \
    X("closed-form", (w->run.scale = "auto", w->run.closed_form_ratio *= 0.39))                                        \
    X("rounding", (w->run.scale = "auto", w->run.favour = "packing"))                                                  \
    X("price-bounds", w->run.price_floored = true)                                                                     \
    X("price-oracle", w->run.price_oracle = false)

/* Prices as in test_oracle_prices. */
static void test_promises(void **state) {
    (void)state;
    static const char *const rules[] = {
#define PROMISE_RULE(rule, change) rule,
        ROUNDING_CORRUPTIONS(PROMISE_RULE)
#undef PROMISE_RULE
    };
    enum { N = sizeof rules / sizeof *rules };
    for (int which = -1; which < N; which++) {
        world *w = world_new();
        berth_rounding_summary counts = {.problems = 10,
                                         .solved = 8,
                                         .repaired = 2,
                                         .draws = 36,
                                         .guarantee_held = 10,
                                         .promise = {2, 60, 1, 3.5, 0.9}};
        w->instance.price_upper = w->instance.price_lower = NULL;
        w->run.price_oracle = true;
        double lower = 0.5 * 0.1875 / 12 * 10 / 0.65625, span = log(50 * 16 / lower);
        w->upper[0] = 50;
        w->upper[1] = 50.0 / 3;
        w->lower[0] = lower / 16;
        w->lower[1] = lower / 64;
        w->run.rounding = &counts;
        w->run.trials = 4;
        w->run.repair = true;
        w->run.delta = 0.1;
        w->run.scale = "2.0";
        w->run.favour = "cover";
        span = fmax(span, log(50.0 / 3 * 64 / lower));
        w->run.closed_form_ratio = 6 * 2.0 / 0.1 * span;
        int n = 0;
#define CORRUPT_PROMISE(rule, change)                                                                                  \
    if (n++ == which) {                                                                                                \
        change;                                                                                                        \
    }
        ROUNDING_CORRUPTIONS(CORRUPT_PROMISE)
#undef CORRUPT_PROMISE
        berth_report *report = check(w, NULL);
        if (which < 0) {
            assert_int_equal(count(report, true, "rounding") + count(report, true, "closed-form"), 0);
        } else if (count(report, true, rules[which]) == 0) {
            fail_msg("corruption %d is not found as \"%s\"", which, rules[which]);
        }
        berth_report_free(report);
        free(w);
    }
}

/* A floor that raises the bounds must be told of. */
static void test_floor_is_told(void **state) {
    (void)state;
    world *w = world_new();
    w->instance.price_upper = w->instance.price_lower = NULL;
    w->run.price_floor = 0.01;
    w->run.price_oracle = true;
    w->upper[0] = 50;
    w->upper[1] = 50.0 / 3;
    w->lower[0] = 0.5;
    w->lower[1] = 0.5 / 3;
    for (int told = 0; told < 2; told++) {
        w->run.price_floored = told;
        berth_report *report = check(w, NULL);
        assert_int_equal(count(report, true, "price-bounds"), !told);
        assert_int_equal(count(report, true, "price-oracle"), 0);
        berth_report_free(report);
    }
    w->run.price_floor = 0.011; /* is not what raised them */
    berth_report *report = check(w, NULL);
    assert_int_equal(count(report, true, "price-oracle"), 2);
    berth_report_free(report);
    free(w);
}

/* It is the instance's where that gives one, and always a number that makes sense. */
static void test_floor_of_the_instance(void **state) {
    (void)state;
    static const struct {
        double given, claimed;
        bool good;
    } cases[] = {{0.01, 0.01, true},        {0.01, 1e-12, false}, {1e-12, 1e-3, false},
                 {1e-3, 0.00100001, false}, {ABSENT, 0.5, true},  {ABSENT, 0, false},
                 {ABSENT, -1, false},       {ABSENT, 1, false},   {ABSENT, ABSENT, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world *w = world_new();
        w->instance.price_floor = cases[i].given;
        w->run.price_floor = cases[i].claimed;
        berth_report *report = check(w, NULL);
        assert_int_equal(count(report, true, "price-bounds"), !cases[i].good);
        berth_report_free(report);
        free(w);
    }
}

/* Counts and gaps of configuration rounding; nothing of it is recomputed, but it must fit together. */
static void test_placement_summary(void **state) {
    (void)state;
    static const struct {
        berth_placement_summary claim;
        bool good;
    } cases[] = {{{9, 7, 0.02, 0.001}, true},      {{9, 9, 0, 0}, true},           {{9, 0, 0.02, 0.02}, true},
                 {{9, 10, 0.02, 0.001}, false},    {{9, -1, 0.02, 0.001}, false},  {{9.5, 7, 0.02, 0.001}, false},
                 {{9, 6.5, 0.02, 0.001}, false},   {{9, 7, 0.02, -0.001}, false},  {{9, 7, 0.001, 0.002}, false},
                 {{9, 7, HUGE_VAL, 0.001}, false}, {{9, 7, ABSENT, 0.001}, false}, {{9, 7, 0.02, ABSENT}, false},
                 {{0, 0, ABSENT, ABSENT}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world *w = world_new();
        berth_placement_summary claim = cases[i].claim;
        w->run.placement = &claim;
        berth_report *report = check(w, NULL);
        if ((count(report, true, "rounding") == 0) != cases[i].good) {
            fail_msg("case %zu: %zu findings", i, count(report, true, "rounding"));
        }
        berth_report_free(report);
        free(w);
    }
}

/* ---- the rest ---- */

static bool always(void *user) {
    (void)user;
    return true;
}

static void test_cancelled(void **state) {
    (void)state;
    world *w = world_new();
    berth_hooks hooks = {.struct_size = sizeof hooks, .cancel = always};
    berth_report *report = check(w, &hooks);
    assert_int_equal(report->n_violations, 0);
    assert_int_equal(count(report, false, "dual"), 1);
    assert_true(report->dual != report->dual);
    berth_report_free(report);
    free(w);
}

static void test_mismatch(void **state) {
    (void)state;
    world *w = world_new();
    berth_error error = {0};
    berth_report *report = (berth_report *)w;
    w->run.instance_crc32 = 8;
    assert_int_equal(berth_check(&w->instance, &w->run, NULL, &report, &error), BERTH_E_MISMATCH);
    assert_null(report);
    w->run.instance_crc32 = 7;
    w->results[1].id = "other";
    assert_int_equal(berth_check(&w->instance, &w->run, NULL, &report, &error), BERTH_E_MISMATCH);
    w->run.n_jobs = 2;
    assert_int_equal(berth_check(&w->instance, &w->run, NULL, &report, &error), BERTH_E_MISMATCH);
    assert_int_equal(berth_check(NULL, &w->run, NULL, &report, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_check(&w->instance, NULL, NULL, &report, NULL), BERTH_E_ARGUMENT);
    assert_int_equal(berth_check(&w->instance, &w->run, NULL, NULL, NULL), BERTH_E_ARGUMENT);
    berth_report_free(NULL);
    free(w);
}

/* ---- price bounds from the instance ---- */

/* By hand. Per unit: the totals are 16 gpu and 64 cpu, T = 6; "late" cannot finish and is left out.
 *   ps:   dmin 1 (3000 > 4 * 714 samples a slot), u(1) = 50, gpu 1, cpu 2 + 1; N = 3000 / 555.6 -> 6
 *   ring: dmin 0, u = 10, gpu 1, cpu 2; slower speed 100 / 0.14, N = 1000 / 714.3 -> 2
 *   volume of ps 6 (1/16 + 3/64) = 0.65625, of ring 2 (1/16 + 2/64) = 0.1875; least utility 10 at delay 5, and 10
 *   L = 1/2 * 0.1875 / (6 * 2) * min(10 / 0.65625, 10 / 0.1875), per share */
static void test_oracle_prices(void **state) {
    (void)state;
    world *w = world_new();
    double lower = 0.5 * 0.1875 / 12 * 10 / 0.65625;
    w->run.price_oracle = true;
    w->instance.price_upper = w->instance.price_lower = NULL;
    w->upper[0] = 50;
    w->upper[1] = 50.0 / 3;
    w->lower[0] = lower / 16;
    w->lower[1] = lower / 64;
    berth_report *report = check(w, NULL);
    assert_int_equal(count(report, true, "price-oracle"), 0);
    assert_int_equal(count(report, true, "price-bounds"), 0);
    assert_true(count(report, true, "price-paid") > 0);
    berth_report_free(report);
    w->lower[1] *= 1.001;
    report = check(w, NULL);
    assert_int_equal(count(report, true, "price-oracle"), 1);
    berth_report_free(report);
    w->instance.price_floor = w->run.price_floor = 0.01; /* raises both */
    w->run.price_floored = true;
    w->lower[0] = 0.5;
    w->lower[1] = 0.5 / 3;
    report = check(w, NULL);
    assert_int_equal(count(report, true, "price-oracle"), 0);
    berth_report_free(report);
    free(w);
}

static void test_given_prices(void **state) {
    (void)state;
    world *w = world_new();
    assert_clean(w);
    w->given_upper[0] = 41;
    berth_report *report = check(w, NULL);
    assert_int_equal(count(report, true, "price-bounds"), 1);
    berth_report_free(report);
    w->given_upper[0] = ABSENT; /* then it should have been computed */
    report = check(w, NULL);
    assert_int_equal(count(report, true, "price-bounds"), 0);
    assert_int_equal(count(report, true, "price-oracle"), 1);
    berth_report_free(report);
    free(w);
}

/* ---- globs ---- */

static void test_globs(void **state) {
    (void)state;
    static const struct {
        const char *glob, *name;
        bool matches;
    } cases[] = {
        {"", "", true},           {"", "a", false},         {"a100-0", "a100-0", true}, {"a100", "a100-0", false},
        {"*", "", true},          {"*", "anything", true},  {"a*-?", "a100-7", true},   {"a*-?", "a100-77", false},
        {"*-*-1", "a-1-1", true}, {"*-*-1", "a-1", false},  {"*ab*ab", "abab", true},   {"*ab*ab", "abaab", true},
        {"?", "", false},         {"[abc]1", "b1", true},   {"[abc]1", "d1", false},    {"[!abc]", "b", false},
        {"[!abc]", "d", true},    {"m-[0-3]", "m-2", true}, {"m-[0-3]", "m-4", false},  {"[]a]", "]", true},
        {"[", "[", true},         {"a[b", "a[b", true},     {"a[b", "ab", false},       {"*[0-9]", "gpu7", true},
        {"[a-]", "-", true},      {"a**b", "ab", true},     {"*b", "abc", false},       {"[!]]", "]", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        berth_job job = {.n_allow = 1, .allow = &cases[i].glob};
        if (berth__audit_eligible(&job, cases[i].name) != cases[i].matches) {
            fail_msg("\"%s\" on \"%s\"", cases[i].glob, cases[i].name);
        }
        job = (berth_job){.n_avoid = 1, .avoid = &cases[i].glob};
        assert_true(berth__audit_eligible(&job, cases[i].name) != cases[i].matches);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean_run),
        cmocka_unit_test(test_dual_by_hand),
        cmocka_unit_test(test_corruptions),
        cmocka_unit_test(test_promised_slots),
        cmocka_unit_test(test_finding_says_where),
        cmocka_unit_test(test_long_lists_are_cut),
        cmocka_unit_test(test_external_schedule),
        cmocka_unit_test(test_baseline),
        cmocka_unit_test(test_restart_delay),
        cmocka_unit_test(test_stopped_run),
        cmocka_unit_test(test_void_bounds),
        cmocka_unit_test(test_optimality_needs_proof),
        cmocka_unit_test(test_exact_optimum),
        cmocka_unit_test(test_weaker_claims_are_valid),
        cmocka_unit_test(test_arrival_dual),
        cmocka_unit_test(test_promises),
        cmocka_unit_test(test_floor_is_told),
        cmocka_unit_test(test_floor_of_the_instance),
        cmocka_unit_test(test_placement_summary),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_mismatch),
        cmocka_unit_test(test_oracle_prices),
        cmocka_unit_test(test_given_prices),
        cmocka_unit_test(test_globs),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
