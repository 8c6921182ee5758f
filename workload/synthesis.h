/* What no GPU trace records, made up by rule: model, communication, demands and utility of a job of which only the
 * number of GPUs and the duration are known. Importers share it.
 *
 * what            rule
 * model           one of eight measured ones (models.h), with its full communication times
 * batch           32, 64 or 128
 * workers_per_ps  1, 2 or 4
 * max_workers     the GPUs of the job; one worker holds one GPU
 * epochs, samples 1 and round(duration * GPUs * speed), at least 1; speed of one worker, internal if the GPUs of the
 *                 job fit one machine, else external: a job that gets all its workers at that locality takes as long as
 *                 in the trace
 * demands         worker: of each resource but gpu 1/4, 3/8 or 1/2 of what a machine has per GPU. ps: 1/8, 1/4 or 1/2
 *                 of an equal part of what the workers of a full machine leave, ceil(GPUs / workers_per_ps) parts.
 *                 Rounded down (to whole units, below 1 to hundredths), so a machine full of a job's workers has room
 *                 for their parameter servers too
 * utility         let `own` = max(1, ceil(duration / slot)), the slots that the job takes at full width, and k uniform
 *                 in [1, 4]. Delays are k own, at most the horizon, so that short jobs are urgent on their own scale:
 *                   sigmoid   theta2 = k own, theta1 in (0.01, 1)
 *                   pdors     the same with theta1 from the mix 10/55/35 (utility_mix.h)
 *                   linear    falls to 0 at (1 + k) own
 *                   deadline  deadline (1 + k) own
 *                   constant
 *                 values, and theta0, are uniform in [1, 100] */
#ifndef BERTH_WORKLOAD_SYNTHESIS_H
#define BERTH_WORKLOAD_SYNTHESIS_H

#include <berth.h>

#include "base/pcg.h"
#include "workload/machine_spec.h"

typedef enum berth__utility_rule {
    BERTH__UTILITY_PDORS = 0,
    BERTH__UTILITY_SIGMOID,
    BERTH__UTILITY_CONSTANT,
    BERTH__UTILITY_LINEAR,
    BERTH__UTILITY_DEADLINE
} berth__utility_rule;

/* By name ("pdors"; NULL: that one). E_ARGUMENT (where = "utility") if there is no such rule. */
berth_status berth__utility_rule_parse(const char *name, berth__utility_rule *out, berth_error *error);

typedef struct berth__synthesis {
    const berth__machine_spec *machine; /* has a resource gpu, of at least 1 */
    berth__utility_rule utility;
    double slot_seconds;
    int horizon_slots;
} berth__synthesis;

/* On what is synthesised, and on a utility rule, for an instance's source. Static storage. */
const char *berth__synthesis_text(void);
const char *berth__utility_rule_text(berth__utility_rule rule);

/* Fills the fields listed above; worker and ps [machine->n] become those of *job. Consumes a number of draws that
 * depends on the utility rule and the resources only, so jobs should have streams of their own. */
void berth__synthesise_job(const berth__synthesis *synthesis, berth__pcg *stream, int gpus, double duration_s,
                           berth_job *job, double *worker, double *ps);

#endif
