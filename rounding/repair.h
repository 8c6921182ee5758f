/* Alteration after rounding: keeps what is feasible, repairs what is not, at least cost. */
#ifndef BERTH_ROUNDING_REPAIR_H
#define BERTH_ROUNDING_REPAIR_H

#include <berth.h>

#include "base/budget.h"
#include "rounding/packcover.h"

/* (a) lowers variables of violated packing rows, largest cost (least profit) per unit of violation first, and within
 * that those that no cover row needs before the others; (b) raises variables of violated cover rows within packing
 * room, least cost (in a maximisation: least share of the packing rows) per unit of missing cover first; if cover is
 * still missing, lowers one variable to make room for another as long as that gains cover (a bounded number of trials);
 * (c) lowers whatever no cover row needs, dearest first, but nothing that earns, and then, in a maximisation, raises
 * what has room, largest profit per share of the packing rows first. x: [n_vars], in place, integers stay integers;
 * clipped into [0, upper], skipped variables to 0. `skip` and `budget` may be NULL. Returns through *feasible whether
 * all rows hold now (berth__packcover_measure of the result); if not, x is the least violated state seen after a phase.
 * A heuristic: false does not mean that nothing feasible exists. O((n_vars + n_rows) entries) for (a) to (c), as much
 * per trial. E_MEMORY is the only failure: x is then within bounds but otherwise whatever state it had reached. */
berth_status berth__repair(const berth__packcover *p, const bool *skip, const berth__budget *budget, double *x,
                           bool *feasible);

#endif
