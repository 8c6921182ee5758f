/* The solver of general problems: what its steps share.
 *
 * berth_solve checks and builds the model, relaxes it (which bounds it), hands a packing-and-covering problem to a
 * method and any other to branch and bound, and records the best point seen. Points are offered through
 * berth__general_offer, which judges them from the model alone, so that no step can pass off a wrong one. */
#ifndef BERTH_FORMULATIONS_GENERAL_GENERAL_H
#define BERTH_FORMULATIONS_GENERAL_GENERAL_H

#include "base/budget.h"
#include "formulations/general/split.h"
#include "rounding/bounds.h"
#include "solver/solve.h"

typedef struct berth__general {
    const berth_problem *problem;
    const berth_solve_options *options;
    berth__budget budget;
    berth__model *model;
    bool packing_covering;
    char why_not[256]; /* if it is not: what speaks against it; else empty */
    int *group;        /* [n_vars] or NULL */
    int n_groups;
    berth__split *split; /* packing_covering, once there is a relaxation; else NULL */
    /* the relaxation */
    berth_outcome relaxed;
    const char *lp;       /* its solver */
    double *relaxation;   /* [n_vars] valid if has_relaxation */
    double *reduced_cost; /* [n_vars] of the model's sense, valid with multipliers */
    double *multipliers;  /* [n_rows] valid if has_multipliers */
    double *ray;          /* [n_rows] valid if has_ray */
    bool has_relaxation, has_multipliers, has_ray;
    double bound; /* NAN: none */
    berth_proof proof;
    /* the best point: feasible, or as long as there is none the least violated */
    double *x; /* [n_vars] model values, valid if found_by != NULL */
    const char *found_by;
    bool feasible;
    double cost, violation, residual;
    /* what the method says */
    berth_promise promise;
    int draws;
    double node_bound;       /* NAN: none */
    bool solved;             /* branch and bound came to its end: the best point is optimal, or there is none */
    bool stopped;            /* by the limit, before the method's own end */
    double *view_relaxation; /* [n_vars] the relaxation in the view's values, valid with split */
    double *candidate;       /* [n_vars] the view's values that a method works on */
    double *work, *model_x;  /* [n_vars] scratch of a method, and of berth__general_offer */
} berth__general;

/* ---- general.c ---- */

berth_status berth__general_open(berth__general *g, const berth_problem *problem, const berth_solve_options *options,
                                 berth_error *error);
void berth__general_close(berth__general *g);

/* Offers a point of model values (integers are made exact, bounds kept): kept if it is better than the best. `by` is
 * static text. Returns whether all rows hold. */
bool berth__general_offer(berth__general *g, const double *x, const char *by);
/* The same of a point in the view's values. */
bool berth__general_offer_view(berth__general *g, const double *view_x, const char *by);

/* Is a cost as good as it can be, or within options->gap of it? */
bool berth__general_good_enough(const berth__general *g);

/* ---- relaxation.c ---- */

/* Solves the relaxation, bounds the problem by its multipliers and raises the bound to the next value that an
 * integer point can have. Fills relaxed and what follows it. */
berth_status berth__general_relax(berth__general *g, berth_error *error);
/* With integer variables fixed at their values in x, the best of the continuous ones: offered as `by`. Nothing is done
 * if there are none, or if time is up. */
berth_status berth__general_complete(berth__general *g, const double *x, const char *by, berth_error *error);

/* ---- branch.c ---- */

/* Branch and bound until the deadline of `budget`, from the best point if it is feasible. E_BACKEND: there is no
 * backend for integer programmes. */
berth_status berth__general_branch(berth__general *g, const berth__budget *budget, berth_error *error);

/* ---- methods.c ---- */

typedef struct berth__method {
    const char *name, *about;
    berth_status (*run)(berth__general *g, berth_error *error); /* on a packing-and-covering problem with integers */
    bool needs_relaxation;                                      /* its point */
    bool takes_whole; /* if that point is whole, it is the answer; else the method is applied all the same */
} berth__method;

/* NULL if there is none of that name. */
const berth__method *berth__method_find(const char *name);
/* Without a relaxation that the method needs: greedily. */
berth_status berth__method_run(const berth__method *method, berth__general *g, berth_error *error);

/* ---- solution.c ---- */

/* All that is known, as plain data. NULL: out of memory. */
berth_solution *berth__general_solution(const berth__general *g);

#endif
