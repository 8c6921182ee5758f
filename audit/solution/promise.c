/* What a rounding promised, re-evaluated for this very problem, point and scale.
 *
 * Randomised rounding takes x' = G x* (counted from the lower bounds, clipped to the upper ones) and rounds each
 * integer variable up with the chance of its fraction. The promise is true if the chances of its failures - the cost
 * above cost_factor LP, a cover row below cover_factor, a packing row above pack_factor times its right side - add up
 * to no more than 1 - probability. For each the least of several bounds counts (tails.h; for the cost also Markov's);
 * dearer ones are asked only while cheaper ones do not suffice. Dependent rounding keeps the chances of the variables,
 * but ties them to each other within groups. For a maximisation the profit is one more cover row, of right side LP.
 *
 * What is promised for certain by another method is a fact about x, or it is nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/solution/review.h"
#include "audit/solution/tails.h"
#include "base/alloc.h"
#include "base/tolerance.h"

enum { POLL_EVERY = 256 };

/* How a draw is bounded, the cheapest first. */
typedef enum effort { CLOSED, CHERNOFF, EXACT, EFFORTS } effort;

typedef struct draw {
    berth__review *review;
    double *whole;  /* [n_vars] of G x*: what is there for certain */
    double *chance; /* [n_vars] of one more; 0 for continuous variables */
    bool independent;
    double lp; /* cost or profit of the relaxation's point, from the lower bounds */
    berth__tail tail;
    double *work; /* of exact distributions */
} draw;

static void refuse(berth__review *r, const char *why) {
    berth__audit_violation_at(r->report, BERTH__RULE_PROMISE, "", (double)NAN, "it is said to hold, but %s", why);
}

/* ---- chances ---- */

static void use_terms(draw *d, size_t var, double value) {
    if (value > 0) {
        d->tail.constant += value * d->whole[var];
        if (d->chance[var] > 0) {
            berth__tail_add(&d->tail, value, d->chance[var]);
        }
    }
}

/* The chance that what is in d->tail fails; above: beyond a limit from above. */
static double failure(draw *d, double limit, bool above, effort most) {
    double slack = BERTH__FEASIBILITY * fmax(limit, d->tail.constant);
    limit += above ? slack : -slack;
    double chance = berth__tail_closed(&d->tail, limit, above);
    if (most >= CHERNOFF && chance > 0) {
        chance = fmin(chance, berth__tail_chernoff(&d->tail, limit, above));
    }
    if (most >= EXACT && chance > 0 && d->independent) {
        chance = fmin(chance, berth__tail_exact(&d->tail, limit, above, d->work));
    }
    return chance;
}

static double cost_failure(draw *d, double factor, effort most) {
    const berth_problem *p = d->review->problem;
    double limit = factor * d->lp;
    berth__tail_clear(&d->tail);
    for (size_t j = 0; j < p->n_vars; j++) {
        use_terms(d, j, fabs(p->cost[j]));
    }
    double chance = failure(d, limit, !d->review->gains, most);
    double mean = d->tail.constant + d->tail.mean;
    return d->review->gains || !(limit > 0) ? chance : fmin(chance, mean / limit);
}

static void load_row(draw *d, size_t i) {
    const berth_problem *p = d->review->problem;
    berth__tail_clear(&d->tail);
    for (size_t k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        use_terms(d, (size_t)p->var_of[k], d->review->form_rows[i].sign * p->value[k]);
    }
}

/* The relaxation's point may miss a right side by the precision of its solver: then so may the rounded one. */
static double row_failure(draw *d, size_t i, const berth_promise *promise, effort most) {
    const berth__form_row *row = &d->review->form_rows[i];
    double scale, reached = berth__form_activity(d->review, i, d->review->solution->relaxation, &scale);
    double chance = 0;
    load_row(d, i);
    if (!isnan(row->cover) && promise->cover_factor > 0) {
        double due = reached < row->cover && reached >= row->cover * (1 - BERTH__LP_FEASIBILITY) ? reached : row->cover;
        chance += failure(d, promise->cover_factor * due, false, most);
    }
    if (!isnan(row->pack) && !isnan(promise->pack_factor)) {
        double due = reached > row->pack && reached <= row->pack * (1 + BERTH__LP_FEASIBILITY) ? reached : row->pack;
        chance += failure(d, promise->pack_factor * due, true, most);
    }
    return chance;
}

/* An upper bound on the chance that anything promised fails; stops above `enough`. */
static double all_failures(draw *d, const berth_promise *promise, effort most, double enough) {
    const berth__review *r = d->review;
    double sum = isnan(promise->cost_factor) ? 0 : cost_failure(d, promise->cost_factor, most);
    for (size_t i = 0; i < r->problem->n_rows && sum <= enough; i++) {
        if (i % POLL_EVERY == 0 && berth__budget_spent(r->budget)) {
            break;
        }
        if (r->form_rows[i].sign != 0) {
            sum += row_failure(d, i, promise, most);
        }
    }
    return sum;
}

/* ---- the draw ---- */

/* A value within INTEGRALITY of an integer is that integer, as where it is rounded. */
static void set_value(draw *d, size_t j, double value) {
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

/* False: out of memory. */
static bool begin_draw(draw *d, berth__review *r, double scale, bool independent) {
    const double *x = r->solution->relaxation;
    size_t n = r->problem->n_vars;
    *d = (draw){.review = r, .independent = independent, .lp = fabs(berth__cost_from_lower(r, x))};
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

static void end_draw(draw *d) {
    berth__free(d->whole);
    berth__free(d->chance);
    berth__free(d->work);
    berth__free(d->tail.terms);
}

/* NAN: it was chosen by rule. */
static double given_scale(const berth_solution *s) {
    char *end = NULL;
    double scale = s->scale == NULL ? 0 : strtod(s->scale, &end);
    return end != NULL && end != s->scale && *end == '\0' ? scale : (double)NAN;
}

/* False: out of memory. */
static bool check_draw(berth__review *r, bool independent) {
    const berth_promise *promise = &r->solution->promise;
    double given = given_scale(r->solution), scale = isnan(promise->scale) ? 1 : promise->scale;
    if (r->solution->relaxation == NULL) {
        refuse(r, "there is no point of the relaxation, which was rounded");
        return true;
    }
    if (!(scale >= 0) || isinf(scale)) { /* a root may be so small that it is 0 */
        refuse(r, "the scale is negative or infinite");
        return true;
    }
    if (!isnan(given) && !(fabs(scale - given) <= BERTH__FEASIBILITY * given)) {
        refuse(r, "its scale is not the one that was given");
        return true;
    }
    draw d;
    bool complete = begin_draw(&d, r, scale, independent);
    double most = (1 - promise->probability) * (1 + BERTH__FIGURE), sum = (double)INFINITY;
    for (effort e = CLOSED; e < EFFORTS && complete && sum > most; e++) {
        sum = all_failures(&d, promise, e, fmax(1, most));
    }
    if (complete && sum > most && !berth__budget_spent(r->budget)) {
        berth__audit_violation_at(r->report, BERTH__RULE_PROMISE, "", most - sum,
                                  "it is said to hold with probability %.9g, but failures of %.9g in all cannot be "
                                  "excluded",
                                  promise->probability, fmin(1, sum));
    }
    end_draw(&d);
    return complete;
}

/* ---- facts ---- */

static const char *cost_against(const berth__review *r, const berth_promise *promise) {
    if (isnan(promise->cost_factor)) {
        return NULL;
    }
    if (r->solution->relaxation == NULL) {
        return "there is no point of the relaxation to compare the cost with";
    }
    double lp = berth__cost_from_lower(r, r->solution->relaxation), cost = berth__cost_from_lower(r, r->solution->x);
    double limit = promise->cost_factor * lp, slack = BERTH__FEASIBILITY * fmax(fabs(limit), fabs(cost));
    bool holds = r->problem->maximize ? cost >= limit - slack : cost <= limit + slack;
    return holds ? NULL : "the cost is beyond its factor";
}

static const char *rows_against(const berth__review *r, const berth_promise *promise) {
    for (size_t i = 0; i < r->problem->n_rows; i++) {
        const berth__form_row *row = &r->form_rows[i];
        if (row->sign == 0) {
            continue;
        }
        double scale, reached = berth__form_activity(r, i, r->solution->x, &scale);
        double cover = promise->cover_factor * row->cover, pack = promise->pack_factor * row->pack;
        if (reached < cover - BERTH__FEASIBILITY * fmax(fabs(cover), scale)) {
            return "a cover row is below its factor";
        }
        if (reached > pack + BERTH__FEASIBILITY * fmax(fabs(pack), scale)) {
            return "a packing row is above its factor";
        }
    }
    return NULL;
}

static void check_facts(berth__review *r) {
    const berth_promise *promise = &r->solution->promise;
    if (promise->probability < 1) {
        refuse(r, "the method draws nothing that could hold with a probability");
        return;
    }
    if (!r->has_point) {
        refuse(r, "there is no point");
        return;
    }
    const char *against = cost_against(r, promise);
    against = against == NULL ? rows_against(r, promise) : against;
    if (against != NULL) {
        refuse(r, against);
    }
}

/* ---- the claim ---- */

static bool is_finite_array(const double *values, size_t n) {
    for (size_t j = 0; values != NULL && j < n; j++) {
        if (!isfinite(values[j])) {
            return false;
        }
    }
    return true;
}

static const char *refusal(const berth__review *r) {
    const berth_promise *p = &r->solution->promise;
    if (r->form == BERTH__FORM_NO) {
        return "this is no packing-and-covering problem";
    }
    if (p->why_not != NULL) {
        return "it is also said why not";
    }
    if (!(p->probability > 0 && p->probability <= 1)) {
        return "its probability is none";
    }
    if (p->cost_factor < 0 || p->cover_factor < 0 || p->pack_factor < 0 || isinf(p->cost_factor) ||
        isinf(p->cover_factor) || isinf(p->pack_factor)) {
        return "a factor is negative or infinite";
    }
    if (!is_finite_array(r->solution->relaxation, r->problem->n_vars)) {
        return "the point of the relaxation is not finite";
    }
    return NULL;
}

bool berth__review_promise(berth__review *r) {
    const berth_promise *promise = &r->solution->promise;
    const char *method = r->solution->method == NULL ? "" : r->solution->method;
    berth__audit_count(r->report, BERTH__RULE_PROMISE);
    if (!promise->holds) {
        if (!r->external && (promise->why_not == NULL || promise->why_not[0] == '\0')) {
            berth__audit_violation_at(r->report, BERTH__RULE_PROMISE, "", (double)NAN,
                                      "it does not hold, but it is not said why");
        }
        return true;
    }
    const char *why_not = refusal(r);
    if (why_not != NULL) {
        refuse(r, why_not);
        return true;
    }
    if (strcmp(method, "randomized") == 0 || strcmp(method, "randomized-exact") == 0) {
        return check_draw(r, true);
    }
    if (strcmp(method, "dependent") == 0) {
        return check_draw(r, false);
    }
    check_facts(r);
    return true;
}
