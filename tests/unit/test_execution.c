/* Jobs that take less or more than declared, worked out by hand: what is free when, and where late jobs go. */
#include "tests/support/check.h"
#include "tests/support/true_run.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 6, MOST_JOBS = 3 };

/* A job of so many worker-slots, of 10 samples each, of one GPU a worker and without servers. Worth 100 if it completes
 * within `within` slots of its arrival; with 0, the more the earlier. */
typedef struct hand_job {
    int arrival;
    double work;
    int max_workers, within;
    bool only_first; /* machine m-0 */
    berth_truth truth;
    const char *due; /* workers by slot, '.': none */
} hand_job;

typedef struct hand_case {
    const char *name;
    int machines, gpus;
    double restart_delay_s;
    hand_job jobs[MOST_JOBS]; /* up to one with work 0 */
    berth_estimation_summary due;
} hand_case;

static const char *const planning[] = {"pdors-ci", "pdors", "bidlp", "oasis"};

static size_t count_jobs(const hand_case *c) {
    size_t n = 0;
    while (n < MOST_JOBS && c->jobs[n].work > 0) {
        n++;
    }
    return n;
}

static berth_instance *make_instance(const hand_case *c) {
    char text[4096];
    int at = snprintf(text, sizeof text,
                      "{\"format\":\"berth-jobs-1\",\"name\":\"hand\",\"slot_seconds\":10,\"horizon_slots\":%d,"
                      "\"resources\":[\"gpu\"],\"machines\":[{\"name\":\"m\",\"count\":%d,\"capacity\":{\"gpu\":%d}},"
                      "{\"name\":\"unused\",\"capacity\":{}}],\"jobs\":[",
                      SLOTS, c->machines, c->gpus);
    for (size_t i = 0; i < count_jobs(c); i++) {
        const hand_job *job = &c->jobs[i];
        char utility[100];
        if (job->within > 0) {
            snprintf(utility, sizeof utility, "\"kind\":\"deadline\",\"value\":100,\"deadline_slots\":%d", job->within);
        } else {
            snprintf(utility, sizeof utility, "\"kind\":\"linear\",\"value\":100,\"deadline_slots\":100");
        }
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "%s{\"id\":\"j%zu\",\"arrival_slot\":%d,\"epochs\":1,\"samples\":%g,\"batch\":8,"
                       "\"max_workers\":%d,\"sample_seconds\":1,\"gradient_mb\":0,\"bandwidth_internal_mb_s\":1,"
                       "\"bandwidth_external_mb_s\":1,\"worker\":{\"gpu\":1},\"ps\":null,%s\"utility\":{%s}}",
                       i > 0 ? "," : "", i, job->arrival, 10 * job->work, job->max_workers,
                       job->only_first ? "\"allow\":[\"m-0\",\"m\"]," : "", utility);
    }
    at += snprintf(text + at, sizeof text - (size_t)at, "]}");
    berth_error error;
    berth_instance *instance = NULL;
    assert_true((size_t)at < sizeof text);
    assert_ok(berth_instance_parse(text, (size_t)at, &instance, &error), error);
    return instance;
}

static void expect_slots(const hand_case *c, const char *policy, size_t i, const berth_run_job *job, const char *due) {
    char found[SLOTS + 1] = "......";
    double samples = 0;
    for (size_t k = 0; k < job->n_slots; k++) {
        const berth_slot_plan *plan = &job->slots[k];
        int workers = 0;
        for (size_t p = 0; p < plan->n_placements; p++) {
            workers += plan->placements[p].workers;
        }
        found[plan->slot] = (char)('0' + workers);
        samples += plan->samples;
    }
    if (strcmp(found, due) != 0) {
        fail_msg("%s, %s, job %zu: %s; expected %s", c->name, policy, i, found, due);
    }
    const hand_job *hand = &c->jobs[i];
    bool done = samples >= 10 * hand->work * hand->truth.work * (1 - 1e-9);
    int last = (int)(strrchr(due, '.') == NULL ? SLOTS : 0);
    for (int t = 0; t < SLOTS; t++) {
        last = due[t] != '.' ? t : last;
    }
    assert_int_equal(job->outcome, job->n_slots == 0 ? BERTH_JOB_REJECTED
                                   : done            ? BERTH_JOB_COMPLETED
                                                     : BERTH_JOB_UNFINISHED);
    assert_int_equal(job->completion_slot, done && job->n_slots > 0 ? last : -1);
    int delay = last - hand->arrival;
    double worth = hand->within > 0 ? (delay <= hand->within ? 100 : 0) : 100 - delay;
    assert_close(job->utility, done && job->n_slots > 0 ? worth : 0, 1e-12);
}

static void expect_figure(double found, double due) {
    assert_true(isnan(due) ? isnan(found) : found == due);
}

static void expect_case(const hand_case *c, const char *policy) {
    berth_instance *instance = make_instance(c);
    berth_options options;
    berth_truth truth[MOST_JOBS];
    berth_options_init(&options);
    options.policy = policy;
    options.threads = 1;
    options.fifo_workers = 1;
    options.restart_delay_s = c->restart_delay_s;
    for (size_t i = 0; i < count_jobs(c); i++) {
        truth[i] = c->jobs[i].truth;
    }
    true_run r = true_run_new(instance, &options, truth);
    for (size_t i = 0; i < count_jobs(c); i++) {
        expect_slots(c, policy, i, &r.run->jobs[i], c->jobs[i].due);
    }
    true_run_expect_ledger(&r, instance);
    const berth_estimation_summary *e = r.run->estimation;
    bool promises = berth_policy_promises(policy);
    assert_int_equal(e->early, c->due.early);
    assert_int_equal(e->late, c->due.late);
    assert_int_equal(e->unfinished, c->due.unfinished);
    assert_int_equal(e->promises_kept, promises ? c->due.promises_kept : 0);
    assert_int_equal(e->promises_broken, promises ? c->due.promises_broken : 0);
    expect_figure(e->mean_overrun_slots, c->due.late > 0 ? c->due.mean_overrun_slots : (double)NAN);
    expect_figure(e->worst_overrun_slots, c->due.late > 0 ? c->due.worst_overrun_slots : (double)NAN);
    true_run_free(&r, instance);
    berth_instance_free(instance);
}

static void for_planning(const hand_case *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t p = 0; p < sizeof planning / sizeof *planning; p++) {
            expect_case(&cases[i], planning[p]);
        }
    }
}
#define FOR_PLANNING(cases) for_planning((cases), sizeof(cases) / sizeof *(cases))

/* What an early job leaves makes room for one that would else be turned away. */
static void test_early(void **state) {
    (void)state;
    static const hand_case cases[] = {
        {"as declared",
         1,
         1,
         0,
         {{.work = 4, .max_workers = 1, .truth = {1, 1}, .due = "1111.."},
          {.arrival = 2, .work = 2, .max_workers = 1, .within = 1, .truth = {1, 1}, .due = "......"}},
         {.promises_kept = 1}},
        {"half the work",
         1,
         1,
         0,
         {{.work = 4, .max_workers = 1, .truth = {1, 0.5}, .due = "11...."},
          {.arrival = 2, .work = 2, .max_workers = 1, .within = 1, .truth = {1, 1}, .due = "..11.."}},
         {.early = 1, .promises_kept = 2}},
        {"twice the speed",
         1,
         1,
         0,
         {{.work = 4, .max_workers = 1, .truth = {2, 1}, .due = "11...."},
          {.arrival = 2, .work = 2, .max_workers = 1, .within = 1, .truth = {1, 1}, .due = "..11.."}},
         {.early = 1, .promises_kept = 2}},
        {"both errors cancel",
         1,
         1,
         0,
         {{.work = 4, .max_workers = 1, .truth = {3, 3}, .due = "1111.."},
          {.arrival = 2, .work = 2, .max_workers = 1, .within = 1, .truth = {1, 1}, .due = "......"}},
         {.promises_kept = 1}},
    };
    FOR_PLANNING(cases);
}

static void test_late(void **state) {
    (void)state;
    static const hand_case cases[] = {
        {"it stays",
         1,
         1,
         0,
         {{.work = 2, .max_workers = 1, .truth = {1, 2}, .due = "1111.."}},
         {.late = 1, .promises_broken = 1, .mean_overrun_slots = 2, .worst_overrun_slots = 2}},
        {"slow",
         1,
         1,
         0,
         {{.work = 2, .max_workers = 1, .truth = {0.5, 1}, .due = "1111.."}},
         {.late = 1, .promises_broken = 1, .mean_overrun_slots = 2, .worst_overrun_slots = 2}},
        {"it waits for what was promised",
         1,
         1,
         0,
         {{.work = 2, .max_workers = 1, .truth = {1, 1.5}, .due = "11..1."},
          {.arrival = 1, .work = 2, .max_workers = 1, .truth = {1, 1}, .due = "..11.."}},
         {.late = 1, .promises_kept = 1, .promises_broken = 1, .mean_overrun_slots = 3, .worst_overrun_slots = 3}},
        {"it goes before new arrivals",
         1,
         1,
         0,
         {{.work = 2, .max_workers = 1, .truth = {1, 1.5}, .due = "111..."},
          {.arrival = 2, .work = 2, .max_workers = 1, .truth = {1, 1}, .due = "...11."}},
         {.late = 1, .promises_kept = 1, .promises_broken = 1, .mean_overrun_slots = 1, .worst_overrun_slots = 1}},
        {"some of its workers",
         1,
         3,
         0,
         {{.work = 6, .max_workers = 3, .truth = {1, 1.5}, .due = "3313.."},
          {.arrival = 1, .work = 2, .max_workers = 2, .within = 1, .truth = {1, 1}, .due = "..2..."}},
         {.late = 1, .promises_kept = 1, .promises_broken = 1, .mean_overrun_slots = 2, .worst_overrun_slots = 2}},
        {"whose plan ended first",
         1,
         2,
         0,
         {{.work = 2, .max_workers = 1, .truth = {1, 2}, .due = "11.11."},
          {.work = 1, .max_workers = 1, .truth = {1, 3}, .due = "111..."},
          {.arrival = 1, .work = 3, .max_workers = 1, .truth = {1, 1}, .due = "..111."}},
         {.late = 2, .promises_kept = 1, .promises_broken = 2, .mean_overrun_slots = 2.5, .worst_overrun_slots = 3}},
        {"never done",
         1,
         1,
         0,
         {{.work = 2, .max_workers = 1, .truth = {1, 10}, .due = "111111"}},
         {.unfinished = 1, .promises_broken = 1}},
    };
    FOR_PLANNING(cases);
}

/* A late job whose place is taken goes to another machine, and pays for it; kept apart by oasis, workers never sit on
 * the second machine. */
static void test_late_moves(void **state) {
    (void)state;
    static const hand_case cases[] = {
        {"moves",
         2,
         1,
         2.5,
         {{.work = 2, .max_workers = 1, .truth = {1, 1.35}, .due = "111..."},
          {.arrival = 1, .work = 1, .max_workers = 1, .only_first = true, .truth = {1, 1}, .due = "..1..."}},
         {.late = 1, .promises_kept = 1, .promises_broken = 1, .mean_overrun_slots = 1, .worst_overrun_slots = 1}},
        {"moves for a slot more",
         2,
         1,
         2.5,
         {{.work = 2, .max_workers = 1, .truth = {1, 1.4}, .due = "1111.."},
          {.arrival = 1, .work = 1, .max_workers = 1, .only_first = true, .truth = {1, 1}, .due = "..1..."}},
         {.late = 1, .promises_kept = 1, .promises_broken = 1, .mean_overrun_slots = 2, .worst_overrun_slots = 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_case(&cases[i], "pdors-ci");
        expect_case(&cases[i], "bidlp");
    }
    static const hand_case apart = {
        "waits apart",
        2,
        1,
        2.5,
        {{.work = 2, .max_workers = 1, .truth = {1, 1.35}, .due = "11.1.."},
         {.arrival = 1, .work = 1, .max_workers = 1, .only_first = true, .truth = {1, 1}, .due = "..1..."}},
        {.late = 1, .promises_kept = 1, .promises_broken = 1, .mean_overrun_slots = 2, .worst_overrun_slots = 2}};
    expect_case(&apart, "oasis");
}

/* Slot policies count on what is declared, and on a twentieth of it once that is done. */
static void test_slot_policies(void **state) {
    (void)state;
    static const hand_case srtf[] = {
        {"overdue, before one with more to do",
         1,
         1,
         0,
         {{.work = 4, .max_workers = 1, .truth = {1, 1.25}, .due = "11111."},
          {.arrival = 4, .work = 0.3, .max_workers = 1, .truth = {1, 1}, .due = ".....1"}},
         {.late = 1, .mean_overrun_slots = 1, .worst_overrun_slots = 1}},
        {"overdue, after one with less to do",
         1,
         1,
         0,
         {{.work = 4, .max_workers = 1, .truth = {1, 1.25}, .due = "1111.1"},
          {.arrival = 4, .work = 0.1, .max_workers = 1, .truth = {1, 1}, .due = "....1."}},
         {.late = 1, .mean_overrun_slots = 2, .worst_overrun_slots = 2}},
        {"few workers for the little that is believed to be left",
         1,
         4,
         0,
         {{.work = 8, .max_workers = 4, .truth = {1, 1.25}, .due = "4411.."}},
         {.late = 1, .mean_overrun_slots = 2, .worst_overrun_slots = 2}},
    };
    static const hand_case fifo[] = {
        {"early",
         1,
         1,
         0,
         {{.work = 2, .max_workers = 1, .truth = {1, 0.5}, .due = "1....."},
          {.work = 2, .max_workers = 1, .truth = {0.5, 1}, .due = ".1111."}},
         {.early = 1, .late = 1, .mean_overrun_slots = 2, .worst_overrun_slots = 2}},
    };
    for (size_t i = 0; i < sizeof srtf / sizeof *srtf; i++) {
        expect_case(&srtf[i], "srtf");
    }
    expect_case(&fifo[0], "fifo");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_early), cmocka_unit_test(test_late),
                                       cmocka_unit_test(test_late_moves), cmocka_unit_test(test_slot_policies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
