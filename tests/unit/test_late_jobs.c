/* A job that is later than it was promised to be has a new promise, by which policy bidlp goes from then on. */
#include "tests/support/check.h"
#include "tests/support/small_scheduler.h"

/* Two of the slots of a machine are promised to a job that turns out to need six; others come when the first promise
 * has long passed, and bidlp looks for better places for all of them. */
static void test_arrivals_after_the_old_promise(void **state) {
    (void)state;
    small_world w;
    berth_error error;
    small_world_init(&w, "bidlp");
    w.options.rolling = true;
    w.cluster.n_machines = 1;
    berth_scheduler *s = small_scheduler(&w);
    berth_job first = small_job("first", 8, 4);
    first.utility = (berth_utility){.kind = BERTH_UTILITY_LINEAR, .value = 100, .deadline_slots = 50};
    uint64_t number = small_admit(s, &first);
    assert_ok(berth_advance(s, 1, &error), error);
    assert_ok(berth_report_left(s, number, 10 * 20, &error), error);
    berth_job_info info;
    assert_int_equal(berth_live_job(s, 0, &info), BERTH_OK);
    assert_int_equal(info.promised_slot, 5);
    assert_int_equal(info.completion_slot, 5);
    char id[16];
    for (int slot = 2; slot <= 5; slot++) {
        for (int k = 0; k < 4; k++) {
            snprintf(id, sizeof id, "%d-%d", slot, k);
            berth_job job = small_job(id, 2, 2);
            job.arrival_slot = slot;
            berth_decision_free(small_submit(s, &job));
        }
        assert_int_equal(berth_live_job(s, 0, &info), BERTH_OK);
        assert_int_equal(info.number, number);
        assert_true(info.completion_slot <= 5);
    }
    berth_scheduler_free(s);
    berth_backends_free(w.backends);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arrivals_after_the_old_promise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
