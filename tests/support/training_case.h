/* Small workloads of measured trainings. */
#ifndef BERTH_TESTS_TRAINING_CASE_H
#define BERTH_TESTS_TRAINING_CASE_H

#include <berth_goodput.h>

#include "base/pcg.h"

enum { TRAINING_NODES = 4, TRAINING_JOBS = 8, TRAINING_EPOCHS = 4, TRAINING_PLACEMENTS = 12, TRAINING_SIZES = 3 };

typedef struct training_application {
    berth_measured_placement placements[TRAINING_PLACEMENTS];
    uint32_t gpus[TRAINING_PLACEMENTS][TRAINING_NODES], local[TRAINING_PLACEMENTS][TRAINING_SIZES];
    double step_s[TRAINING_PLACEMENTS][TRAINING_SIZES], sync_s[TRAINING_PLACEMENTS][TRAINING_SIZES];
    berth_measured_training trainings[2];
    double progress[2][TRAINING_EPOCHS], iterations[2][TRAINING_EPOCHS], sqr[2][TRAINING_EPOCHS],
        var[2][TRAINING_EPOCHS];
} training_application;

typedef struct training_case {
    berth_goodput_workload workload;
    uint32_t gpus[TRAINING_NODES];
    size_t type[TRAINING_NODES];
    double speed[2];
    berth_application applications[2];
    training_application measured[2];
    berth_training_job jobs[TRAINING_JOBS];
} training_case;

/* One node of four GPUs and one application: m0 = 4, a step of 1 s on any number of replicas and any batch, of which
 * 0.25 s is synchronisation, gradients without variance (so that larger batches gain nothing), two epochs of 50 steps.
 * No jobs. */
void training_case_plain(training_case *c);
/* Another job at the end. */
void training_case_add(training_case *c, double submit_s, uint32_t replicas, double batch);
/* 1 to 4 nodes, 1 or 2 types, 1 or 2 applications, 1 to 8 jobs. */
void training_case_draw(training_case *c, berth__pcg *stream);

/* Runs it; asserts that it works. */
berth_goodput_run *training_case_run(const berth_goodput_workload *workload, berth_goodput_policy policy);
/* Violations that the check finds. `what` NULL: must be none, else told. */
size_t training_case_violations(const berth_goodput_workload *workload, const berth_goodput_run *run, bool expect_none);

#endif
