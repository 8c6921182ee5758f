#include "formulations/placement.h"

#include "tests/support/check.h"

#include <float.h>
#include <limits.h>
#include <string.h>

static berth_error error;

static const char *const resources[] = {"gpu", "cpu", "fp/ga~"};
static const char *const machines[] = {"a-0", "b-0", "a-1", "b-1"};
/* gpu 10, cpu 40, nothing of the third */
static const double capacity[] = {4, 10, 0, 1, 10, 0, 4, 10, 0, 1, 10, 0};

static berth_cluster cluster_spec(void) {
    berth_cluster spec;
    berth_cluster_init(&spec);
    spec.slot_seconds = 100;
    spec.horizon_slots = 10;
    spec.n_resources = 3;
    spec.resources = resources;
    spec.n_machines = 4;
    spec.machines = machines;
    spec.capacity = capacity;
    return spec;
}

static const double worker[] = {1, 2, 0}, ps[] = {0, 4, 0};

/* 10000 samples; a sample takes 0.5 + 2 * 2 * 100 / (20 * 200) = 0.6 s inside a machine, 0.7 s outside. */
static berth_job job_spec(void) {
    berth_job job;
    berth_job_init(&job);
    job.id = "j";
    job.epochs = 10;
    job.samples = 1000;
    job.batch = 20.5;
    job.sample_seconds = 0.5;
    job.gradient_mb = 100;
    job.workers_per_ps = 2.05;
    job.bandwidth_internal_mb_s = 200;
    job.bandwidth_external_mb_s = 100;
    job.worker = worker;
    job.ps = ps;
    job.utility = (berth_utility){.kind = BERTH_UTILITY_CONSTANT, .value = 1};
    return job;
}

/* ---- cluster ---- */

static void capacities_are_shares(void **state) {
    (void)state;
    berth_cluster spec = cluster_spec();
    const double amount[] = {5, (double)INFINITY, 3};
    const berth_quota quota = {"t", amount};
    spec.n_quotas = 1;
    spec.quotas = &quota;
    berth__cluster *c = NULL;
    assert_ok(berth__cluster_new(&spec, &c, &error), error);
    assert_close(c->total[0], 10.0, 0.0);
    assert_close(c->total[1], 40.0, 0.0);
    assert_close(c->capacity[0], 0.4, 0.0);
    assert_close(c->capacity[3 + 1], 0.25, 0.0);
    assert_close(c->capacity[2], 0.0, 0.0);
    assert_close(c->quota[0], 0.5, 0.0);
    assert_true(isinf(c->quota[1]) && isinf(c->quota[2]));
    assert_string_equal(c->machines[2], "a-1");
    assert_true(c->machines[2] != machines[2]);
    assert_string_equal(c->resources[2], "fp/ga~");
    const int classes[] = {0, 1, 0, 1};
    assert_int_equal(c->n_classes, 2);
    assert_memory_equal(c->class_of, classes, sizeof classes);
    berth__cluster_free(c);
    berth__cluster_free(NULL);
}

static void classes_of_many_machines(void **state) {
    (void)state;
    enum { H = 3000 };
    static char names[H][8];
    static const char *pointers[H];
    static double caps[H][3];
    for (int h = 0; h < H; h++) {
        snprintf(names[h], sizeof names[h], "m%d", h);
        pointers[h] = names[h];
        caps[h][0] = 1 + (h * 7) % 11;
        caps[h][1] = 1 + (h * 7) % 13 % 2;
    }
    berth_cluster spec = cluster_spec();
    spec.n_machines = H;
    spec.machines = pointers;
    spec.capacity = caps[0];
    berth__cluster *c = NULL;
    assert_ok(berth__cluster_new(&spec, &c, &error), error);
    assert_int_equal(c->n_classes, 22);
    int seen = 0;
    for (int h = 0; h < H; h++) {
        assert_true(c->class_of[h] <= seen); /* numbered by first appearance */
        seen += c->class_of[h] == seen;
        for (int other = h + 1; other < h + 30 && other < H; other++) {
            bool equal = caps[h][0] == caps[other][0] && caps[h][1] == caps[other][1];
            assert_int_equal(equal, c->class_of[h] == c->class_of[other]);
        }
    }
    berth__cluster_free(c);
}

static void refuses_cluster(const berth_cluster *spec, berth_status status, const char *where) {
    berth__cluster *c = (berth__cluster *)&error;
    assert_int_equal(berth__cluster_new(spec, &c, &error), status);
    assert_null(c);
    assert_int_equal(error.status, status);
    assert_string_equal(error.where, where);
    assert_true(error.message[0] != '\0');
    assert_int_equal(berth__cluster_new(spec, &c, NULL), status);
}

static void bad_cluster_sizes_are_located(void **state) {
    (void)state;
    const double bad_seconds[] = {0, -1, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < 4; i++) {
        berth_cluster spec = cluster_spec();
        spec.slot_seconds = bad_seconds[i];
        refuses_cluster(&spec, BERTH_E_INPUT, "/slot_seconds");
    }
    berth_cluster spec = cluster_spec();
    spec.horizon_slots = 0;
    refuses_cluster(&spec, BERTH_E_INPUT, "/horizon_slots");
    assert_string_equal(error.message, "horizon_slots is 0; expected a number >= 1");
    spec = cluster_spec();
    spec.n_resources = 0;
    refuses_cluster(&spec, BERTH_E_INPUT, "/resources");
    spec = cluster_spec();
    spec.n_machines = 0;
    refuses_cluster(&spec, BERTH_E_INPUT, "/machines");
    spec = cluster_spec();
    spec.n_machines = SIZE_MAX / 2;
    refuses_cluster(&spec, BERTH_E_INPUT, "/machines");
    spec = cluster_spec();
    spec.struct_size = 0;
    refuses_cluster(&spec, BERTH_E_ARGUMENT, "cluster");
    refuses_cluster(NULL, BERTH_E_ARGUMENT, "cluster");
}

static void bad_cluster_names_are_located(void **state) {
    (void)state;
    berth_cluster spec = cluster_spec();
    const char *const empty[] = {"gpu", "", "x"}, *const twice[] = {"gpu", "cpu", "gpu"};
    spec.resources = empty;
    refuses_cluster(&spec, BERTH_E_INPUT, "/resources/1");
    spec.resources = twice;
    refuses_cluster(&spec, BERTH_E_INPUT, "/resources/2");
    spec = cluster_spec();
    const char *const missing[] = {"a", "b", "c", NULL}, *const pairs[] = {"b", "a", "a", "b"};
    spec.machines = missing;
    refuses_cluster(&spec, BERTH_E_INPUT, "/machines/3/name");
    spec.machines = pairs;
    refuses_cluster(&spec, BERTH_E_INPUT, "/machines/2/name");
    assert_non_null(strstr(error.message, "\"a\" again"));
}

static void bad_capacities_are_located(void **state) {
    (void)state;
    const double bad[] = {-1, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < 3; i++) {
        berth_cluster spec = cluster_spec();
        double changed[12];
        memcpy(changed, capacity, sizeof changed);
        spec.capacity = changed;
        changed[3 * 3] = bad[i];
        refuses_cluster(&spec, BERTH_E_INPUT, "/machines/3/capacity/gpu");
        changed[3 * 3] = 1;
        changed[3 + 2] = bad[i];
        refuses_cluster(&spec, BERTH_E_INPUT, "/machines/1/capacity/fp~1ga~0");
    }
    berth_cluster spec = cluster_spec();
    double huge[12];
    for (size_t i = 0; i < 12; i++) {
        huge[i] = 1e308;
    }
    spec.capacity = huge;
    refuses_cluster(&spec, BERTH_E_INPUT, "/machines/0/capacity/gpu");
    huge[0] = 1e-320;
    refuses_cluster(&spec, BERTH_E_INPUT, "/machines/0/capacity/gpu");
}

static void bad_quotas_are_located(void **state) {
    (void)state;
    berth_cluster spec = cluster_spec();
    const double fine[] = {1, 1, 1}, bad[] = {1, -2, 1}, none[] = {1, (double)NAN, 1};
    const berth_quota negative = {"a/b", bad}, nan = {"t", none}, nameless = {NULL, fine};
    const berth_quota twice[] = {{"t", fine}, {"t", fine}};
    spec.n_quotas = 1;
    spec.quotas = &nameless;
    refuses_cluster(&spec, BERTH_E_INPUT, "/quotas");
    spec.quotas = &nan;
    refuses_cluster(&spec, BERTH_E_INPUT, "/quotas/t/cpu");
    spec.quotas = &negative;
    refuses_cluster(&spec, BERTH_E_INPUT, "/quotas/a~1b/cpu");
    spec.n_quotas = 2;
    spec.quotas = twice;
    refuses_cluster(&spec, BERTH_E_INPUT, "/quotas");
}

/* ---- job: derived quantities ---- */

static berth__cluster *small_cluster(const berth_quota *quota) {
    berth_cluster spec = cluster_spec();
    spec.n_quotas = quota == NULL ? 0 : 1;
    spec.quotas = quota;
    berth__cluster *c = NULL;
    assert_ok(berth__cluster_new(&spec, &c, &error), error);
    return c;
}

static berth__job *make_job(const berth__cluster *c, const berth_job *spec) {
    berth__job *job = NULL;
    assert_ok(berth__job_new(c, spec, &job, &error), error);
    return job;
}

static void refuses_job(const berth_job *spec, const char *where) {
    berth__cluster *c = small_cluster(NULL);
    berth__job *job = (berth__job *)&error;
    assert_int_equal(berth__job_new(c, spec, &job, &error), BERTH_E_INPUT);
    assert_null(job);
    assert_string_equal(error.where, where);
    assert_true(error.message[0] != '\0');
    berth__cluster_free(c);
}

static void job_is_derived(void **state) {
    (void)state;
    const double amount[] = {1, 1, 1};
    const berth_quota quota = {"t", amount};
    berth__cluster *c = small_cluster(&quota);
    berth_job spec = job_spec();
    spec.tenant = "t";
    spec.arrival_slot = 9;
    berth__job *job = make_job(c, &spec);
    assert_close(job->work, 1e4, 0.0);
    assert_int_equal(job->arrival, 9);
    assert_int_equal(job->max_workers, 20); /* floor(20.5) */
    assert_close(job->slot_samples[BERTH_INTERNAL], 100 / 0.6, 1e-12);
    assert_close(job->slot_samples[BERTH_EXTERNAL], 100 / 0.7, 1e-12);
    assert_close(job->worker_slots, 70.0, 1e-12);
    assert_int_equal(job->fastest_slots, 3); /* 60 worker-slots by 20 */
    assert_close(job->worker[0], 0.1, 1e-15);
    assert_close(job->ps[1], 0.1, 1e-15);
    assert_close(job->worker[2], 0.0, 0.0);
    assert_int_equal(job->quota, 0);
    assert_null(job->eligible);
    berth__job_free(job);
    spec.tenant = "other";
    job = make_job(c, &spec);
    assert_int_equal(job->quota, -1);
    berth__job_free(job);
    berth__job_free(NULL);
    berth__cluster_free(c);
}

static void all_reduce_needs_no_servers(void **state) {
    (void)state;
    berth__cluster *c = small_cluster(NULL);
    berth_job spec = job_spec();
    spec.all_reduce = true;
    spec.ps = NULL;
    spec.workers_per_ps = (double)NAN;
    berth__job *job = make_job(c, &spec);
    assert_true(isinf(job->workers_per_ps));
    assert_int_equal(berth__ps_needed(job, 1000), 0);
    assert_close(job->ps[1], 0.0, 0.0);
    /* 0.5 + 2 * 100 / (20.5 * 200) */
    assert_close(job->slot_samples[BERTH_INTERNAL], 100 / (0.5 + 200 / 4100.0), 1e-12);
    berth__job_free(job);
    berth__cluster_free(c);
}

static void demand_of_nothing_is_infinite(void **state) {
    (void)state;
    berth__cluster *c = small_cluster(NULL);
    berth_job spec = job_spec();
    const double exotic[] = {1, 0, 2}, tiny[] = {1e-100, 0, 0};
    spec.worker = exotic;
    berth__job *job = make_job(c, &spec);
    assert_true(isinf(job->worker[2]));
    assert_close(job->worker[1], 0.0, 0.0);
    berth__job_free(job);
    spec.worker = tiny;
    job = make_job(c, &spec);
    assert_true(job->worker[0] > 0);
    berth__job_free(job);
    berth__cluster_free(c);
}

static void extreme_widths_stay_in_range(void **state) {
    (void)state;
    berth__cluster *c = small_cluster(NULL);
    berth_job spec = job_spec();
    spec.batch = 1e15;
    spec.workers_per_ps = 10;
    berth__job *job = make_job(c, &spec);
    assert_int_equal(job->max_workers, INT_MAX);
    assert_int_equal(job->fastest_slots, 1);
    berth__job_free(job);
    spec.workers_per_ps = 0.001; /* two million million servers: refused, not cut */
    refuses_job(&spec, "/workers_per_ps");
    spec.max_workers = 1000000;
    job = make_job(c, &spec);
    assert_int_equal(berth__ps_needed(job, job->max_workers), 999999999); /* within 1e-9 */
    berth__job_free(job);
    spec = job_spec();
    spec.max_workers = 1;
    spec.epochs = 1e30;
    job = make_job(c, &spec);
    assert_int_equal(job->fastest_slots, INT_MAX);
    berth__job_free(job);
    berth__cluster_free(c);
}

static void exact_multiples_need_no_extra_slot(void **state) {
    (void)state;
    berth__cluster *c = small_cluster(NULL);
    berth_job spec = job_spec();
    spec.gradient_mb = 0;
    spec.sample_seconds = 0.1; /* 1000 samples a worker-slot, up to rounding */
    for (int n = 1; n <= 50; n++) {
        spec.max_workers = n;
        spec.epochs = 3;
        spec.samples = 1000.0 * n;
        berth__job *job = make_job(c, &spec);
        assert_int_equal(job->fastest_slots, 3);
        berth__job_free(job);
    }
    berth__cluster_free(c);
}

static void servers_cover_workers(void **state) {
    (void)state;
    berth__job job = {.workers_per_ps = 1};
    const double gammas[] = {0.1, 0.3, 0.7, 1, 1.1, 2, 2.5, 3, 7, 10};
    for (size_t i = 0; i < sizeof gammas / sizeof gammas[0]; i++) {
        job.workers_per_ps = gammas[i];
        assert_int_equal(berth__ps_needed(&job, 0), 0);
        for (int w = 1; w <= 500; w++) {
            int s = berth__ps_needed(&job, w);
            assert_true(gammas[i] * s >= w * (1 - 1e-9));
            assert_true(gammas[i] * (s - 1) < w * (1 - 1e-10));
        }
    }
    job.workers_per_ps = 1.1;
    assert_int_equal(berth__ps_needed(&job, 11), 10);
    job.workers_per_ps = 1e-9;
    assert_int_equal(berth__ps_needed(&job, 1000), INT_MAX);
}

static void globs_decide_eligibility(void **state) {
    (void)state;
    berth__cluster *c = small_cluster(NULL);
    berth_job spec = job_spec();
    const char *const allow[] = {"a-*", "b-1"}, *const avoid[] = {"*-0"};
    spec.n_allow = 2;
    spec.allow = allow;
    berth__job *job = make_job(c, &spec);
    assert_true(job->eligible[0] && !job->eligible[1] && job->eligible[2] && job->eligible[3]);
    berth__job_free(job);
    spec.n_avoid = 1;
    spec.avoid = avoid;
    job = make_job(c, &spec);
    assert_true(!job->eligible[0] && !job->eligible[1] && job->eligible[2] && job->eligible[3]);
    berth__job_free(job);
    spec.n_allow = 0;
    job = make_job(c, &spec);
    assert_true(!job->eligible[0] && !job->eligible[1] && job->eligible[2] && job->eligible[3]);
    berth__job_free(job);
    berth__cluster_free(c);
}

static void globs_match_whole_names(void **state) {
    (void)state;
    static const struct {
        const char *glob, *name;
        bool matches;
    } cases[] = {
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"a", "a", true},
        {"a", "ab", false},
        {"ab", "a", false},
        {"?", "", false},
        {"?b", "ab", true},
        {"a*b*c", "axxbyc", true},
        {"a*b*c", "axxbyd", false},
        {"*ab", "aab", true},
        {"**", "x", true},
        {"[abc]x", "bx", true},
        {"[abc]x", "dx", false},
        {"[!abc]x", "dx", true},
        {"[!abc]x", "ax", false},
        {"n[0-9]", "n7", true},
        {"n[0-9]", "nx", false},
        {"[a-]", "-", true},
        {"[]]", "]", true},
        {"[!]]", "]", false},
        {"[", "[", true},
        {"[a", "[a", true},
        {"x[", "x[", true},
        {"[!", "[!", true},
        {"*[0-9]", "gpu-12", true},
        {"a*", "b", false},
        {"*a*a*a*b", "aaaaaaaaaaaaa", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (berth__glob_any(1, &cases[i].glob, cases[i].name) != cases[i].matches) {
            fail_msg("glob \"%s\" on \"%s\"", cases[i].glob, cases[i].name);
        }
    }
    assert_false(berth__glob_any(0, NULL, "a"));
}

/* ---- job: validation ---- */

static void bad_numbers_are_located(void **state) {
    (void)state;
    static const struct {
        const char *where;
        size_t offset;
        bool zero_is_bad;
    } fields[] = {
        {"/epochs", offsetof(berth_job, epochs), true},
        {"/samples", offsetof(berth_job, samples), true},
        {"/batch", offsetof(berth_job, batch), true},
        {"/sample_seconds", offsetof(berth_job, sample_seconds), false},
        {"/gradient_mb", offsetof(berth_job, gradient_mb), false},
        {"/workers_per_ps", offsetof(berth_job, workers_per_ps), true},
        {"/bandwidth_internal_mb_s", offsetof(berth_job, bandwidth_internal_mb_s), true},
        {"/bandwidth_external_mb_s", offsetof(berth_job, bandwidth_external_mb_s), true},
    };
    const double bad[] = {-3, (double)NAN, (double)INFINITY, -(double)INFINITY, 0};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        for (size_t k = 0; k < (fields[i].zero_is_bad ? 5u : 4u); k++) {
            berth_job spec = job_spec();
            memcpy((char *)&spec + fields[i].offset, &bad[k], sizeof bad[k]);
            refuses_job(&spec, fields[i].where);
        }
    }
    berth_job spec = job_spec();
    spec.epochs = -3;
    refuses_job(&spec, "/epochs");
    assert_string_equal(error.message, "epochs is -3; expected a finite number > 0");
}

static void bad_combinations_are_located(void **state) {
    (void)state;
    berth_job spec = job_spec();
    spec.epochs = spec.samples = 1e200;
    refuses_job(&spec, "/samples");
    spec.epochs = spec.samples = 1e-200;
    refuses_job(&spec, "/samples");
    spec = job_spec();
    spec.sample_seconds = spec.gradient_mb = 0;
    refuses_job(&spec, "/sample_seconds");
    spec.sample_seconds = DBL_TRUE_MIN;
    refuses_job(&spec, "/sample_seconds");
    spec.sample_seconds = 1e307; /* no progress in 100 s that counts */
    spec.epochs = 1e300;
    refuses_job(&spec, "/sample_seconds");
    spec = job_spec();
    spec.max_workers = -1;
    refuses_job(&spec, "/max_workers");
    spec.max_workers = 0;
    spec.batch = 0.5;
    refuses_job(&spec, "/max_workers");
    spec = job_spec();
    spec.workers_per_ps = 1e-10;
    refuses_job(&spec, "/workers_per_ps");
    spec = job_spec();
    spec.arrival_slot = 10;
    refuses_job(&spec, "/arrival_slot");
    spec.arrival_slot = -1;
    refuses_job(&spec, "/arrival_slot");
}

static void bad_names_and_demands_are_located(void **state) {
    (void)state;
    berth_job spec = job_spec();
    spec.id = "";
    refuses_job(&spec, "/id");
    spec.id = NULL;
    refuses_job(&spec, "/id");
    spec = job_spec();
    spec.tenant = "";
    refuses_job(&spec, "/tenant");
    spec = job_spec();
    const char *const globs[] = {"a", ""};
    spec.n_allow = 2;
    spec.allow = globs;
    refuses_job(&spec, "/allow/1");
    spec.n_allow = 0;
    spec.n_avoid = 2;
    spec.avoid = globs;
    refuses_job(&spec, "/avoid/1");
    spec = job_spec();
    const double nothing[3] = {0}, negative[] = {-1, 0, 0}, odd[] = {1, 0, (double)NAN};
    spec.worker = nothing;
    refuses_job(&spec, "/worker");
    spec.worker = NULL;
    refuses_job(&spec, "/worker");
    spec.worker = negative;
    refuses_job(&spec, "/worker/gpu");
    spec.worker = odd;
    refuses_job(&spec, "/worker/fp~1ga~0");
    spec = job_spec();
    spec.ps = negative;
    refuses_job(&spec, "/ps/gpu");
    spec.ps = NULL;
    refuses_job(&spec, "/ps");
    spec.ps = ps;
    spec.all_reduce = true;
    refuses_job(&spec, "/ps");
}

static void bad_utilities_are_located(void **state) {
    (void)state;
    const berth_step late[] = {{1, 5}, {3, 4}, {3, 2}}, rising[] = {{1, 5}, {3, 6}}, negative[] = {{1, -1}};
    const struct {
        berth_utility utility;
        const char *where;
    } cases[] = {
        {{.kind = BERTH_UTILITY_SIGMOID, .theta = {-1, 0, 0}}, "/utility/theta/0"},
        {{.kind = BERTH_UTILITY_SIGMOID, .theta = {1, -1, 0}}, "/utility/theta/1"},
        {{.kind = BERTH_UTILITY_SIGMOID, .theta = {1, 1, (double)NAN}}, "/utility/theta/2"},
        {{.kind = BERTH_UTILITY_CONSTANT, .value = -1}, "/utility/value"},
        {{.kind = BERTH_UTILITY_LINEAR, .value = 1, .deadline_slots = 0}, "/utility/deadline_slots"},
        {{.kind = BERTH_UTILITY_LINEAR, .value = (double)INFINITY, .deadline_slots = 1}, "/utility/value"},
        {{.kind = BERTH_UTILITY_DEADLINE, .value = 1, .deadline_slots = -1}, "/utility/deadline_slots"},
        {{.kind = BERTH_UTILITY_STEPS}, "/utility/table"},
        {{.kind = BERTH_UTILITY_STEPS, .n_steps = 3, .steps = late}, "/utility/table/2/0"},
        {{.kind = BERTH_UTILITY_STEPS, .n_steps = 2, .steps = rising}, "/utility/table/1/1"},
        {{.kind = BERTH_UTILITY_STEPS, .n_steps = 1, .steps = negative}, "/utility/table/0/1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        berth_job spec = job_spec();
        spec.utility = cases[i].utility;
        refuses_job(&spec, cases[i].where);
    }
}

static void uninitialised_job_is_an_argument_error(void **state) {
    (void)state;
    berth_job spec = job_spec();
    spec.struct_size = 0;
    assert_int_equal(berth__job_validate(&spec, 3, resources, 10, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth__job_validate(NULL, 3, resources, 10, NULL), BERTH_E_ARGUMENT);
}

/* ---- utility ---- */

static void utilities_have_their_values(void **state) {
    (void)state;
    const berth_utility sigmoid = {.kind = BERTH_UTILITY_SIGMOID, .theta = {10, 2, 3}};
    assert_close(berth__utility_at(&sigmoid, 3), 5.0, 1e-15);
    assert_close(berth__utility_at(&sigmoid, 4), 10 / (1 + exp(2)), 1e-15);
    const berth_utility flat = {.kind = BERTH_UTILITY_SIGMOID, .theta = {10, 0, 1e308}};
    assert_close(berth__utility_at(&flat, 1e308), 5.0, 0.0);
    const berth_utility steep = {.kind = BERTH_UTILITY_SIGMOID, .theta = {10, 1e308, 5}};
    assert_close(berth__utility_at(&steep, 0), 10.0, 0.0);
    assert_close(berth__utility_at(&steep, 5), 5.0, 0.0);
    assert_close(berth__utility_at(&steep, 1e300), 0.0, 0.0);
    const berth_utility linear = {.kind = BERTH_UTILITY_LINEAR, .value = 8, .deadline_slots = 4};
    assert_close(berth__utility_at(&linear, 1), 6.0, 0.0);
    assert_close(berth__utility_at(&linear, 4), 0.0, 0.0);
    assert_close(berth__utility_at(&linear, 9), 0.0, 0.0);
    const berth_utility deadline = {.kind = BERTH_UTILITY_DEADLINE, .value = 8, .deadline_slots = 4};
    assert_close(berth__utility_at(&deadline, 4), 8.0, 0.0);
    assert_close(berth__utility_at(&deadline, 4.5), 0.0, 0.0);
    const berth_step table[] = {{0, 9}, {2, 7}, {5, 1}};
    const berth_utility steps = {.kind = BERTH_UTILITY_STEPS, .n_steps = 3, .steps = table};
    const double expected[] = {9, 7, 7, 1, 1, 1, 0};
    for (int d = 0; d < 7; d++) {
        assert_close(berth__utility_at(&steps, d), expected[d], 0.0);
    }
}

static void steps_are_copied(void **state) {
    (void)state;
    berth__cluster *c = small_cluster(NULL);
    berth_step table[] = {{1, 9}, {2, 7}};
    berth_job spec = job_spec();
    spec.utility = (berth_utility){.kind = BERTH_UTILITY_STEPS, .n_steps = 2, .steps = table};
    berth__job *job = make_job(c, &spec);
    table[0].value = 100;
    assert_close(berth__utility_at(&job->utility, 1), 9.0, 0.0);
    berth__job_free(job);
    berth__cluster_free(c);
}

static void utility_never_rises(void **state) {
    (void)state;
    const double slopes[] = {0, 1e-12, 1e-3, 0.1, 1, 5.5, 100, 1e6}, middles[] = {-5, 0, 1.7, 15, 1e5};
    for (size_t i = 0; i < sizeof slopes / sizeof slopes[0]; i++) {
        for (size_t k = 0; k < sizeof middles / sizeof middles[0]; k++) {
            berth_utility u = {.kind = BERTH_UTILITY_SIGMOID, .theta = {97.3, slopes[i], middles[k]}};
            double last = berth__utility_at(&u, 0);
            for (int d = 1; d < 4000; d++) {
                double now = berth__utility_at(&u, d * 0.25);
                assert_true(now <= last && now >= 0);
                last = now;
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacities_are_shares),
        cmocka_unit_test(classes_of_many_machines),
        cmocka_unit_test(bad_cluster_sizes_are_located),
        cmocka_unit_test(bad_cluster_names_are_located),
        cmocka_unit_test(bad_capacities_are_located),
        cmocka_unit_test(bad_quotas_are_located),
        cmocka_unit_test(job_is_derived),
        cmocka_unit_test(all_reduce_needs_no_servers),
        cmocka_unit_test(demand_of_nothing_is_infinite),
        cmocka_unit_test(extreme_widths_stay_in_range),
        cmocka_unit_test(exact_multiples_need_no_extra_slot),
        cmocka_unit_test(servers_cover_workers),
        cmocka_unit_test(globs_decide_eligibility),
        cmocka_unit_test(globs_match_whole_names),
        cmocka_unit_test(bad_numbers_are_located),
        cmocka_unit_test(bad_combinations_are_located),
        cmocka_unit_test(bad_names_and_demands_are_located),
        cmocka_unit_test(bad_utilities_are_located),
        cmocka_unit_test(uninitialised_job_is_an_argument_error),
        cmocka_unit_test(utilities_have_their_values),
        cmocka_unit_test(steps_are_copied),
        cmocka_unit_test(utility_never_rises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
