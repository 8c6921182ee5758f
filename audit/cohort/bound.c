/* The certificate, in whole numbers throughout. At the prices, client n's samples within the certificate's deadline are
 * worth V_n at most; k clients cannot meet the request if the k largest V_n sum to less than the request's worth. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/cohort/audit.h"
#include "base/alloc.h"
#include "base/tolerance.h"

typedef struct evaluation {
    double deadline_s;
    uint64_t *price;   /* [n_categories] */
    uint64_t *value;   /* [n_clients] V_n, falling once sorted */
    berth__wide worth; /* of the request */
    double next_s;     /* least duration above the deadline that a client can have; INFINITY: none */
} evaluation;

typedef struct lot {
    uint64_t price, count;
} lot;

static int by_falling_price(const void *left, const void *right) {
    const lot *a = left, *b = right;
    return a->price < b->price ? 1 : a->price > b->price ? -1 : 0;
}

static int by_falling_value(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return *a < *b ? 1 : *a > *b ? -1 : 0;
}

/* Most samples, up to `most`, that client n processes within the deadline: bisection. */
static uint64_t room(const berth__cohort_audit *a, size_t n, uint64_t most, double deadline_s) {
    if (a->data->ms_per_sample == NULL || isinf(deadline_s)) {
        return most;
    }
    uint64_t low = 0, high = most + 1; /* low fits (0 always does, it takes no part), high does not */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (berth__cohort_audit_duration(a, n, middle) <= deadline_s) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* V_n, and what the next duration of client n would be. `lots`: room for its entries. */
static void evaluate_client(const berth__cohort_audit *a, evaluation *e, size_t n, lot *lots) {
    size_t m = 0;
    uint64_t total = 0;
    for (size_t k = a->data->row_start[n]; a->eligible[n] && k < a->data->row_start[n + 1]; k++) {
        uint32_t c = a->data->category[k];
        uint64_t count = a->data->count[k] < a->requests[c] ? a->data->count[k] : a->requests[c];
        total += count;
        lots[m++] = (lot){e->price[c], count};
    }
    uint64_t cap = a->request->client_cap;
    uint64_t most = cap > 0 && cap < total ? cap : total, left = room(a, n, most, e->deadline_s);
    if (left < most) {
        e->next_s = fmin(e->next_s, berth__cohort_audit_duration(a, n, left + 1));
    }
    qsort(lots, m, sizeof *lots, by_falling_price);
    e->value[n] = 0;
    for (size_t k = 0; k < m && left > 0; k++) {
        uint64_t take = lots[k].count < left ? lots[k].count : left;
        e->value[n] += take * lots[k].price;
        left -= take;
    }
}

/* Whole prices whose worth of the request is below 2^53; false: a violation was found. */
static bool take_prices(berth__cohort_audit *a, evaluation *e) {
    char name[32], where[160];
    for (size_t c = 0; c < a->data->n_categories; c++) {
        double price = a->cohort->prices[c];
        berth__audit_count(a->report, BERTH__RULE_PRICES);
        if (!(price >= 0 && price <= 0x1p53 && floor(price) >= price)) {
            snprintf(where, sizeof where, "category %.100s", berth__cohort_audit_category(a, c, name));
            berth__audit_violation_at(a->report, BERTH__RULE_PRICES, where, (double)NAN,
                                      "the price is %.17g; expected a whole number from 0 to 2^53", price);
            return false;
        }
        e->price[c] = (uint64_t)price;
        e->worth += (berth__wide)e->price[c] * a->requests[c];
    }
    if (e->worth > (berth__wide)1 << 53) {
        berth__audit_violation_at(a->report, BERTH__RULE_PRICES, "", (double)NAN,
                                  "the request is worth more than 2^53 at these prices");
        return false;
    }
    return true;
}

/* False: out of memory. */
static bool evaluate(const berth__cohort_audit *a, evaluation *e) {
    size_t longest = 0;
    for (size_t n = 0; n < a->data->n_clients; n++) {
        size_t length = a->data->row_start[n + 1] - a->data->row_start[n];
        longest = length > longest ? length : longest;
    }
    lot *lots = BERTH__NEW_ARRAY(lot, longest);
    e->next_s = (double)INFINITY;
    for (size_t n = 0; lots != NULL && n < a->data->n_clients; n++) {
        evaluate_client(a, e, n, lots);
    }
    if (lots != NULL) {
        qsort(e->value, a->data->n_clients, sizeof *e->value, by_falling_value);
    }
    berth__free(lots);
    return lots != NULL;
}

/* The least number of clients that the prices do not rule out; n_clients + 1: all are. */
static size_t least_number(const berth__cohort_audit *a, const evaluation *e) {
    berth__wide sum = 0;
    size_t k = 0;
    while (k < a->data->n_clients && sum < e->worth) {
        sum += e->value[k++];
    }
    return sum < e->worth ? a->data->n_clients + 1 : k;
}

/* ---- claims ---- */

static void check_at_most(berth__cohort_audit *a, const char *what, double claimed, double proved) {
    berth__audit_count(a->report, BERTH__RULE_BOUND);
    if (claimed > proved * (1 + BERTH__FEASIBILITY)) {
        berth__audit_violation_at(a->report, BERTH__RULE_BOUND, "", proved - claimed,
                                  "claims that no cohort has %s below %.9g; the prices prove %.9g", what, claimed,
                                  proved);
    }
}

static void check_missing(berth__cohort_audit *a, const evaluation *e) {
    berth__wide held = 0, missing = 0;
    for (size_t n = 0; n < a->data->n_clients; n++) {
        held += e->value[n];
    }
    for (size_t c = 0; a->cohort->missing != NULL && c < a->data->n_categories; c++) {
        berth__audit_count(a->report, BERTH__RULE_MISSING);
        missing += a->cohort->missing[c];
        if (e->price[c] > 1) {
            return; /* not the prices of a cut */
        }
    }
    if (held + missing != e->worth && a->cohort->missing != NULL) {
        berth__audit_violation_at(a->report, BERTH__RULE_MISSING, "", (double)NAN,
                                  "claims that %llu samples are missing at the best; the prices say %llu",
                                  (unsigned long long)missing,
                                  (unsigned long long)(e->worth > held ? e->worth - held : 0));
    }
}

static void check_infeasible(berth__cohort_audit *a, const evaluation *e) {
    const berth_cohort *cohort = a->cohort;
    bool budget = cohort->reason == BERTH_COHORT_BUDGET && a->request->budget > 0;
    size_t most = budget ? a->request->budget : a->data->n_clients, least = least_number(a, e);
    /* supply: at no deadline at all */
    double deadline = cohort->reason == BERTH_COHORT_SUPPLY ? (double)INFINITY : a->request->deadline_s;
    bool late = deadline < e->next_s || isinf(e->next_s);
    berth__audit_count(a->report, BERTH__RULE_OUTCOME);
    if (least <= most || !late) {
        berth__audit_violation_at(a->report, BERTH__RULE_OUTCOME, "", (double)NAN,
                                  "the prices do not prove that there is no cohort for want of %s",
                                  berth_cohort_reason_name(cohort->reason));
    }
    if (!budget) {
        check_missing(a, e);
    }
}

static void check_bounds(berth__cohort_audit *a, const evaluation *e) {
    const berth_cohort *cohort = a->cohort;
    size_t least = least_number(a, e);
    if (a->request->objective == BERTH_COHORT_PARTICIPANTS) {
        bool late = e->deadline_s >= a->request->deadline_s || a->request->deadline_s < e->next_s;
        a->bound = late ? (double)least : 1;
        check_at_most(a, "participants", (double)cohort->participants_bound, a->bound);
        return;
    }
    size_t most = a->request->budget > 0 ? a->request->budget : a->data->n_clients;
    a->bound = least > most ? e->next_s : 0;
    check_at_most(a, "a duration", isnan(cohort->bound_s) ? 0 : cohort->bound_s, a->bound);
}

static void check_without_prices(berth__cohort_audit *a) {
    const berth_cohort *cohort = a->cohort;
    bool claims = !isnan(cohort->bound_s) || cohort->participants_bound > 1;
    if (claims) {
        berth__audit_violation_at(a->report, BERTH__RULE_BOUND, "", (double)NAN,
                                  "a bound is claimed, but there are no prices to prove it");
    }
    if (cohort->outcome == BERTH_INFEASIBLE) {
        berth__audit_note_at(a->report, BERTH__RULE_OUTCOME, "",
                             "that there is no cohort was found by search; nothing here proves it");
    }
}

/* Objective of the cohort, recomputed; NAN: there is none. */
static double objective_of(const berth__cohort_audit *a) {
    bool exists = a->cohort->outcome == BERTH_OPTIMAL || a->cohort->outcome == BERTH_FEASIBLE;
    if (!exists) {
        return (double)NAN;
    }
    return a->request->objective == BERTH_COHORT_PARTICIPANTS ? (double)a->cohort->n_participants : a->duration_s;
}

static void check_outcome(berth__cohort_audit *a) {
    const berth_cohort *cohort = a->cohort;
    double objective = objective_of(a), slack = BERTH__FEASIBILITY * fabs(objective);
    bool participants = a->request->objective == BERTH_COHORT_PARTICIPANTS;
    double searched = participants ? (double)cohort->search_participants : cohort->search_bound_s;
    berth__audit_count(a->report, BERTH__RULE_OUTCOME);
    if (cohort->outcome == BERTH_OPTIMAL && cohort->n_participants > 0 && !(objective <= a->bound + slack)) {
        if (objective <= searched + slack) {
            berth__audit_note_at(a->report, BERTH__RULE_OUTCOME, "",
                                 "that the cohort is optimal was found by search; the prices prove %.9g", a->bound);
        } else {
            berth__audit_violation_at(a->report, BERTH__RULE_OUTCOME, "", a->bound - objective,
                                      "claims to be optimal at %.9g; the prices prove %.9g", objective, a->bound);
        }
    }
    if (objective < a->bound - slack) {
        berth__audit_violation_at(a->report, BERTH__RULE_BOUND, "", objective - a->bound,
                                  "the cohort is better than its own bound");
    }
    double bound = participants ? (double)cohort->participants_bound : cohort->bound_s;
    if (!isnan(cohort->ratio)) {
        berth__audit_count(a->report, BERTH__RULE_RATIO);
        if (!(fabs(cohort->ratio - objective / bound) <= BERTH__FIGURE * cohort->ratio)) {
            berth__audit_violation_at(a->report, BERTH__RULE_RATIO, "", (double)NAN,
                                      "claims a ratio of %.9g; %.9g / %.9g is %.9g", cohort->ratio, objective, bound,
                                      objective / bound);
        }
    }
}

bool berth__cohort_audit_bound(berth__cohort_audit *a) {
    evaluation e = {.deadline_s = a->cohort->certificate_deadline_s};
    bool complete = true;
    if (a->cohort->prices == NULL || isnan(e.deadline_s)) {
        check_without_prices(a);
    } else {
        e.price = BERTH__NEW_ARRAY(uint64_t, a->data->n_categories);
        e.value = BERTH__NEW_ARRAY(uint64_t, a->data->n_clients);
        complete = e.price != NULL && e.value != NULL;
        if (complete && take_prices(a, &e)) {
            complete = evaluate(a, &e);
            if (complete && a->cohort->outcome == BERTH_INFEASIBLE) {
                check_infeasible(a, &e);
            } else if (complete) {
                check_bounds(a, &e);
            }
        }
    }
    if (complete) {
        check_outcome(a);
        berth__audit_set_figures(a->report, objective_of(a), a->bound, objective_of(a) / a->bound);
    }
    berth__free(e.price);
    berth__free(e.value);
    return complete;
}
