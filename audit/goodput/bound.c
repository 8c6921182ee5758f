/* What the prices prove, and what is claimed of it. */
#include <math.h>
#include <stdio.h>

#include "audit/goodput/audit.h"
#include "base/tolerance.h"

static bool differs(double claimed, double due) {
    return !(fabs(claimed - due) <= BERTH__FIGURE * fabs(due));
}

/* ---- prices ---- */

static bool check_prices(const berth__goodput_audit *a, const double *prices, const char *what) {
    bool good = true;
    for (size_t type = 0; type < a->instance->n_types; type++) {
        berth__audit_count(a->report, BERTH__RULE_PRICES);
        if (!(prices[type] >= 0 && isfinite(prices[type]))) {
            char where[160];
            snprintf(where, sizeof where, "GPU type %zu", type);
            berth__audit_violation_at(a->report, BERTH__RULE_PRICES, where, prices[type],
                                      "%s is %g; expected a number >= 0", what, prices[type]);
            good = false;
        }
    }
    return good;
}

/* True: they are there, and numbers >= 0. */
static bool check_piece_prices(const berth__goodput_audit *a) {
    const berth_allocation *of = a->allocation;
    bool good = of->local_prices != NULL;
    for (size_t type = 0; of->local_prices != NULL && type < a->instance->n_types; type++) {
        for (size_t k = 0; k < a->types[type].top[0]; k++) {
            const double local = of->local_prices[type * of->n_sizes + k];
            const double spread = of->spread_prices[type * of->n_sizes + k];
            berth__audit_count(a->report, BERTH__RULE_PRICES);
            if (!(local >= 0 && isfinite(local) && spread >= 0 && isfinite(spread))) {
                char where[160];
                snprintf(where, sizeof where, "GPU type %zu", type);
                berth__audit_violation_at(a->report, BERTH__RULE_PRICES, where, fmin(local, spread),
                                          "the prices of %zu GPUs of a node are %g and %g; expected numbers >= 0",
                                          k + 1, local, spread);
                good = false;
            }
        }
    }
    return good;
}

static bool check_starve_price(const berth__goodput_audit *a) {
    const double price = a->allocation->starve_price;
    berth__audit_count(a->report, BERTH__RULE_PRICES);
    if (!(price >= 0 && isfinite(price))) {
        berth__audit_violation_at(a->report, BERTH__RULE_PRICES, "", price,
                                  "the price of starvation is %g; expected a number >= 0", price);
        return false;
    }
    if (price > 0 && !a->allocation->starve_last) {
        berth__audit_violation_at(a->report, BERTH__RULE_PRICES, "", -price,
                                  "starvation has a price of %g, but the bound is to hold for any number starved",
                                  price);
        return false;
    }
    return true;
}

/* ---- sums ---- */

/* What the two certificates say: no allocation has a larger sum of weights, or gives more jobs GPUs. */
typedef struct duals {
    const berth__goodput_audit *audit;
    const berth__goodput_audit_pieces *pieces; /* NULL: prices of types */
    size_t job;                                /* at hand */
    double most_weight, most_served;           /* of that, less what it takes */
    double weights, served;                    /* sums; only where there are prices */
} duals;

static double cost_of(const duals *d, const berth__goodput_audit_option *o) {
    const berth_allocation *of = d->audit->allocation;
    if (o->gpus == 0) {
        return of->starve_price;
    }
    if (d->pieces != NULL) {
        return d->audit->jobs[d->job].is_pinned ? 0 : berth__goodput_audit_pieces_cost(d->pieces, d->job, o);
    }
    return of->prices != NULL ? of->prices[o->type] * o->gpus : 0;
}

static void visit_best(void *user, const berth__goodput_audit_option *o) {
    duals *d = user;
    const berth_allocation *of = d->audit->allocation;
    const double weight = berth__goodput_audit_weight(d->audit, o->value, o->gpus == 0);
    const double serve_price = of->serve_prices != NULL ? of->serve_prices[o->type] : 0;
    d->most_weight = fmax(d->most_weight, weight - cost_of(d, o));
    d->most_served = fmax(d->most_served, o->gpus > 0 ? 1 - serve_price * o->gpus : 0);
}

static void evaluate_duals(duals *d) {
    const berth__goodput_audit *a = d->audit;
    const berth_allocation *of = a->allocation;
    for (size_t type = 0; type < a->instance->n_types; type++) {
        const double capacity = (double)a->types[type].capacity;
        d->weights += of->prices != NULL && d->pieces == NULL ? of->prices[type] * capacity : 0;
        d->served += of->serve_prices != NULL ? of->serve_prices[type] * capacity : 0;
    }
    d->weights += of->starve_price * (double)a->starved;
    d->weights += d->pieces != NULL ? berth__goodput_audit_pieces_worth(d->pieces) : 0;
    for (size_t job = 0; job < a->instance->n_jobs && !berth__budget_spent(a->budget); job++) {
        d->job = job;
        d->most_weight = d->most_served = (double)-INFINITY;
        berth__goodput_audit_options(a, job, visit_best, d);
        d->weights += d->most_weight;
        d->served += d->most_served;
    }
}

/* ---- claims ---- */

static void check_bound(berth__goodput_audit *a, const duals *d) {
    const berth_allocation *of = a->allocation;
    if (of->prices == NULL) {
        berth__audit_count(a->report, BERTH__RULE_BOUND);
        if (!isnan(of->bound)) {
            berth__audit_violation_at(a->report, BERTH__RULE_BOUND, "", (double)NAN,
                                      "claims a bound of %.9g without prices that prove it", of->bound);
        }
        if (fabs(of->starve_price) > 0) {
            berth__audit_violation_at(a->report, BERTH__RULE_PRICES, "", (double)NAN,
                                      "starvation has a price of %g, but GPUs have none", of->starve_price);
        }
        return;
    }
    if (!check_prices(a, of->prices, "the price of a GPU") || !check_starve_price(a)) {
        return;
    }
    const double due = berth__goodput_audit_fitness(a, d->weights);
    berth__audit_count(a->report, BERTH__RULE_BOUND);
    if (isfinite(of->bound) ? differs(of->bound, due) : isfinite(due)) {
        berth__audit_violation_at(a->report, BERTH__RULE_BOUND, "", of->bound - due,
                                  "claims a bound of %.9g; the prices give %.9g", of->bound, due);
    }
    a->bound = isfinite(due) ? due : (double)NAN;
    if (a->bound < a->fitness * (1 - BERTH__FIGURE)) {
        berth__audit_violation_at(a->report, BERTH__RULE_BOUND, "", a->bound - a->fitness,
                                  "the bound, %.9g, is below F, %.9g", a->bound, a->fitness);
    }
}

static void check_ratio(const berth__goodput_audit *a) {
    const double due = a->bound / a->fitness, claimed = a->allocation->ratio;
    berth__audit_count(a->report, BERTH__RULE_RATIO);
    if (isfinite(due) ? differs(claimed, due) : isfinite(claimed)) {
        berth__audit_violation_at(a->report, BERTH__RULE_RATIO, "", claimed - due,
                                  "claims bound / F = %.9g; it is %.9g", claimed, due);
    }
}

static void check_starved(const berth__goodput_audit *a, const duals *d) {
    const berth_allocation *of = a->allocation;
    const double n = (double)a->instance->n_jobs;
    double due = 0;
    berth__audit_count(a->report, BERTH__RULE_STARVED);
    if (of->starved != a->starved) {
        berth__audit_violation_at(a->report, BERTH__RULE_STARVED, "", (double)of->starved - (double)a->starved,
                                  "claims %zu starved jobs; there are %zu", of->starved, a->starved);
    }
    if (of->serve_prices != NULL) {
        if (!check_prices(a, of->serve_prices, "the price of a GPU by jobs served")) {
            return;
        }
        due = fmax(n - floor(d->served + BERTH__FEASIBILITY * (n + 1)), 0); /* rounding errors of a sum of jobs */
    }
    if ((double)of->starved_bound < due || (double)of->starved_bound > due) {
        berth__audit_violation_at(a->report, BERTH__RULE_STARVED, "", due - (double)of->starved_bound,
                                  "claims that no fewer than %zu jobs are starved; the prices prove %.0f",
                                  of->starved_bound, due);
    }
}

/* Who searches: berth node by node, and says so; sia by a programme that takes no account of who is starved. */
static void check_searcher(const berth__goodput_audit *a) {
    const berth_allocation *of = a->allocation;
    const bool ours = of->allocator == BERTH_ALLOCATOR_BERTH;
    if (of->node_level && !ours) {
        berth__audit_violation_at(a->report, BERTH__RULE_SEARCH_BOUND, "", (double)NAN,
                                  "claims a search node by node, which only berth makes");
    }
    if (!isnan(of->search_bound) &&
        !(ours ? of->node_level : of->allocator == BERTH_ALLOCATOR_SIA && !of->starve_last)) {
        berth__audit_violation_at(a->report, BERTH__RULE_SEARCH_BOUND, "", (double)NAN,
                                  "claims a bound by a complete search that was not made");
    }
}

static void check_search_bound(const berth__goodput_audit *a) {
    const double bound = a->allocation->search_bound;
    check_searcher(a);
    if (isnan(bound)) {
        return;
    }
    berth__audit_count(a->report, BERTH__RULE_SEARCH_BOUND);
    if (bound < a->fitness * (1 - BERTH__FIGURE)) {
        berth__audit_violation_at(a->report, BERTH__RULE_SEARCH_BOUND, "", bound - a->fitness,
                                  "the bound by search, %.9g, is below F, %.9g", bound, a->fitness);
    }
    berth__audit_note_at(a->report, BERTH__RULE_SEARCH_BOUND, "", "nothing proves it: a solver's word");
}

static void check_optimal(const berth__goodput_audit *a) {
    const berth_allocation *of = a->allocation;
    const double least = fmin(isnan(a->bound) ? (double)INFINITY : a->bound,
                              isnan(of->search_bound) ? (double)INFINITY : of->search_bound);
    const bool fewest = !of->starve_last || a->starved == of->starved_bound || !isnan(of->search_bound);
    berth__audit_count(a->report, BERTH__RULE_OUTCOME);
    if (of->outcome == BERTH_OPTIMAL && a->instance->n_jobs > 0 &&
        !(a->fitness >= least * (1 - BERTH__FIGURE) && fewest)) {
        berth__audit_violation_at(a->report, BERTH__RULE_OUTCOME, "", a->fitness - least,
                                  "claims to be optimal; F is %.9g, the least bound %.9g", a->fitness, least);
    }
    if (of->outcome != BERTH_OPTIMAL && of->outcome != BERTH_FEASIBLE && of->outcome != BERTH_LIMIT) {
        berth__audit_violation_at(a->report, BERTH__RULE_OUTCOME, "", (double)NAN, "no outcome of an allocation");
    }
    if ((of->outcome == BERTH_LIMIT) != of->stopped) {
        berth__audit_violation_at(a->report, BERTH__RULE_OUTCOME, "", (double)NAN,
                                  "the outcome is LIMIT if and only if the search was stopped");
    }
}

bool berth__goodput_audit_bound(berth__goodput_audit *a) {
    berth__audit_count(a->report, BERTH__RULE_FITNESS);
    if (isnan(a->fitness) ? !isnan(a->allocation->fitness) : differs(a->allocation->fitness, a->fitness)) {
        berth__audit_violation_at(a->report, BERTH__RULE_FITNESS, "", a->allocation->fitness - a->fitness,
                                  "claims F = %.9g; it is %.9g", a->allocation->fitness, a->fitness);
    }
    duals d = {.audit = a};
    berth__goodput_audit_pieces *pieces = NULL;
    if (check_piece_prices(a)) {
        pieces = berth__goodput_audit_pieces_new(a);
        if (pieces == NULL) {
            return false;
        }
        d.pieces = pieces;
    }
    evaluate_duals(&d);
    berth__goodput_audit_pieces_free(pieces);
    check_bound(a, &d);
    check_ratio(a);
    check_starved(a, &d);
    check_search_bound(a);
    check_optimal(a);
    return true;
}
