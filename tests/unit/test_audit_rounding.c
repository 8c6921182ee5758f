/* berth_check on what a run says of its roundings, its placements and the floor of its prices. */
#include "tests/support/audit_world.h"

#include <stdlib.h>
#include <string.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_promises),
        cmocka_unit_test(test_floor_is_told),
        cmocka_unit_test(test_floor_of_the_instance),
        cmocka_unit_test(test_placement_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
