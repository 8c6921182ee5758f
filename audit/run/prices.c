/* Price bounds, their derivation from the instance, and what follows from prices: price paid and payoff. */
#include <math.h>

#include "audit/run/audit.h"
#include "base/tolerance.h"

/* ---- U and L of the instance's own jobs (spec section 2) ----
 *
 *   U^r  = max over i with alpha^r + beta^r > 0 of  u_i(dmin_i) / (alpha^r + beta^r)
 *   L    = 1/(2 mu) min over i of  u_i^low / (ceil(N_i) sum_r (alpha^r + beta^r))
 *   1/mu = min over i of  ceil(N_i) sum_r (alpha^r + beta^r) / (T sum_{h,r} C_h^r)
 *
 * in shares of the cluster's totals, over the jobs that can finish for something. */

static double total_of(const berth_instance *instance, size_t resource) {
    double total = 0;
    for (size_t h = 0; h < instance->n_machines; h++) {
        total += instance->capacity[h * instance->n_resources + resource];
    }
    return total;
}

/* ln of the smallest positive utility at a feasible completion slot. */
static double log_least_utility(const berth_instance *instance, const berth__audit_job *job) {
    double delay = instance->horizon_slots - 1 - job->spec->arrival_slot, u = (double)-INFINITY;
    for (; u == (double)-INFINITY && delay >= berth__audit_least_delay(job); delay--) {
        u = berth__audit_log_utility(&job->spec->utility, delay);
    }
    return u;
}

/* Demand of a worker and a server together as a share of the total. */
static double share_of(const berth_instance *instance, const berth_job *job, size_t resource) {
    double demand = berth__audit_load(job, resource, 1, 1);
    return demand > 0 ? demand / total_of(instance, resource) : 0;
}

/* U^r per unit. */
static double upper_of(const berth__audit *audit, size_t resource) {
    double upper = 0;
    for (size_t i = 0; i < audit->instance->n_jobs; i++) {
        const berth__audit_job *job = &audit->jobs[i];
        double demand = berth__audit_load(job->spec, resource, 1, 1);
        if (demand > 0 && berth__audit_can_gain(audit->instance, job)) {
            upper = fmax(upper, berth__audit_utility(&job->spec->utility, berth__audit_least_delay(job)) / demand);
        }
    }
    return upper;
}

/* L in utility per share. */
static double lower_of(const berth__audit *audit) {
    const berth_instance *instance = audit->instance;
    double space = 0, least_volume = (double)INFINITY, least_value = (double)INFINITY; /* the last two in logarithms */
    for (size_t r = 0; r < instance->n_resources; r++) {
        space += total_of(instance, r) > 0 ? instance->horizon_slots : 0;
    }
    for (size_t i = 0; i < instance->n_jobs; i++) {
        const berth__audit_job *job = &audit->jobs[i];
        if (!berth__audit_can_gain(instance, job)) {
            continue;
        }
        double slower = fmin(job->slot_samples[BERTH_INTERNAL], job->slot_samples[BERTH_EXTERNAL]), shares = 0;
        for (size_t r = 0; r < instance->n_resources; r++) {
            shares += share_of(instance, job->spec, r);
        }
        double volume = log(ceil(job->work / slower * (1 - BERTH__FEASIBILITY)) * shares);
        least_volume = fmin(least_volume, volume);
        least_value = fmin(least_value, log_least_utility(instance, job) - volume);
    }
    return exp(least_volume - log(2 * space) + least_value);
}

/* ---- the result's bounds ---- */

static void compare_bound(berth__audit *audit, berth__audit_rule rule, size_t resource, const char *name,
                          double claimed, double due) {
    berth__audit_count(audit->report, rule);
    if (!berth__audit_agree(claimed, due, 0)) {
        berth__audit_place place = {NULL, -1, NULL, audit->instance->resources[resource]};
        berth__audit_violation(audit->report, rule, &place, -fabs(claimed - due),
                               "the %s price bound is %.9g; the instance gives %.9g", name, claimed, due);
    }
}

static bool is_demanded(const berth_instance *instance, size_t resource) {
    bool any = false;
    for (size_t i = 0; i < instance->n_jobs && !any; i++) {
        any = berth__audit_load(&instance->jobs[i], resource, 1, 1) > 0;
    }
    return any;
}

static double given(const double *bounds, size_t resource) {
    return bounds == NULL ? (double)NAN : bounds[resource];
}

/* Bounds that the instance gives are kept, the others follow from its jobs (if the run says so). */
static void check_origin(berth__audit *audit) {
    const berth_instance *instance = audit->instance;
    const berth_run *run = audit->run;
    double floor = run->price_floor, lower = run->price_oracle ? lower_of(audit) : (double)NAN;
    for (size_t r = 0; r < instance->n_resources; r++) {
        double given_upper = given(instance->price_upper, r), given_lower = given(instance->price_lower, r);
        double upper = run->price_upper[r];
        if (upper == 0 && (!is_demanded(instance, r) || !(total_of(instance, r) > 0))) {
            continue;
        }
        if (!isnan(given_upper)) {
            compare_bound(audit, BERTH__RULE_PRICE_BOUNDS, r, "upper", upper, given_upper);
        } else if (run->price_oracle) {
            compare_bound(audit, BERTH__RULE_PRICE_ORACLE, r, "upper", upper, upper_of(audit, r));
        }
        double total = total_of(instance, r);
        if (!isnan(given_lower)) {
            compare_bound(audit, BERTH__RULE_PRICE_BOUNDS, r, "lower", run->price_lower[r], given_lower);
        } else if (run->price_oracle && upper > 0 && total > 0) {
            compare_bound(audit, BERTH__RULE_PRICE_ORACLE, r, "lower", run->price_lower[r],
                          fmax(lower / total, floor * upper));
        }
    }
}

/* The run works with bounds computed from its own jobs unless the instance gives both of every resource. */
static void check_oracle(berth__audit *audit) {
    const berth_instance *instance = audit->instance;
    bool due = false;
    for (size_t r = 0; r < instance->n_resources && !due; r++) {
        due = isnan(given(instance->price_upper, r)) || isnan(given(instance->price_lower, r));
    }
    berth__audit_count(audit->report, BERTH__RULE_PRICE_ORACLE);
    if (audit->run->price_oracle != due) {
        berth__audit_violation(audit->report, BERTH__RULE_PRICE_ORACLE, &BERTH__NOWHERE, (double)NAN,
                               due ? "price bounds are said to be given; the instance does not give them all"
                                   : "price bounds are said to be computed; the instance gives them all");
    }
}

/* Was a lower bound raised to floor * upper? A computed one that was low, but made way for a given one, may count. */
static void check_floored(berth__audit *audit) {
    const berth_instance *instance = audit->instance;
    double floor = audit->run->price_floor, lower = lower_of(audit);
    bool may = false, must = false;
    for (size_t r = 0; r < instance->n_resources; r++) {
        double total = total_of(instance, r), upper = audit->run->price_upper[r] * total * floor;
        double computed = total > 0 ? upper_of(audit, r) * total * floor : 0;
        bool kept = !isnan(given(instance->price_lower, r));
        may = may || (computed > 0 && lower <= computed * (1 + BERTH__FIGURE)) ||
              (!kept && upper > 0 && lower <= upper * (1 + BERTH__FIGURE));
        must = must || (!kept && upper > 0 && lower < upper * (1 - BERTH__FIGURE));
    }
    bool claimed = audit->run->price_floored;
    berth__audit_count(audit->report, BERTH__RULE_PRICE_BOUNDS);
    if (claimed ? !may : must) {
        berth__audit_violation(audit->report, BERTH__RULE_PRICE_BOUNDS, &BERTH__NOWHERE, (double)NAN,
                               claimed ? "a lower bound is said to be raised to the floor; none was"
                                       : "no lower bound is said to be raised to the floor; one was");
    }
}

/* The floor is the instance's where it gives one, else the policy's. */
static void check_floor(berth__audit *audit) {
    double floor = audit->run->price_floor, given_floor = audit->instance->price_floor;
    berth__audit_count(audit->report, BERTH__RULE_PRICE_BOUNDS);
    if (!(floor > 0 && floor < 1)) {
        berth__audit_violation(audit->report, BERTH__RULE_PRICE_BOUNDS, &BERTH__NOWHERE, (double)NAN,
                               "the floor of lower price bounds is %.9g; expected a number between 0 and 1", floor);
    } else if (!isnan(given_floor) && !berth__audit_agree(floor, given_floor, 0)) {
        berth__audit_violation(audit->report, BERTH__RULE_PRICE_BOUNDS, &BERTH__NOWHERE, -fabs(floor - given_floor),
                               "the floor of lower price bounds is %.9g; the instance gives %.9g", floor, given_floor);
    }
}

void berth__audit_price_bounds(berth__audit *audit) {
    const berth_run *run = audit->run;
    if (run->price_upper == NULL || run->price_lower == NULL) {
        if (audit->primal_dual) {
            berth__audit_violation(audit->report, BERTH__RULE_PRICE_BOUNDS, &BERTH__NOWHERE, (double)NAN,
                                   "policy %s works with prices, but the result has no price bounds", audit->policy);
        } else {
            berth__audit_note(
                audit->report, BERTH__RULE_PRICE_BOUNDS, &BERTH__NOWHERE,
                "the result has no price bounds, which policy %s does not need: price paid and payoff are "
                "not recomputed",
                audit->policy);
        }
        return;
    }
    for (size_t r = 0; r < audit->instance->n_resources; r++) {
        double upper = run->price_upper[r], lower = run->price_lower[r];
        bool unused = upper == 0 && !(lower != 0 && !(lower > 0)) && !isinf(lower);
        berth__audit_count(audit->report, BERTH__RULE_PRICE_BOUNDS);
        if (!unused && !(lower > 0 && upper > lower && isfinite(upper))) {
            berth__audit_place place = {NULL, -1, NULL, audit->instance->resources[r]};
            berth__audit_violation(audit->report, BERTH__RULE_PRICE_BOUNDS, &place, upper - lower,
                                   "upper %.9g and lower %.9g; expected upper > lower > 0, or upper 0", upper, lower);
        }
    }
    check_floor(audit);
    audit->priced = berth__audit_violations(audit->report, BERTH__RULE_PRICE_BOUNDS) == 0;
    if (audit->priced) {
        check_origin(audit);
    }
    if (audit->priced && !audit->external) {
        check_oracle(audit);
        check_floored(audit);
    }
}

/* ---- prices paid and payoffs ---- */

static void check_price_paid(berth__audit *audit, const berth_run_job *claim, double replayed,
                             const berth__audit_place *place) {
    double due = claim->admitted ? replayed : 0;
    bool absent = isnan(claim->price_paid) && (!claim->admitted || audit->external);
    berth__audit_count(audit->report, BERTH__RULE_PRICE_PAID);
    if (!absent && !berth__audit_agree(claim->price_paid, due, 0)) {
        berth__audit_violation(audit->report, BERTH__RULE_PRICE_PAID, place, -fabs(claim->price_paid - due),
                               "claimed %.9g; replaying the decisions gives %.9g", claim->price_paid, due);
    }
}

static void check_payoff(berth__audit *audit, const berth_run_job *claim, double replayed,
                         const berth__audit_place *place) {
    berth__audit_count(audit->report, BERTH__RULE_PAYOFF);
    if (!claim->admitted) { /* the payoff of a plan that was not taken cannot be known from the result */
        if (audit->primal_dual && claim->payoff > 0) {
            berth__audit_violation(audit->report, BERTH__RULE_PAYOFF, place, -claim->payoff,
                                   "not admitted with a payoff of %.9g; expected none above 0", claim->payoff);
        }
        return;
    }
    double due = claim->utility - replayed;
    bool absent = isnan(claim->payoff) && audit->external;
    if (!absent && !berth__audit_agree(claim->payoff, due, fmax(fabs(claim->utility), replayed))) {
        berth__audit_violation(audit->report, BERTH__RULE_PAYOFF, place, -fabs(claim->payoff - due),
                               "claimed %.9g; utility minus price paid is %.9g", claim->payoff, due);
    }
    if (audit->primal_dual && !(claim->payoff > 0)) {
        berth__audit_violation(audit->report, BERTH__RULE_PAYOFF, place, claim->payoff,
                               "admitted with a payoff of %.9g; expected a positive one", claim->payoff);
    }
}

static void check_payoff_bound(berth__audit *audit, const berth_run_job *claim, const berth__audit_place *place) {
    if (isnan(claim->payoff) || isnan(claim->payoff_bound)) {
        return;
    }
    berth__audit_count(audit->report, BERTH__RULE_ARRIVAL_DUAL);
    double slack = claim->payoff_bound - claim->payoff;
    if (!(slack >= -BERTH__FIGURE * fmax(fabs(claim->payoff), fabs(claim->utility)))) {
        berth__audit_violation(audit->report, BERTH__RULE_ARRIVAL_DUAL, place, slack,
                               "the payoff %.9g exceeds its bound %.9g", claim->payoff, claim->payoff_bound);
    }
}

/* A policy whose prices the result does not have can claim neither. */
static void check_no_prices(berth__audit *audit, const berth_run_job *claim, const berth__audit_place *place) {
    berth__audit_count(audit->report, BERTH__RULE_PRICE_PAID);
    if (claim->price_paid > 0 || claim->price_paid < 0 || !isnan(claim->payoff) || !isnan(claim->payoff_bound)) {
        berth__audit_violation(audit->report, BERTH__RULE_PRICE_PAID, place, (double)NAN,
                               "a price paid or a payoff is claimed, but policy %s has no prices that confirm it",
                               audit->policy);
    }
}

void berth__audit_payoffs(berth__audit *audit) {
    for (size_t job = 0; job < audit->run->n_jobs; job++) {
        const berth_run_job *claim = &audit->run->jobs[job];
        berth__audit_place place = {audit->jobs[job].spec->id, -1, NULL, NULL};
        if (audit->priced && !audit->noisy) {
            check_price_paid(audit, claim, audit->facts[job].price_paid, &place);
            check_payoff(audit, claim, audit->facts[job].price_paid, &place);
        } else if (audit->promises && !audit->primal_dual) {
            check_no_prices(audit, claim, &place);
        }
        check_payoff_bound(audit, claim, &place);
    }
}
