/* The generators: laws of berth_generate_pdors, variety of berth_generate_tiny, determinism, validity. */
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

#include <berth_io.h>

#include "base/alloc.h"
#include "formats/instance_json.h"
#include "formulations/placement.h"
#include "tests/support/brute_force.h"

static berth_instance *pdors(const berth_generate_pdors_options *options) {
    berth_instance *instance = NULL;
    berth_error error;
    assert_ok(berth_generate_pdors(options, &instance, &error), error);
    assert_non_null(instance);
    return instance;
}

static berth_instance *tiny(uint64_t seed) {
    berth_instance *instance = NULL;
    berth_error error;
    assert_ok(berth_generate_tiny(seed, &instance, &error), error);
    assert_non_null(instance);
    return instance;
}

static berth_generate_pdors_options defaults(void) {
    berth_generate_pdors_options options;
    berth_generate_pdors_options_init(&options);
    return options;
}

static double seconds_a_sample(const berth_job *job, double bandwidth) {
    double sharing = job->all_reduce ? 1 : job->workers_per_ps;
    return job->sample_seconds + sharing * 2 * job->gradient_mb / (job->batch * bandwidth);
}

static double worker_slots(const berth_instance *instance, const berth_job *job) {
    double slower =
        fmax(seconds_a_sample(job, job->bandwidth_internal_mb_s), seconds_a_sample(job, job->bandwidth_external_mb_s));
    return job->epochs * job->samples * slower / instance->slot_seconds;
}

/* Valid job by job and as a whole, and the same after writing and reading. */
static void assert_valid(const berth_instance *instance) {
    berth_error error;
    for (size_t i = 0; i < instance->n_jobs; i++) {
        assert_ok(berth__job_validate(&instance->jobs[i], instance->n_resources, instance->resources,
                                      instance->horizon_slots, &error),
                  error);
    }
    char *text = NULL, *again = NULL;
    size_t length = 0, length_again = 0;
    berth_instance *read = NULL;
    assert_ok(berth__instance_text(instance, &text, &length, &error), error);
    assert_ok(berth_instance_parse(text, length, &read, &error), error);
    assert_ok(berth__instance_text(read, &again, &length_again, &error), error);
    assert_string_equal(text, again);
    assert_int_equal(instance->crc32, read->crc32);
    assert_int_equal(instance->n_machines, read->n_machines);
    for (size_t h = 0; h < read->n_machines; h++) {
        assert_string_equal(instance->machines[h], read->machines[h]);
        assert_int_equal(instance->machine_group[h], read->machine_group[h]);
    }
    assert_memory_equal(instance->capacity, read->capacity,
                        read->n_machines * read->n_resources * sizeof *read->capacity);
    berth__free(text);
    berth__free(again);
    berth_instance_free(read);
}

static void between(double value, double low, double high) {
    if (!(value >= low && value <= high)) {
        fail_msg("%.17g is not in [%.17g, %.17g]", value, low, high);
    }
}

/* ---- pdors ---- */

static void test_ranges(void **state) {
    (void)state;
    berth_generate_pdors_options options = defaults();
    options.jobs = 2000;
    options.machines = 30;
    berth_instance *instance = pdors(&options);
    assert_int_equal(instance->n_jobs, 2000);
    assert_int_equal(instance->n_machines, 30);
    static const double worker_low[] = {0, 1, 2, 5}, worker_high[] = {4, 10, 32, 10}, ps_high[] = {0, 10, 32, 10};
    for (size_t i = 0; i < instance->n_jobs; i++) {
        const berth_job *job = &instance->jobs[i];
        between(job->arrival_slot, i == 0 ? 0 : instance->jobs[i - 1].arrival_slot, 15);
        between(job->epochs, 50, 200);
        between(job->max_workers, 1, 60);
        assert_close(job->batch, job->max_workers, 0);
        between(job->workers_per_ps, 1, 10);
        between(worker_slots(instance, job), 1 - 1e-9, 200 * (1 + 1 / job->samples));
        assert_close(job->samples, floor(job->samples), 0);
        between(job->utility.theta[0], 1, 100);
        between(job->utility.theta[2], 1, 15);
        for (size_t r = 0; r < 4; r++) {
            between(job->worker[r], worker_low[r], worker_high[r]);
            between(job->ps[r], r == 0 ? 0 : worker_low[r], ps_high[r]);
        }
    }
    berth_instance_free(instance);
}

/* Means and shares. Each bound is 5 standard deviations: a false failure below 1e-6 for each of the dozen, were the
 * seed not fixed. */
static void test_laws(void **state) {
    (void)state;
    berth_generate_pdors_options options = defaults();
    options.jobs = 4000;
    options.machines = 100;
    options.seed = 77;
    berth_instance *instance = pdors(&options);
    double n = (double)instance->n_jobs, slots = 0, epochs = 0, width = 0, gpus = 0, theta0 = 0, theta2 = 0,
           arrival = 0;
    double kinds[3] = {0}, models[8] = {0};
    static const double model_compute[8] = {.449, .535, .226, .815, .075, .585, .567, .154};
    for (size_t i = 0; i < instance->n_jobs; i++) {
        const berth_job *job = &instance->jobs[i];
        slots += worker_slots(instance, job);
        epochs += job->epochs;
        width += job->max_workers;
        gpus += job->worker[0];
        theta0 += job->utility.theta[0];
        theta2 += job->utility.theta[2];
        arrival += job->arrival_slot;
        double theta1 = job->utility.theta[1];
        kinds[theta1 == 0 ? 0 : theta1 > .01 && theta1 < 1 ? 1 : 2]++;
        assert_true(theta1 < 1 || (theta1 > 4 && theta1 < 6));
        for (size_t m = 0; m < 8; m++) {
            models[m] += fabs(job->sample_seconds * job->batch - model_compute[m]) < 1e-9;
        }
    }
    double root = sqrt(n);
    between(slots / n, 35.75 - 5 * 32 / root, 35.75 + 1 + 5 * 32 / root); /* at least 1, and samples rounded up */
    between(epochs / n, 125 - 5 * 44 / root, 125 + 5 * 44 / root);
    between(width / n, 100.5 - 5 * 58 / root, 100.5 + 5 * 58 / root);
    between(gpus / n, 2 - 5 * 1.5 / root, 2 + 5 * 1.5 / root);
    between(theta0 / n, 50.5 - 5 * 29 / root, 50.5 + 5 * 29 / root);
    between(theta2 / n, 8 - 5 * 4.1 / root, 8 + 5 * 4.1 / root);
    between(arrival / n, 7.5 - 5 * 4.7 / root, 7.5 + 5 * 4.7 / root);
    between(kinds[0] / n, .10 - 5 * .30 / root, .10 + 5 * .30 / root);
    between(kinds[1] / n, .55 - 5 * .50 / root, .55 + 5 * .50 / root);
    between(kinds[2] / n, .35 - 5 * .48 / root, .35 + 5 * .48 / root);
    for (size_t m = 0; m < 8; m++) {
        between(models[m] / n, .125 - 5 * .34 / root, .125 + 5 * .34 / root);
    }
    berth_instance_free(instance);
}

/* The greatest over resources of demand over capacity. */
static double load_of(const berth_instance *instance) {
    double load = 0;
    for (size_t r = 0; r < instance->n_resources; r++) {
        double used = 0, total = 0;
        for (size_t i = 0; i < instance->n_jobs; i++) {
            const berth_job *job = &instance->jobs[i];
            used += worker_slots(instance, job) * (job->worker[r] + job->ps[r] / job->workers_per_ps);
        }
        for (size_t h = 0; h < instance->n_machines; h++) {
            total += instance->capacity[h * instance->n_resources + r];
        }
        load = fmax(load, used / (total * instance->horizon_slots));
    }
    return load;
}

static void test_load(void **state) {
    (void)state;
    static const double loads[] = {0.01, 0.5, 1, 3};
    for (size_t k = 0; k < sizeof loads / sizeof loads[0]; k++) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
            berth_generate_pdors_options options = defaults();
            options.seed = seed;
            options.load = loads[k];
            options.heterogeneous = seed % 2 == 0;
            berth_instance *enough = pdors(&options);
            assert_at_most(loads[k], load_of(enough), 1e-9);
            if (enough->n_jobs > 1) {
                options.jobs = enough->n_jobs - 1;
                berth_instance *fewer = pdors(&options);
                assert_true(load_of(fewer) < loads[k]);
                berth_instance_free(fewer);
            }
            berth_instance_free(enough);
        }
    }
}

static const berth_job *find_job(const berth_instance *instance, const char *id) {
    for (size_t i = 0; i < instance->n_jobs; i++) {
        if (strcmp(instance->jobs[i].id, id) == 0) {
            return &instance->jobs[i];
        }
    }
    return NULL;
}

static void test_more_jobs_keep_the_first(void **state) {
    (void)state;
    for (int arrivals = BERTH_ARRIVALS_UNIFORM; arrivals <= BERTH_ARRIVALS_BURSTS; arrivals++) {
        berth_generate_pdors_options options = defaults();
        options.arrivals = (berth_arrivals)arrivals;
        options.jobs = 15;
        berth_instance *few = pdors(&options);
        options.jobs = 60;
        berth_instance *many = pdors(&options);
        for (size_t i = 0; i < few->n_jobs; i++) {
            const berth_job *same = find_job(many, few->jobs[i].id);
            if (same == NULL) {
                fail_msg("%s is missing", few->jobs[i].id);
                return;
            }
            assert_close(few->jobs[i].samples, same->samples, 0);
            assert_close(few->jobs[i].utility.theta[0], same->utility.theta[0], 0);
            assert_int_equal(few->jobs[i].arrival_slot, same->arrival_slot);
        }
        berth_instance_free(few);
        berth_instance_free(many);
    }
}

static void test_bursts(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        berth_generate_pdors_options options = defaults();
        options.seed = seed;
        options.slots = 100;
        options.jobs = 400;
        options.arrivals = BERTH_ARRIVALS_BURSTS;
        berth_instance *instance = pdors(&options);
        size_t distinct = 1;
        for (size_t i = 1; i < instance->n_jobs; i++) {
            distinct += instance->jobs[i].arrival_slot != instance->jobs[i - 1].arrival_slot;
        }
        assert_in_range(distinct, 2, 10); /* 80 slots / 8; one only: 10^-9 */
        between(instance->jobs[399].arrival_slot, 0, 79);
        berth_instance_free(instance);
    }
}

/* Counts of a Poisson process, in the whole window and in its two halves: their means are their variances, and the
 * halves are independent, which no fixed number of jobs has. Bounds of 5 standard deviations of the estimates (those of
 * a squared or multiplied standard normal): a false failure below 1e-5 in all, were the seeds not fixed. */
static void test_poisson(void **state) {
    (void)state;
    enum { RUNS = 400 };
    double deviation[3] = {0}, square[3] = {0}, product = 0, root = sqrt((double)RUNS);
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        berth_generate_pdors_options options = defaults();
        options.seed = seed;
        options.slots = 50; /* a window of 40 */
        options.machines = 8;
        options.load = 2;
        berth_instance *mean = pdors(&options);
        options.arrivals = BERTH_ARRIVALS_POISSON;
        berth_instance *instance = pdors(&options);
        double n = (double)mean->n_jobs, count[3] = {(double)instance->n_jobs, 0, 0};
        assert_true(n > 10);
        for (size_t i = 0; i < instance->n_jobs; i++) {
            between(instance->jobs[i].arrival_slot, 0, 39);
            count[instance->jobs[i].arrival_slot < 20 ? 1 : 2]++;
        }
        double off[3];
        for (size_t k = 0; k < 3; k++) {
            double expected = k == 0 ? n : n / 2;
            off[k] = (count[k] - expected) / sqrt(expected);
            deviation[k] += off[k];
            square[k] += off[k] * off[k];
        }
        product += off[1] * off[2];
        berth_instance_free(mean);
        berth_instance_free(instance);
    }
    for (size_t k = 0; k < 3; k++) {
        between(deviation[k] / RUNS, -5 / root, 5 / root);
        between(square[k] / RUNS, 1 - 5 * 1.5 / root, 1 + 5 * 1.5 / root);
    }
    between(product / RUNS, -5 / root, 5 / root);
}

/* Of a number of jobs that is given, and of none, which a Poisson law allows. */
static void test_poisson_numbers(void **state) {
    (void)state;
    berth_generate_pdors_options options = defaults();
    options.jobs = 50;
    berth_instance *uniform = pdors(&options);
    options.arrivals = BERTH_ARRIVALS_POISSON;
    berth_instance *given = pdors(&options);
    assert_int_equal(given->n_jobs, 50);
    for (size_t i = 0; i < 50; i++) {
        assert_string_equal(given->jobs[i].id, uniform->jobs[i].id);
        assert_int_equal(given->jobs[i].arrival_slot, uniform->jobs[i].arrival_slot);
    }
    berth_instance_free(uniform);
    berth_instance_free(given);
    options.jobs = 0;
    options.load = 1e-9; /* one job, so none with probability 1 / e: all or none of 100 below 1e-19 */
    int empty = 0;
    for (options.seed = 1; options.seed <= 100; options.seed++) {
        berth_instance *instance = pdors(&options);
        empty += instance->n_jobs == 0;
        assert_valid(instance);
        berth_instance_free(instance);
    }
    assert_in_range(empty, 1, 99);
}

static void test_machines_and_communication(void **state) {
    (void)state;
    berth_generate_pdors_options options = defaults();
    options.machines = 10;
    options.jobs = 30;
    berth_instance *plain = pdors(&options);
    options.heterogeneous = true;
    options.communication = 1;
    berth_instance *mixed = pdors(&options);
    assert_int_equal(plain->n_groups, 1);
    assert_int_equal(mixed->n_groups, 2);
    assert_int_equal(mixed->groups[0].count, 7);
    assert_int_equal(mixed->groups[1].count, 3);
    assert_close(mixed->capacity[9 * 4 + 1], 96, 0);
    assert_close(mixed->capacity[0 * 4 + 1], 48, 0);
    for (size_t i = 0; i < plain->n_jobs; i++) {
        assert_close(plain->jobs[i].gradient_mb * 10, mixed->jobs[i].gradient_mb, 1e-12);
        assert_close(plain->jobs[i].sample_seconds, mixed->jobs[i].sample_seconds, 0);
    }
    assert_valid(mixed);
    berth_instance_free(plain);
    berth_instance_free(mixed);
}

static void test_seeds(void **state) {
    (void)state;
    berth_generate_pdors_options options = defaults();
    berth_instance *one = pdors(&options), *same = pdors(&options);
    options.seed = 2;
    berth_instance *other = pdors(&options);
    assert_int_equal(one->crc32, same->crc32);
    assert_int_not_equal(one->crc32, other->crc32);
    assert_true(one->jobs[0].samples != other->jobs[0].samples);
    assert_valid(one);
    assert_valid(other);
    berth_instance_free(one);
    berth_instance_free(same);
    berth_instance_free(other);
}

static void test_smallest(void **state) {
    (void)state;
    berth_generate_pdors_options options = defaults();
    options.machines = 1;
    options.slots = 1;
    options.jobs = 3;
    options.communication = 0;
    options.heterogeneous = true;
    berth_instance *instance = pdors(&options);
    assert_int_equal(instance->n_groups, 1);
    assert_string_equal(instance->machines[0], "node");
    assert_valid(instance);
    berth_instance_free(instance);
}

static void expect_refusal(berth_generate_pdors_options options, const char *where) {
    berth_instance *instance = (berth_instance *)(uintptr_t)16;
    berth_error error;
    assert_int_equal(berth_generate_pdors(&options, &instance, &error), BERTH_E_ARGUMENT);
    assert_null(instance);
    assert_string_equal(error.where, where);
}

/* The width that jobs can have, whatever the machines: their work and all else stay. */
static void test_max_workers(void **state) {
    (void)state;
    berth_generate_pdors_options options = defaults();
    options.jobs = 500;
    berth_instance *usual = pdors(&options);
    options.max_workers = 2 * (int)options.machines;
    berth_instance *same = pdors(&options);
    options.max_workers = 200;
    berth_instance *wide = pdors(&options);
    double sum = 0;
    for (size_t i = 0; i < 500; i++) {
        assert_int_equal(same->jobs[i].max_workers, usual->jobs[i].max_workers);
        between(wide->jobs[i].max_workers, 1, 200);
        assert_close(wide->jobs[i].batch, wide->jobs[i].max_workers, 0);
        assert_close(wide->jobs[i].utility.theta[0], usual->jobs[i].utility.theta[0], 0);
        /* but for whole samples */
        assert_close(worker_slots(wide, &wide->jobs[i]), worker_slots(usual, &usual->jobs[i]), 0.05);
        sum += wide->jobs[i].max_workers;
    }
    between(sum / 500, 100.5 - 5 * 58 / sqrt(500), 100.5 + 5 * 58 / sqrt(500));
    assert_non_null(strstr(wide->source, ", at most 200 workers."));
    berth_instance_free(usual);
    berth_instance_free(same);
    berth_instance_free(wide);
}

/* A mix changes how much delay costs and nothing else, and only of jobs whose class is another. */
static void test_mixes(void **state) {
    (void)state;
    static const int mixes[][3] = {{100, 0, 0}, {0, 100, 0}, {0, 0, 100}, {30, 69, 1}};
    berth_generate_pdors_options options = defaults();
    options.jobs = 1000;
    berth_instance *usual = pdors(&options);
    assert_null(strstr(usual->source, "utilities"));
    for (size_t m = 0; m < sizeof mixes / sizeof *mixes; m++) {
        memcpy(options.mix, mixes[m], sizeof options.mix);
        berth_instance *instance = pdors(&options);
        assert_non_null(strstr(instance->source, ", utilities "));
        double kinds[3] = {0};
        for (size_t i = 0; i < 1000; i++) {
            const berth_job *job = &instance->jobs[i], *was = find_job(usual, job->id);
            double theta1 = job->utility.theta[1];
            kinds[theta1 == 0 ? 0 : theta1 < 1 ? 1 : 2]++;
            assert_true(job->samples == was->samples && job->arrival_slot == was->arrival_slot);
            assert_true(job->utility.theta[2] == was->utility.theta[2]);
        }
        for (size_t k = 0; k < 3; k++) {
            /* 5 standard deviations; exact where the share is 0 or 1 */
            double share = mixes[m][k] / 100.0, slack = 5 * sqrt(share * (1 - share) / 1000);
            between(kinds[k] / 1000, share - slack, share + slack);
        }
        berth_instance_free(instance);
    }
    berth_instance_free(usual);
}

static void test_refusals(void **state) {
    (void)state;
    berth_generate_pdors_options options = defaults();
    options.machines = 0;
    expect_refusal(options, "machines");
    options = defaults();
    options.slots = 0;
    expect_refusal(options, "slots");
    options = defaults();
    options.load = (double)NAN;
    expect_refusal(options, "load");
    options = defaults();
    options.load = 0;
    expect_refusal(options, "load");
    options = defaults();
    options.communication = -1;
    expect_refusal(options, "communication");
    options = defaults();
    options.arrivals = (berth_arrivals)9;
    expect_refusal(options, "arrivals");
    options = defaults();
    options.jobs = 1000001;
    expect_refusal(options, "jobs");
    options = defaults();
    options.max_workers = -1;
    expect_refusal(options, "max_workers");
    options = defaults();
    options.mix[0]++;
    expect_refusal(options, "mix");
    options = defaults();
    options.mix[0] = -10;
    options.mix[1] = 75;
    expect_refusal(options, "mix");
    options = defaults();
    options.struct_size = 0;
    expect_refusal(options, "options");
    options = defaults();
    berth_error error;
    assert_int_equal(berth_generate_pdors(&options, NULL, &error), BERTH_E_ARGUMENT);
}

/* ---- tiny ---- */

typedef struct variety {
    size_t instances, jobs, kinds[5], all_reduce, quotas, tenants, allow, avoid, prices, internal_slower, equal_speed,
        unfinishable, contended, no_capacity, two_resources;
} variety;

static void look_at_job(const berth_instance *instance, const berth_job *job, variety *seen) {
    double internal = seconds_a_sample(job, job->bandwidth_internal_mb_s);
    double external = seconds_a_sample(job, job->bandwidth_external_mb_s);
    double fastest = instance->slot_seconds / fmin(internal, external);
    int slots = instance->horizon_slots - job->arrival_slot;
    between(job->max_workers, 1, 3);
    seen->jobs++;
    seen->kinds[job->utility.kind]++;
    seen->all_reduce += job->all_reduce;
    seen->tenants += job->tenant != NULL;
    seen->allow += job->n_allow > 0;
    seen->avoid += job->n_avoid > 0;
    seen->equal_speed += fabs(internal - external) < 1e-9;
    seen->internal_slower += internal > external + 1e-9;
    seen->unfinishable += job->epochs * job->samples > fastest * job->max_workers * slots * (1 + 1e-9);
}

static void test_tiny(void **state) {
    (void)state;
    variety seen = {0};
    for (uint64_t seed = 0; seed < 2000; seed++) {
        berth_instance *instance = tiny(seed);
        assert_valid(instance);
        between((double)instance->n_machines, 1, 3);
        between((double)instance->n_jobs, 1, 4);
        between((double)instance->n_resources, 1, 2);
        between(instance->horizon_slots, 1, 4);
        between((double)instance->n_machines * instance->horizon_slots, 1, 6);
        double need = 0, room = 0;
        for (size_t i = 0; i < instance->n_jobs; i++) {
            look_at_job(instance, &instance->jobs[i], &seen);
            need += worker_slots(instance, &instance->jobs[i]) * instance->jobs[i].worker[0];
        }
        for (size_t h = 0; h < instance->n_machines; h++) {
            const double *of_machine = &instance->capacity[h * instance->n_resources];
            room += of_machine[0] * instance->horizon_slots;
            seen.no_capacity += instance->n_resources == 2 && of_machine[1] == 0;
        }
        seen.instances++;
        seen.contended += need > room;
        seen.quotas += instance->n_quotas > 0;
        seen.prices += instance->price_upper != NULL;
        seen.two_resources += instance->n_resources == 2;
        berth_instance_free(instance);
    }
    /* The shares meant are well above these: with 2000 instances by far more than 5 standard deviations. */
    for (size_t k = 0; k < 5; k++) {
        assert_in_range(seen.kinds[k], seen.jobs / 10, seen.jobs / 3);
    }
    assert_true(seen.all_reduce > seen.jobs / 10 && seen.all_reduce < seen.jobs / 2);
    assert_true(seen.quotas > seen.instances / 8 && seen.tenants > seen.jobs / 16);
    assert_true(seen.prices > seen.instances / 8);
    assert_true(seen.allow > seen.jobs / 20 && seen.avoid > seen.jobs / 20);
    assert_true(seen.equal_speed > seen.jobs / 8 && seen.internal_slower > seen.jobs / 8);
    assert_true(seen.unfinishable > seen.jobs / 40);
    assert_true(seen.contended > seen.instances / 8);
    assert_true(seen.no_capacity > seen.instances / 100);
    assert_true(seen.two_resources > seen.instances / 4);
}

static void test_tiny_seeds(void **state) {
    (void)state;
    berth_instance *one = tiny(5), *same = tiny(5), *other = tiny(6);
    assert_int_equal(one->crc32, same->crc32);
    assert_int_not_equal(one->crc32, other->crc32);
    berth_instance_free(one);
    berth_instance_free(same);
    berth_instance_free(other);
    berth_error error;
    assert_int_equal(berth_generate_tiny(1, NULL, &error), BERTH_E_ARGUMENT);
}

/* instances/tiny holds what the generator makes of these seeds, in this order. */
static void test_shipped_tiny(void **state) {
    (void)state;
    static const uint64_t seeds[] = {166, 210, 216, 299, 326, 356, 636, 645, 858, 907, 944, 989, 1112, 1182};
    for (size_t k = 0; k < sizeof seeds / sizeof seeds[0]; k++) {
        char path[64];
        snprintf(path, sizeof path, "instances/tiny/tiny-%02zu.json", k + 1);
        berth_instance *shipped = NULL, *made = tiny(seeds[k]);
        berth_error error;
        assert_ok(berth_instance_read(path, &shipped, &error), error);
        assert_int_equal(shipped->crc32, made->crc32);
        berth_instance_free(shipped);
        berth_instance_free(made);
    }
}

/* instances/tiny/optima.csv by enumeration; it has 12 digits. */
static void test_shipped_optima(void **state) {
    (void)state;
    FILE *list = fopen("instances/tiny/optima.csv", "r");
    if (list == NULL) {
        fail_msg("cannot read instances/tiny/optima.csv");
        return;
    }
    char file[64], path[96];
    double optimum;
    int n = 0;
    assert_int_equal(fscanf(list, "%63[^,],optimum ", file), 1);
    for (; fscanf(list, "%63[^,],%lf ", file, &optimum) == 2; n++) {
        snprintf(path, sizeof path, "instances/tiny/%s", file);
        berth_instance *instance = NULL;
        berth_error error;
        assert_ok(berth_instance_read(path, &instance, &error), error);
        bool complete = false;
        double found = brute_force_optimum(instance, 20000000, &complete);
        if (!complete || fabs(found - optimum) > 1e-10 * optimum) {
            fail_msg("%s: %.17g by enumeration%s, %.17g by the list", file, found, complete ? "" : " (cut short)",
                     optimum);
        }
        berth_instance_free(instance);
    }
    assert_int_equal(fclose(list), 0);
    assert_int_equal(n, 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_more_jobs_keep_the_first),
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_poisson),
        cmocka_unit_test(test_poisson_numbers),
        cmocka_unit_test(test_machines_and_communication),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_max_workers),
        cmocka_unit_test(test_mixes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_tiny),
        cmocka_unit_test(test_tiny_seeds),
        cmocka_unit_test(test_shipped_tiny),
        cmocka_unit_test(test_shipped_optima),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
