#include <math.h>
#include <stdio.h>

#include "audit/cohort/audit.h"
#include "base/alloc.h"

static void sum_supply(const berth__cohort_audit *a, bool of_all, uint64_t *supply) {
    for (size_t n = 0; n < a->data->n_clients; n++) {
        for (size_t e = a->data->row_start[n]; e < a->data->row_start[n + 1]; e++) {
            supply[a->data->category[e]] += of_all || a->eligible[n] ? a->data->count[e] : 0;
        }
    }
}

/* Shares of `wanted` like those of all clients' samples: floors, then one more for the largest remainders. */
static bool share_out(berth__cohort_audit *a, uint64_t wanted) {
    size_t n = a->data->n_categories;
    uint64_t *held = BERTH__NEW_ARRAY(uint64_t, n), *remainder = BERTH__NEW_ARRAY(uint64_t, n);
    uint64_t total = 0, left = wanted;
    bool complete = held != NULL && remainder != NULL;
    if (complete) {
        sum_supply(a, true, held);
        for (size_t c = 0; c < n; c++) {
            total += held[c];
        }
    }
    for (size_t c = 0; complete && total > 0 && c < n; c++) {
        berth__wide part = (berth__wide)wanted * held[c];
        a->requests[c] = (uint64_t)(part / total);
        remainder[c] = (uint64_t)(part - (berth__wide)a->requests[c] * total);
        left -= a->requests[c];
    }
    while (complete && total > 0 && left-- > 0) {
        size_t best = n;
        for (size_t c = 0; c < n; c++) {
            if (best == n || remainder[c] > remainder[best]) {
                best = c;
            }
        }
        a->requests[best]++;
        remainder[best] = 0;
    }
    berth__free(held);
    berth__free(remainder);
    return complete;
}

static bool resolve(berth__cohort_audit *a) {
    const berth_cohort_request *q = a->request;
    for (size_t k = 0; k < a->data->n_clients; k++) {
        a->eligible[k] = !q->choose_eligible;
    }
    for (size_t k = 0; q->choose_eligible && k < q->n_eligible; k++) {
        a->eligible[q->eligible[k]] = true;
    }
    sum_supply(a, false, a->supply);
    for (size_t c = 0; q->requests != NULL && c < a->data->n_categories; c++) {
        a->requests[c] = q->requests[c];
    }
    for (size_t k = 0; k < q->n_all; k++) {
        a->requests[q->all[k]] = a->supply[q->all[k]];
    }
    return q->representative == 0 || share_out(a, q->representative);
}

bool berth__cohort_audit_request(berth__cohort_audit *a) {
    size_t n = a->data->n_categories;
    char name[32], where[160];
    a->requests = BERTH__NEW_ARRAY(uint64_t, n);
    a->supply = BERTH__NEW_ARRAY(uint64_t, n);
    a->eligible = BERTH__NEW_ARRAY(bool, a->data->n_clients);
    if (a->requests == NULL || a->supply == NULL || a->eligible == NULL || !resolve(a)) {
        return false;
    }
    if (a->cohort->objective != a->request->objective && !a->external) {
        berth__audit_violation_at(a->report, BERTH__RULE_REQUEST, "objective", (double)NAN,
                                  "the cohort is for another objective than the request");
    }
    for (size_t c = 0; a->cohort->requests != NULL && c < n; c++) {
        berth__audit_count(a->report, BERTH__RULE_REQUEST);
        if (a->cohort->requests[c] != a->requests[c]) {
            snprintf(where, sizeof where, "category %.100s", berth__cohort_audit_category(a, c, name));
            berth__audit_violation_at(a->report, BERTH__RULE_REQUEST, where, (double)NAN,
                                      "claims a request of %llu samples; it is %llu",
                                      (unsigned long long)a->cohort->requests[c], (unsigned long long)a->requests[c]);
        }
    }
    return true;
}
