/* Any bytes as an instance of allocation: read or refused; what is small and read is allocated, and the allocation is
 * sound. */

#include <berth_goodput.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Not for long: few GPUs, and batches that are few to try. */
static bool is_small(const berth_goodput_instance *instance) {
    double gpus = 0;
    bool small = instance->n_jobs <= 6 && instance->n_nodes <= 12 && instance->n_types <= 3;
    for (size_t node = 0; small && node < instance->n_nodes; node++) {
        gpus += instance->gpus[node];
    }
    return small && gpus <= 64;
}

static void allocate_and_check(const berth_goodput_instance *instance, berth_allocator allocator) {
    berth_allocate_options options;
    berth_allocation *allocation = NULL;
    berth_report *report = NULL;
    berth_error error;
    berth_allocate_options_init(&options);
    options.allocator = allocator;
    const berth_status status = berth_allocate(instance, &options, &allocation, &error);
    if ((status == BERTH_OK) != (allocation != NULL)) {
        abort();
    }
    if (status == BERTH_OK &&
        (berth_check_allocation(instance, allocation, NULL, &report, &error) != BERTH_OK || report->n_violations > 0)) {
        abort();
    }
    berth_report_free(report);
    berth_allocation_free(allocation);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    berth_goodput_instance *instance = NULL;
    berth_error error;
    const berth_status status = berth_goodput_instance_parse((const char *)bytes, length, &instance, &error);
    if ((status == BERTH_OK) != (instance != NULL)) {
        abort();
    }
    if (status == BERTH_OK && is_small(instance)) {
        allocate_and_check(instance, BERTH_ALLOCATOR_BERTH);
        allocate_and_check(instance, BERTH_ALLOCATOR_OPTIMUS);
    }
    berth_goodput_instance_free(instance);
    return 0;
}
