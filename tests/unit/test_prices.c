/* Price bounds and the price function against values worked out by hand. */
#include "tests/support/check.h"

#include "online/prices.h"

#include <string.h>

/* Two machines {gpu 4, cpu 8}; one job: 4 worker-slots, worker {gpu 1, cpu 2}, PS {cpu 1}, internal = external. */
static void cluster_and_job(double unit, berth_cluster *cluster, berth_job *job, double *numbers) {
    static const char *const resources[] = {"gpu", "cpu"};
    static const char *const machines[] = {"a", "b"};
    double values[] = {4, 8, 4, 8, 1, 2, 0, 1};
    for (int i = 0; i < 8; i++) {
        numbers[i] = values[i] * (i % 2 == 0 ? unit : 1);
    }
    berth_cluster_init(cluster);
    cluster->slot_seconds = 10;
    cluster->horizon_slots = 5;
    cluster->n_resources = 2;
    cluster->resources = resources;
    cluster->n_machines = 2;
    cluster->machines = machines;
    cluster->capacity = numbers;
    berth_job_init(job);
    job->id = "j";
    job->arrival_slot = 1;
    job->epochs = 1;
    job->samples = 40; /* a worker-slot is 10 s / 1 s = 10 samples */
    job->batch = 1;
    job->max_workers = 2;
    job->sample_seconds = 1;
    job->workers_per_ps = 2;
    job->bandwidth_internal_mb_s = job->bandwidth_external_mb_s = 1;
    job->worker = numbers + 4;
    job->ps = numbers + 6;
    job->utility = (berth_utility){.kind = BERTH_UTILITY_LINEAR, .value = 12, .deadline_slots = 4};
}

static void test_bounds_by_hand(void **state) {
    (void)state;
    berth_cluster cluster;
    berth_job job;
    double numbers[8];
    berth_error error;
    berth_price_bounds bounds;
    cluster_and_job(1, &cluster, &job, numbers);
    assert_ok(berth_price_bounds_compute(&cluster, &job, 1, 0, &bounds, &error), error);
    /* V = 40 samples, 10 a worker-slot: N = 4, d_min = ceil(4 / 2) - 1 = 1, u(1) = 12 (1 - 1/4) = 9.
     * Shares: gpu (1 + 0) / 8, cpu (2 + 1) / 16. */
    assert_close(bounds.upper[0], 9 / (1.0 / 8), 1e-12);
    assert_close(bounds.upper[1], 9 / (3.0 / 16), 1e-12);
    /* The smallest positive utility at a feasible delay 1..3 is u(3) = 3. The sum of demands is 5/16, T = 5, the
     * capacities add up to 2: 1/mu = 4 (5/16) / 10, L = 1/(2 mu) 3 / (4 (5/16)) = 0.15. */
    assert_close(bounds.lower[0], 0.15, 1e-12);
    assert_close(bounds.lower[1], 0.15, 1e-12);
    assert_false(bounds.floored);
    berth_price_bounds_clear(&bounds);

    /* A floor above it is used and said. */
    assert_ok(berth_price_bounds_compute(&cluster, &job, 1, 0.01, &bounds, &error), error);
    assert_close(bounds.lower[0], 0.72, 1e-12);
    assert_true(bounds.floored);
    berth_price_bounds_clear(&bounds);
    assert_int_equal(berth_price_bounds_compute(&cluster, &job, 1, 1.5, &bounds, &error), BERTH_E_ARGUMENT);
}

static void test_units_do_not_matter(void **state) {
    (void)state;
    berth_cluster cluster;
    berth_job job;
    double numbers[8];
    berth_error error;
    berth_price_bounds plain, scaled;
    cluster_and_job(1, &cluster, &job, numbers);
    assert_ok(berth_price_bounds_compute(&cluster, &job, 1, 0, &plain, &error), error);
    cluster_and_job(1000, &cluster, &job, numbers);
    assert_ok(berth_price_bounds_compute(&cluster, &job, 1, 0, &scaled, &error), error);
    for (int r = 0; r < 2; r++) {
        assert_close(plain.upper[r], scaled.upper[r], 1e-12);
        assert_close(plain.lower[r], scaled.lower[r], 1e-12);
    }
    berth_price_bounds_clear(&plain);
    berth_price_bounds_clear(&scaled);
}

static void test_jobs_left_out(void **state) {
    (void)state;
    berth_cluster cluster;
    berth_job job;
    double numbers[8];
    berth_error error;
    berth_price_bounds bounds;
    cluster_and_job(1, &cluster, &job, numbers);
    job.arrival_slot = 4; /* needs two slots, one is left */
    assert_ok(berth_price_bounds_compute(&cluster, &job, 1, 0, &bounds, &error), error);
    assert_true(bounds.upper[0] == 0 && bounds.lower[0] == 0);
    berth_price_bounds_clear(&bounds);
    cluster_and_job(1, &cluster, &job, numbers);
    numbers[4] = 5; /* five GPUs a worker, four a machine */
    assert_ok(berth_price_bounds_compute(&cluster, &job, 1, 0, &bounds, &error), error);
    assert_true(bounds.upper[0] == 0);
    berth_price_bounds_clear(&bounds);
}

/* A sigmoid so steep that its tail is 0 in a double still has a finite logarithm: the lower price is floored, not 0. */
static void test_steep_sigmoid(void **state) {
    (void)state;
    berth_cluster cluster;
    berth_job job;
    double numbers[8];
    berth_error error;
    berth_price_bounds bounds;
    cluster_and_job(1, &cluster, &job, numbers);
    job.utility = (berth_utility){.kind = BERTH_UTILITY_SIGMOID, .theta = {50, 1000, 1}};
    assert_ok(berth_price_bounds_compute(&cluster, &job, 1, 0, &bounds, &error), error);
    assert_close(bounds.upper[0], 25 * 8, 1e-12); /* u(1) = 50 / 2 */
    assert_true(bounds.floored);
    assert_close(bounds.lower[0], 1e-12 * bounds.upper[0], 1e-12);
    berth_price_bounds_clear(&bounds);
}

static void test_a_bad_job_is_named(void **state) {
    (void)state;
    berth_cluster cluster;
    berth_job jobs[2];
    double numbers[8];
    berth_error error;
    berth_price_bounds bounds;
    cluster_and_job(1, &cluster, &jobs[0], numbers);
    jobs[1] = jobs[0];
    jobs[1].arrival_slot = 99;
    assert_int_equal(berth_price_bounds_compute(&cluster, jobs, 2, 0, &bounds, &error), BERTH_E_INPUT);
    assert_string_equal(error.where, "/jobs/1/arrival_slot");
    jobs[0].samples = -1;
    assert_int_equal(berth_price_bounds_compute(&cluster, jobs, 2, 0, &bounds, &error), BERTH_E_INPUT);
    assert_string_equal(error.where, "/jobs/0/samples");
}

static void test_price_function(void **state) {
    (void)state;
    double upper[] = {100, 0}, lower[] = {0.01, 0};
    berth_price_bounds bounds = {.struct_size = sizeof bounds, .n_resources = 2, .upper = upper, .lower = lower};
    berth__prices *prices = NULL;
    berth_error error;
    assert_ok(berth__prices_new(&bounds, 2, &prices, &error), error);
    assert_close(berth__price_at(prices, 0, 0), 0.01, 1e-12);
    assert_close(berth__price_at(prices, 0, 0.5), 1, 1e-12);
    assert_close(berth__price_at(prices, 0, 1), 100, 1e-12);
    assert_true(berth__price_at(prices, 1, 0.7) == 0);
    berth__prices_free(prices);
    lower[0] = 100; /* upper must be above */
    assert_int_equal(berth__prices_new(&bounds, 2, &prices, &error), BERTH_E_INPUT);
    assert_null(prices);
    lower[0] = (double)NAN;
    assert_int_equal(berth__prices_new(&bounds, 2, &prices, &error), BERTH_E_INPUT);
    lower[0] = -1;
    assert_int_equal(berth__prices_new(&bounds, 2, &prices, &error), BERTH_E_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_by_hand), cmocka_unit_test(test_units_do_not_matter),
        cmocka_unit_test(test_jobs_left_out),  cmocka_unit_test(test_steep_sigmoid),
        cmocka_unit_test(test_price_function), cmocka_unit_test(test_a_bad_job_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
