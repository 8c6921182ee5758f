#include <math.h>
#include <stdio.h>

#include "audit/cohort/audit.h"
#include "base/alloc.h"
#include "base/tolerance.h"

static void name_place(const berth__cohort_audit *a, size_t client, char where[160]) {
    char name[32];
    snprintf(where, 160, "client %.100s", berth__cohort_audit_client(a, client, name));
}

/* What client n holds of a category. */
static uint32_t holding(const berth_cohort_data *data, size_t n, uint32_t category) {
    for (size_t e = data->row_start[n]; e < data->row_start[n + 1]; e++) {
        if (data->category[e] == category) {
            return data->count[e];
        }
    }
    return 0;
}

static void check_duration(berth__cohort_audit *a, const berth_cohort_participant *p, uint64_t total,
                           const char *where) {
    if (a->data->ms_per_sample == NULL) {
        return;
    }
    double due = berth__cohort_audit_duration(a, p->client, total);
    a->duration_s = isnan(a->duration_s) ? due : fmax(a->duration_s, due);
    if (!isnan(p->duration_s)) {
        berth__audit_count(a->report, BERTH__RULE_DURATION);
        if (!(fabs(p->duration_s - due) <= BERTH__FEASIBILITY * due)) {
            berth__audit_violation_at(a->report, BERTH__RULE_DURATION, where, due - p->duration_s,
                                      "claims %.9g s; %llu samples take %.9g s", p->duration_s,
                                      (unsigned long long)total, due);
        }
    } else if (!a->external) {
        berth__audit_violation_at(a->report, BERTH__RULE_DURATION, where, (double)NAN, "no duration");
    }
    berth__audit_count(a->report, BERTH__RULE_DEADLINE);
    if (due > a->request->deadline_s * (1 + BERTH__FEASIBILITY)) {
        berth__audit_violation_at(a->report, BERTH__RULE_DEADLINE, where, a->request->deadline_s - due,
                                  "takes %.9g s; the deadline is %.9g s", due, a->request->deadline_s);
    }
}

static void check_member(berth__cohort_audit *a, const berth_cohort_participant *p, uint64_t *given) {
    char where[160], name[32];
    uint64_t total = 0;
    name_place(a, p->client, where);
    berth__audit_count(a->report, BERTH__RULE_ELIGIBILITY);
    if (!a->eligible[p->client]) {
        berth__audit_violation_at(a->report, BERTH__RULE_ELIGIBILITY, where, (double)NAN, "it is not eligible");
    }
    for (size_t k = 0; k < p->n_entries; k++) {
        uint32_t held = holding(a->data, p->client, p->category[k]);
        berth__audit_count(a->report, BERTH__RULE_HOLDING);
        if (p->samples[k] > held) {
            berth__audit_violation_at(a->report, BERTH__RULE_HOLDING, where, (double)held - p->samples[k],
                                      "is to process %lu samples of category %.60s; it holds %lu",
                                      (unsigned long)p->samples[k],
                                      berth__cohort_audit_category(a, p->category[k], name), (unsigned long)held);
        }
        given[p->category[k]] += p->samples[k];
        total += p->samples[k];
    }
    if (a->request->client_cap > 0) {
        berth__audit_count(a->report, BERTH__RULE_CLIENT_CAP);
        if (total > a->request->client_cap) {
            berth__audit_violation_at(a->report, BERTH__RULE_CLIENT_CAP, where,
                                      (double)a->request->client_cap - (double)total,
                                      "is to process %llu samples; the most is %llu", (unsigned long long)total,
                                      (unsigned long long)a->request->client_cap);
        }
    }
    check_duration(a, p, total, where);
}

static void check_cover(berth__cohort_audit *a, const uint64_t *given) {
    char name[32], where[160];
    for (size_t c = 0; c < a->data->n_categories; c++) {
        berth__audit_count(a->report, BERTH__RULE_COVER);
        bool wrong = given[c] < a->requests[c] || (a->request->exact && given[c] > a->requests[c]);
        if (wrong) {
            snprintf(where, sizeof where, "category %.100s", berth__cohort_audit_category(a, c, name));
            berth__audit_violation_at(a->report, BERTH__RULE_COVER, where, (double)given[c] - (double)a->requests[c],
                                      "%llu samples; %s %llu are requested", (unsigned long long)given[c],
                                      a->request->exact ? "exactly" : "at least", (unsigned long long)a->requests[c]);
        }
    }
}

static void check_whole(berth__cohort_audit *a, const uint64_t *given) {
    const berth_cohort *cohort = a->cohort;
    check_cover(a, given);
    berth__audit_count(a->report, BERTH__RULE_BUDGET);
    if (a->request->budget > 0 && cohort->n_participants > a->request->budget) {
        berth__audit_violation_at(a->report, BERTH__RULE_BUDGET, "",
                                  (double)a->request->budget - (double)cohort->n_participants,
                                  "%zu participants; the budget is %zu", cohort->n_participants, a->request->budget);
    }
    if (!isnan(cohort->duration_s) && !isnan(a->duration_s)) {
        berth__audit_count(a->report, BERTH__RULE_DURATION);
        if (!(fabs(cohort->duration_s - a->duration_s) <= BERTH__FEASIBILITY * a->duration_s)) {
            berth__audit_violation_at(a->report, BERTH__RULE_DURATION, "", cohort->duration_s - a->duration_s,
                                      "the cohort claims %.9g s; its slowest participant takes %.9g s",
                                      cohort->duration_s, a->duration_s);
        }
    }
}

bool berth__cohort_audit_members(berth__cohort_audit *a) {
    const berth_cohort *cohort = a->cohort;
    char where[160];
    bool exists = cohort->outcome == BERTH_OPTIMAL || cohort->outcome == BERTH_FEASIBLE;
    uint64_t *given = BERTH__NEW_ARRAY(uint64_t, a->data->n_categories);
    bool *seen = BERTH__NEW_ARRAY(bool, a->data->n_clients);
    bool complete = given != NULL && seen != NULL;
    if (complete && exists && cohort->n_participants == 0 && a->data->ms_per_sample != NULL) {
        a->duration_s = 0;
    }
    for (size_t k = 0; complete && k < cohort->n_participants; k++) {
        const berth_cohort_participant *p = &cohort->participants[k];
        name_place(a, p->client, where);
        berth__audit_count(a->report, BERTH__RULE_CLIENT);
        if (seen[p->client] || p->n_entries == 0) {
            berth__audit_violation_at(a->report, BERTH__RULE_CLIENT, where, (double)NAN, "%s",
                                      seen[p->client] ? "takes part twice" : "has nothing to process");
        }
        seen[p->client] = true;
        check_member(a, p, given);
    }
    if (complete && exists) {
        check_whole(a, given);
    } else if (complete && cohort->n_participants > 0) {
        berth__audit_violation_at(a->report, BERTH__RULE_OUTCOME, "", (double)NAN,
                                  "there are participants, but the outcome is %s", berth_outcome_name(cohort->outcome));
    }
    berth__free(given);
    berth__free(seen);
    return complete;
}
