#include "formulations/internal_curve.h"

#include "base/sort.h"
#include "formulations/lanes.h"

#include <math.h>

/* ---- room ---- */

void berth__internal_rooms(int n, const double *free, size_t machine_stride, size_t resource_stride,
                           const berth__job *job, int n_resources, int limit, int *room) {
    berth__lane_rooms question = {.n_resources = n_resources,
                                  .limit = limit,
                                  .free = free,
                                  .machine_stride = machine_stride,
                                  .resource_stride = resource_stride,
                                  .worker = job->worker,
                                  .ps = job->ps,
                                  .workers_per_ps = job->workers_per_ps};
    for (int r = 0; r < n_resources; r++) {
        double demand = job->worker[r] + job->ps[r] / job->workers_per_ps;
        question.per_unit[r] = demand > 0.0 ? fmin(1.0 / demand, 1e300) : (double)INFINITY;
    }
#if BERTH__LANES_AVX2
    if (berth__lanes_have_avx2()) {
        berth__lanes_rooms_avx2(&question, n, room);
        return;
    }
#endif
    berth__lanes_rooms_plain(&question, n, room);
}

int berth__internal_room(const double *free, size_t stride, const berth__job *job, int n_resources, int limit) {
    int room;
    berth__internal_rooms(1, free, 0, stride, job, n_resources, limit, &room);
    return room;
}

/* ---- curve ---- */

/* A group's cost over W is linear in S / W, so two groups cross at most once in the order of that ratio: a tree over
 * the positions in that order, whose nodes hold the best group at their own position among those that passed by, leads
 * every group only to the side where it can still win (Li Chao tree). Groups enter by falling room. */
typedef struct curve {
    const double *price_worker, *price_ps;
    const int *servers;
    int n;
    int *order;    /* [n] W - 1 by S / W */
    int *position; /* [n] of W - 1 in it */
    int *node;     /* [n] group at the position, -1: none */
    int *first;    /* [n + 1] first group by room, -1: none */
    int *next;     /* [n_groups] of the same room, by index */
} curve;

static double cost_of(const curve *c, int group, int at) {
    double servers = c->servers[at];
    return (at + 1) * c->price_worker[group] + (servers > 0.0 ? servers * c->price_ps[group] : 0.0);
}

static bool better(const curve *c, int group, int than, int at) {
    double cost = cost_of(c, group, at), other = cost_of(c, than, at);
    return cost < other || (cost == other && group < than && c->price_worker[group] <= c->price_worker[than] &&
                            c->price_ps[group] <= c->price_ps[than]);
}

static void enter(curve *c, int group) {
    int low = 0, high = c->n;
    while (low < high) {
        int middle = low + (high - low) / 2, *node = &c->node[middle];
        if (*node < 0) {
            *node = group;
            return;
        }
        if (better(c, group, *node, c->order[middle])) {
            int beaten = *node;
            *node = group;
            group = beaten;
        }
        double price = c->price_ps[group], winner = c->price_ps[*node];
        if (price >= winner && c->price_worker[group] >= c->price_worker[*node]) {
            return;
        }
        if (price < winner) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
}

static int least_at(const curve *c, int at) {
    int low = 0, high = c->n, position = c->position[at], best = -1;
    while (low < high) {
        int middle = low + (high - low) / 2, group = c->node[middle];
        if (group >= 0 && (best < 0 || better(c, group, best, at))) {
            best = group;
        }
        if (middle == position) {
            break;
        }
        if (position > middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return best;
}

typedef struct ranked {
    double ratio;
    int at;
} ranked;

static int by_ratio(const void *left, const void *right) {
    const ranked *a = left, *b = right;
    if (a->ratio != b->ratio) {
        return a->ratio < b->ratio ? -1 : 1;
    }
    return (a->at > b->at) - (a->at < b->at);
}

/* counts: [2 n] scratch. */
static void rank(curve *c, ranked *counts) {
    for (int i = 0; i < c->n; i++) {
        counts[i] = (ranked){(double)c->servers[i] / (i + 1), i};
    }
    berth__sort_records(counts, (size_t)c->n, sizeof *counts, by_ratio, counts + c->n);
    for (int i = 0; i < c->n; i++) {
        c->order[i] = counts[i].at;
        c->position[counts[i].at] = i;
        c->node[i] = -1;
    }
}

static void sort_by_room(curve *c, int n_groups, const int *room) {
    for (int w = 0; w <= c->n; w++) {
        c->first[w] = -1;
    }
    for (int k = n_groups - 1; k >= 0; k--) {
        int w = room[k] > c->n ? c->n : room[k];
        if (w > 0) {
            c->next[k] = c->first[w];
            c->first[w] = k;
        }
    }
}

static bool find_curve(int n_groups, const double *price_worker, const double *price_ps, const int *room, int n,
                       const int *servers, berth__arena *scratch, double *cost, int *group) {
    int most = 0;
    for (int k = 0; k < n_groups; k++) {
        most = room[k] > most ? room[k] : most;
    }
    most = most < n ? most : n;
    size_t n_counts = (size_t)most;
    int *numbers = BERTH__ARENA_ARRAY(scratch, int, 4 * n_counts + 1 + (size_t)n_groups);
    ranked *counts = BERTH__ARENA_ARRAY(scratch, ranked, 2 * n_counts);
    if (numbers == NULL || counts == NULL) {
        return false;
    }
    curve c = {.price_worker = price_worker,
               .price_ps = price_ps,
               .servers = servers,
               .n = most,
               .order = numbers,
               .position = numbers + n_counts,
               .node = numbers + 2 * n_counts,
               .first = numbers + 3 * n_counts,
               .next = numbers + 4 * n_counts + 1};
    rank(&c, counts);
    sort_by_room(&c, n_groups, room);
    for (int w = n; w >= 1; w--) {
        int best = -1;
        if (w <= most) {
            for (int k = c.first[w]; k >= 0; k = c.next[k]) {
                enter(&c, k);
            }
            best = least_at(&c, w - 1);
        }
        group[w - 1] = best;
        cost[w - 1] = best >= 0 ? cost_of(&c, best, w - 1) : (double)INFINITY;
    }
    return true;
}

berth_status berth__internal_curve(int n_groups, const double *price_worker, const double *price_ps, const int *room,
                                   int n, const int *servers, berth__arena *scratch, double *cost, int *group) {
    berth__arena_mark before = berth__arena_here(scratch);
    bool found = find_curve(n_groups, price_worker, price_ps, room, n, servers, scratch, cost, group);
    berth__arena_back(scratch, before);
    return found ? BERTH_OK : BERTH_E_MEMORY;
}
