/* GLPK's readers of MPS, CPLEX LP and GMPL. Part of libberth_glpk. */
#ifndef BERTH_SOLVER_GLPK_READ_H
#define BERTH_SOLVER_GLPK_READ_H

#include "solver/backend.h"

berth_status berth__glpk_read(const berth__read_source *source, const berth__read_sink *sink, berth_error *error);

#endif
