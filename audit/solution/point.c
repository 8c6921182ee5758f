/* The point: x within its bounds, integral, in every row; its cost; how far rows reach. And the relaxation's point. */
#include <math.h>
#include <string.h>

#include "audit/solution/review.h"
#include "base/tolerance.h"

/* Values below this count as this much where a solver of linear programmes left a residual. */
#define NOISE 0.01

static double cost_of(const berth__review *r, const double *x) {
    berth__exact sum = {.low = 0};
    berth__exact_add(&sum, r->problem->offset);
    for (size_t j = 0; j < r->problem->n_vars; j++) {
        berth__exact_add_product(&sum, r->problem->cost[j], x[j]);
    }
    return berth__exact_value(&sum);
}

double berth__cost_from_lower(const berth__review *r, const double *x) {
    berth__exact sum = {.low = 0};
    for (size_t j = 0; j < r->problem->n_vars; j++) {
        if (r->problem->cost[j] != 0) {
            berth__exact_add_product(&sum, r->problem->cost[j], x[j]);
            berth__exact_add_product(&sum, -r->problem->cost[j], r->lower[j]);
        }
    }
    return berth__exact_value(&sum);
}

/* ---- x ---- */

/* A point that comes with an outcome that claims nothing of it may break rules, but not unseen. */
static void broken(berth__review *r, berth__audit_rule rule, const char *where, double by, const char *what) {
    berth_outcome outcome = r->solution->outcome;
    bool claimed = outcome == BERTH_OPTIMAL || outcome == BERTH_FEASIBLE || outcome == BERTH_APPROXIMATE;
    r->point_holds = false;
    if (claimed) {
        berth__audit_violation_at(r->report, rule, where, -by, "%s by %.9g", what, by);
    } else {
        berth__audit_note_at(r->report, rule, where, "%s by %.9g", what, by);
    }
}

static bool is_finite_point(berth__review *r, const double *x, berth__audit_rule rule) {
    char room[BERTH__PLACE_ROOM];
    bool finite = true;
    for (size_t j = 0; j < r->problem->n_vars; j++) {
        if (!isfinite(x[j])) {
            berth__audit_violation_at(r->report, rule, berth__place_var(r->problem, j, room), (double)NAN,
                                      "its value is not finite");
            finite = false;
        }
    }
    return finite;
}

static void check_vars(berth__review *r, const double *x) {
    char room[BERTH__PLACE_ROOM];
    for (size_t j = 0; j < r->problem->n_vars; j++) {
        double lower = berth__problem_lower(r->problem, j), upper = berth__problem_upper(r->problem, j);
        berth__audit_count(r->report, BERTH__RULE_VARIABLE_BOUNDS);
        if (x[j] < lower - BERTH__FEASIBILITY * fabs(lower)) {
            broken(r, BERTH__RULE_VARIABLE_BOUNDS, berth__place_var(r->problem, j, room), lower - x[j],
                   "it is below its lower bound");
        } else if (x[j] > upper + BERTH__FEASIBILITY * fabs(upper)) {
            broken(r, BERTH__RULE_VARIABLE_BOUNDS, berth__place_var(r->problem, j, room), x[j] - upper,
                   "it is above its upper bound");
        }
        if (berth__problem_integer(r->problem, j)) {
            berth__audit_count(r->report, BERTH__RULE_INTEGRALITY);
            if (x[j] != floor(x[j])) {
                broken(r, BERTH__RULE_INTEGRALITY, berth__place_var(r->problem, j, room), fabs(x[j] - round(x[j])),
                       "it is off an integer");
            }
        }
    }
}

/* (A x)_i exactly; *scale: its largest term. */
static void activity(const berth__review *r, size_t i, const double *x, berth__exact *sum, double *scale) {
    const berth_problem *p = r->problem;
    berth__exact_clear(sum);
    *scale = 0;
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        berth__exact_add_product(sum, p->value[k], x[p->var_of[k]]);
        *scale = fmax(*scale, berth__term_size(p->value[k], x[p->var_of[k]]));
    }
}

/* How far a row with this sum is beyond a bound, if by more than the tolerance; else 0. side 1: bound from above. */
static double excess(berth__exact *sum, double bound, int side, double tolerance, double scale) {
    if (isinf(bound)) {
        return 0;
    }
    berth__exact beyond = {.low = 0};
    berth__exact_copy(&beyond, sum);
    berth__exact_add(&beyond, -bound);
    if (side < 0) {
        berth__exact_negate(&beyond);
    }
    if (berth__exact_sign(&beyond) <= 0) {
        return 0;
    }
    double by = berth__exact_down(&beyond);
    return by > tolerance * fmax(fabs(bound), scale) ? by : 0;
}

/* An approximate point holds a row of the packing-and-covering form within the factors that it states. */
static bool holds_by_factor(const berth__review *r, size_t i, const double *x) {
    const berth_solution *s = r->solution;
    const berth__form_row *row = &r->form_rows[i];
    if (s->outcome != BERTH_APPROXIMATE || row->sign == 0) {
        return false;
    }
    double scale, reached = berth__form_activity(r, i, x, &scale);
    double cover = isnan(s->cover_min) ? row->cover : fmin(1, s->cover_min) * row->cover;
    double pack = isnan(s->pack_max) ? row->pack : fmax(1, s->pack_max) * row->pack;
    bool covered = isnan(row->cover) || reached >= cover - BERTH__FEASIBILITY * fmax(fabs(cover), scale);
    bool packed = isnan(row->pack) || reached <= pack + BERTH__FEASIBILITY * fmax(fabs(pack), scale);
    return covered && packed;
}

/* Linear programmes are solved to a precision of their own: it is what a row of a continuous variable is held to. */
static bool has_continuous(const berth_problem *p, size_t i) {
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        if (p->value[k] != 0 && !berth__problem_integer(p, (size_t)p->var_of[k])) {
            return true;
        }
    }
    return false;
}

/* The largest term of the row, or what counts as no less where a solver of linear programmes left a residual. */
static double precision_scale(const berth_problem *p, size_t i, double scale) {
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        scale = fmax(scale, NOISE * fabs(p->value[k]));
    }
    return scale;
}

/* How far a row is missed by more than `tolerance`; *below: by its lower bound. */
static double miss(const berth_problem *p, size_t i, berth__exact *sum, double tolerance, double scale, bool *below) {
    double under = excess(sum, p->row_lower[i], -1, tolerance, scale);
    double over = excess(sum, p->row_upper[i], 1, tolerance, scale);
    *below = under > over;
    return fmax(under, over);
}

static void check_rows(berth__review *r, const double *x) {
    const berth_problem *p = r->problem;
    char room[BERTH__PLACE_ROOM];
    berth__exact sum = {.low = 0};
    size_t n_nearly = 0;
    for (size_t i = 0; i < p->n_rows && !berth__budget_spent(r->budget); i++) {
        double scale;
        bool below;
        activity(r, i, x, &sum, &scale);
        berth__audit_count(r->report, BERTH__RULE_ROW);
        double by = miss(p, i, &sum, BERTH__FEASIBILITY, scale, &below);
        if (!(by > 0)) {
            continue;
        }
        if (has_continuous(p, i)) {
            n_nearly++;
            by = miss(p, i, &sum, BERTH__LP_FEASIBILITY, precision_scale(p, i, scale), &below);
        }
        if (by > 0 && holds_by_factor(r, i, x)) {
            r->point_holds = false;
        } else if (by > 0) {
            broken(r, BERTH__RULE_ROW, berth__place_row(p, i, room), by,
                   below ? "it is below its lower bound" : "it is above its upper bound");
        }
    }
    if (n_nearly > 0 && r->solution->outcome != BERTH_APPROXIMATE) {
        berth__audit_note_at(r->report, BERTH__RULE_ROW, "",
                             "rows with continuous variables that hold to %g only, not to %g: %zu",
                             BERTH__LP_FEASIBILITY, BERTH__FEASIBILITY, n_nearly);
    }
}

/* ---- figures ---- */

static double largest_cost_term(const berth__review *r, const double *x) {
    double largest = fabs(r->problem->offset);
    for (size_t j = 0; j < r->problem->n_vars; j++) {
        largest = fmax(largest, berth__term_size(r->problem->cost[j], x[j]));
    }
    return largest;
}

/* Compares a figure; due NAN: it should be absent. `noise`: a difference that is none. */
static void check_figure(berth__review *r, berth__audit_rule rule, const char *name, double claimed, double due,
                         double noise) {
    berth__audit_count(r->report, rule);
    if (isnan(claimed) && (isnan(due) || r->external)) {
        return;
    }
    bool same = claimed == due || fabs(claimed - due) <= fmax(noise, BERTH__FIGURE * fmax(fabs(claimed), fabs(due)));
    if (isnan(due)) {
        berth__audit_violation_at(r->report, rule, "", (double)NAN, "%s is claimed to be %.9g, but there is none", name,
                                  claimed);
    } else if (isnan(claimed)) {
        berth__audit_violation_at(r->report, rule, "", (double)NAN, "%s is not given; it is %.9g", name, due);
    } else if (isinf(claimed) != isinf(due) || !same) {
        berth__audit_violation_at(r->report, rule, "", -fabs(claimed - due), "%s is claimed to be %.9g; it is %.9g",
                                  name, claimed, due);
    }
}

static void check_factors(berth__review *r, const double *x) {
    const berth_solution *s = r->solution;
    double cover_min = (double)NAN, pack_max = (double)NAN;
    if (x != NULL) {
        berth__form_factors(r, x, &cover_min, &pack_max);
    }
    /* JSON has no infinity, and a problem of another form need not speak of factors. */
    bool silent = isnan(s->cover_min) && isnan(s->pack_max) && r->form != BERTH__FORM_YES;
    double pack_due = isinf(pack_max) && isnan(s->pack_max) ? (double)NAN : pack_max;
    bool none = pack_due <= 0 && isnan(s->pack_max); /* right sides of 0 alone, and they hold */
    if (!silent) {
        check_figure(r, BERTH__RULE_ROW_FACTORS, "cover_min", s->cover_min, cover_min, BERTH__FEASIBILITY);
        check_figure(r, BERTH__RULE_ROW_FACTORS, "pack_max", s->pack_max, none ? (double)NAN : pack_due,
                     BERTH__FEASIBILITY);
    }
}

void berth__review_point(berth__review *r) {
    const double *x = r->solution->x;
    r->has_point = x != NULL && is_finite_point(r, x, BERTH__RULE_FINITE);
    r->point_holds = r->has_point;
    r->cost = r->has_point ? cost_of(r, x) : (double)NAN;
    if (r->has_point) {
        check_vars(r, x);
        check_rows(r, x);
    }
    if (x == NULL || r->has_point) {
        check_figure(r, BERTH__RULE_COST, "the cost", r->solution->cost, r->cost,
                     x == NULL ? 0 : BERTH__FEASIBILITY * largest_cost_term(r, x));
        check_factors(r, x);
    }
}

/* ---- relaxation ---- */

/* The first-order solver's points may miss rows by as much as its values. */
static double relaxation_precision(const berth_solution *s) {
    bool first_order = s->lp != NULL && strcmp(s->lp, "first-order") == 0 && s->lp_gap < 1;
    return first_order ? fmax(BERTH__LP_FEASIBILITY, s->lp_gap) : BERTH__LP_FEASIBILITY;
}

static void check_relaxed_row(berth__review *r, size_t i, const double *x, berth__exact *sum) {
    char room[BERTH__PLACE_ROOM];
    double scale;
    bool below;
    activity(r, i, x, sum, &scale);
    berth__audit_count(r->report, BERTH__RULE_RELAXATION);
    double by =
        miss(r->problem, i, sum, relaxation_precision(r->solution), precision_scale(r->problem, i, scale), &below);
    if (by > 0) {
        berth__audit_violation_at(r->report, BERTH__RULE_RELAXATION, berth__place_row(r->problem, i, room), -by,
                                  "the relaxation's point breaks it by %.9g", by);
    }
}

void berth__review_relaxation(berth__review *r) {
    const berth_problem *p = r->problem;
    const double *x = r->solution->relaxation;
    char room[BERTH__PLACE_ROOM];
    berth__exact sum = {.low = 0};
    if (x == NULL || !is_finite_point(r, x, BERTH__RULE_RELAXATION)) {
        return;
    }
    for (size_t j = 0; j < p->n_vars; j++) {
        double lower = berth__problem_lower(p, j), upper = berth__problem_upper(p, j);
        double by = fmax(lower - x[j], x[j] - upper);
        berth__audit_count(r->report, BERTH__RULE_RELAXATION);
        if (by > BERTH__LP_FEASIBILITY * fmax(1, fabs(x[j]))) {
            berth__audit_violation_at(r->report, BERTH__RULE_RELAXATION, berth__place_var(p, j, room), -by,
                                      "the relaxation's point is outside its bounds by %.9g", by);
        }
    }
    for (size_t i = 0; i < p->n_rows && !berth__budget_spent(r->budget); i++) {
        check_relaxed_row(r, i, x, &sum);
    }
}
