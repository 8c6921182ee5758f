/* What becomes of plans when jobs truly take less or more than declared (estimation.h). Policies plan with what is
 * declared; here plans are carried out slot by slot.
 *
 *   - Early: a job whose work is done holds nothing in the slots after; they are free before the next arrivals are
 *     decided.
 *   - Late: a job whose plan has ended and whose work is not done keeps a share. In each slot, before arrivals are
 *     decided, it is booked again with as many workers as in the last slot of its plan: where it ran last, if that was
 *     with all of them and fits; else anew, as many of them as fit, on the first machine that holds all, else on the
 *     one that holds most and others by first fit (with workers and servers apart, where the policy keeps them so).
 *     Late jobs are served in the order in which their plans ended, then in that of arrival.
 *   - What is not done by the horizon is unfinished and earns nothing. */
#ifndef BERTH_ONLINE_EXECUTION_H
#define BERTH_ONLINE_EXECUTION_H

#include "online/decider.h"
#include "online/estimation.h"

typedef struct berth__execution berth__execution;

/* Of a policy that plans, into a run that has its truth. All borrowed. */
berth_status berth__execution_new(berth__decider *decider, const berth_instance *instance, berth__job *const *jobs,
                                  berth_run *run, berth__execution **out, berth_error *error);
void berth__execution_free(berth__execution *execution);

/* For each slot in turn: open it, decide the arrivals and admit those that the record says are, run it. */
berth_status berth__execution_open(berth__execution *execution, int slot, berth_error *error);
/* number: of its submission. Admissions come in the order of arrival. */
berth_status berth__execution_admit(berth__execution *execution, size_t job, uint64_t number, berth_error *error);
berth_status berth__execution_run(berth__execution *execution, int slot, berth_error *error);

/* At the end: records what the jobs did. */
berth_status berth__execution_record(const berth__execution *execution, berth_error *error);

#endif
