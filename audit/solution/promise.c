/* What a rounding promised, re-evaluated for this very problem, point and scale.
 *
 * The promise of a draw is true if the chances of its failures - the cost above cost_factor LP, a cover row below
 * cover_factor, a packing row above pack_factor times its right side - add up to no more than 1 - probability (draw.h).
 * What is promised for certain by another method is a fact about x, or it is nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/solution/draw.h"
#include "base/tolerance.h"

static void refuse(berth__review *r, const char *why) {
    berth__audit_violation_at(r->report, BERTH__RULE_PROMISE, "", (double)NAN, "it is said to hold, but %s", why);
}

/* ---- draws ---- */

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
    berth__draw draw;
    bool complete = berth__draw_begin(&draw, r, scale, independent);
    double most = (1 - promise->probability) * (1 + BERTH__FIGURE), sum = (double)INFINITY;
    for (berth__draw_effort effort = BERTH__DRAW_PLAIN; complete && sum > most && effort <= BERTH__DRAW_EXACT;
         effort++) {
        sum = berth__draw_failures(&draw, promise, effort, fmax(1, most));
    }
    if (complete && sum > most && !berth__budget_spent(r->budget)) {
        berth__audit_violation_at(r->report, BERTH__RULE_PROMISE, "", most - sum,
                                  "it is said to hold with probability %.9g, but failures of %.9g in all cannot be "
                                  "excluded",
                                  promise->probability, fmin(1, sum));
    }
    berth__draw_end(&draw);
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
