#include "tests/support/snapshot_case.h"

#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/scheduler_events.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

static berth_scheduler *open_scheduler(const berth_instance *instance, const char *policy, uint64_t seed,
                                       const berth_backends *set) {
    berth_error error;
    berth_scheduler *s = NULL;
    berth_cluster cluster;
    berth_options options;
    berth_price_bounds bounds;
    berth_options_init(&options);
    options.policy = policy;
    options.solver = strcmp(policy, "pdors") == 0 ? "glpk" : "auto";
    options.seed = seed;
    options.threads = 1;
    options.effort = BERTH_EFFORT_LOW;
    options.levels = 20;
    options.rolling = seed % 2 == 0;
    options.backends = set;
    berth_instance_cluster(instance, &cluster);
    assert_ok(berth_price_bounds_compute(&cluster, instance->jobs, instance->n_jobs, 1e-4, &bounds, &error), error);
    assert_ok(berth_scheduler_new(&cluster, &bounds, &options, &s, &error), error);
    berth_price_bounds_clear(&bounds);
    return s;
}

void snapshot_case_init(snapshot_case *c, const char *policy, uint64_t seed, int events) {
    *c = (snapshot_case){.rich = rich_instance_new(seed, 4 + (int)(seed % 4), 16)};
    c->instance = rich_instance_of(c->rich);
    berth_backends *set = all_backends();
    berth_scheduler *s = open_scheduler(c->instance, policy, seed, set);
    berth__pcg stream = berth__pcg_seed(0x63617365, seed);
    berth_error error;
    unsigned char *bytes = NULL;
    int names = 0;
    for (int i = 0; i < events || (berth_live_count(s) == 0 && i < 1000); i++) {
        scheduler_event event;
        scheduler_outcome outcome;
        scheduler_event_draw(&event, c->instance, s, &stream, &names);
        scheduler_event_apply(&event, s, &outcome);
        scheduler_outcome_clear(&outcome);
    }
    assert_ok(berth_snapshot(s, &bytes, &c->n, &error), error);
    c->bytes = malloc(c->n);
    assert_non_null(c->bytes);
    memcpy(c->bytes, bytes, c->n);
    berth_snapshot_free(bytes);
    berth_scheduler_free(s);
    berth_backends_free(set);
}

void snapshot_case_clear(snapshot_case *c) {
    free(c->bytes);
    rich_instance_free(c->rich);
}

void snapshot_seal(unsigned char *bytes, size_t n) {
    for (size_t k = 0; k < 8; k++) {
        bytes[12 + k] = (unsigned char)((uint64_t)n >> (8 * k));
    }
    uint32_t sum = (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, n - 4);
    for (size_t k = 0; k < 4; k++) {
        bytes[n - 4 + k] = (unsigned char)(sum >> (8 * k));
    }
}
