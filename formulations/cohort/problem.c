#include "formulations/cohort/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

void berth_cohort_data_init(berth_cohort_data *data) {
    *data = (berth_cohort_data){.struct_size = sizeof *data};
}

void berth_cohort_request_init(berth_cohort_request *request) {
    *request =
        (berth_cohort_request){.struct_size = sizeof *request, .model_kbit = 65536, .deadline_s = (double)INFINITY};
}

const char *berth__cohort_client_name(const berth_cohort_data *data, size_t client, char buffer[32]) {
    snprintf(buffer, 32, "%zu", client);
    return data->clients != NULL ? data->clients[client] : buffer;
}

const char *berth__cohort_category_name(const berth_cohort_data *data, size_t category, char buffer[32]) {
    snprintf(buffer, 32, "%zu", category);
    return data->categories != NULL ? data->categories[category] : buffer;
}

/* ---- checks ---- */

static berth_status fail_at(berth_error *error, const char *array, size_t index, const char *text) {
    char where[64];
    snprintf(where, sizeof where, "%s[%zu]", array, index);
    return berth__fail(error, BERTH_E_INPUT, where, "%s", text);
}

static berth_status check_rows(const berth_cohort_data *data, size_t *last_row, berth_error *error) {
    for (size_t n = 0; n < data->n_clients; n++) { /* first, so that no entry is read that is not there */
        if (data->row_start[n + 1] < data->row_start[n]) {
            return fail_at(error, "row_start", n + 1, "row starts must not decrease");
        }
    }
    for (size_t n = 0; n < data->n_clients; n++) {
        uint64_t total = 0;
        for (size_t e = data->row_start[n]; e < data->row_start[n + 1]; e++) {
            if (data->category[e] >= data->n_categories) {
                return fail_at(error, "category", e, "no such category");
            }
            if (last_row[data->category[e]] == n + 1) {
                return fail_at(error, "category", e, "the client has this category already");
            }
            last_row[data->category[e]] = n + 1;
            total += data->count[e];
        }
        if (total > UINT32_MAX) {
            return fail_at(error, "count", data->row_start[n], "the client has more than 4294967295 samples");
        }
    }
    return BERTH_OK;
}

static berth_status check_profiles(const berth_cohort_data *data, berth_error *error) {
    if ((data->ms_per_sample == NULL) != (data->bandwidth_kbps == NULL)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "ms_per_sample",
                           "ms_per_sample and bandwidth_kbps come both or not at all");
    }
    for (size_t n = 0; data->ms_per_sample != NULL && n < data->n_clients; n++) {
        if (data->row_start[n + 1] == data->row_start[n]) {
            continue; /* it cannot take part */
        }
        if (!(data->ms_per_sample[n] >= BERTH__COHORT_LEAST_SPEED &&
              data->ms_per_sample[n] <= BERTH__COHORT_MOST_SPEED)) {
            return fail_at(error, "ms_per_sample", n, "expected milliseconds > 0 (1e-9 to 1e15)");
        }
        if (!(data->bandwidth_kbps[n] >= BERTH__COHORT_LEAST_SPEED &&
              data->bandwidth_kbps[n] <= BERTH__COHORT_MOST_SPEED)) {
            return fail_at(error, "bandwidth_kbps", n, "expected kbit/s > 0 (1e-9 to 1e15)");
        }
    }
    return BERTH_OK;
}

berth_status berth__cohort_check_data(const berth_cohort_data *data, berth_error *error) {
    if (data->struct_size != sizeof *data) {
        return berth__fail(error, BERTH_E_ARGUMENT, "data", "not initialised: call berth_cohort_data_init first");
    }
    if (data->row_start == NULL ||
        (data->row_start[data->n_clients] > 0 && (data->category == NULL || data->count == NULL))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "data", "row_start, category and count must not be NULL");
    }
    if (data->n_clients >= UINT32_MAX || data->n_categories >= UINT32_MAX) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "data", "4294967295 clients or categories and more");
    }
    if (data->row_start[0] != 0) {
        return fail_at(error, "row_start", 0, "must be 0");
    }
    size_t *last_row = BERTH__NEW_ARRAY(size_t, data->n_categories);
    if (last_row == NULL) {
        return berth__fail_memory(error);
    }
    berth_status status = check_rows(data, last_row, error);
    berth__free(last_row);
    return status == BERTH_OK ? check_profiles(data, error) : status;
}

static berth_status check_request(const berth_cohort_data *data, const berth_cohort_request *r, berth_error *error) {
    if (r->struct_size != sizeof *r) {
        return berth__fail(error, BERTH_E_ARGUMENT, "request", "not initialised: call berth_cohort_request_init first");
    }
    if ((r->requests != NULL) + (r->representative > 0) + (r->n_all > 0) != 1) {
        return berth__fail(error, BERTH_E_ARGUMENT, "requests",
                           "expected one of requests, representative (> 0) and all (not empty)");
    }
    for (size_t k = 0; k < r->n_all; k++) {
        if (r->all[k] >= data->n_categories) {
            return fail_at(error, "all", k, "no such category");
        }
    }
    for (size_t k = 0; r->choose_eligible && k < r->n_eligible; k++) {
        if (r->eligible[k] >= data->n_clients) {
            return fail_at(error, "eligible", k, "no such client");
        }
    }
    if (!(r->model_kbit >= 0 && r->model_kbit <= BERTH__COHORT_MOST_SPEED)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "model_kbit", "model_kbit is %g; expected 0 to 1e15",
                           r->model_kbit);
    }
    if (!(r->deadline_s >= 0)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "deadline_s", "deadline_s is %g; expected a number >= 0",
                           r->deadline_s);
    }
    if (!(r->slack >= 0 && isfinite(r->slack))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "slack", "slack is %g; expected a number >= 0", r->slack);
    }
    if (r->objective != BERTH_COHORT_DURATION && r->objective != BERTH_COHORT_PARTICIPANTS) {
        return berth__fail(error, BERTH_E_ARGUMENT, "objective", "no such objective");
    }
    if (data->ms_per_sample == NULL && (r->objective == BERTH_COHORT_DURATION || isfinite(r->deadline_s))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "ms_per_sample",
                           "without the clients' profiles there are no durations: only the objective participants "
                           "without a deadline can be had");
    }
    return BERTH_OK;
}

/* ---- requests ---- */

static void add_supply(const berth_cohort_data *data, const bool *eligible, uint64_t *supply) {
    for (size_t n = 0; n < data->n_clients; n++) {
        for (size_t e = data->row_start[n]; (eligible == NULL || eligible[n]) && e < data->row_start[n + 1]; e++) {
            supply[data->category[e]] += data->count[e];
        }
    }
}

__extension__ typedef unsigned __int128 wide;

/* `wanted` samples in the proportions of supply, by largest remainders; ties go to the earlier category. */
static bool share_out(uint64_t wanted, const uint64_t *supply, size_t n, uint64_t *requests) {
    uint64_t total = 0, given = 0;
    for (size_t c = 0; c < n; c++) {
        total += supply[c];
    }
    uint64_t *remainder = BERTH__NEW_ARRAY(uint64_t, n);
    if (remainder == NULL) {
        return false;
    }
    for (size_t c = 0; total > 0 && c < n; c++) {
        wide product = (wide)wanted * supply[c];
        requests[c] = (uint64_t)(product / total);
        remainder[c] = (uint64_t)(product % total);
        given += requests[c];
    }
    for (; total > 0 && given < wanted; given++) {
        size_t largest = 0;
        for (size_t c = 1; c < n; c++) {
            largest = remainder[c] > remainder[largest] ? c : largest;
        }
        requests[largest]++;
        remainder[largest] = 0;
    }
    berth__free(remainder);
    return true;
}

static berth_status resolve_requests(berth__cohort_problem *p, const uint64_t *supply, berth_error *error) {
    const berth_cohort_data *data = p->data;
    const berth_cohort_request *r = p->request;
    double sum = 0;
    if (r->requests != NULL) {
        memcpy(p->requests, r->requests, data->n_categories * sizeof *p->requests);
    }
    for (size_t k = 0; k < r->n_all; k++) {
        p->requests[r->all[k]] = supply[r->all[k]];
    }
    if (r->representative > 0) {
        uint64_t *everywhere = BERTH__NEW_ARRAY(uint64_t, data->n_categories);
        bool done = everywhere != NULL;
        if (done) {
            add_supply(data, NULL, everywhere);
            done = share_out(r->representative, everywhere, data->n_categories, p->requests);
        }
        berth__free(everywhere);
        if (!done) {
            return berth__fail_memory(error);
        }
    }
    for (size_t c = 0; c < data->n_categories; c++) {
        sum += (double)p->requests[c];
    }
    if (sum > BERTH__COHORT_MOST_REQUESTED || (double)r->representative > BERTH__COHORT_MOST_REQUESTED) {
        return berth__fail(error, BERTH_E_UNSUPPORTED, "requests", "more than 2^50 samples are requested");
    }
    return BERTH_OK;
}

/* ---- the view ---- */

static bool is_eligible(berth__cohort_problem *p) {
    size_t n = p->data->n_clients;
    p->eligible = BERTH__NEW_ARRAY(bool, n);
    if (p->eligible == NULL) {
        return false;
    }
    memset(p->eligible, !p->request->choose_eligible, n * sizeof *p->eligible);
    for (size_t k = 0; p->request->choose_eligible && k < p->request->n_eligible; k++) {
        p->eligible[p->request->eligible[k]] = true;
    }
    return true;
}

/* Positions of the categories that are asked for, plus 1; 0: not asked for. NULL: out of memory. */
static uint32_t *number_categories(berth__cohort_problem *p) {
    size_t n = p->data->n_categories, m = 0;
    uint32_t *position = BERTH__NEW_ARRAY(uint32_t, n);
    p->category = BERTH__NEW_ARRAY(size_t, n);
    p->need = BERTH__NEW_ARRAY(double, n);
    if (position == NULL || p->category == NULL || p->need == NULL) {
        berth__free(position);
        return NULL;
    }
    for (size_t c = 0; c < n; c++) {
        if (p->requests[c] > 0) {
            p->category[m] = c;
            p->need[m] = (double)p->requests[c];
            position[c] = (uint32_t)++m;
        }
    }
    p->view.n_categories = m;
    return position;
}

static void count_view(const berth__cohort_problem *p, const uint32_t *position, size_t *n_clients, size_t *n_entries) {
    const berth_cohort_data *data = p->data;
    *n_clients = *n_entries = 0;
    for (size_t n = 0; n < data->n_clients; n++) {
        size_t before = *n_entries;
        for (size_t e = data->row_start[n]; p->eligible[n] && e < data->row_start[n + 1]; e++) {
            *n_entries += position[data->category[e]] > 0 && data->count[e] > 0;
        }
        *n_clients += *n_entries > before;
    }
}

static void fill_client(const berth__cohort_problem *p, const uint32_t *position, size_t n, size_t *at,
                        berth__cohort_client *client) {
    const berth_cohort_data *data = p->data;
    *client = (berth__cohort_client){.first = *at, .id = (uint32_t)n};
    for (size_t e = data->row_start[n]; e < data->row_start[n + 1]; e++) {
        uint32_t c = position[data->category[e]];
        if (c > 0 && data->count[e] > 0) {
            uint64_t asked = p->requests[data->category[e]];
            uint32_t count = data->count[e] < asked ? data->count[e] : (uint32_t)asked;
            p->view.entries[(*at)++] = (berth__cohort_entry){c - 1, count};
            client->total += count;
        }
    }
    if (data->ms_per_sample != NULL) {
        client->unit_s = data->ms_per_sample[n] / 1000;
        client->per_unit = 1 / client->unit_s;
        client->transfer_s = p->request->model_kbit / data->bandwidth_kbps[n];
    }
}

static bool fill_view(berth__cohort_problem *p) {
    uint32_t *position = number_categories(p);
    size_t n_clients, n_entries, at = 0, k = 0;
    if (position == NULL) {
        return false;
    }
    count_view(p, position, &n_clients, &n_entries);
    p->view.need = p->need;
    uint64_t cap = p->request->client_cap;
    p->view.cap = cap > 0 && cap < UINT32_MAX ? (uint32_t)cap : UINT32_MAX;
    bool complete = berth__cohort_view_init(&p->view, n_clients, n_entries);
    for (size_t n = 0; complete && n < p->data->n_clients; n++) {
        size_t before = at;
        if (p->eligible[n]) {
            fill_client(p, position, n, &at, &p->view.clients[k]);
            k += at > before;
        }
    }
    if (complete) {
        p->view.clients[k].first = at;
    }
    berth__free(position);
    size_t budget = p->request->budget;
    p->budget = budget > 0 && budget < n_clients ? budget : n_clients;
    return complete;
}

static berth_status open_problem(berth__cohort_problem *p, uint64_t *supply, berth_error *error) {
    const size_t n = p->data->n_categories;
    p->requests = BERTH__NEW_ARRAY(uint64_t, n);
    p->missing = BERTH__NEW_ARRAY(uint64_t, n);
    if (p->requests == NULL || p->missing == NULL || !is_eligible(p)) {
        return berth__fail_memory(error);
    }
    add_supply(p->data, p->eligible, supply);
    berth_status status = resolve_requests(p, supply, error);
    for (size_t c = 0; status == BERTH_OK && c < n; c++) {
        p->missing[c] = p->requests[c] > supply[c] ? p->requests[c] - supply[c] : 0;
        p->is_short = p->is_short || p->missing[c] > 0;
    }
    if (status == BERTH_OK && !fill_view(p)) {
        return berth__fail_memory(error);
    }
    return status;
}

berth_status berth__cohort_problem_open(berth__cohort_problem *p, const berth_cohort_data *data,
                                        const berth_cohort_request *request, berth_error *error) {
    *p = (berth__cohort_problem){.data = data, .request = request};
    berth_status status = berth__cohort_check_data(data, error);
    status = status == BERTH_OK ? check_request(data, request, error) : status;
    if (status != BERTH_OK) {
        return status;
    }
    uint64_t *supply = BERTH__NEW_ARRAY(uint64_t, data->n_categories);
    status = supply == NULL ? berth__fail_memory(error) : open_problem(p, supply, error);
    berth__free(supply);
    return status;
}

void berth__cohort_problem_close(berth__cohort_problem *p) {
    berth__free(p->requests);
    berth__free(p->missing);
    berth__free(p->eligible);
    berth__free(p->category);
    berth__free(p->need);
    berth__cohort_view_free(&p->view);
    *p = (berth__cohort_problem){0};
}
