/* The run of a slot policy: slot by slot, the jobs that have arrived and are not complete are placed as the policy
 * says, and what they hold is booked in the scheduler's ledger. */
#ifndef BERTH_ONLINE_SIMULATE_H
#define BERTH_ONLINE_SIMULATE_H

#include "online/decider.h"
#include "online/run_record.h"

/* order: [n_jobs] jobs by arrival, ties by file order. Records every job in `run`; sets run->stopped if the budget was
 * spent first. A slot in which a job's placement is not that of the slot before is worth less by
 * options.restart_delay_s, but for the first in which it runs. With noise, jobs complete when they truly have, while
 * the policy counts what is declared; of a job that has made all of that and is not done it believes that a twentieth
 * of the declared work is left. */
berth_status berth__simulate(berth__decider *decider, const berth_instance *instance, berth__job *const *jobs,
                             const size_t *order, const berth__budget *budget, berth_run *run, berth_error *error);

#endif
