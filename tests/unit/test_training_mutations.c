/* Real runs of measured trainings with one number, flag or word changed at a time: each change is found, or its field
 * is on the list of what is not judged. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"
#include "tests/support/mutations.h"
#include "tests/support/own_folder.h"
#include "tests/support/training_case.h"

#include <math.h>
#include <string.h>

/* Fields that may change unnoticed, with why. */
static const struct {
    const char *field, *why;
} free_fields[] = {
    {"/seed", "an input"},
    {"/p", "an input; within what the policy takes"},
    {"/demote_gpu_s", "an input, above 0"},
    {"/horizon_s", "an input; beyond the end"},
    {"/versions/*", "who made it"},
};

static bool is_free(void *user, const char *field, bool was_null, double to) {
    (void)user;
    (void)was_null;
    (void)to;
    for (size_t i = 0; i < sizeof free_fields / sizeof *free_fields; i++) {
        const size_t n = strlen(free_fields[i].field);
        const bool prefix = free_fields[i].field[n - 1] == '*';
        if (prefix ? strncmp(field, free_fields[i].field, n - 1) == 0 : strcmp(field, free_fields[i].field) == 0)
            return true;
    }
    return false;
}

/* A refusal to read it is as good as a violation. */
static bool is_noticed(void *user, json_t *result) {
    const berth_goodput_workload *workload = user;
    berth_goodput_run *run = NULL;
    assert_int_equal(json_dump_file(result, path_of("m.json"), JSON_COMPACT), 0);
    if (berth_goodput_run_read(path_of("m.json"), workload, &run, NULL) != BERTH_OK)
        return true;
    const bool noticed = training_case_violations(workload, run, false) > 0;
    berth_goodput_run_free(run);
    return noticed;
}

static void survey(const training_case *c, berth_goodput_policy policy) {
    berth_error error = {0};
    berth_goodput_run *run = training_case_run(&c->workload, policy);
    assert_ok(berth_goodput_run_write(run, &c->workload, path_of("r.json"), &error), error);
    berth_goodput_run_free(run);
    berth_goodput_workload workload = c->workload;
    const mutations m = {.result = json_load_file(path_of("r.json"), 0, NULL),
                         .is_noticed = is_noticed,
                         .is_free = is_free,
                         .user = &workload};
    assert_non_null(m.result);
    mutations_expect_noticed(&m, berth_goodput_policy_name(policy), 60);
    json_decref(m.result);
}

/* Jobs that begin, wait and change places, none of them done at the end of a round. Gradients are noisy and time is not
 * rounded, so that batches tell. */
static void every_change_is_noticed(void **state) {
    (void)state;
    training_case c;
    training_case_plain(&c);
    c.workload.tick_s = 0;
    for (size_t e = 0; e < 2; e++)
        c.measured[0].var[0][e] = 7;
    training_case_add(&c, 0, 3, 4);
    training_case_add(&c, 70, 2, 8);
    training_case_add(&c, 75, 1, 6);
    for (int policy = 0; berth_goodput_policy_name((berth_goodput_policy)policy); policy++)
        survey(&c, (berth_goodput_policy)policy);
}

/* ---- what progress does not tell ---- */

/* Violations of the run with its spans changed by `change`. */
static size_t changed(const training_case *c, const berth_goodput_run *run, void (*change)(berth_goodput_span *span)) {
    berth_goodput_span spans[16];
    berth_trained_job job = run->jobs[0];
    berth_goodput_run other = *run;
    assert_true(job.n_spans > 0 && job.n_spans <= 16);
    for (size_t k = 0; k < job.n_spans; k++) {
        spans[k] = job.spans[k];
        change(&spans[k]);
    }
    job.spans = spans;
    other.jobs = &job;
    return training_case_violations(&c->workload, &other, false);
}

static void nothing(berth_goodput_span *span) {
    (void)span;
}

static void one_more(berth_goodput_span *span) {
    span->local++;
}

static void one_less(berth_goodput_span *span) {
    span->local--;
}

/* Without noise all batches are worth the same, and up to 10000 a replica take as long, so that completions stay what
 * they are. */
static void batches_are_those_of_the_policy(void **state) {
    (void)state;
    for (int policy = 0; berth_goodput_policy_name((berth_goodput_policy)policy); policy++) {
        training_case c;
        training_case_plain(&c);
        c.applications[0].max_batch = c.applications[0].max_local = 100000;
        c.applications[0].accumulation = true;
        for (size_t k = 0; k < TRAINING_PLACEMENTS; k++)
            c.measured[0].local[k][2] = 100000;
        training_case_add(&c, 0, 2, 900);
        berth_goodput_run *run = training_case_run(&c.workload, (berth_goodput_policy)policy);
        assert_int_equal(changed(&c, run, nothing), 0);
        assert_true(changed(&c, run, one_more) > 0);
        assert_true(changed(&c, run, one_less) > 0);
        berth_goodput_run_free(run);
    }
}

static void ends_are_as_claimed(void **state) {
    (void)state;
    training_case c;
    berth_error error;
    berth_goodput_run *run = NULL;
    berth_goodput_run_options options;
    training_case_plain(&c);
    training_case_add(&c, 0, 1, 4);
    training_case_add(&c, 0, 1, 4);
    berth_goodput_run_options_init(&options);
    options.policy = BERTH_GOODPUT_TIRESIAS;
    options.horizon_s = 120; /* neither is done */
    assert_ok(berth_goodput_simulate(&c.workload, &options, &run, &error), error);
    assert_int_equal(run->completed, 0);
    assert_int_equal(training_case_violations(&c.workload, run, true), 0);
    berth_goodput_run other = *run;
    other.stopped = true; /* it may have been */
    assert_int_equal(training_case_violations(&c.workload, &other, false), 0);
    other.stopped = false;
    other.horizon_s = (double)NAN;
    assert_int_equal(training_case_violations(&c.workload, &other, false), 1);
    other.stopped = true;
    assert_int_equal(training_case_violations(&c.workload, &other, false), 0);
    berth_goodput_run_free(run);
}

/* A policy says what else is said. */
static void words_go_together(void **state) {
    (void)state;
    training_case c;
    training_case_plain(&c);
    training_case_add(&c, 0, 1, 4);
    berth_goodput_run *run = training_case_run(&c.workload, BERTH_GOODPUT_SIA);
    berth_goodput_run other = *run;
#define VIOLATIONS(change, n)                                                                                          \
    do {                                                                                                               \
        other = *run;                                                                                                  \
        change;                                                                                                        \
        assert_int_equal(training_case_violations(&c.workload, &other, false), n);                                     \
    } while (0)
    VIOLATIONS((void)0, 0);
    VIOLATIONS(other.allocator = NULL, 1);
    VIOLATIONS(other.batches = NULL, 1);
    VIOLATIONS(other.batches = "finer", 1);
    VIOLATIONS(other.p = -2, 0);
    VIOLATIONS(other.p = 0, 1); /* Sia's is below */
    VIOLATIONS(other.p = 65, 1);
    VIOLATIONS(other.demote_gpu_s = 57600, 1);
    VIOLATIONS(other.policy = "pollux", 0);
    VIOLATIONS(other.policy = "optimus", 2); /* has neither allocator nor batches */
    VIOLATIONS(other.policy = "sai"; other.allocator = other.batches = NULL, 1);
    VIOLATIONS(other.policy = "external"; other.batches = "finer", 0);
    VIOLATIONS(other.stopped = true, 1);
#undef VIOLATIONS
    berth_goodput_run_free(run);
}

/* At 120 s a round ends, and with it a batch; then 0.3 s of the first epoch are left, which rounds to nothing, and the
 * batch changes again. With the last batch they would be 0.6 s. */
static void batches_change_twice_at_a_time(void **state) {
    (void)state;
    training_case c;
    berth_error error;
    berth_report *report = NULL;
    training_case_plain(&c);
    training_case_add(&c, 0, 1, 4);
    c.measured[0].step_s[0][0] = 2; /* m = 1 */
    c.measured[0].progress[0][0] = 30.3;
    c.measured[0].progress[0][1] = 40.3;
    const berth_node_gpus one = {0, 1};
    const berth_goodput_span spans[] = {
        {60, 1, &one, true, 4, 0}, {120, 1, &one, false, 16, 0}, {120, 1, &one, false, 1, 0}};
    const berth_trained_job job = {.start_s = 60, .completion_s = 140, .n_spans = 3, .spans = spans};
    const berth_goodput_run run = {
        .workload = "case", .policy = "external", .rounds = 4, .end_s = 240, .n_jobs = 1, .jobs = &job};
    assert_ok(berth_check_goodput_run(&c.workload, &run, NULL, &report, &error), error);
    for (size_t k = 0; k < report->n_findings; k++)
        if (strcmp(report->findings[k].rule, "completion") == 0 || strcmp(report->findings[k].rule, "progress") == 0)
            fail_msg("%s: %s", report->findings[k].where, report->findings[k].message);
    berth_report_free(report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_is_noticed),
        cmocka_unit_test(batches_are_those_of_the_policy),
        cmocka_unit_test(ends_are_as_claimed),
        cmocka_unit_test(words_go_together),
        cmocka_unit_test(batches_change_twice_at_a_time),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
