/* The check of a simulated run of measured trainings: what its files share. */
#ifndef BERTH_AUDIT_TRAINING_AUDIT_H
#define BERTH_AUDIT_TRAINING_AUDIT_H

#include <berth_goodput.h>

#include "audit/report.h"
#include "base/budget.h"

typedef struct berth__training_audit {
    const berth_goodput_workload *workload;
    const berth_goodput_run *run;
    const berth__budget *budget;
    berth__audit_report *report;
    bool choosy;      /* by the rules of Pollux, Sia, hesrpt: few nodes, one job of several a node */
    bool external;    /* anybody's */
    double *attained; /* [n_jobs] recomputed; NAN: its spans can't be followed */
    double *done_s;   /* [n_jobs] recomputed; NAN: not done */
} berth__training_audit;

/* What takes how long, by the rules of section 5 of berth_goodput.h. */
typedef struct berth__audit_step {
    double step_s, sync_s;
} berth__audit_step;

berth__audit_step berth__audit_step_time(const berth_application *application, size_t n, const berth_node_gpus *ring,
                                         uint32_t local);
/* Progress a second on a ring; epoch < epochs. */
double berth__audit_rate(const berth_goodput_workload *workload, const berth_application *application, size_t n,
                         const berth_node_gpus *ring, uint32_t local, uint32_t accumulation, size_t epoch);
/* Seconds on at most so many GPUs alone. */
double berth__audit_alone(const berth_goodput_workload *workload, const berth_application *application, uint64_t gpus);

/* batches.c: may the policy have chosen the span's m and s on so many GPUs? `first`: the job had none before. */
bool berth__training_audit_batch(const berth__training_audit *a, size_t job, const berth_goodput_span *span,
                                 uint64_t gpus, bool first);
/* spans.c: placements and batches of each job, one by one and together. False: out of memory. */
bool berth__training_audit_spans(berth__training_audit *a);
/* follow.c: progress along the spans. */
void berth__training_audit_follow(berth__training_audit *a);
/* claims.c: what the run says of itself; after follow. */
void berth__training_audit_claims(berth__training_audit *a);
/* summary.c: fairness and totals. False: out of memory. */
bool berth__training_audit_summary(berth__training_audit *a);

/* Equal but for rounding. */
bool berth__audit_same(double a, double b);

#endif
