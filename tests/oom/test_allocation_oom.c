/* Memory that runs out at any allocation while clusters are generated, allocated, written, read and checked: E_MEMORY,
 * nothing made, nothing leaked (under a sanitizer). Needs a library built with BERTH_TESTING_ALLOC. */
#include <berth_goodput.h>

#include "base/alloc.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/oom_sweep.h"
#include "tests/support/own_folder.h"

#ifdef BERTH_TESTING_ALLOC

enum { FILES = 2 }; /* each is complete though its folder could not be synced */

typedef struct attempt {
    berth_generate_goodput_options generate;
    berth_goodput_instance *instance;
    berth_allocation *allocation;
    berth_allocate_options options;
} attempt;

static berth_status generate(void *user, berth_error *error) {
    attempt *a = user;
    berth_goodput_instance *instance = NULL;
    const berth_status status = berth_generate_goodput(&a->generate, &instance, error);
    assert_true((instance != NULL) == (status == BERTH_OK));
    berth_goodput_instance_free(instance);
    return status;
}

static berth_status allocate(void *user, berth_error *error) {
    attempt *a = user;
    berth_allocation *allocation = NULL;
    const berth_status status = berth_allocate(a->instance, &a->options, &allocation, error);
    assert_true((allocation != NULL) == (status == BERTH_OK));
    berth_allocation_free(allocation);
    return status;
}

static berth_status check(void *user, berth_error *error) {
    attempt *a = user;
    berth_report *report = NULL;
    const berth_status status = berth_check_allocation(a->instance, a->allocation, NULL, &report, error);
    assert_true((report != NULL) == (status == BERTH_OK));
    berth_report_free(report);
    return status;
}

static berth_status write_all(void *user, berth_error *error) {
    attempt *a = user;
    const berth_status status = berth_goodput_instance_write(a->instance, path_of("i.json"), error);
    return status == BERTH_OK ? berth_allocation_write(a->allocation, a->instance, path_of("a.json"), error) : status;
}

static berth_status read_all(void *user, berth_error *error) {
    (void)user;
    berth_goodput_instance *instance = NULL;
    berth_allocation *allocation = NULL;
    berth_status status = berth_goodput_instance_read(path_of("i.json"), &instance, error);
    status = status == BERTH_OK ? berth_allocation_read(path_of("a.json"), instance, &allocation, error) : status;
    assert_true((allocation != NULL) == (status == BERTH_OK));
    berth_allocation_free(allocation);
    berth_goodput_instance_free(instance);
    return status;
}

static void memory_runs_out_anywhere(void **state) {
    (void)state;
    berth_error error;
    berth_backends *backends = all_backends();
    attempt a = {0};
    berth_generate_goodput_options_init(&a.generate);
    a.generate.nodes = 3;
    a.generate.types = 2;
    a.generate.jobs = 4;
    assert_ok(berth_generate_goodput(&a.generate, &a.instance, &error), error);
    berth_allocate_options_init(&a.options);
    a.options.backends = backends;
    assert_ok(berth_allocate(a.instance, &a.options, &a.allocation, &error), error);
    oom_sweep("generate", generate, &a, 0);
    oom_sweep("check", check, &a, 0);
    oom_sweep("write", write_all, &a, FILES);
    oom_sweep("read", read_all, &a, 0);
    for (int k = BERTH_ALLOCATOR_GENETIC; k <= BERTH_ALLOCATOR_TIRESIAS; k++) {
        a.options.allocator = (berth_allocator)k;
        oom_sweep(berth_allocator_name(a.options.allocator), allocate, &a, 0);
    }
    berth_allocation_free(a.allocation);
    berth_goodput_instance_free(a.instance);
    berth_backends_free(backends);
}

#endif

int main(void) {
#ifdef BERTH_TESTING_ALLOC
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out_anywhere)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
#else
    return 0;
#endif
}
