/* berth_cohort_pick on cases worked out by hand: optima, requests, reasons why there is no cohort, bad input. */
#include <berth_cohort.h>

#include "tests/support/check.h"
#include "tests/support/cohort_case.h"
#include "tests/support/cohort_hand.h"

#include <string.h>

/* The slow one holds most, but two others are faster: 1 s of transfer and 40 samples of 10 ms each. */
static void speed_counts(void **state) {
    (void)state;
    hand h;
    hand_init(&h, 1);
    hand_client(&h, 100, 10, (uint32_t[]){80});
    hand_client(&h, 10, 1000, (uint32_t[]){40});
    hand_client(&h, 10, 1000, (uint32_t[]){40});
    h.requests[0] = 80;
    h.request.budget = 2;
    hand_expect_duration(&h, 1.4, 2);
    h.request.budget = 1;
    hand_expect_duration(&h, 108, 1); /* 100 s + 80 * 0.1 s */
}

/* The richest client fits nobody else: a greedy choice needs three. */
static void sets_are_covered_by_those_that_complement_each_other(void **state) {
    (void)state;
    hand h;
    hand_init(&h, 6);
    hand_client(&h, 20, 1000, (uint32_t[]){0, 9, 9, 9, 9, 0});
    hand_client(&h, 20, 1000, (uint32_t[]){9, 9, 9, 0, 0, 0});
    hand_client(&h, 20, 1000, (uint32_t[]){0, 0, 0, 9, 9, 9});
    for (size_t c = 0; c < 6; c++) {
        h.requests[c] = 9;
    }
    h.request.budget = 2;
    hand_expect_duration(&h, 1 + 27 * 0.02, 2);
}

static void categories_nobody_asks_for_do_not_matter(void **state) {
    (void)state;
    hand h;
    hand_init(&h, 3); /* the third is held by nobody either */
    hand_client(&h, 20, 1000, (uint32_t[]){1, 1000, 0});
    hand_client(&h, 20, 1000, (uint32_t[]){10, 5, 0});
    h.requests[0] = 10;
    h.request.budget = 1;
    hand_expect_duration(&h, 1.2, 1);
    h.requests[0] = 0;
    berth_cohort *cohort = hand_pick(&h);
    assert_int_equal(cohort->outcome, BERTH_OPTIMAL);
    assert_int_equal(cohort->n_participants, 0);
    berth_cohort_free(cohort);
}

static void work_is_spread_over_all_that_the_budget_allows(void **state) {
    (void)state;
    hand h;
    hand_init(&h, 1);
    for (int k = 0; k < HAND_MOST_CLIENTS; k++) {
        hand_client(&h, 100, 1000, (uint32_t[]){100});
    }
    h.requests[0] = 80;
    hand_expect_duration(&h, 2, 8); /* 10 samples each */
    h.request.budget = 4;
    hand_expect_duration(&h, 3, 4);
    h.request.client_cap = 20;
    hand_expect_duration(&h, 3, 4);
}

static void fewest_participants_keep_the_deadline(void **state) {
    (void)state;
    hand h;
    hand_init(&h, 2);
    hand_client(&h, 100, 1000, (uint32_t[]){50, 50});
    hand_client(&h, 10, 1000, (uint32_t[]){30, 30});
    hand_client(&h, 10, 1000, (uint32_t[]){30, 30});
    h.requests[0] = h.requests[1] = 50;
    h.request.objective = BERTH_COHORT_PARTICIPANTS;
    berth_cohort *cohort = hand_pick(&h);
    assert_int_equal(cohort->n_participants, 1);
    assert_int_equal(cohort->participants_bound, 1);
    berth_cohort_free(cohort);
    h.request.deadline_s = 2;
    cohort = hand_pick(&h);
    assert_int_equal(cohort->outcome, BERTH_OPTIMAL);
    assert_int_equal(cohort->n_participants, 2);
    assert_true(cohort->duration_s <= 2);
    berth_cohort_free(cohort);
    h.data.ms_per_sample = h.data.bandwidth_kbps = NULL;
    h.request.deadline_s = (double)INFINITY;
    cohort = hand_pick(&h);
    assert_int_equal(cohort->n_participants, 1);
    assert_true(isnan(cohort->duration_s) && isnan(cohort->participants[0].duration_s));
    berth_cohort_free(cohort);
}

/* ---- fewer participants ---- */

/* Eight that do 10 samples each by 2 s: with as many participants, nothing is as fast. In t seconds n of them do
 * 10 n (t - 1). */
static void slack_is_spent_on_fewer_participants(void **state) {
    (void)state;
    static const struct {
        double slack, deadline_s;
        size_t participants;
        double most_s;
    } expected[] = {{0, (double)INFINITY, 8, 2},     {0.05, (double)INFINITY, 8, 2.1},
                    {0.1, (double)INFINITY, 7, 2.2}, {0.5, (double)INFINITY, 4, 3},
                    {4, (double)INFINITY, 1, 10},    {0.5, 2.2, 7, 2.2}, /* the deadline stays */
                    {1e6, (double)INFINITY, 1, 2e6}, {0.5, 2, 8, 2}};
    hand h;
    hand_init(&h, 1);
    for (int k = 0; k < HAND_MOST_CLIENTS; k++) {
        hand_client(&h, 100, 1000, (uint32_t[]){100});
    }
    h.requests[0] = 80;
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        h.request.slack = expected[k].slack;
        h.request.deadline_s = expected[k].deadline_s;
        berth_cohort *cohort = hand_pick(&h);
        assert_int_equal(cohort->n_participants, expected[k].participants);
        assert_at_most(cohort->duration_s, expected[k].most_s, 1e-12);
        assert_close(cohort->bound_s, 2, 1e-12); /* of the fastest, whatever the slack */
        assert_int_equal(cohort->outcome, expected[k].participants == 8 ? BERTH_OPTIMAL : BERTH_FEASIBLE);
        berth_cohort_free(cohort);
    }
}

/* The last client's one sample is not needed, but spreads nothing either: fewest of the fastest leave it out. */
static void the_fastest_are_as_few_as_can_be(void **state) {
    (void)state;
    hand h;
    hand_init(&h, 2);
    hand_client(&h, 100, 1000, (uint32_t[]){10, 0});
    hand_client(&h, 10, 1000, (uint32_t[]){0, 50});
    hand_client(&h, 10, 1000, (uint32_t[]){0, 50});
    hand_client(&h, 10, 1000, (uint32_t[]){0, 50});
    h.requests[0] = 10;
    h.requests[1] = 50;
    hand_expect_duration(&h, 2, 2);
}

/* ---- requests ---- */

static void representative_requests_go_by_largest_remainders(void **state) {
    (void)state;
    hand h;
    hand_init(&h, 3);
    hand_client(&h, 10, 1000, (uint32_t[]){4, 3, 3});
    hand_client(&h, 10, 1000, (uint32_t[]){4, 4, 3});
    h.request.requests = NULL;
    h.request.representative = 10; /* 8, 7, 6 of 21: 3.81, 3.33, 2.86 */
    berth_cohort *cohort = hand_pick(&h);
    assert_int_equal(cohort->requests[0], 4);
    assert_int_equal(cohort->requests[1], 3);
    assert_int_equal(cohort->requests[2], 3);
    berth_cohort_free(cohort);
    h.request.representative = 0;
    h.request.n_all = 1;
    h.request.all = (size_t[]){1};
    cohort = hand_pick(&h);
    assert_int_equal(cohort->requests[0], 0);
    assert_int_equal(cohort->requests[1], 7);
    berth_cohort_free(cohort);
    h.request.choose_eligible = true; /* all that eligible clients hold */
    h.request.n_eligible = 1;
    h.request.eligible = (size_t[]){1};
    cohort = hand_pick(&h);
    assert_int_equal(cohort->requests[1], 4);
    assert_int_equal(cohort->participants[0].client, 1);
    berth_cohort_free(cohort);
}

/* ---- why not ---- */

static void what_is_missing_is_named(void **state) {
    (void)state;
    hand h;
    hand_init(&h, 2);
    hand_client(&h, 100, 1000, (uint32_t[]){10, 4});
    hand_client(&h, 100, 1000, (uint32_t[]){10, 0});
    h.requests[0] = 20;
    h.requests[1] = 7;
    berth_cohort *cohort = hand_pick(&h);
    assert_int_equal(cohort->outcome, BERTH_INFEASIBLE);
    assert_int_equal(cohort->reason, BERTH_COHORT_SUPPLY);
    assert_int_equal(cohort->missing[0], 0);
    assert_int_equal(cohort->missing[1], 3);
    berth_cohort_free(cohort);

    h.requests[1] = 4;
    h.request.client_cap = 12; /* 24 are needed, 12 + 10 can be had */
    cohort = hand_pick(&h);
    assert_int_equal(cohort->reason, BERTH_COHORT_SUPPLY);
    assert_int_equal(cohort->missing[0] + cohort->missing[1], 2);
    berth_cohort_free(cohort);

    h.request.client_cap = 0;
    h.request.deadline_s = 1.5; /* 5 samples each of the 24; all by 1 s + 14 * 0.1 s */
    cohort = hand_pick(&h);
    assert_int_equal(cohort->reason, BERTH_COHORT_DEADLINE);
    assert_int_equal(cohort->missing[0] + cohort->missing[1], 14);
    assert_close(cohort->enough_deadline_s, 2.4, 1e-12);
    berth_cohort_free(cohort);

    h.request.deadline_s = (double)INFINITY;
    h.request.budget = 1;
    cohort = hand_pick(&h);
    assert_int_equal(cohort->outcome, BERTH_INFEASIBLE);
    assert_int_equal(cohort->reason, BERTH_COHORT_BUDGET);
    assert_int_equal(cohort->enough_budget, 2);
    assert_true(isnan(cohort->enough_deadline_s));
    berth_cohort_free(cohort);

    h.requests[0] = 10;
    h.request.deadline_s = 2; /* both do it by 1 s + 10 * 0.1 s; the first alone by 2.4 s */
    cohort = hand_pick(&h);
    assert_int_equal(cohort->reason, BERTH_COHORT_BUDGET);
    assert_int_equal(cohort->enough_budget, 2);
    assert_close(cohort->enough_deadline_s, 2.4, 1e-12);
    berth_cohort_free(cohort);
    assert_string_equal(berth_cohort_reason_name(BERTH_COHORT_BUDGET), "budget");
}

static void a_spent_time_limit_is_told(void **state) {
    (void)state;
    hand h;
    berth_error error;
    berth_cohort *cohort = NULL;
    berth_cohort_options options;
    hand_init(&h, 1);
    hand_client(&h, 100, 1000, (uint32_t[]){10});
    h.requests[0] = 5;
    berth_cohort_options_init(&options);
    options.time_limit_s = 0;
    assert_ok(berth_cohort_pick(&h.data, &h.request, &options, &cohort, &error), error);
    assert_true(cohort->stopped);
    assert_int_equal(cohort->outcome, BERTH_LIMIT);
    berth_cohort_free(cohort);
}

static bool count_down(void *user) {
    long *left = user;
    return --*left < 0;
}

/* Wherever a pick is cancelled, a cohort found before is not lost. */
static void cohorts_found_outlast_a_cancellation(void **state) {
    (void)state;
    berth_error error;
    berth_generate_cohort_options generate;
    berth_cohort_data *data;
    berth_cohort_request *request;
    berth_cohort_options options;
    bool stopped = true, found = false;
    int cohorts = 0;
    berth_generate_cohort_options_init(&generate);
    generate.clients = 300;
    generate.categories = 40;
    assert_ok(berth_generate_cohort(&generate, &data, &request, &error), error);
    request->budget = 80; /* more than it takes: fewer that are as fast come after */
    berth_cohort_options_init(&options);
    options.effort = 0.1;
    for (long polls = 1; stopped; polls++) {
        berth_cohort *cohort = NULL;
        long left = polls;
        options.hooks.cancel = count_down;
        options.hooks.user = &left;
        assert_ok(berth_cohort_pick(data, request, &options, &cohort, &error), error);
        stopped = cohort->stopped;
        if (found || cohort->n_participants > 0) {
            assert_true(cohort->n_participants > 0);
            cohort_expect_sound(data, request, cohort, "cancelled");
            found = true;
            cohorts += stopped;
        }
        berth_cohort_free(cohort);
    }
    assert_true(cohorts > 5);
    berth_cohort_request_free(request);
    berth_cohort_data_free(data);
}

/* ---- bad arrays ---- */

static void expect_bad(const hand *h, berth_status status, const char *where) {
    berth_error error = {0};
    berth_cohort *cohort = (berth_cohort *)&error;
    berth_status got = berth_cohort_pick(&h->data, &h->request, NULL, &cohort, &error);
    if (got != status || strcmp(error.where, where) != 0) {
        fail_msg("%s at %s (%s); expected %s at %s", berth_status_name(got), error.where, error.message,
                 berth_status_name(status), where);
    }
    assert_null(cohort);
}

static void good(hand *h) {
    hand_init(h, 2);
    hand_client(h, 100, 1000, (uint32_t[]){10, 4});
    hand_client(h, 100, 1000, (uint32_t[]){10, 0});
    h->requests[0] = 5;
}

static void bad_arrays_are_named(void **state) {
    (void)state;
    hand h;
    good(&h);
    h.category[3] = 2;
    expect_bad(&h, BERTH_E_INPUT, "category[3]");
    good(&h);
    h.category[1] = 0;
    expect_bad(&h, BERTH_E_INPUT, "category[1]");
    good(&h);
    h.row_start[1] = 5;
    expect_bad(&h, BERTH_E_INPUT, "row_start[2]");
    good(&h);
    h.row_start[0] = 1;
    expect_bad(&h, BERTH_E_INPUT, "row_start[0]");
    good(&h);
    h.count[0] = h.count[1] = UINT32_MAX;
    expect_bad(&h, BERTH_E_INPUT, "count[0]");
    static const double bad[] = {0, -1, (double)NAN, (double)INFINITY, 1e-30};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        good(&h);
        h.ms[1] = bad[k];
        expect_bad(&h, BERTH_E_INPUT, "ms_per_sample[1]");
        good(&h);
        h.kbps[0] = bad[k];
        expect_bad(&h, BERTH_E_INPUT, "bandwidth_kbps[0]");
    }
    good(&h);
    h.data.ms_per_sample = NULL;
    expect_bad(&h, BERTH_E_ARGUMENT, "ms_per_sample");
    good(&h);
    h.data.ms_per_sample = h.data.bandwidth_kbps = NULL;
    expect_bad(&h, BERTH_E_ARGUMENT, "ms_per_sample");
    good(&h);
    h.data.struct_size = 0;
    expect_bad(&h, BERTH_E_ARGUMENT, "data");
}

static void bad_requests_are_named(void **state) {
    (void)state;
    hand h;
    good(&h);
    h.request.representative = 3;
    expect_bad(&h, BERTH_E_ARGUMENT, "requests");
    good(&h);
    h.request.requests = NULL;
    expect_bad(&h, BERTH_E_ARGUMENT, "requests");
    good(&h);
    h.request.requests = NULL;
    h.request.n_all = 1;
    h.request.all = (size_t[]){2};
    expect_bad(&h, BERTH_E_INPUT, "all[0]");
    good(&h);
    h.request.choose_eligible = true;
    h.request.n_eligible = 2;
    h.request.eligible = (size_t[]){1, 2};
    expect_bad(&h, BERTH_E_INPUT, "eligible[1]");
    good(&h);
    h.request.model_kbit = -1;
    expect_bad(&h, BERTH_E_ARGUMENT, "model_kbit");
    good(&h);
    h.request.deadline_s = (double)NAN;
    expect_bad(&h, BERTH_E_ARGUMENT, "deadline_s");
    static const double bad[] = {-0.01, (double)NAN, (double)INFINITY};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        good(&h);
        h.request.slack = bad[k];
        expect_bad(&h, BERTH_E_ARGUMENT, "slack");
    }
    good(&h);
    h.requests[0] = (uint64_t)1 << 60;
    expect_bad(&h, BERTH_E_UNSUPPORTED, "requests");
    good(&h);
    h.request.struct_size = 0;
    expect_bad(&h, BERTH_E_ARGUMENT, "request");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speed_counts),
        cmocka_unit_test(sets_are_covered_by_those_that_complement_each_other),
        cmocka_unit_test(categories_nobody_asks_for_do_not_matter),
        cmocka_unit_test(work_is_spread_over_all_that_the_budget_allows),
        cmocka_unit_test(fewest_participants_keep_the_deadline),
        cmocka_unit_test(slack_is_spent_on_fewer_participants),
        cmocka_unit_test(the_fastest_are_as_few_as_can_be),
        cmocka_unit_test(representative_requests_go_by_largest_remainders),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(a_spent_time_limit_is_told),
        cmocka_unit_test(cohorts_found_outlast_a_cancellation),
        cmocka_unit_test(bad_arrays_are_named),
        cmocka_unit_test(bad_requests_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
