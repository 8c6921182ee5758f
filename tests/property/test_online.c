/* Whole runs on random tiny instances against the exact optimum by brute force:
 *     utility <= optimum <= dual bound,   in any unit of the resources,   and berth check agrees with every figure.
 * All seeds are fixed and nothing depends on timing: no false failures. */
#include "tests/support/brute_force.h"
#include "tests/support/check.h"
#include "tests/support/checked_run.h"
#include "tests/support/variant.h"

#include <berth_io.h>

#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 2000, NODE_LIMIT = 50000000 };

static void test_optimum_is_between(void **state) {
    (void)state;
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors", &options, &set);
    double earned = 0, possible = 0;
    for (uint64_t seed = 1; seed <= INSTANCES; seed++) {
        berth_error error;
        berth_instance *instance = NULL;
        assert_ok(berth_generate_tiny(seed, &instance, &error), error);
        bool complete = false;
        double optimum = brute_force_optimum(instance, NODE_LIMIT, &complete);
        if (!complete) {
            fail_msg("seed %lu: brute force gave up", (unsigned long)seed);
        }
        options.levels = 200;
        options.seed = seed;
        options.repair = seed % 2 == 0;
        options.favour = seed % 3 == 0 ? BERTH_FAVOUR_PACKING : BERTH_FAVOUR_COVER;
        earned += checked_run(instance, &options, optimum, seed, "as generated");
        possible += optimum;
        checked_run_variants(instance, &options, optimum, seed);

        variant *v = variant_new(instance);
        variant_scale(v, seed % instance->n_resources, 1000);
        checked_run(variant_instance(v), &options, optimum, seed, "a resource in thousandths");
        variant_free(v);
        berth_instance_free(instance);
    }
    print_message("utility / optimum over %d tiny instances: %.4f\n", INSTANCES, earned / possible);
    assert_true(earned > 0.5 * possible); /* a policy that admits nothing would pass all else */
    berth_backends_free(set);
}

/* The same decisions whatever the unit of a resource. A power of two keeps the arithmetic exact. */
static void test_units_change_no_decision(void **state) {
    (void)state;
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors", &options, &set);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        berth_error error;
        berth_instance *instance = NULL;
        berth_run *plain = NULL, *scaled = NULL;
        assert_ok(berth_generate_tiny(seed, &instance, &error), error);
        variant *v = variant_new(instance);
        variant_scale(v, seed % instance->n_resources, 1024);
        assert_ok(berth_run_online(instance, &options, &plain, NULL, &error), error);
        assert_ok(berth_run_online(variant_instance(v), &options, &scaled, NULL, &error), error);
        assert_close(plain->utility, scaled->utility, 1e-12);
        assert_close(plain->bounds.dual, scaled->bounds.dual, 1e-9);
        for (size_t i = 0; i < plain->n_jobs; i++) {
            assert_int_equal(plain->jobs[i].admitted, scaled->jobs[i].admitted);
            assert_int_equal(plain->jobs[i].completion_slot, scaled->jobs[i].completion_slot);
        }
        berth_run_free(plain);
        berth_run_free(scaled);
        variant_free(v);
        berth_instance_free(instance);
    }
    berth_backends_free(set);
}

/* Factors that round: every bound holds, and where ties do not turn out otherwise the utility is the same. */
static void test_units_keep_the_bounds(void **state) {
    (void)state;
    enum { TRIED = 300 };
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors", &options, &set);
    int differing = 0;
    for (uint64_t seed = 1; seed <= TRIED; seed++) {
        berth_error error;
        berth_instance *instance = NULL;
        assert_ok(berth_generate_tiny(seed, &instance, &error), error);
        bool complete = false;
        double optimum = brute_force_optimum(instance, NODE_LIMIT, &complete);
        assert_true(complete);
        double plain = checked_run(instance, &options, optimum, seed, "as generated");
        static const double factors[] = {1000, 1e-3};
        for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
            for (size_t r = 0; r < instance->n_resources; r++) {
                variant *v = variant_new(instance);
                variant_scale(v, r, factors[f]);
                double scaled = checked_run(variant_instance(v), &options, optimum, seed, "in another unit");
                differing += fabs(scaled - plain) > 1e-9 * fmax(1, plain);
                variant_free(v);
            }
        }
        berth_instance_free(instance);
    }
    print_message("utilities that differ by unit: %d\n", differing);
    assert_true(differing <= TRIED / 100);
    berth_backends_free(set);
}

/* The trap of a bound over free capacity: C = 1, two jobs of demand 0.6 and utilities 1 and 100. */
static void test_bound_uses_full_capacity(void **state) {
    (void)state;
    static const char text[] =
        "{\"format\":\"berth-jobs-1\",\"name\":\"trap\",\"slot_seconds\":1,\"horizon_slots\":1,\"resources\":[\"gpu\"],"
        "\"machines\":[{\"name\":\"m\",\"capacity\":{\"gpu\":1}}],\"jobs\":["
        "{\"id\":\"a\",\"arrival_slot\":0,\"epochs\":1,\"samples\":1,\"batch\":1,\"sample_seconds\":1,\"gradient_mb\":"
        "0,"
        "\"workers_per_ps\":1,\"bandwidth_internal_mb_s\":1,\"bandwidth_external_mb_s\":1,\"worker\":{\"gpu\":0.6},"
        "\"ps\":{},\"utility\":{\"kind\":\"constant\",\"value\":1}},"
        "{\"id\":\"b\",\"arrival_slot\":0,\"epochs\":1,\"samples\":1,\"batch\":1,\"sample_seconds\":1,\"gradient_mb\":"
        "0,"
        "\"workers_per_ps\":1,\"bandwidth_internal_mb_s\":1,\"bandwidth_external_mb_s\":1,\"worker\":{\"gpu\":0.6},"
        "\"ps\":{},\"utility\":{\"kind\":\"constant\",\"value\":100}}],"
        "\"prices\":{\"upper\":{\"gpu\":1.5},\"lower\":{\"gpu\":0.01}}}";
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors", &options, &set);
    berth_error error;
    berth_instance *instance = NULL;
    assert_ok(berth_instance_parse(text, strlen(text), &instance, &error), error);
    assert_true(checked_run(instance, &options, 100, 0, "trap") == 1); /* the first comes first; the second is lost */
    berth_instance_free(instance);
    berth_backends_free(set);
}

/* Threads change nothing; the seed does (somewhere among many instances). */
static void test_threads_and_seeds(void **state) {
    (void)state;
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options("pdors", &options, &set);
    options.trials = 1; /* the best of many draws is often the same whatever the seed */
    int differing = 0;
    for (uint64_t k = 0; k < 3; k++) {
        berth_generate_pdors_options g;
        berth_generate_pdors_options_init(&g);
        g.seed = 40 + k;
        g.machines = k == 0 ? 18 : 4; /* many enough for slots to be planned in parallel */
        g.jobs = 12;
        g.slots = 12;
        berth_error error;
        berth_instance *instance = NULL;
        assert_ok(berth_generate_pdors(&g, &instance, &error), error);
        berth_run *runs[3];
        for (int i = 0; i < 3; i++) {
            options.threads = i == 1 ? 3 : 1;
            options.seed = i == 2 ? 99 : 1;
            assert_ok(berth_run_online(instance, &options, &runs[i], NULL, &error), error);
        }
        assert_true(runs[0]->utility == runs[1]->utility && runs[0]->bounds.dual == runs[1]->bounds.dual);
        for (size_t i = 0; i < runs[0]->n_jobs; i++) {
            const berth_run_job *a = &runs[0]->jobs[i], *b = &runs[1]->jobs[i], *c = &runs[2]->jobs[i];
            assert_true(a->admitted == b->admitted && a->n_slots == b->n_slots && a->price_paid == b->price_paid);
            differing += a->price_paid != c->price_paid || a->n_slots != c->n_slots;
            for (size_t s = 0; s < a->n_slots; s++) {
                assert_int_equal(a->slots[s].n_placements, b->slots[s].n_placements);
                assert_memory_equal(a->slots[s].placements, b->slots[s].placements,
                                    a->slots[s].n_placements * sizeof *a->slots[s].placements);
            }
        }
        for (int i = 0; i < 3; i++) {
            berth_run_free(runs[i]);
        }
        berth_instance_free(instance);
    }
    assert_true(differing > 0);
    berth_backends_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimum_is_between),    cmocka_unit_test(test_units_change_no_decision),
        cmocka_unit_test(test_units_keep_the_bounds), cmocka_unit_test(test_bound_uses_full_capacity),
        cmocka_unit_test(test_threads_and_seeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
