/* berth_explain on small random instances against a slow twin: what machines have, by what is held in public; the least
 * changes, by dry runs of every step in turn. Where the twin finds that more of a change never hurts, both agree; where
 * it does hurt now and then, for policies are heuristics, what is found is admitted, and the step before is not. Such
 * changes are counted, and few. An explanation changes nothing, to the last bit. Seeds are fixed: no false failures. */
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/checked_run.h"
#include "tests/support/job_twin.h"
#include "tests/support/rich_instance.h"
#include "tests/support/sanitized.h"
#include "tests/support/scheduler_state.h"

#include <berth_io.h>

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 8, FACTORS = 5400 };

typedef struct tally {
    size_t explained, level, hurting, found[3], verdicts[5];
} tally;

typedef struct session {
    const berth_instance *instance;
    berth_options options;
    berth_backends *set;
    berth_scheduler *scheduler;
    bool draining; /* machine 0 */
} session;

static session session_new(const char *policy, const berth_instance *instance, uint64_t seed) {
    session s = {.instance = instance};
    checked_run_options(policy, &s.options, &s.set);
    s.options.seed = seed;
    s.options.effort = BERTH_EFFORT_LOW;
    berth_cluster cluster;
    berth_instance_cluster(instance, &cluster);
    berth_price_bounds bounds;
    berth_error error;
    assert_ok(berth_price_bounds_compute(&cluster, instance->jobs, instance->n_jobs, 1e-4, &bounds, &error), error);
    assert_ok(berth_scheduler_new(&cluster, &bounds, &s.options, &s.scheduler, &error), error);
    berth_price_bounds_clear(&bounds);
    return s;
}

/* ---- machines ---- */

static bool too_much(double load, double capacity) {
    return load > capacity * (1 + 1e-9);
}

static void check_full(const session *s, const berth_job *job, const berth_machine_reason *reason, const int *lacking,
                       const double *most) {
    for (size_t r = 0; r < s->instance->n_resources; r++) {
        assert_true(lacking[r] <= lacking[reason->resource]);
    }
    assert_true(reason->needed == job->worker[reason->resource]);
    assert_close(reason->most, most[reason->resource], 1e-9);
    assert_true(reason->free_slots == 0 && isnan(reason->price));
}

static berth_machine_verdict check_machine(const session *s, const berth_job *job, const berth_machine_reason *reason) {
    const berth_instance *in = s->instance;
    size_t R = in->n_resources, h = (size_t)reason->machine;
    const double *capacity = in->capacity + h * R;
    if (!job_twin_allows(job, in->machines[h])) {
        return BERTH_VERDICT_FORBIDDEN;
    }
    if (s->draining && h == 0) {
        return BERTH_VERDICT_CLOSED;
    }
    for (size_t r = 0; r < R; r++) {
        if (too_much(job->worker[r], capacity[r])) {
            assert_true(reason->needed == job->worker[reason->resource] && reason->most == capacity[reason->resource]);
            assert_true(reason->needed > reason->most);
            return BERTH_VERDICT_TOO_SMALL;
        }
    }
    int free_slots = 0, lacking[3] = {0};
    double cheapest = HUGE_VAL, most[3] = {0};
    for (int t = job->arrival_slot; t < in->horizon_slots; t++) {
        bool room = true;
        double price = 0;
        for (size_t r = 0; r < R; r++) {
            double used = berth_used(s->scheduler, t, (int)h, (int)r);
            bool lacks = too_much(job->worker[r], fmax(0, capacity[r] - used));
            most[r] = fmax(most[r], capacity[r] - used);
            lacking[r] += lacks;
            room = room && !lacks;
            price += job->worker[r] * berth_price(s->scheduler, t, (int)h, (int)r);
        }
        free_slots += room;
        cheapest = room ? fmin(cheapest, price) : cheapest;
    }
    if (free_slots == 0) {
        check_full(s, job, reason, lacking, most);
        return BERTH_VERDICT_FULL;
    }
    assert_int_equal(reason->free_slots, free_slots);
    assert_close(reason->price, cheapest, 1e-9);
    return BERTH_VERDICT_FREE;
}

/* ---- changes ---- */

/* -1: rejected. */
static int completion_of(const session *s, const berth_job *job) {
    berth_error error;
    berth_decision *d = NULL;
    assert_ok(berth_what_if(s->scheduler, job, &d, &error), error);
    int slot = d->completion_slot;
    assert_true(d->admitted == (slot >= 0));
    berth_decision_free(d);
    return slot;
}

/* A step of each change, and what it comes to. */
typedef struct changed {
    berth_job job;
    berth_step steps[SLOTS];
    double value;
} changed;

static void later(const berth_job *job, int i, changed *out) {
    out->value = i;
    out->job.utility = (berth_utility){.kind = BERTH_UTILITY_STEPS, .n_steps = SLOTS, .steps = out->steps};
    for (int d = 0; d < SLOTS; d++) {
        out->steps[d] = (berth_step){.delay_slots = d, .value = job_twin_utility(&job->utility, d < i ? 0 : d - i)};
    }
}

static void worth_more(const berth_job *job, int i, changed *out) {
    double decade[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    out->value = (100 + i % 900) * decade[i / 900] / 100;
    out->job.utility.value *= out->value;
    out->job.utility.theta[0] *= out->value;
    out->job.utility.steps = out->steps;
    for (size_t k = 0; k < job->utility.n_steps; k++) {
        out->steps[k] = (berth_step){job->utility.steps[k].delay_slots, job->utility.steps[k].value * out->value};
    }
}

static void wider(const berth_job *job, int i, changed *out) {
    out->value = job->max_workers + i;
    out->job.max_workers = job->max_workers + i;
}

typedef void change(const berth_job *job, int i, changed *out);

static int try_step(const session *s, const berth_job *job, change *make, int i, double *value) {
    changed c = {.job = *job};
    make(job, i, &c);
    *value = c.value;
    return completion_of(s, &c.job);
}

/* Steps 1, 1 + stride, ..., n. *level: from the first that is admitted on, all are. 0: none is. */
static int first_admitted(const session *s, const berth_job *job, change *make, int n, int stride, bool *level) {
    int first = 0;
    *level = true;
    for (int i = 1; i <= n; i += stride) {
        double value;
        bool admitted = try_step(s, job, make, i, &value) >= 0;
        *level = *level && (admitted || first == 0);
        first = first == 0 && admitted ? i : first;
    }
    return first;
}

/* Of the step found (0: none) and the steps scanned: does one that is refused lie behind one that is admitted? i is
 * admitted and i - 1 is not, see below; without any, step n is refused. */
static bool disagree(const session *s, const berth_job *job, change *make, int n, int stride, int first, int i) {
    double value;
    return i > 0 ? first == 0 || i > first || i <= first - stride : first > 0 && try_step(s, job, make, n, &value) < 0;
}

static void check_change(const session *s, const berth_job *job, change *make, int n, int stride,
                         const berth_least_change *found, tally *sum) {
    bool level;
    int first = first_admitted(s, job, make, n, stride, &level), i = 0;
    double value = (double)NAN;
    while (found->found && value != found->value) {
        assert_true(++i <= n);
        changed c = {.job = *job};
        make(job, i, &c);
        value = c.value;
    }
    level = level && (stride == 1 || !disagree(s, job, make, n, stride, first, i));
    sum->level += level;
    sum->hurting += !level;
    if (level) {
        assert_true(found->found == (first > 0));
        assert_true(i <= first && (i > first - stride || first == 0));
    }
    if (i > 0) {
        int completion = try_step(s, job, make, i, &value);
        assert_true(completion >= 0 && completion == found->completion_slot);
        assert_true(i == 1 || try_step(s, job, make, i - 1, &value) < 0);
    } else {
        assert_true(isnan(found->value) && found->completion_slot == -1);
    }
}

/* Twice what is of any use. */
static int most_steps_wider(const session *s, const berth_job *job) {
    double room = 0;
    for (size_t h = 0; h < s->instance->n_machines; h++) {
        room += s->instance->capacity[h * s->instance->n_resources] / job->worker[0] + 1;
    }
    return 2 * (int)room;
}

static void check_explanation(const session *s, const berth_job *job, int stride, tally *sum) {
    size_t R = s->instance->n_resources;
    char *before = scheduler_state(s->scheduler, R);
    berth_error error;
    berth_explanation *e = NULL;
    assert_ok(berth_explain(s->scheduler, job, &e, &error), error);
    expect_state(s->scheduler, R, before, "an explanation");
    assert_true(e->admitted == (completion_of(s, job) >= 0));
    assert_true(e->dry_runs >= 1 && e->dry_runs <= 70);
    assert_int_equal(e->n_machines, s->instance->n_machines);
    for (size_t h = 0; h < e->n_machines; h++) {
        assert_int_equal(e->machines[h].machine, h);
        assert_int_equal(e->machines[h].verdict, check_machine(s, job, &e->machines[h]));
        sum->verdicts[e->machines[h].verdict]++;
    }
    if (!e->admitted) {
        sum->explained++;
        int slots = job->utility.kind == BERTH_UTILITY_CONSTANT ? 0 : SLOTS - 1 - job->arrival_slot;
        check_change(s, job, later, slots, 1, &e->later_slots, sum);
        check_change(s, job, worth_more, FACTORS, stride, &e->utility_factor, sum);
        check_change(s, job, wider, most_steps_wider(s, job), 1, &e->max_workers, sum);
        sum->found[0] += e->later_slots.found;
        sum->found[1] += e->utility_factor.found;
        sum->found[2] += e->max_workers.found;
    }
    berth_explanation_free(e);
}

static void check_policy(const char *policy, uint64_t seeds, int stride, double most_hurting) {
    tally sum = {0};
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        rich_instance *rich = rich_instance_new(seed + 70000, SLOTS, 24);
        session s = session_new(policy, rich_instance_of(rich), seed);
        for (size_t i = 0; i < s.instance->n_jobs; i++) {
            const berth_job *job = &s.instance->jobs[i];
            berth_error error;
            if (seed % 2 == 0 && i == s.instance->n_jobs / 2) {
                assert_ok(berth_drain_machine(s.scheduler, 0, &error), error);
                s.draining = true;
            }
            if (i % 2 == 0) {
                check_explanation(&s, job, stride, &sum);
            }
            berth_decision *d = NULL;
            assert_ok(berth_submit(s.scheduler, job, &d, &error), error);
            berth_decision_free(d);
        }
        berth_scheduler_free(s.scheduler);
        berth_backends_free(s.set);
        rich_instance_free(rich);
    }
    print_message("%s: %zu rejections explained; changes found: %zu later, %zu worth more, %zu wider; %zu changes hurt "
                  "now and then, %zu never; machines free %zu, forbidden %zu, closed %zu, too small %zu, full %zu\n",
                  policy, sum.explained, sum.found[0], sum.found[1], sum.found[2], sum.hurting, sum.level,
                  sum.verdicts[0], sum.verdicts[1], sum.verdicts[2], sum.verdicts[3], sum.verdicts[4]);
    assert_true(sum.explained > 3 * seeds);
    assert_true((double)sum.hurting < most_hurting * (double)sum.level);
    for (size_t i = 0; i < 3; i++) {
        assert_true(sum.found[i] > seeds / 10);
    }
    for (size_t i = 0; i < 5; i++) {
        assert_true(sum.verdicts[i] > seeds / 4);
    }
}

static void test_pdors_ci(void **state) {
    (void)state;
    check_policy("pdors-ci", SANITIZED ? 20 : 150, 30, 0.02);
}

static void test_bidlp(void **state) {
    (void)state;
    check_policy("bidlp", SANITIZED ? 8 : 40, 300, 0.2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pdors_ci),
        cmocka_unit_test(test_bidlp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
