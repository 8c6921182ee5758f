/* A decision and the memory of its plan. */
#ifndef BERTH_ONLINE_DECISION_H
#define BERTH_ONLINE_DECISION_H

#include <berth.h>

/* Not admitted, no reason, no plan. NULL: out of memory. Freed by berth_decision_free. */
berth_decision *berth__decision_new(void);
/* Copies a plan into it; false: out of memory. */
bool berth__decision_keep(berth_decision *decision, size_t n_slots, const berth_slot_plan *slots);

#endif
