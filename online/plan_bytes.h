/* Plans as bytes (base/bytes.h). */
#ifndef BERTH_ONLINE_PLAN_BYTES_H
#define BERTH_ONLINE_PLAN_BYTES_H

#include "base/bytes.h"
#include "online/planner.h"

void berth__plan_put(berth__writer *to, size_t n_slots, const berth_slot_plan *slots);
/* A plan of at least one slot for a job, from its arrival to before the horizon, on machines that it may use, no wider
 * than it can be. *out is to be cleared, also if this is refused. */
bool berth__plan_take(berth__byte_reader *from, const berth__cluster *cluster, const berth__job *job, berth__plan *out);

#endif
