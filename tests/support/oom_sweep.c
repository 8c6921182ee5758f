#include "tests/support/oom_sweep.h"

#include "tests/support/check.h"

#include "base/alloc.h"

#ifdef BERTH_TESTING_ALLOC

enum { MOST = 100000 };

unsigned long oom_sweep(const char *what, oom_attempt work, void *user, int optional) {
    for (unsigned long at = 1; at < MOST; at++) {
        berth_error error = {0};
        berth__alloc_fail_at(at);
        berth_status status = work(user, &error);
        unsigned long asked = berth__alloc_count();
        berth__alloc_fail_at(0);
        if (status == BERTH_OK && asked < at) {
            print_message("%s: %lu allocations\n", what, asked);
            return asked;
        }
        if (status == BERTH_OK && --optional < 0) {
            fail_msg("%s: succeeds though allocation %lu of %lu failed", what, at, asked);
        }
        if (status == BERTH_OK) {
            continue;
        }
        if (status != BERTH_E_MEMORY || error.status != BERTH_E_MEMORY) {
            fail_msg("%s: allocation %lu fails: %s, error %s: %s: %s", what, at, berth_status_name(status),
                     berth_status_name(error.status), error.where, error.message);
        }
    }
    fail_msg("%s: still out of memory", what);
    return 0;
}

#else

unsigned long oom_sweep(const char *what, oom_attempt work, void *user, int optional) {
    (void)work;
    (void)user;
    (void)optional;
    fail_msg("%s: built without BERTH_TESTING_ALLOC", what);
    return 0;
}

#endif
