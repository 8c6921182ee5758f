/* Does the outcome follow from what was found? */
#include <math.h>

#include "audit/solution/review.h"
#include "base/tolerance.h"

static void contradict(berth__review *r, const char *why) {
    berth__audit_violation_at(r->report, BERTH__RULE_OUTCOME, "", (double)NAN, "it is claimed to be %s, but %s",
                              berth_outcome_name(r->solution->outcome), why);
}

static bool within_gap(const berth__review *r, double bound, double gap) {
    double size = fmax(fabs(r->cost), fabs(bound));
    return fabs(r->cost - bound) <= (gap + BERTH__FIGURE) * size + BERTH__FEASIBILITY * berth__largest_cost(r->problem);
}

static bool has_integers(const berth_problem *p) {
    for (size_t j = 0; j < p->n_vars; j++) {
        if (berth__problem_integer(p, j)) {
            return true;
        }
    }
    return false;
}

static void check_optimal(berth__review *r) {
    const berth_solution *s = r->solution;
    double gap = s->gap >= 0 && isfinite(s->gap) ? s->gap : 0;
    if (gap > BERTH__FIGURE) {
        berth__audit_note_at(r->report, BERTH__RULE_OUTCOME, "", "optimal means within a gap of %.3g here", gap);
    }
    if (r->bound_state == BERTH__BOUND_PROVED && within_gap(r, s->bound, gap)) {
        return;
    }
    if (within_gap(r, s->node_bound, gap)) {
        berth__audit_note_at(r->report, BERTH__RULE_OUTCOME, "", "that it is optimal is branch and bound's word");
    } else if (r->bound_state == BERTH__BOUND_WORD && within_gap(r, s->bound, gap)) {
        berth__audit_note_at(r->report, BERTH__RULE_OUTCOME, "", "that it is optimal is claimed without proof");
    } else if ((r->external || !has_integers(r->problem)) && isnan(s->bound) && isnan(s->node_bound)) {
        berth__audit_note_at(r->report, BERTH__RULE_OUTCOME, "", "there is no bound to show that it is optimal");
    } else {
        contradict(r, "no bound shows it");
    }
}

static void check_infeasible(berth__review *r) {
    if (r->point_holds) {
        contradict(r, "there is a point that holds");
    }
    if (r->solution->ray == NULL) {
        berth__audit_note_at(r->report, BERTH__RULE_OUTCOME, "", "there is no ray to prove that it is infeasible");
    }
}

static void check_unbounded(berth__review *r) {
    if (!isnan(r->solution->bound) || !isnan(r->solution->node_bound)) {
        contradict(r, "there is a bound");
    }
    bool bounded = true;
    for (size_t j = 0; j < r->problem->n_vars && bounded; j++) {
        double gain = r->problem->maximize ? r->problem->cost[j] : -r->problem->cost[j];
        bounded = !(gain > 0 && isinf(r->upper[j])) && !(gain < 0 && isinf(r->lower[j]));
    }
    if (bounded) {
        contradict(r, "the bounds of the variables bound the cost");
    }
    berth__audit_note_at(r->report, BERTH__RULE_OUTCOME, "", "that it is unbounded cannot be checked");
}

void berth__review_outcome(berth__review *r) {
    const berth_solution *s = r->solution;
    bool wants_point = s->outcome == BERTH_OPTIMAL || s->outcome == BERTH_FEASIBLE || s->outcome == BERTH_APPROXIMATE;
    berth__audit_count(r->report, BERTH__RULE_OUTCOME);
    if (wants_point && s->x == NULL) {
        contradict(r, "there is no point");
    }
    if (s->outcome != BERTH_INFEASIBLE && s->ray != NULL) {
        contradict(r, "there is a ray, which would prove it infeasible");
    }
    if ((s->found_by != NULL) != (s->x != NULL) && !r->external) {
        berth__audit_violation_at(r->report, BERTH__RULE_OUTCOME, "", (double)NAN,
                                  s->x == NULL ? "a step is said to have found the point, but there is none"
                                               : "it is not said what found the point");
    }
    switch (s->outcome) {
    case BERTH_OPTIMAL:
        if (r->has_point) {
            check_optimal(r);
        }
        break;
    case BERTH_INFEASIBLE:
        check_infeasible(r);
        break;
    case BERTH_UNBOUNDED:
        check_unbounded(r);
        break;
    case BERTH_NUMERIC:
        berth__audit_note_at(r->report, BERTH__RULE_OUTCOME, "", "nothing is claimed: there was numerical trouble");
        break;
    case BERTH_FEASIBLE:
    case BERTH_APPROXIMATE:
    case BERTH_LIMIT:
        break;
    default:
        berth__audit_violation_at(r->report, BERTH__RULE_OUTCOME, "", (double)NAN, "it is unknown");
    }
}
