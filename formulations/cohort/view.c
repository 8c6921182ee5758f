#include "formulations/cohort/view.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

bool berth__cohort_view_init(berth__cohort_view *view, size_t n_clients, size_t n_entries) {
    view->n_clients = n_clients;
    view->clients = BERTH__NEW_ARRAY(berth__cohort_client, n_clients + 1);
    view->entries = BERTH__NEW_ARRAY(berth__cohort_entry, n_entries);
    return view->clients != NULL && view->entries != NULL;
}

void berth__cohort_view_free(berth__cohort_view *view) {
    berth__free(view->clients);
    berth__free(view->entries);
    *view = (berth__cohort_view){0};
}

bool berth__cohort_view_of(const berth__cohort_view *of, const uint32_t *clients, size_t n, berth__cohort_view *out) {
    size_t n_entries = 0;
    for (size_t k = 0; k < n; k++) {
        n_entries += berth__cohort_n_entries(of, clients[k]);
    }
    *out = (berth__cohort_view){.n_categories = of->n_categories, .need = of->need, .cap = of->cap};
    if (!berth__cohort_view_init(out, n, n_entries)) {
        berth__cohort_view_free(out);
        return false;
    }
    size_t at = 0;
    for (size_t k = 0; k < n; k++) {
        size_t length = berth__cohort_n_entries(of, clients[k]);
        out->clients[k] = of->clients[clients[k]];
        out->clients[k].first = at;
        out->clients[k].id = clients[k];
        memcpy(out->entries + at, of->entries + of->clients[clients[k]].first, length * sizeof *out->entries);
        at += length;
    }
    out->clients[n].first = at;
    return true;
}

double berth__cohort_next_duration(const berth__cohort_view *view, double deadline_s) {
    double next = (double)INFINITY;
    for (size_t n = 0; n < view->n_clients; n++) {
        const berth__cohort_client *client = &view->clients[n];
        uint32_t most = client->total < view->cap ? client->total : view->cap;
        uint32_t k = berth__cohort_room(client, view->cap, deadline_s);
        if (k < most) {
            next = fmin(next, berth__cohort_duration(client, k + 1));
        }
    }
    return next;
}

double berth__cohort_longest_duration(const berth__cohort_view *view) {
    double longest = 0;
    for (size_t n = 0; n < view->n_clients; n++) {
        const berth__cohort_client *client = &view->clients[n];
        uint32_t most = client->total < view->cap ? client->total : view->cap;
        longest = fmax(longest, berth__cohort_duration(client, most));
    }
    return longest;
}
