#include "formulations/cohort/greedy.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

/* Categories that come for nothing with the others, by the prices, still have to be chosen for in the end. */
static const double least_share = 1e-6;
/* Prices are adjusted so often while a cohort is chosen. */
enum { ADJUSTMENTS = 12 };

typedef struct berth__cohort_candidate {
    double value;
    uint32_t client;
} candidate;

bool berth__cohort_greedy_open(const berth__cohort_view *view, berth__cohort_space *space, int iterations,
                               berth__cohort_greedy *greedy) {
    *greedy = (berth__cohort_greedy){.view = view,
                                     .space = space,
                                     .iterations = iterations,
                                     .rate = 0.3,
                                     .heap = BERTH__NEW_ARRAY(candidate, view->n_clients),
                                     .lacking = BERTH__NEW_ARRAY(double, view->n_categories),
                                     .price = BERTH__NEW_ARRAY(double, view->n_categories),
                                     .taken = BERTH__NEW_ARRAY(bool, view->n_clients),
                                     .chosen = BERTH__NEW_ARRAY(uint32_t, view->n_clients)};
    return greedy->heap != NULL && greedy->lacking != NULL && greedy->price != NULL && greedy->taken != NULL &&
           greedy->chosen != NULL;
}

void berth__cohort_greedy_close(berth__cohort_greedy *greedy) {
    berth__free(greedy->heap);
    berth__free(greedy->lacking);
    berth__free(greedy->price);
    berth__free(greedy->taken);
    berth__free(greedy->chosen);
    *greedy = (berth__cohort_greedy){0};
}

/* Ties by number, so that the order is one of the clients' alone. */
static bool before(const candidate *a, const candidate *b) {
    return a->value > b->value || (a->value >= b->value && a->client < b->client);
}

static void sift_down(candidate *heap, size_t n, size_t i) {
    candidate moved = heap[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && before(&heap[child + 1], &heap[child]);
        if (!before(&heap[child], &moved)) {
            break;
        }
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

/* What client n, whose entries are sorted, is worth of what is lacking; takes it if `take`. */
static double gain(berth__cohort_greedy *greedy, uint32_t n, double deadline_s, bool take) {
    const berth__cohort_view *view = greedy->view;
    const berth__cohort_client *client = &view->clients[n];
    uint32_t room = berth__cohort_room(client, view->cap, deadline_s);
    double value = 0;
    for (size_t i = client->first; i < client[1].first && room > 0; i++) {
        const berth__cohort_entry *entry = &view->entries[i];
        double *lacking = &greedy->lacking[entry->category];
        uint32_t amount = entry->count < room ? entry->count : room;
        amount = (double)amount < *lacking ? amount : (uint32_t)*lacking;
        value += greedy->price[entry->category] * (double)amount;
        room -= amount;
        if (take) {
            *lacking -= amount;
        }
    }
    return value;
}

/* Worth of all needs together: large, as the selection of the largest values is made for whole numbers. */
static const double worth = 0x1p50;

static void set_prices(berth__cohort_greedy *greedy, const double *share) {
    for (size_t c = 0; c < greedy->view->n_categories; c++) {
        greedy->price[c] = (share[c] + least_share) / greedy->view->need[c] * worth;
    }
}

/* What the best `left` clients would give of what is lacking, at the prices. */
static void cover_lacking(berth__cohort_greedy *greedy, double deadline_s, size_t left, double *cover) {
    const berth__cohort_view *view = greedy->view;
    double *value = greedy->space->value;
    for (uint32_t n = 0; n < view->n_clients; n++) {
        value[n] = 0;
        if (!greedy->taken[n]) {
            berth__cohort_sort_entries(view, n, greedy->price);
            value[n] = gain(greedy, n, deadline_s, false);
        }
    }
    berth__cohort_top top = berth__cohort_top_values(value, view->n_clients, left, (double)INFINITY, greedy->space);
    memset(cover, 0, view->n_categories * sizeof *cover);
    size_t counted = 0;
    for (size_t n = 0; n < view->n_clients && counted < left; n++) {
        if (value[n] > 0 && value[n] >= top.threshold) {
            counted++;
            const berth__cohort_client *client = &view->clients[n];
            uint32_t room = berth__cohort_room(client, view->cap, deadline_s);
            for (size_t i = client->first; i < client[1].first && room > 0; i++) {
                uint32_t amount = view->entries[i].count < room ? view->entries[i].count : room;
                double lacking = greedy->lacking[view->entries[i].category];
                amount = (double)amount < lacking ? amount : (uint32_t)lacking;
                cover[view->entries[i].category] += amount;
                room -= amount;
            }
        }
    }
}

/* Prices for what is lacking, by some more of the iterations of learn.h on that problem. */
static void learn_prices(berth__cohort_greedy *greedy, double deadline_s, size_t left) {
    double *cover = greedy->space->cover;
    for (int k = 0; k < greedy->iterations; k++) {
        double largest = 1;
        cover_lacking(greedy, deadline_s, left, cover);
        for (size_t c = 0; c < greedy->view->n_categories; c++) {
            cover[c] = greedy->lacking[c] > 0 ? 1 - cover[c] / greedy->lacking[c] : 0;
            largest = fmax(largest, fabs(cover[c]));
        }
        for (size_t c = 0; c < greedy->view->n_categories; c++) {
            greedy->price[c] *= exp(greedy->rate * cover[c] / largest);
        }
    }
}

static size_t fill_heap(berth__cohort_greedy *greedy, double deadline_s) {
    size_t m = 0;
    for (uint32_t n = 0; n < greedy->view->n_clients; n++) {
        if (greedy->taken[n]) {
            continue;
        }
        berth__cohort_sort_entries(greedy->view, n, greedy->price);
        double value = gain(greedy, n, deadline_s, false);
        if (value > 0) {
            greedy->heap[m++] = (candidate){value, n};
        }
    }
    for (size_t i = m / 2; i-- > 0;) {
        sift_down(greedy->heap, m, i);
    }
    return m;
}

static bool is_lacking(const berth__cohort_greedy *greedy) {
    for (size_t c = 0; c < greedy->view->n_categories; c++) {
        if (greedy->lacking[c] > 0) {
            return true;
        }
    }
    return false;
}

/* The next client; false: none is worth anything. */
static bool choose_one(berth__cohort_greedy *greedy, size_t *m, double deadline_s) {
    candidate *heap = greedy->heap;
    while (*m > 0) {
        double value = gain(greedy, heap[0].client, deadline_s, false);
        double second = *m > 1 ? heap[1].value : 0;
        second = *m > 2 ? fmax(second, heap[2].value) : second;
        bool best = value > 0 && value >= second;
        if (best) {
            uint32_t n = heap[0].client;
            gain(greedy, n, deadline_s, true);
            greedy->taken[n] = true;
            greedy->chosen[greedy->n_chosen++] = n;
        }
        if (best || value <= 0) {
            heap[0] = heap[--*m];
        } else {
            heap[0].value = value;
        }
        if (*m > 0) {
            sift_down(heap, *m, 0);
        }
        if (best) {
            return true;
        }
    }
    return false;
}

bool berth__cohort_greedy_choose(berth__cohort_greedy *greedy, const double *share, double deadline_s, size_t budget,
                                 size_t expected, size_t n_kept) {
    const berth__cohort_view *view = greedy->view;
    memset(greedy->taken, 0, view->n_clients * sizeof *greedy->taken);
    memcpy(greedy->lacking, view->need, view->n_categories * sizeof *view->need);
    set_prices(greedy, share);
    greedy->n_chosen = 0;
    for (size_t k = 0; k < n_kept; k++) {
        greedy->taken[greedy->chosen[k]] = true;
        berth__cohort_sort_entries(view, greedy->chosen[k], greedy->price);
        gain(greedy, greedy->chosen[k], deadline_s, true);
        greedy->n_chosen++;
    }
    size_t period = expected / ADJUSTMENTS + 1, adjust_at = 0, m = 0;
    while (is_lacking(greedy)) {
        if (greedy->n_chosen >= budget) {
            return false;
        }
        if (greedy->n_chosen >= adjust_at) {
            if (greedy->n_chosen > 0) {
                size_t left = expected > greedy->n_chosen ? expected - greedy->n_chosen : 1;
                learn_prices(greedy, deadline_s, left);
            }
            m = fill_heap(greedy, deadline_s);
            adjust_at = greedy->iterations > 0 ? greedy->n_chosen + period : SIZE_MAX;
        }
        if (!choose_one(greedy, &m, deadline_s)) {
            return false;
        }
    }
    return true;
}
