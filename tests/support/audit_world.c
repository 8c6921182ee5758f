#include "tests/support/audit_world.h"

#include <stdlib.h>
#include <string.h>

static const char *const resources[R] = {"gpu", "cpu"};
static const char *const machines[M] = {"m-0", "m-1", "big"};
static const char *const avoid_big[] = {"b*"};

static void make_jobs(world *w) {
    static const char *const ids[J] = {"ps", "ring", "late"};
    for (int j = 0; j < J; j++) {
        berth_job *job = &w->jobs[j];
        job->struct_size = sizeof *job;
        job->id = ids[j];
        job->arrival_slot = j;
        job->epochs = 1;
        job->samples = 3000;
        job->batch = 8;
        job->max_workers = 4;
        job->sample_seconds = 0.1;
        job->gradient_mb = 8;
        job->workers_per_ps = 2;
        job->bandwidth_internal_mb_s = 100; /* 0.14 s a sample, 0.18 externally */
        job->bandwidth_external_mb_s = 50;
        w->worker[j][0] = 1;
        w->worker[j][1] = 2;
        w->ps[j][1] = 1;
        job->worker = w->worker[j];
        job->ps = w->ps[j];
        job->utility.kind = BERTH_UTILITY_LINEAR;
        job->utility.value = 60;
        job->utility.deadline_slots = 6;
    }
    w->jobs[1].all_reduce = true; /* 0.12 s a sample internally */
    w->jobs[1].ps = NULL;
    w->jobs[1].samples = 1000;
    w->jobs[1].tenant = "tenant";
    w->jobs[1].n_avoid = 1;
    w->jobs[1].avoid = avoid_big;
    w->jobs[1].utility.kind = BERTH_UTILITY_CONSTANT;
    w->jobs[1].utility.value = 10;
    w->jobs[2].samples = 1e7;
}

static void make_instance(world *w) {
    static const double capacity[M * R] = {4, 16, 4, 16, 8, 32};
    memcpy(w->capacity, capacity, sizeof capacity);
    w->quota_amount[0] = 2;
    w->quota_amount[1] = ENDLESS;
    w->quota = (berth_quota){"tenant", w->quota_amount};
    make_jobs(w);
    w->instance = (berth_instance){.name = "tiny",
                                   .source = "",
                                   .slot_seconds = 100,
                                   .horizon_slots = T,
                                   .n_resources = R,
                                   .resources = resources,
                                   .n_machines = M,
                                   .machines = machines,
                                   .capacity = w->capacity,
                                   .n_quotas = 1,
                                   .quotas = &w->quota,
                                   .n_jobs = J,
                                   .jobs = w->jobs,
                                   .price_floor = ABSENT,
                                   .crc32 = 7};
}

/* "ps" runs on m-0 in slot 0, and in slot 1 with its server on m-1, where "ring" joins it. "late" is rejected. */
static void make_schedules(world *w) {
    w->at_0[0] = (berth_placement){0, 4, 2};
    w->at_1[0] = (berth_placement){0, 1, 0};
    w->at_1[1] = (berth_placement){1, 0, 1};
    w->of_1[0] = (berth_placement){1, 2, 0};
    w->slots_0[0] = (berth_slot_plan){0, BERTH_INTERNAL, 400 / 0.14, 1, w->at_0};
    w->slots_0[1] = (berth_slot_plan){1, BERTH_EXTERNAL, 100 / 0.18, 2, w->at_1};
    w->slots_1[0] = (berth_slot_plan){1, BERTH_INTERNAL, 200 / 0.12, 1, w->of_1};
    double paid_0 = 4 * 0.4 + 10 * 0.04 + 0.4 + 3 * 0.04, paid_1 = 2 * 0.4 + 4 * 0.04 * pow(100, 1.0 / 16);
    w->results[0] = (berth_run_job){.id = "ps",
                                    .admitted = true,
                                    .outcome = BERTH_JOB_COMPLETED,
                                    .reason = "",
                                    .promised_slot = 1,
                                    .completion_slot = 1,
                                    .delay_slots = 1,
                                    .utility = 50,
                                    .payoff = 50 - paid_0,
                                    .payoff_bound = 50,
                                    .price_paid = paid_0,
                                    .n_slots = 2,
                                    .slots = w->slots_0};
    w->results[1] = w->results[0];
    w->results[1].id = "ring";
    w->results[1].delay_slots = 0;
    w->results[1].utility = 10;
    w->results[1].payoff = 10 - paid_1;
    w->results[1].price_paid = paid_1;
    w->results[1].n_slots = 1;
    w->results[1].slots = w->slots_1;
    w->results[2] = (berth_run_job){.id = "late",
                                    .outcome = BERTH_JOB_REJECTED,
                                    .reason = "",
                                    .promised_slot = -1,
                                    .completion_slot = -1,
                                    .delay_slots = -1,
                                    .payoff = ABSENT,
                                    .payoff_bound = ABSENT};
}

world *world_new(void) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    make_instance(w);
    make_schedules(w);
    for (int i = 0; i < T * CLASSES * R; i++) {
        w->prices[i] = i % R == 0 ? 0.5 : 0.01;
    }
    w->class_of[2] = 1;
    w->certificate = (berth_certificate){CLASSES, w->class_of, w->prices};
    w->upper[0] = 40;
    w->lower[0] = 0.4;
    w->upper[1] = 4;
    w->lower[1] = 0.04;
    memcpy(w->given_upper, w->upper, sizeof w->upper);
    memcpy(w->given_lower, w->lower, sizeof w->lower);
    w->instance.price_upper = w->given_upper;
    w->instance.price_lower = w->given_lower;
    w->utilisation[0] = 7.0 / (16 * T);
    w->utilisation[1] = 17.0 / (64 * T);
    w->run = (berth_run){.instance = "tiny",
                         .instance_crc32 = 7,
                         .policy = "pdors",
                         .levels = 200,
                         .price_upper = w->upper,
                         .price_lower = w->lower,
                         .price_floor = 1e-12,
                         .closed_form_ratio = ABSENT,
                         .utility = 60,
                         .bounds = {ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, NULL},
                         .certificate = &w->certificate,
                         .n_jobs = J,
                         .jobs = w->results,
                         .summary = {J, 2, 2, 60, 0.5, 0.5, 2, w->utilisation},
                         .n_resources = R};
    return w;
}

berth_report *check(const world *w, const berth_hooks *hooks) {
    berth_error error = {0};
    berth_report *report = NULL;
    assert_ok(berth_check(&w->instance, &w->run, hooks, &report, &error), error);
    assert_non_null(report);
    return report;
}

size_t count(const berth_report *report, bool violated, const char *rule) {
    size_t n = 0;
    for (size_t i = 0; i < report->n_findings; i++) {
        n += report->findings[i].violated == violated && strcmp(report->findings[i].rule, rule) == 0;
    }
    return n;
}

void print_violations(const berth_report *report) {
    for (size_t i = 0; i < report->n_findings; i++) {
        if (report->findings[i].violated) {
            print_message("%s: %s: %s\n", report->findings[i].rule, report->findings[i].where,
                          report->findings[i].message);
        }
    }
}

void assert_clean(const world *w) {
    berth_report *report = check(w, NULL);
    if (report->n_violations > 0) {
        print_violations(report);
    }
    assert_int_equal(report->n_violations, 0);
    berth_report_free(report);
}

void claim_dual(world *w) {
    berth_report *report = check(w, NULL);
    assert_true(report->dual >= 0);
    w->run.bounds.dual = w->run.bounds.best = report->dual;
    w->run.bounds.ratio = report->dual / 60;
    berth_report_free(report);
}
