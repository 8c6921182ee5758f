/* Schedulers side by side: what each decides in a thread of its own is what it decides alone. Under ThreadSanitizer
 * (make tsan) the library's state that threads would share, if it had any, shows. Seeds are fixed; nothing is random
 * beyond them. */
#include <berth.h>

#include "base/pcg.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/rich_instance.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SESSIONS = 24, SLOTS = 10, JOBS = 20 };

static const char *const policies[] = {"bidlp", "pdors-ci", "oasis", "pdors"};

typedef struct session {
    uint64_t seed;
    int threads; /* of the scheduler itself */
    const rich_instance *rich;
    const berth_backends *backends;
    uint64_t digest;    /* of everything that was decided */
    uint64_t n_changes; /* told */
    berth_error failure;
} session;

static void mix(uint64_t *digest, uint64_t number) {
    *digest = (*digest ^ number) * 0x100000001b3U;
}

static void mix_number(uint64_t *digest, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    mix(digest, bits);
}

static void mix_decision(uint64_t *digest, const berth_decision *d) {
    mix(digest, d->number * 2 + d->admitted);
    mix(digest, (uint64_t)d->completion_slot);
    mix_number(digest, d->utility);
    for (size_t k = 0; k < d->n_slots; k++) {
        for (size_t i = 0; i < d->slots[k].n_placements; i++) {
            const berth_placement *place = &d->slots[k].placements[i];
            mix(digest, (uint64_t)d->slots[k].slot << 40 | (uint64_t)place->machine << 20 |
                            (uint64_t)place->workers << 10 | (uint64_t)place->ps);
        }
    }
}

static berth_status submit_arrivals(session *s, berth_scheduler *scheduler, int slot, size_t *next) {
    const berth_instance *in = rich_instance_of(s->rich);
    size_t n = 0;
    while (*next + n < in->n_jobs && in->jobs[*next + n].arrival_slot == slot) {
        n++;
    }
    berth_decision *decisions[JOBS];
    berth_status status = berth_submit_batch(scheduler, slot, n, in->jobs + *next, decisions, &s->failure);
    for (size_t i = 0; i < n && status == BERTH_OK; i++) {
        mix_decision(&s->digest, decisions[i]);
        berth_decision_free(decisions[i]);
    }
    *next += n;
    return status;
}

/* A machine fails, drains or comes back, or a job ends. */
static berth_status disturb(session *s, berth_scheduler *scheduler, berth__pcg *stream) {
    int machine = (int)berth__pcg_integer(stream, 0, (int64_t)berth_machine_count(scheduler) - 1);
    berth_job_info job;
    switch (berth__pcg_integer(stream, 0, 4)) {
    case 0:
        return berth_fail_machine(scheduler, machine, &s->failure);
    case 1:
        return berth_drain_machine(scheduler, machine, &s->failure);
    case 2:
        return berth_return_machine(scheduler, machine, &s->failure);
    case 3:
        return berth_live_job(scheduler, 0, &job) == BERTH_OK ? berth_finish(scheduler, job.number, &s->failure)
                                                              : BERTH_OK;
    default:
        return BERTH_OK;
    }
}

static berth_status take_changes(session *s, berth_scheduler *scheduler) {
    berth_changes changes;
    berth_status status = berth_take_changes(scheduler, &changes, &s->failure);
    for (size_t i = 0; i < changes.n && status == BERTH_OK; i++) {
        mix(&s->digest, changes.changes[i].number * 8 + (uint64_t)changes.changes[i].kind);
        mix(&s->digest, (uint64_t)changes.changes[i].completion_slot);
        s->n_changes++;
    }
    berth_changes_clear(&changes);
    return status;
}

static void run(session *s) {
    const berth_instance *in = rich_instance_of(s->rich);
    s->digest = 0xcbf29ce484222325U;
    s->n_changes = 0;
    berth_cluster cluster;
    berth_instance_cluster(in, &cluster);
    berth_options options;
    berth_options_init(&options);
    options.policy = policies[s->seed % (sizeof policies / sizeof *policies)];
    options.backends = s->backends;
    options.threads = s->threads;
    options.effort = BERTH_EFFORT_LOW;
    options.rolling = s->seed % 3 == 0;
    double upper[] = {9, 9, 9}, lower[] = {0.1, 0.1, 0.1};
    berth_price_bounds bounds = {
        .struct_size = sizeof bounds, .n_resources = cluster.n_resources, .upper = upper, .lower = lower};
    berth_scheduler *scheduler = NULL;
    berth_status status = berth_scheduler_new(&cluster, &bounds, &options, &scheduler, &s->failure);
    berth__pcg stream = berth__pcg_seed(91, s->seed);
    size_t next = 0;
    for (int slot = 0; slot < SLOTS && status == BERTH_OK; slot++) {
        status = submit_arrivals(s, scheduler, slot, &next);
        status = status == BERTH_OK ? disturb(s, scheduler, &stream) : status;
        status = status == BERTH_OK ? take_changes(s, scheduler) : status;
        mix_number(&s->digest, berth_price(scheduler, slot, 0, 0));
    }
    berth_scheduler_free(scheduler);
    s->failure.status = status;
}

/* Every second session, from the first or the second on. */
static void *run_half(void *sessions) {
    session *s = sessions;
    for (int i = 0; i + 1 < SESSIONS; i += 2) {
        run(&s[i]);
    }
    return NULL;
}

static void test_side_by_side(void **state) {
    (void)state;
    static session sessions[SESSIONS + 1];
    uint64_t alone[SESSIONS], changes = 0;
    berth_backends *backends = all_backends();
    for (int threads = 1; threads <= 2; threads++) {
        for (int i = 0; i < SESSIONS; i++) {
            uint64_t seed = (uint64_t)i + 1;
            sessions[i] = (session){.seed = seed,
                                    .threads = threads,
                                    .rich = rich_instance_new(seed + 70, SLOTS, JOBS),
                                    .backends = backends};
            run(&sessions[i]);
            assert_ok(sessions[i].failure.status, sessions[i].failure);
            alone[i] = sessions[i].digest;
            changes += sessions[i].n_changes;
        }
        pthread_t other;
        assert_int_equal(pthread_create(&other, NULL, run_half, &sessions[1]), 0);
        run_half(&sessions[0]);
        assert_int_equal(pthread_join(other, NULL), 0);
        for (int i = 0; i < SESSIONS; i++) {
            assert_ok(sessions[i].failure.status, sessions[i].failure);
            assert_true(sessions[i].digest == alone[i]);
            rich_instance_free((rich_instance *)(uintptr_t)sessions[i].rich);
        }
    }
    print_message("%llu changes told\n", (unsigned long long)changes);
    assert_true(changes > 50);
    berth_backends_free(backends);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
