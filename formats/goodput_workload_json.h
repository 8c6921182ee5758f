/* Workloads of measured trainings, whatever they were made from. */
#ifndef BERTH_FORMATS_GOODPUT_WORKLOAD_JSON_H
#define BERTH_FORMATS_GOODPUT_WORKLOAD_JSON_H

#include <berth_goodput.h>

/* Checks it, E_INPUT, and numbers its content. */
berth_status berth__goodput_workload_finish(berth_goodput_workload *workload, berth_error *error);

#endif
