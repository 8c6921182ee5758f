/* The bounds that a result claims: against its utility, against what the certificate confirms, against each other.
 *
 * A bound above the one that the certificate confirms is a valid, weaker claim. One below it is a claim without proof,
 * however it was found; an exact optimum, which branch and bound gives no proof of, may be claimed, and is noted. */
#include <math.h>

#include "audit/run/audit.h"
#include "base/tolerance.h"

/* True if the claim stands in no contradiction to the utility. */
static bool covers_utility(berth__audit *audit, berth__audit_rule rule, const char *name, double claimed) {
    if (audit->utility <= claimed + BERTH__FIGURE * fmax(fabs(claimed), audit->utility)) {
        return true;
    }
    berth__audit_violation(audit->report, rule, &BERTH__NOWHERE, claimed - audit->utility,
                           "%s bound %.9g is claimed; the utility, %.9g, exceeds it", name, claimed, audit->utility);
    return false;
}

/* `rule`: under which a lack of proof is reported. */
static void check_claim(berth__audit *audit, berth__audit_rule rule, const char *name, double claimed) {
    if (isnan(claimed)) {
        return;
    }
    berth__audit_count(audit->report, BERTH__RULE_BOUNDS);
    if (audit->dual_state == BERTH__DUAL_VOID) {
        berth__audit_violation(audit->report, BERTH__RULE_BOUNDS, &BERTH__NOWHERE, (double)NAN,
                               "%s bound %.9g is claimed, but the bounds are void", name, claimed);
        return;
    }
    if (!covers_utility(audit, BERTH__RULE_BOUNDS, name, claimed)) {
        return;
    }
    if (audit->dual_state == BERTH__DUAL_ABSENT) {
        berth__audit_violation(
            audit->report, rule, &BERTH__NOWHERE, (double)NAN,
            "%s bound %.9g is claimed, but there is no certificate to confirm it; if it is in a file "
            "of its own, give that with --certificate",
            name, claimed);
    } else if (audit->dual_state == BERTH__DUAL_CONFIRMED && !(claimed >= audit->dual * (1 - BERTH__FIGURE))) {
        berth__audit_violation(audit->report, rule, &BERTH__NOWHERE, claimed - audit->dual,
                               "%s bound %.9g is claimed; nothing in the result confirms less than %.9g", name, claimed,
                               audit->dual);
    }
}

/* An optimum must be possible; that it is one is a solver's word. */
static void check_exact(berth__audit *audit) {
    double claimed = audit->run->bounds.exact, most = fmin(audit->dual, audit->run->bounds.lp);
    if (isnan(claimed) || audit->dual_state == BERTH__DUAL_VOID) {
        check_claim(audit, BERTH__RULE_BOUNDS, "exact", claimed);
        return;
    }
    berth__audit_count(audit->report, BERTH__RULE_BOUNDS);
    if (!covers_utility(audit, BERTH__RULE_BOUNDS, "exact", claimed)) {
        return;
    }
    if (claimed > most * (1 + BERTH__FIGURE)) {
        berth__audit_violation(audit->report, BERTH__RULE_BOUNDS, &BERTH__NOWHERE, most - claimed,
                               "exact optimum %.9g is claimed; no schedule can earn more than %.9g", claimed, most);
    } else if (!(claimed >= audit->dual * (1 - BERTH__FIGURE))) {
        berth__audit_note(audit->report, BERTH__RULE_BOUNDS, &BERTH__NOWHERE,
                          "exact optimum %.9g is claimed on a solver's word; nothing in the result can confirm it",
                          claimed);
    }
}

/* The best is the least of the others, which have been judged. Without them it is a claim of its own, which only a
 * result from elsewhere may make. */
static void check_best(berth__audit *audit) {
    const berth_run_bounds *bounds = &audit->run->bounds;
    double least = fmin(bounds->dual, fmin(bounds->lp, bounds->exact)); /* fmin passes over NAN */
    if (audit->dual_state == BERTH__DUAL_VOID || (audit->external && isnan(least))) {
        check_claim(audit, BERTH__RULE_BOUNDS, "best", bounds->best);
    } else {
        berth__audit_figure(audit, BERTH__RULE_BOUNDS, "the best of the bounds", bounds->best, least);
    }
}

static void check_ratio(berth__audit *audit) {
    const berth_run_bounds *bounds = &audit->run->bounds;
    bool due = audit->dual_state != BERTH__DUAL_VOID && audit->utility > 0;
    berth__audit_figure(audit, BERTH__RULE_BOUNDS, "the ratio of bound to utility", bounds->ratio,
                        due ? bounds->best / audit->utility : (double)NAN);
}

/* sum_i max(0, payoff bound at arrival) + value of all capacity at the final prices. */
static void check_arrival_dual(berth__audit *audit) {
    const berth_run *run = audit->run;
    double claimed = run->bounds.arrival_dual, due = audit->final_value;
    if (isnan(claimed)) {
        return;
    }
    berth__audit_count(audit->report, BERTH__RULE_ARRIVAL_DUAL);
    if (audit->noisy) {
        berth__audit_violation(audit->report, BERTH__RULE_ARRIVAL_DUAL, &BERTH__NOWHERE, (double)NAN,
                               "%.9g is claimed, but true speed and work differ from the declared", claimed);
        return;
    }
    for (size_t job = 0; job < run->n_jobs; job++) {
        due += fmax(0, run->jobs[job].payoff_bound); /* 0 for NAN */
    }
    if (covers_utility(audit, BERTH__RULE_ARRIVAL_DUAL, "arrival_dual", claimed) && audit->priced && !audit->external) {
        berth__audit_figure(audit, BERTH__RULE_ARRIVAL_DUAL, "arrival_dual", claimed, due);
    }
}

void berth__audit_bounds(berth__audit *audit) {
    const berth_run_bounds *bounds = &audit->run->bounds;
    if (audit->dual_state == BERTH__DUAL_VOID) {
        berth__audit_note(audit->report, BERTH__RULE_BOUNDS, &BERTH__NOWHERE, "the bounds are void: %s",
                          bounds->void_because);
    }
    if (audit->dual_state == BERTH__DUAL_CONFIRMED && isnan(bounds->dual)) {
        berth__audit_note(audit->report, BERTH__RULE_DUAL, &BERTH__NOWHERE,
                          "none is claimed; the certificate gives %.9g", audit->dual);
    }
    check_claim(audit, BERTH__RULE_DUAL, "dual", bounds->dual);
    check_claim(audit, BERTH__RULE_BOUNDS, "lp", bounds->lp);
    check_exact(audit);
    check_best(audit);
    check_ratio(audit);
    check_arrival_dual(audit);
}
