#include "online/bound.h"

#include "base/alloc.h"
#include "base/error.h"
#include "formulations/slot.h"
#include "formulations/theta.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A relaxed cost is lowered by this much, so that rounding errors stay on the bound's side. */
#define COST_MARGIN 1e-9

/* ---- what every slot costs at least ---- */

/* The worker counts worth asking about: the least for each amount of progress, at either locality. */
typedef struct counts {
    int n;
    double *workers, *ps; /* [n] increasing */
} counts;

typedef struct bound_work {
    const berth__cluster *cluster;
    const berth__job *job;
    berth__quanta quanta;
    bool too_long; /* for the schedule programme: nothing else is set */
    counts asked;
    int *internal_room; /* [n_classes] most workers, with their servers, on one machine of the capacity class */
    double *count, *capacity, *price_worker, *price_ps; /* [n_groups up to n_machines] eligible groups of a slot */
    int *group_class;
    double *cost; /* [asked.n] */
    berth__offer *offers;
    berth__theta *theta;
    berth__arena *arena;
} bound_work;

static void release(bound_work *b) {
    berth__theta_free(b->theta);
    berth__arena_free(b->arena);
}

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
    if (b->asked.workers == NULL || b->asked.ps == NULL) {
        return false;
    }
    int internal = 0, external = 0;
    for (;;) {
        double w = fmin(next_count(b, internal, BERTH_INTERNAL), next_count(b, external, BERTH_EXTERNAL));
        if (!(w <= b->job->max_workers)) {
            return true;
        }
        b->asked.workers[b->asked.n] = w;
        b->asked.ps[b->asked.n++] = berth__ps_needed(b->job, (int)w);
        internal = berth__quanta_up(&b->quanta, b->job, (int)w, BERTH_INTERNAL);
        external = berth__quanta_up(&b->quanta, b->job, (int)w, BERTH_EXTERNAL);
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
                            berth_error *error) {
    size_t H = (size_t)cluster->n_machines, R = (size_t)cluster->n_resources, K = (size_t)cluster->n_classes;
    *b = (bound_work){.cluster = cluster, .job = job};
    b->too_long = !berth__quanta_of(job, levels, cluster->horizon - job->arrival, &b->quanta);
    if (b->too_long) {
        return BERTH_OK;
    }
    berth__quanta_relax(&b->quanta, job);
    b->arena = berth__arena_new();
    b->theta = berth__theta_new();
    bool complete = b->arena != NULL && b->theta != NULL && list_counts(b);
    if (complete) {
        b->internal_room = BERTH__ARENA_ARRAY(b->arena, int, K);
        b->count = BERTH__ARENA_ARRAY(b->arena, double, H);
        b->capacity = BERTH__ARENA_ARRAY(b->arena, double, H *R);
        b->price_worker = BERTH__ARENA_ARRAY(b->arena, double, H);
        b->price_ps = BERTH__ARENA_ARRAY(b->arena, double, H);
        b->group_class = BERTH__ARENA_ARRAY(b->arena, int, H);
        b->cost = BERTH__ARENA_ARRAY(b->arena, double, (size_t)b->asked.n);
        b->offers = BERTH__ARENA_ARRAY(b->arena, berth__offer, 2 * (size_t)b->asked.n);
        complete = b->internal_room != NULL && b->count != NULL && b->capacity != NULL && b->price_worker != NULL &&
                   b->price_ps != NULL && b->group_class != NULL && b->cost != NULL && b->offers != NULL;
    }
    if (!complete) {
        release(b);
        return berth__fail_memory(error);
    }
    for (size_t k = 0; k < K; k++) {
        b->internal_room[k] = -1;
    }
    for (size_t h = 0; h < H; h++) {
        int *room = &b->internal_room[cluster->class_of[h]];
        if (*room < 0) {
            *room = internal_room(b, cluster->capacity + h * R);
        }
    }
    return BERTH_OK;
}

static double unit_price(const double *price, const double *demand, int R) {
    double sum = 0;
    for (int r = 0; r < R; r++) {
        sum += price[r] > 0 && demand[r] < HUGE_VAL ? price[r] * demand[r] : 0;
    }
    return sum;
}

/* The groups of a slot that the job may use. */
static int take_groups(bound_work *b, const berth__price_groups *groups) {
    int R = b->cluster->n_resources, n = 0;
    for (int g = 0; g < groups->n_groups; g++) {
        int machine = groups->machine[g];
        if ((b->job->eligible != NULL && !b->job->eligible[machine]) || !(groups->count[g] > 0)) {
            continue;
        }
        const double *price = groups->price + (size_t)g * (size_t)R;
        b->count[n] = groups->count[g];
        b->group_class[n] = b->cluster->class_of[machine];
        b->price_worker[n] = unit_price(price, b->job->worker, R);
        b->price_ps[n] = unit_price(price, b->job->ps, R);
        memcpy(b->capacity + (size_t)n * (size_t)R, b->cluster->capacity + (size_t)machine * (size_t)R,
               (size_t)R * sizeof(double));
        n++;
    }
    return n;
}

static double internal_cost(const bound_work *b, int n_groups, double workers, double ps) {
    double least = HUGE_VAL;
    for (int g = 0; g < n_groups; g++) {
        if (b->internal_room[b->group_class[g]] >= workers) {
            least = fmin(least, workers * b->price_worker[g] + (ps > 0 ? ps * b->price_ps[g] : 0));
        }
    }
    return least;
}

static berth_status slot_offers(bound_work *b, const berth__price_groups *groups, int *n_offers, berth_error *error) {
    int n_groups = take_groups(b, groups), n = 0;
    berth__theta_problem problem = {.n_groups = n_groups,
                                    .n_resources = b->cluster->n_resources,
                                    .count = b->count,
                                    .capacity = b->capacity,
                                    .price_worker = b->price_worker,
                                    .price_ps = b->price_ps,
                                    .worker = b->job->worker,
                                    .ps = b->job->ps};
    berth_status status =
        berth__theta_solve(b->theta, &problem, (size_t)b->asked.n, b->asked.workers, b->asked.ps, b->cost, NULL, NULL);
    if (status != BERTH_OK) {
        return berth__fail(error, status, NULL, "the slot relaxation failed: %s", berth_status_text(status));
    }
    for (int i = 0; i < b->asked.n; i++) {
        int workers = (int)b->asked.workers[i];
        double external = b->cost[i] * (1 - COST_MARGIN);
        double internal = internal_cost(b, n_groups, workers, b->asked.ps[i]) * (1 - COST_MARGIN);
        b->offers[n++] =
            (berth__offer){.quanta = berth__quanta_up(&b->quanta, b->job, workers, BERTH_EXTERNAL), .cost = external};
        b->offers[n++] =
            (berth__offer){.quanta = berth__quanta_up(&b->quanta, b->job, workers, BERTH_INTERNAL), .cost = internal};
    }
    *n_offers = berth__offers_prune(b->offers, n);
    return BERTH_OK;
}

berth_status berth__bound_theta(const berth__cluster *cluster, const berth__job *job, int levels,
                                berth__groups_of groups_of, const void *user, void *scratch,
                                const berth__budget *budget, double *theta, berth_error *error) {
    for (int t = 0; t < cluster->horizon; t++) {
        theta[t] = HUGE_VAL;
    }
    if (berth__job_hopeless(cluster, job) != 0) {
        return BERTH_OK; /* also: a demand for what the cluster has nothing of is infinite as a share */
    }
    bound_work b;
    berth_status status = prepare(&b, cluster, job, levels, error);
    if (status != BERTH_OK) {
        return status;
    }
    if (b.too_long) {
        for (int t = job->arrival + job->fastest_slots - 1; t < cluster->horizon; t++) {
            theta[t] = 0; /* the weakest bound, but one */
        }
        return BERTH_OK;
    }
    berth__schedule *schedule = NULL;
    status = berth__schedule_new(b.quanta.needed, cluster->horizon - job->arrival, false, &schedule, error);
    for (int t = job->arrival; t < cluster->horizon && status == BERTH_OK; t++) {
        if (berth__budget_spent(budget)) {
            status = berth__fail(error, BERTH_E_CANCELLED, NULL, "%s", berth_status_text(BERTH_E_CANCELLED));
            break;
        }
        berth__price_groups groups;
        int n = 0;
        groups_of(user, t, scratch, &groups);
        status = slot_offers(&b, &groups, &n, error);
        if (status == BERTH_OK) {
            double cost = berth__schedule_add_slot(schedule, b.offers, n);
            /* Rounded up, progress may seem complete before any schedule can be. */
            theta[t] = t - job->arrival >= job->fastest_slots - 1 ? cost : HUGE_VAL;
        }
    }
    berth__schedule_free(schedule);
    release(&b);
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

/* ---- at the ledger's prices, machine by machine ---- */

/* Idle machines of a capacity class have the same price in a slot; the others are groups of their own. */
typedef struct ledger_scratch {
    int *machine;
    double *count, *price;
    int *idle_group; /* [n_classes] group of a class's idle machines in this slot, -1: none yet */
} ledger_scratch;

static bool idle(const double *used, int R) {
    for (int r = 0; r < R; r++) {
        if (used[r] != 0) {
            return false;
        }
    }
    return true;
}

typedef struct ledger_view {
    const berth__ledger *ledger;
    const berth__job *job;
} ledger_view;

static void ledger_groups(const void *user, int slot, void *scratch, berth__price_groups *out) {
    const ledger_view *view = user;
    const berth__ledger *ledger = view->ledger;
    ledger_scratch *s = scratch;
    int R = ledger->cluster->n_resources, n = 0;
    for (int k = 0; k < ledger->cluster->n_classes; k++) {
        s->idle_group[k] = -1;
    }
    for (int h = 0; h < ledger->cluster->n_machines; h++) {
        if (view->job->eligible != NULL && !view->job->eligible[h]) {
            continue;
        }
        size_t at = berth__ledger_at(ledger, slot, h);
        bool unused = idle(ledger->used + at, R);
        int *group = &s->idle_group[ledger->cluster->class_of[h]];
        if (unused && *group >= 0) {
            s->count[*group] += 1;
            continue;
        }
        s->machine[n] = h;
        s->count[n] = 1;
        memcpy(s->price + (size_t)n * (size_t)R, ledger->price + at, (size_t)R * sizeof(double));
        if (unused) {
            *group = n;
        }
        n++;
    }
    *out = (berth__price_groups){.n_groups = n, .machine = s->machine, .count = s->count, .price = s->price};
}

berth_status berth__ledger_theta(const berth__ledger *ledger, const berth__job *job, int levels,
                                 const berth__budget *budget, double *theta, berth_error *error) {
    const berth__cluster *cluster = ledger->cluster;
    size_t H = (size_t)cluster->n_machines, R = (size_t)cluster->n_resources;
    berth__arena *arena = berth__arena_new();
    if (arena == NULL) {
        return berth__fail_memory(error);
    }
    ledger_scratch scratch = {.machine = BERTH__ARENA_ARRAY(arena, int, H),
                              .count = BERTH__ARENA_ARRAY(arena, double, H),
                              .price = BERTH__ARENA_ARRAY(arena, double, H *R),
                              .idle_group = BERTH__ARENA_ARRAY(arena, int, (size_t)cluster->n_classes)};
    berth_status status;
    if (scratch.machine == NULL || scratch.count == NULL || scratch.price == NULL || scratch.idle_group == NULL) {
        status = berth__fail_memory(error);
    } else {
        ledger_view view = {.ledger = ledger, .job = job};
        status = berth__bound_theta(cluster, job, levels, ledger_groups, &view, &scratch, budget, theta, error);
    }
    berth__arena_free(arena);
    return status;
}

/* ---- along a ray of class prices ---- */

typedef struct class_view {
    int n_classes, n_resources;
    const int *machine;
    const double *count, *prices;
} class_view;

static void class_groups(const void *user, int slot, void *scratch, berth__price_groups *out) {
    (void)scratch;
    const class_view *v = user;
    size_t at = (size_t)slot * (size_t)v->n_classes * (size_t)v->n_resources;
    *out = (berth__price_groups){
        .n_groups = v->n_classes, .machine = v->machine, .count = v->count, .price = v->prices + at};
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
static berth__dual_bound_result search_kappa(const berth__cluster *cluster, size_t n_jobs, berth__job *const *jobs,
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
    size_t K = (size_t)n_classes, R = (size_t)cluster->n_resources, T = (size_t)cluster->horizon;
    *out = (berth__dual_bound_result){.value = (double)NAN, .kappa = (double)NAN};
    berth_status status = BERTH_OK;
    int *machine = BERTH__NEW_ARRAY(int, K);
    double *count = BERTH__NEW_ARRAY(double, K);
    double *theta = berth__calloc(n_jobs, T * sizeof *theta);
    if (machine == NULL || count == NULL || theta == NULL) {
        status = berth__fail_memory(error);
        goto done;
    }
    for (int h = cluster->n_machines - 1; h >= 0; h--) {
        machine[class_of[h]] = h;
        count[class_of[h]] += 1;
    }
    class_view view = {.n_classes = n_classes,
                       .n_resources = cluster->n_resources,
                       .machine = machine,
                       .count = count,
                       .prices = prices};
    long n = (long)n_jobs;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (long i = 0; i < n; i++) {
        berth_error failure;
        berth__error_clear(&failure);
        berth_status got = berth__bound_theta(cluster, jobs[i], levels, class_groups, &view, NULL, budget,
                                              theta + (size_t)i * T, &failure);
        if (got != BERTH_OK) {
#pragma omp critical(berth_dual_bound_failure)
            if (status == BERTH_OK) {
                status = berth__fail(error, got, failure.where, "%s", failure.message);
            }
        }
    }
    if (status == BERTH_OK) {
        double capacity_value = 0;
        for (size_t t = 0; t < T; t++) {
            for (size_t k = 0; k < K; k++) {
                for (size_t r = 0; r < R; r++) {
                    double capacity = cluster->capacity[(size_t)machine[k] * R + r];
                    capacity_value += capacity > 0 ? count[k] * capacity * prices[(t * K + k) * R + r] : 0;
                }
            }
        }
        *out = search_kappa(cluster, n_jobs, jobs, theta, capacity_value);
    }
done:
    berth__free(machine);
    berth__free(count);
    berth__free(theta);
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
