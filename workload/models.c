#include "workload/models.h"

const berth__model berth__models[BERTH__N_MODELS] = {
    {.449, 102.2, 91.9, 306.5}, {.535, 553.4, 233, 427.75}, {.226, 6.92, 59.5, 63}, {.815, 42.1, 145.9, 1082},
    {.075, 36.5, 120.1, 181},   {.585, 24, 60.75, 159.6},   {.567, 6, 92.1, 65.6},  {.154, 19.2, 10.4, 22.9},
};

void berth__model_apply(const berth__model *model, double communication, berth_job *job) {
    job->sample_seconds = model->compute_s / job->batch;
    job->gradient_mb = model->gradient_mb * communication;
    job->bandwidth_internal_mb_s = model->bandwidth_internal_mb_s;
    job->bandwidth_external_mb_s = model->bandwidth_external_mb_s;
}

double berth__sample_time_s(const berth_job *job, berth_locality locality) {
    double bandwidth = locality == BERTH_INTERNAL ? job->bandwidth_internal_mb_s : job->bandwidth_external_mb_s;
    double sharing = job->all_reduce ? 1 : job->workers_per_ps;
    return job->sample_seconds + sharing * 2 * job->gradient_mb / (job->batch * bandwidth);
}
