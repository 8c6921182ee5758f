/* The event loop of a cluster: in each slot machines fail or are repaired, running jobs end early, and others arrive, a
 * thousand in all. python/event_loop.py is the same program in Python and prints the same numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <berth_io.h>

#include <stdio.h>
#include <stdlib.h>

enum { MACHINES = 20, JOBS = 1000, SLOTS = 200, AHEAD_SLOTS = 16 };
static const double fails = 0.01, is_repaired = 0.1, ends_early = 0.03; /* chances in a slot */
static berth_error error;

static void must(berth_status status) {
    if (status != BERTH_OK) {
        fprintf(stderr, "%s: %s\n", error.where, error.message);
        exit(1);
    }
}

/* Numbers of [0, 1) that look random (a linear congruential generator with Knuth's factor). */
static double chance(void) {
    static uint64_t state = 2026;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

int main(void) {
    berth_generate_pdors_options made;
    berth_generate_pdors_options_init(&made);
    made.machines = MACHINES, made.jobs = JOBS, made.slots = SLOTS, made.max_workers = 8;
    berth_instance *world;
    must(berth_generate_pdors(&made, &world, &error));
    berth_cluster cluster;
    berth_instance_cluster(world, &cluster);
    cluster.horizon_slots = AHEAD_SLOTS;
    berth_options options;
    berth_options_init(&options);
    options.effort = BERTH_EFFORT_LOW, options.rolling = true;
    berth_scheduler *s;
    must(berth_scheduler_new(&cluster, NULL, &options, &s, &error));
    bool down[MACHINES] = {false};
    int failures = 0, submitted = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        must(berth_advance(s, slot, &error));
        for (int m = 0; m < MACHINES; m++) {
            if (chance() < (down[m] ? is_repaired : fails)) {
                must(down[m] ? berth_return_machine(s, m, &error) : berth_fail_machine(s, m, &error));
                down[m] = !down[m];
                failures += down[m];
            }
        }
        for (size_t i = berth_live_count(s); i-- > 0;) {
            berth_job_info job;
            must(berth_live_job(s, i, &job));
            if (job.state == BERTH_JOB_RUNNING && chance() < ends_early) {
                must(berth_finish(s, job.number, &error));
            }
        }
        for (; submitted < JOBS && world->jobs[submitted].arrival_slot == slot; submitted++) {
            berth_decision *decision; /* when and where it runs: for whoever launches it */
            must(berth_submit(s, &world->jobs[submitted], &decision, &error));
            berth_decision_free(decision);
        }
        berth_changes changes; /* what became of the jobs of earlier slots: likewise */
        must(berth_take_changes(s, &changes, &error));
        berth_changes_clear(&changes);
    }
    berth_statistics n = {.struct_size = sizeof n};
    must(berth_scheduler_statistics(s, &n));
    printf("%d jobs: %d admitted, %d rejected\n", submitted, (int)n.admitted, (int)n.rejected);
    printf("done: %d as planned, %d early; %d run or wait\n", (int)n.completed, (int)n.finished, (int)n.live);
    printf("%d failures of machines: %d jobs lost, %d plans late\n", failures, (int)n.lost, (int)n.delayed);
    printf("utility %.6f\n", n.utility);
    berth_scheduler_free(s);
    berth_instance_free(world);
    return 0;
}
