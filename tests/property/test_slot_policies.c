/* Policies that decide slot by slot, and oasis, on random instances: every run checks clean, and each keeps its own
 * rule, which is recomputed here from the instance and the result alone. All seeds are fixed: no false failures. */
#include "base/pcg.h"
#include "tests/support/brute_force.h"
#include "tests/support/check.h"
#include "tests/support/checked_run.h"
#include "tests/support/slot_view.h"
#include "tests/support/variant.h"

#include <berth_io.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TINY = 600, GENERATED = 120, NODE_LIMIT = 50000000 };

static const char *policy;
/* Every so many of the instances, with at most so many machines: fewer for a policy that takes its time. */
static uint64_t step;
static size_t most_machines;

static berth_instance *tiny(uint64_t seed) {
    berth_error error;
    berth_instance *instance = NULL;
    assert_ok(berth_generate_tiny(seed, &instance, &error), error);
    return instance;
}

static berth_instance *generated(uint64_t seed, size_t machines) {
    berth_error error;
    berth_instance *instance = NULL;
    berth_generate_pdors_options options;
    berth_generate_pdors_options_init(&options);
    options.seed = seed;
    options.machines = machines < most_machines ? machines : most_machines;
    options.load = 0.5 * (double)(1 + seed % 6);
    options.slots = 12;
    options.heterogeneous = seed % 2 == 0;
    assert_ok(berth_generate_pdors(&options, &instance, &error), error);
    return instance;
}

/* One machine that holds some dozens of workers of six unlike jobs that could use more: who gets the next one is
 * decided often. */
static berth_instance *contested(uint64_t seed) {
    static const int arrivals[] = {0, 0, 0, 1, 1, 2};
    berth_error error;
    berth_instance *instance = NULL;
    berth__pcg stream = berth__pcg_key(1, &seed);
    char text[4096];
    int n = snprintf(text, sizeof text,
                     "{\"format\":\"berth-jobs-1\",\"name\":\"contested\",\"slot_seconds\":10,\"horizon_slots\":5,"
                     "\"resources\":[\"gpu\",\"cpu\"],"
                     "\"machines\":[{\"name\":\"m\",\"capacity\":{\"gpu\":40,\"cpu\":90}}],\"jobs\":[");
    for (size_t i = 0; i < sizeof arrivals / sizeof *arrivals; i++) {
        int draw[6];
        static const int most[] = {40, 20, 3, 4, 3, 9};
        for (size_t k = 0; k < 6; k++) {
            draw[k] = (int)berth__pcg_integer(&stream, 1, most[k]);
        }
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "%s{\"id\":\"j%zu\",\"arrival_slot\":%d,\"epochs\":%d,\"samples\":17,\"batch\":8,"
                      "\"max_workers\":%d,\"sample_seconds\":1,\"gradient_mb\":1,\"workers_per_ps\":%d,"
                      "\"bandwidth_internal_mb_s\":%d,\"bandwidth_external_mb_s\":4,"
                      "\"worker\":{\"gpu\":%d,\"cpu\":%d},\"ps\":{\"cpu\":%d},"
                      "\"utility\":{\"kind\":\"constant\",\"value\":1}}",
                      i > 0 ? "," : "", i, arrivals[i], draw[0], draw[1], draw[3], draw[5], draw[2], draw[4], draw[4]);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "]}");
    assert_ok(berth_instance_parse(text, (size_t)n, &instance, &error), error);
    return instance;
}

static berth_run *clean_run(const berth_instance *instance, uint64_t seed, double restart_delay_s, bool bound) {
    berth_options options;
    berth_backends *set = NULL;
    checked_run_options(policy, &options, &set);
    double dual = 0;
    options.seed = seed;
    options.bound = bound ? BERTH_BOUND_DUAL : BERTH_BOUND_NONE;
    options.restart_delay_s = restart_delay_s;
    berth_run *run = audited_run(instance, &options, seed, policy, &dual);
    berth_backends_free(set);
    return run;
}

/* ---- what holds for all ---- */

static void test_between_optimum_and_bound(void **state) {
    (void)state;
    double earned = 0, possible = 0;
    for (uint64_t seed = 1; seed <= TINY; seed += step) {
        berth_instance *instance = tiny(seed);
        bool complete = false;
        double optimum = brute_force_optimum(instance, NODE_LIMIT, &complete), slack = 1e-9 * fmax(1, optimum);
        assert_true(complete);
        for (int delayed = 0; delayed < 2; delayed++) { /* a delay only takes something away */
            berth_run *run = clean_run(instance, seed, delayed * 0.3 * instance->slot_seconds, true);
            assert_true(run->utility <= optimum + slack);
            assert_true(run->bounds.dual >= optimum - slack);
            assert_true(run->bounds.void_because == NULL);
            assert_int_equal(run->price_upper != NULL, berth_policy_promises(policy));
            earned += delayed ? 0 : run->utility;
            berth_run_free(run);
        }
        possible += optimum;
        berth_instance_free(instance);
    }
    print_message("%s: utility / optimum over %d tiny instances: %.4f\n", policy, TINY / (int)step, earned / possible);
    assert_true(earned > (strcmp(policy, "oasis") == 0 ? 0.1 : 0.3) *
                             possible); /* a policy that does nothing would pass all else */
}

static void expect_same(const berth_run *a, const berth_run *b) {
    assert_true(a->utility == b->utility);
    for (size_t i = 0; i < a->n_jobs; i++) {
        assert_int_equal(a->jobs[i].n_slots, b->jobs[i].n_slots);
        for (size_t k = 0; k < a->jobs[i].n_slots; k++) {
            const berth_slot_plan *x = &a->jobs[i].slots[k], *y = &b->jobs[i].slots[k];
            assert_int_equal(x->slot, y->slot);
            assert_int_equal(x->n_placements, y->n_placements);
            for (size_t p = 0; p < x->n_placements; p++) {
                assert_memory_equal(&x->placements[p], &y->placements[p], sizeof *x->placements);
            }
        }
    }
}

/* The same again gives the same; another unit of a resource too (a power of two keeps the arithmetic exact). */
static void test_deterministic(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= GENERATED; seed += step) {
        berth_instance *instance = generated(seed, 4);
        berth_run *one = clean_run(instance, seed, 0, false), *two = clean_run(instance, seed, 0, false);
        variant *v = variant_new(instance);
        variant_scale(v, seed % instance->n_resources, 1024);
        berth_run *scaled = clean_run(variant_instance(v), seed, 0, false);
        expect_same(one, two);
        expect_same(one, scaled);
        berth_run_free(one);
        berth_run_free(two);
        berth_run_free(scaled);
        variant_free(v);
        berth_instance_free(instance);
    }
}

/* A delay of a whole slot and more leaves nothing of a slot with a move; of none, nothing is lost. */
static void test_restart_delay(void **state) {
    (void)state;
    size_t moves = 0;
    for (uint64_t seed = 1; seed <= GENERATED; seed += step) {
        berth_instance *instance = generated(seed, 4);
        for (int quarters = 0; quarters <= 5; quarters++) {
            berth_run *run = clean_run(instance, seed, quarters / 4.0 * instance->slot_seconds, false);
            double left = fmax(0, 1 - quarters / 4.0);
            for (size_t i = 0; i < run->n_jobs; i++) {
                for (size_t k = 0; k < run->jobs[i].n_slots; k++) {
                    bool moved = slot_view_moved(&run->jobs[i], k);
                    double full = slot_view_full_progress(instance, i, &run->jobs[i].slots[k]);
                    assert_close(run->jobs[i].slots[k].samples, (moved ? left : 1) * full, 1e-12);
                    moves += moved;
                }
            }
            berth_run_free(run);
        }
        berth_instance_free(instance);
    }
    assert_true(strcmp(policy, "fifo") == 0 ? moves == 0 : moves > 0);
}

/* Policies that plan ahead count the delay in, and so keep what they promise. */
static void test_planned_restart_delay(void **state) {
    (void)state;
    static const char *const names[] = {"pdors-ci", "oasis"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        size_t moves = 0, kept = 0;
        policy = names[n];
        for (uint64_t seed = 1; seed <= GENERATED / 2; seed += step) {
            berth_instance *instance = generated(seed, 4);
            for (int quarters = 1; quarters < 4; quarters++) {
                berth_run *run = clean_run(instance, seed, quarters / 4.0 * instance->slot_seconds, quarters == 1);
                for (size_t i = 0; i < run->n_jobs; i++) {
                    assert_true(run->jobs[i].outcome != BERTH_JOB_UNFINISHED);
                    for (size_t k = 0; k < run->jobs[i].n_slots; k++) {
                        bool moved = slot_view_moved(&run->jobs[i], k);
                        double full = slot_view_full_progress(instance, i, &run->jobs[i].slots[k]);
                        assert_close(run->jobs[i].slots[k].samples, (moved ? 1 - quarters / 4.0 : 1) * full, 1e-12);
                        moves += moved;
                        kept += k > 0 && !moved;
                    }
                }
                berth_run_free(run);
            }
            berth_options options;
            berth_error error;
            berth_run *none = NULL;
            berth_options_init(&options);
            options.policy = policy;
            options.restart_delay_s = instance->slot_seconds;
            assert_int_equal(berth_run_online(instance, &options, &none, NULL, &error), BERTH_E_ARGUMENT);
            assert_string_equal(error.where, "restart_delay_s");
            berth_instance_free(instance);
        }
        assert_true(moves > 0 && kept > 0);
    }
}

/* Nothing runs beyond what it can use, and everything is admitted that fits somewhere. */
static void test_outcomes(void **state) {
    (void)state;
    size_t unfinished = 0, completed = 0;
    for (uint64_t seed = 1; seed <= GENERATED; seed += step) {
        berth_instance *instance = generated(seed, 4);
        berth_run *run = clean_run(instance, seed, 0, false);
        for (size_t i = 0; i < run->n_jobs; i++) {
            const berth_run_job *job = &run->jobs[i];
            assert_true(job->admitted || strcmp(policy, "fifo") == 0);
            assert_true(isnan(job->payoff) && isnan(job->payoff_bound) && isnan(job->price_paid));
            unfinished += job->outcome == BERTH_JOB_UNFINISHED;
            completed += job->outcome == BERTH_JOB_COMPLETED;
            if (job->outcome == BERTH_JOB_UNFINISHED) {
                assert_true(job->utility == 0 && job->completion_slot == -1 && job->delay_slots == -1);
            }
        }
        berth_run_free(run);
        berth_instance_free(instance);
    }
    assert_true(unfinished > 0 && completed > 0);
}

/* ---- fifo ---- */

static void test_fifo_order_and_no_change(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= GENERATED; seed += step) {
        berth_instance *instance = generated(seed, 4);
        berth_run *run = clean_run(instance, seed, 0, false);
        int start = -1;
        bool waiting = false;
        size_t *order = slot_view_by_arrival(instance);
        for (size_t k = 0; k < run->n_jobs; k++) {
            const berth_run_job *job = &run->jobs[order[k]];
            if (!job->admitted) {
                continue;
            }
            assert_false(waiting && job->n_slots > 0); /* nobody overtakes */
            waiting = waiting || job->n_slots == 0;
            assert_true(job->n_slots == 0 || job->slots[0].slot >= start);
            start = job->n_slots == 0 ? start : job->slots[0].slot;
            for (size_t i = 0; i < job->n_slots; i++) {
                assert_false(slot_view_moved(job, i));
                int workers = slot_view_workers(&job->slots[i]);
                assert_true(workers >= 1 && workers <= 30);
            }
            if (job->n_slots > 0 && job->outcome == BERTH_JOB_UNFINISHED) { /* held to the end */
                assert_int_equal(job->slots[job->n_slots - 1].slot, instance->horizon_slots - 1);
            }
        }
        free(order);
        berth_run_free(run);
        berth_instance_free(instance);
    }
}

/* The head of the queue waits only while it does not fit beside those that run. */
static void test_fifo_head_starts_when_it_fits(void **state) {
    (void)state;
    size_t waits = 0;
    for (uint64_t seed = 1; seed <= GENERATED; seed += step) {
        berth_instance *instance = generated(seed, 1);
        berth_run *run = clean_run(instance, seed, 0, false);
        size_t *order = slot_view_by_arrival(instance);
        for (size_t k = 0; k < run->n_jobs; k++) {
            size_t i = order[k];
            if (run->jobs[i].n_slots == 0) {
                continue;
            }
            int start = run->jobs[i].slots[0].slot, workers = slot_view_workers(&run->jobs[i].slots[0]);
            int earliest = instance->jobs[i].arrival_slot;
            for (size_t j = 0; j < k; j++) { /* it becomes head when the last before it starts */
                const berth_run_job *other = &run->jobs[order[j]];
                earliest = other->n_slots > 0 && other->slots[0].slot > earliest ? other->slots[0].slot : earliest;
            }
            for (int slot = earliest; slot < start; slot++) {
                slot_view *view = slot_view_new(instance, run, slot);
                for (size_t j = k; j < run->n_jobs; j++) {
                    slot_view_remove(view, order[j]);
                }
                assert_false(slot_view_fits(view, i, workers));
                slot_view_free(view);
                waits++;
            }
        }
        free(order);
        berth_run_free(run);
        berth_instance_free(instance);
    }
    assert_true(waits > 0);
}

/* A given number of workers, unless the job may have fewer or an empty cluster holds fewer. */
static void test_fifo_workers_given(void **state) {
    (void)state;
    enum { GIVEN = 3 };
    size_t slots = 0;
    for (uint64_t seed = 1; seed <= GENERATED; seed += step) {
        berth_instance *instance = generated(seed, 1);
        berth_options options;
        berth_backends *set = NULL;
        checked_run_options(policy, &options, &set);
        double dual = 0;
        options.fifo_workers = GIVEN;
        options.bound = BERTH_BOUND_NONE;
        berth_run *run = audited_run(instance, &options, seed, policy, &dual);
        assert_int_equal(run->fifo_workers, GIVEN);
        for (size_t i = 0; i < run->n_jobs; i++) {
            slot_view *empty = slot_view_new(instance, run, 0);
            for (size_t j = 0; j < run->n_jobs; j++) {
                slot_view_remove(empty, j);
            }
            int due = GIVEN < instance->jobs[i].max_workers ? GIVEN : instance->jobs[i].max_workers;
            while (due > 0 && !slot_view_fits(empty, i, due)) {
                due--;
            }
            for (size_t k = 0; k < run->jobs[i].n_slots; k++, slots++) {
                assert_int_equal(slot_view_workers(&run->jobs[i].slots[k]), due);
            }
            slot_view_free(empty);
        }
        berth_run_free(run);
        berth_instance_free(instance);
        berth_backends_free(set);
    }
    assert_true(slots > 0);
}

/* ---- rules of one slot ---- */

typedef void slot_rule(slot_view *view, size_t job, size_t *met);

/* `rule` for every job in every slot in which it is there and could use another worker. */
static void for_all_wanting(size_t machines, slot_rule *rule) {
    size_t met = 0;
    for (uint64_t seed = 1; seed <= GENERATED; seed += step) {
        berth_instance *instance = machines == 1 && seed % 2 == 0 ? contested(seed) : generated(seed, machines);
        berth_run *run = clean_run(instance, seed, 0, false);
        for (int slot = 0; slot < instance->horizon_slots; slot++) {
            for (size_t job = 0; job < run->n_jobs; job++) {
                slot_view *view = slot_view_new(instance, run, slot);
                if (slot_view_wants(view, job)) {
                    rule(view, job, &met);
                }
                slot_view_free(view);
            }
        }
        berth_run_free(run);
        berth_instance_free(instance);
    }
    assert_true(met > 0);
}

/* Whoever could use a worker finds no room for it. */
static void nothing_is_left(slot_view *view, size_t job, size_t *met) {
    if (slot_view_fits_one_more(view, job)) {
        fail_msg("slot %d, job %zu: there is room for another worker", view->slot, job);
    }
    ++*met;
}

/* srtf: even if all with more work to do gave up what they hold, it would gain no room. */
static void none_behind_holds_what_it_needs(slot_view *view, size_t job, size_t *met) {
    for (size_t other = 0; other < view->run->n_jobs; other++) {
        if (slot_view_remaining_time(view, other) > slot_view_remaining_time(view, job)) {
            *met += view->workers[other] > 0;
            slot_view_remove(view, other);
        }
    }
    if (slot_view_gains_by_one_more(view, job)) {
        fail_msg("slot %d, job %zu: one behind it holds what it could use", view->slot, job);
    }
}

/* las: the same with the order of the queues. */
static void none_after_in_queue_holds_what_it_needs(slot_view *view, size_t job, size_t *met) {
    int queue = slot_view_las_queue(view, job);
    for (size_t other = 0; other < view->run->n_jobs; other++) {
        int q = slot_view_las_queue(view, other);
        if (q > queue || (q == queue && slot_view_arrives_before(view, job, other))) {
            *met += q > queue && view->workers[other] > 0;
            slot_view_remove(view, other);
        }
    }
    if (slot_view_gains_by_one_more(view, job)) {
        fail_msg("slot %d, job %zu: one after it holds what it could use", view->slot, job);
    }
}

/* drf: its dominant share cannot rise without lowering one that is no larger. Every other job gives up what brought it
 * beyond that share (all but one step); on one machine it does not matter which of its workers those are. */
static void no_larger_share_is_in_its_way(slot_view *view, size_t job, size_t *met) {
    double share = slot_view_share(view, job, view->workers[job]);
    for (size_t other = 0; other < view->run->n_jobs; other++) {
        while (other != job && view->workers[other] > 0 &&
               slot_view_share(view, other, view->workers[other] - 1) > share * (1 + 1e-12)) {
            slot_view_take_one(view, other);
            ++*met;
        }
    }
    if (slot_view_fits_one_more(view, job)) {
        fail_msg("slot %d, job %zu: jobs of larger dominant share are in its way", view->slot, job);
    }
}

static void test_drf_leaves_nothing(void **state) {
    (void)state;
    for_all_wanting(4, nothing_is_left);
}

static void test_drf_share_cannot_rise(void **state) {
    (void)state;
    for_all_wanting(1, no_larger_share_is_in_its_way);
}

static void test_srtf_order(void **state) {
    (void)state;
    for_all_wanting(1, none_behind_holds_what_it_needs);
    for_all_wanting(3, none_behind_holds_what_it_needs);
}

static void test_las_queues(void **state) {
    (void)state;
    for_all_wanting(1, none_after_in_queue_holds_what_it_needs);
    for_all_wanting(3, none_after_in_queue_holds_what_it_needs);
}

/* ---- optimus: the greedy again, on one machine, without a heap ---- */

static void expect_optimus_slot(slot_view *view) {
    size_t n = view->run->n_jobs;
    int *due = calloc(n, sizeof *due);
    bool *out = calloc(n, sizeof *out);
    assert_true(due != NULL && out != NULL);
    slot_view *fresh = slot_view_new(view->instance, view->run, view->slot);
    for (size_t i = 0; i < n; i++) {
        slot_view_remove(fresh, i);
    }
    for (;;) {
        size_t best = n;
        double best_gain = -1;
        for (size_t i = 0; i < n; i++) {
            if (out[i] || !slot_view_wants(fresh, i)) {
                continue;
            }
            double gain = due[i] == 0 ? HUGE_VAL : slot_view_optimus_gain(fresh, i, due[i]);
            if (best == n || gain > best_gain || (gain == best_gain && slot_view_arrives_before(fresh, i, best))) {
                best = i;
                best_gain = gain;
            }
        }
        if (best == n) {
            break;
        }
        if (slot_view_fits_one_more(fresh, best)) {
            slot_view_put_one(fresh, best);
            due[best]++;
        } else {
            out[best] = true;
        }
    }
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(due[i], view->workers[i]);
    }
    slot_view_free(fresh);
    free(due);
    free(out);
}

static void test_optimus_is_its_greedy(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= GENERATED; seed += step) {
        berth_instance *instance = seed % 2 == 0 ? contested(seed) : generated(seed, 1);
        berth_run *run = clean_run(instance, seed, 0, false);
        for (int slot = 0; slot < instance->horizon_slots; slot++) {
            slot_view *view = slot_view_new(instance, run, slot);
            expect_optimus_slot(view);
            slot_view_free(view);
        }
        berth_run_free(run);
        berth_instance_free(instance);
    }
    for_all_wanting(4, nothing_is_left);
}

/* ---- oasis ---- */

/* Workers on machines 0, 2, ..., servers on 1, 3, ...; only jobs without servers can be on one machine. */
static void test_oasis_keeps_groups_apart(void **state) {
    (void)state;
    size_t slots = 0;
    for (uint64_t seed = 1; seed <= GENERATED; seed += step) {
        berth_instance *instance = generated(seed, 5);
        berth_run *run = clean_run(instance, seed, 0, true);
        for (size_t i = 0; i < run->n_jobs; i++) {
            assert_true(run->jobs[i].outcome != BERTH_JOB_UNFINISHED);
            for (size_t k = 0; k < run->jobs[i].n_slots; k++, slots++) {
                const berth_slot_plan *plan = &run->jobs[i].slots[k];
                assert_true(instance->jobs[i].all_reduce || plan->locality == BERTH_EXTERNAL);
                for (size_t p = 0; p < plan->n_placements; p++) {
                    bool odd = plan->placements[p].machine % 2 != 0;
                    assert_int_equal(odd ? plan->placements[p].workers : plan->placements[p].ps, 0);
                }
            }
        }
        berth_run_free(run);
        berth_instance_free(instance);
    }
    assert_true(slots > 0);
}

/* ---- all ---- */

int main(void) {
    static const struct {
        const char *policy;
        struct CMUnitTest own[3];
        size_t n_own;
    } cases[] = {
        {"fifo",
         {cmocka_unit_test(test_fifo_order_and_no_change), cmocka_unit_test(test_fifo_head_starts_when_it_fits),
          cmocka_unit_test(test_fifo_workers_given)},
         3},
        {"drf", {cmocka_unit_test(test_drf_leaves_nothing), cmocka_unit_test(test_drf_share_cannot_rise)}, 2},
#ifdef BERTH_WITH_GLPK
        {"dorm", {cmocka_unit_test(test_outcomes)}, 1}, /* its rule: test_dorm.c */
#endif
        {"srtf", {cmocka_unit_test(test_srtf_order)}, 1},
        {"las", {cmocka_unit_test(test_las_queues)}, 1},
        {"optimus", {cmocka_unit_test(test_optimus_is_its_greedy)}, 1},
        {"oasis", {cmocka_unit_test(test_oasis_keeps_groups_apart)}, 1},
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct CMUnitTest tests[] = {
            cmocka_unit_test(test_between_optimum_and_bound),
            cmocka_unit_test(test_deterministic),
            cases[i].own[0],
            cases[i].own[1 % cases[i].n_own],
            cases[i].own[cases[i].n_own - 1],
        };
        struct CMUnitTest without_promises[] = {
            cmocka_unit_test(test_restart_delay),
            cmocka_unit_test(test_outcomes),
        };
        policy = cases[i].policy;
        bool slow = strcmp(policy, "dorm") == 0;
        step = slow ? 29 : 1;
        most_machines = slow ? 2 : SIZE_MAX;
        failed += _cmocka_run_group_tests(policy, tests, 2 + cases[i].n_own, NULL, NULL);
        if (!berth_policy_promises(policy)) {
            failed += cmocka_run_group_tests_name(policy, without_promises, NULL, NULL);
        }
    }
    const struct CMUnitTest planned[] = {cmocka_unit_test(test_planned_restart_delay)};
    return failed + cmocka_run_group_tests_name("plans", planned, NULL, NULL);
}
