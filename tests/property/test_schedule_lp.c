/* The schedule LP against the same LP written out, against the LP over all integer schedules, by class and by machine,
 * and when it is stopped early. Seeds are fixed and nothing depends on timing: no false failures. */
#include "online/schedule_lp.h"

#include "online/decider.h"
#include "tests/support/backends.h"
#include "tests/support/brute_force.h"
#include "tests/support/check.h"
#include "tests/support/compact_lp.h"
#include "tests/support/enumeration_lp.h"
#include "tests/support/sanitized.h"
#include "tests/support/variant.h"

#include <berth_io.h>

#include <stdlib.h>
#include <string.h>

enum {
    TINY = 400,
    ENUMERATED = SANITIZED ? 300 : 1000,
    RESTRICTED = 24,
    MEDIUM = 12,
    NODE_LIMIT = 50000000,
    MOST_COLUMNS = 100000
};

/* An instance as the solvers see it. */
typedef struct world {
    berth_instance *owned;
    const berth_instance *instance;
    berth__cluster *cluster;
    berth__job **jobs;
    int n_classes, *class_of;
    double *prices;
} world;

static world world_of(const berth_instance *instance) {
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

static world owning(berth_instance *instance) {
    world w = world_of(instance);
    w.owned = instance;
    return w;
}

static berth_instance *tiny(uint64_t seed) {
    berth_error error;
    berth_instance *instance = NULL;
    assert_ok(berth_generate_tiny(seed, &instance, &error), error);
    return instance;
}

static world tiny_world(uint64_t seed) {
    return owning(tiny(seed));
}

static berth_instance *medium(uint64_t seed) {
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
    return instance;
}

static world medium_world(uint64_t seed) {
    return owning(medium(seed));
}

static void world_clear(world *w) {
    for (size_t i = 0; i < w->instance->n_jobs; i++) {
        berth__job_free(w->jobs[i]);
    }
    free(w->jobs);
    free(w->class_of);
    free(w->prices);
    berth__cluster_free(w->cluster);
    berth_instance_free(w->owned);
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
    berth_backends *set = all_backends();
    options.threads = options.threads == 0 ? 1 : options.threads;
    options.backends = set;
    assert_ok(berth__schedule_lp(w->cluster, w->instance->n_jobs, w->jobs, w->n_classes, w->class_of, &options,
                                 w->prices, &found, &error),
              error);
    berth_backends_free(set);
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

/* Classes that eligibility splits, of larger clusters: rows of classes and of machines. */
static void test_restricted_machines(void **state) {
    (void)state;
    static const char *const globs[] = {"node-[0-2]", "node-3", "node-[1-4]", "*-5", "node-[35]", "*"};
    enum { GLOBS = sizeof globs / sizeof *globs };
    int fewer = 0, split = 0;
    for (uint64_t seed = 1; seed <= RESTRICTED; seed++) {
        berth_instance *instance = medium(seed);
        variant *v = variant_new(instance);
        for (size_t i = 0; i < instance->n_jobs; i += 1 + seed % 3) {
            size_t first = (seed + i) % GLOBS, n = 1 + i % 2;
            variant_allow(v, i, first + n <= GLOBS ? n : 1, &globs[first]);
        }
        world w = world_of(variant_instance(v));
        split += w.n_classes > w.cluster->n_classes;
        fewer += w.n_classes < w.cluster->n_machines;
        berth__schedule_lp_result by_class = solve(&w, (berth__schedule_lp_options){.levels = 50, .gap = 1e-7});
        every_machine_its_class(&w);
        berth__schedule_lp_result by_machine = solve(&w, (berth__schedule_lp_options){.levels = 50, .gap = 1e-7});
        assert_true(by_class.reached && by_machine.reached && by_class.bound > 0);
        if (!(fabs(by_class.bound - by_machine.bound) <= 1e-6 * by_class.bound)) {
            fail_msg("seed %lu: %.12g by class, %.12g by machine", (unsigned long)seed, by_class.bound,
                     by_machine.bound);
        }
        world_clear(&w);
        variant_free(v);
        berth_instance_free(instance);
    }
    assert_true(split > RESTRICTED / 2 && fewer > RESTRICTED / 4);
}

/* ---- all integer schedules ---- */

/* Where a job may run on one machine only (and would be no faster across machines, which the relaxation allows), or is
 * equally fast anywhere and its servers take nothing, and rounding changes nothing, relaxed schedules are mixtures of
 * integer ones: workers per slot and machine then lie in a laminar family of whole limits (a machine's, the job's in a
 * slot, the sum over slots). */
static bool relaxes_to_itself(const world *w, const berth__job *job, int levels) {
    const berth__cluster *cluster = w->cluster;
    int R = cluster->n_resources, eligible = 0;
    bool free_servers = true, linear_servers = job->workers_per_ps == 1 || !(job->workers_per_ps < HUGE_VAL);
    for (int r = 0; r < R; r++) {
        free_servers = free_servers && job->ps[r] == 0;
    }
    for (int h = 0; h < cluster->n_machines; h++) {
        if (job->eligible != NULL && !job->eligible[h]) {
            continue;
        }
        eligible++;
        double room = job->max_workers;
        for (int r = 0; r < R; r++) {
            double unit = job->worker[r] + (free_servers ? 0 : job->ps[r]);
            room = unit > 0 ? fmin(room, cluster->capacity[h * R + r] / unit) : room;
        }
        if (fabs(room - rint(room)) > 1e-12) {
            return false;
        }
    }
    berth__quanta quanta;
    if (!berth__quanta_of(job, levels, cluster->horizon - job->arrival, &quanta)) {
        return false;
    }
    berth__quanta_relax(&quanta, job);
    int one = berth__quanta_up(&quanta, job, 1, BERTH_INTERNAL);
    double slots = job->work / job->slot_samples[BERTH_INTERNAL];
    bool exact = fabs(slots - rint(slots)) < 1e-9 && quanta.needed == (int)rint(slots) * one;
    for (int k = 1; k <= job->max_workers && exact; k++) {
        int up = berth__quanta_up(&quanta, job, k, BERTH_INTERNAL);
        exact = up == (k * one < quanta.needed ? k * one : quanta.needed);
    }
    double internal = job->slot_samples[BERTH_INTERNAL], external = job->slot_samples[BERTH_EXTERNAL];
    bool one_machine = eligible == 1 && external <= internal && (free_servers || linear_servers);
    return exact && (one_machine || (external == internal && free_servers));
}

static bool all_relax_to_themselves(const world *w, int levels) {
    bool all = true;
    for (size_t i = 0; i < w->instance->n_jobs && all; i++) {
        all = berth__job_hopeless(w->cluster, w->jobs[i]) != 0 || relaxes_to_itself(w, w->jobs[i], levels);
    }
    return all;
}

/* The LP over integer schedules against that over relaxed ones; true if they are equal. */
static bool compare_with_enumeration(world *w, int levels, uint64_t seed, const char *what, bool equal_for_certain) {
    double by_machine = enumeration_lp(w->instance, 0, NULL, MOST_COLUMNS, NULL);
    double by_class = enumeration_lp(w->instance, w->n_classes, w->class_of, MOST_COLUMNS, NULL);
    berth__schedule_lp_result relaxed = solve(w, (berth__schedule_lp_options){.levels = levels, .gap = 1e-9});
    double slack = 1e-6 * fmax(1, relaxed.bound);
    bool equal = fabs(relaxed.bound - by_machine) <= slack;
    if (!(relaxed.reached && fabs(by_machine - by_class) <= slack && by_machine <= relaxed.bound + slack) ||
        (equal_for_certain && !equal)) {
        fail_msg("seed %lu, %s: LP bound %.12g; over integer schedules %.12g by machine, %.12g by class%s",
                 (unsigned long)seed, what, relaxed.bound, by_machine, by_class,
                 equal_for_certain ? ", which should be the same" : "");
    }
    return equal;
}

/* Jobs altered so that relaxing a slot changes nothing. */
static void compare_whole(const berth_instance *instance, uint64_t seed) {
    variant *v = variant_new(instance);
    variant_whole(v);
    world w = world_of(variant_instance(v));
    assert_true(all_relax_to_themselves(&w, 200));
    compare_with_enumeration(&w, 200, seed, "whole", true);
    world_clear(&w);
    variant_free(v);
}

/* Not above the LP bound; equal to it where relaxing a slot changes nothing. */
static void test_integer_schedules(void **state) {
    (void)state;
    int equal = 0, certain = 0, several_machines = 0;
    for (uint64_t seed = 1; seed <= ENUMERATED; seed++) {
        world w = tiny_world(seed);
        bool same = all_relax_to_themselves(&w, 200);
        equal += compare_with_enumeration(&w, 200, seed, "as generated", same);
        certain += same;
        if (seed % 4 == 0) {
            compare_with_enumeration(&w, 1 + (int)(seed % 7), seed, "few levels", false);
        }
        if (seed % 4 == 1) {
            compare_whole(w.instance, seed);
            several_machines += w.cluster->n_machines > 1;
        }
        world_clear(&w);
    }
    print_message("LP bound = LP over integer schedules in %d of %d instances, %d of these for certain\n", equal,
                  ENUMERATED, certain);
    assert_true(certain > ENUMERATED / 20 && equal > certain && equal < ENUMERATED && several_machines > 0);
}

/* No integer schedule earns more than the LP over all of them. */
static void test_optimum_is_below_enumeration(void **state) {
    (void)state;
    int below = 0;
    for (uint64_t seed = 1; seed <= TINY; seed++) {
        berth_instance *instance = tiny(seed);
        bool complete = false;
        double optimum = brute_force_optimum(instance, NODE_LIMIT, &complete);
        double enumerated = enumeration_lp(instance, 0, NULL, MOST_COLUMNS, NULL);
        assert_true(complete && optimum <= enumerated + 1e-7 * fmax(1, enumerated));
        below += optimum < enumerated * (1 - 1e-6);
        berth_instance_free(instance);
    }
    assert_true(below > 0 && below < TINY / 2);
}

/* ---- on the way ---- */

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
        cmocka_unit_test(test_equals_the_lp_written_out), cmocka_unit_test(test_restricted_machines),
        cmocka_unit_test(test_integer_schedules),         cmocka_unit_test(test_optimum_is_below_enumeration),
        cmocka_unit_test(test_every_pass_is_valid),       cmocka_unit_test(test_cancelled_at_once),
        cmocka_unit_test(test_threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
