/* What a result says that rounding did, at random or by configurations, and the competitive ratio that it says follows.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/run/audit.h"
#include "base/tolerance.h"

/* ---- counts of randomised rounding ---- */

static void require(berth__audit *audit, bool holds, double slack, const char *expected) {
    berth__audit_count(audit->report, BERTH__RULE_ROUNDING);
    if (!holds) {
        berth__audit_violation(audit->report, BERTH__RULE_ROUNDING, &BERTH__NOWHERE, slack, "expected %s", expected);
    }
}

static bool is_count(double value) {
    return value >= 0 && value <= 1 / DBL_EPSILON && value == floor(value);
}

/* NAN: it was chosen by rule. */
static double given_scale(const berth_run *run) {
    char *end = NULL;
    double scale = run->scale == NULL ? 0 : strtod(run->scale, &end);
    return end != NULL && end != run->scale && *end == '\0' ? scale : (double)NAN;
}

/* The worst promise: of the theorem, so within what it can say for the run's options. */
static void check_promise(berth__audit *audit) {
    const berth_run *run = audit->run;
    const berth_rounding_promise *p = &run->rounding->promise;
    if (isnan(p->scale) && isnan(p->cost_factor) && isnan(p->cover_factor) && isnan(p->pack_factor) &&
        isnan(p->probability)) {
        return; /* nothing is promised */
    }
    double least = 1 - run->delta - BERTH__FEASIBILITY;
    require(audit, run->rounding->guarantee_held > 0, (double)NAN, "no promise where the guarantee never held");
    require(audit, p->probability >= least && p->probability <= 1, p->probability - least,
            "a probability from 1 - delta to 1");
    double given = given_scale(run);
    bool packing = run->favour != NULL && strcmp(run->favour, "packing") == 0;
    require(audit, isnan(given) || p->scale == given, p->scale - given, "the scale that was given");
    /* Found per problem, it enlarges to protect cover rows and shrinks to protect capacities. */
    require(audit, !isnan(given) || (packing ? p->scale <= 1 : p->scale >= 1), p->scale - 1,
            packing ? "a scale of at most 1" : "a scale of at least 1");
    require(audit, p->scale > 0 && p->cost_factor > 0 && p->cover_factor >= 0 && p->pack_factor >= 0, (double)NAN,
            "a scale and factors that are not negative");
}

static void check_rounding(berth__audit *audit) {
    const berth_run *run = audit->run;
    const berth_rounding_summary *counts = run->rounding;
    double settled = counts->solved + counts->repaired;
    bool whole = is_count(counts->problems) && is_count(counts->solved) && is_count(counts->repaired) &&
                 is_count(counts->draws) && is_count(counts->guarantee_held);
    require(audit, whole, (double)NAN, "whole numbers >= 0");
    require(audit, settled <= counts->problems, counts->problems - settled, "solved + repaired <= problems");
    require(audit, settled <= counts->draws, counts->draws - settled, "solved + repaired <= draws");
    require(audit, counts->guarantee_held <= counts->problems, counts->problems - counts->guarantee_held,
            "guarantee_held <= problems");
    if (run->trials > 0) {
        double most = counts->problems * run->trials;
        require(audit, counts->draws <= most, most - counts->draws, "draws <= problems * trials");
    }
    require(audit, run->repair || counts->repaired <= 0, -counts->repaired, "repaired to be 0 without option repair");
    require(audit, (counts->guarantee_held < counts->problems) == (counts->why_not != NULL), (double)NAN,
            "why_not exactly if guarantee_held < problems");
    check_promise(audit);
}

/* ---- configuration rounding ---- */

/* Slots of the result that lie across machines; each of them was placed. */
static double count_external(const berth_run *run) {
    double n = 0;
    for (size_t i = 0; i < run->n_jobs; i++) {
        for (size_t k = 0; k < run->jobs[i].n_slots; k++) {
            n += run->jobs[i].slots[k].locality == BERTH_EXTERNAL;
        }
    }
    return n;
}

static void check_placement(berth__audit *audit) {
    const berth_placement_summary *p = audit->run->placement;
    double least = count_external(audit->run);
    require(audit, is_count(p->slots) && is_count(p->proved), (double)NAN, "whole numbers >= 0");
    require(audit, p->proved <= p->slots, p->slots - p->proved, "proved <= slots");
    /* Late jobs are placed by another rule. */
    require(audit, p->slots >= least || audit->noisy, p->slots - least,
            "every slot across machines to be among those placed");
    if (p->slots > 0) {
        require(audit, p->mean_gap >= 0 && isfinite(p->worst_gap), (double)NAN, "gaps that are finite and >= 0");
        require(audit, p->mean_gap <= p->worst_gap * (1 + BERTH__FIGURE), p->worst_gap - p->mean_gap,
                "mean_gap <= worst_gap");
    } else {
        require(audit, isnan(p->mean_gap) && isnan(p->worst_gap), (double)NAN, "no gaps without slots");
    }
}

/* ---- the closed-form ratio, 6 G / delta max(1, max_r ln (U^r / L^r)) with the largest G ---- */

/* NULL: its premises hold. */
static const char *premise_that_fails(const berth_run *run) {
    const berth_rounding_summary *counts = run->rounding;
    if (run->noise != 0) {
        return "true speed and work differ from the declared";
    }
    if (!run->price_oracle) {
        return "the prices were not computed from the jobs";
    }
    if (run->price_floored) {
        return "a lower price was raised to the floor";
    }
    if (counts == NULL || !(counts->problems > 0)) {
        return "nothing was rounded";
    }
    if (counts->guarantee_held < counts->problems) {
        return "a rounding was not guaranteed";
    }
    return counts->solved + counts->repaired < counts->problems ? "a rounding failed" : NULL;
}

static double span_of(const berth__audit *audit) {
    double span = 1;
    for (size_t r = 0; r < audit->instance->n_resources; r++) {
        double upper = audit->run->price_upper[r], lower = audit->run->price_lower[r];
        span = upper > 0 ? fmax(span, log(upper) - log(lower)) : span;
    }
    return span;
}

static void check_closed_form(berth__audit *audit) {
    const berth_run *run = audit->run;
    const char *failing = premise_that_fails(run);
    berth__audit_count(audit->report, BERTH__RULE_CLOSED_FORM);
    if (failing != NULL) {
        berth__audit_violation(audit->report, BERTH__RULE_CLOSED_FORM, &BERTH__NOWHERE, (double)NAN,
                               "%.9g is claimed, but %s", run->closed_form_ratio, failing);
        return;
    }
    berth__audit_figure(audit, BERTH__RULE_CLOSED_FORM, "it", run->closed_form_ratio,
                        6 * run->rounding->promise.scale / run->delta * span_of(audit));
}

void berth__audit_promises(berth__audit *audit) {
    if (audit->run->rounding != NULL) {
        check_rounding(audit);
    }
    if (audit->run->placement != NULL) {
        check_placement(audit);
    }
    if (!isnan(audit->run->closed_form_ratio) && audit->priced) {
        check_closed_form(audit);
    }
}
