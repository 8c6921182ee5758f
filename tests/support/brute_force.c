/* What one job does in one slot matters to its progress only through its class: none, or (workers, locality). So
 *   1. every placement of every class is listed;
 *   2. for a set of jobs present, every combination of classes is tried for a joint placement on the machines, and
 *      those that fit are kept unless another one makes no less progress in every job;
 *   3. slots are chained: a state is the progress of every job and the utility so far, and is dropped only if another
 *      state of the slot is no worse in any of them, what its incomplete jobs may still earn included. More progress
 *      never hurts, as utility never increases with delay.
 *
 * Exactly S = ceil(W / gamma) servers are tried with W workers: more never help. Take a placement with more and remove
 * servers until S >= 1 are left; capacity is only freed. If it was external, it can stay so: if workers are on two
 * machines whichever go; if all are on one, some server is elsewhere, and is kept. If it was internal it stays so. So
 * progress is unchanged, whichever locality is the faster. */
#include "tests/support/brute_force.h"

#include "tests/support/job_twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 2 * BRUTE_WORKERS + 1, JOINT = 4096 };

static const double tolerance = 1e-9; /* of capacities, quotas, ratios and progress: part of the model */

typedef struct placement {
    signed char w[BRUTE_MACHINES], s[BRUTE_MACHINES];
} placement;

/* A way to run in a slot, with all its placements. */
typedef struct job_class {
    double progress;
    int workers, servers;
    size_t n, room;
    placement *placements;
} job_class;

typedef struct brute_job {
    const berth_job *job;
    const berth_quota *quota; /* NULL: none */
    double work;
    bool eligible[BRUTE_MACHINES];
    int n_classes; /* by falling progress; the last one is "none" */
    job_class classes[CLASSES];
} brute_job;

typedef struct vector {
    double progress[BRUTE_JOBS];
} vector;

typedef struct state {
    double progress[BRUTE_JOBS]; /* work if complete, 0 if out of reach */
    double utility;
} state;

typedef struct states {
    size_t n, room;
    state *at;
} states;

typedef struct brute {
    const berth_instance *in;
    int n_machines, n_jobs, n_resources;
    brute_job jobs[BRUTE_JOBS];
    long nodes_left;
    bool failed; /* out of nodes or memory */
    double load[BRUTE_MACHINES][BRUTE_RESOURCES];
    /* what fits in one slot */
    const job_class *choice[BRUTE_JOBS];
    size_t n_vectors;
    vector *vectors; /* [JOINT] */
} brute;

/* ---- the model ---- */

static double demand(const berth_job *job, int r, int w, int s) {
    return w * job->worker[r] + (s > 0 ? s * job->ps[r] : 0);
}

static bool within(double load, double room) {
    return load <= room * (1 + tolerance);
}

/* True if the placement fits on top of the present load. capacity: [n_machines][n_resources]. */
static bool fits(const brute *b, const berth_job *job, const placement *p, const double *capacity) {
    for (int h = 0; h < b->n_machines; h++) {
        for (int r = 0; r < b->n_resources && (p->w[h] > 0 || p->s[h] > 0); r++) {
            if (!within(b->load[h][r] + demand(job, r, p->w[h], p->s[h]), capacity[h * b->n_resources + r])) {
                return false;
            }
        }
    }
    return true;
}

/* ---- placements ---- */

static void keep_placement(brute *b, job_class *c, const placement *p) {
    if (c->n == c->room) {
        size_t room = c->room == 0 ? 16 : 2 * c->room;
        placement *grown = realloc(c->placements, room * sizeof *grown);
        if (grown == NULL) {
            b->failed = true;
            return;
        }
        c->placements = grown;
        c->room = room;
    }
    c->placements[c->n++] = *p;
}

/* All ways to put the rest on machines h, h + 1, ...; `used` machines have something already. */
static void list_placements(brute *b, const brute_job *j, job_class *c, int h, int w_left, int s_left, int used,
                            bool internal, placement *p) {
    if (h == b->n_machines) {
        if (w_left == 0 && s_left == 0 && (used == 1) == internal && fits(b, j->job, p, b->in->capacity)) {
            keep_placement(b, c, p);
        }
        return;
    }
    for (int w = 0; w <= (j->eligible[h] ? w_left : 0); w++) {
        for (int s = 0; s <= (j->eligible[h] ? s_left : 0); s++) {
            p->w[h] = (signed char)w;
            p->s[h] = (signed char)s;
            list_placements(b, j, c, h + 1, w_left - w, s_left - s, used + (w > 0 || s > 0), internal, p);
        }
    }
}

static int by_falling_progress(const void *a, const void *b) {
    double x = ((const job_class *)a)->progress, y = ((const job_class *)b)->progress;
    return (x < y) - (x > y);
}

static void load_job(brute *b, const berth_job *job, brute_job *out) {
    const berth_instance *in = b->in;
    out->job = job;
    out->work = job->epochs * job->samples;
    for (size_t q = 0; q < in->n_quotas; q++) {
        if (job->tenant != NULL && strcmp(in->quotas[q].tenant, job->tenant) == 0) {
            out->quota = &in->quotas[q];
        }
    }
    for (int h = 0; h < b->n_machines; h++) {
        out->eligible[h] = job_twin_allows(job, in->machines[h]);
    }
    for (int w = 1; w <= job->max_workers; w++) {
        for (int internal = 0; internal < 2; internal++) {
            job_class *c = &out->classes[out->n_classes];
            placement p = {{0}, {0}};
            *c = (job_class){.workers = w, .servers = job_twin_servers(job, w)};
            c->progress = w * job_twin_progress(in->slot_seconds, job, internal);
            list_placements(b, out, c, 0, w, c->servers, 0, internal, &p);
            out->n_classes += c->n > 0;
        }
    }
    qsort(out->classes, (size_t)out->n_classes, sizeof *out->classes, by_falling_progress);
    out->classes[out->n_classes++] = (job_class){0};
}

static bool small_enough(const berth_instance *in) {
    bool small = in->n_machines <= BRUTE_MACHINES && in->n_jobs <= BRUTE_JOBS && in->n_resources <= BRUTE_RESOURCES &&
                 in->horizon_slots <= BRUTE_SLOTS;
    for (size_t i = 0; i < in->n_jobs && small; i++) {
        const berth_job *job = &in->jobs[i];
        small = job->max_workers <= BRUTE_WORKERS && job_twin_servers(job, job->max_workers) <= 100;
    }
    return small;
}

static void brute_free(brute *b) {
    if (b == NULL) {
        return;
    }
    for (int i = 0; i < b->n_jobs; i++) {
        for (int c = 0; c < CLASSES; c++) {
            free(b->jobs[i].classes[c].placements);
        }
    }
    free(b->vectors);
    free(b);
}

/* NULL if the instance is too large, or out of memory. */
static brute *brute_new(const berth_instance *in, long node_limit) {
    if (!small_enough(in)) {
        return NULL;
    }
    brute *b = calloc(1, sizeof *b);
    if (b == NULL) {
        return NULL;
    }
    b->in = in;
    b->n_machines = (int)in->n_machines;
    b->n_jobs = (int)in->n_jobs;
    b->n_resources = (int)in->n_resources;
    b->nodes_left = node_limit;
    b->vectors = calloc(JOINT, sizeof *b->vectors);
    if (b->vectors == NULL) {
        brute_free(b);
        return NULL;
    }
    for (int i = 0; i < b->n_jobs; i++) {
        load_job(b, &in->jobs[i], &b->jobs[i]);
    }
    return b;
}

static bool step(brute *b) {
    b->failed = b->failed || b->nodes_left <= 0;
    b->nodes_left--;
    return !b->failed;
}

/* ---- one slot ---- */

static void add_load(brute *b, const berth_job *job, const placement *p, int sign) {
    for (int h = 0; h < b->n_machines; h++) {
        for (int r = 0; r < b->n_resources; r++) {
            b->load[h][r] += sign * demand(job, r, p->w[h], p->s[h]);
        }
    }
}

/* True if the chosen classes of jobs k .. n-1 fit on top of the present load. */
static bool place_from(brute *b, int k, int n) {
    while (k < n && b->choice[k]->workers == 0) {
        k++;
    }
    if (k >= n || !step(b)) {
        return k >= n;
    }
    const job_class *c = b->choice[k];
    double before[BRUTE_MACHINES][BRUTE_RESOURCES];
    memcpy(before, b->load, sizeof before);
    bool placed = false;
    for (size_t i = 0; i < c->n && !placed; i++) {
        if (fits(b, b->jobs[k].job, &c->placements[i], b->in->capacity)) {
            add_load(b, b->jobs[k].job, &c->placements[i], 1);
            placed = place_from(b, k + 1, n);
            memcpy(b->load, before, sizeof before);
        }
    }
    return placed;
}

/* What jobs 0 .. n-1 of a tenant hold depends on their classes alone, not on where they are. */
static bool quotas_hold(const brute *b, int n) {
    for (size_t q = 0; q < b->in->n_quotas; q++) {
        for (int r = 0; r < b->n_resources; r++) {
            double held = 0;
            for (int k = 0; k < n; k++) {
                if (b->jobs[k].quota == &b->in->quotas[q]) {
                    held += demand(b->jobs[k].job, r, b->choice[k]->workers, b->choice[k]->servers);
                }
            }
            if (!within(held, b->in->quotas[q].amount[r])) {
                return false;
            }
        }
    }
    return true;
}

static bool vector_dominated(const brute *b) {
    for (size_t i = 0; i < b->n_vectors; i++) {
        bool dominates = true;
        for (int k = 0; k < b->n_jobs && dominates; k++) {
            dominates = b->vectors[i].progress[k] >= b->choice[k]->progress;
        }
        if (dominates) {
            return true;
        }
    }
    return false;
}

/* Chooses classes for jobs k .. by falling progress: no vector found later dominates an earlier one. */
static void choose_from(brute *b, int k, int slot) {
    if (!quotas_hold(b, k) || !place_from(b, 0, k)) {
        return;
    }
    if (k == b->n_jobs) {
        if (!vector_dominated(b) && b->n_vectors < JOINT) {
            vector *v = &b->vectors[b->n_vectors++];
            for (int i = 0; i < k; i++) {
                v->progress[i] = b->choice[i]->progress;
            }
            b->failed = b->failed || b->n_vectors == JOINT;
        }
        return;
    }
    const brute_job *j = &b->jobs[k];
    int first = j->job->arrival_slot <= slot ? 0 : j->n_classes - 1;
    for (int c = first; c < j->n_classes && step(b); c++) {
        b->choice[k] = &j->classes[c];
        choose_from(b, k + 1, slot);
    }
}

/* ---- slots in a row ---- */

static bool complete_at(const brute_job *j, double progress) {
    return progress >= j->work * (1 - tolerance);
}

/* Progress that cannot end in any more utility is worth nothing: such states merge. */
static bool out_of_reach(const brute *b, const brute_job *j, double progress, int slot) {
    int left = b->in->horizon_slots - 1 - slot;
    return job_twin_utility(&j->job->utility, slot + 1 - j->job->arrival_slot) <= 0 ||
           !complete_at(j, progress + left * j->classes[0].progress);
}

static state successor(const brute *b, const state *from, const vector *v, int slot) {
    state to = *from;
    for (int k = 0; k < b->n_jobs; k++) {
        const brute_job *j = &b->jobs[k];
        if (complete_at(j, from->progress[k])) {
            continue;
        }
        double progress = from->progress[k] + v->progress[k];
        if (complete_at(j, progress)) {
            to.progress[k] = j->work;
            to.utility += job_twin_utility(&j->job->utility, slot - j->job->arrival_slot);
        } else if (j->job->arrival_slot <= slot) {
            to.progress[k] = out_of_reach(b, j, progress, slot) ? 0 : progress;
        }
    }
    return to;
}

/* After `slot`: whatever the other state may still earn, `a` may too or has already earned more. A job that is complete
 * in `a` alone may earn more in the other one, where it completes later. */
static bool no_worse(const brute *b, const state *a, const state *than, int slot) {
    double to_reach = than->utility;
    for (int k = 0; k < b->n_jobs; k++) {
        const brute_job *j = &b->jobs[k];
        if (a->progress[k] < than->progress[k]) {
            return false;
        }
        if (complete_at(j, a->progress[k]) && !complete_at(j, than->progress[k])) {
            to_reach += job_twin_utility(&j->job->utility, fmax(0, slot + 1 - j->job->arrival_slot));
        }
    }
    return a->utility >= to_reach;
}

/* Adds a state unless one of the set is no worse; drops those that are no better than it. */
static void add_state(brute *b, states *set, const state *s, int slot) {
    size_t kept = 0;
    for (size_t i = 0; i < set->n; i++) {
        if (no_worse(b, &set->at[i], s, slot)) {
            return;
        }
    }
    for (size_t i = 0; i < set->n; i++) {
        if (!no_worse(b, s, &set->at[i], slot)) {
            set->at[kept++] = set->at[i];
        }
    }
    set->n = kept;
    if (set->n == set->room) {
        size_t room = set->room == 0 ? 64 : 2 * set->room;
        state *grown = realloc(set->at, room * sizeof *grown);
        if (grown == NULL) {
            b->failed = true;
            return;
        }
        set->at = grown;
        set->room = room;
    }
    set->at[set->n++] = *s;
}

static bool arrivals_changed(const brute *b, int slot) {
    for (int k = 0; k < b->n_jobs; k++) {
        if (b->jobs[k].job->arrival_slot == slot) {
            return true;
        }
    }
    return slot == 0;
}

static void advance(brute *b, const states *now, states *next, int slot) {
    if (arrivals_changed(b, slot)) {
        b->n_vectors = 0;
        choose_from(b, 0, slot);
    }
    next->n = 0;
    for (size_t i = 0; i < now->n; i++) {
        for (size_t v = 0; v < b->n_vectors && step(b); v++) {
            state s = successor(b, &now->at[i], &b->vectors[v], slot);
            add_state(b, next, &s, slot);
        }
    }
}

double brute_force_optimum(const berth_instance *instance, long node_limit, bool *complete) {
    brute *b = brute_new(instance, node_limit);
    *complete = false;
    if (b == NULL) {
        return (double)NAN;
    }
    states now = {0, 0, NULL}, next = {0, 0, NULL};
    state start = {{0}, 0};
    double best = 0;
    add_state(b, &now, &start, -1);
    for (int slot = 0; slot < instance->horizon_slots && !b->failed; slot++) {
        advance(b, &now, &next, slot);
        states swap = now;
        now = next;
        next = swap;
        for (size_t i = 0; i < now.n; i++) {
            best = fmax(best, now.at[i].utility);
        }
    }
    *complete = !b->failed;
    free(now.at);
    free(next.at);
    brute_free(b);
    return best;
}

/* ---- the cheapest schedule of one job ---- */

typedef struct shopper {
    const brute *b;
    const brute_job *job;
    int last_slot;
    double cost[BRUTE_SLOTS][CLASSES]; /* INFINITY: does not fit */
} shopper;

static double class_cost(const shopper *x, const job_class *c, const double *prices, const double *room) {
    const brute *b = x->b;
    double best = c->workers == 0 ? 0 : (double)INFINITY;
    for (size_t i = 0; i < c->n; i++) {
        const placement *p = &c->placements[i];
        double cost = 0;
        for (int h = 0; h < b->n_machines; h++) {
            for (int r = 0; r < b->n_resources && (p->w[h] > 0 || p->s[h] > 0); r++) {
                cost += prices[h * b->n_resources + r] * demand(x->job->job, r, p->w[h], p->s[h]);
            }
        }
        if (cost < best && fits(b, x->job->job, p, room)) {
            best = cost;
        }
    }
    for (int r = 0; r < b->n_resources && x->job->quota != NULL; r++) {
        if (!within(demand(x->job->job, r, c->workers, c->servers), x->job->quota->amount[r])) {
            best = (double)INFINITY;
        }
    }
    return best;
}

static double cheapest_from(const shopper *x, int slot, double progress) {
    if (complete_at(x->job, progress)) {
        return 0;
    }
    double best = (double)INFINITY;
    for (int c = 0; c < x->job->n_classes && slot <= x->last_slot; c++) {
        if (x->cost[slot][c] < best) {
            double rest = cheapest_from(x, slot + 1, progress + x->job->classes[c].progress);
            best = fmin(best, x->cost[slot][c] + rest);
        }
    }
    return best;
}

double brute_force_schedule_cost(const berth_instance *instance, size_t job, int last_slot, const double *prices,
                                 const double *free_capacity) {
    brute *b = brute_new(instance, 0);
    if (b == NULL) {
        return (double)NAN;
    }
    shopper x = {.b = b, .job = &b->jobs[job], .last_slot = last_slot};
    size_t stride = instance->n_machines * instance->n_resources;
    if (x.last_slot >= instance->horizon_slots) {
        x.last_slot = instance->horizon_slots - 1;
    }
    for (int slot = 0; slot <= x.last_slot; slot++) {
        const double *room = free_capacity == NULL ? instance->capacity : free_capacity + (size_t)slot * stride;
        for (int c = 0; c < x.job->n_classes; c++) {
            x.cost[slot][c] = class_cost(&x, &x.job->classes[c], prices + (size_t)slot * stride, room);
        }
    }
    double cost = cheapest_from(&x, x.job->job->arrival_slot, 0);
    brute_free(b);
    return cost;
}

/* ---- all schedules of one job ---- */

typedef struct lister {
    brute *b;
    const brute_job *job;
    const job_class *class[BRUTE_SLOTS]; /* [horizon] of the schedule so far */
    brute_schedule schedule;
    void (*visit)(void *user, const brute_schedule *schedule);
    void *user;
} lister;

/* Completed in `slot`: is every slot needed? */
static bool needs_all(const lister *l, int slot, double progress) {
    bool needed = true;
    for (int t = 0; t <= slot && needed; t++) {
        needed = l->class[t] == NULL || l->class[t]->workers == 0 ||
                 !complete_at(l->job, progress - l->class[t] -> progress);
    }
    return needed;
}

static void list_from(lister *l, int slot, double progress) {
    const berth_job *job = l->job->job;
    if (complete_at(l->job, progress)) {
        if (needs_all(l, slot - 1, progress) && step(l->b)) {
            l->schedule.completion_slot = slot - 1;
            l->schedule.utility = job_twin_utility(&job->utility, slot - 1 - job->arrival_slot);
            l->visit(l->user, &l->schedule);
        }
        return;
    }
    for (int c = 0; c < l->job->n_classes && slot < l->b->in->horizon_slots; c++) {
        const job_class *class = &l->job->classes[c];
        l->class[slot] = class;
        for (size_t i = 0; i < class->n && !l->b->failed; i++) {
            for (int h = 0; h < l->b->n_machines; h++) {
                l->schedule.workers[slot][h] = class->placements[i].w[h];
                l->schedule.servers[slot][h] = class->placements[i].s[h];
            }
            list_from(l, slot + 1, progress + class->progress);
        }
        if (class->workers == 0) {
            memset(l->schedule.workers[slot], 0, sizeof l->schedule.workers[slot]);
            memset(l->schedule.servers[slot], 0, sizeof l->schedule.servers[slot]);
            list_from(l, slot + 1, progress);
        }
    }
    if (slot < l->b->in->horizon_slots) {
        memset(l->schedule.workers[slot], 0, sizeof l->schedule.workers[slot]);
        memset(l->schedule.servers[slot], 0, sizeof l->schedule.servers[slot]);
    }
}

bool brute_force_schedules(const berth_instance *instance, size_t job, long most,
                           void (*visit)(void *user, const brute_schedule *schedule), void *user) {
    brute *b = brute_new(instance, most);
    if (b == NULL) {
        return false;
    }
    lister l = {.b = b, .job = &b->jobs[job], .visit = visit, .user = user};
    list_from(&l, instance->jobs[job].arrival_slot, 0);
    bool complete = !b->failed;
    brute_free(b);
    return complete;
}
