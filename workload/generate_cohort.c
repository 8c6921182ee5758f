/* Clients in the shape of public federated data sets (Lai et al., OSDI 2021, figures 1 and 2; FedScale's Speech and
 * OpenImage partitions): each holds 2 to `per_client` categories drawn with u^1.5 (popular ones first), log-normal
 * counts of each, and devices and links with log-normal speeds (e-folds 0.8 and 0.7). */
#include <berth_cohort.h>

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/pcg.h"
#include "formats/cohort_data.h"

/* Samples a second and seconds of transfer of 65536 kbit, medians. */
static const double samples_per_s = 20, transfer_s = 4, default_model_kbit = 65536;
static const double count_spread = 0.9, speed_spread = 0.8, link_spread = 0.7, most_count = 1e6;

void berth_generate_cohort_options_init(berth_generate_cohort_options *options) {
    *options = (berth_generate_cohort_options){.struct_size = sizeof *options,
                                               .seed = 1,
                                               .clients = 1000,
                                               .categories = 20,
                                               .per_client = 8,
                                               .median_count = 30,
                                               .request_share = 0.02,
                                               .budget_share = 0.02};
}

static bool is_share(double value) {
    return value > 0 && value <= 1;
}

static berth_status check_options(const berth_generate_cohort_options *o, berth_error *error) {
    if (o->struct_size != sizeof *o) {
        return berth__fail(error, BERTH_E_ARGUMENT, "options",
                           "not initialised: call berth_generate_cohort_options_init first");
    }
    if (o->clients < 1 || o->clients >= UINT32_MAX || o->categories < 1 || o->categories >= UINT32_MAX) {
        return berth__fail(error, BERTH_E_ARGUMENT,
                           o->clients < 1 || o->clients >= UINT32_MAX ? "clients" : "categories",
                           "expected a number from 1 to 4294967294");
    }
    if (o->per_client < 1 || o->per_client > 1000) {
        return berth__fail(error, BERTH_E_ARGUMENT, "per_client", "expected a number from 1 to 1000");
    }
    if (!(o->median_count >= 1 && o->median_count <= 1e4)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "median_count", "expected a number from 1 to 10000");
    }
    if (!is_share(o->request_share) || !is_share(o->budget_share)) {
        return berth__fail(error, BERTH_E_ARGUMENT, is_share(o->request_share) ? "budget_share" : "request_share",
                           "expected a share above 0 and at most 1");
    }
    return BERTH_OK;
}

/* Standard normal: Box and Muller. */
static double normal(berth__pcg *stream) {
    double radius = sqrt(-2 * log(1 - berth__pcg_uniform(stream)));
    return radius * cos(6.283185307179586 * berth__pcg_uniform(stream));
}

typedef struct draft {
    berth__arena *arena;
    size_t n_entries;
    size_t *row_start;
    uint32_t *category, *count;
    double *ms, *kbps;
    const char **clients, **categories;
    double *held; /* [categories] samples of all clients */
} draft;

static bool draw_names(const char *prefix, size_t n, berth__arena *arena, const char **names) {
    for (size_t k = 0; names != NULL && k < n; k++) {
        names[k] = berth__arena_printf(arena, "%s%zu", prefix, k);
        if (names[k] == NULL) {
            return false;
        }
    }
    return names != NULL;
}

static bool allocate(const berth_generate_cohort_options *o, draft *d) {
    size_t most = o->clients * (o->per_client < o->categories ? o->per_client : o->categories);
    d->row_start = BERTH__ARENA_ARRAY(d->arena, size_t, o->clients + 1);
    d->category = BERTH__ARENA_ARRAY(d->arena, uint32_t, most);
    d->count = BERTH__ARENA_ARRAY(d->arena, uint32_t, most);
    d->ms = BERTH__ARENA_ARRAY(d->arena, double, o->clients);
    d->kbps = BERTH__ARENA_ARRAY(d->arena, double, o->clients);
    d->clients = BERTH__ARENA_ARRAY(d->arena, const char *, o->clients);
    d->categories = BERTH__ARENA_ARRAY(d->arena, const char *, o->categories);
    d->held = BERTH__ARENA_ARRAY(d->arena, double, o->categories);
    return d->row_start != NULL && d->category != NULL && d->count != NULL && d->ms != NULL && d->kbps != NULL &&
           d->held != NULL && draw_names("client", o->clients, d->arena, d->clients) &&
           draw_names("k", o->categories, d->arena, d->categories);
}

static bool holds(const draft *d, size_t n, uint32_t category) {
    for (size_t e = d->row_start[n]; e < d->n_entries; e++) {
        if (d->category[e] == category) {
            return true;
        }
    }
    return false;
}

static void draw_client(const berth_generate_cohort_options *o, berth__pcg *stream, draft *d, size_t n) {
    int64_t least = o->per_client < 2 ? 1 : 2;
    int64_t wanted = berth__pcg_integer(stream, least, (int64_t)o->per_client);
    d->row_start[n] = d->n_entries;
    for (int64_t k = 0; k < wanted; k++) {
        double u = berth__pcg_uniform(stream);
        uint32_t category = (uint32_t)((double)o->categories * u * sqrt(u));
        double count = floor(o->median_count * exp(count_spread * normal(stream))) + 1;
        if (!holds(d, n, category)) {
            d->category[d->n_entries] = category;
            d->count[d->n_entries++] = (uint32_t)fmin(count, most_count);
            d->held[category] += fmin(count, most_count);
        }
    }
    d->row_start[n + 1] = d->n_entries;
    d->ms[n] = 1000 / (samples_per_s * exp(speed_spread * normal(stream)));
    d->kbps[n] = default_model_kbit / (transfer_s * exp(link_spread * normal(stream)));
}

static berth_status make_request(const berth_generate_cohort_options *o, berth__pcg *stream, const draft *d,
                                 berth_cohort_request **out, berth_error *error) {
    berth__arena *arena = berth__arena_new();
    berth_cohort_request *request = arena != NULL ? BERTH__ARENA_ARRAY(arena, berth_cohort_request, 1) : NULL;
    uint64_t *requests = arena != NULL ? BERTH__ARENA_ARRAY(arena, uint64_t, o->categories) : NULL;
    if (request == NULL || requests == NULL) {
        berth__arena_free(arena);
        return berth__fail_memory(error);
    }
    for (size_t c = 0; c < o->categories; c++) {
        double share = o->request_share * (0.5 + berth__pcg_uniform(stream));
        requests[c] = (uint64_t)fmin(d->held[c], ceil(d->held[c] * share));
    }
    berth_cohort_request_init(request);
    request->requests = requests;
    double budget = ceil((double)o->clients * o->budget_share) + (double)(o->categories < 20 ? o->categories : 20);
    request->budget = budget < (double)o->clients ? (size_t)budget : o->clients;
    request->model_kbit = default_model_kbit;
    request->memory = arena;
    *out = request;
    return BERTH_OK;
}

static berth_status publish(const berth_generate_cohort_options *o, const draft *d, berth_cohort_data **out,
                            berth_error *error) {
    berth_cohort_data view;
    berth_cohort_data_init(&view);
    view.n_clients = o->clients;
    view.n_categories = o->categories;
    view.row_start = d->row_start;
    view.category = d->category;
    view.count = d->count;
    view.ms_per_sample = d->ms;
    view.bandwidth_kbps = d->kbps;
    view.clients = d->clients;
    view.categories = d->categories;
    return berth__cohort_data_adopt(&view, d->arena, out, error);
}

berth_status berth_generate_cohort(const berth_generate_cohort_options *o, berth_cohort_data **out,
                                   berth_cohort_request **request, berth_error *error) {
    berth__error_clear(error);
    if (out != NULL) {
        *out = NULL;
    }
    if (request != NULL) {
        *request = NULL;
    }
    if (o == NULL || out == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "options and out must not be NULL");
    }
    berth_status status = check_options(o, error);
    if (status != BERTH_OK) {
        return status;
    }
    const uint64_t key[] = {o->seed, o->clients, o->categories};
    berth__pcg stream = berth__pcg_key(3, key);
    draft d = {.arena = berth__arena_new()};
    if (d.arena == NULL || !allocate(o, &d)) {
        berth__arena_free(d.arena);
        return berth__fail_memory(error);
    }
    for (size_t n = 0; n < o->clients; n++) {
        draw_client(o, &stream, &d, n);
    }
    status = request != NULL ? make_request(o, &stream, &d, request, error) : BERTH_OK;
    status = status == BERTH_OK ? publish(o, &d, out, error) : status;
    if (status != BERTH_OK) {
        berth__arena_free(d.arena);
        if (request != NULL) {
            berth_cohort_request_free(*request);
            *request = NULL;
        }
    }
    return status;
}
