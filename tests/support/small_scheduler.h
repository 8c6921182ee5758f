/* A scheduler small enough to be followed by hand, for tests that go event by event: two machines, a and b, of four
 * GPUs each, six slots of ten seconds. */
#ifndef BERTH_TESTS_SMALL_SCHEDULER_H
#define BERTH_TESTS_SMALL_SCHEDULER_H

#include <berth.h>

/* Everything that the scheduler is made from, so that a test may change any of it before. */
typedef struct small_world {
    berth_cluster cluster;
    berth_price_bounds bounds; /* an idle GPU is 0.01, the last of a machine 10 */
    berth_options options;     /* one thread, all backends of this build */
    berth_backends *backends;  /* berth_backends_free */
    double upper[1], lower[1];
} small_world;

/* Not to be moved afterwards. */
void small_world_init(small_world *w, const char *policy);
berth_scheduler *small_scheduler(const small_world *w);

/* `worker_slots` of work, one GPU a worker, one server for four workers, which demands nothing; at slot 0, value 10
 * whenever it completes. */
berth_job small_job(const char *id, double worker_slots, int max_workers);
/* berth_submit, which succeeds. */
berth_decision *small_submit(berth_scheduler *s, const berth_job *job);
/* The same, and the job is admitted; its number. */
uint64_t small_admit(berth_scheduler *s, const berth_job *job);
/* The same of jobs that may be on machines of this glob only, which has to outlive the job. */
void small_pin(berth_job *job, const char *const *glob);

/* What is told is exactly this, in this order; -1: any slot. */
typedef struct small_change {
    uint64_t number;
    const char *id;
    berth_change_kind kind;
    int slot, promised, completion;
    const char *reason; /* a part of it */
} small_change;

void expect_changes(berth_scheduler *s, size_t n, const small_change *expected);
/* GPUs held in a slot by all machines. */
double small_held(const berth_scheduler *s, int slot);

#endif
