/* A slot's offers are priced for all worker counts at once: the internal case exactly, the external one by the
 * configuration bound (integer hulls) of the fast slot solver, or, with an LP backend as the solver, by the plain
 * relaxation. Only the offers that the schedule programme chooses are placed, in integers, from the bound's
 * multipliers. */
#include "online/configuration_offers.h"

#include "formulations/internal_curve.h"
#include "online/slot_groups.h"

#include "base/error.h"
#include "base/sort.h"
#include "base/tolerance.h"

#include <math.h>
#include <string.h>

const char berth__solver_fast[] = "fast";

/* Free capacity is scarcer than full capacity, so multipliers are higher than in the bound pass. */
#define FREE_MARGIN 2
/* With fewer touched machines than this, leaving some out saves nothing. */
enum { SIFTED_MACHINES = 256 };
/* Most workers on a machine that the internal case is priced for one by one. */
enum { MOST_CURVE = 100000 };
/* Limits that have to move further than this are given up. */
#define MOST_STRETCH 16
/* Machines dearer than their multipliers by this factor are left out of a first placement. */
#define PLACE_MARGIN 1.05
/* A placement within this of the bound (relative) is good enough. */
#define NEAR_BOUND 1e-4

/* How an offer came about: what placing it needs. */
typedef struct ci_detail {
    int workers;
    berth_locality locality;
    int machine; /* internal: the touched machine, or -1 - class for the lowest idle one of a class */
    double cost;
    double lam, mu; /* external: multipliers of the relaxation */
} ci_detail;

/* Worker counts of one locality with their progress, both increasing. */
typedef struct count_list {
    int n;
    int *workers, *quanta;
    double *w, *s; /* the counts and their servers, for the relaxation */
    double *cost, *lam, *mu;
    int *machine; /* as in ci_detail */
} count_list;

typedef struct ci_slot {
    const berth__offer_context *context;
    berth__workspace *workspace;
    int slot, most_workers;
    berth__price_limits limits;
    berth__slot_groups *groups; /* the workspace's */
    berth__slot_offers *out;
    ci_detail *detail;
} ci_slot;

/* ---- worker counts ---- */

static bool make_list(berth__arena *arena, int room, count_list *list) {
    size_t n = (size_t)room;
    *list = (count_list){.workers = BERTH__ARENA_ARRAY(arena, int, n),
                         .quanta = BERTH__ARENA_ARRAY(arena, int, n),
                         .w = BERTH__ARENA_ARRAY(arena, double, n),
                         .s = BERTH__ARENA_ARRAY(arena, double, n),
                         .cost = BERTH__ARENA_ARRAY(arena, double, n),
                         .lam = BERTH__ARENA_ARRAY(arena, double, n),
                         .mu = BERTH__ARENA_ARRAY(arena, double, n),
                         .machine = BERTH__ARENA_ARRAY(arena, int, n)};
    return list->workers != NULL && list->quanta != NULL && list->w != NULL && list->s != NULL && list->cost != NULL &&
           list->lam != NULL && list->mu != NULL && list->machine != NULL;
}

/* The least count for each amount of progress, with all the progress that it makes. */
static void list_counts(const ci_slot *c, berth_locality locality, int most, count_list *list) {
    const berth__offer_context *context = c->context;
    int quanta = 0;
    list->n = 0;
    while (quanta < context->quanta.needed) {
        int workers = berth__quanta_workers(&context->quanta, context->job, quanta + 1, locality);
        if (workers > most) {
            return;
        }
        quanta = berth__quanta_down(&context->quanta, context->job, workers, locality);
        int ps = berth__ps_needed(context->job, workers);
        if (locality == BERTH_EXTERNAL && workers + ps < 2) {
            continue; /* one worker alone sits on one machine */
        }
        list->workers[list->n] = workers;
        list->quanta[list->n] = quanta;
        list->w[list->n] = workers;
        list->s[list->n++] = ps;
    }
}

/* ---- costs ---- */

static void add_offer(ci_slot *c, const count_list *list, int i, berth_locality locality) {
    berth__slot_offers *out = c->out;
    if (list->cost[i] < HUGE_VAL) {
        c->detail[out->n] = (ci_detail){.workers = list->workers[i],
                                        .locality = locality,
                                        .machine = list->machine[i],
                                        .cost = list->cost[i],
                                        .lam = list->lam[i],
                                        .mu = list->mu[i]};
        out->offers[out->n] = (berth__offer){.quanta = list->quanta[i], .cost = list->cost[i], .index = out->n};
        out->n++;
    }
}

/* Both lists, which rise in progress, merged by it; the internal offer first where it makes as much. */
static void add_offers(ci_slot *c, const count_list *internal, const count_list *external) {
    for (int i = 0, e = 0; i < internal->n || e < external->n;) {
        if (e == external->n || (i < internal->n && internal->quanta[i] <= external->quanta[e])) {
            add_offer(c, internal, i++, BERTH_INTERNAL);
        } else {
            add_offer(c, external, e++, BERTH_EXTERNAL);
        }
    }
}

/* The same count by count: for machines that hold more workers than the curve has room for. */
static void price_internal_counts(ci_slot *c, int most, count_list *list) {
    const berth__slot_groups *g = c->groups;
    list_counts(c, BERTH_INTERNAL, most, list);
    for (int i = 0; i < list->n; i++) {
        list->cost[i] = HUGE_VAL;
        for (int k = 0; k < g->n_groups; k++) {
            double cost = list->w[i] * g->price_worker[k] + (list->s[i] > 0 ? list->s[i] * g->price_ps[k] : 0);
            if (c->workspace->group_room[k] >= list->workers[i] && cost < list->cost[i]) {
                bool touched = k < g->n_touched;
                list->cost[i] = cost;
                list->machine[i] = touched ? g->machine[k] : -1 - c->context->ledger->cluster->class_of[g->machine[k]];
            }
        }
    }
}

/* The internal case on the groups in hand. */
static berth_status price_internal(ci_slot *c, count_list *list, berth_error *error) {
    const berth__slot_groups *g = c->groups;
    const berth__job *job = c->context->job;
    int most = 0;
    berth__internal_rooms(g->n_groups, g->capacity, 1, (size_t)g->room, job, c->context->ledger->cluster->n_resources,
                          c->most_workers, c->workspace->group_room);
    for (int k = 0; k < g->n_groups; k++) {
        most = most < c->workspace->group_room[k] ? c->workspace->group_room[k] : most;
    }
    if (most > MOST_CURVE) {
        price_internal_counts(c, most, list);
        return BERTH_OK;
    }
    berth__arena *arena = c->out->arena;
    int *servers = BERTH__ARENA_ARRAY(arena, int, (size_t)most);
    int *group = BERTH__ARENA_ARRAY(arena, int, (size_t)most);
    double *cost = BERTH__ARENA_ARRAY(arena, double, (size_t)most);
    if (servers == NULL || group == NULL || cost == NULL) {
        return berth__fail_memory(error);
    }
    for (int w = 1; w <= most; w++) {
        servers[w - 1] = berth__ps_needed(job, w);
    }
    berth_status status = berth__internal_curve(g->n_groups, g->price_worker, g->price_ps, c->workspace->group_room,
                                                most, servers, c->workspace->scratch, cost, group);
    if (status != BERTH_OK) {
        return berth__fail_memory(error);
    }
    list_counts(c, BERTH_INTERNAL, most, list);
    for (int i = 0; i < list->n; i++) {
        int at = list->workers[i] - 1, k = group[at];
        list->cost[i] = cost[at];
        if (k >= 0) {
            bool touched = k < g->n_touched;
            list->machine[i] = touched ? g->machine[k] : -1 - c->context->ledger->cluster->class_of[g->machine[k]];
        }
    }
    return BERTH_OK;
}

static berth_status price_fast(ci_slot *c, count_list *list, berth_error *error) {
    const berth__slot_groups *g = c->groups;
    const berth__theta_problem problem = {.n_groups = g->n_groups,
                                          .n_resources = c->context->ledger->cluster->n_resources,
                                          .count = g->count,
                                          .capacity = g->capacity,
                                          .price_worker = g->price_worker,
                                          .price_ps = g->price_ps,
                                          .worker = c->context->job->worker,
                                          .ps = c->context->job->ps,
                                          .stride = (size_t)g->room,
                                          .kind = BERTH__THETA_HULL};
    berth_status status = berth__theta_solve(c->workspace->theta, &problem, (size_t)list->n, list->w, list->s,
                                             list->cost, list->lam, list->mu);
    return status == BERTH_OK ? status : berth__fail(error, status, NULL, "the slot solver failed");
}

/* The whole slot, machine by machine. */
static bool view_machines(const berth__offer_context *context, int slot, berth__arena *arena,
                          berth__slot_problem *out) {
    const berth__cluster *cluster = context->ledger->cluster;
    size_t H = (size_t)cluster->n_machines, R = (size_t)cluster->n_resources;
    double *free = BERTH__ARENA_ARRAY(arena, double, H *R);
    double *worker = BERTH__ARENA_ARRAY(arena, double, H);
    double *ps = BERTH__ARENA_ARRAY(arena, double, H);
    if (free == NULL || worker == NULL || ps == NULL) {
        return false;
    }
    berth__ledger_free_capacity(context->ledger, slot, context->job, free);
    berth__ledger_unit_prices(context->ledger, slot, context->job, worker, ps);
    *out = (berth__slot_problem){.n_machines = cluster->n_machines,
                                 .n_resources = cluster->n_resources,
                                 .free = free,
                                 .price_worker = worker,
                                 .price_ps = ps,
                                 .job = context->job};
    return true;
}

/* The same by an LP backend: the slow, obvious way. */
static berth_status price_by_backend(ci_slot *c, count_list *list, berth_error *error) {
    const berth_options *options = c->context->options;
    berth__slot_problem problem;
    berth__slot_lp *lp = NULL;
    if (!view_machines(c->context, c->slot, c->out->arena, &problem)) {
        return berth__fail_memory(error);
    }
    berth_status status = berth__slot_lp_new(&problem, options->backends, options->solver, &lp, error);
    for (int i = 0; i < list->n; i++) {
        const double *x = NULL;
        list->cost[i] = HUGE_VAL;
        if (status == BERTH_OK && (i == 0 || list->cost[i - 1] < HUGE_VAL)) {
            status = berth__slot_lp_solve(lp, list->workers[i], c->context->budget, &list->cost[i], &x, error);
            berth__slot_lp_duals(lp, &list->lam[i], &list->mu[i]);
        }
    }
    berth__slot_lp_free(lp);
    return status;
}

/* ---- which machines ---- */

/* How far the limits have to move for the external case to be settled by the groups in hand: 1 = not at all, INFINITY =
 * all groups are needed. */
static double external_stretch(const ci_slot *c, const count_list *list) {
    if (!c->groups->left_out || list->n == 0) {
        return 1;
    }
    double lam = 0, mu = 0;
    for (int i = 0; i < list->n; i++) {
        lam = fmax(lam, list->lam[i]);
        mu = fmax(mu, list->mu[i]);
    }
    if (!(list->cost[list->n - 1] < HUGE_VAL)) {
        return HUGE_VAL; /* infeasible on some of the groups says nothing */
    }
    double stretch =
        fmax(lam > c->limits.worker ? lam / c->limits.worker : 1, mu > c->limits.ps ? mu / c->limits.ps : 1);
    return isfinite(stretch) ? stretch : HUGE_VAL;
}

/* The same for the internal case: W workers on a group left out cost at least W times this rate, which is of use only
 * below the external cost of as much progress. */
static double internal_stretch(const ci_slot *c, const count_list *external) {
    if (!c->groups->left_out) {
        return 1;
    }
    const berth__job *job = c->context->job;
    const berth__cluster *cluster = c->context->ledger->cluster;
    double rate = c->limits.worker + (1 - BERTH__FEASIBILITY) / job->workers_per_ps * c->limits.ps, stretch = 1;
    int most = 0, at = 0;
    for (int k = 0; k < cluster->n_classes; k++) {
        const double *capacity =
            cluster->capacity + (size_t)c->context->ledger->first_of_class[k] * (size_t)cluster->n_resources;
        int room = berth__internal_room(capacity, 1, job, cluster->n_resources, c->most_workers);
        most = most < room ? room : most;
    }
    for (int w = 1; w <= most; w++) {
        int quanta = berth__quanta_down(&c->context->quanta, job, w, BERTH_INTERNAL);
        while (at < external->n && external->quanta[at] < quanta) {
            at++;
        }
        double rival = at < external->n ? external->cost[at] : HUGE_VAL;
        if (w * rate < rival) {
            stretch = fmax(stretch, rival / (w * rate));
        }
    }
    return isfinite(stretch) ? stretch : HUGE_VAL;
}

/* Most workers that fit by themselves, over all groups. */
static int count_room(const ci_slot *c) {
    const berth__slot_groups *g = c->groups;
    int R = c->context->ledger->cluster->n_resources;
    double room = 0;
    for (int k = 0; k < g->n_groups && room < c->most_workers; k++) {
        double one[BERTH__THETA_MAX_RESOURCES];
        for (int r = 0; r < R; r++) {
            one[r] = g->capacity[(size_t)r * (size_t)g->room + (size_t)k];
        }
        room += g->count[k] * berth__fit_count(one, c->context->job->worker, R, c->most_workers);
    }
    return room < c->most_workers ? (int)room : c->most_workers;
}

static berth_status price_external(ci_slot *c, count_list *list, berth_error *error) {
    list_counts(c, BERTH_EXTERNAL, c->most_workers, list);
    return c->context->options->solver == berth__solver_fast ? price_fast(c, list, error)
                                                             : price_by_backend(c, list, error);
}

/* Fills the groups and prices the external case, with limits wide enough for both cases. Where the limits start is a
 * matter of speed only. */
static berth_status settle_groups(ci_slot *c, count_list *external, berth_error *error) {
    const berth__offer_context *context = c->context;
    bool sift = context->options->solver == berth__solver_fast && context->limits != NULL &&
                context->ledger->slots[c->slot].n_touched >= SIFTED_MACHINES;
    c->limits = (berth__price_limits){HUGE_VAL, HUGE_VAL};
    if (sift) {
        c->limits.worker = FREE_MARGIN * context->limits[c->slot].worker;
        c->limits.ps = FREE_MARGIN * context->limits[c->slot].ps;
    }
    for (int attempt = 0;; attempt++) {
        berth__slot_groups_fill(context->ledger, context->job, c->slot, BERTH__FREE_CAPACITY, c->limits, c->groups);
        if (!c->groups->left_out) {
            c->most_workers = count_room(c);
        }
        berth_status status = price_external(c, external, error);
        if (status != BERTH_OK || !c->groups->left_out) {
            return status;
        }
        double stretch = fmax(external_stretch(c, external), internal_stretch(c, external));
        if (stretch <= 1) {
            return BERTH_OK;
        }
        double factor = attempt < 2 && stretch < MOST_STRETCH ? 1.5 * stretch : HUGE_VAL;
        c->limits.worker = c->limits.worker > 0 ? factor * c->limits.worker : HUGE_VAL;
        c->limits.ps = c->limits.ps > 0 ? factor * c->limits.ps : 0;
    }
}

/* An external placement on one machine would run slower than it was priced. */
static bool must_spread(const berth__job *job) {
    return job->slot_samples[BERTH_INTERNAL] < job->slot_samples[BERTH_EXTERNAL];
}

/* Machines, of those in hand, with room for a worker or a server; 2 stands for more, too. */
static double machines_with_room(const ci_slot *c) {
    const berth__slot_groups *g = c->groups;
    const berth__job *job = c->context->job;
    int R = c->context->ledger->cluster->n_resources;
    bool servers = berth__ps_needed(job, job->max_workers) > 0;
    double machines = 0;
    for (int k = 0; k < g->n_groups && machines < 2; k++) {
        double one[BERTH__THETA_MAX_RESOURCES];
        for (int r = 0; r < R; r++) {
            one[r] = g->capacity[(size_t)r * (size_t)g->room + (size_t)k];
        }
        bool any =
            berth__fit_count(one, job->worker, R, 1) > 0 || (servers && berth__fit_count(one, job->ps, R, 1) > 0);
        machines += any ? g->count[k] : 0;
    }
    return machines;
}

berth_status berth__configuration_offer(const berth__offer_context *context, berth__workspace *workspace, int slot,
                                        berth__slot_offers *out, berth_error *error) {
    ci_slot c = {.context = context, .workspace = workspace, .slot = slot, .groups = &workspace->groups, .out = out};
    int counts =
        context->quanta.needed < context->job->max_workers ? context->quanta.needed : context->job->max_workers;
    int room = 2 * counts;
    count_list internal, external;
    out->offers = BERTH__ARENA_ARRAY(out->arena, berth__offer, (size_t)room);
    out->all = BERTH__ARENA_ARRAY(out->arena, berth__offer, (size_t)room);
    c.detail = BERTH__ARENA_ARRAY(out->arena, ci_detail, (size_t)room);
    out->detail = c.detail;
    if (out->offers == NULL || out->all == NULL || c.detail == NULL || !make_list(out->arena, counts, &internal) ||
        !make_list(out->arena, counts, &external)) {
        return berth__fail_memory(error);
    }
    if (berth__budget_spent(context->budget)) {
        return berth__fail(error, BERTH_E_CANCELLED, NULL, "%s", berth_status_text(BERTH_E_CANCELLED));
    }
    double start = berth__now_s();
    c.most_workers = berth__ledger_quota_room(context->ledger, slot, context->job, context->job->max_workers);
    berth_status status = settle_groups(&c, &external, error);
    if (status == BERTH_OK) {
        status = price_internal(&c, &internal, error);
    }
    if (status == BERTH_OK) {
        if (must_spread(context->job) && !c.groups->left_out && machines_with_room(&c) < 2) {
            external.n = 0; /* nothing can be spread */
        }
        add_offers(&c, &internal, &external);
        out->n_all = out->n;
        memcpy(out->all, out->offers, (size_t)out->n * sizeof *out->all);
        out->n = berth__offers_prune(out->offers, out->n);
    }
    out->stats.relaxation_s += berth__now_s() - start;
    return status;
}

/* ---- placing ---- */

typedef struct candidate {
    int machine, group;
} candidate;

/* Machines of a slot, one by one: those within some limits, of idle ones no more than could be needed. */
typedef struct candidate_list {
    int n;
    candidate *machine; /* [n] by rising machine */
    bool left_out;
    berth__slot_problem problem; /* over them */
    berth__job job;              /* the job without its eligibility, which the list has settled */
    int *w, *s;                  /* [n] */
} candidate_list;

static int by_machine(const void *a, const void *b) {
    int x = ((const candidate *)a)->machine, y = ((const candidate *)b)->machine;
    return (x > y) - (x < y);
}

/* The lowest `most` idle machines of a group's class that the job may use. */
static void add_idle(const berth__offer_context *context, int slot, int group, int machine_class, int most,
                     candidate_list *list) {
    const berth__cluster *cluster = context->ledger->cluster;
    const int *place = context->ledger->place + (size_t)slot * (size_t)cluster->n_machines;
    const bool *eligible = context->job->eligible;
    for (int h = context->ledger->slots[slot].idle_from[machine_class]; h < cluster->n_machines && most > 0; h++) {
        if (place[h] == 0 && cluster->class_of[h] == machine_class && (eligible == NULL || eligible[h])) {
            list->machine[list->n++] = (candidate){.machine = h, .group = group};
            most--;
        }
    }
}

/* scratch: as list->machine. */
static void expand_groups(const berth__offer_context *context, int slot, const berth__slot_groups *groups, int units,
                          candidate_list *list, candidate *scratch) {
    const berth__cluster *cluster = context->ledger->cluster;
    for (int k = 0; k < groups->n_groups; k++) {
        int machine = groups->machine[k];
        if (k < groups->n_touched) {
            list->machine[list->n++] = (candidate){.machine = machine, .group = k};
        } else {
            int idle = (int)fmin(groups->count[k], units);
            add_idle(context, slot, k, cluster->class_of[machine], idle, list);
        }
    }
    berth__sort_records(list->machine, (size_t)list->n, sizeof *list->machine, by_machine, scratch);
}

static size_t most_candidates(const berth__slot_groups *groups, int units) {
    double most = 0;
    for (int k = 0; k < groups->n_groups; k++) {
        most += fmin(groups->count[k], units);
    }
    return (size_t)most;
}

static bool list_candidates(const berth__offer_context *context, berth__workspace *workspace, int slot, int units,
                            berth__price_limits limits, berth__arena *arena, candidate_list *list) {
    const berth__slot_groups *groups = &workspace->groups;
    size_t R = (size_t)context->ledger->cluster->n_resources;
    berth__slot_groups_fill(context->ledger, context->job, slot, BERTH__FREE_CAPACITY, limits, &workspace->groups);
    size_t most = most_candidates(groups, units);
    *list = (candidate_list){.left_out = groups->left_out, .machine = BERTH__ARENA_ARRAY(arena, candidate, most)};
    candidate *scratch = BERTH__ARENA_ARRAY(arena, candidate, most);
    double *free = BERTH__ARENA_ARRAY(arena, double, most *R);
    double *worker = BERTH__ARENA_ARRAY(arena, double, most);
    double *ps = BERTH__ARENA_ARRAY(arena, double, most);
    list->w = BERTH__ARENA_ARRAY(arena, int, most);
    list->s = BERTH__ARENA_ARRAY(arena, int, most);
    if (list->machine == NULL || scratch == NULL || free == NULL || worker == NULL || ps == NULL || list->w == NULL ||
        list->s == NULL) {
        return false;
    }
    expand_groups(context, slot, groups, units, list, scratch);
    for (size_t n = 0; n < (size_t)list->n; n++) {
        size_t k = (size_t)list->machine[n].group;
        worker[n] = groups->price_worker[k];
        ps[n] = groups->price_ps[k];
        for (size_t r = 0; r < R; r++) {
            free[n * R + r] = groups->capacity[r * (size_t)groups->room + k];
        }
    }
    list->job = *context->job;
    list->job.eligible = NULL;
    list->problem = (berth__slot_problem){.n_machines = list->n,
                                          .n_resources = (int)R,
                                          .free = free,
                                          .price_worker = worker,
                                          .price_ps = ps,
                                          .job = &list->job};
    return true;
}

/* The placement of a list as a slot plan. */
static berth_status write_plan(const berth__offer_context *context, int slot, const candidate_list *list,
                               berth__arena *arena, berth_slot_plan *out, berth_error *error) {
    const berth__job *job = context->job;
    size_t n = 0;
    int workers = 0;
    for (int k = 0; k < list->n; k++) {
        n += list->w[k] > 0 || list->s[k] > 0;
        workers += list->w[k];
    }
    berth_locality locality = n > 1 ? BERTH_EXTERNAL : BERTH_INTERNAL;
    *out = (berth_slot_plan){.slot = slot,
                             .locality = locality,
                             .samples = workers * job->slot_samples[locality],
                             .n_placements = n,
                             .placements = BERTH__ARENA_ARRAY(arena, berth_placement, n)};
    if (out->placements == NULL) {
        return berth__fail_memory(error);
    }
    size_t i = 0;
    for (int k = 0; k < list->n; k++) {
        if (list->w[k] > 0 || list->s[k] > 0) {
            out->placements[i++] =
                (berth_placement){.machine = list->machine[k].machine, .workers = list->w[k], .ps = list->s[k]};
        }
    }
    return BERTH_OK;
}

/* One machine for all: the one that was priced. */
static berth_status place_internal(const berth__offer_context *context, int slot, const ci_detail *detail,
                                   berth__arena *arena, berth_slot_plan *out, bool *placed, berth_error *error) {
    const berth__job *job = context->job;
    const berth__cluster *cluster = context->ledger->cluster;
    int machine = detail->machine;
    if (machine < 0) {
        int k = -1 - machine;
        const int *place = context->ledger->place + (size_t)slot * (size_t)cluster->n_machines;
        machine = context->ledger->slots[slot].idle_from[k];
        while (machine < cluster->n_machines && (cluster->class_of[machine] != k || place[machine] != 0 ||
                                                 (job->eligible != NULL && !job->eligible[machine]))) {
            machine++;
        }
    }
    *placed = machine < cluster->n_machines;
    if (!*placed) {
        return BERTH_OK;
    }
    *out = (berth_slot_plan){.slot = slot,
                             .locality = BERTH_INTERNAL,
                             .samples = detail->workers * job->slot_samples[BERTH_INTERNAL],
                             .n_placements = 1,
                             .placements = BERTH__ARENA_ARRAY(arena, berth_placement, 1)};
    if (out->placements == NULL) {
        return berth__fail_memory(error);
    }
    out->placements[0] =
        (berth_placement){.machine = machine, .workers = detail->workers, .ps = berth__ps_needed(job, detail->workers)};
    return BERTH_OK;
}

/* Placing over a list is final if it found the cheapest there is or came near the bound, and no machine left out could
 * have bettered it: each unit there costs at least `spare` more than its multiplier. */
static berth_status place_external(const ci_detail *detail, berth__workspace *workspace, candidate_list *list,
                                   double spare, berth__placement_stats *stats, bool *placed, bool *final,
                                   berth_error *error) {
    berth__completion_result result = {0};
    berth_status status = berth__complete(workspace->completion, &list->problem, detail->workers, detail->lam,
                                          detail->mu, must_spread(&list->job), list->w, list->s, &result);
    if (status != BERTH_OK) {
        return berth__fail(error, status, NULL, "placing %d workers failed", detail->workers);
    }
    *placed = result.feasible;
    double excess = fmax(0, result.cost - result.bound); /* 0 up to rounding error */
    *final = !list->left_out || (result.feasible && (excess <= spare || excess <= NEAR_BOUND * result.bound));
    if (*placed && *final) {
        double gap = result.bound > 0 ? excess / result.bound : 0;
        stats->slots++;
        stats->proved += result.exact && (!list->left_out || excess <= spare);
        stats->gap_sum += gap;
        stats->gap_worst = fmax(stats->gap_worst, gap);
    }
    return BERTH_OK;
}

berth_status berth__configuration_place(const berth__offer_context *context, berth__workspace *workspace, int slot,
                                        const berth__slot_offers *offers, int index, berth__arena *arena,
                                        berth_slot_plan *out, berth__placement_stats *stats, bool *placed,
                                        berth_error *error) {
    const ci_detail *detail = (const ci_detail *)offers->detail + index;
    int units = detail->workers + berth__ps_needed(context->job, detail->workers);
    bool final = false;
    berth_status status = BERTH_OK;
    *placed = false;
    if (detail->locality == BERTH_INTERNAL) {
        return place_internal(context, slot, detail, arena, out, placed, error);
    }
    /* First over the machines that matter at the multipliers, then over all. */
    for (int attempt = 0; attempt < 2 && !final; attempt++) {
        berth__price_limits limits = {HUGE_VAL, HUGE_VAL};
        if (attempt == 0) {
            limits = (berth__price_limits){PLACE_MARGIN * detail->lam, PLACE_MARGIN * detail->mu};
        }
        berth__arena_mark before = berth__arena_here(workspace->scratch);
        candidate_list list;
        if (!list_candidates(context, workspace, slot, units, limits, workspace->scratch, &list)) {
            status = berth__fail_memory(error);
        } else {
            double least = units > detail->workers ? fmin(detail->lam, detail->mu) : detail->lam;
            double spare = least * (PLACE_MARGIN - 1);
            status = place_external(detail, workspace, &list, spare, stats, placed, &final, error);
        }
        if (status == BERTH_OK && *placed && final) {
            status = write_plan(context, slot, &list, arena, out, error);
        }
        berth__arena_back(workspace->scratch, before);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return status;
}

/* What W workers could not be placed for, more could not either. */
bool berth__configuration_falls_with(const berth__slot_offers *offers, int failed, int other, bool all) {
    const ci_detail *detail = offers->detail;
    if (detail[other].locality == BERTH_INTERNAL) {
        return other == failed;
    }
    return all || (detail[failed].locality == BERTH_EXTERNAL && detail[other].workers >= detail[failed].workers);
}
