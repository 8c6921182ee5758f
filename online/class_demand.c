#include "online/class_demand.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "formulations/internal_curve.h"
#include "formulations/slot.h"

#include <math.h>
#include <string.h>

/* ---- profiles ---- */

static const double *capacity_of(const berth__class_view *view, int k) {
    return view->cluster->capacity + (size_t)view->machine[k] * (size_t)view->cluster->n_resources;
}

static void describe_class(berth__job_profile *p, const berth__class_view *view, int k, double *width) {
    const berth__job *job = p->job;
    int R = view->cluster->n_resources;
    const double *capacity = capacity_of(view, k);
    int alone = berth__fit_count(capacity, job->worker, R, job->max_workers);
    bool servers = berth__ps_needed(job, job->max_workers) > 0;
    p->class[p->n] = k;
    p->room[p->n] = berth__internal_room(capacity, 1, job, R, job->max_workers);
    p->servers[p->n] = berth__ps_needed(job, p->room[p->n]);
    p->holds_worker[p->n] = alone > 0;
    p->holds_server[p->n] = servers && berth__fit_count(capacity, job->ps, R, 1) > 0;
    *width += view->count[k] * alone;
    p->n++;
}

size_t berth__job_profile_size(const berth__class_view *view) {
    size_t K = (size_t)view->n_classes;
    return (size_t)view->cluster->horizon * sizeof(double) + 3 * K * sizeof(int) + 2 * K * sizeof(bool) +
           sizeof(void *);
}

void berth__job_profile_init(berth__job_profile *p, void *memory, const berth__class_view *view,
                             const berth__job *job) {
    size_t K = (size_t)view->n_classes;
    double *utility = memory;
    int *numbers = (int *)(void *)(utility + view->cluster->horizon);
    bool *flags = (bool *)(void *)(numbers + 3 * K);
    *p = (berth__job_profile){.job = job,
                              .class = numbers,
                              .room = numbers + K,
                              .servers = numbers + 2 * K,
                              .holds_worker = flags,
                              .holds_server = flags + K,
                              .work = job->work,
                              .utility = utility,
                              .memory = memory};
    double width = 0;
    for (int k = 0; k < view->n_classes; k++) {
        if (job->eligible == NULL || job->eligible[view->machine[k]]) {
            describe_class(p, view, k, &width);
        }
    }
    p->width = width < job->max_workers ? (int)width : job->max_workers;
    p->width_servers = berth__ps_needed(job, p->width);
    for (int d = 0; d < view->cluster->horizon; d++) {
        p->utility[d] = berth__utility_at(&job->utility, d);
    }
}

bool berth__demand_scratch_init(berth__demand_scratch *s, berth__arena *arena, int horizon) {
    size_t n = 2 * (size_t)horizon + 2;
    *s = (berth__demand_scratch){.corner = BERTH__ARENA_ARRAY(arena, berth__demand_corner, n),
                                 .n_corners = BERTH__ARENA_ARRAY(arena, int, (size_t)horizon),
                                 .bought = BERTH__ARENA_ARRAY(arena, berth__demand_piece, n),
                                 .last_slot = -1};
    return s->corner != NULL && s->n_corners != NULL && s->bought != NULL;
}

/* ---- a slot's corners ---- */

static double unit_price(const double *price, const double *demand, int R) {
    double sum = 0;
    for (int r = 0; r < R; r++) {
        sum += demand[r] > 0 ? demand[r] * price[r] : 0;
    }
    return sum;
}

/* The internal corner of least cost a sample, and the external one. progress 0: there is none. */
static void price_corners(const berth__class_view *view, const berth__job_profile *p, int slot,
                          berth__demand_corner *internal, berth__demand_corner *external) {
    const berth__job *job = p->job;
    int R = view->cluster->n_resources;
    const double *prices = view->prices + (size_t)slot * (size_t)view->n_classes * (size_t)R;
    double worker = HUGE_VAL, server = p->width_servers > 0 ? HUGE_VAL : 0, rate = HUGE_VAL;
    internal->progress = external->progress = 0;
    external->class_worker = external->class_server = p->n > 0 ? p->class[0] : 0;
    for (int i = 0; i < p->n; i++) {
        const double *price = prices + (size_t)p->class[i] * (size_t)R;
        double pw = p->holds_worker[i] ? unit_price(price, job->worker, R) : HUGE_VAL;
        double ps = p->holds_server[i] ? unit_price(price, job->ps, R) : HUGE_VAL;
        if (pw < worker) {
            worker = pw;
            external->class_worker = p->class[i];
        }
        if (ps < server) {
            server = ps;
            external->class_server = p->class[i];
        }
        if (p->room[i] > 0) {
            double cost = p->room[i] * pw + (p->servers[i] > 0 ? p->servers[i] * ps : 0);
            if (cost < rate * p->room[i] || (cost <= rate * p->room[i] && p->room[i] > internal->workers)) {
                rate = cost / p->room[i];
                *internal = (berth__demand_corner){.progress = p->room[i] * job->slot_samples[BERTH_INTERNAL],
                                                   .cost = cost,
                                                   .workers = p->room[i],
                                                   .servers = p->servers[i],
                                                   .class_worker = p->class[i],
                                                   .class_server = p->class[i]};
            }
        }
    }
    if (p->width > 0 && worker < HUGE_VAL && server < HUGE_VAL) {
        external->progress = p->width * job->slot_samples[BERTH_EXTERNAL];
        external->cost = p->width * worker + (p->width_servers > 0 ? p->width_servers * server : 0);
        external->workers = p->width;
        external->servers = p->width_servers;
    }
}

/* The lower hull of both: returns how many corners it has, in order. */
static int hull_corners(berth__demand_corner corner[2]) {
    berth__demand_corner a = corner[0], b = corner[1];
    if (!(a.progress > 0) || !(b.progress > 0)) {
        corner[0] = a.progress > 0 ? a : b;
        return corner[0].progress > 0 ? 1 : 0;
    }
    bool a_cheaper = a.cost * b.progress <= b.cost * a.progress;
    corner[0] = a_cheaper ? a : b;
    corner[1] = a_cheaper ? b : a;
    return corner[1].progress > corner[0].progress ? 2 : 1;
}

/* ---- all slots ---- */

typedef struct purchase {
    berth__demand_piece *heap; /* [n] the dearest first */
    int n;
    double progress, cost, work;
} purchase;

/* The second corner of a slot goes before the first. */
static bool dearer(const berth__demand_piece *a, const berth__demand_piece *b) {
    return a->rate != b->rate ? a->rate > b->rate : a->corner > b->corner;
}

static void push(purchase *b, berth__demand_piece piece) {
    int at = b->n++;
    while (at > 0 && dearer(&piece, &b->heap[(at - 1) / 2])) {
        b->heap[at] = b->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    b->heap[at] = piece;
}

static void pop(purchase *b) {
    berth__demand_piece last = b->heap[--b->n];
    int at = 0;
    for (int child = 1; child < b->n; child = 2 * at + 1) {
        child += child + 1 < b->n && dearer(&b->heap[child + 1], &b->heap[child]);
        if (!dearer(&b->heap[child], &last)) {
            break;
        }
        b->heap[at] = b->heap[child];
        at = child;
    }
    b->heap[at] = last;
}

/* Buys a piece in place of dearer ones, as far as it is cheaper. */
static void buy(purchase *b, int slot, int corner, double rate, double progress) {
    berth__demand_piece piece = {.rate = rate, .progress = progress, .whole = progress, .slot = slot, .corner = corner};
    if (b->progress >= b->work && b->n > 0 && !dearer(&b->heap[0], &piece)) {
        return;
    }
    push(b, piece);
    b->progress += progress;
    b->cost += rate * progress;
    while (b->progress > b->work) {
        berth__demand_piece *dearest = &b->heap[0];
        double surplus = b->progress - b->work;
        if (dearest->progress > surplus) {
            dearest->progress -= surplus;
            b->cost -= surplus * dearest->rate;
            b->progress = b->work;
            return;
        }
        b->cost -= dearest->progress * dearest->rate;
        b->progress -= dearest->progress;
        pop(b);
    }
}

static void buy_slot(purchase *b, const berth__demand_scratch *s, int slot) {
    const berth__demand_corner *corner = &s->corner[2 * (size_t)slot];
    double progress = 0, cost = 0, rate = 0;
    for (int c = 0; c < s->n_corners[slot]; c++) {
        double more = corner[c].progress - progress;
        rate = fmax(rate, (corner[c].cost - cost) / more); /* rounding must not put the second piece first */
        buy(b, slot, c, rate, more);
        progress = corner[c].progress;
        cost = corner[c].cost;
    }
}

static purchase nothing_yet(const berth__job_profile *p, const berth__demand_scratch *s) {
    return (purchase){.heap = s->bought, .work = p->work * (1 - BERTH__PROGRESS)};
}

double berth__class_demand(const berth__class_view *view, const berth__job_profile *p, int arrival,
                           berth__demand_scratch *s, double *utility) {
    int T = view->cluster->horizon;
    purchase b = nothing_yet(p, s);
    double best = -HUGE_VAL;
    s->first_slot = arrival;
    s->last_slot = -1;
    *utility = 0;
    if (p->job->fastest_slots > T - arrival) {
        return best;
    }
    int first = arrival + p->job->fastest_slots - 1;
    for (int t = arrival; t < T; t++) {
        if (t > first && p->utility[t - arrival] <= best) {
            break; /* no later completion can win */
        }
        berth__demand_corner *corner = &s->corner[2 * (size_t)t];
        price_corners(view, p, t, &corner[0], &corner[1]);
        s->n_corners[t] = hull_corners(corner);
        s->work += p->n;
        buy_slot(&b, s, t);
        double payoff = p->utility[t - arrival] - b.cost;
        if (t >= first && b.progress >= b.work * (1 - BERTH__PROGRESS) && payoff > best) {
            best = payoff;
            *utility = p->utility[t - arrival];
            s->last_slot = t;
        }
    }
    return best;
}

static void add_corner(const berth__class_view *view, const berth__job *job, const berth__demand_corner *c,
                       double amount, double *held) {
    int R = view->cluster->n_resources;
    double *worker = held + (size_t)c->class_worker * (size_t)R, *server = held + (size_t)c->class_server * (size_t)R;
    for (int r = 0; r < R; r++) {
        worker[r] += amount * c->workers * job->worker[r];
        if (c->servers > 0) {
            server[r] += amount * c->servers * job->ps[r];
        }
    }
}

void berth__class_demand_add(const berth__class_view *view, const berth__job_profile *p, berth__demand_scratch *s,
                             double weight, double *held) {
    size_t row = (size_t)view->n_classes * (size_t)view->cluster->n_resources;
    purchase b = nothing_yet(p, s);
    for (int t = s->first_slot; t <= s->last_slot; t++) {
        buy_slot(&b, s, t);
    }
    for (int i = 0; i < b.n; i++) {
        const berth__demand_piece *piece = &b.heap[i];
        const berth__demand_corner *corner = &s->corner[2 * (size_t)piece->slot];
        double amount = weight * piece->progress / piece->whole;
        add_corner(view, p->job, &corner[piece->corner], amount, held + (size_t)piece->slot * row);
        if (piece->corner == 1) {
            add_corner(view, p->job, &corner[0], -amount, held + (size_t)piece->slot * row);
        }
    }
}
