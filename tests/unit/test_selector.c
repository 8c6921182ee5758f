/* The training selector on values computed by hand. */
#include <berth_cohort.h>

#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

static berth_error error;

/* Takes all that were asked for from clients that have reported, by weight alone. */
static berth_selector_options plain_options(void) {
    berth_selector_options o;
    berth_selector_options_init(&o);
    o.exploration = o.exploration_min = 0;
    o.overcommit = 1;
    o.clip = 0.5;
    o.percentile = 50;
    return o;
}

static berth_selector *new_selector(const berth_selector_options *options) {
    berth_selector *selector;
    assert_ok(berth_selector_new(options, &selector, &error), error);
    return selector;
}

static void add(berth_selector *selector, size_t n, const double *declared_s) {
    for (size_t k = 0; k < n; k++) {
        size_t client;
        assert_ok(
            berth_selector_register(selector, NULL, declared_s != NULL ? declared_s[k] : (double)NAN, &client, &error),
            error);
    }
}

static void report(berth_selector *selector, size_t client, uint64_t samples, double loss, double duration_s) {
    berth_selector_result result = {samples, loss, duration_s};
    assert_ok(berth_selector_report(selector, client, &result, &error), error);
}

static berth_selection *choose(berth_selector *selector, size_t participants) {
    berth_selection *selection;
    assert_ok(berth_selector_select(selector, participants, NULL, 0, &selection, &error), error);
    return selection;
}

static void pass_rounds(berth_selector *selector, size_t rounds) {
    for (size_t k = 0; k < rounds; k++) {
        berth_selection_free(choose(selector, 1));
    }
}

/* Utilities 20, 10, 30, 0: their median is 15. Durations 2, 4, 8, 1: T is their median, 3. */
static berth_selector *four_clients(const berth_selector_options *options) {
    berth_selector *selector = new_selector(options);
    add(selector, 4, NULL);
    report(selector, 0, 10, 4, 2);
    report(selector, 1, 10, 1, 4);
    report(selector, 2, 15, 4, 8);
    report(selector, 3, 7, 0, 1);
    return selector;
}

static void expect_weights(berth_selector *selector, size_t n, const double *weights) {
    berth_selection *s = choose(selector, n);
    assert_int_equal(s->n, n);
    for (size_t k = 0; k < n; k++) {
        assert_int_equal(s->choices[k].client, k);
        assert_close(s->choices[k].weight, weights[k], 1e-12);
    }
    berth_selection_free(s);
}

static void weights_are_utility_staleness_and_speed(void **state) {
    (void)state;
    berth_selector_options o = plain_options();
    berth_selector *selector = four_clients(&o);
    /* ln 1 = 0: 1; 2/3 (3/4)^2; (3/8)^2; 0 */
    expect_weights(selector, 4, (const double[]){1, 0.375, 0.140625, 0});
    report(selector, 1, 10, 1, 4);            /* after the first round: last_round stays 1 */
    const double stale = 0.26327688477341593; /* sqrt(0.1 ln 2) */
    expect_weights(selector, 4, (const double[]){1 + stale, 0.5625 * (2.0 / 3 + stale), 0.140625 * (1 + stale), stale});
    report(selector, 0, 10, 4, 2); /* last_round 2: sqrt(0.1 ln 3 / 2), the others sqrt(0.1 ln 3) */
    expect_weights(selector, 4,
                   (const double[]){1 + 0.23437281078104066, 0.5625 * (2.0 / 3 + 0.33145320765805086),
                                    0.140625 * (1 + 0.33145320765805086), 0.33145320765805086});
    berth_selector_free(selector);
}

static void fairness_favours_the_seldom_selected(void **state) {
    (void)state;
    berth_selector_options o = plain_options();
    o.fairness = 0.25;
    berth_selector *selector = four_clients(&o);
    size_t first[] = {0, 0, 1, 0};
    berth_selection *s;
    /* nobody was selected yet: the second term is 0 */
    assert_ok(berth_selector_select(selector, 4, first, 4, &s, &error), error);
    assert_int_equal(s->n, 2); /* repeated clients are one */
    assert_int_equal(s->n_available, 2);
    berth_selection_free(s);
    const double stale = 0.26327688477341593;
    expect_weights(selector, 4,
                   (const double[]){0.75 * (1 + stale), 0.75 * 0.5625 * (2.0 / 3 + stale),
                                    0.75 * 0.140625 * (1 + stale) + 0.25, 0.75 * stale + 0.25});
    berth_selector_free(selector);
}

static void speeds_of_unseen_clients_are_relative(void **state) {
    (void)state;
    berth_selector_options o = plain_options();
    berth_selector *selector = new_selector(&o);
    add(selector, 4, (const double[]){2, 8, 4, (double)NAN});
    /* 1/2 : 1/8 : 1/4, and the mean of these */
    expect_weights(selector, 4, (const double[]){1, 0.25, 0.5, 1.75 / 3});
    assert_ok(berth_selector_declare(selector, 3, 1, &error), error);
    expect_weights(selector, 4, (const double[]){0.5, 0.125, 0.25, 1});
    berth_selector_free(selector);
    selector = new_selector(&o);
    add(selector, 2, NULL);
    expect_weights(selector, 2, (const double[]){1, 1});
    berth_selector_free(selector);
}

static void preferred_duration_is_a_percentile(void **state) {
    (void)state;
    berth_selector_options o = plain_options();
    o.percentile = 25;
    berth_selector *selector = new_selector(&o);
    add(selector, 6, (const double[]){10, 20, 30, 40, 50, (double)NAN});
    berth_selection *s = choose(selector, 1);
    assert_close(s->preferred_duration_s, 20, 1e-12);
    berth_selection_free(s);
    report(selector, 0, 1, 1, 60); /* what was reported goes before what was declared: 20 30 40 50 60 */
    report(selector, 5, 1, 1, 25); /* 20 25 30 40 50 60: between the second and the third, a quarter of 5 on */
    s = choose(selector, 1);
    assert_close(s->preferred_duration_s, 26.25, 1e-12);
    berth_selection_free(s);
    berth_selector_free(selector);
    o.percentile = 100;
    selector = new_selector(&o);
    add(selector, 2, (const double[]){10, 20});
    s = choose(selector, 1);
    assert_true(isinf(s->preferred_duration_s));
    berth_selection_free(s);
    berth_selector_free(selector);
}

static void numbers_of_a_round_are_as_stated(void **state) {
    (void)state;
    berth_selector_options o;
    berth_selector_options_init(&o);
    o.overcommit = 1.3;
    o.exploration = 0.9;
    berth_selector *selector = new_selector(&o);
    add(selector, 100, NULL);
    for (size_t k = 0; k < 50; k++) {
        report(selector, k, k, 1, 1 + (double)k);
    }
    berth_selection *s = choose(selector, 10); /* 13, of which floor(1.3) by weight */
    assert_int_equal(s->n, 13);
    assert_int_equal(s->n_exploited, 1);
    assert_int_equal(s->n_explored, 12);
    assert_close(s->exploration, 0.9, 0);
    berth_selection_free(s);
    s = choose(selector, 1); /* 2 */
    assert_int_equal(s->n, 2);
    assert_close(s->exploration, 0.9 * 0.98, 1e-15);
    berth_selection_free(s);
    pass_rounds(selector, 200);
    berth_selector_state present;
    berth_selector_present(selector, &present);
    assert_close(present.exploration, 0.2, 0);
    assert_int_equal(present.round, 202);
    berth_selector_free(selector);
}

static void either_kind_fills_up(void **state) {
    (void)state;
    berth_selector_options o = plain_options();
    berth_selector *selector = new_selector(&o); /* by weight only, but one client alone has reported */
    add(selector, 5, NULL);
    report(selector, 2, 1, 1, 1);
    berth_selection *s = choose(selector, 3);
    assert_int_equal(s->n_exploited, 1);
    assert_int_equal(s->n_explored, 2);
    berth_selection_free(s);
    berth_selector_free(selector);
    o.exploration = o.exploration_min = 1; /* the other way round */
    selector = new_selector(&o);
    add(selector, 5, NULL);
    for (size_t k = 0; k < 4; k++) {
        report(selector, k, 1, 1, 1);
    }
    s = choose(selector, 3);
    assert_int_equal(s->n_exploited, 2);
    assert_int_equal(s->n_explored, 1);
    berth_selection_free(s);
    s = choose(selector, 100);
    assert_int_equal(s->n, 5);
    berth_selection_free(s);
    berth_selector_free(selector);
}

/* Of 10 clients with utilities 0 .. 9 (clip 1), a quarter of the least weight needed is within reach. */
static void cut_off_bounds_the_candidates(void **state) {
    (void)state;
    size_t taken[10] = {0};
    for (uint64_t seed = 0; seed < 200; seed++) {
        berth_selector_options o = plain_options();
        o.seed = seed;
        o.clip = 1;
        o.cut_off = 0.75; /* the second largest weight is 8/9: from 6/9 on */
        berth_selector *selector = new_selector(&o);
        add(selector, 10, NULL);
        for (size_t k = 0; k < 10; k++) {
            report(selector, k, k, 1, 1);
        }
        berth_selection *s = choose(selector, 2);
        assert_int_equal(s->n, 2);
        taken[s->choices[0].client]++;
        taken[s->choices[1].client]++;
        berth_selection_free(s);
        berth_selector_free(selector);
    }
    for (size_t k = 0; k < 10; k++) {
        assert_true((taken[k] > 0) == (k >= 6)); /* one of four is never among two of 200 draws: below 1e-40 */
    }
}

/* step 2, delta 5: compared after rounds 4, 6, 8, ... */
static void pacer_moves_by_utility(void **state) {
    (void)state;
    const double utility[] = {10, 10.9, 10.9, 70, 20, 20, 0, 0};
    /* from one to the next: a stall (by 0.9), a stall, a leap (by 59.1, more than 5 times 10.9), neither (by -50), a
     * stall, neither, a stall (0 and 0) */
    const double percentile[] = {50, 55, 60, 55, 55, 60, 60, 65};
    berth_selector_options o = plain_options();
    o.pacer_step = 2;
    o.blacklist_rounds = 0;
    berth_selector *selector = new_selector(&o);
    add(selector, 2, (const double[]){1, 2});
    for (size_t k = 0; k < sizeof utility / sizeof *utility; k++) {
        pass_rounds(selector, 2);
        berth_selector_state present;
        berth_selector_present(selector, &present);
        assert_close(present.percentile, k > 0 ? percentile[k - 1] : 50, 1e-12);
        if (utility[k] > 0) {
            report(selector, 0, 1, utility[k] * utility[k], 1);
        }
    }
    berth_selection *s = choose(selector, 1);
    assert_close(s->percentile, 65, 1e-12);
    berth_selection_free(s);
    berth_selector_free(selector);
}

static void percentile_stays_within_its_bounds(void **state) {
    (void)state;
    berth_selector_options o = plain_options();
    o.pacer_step = 1;
    o.percentile = 97;
    o.blacklist_rounds = 0;
    berth_selector *selector = new_selector(&o);
    add(selector, 2, (const double[]){1, 2});
    pass_rounds(selector, 5); /* nothing is ever reported: a stall each time */
    berth_selector_state present;
    berth_selector_present(selector, &present);
    assert_close(present.percentile, 100, 0);
    berth_selector_free(selector);
    o.percentile = 7;
    selector = new_selector(&o);
    add(selector, 2, (const double[]){1, 2});
    pass_rounds(selector, 2);
    report(selector, 0, 100, 1, 1);
    pass_rounds(selector, 1);
    berth_selector_present(selector, &present);
    assert_close(present.percentile, 2, 0); /* from nothing to something is a leap */
    report(selector, 0, 1000, 1, 1);
    pass_rounds(selector, 1);
    berth_selector_present(selector, &present);
    assert_close(present.percentile, 0, 0);
    berth_selector_free(selector);
    o.pacer_step = 0;
    selector = new_selector(&o);
    add(selector, 1, NULL);
    pass_rounds(selector, 50);
    berth_selector_present(selector, &present);
    assert_close(present.percentile, 7, 0);
    berth_selector_free(selector);
}

static void blacklisted_clients_are_recalled_last(void **state) {
    (void)state;
    berth_selector_options o = plain_options();
    o.blacklist_rounds = 2;
    berth_selector *selector = new_selector(&o);
    const size_t zero = 0, both[] = {0, 1};
    berth_selection *s;
    add(selector, 3, NULL);
    for (int k = 0; k < 2; k++) {
        assert_ok(berth_selector_select(selector, 1, &zero, 1, &s, &error), error);
        assert_int_equal(s->n_recalled, 0);
        berth_selection_free(s);
    }
    report(selector, 0, 1000, 100, 1);
    berth_selector_client client;
    assert_ok(berth_selector_present_client(selector, 0, &client, &error), error);
    assert_true(client.blacklisted);
    assert_int_equal(client.selections, 2);
    assert_close(client.utility, 10000, 0);
    for (int k = 0; k < 2; k++) { /* the others first, whatever its utility */
        s = choose(selector, 2);
        assert_int_equal(s->n_blacklisted, 1);
        assert_int_equal(s->choices[0].client, 1);
        assert_int_equal(s->choices[1].client, 2);
        berth_selection_free(s);
    }
    assert_ok(berth_selector_select(selector, 1, &zero, 1, &s, &error), error); /* its third */
    assert_int_equal(s->n_recalled, 1);
    assert_true(isnan(s->choices[0].weight));
    berth_selection_free(s);
    /* all are blacklisted, client 1 was selected less often than 0 */
    assert_ok(berth_selector_select(selector, 1, both, 2, &s, &error), error);
    assert_int_equal(s->n_recalled, 1);
    assert_int_equal(s->choices[0].client, 1);
    berth_selection_free(s);
    berth_selector_free(selector);
}

static void nobody_and_zeros_are_no_errors(void **state) {
    (void)state;
    berth_selector_options o = plain_options();
    berth_selector *selector = new_selector(&o);
    berth_selection *s = choose(selector, 5);
    assert_int_equal(s->n, 0);
    assert_int_equal(s->round, 1);
    assert_true(isinf(s->preferred_duration_s));
    berth_selection_free(s);
    add(selector, 6, NULL);
    const size_t none = 0;
    assert_ok(berth_selector_select(selector, 5, &none, 0, &s, &error), error);
    assert_int_equal(s->n, 0);
    berth_selection_free(s);
    berth_selector_free(selector);
    /* all utilities 0 in the first round: all weights are 0, and alike */
    size_t taken[6] = {0};
    for (o.seed = 0; o.seed < 300; o.seed++) {
        selector = new_selector(&o);
        add(selector, 6, NULL);
        for (size_t k = 0; k < 6; k++) {
            report(selector, k, 0, 3, 1);
        }
        s = choose(selector, 3);
        assert_int_equal(s->n, 3);
        for (size_t k = 0; k < 3; k++) {
            assert_close(s->choices[k].weight, 0, 0);
            taken[s->choices[k].client]++;
        }
        berth_selection_free(s);
        berth_selector_free(selector);
    }
    for (size_t k = 0; k < 6; k++) { /* 150 expected, standard deviation 8.7: false alarm below 1e-6 */
        assert_in_range(taken[k], 105, 195);
    }
}

static void expect_failure(berth_status got, berth_status status, const char *where) {
    assert_int_equal(got, status);
    assert_string_equal(error.where, where);
    assert_true(error.message[0] != '\0');
}

static void wrong_arguments_change_nothing(void **state) {
    (void)state;
    berth_selector_options o = plain_options();
    berth_selector *selector = four_clients(&o), *other;
    unsigned char before[1024], after[1024];
    size_t length, same, unknown[] = {0, 4};
    berth_selection *s;
    berth_selector_result r = {1, -1, 1};
    berth_selector_client client;
    assert_ok(berth_selector_snapshot(selector, before, sizeof before, &length, &error), error);
    assert_true(length <= sizeof before);
    expect_failure(berth_selector_select(selector, 1, unknown, 2, &s, &error), BERTH_E_ARGUMENT, "available[1]");
    assert_null(s);
    expect_failure(berth_selector_select(selector, 0, NULL, 0, &s, &error), BERTH_E_ARGUMENT, "participants");
    expect_failure(berth_selector_report(selector, 0, &r, &error), BERTH_E_ARGUMENT, "mean_squared_loss");
    r = (berth_selector_result){1, (double)NAN, 1};
    expect_failure(berth_selector_report(selector, 0, &r, &error), BERTH_E_ARGUMENT, "mean_squared_loss");
    r = (berth_selector_result){1, 1, 0};
    expect_failure(berth_selector_report(selector, 0, &r, &error), BERTH_E_ARGUMENT, "duration_s");
    expect_failure(berth_selector_report(selector, 4, &r, &error), BERTH_E_ARGUMENT, "client");
    expect_failure(berth_selector_declare(selector, 4, 1, &error), BERTH_E_ARGUMENT, "client");
    expect_failure(berth_selector_declare(selector, 0, -1, &error), BERTH_E_ARGUMENT, "declared_s");
    expect_failure(berth_selector_register(selector, "x", 0, NULL, &error), BERTH_E_ARGUMENT, "declared_s");
    expect_failure(berth_selector_present_client(selector, 4, &client, &error), BERTH_E_ARGUMENT, "client");
    assert_ok(berth_selector_snapshot(selector, after, sizeof after, &same, &error), error);
    assert_int_equal(length, same);
    assert_memory_equal(before, after, length);
    berth_selector_free(selector);
    o.fairness = 1.5;
    expect_failure(berth_selector_new(&o, &other, &error), BERTH_E_ARGUMENT, "fairness");
    assert_null(other);
    memset(&o, 0, sizeof o);
    expect_failure(berth_selector_new(&o, &other, &error), BERTH_E_ARGUMENT, "options");
    berth_selector_free(NULL);
    berth_selection_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_utility_staleness_and_speed),
        cmocka_unit_test(fairness_favours_the_seldom_selected),
        cmocka_unit_test(speeds_of_unseen_clients_are_relative),
        cmocka_unit_test(preferred_duration_is_a_percentile),
        cmocka_unit_test(numbers_of_a_round_are_as_stated),
        cmocka_unit_test(either_kind_fills_up),
        cmocka_unit_test(cut_off_bounds_the_candidates),
        cmocka_unit_test(pacer_moves_by_utility),
        cmocka_unit_test(percentile_stays_within_its_bounds),
        cmocka_unit_test(blacklisted_clients_are_recalled_last),
        cmocka_unit_test(nobody_and_zeros_are_no_errors),
        cmocka_unit_test(wrong_arguments_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
