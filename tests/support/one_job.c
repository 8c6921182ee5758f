#include "tests/support/one_job.h"

#include "base/pcg.h"
#include "tests/support/brute_force.h"
#include "tests/support/check.h"

enum { MACHINES = 3, SLOTS = 4, RESOURCES = 2, CELLS = SLOTS * MACHINES * RESOURCES };

typedef struct world {
    double capacity[MACHINES * RESOURCES], worker[RESOURCES], ps[RESOURCES], other[RESOURCES];
    double upper[RESOURCES], lower[RESOURCES];
    const char *machines[MACHINES], *resources[RESOURCES];
    berth_machine_group groups[MACHINES];
    int group_of[MACHINES];
    berth_job job;
    berth_instance instance;
    berth_cluster cluster;
} world;

static double draw(berth__pcg *stream, int low, int high) {
    return (double)berth__pcg_integer(stream, low, high);
}

static void make_world(world *w, berth__pcg *stream, int n_machines) {
    static const char *const machines[] = {"a", "b", "c"}, *const resources[] = {"gpu", "cpu"};
    *w = (world){0};
    for (int h = 0; h < n_machines; h++) {
        w->machines[h] = machines[h];
        w->group_of[h] = h;
        w->capacity[2 * h] = draw(stream, 1, 6);
        w->capacity[2 * h + 1] = draw(stream, 2, 12);
        w->groups[h] = (berth_machine_group){.name = machines[h], .count = 1, .capacity = w->capacity + 2 * h};
    }
    for (int r = 0; r < RESOURCES; r++) {
        w->resources[r] = resources[r];
        w->upper[r] = 4;
        w->lower[r] = 0.01;
    }
    w->worker[0] = draw(stream, 0, 2);
    w->worker[1] = draw(stream, 1, 3);
    w->ps[0] = draw(stream, 0, 3) / 2;
    w->ps[1] = draw(stream, 0, 3);
    w->other[0] = w->other[1] = 1;
    berth_job_init(&w->job);
    w->job.id = "j";
    w->job.epochs = 1;
    w->job.samples = 10 * draw(stream, 1, 6); /* whole worker-slots of 10 samples */
    w->job.batch = 1;
    w->job.max_workers = (int)draw(stream, 1, 4);
    w->job.sample_seconds = 1;
    w->job.workers_per_ps = draw(stream, 1, 3);
    w->job.bandwidth_internal_mb_s = w->job.bandwidth_external_mb_s = 1;
    w->job.worker = w->worker;
    w->job.ps = w->ps;
    w->job.utility = (berth_utility){.kind = BERTH_UTILITY_CONSTANT, .value = 1000};
    w->instance = (berth_instance){.name = "planning",
                                   .source = "",
                                   .slot_seconds = 10,
                                   .horizon_slots = SLOTS,
                                   .n_resources = RESOURCES,
                                   .resources = w->resources,
                                   .n_groups = (size_t)n_machines,
                                   .groups = w->groups,
                                   .n_machines = (size_t)n_machines,
                                   .machines = w->machines,
                                   .machine_group = w->group_of,
                                   .capacity = w->capacity,
                                   .n_jobs = 1,
                                   .jobs = &w->job,
                                   .price_floor = (double)NAN};
    berth_instance_cluster(&w->instance, &w->cluster);
}

/* Fills some of the cluster with small jobs of another shape. */
static void crowd(berth_scheduler *s, const world *w, berth__pcg *stream) {
    for (int n = (int)draw(stream, 0, 5); n > 0; n--) {
        berth_job other = w->job;
        char id[] = {'o', (char)('0' + n), '\0'};
        other.id = id;
        other.samples = 10 * draw(stream, 1, 4);
        other.max_workers = (int)draw(stream, 1, 3);
        other.worker = w->other;
        berth_error error;
        berth_decision *d = NULL;
        assert_ok(berth_submit(s, &other, &d, &error), error);
        berth_decision_free(d);
    }
}

static void read_scheduler(const berth_scheduler *s, const world *w, double *prices, double *free) {
    int H = (int)w->cluster.n_machines;
    for (int t = 0; t < SLOTS; t++) {
        for (int h = 0; h < H; h++) {
            for (int r = 0; r < RESOURCES; r++) {
                int at = (t * H + h) * RESOURCES + r;
                prices[at] = berth_price(s, t, h, r);
                free[at] = fmax(0, w->capacity[h * RESOURCES + r] - berth_used(s, t, h, r));
            }
        }
    }
}

one_job_answer one_job_ask(int n_machines, uint64_t seed, const berth_options *options) {
    berth__pcg stream = berth__pcg_seed(777, seed);
    world w;
    make_world(&w, &stream, n_machines);
    berth_price_bounds bounds = {
        .struct_size = sizeof bounds, .n_resources = RESOURCES, .upper = w.upper, .lower = w.lower};
    berth_error error;
    berth_scheduler *s = NULL;
    assert_ok(berth_scheduler_new(&w.cluster, &bounds, options, &s, &error), error);
    crowd(s, &w, &stream);
    double prices[CELLS], free[CELLS];
    read_scheduler(s, &w, prices, free);
    berth_decision *d = NULL;
    assert_ok(berth_what_if(s, &w.job, &d, &error), error);
    one_job_answer answer = {.least = brute_force_schedule_cost(&w.instance, 0, SLOTS - 1, prices, free),
                             .admitted = d->admitted,
                             .paid = d->price_paid};
    if (d->admitted) {
        /* All completions earn the same, so the best plan is the cheapest by the horizon. */
        assert_at_most(answer.least, d->price_paid, 1e-9);
        assert_at_most(d->utility - d->price_paid, d->payoff_bound, 1e-9);
    }
    berth_decision_free(d);
    berth_scheduler_free(s);
    return answer;
}

void one_machine_is_exact(const berth_options *options) {
    int found = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        one_job_answer answer = one_job_ask(1, seed, options);
        assert_true(answer.admitted == (answer.least < HUGE_VAL));
        if (answer.admitted) {
            assert_close(answer.paid, answer.least, 1e-9);
            found++;
        }
    }
    assert_true(found > 500);
}
