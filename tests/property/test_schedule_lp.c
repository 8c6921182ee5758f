/* The schedule LP against the same LP written out, by class and by machine, and when it is stopped early. Seeds are
 * fixed and nothing depends on timing: no false failures. */
#include "online/schedule_lp.h"

#include "tests/support/check.h"
#include "tests/support/compact_lp.h"

#include <berth_io.h>

#include <stdlib.h>
#include <string.h>

enum { TINY = 400, MEDIUM = 12 };

/* An instance as the solvers see it. */
typedef struct world {
    berth_instance *instance;
    berth__cluster *cluster;
    berth__job **jobs;
    int n_classes, *class_of;
    double *prices;
} world;

static world world_of(berth_instance *instance) {
    world w = {.instance = instance};
    berth_error error;
    berth_cluster spec;
    berth_instance_cluster(instance, &spec);
    assert_ok(berth__cluster_new(&spec, &w.cluster, &error), error);
    w.jobs = calloc(instance->n_jobs + 1, sizeof *w.jobs);
    w.class_of = calloc(instance->n_machines, sizeof *w.class_of);
    w.prices = calloc((size_t)instance->horizon_slots * instance->n_machines * instance->n_resources, sizeof *w.prices);
    assert_true(w.jobs != NULL && w.class_of != NULL && w.prices != NULL);
    for (size_t i = 0; i < instance->n_jobs; i++) {
        assert_ok(berth__job_new(w.cluster, &instance->jobs[i], &w.jobs[i], &error), error);
    }
    w.n_classes = berth__machine_classes(w.cluster, instance->n_jobs, w.jobs, w.class_of);
    return w;
}

static world tiny_world(uint64_t seed) {
    berth_error error;
    berth_instance *instance = NULL;
    assert_ok(berth_generate_tiny(seed, &instance, &error), error);
    return world_of(instance);
}

static world medium_world(uint64_t seed) {
    berth_generate_pdors_options g;
    berth_generate_pdors_options_init(&g);
    g.seed = seed;
    g.machines = 6;
    g.slots = 10;
    g.jobs = 14;
    g.heterogeneous = seed % 2 == 0;
    berth_error error;
    berth_instance *instance = NULL;
    assert_ok(berth_generate_pdors(&g, &instance, &error), error);
    return world_of(instance);
}

static void world_clear(world *w) {
    for (size_t i = 0; i < w->instance->n_jobs; i++) {
        berth__job_free(w->jobs[i]);
    }
    free(w->jobs);
    free(w->class_of);
    free(w->prices);
    berth__cluster_free(w->cluster);
    berth_instance_free(w->instance);
}

static void every_machine_its_class(world *w) {
    w->n_classes = w->cluster->n_machines;
    for (int h = 0; h < w->n_classes; h++) {
        w->class_of[h] = h;
    }
}

static berth__schedule_lp_result solve(world *w, berth__schedule_lp_options options) {
    berth__schedule_lp_result found;
    berth_error error;
    size_t n = (size_t)w->cluster->horizon * (size_t)w->n_classes * (size_t)w->cluster->n_resources;
    memset(w->prices, 0, n * sizeof *w->prices);
    options.threads = options.threads == 0 ? 1 : options.threads;
    assert_ok(berth__schedule_lp(w->cluster, w->instance->n_jobs, w->jobs, w->n_classes, w->class_of, &options,
                                 w->prices, &found, &error),
              error);
    return found;
}

/* B at the prices that came with a bound. */
static double bound_again(const world *w, int levels) {
    berth__dual_bound_result ray;
    berth_error error;
    assert_ok(berth__dual_bound_ray(w->cluster, w->instance->n_jobs, w->jobs, levels, w->n_classes, w->class_of,
                                    w->prices, 1, NULL, &ray, &error),
              error);
    return ray.value;
}

static void test_equals_the_lp_written_out(void **state) {
    (void)state;
    int split = 0, earning = 0;
    for (uint64_t seed = 1; seed <= TINY; seed++) {
        int levels = seed % 3 == 0 ? 1 + (int)(seed % 7) : 200;
        world w = tiny_world(seed);
        split += w.n_classes > w.cluster->n_classes;
        double written_out =
            compact_schedule_lp(w.cluster, w.instance->n_jobs, w.jobs, levels, w.n_classes, w.class_of);
        berth__schedule_lp_result by_class = solve(&w, (berth__schedule_lp_options){.levels = levels, .gap = 1e-9});
        double again = bound_again(&w, levels);
        every_machine_its_class(&w);
        berth__schedule_lp_result by_machine = solve(&w, (berth__schedule_lp_options){.levels = levels, .gap = 1e-9});
        double each = compact_schedule_lp(w.cluster, w.instance->n_jobs, w.jobs, levels, w.n_classes, w.class_of);
        if (!(fabs(by_class.bound - written_out) <= 1e-6 * fmax(1, written_out) &&
              fabs(by_machine.bound - written_out) <= 1e-6 * fmax(1, written_out) &&
              fabs(each - written_out) <= 1e-6 * fmax(1, written_out))) {
            fail_msg("seed %lu: %.12g by class (%ld passes), %.12g by machine (%ld), written out %.12g and %.12g",
                     (unsigned long)seed, by_class.bound, by_class.passes, by_machine.bound, by_machine.passes,
                     written_out, each);
        }
        assert_true(by_class.reached && by_machine.reached);
        assert_at_most(again, by_class.bound, 1e-9);
        earning += written_out > 0;
        world_clear(&w);
    }
    assert_true(split > TINY / 20); /* classes that only eligibility splits */
    assert_true(earning > TINY / 2);
}

/* Whenever it stops, there is a valid bound that its prices give, and it never rises. */
static void test_every_pass_is_valid(void **state) {
    (void)state;
    long most_passes = 0;
    for (uint64_t seed = 1; seed <= MEDIUM; seed++) {
        world w = medium_world(seed);
        berth__schedule_lp_result end = solve(&w, (berth__schedule_lp_options){.levels = 50, .gap = 1e-7});
        double before = (double)INFINITY;
        assert_true(end.reached && end.master <= end.bound * (1 + 1e-9));
        for (long passes = 1; passes < end.passes; passes += 1 + passes / 4) {
            berth__schedule_lp_result now =
                solve(&w, (berth__schedule_lp_options){.levels = 50, .gap = 1e-7, .most_passes = passes});
            assert_int_equal(now.passes, passes);
            assert_true(now.bound <= before && now.bound >= end.bound);
            assert_true(now.bound >= end.master * (1 - 1e-9));
            assert_at_most(bound_again(&w, 50), now.bound, 1e-9);
            before = now.bound;
        }
        most_passes = end.passes > most_passes ? end.passes : most_passes;
        world_clear(&w);
    }
    assert_true(most_passes > 5);
}

static bool never(void *user) {
    (void)user;
    return false;
}

static bool always(void *user) {
    (void)user;
    return true;
}

/* Cancelled before the first pass: no bound. */
static void test_cancelled_at_once(void **state) {
    (void)state;
    world w = medium_world(1);
    berth_hooks hooks;
    berth_hooks_init(&hooks);
    for (int cancelled = 0; cancelled < 2; cancelled++) {
        hooks.cancel = cancelled == 1 ? always : never;
        berth__budget budget = berth__budget_start((double)INFINITY, &hooks);
        berth__schedule_lp_result found =
            solve(&w, (berth__schedule_lp_options){.levels = 50, .gap = 0.01, .budget = &budget});
        assert_int_equal(isnan(found.bound), cancelled);
        assert_int_equal(found.reached, !cancelled);
    }
    world_clear(&w);
}

static void test_threads_change_nothing(void **state) {
    (void)state;
    for (uint64_t seed = 21; seed < 24; seed++) {
        world one = medium_world(seed), three = medium_world(seed);
        berth__schedule_lp_result a = solve(&one, (berth__schedule_lp_options){.levels = 50, .gap = 1e-4});
        berth__schedule_lp_result b =
            solve(&three, (berth__schedule_lp_options){.levels = 50, .gap = 1e-4, .threads = 3});
        assert_true(a.bound == b.bound && a.master == b.master && a.passes == b.passes);
        size_t n = (size_t)one.cluster->horizon * (size_t)one.n_classes * (size_t)one.cluster->n_resources;
        assert_memory_equal(one.prices, three.prices, n * sizeof *one.prices);
        world_clear(&one);
        world_clear(&three);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_the_lp_written_out),
        cmocka_unit_test(test_every_pass_is_valid),
        cmocka_unit_test(test_cancelled_at_once),
        cmocka_unit_test(test_threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
