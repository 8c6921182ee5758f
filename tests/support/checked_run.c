#include "tests/support/checked_run.h"

#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/variant.h"

void checked_run_options(const char *policy, berth_options *options, berth_backends **set) {
    berth_options_init(options);
    *set = all_backends();
    options->backends = *set;
    options->policy = policy;
    options->threads = 1;
    options->effort = BERTH_EFFORT_LOW; /* tests are many */
}

/* No job holds a slot after those in which it completes. */
static void expect_no_slot_beyond_need(const berth_instance *instance, const berth_run *run, uint64_t seed) {
    for (size_t i = 0; i < run->n_jobs; i++) {
        const berth_run_job *job = &run->jobs[i];
        double work = instance->jobs[i].epochs * instance->jobs[i].samples, before_last = 0;
        work *= run->truth != NULL ? run->truth[i].work : 1;
        for (size_t k = 0; k + 1 < job->n_slots; k++) {
            before_last += job->slots[k].samples;
        }
        if (job->n_slots > 0 && !(before_last < work * (1 - 1e-10))) {
            fail_msg("seed %lu, job %zu: slot %d is held, but %.17g of %.17g samples are done before",
                     (unsigned long)seed, i, job->completion_slot, before_last, work);
        }
    }
}

berth_run *audited_run(const berth_instance *instance, const berth_options *options, uint64_t seed, const char *what,
                       double *dual) {
    berth_error error;
    berth_run *run = NULL;
    assert_ok(berth_run_online(instance, options, &run, NULL, &error), error);
    expect_no_slot_beyond_need(instance, run, seed);
    berth_report *report = NULL;
    assert_ok(berth_check(instance, run, NULL, &report, &error), error);
    for (size_t i = 0; i < report->n_findings; i++) {
        if (report->findings[i].violated) {
            fail_msg("seed %lu, %s: %s at %s: %s", (unsigned long)seed, what, report->findings[i].rule,
                     report->findings[i].where, report->findings[i].message);
        }
    }
    assert_close(report->utility, run->utility, 1e-9);
    *dual = report->dual;
    berth_report_free(report);
    return run;
}

static void expect_between(const berth_run *run, double optimum, uint64_t seed, const char *what) {
    double slack = 1e-9 * fmax(1, optimum);
    if (!(run->utility <= optimum + slack)) {
        fail_msg("seed %lu, %s: utility %.17g above the optimum %.17g", (unsigned long)seed, what, run->utility,
                 optimum);
    }
    if (!(run->bounds.dual >= optimum - slack)) {
        fail_msg("seed %lu, %s: dual bound %.17g below the optimum %.17g", (unsigned long)seed, what, run->bounds.dual,
                 optimum);
    }
    assert_true(run->bounds.arrival_dual >= optimum - slack);
}

double checked_run(const berth_instance *instance, const berth_options *options, double optimum, uint64_t seed,
                   const char *what) {
    double dual = 0;
    berth_run *run = audited_run(instance, options, seed, what, &dual);
    expect_between(run, optimum, seed, what);
    assert_true(dual >= optimum - 1e-6 * fmax(1, optimum)); /* the auditor's own evaluation is a bound too */
    double utility = run->utility;
    berth_run_free(run);
    return utility;
}

void checked_run_variants(const berth_instance *instance, const berth_options *options, double optimum, uint64_t seed) {
    berth_options few = *options, two = *options;
    few.levels = 1 + (int)(seed % 5);
    two.levels = 2;
    checked_run(instance, &few, optimum, seed, "few levels");
    /* A small upper price keeps prices low on full machines: where a bound over free capacity breaks. */
    variant *v = variant_new(instance);
    variant_prices(v, 0.05 * (double)(1 + seed % 7), 0.01);
    checked_run(variant_instance(v), options, optimum, seed, "small upper price");
    checked_run(variant_instance(v), &few, optimum, seed, "small upper price, few levels");
    checked_run(variant_instance(v), &two, optimum, seed, "small upper price, two levels");
    variant_free(v);
}
