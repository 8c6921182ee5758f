/* Workloads for simulation, checked. */
#ifndef BERTH_FORMULATIONS_GOODPUT_WORKLOAD_H
#define BERTH_FORMULATIONS_GOODPUT_WORKLOAD_H

#include <berth_goodput.h>

/* `status` (E_ARGUMENT, E_INPUT) with error->where like /jobs/3/batch or /applications/bert/placements/2/step_s. */
berth_status berth__goodput_check_workload(const berth_goodput_workload *workload, berth_status status,
                                           berth_error *error);

uint64_t berth__workload_gpus(const berth_goodput_workload *workload);
uint32_t berth__workload_largest_node(const berth_goodput_workload *workload);
/* The speed of a node's GPUs. */
double berth__workload_speed(const berth_goodput_workload *workload, size_t node);

#endif
