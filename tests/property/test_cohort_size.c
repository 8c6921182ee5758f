/* berth_cohort_size keeps its promise on real clients: 10,000 samples of the Speech Commands clients for each form. The
 * inequality is conservative, so the rates lie far below the allowed ones. Fixed seeds: there are no false alarms. */
#include <berth_cohort.h>

#include "base/alloc.h"
#include "tests/support/check.h"
#include "tests/support/sanitized.h"

#include <stdlib.h>
#include <string.h>

enum { DRAWS = SANITIZED ? 1000 : 10000, MOST_CATEGORIES = 64 };

typedef struct population {
    berth_cohort_data *data;
    double mean[MOST_CATEGORIES], range; /* range: largest over categories */
    double *dense;                       /* [clients][categories] */
} population;

static population speech;

static int read_population(void **state) {
    (void)state;
    berth_error error;
    assert_ok(berth_cohort_data_read("instances/cohort/speech.csv.gz", NULL, &speech.data, &error), error);
    size_t n = speech.data->n_clients, m = speech.data->n_categories;
    assert_true(m <= MOST_CATEGORIES);
    speech.dense = calloc(n * m, sizeof *speech.dense);
    assert_non_null(speech.dense);
    for (size_t k = 0; k < n; k++) {
        for (size_t e = speech.data->row_start[k]; e < speech.data->row_start[k + 1]; e++) {
            double count = speech.data->count[e];
            speech.dense[k * m + speech.data->category[e]] = count;
            speech.mean[speech.data->category[e]] += count / (double)n;
            speech.range = fmax(speech.range, count); /* every category is missing somewhere */
        }
    }
    return 0;
}

static int free_population(void **state) {
    (void)state;
    berth_cohort_data_free(speech.data);
    free(speech.dense);
    return 0;
}

/* Shares of draws in which the first category's mean is too high, and in which any category is off on any side. */
static void miss_rates(size_t participants, double deviation, double *one, double *any) {
    size_t n = speech.data->n_clients, m = speech.data->n_categories;
    size_t *sample = calloc(participants, sizeof *sample);
    int high = 0, off = 0;
    assert_non_null(sample);
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        double mean[MOST_CATEGORIES] = {0};
        bool is_off = false;
        assert_int_equal(berth_cohort_sample(n, participants, draw, sample, NULL), BERTH_OK);
        for (size_t k = 0; k < participants; k++) {
            for (size_t c = 0; c < m; c++) {
                mean[c] += speech.dense[sample[k] * m + c];
            }
        }
        for (size_t c = 0; c < m; c++) {
            double difference = mean[c] / (double)participants - speech.mean[c];
            high += c == 0 && difference > deviation;
            is_off = is_off || fabs(difference) > deviation;
        }
        off += is_off;
    }
    free(sample);
    *one = (double)high / DRAWS;
    *any = (double)off / DRAWS;
}

static size_t size_for(double deviation, double confidence, size_t categories) {
    berth_error error;
    berth_cohort_size_options o;
    size_t participants;
    berth_cohort_size_options_init(&o);
    o.deviation = deviation;
    o.range = speech.range;
    o.clients = speech.data->n_clients;
    o.confidence = confidence;
    o.categories = categories;
    assert_ok(berth_cohort_size(&o, &participants, NULL, &error), error);
    return participants;
}

static void one_category_stays_within_the_deviation(void **state) {
    (void)state;
    double one, any;
    for (int k = 0; k < 2; k++) {
        double confidence = k == 0 ? 0.8 : 0.95, deviation = 0.2 * speech.range;
        miss_rates(size_for(deviation, confidence, 0), deviation, &one, &any);
        assert_true(one <= 1 - confidence);
    }
}

static void all_categories_stay_within_the_deviation(void **state) {
    (void)state;
    double one, any, deviation = 0.2 * speech.range;
    miss_rates(size_for(deviation, 0.95, speech.data->n_categories), deviation, &one, &any);
    assert_true(any <= 0.05);
}

/* What the size is measured by can fail: far fewer participants do not do. */
static void few_participants_miss(void **state) {
    (void)state;
    double one, any, deviation = 0.1 * speech.range;
    miss_rates(2, deviation, &one, &any);
    assert_true(any > 0.05);
}

/* Every client is as likely as any other: chi-square with N - 1 degrees of freedom, within 5 standard deviations (false
 * alarm below 1e-6). */
static void samples_are_uniform(void **state) {
    (void)state;
    enum { CLIENTS = 50, TAKEN = 10 };
    size_t count[CLIENTS] = {0}, sample[TAKEN];
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        assert_int_equal(berth_cohort_sample(CLIENTS, TAKEN, draw, sample, NULL), BERTH_OK);
        for (size_t k = 0; k < TAKEN; k++) {
            count[sample[k]]++;
        }
    }
    double expected = (double)DRAWS * TAKEN / CLIENTS, variance = expected * (1 - (double)TAKEN / CLIENTS);
    double chi_square = 0;
    for (size_t k = 0; k < CLIENTS; k++) {
        double difference = (double)count[k] - expected;
        chi_square += difference * difference / variance * (CLIENTS - 1) / CLIENTS;
    }
    assert_true(fabs(chi_square - (CLIENTS - 1)) < 5 * sqrt(2.0 * (CLIENTS - 1)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_category_stays_within_the_deviation),
        cmocka_unit_test(all_categories_stay_within_the_deviation),
        cmocka_unit_test(few_participants_miss),
        cmocka_unit_test(samples_are_uniform),
    };
    return cmocka_run_group_tests(tests, read_population, free_population);
}
