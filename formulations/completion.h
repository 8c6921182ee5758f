/* Integer placement of W workers and S = ceil(W / gamma) parameter servers at (nearly) least price, from multipliers.
 *
 *     min  sum_h pw_h w_h + ps_h s_h
 *     s.t. (w_h, s_h) in X_h,   sum_h w_h = W,   sum_h s_h = S
 *     X_h = { integer (w, s) that fit machine h, 0 <= w <= W, 0 <= s <= S }
 *
 * For any lam, mu >= 0 its cost is at least
 *
 *     lam W + mu S - sum_h phi_h,   phi_h = max over X_h of (lam - pw_h) w + (mu - ps_h) s
 *
 * (the configuration bound, at the best lam, mu), and exceeds that by the sum over machines of their regret
 * phi_h - (lam - pw_h) w_h - (mu - ps_h) s_h >= 0. So: every machine takes its favourite point, and the few that lose
 * least by it are freed and moved until the sums are right, by an exact dynamic programme (deviation.h). All points of
 * regret up to a limit are free; the limit grows until there is a solution, and then to that solution's regret, which
 * proves that no other is better. Identical machines are treated as one with copies.
 *
 * More servers than S are never needed, as prices are >= 0. All-reduce: S = 0.
 *
 * Not here: finding lam and mu. */
#ifndef BERTH_FORMULATIONS_COMPLETION_H
#define BERTH_FORMULATIONS_COMPLETION_H

#include "formulations/slot.h"

/* A feasible placement within this of the bound (relative) is not improved at great effort. */
#define BERTH__COMPLETION_GAP 1e-3

typedef struct berth__completion_result {
    bool feasible; /* exactly W and S are placed, and fit by berth__fits */
    bool exact;    /* proved: least cost within 1e-9 relative; if not feasible, that nothing is */
    double cost;   /* INFINITY if not feasible */
    double bound;  /* the bound above, reduced by what rounding errors may have added; >= 0 */
    int n_freed;   /* machines freed at last */
} berth__completion_result;

typedef struct berth__completion berth__completion; /* workspace, reused over problems; one thread at a time */
berth__completion *berth__completion_new(void);     /* NULL: out of memory */
void berth__completion_free(berth__completion *c);

/* must_spread: (W, S) on one machine is forbidden, in X_h and so in the bound, too. W outside [1, max_workers] is
 * infeasible. w, s: [n_machines], zeros if not feasible. The better lam and mu, the faster; whatever they are, the
 * result is right, but with bad ones a large problem may end not exact, or not feasible and not exact: unknown.
 * Deterministic. O(n_machines n_resources) plus the programme. E_ARGUMENT unless lam, mu >= 0 and
 * lam W + mu S is finite; E_MEMORY. */
berth_status berth__complete(berth__completion *c, const berth__slot_problem *p, int W, double lam, double mu,
                             bool must_spread, int *w, int *s, berth__completion_result *out);

#endif
