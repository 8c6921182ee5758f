#include "audit/solution/draw.h"

#include <float.h>
#include <math.h>

#include "base/alloc.h"
#include "base/tolerance.h"

enum { POLL_EVERY = 256 };

/* Coefficients are multiples of a unit but for this, relatively; what sums of them are off then; and a unit that is
 * smaller than this part of them is none. */
#define ROUNDING      1e-12
#define UNIT_ROUNDING 1e-10
#define FINEST_UNIT   1e-7

/* ---- chances ---- */

static void clear_row(berth__draw *d) {
    berth__tail_clear(&d->tail);
    d->unit = d->widest = 0;
    d->uneven = false;
}

/* The largest number of which both are multiples, but for rounding. */
static double common_unit(double a, double b) {
    double tolerance = ROUNDING * fmax(a, b);
    while (b > tolerance) {
        double rest = fmod(a, b);
        a = b;
        b = b - rest <= tolerance ? 0 : rest;
    }
    return a;
}

static void use_term(berth__draw *d, size_t var, double value) {
    if (!(value > 0) || (d->whole[var] <= 0 && d->chance[var] <= 0)) {
        return;
    }
    d->tail.constant += value * d->whole[var];
    if (d->chance[var] > 0) {
        berth__tail_add(&d->tail, value, d->chance[var]);
    }
    d->uneven = d->uneven || !berth__problem_integer(d->review->problem, var);
    d->unit = d->uneven ? 0 : common_unit(d->unit, value);
    d->widest = fmax(d->widest, value);
}

/* From where on the row fails that may not be above a limit (up) or below it. */
static double failing_level(const berth__draw *d, double limit, bool up) {
    double slack = fmax(DBL_MIN, BERTH__FEASIBILITY * fmax(limit, d->tail.constant)), unit = d->unit;
    limit += up ? slack : -slack;
    if (!(unit > FINEST_UNIT * d->widest) || !(fabs(limit / unit) < 1 / FINEST_UNIT)) {
        return limit;
    }
    return up ? fmax(limit, (floor(limit / unit) + 1) * unit * (1 - UNIT_ROUNDING))
              : fmin(limit, (ceil(limit / unit) - 1) * unit * (1 + UNIT_ROUNDING));
}

/* The chance that the row that is loaded fails. */
static double failure(berth__draw *d, double limit, bool up, berth__draw_effort effort) {
    double level = failing_level(d, limit, up), chance = berth__tail_plain(&d->tail, level, up);
    if (effort >= BERTH__DRAW_CHERNOFF && chance > 0) {
        chance = fmin(chance, berth__tail_chernoff(&d->tail, level, up));
    }
    if (effort >= BERTH__DRAW_EXACT && chance > 0 && d->independent) {
        chance = fmin(chance, berth__tail_exact(&d->tail, level, up, d->work));
    }
    return chance;
}

static double cost_failure(berth__draw *d, double factor, berth__draw_effort effort) {
    const berth_problem *p = d->review->problem;
    clear_row(d);
    for (size_t j = 0; j < p->n_vars; j++) {
        use_term(d, j, fabs(p->cost[j]));
    }
    return failure(d, factor * d->lp, !d->review->gains, effort);
}

static void load_row(berth__draw *d, size_t i) {
    const berth_problem *p = d->review->problem;
    clear_row(d);
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        use_term(d, (size_t)p->var_of[k], d->review->form_rows[i].sign * p->value[k]);
    }
}

/* The relaxation's point may miss a right side by the precision of its solver: then so may the rounded one. */
static double row_failure(berth__draw *d, size_t i, const berth_promise *promise, berth__draw_effort effort) {
    const berth__form_row *row = &d->review->form_rows[i];
    double scale, reached = berth__form_activity(d->review, i, d->review->solution->relaxation, &scale);
    double chance = 0;
    load_row(d, i);
    if (!isnan(row->cover) && promise->cover_factor > 0) {
        double due = reached < row->cover && reached >= row->cover * (1 - BERTH__LP_FEASIBILITY) ? reached : row->cover;
        chance += failure(d, promise->cover_factor * due, false, effort);
    }
    if (!isnan(row->pack) && !isnan(promise->pack_factor)) {
        double due = reached > row->pack && reached <= row->pack * (1 + BERTH__LP_FEASIBILITY) ? reached : row->pack;
        chance += failure(d, promise->pack_factor * due, true, effort);
    }
    return chance;
}

double berth__draw_failures(berth__draw *d, const berth_promise *promise, berth__draw_effort effort, double enough) {
    const berth__review *r = d->review;
    double sum = isnan(promise->cost_factor) ? 0 : cost_failure(d, promise->cost_factor, effort);
    for (size_t i = 0; i < r->problem->n_rows && sum <= enough; i++) {
        if (i % POLL_EVERY == 0 && berth__budget_spent(r->budget)) {
            break;
        }
        if (r->form_rows[i].sign != 0) {
            sum += row_failure(d, i, promise, effort);
        }
    }
    return sum;
}

/* ---- the draw ---- */

/* A value within INTEGRALITY of an integer is that integer, as where it is rounded. */
static void set_value(berth__draw *d, size_t j, double value) {
    if (!berth__problem_integer(d->review->problem, j)) {
        d->whole[j] = value;
        return;
    }
    bool integral = fabs(value - round(value)) <= BERTH__INTEGRALITY;
    d->whole[j] = integral ? round(value) : floor(value);
    d->chance[j] = integral ? 0 : value - d->whole[j];
}

/* Most units of a variable, from its lower bound: its upper bound, and of an integer what each packing row has room
 * for. top: [n_vars]. */
static void set_tops(const berth__review *r, double *top) {
    const berth_problem *p = r->problem;
    for (size_t j = 0; j < p->n_vars; j++) {
        top[j] = r->upper[j] - r->lower[j];
    }
    for (size_t i = 0; i < p->n_rows; i++) {
        const berth__form_row *row = &r->form_rows[i];
        for (size_t k = p->row_start[i]; k < p->row_start[i + 1] && row->sign != 0 && !isnan(row->pack); k++) {
            size_t j = (size_t)p->var_of[k];
            if (p->value[k] != 0 && berth__problem_integer(p, j)) {
                double units = row->pack / fabs(p->value[k]);
                top[j] = fmin(top[j], floor(units + BERTH__FEASIBILITY * fmax(1, units)));
            }
        }
    }
}

bool berth__draw_begin(berth__draw *d, const berth__review *r, double scale, bool independent) {
    const double *x = r->solution->relaxation;
    size_t n = r->problem->n_vars;
    *d = (berth__draw){.review = r, .independent = independent, .lp = fabs(berth__cost_from_lower(r, x))};
    d->whole = BERTH__NEW_ARRAY(double, n);
    d->chance = BERTH__NEW_ARRAY(double, n);
    d->work = BERTH__NEW_ARRAY(double, n + 2);
    d->tail.terms = BERTH__NEW_ARRAY(berth__tail_term, n);
    if (d->whole == NULL || d->chance == NULL || d->work == NULL || d->tail.terms == NULL) {
        return false;
    }
    set_tops(r, d->work);
    for (size_t j = 0; j < n; j++) {
        set_value(d, j, fmax(0, fmin(scale * (x[j] - r->lower[j]), d->work[j])));
    }
    return true;
}

void berth__draw_end(berth__draw *d) {
    berth__free(d->whole);
    berth__free(d->chance);
    berth__free(d->work);
    berth__free(d->tail.terms);
}
