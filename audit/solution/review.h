/* The checker of solutions of general problems: recomputes from the problem and the solution alone everything that the
 * solution claims. It shares no code with what it checks.
 *
 * Files: check.c (order of the steps), problem.c (the problem as given, validated), form.c (packing and covering),
 * point.c (x, cost, rows, the relaxation's point), certificate.c (what multipliers and rays prove, by exact
 * arithmetic), implied.c (bounds of variables that follow from rows), bounds.c (the bounds as claimed, ratio),
 * outcome.c, promise.c (what roundings promise) on draw.c (a draw's chances) and tails.c (how likely a row fails).
 *
 * Not judged, as nothing in the two files says what they should be: seed, trials, lp, found_by, versions, wording of
 * texts, options but for a scale that is a number and the gap of an optimum; node_bound beyond its consistency.
 * Multipliers may be any that confirm the bound; a claimed bound may be weaker than what they confirm, a promise weaker
 * than what was found to be true. */
#ifndef BERTH_AUDIT_SOLUTION_REVIEW_H
#define BERTH_AUDIT_SOLUTION_REVIEW_H

#include <float.h>
#include <math.h>

#include "audit/exact.h"
#include "audit/report.h"
#include "base/budget.h"

/* Is the problem a packing-and-covering one? EITHER: it depends on how a tiny right side, or one that cannot bind, is
 * seen. */
typedef enum berth__form { BERTH__FORM_NO, BERTH__FORM_YES, BERTH__FORM_EITHER } berth__form;

/* How a row stands in the packing-and-covering form: sign (A x') >= cover and <= pack, x' = x - lower >= 0. */
typedef struct berth__form_row {
    int sign;     /* 1, -1: all of its coefficients have it (1 without any); 0: it is of no such form */
    double cover; /* > 0; NAN: none, or one that holds always */
    double pack;  /* >= 0; NAN: none */
} berth__form_row;

typedef enum berth__bound_state {
    BERTH__BOUND_NONE,  /* nothing is claimed, or it was refused */
    BERTH__BOUND_WORD,  /* claimed without a proof */
    BERTH__BOUND_PROVED /* confirmed, exactly or within tolerance */
} berth__bound_state;

typedef struct berth__review {
    const berth_problem *problem;
    const berth_solution *solution;
    const berth__budget *budget;
    berth__audit_report *report;
    bool external;         /* the method promises nothing and may leave figures out */
    double *lower, *upper; /* [n_vars] those of the problem, rounded inward for integers */
    size_t *col_start;     /* [n_vars + 1] the matrix by columns */
    int *row_of;
    double *col_value;
    berth__form form;
    bool gains;                 /* the costs, whatever their sign, are profits to maximise */
    char why_not[160];          /* unless form is YES */
    berth__form_row *form_rows; /* [n_rows] */
    bool has_point;             /* x is given and finite */
    bool point_holds;           /* and within all bounds and rows, integers integral */
    double cost;                /* NAN: there is no x */
    berth__bound_state bound_state;
    double bound; /* what the multipliers prove; NAN: nothing */
} berth__review;

enum { BERTH__PLACE_ROOM = 160 };

/* ---- problem.c ---- */

/* E_ARGUMENT: numbers that are no numbers, crossed bounds, indices out of range, a variable twice in a row. */
berth_status berth__review_validate(const berth_problem *problem, berth_error *error);
/* Box and columns. False: out of memory. */
bool berth__review_prepare(berth__review *review);
void berth__review_free(berth__review *review);
double berth__problem_lower(const berth_problem *problem, size_t var);
double berth__problem_upper(const berth_problem *problem, size_t var);
bool berth__problem_integer(const berth_problem *problem, size_t var);
/* Largest |cost|: what a unit of a variable may be worth, by which figures near 0 are compared. */
double berth__largest_cost(const berth_problem *problem);
/* "variable x3", "row r7". */
const char *berth__place_var(const berth_problem *problem, size_t var, char room[BERTH__PLACE_ROOM]);
const char *berth__place_row(const berth_problem *problem, size_t row, char room[BERTH__PLACE_ROOM]);

/* ---- the steps; those that are long return early once the budget is spent ---- */

void berth__review_form(berth__review *review); /* sets form, why_not, form_rows */
void berth__review_point(berth__review *review);
void berth__review_relaxation(berth__review *review);
bool berth__review_bounds(berth__review *review); /* false: out of memory */
bool berth__review_ray(berth__review *review);
void berth__review_outcome(berth__review *review);
bool berth__review_promise(berth__review *review);

/* ---- shared ---- */

/* |a b|, finite. */
static inline double berth__term_size(double a, double b) {
    return fmin(fabs(a * b), DBL_MAX);
}

/* sign (A x') of a row, x' counted from the lower bounds; `scale`: its largest term. Needs a row of form_rows with a
 * sign. */
double berth__form_activity(const berth__review *review, size_t row, const double *x, double *scale);
/* Least cover and greatest packing factor at x; NAN: no such row. */
void berth__form_factors(const berth__review *review, const double *x, double *cover_min, double *pack_max);
/* cost . x with x counted from the lower bounds. */
double berth__cost_from_lower(const berth__review *review, const double *x);

/* What multipliers prove. In terms of a minimisation of cost . x over the box. */
typedef struct berth__proof_data {
    const double *cost;        /* [n_vars]; NULL: 0 */
    const double *multipliers; /* [n_rows], finite */
    double sign;               /* -1: cost and multipliers count negated (a maximisation), else 1 */
    bool tolerant;             /* reduced costs that are relatively within FEASIBILITY of 0 count as 0 if need be */
} berth__proof_data;

/* sum_i y_i b_i + sum_j min (cost - A' y)_j x_j over lower <= x <= upper, rounded nowhere. False: a row or a column
 * has no bound where one is needed; *missing (NULL: none wanted) names the first. *scale: the largest term. */
bool berth__prove(const berth__review *review, const berth__proof_data *data, const double *lower, const double *upper,
                  berth__exact *total, double *scale, char missing[BERTH__PLACE_ROOM]);

/* Tightens a box once by what follows from the rows: every point of the problem that lies in it stays; without
 * `whole`, also every point of the relaxation. False: nothing changed, or the budget is spent. */
bool berth__tighten(const berth__review *review, bool whole, double *lower, double *upper);
/* Lowers upper bounds of a box to what the relaxation over it needs: for each of its points there is one in the new box
 * that is no worse by data->cost and sign, not whole perhaps. False: out of memory. */
bool berth__dominate(const berth__review *review, const berth__proof_data *data, const double *lower, double *upper);

#endif
