#include "formulations/cohort/worth.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

/* Buckets of values by exponent and the first bits behind it. */
enum { BUCKET_BITS = 6, MOST_EXPONENT = 54, BUCKETS = MOST_EXPONENT << BUCKET_BITS, FEW = 512 };

bool berth__cohort_space_init(berth__cohort_space *space, size_t n_clients, size_t n_categories) {
    *space = (berth__cohort_space){.value = BERTH__NEW_ARRAY(double, n_clients),
                                   .scratch = BERTH__NEW_ARRAY(double, n_clients),
                                   .price = BERTH__NEW_ARRAY(double, n_categories),
                                   .cover = BERTH__NEW_ARRAY(double, n_categories),
                                   .bucket_sum = BERTH__NEW_ARRAY(double, BUCKETS),
                                   .bucket_count = BERTH__NEW_ARRAY(uint32_t, BUCKETS)};
    return space->value != NULL && space->scratch != NULL && space->price != NULL && space->cover != NULL &&
           space->bucket_sum != NULL && space->bucket_count != NULL;
}

void berth__cohort_space_free(berth__cohort_space *space) {
    berth__free(space->value);
    berth__free(space->scratch);
    berth__free(space->price);
    berth__free(space->cover);
    berth__free(space->bucket_sum);
    berth__free(space->bucket_count);
    *space = (berth__cohort_space){0};
}

void berth__cohort_prices(const berth__cohort_view *view, const double *share, double *price) {
    double sum = 0;
    for (size_t c = 0; c < view->n_categories; c++) {
        sum += share[c];
    }
    for (size_t c = 0; c < view->n_categories; c++) {
        /* a hair below, so that rounding in the sum of shares cannot lift the worth above 2^52 */
        double part = share[c] / sum * (BERTH__COHORT_PRICE_SUM * (1 - 1e-9));
        price[c] = view->need[c] > 0 ? floor(part / view->need[c]) : 0;
    }
}

double berth__cohort_worth(const berth__cohort_view *view, const double *price) {
    double worth = 0;
    for (size_t c = 0; c < view->n_categories; c++) {
        worth += price[c] * view->need[c];
    }
    return worth;
}

/* Ties by category, so that the order does not depend on how it came about. */
static inline bool before(berth__cohort_entry a, berth__cohort_entry b, const double *price) {
    double p = price[a.category], q = price[b.category];
    return p > q || (p >= q && a.category < b.category);
}

static void heap_sort(berth__cohort_entry *entry, size_t n, const double *price) {
    for (size_t start = n / 2, end = n; end > 1;) {
        if (start > 0) {
            start--;
        } else {
            berth__cohort_entry last = entry[--end];
            entry[end] = entry[0];
            entry[0] = last;
        }
        berth__cohort_entry moved = entry[start];
        size_t i = start;
        for (size_t child; (child = 2 * i + 1) < end; i = child) {
            child += child + 1 < end && before(entry[child], entry[child + 1], price);
            if (!before(moved, entry[child], price)) {
                break;
            }
            entry[i] = entry[child];
        }
        entry[i] = moved;
    }
}

/* By falling price; nearly sorted already as a rule, since prices change little from pass to pass. */
static inline void sort_entries(berth__cohort_entry *entry, size_t n, const double *price) {
    enum { PATIENCE = 8 };
    size_t moves = 0;
    for (size_t i = 1; i < n; i++) {
        berth__cohort_entry moved = entry[i];
        size_t j = i;
        for (; j > 0 && before(moved, entry[j - 1], price); j--) {
            entry[j] = entry[j - 1];
        }
        entry[j] = moved;
        moves += i - j;
        if (moves > PATIENCE * n) {
            heap_sort(entry, n, price);
            return;
        }
    }
}

void berth__cohort_sort_entries(const berth__cohort_view *view, size_t client, const double *price) {
    const berth__cohort_client *c = &view->clients[client];
    sort_entries(view->entries + c->first, c[1].first - c->first, price);
}

static inline double value_of(berth__cohort_entry *entry, size_t n, uint32_t room, uint32_t total,
                              const double *price) {
    double value = 0;
    if (room >= total) {
        for (size_t i = 0; i < n; i++) {
            value += price[entry[i].category] * (double)entry[i].count;
        }
        return value;
    }
    if (room == 0) {
        return 0;
    }
    sort_entries(entry, n, price);
    for (size_t i = 0; room > 0; i++) {
        uint32_t take = entry[i].count < room ? entry[i].count : room;
        value += price[entry[i].category] * (double)take;
        room -= take;
    }
    return value;
}

void berth__cohort_values(const berth__cohort_view *view, const double *price, double deadline_s, double *value) {
    for (size_t n = 0; n < view->n_clients; n++) {
        const berth__cohort_client *client = &view->clients[n];
        uint32_t room = berth__cohort_room(client, view->cap, deadline_s);
        value[n] = value_of(view->entries + client->first, client[1].first - client->first, room, client->total, price);
    }
}

void berth__cohort_add_cover(const berth__cohort_view *view, size_t client, double deadline_s, double weight,
                             double *cover) {
    const berth__cohort_client *c = &view->clients[client];
    uint32_t room = berth__cohort_room(c, view->cap, deadline_s);
    for (size_t i = c->first; room > 0 && i < c[1].first; i++) {
        uint32_t take = view->entries[i].count < room ? view->entries[i].count : room;
        cover[view->entries[i].category] += weight * (double)take;
        room -= take;
    }
}

/* ---- the largest values ---- */

static void swap(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

/* Puts the k largest of n first, in any order: Hoare's selection, the middle of three as pivot. */
static void select_largest(double *value, size_t n, size_t k) {
    size_t low = 0, high = n;
    while (high - low > 1 && k > low && k < high) {
        double a = value[low], b = value[low + (high - low) / 2], c = value[high - 1];
        double pivot = fmax(fmin(a, b), fmin(fmax(a, b), c));
        size_t above = low, i = low, equal_end = high;
        while (i < equal_end) { /* above, equal, below */
            if (value[i] > pivot) {
                swap(&value[i++], &value[above++]);
            } else if (value[i] < pivot) {
                swap(&value[i], &value[--equal_end]);
            } else {
                i++;
            }
        }
        if (k < above) {
            high = above;
        } else if (k > equal_end) {
            low = equal_end;
        } else {
            return;
        }
    }
}

/* Falling; heap sort. */
static void sort_falling(double *value, size_t n) {
    for (size_t start = n / 2, end = n; end > 1;) {
        if (start > 0) {
            start--;
        } else {
            swap(&value[0], &value[--end]);
        }
        for (size_t i = start, child; (child = 2 * i + 1) < end; i = child) {
            child += child + 1 < end && value[child + 1] < value[child];
            if (value[i] <= value[child]) {
                break;
            }
            swap(&value[i], &value[child]);
        }
    }
}

/* Goes on with the m values in scratch, of which at most `most - top->count` are to be taken. */
static void take_some(berth__cohort_top *top, double *scratch, size_t m, size_t most, double target) {
    size_t k = most - top->count < m ? most - top->count : m;
    double sum = top->sum, least = top->threshold;
    select_largest(scratch, m, k);
    for (size_t i = 0; i < k; i++) {
        sum += scratch[i];
        least = i == 0 || scratch[i] < least ? scratch[i] : least;
    }
    if (sum < target) {
        top->count += k;
        top->sum = sum;
        top->threshold = least;
        return;
    }
    sort_falling(scratch, k);
    for (size_t i = 0; i < k && top->sum < target; i++) {
        top->sum += scratch[i];
        top->threshold = scratch[i];
        top->count++;
    }
    top->reached = top->sum >= target;
}

static size_t bucket_of(double value) {
    uint64_t bits;
    if (value < 1) {
        return 0;
    }
    memcpy(&bits, &value, sizeof bits);
    size_t bucket = (size_t)((bits >> (52 - BUCKET_BITS)) - ((uint64_t)1023 << BUCKET_BITS));
    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

static size_t gather(const double *value, size_t n, size_t bucket, double *scratch) {
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        if (value[i] > 0 && (bucket == BUCKETS || bucket_of(value[i]) == bucket)) {
            scratch[m++] = value[i];
        }
    }
    return m;
}

berth__cohort_top berth__cohort_top_values(const double *value, size_t n, size_t most, double target,
                                           berth__cohort_space *space) {
    berth__cohort_top top = {.reached = target <= 0};
    if (n <= FEW) {
        size_t m = gather(value, n, BUCKETS, space->scratch);
        take_some(&top, space->scratch, m, most, target);
        return top;
    }
    memset(space->bucket_count, 0, BUCKETS * sizeof *space->bucket_count);
    memset(space->bucket_sum, 0, BUCKETS * sizeof *space->bucket_sum);
    for (size_t i = 0; i < n; i++) {
        if (value[i] > 0) {
            size_t b = bucket_of(value[i]);
            space->bucket_count[b]++;
            space->bucket_sum[b] += value[i];
        }
    }
    size_t b = BUCKETS;
    while (b > 0 && top.count + space->bucket_count[b - 1] < most && top.sum + space->bucket_sum[b - 1] < target) {
        b--;
        top.count += space->bucket_count[b];
        top.sum += space->bucket_sum[b];
    }
    size_t m = b > 0 ? gather(value, n, b - 1, space->scratch) : 0;
    if (b > 0 || top.count == 0) {
        take_some(&top, space->scratch, m, most, target);
    } else { /* all were taken */
        for (size_t i = 0; i < n; i++) {
            top.threshold = value[i] > 0 && (top.threshold <= 0 || value[i] < top.threshold) ? value[i] : top.threshold;
        }
    }
    return top;
}

/* ---- the bound ---- */

bool berth__cohort_refutes(const berth__cohort_view *view, const double *price, double deadline_s, size_t budget,
                           berth__cohort_space *space) {
    double worth = berth__cohort_worth(view, price);
    berth__cohort_values(view, price, deadline_s, space->value);
    return !berth__cohort_top_values(space->value, view->n_clients, budget, worth, space).reached;
}

double berth__cohort_root(const berth__cohort_view *view, const double *price, size_t budget, double from_s, int passes,
                          berth__cohort_space *space, double *refuted_s) {
    double low = from_s, high = (double)INFINITY, step = 0.01;
    *refuted_s = -1;
    if (passes-- <= 0 || !berth__cohort_refutes(view, price, low, budget, space)) {
        return berth__cohort_next_duration(view, -1);
    }
    double next = berth__cohort_next_duration(view, low);
    while (passes-- > 0 && next < high) {
        double middle = isfinite(high) ? 0.5 * (low + high) : fmax(next, low * (1 + step));
        middle = middle < next ? next : middle; /* nothing changes before */
        if (berth__cohort_refutes(view, price, middle, budget, space)) {
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
