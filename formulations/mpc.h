/* The general mixed packing-and-covering integer programme, with names, and its LP relaxation.
 *
 *     min (max) cost.x   s.t.  A x >= a,  B x <= b,  0 <= x <= upper,  x_j integer for j in I;  all data >= 0
 *
 * symbol  field
 * A, a    rows [0, n_cover)
 * B, b    rows [n_cover, n_cover + n_pack)
 * c, u    cost, upper
 * I       is_integer
 *
 * Not here: lower bounds other than 0, negative data (solver/model.h takes those). */
#ifndef BERTH_FORMULATIONS_MPC_H
#define BERTH_FORMULATIONS_MPC_H

#include "rounding/packcover.h"
#include "solver/model.h"

typedef struct berth__mpc berth__mpc;

berth_status berth__mpc_new(bool maximize, berth__mpc **out, berth_error *error);
void berth__mpc_free(berth__mpc *mpc);
/* `name` may be NULL; upper may be INFINITY. group -1: none (dependent rounding). */
berth_status berth__mpc_add_var(berth__mpc *mpc, const char *name, double cost, double upper, bool is_integer,
                                int group, int *var, berth_error *error);
/* All variables before the first row, all cover rows before the first packing row. Terms: n pairs. Duplicate
 * variables in a row, negative or non-finite values: E_INPUT. */
berth_status berth__mpc_add_cover(berth__mpc *mpc, const char *name, double at_least, int n, const int *vars,
                                  const double *values, berth_error *error);
berth_status berth__mpc_add_pack(berth__mpc *mpc, const char *name, double at_most, int n, const int *vars,
                                 const double *values, berth_error *error);
/* The view for rounding; valid until the next change. */
berth__packcover berth__mpc_view(const berth__mpc *mpc);
const int *berth__mpc_groups(const berth__mpc *mpc);
/* A right side may change after rows were added (warm restarts). */
berth_status berth__mpc_set_rhs(berth__mpc *mpc, int row, double rhs, berth_error *error);
/* A finished solver model of the programme; row i here is row i there. */
berth_status berth__mpc_model(const berth__mpc *mpc, berth__model **out, berth_error *error);

#endif
