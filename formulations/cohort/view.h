/* The cohort problem as its algorithms see it: clients that may take part, categories that are asked for.
 *
 *     sum_n x_nc >= p_c,   0 <= x_nc <= d_nc y_n,   sum_c x_nc <= u_n(T) y_n,   sum_n y_n <= B,   x, y integer
 *     u_n(T) = most samples k <= cap with  transfer_n + unit_n k <= T
 *
 * symbol  field
 * p       need
 * d       entries[].count, cut to p: more of a category is of no use
 * T       deadline_s of the functions
 * B       budget
 *
 * Lai et al., OSDI 2021, section 5.2 (their duration program, with the budget as a row). Everything that depends on
 * durations uses berth__cohort_duration, whose rounding is part of the model, so that "within T" is exact.
 *
 * Not here: categories nobody asks for, clients that hold nothing of the others (problem.h drops them). */
#ifndef BERTH_FORMULATIONS_COHORT_VIEW_H
#define BERTH_FORMULATIONS_COHORT_VIEW_H

#include <berth.h>

typedef struct berth__cohort_entry {
    uint32_t category, count;
} berth__cohort_entry;

typedef struct berth__cohort_client {
    double unit_s, per_unit; /* seconds a sample; its inverse, 0 if unit_s is 0 */
    double transfer_s;
    size_t first;   /* of its entries */
    uint32_t total; /* of its counts */
    uint32_t id;    /* in whatever the view was made of */
} berth__cohort_client;

typedef struct berth__cohort_view {
    size_t n_clients, n_categories;
    berth__cohort_client *clients; /* [n_clients + 1]: the last one's first ends the entries */
    berth__cohort_entry *entries;  /* in an order of their own within a client: passes sort them by falling price */
    const double *need;            /* [n_categories] whole and > 0 (of samples: any >= 0), borrowed */
    uint32_t cap;                  /* most samples of a client */
} berth__cohort_view;

/* Room for clients and entries; false: out of memory. Free in any case. */
bool berth__cohort_view_init(berth__cohort_view *view, size_t n_clients, size_t n_entries);
void berth__cohort_view_free(berth__cohort_view *view);
/* The clients listed, with their positions in `of` as ids. False: out of memory. */
bool berth__cohort_view_of(const berth__cohort_view *of, const uint32_t *clients, size_t n, berth__cohort_view *out);

static inline size_t berth__cohort_n_entries(const berth__cohort_view *view, size_t client) {
    return view->clients[client + 1].first - view->clients[client].first;
}

static inline double berth__cohort_duration(const berth__cohort_client *client, uint32_t samples) {
    return client->transfer_s + client->unit_s * (double)samples;
}

/* u_n(T), exact. */
static inline uint32_t berth__cohort_room(const berth__cohort_client *client, uint32_t cap, double deadline_s) {
    uint32_t most = client->total < cap ? client->total : cap;
    double left = deadline_s - client->transfer_s;
    if (!(left >= 0)) {
        return 0;
    }
    double fit = client->per_unit > 0 ? left * client->per_unit : (double)most;
    uint32_t k = fit < (double)most ? (uint32_t)fit : most;
    while (k > 0 && berth__cohort_duration(client, k) > deadline_s) {
        k--;
    }
    while (k < most && berth__cohort_duration(client, k + 1) <= deadline_s) {
        k++;
    }
    return k;
}

/* The least duration above deadline_s that a client of the view can have; INFINITY: none. */
double berth__cohort_next_duration(const berth__cohort_view *view, double deadline_s);
/* The largest duration of any client that does all it can; 0 without clients. */
double berth__cohort_longest_duration(const berth__cohort_view *view);

#endif
