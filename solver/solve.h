/* The front over the backends: solve, verify, second opinion. */
#ifndef BERTH_SOLVER_SOLVE_H
#define BERTH_SOLVER_SOLVE_H

#include "solver/backend.h"

/* The backend at a position of the set (NULL: of the built-in ones); NULL past the end. */
const berth_backend *berth__backend_at(const berth_backends *set, size_t index);
/* The first backend with the given abilities and name ("auto" or NULL: any); NULL if there is none.
 * `set` NULL: the built-in ones. */
const berth_backend *berth__backend_find(const berth_backends *set, const char *name, unsigned abilities);
/* The first one with the given abilities that is not `used`; NULL: none. */
const berth_backend *berth__backend_other(const berth_backends *set, const berth_backend *used, unsigned abilities);

/* An open model. Warm restarts after changes of row bounds. One thread at a time. */
typedef struct berth__lp berth__lp;

/* Borrows model (whose row bounds it will change) and set. E_BACKEND if no such backend exists; E_UNSUPPORTED if an
 * approximate one, which only its name asks for, does not take the model. */
berth_status berth__lp_open(berth__model *model, const berth_backends *set, const char *backend, berth__lp **out,
                            berth_error *error);
void berth__lp_close(berth__lp *lp);
berth_status berth__lp_set_row_bounds(berth__lp *lp, int row, double lower, double upper, berth_error *error);
/* Solves and verifies (solver/verify.h). If the claim does not hold: again cold without presolve, then
 * without scaling, then with the other backend; if none holds, outcome NUMERIC. INFEASIBLE without a Farkas
 * certificate and UNBOUNDED have no proof: they need two backends that agree or, where no other backend has an
 * undisproven say, one that repeats it. x is within the column bounds and exactly integral where integers were
 * asked for. E_BACKEND: integers asked for, and no backend (of the name given at open) solves them. The result
 * is the lp's and valid until its next call. No allocation here unless a second opinion is needed.
 *
 * With an approximate backend there is no second opinion: APPROXIMATE, x within options->lp_gap of `bound` (relative to
 * the smaller of the two, counted from the columns' lower bounds without the offset) and violating rows by no more than
 * that, relative; INFEASIBLE with a certificate; OPTIMAL if x is within the tolerance of other backends; LIMIT with the
 * best x and bound that there are; NUMERIC if what it says is not so. `bound` is that of solver/structural.h.
 * E_UNSUPPORTED: the changed row bounds no longer fit it. */
berth_status berth__lp_solve(berth__lp *lp, const berth__lp_options *options, const berth__lp_result **result,
                             berth_error *error);
/* The backend that solves relaxations; NULL: the model has no entries, and none is needed. */
const char *berth__lp_backend_name(const berth__lp *lp);
/* How often a second opinion was needed since open. */
long berth__lp_second_opinions(const berth__lp *lp);

void berth__lp_options_init(berth__lp_options *options);

#endif
