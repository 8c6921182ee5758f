/* Policy bidlp on small random instances with everything that placement knows: whole runs check clean, no thread and no
 * repetition changes a result, nothing beats the optimum; call by call, promises and the past stand, what is held is
 * what the plans say, and a call that commits nothing leaves no trace. Seeds are fixed, and nothing depends on timing:
 * no false failures. */
#include "tests/support/backends.h"
#include "tests/support/brute_force.h"
#include "tests/support/check.h"
#include "tests/support/checked_run.h"
#include "tests/support/rich_instance.h"
#include "tests/support/sanitized.h"
#include "tests/support/variant.h"

#include <berth_io.h>

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 24, NODE_LIMIT = 50000000 };

static int slots_of(uint64_t seed) {
    return 3 + (int)(seed % 8);
}

static int jobs_of(uint64_t seed) {
    return 6 + (int)(seed * 7 % 17);
}

static void options_of(uint64_t seed, double slot_seconds, berth_options *options, berth_backends **set) {
    checked_run_options("bidlp", options, set);
    options->seed = seed;
    options->effort = seed % 20 == 0 ? BERTH_EFFORT_MEDIUM : BERTH_EFFORT_LOW;
    options->restart_delay_s = seed % 3 == 0 ? 0.1 * (double)(1 + seed % 4) * slot_seconds : 0;
    options->bound = BERTH_BOUND_NONE;
}

/* ---- whole runs ---- */

/* Ends the work at the poll after so many. */
typedef struct fuse {
    long polls, after; /* after < 0: never */
} fuse;

static bool burns(void *user) {
    fuse *f = user;
    long polls = 0;
#pragma omp atomic capture
    polls = ++f->polls;
    return f->after >= 0 && polls > f->after;
}

static void expect_same_plan(size_t n, const berth_slot_plan *a, size_t m, const berth_slot_plan *b) {
    assert_int_equal(n, m);
    for (size_t k = 0; k < n; k++) {
        assert_int_equal(a[k].slot, b[k].slot);
        assert_int_equal(a[k].locality, b[k].locality);
        assert_true(a[k].samples == b[k].samples);
        assert_int_equal(a[k].n_placements, b[k].n_placements);
        for (size_t i = 0; i < a[k].n_placements; i++) {
            assert_memory_equal(&a[k].placements[i], &b[k].placements[i], sizeof *a[k].placements);
        }
    }
}

static void expect_same_run(const berth_run *a, const berth_run *b) {
    assert_true(a->utility == b->utility);
    for (size_t i = 0; i < a->n_jobs; i++) {
        assert_string_equal(a->jobs[i].reason, b->jobs[i].reason);
        assert_int_equal(a->jobs[i].promised_slot, b->jobs[i].promised_slot);
        expect_same_plan(a->jobs[i].n_slots, a->jobs[i].slots, b->jobs[i].n_slots, b->jobs[i].slots);
    }
}

static void test_whole_runs(void **state) {
    (void)state;
    size_t admitted = 0, rejected = 0, early = 0, waiting = 0;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 50 : 150); seed++) {
        rich_instance *rich = rich_instance_new(seed, slots_of(seed), jobs_of(seed));
        berth_options options;
        berth_backends *set = NULL;
        double dual = 0;
        options_of(seed, 10, &options, &set);
        options.bound = seed % 4 == 0 ? BERTH_BOUND_DUAL : BERTH_BOUND_NONE;
        berth_run *run = audited_run(rich_instance_of(rich), &options, seed, "rich", &dual);
        for (size_t i = 0; i < run->n_jobs; i++) {
            const berth_run_job *job = &run->jobs[i];
            assert_true(job->admitted ? job->outcome == BERTH_JOB_COMPLETED : job->outcome == BERTH_JOB_REJECTED);
            assert_true(job->completion_slot <= job->promised_slot);
            admitted += job->admitted;
            rejected += !job->admitted;
            early += job->completion_slot < job->promised_slot;
            waiting += job->n_slots > 0 && job->slots[0].slot > rich_instance_of(rich)->jobs[i].arrival_slot;
        }
        berth_run_free(run);
        berth_backends_free(set);
        rich_instance_free(rich);
    }
    print_message("admitted %zu, of them %zu before their promise and %zu after waiting; rejected %zu\n", admitted,
                  early, waiting, rejected);
    assert_true(admitted > 300 && rejected > 100 && early > 10 && waiting > 20);
}

static void test_threads_and_repetition(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 5, 1};
    for (uint64_t seed = 1; seed <= (SANITIZED ? 2 : 4); seed++) {
        rich_instance *rich = rich_instance_new(seed, slots_of(seed), jobs_of(seed));
        berth_options options;
        berth_backends *set = NULL;
        berth_run *runs[4] = {NULL};
        options_of(seed, 10, &options, &set);
        options.effort = BERTH_EFFORT_MEDIUM; /* futures are priced in parallel */
        for (int i = 0; i < 4; i++) {
            berth_error error;
            options.threads = threads[i];
            assert_ok(berth_run_online(rich_instance_of(rich), &options, &runs[i], NULL, &error), error);
            expect_same_run(runs[0], runs[i]);
        }
        for (int i = 0; i < 4; i++) {
            berth_run_free(runs[i]);
        }
        berth_backends_free(set);
        rich_instance_free(rich);
    }
}

static void test_between_optimum_and_bound(void **state) {
    (void)state;
    double earned = 0, possible = 0;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 150 : 400); seed++) {
        berth_error error;
        berth_instance *instance = NULL;
        assert_ok(berth_generate_tiny(seed, &instance, &error), error);
        bool complete = false;
        double optimum = brute_force_optimum(instance, NODE_LIMIT, &complete), slack = 1e-9 * fmax(1, optimum);
        assert_true(complete);
        berth_options options;
        berth_backends *set = NULL;
        double dual = 0;
        options_of(seed, instance->slot_seconds, &options, &set);
        options.bound = BERTH_BOUND_DUAL;
        berth_run *run = audited_run(instance, &options, seed, "tiny", &dual);
        assert_true(run->utility <= optimum + slack);
        assert_true(run->bounds.dual >= optimum - slack && dual >= optimum - 1e-6 * fmax(1, optimum));
        earned += options.restart_delay_s > 0 ? 0 : run->utility;
        possible += options.restart_delay_s > 0 ? 0 : optimum;
        berth_run_free(run);
        berth_backends_free(set);
        berth_instance_free(instance);
    }
    print_message("utility / optimum of tiny instances: %.4f\n", earned / possible);
    assert_true(earned > 0.7 * possible);
}

/* A run that is stopped keeps what it promised and leaves the rest undecided. */
static void test_stopped_runs(void **state) {
    (void)state;
    size_t undecided = 0, admitted = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        rich_instance *rich = rich_instance_new(seed + 25000, 8, 20);
        for (long after = 0; after < 2000; after = 2 * after + 7) {
            berth_options options;
            berth_backends *set = NULL;
            double dual = 0;
            fuse f = {.after = after};
            options_of(seed, 10, &options, &set);
            options.hooks.user = &f;
            options.hooks.cancel = burns;
            berth_run *run = audited_run(rich_instance_of(rich), &options, seed, "stopped", &dual);
            for (size_t i = 0; i < run->n_jobs; i++) {
                admitted += run->stopped && run->jobs[i].admitted;
                undecided += run->jobs[i].outcome == BERTH_JOB_UNDECIDED;
                assert_true(run->stopped || run->jobs[i].outcome != BERTH_JOB_UNDECIDED);
            }
            berth_run_free(run);
            berth_backends_free(set);
        }
        rich_instance_free(rich);
    }
    print_message("stopped runs: %zu jobs admitted, %zu undecided\n", admitted, undecided);
    assert_true(admitted > 50 && undecided > 200);
}

/* Lists that cut 70 machines into more classes than are told apart. */
static void test_many_classes(void **state) {
    (void)state;
    static const char *const globs[] = {"*[02468]", "*[0-4]", "*[14589]", "*[0369]", "node-[1-3]*", "node-[246]*"};
    enum { GLOBS = sizeof globs / sizeof *globs };
    berth_generate_pdors_options g;
    berth_generate_pdors_options_init(&g);
    g.machines = 70;
    g.slots = 6;
    g.jobs = 24;
    berth_error error;
    berth_instance *instance = NULL;
    assert_ok(berth_generate_pdors(&g, &instance, &error), error);
    variant *v = variant_new(instance);
    for (size_t i = 0; i < instance->n_jobs; i++) {
        variant_allow(v, i, 1, &globs[i % GLOBS]);
    }
    for (int seed = 1; seed <= 3; seed++) {
        berth_options options;
        berth_backends *set = NULL;
        double dual = 0;
        options_of((uint64_t)seed, instance->slot_seconds, &options, &set);
        options.effort = BERTH_EFFORT_LOW;
        berth_run *run = audited_run(variant_instance(v), &options, (uint64_t)seed, "many classes", &dual);
        assert_true(run->summary.admitted > 5);
        berth_run_free(run);
        berth_backends_free(set);
    }
    variant_free(v);
    berth_instance_free(instance);
}

/* More effort earns no less, over many instances; each level does something of its own. */
static void test_effort(void **state) {
    (void)state;
    double earned[3] = {0};
    int differing = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        rich_instance *rich = rich_instance_new(1000 + seed, 4, 24);
        double before = 0;
        for (int effort = BERTH_EFFORT_LOW; effort <= BERTH_EFFORT_HIGH; effort++) {
            berth_options options;
            berth_backends *set = NULL;
            double dual = 0;
            options_of(seed, 10, &options, &set);
            options.effort = (berth_effort)effort;
            berth_run *run = audited_run(rich_instance_of(rich), &options, seed, "effort", &dual);
            assert_int_equal(run->effort, effort);
            earned[effort] += run->utility;
            differing += effort > 0 && run->utility != before;
            before = run->utility;
            berth_run_free(run);
            berth_backends_free(set);
        }
        rich_instance_free(rich);
    }
    print_message("utility by effort: %.2f, %.2f, %.2f\n", earned[0], earned[1], earned[2]);
    assert_true(differing > 0);
    assert_true(earned[1] > 0.97 * earned[0] && earned[2] > 0.97 * earned[0]);
}

/* ---- call by call ---- */

/* A scheduler and what it decided. */
typedef struct session {
    const berth_instance *instance;
    berth_options options;
    berth_backends *set;
    fuse fuse;
    berth_scheduler *scheduler;
    berth_decision *decisions[MOST_JOBS]; /* by number */
    size_t n;
} session;

static session *session_of(const char *policy, const berth_instance *instance, uint64_t seed) {
    session *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->instance = instance;
    s->fuse.after = -1;
    options_of(seed, instance->slot_seconds, &s->options, &s->set);
    s->options.policy = policy;
    s->options.hooks.user = &s->fuse;
    s->options.hooks.cancel = burns;
    berth_cluster cluster;
    berth_instance_cluster(instance, &cluster);
    double upper[] = {9, 9, 9}, lower[] = {0.1, 0.1, 0.1}; /* bidlp needs none */
    berth_price_bounds bounds = {
        .struct_size = sizeof bounds, .n_resources = cluster.n_resources, .upper = upper, .lower = lower};
    berth_error error;
    assert_ok(berth_scheduler_new(&cluster, &bounds, &s->options, &s->scheduler, &error), error);
    return s;
}

static session *session_new(const berth_instance *instance, uint64_t seed) {
    return session_of("bidlp", instance, seed);
}

static void session_free(session *s) {
    for (size_t i = 0; i < s->n; i++) {
        berth_decision_free(s->decisions[i]);
    }
    berth_scheduler_free(s->scheduler);
    berth_backends_free(s->set);
    free(s);
}

/* The next n jobs, all of a slot. */
static void decide(session *s, int slot, size_t n) {
    berth_error error;
    assert_ok(berth_submit_batch(s->scheduler, slot, n, s->instance->jobs + s->n, n == 0 ? NULL : s->decisions + s->n,
                                 &error),
              error);
    for (size_t i = s->n; i < s->n + n; i++) {
        assert_int_equal(s->decisions[i]->number, i);
    }
    s->n += n;
}

static size_t arrivals(const session *s, int slot) {
    size_t n = 0;
    while (s->n + n < s->instance->n_jobs && s->instance->jobs[s->n + n].arrival_slot == slot) {
        n++;
    }
    return n;
}

static berth_decision *present(const session *s, size_t number) {
    berth_error error;
    berth_decision *plan = NULL;
    assert_ok(berth_present_plan(s->scheduler, number, &plan, &error), error);
    return plan;
}

/* Equal, or both absent. */
static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static void expect_same_decision(const berth_decision *a, const berth_decision *b) {
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->admitted, b->admitted);
    assert_string_equal(a->reason, b->reason);
    assert_int_equal(a->promised_slot, b->promised_slot);
    assert_int_equal(a->completion_slot, b->completion_slot);
    assert_true(a->utility == b->utility);
    assert_true(same_number(a->payoff, b->payoff) && same_number(a->payoff_bound, b->payoff_bound) &&
                same_number(a->price_paid, b->price_paid));
    expect_same_plan(a->n_slots, a->slots, b->n_slots, b->slots);
}

/* To the last bit: prices, what is held, plans. */
static void expect_same_state(const session *a, const session *b) {
    assert_int_equal(a->n, b->n);
    for (int t = 0; t < a->instance->horizon_slots; t++) {
        for (int h = 0; h < (int)a->instance->n_machines; h++) {
            for (int r = 0; r < (int)a->instance->n_resources; r++) {
                assert_true(berth_used(a->scheduler, t, h, r) == berth_used(b->scheduler, t, h, r));
                assert_true(berth_price(a->scheduler, t, h, r) == berth_price(b->scheduler, t, h, r));
            }
        }
    }
    for (size_t i = 0; i < a->n; i++) {
        bool live = berth_find_job(a->scheduler, a->instance->jobs[i].id, NULL);
        assert_true(live == berth_find_job(b->scheduler, b->instance->jobs[i].id, NULL));
        assert_true(a->decisions[i]->admitted || !live);
        if (live) {
            berth_decision *one = present(a, i), *two = present(b, i);
            expect_same_decision(one, two);
            berth_decision_free(one);
            berth_decision_free(two);
        }
    }
}

/* Promises and the past stand; what is held is what the plans hold, and fits. */
static void test_every_moment(void **state) {
    (void)state;
    size_t moved = 0;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 30 : 120); seed++) {
        rich_instance *rich = rich_instance_new(seed + 5000, slots_of(seed), jobs_of(seed));
        const berth_instance *in = rich_instance_of(rich);
        size_t R = in->n_resources, H = in->n_machines, T = (size_t)in->horizon_slots;
        session *s = session_new(in, seed);
        berth_decision *plans[MOST_JOBS] = {NULL};
        double *held = calloc(T * H * R, sizeof *held);
        assert_non_null(held);
        for (int slot = 0; slot < in->horizon_slots; slot++) {
            decide(s, slot, arrivals(s, slot));
            memset(held, 0, T * H * R * sizeof *held);
            for (size_t i = 0; i < s->n; i++) {
                if (!s->decisions[i]->admitted) {
                    continue;
                }
                const berth_job *job = &in->jobs[i];
                if (plans[i] != NULL && plans[i]->completion_slot < slot) {
                    assert_false(berth_find_job(s->scheduler, job->id, NULL));
                    continue;
                }
                berth_decision *plan = present(s, i);
                assert_true(plan->admitted && plan->number == i);
                assert_int_equal(plan->promised_slot, s->decisions[i]->promised_slot);
                assert_true(plan->completion_slot <= plan->promised_slot);
                assert_true(plan->slots[0].slot >= job->arrival_slot);
                size_t past = 0;
                while (plans[i] != NULL && past < plans[i]->n_slots && plans[i]->slots[past].slot < slot) {
                    past++;
                }
                if (plans[i] != NULL) {
                    assert_true(plan->n_slots >= past);
                    expect_same_plan(past, plans[i]->slots, past, plan->slots);
                    assert_true(plan->n_slots == past || plan->slots[past].slot >= slot);
                    moved += plan->completion_slot != plans[i]->completion_slot;
                } else {
                    assert_int_equal(plan->completion_slot, plan->promised_slot);
                    expect_same_plan(plan->n_slots, plan->slots, s->decisions[i]->n_slots, s->decisions[i]->slots);
                }
                for (size_t k = 0; k < plan->n_slots; k++) {
                    for (size_t p = 0; p < plan->slots[k].n_placements; p++) {
                        const berth_placement *place = &plan->slots[k].placements[p];
                        for (size_t r = 0; r < R; r++) {
                            held[((size_t)plan->slots[k].slot * H + (size_t)place->machine) * R + r] +=
                                place->workers * job->worker[r] + (place->ps > 0 ? place->ps * job->ps[r] : 0);
                        }
                    }
                }
                berth_decision_free(plans[i]);
                plans[i] = plan;
            }
            for (size_t at = (size_t)slot * H * R; at < T * H * R; at++) {
                double used = berth_used(s->scheduler, (int)(at / (H * R)), (int)(at / R % H), (int)(at % R));
                assert_close(used, held[at], 1e-9);
                assert_true(used <= in->capacity[at % (H * R)] * (1 + 1e-9));
            }
        }
        for (size_t i = 0; i < s->n; i++) {
            berth_decision_free(plans[i]);
        }
        free(held);
        session_free(s);
        rich_instance_free(rich);
    }
    print_message("completions moved %zu times\n", moved);
    assert_true(moved > 2);
}

/* ---- no trace ---- */

static berth_decision *what_if(session *s, const berth_job *job) {
    berth_error error;
    berth_decision *d = NULL;
    assert_ok(berth_what_if(s->scheduler, job, &d, &error), error);
    return d;
}

/* Questions of all kinds of jobs, those still to come as if they came now, before each slot: everything goes on as it
 * does where nobody asks. */
static void test_what_if_leaves_no_trace(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 10 : 40); seed++) {
        rich_instance *rich = rich_instance_new(seed + 9000, slots_of(seed), jobs_of(seed));
        const berth_instance *in = rich_instance_of(rich);
        session *plain = session_new(in, seed), *asked = session_new(in, seed);
        for (int slot = 0; slot < in->horizon_slots; slot++) {
            size_t n = arrivals(plain, slot);
            for (size_t i = asked->n; i < in->n_jobs && i < asked->n + 3; i++) {
                berth_job job = in->jobs[i];
                int later = slot + (int)(i % 3);
                job.arrival_slot = later < in->horizon_slots ? later : slot;
                berth_decision_free(what_if(asked, &job));
            }
            expect_same_state(plain, asked);
            size_t first = plain->n;
            decide(plain, slot, n);
            decide(asked, slot, n);
            for (size_t i = first; i < plain->n; i++) {
                expect_same_decision(plain->decisions[i], asked->decisions[i]);
            }
            expect_same_state(plain, asked);
        }
        session_free(plain);
        session_free(asked);
        rich_instance_free(rich);
    }
}

/* One by one. */
static void test_what_if_says_what_submit_does(void **state) {
    (void)state;
    size_t admitted = 0;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 10 : 40); seed++) {
        rich_instance *rich = rich_instance_new(seed + 13000, slots_of(seed), jobs_of(seed));
        const berth_instance *in = rich_instance_of(rich);
        session *s = session_new(in, seed);
        while (s->n < in->n_jobs) {
            berth_decision *said = what_if(s, &in->jobs[s->n]);
            berth_error error;
            assert_ok(berth_submit(s->scheduler, &in->jobs[s->n], &s->decisions[s->n], &error), error);
            expect_same_decision(said, s->decisions[s->n]);
            admitted += said->admitted;
            berth_decision_free(said);
            s->n++;
        }
        session_free(s);
        rich_instance_free(rich);
    }
    assert_true(admitted > 30);
}

/* Cancelled at ever later polls until it gets through. */
static size_t cancel(const char *policy) {
    size_t cancelled = 0;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 5 : 25); seed++) {
        rich_instance *rich = rich_instance_new(seed + 17000, slots_of(seed), jobs_of(seed));
        const berth_instance *in = rich_instance_of(rich);
        session *plain = session_of(policy, in, seed), *stopped = session_of(policy, in, seed);
        for (int slot = 0; slot < in->horizon_slots; slot++) {
            size_t n = arrivals(plain, slot), first = plain->n;
            berth_error late;
            assert_ok(berth_advance(plain->scheduler, slot, &late), late); /* time moves all the same */
            for (long after = (long)(seed % 3);; after += 1 + after / 2) {
                berth_error error = {0};
                stopped->fuse = (fuse){.after = after};
                berth_status status = berth_submit_batch(stopped->scheduler, slot, n, in->jobs + first,
                                                         n == 0 ? NULL : stopped->decisions + first, &error);
                if (status == BERTH_OK) {
                    break;
                }
                assert_int_equal(status, BERTH_E_CANCELLED);
                assert_int_equal(error.status, BERTH_E_CANCELLED);
                for (size_t i = first; i < first + n; i++) {
                    assert_null(stopped->decisions[i]);
                }
                expect_same_state(plain, stopped);
                cancelled++;
            }
            stopped->fuse.after = -1;
            stopped->n += n;
            decide(plain, slot, n);
            for (size_t i = first; i < plain->n; i++) {
                expect_same_decision(plain->decisions[i], stopped->decisions[i]);
            }
            expect_same_state(plain, stopped);
        }
        session_free(plain);
        session_free(stopped);
        rich_instance_free(rich);
    }
    return cancelled;
}

static void test_cancellation_leaves_no_trace(void **state) {
    (void)state;
    static const char *const policies[] = {"bidlp", "pdors-ci", "oasis"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        size_t cancelled = cancel(policies[i]);
        print_message("%s: cancelled %zu times\n", policies[i], cancelled);
        assert_true(cancelled > 50);
    }
}

/* ---- misuse ---- */

static void expect_refused(session *s, const session *plain, int slot, size_t n, const berth_job *jobs,
                           berth_decision **out, berth_status expected, const char *where, const char *message) {
    berth_error error = {0};
    assert_int_equal(berth_submit_batch(s->scheduler, slot, n, jobs, out, &error), expected);
    assert_string_equal(error.where, where);
    if (strstr(error.message, message) == NULL) {
        fail_msg("message is \"%s\", expected \"%s\"", error.message, message);
    }
    for (size_t i = 0; i < n && out != NULL; i++) {
        assert_null(out[i]);
    }
    expect_same_state(plain, s);
}

static void test_misuse_changes_nothing(void **state) {
    (void)state;
    rich_instance *rich = rich_instance_new(3, 8, 16);
    const berth_instance *in = rich_instance_of(rich);
    session *s = session_new(in, 1), *plain = session_new(in, 1);
    int slot = 0;
    for (; slot < 5; slot++) {
        decide(plain, slot, arrivals(plain, slot));
        decide(s, slot, arrivals(s, slot));
    }
    berth_job jobs[2] = {in->jobs[s->n], in->jobs[s->n]};
    jobs[0].arrival_slot = jobs[1].arrival_slot = 5;
    berth_decision *out[2] = {NULL, NULL};
    berth_job past[1] = {jobs[0]};
    past[0].arrival_slot = 3;
    expect_refused(s, plain, 3, 1, past, out, BERTH_E_ARGUMENT, "/arrival_slot", "is 3; expected 4 or later");
    expect_refused(s, plain, 3, 0, NULL, NULL, BERTH_E_ARGUMENT, "slot", "is 3; expected 4 or later");
    expect_refused(s, plain, -1, 0, NULL, NULL, BERTH_E_ARGUMENT, "slot", "slot is -1; expected 0 to 7");
    expect_refused(s, plain, 8, 2, jobs, out, BERTH_E_ARGUMENT, "slot", "slot is 8; expected 0 to 7");
    jobs[1].arrival_slot = 6;
    expect_refused(s, plain, 5, 2, jobs, out, BERTH_E_ARGUMENT, "/jobs/1/arrival_slot",
                   "is 6; expected the batch's slot, 5");
    jobs[1].arrival_slot = 5;
    jobs[1].epochs = (double)NAN;
    expect_refused(s, plain, 5, 2, jobs, out, BERTH_E_INPUT, "/jobs/1/epochs", "");
    jobs[1].epochs = 1;
    expect_refused(s, plain, 5, 2, NULL, out, BERTH_E_ARGUMENT, "", "must not be NULL");
    expect_refused(s, plain, 5, 2, jobs, NULL, BERTH_E_ARGUMENT, "out", "out must not be NULL");
    berth_error error = {0};
    assert_int_equal(berth_submit_batch(NULL, 5, 2, jobs, out, &error), BERTH_E_ARGUMENT);
    berth_decision *plan = NULL;
    assert_int_equal(berth_present_plan(NULL, 0, &plan, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_present_plan(s->scheduler, 0, NULL, &error), BERTH_E_ARGUMENT);
    assert_int_equal(berth_present_plan(s->scheduler, s->n, &plan, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "number");
    assert_null(plan);
    for (size_t i = 0; i < s->n; i++) {
        if (!s->decisions[i]->admitted) {
            assert_int_equal(berth_present_plan(s->scheduler, i, &plan, &error), BERTH_E_ARGUMENT);
            assert_null(plan);
        }
    }
    for (; slot < 8; slot++) {
        size_t first = s->n;
        decide(plain, slot, arrivals(plain, slot));
        decide(s, slot, arrivals(s, slot));
        for (size_t i = first; i < s->n; i++) {
            expect_same_decision(plain->decisions[i], s->decisions[i]);
        }
        expect_same_state(plain, s);
    }
    session_free(s);
    session_free(plain);
    rich_instance_free(rich);
}

/* The plan of no job; an unknown effort. */
static void test_misuse_of_options(void **state) {
    (void)state;
    rich_instance *rich = rich_instance_new(3, 4, 4);
    berth_cluster cluster;
    berth_instance_cluster(rich_instance_of(rich), &cluster);
    double upper[] = {9, 9, 9}, lower[] = {0.1, 0.1, 0.1};
    berth_price_bounds bounds = {
        .struct_size = sizeof bounds, .n_resources = cluster.n_resources, .upper = upper, .lower = lower};
    berth_options options;
    berth_backends *set = NULL;
    berth_error error = {0};
    berth_scheduler *s = NULL;
    berth_decision *plan = NULL;
    checked_run_options("pdors-ci", &options, &set);
    assert_ok(berth_scheduler_new(&cluster, &bounds, &options, &s, &error), error);
    assert_int_equal(berth_present_plan(s, 0, &plan, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "number");
    berth_scheduler_free(s);
    options.policy = "bidlp";
    options.effort = (berth_effort)3;
    assert_int_equal(berth_scheduler_new(&cluster, NULL, &options, &s, &error), BERTH_E_ARGUMENT);
    assert_string_equal(error.where, "effort");
    assert_null(s);
    assert_string_equal(berth_effort_name(BERTH_EFFORT_HIGH), "high");
    assert_null(berth_effort_name((berth_effort)3));
    assert_null(berth_effort_name((berth_effort)-1));
    berth_backends_free(set);
    rich_instance_free(rich);
}

/* ---- prices ---- */

static bool may_use(const berth_job *job, const char *machine) {
    return (job->n_allow == 0 || fnmatch(job->allow[0], machine, 0) == 0) &&
           (job->n_avoid == 0 || fnmatch(job->avoid[0], machine, 0) != 0);
}

/* In capacity, and for every job so far. */
static bool alike(const session *s, int a, int b) {
    const berth_instance *in = s->instance;
    bool same = true;
    for (size_t r = 0; r < in->n_resources; r++) {
        same = same && in->capacity[(size_t)a * in->n_resources + r] == in->capacity[(size_t)b * in->n_resources + r];
    }
    for (size_t i = 0; i < s->n; i++) {
        same = same && may_use(&in->jobs[i], in->machines[a]) == may_use(&in->jobs[i], in->machines[b]);
    }
    return same;
}

/* 0 before anything is known, outside, and where there is no capacity; else above 0 once jobs were seen, and never
 * higher on the machine that is held more, among equals. */
static void test_prices(void **state) {
    (void)state;
    size_t compared = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        rich_instance *rich = rich_instance_new(seed + 21000, 6, 18);
        const berth_instance *in = rich_instance_of(rich);
        int H = (int)in->n_machines, R = (int)in->n_resources;
        session *s = session_new(in, seed);
        assert_true(berth_price(s->scheduler, 0, 0, 0) == 0);
        for (int slot = 0; slot < 3; slot++) {
            decide(s, slot, arrivals(s, slot));
        }
        assert_true(berth_price(s->scheduler, 6, 0, 0) == 0 && berth_price(s->scheduler, 0, H, 0) == 0 &&
                    berth_price(s->scheduler, 0, 0, R) == 0 && berth_price(NULL, 0, 0, 0) == 0);
        for (int t = 2; t < 6; t++) {
            for (int at = 0; at < H * R; at++) {
                int h = at / R, r = at % R;
                double price = berth_price(s->scheduler, t, h, r), capacity = in->capacity[at];
                assert_true(price >= 0 && price < HUGE_VAL);
                assert_true(capacity > 0 || price == 0);
                for (int other = 0; other < H; other++) {
                    if (alike(s, h, other) &&
                        berth_used(s->scheduler, t, h, r) < berth_used(s->scheduler, t, other, r)) {
                        assert_true(price >= berth_price(s->scheduler, t, other, r));
                        compared++;
                    }
                }
            }
        }
        session_free(s);
        rich_instance_free(rich);
    }
    print_message("pairs of machines compared: %zu\n", compared);
    assert_true(compared > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_runs),
        cmocka_unit_test(test_threads_and_repetition),
        cmocka_unit_test(test_between_optimum_and_bound),
        cmocka_unit_test(test_stopped_runs),
        cmocka_unit_test(test_many_classes),
        cmocka_unit_test(test_effort),
        cmocka_unit_test(test_every_moment),
        cmocka_unit_test(test_what_if_leaves_no_trace),
        cmocka_unit_test(test_what_if_says_what_submit_does),
        cmocka_unit_test(test_cancellation_leaves_no_trace),
        cmocka_unit_test(test_misuse_changes_nothing),
        cmocka_unit_test(test_misuse_of_options),
        cmocka_unit_test(test_prices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
