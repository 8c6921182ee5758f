/* What others do with the same clusters: sound, with figures that hold, and as good as is known of them. */
#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <berth_goodput.h>

#include <string.h>

#include "base/pcg.h"
#include "formulations/goodput/pareto.h"
#include "workload/goodput_models.h"

/* ---- Pollux's own tiny clusters ---- */

typedef struct tiny_job {
    const char *application;
    int phase; /* of its training */
    uint32_t most, restarts;
    double age_s;
    size_t n_current;
    berth_node_gpus current[2];
} tiny_job;

/* Values of brute force and of ten runs of the authors' genetic algorithm, which all found it. */
typedef struct tiny {
    size_t n_nodes;
    uint32_t gpus[3];
    size_t n_jobs;
    tiny_job jobs[4];
    double harmonic, arithmetic; /* best F for p = -1 and p = 1 */
} tiny;

static const tiny tinies[] = {
    {.n_nodes = 2,
     .gpus = {2, 2},
     .n_jobs = 3,
     .jobs = {{"cifar10", 0, 4, 0, 600, 0, {{0, 0}}},
              {"bert", 0, 4, 0, 600, 0, {{0, 0}}},
              {"deepspeech2", 0, 2, 0, 300, 0, {{0, 0}}}},
     .harmonic = 0.3102022688829282,
     .arithmetic = 0.3303320106031737},
    {.n_nodes = 2,
     .gpus = {4, 4},
     .n_jobs = 3,
     .jobs = {{"imagenet", 0, 8, 3, 3600, 1, {{0, 4}}},
              {"cifar10", 0, 4, 0, 120, 1, {{1, 1}}},
              {"yolov3", 0, 8, 2, 1800, 1, {{1, 2}}}},
     .harmonic = 0.20225977955177907,
     .arithmetic = 0.2235272064495748},
    {.n_nodes = 3,
     .gpus = {2, 2, 2},
     .n_jobs = 4,
     .jobs = {{"imagenet", 1, 6, 8, 7200, 2, {{0, 2}, {1, 2}}},
              {"deepspeech2", 0, 4, 1, 900, 1, {{2, 1}}},
              {"bert", 0, 4, 0, 60, 0, {{0, 0}}},
              {"cifar10", 0, 2, 0, 30, 0, {{0, 0}}}},
     .harmonic = 0.2668717791350471,
     .arithmetic = 0.35360360895102255},
};

static berth_goodput_profile profile_of(const tiny_job *job) {
    int k = 0;
    while (strcmp(berth__goodput_models[k].name, job->application) != 0) {
        k++;
        assert_true(k < BERTH__N_GOODPUT_MODELS);
    }
    berth_goodput_profile profile = berth__goodput_models[k].profile;
    profile.grad_sqr = berth__goodput_models[k].noise[job->phase][0];
    profile.grad_var = berth__goodput_models[k].noise[job->phase][1];
    return profile;
}

static double allocate_tiny(const tiny *t, double p, berth_allocator allocator, uint64_t seed,
                            const berth_backends *backends) {
    berth_error error;
    berth_goodput_job jobs[4];
    berth_goodput_profile profiles[4];
    berth_goodput_instance instance;
    berth_allocate_options options;
    berth_allocation *allocation = NULL;
    berth_report *report = NULL;
    for (size_t k = 0; k < t->n_jobs; k++) {
        profiles[k] = profile_of(&t->jobs[k]);
        berth_goodput_job_init(&jobs[k]);
        jobs[k].profile = &profiles[k];
        jobs[k].max_replicas = t->jobs[k].most;
        jobs[k].restarts = t->jobs[k].restarts;
        jobs[k].age_s = t->jobs[k].age_s;
        jobs[k].n_current = t->jobs[k].n_current;
        jobs[k].current = t->jobs[k].current;
    }
    berth_goodput_instance_init(&instance);
    instance.n_nodes = t->n_nodes;
    instance.gpus = t->gpus;
    instance.n_jobs = t->n_jobs;
    instance.jobs = jobs;
    instance.p = p;
    berth_allocate_options_init(&options);
    options.allocator = allocator;
    options.seed = seed;
    options.backends = backends;
    assert_ok(berth_allocate(&instance, &options, &allocation, &error), error);
    assert_ok(berth_check_allocation(&instance, allocation, NULL, &report, &error), error);
    assert_int_equal(report->n_violations, 0);
    const double fitness = allocation->fitness;
    berth_report_free(report);
    berth_allocation_free(allocation);
    return fitness;
}

/* A population of a hundred holds most of the states that there are. */
static void genetic_finds_the_best_of_tiny_clusters(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof tinies / sizeof *tinies; k++) {
        for (uint64_t seed = 1; seed <= 2; seed++) {
            assert_close(allocate_tiny(&tinies[k], -1, BERTH_ALLOCATOR_GENETIC, seed, NULL), tinies[k].harmonic, 1e-9);
            assert_close(allocate_tiny(&tinies[k], 1, BERTH_ALLOCATOR_GENETIC, seed, NULL), tinies[k].arithmetic, 1e-9);
        }
    }
}

static void nobody_is_above_the_best(void **state) {
    (void)state;
    static const berth_allocator others[] = {BERTH_ALLOCATOR_OPTIMUS, BERTH_ALLOCATOR_TIRESIAS,
                                             BERTH_ALLOCATOR_GAVEL_MAXSUM, BERTH_ALLOCATOR_SIA};
    berth_backends *backends = all_backends();
    for (size_t k = 0; k < sizeof tinies / sizeof *tinies; k++) {
        for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
            assert_at_most(allocate_tiny(&tinies[k], -1, others[o], 1, backends), tinies[k].harmonic, 1e-9);
            assert_at_most(allocate_tiny(&tinies[k], 1, others[o], 1, backends), tinies[k].arithmetic, 1e-9);
        }
    }
    berth_backends_free(backends);
}

/* ---- random clusters ---- */

static berth_goodput_instance *cluster(uint64_t seed) {
    berth_error error;
    berth_goodput_instance *instance = NULL;
    berth_generate_goodput_options options;
    berth_generate_goodput_options_init(&options);
    options.seed = seed;
    options.nodes = 2 + seed % 6;
    options.gpus = 1 + (uint32_t)(seed % 5);
    options.types = 1 + seed % 2;
    options.jobs = 1 + seed % 11;
    options.warm = (double)(seed % 3) / 2;
    options.pinned = 0.2;
    options.p = seed % 4 == 0 ? 1 : seed % 4 == 1 ? 0 : -1;
    assert_ok(berth_generate_goodput(&options, &instance, &error), error);
    if (seed % 5 == 0) {
        instance->rules = BERTH_RULES_SIA;
        instance->p = -0.5;
    }
    instance->fair = seed % 7 == 0 ? BERTH_FAIR_SPREAD : BERTH_FAIR_NODE;
    return instance;
}

static bool same(const berth_allocation *a, const berth_allocation *b) {
    bool equal = a->n_jobs == b->n_jobs;
    for (size_t j = 0; equal && j < a->n_jobs; j++) {
        const berth_allocated_job *x = &a->jobs[j], *y = &b->jobs[j];
        equal = x->n_nodes == y->n_nodes;
        for (size_t k = 0; equal && k < x->n_nodes; k++) {
            equal = x->nodes[k].node == y->nodes[k].node && x->nodes[k].gpus == y->nodes[k].gpus;
        }
    }
    return equal;
}

static void every_allocation_is_sound(void **state) {
    (void)state;
    berth_backends *backends = all_backends();
    for (uint64_t seed = 1; seed <= 60; seed++) {
        berth_goodput_instance *instance = cluster(seed);
        for (int a = BERTH_ALLOCATOR_GENETIC; a <= BERTH_ALLOCATOR_SIA; a++) {
            berth_error error;
            berth_allocate_options options;
            berth_allocation *first = NULL, *second = NULL;
            berth_report *report = NULL;
            berth_allocate_options_init(&options);
            options.allocator = (berth_allocator)a;
            options.backends = backends;
            options.seed = seed;
            if (a == BERTH_ALLOCATOR_GENETIC && seed % 6 != 0) {
                continue; /* a hundred times slower than the others */
            }
            assert_ok(berth_allocate(instance, &options, &first, &error), error);
            assert_ok(berth_check_allocation(instance, first, NULL, &report, &error), error);
            if (report->n_violations > 0) {
                fail_msg("seed %d, %s: %s: %s: %s", (int)seed, berth_allocator_name(options.allocator),
                         report->findings[0].rule, report->findings[0].where, report->findings[0].message);
            }
            assert_ok(berth_allocate(instance, &options, &second, &error), error);
            assert_true(same(first, second));
            berth_report_free(report);
            berth_allocation_free(first);
            berth_allocation_free(second);
        }
        berth_goodput_instance_free(instance);
    }
    berth_backends_free(backends);
}

/* ---- rules of theirs ---- */

/* A job with bare options on one type: value of k GPUs on one node. */
static void set_job(berth_goodput_job *job, berth_goodput_option *options, size_t n, const double *values) {
    berth_goodput_job_init(job);
    for (size_t k = 0; k < n; k++) {
        options[k] = (berth_goodput_option){.nodes = 1, .gpus = (uint32_t)k + 1, .value = values[k]};
    }
    job->options = options;
    job->n_options = n;
    job->age_s = 1000;
}

/* One node of 4 GPUs and two jobs; GPUs that they get. */
static void run_two(berth_allocator allocator, const berth_goodput_job *jobs, uint32_t got[2]) {
    static const uint32_t gpus[] = {4};
    berth_error error;
    berth_goodput_instance instance;
    berth_allocate_options options;
    berth_allocation *allocation = NULL;
    berth_backends *backends = all_backends();
    berth_goodput_instance_init(&instance);
    instance.n_nodes = 1;
    instance.gpus = gpus;
    instance.n_jobs = 2;
    instance.jobs = jobs;
    berth_allocate_options_init(&options);
    options.allocator = allocator;
    options.backends = backends;
    assert_ok(berth_allocate(&instance, &options, &allocation, &error), error);
    got[0] = allocation->jobs[0].replicas;
    got[1] = allocation->jobs[1].replicas;
    berth_allocation_free(allocation);
    berth_backends_free(backends);
}

static void tiresias_serves_queues_in_order(void **state) {
    (void)state;
    static const double values[] = {1, 2, 3, 4};
    berth_goodput_job jobs[2];
    berth_goodput_option options[2][4];
    uint32_t got[2];
    for (int k = 0; k < 2; k++) {
        set_job(&jobs[k], options[k], 4, values);
        jobs[k].requested = 3;
    }
    jobs[1].age_s = 2000; /* came first */
    run_two(BERTH_ALLOCATOR_TIRESIAS, jobs, got);
    assert_int_equal(got[0], 0);
    assert_int_equal(got[1], 3);
    jobs[1].attained_gpu_s = 16 * 3600; /* but has had its share */
    run_two(BERTH_ALLOCATOR_TIRESIAS, jobs, got);
    assert_int_equal(got[0], 3);
    assert_int_equal(got[1], 0);
    jobs[1].requested = 1; /* what fits is not held up by what does not */
    run_two(BERTH_ALLOCATOR_TIRESIAS, jobs, got);
    assert_int_equal(got[0], 3);
    assert_int_equal(got[1], 1);
}

/* Remaining times 120, 60, 40, 30 and 10, 5, 10/3, 2.5: the first job gains more from every GPU. */
static void optimus_gives_to_the_largest_gain(void **state) {
    (void)state;
    static const double values[] = {1, 2, 3, 4};
    berth_goodput_job jobs[2];
    berth_goodput_option options[2][4];
    uint32_t got[2];
    for (int k = 0; k < 2; k++) {
        set_job(&jobs[k], options[k], 4, values);
    }
    jobs[0].remaining_samples = 120;
    jobs[1].remaining_samples = 10;
    run_two(BERTH_ALLOCATOR_OPTIMUS, jobs, got);
    assert_int_equal(got[0], 3);
    assert_int_equal(got[1], 1);
    jobs[1].remaining_samples = 120;
    run_two(BERTH_ALLOCATOR_OPTIMUS, jobs, got);
    assert_int_equal(got[0], 2);
    assert_int_equal(got[1], 2);
}

/* The largest sum of values on what they ask for. */
static void gavel_maximises_the_sum(void **state) {
    (void)state;
    static const double weak[] = {1, 1.5, 2, 2}, strong[] = {2, 4, 6, 8};
    berth_goodput_job jobs[2];
    berth_goodput_option options[2][4];
    uint32_t got[2];
    set_job(&jobs[0], options[0], 4, weak);
    set_job(&jobs[1], options[1], 4, strong);
    jobs[0].requested = jobs[1].requested = 3;
    run_two(BERTH_ALLOCATOR_GAVEL_MAXSUM, jobs, got);
    assert_int_equal(got[0], 0);
    assert_int_equal(got[1], 3);
}

/* ---- order of fronts ---- */

/* Fronts by definition: those that nothing left dominates, again and again. */
static void fronts_are_as_defined(void **state) {
    (void)state;
    enum { MOST = 40 };
    const uint64_t key[] = {7};
    berth__pcg stream = berth__pcg_key(1, key);
    for (int round = 0; round < 300; round++) {
        berth__pareto_point points[MOST];
        const size_t n = (size_t)berth__pcg_integer(&stream, 1, MOST);
        for (size_t k = 0; k < n; k++) {
            points[k] = (berth__pareto_point){.index = k};
            for (int o = 0; o < 2; o++) {
                points[k].objective[o] = (double)berth__pcg_integer(&stream, 0, 12);
            }
        }
        berth__pareto_sort(points, n);
        bool gone[MOST] = {false};
        size_t left = n;
        for (size_t front = 0; left > 0; front++) {
            bool now[MOST] = {false};
            for (size_t k = 0; k < n; k++) {
                now[k] = !gone[k];
                for (size_t l = 0; l < n && now[k]; l++) {
                    now[k] = gone[l] || !berth__pareto_dominates(&points[l], &points[k]);
                }
            }
            for (size_t k = 0; k < n; k++) {
                assert_true(now[k] == (points[k].front == front));
                gone[k] |= now[k];
                left -= now[k];
            }
        }
        for (size_t k = 1; k < n; k++) {
            assert_true(points[k - 1].front < points[k].front ||
                        (points[k - 1].front == points[k].front && points[k - 1].crowding >= points[k].crowding));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(genetic_finds_the_best_of_tiny_clusters),
        cmocka_unit_test(nobody_is_above_the_best),
        cmocka_unit_test(every_allocation_is_sound),
        cmocka_unit_test(tiresias_serves_queues_in_order),
        cmocka_unit_test(optimus_gives_to_the_largest_gain),
        cmocka_unit_test(gavel_maximises_the_sum),
        cmocka_unit_test(fronts_are_as_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
