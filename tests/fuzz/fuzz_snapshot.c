/* Any bytes as a scheduler's snapshot, as they are and with length and checksum set right: restored or refused, and
 * what is restored does what it is asked to and is the same bytes again. */

#include <berth.h>

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { LENGTH_AT = 12, CHECKSUM_BYTES = 4, LEAST = 24 };

static void set_low(uint8_t *to, uint64_t value, size_t n) {
    for (size_t k = 0; k < n; k++) {
        to[k] = (uint8_t)(value >> (8 * k));
    }
}

static berth_scheduler *restore(const uint8_t *bytes, size_t length) {
    berth_options options;
    berth_error error;
    berth_scheduler *s = NULL;
    berth_options_init(&options);
    options.threads = 1;
    options.time_limit_s = 0.02;
    if ((berth_restore(bytes, length, &options, &s, &error) == BERTH_OK) != (s != NULL)) {
        abort();
    }
    return s;
}

static void expect_same_again(const berth_scheduler *s) {
    unsigned char *bytes = NULL, *again = NULL;
    size_t n = 0, n_again = 0;
    if (berth_snapshot(s, &bytes, &n, NULL) != BERTH_OK) {
        abort();
    }
    berth_scheduler *twin = restore(bytes, n);
    if (twin == NULL || berth_snapshot(twin, &again, &n_again, NULL) != BERTH_OK || n != n_again ||
        memcmp(bytes, again, n) != 0) {
        abort();
    }
    berth_scheduler_free(twin);
    berth_snapshot_free(bytes);
    berth_snapshot_free(again);
}

static void use(berth_scheduler *s) {
    berth_statistics statistics;
    berth_changes changes;
    berth_job_info info;
    if (s == NULL) {
        return;
    }
    expect_same_again(s);
    (void)berth_scheduler_statistics(s, &statistics);
    if (berth_live_job(s, 0, &info) == BERTH_OK) {
        (void)berth_commit(s, info.number, NULL);
        (void)berth_report_left(s, info.number, info.samples, NULL);
    }
    (void)berth_submit_batch(s, berth_now(s), 0, NULL, NULL, NULL);
    (void)berth_fail_machine(s, 0, NULL);
    (void)berth_advance(s, berth_now(s) + 1, NULL);
    if (berth_live_job(s, 0, &info) == BERTH_OK) {
        (void)berth_cancel(s, info.number, NULL);
    }
    if (berth_take_changes(s, &changes, NULL) == BERTH_OK) {
        berth_changes_clear(&changes);
    }
    expect_same_again(s);
    berth_scheduler_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    use(restore(bytes, length));
    uint8_t *sealed = malloc(length > 0 ? length : 1);
    if (sealed == NULL || length < LEAST) {
        free(sealed);
        return 0;
    }
    memcpy(sealed, bytes, length);
    set_low(sealed + LENGTH_AT, length, 8);
    set_low(sealed + length - CHECKSUM_BYTES, berth__crc32(sealed, length - CHECKSUM_BYTES), CHECKSUM_BYTES);
    use(restore(sealed, length));
    free(sealed);
    return 0;
}
