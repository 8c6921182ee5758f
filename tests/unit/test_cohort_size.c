/* berth_cohort_size against values of the formula, and berth_cohort_sample. */
#include <berth_cohort.h>

#include "tests/support/check.h"

static double exact_size(double deviation, double range, size_t clients, double confidence, size_t categories) {
    berth_error error;
    berth_cohort_size_options o;
    size_t participants;
    double exact;
    berth_cohort_size_options_init(&o);
    o.deviation = deviation;
    o.range = range;
    o.clients = clients;
    o.confidence = confidence;
    o.categories = categories;
    assert_ok(berth_cohort_size(&o, &participants, &exact, &error), error);
    double whole = fmax(1, ceil(exact));
    assert_int_equal(participants, whole < (double)clients ? (size_t)whole : clients);
    return exact;
}

/* Values of the paper's formula. */
static void sizes_are_those_of_the_formula(void **state) {
    (void)state;
    static const struct {
        double deviation, range;
        size_t clients;
        double at_80, at_95;
    } golden[] = {{.05, 1, 1660820, 321.8254, 598.9307},
                  {.1, 1, 14477, 80.0326, 148.2630},
                  {5, 24, 2187, 18.3933, 33.9903},
                  {.05, 1, 2618, 286.7537, 487.7504}};
    for (size_t k = 0; k < sizeof golden / sizeof *golden; k++) {
        assert_close(exact_size(golden[k].deviation, golden[k].range, golden[k].clients, .8, 0), golden[k].at_80, 1e-5);
        assert_close(exact_size(golden[k].deviation, golden[k].range, golden[k].clients, .95, 0), golden[k].at_95,
                     1e-5);
    }
    /* two sides of 35 categories share 0.05: q = 0.05 / 70 of one side each */
    assert_close(exact_size(5, 24, 2187, .95, 35), exact_size(5, 24, 2187, 1 - 0.05 / 70, 0), 1e-9);
    assert_close(exact_size(5, 0, 2187, .95, 0), 0, 1e-12);
    assert_int_equal(exact_size(1e-9, 24, 50, .95, 0) > 49.9, 1);
}

static void overcommitment_multiplies_before_rounding(void **state) {
    (void)state;
    berth_error error;
    berth_cohort_size_options o;
    size_t participants;
    berth_cohort_size_options_init(&o);
    o.deviation = 5;
    o.range = 24;
    o.clients = 2187;
    o.overcommit = 1.3;
    assert_ok(berth_cohort_size(&o, &participants, NULL, &error), error);
    assert_int_equal(participants, 45); /* 1.3 * 33.9903 = 44.187 */
    o.overcommit = 1000;
    assert_ok(berth_cohort_size(&o, &participants, NULL, &error), error);
    assert_int_equal(participants, 2187);
}

static void bad_size_options_are_named(void **state) {
    (void)state;
    berth_error error;
    size_t participants;
    for (int k = 0; k < 6; k++) {
        static const char *const names[] = {"deviation", "range", "clients", "confidence", "overcommit", "options"};
        berth_cohort_size_options o;
        berth_cohort_size_options_init(&o);
        o.deviation = k == 0 ? 0 : 1;
        o.range = k == 1 ? -1 : 1;
        o.clients = k == 2 ? 0 : 10;
        o.confidence = k == 3 ? 1 : 0.9;
        o.overcommit = k == 4 ? 0.5 : 1;
        o.struct_size = k == 5 ? 1 : o.struct_size;
        assert_int_equal(berth_cohort_size(&o, &participants, NULL, &error), BERTH_E_ARGUMENT);
        assert_string_equal(error.where, names[k]);
    }
}

static void samples_are_ascending_and_go_by_the_seed(void **state) {
    (void)state;
    berth_error error;
    size_t first[50], second[50], different = 0;
    assert_ok(berth_cohort_sample(1000, 50, 3, first, &error), error);
    assert_ok(berth_cohort_sample(1000, 50, 3, second, &error), error);
    assert_memory_equal(first, second, sizeof first);
    for (size_t k = 1; k < 50; k++) {
        assert_true(first[k] > first[k - 1] && first[k] < 1000);
    }
    assert_ok(berth_cohort_sample(1000, 50, 4, second, &error), error);
    for (size_t k = 0; k < 50; k++) {
        different += first[k] != second[k];
    }
    assert_true(different > 0);
    assert_ok(berth_cohort_sample(50, 50, 4, second, &error), error);
    assert_int_equal(second[49], 49);
    assert_int_equal(berth_cohort_sample(49, 50, 4, second, &error), BERTH_E_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_formula),
        cmocka_unit_test(overcommitment_multiplies_before_rounding),
        cmocka_unit_test(bad_size_options_are_named),
        cmocka_unit_test(samples_are_ascending_and_go_by_the_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
