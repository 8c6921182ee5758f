/* The contract between berth and an LP/MIP code. One private state per open model.
 *
 * The front (solver/solve.h) is the only caller: it passes finished models, allocates the result's arrays,
 * verifies what comes back and seeks a second opinion. A backend never prints, exits or aborts, and maps
 * infinity itself.
 *
 * Sign conventions, for minimisation and maximisation alike, in the sense of the model as given:
 *   reduced_cost[j] = cost[j] - sum_i A_ij row_dual[i]
 *   min: row_dual[i] > 0 only on a row at its lower bound, < 0 only on one at its upper; max: reversed.
 * A Farkas certificate is a vector ray[i] with: ray[i] > 0 uses row_lower, < 0 uses row_upper, and
 *   sum_i ray_i b_i - max over x in the column bounds of (ray' A) x  > 0, which proves infeasibility. */
#ifndef BERTH_SOLVER_BACKEND_H
#define BERTH_SOLVER_BACKEND_H

#include "base/budget.h"
#include "solver/model.h"

typedef struct berth__lp_options {
    bool presolve; /* cold solves only */
    bool scaling;
    bool integers;  /* false: solve the relaxation */
    double mip_gap; /* relative, stop early */
    const berth__budget *budget;
} berth__lp_options;

typedef struct berth__lp_result {
    berth_outcome outcome; /* OPTIMAL, FEASIBLE (MIP incumbent at limit), INFEASIBLE, UNBOUNDED, LIMIT, NUMERIC */
    bool has_primal, has_dual, has_ray;
    double objective;     /* in the model's sense, offset included */
    double bound;         /* LP: verified dual bound; MIP: best node bound. -INF / +INF (max): none */
    double *x;            /* [n_cols] */
    double *row_dual;     /* [n_rows] */
    double *reduced_cost; /* [n_cols] */
    double *ray;          /* [n_rows] Farkas certificate if INFEASIBLE and has_ray */
    long iterations;
    long nodes;
} berth__lp_result;

enum { BERTH__BACKEND_LP = 1, BERTH__BACKEND_MIP = 2 };

struct berth_backend {
    const char *name;
    const char *(*version)(void);
    unsigned abilities;
    /* Loads the model (borrowed until close, row bounds change through set_row_bounds only). */
    berth_status (*open)(const berth__model *model, void **state, berth_error *error);
    /* New bounds of one row; the next solve may start from the last basis. */
    berth_status (*set_row_bounds)(void *state, int row, double lower, double upper);
    /* warm: start from the state's last basis if it has one. Fills what has_* says. */
    berth_status (*solve)(void *state, const berth__lp_options *options, bool warm, berth__lp_result *result,
                          berth_error *error);
    void (*close)(void *state);
};

#endif
