/* Throughputs of job types as Gavel's simulator has them, in JSON: of each type of GPU, of each key
 * "('ResNet-18 (batch size 16)', 2)" (the text of a Python tuple: job type, number of GPUs) the steps per second alone,
 * {"null": 94.2, ...}; what else stands beside "null" is for pairs of jobs. Many are 0: it does not fit. */
#ifndef BERTH_FORMATS_THROUGHPUTS_JSON_H
#define BERTH_FORMATS_THROUGHPUTS_JSON_H

#include <berth.h>

typedef struct berth__throughput {
    char *job_type; /* owned */
    int gpus;
    double steps_per_s; /* >= 0 */
} berth__throughput;

typedef struct berth__throughputs {
    size_t n;
    berth__throughput *list; /* by job type (strcmp), then GPUs */
} berth__throughputs;

/* Those of one type of GPU ("v100"). E_IO; E_INPUT with the JSON pointer. Clear *out in any case. */
berth_status berth__throughputs_read(const char *path, const char *gpu_type, berth__throughputs *out,
                                     berth_error *error);
void berth__throughputs_clear(berth__throughputs *throughputs);

#endif
