/* berth_cohort_size and berth_cohort_pick on cases worked out by hand, bad input, and what the checker must notice. */
#include <berth_cohort.h>

#include "tests/support/check.h"
#include "tests/support/cohort_case.h"
#include "tests/support/own_folder.h"

#include <stdlib.h>
#include <string.h>

/* ---- size ---- */

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

/* ---- pick: by hand ---- */

enum { MOST_CLIENTS = 8, MOST_CATEGORIES = 6 };

/* A table of counts, -1 ends it. */
typedef struct hand {
    berth_cohort_data data;
    berth_cohort_request request;
    size_t row_start[MOST_CLIENTS + 1];
    uint32_t category[MOST_CLIENTS * MOST_CATEGORIES], count[MOST_CLIENTS * MOST_CATEGORIES];
    double ms[MOST_CLIENTS], kbps[MOST_CLIENTS];
    uint64_t requests[MOST_CATEGORIES];
} hand;

static void hand_init(hand *h, size_t categories) {
    memset(h, 0, sizeof *h);
    berth_cohort_data_init(&h->data);
    berth_cohort_request_init(&h->request);
    h->data.n_categories = categories;
    h->data.row_start = h->row_start;
    h->data.category = h->category;
    h->data.count = h->count;
    h->data.ms_per_sample = h->ms;
    h->data.bandwidth_kbps = h->kbps;
    h->request.requests = h->requests;
    h->request.model_kbit = 1000;
}

static void hand_client(hand *h, double ms, double kbps, const uint32_t *counts) {
    size_t n = h->data.n_clients++, at = h->row_start[n];
    for (uint32_t c = 0; c < h->data.n_categories; c++) {
        h->category[at] = c;
        h->count[at++] = counts[c];
    }
    h->row_start[n + 1] = at;
    h->ms[n] = ms;
    h->kbps[n] = kbps;
}

static berth_cohort *hand_pick(const hand *h) {
    berth_error error = {0};
    berth_cohort *cohort = NULL;
    assert_ok(berth_cohort_pick(&h->data, &h->request, NULL, &cohort, &error), error);
    cohort_expect_sound(&h->data, &h->request, cohort, "by hand");
    return cohort;
}

static void expect_duration(const hand *h, double duration_s, size_t participants) {
    berth_cohort *cohort = hand_pick(h);
    assert_int_equal(cohort->outcome, BERTH_OPTIMAL);
    assert_close(cohort->duration_s, duration_s, 1e-12);
    assert_int_equal(cohort->n_participants, participants);
    berth_cohort_free(cohort);
}

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
    expect_duration(&h, 1.4, 2);
    h.request.budget = 1;
    expect_duration(&h, 108, 1); /* 100 s + 80 * 0.1 s */
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
    expect_duration(&h, 1 + 27 * 0.02, 2);
}

static void categories_nobody_asks_for_do_not_matter(void **state) {
    (void)state;
    hand h;
    hand_init(&h, 3); /* the third is held by nobody either */
    hand_client(&h, 20, 1000, (uint32_t[]){1, 1000, 0});
    hand_client(&h, 20, 1000, (uint32_t[]){10, 5, 0});
    h.requests[0] = 10;
    h.request.budget = 1;
    expect_duration(&h, 1.2, 1);
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
    for (int k = 0; k < MOST_CLIENTS; k++) {
        hand_client(&h, 100, 1000, (uint32_t[]){100});
    }
    h.requests[0] = 80;
    expect_duration(&h, 2, 8); /* 10 samples each */
    h.request.budget = 4;
    expect_duration(&h, 3, 4);
    h.request.client_cap = 20;
    expect_duration(&h, 3, 4);
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
    good(&h);
    h.requests[0] = (uint64_t)1 << 60;
    expect_bad(&h, BERTH_E_UNSUPPORTED, "requests");
    good(&h);
    h.request.struct_size = 0;
    expect_bad(&h, BERTH_E_ARGUMENT, "request");
}

/* ---- files ---- */

static void expect_bad_file(const char *counts, const char *profiles, const char *in, long line, const char *part) {
    berth_error error = {0};
    berth_cohort_data *data = (berth_cohort_data *)&error;
    berth_cohort_read_options options;
    berth_cohort_read_options_init(&options);
    put_file("counts.csv", counts);
    put_file("profiles.csv", profiles != NULL ? profiles : "");
    options.profiles = profiles != NULL ? path_of("profiles.csv") : NULL;
    berth_status status = berth_cohort_data_read(path_of("counts.csv"), &options, &data, &error);
    if (status != BERTH_E_INPUT || strstr(error.where, in) == NULL || error.line != line ||
        strstr(error.message, part) == NULL) {
        fail_msg("%s: %s line %ld: %s; expected %s line %ld: %s", berth_status_name(status), error.where, error.line,
                 error.message, in, line, part);
    }
    assert_null(data);
}

static void bad_counts_are_named_by_line(void **state) {
    (void)state;
    const char *in = "counts.csv";
    expect_bad_file("", NULL, in, 1, "empty");
    expect_bad_file("\n\n", NULL, in, 1, "empty");
    expect_bad_file("name,a\n", NULL, in, 1, "header");
    expect_bad_file("client\n", NULL, in, 1, "header");
    expect_bad_file("client,a,a\n", NULL, in, 1, "there already: 'a'");
    expect_bad_file("client,a,b\nx,1\n", NULL, in, 2, "2 fields; the header has 3");
    expect_bad_file("client,a,b\nx,1,2\n\ny,1,-2\n", NULL, in, 4, "'-2'");
    expect_bad_file("client,a,b\nx,1,2.5\n", NULL, in, 2, "'2.5'");
    expect_bad_file("client,a,b\nx,1,\n", NULL, in, 2, "''");
    expect_bad_file("client,a,b\nx,1,4294967296\n", NULL, in, 2, "'4294967296'");
    expect_bad_file("client,a,b\nx,1,99999999999999999999999999\n", NULL, in, 2, "'999");
    expect_bad_file("client,a,b\nx,1,2\nx,1,2\n", NULL, in, 3, "there already: 'x'");
    expect_bad_file("client,category,count\nx,a,1\nx,a,2\n", NULL, in, 3, "'x' has category 'a' already");
    expect_bad_file("client,category,count\nx,a\n", NULL, in, 2, "2 fields");
    expect_bad_file("client,category,count\nx,a,one\n", NULL, in, 2, "'one'");
    expect_bad_file("client,a\n\"x,1\n", NULL, in, 2, "quote");
    expect_bad_file("client,a\n\xff,1\n", NULL, in, 2, "UTF-8");
}

static void bad_profiles_are_named_by_line(void **state) {
    (void)state;
    const char *in = "profiles.csv", *counts = "client,a,b\nx,1,2\ny,0,0\n";
    expect_bad_file(counts, "", in, 1, "header");
    expect_bad_file(counts, "client,ms,kbps\n", in, 1, "header");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nx,0,5\n", in, 2, "'0'");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nx,5,-1\n", in, 2, "'-1'");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nx,5,inf\n", in, 2, "'inf'");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nx,5,0x1\n", in, 2, "'0x1'");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nx,5\n", in, 2, "2 fields");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nx,5,5\nx,5,5\n", in, 3, "already");
    expect_bad_file(counts, "client,ms_per_sample,bandwidth_kbps\nz,5,5\n", in, 0, "'x' has no profile");
}

static berth_cohort_data *read_counts(const char *counts, const berth_cohort_read_options *options) {
    berth_error error;
    berth_cohort_data *data = NULL;
    put_file("counts.csv", counts);
    assert_ok(berth_cohort_data_read(path_of("counts.csv"), options, &data, &error), error);
    return data;
}

static void both_forms_are_read_alike(void **state) {
    (void)state;
    berth_cohort_read_options options;
    berth_cohort_read_options_init(&options);
    options.default_ms_per_sample = 10;
    options.default_bandwidth_kbps = 1000;
    static const char *const texts[] = {
        "client_id,\"a, \"\"b\"\"\",c\r\nx,1,0\r\ny,2,3\r\n",
        "\xEF\xBB\xBF"
        "client,category,count\ny,c,3\nx,\"a, \"\"b\"\"\",1\nx,c,0\ny,\"a, \"\"b\"\"\",2",
    };
    for (size_t k = 0; k < 2; k++) {
        berth_cohort_data *data = read_counts(texts[k], &options);
        assert_int_equal(data->n_clients, 2);
        assert_int_equal(data->n_categories, 2);
        assert_int_equal(data->row_start[2], 3);
        size_t y = strcmp(data->clients[0], "y") == 0 ? 0 : 1, c = strcmp(data->categories[0], "c") == 0 ? 0 : 1;
        assert_string_equal(data->categories[1 - c], "a, \"b\"");
        for (size_t e = data->row_start[y]; e < data->row_start[y + 1]; e++) {
            assert_int_equal(data->count[e], data->category[e] == c ? 3 : 2);
        }
        assert_close(data->ms_per_sample[0], 10, 0);
        berth_cohort_data_free(data);
    }
}

static void long_lines_and_many_names_are_read(void **state) {
    (void)state;
    enum { CATEGORIES = 60000 };
    char *text = malloc(CATEGORIES * 10 + 100);
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, "client");
    for (int k = 0; k < CATEGORIES; k++) {
        at += (size_t)sprintf(text + at, ",c%d", k);
    }
    at += (size_t)sprintf(text + at, "\nx");
    for (int k = 0; k < CATEGORIES; k++) {
        at += (size_t)sprintf(text + at, ",%d", k % 7 == 0);
    }
    berth_cohort_data *data = read_counts(text, NULL);
    assert_int_equal(data->n_categories, CATEGORIES);
    assert_int_equal(data->row_start[1], (CATEGORIES + 6) / 7);
    assert_string_equal(data->categories[CATEGORIES - 1], "c59999");
    berth_cohort_data_free(data);
    free(text);
}

static void expect_bad_request(const berth_cohort_data *data, const char *text, const char *where, const char *part) {
    berth_error error = {0};
    berth_cohort_request *request = (berth_cohort_request *)&error;
    put_file("request.json", text);
    berth_status status = berth_cohort_request_read(path_of("request.json"), data, &request, &error);
    if (status != BERTH_E_INPUT || strcmp(error.where, where) != 0 || strstr(error.message, part) == NULL) {
        fail_msg("%s: %s at %s: %s", text, berth_status_name(status), error.where, error.message);
    }
    assert_null(request);
}

#define REQUEST(rest) "{\"format\": \"berth-cohort-request-1\", " rest "}"

static void bad_request_files_are_named(void **state) {
    (void)state;
    berth_cohort_data *data = read_counts("client,apples,pears\nx,1,2\n", NULL);
    expect_bad_request(data, REQUEST("\"requests\": {\"aples\": 1}"), "/requests/aples", "apples");
    expect_bad_request(data, REQUEST("\"requests\": {\"apples\": -1}"), "/requests/apples", ">= 0");
    expect_bad_request(data, REQUEST("\"requests\": {\"apples\": 1.5}"), "/requests/apples", "integer");
    expect_bad_request(data, REQUEST("\"requests\": {}, \"all\": [\"apples\"]"), "", "one of");
    expect_bad_request(data, REQUEST("\"budget\": 1"), "", "one of");
    expect_bad_request(data, REQUEST("\"all\": []"), "/all", "at least");
    expect_bad_request(data, REQUEST("\"all\": [\"plums\"]"), "/all/0", "plums");
    expect_bad_request(data, REQUEST("\"representative\": 0"), "/representative", ">= 1");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"budget\": 0"), "/budget", ">= 1");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"eligible\": [\"y\"]"), "/eligible/0", "'y'");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"match\": \"about\""), "/match", "exact");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"objective\": \"cost\""), "/objective", "duration");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"deadline_s\": -1"), "/deadline_s", ">= 0");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"model_kbit\": -1"), "/model_kbit", ">= 0");
    expect_bad_request(data, REQUEST("\"representative\": 1, \"buget\": 1"), "/buget", "budget");
    berth_cohort_data_free(data);
}

/* What is written reads back as it was. */
static void files_round_trip(void **state) {
    (void)state;
    berth_error error;
    berth_generate_cohort_options options;
    berth_cohort_data *data = NULL, *data2 = NULL;
    berth_cohort_request *request = NULL, *request2 = NULL;
    berth_cohort *cohort = NULL, *cohort2 = NULL;
    berth_cohort_read_options read;
    berth_generate_cohort_options_init(&options);
    options.clients = 200;
    assert_ok(berth_generate_cohort(&options, &data, &request, &error), error);
    request->budget = 30;
    request->deadline_s = 100;
    assert_ok(berth_cohort_data_write(data, path_of("d.csv.gz"), path_of("p.csv"), &error), error);
    berth_cohort_read_options_init(&read);
    read.profiles = path_of("p.csv");
    assert_ok(berth_cohort_data_read(path_of("d.csv.gz"), &read, &data2, &error), error);
    assert_int_equal(data2->n_clients, data->n_clients);
    assert_memory_equal(data2->row_start, data->row_start, (data->n_clients + 1) * sizeof *data->row_start);
    assert_memory_equal(data2->count, data->count, data->row_start[200] * sizeof *data->count);
    assert_memory_equal(data2->ms_per_sample, data->ms_per_sample, 200 * sizeof(double));

    assert_ok(berth_cohort_request_write(request, data, path_of("r.json"), &error), error);
    assert_ok(berth_cohort_request_read(path_of("r.json"), data2, &request2, &error), error);
    assert_int_equal(request2->budget, 30);
    assert_ok(berth_cohort_pick(data, request, NULL, &cohort, &error), error);
    assert_ok(berth_cohort_write(cohort, data, path_of("c.json"), &error), error);
    assert_ok(berth_cohort_read(path_of("c.json"), data2, &cohort2, &error), error);
    cohort_expect_sound(data2, request2, cohort2, "read back");
    assert_ok(berth_cohort_write(cohort2, data2, path_of("c2.json"), &error), error);
    char *first = get_file("c.json"), *second = get_file("c2.json");
    /* numbers of categories differ with the order in which a long file names them */
    assert_int_equal(strlen(first), strlen(second));
    free(first);
    free(second);
    expect_schema("berth-cohort-request-1", "r.json");
    expect_schema("berth-cohort-1", "c.json");
    berth_cohort_free(cohort);
    berth_cohort_free(cohort2);
    berth_cohort_request_free(request);
    berth_cohort_request_free(request2);
    berth_cohort_data_free(data);
    berth_cohort_data_free(data2);
}

/* ---- the checker ---- */

static void expect_violation(const hand *h, const berth_cohort *cohort, const char *rule) {
    berth_error error;
    berth_report *report = NULL;
    bool found = false;
    assert_ok(berth_check_cohort(&h->data, &h->request, cohort, NULL, &report, &error), error);
    for (size_t k = 0; k < report->n_findings; k++) {
        found = found || (report->findings[k].violated && strcmp(report->findings[k].rule, rule) == 0);
    }
    if (!found) {
        fail_msg("no violation of %s", rule);
    }
    berth_report_free(report);
}

/* A cohort of two clients and two categories, all of it ours to falsify. */
typedef struct falsified {
    berth_cohort cohort;
    berth_cohort_participant participants[3];
    uint32_t category[3][2], samples[3][2];
    double prices[2];
    uint64_t requests[2], missing[2];
} falsified;

static void falsify(const berth_cohort *from, falsified *f) {
    memset(f, 0, sizeof *f);
    f->cohort = *from;
    for (size_t k = 0; k < from->n_participants; k++) {
        f->participants[k] = from->participants[k];
        for (size_t e = 0; e < from->participants[k].n_entries; e++) {
            f->category[k][e] = from->participants[k].category[e];
            f->samples[k][e] = from->participants[k].samples[e];
        }
        f->participants[k].category = f->category[k];
        f->participants[k].samples = f->samples[k];
    }
    memcpy(f->prices, from->prices, sizeof f->prices);
    memcpy(f->requests, from->requests, sizeof f->requests);
    memcpy(f->missing, from->missing, sizeof f->missing);
    f->cohort.participants = f->participants;
    f->cohort.prices = f->prices;
    f->cohort.requests = f->requests;
    f->cohort.missing = f->missing;
}

static void false_claims_are_noticed(void **state) {
    (void)state;
    hand h;
    falsified f;
    hand_init(&h, 2);
    hand_client(&h, 100, 1000, (uint32_t[]){10, 4});
    hand_client(&h, 100, 1000, (uint32_t[]){10, 4});
    hand_client(&h, 100, 100, (uint32_t[]){10, 4});
    h.requests[0] = 12;
    h.requests[1] = 4;
    h.request.budget = 2;
    h.request.exact = true;
    berth_cohort *cohort = hand_pick(&h);
    assert_int_equal(cohort->n_participants, 2);
    falsify(cohort, &f);
    expect_duration(&h, 1.8, 2);
    f.samples[0][0]++;
    expect_violation(&h, &f.cohort, "cover");
    expect_violation(&h, &f.cohort, "duration");
    falsify(cohort, &f);
    f.samples[0][0] = 11;
    expect_violation(&h, &f.cohort, "holding");
    falsify(cohort, &f);
    f.participants[1].client = 0;
    expect_violation(&h, &f.cohort, "client");
    falsify(cohort, &f);
    f.participants[2] = f.participants[0];
    f.participants[2].client = 2;
    f.cohort.n_participants = 3;
    expect_violation(&h, &f.cohort, "budget");
    falsify(cohort, &f);
    f.cohort.duration_s *= 0.99;
    expect_violation(&h, &f.cohort, "duration");
    falsify(cohort, &f);
    f.cohort.bound_s *= 1.01;
    expect_violation(&h, &f.cohort, "bound");
    falsify(cohort, &f);
    f.cohort.certificate_deadline_s = f.cohort.bound_s;
    expect_violation(&h, &f.cohort, "bound");
    falsify(cohort, &f);
    f.prices[0] = 0.5;
    expect_violation(&h, &f.cohort, "prices");
    falsify(cohort, &f);
    f.prices[0] = f.prices[1] = 0x1p53;
    expect_violation(&h, &f.cohort, "prices");
    falsify(cohort, &f);
    f.cohort.prices = NULL;
    expect_violation(&h, &f.cohort, "bound");
    falsify(cohort, &f);
    f.cohort.ratio = 1.5;
    expect_violation(&h, &f.cohort, "ratio");
    falsify(cohort, &f);
    f.requests[1] = 3;
    expect_violation(&h, &f.cohort, "request");
    h.request.client_cap = 7;
    expect_violation(&h, &f.cohort, "client-cap");
    h.request.client_cap = 0;
    h.request.deadline_s = 1.7;
    expect_violation(&h, &f.cohort, "deadline");
    h.request.deadline_s = (double)INFINITY;
    h.request.choose_eligible = true;
    h.request.n_eligible = 1;
    h.request.eligible = (size_t[]){2};
    expect_violation(&h, &f.cohort, "eligibility");
    berth_cohort_free(cohort);
}

static void false_claims_of_infeasibility_are_noticed(void **state) {
    (void)state;
    hand h;
    falsified f;
    hand_init(&h, 2);
    hand_client(&h, 100, 1000, (uint32_t[]){10, 4});
    hand_client(&h, 100, 1000, (uint32_t[]){10, 4});
    h.requests[0] = 12;
    h.requests[1] = 9;
    berth_cohort *cohort = hand_pick(&h);
    falsify(cohort, &f);
    f.missing[1] = 2;
    expect_violation(&h, &f.cohort, "missing");
    h.requests[1] = 8;
    expect_violation(&h, &f.cohort, "outcome");
    berth_cohort_free(cohort);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_formula),
        cmocka_unit_test(overcommitment_multiplies_before_rounding),
        cmocka_unit_test(bad_size_options_are_named),
        cmocka_unit_test(samples_are_ascending_and_go_by_the_seed),
        cmocka_unit_test(speed_counts),
        cmocka_unit_test(sets_are_covered_by_those_that_complement_each_other),
        cmocka_unit_test(categories_nobody_asks_for_do_not_matter),
        cmocka_unit_test(work_is_spread_over_all_that_the_budget_allows),
        cmocka_unit_test(fewest_participants_keep_the_deadline),
        cmocka_unit_test(representative_requests_go_by_largest_remainders),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(a_spent_time_limit_is_told),
        cmocka_unit_test(bad_arrays_are_named),
        cmocka_unit_test(bad_requests_are_named),
        cmocka_unit_test(bad_counts_are_named_by_line),
        cmocka_unit_test(bad_profiles_are_named_by_line),
        cmocka_unit_test(both_forms_are_read_alike),
        cmocka_unit_test(long_lines_and_many_names_are_read),
        cmocka_unit_test(bad_request_files_are_named),
        cmocka_unit_test(files_round_trip),
        cmocka_unit_test(false_claims_are_noticed),
        cmocka_unit_test(false_claims_of_infeasibility_are_noticed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
