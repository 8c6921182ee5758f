#include "online/bound.h"

#include "online/convex_schedule.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/tolerance.h"
#include "formulations/slot.h"
#include "formulations/theta.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A relaxed cost is lowered by this much, so that rounding errors stay on the bound's side. */
#define COST_MARGIN 1e-9
/* A few units in the last place of the sums that a relaxed cost is the difference of. */
#define SUM_MARGIN 1e-14

/* Up to so many groups the internal case is priced exactly. */
enum { FEW_GROUPS = 32 };

/* Most counts that the relaxation is solved for in a slot, about. */
enum { MOST_KNOTS = 12 };

/* The next slot's limits, as a multiple of what mattered in this one. */
#define LIMIT_MARGIN 1.05

/* ---- what every slot costs at least ---- */

/* The worker counts worth asking about: the least for each amount of progress, at either locality. */
typedef struct counts {
    int n;
    double *workers, *ps; /* [n] increasing */
    int *up[2];           /* [n] their progress in quanta, rounded up, by locality */
} counts;

typedef struct bound_work {
    const berth__cluster *cluster;
    const berth__job *job;
    berth__quanta quanta;
    bool too_long; /* for the schedule programme: nothing else is set */
    counts asked;
    int *internal_room; /* [n_classes] most workers, with their servers, on one machine of the capacity class */
    double *least_rate; /* [n_classes] */
    double rate_left_out;
    double *cost;                                          /* [asked.n] */
    int stride;                                            /* of the knots: counts that are solved for */
    double *knot_workers, *knot_ps, *knot_cost, *lam, *mu; /* by knot */
    berth__price_limits limits;                            /* of the slot in hand; then for the next */
    berth__offer *offers;
    berth__theta *theta;
    berth__bound_trace *trace; /* NULL: not wanted */
    berth__increment *hull;    /* [2 asked.n] with a trace */
    berth__arena *arena;       /* the workspace's scratch */
} bound_work;

/* The least worker count that makes more than `quanta` of progress at a locality. */
static double next_count(const bound_work *b, int quanta, berth_locality locality) {
    if (quanta >= b->quanta.needed) {
        return HUGE_VAL;
    }
    double w = floor(quanta * b->quanta.size / b->job->slot_samples[locality]);
    w = w < 1 ? 1 : w;
    while (w <= b->job->max_workers && berth__quanta_up(&b->quanta, b->job, (int)w, locality) <= quanta) {
        w++; /* a few times at most: w starts within rounding of the answer */
    }
    return w;
}

static bool list_counts(bound_work *b) {
    size_t room = 2 * (size_t)b->quanta.needed; /* each count adds progress at one locality at least */
    b->asked.workers = BERTH__ARENA_ARRAY(b->arena, double, room);
    b->asked.ps = BERTH__ARENA_ARRAY(b->arena, double, room);
    b->asked.up[BERTH_INTERNAL] = BERTH__ARENA_ARRAY(b->arena, int, room);
    b->asked.up[BERTH_EXTERNAL] = BERTH__ARENA_ARRAY(b->arena, int, room);
    if (b->asked.workers == NULL || b->asked.ps == NULL || b->asked.up[BERTH_INTERNAL] == NULL ||
        b->asked.up[BERTH_EXTERNAL] == NULL) {
        return false;
    }
    int internal = 0, external = 0;
    for (;;) {
        double w = fmin(next_count(b, internal, BERTH_INTERNAL), next_count(b, external, BERTH_EXTERNAL));
        if (!(w <= b->job->max_workers)) {
            return true;
        }
        internal = berth__quanta_up(&b->quanta, b->job, (int)w, BERTH_INTERNAL);
        external = berth__quanta_up(&b->quanta, b->job, (int)w, BERTH_EXTERNAL);
        b->asked.workers[b->asked.n] = w;
        b->asked.up[BERTH_INTERNAL][b->asked.n] = internal;
        b->asked.up[BERTH_EXTERNAL][b->asked.n] = external;
        b->asked.ps[b->asked.n++] = berth__ps_needed(b->job, (int)w);
    }
}

static int internal_room(const bound_work *b, const double *capacity) {
    int low = 0, high = b->job->max_workers; /* monotone in the number of workers */
    while (low < high) {
        int middle = high - (high - low) / 2;
        bool fits = berth__fits(capacity, b->job, b->cluster->n_resources, middle, berth__ps_needed(b->job, middle));
        low = fits ? middle : low;
        high = fits ? high : middle - 1;
    }
    return low;
}

static berth_status prepare(bound_work *b, const berth__cluster *cluster, const berth__job *job, int levels,
                            berth__workspace *workspace, berth__bound_trace *trace, berth_error *error) {
    size_t R = (size_t)cluster->n_resources, K = (size_t)cluster->n_classes;
    *b = (bound_work){
        .cluster = cluster, .job = job, .theta = workspace->theta, .trace = trace, .arena = workspace->scratch};
    b->too_long = !berth__quanta_of(job, levels, cluster->horizon - job->arrival, &b->quanta);
    if (b->too_long) {
        return BERTH_OK;
    }
    berth__quanta_relax(&b->quanta, job);
    bool complete = list_counts(b);
    if (complete) {
        b->internal_room = BERTH__ARENA_ARRAY(b->arena, int, K);
        b->least_rate = BERTH__ARENA_ARRAY(b->arena, double, K);
        b->cost = BERTH__ARENA_ARRAY(b->arena, double, (size_t)b->asked.n);
        b->stride = 1 + b->asked.n / MOST_KNOTS;
        b->knot_workers = BERTH__ARENA_ARRAY(b->arena, double, (size_t)b->asked.n);
        b->knot_ps = BERTH__ARENA_ARRAY(b->arena, double, (size_t)b->asked.n);
        b->knot_cost = BERTH__ARENA_ARRAY(b->arena, double, (size_t)b->asked.n);
        b->lam = BERTH__ARENA_ARRAY(b->arena, double, (size_t)b->asked.n);
        b->mu = BERTH__ARENA_ARRAY(b->arena, double, (size_t)b->asked.n);
        b->offers = BERTH__ARENA_ARRAY(b->arena, berth__offer, 2 * (size_t)b->asked.n);
        b->hull = trace == NULL ? NULL : BERTH__ARENA_ARRAY(b->arena, berth__increment, 2 * (size_t)b->asked.n);
        complete = b->internal_room != NULL && (trace == NULL || b->hull != NULL) && b->least_rate != NULL &&
                   b->cost != NULL && b->knot_workers != NULL && b->knot_ps != NULL && b->knot_cost != NULL &&
                   b->lam != NULL && b->mu != NULL && b->offers != NULL;
    }
    if (!complete) {
        return berth__fail_memory(error);
    }
    for (size_t k = 0; k < K; k++) {
        b->internal_room[k] = -1;
    }
    for (size_t h = 0; h < (size_t)cluster->n_machines; h++) {
        int *room = &b->internal_room[cluster->class_of[h]];
        if (*room < 0) {
            *room = internal_room(b, cluster->capacity + h * R);
        }
    }
    return BERTH_OK;
}

/* ---- the internal case ---- */

/* Least price of a worker with its share of a server, by capacity class: W workers on one machine cost at least W
 * times that. Machines that were left out cost at least the limits. */
static void find_least_rates(bound_work *b, const berth__slot_groups *groups) {
    double share = 1 / b->job->workers_per_ps * (1 - BERTH__FEASIBILITY);
    b->rate_left_out = groups->left_out ? b->limits.worker + share * b->limits.ps : HUGE_VAL;
    for (int k = 0; k < b->cluster->n_classes; k++) {
        b->least_rate[k] = HUGE_VAL;
    }
    for (int g = 0; g < groups->n_groups; g++) {
        double *least = &b->least_rate[b->cluster->class_of[groups->machine[g]]];
        *least = fmin(*least, groups->price_worker[g] + share * groups->price_ps[g]);
    }
}

/* On few groups exactly; on many, and on those left out, from rates and the external case, which is never dearer. */
static double internal_cost(const bound_work *b, const berth__slot_groups *groups, double workers, double ps,
                            double external) {
    double least = HUGE_VAL;
    bool few = groups->n_groups <= FEW_GROUPS;
    for (int g = 0; few && g < groups->n_groups; g++) {
        if (b->internal_room[b->cluster->class_of[groups->machine[g]]] >= workers) {
            least = fmin(least, workers * groups->price_worker[g] + (ps > 0 ? ps * groups->price_ps[g] : 0));
        }
    }
    for (int k = 0; k < b->cluster->n_classes; k++) {
        if (b->internal_room[k] >= workers) {
            double rate = fmin(few ? HUGE_VAL : b->least_rate[k], b->rate_left_out);
            least = fmin(least, fmax(workers * rate, external));
        }
    }
    return least;
}

/* ---- a slot ---- */

static bool is_knot(const bound_work *b, int i) {
    return i % b->stride == 0 || i == b->asked.n - 1;
}

/* The largest multipliers in use: machines dearer than both play no part. */
static berth__price_limits in_use(const bound_work *b) {
    berth__price_limits most = {0, 0};
    for (int i = 0, k = 0; i < b->asked.n; i++) {
        k += i > 0 && is_knot(b, i);
        if (is_knot(b, i) && b->knot_cost[k] < HUGE_VAL) {
            most.worker = fmax(most.worker, b->lam[k]);
            most.ps = fmax(most.ps, b->mu[k]);
        }
    }
    return most;
}

/* What knot k's multipliers prove about (W, S). */
static double proved_by(const bound_work *b, int k, double workers, double ps) {
    return b->knot_cost[k] + b->lam[k] * (workers - b->knot_workers[k]) + b->mu[k] * (ps - b->knot_ps[k]);
}

static void spread_knots(bound_work *b) {
    int k = 0; /* the knot at or before i */
    for (int i = 0; i < b->asked.n; i++) {
        k += i > 0 && is_knot(b, i);
        if (is_knot(b, i)) {
            b->cost[i] = b->knot_cost[k];
        } else if (!(b->knot_cost[k + 1] < HUGE_VAL)) {
            b->cost[i] = b->knot_cost[k] < HUGE_VAL ? proved_by(b, k, b->asked.workers[i], b->asked.ps[i]) : HUGE_VAL;
        } else {
            b->cost[i] = fmax(proved_by(b, k, b->asked.workers[i], b->asked.ps[i]),
                              proved_by(b, k + 1, b->asked.workers[i], b->asked.ps[i]));
        }
    }
}

/* Solves for the knots among the counts. What lies between has the bounds of its neighbours' multipliers, which hold
 * for every (W, S), and as the costs are all but convex are all but exact. */
static berth_status solve(bound_work *b, const berth__slot_groups *groups, berth_error *error) {
    int n_knots = 0;
    for (int i = 0; i < b->asked.n; i++) {
        if (is_knot(b, i)) {
            b->knot_workers[n_knots] = b->asked.workers[i];
            b->knot_ps[n_knots++] = b->asked.ps[i];
        }
    }
    berth__theta_problem problem = {.n_groups = groups->n_groups,
                                    .n_resources = b->cluster->n_resources,
                                    .count = groups->count,
                                    .capacity = groups->capacity,
                                    .stride = (size_t)groups->room,
                                    .price_worker = groups->price_worker,
                                    .price_ps = groups->price_ps,
                                    .worker = b->job->worker,
                                    .ps = b->job->ps};
    berth_status status = berth__theta_solve(b->theta, &problem, (size_t)n_knots, b->knot_workers, b->knot_ps,
                                             b->knot_cost, b->lam, b->mu);
    if (status != BERTH_OK) {
        return berth__fail(error, status, NULL, "the slot relaxation failed: %s", berth_status_text(status));
    }
    for (int k = 0; k < n_knots; k++) { /* what the solver's own sums may have added */
        double sum = b->lam[k] * b->knot_workers[k] + b->mu[k] * b->knot_ps[k];
        b->knot_cost[k] = fmax(0, b->knot_cost[k] - SUM_MARGIN * sum);
    }
    spread_knots(b);
    return BERTH_OK;
}

/* Full capacities are the same in all slots, so what is infeasible in one is so in all. */
static void forget_infeasible(bound_work *b) {
    while (b->asked.n > 0 && !(b->cost[b->asked.n - 1] < HUGE_VAL)) {
        b->asked.n--;
    }
}

/* Solves over the machines within the limits of the slot before, widening them until the multipliers are within. */
static berth_status solve_slot(bound_work *b, berth__groups_of groups_of, const void *user, int slot,
                               berth__slot_groups *groups, berth_error *error) {
    for (int attempt = 0;; attempt++) {
        groups_of(user, b->job, slot, b->limits, groups);
        berth_status status = solve(b, groups, error);
        if (status != BERTH_OK) {
            return status;
        }
        if (!groups->left_out) {
            forget_infeasible(b);
            return BERTH_OK;
        }
        berth__price_limits most = in_use(b);
        bool feasible = b->asked.n == 0 || b->cost[b->asked.n - 1] < HUGE_VAL;
        if (feasible && most.worker <= b->limits.worker && most.ps <= b->limits.ps) {
            return BERTH_OK;
        }
        bool wide = attempt < 2 && feasible;
        b->limits.worker = wide ? fmax(2 * b->limits.worker, 1.5 * most.worker) : HUGE_VAL;
        b->limits.ps = wide ? fmax(2 * b->limits.ps, 1.5 * most.ps) : HUGE_VAL;
    }
}

static int make_offers(bound_work *b, const berth__slot_groups *groups) {
    int n = 0, n_counts = b->asked.n;
    find_least_rates(b, groups);
    /* Progress rises with the count at either locality: merging by it leaves nothing to sort. */
    for (int i = 0, e = 0; i < n_counts || e < n_counts;) {
        bool external =
            i == n_counts || (e < n_counts && b->asked.up[BERTH_EXTERNAL][e] <= b->asked.up[BERTH_INTERNAL][i]);
        int at = external ? e++ : i++;
        double cost =
            external ? b->cost[at] : internal_cost(b, groups, b->asked.workers[at], b->asked.ps[at], b->cost[at]);
        b->offers[n++] = (berth__offer){.quanta = b->asked.up[external ? BERTH_EXTERNAL : BERTH_INTERNAL][at],
                                        .cost = cost * (1 - COST_MARGIN),
                                        .index = 2 * at + (external ? 1 : 0)};
    }
    return berth__offers_prune(b->offers, n);
}

/* ---- the trace of a slot ---- */

/* The group that is cheapest for so many on one machine; -1: none has room. */
static int cheapest_machine(const bound_work *b, const berth__slot_groups *groups, double workers, double ps) {
    int best = -1;
    double least = HUGE_VAL;
    for (int g = 0; g < groups->n_groups; g++) {
        double cost = workers * groups->price_worker[g] + (ps > 0 ? ps * groups->price_ps[g] : 0);
        if (cost < least && b->internal_room[b->cluster->class_of[groups->machine[g]]] >= workers) {
            least = cost;
            best = groups->machine[g];
        }
    }
    return best;
}

/* Adds the corners of the slot's lower hull. False: out of memory. */
static bool trace_slot(bound_work *b, const berth__slot_groups *groups, int slot, int n_offers) {
    berth__bound_trace *trace = b->trace;
    int n = berth__offers_hull(b->offers, n_offers, b->hull);
    for (int v = 0, quanta = 0, o = 0; v < n; v++) {
        if (!berth__grow((void **)&trace->corner, &trace->room, trace->n, sizeof *trace->corner)) {
            return false;
        }
        quanta += b->hull[v].count;
        while (b->offers[o].quanta < quanta) {
            o++;
        }
        int at = b->offers[o].index / 2;
        bool external = b->offers[o].index % 2 == 1;
        double workers = b->asked.workers[at], ps = b->asked.ps[at];
        trace->corner[trace->n++] =
            (berth__bound_corner){.slot = slot,
                                  .rise = b->hull[v],
                                  .workers = workers,
                                  .ps = ps,
                                  .machine = external ? -1 : cheapest_machine(b, groups, workers, ps)};
    }
    return true;
}

static int by_price(const void *a, const void *b) {
    const berth__bound_corner *x = *(const berth__bound_corner *const *)a, *y = *(const berth__bound_corner *const *)b;
    if (x->rise.price != y->rise.price) {
        return x->rise.price < y->rise.price ? -1 : 1;
    }
    return (x > y) - (x < y); /* by slot */
}

berth_status berth__bound_trace_steps(const berth__bound_trace *trace, int last_slot, berth__bound_step *steps,
                                      size_t *n_steps, berth_error *error) {
    *n_steps = 0;
    size_t n = 0;
    const berth__bound_corner **sorted = BERTH__NEW_ARRAY(const berth__bound_corner *, trace->n);
    int *taken = BERTH__NEW_ARRAY(int, trace->n);
    if (sorted == NULL || taken == NULL) {
        berth__free(sorted);
        berth__free(taken);
        return berth__fail_memory(error);
    }
    while (n < trace->n && trace->corner[n].slot <= last_slot) {
        sorted[n] = &trace->corner[n];
        n++;
    }
    qsort(sorted, n, sizeof *sorted, by_price);
    int left = trace->needed;
    for (size_t i = 0; i < n && left > 0; i++) {
        int count = sorted[i]->rise.count < left ? sorted[i]->rise.count : left;
        taken[sorted[i] - trace->corner] = count;
        left -= count;
    }
    for (size_t i = 0; i < n; i++) { /* a slot's rises are taken in order: all but the last of them wholly */
        const berth__bound_corner *c = &trace->corner[i];
        bool more = i + 1 < n && c[1].slot == c->slot && taken[i + 1] > 0;
        double share = (double)taken[i] / c->rise.count;
        if (taken[i] > 0 && !more) {
            steps[(*n_steps)++] = (berth__bound_step){c, share};
            if (share < 1 && i > 0 && c[-1].slot == c->slot) {
                steps[(*n_steps)++] = (berth__bound_step){c - 1, 1 - share};
            }
        }
    }
    berth__free(sorted);
    berth__free(taken);
    return BERTH_OK;
}

void berth__bound_trace_clear(berth__bound_trace *trace) {
    berth__free(trace->corner);
    *trace = (berth__bound_trace){0};
}

/* ---- all slots ---- */

static berth_status schedule_slots(bound_work *b, berth__groups_of groups_of, const void *user,
                                   berth__slot_groups *groups, const berth__budget *budget, double *theta,
                                   berth__price_limits *limits, berth_error *error) {
    const berth__job *job = b->job;
    berth__convex_schedule *schedule = berth__convex_schedule_new(b->arena, b->quanta.needed, 2 * b->asked.n);
    berth_status status = schedule == NULL ? berth__fail_memory(error) : BERTH_OK;
    for (int t = job->arrival; t < b->cluster->horizon && status == BERTH_OK; t++) {
        if (berth__budget_spent(budget)) {
            status = berth__fail(error, BERTH_E_CANCELLED, NULL, "%s", berth_status_text(BERTH_E_CANCELLED));
            break;
        }
        status = solve_slot(b, groups_of, user, t, groups, error);
        if (status != BERTH_OK) {
            break;
        }
        int n = make_offers(b, groups);
        if (b->trace != NULL && !trace_slot(b, groups, t, n)) {
            status = berth__fail_memory(error);
            break;
        }
        double cost = berth__convex_schedule_add_slot(schedule, b->offers, n);
        /* Rounded up, progress may seem complete before any schedule can be. */
        theta[t] = t - job->arrival >= job->fastest_slots - 1 ? cost : HUGE_VAL;
        berth__price_limits most = in_use(b);
        b->limits = (berth__price_limits){.worker = LIMIT_MARGIN * most.worker, .ps = LIMIT_MARGIN * most.ps};
        if (limits != NULL) {
            limits[t] = b->limits;
        }
    }
    return status;
}

static berth_status bound_theta(const berth__cluster *cluster, const berth__job *job, int levels,
                                berth__groups_of groups_of, const void *user, berth__workspace *workspace,
                                berth__price_limits *limits, const berth__budget *budget, double *theta,
                                berth__bound_trace *trace, berth_error *error) {
    bound_work b;
    berth_status status = prepare(&b, cluster, job, levels, workspace, trace, error);
    if (status != BERTH_OK) {
        return status;
    }
    if (b.too_long) {
        for (int t = job->arrival + job->fastest_slots - 1; t < cluster->horizon; t++) {
            theta[t] = 0; /* the weakest bound, but one */
        }
        return BERTH_OK;
    }
    if (trace != NULL) {
        trace->needed = b.quanta.needed;
    }
    b.limits = (berth__price_limits){HUGE_VAL, HUGE_VAL};
    return schedule_slots(&b, groups_of, user, &workspace->groups, budget, theta, limits, error);
}

berth_status berth__bound_theta(const berth__cluster *cluster, const berth__job *job, int levels,
                                berth__groups_of groups_of, const void *user, berth__workspace *workspace,
                                berth__price_limits *limits, const berth__budget *budget, double *theta,
                                berth__bound_trace *trace, berth_error *error) {
    if (trace != NULL) {
        trace->n = 0;
        trace->needed = 0;
    }
    for (int t = 0; t < cluster->horizon; t++) {
        theta[t] = HUGE_VAL;
    }
    if (berth__job_hopeless(cluster, job) != 0) {
        return BERTH_OK; /* also: a demand for what the cluster has nothing of is infinite as a share */
    }
    berth__arena_mark before = berth__arena_here(workspace->scratch);
    berth_status status =
        bound_theta(cluster, job, levels, groups_of, user, workspace, limits, budget, theta, trace, error);
    berth__arena_back(workspace->scratch, before);
    return status;
}

double berth__payoff_bound(const berth__cluster *cluster, const berth__job *job, const double *theta, double kappa) {
    double best = -HUGE_VAL;
    for (int t = job->arrival; t < cluster->horizon; t++) {
        if (theta[t] < HUGE_VAL) {
            best = fmax(best, berth__utility_at(&job->utility, t - job->arrival) - kappa * theta[t]);
        }
    }
    return best;
}

/* ---- at the ledger's prices ---- */

static void ledger_groups(const void *user, const berth__job *job, int slot, berth__price_limits limits,
                          berth__slot_groups *groups) {
    berth__slot_groups_fill(user, job, slot, BERTH__FULL_CAPACITY, limits, groups);
}

berth_status berth__ledger_theta(const berth__ledger *ledger, const berth__job *job, int levels,
                                 berth__workspace *workspace, const berth__budget *budget, double *theta,
                                 berth__price_limits *limits, berth_error *error) {
    int most = berth__slot_groups_most(ledger, job->arrival);
    if (!berth__workspace_reserve(workspace, most, ledger->cluster->n_resources)) {
        return berth__fail_memory(error);
    }
    return berth__bound_theta(ledger->cluster, job, levels, ledger_groups, ledger, workspace, limits, budget, theta,
                              NULL, error);
}

/* ---- along a ray of class prices ---- */

static void class_groups(const void *user, const berth__job *job, int slot, berth__price_limits limits,
                         berth__slot_groups *groups) {
    (void)limits; /* classes are few */
    const berth__class_view *v = user;
    size_t at = (size_t)slot * (size_t)v->n_classes * (size_t)v->cluster->n_resources;
    berth__slot_groups_of_classes(v->cluster, job, v->n_classes, v->machine, v->count, v->prices + at, groups);
}

berth_status berth__class_view_new(const berth__cluster *cluster, int n_classes, const int *class_of,
                                   const double *prices, berth__class_view *out, berth_error *error) {
    *out = (berth__class_view){.cluster = cluster,
                               .n_classes = n_classes,
                               .machine = BERTH__NEW_ARRAY(int, (size_t)n_classes),
                               .count = BERTH__NEW_ARRAY(double, (size_t)n_classes),
                               .prices = prices};
    if (out->machine == NULL || out->count == NULL) {
        berth__class_view_clear(out);
        return berth__fail_memory(error);
    }
    for (int h = cluster->n_machines - 1; h >= 0; h--) {
        out->machine[class_of[h]] = h;
        out->count[class_of[h]] += 1;
    }
    return BERTH_OK;
}

void berth__class_view_clear(berth__class_view *view) {
    berth__free(view->machine);
    berth__free(view->count);
    *view = (berth__class_view){0};
}

/* theta[horizon] of one job. */
static berth_status class_theta(const berth__class_view *view, const berth__job *job, int levels,
                                const berth__budget *budget, double *theta, berth__bound_trace *trace,
                                berth_error *error) {
    berth__workspace workspace = {.theta = berth__theta_new(), .scratch = berth__arena_new()};
    berth_status status = BERTH_OK;
    if (workspace.theta == NULL || workspace.scratch == NULL ||
        !berth__slot_groups_room(workspace.scratch, view->n_classes, view->cluster->n_resources, &workspace.groups)) {
        status = berth__fail_memory(error);
    } else {
        status = berth__bound_theta(view->cluster, job, levels, class_groups, view, &workspace, NULL, budget, theta,
                                    trace, error);
    }
    berth__theta_free(workspace.theta);
    berth__arena_free(workspace.scratch);
    return status;
}

berth_status berth__class_thetas(const berth__class_view *view, size_t n_jobs, berth__job *const *jobs, int levels,
                                 int threads, const berth__budget *budget, double *theta, berth__bound_trace *traces,
                                 berth_error *error) {
    size_t T = (size_t)view->cluster->horizon;
    berth_status status = BERTH_OK;
    long n = (long)n_jobs;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (long i = 0; i < n; i++) {
        berth_error failure;
        berth__error_clear(&failure);
        berth_status got = class_theta(view, jobs[i], levels, budget, theta + (size_t)i * T,
                                       traces == NULL ? NULL : &traces[i], &failure);
        if (got != BERTH_OK) {
#pragma omp critical(berth_dual_bound_failure)
            if (status == BERTH_OK) {
                status = berth__fail(error, got, failure.where, "%s", failure.message);
            }
        }
    }
    return status;
}

double berth__class_view_value(const berth__class_view *view) {
    size_t K = (size_t)view->n_classes, R = (size_t)view->cluster->n_resources, T = (size_t)view->cluster->horizon;
    double value = 0;
    for (size_t t = 0; t < T; t++) {
        for (size_t k = 0; k < K; k++) {
            for (size_t r = 0; r < R; r++) {
                double capacity = view->cluster->capacity[(size_t)view->machine[k] * R + r];
                value += capacity > 0 ? view->count[k] * capacity * view->prices[(t * K + k) * R + r] : 0;
            }
        }
    }
    return value;
}

/* B(kappa) = kappa capacity_value + sum_i max(0, max_tc u - kappa Theta_i(tc)). */
static double bound_at(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs, const double *theta,
                       double capacity_value, double kappa) {
    double sum = kappa * capacity_value;
    for (size_t i = 0; i < n_jobs; i++) {
        const double *row = theta + i * (size_t)cluster->horizon;
        sum += fmax(0, berth__payoff_bound(cluster, jobs[i], row, kappa));
    }
    return sum;
}

/* B is convex in kappa, so unimodal in ln kappa too: golden-section search there. */
berth__dual_bound_result berth__search_kappa(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs,
                                             const double *theta, double capacity_value) {
    const double ratio = (sqrt(5) - 1) / 2;
    double low = log(1e-15), high = log(1e3);
    double left = high - ratio * (high - low), right = low + ratio * (high - low);
    double at_left = bound_at(cluster, n_jobs, jobs, theta, capacity_value, exp(left));
    double at_right = bound_at(cluster, n_jobs, jobs, theta, capacity_value, exp(right));
    while (high - low > 1e-4) {
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - ratio * (high - low);
            at_left = bound_at(cluster, n_jobs, jobs, theta, capacity_value, exp(left));
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + ratio * (high - low);
            at_right = bound_at(cluster, n_jobs, jobs, theta, capacity_value, exp(right));
        }
    }
    berth__dual_bound_result best = {.value = bound_at(cluster, n_jobs, jobs, theta, capacity_value, 0), .kappa = 0};
    const double candidates[] = {exp(left), exp(right), 1};
    for (size_t c = 0; c < sizeof candidates / sizeof *candidates; c++) {
        double value = bound_at(cluster, n_jobs, jobs, theta, capacity_value, candidates[c]);
        if (value < best.value) {
            best = (berth__dual_bound_result){.value = value, .kappa = candidates[c]};
        }
    }
    return best;
}

berth_status berth__dual_bound_ray(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs, int levels,
                                   int n_classes, const int *class_of, const double *prices, int threads,
                                   const berth__budget *budget, berth__dual_bound_result *out, berth_error *error) {
    *out = (berth__dual_bound_result){.value = (double)NAN, .kappa = (double)NAN};
    berth__class_view view;
    berth_status status = berth__class_view_new(cluster, n_classes, class_of, prices, &view, error);
    if (status != BERTH_OK) {
        return status;
    }
    double *theta = berth__calloc(n_jobs, (size_t)cluster->horizon * sizeof *theta);
    status = theta == NULL ? berth__fail_memory(error)
                           : berth__class_thetas(&view, n_jobs, jobs, levels, threads, budget, theta, NULL, error);
    if (status == BERTH_OK) {
        *out = berth__search_kappa(cluster, n_jobs, jobs, theta, berth__class_view_value(&view));
    }
    berth__free(theta);
    berth__class_view_clear(&view);
    return status;
}

int berth__machine_classes(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs, int *class_of) {
    int n = cluster->n_classes;
    int H = cluster->n_machines;
    /* Splitting by one job at most doubles the number of classes; renumber after each by first appearance. */
    int *split = BERTH__NEW_ARRAY(int, 2 * (size_t)H + 2);
    if (split == NULL) {
        return 0;
    }
    memcpy(class_of, cluster->class_of, (size_t)H * sizeof *class_of);
    for (size_t i = 0; i < n_jobs; i++) {
        if (jobs[i]->eligible == NULL) {
            continue;
        }
        for (int k = 0; k < 2 * n; k++) {
            split[k] = -1;
        }
        int fresh = 0;
        for (int h = 0; h < H; h++) {
            int *number = &split[2 * class_of[h] + (jobs[i]->eligible[h] ? 1 : 0)];
            if (*number < 0) {
                *number = fresh++;
            }
            class_of[h] = *number;
        }
        n = fresh;
    }
    berth__free(split);
    return n;
}
