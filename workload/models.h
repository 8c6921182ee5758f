/* Eight training models with measured compute times, sizes and link speeds.
 *
 * The figures are those gathered for the experiments on locality-aware placement with parameter
 * servers (setting of Yu et al., IEEE TNSE 9(4), 2022). Note that on three of the eight the internal
 * bandwidth is hardly above the external one, or below it. The batch they were measured with is not
 * recorded: the compute time is that of a batch, whatever its size, and a job takes sample_seconds =
 * compute_s / batch. */
#ifndef BERTH_WORKLOAD_MODELS_H
#define BERTH_WORKLOAD_MODELS_H

#include <berth.h>

enum { BERTH__N_MODELS = 8 };

typedef struct berth__model {
    double compute_s;               /* seconds of computation per batch */
    double gradient_mb;             /* size of the gradients = of the parameters */
    double bandwidth_external_mb_s; /* of a parameter server's link, across machines */
    double bandwidth_internal_mb_s; /* within one machine */
} berth__model;

extern const berth__model berth__models[BERTH__N_MODELS];

/* Sets the job's sample_seconds, gradient_mb and bandwidths from the model and job->batch; `communication`
 * multiplies the communication times (through gradient_mb, to which they are proportional). */
void berth__model_apply(const berth__model *model, double communication, berth_job *job);

/* Seconds one worker takes for a sample, communication included. */
double berth__sample_time_s(const berth_job *job, berth_locality locality);

#endif
