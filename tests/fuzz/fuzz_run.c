/* Any bytes as a result file of a fixed small instance: read or refused, and what is read is checked. */

#include <berth_io.h>

#include <stdlib.h>

#include "tests/fuzz/as_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* The inputs in corpus/fuzz_run are results of this instance, whole and broken. */
static const char instance_text[] =
    "{\"format\": \"berth-jobs-1\", \"name\": \"fuzz\", \"slot_seconds\": 10, \"horizon_slots\": 4, "
    "\"resources\": [\"gpu\", \"cpu\"], \"machines\": [{\"name\": \"m\", \"count\": 2, "
    "\"capacity\": {\"gpu\": 4, \"cpu\": 12}}], \"jobs\": [{\"id\": \"a\", \"arrival_slot\": 0, \"epochs\": 1, "
    "\"samples\": 3000, \"batch\": 8, \"max_workers\": 4, \"sample_seconds\": 0.01, \"gradient_mb\": 1, "
    "\"workers_per_ps\": 2, \"bandwidth_internal_mb_s\": 1000, \"bandwidth_external_mb_s\": 100, "
    "\"worker\": {\"gpu\": 1, \"cpu\": 2}, \"ps\": {\"cpu\": 1}, \"utility\": {\"kind\": \"constant\", "
    "\"value\": 5}}, {\"id\": \"b\", \"arrival_slot\": 1, \"epochs\": 1, \"samples\": 3000, \"batch\": 8, "
    "\"max_workers\": 4, \"sample_seconds\": 0.01, \"gradient_mb\": 1, \"workers_per_ps\": 2, "
    "\"bandwidth_internal_mb_s\": 1000, \"bandwidth_external_mb_s\": 100, \"worker\": {\"gpu\": 1, \"cpu\": 2}, "
    "\"ps\": null, \"utility\": {\"kind\": \"linear\", \"value\": 9, \"deadline_slots\": 4}}]}";

static void read_and_check(const char *path) {
    berth_instance *instance = NULL;
    berth_run *run = NULL;
    berth_report *report = NULL;
    berth_error error;
    if (berth_instance_parse(instance_text, sizeof instance_text - 1, &instance, &error) != BERTH_OK) {
        return;
    }
    berth_status status = berth_run_read(path, instance, &run, &error);
    if ((status == BERTH_OK) != (run != NULL)) {
        abort();
    }
    if (status == BERTH_OK && berth_check(instance, run, NULL, &report, &error) == BERTH_OK) {
        berth_report_free(report);
    }
    berth_run_free(run);
    berth_instance_free(instance);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    as_file(bytes, length, read_and_check);
    return 0;
}
