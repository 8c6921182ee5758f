/* berth_allocate: what it refuses, extremes, limits, and the LP backends as twins of sweep and simplex. */
#include <string.h>

#include <berth_goodput.h>

#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/goodput_case.h"

/* Two nodes of four GPUs, two jobs. */
typedef struct small {
    berth_goodput_instance instance;
    uint32_t gpus[2];
    size_t type[2];
    berth_goodput_job jobs[2];
    berth_goodput_profile profile, typed[2];
    berth_goodput_option options[2];
    berth_node_gpus current[2];
    berth_allocate_options how;
} small;

static small s;

static int reset(void **state) {
    (void)state;
    memset(&s, 0, sizeof s);
    berth_goodput_instance_init(&s.instance);
    berth_allocate_options_init(&s.how);
    s.gpus[0] = s.gpus[1] = 4;
    s.instance.n_nodes = s.instance.n_jobs = 2;
    s.instance.gpus = s.gpus;
    s.instance.gpu_type = s.type;
    s.instance.jobs = s.jobs;
    berth_goodput_profile_init(&s.profile);
    s.profile.alpha_c = 0.1;
    s.profile.beta_c = 0.01;
    s.profile.alpha_n = s.profile.alpha_r = 0.1;
    s.profile.m0 = s.profile.max_local = 64;
    s.profile.max_batch = 1024;
    s.profile.grad_sqr = s.profile.grad_var = 1;
    s.typed[0] = s.typed[1] = s.profile;
    s.options[0] = (berth_goodput_option){0, 1, 1, 1};
    s.options[1] = (berth_goodput_option){0, 1, 2, 1.5};
    s.current[0] = (berth_node_gpus){0, 2};
    s.current[1] = (berth_node_gpus){1, 4};
    for (int j = 0; j < 2; j++) {
        berth_goodput_job_init(&s.jobs[j]);
        s.jobs[j].age_s = 1000;
        s.jobs[j].profile = &s.profile;
        s.jobs[j].current = s.current;
    }
    return 0;
}

static void refuse_as(berth_status expected, const char *where) {
    berth_allocation *a = NULL;
    berth_error error;
    const berth_status status = berth_allocate(&s.instance, &s.how, &a, &error);
    if (status != expected || strcmp(error.where, where) != 0)
        fail_msg("%s at %s (%s); expected %s at %s", berth_status_name(status), error.where, error.message,
                 berth_status_name(expected), where);
    assert_null(a);
    assert_true(strlen(error.message) > 0);
}

static void refuse(const char *where) {
    refuse_as(BERTH_E_ARGUMENT, where);
}

static berth_allocation *accept(void) {
    berth_allocation *a = NULL;
    berth_error error;
    assert_ok(berth_allocate(&s.instance, &s.how, &a, &error), error);
    goodput_expect_sound(&s.instance, a);
    return a;
}

#define REFUSE(change, where)                                                                                          \
    do {                                                                                                               \
        reset(NULL);                                                                                                   \
        change;                                                                                                        \
        refuse(where);                                                                                                 \
    } while (0)

static void test_bad_numbers(void **state) {
    (void)state;
    const double nan = (double)NAN, infinity = (double)INFINITY;
    REFUSE(s.instance.struct_size = 0, "instance");
    REFUSE(s.instance.n_types = 0, "/n_types");
    REFUSE(s.instance.n_types = SIZE_MAX, "/n_types");
    REFUSE(s.instance.p = nan, "/p");
    REFUSE(s.instance.p = -65, "/p");
    REFUSE(s.instance.restart_s = -1, "/restart_s");
    REFUSE(s.instance.fair = 7, "/fair");
    REFUSE(s.instance.rules = -1, "/rules");
    REFUSE((s.instance.rules = BERTH_RULES_SIA, s.instance.p = 1), "/p");
    REFUSE((s.instance.rules = BERTH_RULES_SIA, s.instance.lambda_none = 0), "/lambda_none");
    REFUSE(s.instance.gpus = NULL, "/nodes");
    REFUSE(s.gpus[1] = UINT32_MAX, "/nodes/1/gpus");
    REFUSE(s.type[1] = 1, "/nodes/1/gpu_type");
    REFUSE(s.instance.jobs = NULL, "/jobs");
    REFUSE(s.jobs[1].struct_size = 1, "/jobs/1");
    REFUSE(s.jobs[1].age_s = nan, "/jobs/1/age_s");
    REFUSE(s.jobs[1].age_s = infinity, "/jobs/1/age_s");
    REFUSE(s.jobs[1].max_replicas = UINT32_MAX, "/jobs/1/max_replicas");
    REFUSE((s.jobs[1].max_replicas = 2, s.jobs[1].min_replicas = 3), "/jobs/1/min_replicas");
    REFUSE(s.profile.beta_c = nan, "/jobs/0/profile/beta_c");
    REFUSE(s.profile.m0 = 0, "/jobs/0/profile/m0");
    REFUSE(s.jobs[0].profile = NULL, "/jobs/0/profile");
    REFUSE(s.jobs[0].typed = s.typed, "/jobs/0/profile");
    REFUSE((s.jobs[0].profile = NULL, s.jobs[0].typed = s.typed, s.typed[0].gamma = 11), "/jobs/0/typed/0/gamma");
    REFUSE((s.jobs[0].profile = NULL, s.jobs[0].typed = s.typed, s.typed[0].alpha_c = s.typed[0].beta_c = 0),
           "/jobs/0/typed");
}

#define BARE s.jobs[0].profile = NULL, s.jobs[0].options = s.options, s.jobs[0].n_options = 2

static void test_bad_tables_and_holdings(void **state) {
    (void)state;
    REFUSE((BARE, s.jobs[0].options = NULL), "/jobs/0/options");
    REFUSE((BARE, s.options[1].gpu_type = 1), "/jobs/0/options/1/gpu_type");
    REFUSE((BARE, s.options[1].nodes = 0), "/jobs/0/options/1/nodes");
    REFUSE((BARE, s.options[1].nodes = 17), "/jobs/0/options/1/nodes");
    REFUSE((BARE, s.options[1].nodes = 3), "/jobs/0/options/1/gpus");
    REFUSE((BARE, s.options[1].value = (double)NAN), "/jobs/0/options/1/value");
    REFUSE((BARE, s.options[1].value = 0), "/jobs/0/options/1/value");
    REFUSE((BARE, s.options[1].gpus = 1), "/jobs/0/options");
    REFUSE((s.jobs[1].n_current = 2, s.current[1].node = 2), "/jobs/1/current/1/node");
    REFUSE((s.jobs[1].n_current = 2, s.current[1].node = 0), "/jobs/1/current/1/node"); /* twice */
    REFUSE((s.jobs[1].n_current = 2, s.current[1].gpus = 5), "/jobs/1/current/1/gpus"); /* more than the node has */
    REFUSE((s.jobs[1].n_current = 2, s.current[1].gpus = 0), "/jobs/1/current/1/gpus");
    REFUSE((s.jobs[1].n_current = 1, s.jobs[1].current = NULL), "/jobs/1/current");
    REFUSE((s.instance.n_types = 2, s.type[1] = 1, s.jobs[1].n_current = 2), "/jobs/1/current/1/node");
}

static void test_bad_options(void **state) {
    (void)state;
    REFUSE(s.how.struct_size = 0, "options");
    REFUSE(s.how.time_limit_s = (double)NAN, "time_limit_s");
    REFUSE(s.how.mode = (berth_batch_mode)9, "mode");
    REFUSE(s.how.allocator = (berth_allocator)99, "allocator");
    reset(NULL);
    s.how.solver = "nobody";
    refuse_as(BERTH_E_BACKEND, "solver");
    reset(NULL);
    BARE;
    s.instance.p = -64;
    s.options[1].value = 1e12;
    refuse_as(BERTH_E_UNSUPPORTED, "/p");
}

static void test_nothing(void **state) {
    (void)state;
    s.instance.n_jobs = 0;
    berth_allocation *a = accept();
    assert_int_equal(a->outcome, BERTH_OPTIMAL);
    assert_true(isnan(a->fitness));
    berth_allocation_free(a);
    reset(NULL);
    s.gpus[0] = s.gpus[1] = 0;
    a = accept();
    assert_int_equal(a->outcome, BERTH_OPTIMAL);
    assert_int_equal(a->starved, 2);
    assert_int_equal(a->starved_bound, 2);
    berth_allocation_free(a);
    reset(NULL);
    s.instance.n_nodes = 0;
    a = accept();
    assert_int_equal(a->starved, 2);
    berth_allocation_free(a);
}

static void test_pinned(void **state) {
    (void)state;
    s.jobs[0].pinned = s.jobs[1].pinned = true; /* job 1 has nothing, so it is free */
    s.jobs[0].n_current = 2;
    berth_allocation *a = accept();
    assert_true(a->jobs[0].kept);
    assert_int_equal(a->jobs[0].replicas, 6);
    assert_int_equal(a->jobs[1].replicas, 2);
    berth_allocation_free(a);
    s.jobs[1].n_current = 2; /* the same GPUs */
    a = accept();
    assert_int_equal(a->outcome, BERTH_INFEASIBLE);
    berth_allocation_free(a);
}

static void test_huge(void **state) {
    (void)state;
    enum { NODES = 100000 };
    static uint32_t gpus[NODES];
    for (size_t n = 0; n < NODES; n++) {
        gpus[n] = n % 3 == 0 ? 64 : 1;
    }
    s.instance.n_nodes = NODES;
    s.instance.gpus = gpus;
    s.instance.gpu_type = NULL;
    s.jobs[0].max_replicas = 4096;
    s.profile.max_batch = 2e6;
    berth_allocation *a = accept();
    assert_int_equal(a->outcome, BERTH_OPTIMAL);
    berth_allocation_free(a);
}

static bool cancel(void *user) {
    int *left = user;
    return --*left < 0;
}

/* Whenever it is stopped, what there is is sound. */
static void test_stopped(void **state) {
    (void)state;
    berth__pcg stream = berth__pcg_seed(5, 1);
    for (int k = 0; k < 100; k++) {
        goodput_case c;
        berth_allocation *a = NULL;
        berth_error error;
        int left = k % 10;
        goodput_case_draw(&c, &stream);
        s.how.hooks.user = &left;
        s.how.hooks.cancel = k % 2 == 0 ? cancel : NULL;
        s.how.time_limit_s = k % 2 == 0 ? (double)INFINITY : 0;
        assert_ok(berth_allocate(&c.instance, &s.how, &a, &error), error);
        goodput_expect_sound(&c.instance, a);
        if (a->stopped)
            assert_int_equal(a->outcome, BERTH_LIMIT);
        berth_report *report = NULL;
        assert_ok(berth_check_allocation(&c.instance, a, NULL, &report, &error), error);
        assert_int_equal(report->n_violations, 0);
        berth_report_free(report);
        berth_allocation_free(a);
    }
}

/* With prices of types by the backends: what either bounds, the other does not find. */
static void test_backends(void **state) {
    (void)state;
    berth_backends *set = all_backends();
    berth__pcg stream = berth__pcg_seed(7, 1);
    for (int k = 0; k < 60; k++) {
        goodput_case c;
        goodput_case_draw(&c, &stream);
        s.how.starve_last = k % 3 != 0;
        s.how.solver = "auto";
        berth_allocation *ours = NULL, *theirs = NULL;
        berth_error error;
        assert_ok(berth_allocate(&c.instance, &s.how, &ours, &error), error);
        s.how.backends = set;
        for (size_t b = 0; b < berth_backends_count(set); b++) {
            if (!berth_backends_exact(set, b))
                continue;
            s.how.solver = berth_backends_name(set, b);
            assert_ok(berth_allocate(&c.instance, &s.how, &theirs, &error), error);
            goodput_expect_sound(&c.instance, theirs);
            assert_int_equal(ours->outcome == BERTH_INFEASIBLE, theirs->outcome == BERTH_INFEASIBLE);
            if (ours->outcome != BERTH_INFEASIBLE && ours->starved == theirs->starved) {
                assert_true(ours->bound >= theirs->fitness * (1 - 1e-9)); /* test_allocate_nodes.c compares bounds */
                assert_true(theirs->bound >= ours->fitness * (1 - 1e-9));
            }
            berth_allocation_free(theirs);
        }
        berth_allocation_free(ours);
    }
    berth_backends_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_bad_numbers, reset), cmocka_unit_test_setup(test_bad_tables_and_holdings, reset),
        cmocka_unit_test_setup(test_bad_options, reset), cmocka_unit_test_setup(test_nothing, reset),
        cmocka_unit_test_setup(test_pinned, reset),      cmocka_unit_test_setup(test_huge, reset),
        cmocka_unit_test_setup(test_stopped, reset),     cmocka_unit_test_setup(test_backends, reset)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
