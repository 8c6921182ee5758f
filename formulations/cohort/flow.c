#include "formulations/cohort/flow.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

enum { UNREACHED = -1 };

bool berth__cohort_flow_open(const berth__cohort_view *view, berth__cohort_flow *flow) {
    size_t n = view->n_clients, m = view->n_categories, entries = view->clients[n].first;
    *flow = (berth__cohort_flow){.view = view,
                                 .given = BERTH__NEW_ARRAY(uint32_t, entries),
                                 .left = BERTH__NEW_ARRAY(uint32_t, n),
                                 .held = BERTH__NEW_ARRAY(uint32_t, n),
                                 .lacking = BERTH__NEW_ARRAY(double, m),
                                 .in_cut = BERTH__NEW_ARRAY(bool, m),
                                 .holder_start = BERTH__NEW_ARRAY(size_t, m + 2),
                                 .holder = BERTH__NEW_ARRAY(size_t, entries),
                                 .client_of = BERTH__NEW_ARRAY(uint32_t, entries),
                                 .category_level = BERTH__NEW_ARRAY(int, m),
                                 .client_level = BERTH__NEW_ARRAY(int, n),
                                 .category_arc = BERTH__NEW_ARRAY(size_t, m),
                                 .client_arc = BERTH__NEW_ARRAY(size_t, n),
                                 .queue = BERTH__NEW_ARRAY(uint32_t, n + m),
                                 .order = BERTH__NEW_ARRAY(size_t, m)};
    if (flow->given == NULL || flow->left == NULL || flow->held == NULL || flow->lacking == NULL ||
        flow->in_cut == NULL || flow->holder_start == NULL || flow->holder == NULL || flow->client_of == NULL ||
        flow->category_level == NULL || flow->client_level == NULL || flow->category_arc == NULL ||
        flow->client_arc == NULL || flow->queue == NULL || flow->order == NULL) {
        return false;
    }
    for (size_t e = 0; e < entries; e++) {
        flow->holder_start[view->entries[e].category + 2]++;
    }
    for (size_t c = 0; c < m; c++) {
        flow->holder_start[c + 2] += flow->holder_start[c + 1];
    }
    for (size_t k = 0; k < n; k++) {
        for (size_t e = view->clients[k].first; e < view->clients[k + 1].first; e++) {
            flow->holder[flow->holder_start[view->entries[e].category + 1]++] = e;
            flow->client_of[e] = (uint32_t)k;
        }
    }
    return true;
}

void berth__cohort_flow_close(berth__cohort_flow *flow) {
    void *blocks[] = {flow->given,        flow->left,       flow->held,      flow->lacking,        flow->in_cut,
                      flow->holder_start, flow->holder,     flow->client_of, flow->category_level, flow->client_level,
                      flow->category_arc, flow->client_arc, flow->queue,     flow->order};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        berth__free(blocks[k]);
    }
    *flow = (berth__cohort_flow){0};
}

/* Categories by how much of what clients could give of them is needed: the scarcest first. */
static void order_categories(berth__cohort_flow *flow) {
    const berth__cohort_view *view = flow->view;
    for (size_t c = 0; c < view->n_categories; c++) {
        double supply = 0;
        for (size_t h = flow->holder_start[c]; h < flow->holder_start[c + 1]; h++) {
            size_t e = flow->holder[h];
            uint32_t room = flow->left[flow->client_of[e]];
            supply += view->entries[e].count < room ? view->entries[e].count : room;
        }
        flow->lacking[c] = supply > 0 ? view->need[c] / supply : (double)INFINITY;
        size_t at = c;
        for (; at > 0 && flow->lacking[flow->order[at - 1]] < flow->lacking[c]; at--) {
            flow->order[at] = flow->order[at - 1];
        }
        flow->order[at] = c;
    }
}

static void begin_greedily(berth__cohort_flow *flow, double deadline_s) {
    const berth__cohort_view *view = flow->view;
    memset(flow->given, 0, view->clients[view->n_clients].first * sizeof *flow->given);
    for (size_t n = 0; n < view->n_clients; n++) {
        flow->left[n] = berth__cohort_room(&view->clients[n], view->cap, deadline_s);
    }
    order_categories(flow);
    for (size_t k = 0; k < view->n_categories; k++) {
        size_t c = flow->order[k];
        double lacking = view->need[c];
        for (size_t h = flow->holder_start[c]; h < flow->holder_start[c + 1] && lacking > 0; h++) {
            size_t e = flow->holder[h];
            uint32_t *left = &flow->left[flow->client_of[e]];
            uint32_t take = view->entries[e].count < *left ? view->entries[e].count : *left;
            take = (double)take < lacking ? take : (uint32_t)lacking;
            flow->given[e] = take;
            *left -= take;
            lacking -= take;
        }
        flow->lacking[c] = lacking;
    }
}

/* Levels of categories (even) and clients (odd) in the residual network; true if a client with room is reached. */
static bool set_levels(berth__cohort_flow *flow) {
    const berth__cohort_view *view = flow->view;
    const size_t m = view->n_categories;
    size_t head = 0, tail = 0;
    bool found = false;
    for (size_t n = 0; n < view->n_clients; n++) {
        flow->client_level[n] = UNREACHED;
    }
    for (size_t c = 0; c < m; c++) {
        flow->category_level[c] = flow->lacking[c] > 0 ? 0 : UNREACHED;
        if (flow->lacking[c] > 0) {
            flow->queue[tail++] = (uint32_t)c;
        }
    }
    while (head < tail) { /* all of it: what is reached if no client is found is the cut */
        uint32_t node = flow->queue[head++];
        if (node < m) {
            for (size_t h = flow->holder_start[node]; h < flow->holder_start[node + 1]; h++) {
                size_t e = flow->holder[h];
                uint32_t n = flow->client_of[e];
                if (flow->given[e] < view->entries[e].count && flow->client_level[n] == UNREACHED) {
                    flow->client_level[n] = flow->category_level[node] + 1;
                    found = found || flow->left[n] > 0;
                    flow->queue[tail++] = (uint32_t)(m + n);
                }
            }
        } else if (!found) { /* the shortest paths end here */
            size_t n = node - m;
            for (size_t e = view->clients[n].first; e < view->clients[n + 1].first; e++) {
                uint32_t c = view->entries[e].category;
                if (flow->given[e] > 0 && flow->category_level[c] == UNREACHED) {
                    flow->category_level[c] = flow->client_level[n] + 1;
                    flow->queue[tail++] = c;
                }
            }
        }
    }
    return found;
}

/* Pushes up to `most` samples of category c along increasing levels; returns how many went through. */
static uint32_t push(berth__cohort_flow *flow, uint32_t c, uint32_t most) {
    const berth__cohort_view *view = flow->view;
    for (size_t *h = &flow->category_arc[c]; *h < flow->holder_start[c + 1]; (*h)++) {
        size_t e = flow->holder[*h];
        uint32_t n = flow->client_of[e];
        uint32_t room = view->entries[e].count - flow->given[e];
        if (room == 0 || flow->client_level[n] != flow->category_level[c] + 1) {
            continue;
        }
        room = room < most ? room : most;
        uint32_t sent = flow->left[n] < room ? flow->left[n] : room;
        if (sent > 0) {
            flow->left[n] -= sent;
            flow->given[e] += sent;
            return sent;
        }
        for (size_t *back = &flow->client_arc[n]; *back < view->clients[n + 1].first; (*back)++) {
            size_t other = *back;
            uint32_t d = view->entries[other].category;
            if (flow->given[other] == 0 || flow->category_level[d] != flow->client_level[n] + 1) {
                continue;
            }
            uint32_t part = flow->given[other] < room ? flow->given[other] : room;
            sent = push(flow, d, part);
            if (sent > 0) {
                flow->given[other] -= sent;
                flow->given[e] += sent;
                return sent;
            }
        }
    }
    return 0;
}

double berth__cohort_flow_solve(berth__cohort_flow *flow, double deadline_s) {
    const berth__cohort_view *view = flow->view;
    begin_greedily(flow, deadline_s);
    double lacking = 0;
    for (;;) {
        lacking = 0;
        for (size_t c = 0; c < view->n_categories; c++) {
            lacking += flow->lacking[c];
        }
        if (lacking <= 0 || !set_levels(flow)) {
            break;
        }
        for (size_t c = 0; c < view->n_categories; c++) {
            flow->category_arc[c] = flow->holder_start[c];
        }
        for (size_t n = 0; n < view->n_clients; n++) {
            flow->client_arc[n] = view->clients[n].first;
        }
        for (uint32_t c = 0; c < view->n_categories; c++) {
            uint32_t sent = 1;
            while (flow->lacking[c] > 0 && sent > 0) {
                double most = fmin(flow->lacking[c], (double)UINT32_MAX);
                sent = push(flow, c, (uint32_t)most);
                flow->lacking[c] -= sent;
            }
        }
    }
    for (size_t c = 0; lacking > 0 && c < view->n_categories; c++) {
        flow->in_cut[c] = flow->category_level[c] != UNREACHED;
    }
    return lacking;
}

/* ---- the fastest ---- */

/* Do all clients' rooms for the categories of the cut fall short of `need` within the deadline? */
static bool cut_refutes(const berth__cohort_flow *flow, double need, double deadline_s) {
    const berth__cohort_view *view = flow->view;
    double room = 0;
    for (size_t n = 0; n < view->n_clients && room < need; n++) {
        uint32_t most = berth__cohort_room(&view->clients[n], view->cap, deadline_s);
        room += most < flow->held[n] ? most : flow->held[n];
    }
    return room < need;
}

/* The least duration of any client, above `low`, at which the cut does not refute; *refuted_s: the last that it does.
 */
static double cut_root(berth__cohort_flow *flow, double low, double *refuted_s) {
    const berth__cohort_view *view = flow->view;
    double need = 0, high = (double)INFINITY, step = 0.01;
    for (size_t c = 0; c < view->n_categories; c++) {
        need += flow->in_cut[c] ? view->need[c] : 0;
    }
    for (size_t n = 0; n < view->n_clients; n++) {
        flow->held[n] = 0;
        for (size_t e = view->clients[n].first; e < view->clients[n + 1].first; e++) {
            flow->held[n] += flow->in_cut[view->entries[e].category] ? view->entries[e].count : 0;
        }
    }
    double next = berth__cohort_next_duration(view, low);
    while (next < high) {
        double middle = isfinite(high) ? 0.5 * (low + high) : low * (1 + step);
        middle = middle < next ? next : middle; /* nothing changes before */
        if (cut_refutes(flow, need, middle)) {
            low = middle;
            next = berth__cohort_next_duration(view, low);
            step *= 4;
        } else {
            high = middle;
        }
    }
    *refuted_s = low;
    return next;
}

double berth__cohort_flow_fastest(berth__cohort_flow *flow, double from_s, const berth__budget *budget,
                                  double *refuted_s) {
    double deadline = from_s;
    *refuted_s = -1;
    while (!berth__budget_spent(budget)) {
        if (!isfinite(deadline) || berth__cohort_flow_solve(flow, deadline) <= 0) {
            return deadline;
        }
        deadline = cut_root(flow, deadline, refuted_s);
    }
    return (double)NAN;
}
