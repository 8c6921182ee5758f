/* The contract between berth and an LP/MIP code. One private state per open model. A backend may also read the files of
 * other solvers.
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

#define BERTH__LP_GAP 1e-3 /* default of lp_gap */

typedef struct berth__lp_options {
    bool presolve; /* cold solves only */
    bool scaling;
    bool integers;           /* false: solve the relaxation */
    bool cuts;               /* MIP: cutting planes, for far fewer nodes where relaxations are weak */
    double mip_gap;          /* relative, stop early */
    long most_nodes;         /* MIP: stop after so many nodes, like a budget that does not depend on time; 0: none */
    double lp_gap;           /* of an approximate backend: relative precision; not > 0: the default */
    int threads;             /* 0: all processors */
    const double *incumbent; /* [n_cols] MIP: a feasible point to start from, or NULL */
    const berth__budget *budget;
} berth__lp_options;

typedef struct berth__lp_result {
    berth_outcome outcome; /* OPTIMAL (MIP: within mip_gap), FEASIBLE (MIP incumbent at limit), APPROXIMATE (within
                            * lp_gap), INFEASIBLE, UNBOUNDED, LIMIT, NUMERIC */
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

typedef enum berth__syntax {
    BERTH__SYNTAX_MPS_FIXED,
    BERTH__SYNTAX_MPS_FREE,
    BERTH__SYNTAX_LP,
    BERTH__SYNTAX_GMPL
} berth__syntax;

/* What a backend is to read: files that it can open by name and that hold plain text, in the C locale. */
typedef struct berth__read_source {
    berth__syntax syntax;
    const char *path;
    const char *data_path; /* GMPL: the data section; NULL: in the model */
    char blank;            /* fixed MPS: what to put for blanks within names; 0: leave them out */
} berth__read_source;

/* Where a model goes that a backend reads: begin, all columns, then each row followed by its entries. Indices from 0,
 * infinity is INFINITY, names live during the call only, which may come from another thread while the caller waits.
 * False: stop reading. The constant and the costs are as the
 * backend understands the file. */
typedef struct berth__read_sink {
    void *user;
    bool (*begin)(void *user, const char *name, bool maximize, double constant);
    bool (*column)(void *user, const char *name, double cost, double lower, double upper, bool is_integer);
    bool (*row)(void *user, const char *name, double lower, double upper);
    bool (*entry)(void *user, int column, double value);
    /* Worth telling a person; `path` is one of the source's, line 0: unknown. */
    void (*warning)(void *user, const char *path, long line, const char *text);
} berth__read_sink;

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
    /* With BERTH__BACKEND_READ, else NULL. E_INPUT: error->where is one of the source's paths, error->line where it
     * is wrong, 0 if unknown. OK also if the sink stopped it. Cannot be interrupted. */
    berth_status (*read)(const berth__read_source *source, const berth__read_sink *sink, berth_error *error);
};

extern const berth_backend berth__clp_backend;         /* only in builds with BERTH_WITH_CLP */
extern const berth_backend berth__first_order_backend; /* solver/first_order/ */

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
