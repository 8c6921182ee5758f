/* Snapshots where memory runs out at any allocation of taking or restoring one: E_MEMORY, nothing made, nothing leaked
 * (under a sanitizer), and then the same bytes as ever. */
#include "tests/support/check.h"
#include "tests/support/oom_sweep.h"
#include "tests/support/snapshot_case.h"

typedef struct attempt {
    const snapshot_case *given;
    berth_scheduler *scheduler;
} attempt;

static berth_status try_restore(void *user, berth_error *error) {
    const attempt *a = user;
    berth_options options;
    berth_scheduler *s = NULL;
    berth_options_init(&options);
    options.threads = 1;
    berth_status status = berth_restore(a->given->bytes, a->given->n, &options, &s, error);
    assert_true((s != NULL) == (status == BERTH_OK));
    berth_scheduler_free(s);
    return status;
}

static berth_status try_snapshot(void *user, berth_error *error) {
    const attempt *a = user;
    unsigned char *bytes = NULL;
    size_t n = 0;
    berth_status status = berth_snapshot(a->scheduler, &bytes, &n, error);
    assert_true((bytes != NULL) == (status == BERTH_OK));
    if (status == BERTH_OK) {
        assert_int_equal(n, a->given->n);
        assert_memory_equal(bytes, a->given->bytes, n);
    }
    berth_snapshot_free(bytes);
    return status;
}

static void sweep(const char *policy, uint64_t seed) {
    snapshot_case c;
    snapshot_case_init(&c, policy, seed, 20);
    attempt a = {.given = &c};
    berth_error error;
    assert_ok(berth_restore(c.bytes, c.n, NULL, &a.scheduler, &error), error);
    assert_true(berth_live_count(a.scheduler) > 0);
    assert_true(oom_sweep("restore", try_restore, &a, 0) > 30);
    assert_true(oom_sweep("snapshot", try_snapshot, &a, 0) > 1);
    berth_scheduler_free(a.scheduler);
    snapshot_case_clear(&c);
}

static void test_snapshots(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        sweep("bidlp", seed);
        sweep("pdors-ci", seed);
        sweep("oasis", seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
