/* Packing and covering: is the problem of that form, and how far do its rows reach at a point?
 *
 * A row of coefficients >= 0 (after a multiplication by -1 where all are <= 0) gives a cover row for its lower and a
 * packing row for its upper bound; variables count from their lower bounds, those of integers rounded up. A cover row
 * whose right side is not positive always holds: it has no factor and speaks for or against nothing. Costs have one
 * sign: a minimisation of costs <= 0 is a maximisation of profits, and the other way round. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "audit/exact.h"
#include "audit/solution/review.h"
#include "base/tolerance.h"

/* What speaks against the form: surely, or depending on how it is seen. The first of the surer kind is kept. */
BERTH__PRINTF(3, 4)
static void object(berth__review *r, bool surely, const char *format, ...) {
    if (r->form == BERTH__FORM_NO || (!surely && r->form == BERTH__FORM_EITHER)) {
        return;
    }
    va_list args;
    va_start(args, format);
    r->form = surely ? BERTH__FORM_NO : BERTH__FORM_EITHER;
    vsnprintf(r->why_not, sizeof r->why_not, format, args);
    va_end(args);
}

static void look_at_vars(berth__review *r) {
    char room[BERTH__PLACE_ROOM];
    bool rises = false, falls = false;
    for (size_t j = 0; j < r->problem->n_vars; j++) {
        if (isinf(r->lower[j])) {
            object(r, true, "%s has no lower bound", berth__place_var(r->problem, j, room));
        }
        rises = rises || r->problem->cost[j] > 0;
        falls = falls || r->problem->cost[j] < 0;
        if (rises && falls) {
            object(r, true, "costs have both signs, that of %s and others", berth__place_var(r->problem, j, room));
        }
    }
    r->gains = r->problem->maximize != (falls && !rises);
}

/* 1, -1, or 0 for a row of no such form. */
static int sign_of_row(const berth__review *r, size_t i) {
    const berth_problem *p = r->problem;
    int sign = 0;
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        int own = (p->value[k] > 0) - (p->value[k] < 0);
        if (own == 0) {
            continue;
        }
        if (sign == -own || isinf(r->lower[p->var_of[k]])) {
            return 0;
        }
        sign = own;
    }
    return sign == 0 ? 1 : sign;
}

/* What a difference of right sides that is 0 may be off by where it is computed in doubles, relative to its terms. */
#define ROUNDING 1e-13

/* bound - (A lower)_i of a row with its sign, 0 if that is rounding; *scale: its largest term. */
static double right_side(const berth__review *r, size_t i, double bound, int sign, double *scale) {
    const berth_problem *p = r->problem;
    berth__exact sum = {.low = 0};
    *scale = fabs(bound);
    berth__exact_add(&sum, bound);
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        double lower = r->lower[p->var_of[k]];
        if (lower != 0 && p->value[k] != 0) { /* an infinite one has no coefficient here */
            berth__exact_add_product(&sum, -p->value[k], lower);
            *scale = fmax(*scale, berth__term_size(p->value[k], lower));
        }
    }
    if (sign < 0) {
        berth__exact_negate(&sum);
    }
    double due = berth__exact_value(&sum);
    return fabs(due) <= ROUNDING * *scale ? 0 : due;
}

static void look_at_row(berth__review *r, size_t i) {
    const berth_problem *p = r->problem;
    berth__form_row *row = &r->form_rows[i];
    char room[BERTH__PLACE_ROOM];
    *row = (berth__form_row){.sign = sign_of_row(r, i), .cover = (double)NAN, .pack = (double)NAN};
    double cover = row->sign > 0 ? p->row_lower[i] : p->row_upper[i], scale;
    double pack = row->sign > 0 ? p->row_upper[i] : p->row_lower[i];
    if (isinf(cover) && isinf(pack)) {
        return; /* a row that says nothing */
    }
    if (row->sign == 0) {
        object(r, true, "%s has coefficients of both signs, or a variable without a lower bound",
               berth__place_row(p, i, room));
        return;
    }
    if (isfinite(cover)) {
        double due = right_side(r, i, cover, row->sign, &scale);
        row->cover = due > 0 ? due : (double)NAN;
        if (due < 0) {
            object(r, false, "%s has a negative right side", berth__place_row(p, i, room));
        }
    }
    if (isfinite(pack)) {
        double due = right_side(r, i, pack, row->sign, &scale);
        row->pack = fmax(0, due);
        if (due < 0) {
            bool empty = p->row_start[i] == p->row_start[i + 1];
            object(r, !empty && due < -BERTH__FEASIBILITY * scale, "%s has a negative right side",
                   berth__place_row(p, i, room));
        }
    }
}

static void check_claim(berth__review *r) {
    const berth_solution *s = r->solution;
    bool said = s->why_not != NULL && s->why_not[0] != '\0';
    berth__audit_count(r->report, BERTH__RULE_FORM);
    if (s->packing_covering && r->form == BERTH__FORM_NO) {
        berth__audit_violation_at(r->report, BERTH__RULE_FORM, "", (double)NAN,
                                  "it is claimed to be a packing-and-covering problem, but %s", r->why_not);
    } else if (s->packing_covering && s->why_not != NULL) {
        berth__audit_violation_at(r->report, BERTH__RULE_FORM, "", (double)NAN,
                                  "it is claimed to be a packing-and-covering problem, and also why it is not");
    } else if (!s->packing_covering && r->external && !said) {
        berth__audit_note_at(r->report, BERTH__RULE_FORM, "",
                             "it is not said whether this is a packing-and-covering problem");
    } else if (!s->packing_covering && r->form == BERTH__FORM_YES) {
        berth__audit_violation_at(r->report, BERTH__RULE_FORM, "", (double)NAN,
                                  "it is claimed not to be a packing-and-covering problem, but it is one");
    } else if (!s->packing_covering && !said) {
        berth__audit_violation_at(r->report, BERTH__RULE_FORM, "", (double)NAN,
                                  "it is not said why this is no packing-and-covering problem");
    }
}

void berth__review_form(berth__review *r) {
    r->form = BERTH__FORM_YES;
    look_at_vars(r);
    for (size_t i = 0; i < r->problem->n_rows; i++) {
        look_at_row(r, i);
    }
    check_claim(r);
}

double berth__form_activity(const berth__review *r, size_t i, const double *x, double *scale) {
    const berth_problem *p = r->problem;
    berth__exact sum = {.low = 0};
    *scale = 0;
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        size_t j = (size_t)p->var_of[k];
        if (p->value[k] != 0) {
            berth__exact_add_product(&sum, p->value[k], x[j]);
            berth__exact_add_product(&sum, -p->value[k], r->lower[j]);
            *scale =
                fmax(*scale, fmax(berth__term_size(p->value[k], x[j]), berth__term_size(p->value[k], r->lower[j])));
        }
    }
    if (r->form_rows[i].sign < 0) {
        berth__exact_negate(&sum);
    }
    return berth__exact_value(&sum);
}

void berth__form_factors(const berth__review *r, const double *x, double *cover_min, double *pack_max) {
    *cover_min = *pack_max = (double)NAN;
    for (size_t i = 0; i < r->problem->n_rows; i++) {
        const berth__form_row *row = &r->form_rows[i];
        if (row->sign == 0 || (isnan(row->cover) && isnan(row->pack))) {
            continue;
        }
        double scale, activity = berth__form_activity(r, i, x, &scale);
        if (!isnan(row->cover)) {
            *cover_min = fmin(*cover_min, activity / row->cover);
        }
        if (row->pack > 0) {
            *pack_max = fmax(*pack_max, activity / row->pack);
        } else if (row->pack <= 0) { /* right side 0: all or nothing */
            *pack_max = fmax(*pack_max, activity <= BERTH__FEASIBILITY * scale ? 0 : (double)INFINITY);
        }
    }
}
