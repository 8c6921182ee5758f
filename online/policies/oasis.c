/* Policy `oasis`: primal-dual admission without a notion of locality. Bao, Peng, Wu and Li, "Online Job Scheduling in
 * Distributed Machine Learning Clusters", INFOCOM 2018: workers and parameter servers sit on two separate groups of
 * machines, here every other machine each, so that a job with servers always runs at the external speed. Prices,
 * schedule programme and admission are those of pdors, whose source compares itself with it (Yu et al. 2022, section
 * V).
 *
 * With the groups apart and one price per unit and machine, the cheapest placement of W workers and S servers is to
 * fill the cheapest machines of each group in turn: exact, nothing to relax or round. Ours: a job without servers runs
 * at the speed of where its workers happen to be. */
#include "formulations/slot.h"
#include "online/policy.h"

#include "base/error.h"
#include "base/sort.h"

/* One group's machines as a unit of the job sees them, cheapest first. */
typedef struct shelf {
    int machine, room;
    double price;
} shelf;

typedef struct groups {
    shelf *workers, *servers;
    int n_workers, n_servers; /* machines with room */
    int worker_room, server_room;
} groups;

static int by_price(const void *a, const void *b) {
    const shelf *x = a, *y = b;
    if (x->price != y->price) {
        return x->price < y->price ? -1 : 1;
    }
    return (x->machine > y->machine) - (x->machine < y->machine);
}

/* Machines first, first + 2, ... that the job may use, with room for a unit of `demand`; at most `limit` units count.
 */
static shelf *sort_group(berth__arena *arena, const berth__cluster *cluster, const berth__job *job, const double *free,
                         const double *demand, const double *price, int first, int limit, int *n, int *room) {
    size_t R = (size_t)cluster->n_resources;
    shelf *shelves = BERTH__ARENA_ARRAY(arena, shelf, (size_t)cluster->n_machines + 1);
    *n = *room = 0;
    if (shelves == NULL) {
        return NULL;
    }
    for (int h = first; h < cluster->n_machines; h += 2) {
        bool may = job->eligible == NULL || job->eligible[h];
        int fit = may ? berth__fit_count(free + (size_t)h * R, demand, (int)R, limit) : 0;
        if (fit > 0) {
            shelves[(*n)++] = (shelf){.machine = h, .room = fit, .price = price[h]};
            *room += fit < limit - *room ? fit : limit - *room;
        }
    }
    /* every other machine is in a group: the rest has room for as many again */
    berth__sort_records(shelves, (size_t)*n, sizeof *shelves, by_price, shelves + *n);
    return shelves;
}

/* Counts of the cheapest `units`, into count[n_machines]; returns their price. */
static double fill_cheapest(const shelf *shelves, int n, int units, int *count) {
    double cost = 0;
    for (int i = 0; i < n && units > 0; i++) {
        int here = shelves[i].room < units ? shelves[i].room : units;
        count[shelves[i].machine] = here;
        cost += here * shelves[i].price;
        units -= here;
    }
    return cost;
}

static bool view_groups(const berth__offer_context *context, int slot, berth__arena *arena, groups *out) {
    const berth__ledger *ledger = context->ledger;
    const berth__cluster *cluster = ledger->cluster;
    const berth__job *job = context->job;
    size_t H = (size_t)cluster->n_machines, R = (size_t)cluster->n_resources;
    double *free = BERTH__ARENA_ARRAY(arena, double, H *R);
    double *worker = BERTH__ARENA_ARRAY(arena, double, H);
    double *ps = BERTH__ARENA_ARRAY(arena, double, H);
    if (free == NULL || worker == NULL || ps == NULL) {
        return false;
    }
    berth__ledger_free_capacity(ledger, slot, job, free);
    berth__ledger_unit_prices(ledger, slot, job, worker, ps);
    out->workers = sort_group(arena, cluster, job, free, job->worker, worker, 0, job->max_workers, &out->n_workers,
                              &out->worker_room);
    out->servers = sort_group(arena, cluster, job, free, job->ps, ps, 1, berth__ps_needed(job, job->max_workers),
                              &out->n_servers, &out->server_room);
    return out->workers != NULL && out->servers != NULL;
}

static berth_status offer(const berth__offer_context *context, berth__workspace *workspace, int slot,
                          berth__slot_offers *out, berth_error *error) {
    (void)workspace;
    const berth__job *job = context->job;
    const berth__cluster *cluster = context->ledger->cluster;
    const berth__quanta *q = &context->quanta;
    size_t H = (size_t)cluster->n_machines;
    groups g;
    int most = q->needed < job->max_workers ? q->needed : job->max_workers, quanta = 0;
    out->offers = BERTH__ARENA_ARRAY(out->arena, berth__offer, (size_t)most);
    out->plans = BERTH__ARENA_ARRAY(out->arena, berth_slot_plan, (size_t)most);
    if (out->offers == NULL || out->plans == NULL || !view_groups(context, slot, out->arena, &g)) {
        return berth__fail_memory(error);
    }
    int limit = berth__ledger_quota_room(context->ledger, slot, job, g.worker_room);
    while (quanta < q->needed && out->n < most) {
        int workers = berth__quanta_workers(q, job, quanta + 1, BERTH_EXTERNAL);
        if (workers > limit || berth__ps_needed(job, workers) > g.server_room) {
            break;
        }
        if (berth__budget_spent(context->budget)) {
            return berth__fail(error, BERTH_E_CANCELLED, NULL, "%s", berth_status_text(BERTH_E_CANCELLED));
        }
        quanta = berth__quanta_down(q, job, workers, BERTH_EXTERNAL);
        int *w = BERTH__ARENA_ARRAY(out->arena, int, H), *s = BERTH__ARENA_ARRAY(out->arena, int, H);
        berth_slot_plan *plan = &out->plans[out->n];
        if (w == NULL || s == NULL) {
            return berth__fail_memory(error);
        }
        double cost = fill_cheapest(g.workers, g.n_workers, workers, w);
        cost += fill_cheapest(g.servers, g.n_servers, berth__ps_needed(job, workers), s);
        if (!berth__slot_plan_from_counts(out->arena, cluster, job, slot, w, s, plan)) {
            return berth__fail_memory(error);
        }
        out->offers[out->n] = (berth__offer){
            .quanta = berth__quanta_down(q, job, workers, plan->locality), .cost = cost, .index = out->n};
        out->n++;
    }
    out->n = berth__offers_prune(out->offers, out->n);
    return BERTH_OK;
}

const berth__policy berth__policy_oasis = {
    .name = "oasis",
    .about = "primal-dual admission without locality, workers and servers on separate halves of the machines (Bao et "
             "al. 2018)",
    .solver = "none",
    .price_floor = 1e-12, /* for the numbers' sake only */
    .parallel_machines = 1000,
    .apart = true,
    .offer = offer,
};
