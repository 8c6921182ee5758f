#include "tests/support/small_scheduler.h"

#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <string.h>

static const char *const resource_names[] = {"gpu"};
static const char *const machine_names[] = {"a", "b"};
static const double capacities[] = {4, 4};
static const double one_gpu[] = {1}, no_gpu[] = {0};

void small_world_init(small_world *w, const char *policy) {
    *w = (small_world){.upper = {80}, .lower = {0.08}};
    berth_cluster_init(&w->cluster);
    w->cluster.slot_seconds = 10;
    w->cluster.horizon_slots = 6;
    w->cluster.n_resources = 1;
    w->cluster.resources = resource_names;
    w->cluster.n_machines = 2;
    w->cluster.machines = machine_names;
    w->cluster.capacity = capacities;
    w->bounds = (berth_price_bounds){
        .struct_size = sizeof w->bounds, .n_resources = 1, .upper = w->upper, .lower = w->lower, .floor = 1e-12};
    berth_options_init(&w->options);
    w->options.policy = policy;
    w->options.threads = 1;
    w->backends = all_backends();
    w->options.backends = w->backends;
}

berth_scheduler *small_scheduler(const small_world *w) {
    berth_error error;
    berth_scheduler *s = NULL;
    assert_ok(berth_scheduler_new(&w->cluster, &w->bounds, &w->options, &s, &error), error);
    return s;
}

berth_job small_job(const char *id, double worker_slots, int max_workers) {
    berth_job job;
    berth_job_init(&job);
    job.id = id;
    job.epochs = 1;
    job.samples = 10 * worker_slots;
    job.batch = 1;
    job.max_workers = max_workers;
    job.sample_seconds = 1;
    job.workers_per_ps = 4;
    job.bandwidth_internal_mb_s = job.bandwidth_external_mb_s = 1;
    job.worker = one_gpu;
    job.ps = no_gpu;
    job.utility = (berth_utility){.kind = BERTH_UTILITY_CONSTANT, .value = 10};
    return job;
}

berth_decision *small_submit(berth_scheduler *s, const berth_job *job) {
    berth_error error;
    berth_decision *d = NULL;
    assert_ok(berth_submit(s, job, &d, &error), error);
    return d;
}

uint64_t small_admit(berth_scheduler *s, const berth_job *job) {
    berth_decision *d = small_submit(s, job);
    uint64_t number = d->number;
    if (!d->admitted) {
        fail_msg("job \"%s\" is rejected: %s", job->id, d->reason);
    }
    berth_decision_free(d);
    return number;
}

void small_pin(berth_job *job, const char *const *glob) {
    job->allow = glob;
    job->n_allow = 1;
}

void expect_changes(berth_scheduler *s, size_t n, const small_change *expected) {
    berth_changes got;
    berth_error error;
    assert_ok(berth_take_changes(s, &got, &error), error);
    for (size_t i = 0; i < got.n && i < n; i++) {
        const berth_change *c = &got.changes[i];
        const small_change *e = &expected[i];
        if (c->number != e->number || strcmp(c->id, e->id) != 0 || c->kind != e->kind || c->slot != e->slot ||
            (e->promised >= 0 && c->promised_slot != e->promised) || c->completion_slot != e->completion ||
            strstr(c->reason, e->reason) == NULL) {
            fail_msg("change %zu: job %d, \"%s\", %s in slot %d, promised %d, completion %d, \"%s\"", i, (int)c->number,
                     c->id, berth_change_kind_name(c->kind), c->slot, c->promised_slot, c->completion_slot, c->reason);
        }
    }
    assert_int_equal(got.n, n);
    berth_changes_clear(&got);
}

double small_held(const berth_scheduler *s, int slot) {
    double sum = 0;
    for (int h = 0; h < (int)berth_machine_count(s); h++) {
        sum += berth_used(s, slot, h, 0);
    }
    return sum;
}
