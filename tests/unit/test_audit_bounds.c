/* berth_check on what a run claims of its bounds: void ones, exact ones, weaker ones. */
#include "tests/support/audit_world.h"

#include <stdlib.h>
#include <string.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_void_bounds),   cmocka_unit_test(test_optimality_needs_proof),
        cmocka_unit_test(test_exact_optimum), cmocka_unit_test(test_weaker_claims_are_valid),
        cmocka_unit_test(test_arrival_dual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
