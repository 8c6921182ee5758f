/* Local search with weights, for every packing-and-covering programme: minimisation or maximisation, general integers,
 * continuous variables among them, equalities (a cover and a packing row over the same entries).
 *
 * The best cost so far becomes a row like the others: its cut. Whatever does not hold, rows or cut, is mended one move
 * at a time, and what stays broken where no move helps gains weight (Morris 1993; for covers Gao et al. 2015; for
 * pseudo-Boolean and mixed-integer programmes Lei et al. 2021, Lin et al. 2024). Episodes of Luby lengths each begin at
 * the incumbent with even weights and differ in strategy: either the cut is mended before the rows, with moves undone
 * soon, which suits sparse covers, or cut and rows take turns by lot, with longer tabus, which suits dense packing
 * rows; candidates are ranked by the ratio of weighted mending to cost or by their weighted difference. A move changes
 * one variable by what mends the row or the cut, by a unit, or by as much as breaks nothing; the best of a sample of
 * the row's entries is made, the longest unmoved among equals.
 *
 * Not implemented: compound moves; a bound of its own. */
#ifndef BERTH_ROUNDING_LOCAL_SEARCH_H
#define BERTH_ROUNDING_LOCAL_SEARCH_H

#include <berth.h>

#include "base/budget.h"
#include "rounding/packcover.h"

#include <stdint.h>

typedef struct berth__search_options {
    uint64_t seed;
    uint64_t max_steps;
    /* What a relaxation knows, or NULL: c - A'y of any multipliers y (>= 0 on what a row's side costs), [n_vars], and
     * the bound on the cost that y proves. Variables whose reduced cost is more than what lies between bound and
     * incumbent are fixed, ranges of the others narrowed. */
    const double *reduced_cost;
    double bound;
} berth__search_options;

typedef struct berth__search_report {
    uint64_t steps, improvements;
    uint64_t work; /* matrix entries touched */
    int n_fixed;   /* variables fixed by reduced costs */
    bool optimal;  /* nothing better than x exists, by bounds of variables or `bound` */
} berth__search_report;

/* From any x [n_vars] to the best feasible point found, in place; x is left as it was if that is feasible and nothing
 * better was found, or if nothing feasible was found at all. *feasible: berth__packcover_measure of the x returned.
 * `skip` (variables fixed at 0), `budget` and `report` may be NULL. The same arguments give the same x unless the
 * budget ends it. A step is O(60 columns), however many variables there are, but for its share of opening, resumming
 * and fixing, which are O(entries). Polls the budget every 20,000 entries or so. E_MEMORY is the only failure; x is
 * then as it was. */
berth_status berth__local_search(const berth__packcover *p, const bool *skip, const berth__budget *budget,
                                 const berth__search_options *options, double *x, bool *feasible,
                                 berth__search_report *report);

#endif
