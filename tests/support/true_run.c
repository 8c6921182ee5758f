#include "tests/support/true_run.h"

#include "base/alloc.h"
#include "online/execution.h"
#include "online/simulate.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <stdlib.h>

static void decide(const true_run *r, const berth_instance *instance, int slot, size_t from, size_t n) {
    berth__job **jobs = r->jobs;
    berth_error error;
    berth_decision *decisions[64] = {NULL};
    assert_true(n <= 64);
    const berth__batch batch = {.slot = slot, .n = n, .jobs = jobs + from, .commit = true};
    assert_ok(berth__decide_batch(r->decider, &batch, NULL, decisions, &error), error);
    for (size_t k = 0; k < n; k++) {
        assert_true(berth__run_set_decision(r->run, instance, from + k, decisions[k]));
        berth_decision_free(decisions[k]);
    }
}

static void execute(const true_run *r, const berth_instance *instance) {
    berth__job **jobs = r->jobs;
    berth_error error;
    berth__execution *x = NULL;
    size_t at = 0;
    assert_ok(berth__execution_new(r->decider, instance, jobs, r->run, &x, &error), error);
    for (int slot = 0; slot < instance->horizon_slots; slot++) {
        size_t n = 0;
        while (at + n < instance->n_jobs && instance->jobs[at + n].arrival_slot == slot) {
            n++;
        }
        assert_ok(berth__execution_open(x, slot, &error), error);
        decide(r, instance, slot, at, n);
        for (size_t i = at; i < at + n; i++) {
            if (r->run->jobs[i].admitted) {
                assert_ok(berth__execution_admit(x, i, i, &error), error);
            }
        }
        assert_ok(berth__execution_run(x, slot, &error), error);
        at += n;
    }
    assert_ok(berth__execution_record(x, &error), error);
    berth__execution_free(x);
}

static void simulate(const true_run *r, const berth_instance *instance) {
    berth_error error;
    berth__budget budget = berth__budget_start(HUGE_VAL, NULL);
    size_t *order = BERTH__NEW_ARRAY(size_t, instance->n_jobs);
    assert_non_null(order);
    for (size_t i = 0; i < instance->n_jobs; i++) {
        order[i] = i;
    }
    assert_ok(berth__simulate(r->decider, instance, r->jobs, order, &budget, r->run, &error), error);
    berth__free(order);
}

true_run true_run_new(const berth_instance *instance, berth_options *options, const berth_truth *truth) {
    size_t R = instance->n_resources;
    berth_backends *set = all_backends();
    berth_error error;
    berth_cluster cluster;
    true_run r = {.backends = set};
    double *upper = BERTH__NEW_ARRAY(double, R), *lower = BERTH__NEW_ARRAY(double, R);
    berth__job **jobs = BERTH__NEW_ARRAY(berth__job *, instance->n_jobs);
    assert_true(upper != NULL && lower != NULL && jobs != NULL);
    for (size_t k = 0; k < R; k++) {
        upper[k] = 1e-6;
        lower[k] = 1e-9;
    }
    berth_price_bounds bounds = {.struct_size = sizeof bounds, .n_resources = R, .upper = upper, .lower = lower};
    options->backends = set;
    berth_instance_cluster(instance, &cluster);
    assert_ok(berth__decider_new(&cluster, &bounds, options, &r.decider, &error), error);
    for (size_t i = 0; i < instance->n_jobs; i++) {
        assert_ok(berth__job_new(r.decider->cluster, &instance->jobs[i], &jobs[i], &error), error);
        assert_true(i == 0 || instance->jobs[i].arrival_slot >= instance->jobs[i - 1].arrival_slot);
    }
    r.jobs = jobs;
    r.run = berth__run_new(instance, &r.decider->options);
    assert_non_null(r.run);
    r.run->noise = 1; /* of some kind */
    r.run->truth = truth;
    if (r.decider->slot_policy != NULL) {
        simulate(&r, instance);
    } else {
        execute(&r, instance);
    }
    assert_true(berth__run_summarise(r.run, instance) && berth__run_summarise_estimation(r.run, jobs));
    berth__free(upper);
    berth__free(lower);
    return r;
}

void true_run_free(true_run *r, const berth_instance *instance) {
    berth__job **jobs = r->jobs;
    berth__decider_free(r->decider);
    for (size_t i = 0; i < instance->n_jobs; i++) {
        berth__job_free(jobs[i]);
    }
    berth__free(jobs);
    berth_run_free(r->run);
    berth_backends_free(r->backends);
}

void true_run_expect_ledger(const true_run *r, const berth_instance *instance) {
    size_t H = instance->n_machines, R = instance->n_resources, T = (size_t)instance->horizon_slots;
    double *held = BERTH__NEW_ARRAY(double, T *H *R);
    assert_non_null(held);
    for (size_t i = 0; i < instance->n_jobs; i++) {
        const berth_job *job = &instance->jobs[i];
        for (size_t k = 0; k < r->run->jobs[i].n_slots; k++) {
            const berth_slot_plan *plan = &r->run->jobs[i].slots[k];
            for (size_t p = 0; p < plan->n_placements; p++) {
                const berth_placement *place = &plan->placements[p];
                for (size_t q = 0; q < R; q++) {
                    held[((size_t)plan->slot * H + (size_t)place->machine) * R + q] +=
                        place->workers * job->worker[q] + (job->ps != NULL ? place->ps * job->ps[q] : 0);
                }
            }
        }
    }
    for (size_t at = 0; at < T * H * R; at++) {
        double used =
            berth__ledger_used(berth__decider_ledger(r->decider), (int)(at / R / H), (int)(at / R % H), (int)(at % R)) *
            r->decider->cluster->total[at % R];
        assert_close(used, held[at], 1e-9);
    }
    berth__free(held);
}
