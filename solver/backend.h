/* The contract between berth and an LP/MIP code. One private state per open model.
 *
 * The front (solver/solve.h) is the only caller: it passes finished models, allocates the result's arrays,
 * verifies what comes back and seeks a second opinion; models without any matrix entry it solves itself. A
 * backend never prints, exits or aborts, and maps infinity itself.
 *
 * Sign conventions, for minimisation and maximisation alike, in the sense of the model as given:
 *   reduced_cost[j] = cost[j] - sum_i A_ij row_dual[i]
 *   min: row_dual[i] > 0 only on a row at its lower bound, < 0 only on one at its upper; max: reversed.
 * A Farkas certificate is a vector ray[i] with: ray[i] > 0 uses row_lower, < 0 uses row_upper, and
 *   sum_i ray_i b_i - max over x in the column bounds of (ray' A) x  > 0, which proves infeasibility. */
#ifndef BERTH_SOLVER_BACKEND_H
#define BERTH_SOLVER_BACKEND_H

#include <math.h>

#include "base/budget.h"
#include "solver/model.h"

typedef struct berth__lp_options {
    bool presolve; /* cold solves only */
    bool scaling;
    bool integers;           /* false: solve the relaxation */
    double mip_gap;          /* relative, stop early */
    double lp_gap;           /* of an approximate backend: relative precision of the relaxation */
    int threads;             /* 0: all processors */
    const double *incumbent; /* [n_cols] MIP: a feasible point to start from, or NULL */
    const berth__budget *budget;
} berth__lp_options;

typedef struct berth__lp_result {
    berth_outcome outcome; /* OPTIMAL (MIP: within mip_gap), FEASIBLE (MIP incumbent at limit), INFEASIBLE,
                            * UNBOUNDED, LIMIT, NUMERIC */
    bool has_primal, has_dual, has_ray;
    double objective;     /* in the model's sense, offset included */
    double bound;         /* LP: verified dual bound; MIP: best node bound. -INF / +INF (max): none */
    double *x;            /* [n_cols] */
    double *row_dual;     /* [n_rows] */
    double *reduced_cost; /* [n_cols], filled by the front from row_dual */
    double *ray;          /* [n_rows] Farkas certificate if INFEASIBLE and has_ray */
    long iterations;
    long nodes;
} berth__lp_result;

enum {
    BERTH__BACKEND_LP = 1,
    BERTH__BACKEND_MIP = 2,
    BERTH__BACKEND_APPROXIMATE = 4, /* packing and covering LPs to a given precision, never "auto" */
    BERTH__BACKEND_READ = 8         /* reads files in the formats of other solvers */
};

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

extern const berth_backend berth__clp_backend; /* only in builds with BERTH_WITH_CLP */

/* A power of two near the largest |cost| (1 if all are 0). Backends divide the costs by it: their dual
 * tolerances are absolute, and Clp aborts the process on costs above 1e25. */
static inline double berth__cost_unit(const berth__model *model) {
    double largest = 0;
    for (int j = 0; j < model->n_cols; j++) {
        largest = fmax(largest, fabs(model->cost[j]));
    }
    return largest > 0 ? exp2(floor(log2(largest))) : 1;
}

/* Simplex runs in slices between which the budget is checked: at least 500 iterations, and a quarter of those
 * already granted, since each slice begins with a new factorisation. The slices do not depend on whether
 * there is a budget, so neither does the result. */
static inline int berth__slice(long granted) {
    long slice = 500 + granted / 4;
    return slice < 1000000000 ? (int)slice : 1000000000;
}

/* Iterations after which a backend gives up on a model (NUMERIC): far above what any solvable one takes. */
static inline long berth__most_iterations(const berth__model *model) {
    return 1000000 + 100 * ((long)model->n_rows + model->n_cols);
}

#endif
