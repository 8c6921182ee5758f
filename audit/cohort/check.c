#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/cohort/audit.h"
#include "base/alloc.h"

const char *berth__cohort_audit_client(const berth__cohort_audit *a, size_t client, char buffer[32]) {
    snprintf(buffer, 32, "%zu", client);
    return a->data->clients != NULL ? a->data->clients[client] : buffer;
}

const char *berth__cohort_audit_category(const berth__cohort_audit *a, size_t category, char buffer[32]) {
    snprintf(buffer, 32, "%zu", category);
    return a->data->categories != NULL ? a->data->categories[category] : buffer;
}

/* What would be read out of bounds. */
static berth_status check_indices(const berth_cohort_data *data, const berth_cohort_request *q,
                                  const berth_cohort *cohort, berth_error *error) {
    for (size_t n = 0; n < data->n_clients; n++) {
        if (data->row_start[n + 1] < data->row_start[n]) {
            return berth__fail(error, BERTH_E_INPUT, "row_start", "row starts must not decrease");
        }
    }
    for (size_t e = 0; e < data->row_start[data->n_clients]; e++) {
        if (data->category[e] >= data->n_categories) {
            return berth__fail(error, BERTH_E_INPUT, "category", "entry %zu names no category", e);
        }
    }
    for (size_t k = 0; k < q->n_all; k++) {
        if (q->all[k] >= data->n_categories) {
            return berth__fail(error, BERTH_E_INPUT, "all", "entry %zu names no category", k);
        }
    }
    for (size_t k = 0; q->choose_eligible && k < q->n_eligible; k++) {
        if (q->eligible[k] >= data->n_clients) {
            return berth__fail(error, BERTH_E_INPUT, "eligible", "entry %zu names no client", k);
        }
    }
    if (cohort->n_clients != data->n_clients || cohort->n_categories != data->n_categories) {
        return berth__fail(error, BERTH_E_MISMATCH, NULL,
                           "the cohort is of %zu clients and %zu categories; the data have %zu and %zu",
                           cohort->n_clients, cohort->n_categories, data->n_clients, data->n_categories);
    }
    for (size_t k = 0; k < cohort->n_participants; k++) {
        const berth_cohort_participant *p = &cohort->participants[k];
        bool good = p->client < data->n_clients;
        for (size_t e = 0; good && e < p->n_entries; e++) {
            good = p->category[e] < data->n_categories && (e == 0 || p->category[e] > p->category[e - 1]);
        }
        if (!good) {
            return berth__fail(error, BERTH_E_INPUT, "participants",
                               "participant %zu names no client, or its categories are not ascending", k);
        }
    }
    return BERTH_OK;
}

static bool run_steps(berth__cohort_audit *a) {
    return berth__cohort_audit_request(a) && berth__cohort_audit_members(a) && berth__cohort_audit_bound(a);
}

berth_status berth_check_cohort(const berth_cohort_data *data, const berth_cohort_request *request,
                                const berth_cohort *cohort, const berth_hooks *hooks, berth_report **out,
                                berth_error *error) {
    if (out != NULL) {
        *out = NULL;
    }
    berth__error_clear(error);
    if (data == NULL || request == NULL || cohort == NULL || out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "data, request, cohort and out must not be NULL");
    }
    berth_status status = check_indices(data, request, cohort, error);
    if (status != BERTH_OK) {
        return status;
    }
    berth__budget budget = berth__budget_start((double)INFINITY, hooks);
    berth__cohort_audit a = {.data = data,
                             .request = request,
                             .cohort = cohort,
                             .report = berth__audit_report_new(),
                             .external = cohort->solver == NULL || strcmp(cohort->solver, "external") == 0,
                             .duration_s = (double)NAN,
                             .bound = (double)NAN};
    bool complete = a.report != NULL && run_steps(&a);
    if (complete && !berth__budget_spent(&budget)) {
        *out = berth__audit_report_finish(a.report);
    } else {
        status = complete ? berth__fail(error, BERTH_E_CANCELLED, NULL, "the check was cancelled") : BERTH_OK;
        berth__audit_report_free(a.report);
    }
    berth__free(a.requests);
    berth__free(a.supply);
    berth__free(a.eligible);
    return *out != NULL || status != BERTH_OK ? status : berth__fail_memory(error);
}
