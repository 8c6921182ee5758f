/* Memory that runs out at any allocation: an error, nothing leaked (under a sanitizer), nothing half made. The sweep
 * needs a library built with BERTH_TESTING_ALLOC and is skipped otherwise. jansson's and zlib's own allocations are
 * not part of it. Runs from the top folder. */
#include "tests/support/check.h"

#include <berth_io.h>

#include "base/alloc.h"

#ifdef BERTH_TESTING_ALLOC

typedef berth_status (*attempt)(berth_error *error);

static const char instance_path[] = "instances/odd/plain.json", run_path[] = "instances/odd/result/external.json";
static berth_instance *shared;

static berth_status try_instance(berth_error *error) {
    berth_instance *instance = NULL;
    berth_status status = berth_instance_read(instance_path, &instance, error);
    assert_true((instance != NULL) == (status == BERTH_OK));
    berth_instance_free(instance);
    return status;
}

static berth_status try_run(berth_error *error) {
    berth_run *run = NULL;
    berth_status status = berth_run_read(run_path, shared, &run, error);
    assert_true((run != NULL) == (status == BERTH_OK));
    berth_run_free(run);
    return status;
}

static berth_status try_write(berth_error *error) {
    return berth_instance_write(shared, "/dev/null", error);
}

/* Fails the first allocation, then the second, ... until the work is done. Returns how many there were. */
static unsigned long sweep(attempt work) {
    for (unsigned long at = 1; at < 100000; at++) {
        berth_error error = {0};
        berth__alloc_fail_at(at);
        berth_status status = work(&error);
        unsigned long used = berth__alloc_count();
        berth__alloc_fail_at(0);
        if (status == BERTH_OK) {
            assert_true(used < at);
            return used;
        }
        assert_int_equal(status, BERTH_E_MEMORY);
        assert_int_equal(error.status, BERTH_E_MEMORY);
    }
    fail_msg("still out of memory");
    return 0;
}

static void test_reading_an_instance(void **state) {
    (void)state;
    assert_true(sweep(try_instance) > 10);
}

static void test_reading_a_run(void **state) {
    (void)state;
    berth_error error = {0};
    assert_ok(berth_instance_read(instance_path, &shared, &error), error);
    assert_true(sweep(try_run) > 5);
    berth_instance_free(shared);
}

static void test_writing_an_instance(void **state) {
    (void)state;
    berth_error error = {0};
    assert_ok(berth_instance_read(instance_path, &shared, &error), error);
    assert_true(sweep(try_write) > 5);
    berth_instance_free(shared);
}

#else

static void test_reading_an_instance(void **state) {
    (void)state;
    skip();
}
static void test_reading_a_run(void **state) {
    (void)state;
    skip();
}
static void test_writing_an_instance(void **state) {
    (void)state;
    skip();
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading_an_instance),
        cmocka_unit_test(test_reading_a_run),
        cmocka_unit_test(test_writing_an_instance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
