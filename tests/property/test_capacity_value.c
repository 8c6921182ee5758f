/* What berth.h says of berth_capacity_value, on small random instances with prices as submissions have left them:
 *   - where every job fits wholly on every machine that holds its units, the bound that the prices prove rises by d
 *     times the value with d units more, in all slots or in some of them;
 *   - elsewhere it rises by that but for what jobs pay at most, which changes where schedules are limited by what a
 *     machine is when empty;
 *   - the optimum of the schedule LP is never above the bound, before and after.
 * Seeds are fixed: no false failures. */
#include "base/pcg.h"
#include "online/bound.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/checked_run.h"
#include "tests/support/compact_lp.h"
#include "tests/support/rich_instance.h"
#include "tests/support/sanitized.h"

#include <berth_io.h>

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4, JOBS = 10, RESOURCES = 3, MACHINES = 6, LEVELS = 200 };

typedef struct world {
    rich_instance *rich;
    const berth_instance *instance;
    berth_cluster cluster;
    double capacity[MACHINES * RESOURCES];
    berth_job jobs[JOBS];
    berth_options options;
    berth_backends *set;
    berth_scheduler *scheduler;
    double total[RESOURCES];
    double prices[SLOTS * MACHINES * RESOURCES]; /* per share */
} world;

static void read_prices(world *w) {
    size_t R = w->cluster.n_resources, H = w->cluster.n_machines;
    for (size_t i = 0; i < H * R; i++) {
        w->total[i % R] += w->capacity[i];
    }
    for (size_t i = 0; i < SLOTS * H * R; i++) {
        double price = berth_price(w->scheduler, (int)(i / (H * R)), (int)(i / R % H), (int)(i % R));
        w->prices[i] = price * w->total[i % R];
    }
}

/* All jobs come in slot 0. roomy: no machine that holds any of a job is too small for all of it. */
static world *world_new(const char *policy, uint64_t seed, bool roomy) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->rich = rich_instance_new(seed + 40000, SLOTS, JOBS);
    w->instance = rich_instance_of(w->rich);
    berth_instance_cluster(w->instance, &w->cluster);
    size_t n = w->cluster.n_machines * w->cluster.n_resources;
    assert_true(w->cluster.n_machines <= MACHINES && w->cluster.n_resources <= RESOURCES);
    for (size_t i = 0; i < n; i++) {
        w->capacity[i] = w->cluster.capacity[i] * (roomy ? 20 : 1);
    }
    w->cluster.capacity = w->capacity;
    memcpy(w->jobs, w->instance->jobs, sizeof w->jobs);
    for (int i = 0; i < JOBS; i++) {
        w->jobs[i].arrival_slot = 0;
    }
    checked_run_options(policy, &w->options, &w->set);
    w->options.levels = LEVELS;
    berth_price_bounds bounds;
    berth_error error;
    assert_ok(berth_price_bounds_compute(&w->cluster, w->jobs, JOBS, 1e-4, &bounds, &error), error);
    assert_ok(berth_scheduler_new(&w->cluster, &bounds, &w->options, &w->scheduler, &error), error);
    berth_price_bounds_clear(&bounds);
    for (int i = 0; i < JOBS; i++) {
        berth_decision *d = NULL;
        assert_ok(berth_submit(w->scheduler, &w->jobs[i], &d, &error), error);
        berth_decision_free(d);
    }
    read_prices(w);
    return w;
}

static void world_free(world *w) {
    berth_scheduler_free(w->scheduler);
    berth_backends_free(w->set);
    rich_instance_free(w->rich);
    free(w);
}

/* ---- the bound ---- */

typedef struct proof {
    double payoffs; /* sum of max(0, lambda_i) */
    double value;   /* of all capacity, in all slots */
    double lp;      /* optimum of the schedule LP; NAN: not asked for */
} proof;

/* B at the prices, for other capacities in all slots. Shares stay those of the scheduler's cluster. */
static proof prove(const world *w, const double *capacity, bool with_lp) {
    berth_error error;
    berth_cluster spec = w->cluster;
    spec.capacity = capacity;
    bool closed[MACHINES] = {false};
    int class_of[MACHINES];
    berth__cluster *cluster = NULL;
    berth__job *jobs[JOBS] = {NULL};
    assert_ok(berth__cluster_new_within(&spec, w->total, closed, &cluster, &error), error);
    for (int h = 0; h < cluster->n_machines; h++) {
        class_of[h] = h;
    }
    for (int i = 0; i < JOBS; i++) {
        assert_ok(berth__job_new(cluster, &w->jobs[i], &jobs[i], &error), error);
    }
    berth__class_view view;
    double theta[JOBS * SLOTS];
    assert_ok(berth__class_view_new(cluster, cluster->n_machines, class_of, w->prices, &view, &error), error);
    assert_ok(berth__class_thetas(&view, JOBS, jobs, LEVELS, 1, NULL, theta, NULL, &error), error);
    proof p = {.value = berth__class_view_value(&view), .lp = (double)NAN};
    for (int i = 0; i < JOBS; i++) {
        p.payoffs += fmax(0, berth__payoff_bound(cluster, jobs[i], theta + (size_t)i * SLOTS, 1));
    }
    if (with_lp) {
        p.lp = compact_schedule_lp(cluster, JOBS, jobs, LEVELS, cluster->n_machines, class_of);
    }
    berth__class_view_clear(&view);
    for (int i = 0; i < JOBS; i++) {
        berth__job_free(jobs[i]);
    }
    berth__cluster_free(cluster);
    return p;
}

/* ---- more capacity ---- */

typedef struct tally {
    int exact, other, lps;
    double worth, gained; /* by LPs */
} tally;

static void raise_one(const world *w, berth__pcg *g, bool roomy, bool with_lp, tally *sum) {
    size_t R = w->cluster.n_resources, H = w->cluster.n_machines;
    int machine = (int)berth__pcg_integer(g, 0, (int64_t)H - 1),
        resource = (int)berth__pcg_integer(g, 0, (int64_t)R - 1);
    size_t at = (size_t)machine * R + (size_t)resource;
    double more = 0.2 + 3 * berth__pcg_uniform(g), raised[MACHINES * RESOURCES];
    if (!(w->capacity[at] > 0)) {
        return; /* there it has no price */
    }
    memcpy(raised, w->capacity, sizeof raised);
    raised[at] += more;
    double value = berth_capacity_value(w->scheduler, 0, SLOTS, machine, resource);
    assert_true(value > 0 || w->prices[at] == 0);
    proof before = prove(w, w->capacity, with_lp), after = prove(w, raised, with_lp);
    double bound = before.payoffs + before.value, rise = after.payoffs + after.value - bound;
    assert_close(after.value - before.value, more * value, 1e-9 * fmax(1, after.value));
    bool exact = fabs(after.payoffs - before.payoffs) <= 1e-7 * fmax(1, bound);
    assert_true(exact || !roomy);
    assert_true(!exact || fabs(rise - more * value) <= 2e-7 * fmax(1, bound));
    sum->exact += exact;
    sum->other += !exact;
    /* In some slots: the price of capacity is a sum over slots. */
    int first = (int)berth__pcg_integer(g, 0, SLOTS), end = (int)berth__pcg_integer(g, 0, SLOTS);
    double part = 0;
    for (int t = first; t < end; t++) {
        part += w->prices[((size_t)t * H + (size_t)machine) * R + (size_t)resource] / w->total[resource];
    }
    assert_close(berth_capacity_value(w->scheduler, first, end, machine, resource), part, 1e-12);
    if (with_lp) {
        assert_false(isnan(before.lp) || isnan(after.lp));
        assert_at_most(before.lp, bound, 1e-6);
        assert_at_most(after.lp, after.payoffs + after.value, 1e-6);
        assert_at_most(before.lp, after.lp, 1e-6);
        sum->lps++;
        sum->worth += rise;
        sum->gained += after.lp - before.lp;
    }
}

static void check_policy(const char *policy) {
    tally roomy = {0}, tight = {0};
    for (uint64_t seed = 1; seed <= (SANITIZED ? 15 : 60); seed++) {
        berth__pcg g = berth__pcg_seed(0x76616c75, seed);
        for (int wide = 0; wide < 2; wide++) {
            world *w = world_new(policy, seed, wide == 1);
            for (int i = 0; i < 6; i++) {
                raise_one(w, &g, wide == 1, i == 0 && seed % 6 == 0, wide == 1 ? &roomy : &tight);
            }
            world_free(w);
        }
    }
    print_message("%s: roomy machines: exact %d times; small ones: exact %d times, not %d times; %d LPs, gained %g of "
                  "%g\n",
                  policy, roomy.exact, tight.exact, tight.other, roomy.lps + tight.lps, roomy.gained + tight.gained,
                  roomy.worth + tight.worth);
    assert_true(roomy.exact > 60 && tight.exact > 60 && tight.other > 0);
    assert_true(roomy.lps + tight.lps > 2);
}

static void test_pdors_ci(void **state) {
    (void)state;
    check_policy("pdors-ci");
}

static void test_bidlp(void **state) {
    (void)state;
    check_policy("bidlp");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pdors_ci),
        cmocka_unit_test(test_bidlp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
