/* The tolerances of berth, in one place. All are relative unless said otherwise. */
#ifndef BERTH_BASE_TOLERANCE_H
#define BERTH_BASE_TOLERANCE_H

/* A packing row holds if lhs <= rhs + FEASIBILITY * max(|rhs|, scale of its terms); likewise cover rows,
 * capacities and quotas. Demands are decimal fractions: sums of them are off by a few ulps. */
#define BERTH__FEASIBILITY 1e-9
/* What rounding itself goes by; the other half is left to the rounding error of sums kept up to date. */
#define BERTH__HALF_FEASIBILITY (0.5 * BERTH__FEASIBILITY)
/* A job is complete when samples >= work * (1 - PROGRESS). */
#define BERTH__PROGRESS 1e-9
/* The schedule programme treats a progress within QUANTUM (in quanta) of an integer as that integer;
 * planning must stay within PROGRESS, so it is far smaller. */
#define BERTH__QUANTUM 1e-10
/* LP solutions of backends: primal and dual residuals on scaled data. */
#define BERTH__LP_FEASIBILITY 1e-7
/* Relative difference at which a checker accepts a recomputed figure. */
#define BERTH__FIGURE 1e-6
/* A value within INTEGRALITY of an integer counts as that integer when an LP solution is rounded. */
#define BERTH__INTEGRALITY 1e-9

#endif
