/* Allocations of clusters that the code of Pollux and Sia has decided on: at or above theirs, within 1 % of the optimum
 * (brute force for the tiny ones, integer programming for the others), bounds never below it. */
#include <berth_goodput.h>

#include "tests/support/check.h"
#include "tests/support/goodput_case.h"

/* F as their code and exact search give it. Theirs does not count jobs without GPUs. */
typedef struct known {
    const char *name;
    double p, theirs, optimum;
} known;

static const known cases[] = {
    {"tiny-a", -1, 0.3102022688829282, 0.3102022688829282},
    {"tiny-a", 1, 0.3303320106031737, 0.3303320106031737},
    {"tiny-b", -1, 0.20225977955177907, 0.20225977955177907},
    {"tiny-b", 1, 0.2235272064495748, 0.2235272064495748},
    {"tiny-c", -1, 0.2668717791350471, 0.2668717791350471},
    {"tiny-c", 1, 0.35360360895102255, 0.35360360895102255},
    {"synth-16x4-20", -1, 0.1572078517831822, 0.18332879282378997},
    {"synth-16x4-20", 1, 0.1928521413719765, 0.19712498049264887},
    {"synth-16x4-40", -1, 0.005593570189841682, 0.1842968697900929},
    {"synth-16x4-40", 1, 0.19400560799848474, 0.2012534554786063},
    {"replay-4560", -1, 0.16228469856626254, 0.16228469856626254},
    {"replay-13860", -1, 0.22710948602834388, 0.22710948602834388},
    {"replay-21360", -1, 0.2029219019314584, 0.2079873535117789},
    {"replay-22620", -1, 0.18684662404434318, 0.18800850973826888},
    {"replay-24660", -1, 0.21183122021528955, 0.21183122021528955},
};

static berth_goodput_instance *read_case(const char *name) {
    char path[128];
    berth_goodput_instance *instance = NULL;
    berth_error error;
    snprintf(path, sizeof path, "instances/goodput/%s.json", name);
    assert_ok(berth_goodput_instance_read(path, &instance, &error), error);
    return instance;
}

static berth_allocation *allocate(const berth_goodput_instance *instance, bool prove) {
    berth_allocate_options options;
    berth_allocation *a = NULL;
    berth_error error;
    berth_allocate_options_init(&options);
    options.starve_last = false;
    options.prove = prove;
    assert_ok(berth_allocate(instance, &options, &a, &error), error);
    goodput_expect_sound(instance, a);
    return a;
}

static void expect_known(const known *k) {
    const bool tiny = k->name[0] == 't';
    berth_goodput_instance *instance = read_case(k->name);
    instance->p = k->p;
    berth_allocation *a = allocate(instance, tiny);
    if (a->fitness < k->theirs * (1 - 1e-9) || a->fitness < k->optimum * (tiny ? 1 - 1e-9 : 0.99) ||
        a->fitness > k->optimum * (1 + 1e-9) || a->bound < k->optimum * (1 - 1e-9))
        fail_msg("%s, p = %g: F %.17g, bound %.17g; theirs %.17g, optimum %.17g", k->name, k->p, a->fitness, a->bound,
                 k->theirs, k->optimum);
    if (tiny)
        assert_int_equal(a->outcome, BERTH_OPTIMAL);
    berth_allocation_free(a);
    berth_goodput_instance_free(instance);
}

static void test_known(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        expect_known(&cases[k]);
    }
}

/* The sum of costs 22.11 of 40 jobs is the optimum of their integer programme, 22.08 that of its relaxation. */
static void test_sia(void **state) {
    (void)state;
    berth_goodput_instance *instance = read_case("sia-40");
    berth_allocation *a = allocate(instance, false);
    const double optimum = pow(22.11 / 40, 1 / instance->p), relaxed = pow(22.08 / 40, 1 / instance->p);
    assert_true(a->fitness >= 0.99 * optimum);
    assert_true(a->bound >= optimum * (1 - 1e-9));
    assert_close(a->bound, relaxed, 1e-9);
    berth_allocation_free(a);
    berth_goodput_instance_free(instance);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_sia)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
