/* Alteration after rounding: keeps what is feasible, mends what is not, at least cost. */
#ifndef BERTH_ROUNDING_REPAIR_H
#define BERTH_ROUNDING_REPAIR_H

#include <berth.h>

#include "base/budget.h"
#include "rounding/packcover.h"

/* (a) lowers variables of violated packing rows, largest cost per unit of violation first; (b) raises variables
 * of violated cover rows within packing room, least cost per unit of missing cover first; (c) lowers whatever no
 * cover row needs, dearest first. x: [n_vars], in place, integers stay integers. Returns through *feasible
 * whether all rows hold now; if not, x is the least violated state reached. E_MEMORY is the only failure. */
berth_status berth__repair(const berth__packcover *p, const bool *skip, const berth__budget *budget, double *x,
                           bool *feasible);

/* One-exchange local search (lower one, raise another) from a feasible x until no exchange helps or the budget
 * is spent; stays feasible, never dearer. */
berth_status berth__improve(const berth__packcover *p, const bool *skip, const berth__budget *budget, double *x);

#endif
