/* Inside of the slot problem's relaxation (slot.h), shared by slot_lp.c, slot_round.c and their tests.
 *
 * Sifting. Units (a worker or a server on a machine where one fits) are taken from the cheap end: a set is the
 * cheapest n[kind] units of each kind, and the LP is solved over a set. Let lam, mu >= 0 be the duals of its cover
 * rows, and p, q the least prices left out. Lowering the duals to min(lam, p) and min(mu, q) keeps them feasible, since
 * reduced costs only rise, and makes them feasible for the LP over all units: duals of packing rows only add to the
 * reduced cost of a unit left out, and rows that only such units have need no dual. The dual value falls by
 *     (lam - p)+ W + (mu - q)+ S,
 * so the solution is optimal over all units, within that loss. It is accepted if the loss is within BERTH__FEASIBILITY
 * of the value; otherwise the set grows, at least twofold. Infeasible is what the LP over all units is, or one in
 * which some resource of all machines together does not suffice. */
#ifndef BERTH_FORMULATIONS_SLOT_LP_H
#define BERTH_FORMULATIONS_SLOT_LP_H

#include <math.h>

#include "base/alloc.h"
#include "base/tolerance.h"
#include "formulations/mpc.h"
#include "formulations/slot.h"

/* Costs of an LP span at most this factor: a solver's tolerance on them is absolute, and exponential prices may span
 * more. */
#define BERTH__SLOT_COST_RANGE 1e10

/* What a load may reach where `free` is left. */
static inline double berth__slot_room(double free) {
    return fmax(free, 0) * (1 + BERTH__FEASIBILITY);
}

/* A demand may be infinite where a count is 0. */
static inline double berth__slot_load(double demand, double count) {
    return count > 0 ? demand * count : 0;
}

enum { BERTH__WORKER, BERTH__SERVER, BERTH__UNIT_KINDS };

typedef struct berth__slot_unit {
    double price;
    int machine;
} berth__slot_unit;

/* A machine and its columns; -1: it has none of that kind. */
typedef struct berth__slot_machine {
    int machine;
    int col[BERTH__UNIT_KINDS];
} berth__slot_machine;

/* Columns of a programme: workers, then servers, each kind by rising price. */
typedef struct berth__slot_columns {
    int n_cols, n_workers, n_machines;
    berth__slot_unit *unit;       /* [n_cols] */
    berth__slot_machine *machine; /* [n_machines], those with a column */
} berth__slot_columns;

/* Rows: workers, servers (unless all-reduce), capacities by machine, F. */
typedef struct berth__slot_set {
    int n[BERTH__UNIT_KINDS];
    berth__slot_columns columns;
    double cost_unit; /* price that counts as 1 */
    berth__mpc *mpc;
    berth__model *model;
    berth__lp *lp;
    double *x; /* [n_cols] the last solution */
    berth__arena *arena;
} berth__slot_set;

struct berth__slot_lp {
    berth__slot_problem problem;
    const berth_backends *backends;
    const char *backend;
    bool needs_ps, must_spread;
    int n[BERTH__UNIT_KINDS];                  /* units in all */
    berth__slot_unit *unit[BERTH__UNIT_KINDS]; /* by rising price, then machine */
    int *listed_at;                            /* [n_machines] scratch of a set's making; all -1 otherwise */
    /* A set starts with room for this many times the units asked for, and with at least so many columns of a kind.
     * Tests lower both. */
    double room_to_start;
    int columns_to_start;
    berth__slot_set set;
    bool makeshift; /* the set was one step of a fallback */
    int need[BERTH__UNIT_KINDS];
    double value;
    double cover_dual[BERTH__UNIT_KINDS]; /* of the last solution, in prices; 0 without a row */
    double *x;                            /* [2 n_machines] */
    berth__arena *arena;                  /* of what is fixed; a rounding goes back to there */
};

/* The set of the n[kind] cheapest units. Costs span at most `range`; dearer or cheaper than that is the same to the
 * solver. with_lp false: rows and columns only. A set that failed to open is
 * closed, and closing again does nothing. */
berth_status berth__slot_set_open(berth__slot_set *set, berth__slot_lp *lp, const int n[BERTH__UNIT_KINDS],
                                  double range, bool with_lp, berth_error *error);
void berth__slot_set_close(berth__slot_set *set);
/* True if the set has all units. */
bool berth__slot_set_is_whole(const berth__slot_set *set, const berth__slot_lp *lp);
/* berth__fits for counts that are whole numbers, not ints. */
bool berth__slot_fits(const berth__slot_problem *p, int machine, double w, double s);
bool berth__slot_eligible(const berth__slot_problem *p, int machine);

#endif
