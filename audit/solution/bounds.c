/* The bounds as claimed: the one of the multipliers, that of branch and bound, the ratio; and rays. */
#include <math.h>
#include <string.h>

#include "audit/solution/review.h"
#include "base/alloc.h"
#include "base/tolerance.h"

enum { MOST_PASSES = 8 }; /* of tightening */

/* A box of one's own to tighten, and what is proved over it. */
typedef struct attempt {
    const berth__review *review;
    berth__proof_data data;
    double *lower, *upper;
    berth__exact total; /* of the minimisation, without the offset */
    double scale;
    char missing[BERTH__PLACE_ROOM];
    bool complete; /* nothing was missing */
    bool out_of_memory;
} attempt;

static bool begin(attempt *a, const berth__review *r, const berth__proof_data *data) {
    size_t n = r->problem->n_vars;
    *a = (attempt){.review = r, .data = *data};
    a->lower = BERTH__NEW_ARRAY(double, n);
    a->upper = BERTH__NEW_ARRAY(double, n);
    if (a->lower == NULL || a->upper == NULL) {
        return false;
    }
    memcpy(a->lower, r->lower, n * sizeof *a->lower);
    memcpy(a->upper, r->upper, n * sizeof *a->upper);
    return true;
}

static void end(attempt *a) {
    berth__free(a->lower);
    berth__free(a->upper);
}

static bool evaluate(attempt *a, const double *lower, const double *upper, bool (*enough)(attempt *a, double target),
                     double target) {
    attempt next = *a;
    next.complete = berth__prove(a->review, &a->data, lower, upper, &next.total, &next.scale, next.missing);
    if (next.complete || !a->complete) { /* what proves something is not given up for what proves nothing */
        *a = next;
    }
    return enough(a, target);
}

/* One more attempt: the relaxation over the upper bounds of a->upper, its own lower bounds as far as rows raise them,
 * and what dominance leaves. Lower bounds of whole values may be far above what the relaxation needs, and a small
 * negative reduced cost then costs more than it would there. lower, upper: [n_vars], to be filled. */
static bool evaluate_dominated(attempt *a, double *lower, double *upper, bool (*enough)(attempt *a, double target),
                               double target) {
    size_t n = a->review->problem->n_vars;
    memcpy(lower, a->review->lower, n * sizeof *lower);
    memcpy(upper, a->upper, n * sizeof *upper);
    berth__tighten(a->review, false, lower, upper);
    if (!berth__dominate(a->review, &a->data, lower, upper)) {
        a->out_of_memory = true;
        return false;
    }
    return evaluate(a, lower, upper, enough, target);
}

/* Is enough proved? Tightens the box until it is, or nothing more can be done; each box is tried as it is, and
 * dominated. */
static bool reach(attempt *a, bool (*enough)(attempt *a, double target), double target) {
    size_t n = a->review->problem->n_vars;
    double *lower = BERTH__NEW_ARRAY(double, n), *upper = BERTH__NEW_ARRAY(double, n);
    a->out_of_memory = lower == NULL || upper == NULL;
    bool reached = !a->out_of_memory && (evaluate(a, a->lower, a->upper, enough, target) ||
                                         evaluate_dominated(a, lower, upper, enough, target));
    for (int pass = 0; pass < MOST_PASSES && !reached && !a->out_of_memory && !berth__budget_spent(a->review->budget);
         pass++) {
        if (!berth__tighten(a->review, true, a->lower, a->upper)) {
            break;
        }
        reached = evaluate_dominated(a, lower, upper, enough, target) ||
                  (!a->out_of_memory && evaluate(a, a->lower, a->upper, enough, target));
    }
    berth__free(lower);
    berth__free(upper);
    return reached;
}

/* ---- costs that are whole numbers ---- */

static double gcd(double a, double b) {
    while (b > 0) {
        double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

/* The step of the values that cost . x can take; 0: none is known. */
static double step_of(const berth_problem *p) {
    double step = 0;
    for (size_t j = 0; j < p->n_vars; j++) {
        double cost = fabs(p->cost[j]);
        if (cost > 0 && (!berth__problem_integer(p, j) || cost != floor(cost) || cost >= 1 / (DBL_EPSILON / 2))) {
            return 0;
        }
        step = gcd(step, cost);
    }
    return step;
}

/* Raises total, less `slack`, to the next multiple of `step`: exactly, in the range where the multiples are doubles. */
static void raise_to_step(berth__exact *total, double step, double slack) {
    berth__exact rest = {.low = 0}; /* total - slack - n step */
    berth__exact_copy(&rest, total);
    berth__exact_add(&rest, -slack);
    double n = floor(berth__exact_down(&rest) / step);
    if (!(fabs(n) < 0.5 / DBL_EPSILON)) {
        return;
    }
    n -= 1; /* the quotient was rounded */
    berth__exact_add_product(&rest, -n, step);
    while (berth__exact_sign(&rest) > 0) {
        n += 1;
        berth__exact_add(&rest, -step);
    }
    berth__exact_clear(total);
    berth__exact_add_product(total, n, step);
}

/* ---- the bound of the multipliers ---- */

/* The best proved bound, in terms of the minimisation: the offset is in, and the step of the costs used. */
static void proved_bound(const attempt *a, berth__exact *bound) {
    const berth_problem *p = a->review->problem;
    double step = step_of(p);
    double slack = a->data.tolerant ? BERTH__FEASIBILITY * a->scale : 0;
    berth__exact raised = {.low = 0};
    berth__exact_copy(bound, &a->total);
    if (step > 0) {
        berth__exact_copy(&raised, bound);
        raise_to_step(&raised, step, slack);
        berth__exact_copy(bound, &raised);
    }
    berth__exact_add(bound, a->data.sign * p->offset);
}

/* target: the claim in terms of the minimisation. */
static bool confirms(attempt *a, double target) {
    if (!a->complete) {
        return false;
    }
    berth__exact bound = {.low = 0};
    proved_bound(a, &bound);
    if (a->data.tolerant) {
        berth__exact_add(&bound, BERTH__FEASIBILITY * fmax(fabs(target), a->scale));
    }
    return berth__exact_compare(&bound, target) >= 0;
}

/* NULL: they are numbers. */
static bool multipliers_are_finite(berth__review *r, const double *y, berth__audit_rule rule) {
    char room[BERTH__PLACE_ROOM];
    for (size_t i = 0; i < r->problem->n_rows; i++) {
        berth__audit_count(r->report, rule);
        if (!isfinite(y[i])) {
            berth__audit_violation_at(r->report, rule, berth__place_row(r->problem, i, room), (double)NAN,
                                      "its multiplier is not finite");
            return false;
        }
    }
    return true;
}

/* What is left to say of a claim that the multipliers do not confirm. */
static void refuse_bound(berth__review *r, attempt *a) {
    double sign = a->data.sign;
    if (!a->complete) {
        berth__audit_violation_at(r->report, BERTH__RULE_MULTIPLIERS, a->missing, (double)NAN,
                                  "the multipliers prove no bound: they need a bound that is not there");
        return;
    }
    berth__exact bound = {.low = 0};
    proved_bound(a, &bound);
    double proved = berth__exact_down(&bound);
    berth__audit_violation_at(r->report, BERTH__RULE_BOUND, "", proved - sign * r->solution->bound,
                              "it is claimed to be %.17g; the multipliers prove %.17g only", r->solution->bound,
                              sign * proved);
}

static void accept_bound(berth__review *r, attempt *a) {
    berth__exact bound = {.low = 0};
    proved_bound(a, &bound);
    r->bound_state = BERTH__BOUND_PROVED;
    r->bound = a->data.sign * berth__exact_down(&bound);
}

/* False: out of memory. */
static bool check_proof(berth__review *r, berth_proof proof) {
    const berth_solution *s = r->solution;
    double sign = r->problem->maximize ? -1 : 1;
    berth__proof_data data = {.cost = r->problem->cost, .multipliers = s->multipliers, .sign = sign};
    attempt exact, tolerant = {.review = r};
    berth__audit_count(r->report, BERTH__RULE_BOUND);
    bool complete = begin(&exact, r, &data);
    if (complete && reach(&exact, confirms, sign * s->bound)) {
        accept_bound(r, &exact);
    } else if (complete) {
        data.tolerant = true;
        complete = begin(&tolerant, r, &data);
        bool nearly = complete && reach(&tolerant, confirms, sign * s->bound);
        if (nearly && proof == BERTH_PROOF_TOLERANCE) {
            accept_bound(r, &tolerant);
            berth__audit_note_at(r->report, BERTH__RULE_BOUND, "",
                                 "the multipliers prove it but for reduced costs that are 0 within tolerance");
        } else if (complete && !berth__budget_spent(r->budget)) {
            refuse_bound(r, proof == BERTH_PROOF_TOLERANCE ? &tolerant : &exact);
        }
        end(&tolerant);
    }
    complete = complete && !exact.out_of_memory && !tolerant.out_of_memory;
    end(&exact);
    return complete;
}

static bool is_some_bound(attempt *a, double target) {
    (void)target;
    return a->complete;
}

/* A bound that nobody claimed still shows what the multipliers are worth. */
static bool value_of_multipliers(berth__review *r) {
    double sign = r->problem->maximize ? -1 : 1;
    berth__proof_data data = {.cost = r->problem->cost, .multipliers = r->solution->multipliers, .sign = sign};
    attempt a;
    bool complete = begin(&a, r, &data);
    if (complete && reach(&a, is_some_bound, 0)) {
        berth__exact bound = {.low = 0};
        proved_bound(&a, &bound);
        r->bound = sign * berth__exact_down(&bound);
    }
    complete = complete && !a.out_of_memory;
    end(&a);
    return complete;
}

/* ---- consistency ---- */

/* How far a bound is beyond the cost of a point that holds, relative; 0: it is not. */
static double beyond_cost(const berth__review *r, double bound) {
    double by = r->problem->maximize ? r->cost - bound : bound - r->cost;
    double size = fmax(fabs(r->cost), fabs(bound));
    double noise = BERTH__FIGURE * size + BERTH__FEASIBILITY * berth__largest_cost(r->problem);
    return r->point_holds && by > noise ? by : 0;
}

static void check_against_cost(berth__review *r, berth__audit_rule rule, const char *name, double bound) {
    berth__audit_count(r->report, rule);
    double by = beyond_cost(r, bound);
    if (isinf(bound)) {
        berth__audit_violation_at(r->report, BERTH__RULE_FINITE, "", (double)NAN, "%s is infinite", name);
    } else if (by > 0) {
        berth__audit_violation_at(r->report, rule, "", -by, "%s is %.9g, but there is a point of cost %.9g", name,
                                  bound, r->cost);
    }
}

static void check_node_bound(berth__review *r) {
    const berth_solution *s = r->solution;
    if (isnan(s->node_bound)) {
        return;
    }
    check_against_cost(r, BERTH__RULE_NODE_BOUND, "node_bound", s->node_bound);
    berth__audit_note_at(r->report, BERTH__RULE_NODE_BOUND, "", "%.9g is branch and bound's word, without proof",
                         s->node_bound);
}

static void check_ratio(berth__review *r) {
    const berth_solution *s = r->solution;
    double best = s->bound, claimed = s->ratio;
    double above = r->problem->maximize ? best : r->cost, below = r->problem->maximize ? r->cost : best;
    bool met = fabs(above - below) <= BERTH__FEASIBILITY * fmax(fabs(above), fabs(below));
    double due = below > BERTH__FEASIBILITY * above && isfinite(above / below) ? fmax(1, above / below)
                 : met                                                         ? 1
                                                                               : (double)NAN;
    berth__audit_count(r->report, BERTH__RULE_RATIO);
    /* A point that breaks rows, or costs of both signs, need no ratio. */
    if (isnan(claimed) && (isnan(due) || r->external || !r->point_holds || below <= 0)) {
        return;
    }
    if (isnan(due)) {
        berth__audit_violation_at(r->report, BERTH__RULE_RATIO, "", (double)NAN,
                                  "it is claimed to be %.9g, but it is not defined", claimed);
    } else if (!(fabs(claimed - due) <= BERTH__FIGURE * due)) {
        berth__audit_violation_at(r->report, BERTH__RULE_RATIO, "", -fabs(claimed - due),
                                  "it is claimed to be %.9g; it is %.9g", claimed, due);
    }
}

bool berth__review_bounds(berth__review *r) {
    const berth_solution *s = r->solution;
    bool complete = true,
         usable = s->multipliers != NULL && multipliers_are_finite(r, s->multipliers, BERTH__RULE_MULTIPLIERS);
    if (!isnan(s->bound)) {
        check_against_cost(r, BERTH__RULE_BOUND, "the bound", s->bound);
    }
    if (isnan(s->bound) || isinf(s->bound)) {
        complete = !usable || value_of_multipliers(r);
        if (s->proof != BERTH_PROOF_NONE) {
            berth__audit_violation_at(r->report, BERTH__RULE_BOUND, "", (double)NAN, "there is a proof, but no bound");
        }
    } else if (s->proof == BERTH_PROOF_NONE && s->multipliers == NULL) {
        r->bound_state = BERTH__BOUND_WORD;
        berth__audit_note_at(r->report, BERTH__RULE_BOUND, "", "%.9g is claimed without proof", s->bound);
    } else if (s->proof ==
               BERTH_PROOF_NONE) { /* multipliers that prove less refute nothing, but the claim needs them */
        complete = !usable || check_proof(r, BERTH_PROOF_TOLERANCE);
    } else if (s->proof != BERTH_PROOF_EXACT && s->proof != BERTH_PROOF_TOLERANCE) {
        berth__audit_violation_at(r->report, BERTH__RULE_BOUND, "", (double)NAN, "the kind of its proof is unknown");
    } else if (s->multipliers == NULL) {
        berth__audit_violation_at(r->report, BERTH__RULE_BOUND, "", (double)NAN,
                                  "it is claimed to be proved, but there are no multipliers");
    } else if (usable) {
        complete = check_proof(r, s->proof);
    }
    check_node_bound(r);
    check_ratio(r);
    return complete;
}

/* ---- rays ---- */

static bool proves_emptiness(attempt *a, double target) {
    (void)target;
    if (!a->complete) {
        return false;
    }
    return a->data.tolerant ? berth__exact_compare(&a->total, BERTH__FEASIBILITY * a->scale) > 0
                            : berth__exact_sign(&a->total) > 0;
}

bool berth__review_ray(berth__review *r) {
    const double *ray = r->solution->ray;
    if (ray == NULL || !multipliers_are_finite(r, ray, BERTH__RULE_RAY)) {
        return true;
    }
    attempt exact, tolerant = {.review = r};
    berth__proof_data data = {.multipliers = ray, .sign = 1};
    bool complete = begin(&exact, r, &data);
    bool proved = complete && reach(&exact, proves_emptiness, 0);
    if (complete && !proved && !exact.out_of_memory) {
        data.tolerant = true;
        complete = begin(&tolerant, r, &data);
        if (complete && reach(&tolerant, proves_emptiness, 0)) {
            berth__audit_note_at(r->report, BERTH__RULE_RAY, "",
                                 "it proves that there is no point but for sums that are 0 within tolerance");
        } else if (complete && !berth__budget_spent(r->budget)) {
            berth__audit_violation_at(r->report, BERTH__RULE_RAY, exact.missing, (double)NAN,
                                      exact.complete ? "it does not prove that there is no point"
                                                     : "it does not prove that there is no point: it needs a bound "
                                                       "that is not there");
        }
        end(&tolerant);
    }
    complete = complete && !exact.out_of_memory && !tolerant.out_of_memory;
    end(&exact);
    return complete;
}
