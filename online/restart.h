/* The restart delay: what a job loses in a slot in which it is not where it was in the slot before.
 *
 * Planning counts on it in every slot, as a slot's price must not depend on the slot before; what is not lost after all
 * is given back to the plan. */
#ifndef BERTH_ONLINE_RESTART_H
#define BERTH_ONLINE_RESTART_H

#include "formulations/placement.h"

/* What a slot is worth to a job that moves, as a part of a slot; <= 0: nothing. */
double berth__moved_worth(const berth_options *options, const berth__cluster *cluster);
/* The job as planning sees it. Borrows the job's arrays. */
berth__job berth__job_slowed(const berth__job *job, double worth);
/* Samples that a slot makes after `before`, where the job ran last; NULL: it has not run. */
double berth__slot_progress(const berth__job *job, double worth, const berth_slot_plan *before,
                            const berth_slot_plan *slot);
/* Counts what the slots of a plan make, and drops those at the end that are not needed for it; returns how many stay.
 * before: where the job ran last; NULL: it has not run. */
size_t berth__count_moves(const berth__job *job, double worth, const berth_slot_plan *before, size_t n_slots,
                          berth_slot_plan *slots);

#endif
