/* From a trace job to a job of the model: what the trace lacks is made up by these rules, whatever the format.
 *
 * what            rule
 * max_workers     the workers of the trace job (where only GPUs are recorded: one worker per GPU)
 * servers         recorded: workers_per_ps = workers / servers, ps = what one held. The trace records all that the job
 *                 held, and no servers: an all-reduce job. Only GPUs recorded: workers_per_ps 1, 2 or 4
 * model           recorded, and of known size (model_sizes.h): gradient_mb is that, and compute time and links are
 * those of the measured one of eight (models.h) that is nearest in size, by ratio. Else one of the eight, each as
 * likely batch           recorded, else 32, 64 or 128 sample_seconds  recorded time of a batch, else the model's, /
 * batch epochs, samples 1 and, unless recorded, round(duration * workers * speed), at least 1; speed of one worker,
 * internal if the job fits one machine that it may use, else external: a job that gets all its workers at that locality
 * takes as long as in the trace demands         gpu, cpu, memory_gb as recorded, where machines have such a resource.
 * Else, of the machine with the most GPUs in all (the reference), a worker: of each resource 1/4, 3/8 or 1/2 of what
 * the machine has per GPU, times its GPUs. ps: 1/8, 1/4 or 1/2 of an equal part of what the workers of a full machine
 *                 leave, ceil(GPUs / workers_per_ps) parts. Rounded down (to whole units, below 1 to hundredths), so a
 *                 machine full of a job's workers has room for their parameter servers too
 * allow           the machines of the GPU types that the job may use, if the list of machines has types
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
#include "workload/trace.h"

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
    const berth__machines *machines;
    berth__utility_rule utility;
    double slot_seconds;
    int horizon_slots;
} berth__synthesis;

/* What a synthesised job points to. */
typedef struct berth__synthesis_room {
    double worker[BERTH__SPEC_RESOURCES], ps[BERTH__SPEC_RESOURCES];
    char patterns[BERTH__MOST_GPU_TYPES][BERTH__GPU_TYPE + 3];
    const char *allow[BERTH__MOST_GPU_TYPES];
} berth__synthesis_room;

const char *berth__utility_rule_text(berth__utility_rule rule); /* for an instance's source; static storage */

/* Fills all fields of *job (of berth_job_init) but id, tenant and arrival; *room must live as long. made[k] is set for
 * what was synthesised. Consumes a number of draws that depends on the utility rule and the resources only, so jobs
 * should have streams of their own. */
void berth__synthesise_job(const berth__synthesis *synthesis, berth__pcg *stream, const berth__trace_job *from,
                           berth_job *job, berth__synthesis_room *room, bool made[BERTH_N_MADE]);

#endif
