/* A decision and the memory of its plan. */
#ifndef BERTH_ONLINE_DECISION_H
#define BERTH_ONLINE_DECISION_H

#include <berth.h>

/* A plan as one block, to be freed by berth__free; NULL: out of memory. */
berth_slot_plan *berth__plan_block(size_t n_slots, const berth_slot_plan *slots);

/* Not admitted, no reason, no plan. NULL: out of memory. Freed by berth_decision_free. */
berth_decision *berth__decision_new(void);
/* Copies a plan into it, once; false: out of memory. */
bool berth__decision_keep(berth_decision *decision, size_t n_slots, const berth_slot_plan *slots);

#endif
