/* Comparing policies: the statistics and finish-time fairness against values computed by hand or printed in tables, the
 * figures against runs done one by one, and what does not depend on how the work is done. */
#include "tests/support/check.h"
#include "tests/support/own_folder.h"

#include <berth_io.h>

#include <string.h>

#include "base/alloc.h"
#include "report/fairness.h"
#include "report/statistics.h"

/* ---- statistics ---- */

/* Quantiles of 0.975, to the digits that tables print. */
static void test_student(void **state) {
    (void)state;
    static const struct {
        size_t degrees;
        double t;
    } known[] = {{1, 12.70620474}, {2, 4.30265273},  {3, 3.18244631},   {4, 2.77644511},   {5, 2.57058184},
                 {10, 2.22813885}, {30, 2.04227246}, {100, 1.98397152}, {1000, 1.96233908}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_close(berth__student_t95(known[i].degrees), known[i].t, 2e-9);
    }
    for (size_t degrees = 1; degrees < 300; degrees++) {
        assert_true(berth__student_t95(degrees) > berth__student_t95(degrees + 1));
    }
    assert_close(berth__student_t95(99999), 1.95998771, 1e-7); /* the normal's 1.95996398, plus 2.3725 / degrees */
}

static void test_estimates(void **state) {
    (void)state;
    static const double values[] = {1, 2, 3, 4}, gap[] = {(double)NAN, 5, (double)NAN, 7};
    berth_estimate e = berth__estimate(4, values, 1);
    assert_int_equal(e.n, 4);
    assert_close(e.mean, 2.5, 1e-15);
    assert_close(e.half_width, 3.18244631 * 1.2909944487 / 2, 1e-8);
    e = berth__estimate(4, gap, 1);
    assert_int_equal(e.n, 2);
    assert_close(e.mean, 6, 1e-15);
    assert_close(e.half_width, 12.70620474, 1e-8);
    e = berth__estimate(2, values, 2); /* 1 and 3 */
    assert_close(e.mean, 2, 1e-15);
    e = berth__estimate(1, values, 1);
    assert_int_equal(e.n, 1);
    assert_true(e.mean == 1 && isnan(e.half_width));
    e = berth__estimate(1, gap, 1);
    assert_true(e.n == 0 && isnan(e.mean) && isnan(e.half_width));
    static const double tenths[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    e = berth__estimate(7, tenths, 1);
    assert_true(e.mean == 0.1 && e.half_width == 0);
}

static void test_paired_differences(void **state) {
    (void)state;
    static const double values[] = {3, 5, (double)NAN, 9}, base[] = {1, 2, 3, (double)NAN};
    berth_estimate e = berth__paired_difference(4, values, base, 1);
    assert_int_equal(e.n, 2);
    assert_close(e.mean, 2.5, 1e-15);
    assert_close(e.half_width, 6.35310237, 1e-8);
    /* What both share does not count: apart, these spread over 200. */
    static const double a[] = {100, 200, 300}, b[] = {99, 199, 299};
    e = berth__paired_difference(3, a, b, 1);
    assert_true(e.mean == 1 && e.half_width == 0);
}

/* ---- finish-time fairness ---- */

#define JOB(id, arrival, samples, more, gradient)                                                                      \
    "{\"id\":\"" id "\",\"arrival_slot\":" #arrival ",\"epochs\":1,\"samples\":" #samples ",\"batch\":1,"              \
    "\"max_workers\":4,\"sample_seconds\":1,\"gradient_mb\":" #gradient ",\"bandwidth_internal_mb_s\":10,"             \
    "\"bandwidth_external_mb_s\":1,\"worker\":{\"gpu\":1},\"ps\":null," more                                           \
    "\"utility\":{\"kind\":\"constant\",\"value\":1}}"

static const char four_gpus[] =
    "{\"format\":\"berth-jobs-1\",\"name\":\"four\",\"slot_seconds\":10,\"horizon_slots\":20,\"resources\":[\"gpu\"],"
    "\"machines\":[{\"name\":\"m\",\"count\":2,\"capacity\":{\"gpu\":2}}],\"jobs\":[" JOB("A", 0, 80, "", 0) "," JOB(
        "B", 1, 40, "", 0) "," JOB("C", 2, 10, "", 0) "," JOB("D", 3, 10, "",
                                                              0) "," JOB("E", 10, 20, "\"avoid\":[\"m-0\"],",
                                                                         0) "," JOB("F", 15, 25, "", 5) "]}";

static void test_fairness_by_hand(void **state) {
    (void)state;
    berth_error error;
    berth_instance *instance = NULL;
    assert_ok(berth_instance_parse(four_gpus, strlen(four_gpus), &instance, &error), error);
    const berth_run_job jobs[] = {
        {.admitted = true, .outcome = BERTH_JOB_COMPLETED, .completion_slot = 3},
        {.admitted = true, .outcome = BERTH_JOB_COMPLETED, .completion_slot = 4},
        {.admitted = false, .outcome = BERTH_JOB_REJECTED, .completion_slot = -1},
        {.admitted = true, .outcome = BERTH_JOB_UNFINISHED, .completion_slot = -1},
        {.admitted = true, .outcome = BERTH_JOB_COMPLETED, .completion_slot = 10},
        {.admitted = true, .outcome = BERTH_JOB_COMPLETED, .completion_slot = 16},
    };
    const berth_run run = {.n_jobs = 6, .jobs = jobs};
    double rho[6];
    assert_ok(berth__finish_time_fairness(instance, &run, rho, &error), error);
    /* There in slots 0 to 3: 1, 2, 2, 3 jobs; on 4 / 2 GPUs 20 samples a slot, 80 in 4 slots. */
    assert_close(rho[0], 1, 1e-12);
    /* 9 / 4 jobs; on 4 / 2.25 GPUs 40 samples in 2.25 slots, so 3. */
    assert_close(rho[1], 4.0 / 3, 1e-12);
    assert_true(isnan(rho[2]) && isnan(rho[3]));
    /* With D, which never ends; half of the one machine that it may use: 10 samples a slot. */
    assert_close(rho[4], 0.5, 1e-12);
    /* With D: two workers on one machine, each 10 / (1 + 2 * 5 / 10) = 5 samples a slot; 25 in 3 slots. */
    assert_close(rho[5], 2.0 / 3, 1e-12);
    /* Truly half as much work at a quarter of the speed: twice the slots. */
    const berth_truth slow = {.speed = 0.25, .work = 0.5}, truths[] = {slow, slow, slow, slow, slow, slow};
    const berth_run late = {.n_jobs = 6, .jobs = jobs, .truth = truths};
    assert_ok(berth__finish_time_fairness(instance, &late, rho, &error), error);
    assert_close(rho[0], 0.5, 1e-12);
    assert_close(rho[4], 0.25, 1e-12);
    berth_instance_free(instance);
}

/* Alone on all of the cluster nobody is quicker than with all of it. */
static void a_single_job_is_never_above_its_share(void **state) {
    (void)state;
    size_t seen = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        berth_error error;
        berth_instance *instance = NULL;
        berth_run *run = NULL;
        berth_options options;
        berth_options_init(&options);
        options.policy = "srtf";
        options.bound = BERTH_BOUND_NONE;
        options.threads = 1;
        assert_ok(berth_generate_tiny(seed, &instance, &error), error);
        assert_ok(berth_run_online(instance, &options, &run, NULL, &error), error);
        double rho[4];
        assert_true(instance->n_jobs <= 4);
        assert_ok(berth__finish_time_fairness(instance, run, rho, &error), error);
        for (size_t job = 0; job < instance->n_jobs; job++) {
            assert_int_equal(isnan(rho[job]), run->jobs[job].outcome != BERTH_JOB_COMPLETED);
            assert_true(isnan(rho[job]) || rho[job] > 0);
            if (instance->n_jobs == 1 && !isnan(rho[job])) {
                assert_at_most(1, rho[job], 1e-12);
                seen++;
            }
        }
        berth_run_free(run);
        berth_instance_free(instance);
    }
    assert_true(seen > 10);
}

/* ---- the whole ---- */

typedef struct pair {
    berth_instance *instances[2];
    berth_compare_options options;
} pair;

static const char *const three[] = {"srtf", "fifo", "drf"};

static void set_up_pair(pair *p) {
    berth_error error;
    berth_generate_pdors_options g;
    berth_compare_options_init(&p->options);
    p->options.policies = three;
    p->options.n_policies = 3;
    p->options.seeds = 4;
    p->options.first_seed = 11;
    p->options.run.bound = BERTH_BOUND_DUAL;
    for (uint64_t i = 0; i < 2; i++) {
        berth_generate_pdors_options_init(&g);
        g.machines = 3;
        g.jobs = 9;
        g.slots = 10;
        g.seed = i + 1;
        assert_ok(berth_generate_pdors(&g, &p->instances[i], &error), error);
    }
}

static berth_comparison *compare_pair(const pair *p) {
    berth_error error;
    berth_comparison *c = NULL;
    assert_ok(berth_compare(2, (const berth_instance *const *)p->instances, &p->options, &c, &error), error);
    return c;
}

static void tear_down_pair(pair *p) {
    berth_instance_free(p->instances[0]);
    berth_instance_free(p->instances[1]);
}

static const double *values_of(const berth_comparison *c, size_t instance, size_t policy, size_t seed) {
    return c->values + ((instance * c->n_policies + policy) * c->n_seeds + seed) * BERTH_N_METRICS;
}

static void figures_are_those_of_single_runs(void **state) {
    (void)state;
    pair p = {0};
    set_up_pair(&p);
    berth_comparison *c = compare_pair(&p);
    for (size_t i = 0; i < 2; i++) {
        for (size_t policy = 0; policy < 3; policy++) {
            double utility = 0;
            for (size_t seed = 0; seed < 4; seed++) {
                berth_error error;
                berth_run *run = NULL;
                berth_options options;
                berth_options_init(&options);
                options.policy = three[policy];
                options.seed = 11 + seed;
                assert_ok(berth_run_online(p.instances[i], &options, &run, NULL, &error), error);
                const double *v = values_of(c, i, policy, seed);
                assert_true(v[BERTH_METRIC_UTILITY] == run->utility);
                assert_true(v[BERTH_METRIC_ADMITTED] == (double)run->summary.admitted);
                assert_true(v[BERTH_METRIC_COMPLETED] == (double)run->summary.completed);
                assert_true(v[BERTH_METRIC_MAKESPAN] == run->summary.makespan_slots);
                assert_close(v[BERTH_METRIC_OF_BOUND], run->utility / c->bounds[i], 1e-15);
                assert_at_most(v[BERTH_METRIC_OF_BOUND], 1, 1e-9);
                assert_at_most(v[BERTH_METRIC_UTILISATION], 1, 1e-9);
                if (run->summary.completed > 0) {
                    assert_true(v[BERTH_METRIC_MEAN_DELAY] == run->summary.mean_delay_slots);
                    assert_true(v[BERTH_METRIC_P95_DELAY] >= v[BERTH_METRIC_MEDIAN_DELAY]);
                    assert_true(v[BERTH_METRIC_WORST_FAIRNESS] >= v[BERTH_METRIC_MEAN_FAIRNESS]);
                }
                utility += run->utility / 4;
                berth_run_free(run);
            }
            assert_close(c->estimates[(i * 3 + policy) * BERTH_N_METRICS].mean, utility, 1e-12);
            assert_close(c->differences[(i * 3 + policy) * BERTH_N_METRICS].mean,
                         utility - c->estimates[i * 3 * BERTH_N_METRICS].mean, 1e-9);
        }
    }
    berth_comparison_free(c);
    tear_down_pair(&p);
}

static bool same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* Instance i with seed first_seed + i alone, as if compared by itself; means over instances; each utility over the
 * bound of its own instance. */
static void a_pool_is_its_instances(void **state) {
    (void)state;
    pair p = {0};
    set_up_pair(&p);
    berth_comparison *apart = compare_pair(&p);
    p.options.pool = true;
    berth_comparison *pool = compare_pair(&p);
    assert_true(pool->pooled && !apart->pooled);
    assert_int_equal(pool->n_instances, 1);
    assert_int_equal(pool->n_seeds, 2);
    assert_string_equal(pool->instances[0], "pdors and 1 more");
    assert_close(pool->bounds[0], (apart->bounds[0] + apart->bounds[1]) / 2, 1e-15);
    for (size_t policy = 0; policy < 3; policy++) {
        for (size_t i = 0; i < 2; i++) {
            const double *v = values_of(pool, 0, policy, i), *alone = values_of(apart, i, policy, i);
            for (size_t m = 0; m < BERTH_FIRST_MEASURED_METRIC; m++) {
                assert_true(same(v[m], alone[m]));
            }
        }
        const berth_estimate *e = pool->estimates + policy * BERTH_N_METRICS + BERTH_METRIC_OF_BOUND;
        const double *a = values_of(pool, 0, policy, 0), *b = values_of(pool, 0, policy, 1);
        assert_int_equal(e->n, 2);
        assert_close(e->mean, (a[BERTH_METRIC_OF_BOUND] + b[BERTH_METRIC_OF_BOUND]) / 2, 1e-15);
        assert_close(e->half_width, 12.70620474 * fabs(a[BERTH_METRIC_OF_BOUND] - b[BERTH_METRIC_OF_BOUND]) / 2, 1e-8);
    }
    berth_error error;
    assert_ok(berth_comparison_write(pool, BERTH_COMPARISON_JSON, true, path_of("pool.json"), &error), error);
    expect_schema("berth-comparison-1", "pool.json");
    berth_comparison_free(pool);
    berth_comparison_free(apart);
    tear_down_pair(&p);
}

/* A variant is run with its own options, whatever it is called; of an entry that is NULL the name counts. */
static void variants_have_their_own_options(void **state) {
    (void)state;
    static const char *const names[] = {"fifo", "fifo, one worker", "wide"};
    pair p = {0};
    set_up_pair(&p);
    berth_options one, wide;
    berth_options_init(&one);
    one.policy = "fifo";
    one.fifo_workers = 1;
    one.seed = 99;                 /* not taken from there */
    one.bound = BERTH_BOUND_EXACT; /* nor this */
    wide = one;
    wide.fifo_workers = 25;
    const berth_options *variants[] = {NULL, &one, &wide};
    p.options.policies = names;
    p.options.variants = variants;
    berth_comparison *c = compare_pair(&p);
    for (size_t policy = 0; policy < 3; policy++) {
        pair alone = p;
        static const char *const fifo[] = {"fifo"};
        alone.options.policies = fifo;
        alone.options.n_policies = 1;
        alone.options.variants = NULL;
        alone.options.run.fifo_workers = policy == 0 ? 0 : policy == 1 ? 1 : 25;
        berth_comparison *expected = compare_pair(&alone);
        for (size_t i = 0; i < 2; i++) {
            for (size_t seed = 0; seed < 4; seed++) {
                const double *v = values_of(c, i, policy, seed), *e = values_of(expected, i, 0, seed);
                for (size_t m = 0; m < BERTH_FIRST_MEASURED_METRIC; m++) {
                    assert_true(same(v[m], e[m]));
                }
            }
        }
        berth_comparison_free(expected);
    }
    const berth_estimate *first = c->estimates, *second = c->estimates + BERTH_N_METRICS;
    assert_true(first->mean != second->mean);
    berth_comparison_free(c);
    tear_down_pair(&p);
}

static void the_number_of_jobs_changes_nothing(void **state) {
    (void)state;
    pair p = {0};
    set_up_pair(&p);
    p.options.jobs = 1;
    berth_comparison *one = compare_pair(&p);
    p.options.jobs = 3;
    berth_comparison *many = compare_pair(&p);
    for (size_t i = 0; i < 2; i++) {
        assert_true(one->bounds[i] == many->bounds[i]);
    }
    for (size_t k = 0; k < (size_t)2 * 3 * 4 * BERTH_N_METRICS; k++) {
        assert_true(k % BERTH_N_METRICS >= BERTH_FIRST_MEASURED_METRIC || same(one->values[k], many->values[k]));
    }
    berth_comparison_free(one);
    berth_comparison_free(many);
    tear_down_pair(&p);
}

/* Cancels for good after some runs. */
typedef struct stopper {
    double done, after;
} stopper;

static void count_runs(void *user, double done, double total) {
    (void)total;
    ((stopper *)user)->done = done;
}

static bool is_enough(void *user) {
    const stopper *s = user;
    return s->done >= s->after;
}

/* Whatever the run at which it is stopped: what is there is what the whole comparison has there, seed by seed for all
 * policies on all instances; the rest is NAN; and it is read back as it was written. */
static void a_stopped_comparison_is_a_part(void **state) {
    (void)state;
    pair p = {0};
    set_up_pair(&p);
    p.options.jobs = 1;
    p.options.run.bound = BERTH_BOUND_DUAL;
    berth_comparison *whole = compare_pair(&p);
    const size_t rows = whole->n_instances * whole->n_policies, n = rows * whole->n_seeds;
    assert_true(!whole->stopped && whole->n_done == n);
    for (size_t after = 0; after <= n; after++) {
        berth_error error;
        stopper s = {.after = (double)after};
        p.options.run.hooks.user = &s;
        p.options.run.hooks.progress = count_runs;
        p.options.run.hooks.cancel = is_enough;
        berth_comparison *c = compare_pair(&p), *again = NULL;
        assert_true(c->stopped == (after < n) && c->n_done == after);
        for (size_t k = 0; k < n; k++) {
            const bool there = k % c->n_seeds * rows + k / c->n_seeds < after; /* its turn */
            for (size_t m = 0; m < BERTH_FIRST_MEASURED_METRIC; m++) {
                const double value = c->values[k * BERTH_N_METRICS + m];
                assert_true(there ? same(value, whole->values[k * BERTH_N_METRICS + m]) : isnan(value));
            }
        }
        for (size_t k = 0; k < rows; k++) { /* of seeds before the last one begun, all policies have their runs */
            const size_t seeds = c->estimates[k * BERTH_N_METRICS].n;
            assert_true(seeds == after / rows || seeds == after / rows + 1);
        }
        assert_ok(berth_comparison_write(c, BERTH_COMPARISON_JSON, true, path_of("part.json"), &error), error);
        expect_schema("berth-comparison-1", "part.json");
        assert_ok(berth_comparison_read(path_of("part.json"), &again, &error), error);
        assert_true(again->stopped == c->stopped && again->n_done == c->n_done);
        berth_comparison_free(again);
        berth_comparison_free(c);
    }
    /* No time at all: not even a bound. */
    berth_hooks_init(&p.options.run.hooks);
    p.options.run.time_limit_s = 0;
    for (int pool = 0; pool < 2; pool++) {
        p.options.pool = pool == 1;
        berth_comparison *c = compare_pair(&p);
        assert_true(c->stopped && c->n_done == 0 && isnan(c->bounds[0]));
        berth_comparison_free(c);
    }
    berth_comparison_free(whole);
    tear_down_pair(&p);
}

static void expect_refusal(const pair *p, berth_status status, const char *where) {
    berth_error error;
    berth_comparison *c = NULL;
    assert_int_equal(berth_compare(2, (const berth_instance *const *)p->instances, &p->options, &c, &error), status);
    assert_null(c);
    assert_string_equal(error.where, where);
    assert_true(error.message[0] != '\0');
}

static void files_are_as_the_schema_says(void **state) {
    (void)state;
    pair p = {0};
    set_up_pair(&p);
    for (int round = 0; round < 2; round++) {
        berth_error error;
        p.options.seeds = round == 0 ? 4 : 1;
        p.options.run.bound = round == 0 ? BERTH_BOUND_DUAL : BERTH_BOUND_NONE;
        berth_comparison *c = compare_pair(&p);
        assert_ok(berth_comparison_write(c, BERTH_COMPARISON_JSON, round == 0, path_of("c.json"), &error), error);
        expect_schema("berth-comparison-1", "c.json");
        assert_int_equal(berth_comparison_write(c, (berth_comparison_format)9, true, path_of("c.json"), &error),
                         BERTH_E_ARGUMENT);
        assert_int_equal(berth_comparison_write(c, BERTH_COMPARISON_CSV, true, path_of("none/c"), &error), BERTH_E_IO);
        berth_comparison_free(c);
    }
    assert_int_equal(berth_comparison_write(NULL, BERTH_COMPARISON_CSV, true, path_of("c"), NULL), BERTH_E_ARGUMENT);
    tear_down_pair(&p);
}

/* What names may hold does not break rows and columns. */
static void names_are_made_harmless(void **state) {
    (void)state;
    static const char *const policies[] = {"fifo"};
    const berth_estimate one[BERTH_N_METRICS] = {{1, 2, (double)NAN}, {0, (double)NAN, (double)NAN}};
    static const char *const names[] = {"a,\"b\"\n\033c"};
    const double bound = 4, values[BERTH_N_METRICS] = {2};
    const uint32_t crc32 = 1;
    const berth_comparison c = {.n_instances = 1,
                                .n_policies = 1,
                                .n_seeds = 1,
                                .instances = names,
                                .crc32 = &crc32,
                                .policies = policies,
                                .bound = "dual",
                                .bounds = &bound,
                                .values = values,
                                .estimates = one,
                                .differences = one};
    berth_error error;
    assert_ok(berth_comparison_write(&c, BERTH_COMPARISON_CSV, false, path_of("c.csv"), &error), error);
    char *text = get_file("c.csv");
    assert_non_null(strstr(text, "\n\"a,\"\"b\"\"\n\033c\",fifo,utility,1,2,,1,2,\n"));
    assert_non_null(strstr(text, ",fifo,of_bound,0,,,0,,\n"));
    berth__free(text);
    assert_ok(berth_comparison_write(&c, BERTH_COMPARISON_TABLE, false, path_of("c.txt"), &error), error);
    text = get_file("c.txt");
    assert_non_null(strstr(text, "instance              a,\"b\"??c\ndual bound            4: no"));
    assert_non_null(strstr(text, "\nutility               2\nutility / bound       -\n"));
    berth__free(text);
}

static void wrong_options_are_refused(void **state) {
    (void)state;
    static const char *const unknown[] = {"fifo", "fofi"}, *const twice[] = {"fifo", "fifo"}, *const lame[] = {"dorm"};
    pair p = {0};
    set_up_pair(&p);
    const berth_compare_options good = p.options;
    p.options.n_policies = 0;
    expect_refusal(&p, BERTH_E_ARGUMENT, "policies");
    p.options = good;
    p.options.policies = unknown;
    p.options.n_policies = 2;
    expect_refusal(&p, BERTH_E_ARGUMENT, "policies");
    p.options.policies = twice;
    expect_refusal(&p, BERTH_E_ARGUMENT, "policies");
    p.options = good;
    p.options.seeds = 0;
    expect_refusal(&p, BERTH_E_ARGUMENT, "seeds");
    p.options = good;
    p.options.first_seed = UINT64_MAX - 2;
    expect_refusal(&p, BERTH_E_ARGUMENT, "seeds");
    p.options = good;
    p.options.jobs = -1;
    expect_refusal(&p, BERTH_E_ARGUMENT, "jobs");
    p.options = good;
    p.options.run.bound = BERTH_BOUND_EXACT;
    expect_refusal(&p, BERTH_E_ARGUMENT, "bound");
    p.options = good;
    p.options.bound_time_s = (double)NAN;
    expect_refusal(&p, BERTH_E_ARGUMENT, "bound_time_s");
    p.options = good;
    p.options.struct_size = 0;
    expect_refusal(&p, BERTH_E_ARGUMENT, "struct_size");
    p.options = good;
    p.options.run.noise = 0.1;
    expect_refusal(&p, BERTH_E_ARGUMENT, "noise");
    p.options = good;
    berth_options other;
    berth_options_init(&other);
    const berth_options *variants[] = {NULL, &other, NULL};
    p.options.variants = variants;
    other.policy = "fofi";
    expect_refusal(&p, BERTH_E_ARGUMENT, "policies");
    other.policy = "fifo";
    other.noise = 0.1;
    expect_refusal(&p, BERTH_E_ARGUMENT, "noise");
    other.noise = 0;
    other.levels = 0;
    expect_refusal(&p, BERTH_E_ARGUMENT, "levels");
    p.options = good;
    p.options.pool = true;
    p.options.first_seed = UINT64_MAX;
    expect_refusal(&p, BERTH_E_ARGUMENT, "seeds");
    p.options = good;
    p.options.policies = lame; /* the built-in backends are without GLPK, which it needs */
    p.options.n_policies = 1;
    expect_refusal(&p, BERTH_E_BACKEND, "dorm");
    tear_down_pair(&p);
}

static void names_are_complete(void **state) {
    (void)state;
    for (int m = 0; m < BERTH_N_METRICS; m++) {
        assert_non_null(berth_metric_name((berth_metric)m));
        assert_non_null(berth_metric_text((berth_metric)m));
        for (int other = 0; other < m; other++) {
            assert_string_not_equal(berth_metric_name((berth_metric)m), berth_metric_name((berth_metric)other));
        }
    }
    assert_null(berth_metric_name(BERTH_N_METRICS));
    assert_null(berth_metric_text((berth_metric)-1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_student),
        cmocka_unit_test(test_estimates),
        cmocka_unit_test(test_paired_differences),
        cmocka_unit_test(test_fairness_by_hand),
        cmocka_unit_test(a_single_job_is_never_above_its_share),
        cmocka_unit_test(figures_are_those_of_single_runs),
        cmocka_unit_test(a_pool_is_its_instances),
        cmocka_unit_test(variants_have_their_own_options),
        cmocka_unit_test(the_number_of_jobs_changes_nothing),
        cmocka_unit_test(a_stopped_comparison_is_a_part),
        cmocka_unit_test(files_are_as_the_schema_says),
        cmocka_unit_test(names_are_made_harmless),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(names_are_complete),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
