/* berth_check on a small run written by hand: clean as it is, and each corruption is found under its rule's name. */
#include "tests/support/audit_world.h"

#include <stdlib.h>
#include <string.h>

#include "audit/run/audit.h"

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
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_mismatch),
        cmocka_unit_test(test_oracle_prices),
        cmocka_unit_test(test_given_prices),
        cmocka_unit_test(test_globs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
